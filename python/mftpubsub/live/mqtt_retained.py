"""Retained messages of MQTT, which every node with clients keeps."""

from __future__ import annotations

import time
from collections.abc import Iterator

from mftpubsub.live.mqtt_store import Retained, Store

#: Topics, at most: each has a message in memory and in the file.
MOST = 10_000


class RetainedMessages:
    """Those of the network, as far as this node knows."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_topic = {one.topic: one for one in store.retained()}

    def stamp(self, topic: str) -> int:
        """Of a new message: later than all that this node knows."""
        before = self._by_topic.get(topic)
        return max(time.time_ns(), before.stamp + 1 if before else 0)

    def keep(self, message: Retained) -> bool:
        """Whether it is later than what there was; then it is kept."""
        before = self._by_topic.get(message.topic)
        if before and (before.stamp, before.node) >= (message.stamp, message.node):
            return False
        if before is None and len(self._by_topic) >= MOST:
            return False
        self._store.retain(message)
        self._by_topic[message.topic] = message
        return True

    def __iter__(self) -> Iterator[Retained]:
        return iter([*self._by_topic.values()])
