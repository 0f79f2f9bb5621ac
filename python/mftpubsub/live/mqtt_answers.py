"""Answers to nodes of MQTT's clients that come later, and ask what is retained."""

from __future__ import annotations

import asyncio
import logging
from random import Random

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.live.mqtt_parts import publish
from mftpubsub.live.mqtt_retained import RetainedMessages
from mftpubsub.live.mqtt_store import Retained
from mftpubsub.live.node import Node
from mftpubsub.protocols.content import Value

#: s after a question, between which a node tells messages of others that nobody has told meanwhile.
WAIT = (1.0, 5.0)
#: s between these messages: a network of the usual rate carries them in this time, and others hear them.
PACE = 0.01
_logger = logging.getLogger("mftpubsub.live")


class Answers:
    """A node tells its clients' messages at once, and those of others that are away after a while."""

    def __init__(self, node: Node, retained: RetainedMessages) -> None:
        self._node, self._retained = node, retained
        self._random = Random()
        self._others: asyncio.Task[None] | None = None
        self._told: dict[str, int] = {}

    def hear(self, topic: str, stamp: int) -> None:
        """Somebody has told a message of that stamp."""
        if self._others and not self._others.done():
            self._told[topic] = max(stamp, self._told.get(topic, stamp))

    async def give(self) -> None:
        """Begins anew if an answer is under way: who asks now has not heard all of it."""
        self.end()
        self._told.clear()
        for one in self._retained:
            if one.node == self._node.id:
                await self._tell(one)
        self._others = asyncio.create_task(self._tell_others())

    def end(self) -> None:
        if self._others:
            self._others.cancel()

    async def _tell_others(self) -> None:
        """In an order of this node's own: two that do so at the same time tell few messages twice."""
        await asyncio.sleep(self._random.uniform(*WAIT))
        others = [one for one in self._retained if one.node != self._node.id]
        self._random.shuffle(others)
        try:
            for one in others:
                if self._told.get(one.topic, -1) < one.stamp:
                    await self._tell(one)
                    await asyncio.sleep(PACE)
        except RunError as error:
            _logger.error("what is retained is not told: %s", error)

    async def _tell(self, one: Retained) -> None:
        told: dict[str, Value] = {"retained": one.topic, "qos": one.qos, "retain": one.stamp}
        try:
            await publish(self._node, told, one.payload)
        except ConfigurationError as error:
            _logger.warning("a retained message to %s is not told: %s", one.topic, error)
