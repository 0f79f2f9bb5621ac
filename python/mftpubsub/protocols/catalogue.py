"""The catalogue of protocols, as protocols.yaml has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mftpubsub.shipped import read_table


@dataclass(frozen=True)
class Protocol:
    """One row. Its name is that of scenario files, and of the makers in C++."""

    name: str
    family: str
    label: str
    """What it is called in print: one name, so without commas."""
    source: str
    """Where it is described: T is the thesis, C Cugola et al., G Gaddah and Kunz."""
    about: str
    asks: tuple[str, ...]
    """Fields of the policies that it asks."""
    settings: tuple[str, ...]
    """Where it runs: "radio" (`mftpubsub run`), "wires" (`mftpubsub reconfigure`), "handoff" (`mftpubsub
    handoff`)."""
    uses: tuple[str, ...] = ()
    """Parts of a scenario that its runs depend on, and those of some other protocols do not."""
    roles: tuple[str, ...] = ("broker", "publisher", "subscriber")
    """Those that nodes have in its networks."""
    broadcasts: bool = False
    """Whether it broadcasts events: it does not split them into several frames."""
    matches_at_subscribers: bool = False
    """Whether nobody knows who wants an event but those who receive it: all that is matched is delivered."""
    fixed_brokers: bool = False
    """Whether its brokers neither move nor crash."""
    short: str | None = None
    """Its short name on wires."""
    look: int | None = None
    """Place among colours and markers, the same in all figures of a study."""


@dataclass(frozen=True)
class Family:
    """Protocols with the same messages and the same host."""

    name: str
    about: str

    @property
    def protocols(self) -> list[Protocol]:
        return [row for row in PROTOCOLS.values() if row.family == self.name]


def _read() -> tuple[dict[str, Protocol], list[Family]]:
    content = read_table("mftpubsub.protocols", "protocols.yaml")
    families: dict[str, dict[str, Any]] = content["families"]
    rows = [Protocol(**_frozen(families[row["family"]] | row)) for row in content["protocols"]]
    return {row.name: row for row in rows}, [Family(name, each["about"]) for name, each in families.items()]


def _frozen(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


PROTOCOLS, FAMILIES = _read()

#: All policies that some protocol asks, and all parts that some protocol uses: fields of scenarios.
POLICIES = tuple(dict.fromkeys(name for row in PROTOCOLS.values() for name in row.asks))
PARTS = tuple(dict.fromkeys(name for row in PROTOCOLS.values() for name in row.uses))

_ON_WIRES = sorted(
    (row for row in PROTOCOLS.values() if row.short), key=lambda row: row.family != "reconfiguration"
)
#: Names of the protocols that run on wires, by their short names: first those that are made for it.
SHORT: Mapping[str, str] = {str(row.short): row.name for row in _ON_WIRES}
#: Short names of those of another family: subscribers are routed to one by one.
ROUTING = tuple(str(row.short) for row in _ON_WIRES if row.family != "reconfiguration")


def self_matching(names: Iterable[str]) -> list[str]:
    """Of protocols by their names, those that match at subscribers, and those that nobody knows here."""
    return [
        name
        for name in dict.fromkeys(names)
        if name not in PROTOCOLS or PROTOCOLS[name].matches_at_subscribers
    ]


def in_setting(setting: str) -> list[str]:
    """Names of the protocols that run there."""
    return [row.name for row in PROTOCOLS.values() if setting in row.settings]


def using(part: str) -> str:
    """Names of the protocols that use a part of a scenario, for print."""
    return ", ".join(row.name for row in PROTOCOLS.values() if part in row.uses and "radio" in row.settings)


def short_name(name: str) -> str | None:
    """The short name of a protocol on wires, given by either of its names; None if there is none."""
    return name if name in SHORT else next((short for short, own in SHORT.items() if own == name), None)
