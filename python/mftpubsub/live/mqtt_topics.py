"""Messages of MQTT, topic filters, and the filters of events that these become."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

#: Wildcards, and control characters, over which clients hang up.
_NO_TOPIC = re.compile("[#+\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Message:
    """What a client has said, or is told."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False


def is_topic(topic: str | None) -> bool:
    """Whether clients may publish to it: `$` is for brokers."""
    return bool(topic) and not str(topic).startswith("$") and not _NO_TOPIC.search(str(topic))


def is_topic_filter(text: str) -> bool:
    """Whether wildcards are where they may be: each a whole level, and `#` the last (MQTT 3.1.1, 4.7.1)."""
    levels = text.split("/")
    return not (
        any("#" in level for level in levels[:-1])
        or any(len(level) > 1 and {*"#+"} & {*level} for level in levels)
    )


def lowered(message: Message, qos: int, *, retain: bool = False) -> Message:
    """As a client gets it that wants a QoS."""
    return replace(message, qos=min(message.qos, qos), retain=retain)


def to_filter(topic_filter: str) -> str:
    """The filter for what an MQTT topic filter matches, and perhaps some more: MQTT's broker looks again.

    `garden/+/temp` is `topic LIKE 'garden/%/temp' AND NOT topic LIKE '%/%/%/%'`.
    """
    levels = topic_filter.split("/")
    if levels[-1] == "#":
        levels.pop()
        if not levels:
            return "NOT topic LIKE '$%'"
        return f"({_like(levels)} OR {_like([*levels, '+'])})"
    if "+" not in levels:
        return f"topic = {_quoted(topic_filter)}"
    too_deep = "/".join("%" for _ in range(len(levels) + 1))
    return f"{_like(levels)} AND NOT topic LIKE '{too_deep}'"


def _like(levels: list[str]) -> str:
    if "+" not in levels:
        return f"topic = {_quoted('/'.join(levels))}"
    pattern = "/".join("%" if level == "+" else _escaped(level) for level in levels)
    return f"topic LIKE {_quoted(pattern)} ESCAPE '!'"


def _escaped(level: str) -> str:
    return "".join(f"!{letter}" if letter in "!%_" else letter for letter in level)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def matches(topic: str, topic_filter: str) -> bool:
    """Whether a topic is one of an MQTT topic filter (MQTT 3.1.1, 4.7)."""
    if topic.startswith("$") and topic_filter[:1] in ("#", "+"):
        return False
    names, levels = topic.split("/"), topic_filter.split("/")
    for place, level in enumerate(levels):
        if level == "#":
            return True
        if place >= len(names) or level not in ("+", names[place]):
            return False
    return len(names) == len(levels)
