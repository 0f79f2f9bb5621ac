"""What amqtt's broker tells the gateway: imported by the broker, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amqtt.broker import BrokerContext
from amqtt.plugins.base import BaseAuthPlugin
from amqtt.session import Session

if TYPE_CHECKING:
    from mftpubsub.live.mqtt import Gateway


class Bridge(BaseAuthPlugin):
    """Lets every client of this machine in, and hands on what clients publish and ask for.

    The broker's own plugin for clients without a name forgets what it owes them while they are away.
    """

    def __init__(self, context: BrokerContext) -> None:
        super().__init__(context)
        self.gateway: Gateway | None = None

    async def authenticate(self, *, session: Session) -> bool:
        session.is_anonymous = False
        return True

    async def on_broker_client_subscribed(self, *, client_id: str, topic: str, qos: int) -> None:
        if self.gateway:
            await self.gateway.subscribed(topic)

    async def on_broker_message_broadcast(self, *, client_id: str, message: Any) -> None:
        if self.gateway:
            await self.gateway.published(message.topic, bytes(message.data or b""))
