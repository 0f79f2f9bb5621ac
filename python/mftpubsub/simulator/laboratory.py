"""The simulator's laboratories, whose commands refuse what makes no sense."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mftpubsub.errors import MftPubsubError
from mftpubsub.simulator.checks import filter_problem, text_problem
from mftpubsub.simulator.decisions import vector_of
from mftpubsub.simulator.library import core, standard_error, what

#: hook-broker.h: the name in C++ of protocols whose brokers are written in Python.
PYTHON_BROKERS = "python-brokers"


class LabError(MftPubsubError, ValueError):
    """A command that makes no sense in the laboratory's present state; nothing has changed."""


class RefusedError(LabError):
    """The laboratory itself has refused a command, not a protocol that runs in it."""


def check_limit(limit: object) -> None:
    """Raises LabError unless it is a number of steps."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise LabError(f"settle: limit is a whole number of steps, at least 1 (given: {limit!r})")


def call(function: Callable[..., Any], *arguments: object) -> Any:
    """What a function or method of a laboratory returns. Raises LabError for what it refuses."""
    refusal = core("lab/lab-error.h").LabError  # known before it is thrown, or it comes as std::exception
    try:
        return function(*arguments)
    except refusal as error:
        raise RefusedError(what(error).rpartition("invalid_argument: ")[2]) from None
    except standard_error("runtime_error") as error:
        raise LabError(f"it does not settle: {what(error).rpartition('runtime_error: ')[2]}") from None
    except TypeError as error:
        raise LabError(_unfit(str(error), arguments) or str(error)) from error


def _unfit(error: str, arguments: Sequence[object]) -> str:
    """Which argument C++ does not take, by the name that it has there; empty if the error is another."""
    found = re.search(r"\(([^()]*)\) =>\s+TypeError: could not convert argument (\d+)", error)
    if not found:
        return ""
    place = int(found[2]) - 1
    type_, _, name = found[1].split(", ")[place].rpartition(" ")
    given = arguments[place]
    needed = "a text" if "string" in type_ else "a number"
    if isinstance(given, str) and (problem := text_problem(given)):
        needed += f" that is UTF-8: {problem}"
    return f"{name}: needs {needed} (given: {given!a})"


def tree_lab(request: str, hooks: int, brokers: int = 0) -> Any:
    """A laboratory of trees (lab/tree/tree-lab.h), by the addresses of its PolicyHooks and BrokerHooks."""
    cpp = core("lab/tree/lab-request.h")
    return call(cpp.TreeLab, call(cpp.ReadLabOptions, request, hooks, brokers))


def transcript() -> Any:
    """What the commands of a transcript act on (lab/transcript.h)."""
    return core("lab/transcript.h").Transcript()


def reference() -> Any:
    """The families of laboratories with their commands (lab/transcript.h)."""
    return core("lab/transcript.h").GetLabReference()


def handoff_schemes() -> list[str]:
    """The names of all hand-off schemes."""
    return [str(name) for name in core("lab/handoff/handoff-lab.h").GetHandoffSchemes()]


def event(attributes: Mapping[str, bool | int | float | str]) -> Any:
    """The LabEvent of some attributes. Raises LabError for a value of another type."""
    if not attributes:
        raise LabError("an event without attributes, which no filter can ask for: give it one, as in temp=20")
    made = core("lab/tree/lab-request.h").LabEvent()
    for name, value in attributes.items():
        made.attributes.push_back(_attribute(name, value))
    return made


def heartbeats(heard: Mapping[str, tuple[float, int]]) -> Any:
    """LabHeartbeats: RSSI (dBm) and advertised byte (-1: none) by their senders, in order."""
    words = vector_of("LabHeartbeat")()
    for sender, (rssi_dbm, advertised) in heard.items():
        heartbeat = core("lab/tree/lab-request.h").LabHeartbeat()
        heartbeat.sender = sender
        heartbeat.rssiDbm = rssi_dbm
        heartbeat.advertised = advertised
        words.push_back(heartbeat)
    return words


def _attribute(name: str, value: bool | int | float | str) -> Any:
    attribute = core("lab/tree/lab-request.h").LabAttribute()
    attribute.name = name
    if problem := filter_problem(f"{name} = 1"):
        raise LabError(f"{name!r} is no name of an attribute, since no filter could say it: {problem}")
    if isinstance(value, bool):
        attribute.type, attribute.boolean = attribute.BOOLEAN, value
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise LabError(f"attribute {name}: {value} does not fit into 64 bits")
        attribute.type, attribute.integer = attribute.INTEGER, value
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise LabError(f"attribute {name}: {value} is not a finite number")
        attribute.type, attribute.real = attribute.REAL, value
    elif isinstance(value, str):
        if problem := text_problem(value):
            raise LabError(f"attribute {name}: {value!a} is no text: {problem}")
        attribute.type, attribute.text = attribute.TEXT, value
    else:
        raise LabError(f"attribute {name}: {value!r} is no int, float, str or bool")
    return attribute
