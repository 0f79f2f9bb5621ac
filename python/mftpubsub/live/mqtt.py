"""MQTT 3.1.1 on this machine: its clients use the network as if it were one broker.

A message is an event with the attribute `topic` and the message as payload. What clients subscribe to becomes
filters of the node; the broker of the library amqtt does the rest.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from time import monotonic
from typing import Any

from mftpubsub.errors import ConfigurationError, InstallationError
from mftpubsub.live.node import Node
from mftpubsub.protocols.content import Event

#: s that a filter lasts which no client wants any more: clients come back.
GRACE = 60.0
#: Messages that wait for a client that wants them; it may be late after a restart.
MOST_WAITING = 10_000
#: s between looks at what clients want.
_LOOK_INTERVAL = 5.0
_logger = logging.getLogger("mftpubsub.live")


def to_filter(topic_filter: str) -> str:
    """The filter for what an MQTT topic filter matches, and perhaps some more: MQTT's broker looks again.

    `garden/+/temp` is `topic LIKE 'garden/%/temp' AND NOT topic LIKE '%/%/%/%'`.
    """
    levels = topic_filter.split("/")
    if levels[-1] == "#":
        levels.pop()
        if not levels:
            return "NOT topic LIKE '$%'"
        return f"({_like(levels)} OR {_like([*levels, '+'])})"
    if "+" not in levels:
        return f"topic = {_quoted(topic_filter)}"
    too_deep = "/".join("%" for _ in range(len(levels) + 1))
    return f"{_like(levels)} AND NOT topic LIKE '{too_deep}'"


def _like(levels: list[str]) -> str:
    if "+" not in levels:
        return f"topic = {_quoted('/'.join(levels))}"
    pattern = "/".join("%" if level == "+" else _escaped(level) for level in levels)
    return f"topic LIKE {_quoted(pattern)} ESCAPE '!'"


def _escaped(level: str) -> str:
    return "".join(f"!{letter}" if letter in "!%_" else letter for letter in level)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def matches(topic: str, topic_filter: str) -> bool:
    """Whether a topic is one of an MQTT topic filter (MQTT 3.1.1, 4.7)."""
    if topic.startswith("$") and topic_filter[:1] in ("#", "+"):
        return False
    names, levels = topic.split("/"), topic_filter.split("/")
    for place, level in enumerate(levels):
        if level == "#":
            return True
        if place >= len(names) or level not in ("+", names[place]):
            return False
    return len(names) == len(levels)


class Gateway:
    """A node's clients of MQTT."""

    def __init__(self, node: Node, broker: Any) -> None:
        """`broker`: amqtt's, with the plugin Bridge."""
        self._node, self._broker = node, broker
        self._unwanted: dict[str, float] = {}
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=MOST_WAITING)

    async def published(self, topic: str, payload: bytes) -> None:
        """A client has published; the broker has told those on this machine."""
        try:
            await self._node.publish({"topic": topic}, payload)
        except ConfigurationError as error:
            _logger.warning("a message of MQTT to %s is lost: %s", topic, error)

    async def subscribed(self, topic_filter: str) -> None:
        """A client wants what matches from now on, and gets what has waited for it."""
        if topic_filter.startswith("$"):
            return  # the broker's own
        where = to_filter(topic_filter)
        self._unwanted.pop(where, None)
        await self._node.subscribe(where)
        for topic, payload in [one for one in self._waiting if matches(one[0], topic_filter)]:
            self._waiting.remove((topic, payload))
            await self._broker.internal_message_broadcast(topic, payload)

    async def hand_over(self) -> None:
        """Gives clients what comes for them, until the node ends."""
        async for event in self._node.events():
            topic = event.attributes.get("topic")
            if isinstance(topic, str) and event.id.publisher != self._node.id:
                if any(matches(topic, one) for one in self._wanted()):
                    await self._broker.internal_message_broadcast(topic, payload_of(event))
                else:
                    self._waiting.append((topic, payload_of(event)))

    async def tidy(self) -> None:
        """Takes back filters that no client has wanted for a while."""
        while True:
            await asyncio.sleep(_LOOK_INTERVAL)
            wanted = {to_filter(one) for one in self._wanted()}
            for where in self._node.filters:
                if where in wanted:
                    self._unwanted.pop(where, None)
                elif monotonic() > self._unwanted.setdefault(where, monotonic()) + GRACE:
                    del self._unwanted[where]
                    await self._node.unsubscribe(where)

    def _wanted(self) -> list[str]:
        """Topic filters of clients that are there, or will want what they have missed."""
        return [
            topic_filter
            for topic_filter, clients in self._broker.subscriptions.items()
            if any(
                session.transitions.state == "connected" or not session.clean_session
                for session, _ in clients
            )
        ]


def payload_of(event: Event) -> bytes:
    """A message's content: the payload; without one the other attributes, if there are any, as JSON."""
    others = {name: value for name, value in event.attributes.items() if name != "topic"}
    return event.payload or (json.dumps(others).encode() if others else b"")


async def serve(node: Node, port: int) -> None:
    """Serves clients on 127.0.0.1 until the node ends.

    The node subscribes and publishes for them. Raises InstallationError without amqtt, and
    ConfigurationError for a port that is taken.
    """
    try:
        from amqtt.broker import Broker, BrokerError
    except ImportError as error:
        raise InstallationError("MQTT needs amqtt: pip install 'mftpubsub[mqtt]'") from error
    logging.getLogger("amqtt").setLevel(logging.CRITICAL)
    logging.getLogger("transitions").setLevel(logging.CRITICAL)
    broker = Broker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
            "plugins": {"mftpubsub.live.mqtt_plugin.Bridge": {}},
        }
    )
    gateway = Gateway(node, broker)
    broker.plugins_manager.get_plugin("Bridge").gateway = gateway
    try:
        await broker.start()
    except BrokerError as error:
        raise ConfigurationError(f"mqtt: port {port}: {error}") from None
    tidying = asyncio.ensure_future(gateway.tidy())
    try:
        await gateway.hand_over()
    finally:
        tidying.cancel()
        await broker.shutdown()
