"""Messages of MQTT that are longer than an event: they travel in parts, and clients get them whole."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from math import isfinite

from mftpubsub.errors import ConfigurationError
from mftpubsub.live.mqtt_store import Store
from mftpubsub.live.node import Node
from mftpubsub.protocols.content import Event, Value

#: B of a message, at most.
MOST_BYTES = 2**18
#: Attributes of events that are messages; `of` tells messages in parts apart.
OWN = ("topic", "qos", "retain", "retained", "part", "parts", "of")
#: B of a frame that are no payload of a part, beside its topic.
_AROUND = 400
_LEAST = 100


async def publish(node: Node, attributes: Mapping[str, Value], payload: bytes) -> None:
    """As one event if it fits into a frame. Raises ConfigurationError for a message that is too long."""
    try:
        await node.publish(attributes, payload)
        return
    except ConfigurationError:
        topic = str(attributes.get("topic", attributes.get("retained", ""))).encode()
        size = node.port.max_frame - _AROUND - len(topic)
        if size < _LEAST or not payload:
            raise
    if len(payload) > MOST_BYTES:
        raise ConfigurationError(f"{len(payload)} B; messages have {MOST_BYTES} B at most")
    begins = range(0, len(payload), size)
    message = time.time_ns()
    for part, begin in enumerate(begins):
        told = {**attributes, "part": part, "parts": len(begins), "of": message}
        await node.publish(told, payload[begin : begin + size])


def whole(store: Store, event: Event) -> bytes | None:
    """A message's payload; none while parts are missing.

    An event of a program has none perhaps: then it is its other attributes, as JSON.
    """
    told = event.attributes
    part, parts, message = (told.get(name) for name in ("part", "parts", "of"))
    if isinstance(part, int) and isinstance(parts, int) and isinstance(message, int):
        return store.collect(event.id.publisher, message, part, parts, event.payload)
    others = {name: _as_json(value) for name, value in told.items() if name not in OWN}
    return event.payload or (json.dumps(others).encode() if others else b"")


def _as_json(value: Value) -> Value | None:
    """JSON has no NaN and no infinities: they are null, as the daemon says them."""
    return None if isinstance(value, float) and not isfinite(value) else value
