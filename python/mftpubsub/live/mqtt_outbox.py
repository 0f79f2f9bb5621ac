"""What a client of MQTT says and is owed, until each is acknowledged (MQTT 3.1.1, 4.3)."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from math import ceil
from typing import Any

from amqtt.mqtt.puback import PubackPacket
from amqtt.mqtt.pubcomp import PubcompPacket
from amqtt.mqtt.publish import PublishPacket
from amqtt.mqtt.pubrec import PubrecPacket
from amqtt.mqtt.pubrel import PubrelPacket
from amqtt.session import Session

from mftpubsub.errors import RunError
from mftpubsub.live.mqtt_store import Store
from mftpubsub.live.mqtt_topics import Message, is_topic

#: Messages that wait for a client, at most, and their bytes.
MOST_WAITING, MOST_BYTES = 10_000, 2**24
#: Messages with QoS 1 or 2 that a client has not acknowledged, at most, as mosquitto has it.
WINDOW = 20
#: Times its keep-alive that a client may be silent.
KEEP_ALIVES = 1.5

Say = Callable[[Message], Coroutine[Any, Any, None]]
_logger = logging.getLogger("mftpubsub.live")


@dataclass
class Owed:
    """A message under way to a client."""

    message: Message
    number: int | None = None
    """In the store."""
    is_received: bool = False
    """With QoS 2: the client has it, and has not been told that its number is free."""


class Outbox:
    """A client's messages, in order, both ways. Nothing is sent twice but after a reconnect."""

    def __init__(self, session: Session, say: Say, store: Store) -> None:
        self.session = session
        self._say = say
        self._store = store
        self._handler: Any = None
        self._waiting: deque[Owed] = deque()
        self._bytes = 0
        self._under_way: dict[int, Owed] = {}
        self._again: deque[int] = deque()
        self._number = 0
        self._said: asyncio.Queue[Any] = asyncio.Queue()
        self._received: set[int] = set()
        self._is_slow = False
        self._woken = asyncio.Event()
        if self.is_durable:
            for number, message in store.owed(str(session.client_id)):
                self._append(Owed(message, number))
        self._tasks = [asyncio.ensure_future(self._deliver()), asyncio.ensure_future(self._take())]

    def connect(self, handler: Any) -> None:
        """The client is there: its packets come here, and what it has not acknowledged is sent again."""
        self._handler = handler
        self._again = deque(self._under_way)
        self.session.keep_alive = ceil(KEEP_ALIVES * self.session.keep_alive)
        handler.handle_publish = self._comes
        handler.handle_pubrel = self._comes
        handler.handle_puback = self._acknowledged
        handler.handle_pubrec = self._received_by_client
        handler.handle_pubcomp = self._acknowledged
        handler.handle_read_timeout = handler.reader.give_up
        handler.reader.answered = self._said.join
        self._woken.set()

    @property
    def is_connected(self) -> bool:
        return bool(self.session.transitions.state == "connected")

    @property
    def is_durable(self) -> bool:
        """Whether its client wants what comes while it is away (clean session 0)."""
        return not self.session.clean_session

    @property
    def is_behind(self) -> bool:
        """Whether something is under way to a client that is there, and usually takes it."""
        return self.is_connected and not self._is_slow and self._has_something

    @property
    def _has_something(self) -> bool:
        return bool(self._waiting or self._under_way)

    def wait_no_longer(self) -> None:
        """Others do not wait for this client until it has all."""
        self._is_slow = self._is_slow or self.is_behind

    def add(self, message: Message) -> None:
        """It is in the store when this returns, if its client wants that."""
        if message.qos and self.is_durable:
            self._append(Owed(message, self._store.owe(str(self.session.client_id), message)))
        elif self.is_connected:
            self._append(Owed(message))
        while len(self._waiting) > MOST_WAITING or self._bytes > MOST_BYTES:
            lost = self._next()
            self._pay(lost)
            _logger.warning("a message to %s is lost: %s does not take it", lost.message.topic, self.session)
        self._woken.set()

    def _append(self, owed: Owed) -> None:
        self._waiting.append(owed)
        self._bytes += len(owed.message.payload)

    def _next(self) -> Owed:
        owed = self._waiting.popleft()
        self._bytes -= len(owed.message.payload)
        return owed

    def _pay(self, owed: Owed | None) -> None:
        if owed and owed.number is not None:
            self._store.pay(owed.number)

    def end(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _deliver(self) -> None:
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self.is_connected and self._again:
                number = self._again.popleft()
                if owed := self._under_way.get(number):
                    await self._hand_over(owed, number, again=True)
            while self.is_connected and self._waiting and len(self._under_way) < WINDOW:
                owed, number = self._next(), 0
                if owed.message.qos:
                    number = self._free_number()
                    self._under_way[number] = owed
                await self._hand_over(owed, number)
            self._is_slow = self._is_slow and self._has_something

    async def _hand_over(self, owed: Owed, number: int, *, again: bool = False) -> None:
        """Sends a message. One that is none of MQTT is lost, and no other."""
        try:
            packet = _packet(owed, number, again=again)
        except Exception as error:
            self._under_way.pop(number, None)
            self._pay(owed)
            _logger.warning("a message to %s is lost: %s", owed.message.topic, error)
            return
        await self._send(packet)

    def _free_number(self) -> int:
        while True:
            self._number = self._number % 0xFFFF + 1
            if self._number not in self._under_way:
                return self._number

    async def _send(self, packet: Any) -> None:
        handler = self._handler
        try:
            await handler._send_packet(packet)
        except (
            Exception
        ) as error:  # amqtt's are many: its reader ends the connection, and the client comes back
            _logger.debug("%s: %s", self.session, error)

    # amqtt makes a task of what these return, and cancels it when the client goes: they do all by themselves.

    def _comes(self, packet: Any) -> Coroutine[Any, Any, None]:
        self._said.put_nowait(packet)
        return _nothing()

    def _acknowledged(self, packet: Any) -> Coroutine[Any, Any, None]:
        self._pay(self._under_way.pop(packet.packet_id, None))
        self._woken.set()
        return _nothing()

    def _received_by_client(self, packet: Any) -> Coroutine[Any, Any, None]:
        if owed := self._under_way.get(packet.packet_id):
            owed.is_received = True
        return self._send(PubrelPacket.build(packet.packet_id))

    async def _take(self) -> None:
        """What the client says, one after the other: it is in the node's store when it is acknowledged."""
        while True:
            packet = await self._said.get()
            try:
                await self._answer(packet)
            except RunError as error:  # not acknowledged: the client says it again
                _logger.error("a message of MQTT to %s is not stored: %s", packet.topic_name, error)
                self._handler.reader.feed_eof()
            self._said.task_done()

    async def _answer(self, packet: Any) -> None:
        number = packet.packet_id
        if isinstance(packet, PubrelPacket):
            self._received.discard(number)
            await self._send(PubcompPacket.build(number))
            return
        if packet.qos != 2 or number not in self._received:
            await self._say_if_possible(packet)
        if packet.qos == 2:
            self._received.add(number)
            await self._send(PubrecPacket.build(number))
        elif packet.qos == 1:
            await self._send(PubackPacket.build(number))

    async def _say_if_possible(self, packet: Any) -> None:
        if is_topic(packet.topic_name):
            data = bytes(packet.data or b"")
            await self._say(Message(packet.topic_name, data, packet.qos, bool(packet.retain_flag)))
        else:
            _logger.warning("a message of MQTT to %s is lost: that is no topic of clients", packet.topic_name)


def _packet(owed: Owed, number: int, *, again: bool = False) -> Any:
    if owed.is_received:
        return PubrelPacket.build(number)
    said = owed.message
    if not is_topic(said.topic):
        raise ValueError(f"{said.topic!r} is no topic of clients")
    return PublishPacket.build(
        said.topic, said.payload, number or None, again and said.qos > 0, said.qos, said.retain
    )


async def _nothing() -> None:
    """All is done."""
