"""amqtt's broker of MQTT 3.1.1, as the gateway uses it: connections and acknowledgements are amqtt's.

Who gets what is the gateway's. amqtt would give retained messages to clients that have not asked for them,
acknowledge what it has not handed on, drop what is under way to a client that goes, and send it again after
5 s to a client that is slow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from amqtt.adapters import StreamWriterAdapter
from amqtt.broker import Broker, BrokerContext
from amqtt.errors import MQTTError
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.plugins.base import BaseAuthPlugin
from amqtt.session import Session

from mftpubsub.errors import RunError
from mftpubsub.live.mqtt_outbox import Outbox, Say
from mftpubsub.live.mqtt_packets import PacketReader
from mftpubsub.live.mqtt_store import Store
from mftpubsub.live.mqtt_topics import Message, is_topic

#: What a client that comes back says anew of its session.
_SAID = (
    "will_flag",
    "will_message",
    "will_topic",
    "will_qos",
    "will_retain",
    "keep_alive",
    "username",
    "password",
)
#: Of a SUBSCRIBE, instead of a QoS.
_REFUSED = 0x80
#: s that a client waits for the end of its former connection, and between looks.
_PATIENCE = 10.0
_POLL_INTERVAL = 0.01
_logger = logging.getLogger("mftpubsub.live")


class Door(BaseAuthPlugin):
    """Lets every client of this machine in. The broker makes it, by its name."""

    def __init__(self, context: BrokerContext) -> None:
        super().__init__(context)
        self.broker: ClientBroker | None = None

    async def authenticate(self, *, session: Session) -> bool:
        return True

    async def on_broker_client_connected(self, *, client_id: str, client_session: Session) -> None:
        if self.broker:
            self.broker.outbox(client_session).connect(self.broker.handler(client_session))

    async def on_broker_client_disconnected(self, *, client_id: str, client_session: Session) -> None:
        if self.broker and client_session.clean_session:
            await self.broker.forget(client_session)

    async def on_broker_client_subscribed(self, *, client_id: str, topic: str, qos: int) -> None:
        if self.broker and (session := self.broker.session(client_id)):
            self.broker.wants(session, topic, qos)

    async def on_broker_client_unsubscribed(self, *, client_id: str, topic: str) -> None:
        if self.broker:
            self.broker.store.unsubscribe(client_id, topic)


class ClientBroker(Broker):
    """amqtt's, without its ways of messages."""

    def __init__(
        self,
        port: int,
        store: Store,
        say: Say,
        ask: Callable[[str], Coroutine[Any, Any, bool]],
        subscribed: Callable[[Outbox, str, int], None],
    ) -> None:
        """`ask` asks the node for what a topic filter matches; false: it cannot."""
        super().__init__(
            {
                "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
                "plugins": {f"{__name__}.{Door.__name__}": {}},
            }
        )
        self.store, self.say, self.ask, self.subscribed = store, say, ask, subscribed
        self._outboxes: dict[str, Outbox] = {}
        self._kept: set[tuple[str, str]] = set()
        self._connections: set[asyncio.StreamWriter] = set()
        self._is_ending = False
        self.plugins_manager.get_plugin(Door.__name__).broker = self

    async def _start_listeners(self) -> None:
        """The sessions that outlived the process before are there when the first client comes."""
        for client, topics, qos in self.store.subscriptions():
            session = self.session(client)
            if session is None:
                handler, session = self.create_offline_session(client)
                session.clean_session = False
                self._sessions[client] = (session, handler)
                self.outbox(session)
            await super().add_subscription((topics, qos), session)
            self._kept.add((client, topics))
        await super()._start_listeners()

    def wants(self, session: Session, topics: str, qos: int) -> None:
        """A client has subscribed."""
        self.subscribed(self.outbox(session), topics, qos)
        self._kept.discard((str(session.client_id), topics))

    def is_kept(self, box: Outbox, topics: str) -> bool:
        """Whether a client that has just subscribed had done so in the node's former life."""
        return (str(box.session.client_id), topics) in self._kept

    def session(self, client: str) -> Session | None:
        found: Session | None = self._sessions.get(client, (None, None))[0]
        return found

    def handler(self, session: Session) -> Any:
        return self._get_handler(session)

    def outbox(self, session: Session) -> Outbox:
        """That of a session; one of a former session of its client ends."""
        client = str(session.client_id)
        found = self._outboxes.get(client)
        if found is None or found.session is not session:
            if found:
                found.end()
            found = self._outboxes[client] = Outbox(session, self.say, self.store)
        return found

    def wanting(self, matches: Callable[[str], bool]) -> Iterator[tuple[Outbox, int]]:
        """Clients with a topic filter that matches, and the best QoS that they want."""
        best: dict[str, tuple[Session, int]] = {}
        for topic_filter, subscriptions in self._subscriptions.items():
            if matches(topic_filter):
                for session, qos in subscriptions:
                    _, before = best.get(session.client_id, (session, 0))
                    best[session.client_id] = (session, max(before, qos))
        for session, qos in best.values():
            yield self.outbox(session), qos

    def wanted(self) -> list[str]:
        """Topic filters of clients that are there, or will want what they have missed."""
        return [
            topic_filter
            for topic_filter, subscriptions in self._subscriptions.items()
            if any(self.outbox(one).is_connected or not one.clean_session for one, _ in subscriptions)
        ]

    def is_behind(self) -> bool:
        return any(one.is_behind for one in self._outboxes.values())

    def tidy(self) -> None:
        """Lets go of clients whose session has ended."""
        for client in [one for one, box in self._outboxes.items() if self.session(one) is not box.session]:
            self._outboxes.pop(client).end()

    def wait_no_longer(self) -> None:
        for one in self._outboxes.values():
            one.wait_no_longer()

    async def forget(self, session: Session) -> None:
        """Ends a session that is over, at once."""
        client = str(session.client_id)
        if self.session(client) is session:
            await super()._delete_session(client)

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        self._connections.add(writer)
        if self._is_ending:
            writer.transport.abort()
        try:
            address, port = writer.get_extra_info("peername") or ("?", "?")
            packets = PacketReader(reader, f"{address}:{port}")
            await self.external_connected(packets, StreamWriterAdapter(writer), listener_name)
        finally:
            self._connections.discard(writer)
            writer.close()  # amqtt leaves it open to who has not said CONNECT

    async def shutdown(self) -> None:
        """Hangs up first: amqtt would wait for clients that do not read, and from Python 3.12 on for those
        that have said nothing."""
        self._is_ending = True
        for box in self._outboxes.values():
            box.end()
        for writer in self._connections:
            writer.transport.abort()
        await super().shutdown()

    async def add_subscription(self, subscription: tuple[str, int], session: Session) -> int:
        """One more for the same topics replaces the former, QoS and all (MQTT 3.1.1, 3.8.4).

        The node and the store have it when it is granted.
        """
        topics, _ = subscription
        self._del_subscription(topics, session)
        granted = int(await super().add_subscription(subscription, session))
        if granted == _REFUSED:
            return _REFUSED
        try:
            if await self.ask(topics):
                if not session.clean_session:
                    self.store.subscribe(str(session.client_id), topics, granted)
                return granted
        except RunError as error:
            _logger.error("the subscription of %s to %s is not stored: %s", session, topics, error)
        self._del_subscription(topics, session)
        return _REFUSED

    async def _initialize_client_session(
        self, reader: Any, writer: Any, *_: Any
    ) -> tuple[BrokerProtocolHandler, Session]:
        """amqtt's leaves `will_retain` as it was, and goes on with a session that was clean."""
        handler, session = await BrokerProtocolHandler.init_from_connect(reader, writer, self.plugins_manager)
        before = self.session(str(session.client_id))
        if session.clean_session or (before and before.clean_session):
            await self._delete_session(str(session.client_id))
        elif before:
            try:
                await asyncio.wait_for(self._part(before), _PATIENCE)
            except TimeoutError:
                raise MQTTError(f"{before}: its former connection does not end") from None
            for name in _SAID:
                setattr(before, name, getattr(session, name))
            before.parent = 1
            session = before
        return handler, session

    async def _part(self, session: Session) -> None:
        """Ends the connection of a session that goes on with another one (MQTT 3.1.1, 3.1.4).

        amqtt sends its will, and notes its end, when it reads no more: a new one before that would be ended.
        """
        while session.transitions.is_connected():
            await _end(self.handler(session))
            await asyncio.sleep(_POLL_INTERVAL)

    async def _delete_session(self, client_id: str) -> None:
        """A client that begins anew: whoever is there by its name goes (MQTT 3.1.1, 3.1.4)."""
        _, handler = self._sessions.get(client_id, (None, None))
        if handler:
            await _end(handler)
        self._kept = {one for one in self._kept if one[0] != client_id}
        self.store.forget(client_id)
        await super()._delete_session(client_id)

    # amqtt calls these for wills only: what clients publish comes to their Outbox.

    async def _broadcast_message(
        self, session: Session | None, topic: str | None, data: bytes | None, force_qos: int | None = None
    ) -> None:
        if is_topic(topic):
            retain = bool(session and session.will_retain)
            await self.say(Message(str(topic), bytes(data or b""), force_qos or 0, retain))

    async def retain_message(self, *_: Any) -> None:
        """It was said with the will."""


async def _end(handler: Any) -> None:
    """Hangs up, and has its reader know."""
    if handler.writer:
        handler.writer._writer.transport.abort()
    await handler.handle_connection_closed()
