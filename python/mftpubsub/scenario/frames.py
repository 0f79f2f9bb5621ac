"""What fits into a frame of protocols that broadcast, and split nothing."""

from __future__ import annotations

from typing import Any

from mftpubsub.scenario.roles import Choice, Event, Publisher, Subscriber

#: What PHY (6) and MAC (9) add to a frame, B.
ON_AIR = 15
#: What is around an event in its largest frame: headers, counts and hops, B (`cpp/protocols/mesh`).
AROUND_EVENT = {"mft-mesh": ON_AIR + 15, "mpl": ON_AIR + 11, "epidemic": ON_AIR + 12}
#: What is around the filters of a subscriber in the mesh's frame, B.
AROUND_FILTERS = ON_AIR + 18
#: The smallest frame in which the mesh can say anything, B on the air.
LEAST_FRAME = ON_AIR + 76


def event_bytes(publisher: Publisher) -> int:
    """The most that an event of `publisher` takes beside its payload, B."""
    return max(_event_bytes(event) for event in publisher.events)


def _event_bytes(event: Event) -> int:
    names = sum(2 + len(name.encode()) for name in event)
    return 9 + names + sum(_value_bytes(value) for value in event.values())


def _value_bytes(value: Any) -> int:
    if isinstance(value, Choice):
        return max(_value_bytes(each) for each in value.values)
    if isinstance(value, str):
        return 3 + len(value.encode())
    return 2 if isinstance(value, bool) else 9


def filter_bytes(subscriber: Subscriber) -> int:
    """What the filters of `subscriber` take, B."""
    return sum(6 + len(text.encode()) for text in set(subscriber.filters))
