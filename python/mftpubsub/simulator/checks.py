"""What only the simulator knows of the words that scenarios use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache

from mftpubsub.simulator.library import core


@cache
def protocols() -> dict[str, str]:
    """The protocols that can be simulated on the radio, each with what runs it.

    That is tree, mesh or handoff, or a routing protocol of ns-3's: aodv, olsr or dsdv.
    """
    return dict(json.loads(str(core().ListProtocols())))


@cache
def message_kinds() -> tuple[str, ...]:
    """Names of the kinds of messages that the transport carries."""
    return tuple(json.loads(str(core().ListMessageKinds())))


#: B; bytes.h tells a text's length in 16 bits.
LONGEST_TEXT = 2**16 - 1


def text_problem(text: str) -> str:
    """Why `text` cannot go over the air, where texts are UTF-8 of less than 64 KiB; empty if it can."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        return f"{text[error.start]!a} at position {error.start + 1} is half a character (a lone surrogate)"
    return "" if size <= LONGEST_TEXT else f"its {size} B do not fit into a message, {LONGEST_TEXT} B do"


def filter_problem(text: str) -> str:
    """Why `text` is no filter, and where; empty if it is one."""
    return text_problem(text) or str(core().CheckFilter(text))


#: The types of attributes that filters tell apart, as C++ has them (filter-types.h).
_TYPES = {"number": 1, "text": 2, "boolean": 4}


def filter_type_problem(text: str, types: Mapping[str, Iterable[str]]) -> str:
    """Why a part of the filter `text` is unknown for every event; empty if no part is.

    `types`: "number", "text" and "boolean", those that each attribute may have.
    """
    bits = {name: sum({_TYPES[one] for one in some}) for name, some in types.items()}
    return str(core().CheckFilterTypes(text, json.dumps(bits, ensure_ascii=False)))


def filter_attributes(text: str) -> list[str]:
    """The attributes that a filter asks for."""
    names: list[str] = json.loads(str(core().ListFilterAttributes(text)))
    return names


def routing_attribute_problem(routing: str, name: str, value: str) -> str:
    """Why a routing protocol of ns-3's cannot be given an attribute; empty if it can."""
    return str(core().CheckRoutingAttribute(routing, name, value))
