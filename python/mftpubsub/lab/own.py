"""Protocols of one's own, as laboratories and their transcripts name them."""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import Any, TypeVar

from mftpubsub.errors import ConfigurationError
from mftpubsub.lab.values import value_of, words_of
from mftpubsub.own.objects import path_of
from mftpubsub.protocols.device import Device
from mftpubsub.protocols.naming import parse
from mftpubsub.simulator.laboratory import LabError

D = TypeVar("D", bound=Device)


def taken(protocol: Any, base: type[D], otherwise: str) -> D:
    """A copy of the protocol of one's own that is meant. Raises LabError: it is none, or no `base`."""
    try:
        found = parse(protocol)
    except ValueError as error:
        raise LabError(str(error)) from None
    if not isinstance(found, base):
        raise LabError(f"{found} is no {base.__name__.lower()} in Python: {otherwise}")
    return deepcopy(found)


def command_words(protocol: Device) -> list[str]:
    """Name and parameters in the command `lab` of transcripts."""
    try:
        told = protocol.to_plain()
    except ConfigurationError:  # so no file can be replayed, but one can be read
        told = path_of(type(protocol))
    ((name, given),) = told.items() if isinstance(told, dict) else ((told, {}),)
    return [name, *(f"{key}={value!r}" for key, value in given.items())]


def names_own(command: str) -> bool:
    """Whether a `lab` command is for a protocol of one's own."""
    words = command.split(maxsplit=2)
    return len(words) > 1 and words[0] == "lab" and ":" in words[1]


def of_command(command: str) -> tuple[Device, list[str]]:
    """The protocol of a command `lab`, and the words that are none of its parameters. Raises LabError."""
    name, *words = words_of(command)[1:]
    takes = inspect.signature(type(taken(name, Device, "it is written in C++"))).parameters
    given, others = {}, []
    for word in words:
        key, equals, text = word.partition("=")
        if equals and key in takes:
            given[key] = value_of(text)
        else:
            others.append(word)
    return taken({name: given}, Device, "it is written in C++"), others
