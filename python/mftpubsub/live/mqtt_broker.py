"""amqtt's broker of MQTT 3.1.1, as the gateway uses it: connections and acknowledgements are amqtt's.

Who gets what is the gateway's. amqtt would give retained messages to clients that have not asked for them,
acknowledge what it has not handed on, and drop what is under way to a client that goes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from amqtt.broker import Broker, BrokerContext
from amqtt.plugins.base import BaseAuthPlugin
from amqtt.session import ApplicationMessage, Session

from mftpubsub.live.mqtt_topics import Message

#: Messages that wait for a client, at most.
MOST_WAITING = 10_000


Say = Callable[[Message], Coroutine[Any, Any, None]]


class Door(BaseAuthPlugin):
    """Lets every client of this machine in. The broker makes it, by its name."""

    def __init__(self, context: BrokerContext) -> None:
        super().__init__(context)
        self.broker: ClientBroker | None = None

    async def authenticate(self, *, session: Session) -> bool:
        if self.broker:
            session.delivered_message_queue = Inbound(self.broker.say)
        return True

    async def on_broker_client_connected(self, *, client_id: str, client_session: Session) -> None:
        if self.broker:
            self.broker.outbox(client_session).wake()

    async def on_broker_client_subscribed(self, *, client_id: str, topic: str, qos: int) -> None:
        if self.broker and (session := self.broker.session(client_id)):
            await self.broker.subscribed(self.broker.outbox(session), topic, qos)


class Inbound(asyncio.Queue[ApplicationMessage]):
    """Takes what a client says, before that is acknowledged. Topics that cannot be are left to amqtt."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say

    async def put(self, item: ApplicationMessage) -> None:
        if _is_topic(item.topic):
            retain = bool(item.publish_packet and item.publish_packet.retain_flag)
            await self._say(Message(item.topic, bytes(item.data or b""), item.qos or 0, retain))
        else:
            super().put_nowait(item)

    def put_nowait(self, item: ApplicationMessage) -> None:
        self._putting = asyncio.ensure_future(self.put(item))


def _is_topic(topic: str | None) -> bool:
    return bool(topic) and not {*"#+"} & {*str(topic)} and not str(topic).startswith("$")


class Outbox:
    """What a client is owed, in order. With QoS 1 or 2 it stays until the client has acknowledged it."""

    def __init__(self, broker: ClientBroker, session: Session) -> None:
        self.session = session
        self._broker = broker
        self._waiting: deque[Message] = deque(maxlen=MOST_WAITING)
        self._woken = asyncio.Event()
        self._task = asyncio.ensure_future(self._deliver())

    @property
    def is_connected(self) -> bool:
        return bool(self.session.transitions.state == "connected")

    @property
    def is_behind(self) -> bool:
        """Whether something is under way to a client that is there."""
        return self.is_connected and bool(self._waiting)

    def add(self, message: Message) -> None:
        if self.is_connected or (message.qos and not self.session.clean_session):
            self._waiting.append(message)
            self._woken.set()

    def wake(self) -> None:
        self._woken.set()

    def end(self) -> None:
        self._task.cancel()

    async def _deliver(self) -> None:
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self.is_behind:
                message = self._waiting[0]
                if not await self._send(message) and message.qos:
                    break
                if self._waiting and self._waiting[0] is message:
                    self._waiting.popleft()

    async def _send(self, message: Message) -> bool:
        """Whether the client has acknowledged it. Without an answer it is sent again."""
        handler = self._broker.handler(self.session)
        if handler is None:
            return False
        sending = asyncio.ensure_future(
            handler.mqtt_publish(message.topic, message.payload, message.qos, message.retain)
        )
        try:
            await asyncio.wait([sending])
        finally:
            sending.cancel()
        failed = sending.cancelled() or sending.exception() is not None
        if failed and self.is_connected:
            asyncio.get_running_loop().call_later(1.0, self.wake)
        return not failed


class ClientBroker(Broker):
    """amqtt's, without its ways of messages."""

    def __init__(self, port: int, say: Say, subscribed: Callable[[Outbox, str, int], Any]) -> None:
        super().__init__(
            {
                "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
                "plugins": {f"{__name__}.{Door.__name__}": {}},
            }
        )
        self.say, self.subscribed = say, subscribed
        self._outboxes: dict[str, Outbox] = {}
        self.plugins_manager.get_plugin(Door.__name__).broker = self

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
            found = self._outboxes[client] = Outbox(self, session)
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

    async def shutdown(self) -> None:
        for box in self._outboxes.values():
            box.end()
        await super().shutdown()

    # amqtt calls these for wills only: what clients publish is taken by Inbound.

    async def _broadcast_message(
        self, session: Session | None, topic: str | None, data: bytes | None, force_qos: int | None = None
    ) -> None:
        if _is_topic(topic):
            retain = bool(session and session.will_retain)
            await self.say(Message(str(topic), bytes(data or b""), force_qos or 0, retain))

    async def retain_message(self, *_: Any) -> None:
        """It was said with the will."""
