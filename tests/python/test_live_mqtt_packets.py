"""What a node's broker takes of bytes of MQTT, and what it says of those that are none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from test_live_mqtt_gateway import finish, served

from mftpubsub.live.mqtt_packets import PacketReader
from mftpubsub.live.mqtt_store import Store
from mftpubsub.live.mqtt_topics import Message


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "node.mqtt")


GOOD = b"\x32\x07\0\1a\0\7hi"
BAD = {
    "a wildcard in a topic": b"\x32\x08\0\3a/#\0\1x",
    "QoS 3": b"\x36\x06\0\1a\0\1x",
    "a short PUBLISH": b"\x32\1\0",
    "a topic that is longer than its packet": b"\x32\4\0\x20ab",
    "a topic that is no UTF-8": b"\x32\x05\0\1\xff\0\1",
    "a length of five bytes": b"\x30\xff\xff\xff\xff\x7f",
    "a short SUBSCRIBE": b"\x82\6\0\1\0\x10ab",
    "a SUBSCRIBE of QoS 3": b"\x82\6\0\1\0\1a\3",
    "a short UNSUBSCRIBE": b"\xa2\6\0\1\0\x10ab",
    "a short PUBACK": b"\x40\1\0",
    "a PINGREQ with a body": b"\xc0\1x",
    "no type": b"\0\0",
    "a PUBLISH of packet 0": b"\x32\6\0\1a\0\0x",
    "a PUBLISH without a topic": b"\x30\3\0\0x",
    "a topic with NUL": b"\x30\5\0\3a\0b",
    "QoS 0 again": b"\x38\4\0\1ax",
    "a SUBSCRIBE of packet 0": b"\x82\6\0\0\0\1a\1",
    "a SUBSCRIBE to nothing": b"\x82\2\0\1",
    "a SUBSCRIBE without a topic": b"\x82\5\0\1\0\0\1",
    "a SUBSCRIBE with NUL": b"\x82\6\0\1\0\1\0\1",
    "a SUBSCRIBE to what is no topic filter": b"\x82\x0e\0\1\0\1b\0\0\5a/#/b\0",
    "a SUBSCRIBE with a wildcard in a level": b"\x82\x0c\0\1\0\1b\0\0\3a+b\0",
    "an UNSUBSCRIBE from what is no topic filter": b"\xa2\6\0\1\0\2a#",
    "a SUBSCRIBE with other flags": b"\x80\6\0\1\0\1a\1",
    "an UNSUBSCRIBE from nothing": b"\xa2\2\0\1",
    "a PUBREL with other flags": b"\x60\2\0\1",
    "a CONNACK": b"\x20\2\0\0",
    "a PINGRESP": b"\xd0\0",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_client_whose_packet_is_wrong_is_hung_up_on(
    store: Store, caplog: pytest.LogCaptureFixture, bad: bytes
) -> None:
    """Or what it says next is lost."""

    async def check() -> None:
        async with served(store) as server:
            client = await server.connect("lamp", clean=False)
            client.writer.write(GOOD)
            assert await client.reader.readexactly(4) == b"\x40\2\0\7"
            client.writer.write(bad + GOOD)
            assert await client.reader.read() == b""
            assert caplog.text.count("client 'lamp' is hung up on") == 1
            again = await server.connect("lamp", clean=False)
            again.writer.write(GOOD)
            assert await again.reader.readexactly(4) == b"\x40\2\0\7"
            assert server.said == [Message("a", b"hi", 1)] * 2

    finish(check())


def test_what_came_before_a_wrong_packet_is_acknowledged(store: Store) -> None:
    async def check() -> None:
        async with served(store) as server:
            client = await server.connect("lamp", clean=False)
            client.writer.write(GOOD * 20 + BAD["no type"])
            assert await client.reader.read() == b"\x40\2\0\7" * 20

    finish(check())


def connect(flags: int, *texts: bytes, level: int = 4, name: bytes = b"MQTT") -> bytes:
    words = b"".join(len(one).to_bytes(2) + one for one in texts)
    words = len(name).to_bytes(2) + name + bytes([level, flags, 0, 0]) + words
    return bytes([0x10, len(words)]) + words


CONNECT = connect(2, b"lamp")
NO_CONNECT = {
    "nothing": b"",
    "half of it": CONNECT[:9],
    "PUBLISH": GOOD,
    "a short one": CONNECT[:1] + b"\x0f" + CONNECT[2:-1],
    "one without a client": CONNECT[:1] + b"\x0a" + CONNECT[2:12],
    "a long one": CONNECT[:1] + b"\x11" + CONNECT[2:] + b"x",
    "a client that is no UTF-8": connect(2, b"\xff"),
    "a will whose topic is no UTF-8": connect(0x0E, b"lamp", b"\xff", b"x"),
    "a user that is no UTF-8": connect(0x82, b"lamp", b"\xff"),
    "a will of QoS 3": connect(0x1E, b"lamp", b"a", b"x"),
    "the QoS of no will": connect(0x0A, b"lamp"),
    "a retained one of no will": connect(0x22, b"lamp"),
    "a will to many topics": connect(6, b"lamp", b"a/#", b"x"),
    "a will to no topic": connect(6, b"lamp", b"", b"x"),
    "other flags of a packet": b"\x11" + CONNECT[1:],
}


@pytest.mark.parametrize("said", NO_CONNECT.values(), ids=NO_CONNECT.keys())
def test_who_does_not_say_connect_is_hung_up_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, said: bytes
) -> None:
    monkeypatch.setattr("mftpubsub.live.mqtt_packets.PATIENCE", 0.05)

    async def check() -> None:
        async with served(store) as server:
            client = await server.open()
            client.writer.write(said)
            assert await client.reader.read() == b""
            assert caplog.text.count("is hung up on") == 1
        assert server.said == []

    finish(check())


def test_a_client_of_another_level_of_mqtt_is_told(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        async with served(store) as server:
            for name, level in ((b"MQIsdp", 3), (b"MQTT", 3), (b"MQTT", 5)):
                client = await server.open()
                said = connect(2, b"", b"lamp", level=level, name=name)  # 5 has properties before the client
                client.writer.write(said)
                assert await client.reader.read() == b"\x20\2\0\1"
                assert f"is hung up on: it speaks MQTT of level {level}, and" in caplog.text
            assert "no MQTT 3.1.1" not in caplog.text

    finish(check())


def test_a_password_may_be_any_bytes(store: Store) -> None:
    async def check() -> None:
        async with served(store) as server:
            client = await server.open()
            client.writer.write(connect(0xC2, b"lamp", "Käthe".encode(), b"\xff\0\xfe"))
            assert await client.reader.readexactly(4) == b"\x20\2\0\0"

    finish(check())


def test_a_client_without_a_name_is_let_in_as_it_is(store: Store) -> None:
    async def check() -> None:
        stream = asyncio.StreamReader()
        nameless = connect(2, b"")
        stream.feed_data(nameless)
        assert await PacketReader(stream, "?").read(len(nameless)) == nameless
        async with served(store) as server:
            assert await (await server.connect("", clean=True)).subscribe("a") == 1

    finish(check())


def test_who_is_silent_between_packets_is_in_none(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        stream = asyncio.StreamReader()
        packets = PacketReader(stream, "lamp")
        stream.feed_data(CONNECT)
        assert await packets.read(len(CONNECT)) == CONNECT
        packets.give_up()
        assert "takes longer" not in caplog.text

    finish(check())


def test_a_packet_is_read_whole_within_the_keep_alive(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        stream = asyncio.StreamReader()
        packets = PacketReader(stream, "lamp")
        stream.feed_data(CONNECT + GOOD[:5])
        assert await packets.read(len(CONNECT)) == CONNECT
        first = asyncio.ensure_future(packets.read(1))
        await asyncio.sleep(0.01)
        assert not first.done(), "amqtt's clock goes on"
        stream.feed_data(GOOD[5:] + b"\x32\x20\xc0\0")
        assert await first + await packets.read(8) == GOOD
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(packets.read(1), 0.01)
        packets.give_up()
        assert await packets.read(1) == b"", "what is in a packet is none"
        assert "client 'lamp' is hung up on: its packet of 32 B takes longer" in caplog.text

    finish(check())
