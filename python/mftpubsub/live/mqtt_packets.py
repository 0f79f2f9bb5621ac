"""Packets of MQTT's clients: each is read whole, and found right, before amqtt sees a byte of it.

amqtt alone reads on in the middle of a packet that it does not take, so that good ones behind it are lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from amqtt.adapters import BufferReader, ReaderAdapter, StreamReaderAdapter
from amqtt.codecs_amqtt import read_or_raise
from amqtt.errors import MQTTError, NoDataError
from amqtt.mqtt import packet_class
from amqtt.mqtt.connect import ConnectPacket
from amqtt.mqtt.packet import (
    CONNECT,
    DISCONNECT,
    PINGREQ,
    PUBACK,
    PUBCOMP,
    PUBLISH,
    PUBREC,
    PUBREL,
    SUBSCRIBE,
    UNSUBSCRIBE,
    MQTTFixedHeader,
)
from amqtt.mqtt.publish import PublishPacket
from amqtt.mqtt.subscribe import SubscribePacket
from amqtt.mqtt.unsubscribe import UnsubscribePacket

from mftpubsub.live.mqtt_topics import is_topic_filter

#: s that a client may take for its first packet, CONNECT. The keep-alive bounds the time of the others.
PATIENCE = 10.0
#: Behind a packet's bytes: it is left if the packet has neither too few nor too many.
_END = b"\0"
#: How a CONNECT begins, and the level of MQTT 3.1.1 behind that.
_PROTOCOL, _LEVEL = b"\0\4MQTT", 4
#: The same of MQTT 3.1, which went by another name.
_FORMER = b"\0\6MQIsdp"
#: The rest of a CONNECT of any level: a clean session of a client without a name.
_NAMELESS = b"\2\0\0\0\0"
#: The flags of clients' packets, but for PUBLISH, which has its own. Other types are for brokers to send.
_FLAGS = dict.fromkeys((CONNECT, PUBACK, PUBREC, PUBCOMP, PINGREQ, DISCONNECT), 0) | dict.fromkeys(
    (PUBREL, SUBSCRIBE, UNSUBSCRIBE), 2
)
_logger = logging.getLogger("mftpubsub.live")


class PacketReader(ReaderAdapter):
    """What amqtt reads of a connection. It ends at the first packet that is none (MQTT 3.1.1, 4.8)."""

    def __init__(self, reader: asyncio.StreamReader, client: str) -> None:
        """`client`: a name for the log, until it has said its own."""
        self._reader = StreamReaderAdapter(reader)
        self._client = client
        self._patience: float | None = PATIENCE  # none after CONNECT
        self._rest = b""
        self._length = 0  # of a packet of which a part has come
        self._is_over = False
        self.answered: Callable[[], Awaitable[None]] | None = None
        """Waits until the packets so far are acknowledged."""

    async def read(self, n: int = -1) -> bytes:
        """Of the packet at hand, or of the next one; nothing at the end."""
        if n and not self._rest and not self._is_over:
            self._rest = await self._next()
        data, self._rest = self._rest[:n], self._rest[n:]
        return data

    def feed_eof(self) -> None:
        self._is_over = True
        self._reader.feed_eof()

    def give_up(self) -> None:
        """The client's time is over."""
        if self._length:
            self._hang_up(f"its packet of {self._length} B takes longer than its keep-alive allows")
        self.feed_eof()

    def _hang_up(self, why: str) -> None:
        self._is_over = True
        _logger.warning("client %r is hung up on: %s", self._client, why)

    async def _next(self) -> bytes:
        try:
            header, body = await asyncio.wait_for(self._whole(), self._patience)
            packet = await self._checked(header, body)
        except NoDataError:
            self._is_over = True
            return b""
        except TimeoutError:
            self._hang_up(f"it has not said CONNECT after {self._patience:g} s")
            return b""
        except MQTTError as error:
            self._hang_up(f"what it sends is no MQTT 3.1.1: {error}")
            if self.answered:
                await self.answered()
            return b""
        self._patience = None
        return packet

    async def _whole(self) -> tuple[MQTTFixedHeader, bytes]:
        header = await MQTTFixedHeader.from_stream(self._reader)
        if header is None:
            raise NoDataError
        self._length = header.remaining_length
        body = await read_or_raise(self._reader, header.remaining_length)
        self._length = 0
        return header, body

    async def _checked(self, header: MQTTFixedHeader, body: bytes) -> bytes:
        """The packet. Raises MQTTError unless amqtt takes all of it, and no part of a damaged one."""
        if self._patience and header.packet_type == CONNECT and (level := _level(body)) != _LEVEL:
            self._hang_up(f"it speaks MQTT of level {level}, and MQTT 3.1.1 is level {_LEVEL}")
            connect = _PROTOCOL + bytes([level]) + _NAMELESS
            return bytes([CONNECT << 4, len(connect)]) + connect  # amqtt tells the client
        given, buffer = bytes(header.to_bytes()) + body, BufferReader(body + _END)
        try:
            packet = await packet_class(header).from_stream(buffer, header)
            rest, is_connect = await buffer.read(), isinstance(packet, ConnectPacket)
            is_same = _is_written_so(packet, body) if is_connect else packet.to_bytes() == given
        except Exception as error:  # amqtt's are many
            raise MQTTError(f"a packet of type {header.packet_type}: {error}") from None
        name = type(packet).__name__.removesuffix("Packet").upper()
        if rest != _END or not is_same:
            raise MQTTError(f"{name} of {len(body)} B with wrong lengths or texts")
        if is_connect and not packet.payload.client_id_is_random:
            self._client = str(packet.client_id)
        if self._patience and not is_connect:
            raise MQTTError(f"{name} before CONNECT")
        if fault := _fault(header, packet):
            raise MQTTError(f"{name} {fault}")
        return given


def _level(body: bytes) -> int:
    """The level of MQTT that a CONNECT is of: that of 3.1.1 where it does not say."""
    said = (
        body[len(name)] for name in (_PROTOCOL, _FORMER) if body.startswith(name) and len(body) > len(name)
    )
    return next(said, _LEVEL)


def _is_written_so(packet: Any, body: bytes) -> bool:
    """Whether amqtt has read the texts of a CONNECT as they came.

    Not its password, the last text, which may be any bytes. Who has no name has got one.
    """
    if packet.payload.client_id_is_random:
        packet.payload.client_id = ""
    packet.payload.password = None
    head = packet.variable_header
    return body.startswith(bytes(head.to_bytes() + packet.payload.to_bytes(None, head)))


def _fault(header: MQTTFixedHeader, packet: Any) -> str | None:
    """What a packet of right lengths has that MQTT 3.1.1 forbids."""
    if header.packet_type != PUBLISH and header.flags != _FLAGS.get(header.packet_type):
        return f"with flags {header.flags:#x}: no client sends that"
    if getattr(packet.variable_header, "packet_id", None) == 0:
        return "with packet identifier 0"
    if isinstance(packet, ConnectPacket):
        return _will_fault(packet)
    if isinstance(packet, PublishPacket):
        is_wrong = packet.qos > 2 or (packet.dup_flag and not packet.qos)
        return "with QoS 3, or with QoS 0 and DUP" if is_wrong else _topics_fault([packet.topic_name])
    if isinstance(packet, SubscribePacket):
        if any(qos > 2 for _, qos in packet.payload.topics):
            return "with a QoS above 2"
        return _filters_fault([topics for topics, _ in packet.payload.topics])
    return _filters_fault(packet.payload.topics) if isinstance(packet, UnsubscribePacket) else None


def _topics_fault(topics: list[str | None]) -> str | None:
    if not topics:
        return "without a topic"
    wrong = [one for one in topics if not one or "\0" in one]
    return f"with the topic {wrong[0]!r}" if wrong else None


def _filters_fault(filters: list[str | None]) -> str | None:
    wrong = [one for one in filters if one and not is_topic_filter(one)]
    return _topics_fault(filters) or (f"with the topic filter {wrong[0]!r}" if wrong else None)


def _will_fault(packet: Any) -> str | None:
    """Of a will, or of parts of one where there is none."""
    head, topic = packet.variable_header, packet.payload.will_topic
    is_right = head.will_qos <= 2 if head.will_flag else not (head.will_qos or head.will_retain_flag)
    if not is_right:
        return f"with flags {head.flags:#04x}: no will has these"
    if head.will_flag and any(sign in topic for sign in "#+"):
        return f"with a will to {topic!r}"
    return _topics_fault([topic]) if head.will_flag else None
