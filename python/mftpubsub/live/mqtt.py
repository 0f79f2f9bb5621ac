"""MQTT 3.1.1 on this machine: its clients use the network as if it were one broker.

A message is an event with the attributes `topic` and `qos`, and the message as payload. One that is to be
retained has `retain` too: when that was said. What clients subscribe to becomes filters of the node.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from mftpubsub.errors import ConfigurationError, InstallationError
from mftpubsub.live.mqtt_answers import Answers
from mftpubsub.live.mqtt_parts import publish, whole
from mftpubsub.live.mqtt_retained import RetainedMessages
from mftpubsub.live.mqtt_store import Retained, Store
from mftpubsub.live.mqtt_topics import Message, is_topic, lowered, matches, to_filter
from mftpubsub.live.node import Node
from mftpubsub.protocols.content import Event, EventId

#: s that a filter lasts which no client wants any more, and what clients of a node that was down may miss:
#: they come back.
GRACE = 60.0
#: Messages that wait for clients to come back.
MOST_WAITING = 10_000
#: s that the network's next message waits for clients to acknowledge the one before.
PATIENCE = 1.0
#: What gateways want for themselves: retained messages, and questions for them.
RETAINED = "retain > 0 OR retained = '?'"
#: What topic filters begin with of which each message goes to one client of several, as MQTT 5 has them.
SHARED = ("$share/", "$queue/")
#: What the node asks for instead of filters that it has no room for: clients get what they want of it.
ALL = to_filter("#")
#: s between looks at what clients want.
_LOOK_INTERVAL = 5.0
_logger = logging.getLogger("mftpubsub.live")


class Gateway:
    """A node's clients of MQTT."""

    def __init__(self, node: Node, store: Store) -> None:
        self._node, self._store, self._retained = node, store, RetainedMessages(store)
        self._answers = Answers(node, self._retained)
        self._unwanted: dict[str, float] = {}
        self._told: set[int] = set()
        self._returning = Returning(node.filters)
        self.broker: Any = None

    async def join(self) -> None:
        """Asks others for what they retain."""
        await self._node.subscribe(RETAINED)
        await self._node.publish({"retained": "?"})

    async def said(self, message: Message) -> None:
        """A client has published; it is acknowledged when this returns."""
        attributes: dict[str, Any] = {"topic": message.topic, "qos": message.qos}
        if message.retain:
            attributes["retain"] = self._retained.stamp(message.topic)
        try:
            await publish(self._node, attributes, message.payload)
        except ConfigurationError as error:
            _logger.warning("a message of MQTT to %s is lost: %s", message.topic, error)
            return
        with self._store.at_once():
            if message.retain:
                self._retained.keep(
                    Retained(message.topic, message.payload, message.qos, attributes["retain"], self._node.id)
                )
            self._deliver(message)

    async def ask(self, topic_filter: str) -> bool:
        """Whether the node gets what matches from now on."""
        if topic_filter.startswith(SHARED):
            _logger.warning("a subscription to %s is refused: none is shared among clients", topic_filter)
            return False
        if topic_filter.startswith("$"):
            return True  # the broker's own
        where = to_filter(topic_filter)
        self._unwanted.pop(where, None)
        return await self._ask(where)

    async def _ask(self, where: str) -> bool:
        """Asks for a filter, or for all messages if the node has no room for one more."""
        try:
            await self._node.subscribe(where)
        except ConfigurationError as error:
            return ALL in self._node.filters or await self._ask_for_all(error)
        return True

    async def _ask_for_all(self, error: ConfigurationError) -> bool:
        """Filters make room, the longest first: what they ask for comes anyway."""
        _logger.warning("node %d asks for all messages of MQTT: %s", self._node.id, error)
        others = sorted({*self._node.filters} - {RETAINED}, key=len)
        while True:
            with suppress(ConfigurationError):
                await self._node.subscribe(ALL)
                return True
            if not others:
                return False
            await self._node.unsubscribe(others.pop())

    def subscribed(self, client: Any, topic_filter: str, qos: int) -> None:
        """A client is given what was retained, or came while its node was down."""
        if topic_filter.startswith("$"):
            return
        with self._store.at_once():
            for one in self._retained:
                if one.payload and matches(one.topic, topic_filter):
                    client.add(lowered(Message(one.topic, one.payload, one.qos), qos, retain=True))
            if not self.broker.is_kept(client, topic_filter):
                for message in self._returning.take(client.session.client_id, topic_filter):
                    client.add(lowered(message, qos))

    async def hand_over(self) -> None:
        """Gives clients what comes for them, until the node ends."""
        try:
            async for event in self._node.events():
                if event.id.publisher != self._node.id:
                    await self._take(event)
        finally:
            self._answers.end()

    async def _take(self, event: Event) -> None:
        if event.attributes.get("retained") == "?" and "retain" not in event.attributes:
            await self._answers.give()
            return
        with self._store.at_once():
            is_again = not self._store.take(event.id)
            message = self._message(event)
            if message:
                self._returning.came(message)
                self._deliver(message, is_again=is_again)
        if message:
            await self._acknowledged()

    def _message(self, event: Event) -> Message | None:
        """What clients are to be told, if it is whole and news."""
        told = event.attributes
        topic, qos, stamp = told.get("topic", told.get("retained")), told.get("qos"), told.get("retain")
        if not isinstance(topic, str):
            return None
        if not is_topic(topic):
            self._tell(event.id, topic)
            return None
        payload = whole(self._store, event)
        if payload is None:
            return None
        message = Message(topic, payload, qos if isinstance(qos, int) and 0 <= qos <= 2 else 2)
        is_new = True
        if isinstance(stamp, int):
            self._answers.hear(topic, stamp)
            is_new = self._retained.keep(Retained(topic, payload, message.qos, stamp, event.id.publisher))
        return message if "topic" in told or is_new else None

    def _tell(self, event: EventId, topic: str) -> None:
        """Once for each publisher: others may follow."""
        if event.publisher not in self._told:
            self._told.add(event.publisher)
            _logger.warning(
                "events of node %d, as %s, are no messages of MQTT: %r is no topic of clients",
                event.publisher,
                event,
                topic,
            )

    def _deliver(self, message: Message, *, is_again: bool = False) -> None:
        for client, qos in self.broker.wanting(lambda one: matches(message.topic, one)):
            if not (is_again and client.is_durable):
                client.add(lowered(message, qos))

    async def _acknowledged(self) -> None:
        """Waits for clients to acknowledge what they were told: until then the node is not done with it.

        A client that lets others wait is not waited for again, until it has caught up.
        """
        limit = monotonic() + PATIENCE
        while self.broker.is_behind() and monotonic() < limit:
            await asyncio.sleep(0.001)
        self.broker.wait_no_longer()

    async def tidy(self) -> None:
        """Asks for filters that had no room, and takes back what no client has wanted for a while."""
        while True:
            await asyncio.sleep(_LOOK_INTERVAL)
            self.broker.tidy()
            wanted = {RETAINED} | {to_filter(one) for one in self.broker.wanted() if one[:1] != "$"}
            for where in sorted(wanted - {*self._node.filters}, key=len):
                await self._ask(where)  # there may be room by now
            if not wanted <= {*self._node.filters}:
                wanted.add(ALL)
            for where in self._node.filters:
                if where in wanted:
                    self._unwanted.pop(where, None)
                elif monotonic() > self._unwanted.setdefault(where, monotonic()) + GRACE:
                    del self._unwanted[where]
                    await self._node.unsubscribe(where)


class Returning:
    """What came for clients of this node's former life before they were back."""

    def __init__(self, filters: list[str]) -> None:
        self._filters = {*filters}
        self._until = monotonic() + GRACE
        self._messages: deque[Message] = deque(maxlen=MOST_WAITING)
        self._back: set[tuple[str, str]] = set()

    def came(self, message: Message) -> None:
        if monotonic() < self._until:
            self._messages.append(message)

    def take(self, client: str, topic_filter: str) -> list[Message]:
        """What a client has missed that subscribes for the first time since."""
        if monotonic() > self._until:
            self._messages.clear()
        if not self._filters & {to_filter(topic_filter), ALL} or (client, topic_filter) in self._back:
            return []
        self._back.add((client, topic_filter))
        return [one for one in self._messages if matches(one.topic, topic_filter)]


async def serve(node: Node, port: int, file: Path) -> None:
    """Serves clients on 127.0.0.1 until the node ends; `file`: for what outlives the process.

    The node subscribes and publishes for them. Raises InstallationError without amqtt, and
    ConfigurationError for a port that is taken.
    """
    try:
        from amqtt.errors import BrokerError

        from mftpubsub.live.mqtt_broker import ClientBroker
    except ImportError as error:
        raise InstallationError("MQTT needs amqtt: pip install 'mftpubsub[mqtt]'") from error
    logging.getLogger("amqtt").setLevel(logging.CRITICAL)
    logging.getLogger("transitions").setLevel(logging.CRITICAL)
    store = Store(file)
    gateway = Gateway(node, store)
    gateway.broker = broker = ClientBroker(port, store, gateway.said, gateway.ask, gateway.subscribed)
    try:
        await broker.start()
    except BrokerError as error:
        raise ConfigurationError(f"mqtt: port {port}: {error}") from None
    await gateway.join()
    tidying = asyncio.ensure_future(gateway.tidy())
    try:
        await gateway.hand_over()
    finally:
        tidying.cancel()
        await broker.shutdown()
        store.close()
