"""What fits into the frames of a protocol: all of an event where nothing splits it, else its payload."""

from __future__ import annotations

from typing import Any

from mftpubsub.scenario.roles import LEAST_PAYLOAD, Choice, Event, Publisher, Subscriber

#: Of what a frame carries what is the transport's, B.
TRANSPORT_OVERHEAD = 10
#: Into which the transport splits a message.
MAX_FRAGMENTS = 255
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


def misfit(publisher: Publisher, protocol: str, is_split: bool, room: int, frame: str) -> str:
    """What of an event does not fit into frames that carry `room` B; empty if all does.

    `is_split`: whether `protocol` sends an event in several frames. `frame` is the size of one, in words.
    """
    if is_split:
        frames, why = MAX_FRAGMENTS, ""
        most = frames * (room - TRANSPORT_OVERHEAD)
    else:
        frames, why = 1, f": {protocol} does not split an event"
        beside = max(_event_bytes(event) for event in publisher.events)
        around = AROUND_EVENT.get(protocol, TRANSPORT_OVERHEAD + 1)  # and the hops
        most = room - around - beside
        if most < LEAST_PAYLOAD:
            return (
                f"event: {beside} B beside the payload do not fit into a frame of {frame}, "
                f"{max(0, room - around - LEAST_PAYLOAD)} B do{why}"
            )
    payload = publisher.largest_payload
    told = f"payload: {payload} B do not fit into {frames} frame(s) of {frame}, {most} B do{why}"
    return told if payload > most else ""


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
