"""Retained messages of MQTT, which every node with clients keeps, in memory and in a file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from mftpubsub.errors import ConfigurationError

#: Topics, at most: each has a message in memory and in the file.
MOST = 10_000


@dataclass(frozen=True)
class Retained:
    """The latest message of a topic that was to be retained; without a payload it takes back the former."""

    topic: str
    payload: bytes
    qos: int
    stamp: int
    """ns since 1970, by its node's clock: of two, the later one counts."""
    node: int
    """Of the client that published it."""


class RetainedMessages:
    """Those of the network, as far as this node knows."""

    def __init__(self, file: Path) -> None:
        """Raises ConfigurationError for a file that this class has not written."""
        self._file = file
        self._by_topic: dict[str, Retained] = {}
        if file.exists():
            try:
                for told in json.loads(file.read_text(encoding="utf-8")):
                    one = Retained(**told | {"payload": bytes.fromhex(told["payload"])})
                    self._by_topic[one.topic] = one
            except (OSError, ValueError, TypeError, LookupError) as error:
                raise ConfigurationError(f"{file}: no retained messages: {error}") from None

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
        self._by_topic[message.topic] = message
        self._write()
        return True

    def __iter__(self) -> Iterator[Retained]:
        return iter([*self._by_topic.values()])

    def _write(self) -> None:
        told = [asdict(one) | {"payload": one.payload.hex()} for one in self._by_topic.values()]
        fresh = self._file.with_name(self._file.name + ".new")
        fresh.write_text(json.dumps(told), encoding="utf-8")
        fresh.replace(self._file)
