"""Retained messages of MQTT, which every node with clients keeps."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

from mftpubsub.live.mqtt_store import Retained, Store
from mftpubsub.live.mqtt_topics import is_topic

#: Topics with a message, at most, and such as were taken back: each is in memory and in the file.
MOST = 10_000
_logger = logging.getLogger("mftpubsub.live")


class RetainedMessages:
    """Those of the network, as far as this node knows.

    That one was taken back is known, too: a node that was away may bring the message back. Who was away
    while MOST others were taken back may do so, as the oldest is forgotten.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, Retained] = {}
        self._taken_back: dict[str, Retained] = {}
        for one in store.retained():
            if is_topic(one.topic):
                self._put(one)
            else:
                store.forget_retained(one.topic)

    def _before(self, topic: str) -> Retained | None:
        return self._kept.get(topic) or self._taken_back.get(topic)

    def stamp(self, topic: str) -> int:
        """Of a new message: later than all that this node knows."""
        before = self._before(topic)
        return max(time.time_ns(), before.stamp + 1 if before else 0)

    def keep(self, message: Retained) -> bool:
        """Whether it is later than what there was; then it is kept. Whoever tells it, it is the same."""
        before = self._before(message.topic)
        if before and (before.stamp, before.payload) >= (message.stamp, message.payload):
            return False
        if message.payload and message.topic not in self._kept and len(self._kept) >= MOST:
            _logger.warning("a message to %s is not retained: %d topics have one", message.topic, MOST)
            return False
        self._store.retain(message)
        self._put(message)
        return True

    def _put(self, message: Retained) -> None:
        for by_topic in (self._kept, self._taken_back):
            by_topic.pop(message.topic, None)
        (self._kept if message.payload else self._taken_back)[message.topic] = message
        if len(self._taken_back) > MOST:
            oldest = next(iter(self._taken_back))
            del self._taken_back[oldest]
            self._store.forget_retained(oldest)

    def __iter__(self) -> Iterator[Retained]:
        return iter([*self._kept.values(), *self._taken_back.values()])
