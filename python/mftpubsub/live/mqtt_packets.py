"""Packets of MQTT's clients: each is read whole, and found right, before amqtt sees a byte of it.

amqtt alone reads on in the middle of a packet that it does not take, so that good ones behind it are lost.
"""

from __future__ import annotations

import asyncio
import logging

from amqtt.adapters import BufferReader, ReaderAdapter, StreamReaderAdapter
from amqtt.codecs_amqtt import read_or_raise
from amqtt.errors import MQTTError, NoDataError
from amqtt.mqtt import packet_class
from amqtt.mqtt.connect import ConnectPacket
from amqtt.mqtt.packet import MQTTFixedHeader
from amqtt.mqtt.publish import PublishPacket
from amqtt.mqtt.subscribe import SubscribePacket

#: s that a client may take for its first packet, CONNECT. The keep-alive bounds the time of the others.
PATIENCE = 10.0
#: Behind a packet's bytes: it is left if the packet has neither too few nor too many.
_END = b"\0"
_logger = logging.getLogger("mftpubsub.live")


class PacketReader(ReaderAdapter):
    """What amqtt reads of a connection. It ends at the first packet that is none (MQTT 3.1.1, 4.8)."""

    def __init__(self, reader: asyncio.StreamReader, client: str) -> None:
        """`client`: a name for the log, until it has said its own."""
        self._reader = StreamReaderAdapter(reader)
        self._client = client
        self._patience: float | None = PATIENCE  # none after CONNECT
        self._rest = b""
        self._is_over = False

    async def read(self, n: int = -1) -> bytes:
        """Of the packet at hand, or of the next one; nothing at the end."""
        if n and not self._rest and not self._is_over:
            self._rest = await self._next()
        data, self._rest = self._rest[:n], self._rest[n:]
        return data

    def feed_eof(self) -> None:
        self._is_over = True
        self._reader.feed_eof()

    async def _next(self) -> bytes:
        try:
            header, body = await asyncio.wait_for(self._whole(), self._patience)
            packet = await self._checked(header, body)
        except (NoDataError, TimeoutError):
            self._is_over = True
            return b""
        except MQTTError as error:
            self._is_over = True
            _logger.warning(
                "client %r is hung up on: what it sends is no MQTT 3.1.1: %s", self._client, error
            )
            return b""
        self._patience = None
        return packet

    async def _whole(self) -> tuple[MQTTFixedHeader, bytes]:
        header = await MQTTFixedHeader.from_stream(self._reader)
        if header is None:
            raise NoDataError
        return header, await read_or_raise(self._reader, header.remaining_length)

    async def _checked(self, header: MQTTFixedHeader, body: bytes) -> bytes:
        """The packet. Raises MQTTError unless amqtt takes all of it, and no part of a damaged one."""
        given, buffer = bytes(header.to_bytes()) + body, BufferReader(body + _END)
        try:
            packet = await packet_class(header).from_stream(buffer, header)
            rest, written = await buffer.read(), packet.to_bytes()
        except Exception as error:  # amqtt's are many
            raise MQTTError(f"a packet of type {header.packet_type}: {error}") from None
        name = type(packet).__name__.removesuffix("Packet").upper()
        is_connect = isinstance(packet, ConnectPacket)
        if rest != _END or (written != given and not is_connect):  # amqtt gives a name to who has none
            raise MQTTError(f"{name} of {len(body)} B with wrong lengths or texts")
        if is_connect and not packet.payload.client_id_is_random:
            self._client = str(packet.client_id)
        if self._patience and not is_connect:
            raise MQTTError(f"{name} before CONNECT")
        if isinstance(packet, PublishPacket) and packet.qos > 2:
            raise MQTTError(f"{name} with QoS 3")
        if isinstance(packet, SubscribePacket) and any(qos > 2 for _, qos in packet.payload.topics):
            raise MQTTError(f"{name} with a QoS above 2")
        return given
