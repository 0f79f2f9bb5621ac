"""What fits into a frame of protocols that broadcast, and split nothing."""

from __future__ import annotations

from typing import Any

from mftpubsub.scenario.roles import Choice, Event, Publisher, Subscriber

#: What is around an event in its largest frame, B: headers, counts and hops (`cpp/protocols/mesh`).
AROUND_EVENT = {"mft-mesh": 15, "mpl": 11, "epidemic": 12}
#: What is around the filters of a subscriber in the mesh's frame, B.
AROUND_FILTERS = 27
#: The smallest frame in which the mesh can say anything, B without what MAC and PHY add.
LEAST_FRAME = 76

#: The smallest frame in which a heartbeat tells of one session that has ended, B likewise: the header, the
#: number of such notices, one, and what the heartbeat itself says (`cpp/session`, `cpp/overlay`).
LEAST_OF_TREES = 10 + 1 + 4 + 15
#: Whose brokers send heartbeats.
FAMILIES_OF_TREES = ("tree", "reconfiguration", "handoff")


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
    """The most that the filters of `subscriber` take at a time, B."""
    return max(sum(6 + len(text.encode()) for text in set(state)) for state in subscriber.states)
