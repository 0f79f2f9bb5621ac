"""What commands of laboratories print, and how their networks are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

Link = tuple[str, str]


@dataclass(frozen=True)
class Line:
    """A line that a command prints."""

    text: str
    kind: str = ""
    """Of a message; empty: the line is none."""
    source: str = ""
    destinations: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True)
class Figure:
    """A broker, a client, or a device that is several of these, as it is now."""

    name: str
    role: str
    """B, S, P, or several of these."""
    is_up: bool
    parent: str
    """Of brokers that form a tree; empty: none."""
    knows: str
    """What it knows and holds, in lines."""


@dataclass(frozen=True)
class Picture:
    """Who is connected with whom, and who knows what."""

    figures: list[Figure] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
