"""What a node of clients of MQTT makes of events, filters and sessions, without a network."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.live import mqtt_retained
from mftpubsub.live.mqtt import ALL, RETAINED, Gateway, Returning
from mftpubsub.live.mqtt_broker import ClientBroker
from mftpubsub.live.mqtt_retained import RetainedMessages
from mftpubsub.live.mqtt_store import Retained, Store
from mftpubsub.live.mqtt_topics import Message, is_topic, to_filter
from mftpubsub.protocols.content import Event, EventId, Value


class Network:
    """Stands for a node: it has room for filters of so many letters, and hears these events."""

    id = 0

    def __init__(self, room: int = 10_000, *heard: Event) -> None:
        self.room, self.heard = room, heard
        self.filters: list[str] = []
        self.said: list[tuple[Mapping[str, Value], bytes]] = []

    async def subscribe(self, where: str) -> None:
        if where not in self.filters:
            if len("".join([*self.filters, where])) > self.room:
                raise ConfigurationError("filters of 2000 B")
            self.filters.append(where)

    async def unsubscribe(self, where: str) -> None:
        self.filters.remove(where)

    async def publish(self, attributes: Mapping[str, Value], payload: bytes = b"") -> EventId:
        self.said.append((attributes, payload))
        return EventId(self.id, 0)

    async def events(self) -> AsyncIterator[Event]:
        for event in self.heard:
            yield event


class Clients:
    """Stands for their broker: one client, which wants these topics."""

    is_durable = False

    def __init__(self, *topics: str) -> None:
        self.topics = [*topics]
        self.got: list[Message] = []

    def wanting(self, matches: Any) -> list[tuple[Clients, int]]:
        return [(self, 1)] if any(matches(one) for one in self.topics) else []

    def wanted(self) -> list[str]:
        return self.topics

    def add(self, message: Message) -> None:
        self.got.append(message)

    def is_behind(self) -> bool:
        return False

    def tidy(self) -> None: ...

    def wait_no_longer(self) -> None: ...


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "node.mqtt")


def gateway(store: Store, network: Network, *topics: str) -> Any:
    made: Any = Gateway(network, store)  # type: ignore[arg-type]
    made.broker = Clients(*topics)
    return made


NO_TOPICS = ["", "a/#", "+/a", "$SYS/a", "a\nb", "a\0"]


def test_an_event_whose_topic_no_client_may_have_is_no_message(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    assert not any(is_topic(one) for one in NO_TOPICS)
    bad = [Event((9, n), {"topic": one, "qos": 1}) for n, one in enumerate(NO_TOPICS)]
    kept = [
        Event((9, n), {name: one, "qos": 1, "retain": 5}, payload=b"x")
        for n, one in enumerate(NO_TOPICS, 20)
        for name in ("topic", "retained")
    ]
    good = Event((9, 99), {"topic": "a/b", "qos": 1}, payload=b"y")
    made = gateway(store, Network(0, *bad, *kept, good), "#")
    asyncio.run(made.hand_over())
    assert [one.topic for one in made.broker.got] == ["a/b"]
    assert store.retained() == []
    assert caplog.text.count("no topic of clients") == 1
    assert "events of node 9" in caplog.text


def test_a_message_that_is_retained_may_have_the_topic_of_a_question(store: Store) -> None:
    answer = Event((9, 1), {"retained": "?", "qos": 1, "retain": 5}, payload=b"x")
    made = gateway(store, Network(0, answer), "#")
    asyncio.run(made.hand_over())
    assert store.retained() == [Retained("?", b"x", 1, 5, 9)]
    assert made.broker.got == [Message("?", b"x", 1)]


def retained(topic: str, stamp: int, payload: bytes = b"x") -> Retained:
    return Retained(topic, payload, 1, stamp, 0)


def test_what_was_retained_without_a_topic_of_clients_is_forgotten(store: Store) -> None:
    for topic in (*NO_TOPICS, "a"):
        store.retain(retained(topic, 1))
    assert [one.topic for one in RetainedMessages(store)] == ["a"]
    assert [one.topic for one in store.retained()] == ["a"]


QUESTION = Event((9, 0), {"retained": "?"})


def told(one: Retained) -> tuple[dict[str, Value], bytes]:
    return {"retained": one.topic, "qos": one.qos, "retain": one.stamp}, one.payload


def test_a_node_that_asks_is_told_what_others_have_said_who_are_away(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mftpubsub.live.mqtt_answers.WAIT", (0.0, 0.0))
    monkeypatch.setattr("mftpubsub.live.mqtt_answers.PACE", 0.0)
    own = retained("own", 10)
    others = [Retained(topic, b"x", 1, 10, 7) for topic in ("a", "b", "c")]
    for one in (own, *others):
        store.retain(one)
    network = Network()
    a, b, c = (told(one) for one in others)

    async def said() -> list[Any]:
        for _ in range(20):
            await asyncio.sleep(0)
        before, network.said = network.said, []
        return sorted(before, key=str)

    async def check() -> None:
        made = gateway(store, network, "#")
        await made._take(Event((8, 0), a[0], payload=a[1]))
        await made._take(QUESTION)
        assert network.said == [told(own)], "others have the time to tell theirs"
        await made._take(Event((8, 1), b[0], payload=b[1]))
        assert await said() == sorted([told(own), a, c], key=str), "b was told"
        assert made.broker.got == [], "whoever tells it, it is no news"
        await made._take(Event((8, 1), b[0], payload=b[1]))
        await made._take(QUESTION)
        await made._take(QUESTION)
        assert await said() == sorted([told(own), told(own), a, b, c], key=str), "one answer to both"

    asyncio.run(check())


def test_topics_that_were_taken_back_leave_room_for_others(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mqtt_retained, "MOST", 3)
    known = RetainedMessages(store)
    for n in range(5):
        assert known.keep(retained(f"old/{n}", 10 * n))
        assert known.keep(retained(f"old/{n}", 10 * n + 5, b""))
    for n in range(3):
        assert known.keep(retained(f"new/{n}", 100 + n))
    for again in (known, RetainedMessages(Store(tmp_path / "node.mqtt"))):
        assert [one.topic for one in again if one.payload] == ["new/0", "new/1", "new/2"]
        assert [one.topic for one in again if not one.payload] == ["old/2", "old/3", "old/4"], (
            "the oldest went"
        )
        assert not again.keep(retained("old/4", 44)), "it was taken back at 45"
        assert again.keep(retained("new/0", 200 + again.stamp("new/0"))), "another one of the same topic"
    assert "not retained" not in caplog.text
    assert not known.keep(retained("new/3", 300))
    assert "a message to new/3 is not retained: 3 topics have one" in caplog.text


def test_filters_that_a_node_has_no_room_for_become_one(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("mftpubsub.live.mqtt._LOOK_INTERVAL", 0.0)
    monkeypatch.setattr("mftpubsub.live.mqtt.GRACE", -1.0)
    topics = [f"garden/bed/{n}/temperature" for n in range(10)]
    filters = {to_filter(one) for one in topics}
    some = len("".join(to_filter(one) for one in topics[:4]))
    network = Network(len(RETAINED) + some)

    async def tidied(made: Any) -> set[str]:
        tidying = asyncio.ensure_future(made.tidy())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not tidying.done()
        tidying.cancel()
        return {*network.filters} - {RETAINED}

    async def check() -> None:
        made = gateway(store, network)
        await made.join()
        for topic in topics:
            assert await made.ask(topic)
            made.broker.topics.append(topic)
        assert await made.ask("$SYS/#")
        made.broker.topics.append("$SYS/#")
        assert ALL in network.filters
        assert caplog.text.count("asks for all messages of MQTT: filters of 2000 B") == 1
        kept = await tidied(made)
        assert ALL in kept
        assert kept < filters | {ALL}
        del made.broker.topics[3:]
        await tidied(made)
        assert await tidied(made) == {to_filter(one) for one in topics[:3]}, "there is room again"
        assert await made.ask("a" * 2000), "as long as the room for all"

    asyncio.run(check())


def test_a_subscription_that_clients_would_share_is_refused(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    made = gateway(store, Network())
    assert not asyncio.run(made.ask("$share/all/garden/#"))
    assert not asyncio.run(made.ask("$queue/garden/#"))
    assert asyncio.run(made.ask("$SYS/#"))
    assert "a subscription to $share/all/garden/# is refused" in caplog.text


def test_a_filter_that_stood_for_others_brings_what_they_missed() -> None:
    back = Returning([RETAINED, ALL])
    back.came(Message("a/b", b"x"))
    assert [one.payload for one in back.take("client", "a/+")] == [b"x"]
    assert back.take("client", "a/+") == []


class Server:
    """A broker of clients that speak bytes."""

    def __init__(self, store: Store, port: int) -> None:
        self.said: list[Message] = []
        self.refused: list[str] = []
        self.disk: RunError | None = None
        self.port = port
        self.broker = ClientBroker(port, store, self._say, self._ask, lambda *_: None)

    async def _say(self, message: Message) -> None:
        self.said.append(message)

    async def _ask(self, topics: str) -> bool:
        if self.disk:
            raise self.disk
        return topics not in self.refused

    async def open(self) -> Connection:
        return Connection(*await asyncio.open_connection("127.0.0.1", self.port))

    async def connect(self, name: str, *, clean: bool, will: str = "") -> Connection:
        made = await self.open()
        flags = 2 * clean + (0x2C if will else 0)  # a will has QoS 1, and is retained
        words = (
            b"\0\4MQTT\4" + bytes([flags]) + b"\0\0" + text(name) + (text(will) + text("x") if will else b"")
        )
        made.writer.write(bytes([0x10, len(words)]) + words)
        made.is_known = (await made.reader.readexactly(4))[2] == 1
        return made


def text(words: str) -> bytes:
    return len(words).to_bytes(2) + words.encode()


class Connection:
    """A client's."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.is_known = False

    async def subscribe(self, topics: str) -> int:
        """What the broker answers."""
        words = b"\0\1" + text(topics) + b"\1"
        self.writer.write(bytes([0x82, len(words)]) + words)
        return (await self.reader.readexactly(5))[4]

    async def leave(self) -> None:
        self.writer.write(b"\xe0\0")
        await self.reader.read()


@asynccontextmanager
async def served(store: Store) -> AsyncIterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Server(store, port)
    await server.broker.start()
    try:
        yield server
    finally:
        await server.broker.shutdown()


def finish(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 60))


def test_a_will_is_retained_as_its_client_said_last(store: Store) -> None:
    store.subscribe("lamp", "a", 1)  # its session outlived the node

    async def check() -> None:
        async with served(store) as server:
            lamp = await server.connect("lamp", clean=False, will="lamp/state")
            assert lamp.is_known
            lamp.writer.transport.abort()
            while not server.said:
                await asyncio.sleep(0.01)
            assert server.said == [Message("lamp/state", b"x", 1, retain=True)]

    finish(check())


def test_a_session_that_is_kept_begins_anew_after_one_that_is_not(store: Store) -> None:
    async def check() -> None:
        async with served(store) as server:
            clean = await server.connect("lamp", clean=True)
            assert await clean.subscribe("a") == 1
            kept = await server.connect("lamp", clean=False)
            assert not kept.is_known
            assert await clean.reader.read() == b"", "whoever had the name goes"
            assert await kept.subscribe("b") == 1
            await kept.leave()
            assert (await server.connect("lamp", clean=False)).is_known
            assert store.subscriptions() == [("lamp", "b", 1)]

    finish(check())


@pytest.mark.parametrize("is_first_clean", [True, False])
@pytest.mark.parametrize("is_clean", [True, False])
def test_a_client_that_is_back_before_its_connection_has_ended_is_served(
    store: Store, is_first_clean: bool, is_clean: bool
) -> None:
    async def check() -> None:
        async with served(store) as server:
            first = await server.connect("lamp", clean=is_first_clean, will="first/will")
            assert await first.subscribe("a") == 1
            back = await server.connect("lamp", clean=is_clean, will="second/will")
            assert await first.reader.read() == b"", "whoever had the name goes"
            assert back.is_known is not (is_first_clean or is_clean)
            assert await back.subscribe("a") == 1
            while not server.said:
                await asyncio.sleep(0.01)
            assert [one.topic for one in server.said] == ["first/will"]
            for box, qos in server.broker.wanting(lambda topic: topic == "a"):
                box.add(Message("a", b"hi", qos))
            assert await back.reader.readexactly(9) == b"\x32\x07\0\1a\0\1hi"

    finish(check())


def test_a_client_does_not_wait_for_ever_for_the_end_of_its_connection(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mftpubsub.live.mqtt_broker._PATIENCE", 0.1)

    async def check() -> None:
        async with served(store) as server:
            await server.connect("lamp", clean=False)
            session = server.broker.session("lamp")
            monkeypatch.setattr(session.transitions, "is_connected", lambda: True)  # type: ignore[union-attr]
            with pytest.raises(asyncio.IncompleteReadError):
                await server.connect("lamp", clean=False)

    finish(check())


def test_a_subscription_that_the_node_cannot_have_is_refused(store: Store) -> None:
    async def check() -> None:
        async with served(store) as server:
            server.refused = ["a"]
            client = await server.connect("lamp", clean=False)
            assert await client.subscribe("a") == 0x80
            assert await client.subscribe("b") == 1
            server.disk = RunError("disk full")
            assert await client.subscribe("c") == 0x80
            assert server.broker.wanted() == ["b"]
            assert store.subscriptions() == [("lamp", "b", 1)]

    finish(check())
