"""What a client of MQTT is owed: over reconnects, restarts of its node, full disks and damaged files."""

from __future__ import annotations

import asyncio
import shutil
import socket
import sqlite3
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from amqtt.broker import Broker
from amqtt.mqtt.puback import PubackPacket
from amqtt.mqtt.pubcomp import PubcompPacket
from amqtt.mqtt.publish import PublishPacket
from amqtt.mqtt.pubrec import PubrecPacket
from amqtt.mqtt.pubrel import PubrelPacket
from amqtt.session import Session

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.live.mqtt_broker import ClientBroker
from mftpubsub.live.mqtt_outbox import MOST_BYTES, WINDOW, Outbox
from mftpubsub.live.mqtt_parts import whole
from mftpubsub.live.mqtt_store import MOST_PARTS, PARTS_AGE, Retained, Store
from mftpubsub.live.mqtt_topics import Message
from mftpubsub.protocols.content import Event, EventId, Value


class Client:
    """Stands for amqtt's handler of a connection; what the client is sent stays here."""

    def __init__(self, store: Store, *, clean: bool = False) -> None:
        self.sent: list[Any] = []
        self.said: list[Message] = []
        self.ended = self.given_up = 0
        self.disk: RunError | None = None
        self.reader = self
        self.handle_read_timeout: Any = None
        session = Session()
        session.client_id, session.clean_session = "client", clean
        session.transitions.connect()
        self.outbox = Outbox(session, self.say, store)
        self.outbox.connect(self)

    async def say(self, message: Message) -> None:
        if self.disk:
            raise self.disk
        self.said.append(message)

    async def _send_packet(self, packet: Any) -> None:
        self.sent.append(packet)

    def feed_eof(self) -> None:
        self.ended += 1

    def give_up(self) -> None:
        self.given_up += 1

    async def tells(self, kind: str, packet: Any) -> list[Any]:
        """What it is sent for it."""
        before = len(self.sent)
        answer: Coroutine[Any, Any, None] = getattr(self, f"handle_{kind}")(packet)
        await answer
        return (await self.got())[before:]

    async def got(self) -> list[Any]:
        for _ in range(20):
            await asyncio.sleep(0)
        return self.sent

    async def comes_back(self) -> list[Any]:
        self.outbox.session.transitions.disconnect()
        self.outbox.session.transitions.connect()
        before = len(self.sent)
        self.outbox.connect(self)
        return (await self.got())[before:]


def message(n: int, qos: int = 1) -> Message:
    return Message("a/b", b"%d" % n, qos)


def publish(qos: int, number: int | None, *, again: bool = False, topic: str = "a/b") -> PublishPacket:
    return PublishPacket.build(topic, b"x", number, again, qos, False)


async def agrees(_: str) -> bool:
    return True


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "node.mqtt")


def test_a_slow_client_is_sent_each_message_once(store: Store) -> None:
    async def check() -> None:
        client = Client(store)
        for n in range(WINDOW + 5):
            client.outbox.add(message(n))
        sent = await client.got()
        assert [one.data for one in sent] == [b"%d" % n for n in range(WINDOW)], "in order, a window"
        more = await client.tells("puback", PubackPacket.build(sent[0].packet_id))
        assert [one.data for one in more] == [b"%d" % WINDOW]
        assert client.outbox.is_behind
        client.outbox.wait_no_longer()
        assert not client.outbox.is_behind, "others go on"
        for one in client.sent:
            await client.tells("puback", PubackPacket.build(one.packet_id))
        client.outbox.add(message(99))
        assert client.outbox.is_behind, "it has caught up, and is waited for again"

    asyncio.run(check())


def test_what_is_not_acknowledged_comes_again_after_a_reconnect(store: Store) -> None:
    async def check() -> None:
        client = Client(store)
        client.outbox.add(message(1, qos=1))
        client.outbox.add(message(2, qos=2))
        client.outbox.add(message(3, qos=2))
        one, two, three = await client.got()
        (freed,) = await client.tells("pubrec", PubrecPacket.build(three.packet_id))
        assert isinstance(freed, PubrelPacket)
        again = await client.comes_back()
        assert [(type(each), each.packet_id) for each in again] == [
            (PublishPacket, one.packet_id),
            (PublishPacket, two.packet_id),
            (PubrelPacket, three.packet_id),
        ]
        assert all(each.dup_flag for each in again[:2])
        await client.tells("pubcomp", PubcompPacket.build(three.packet_id))
        assert [each.payload for _, each in store.owed("client")] == [b"1", b"2"]

    asyncio.run(check())


@pytest.mark.parametrize("clean", [False, True])
def test_who_wants_that_is_owed_it_over_a_restart(store: Store, tmp_path: Path, clean: bool) -> None:
    async def check() -> None:
        before = Client(store, clean=clean)
        before.outbox.session.transitions.disconnect()
        for qos in (0, 1, 2):
            before.outbox.add(message(qos, qos))
        after = Client(Store(tmp_path / "node.mqtt"), clean=clean)  # kill -9: nothing was closed
        assert [one.data for one in await after.got()] == ([] if clean else [b"1", b"2"])

    asyncio.run(check())


def test_a_client_that_reads_nothing_costs_bounded_memory(store: Store) -> None:
    async def check() -> None:
        client = Client(store)
        client.outbox.session.transitions.disconnect()
        for n in range(20):
            client.outbox.add(Message("a", bytes([n]) * (MOST_BYTES // 10), 1))
        kept = store.owed("client")
        assert sum(len(one.payload) for _, one in kept) <= MOST_BYTES
        assert kept[-1][1].payload[0] == 19, "the oldest went"

    asyncio.run(check())


def test_a_message_is_said_before_it_is_acknowledged_and_once(store: Store) -> None:
    async def check() -> None:
        client = Client(store)
        (received,) = await client.tells("publish", publish(2, 7))
        assert isinstance(received, PubrecPacket)
        assert len(client.said) == 1, "the client forgets it now"
        await client.tells("publish", publish(2, 7, again=True))
        assert len(client.said) == 1
        (done,) = await client.tells("pubrel", PubrelPacket.build(7))
        assert isinstance(done, PubcompPacket)
        (done,) = await client.tells("pubrel", PubrelPacket.build(8))
        assert isinstance(done, PubcompPacket), "the node has restarted: the client must be able to go on"
        await client.tells("publish", publish(2, 7))
        assert len(client.said) == 2, "another message with a free number"

    asyncio.run(check())


def test_what_the_disk_does_not_take_is_not_acknowledged(store: Store) -> None:
    async def check() -> None:
        client = Client(store)
        client.disk = RunError("disk full")
        assert await client.tells("publish", publish(1, 7)) == []
        assert client.ended == 1
        client.disk = None
        (acknowledged,) = await client.tells("publish", publish(1, 7, again=True))
        assert isinstance(acknowledged, PubackPacket)

    asyncio.run(check())


def test_a_topic_of_brokers_is_acknowledged_and_not_passed_on(store: Store) -> None:
    async def check() -> None:
        client = Client(store)
        assert len(await client.tells("publish", publish(1, 7, topic="$SYS/a"))) == 1, "or it came for ever"
        assert client.said == []

    asyncio.run(check())


def test_a_message_that_is_none_of_mqtt_costs_itself_alone(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as a topic with a wildcard, of a store that an earlier version wrote."""

    async def check() -> None:
        client = Client(store)
        for topic in ("a/#", "", "a/b"):
            client.outbox.add(Message(topic, b"x", 1))
        assert [one.topic_name for one in await client.got()] == ["a/b"]
        assert [one.topic for _, one in store.owed("client")] == ["a/b"]
        for one in client.sent:
            await client.tells("puback", PubackPacket.build(one.packet_id))
        assert not client.outbox.is_behind, "their numbers are free"

    asyncio.run(check())
    assert "a message to a/# is lost" in caplog.text


def test_a_client_that_is_silent_for_longer_than_it_said_is_gone(store: Store) -> None:
    async def check() -> None:
        client = Client(store)
        client.outbox.session.keep_alive = 5
        client.outbox.connect(client)
        assert client.outbox.session.keep_alive == 8, "s; amqtt reads so long (MQTT 3.1.1, 3.1.2.10: 7.5)"
        client.handle_read_timeout()
        assert client.given_up == 1

    asyncio.run(check())


def test_who_connects_while_a_node_ends_is_hung_up_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python 3.12 on a server that closes waits for whoever is connected, though they say nothing."""

    async def check() -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        broker = ClientBroker(port, store, lambda message: asyncio.sleep(0), agrees, lambda *_: None)
        await broker.start()
        end, is_over = broker.shutdown, asyncio.Event()
        with monkeypatch.context() as patch:
            patch.setattr(Broker, "shutdown", lambda self: is_over.wait())
            ending = asyncio.create_task(end())
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 5) == b""
            writer.close()
            is_over.set()
            await ending
        await broker.shutdown()

    asyncio.run(check())


def part(n: int, of: int = 1, parts: int = 3, publisher: int = 5) -> Event:
    told: dict[str, Value] = {"topic": "a", "qos": 1, "part": n, "parts": parts, "of": of}
    return Event((publisher, n), told, payload=b"%d" % n)


def test_parts_make_a_message_in_any_order(store: Store, tmp_path: Path) -> None:
    assert whole(store, part(2)) is None
    assert whole(store, part(2)) is None, "twice is not two"
    assert whole(store, part(1, publisher=6)) is None
    assert whole(store, part(1, of=2)) is None
    assert whole(store, part(0)) is None
    restarted = Store(tmp_path / "node.mqtt")
    assert whole(restarted, part(1)) == b"012"
    assert whole(Store(tmp_path / "node.mqtt"), part(1)) == b"012", "its node died before it was done with it"
    assert restarted.take(EventId(5, 9))
    assert whole(restarted, part(1)) is None


def test_an_event_of_a_program_is_json_whatever_its_numbers(store: Store) -> None:
    told: dict[str, Value] = {"topic": "a", "temp": float("nan"), "most": float("inf"), "n": 1, "x": 0.5}
    assert whole(store, Event((5, 0), told)) == b'{"temp": null, "most": null, "n": 1, "x": 0.5}'


def test_parts_without_an_end_are_forgotten(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [1000.0]
    monkeypatch.setattr("time.clock_gettime", lambda _: now[0])
    whole(store, part(0))
    now[0] += PARTS_AGE - 1
    whole(store, part(1))
    now[0] += 2
    whole(store, part(0, of=2))
    assert store._do("SELECT DISTINCT message FROM parts") == [(1,), (2,)], "of one a part has just come"
    now[0] += PARTS_AGE - 1
    whole(store, part(0, of=3))
    assert store._do("SELECT message FROM parts") == [(2,), (3,)]
    assert caplog.text.count("a message of node 5 in parts is lost") == 1
    rows = [(9, n, 0, b"", now[0] + n) for n in range(MOST_PARTS + 5)]
    store._database.executemany("INSERT INTO parts VALUES (?, ?, ?, ?, ?)", rows)
    whole(store, part(0, of=4))
    assert store._do("SELECT count(*) FROM parts") == [(MOST_PARTS + 1,)]
    assert store._do("SELECT min(message) FROM parts WHERE node = 9") == [(5,)], "the oldest made room"


def test_parts_outlive_a_clock_that_is_set_and_another_boot(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = tmp_path / "boot_id"
    monkeypatch.setattr("mftpubsub.live.mqtt_store._BOOT", boot)
    whole(store, part(0))
    monkeypatch.setattr("time.time", lambda: 1e12)
    for name, since_boot in (("one", 1e6), ("other", 5.0)):
        boot.write_text(name)
        monkeypatch.setattr("time.clock_gettime", lambda _, now=since_boot: now)
        again = Store(tmp_path / "node.mqtt")
        whole(again, part(0, of=2))
        assert again._do("SELECT message, at FROM parts") == [(1, since_boot), (2, since_boot)]
    whole(again, part(1))
    assert whole(again, part(2)) == b"012"
    monkeypatch.setattr("time.clock_gettime", lambda _: 7.0)
    kept = Store(tmp_path / "node.mqtt")._do("SELECT DISTINCT at FROM parts")
    assert kept == [(5.0,)], "the same boot: they are as old as they are"


def test_what_a_client_is_owed_outlives_a_loss_of_power(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which leaves what was synchronized: files are copied then."""
    left = tmp_path / "left"
    left.mkdir()
    synced: list[int] = []

    def sync(descriptor: int) -> None:
        synced.append(descriptor)
        for file in tmp_path.glob("node.mqtt*"):
            shutil.copy(file, left)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", sync)
        store.subscribe("client", "a/#", 1)
        store.retain(Retained("a", b"kept", 1, 1, 0))
        with store.at_once():
            store.take(EventId(1, 2))
            store.collect(1, 7, 0, 2, b"half")
            number = store.owe("client", message(1))
            store.owe("client", message(2))
        assert len(synced) == 3, "once for all that is done at once"
        with store.at_once():
            store.take(EventId(1, 3))
        store.pay(number)
        assert len(synced) == 3, "these cost nothing"
    after = Store(left / "node.mqtt")
    assert after.subscriptions() == [("client", "a/#", 1)]
    assert [one.topic for one in after.retained()] == ["a"]
    assert [one for _, one in after.owed("client")] == [message(1), message(2)]
    assert after.collect(1, 7, 1, 2, b"whole") == b"halfwhole"


def test_a_disk_that_keeps_nothing_is_an_error_with_the_files_name(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(RunError, match=r"node\.mqtt: Input/output error"):
        store.owe("client", message(1))


def test_an_event_in_hand_is_told_from_the_next(store: Store, tmp_path: Path) -> None:
    assert store.take(EventId(1, 2))
    assert not Store(tmp_path / "node.mqtt").take(EventId(1, 2))
    assert store.take(EventId(1, 3))


def test_what_fails_half_way_leaves_nothing(store: Store) -> None:
    def fail() -> None:
        with store.at_once():
            store.take(EventId(1, 2))
            store.owe("client", message(1))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert store.take(EventId(1, 2))
    assert store.owed("client") == []


def test_sessions_and_retained_messages_outlive_the_process(store: Store, tmp_path: Path) -> None:
    store.subscribe("client", "a/#", 1)
    store.subscribe("client", "a/#", 2)
    store.subscribe("client", "b", 0)
    store.unsubscribe("client", "b")
    store.retain(Retained("a", b"old", 1, 1, 0))
    store.retain(Retained("later", b"", 1, 3, 0))
    store.retain(Retained("a", b"new", 1, 2, 0))
    again = Store(tmp_path / "node.mqtt")
    assert again.subscriptions() == [("client", "a/#", 2)]
    assert again.retained() == [Retained("a", b"new", 1, 2, 0), Retained("later", b"", 1, 3, 0)]
    again.forget("client")
    assert again.subscriptions() == []


def test_a_file_that_is_not_ours_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "node.mqtt"
    path.write_bytes(b"something else, and longer than a header of SQLite" * 10)
    with pytest.raises(ConfigurationError, match=r"node\.mqtt"):
        Store(path)
    other = sqlite3.connect(tmp_path / "other.mqtt")
    other.execute("PRAGMA user_version = 7")
    other.close()
    with pytest.raises(ConfigurationError, match="layout is 7"):
        Store(tmp_path / "other.mqtt")


def test_a_full_disk_is_an_error_with_the_files_name(store: Store) -> None:
    store._database.execute("PRAGMA max_page_count = 20")
    with pytest.raises(RunError, match=r"node.mqtt.*full"):
        store.owe("client", Message("a", bytes(10**6), 1))


def test_what_clients_are_owed_is_for_the_owner(store: Store, tmp_path: Path) -> None:
    store.owe("lamp", Message("a", b"hi"))
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
