"""A scenario: one run, and everything that determines it.

All defaults are the thesis's (T 4.5.2, J 6) or Castalia's as it ships; where no source gives a value
the reason stands beside it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, Field, PlainValidator, PrivateAttr, model_validator

from mftpubsub.errors import ConfigurationError, suggest
from mftpubsub.files import as_path
from mftpubsub.html import table
from mftpubsub.policies import (
    ClientPolicy,
    DropLink,
    FailurePolicy,
    FirstHeard,
    FixedRetries,
    Immediate,
    LeaderPolicy,
    LongestLived,
    LongestWaiting,
    MigrationPolicy,
    Named,
    ParentPolicy,
    QueuePolicy,
    RepairPolicy,
    RetryPolicy,
    Unbounded,
)
from mftpubsub.protocols.catalogue import PARTS, POLICIES, PROTOCOLS, in_setting, using
from mftpubsub.protocols.naming import ProtocolField, row_of
from mftpubsub.protocols.naming import parse as parse_protocol
from mftpubsub.protocols.station import Station
from mftpubsub.scenario import yaml_files
from mftpubsub.scenario.faults import Churn, Crash, Faults, check_crashes
from mftpubsub.scenario.frames import AROUND_EVENT, AROUND_FILTERS, LEAST_FRAME, event_bytes, filter_bytes
from mftpubsub.scenario.mobility import Mobility, MobilityModel, RandomWaypoint
from mftpubsub.scenario.nodes import Network
from mftpubsub.scenario.observers import Observer, check_observer
from mftpubsub.scenario.parameters import (
    Aodv,
    Cascading,
    Channel,
    Dsdv,
    Epidemic,
    Handoff,
    Mac,
    MftMesh,
    MftPubsub,
    Mpl,
    Olsr,
    Overlay,
    Radio,
    Transport,
)
from mftpubsub.scenario.part import (
    FINGERPRINT,
    Model,
    NonNegative,
    Period,
    as_list,
    checked,
    merged,
    plain,
    unit_at,
)
from mftpubsub.scenario.roles import Publisher, Subscriber, role_name, types_of
from mftpubsub.simulator import checks
from mftpubsub.trace.layout import NAME

R = TypeVar("R", Publisher, Subscriber)


if TYPE_CHECKING:
    Observers = Sequence[Observer]
else:
    Observers = tuple[Annotated[Any, PlainValidator(check_observer)], ...]

#: Of the map of shadowing, to a side: their columns and rows have 16 bits.
MAX_CELLS = 2**16 - 1
#: Of a frame on the air what PHY (6), MAC (9) and transport (10) add, B.
FRAME_OVERHEAD = 25
#: Into which the transport splits a message.
MAX_FRAGMENTS = 255


def _check_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise ValueError(
            f"{name!r} cannot be part of a folder's name and of a table's key: "
            "use letters, digits, spaces and any of _ . + -"
        )
    return name


#: Of a configuration.
Name = Annotated[str, AfterValidator(_check_name)]
Seed = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]


class Common(Model):
    """What all runs of a study share."""

    duration: Period = Field(default=700.0, description="s")
    publisher: Publisher = Field(default=Publisher(), description="what the role name `publisher` stands for")
    subscriber: Subscriber = Field(
        default_factory=Subscriber, description="what the role name `subscriber` stands for"
    )
    mobility: Mobility = Field(
        default=RandomWaypoint(), description="how nodes move whose group does not say"
    )
    faults: Faults = Field(default=[], description="crash(...), blackout(...), partition(...)")
    channel: Channel = Field(default=Channel(), description="path loss and shadowing")
    radio: Radio = Field(default=Radio(), description="power, carrier-sense threshold, start")
    mac: Mac = Field(default=Mac(), description="carrier sense and backoff")
    overlay: Overlay = Field(default=Overlay(), description="leader election and tree")
    transport: Transport = Field(default=Transport(), description="hop-by-hop acknowledgement")
    aodv: Aodv = Field(default_factory=Aodv, description=f"of {using('aodv')}")
    olsr: Olsr = Field(default_factory=Olsr, description=f"of {using('olsr')}")
    dsdv: Dsdv = Field(default_factory=Dsdv, description=f"of {using('dsdv')}")
    mft_pubsub: MftPubsub = Field(default=MftPubsub(), description=f"of {using('mft_pubsub')}")
    mft_mesh: MftMesh = Field(default=MftMesh(), description=f"of {using('mft_mesh')}")
    mpl: Mpl = Field(default=Mpl(), description=f"of {using('mpl')}")
    handoff: Handoff = Field(default=Handoff(), description=f"of {using('handoff')}")
    epidemic: Epidemic = Field(default=Epidemic(), description=f"of {using('epidemic')}")
    cascading: Cascading = Field(default=Cascading(), description=f"of {using('cascading')}")
    parent_policy: Named[ParentPolicy] = Field(
        default=FirstHeard(), description="which broker a broker has as its parent"
    )
    client_policy: Named[ClientPolicy] = Field(
        default=FirstHeard(), description="which broker a client is attached to"
    )
    leader_policy: Named[LeaderPolicy] = Field(default=LongestLived(), description="who is the better leader")
    migration_policy: Named[MigrationPolicy] = Field(
        default=Immediate(), description="when a node leaves its parent"
    )
    queue_policy: Named[QueuePolicy] = Field(
        default=Unbounded(), description="what brokers hold for whom they cannot reach"
    )
    retry_policy: Named[RetryPolicy] = Field(
        default=FixedRetries(), description="how often a frame is sent again"
    )
    failure_policy: Named[FailurePolicy] = Field(
        default=DropLink(), description="what follows when a message is given up"
    )
    repair_policy: Named[RepairPolicy] = Field(
        default=LongestWaiting(),
        description="to which neighbours a broker of mft-mesh sends first what they lack",
    )


def asked_policies(protocol: str | Station) -> tuple[str, ...]:
    """Fields of the policies that `protocol` asks."""
    return row_of(protocol).asks


def ignored_policies(protocol: str | Station, common: Common) -> list[str]:
    """Fields of the policies that `common` chooses and `protocol` never asks."""
    asked = asked_policies(protocol)
    return [
        name
        for name in POLICIES
        if name not in asked and getattr(common, name) != Common.model_fields[name].default
    ]


def unused_parts(protocol: str | Station) -> list[str]:
    """Fields of the parts that runs of `protocol` do not depend on; none of an unknown protocol."""
    if isinstance(protocol, str) and protocol not in PROTOCOLS:
        return []
    used = row_of(protocol).uses
    return [name for name in PARTS if name not in used]


def ignored_fields(protocol: str | Station) -> set[str]:
    """Fields, parts and policies, of which runs of `protocol` take no notice; none of an unknown one."""
    if isinstance(protocol, str) and protocol not in PROTOCOLS:
        return set()
    return {*unused_parts(protocol), *POLICIES} - {*asked_policies(protocol)}


def check_policies(protocols: Sequence[str | Station], common: Common) -> None:
    """Raises ValueError for a policy that none of `protocols` asks."""
    ignored = [set(ignored_policies(protocol, common)) for protocol in protocols]
    for name in sorted(set.intersection(*ignored)):
        asking = [protocol for protocol in known_protocols() if name in asked_policies(protocol)]
        verb = "asks" if len(protocols) == 1 else "ask"
        raise ValueError(
            f"{name}: {_listed(protocols)} never {verb} it: leave it out, or choose one of the "
            f"protocols {', '.join(asking)}"
        )


def check_parts(protocols: Sequence[str | Station], given: Collection[str], common: Common) -> None:
    """Raises ValueError for a part that was `given` and on which no run of `protocols` depends."""
    unused = set.intersection(*(set(unused_parts(protocol)) for protocol in protocols))
    for name in sorted(unused & {*given}):
        if getattr(common, name) == Common.model_fields[name].get_default(call_default_factory=True):
            continue
        using = [protocol for protocol in known_protocols() if name not in unused_parts(protocol)]
        verb = "does" if len(protocols) == 1 else "do"
        raise ValueError(
            f"{name}: {_listed(protocols)} {verb} not depend on it: leave it out, or choose one of the "
            f"protocols {', '.join(using)}"
        )


def _listed(protocols: Sequence[str | Station]) -> str:
    return " and ".join(map(str, protocols))


def known_protocols() -> list[str]:
    """Names of the protocols that can be simulated."""
    return in_setting("radio")


class Scenario(Common, Network):
    """One run: everything that determines its result. Only `area` and `nodes` have no default.

    Times are in s, lengths in m, speeds in m/s, powers in dBm, sizes in B.

        scenario = mftpubsub.Scenario(
            area=(60, 60),
            nodes=[
                Group(8, [Broker(), Subscriber(where="temp > 20")]),
                Group(2, [Publisher(rate=1.0, event={"temp": Uniform(0, 40)})]),
            ],
            mobility=RandomWaypoint(speed=2),
        )
        print(mftpubsub.run(scenario).metrics["delivery_rate"])
    """

    protocol: ProtocolField = Field(
        default="mft-pubsub",
        description="its name (mftpubsub.scenario.known_protocols()), or one of your own: module:Class",
    )
    config: Name = Field(default="custom", description="name of the configuration in tables and folders")
    speed: NonNegative = Field(default=0.0, description="m/s; default: what `mobility` says")
    seed: Seed = Field(default=1, description="of placement, movement, shadowing, traffic and protocol")

    observers: Observers = Field(
        default=(), exclude=True, description="who looks on while it runs (Every, At), and changes nothing"
    )

    _axes: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _has_one_speed(self) -> Self:
        """What `speed` and `mobility` do not say the other does; groups may have speeds of their own."""
        own = self.mobility.own_speed()
        if own is None:
            if self.speed:
                object.__setattr__(self, "mobility", self.mobility.model_copy(update={"speed": self.speed}))
        elif "speed" not in self.model_fields_set:
            object.__setattr__(self, "speed", own)
        elif own != self.speed:
            raise ValueError(f"speed is {self.speed:g} m/s here and {own:g} m/s in mobility: say it once")
        for where, mobility, _ in self.movers():
            if mobility.own_speed() is None and not self.speed:
                raise ValueError(
                    f"{where}: speed 0 m/s needs mobility.model: static; {mobility.model} needs a speed, "
                    "as in RandomWaypoint(speed=2)"
                )
        return self

    @model_validator(mode="after")
    def _moves_within_the_area(self) -> Self:
        for where, mobility, ids in self.movers():
            try:
                mobility.check(self.area, len(ids))
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
        for number, group in enumerate(self.nodes):
            mobility = group.mobility or self.mobility
            if mobility.places() and group.placement != "random":
                raise ValueError(
                    f"nodes.{number}.placement: {mobility.model} says where nodes are at first; leave it out"
                )
        return self

    @model_validator(mode="after")
    def _has_a_map_of_bearable_size(self) -> Self:
        columns, rows = (math.ceil(side / self.channel.cell) for side in self.area)
        if self.channel.shadowing == "cell" and max(columns, rows) > MAX_CELLS:
            raise ValueError(
                f"area: {columns} x {rows} cells of {self.channel.cell:g} m, at most {MAX_CELLS} to a side "
                "are possible: choose a smaller area, a larger channel.cell or channel.shadowing: pair"
            )
        return self

    @model_validator(mode="after")
    def _goes_wrong_in_a_way_that_is_possible(self) -> Self:
        for number, fault in enumerate(self.faults):
            try:
                fault.check(self.duration, self.count(), self.radio.startup_spread)
            except ValueError as error:
                raise ValueError(f"faults.{number}: {error}") from None
        check_crashes(self._crashes())
        return self

    @model_validator(mode="after")
    def _has_brokers(self) -> Self:
        roles = {role_name(role) for group in self.nodes for role in group.roles}
        if "broker" in row_of(self.protocol).roles and "broker" not in roles:
            raise ValueError(f"{self.protocol} needs at least one node with the role broker")
        return self

    @model_validator(mode="after")
    def _asks_its_policies(self) -> Self:
        check_policies([self.protocol], self)
        check_parts([self.protocol], self.model_fields_set, self)
        return self

    @model_validator(mode="after")
    def _has_fixed_brokers(self) -> Self:
        if not row_of(self.protocol).fixed_brokers:
            return self
        for number, group in enumerate(self.nodes):
            mobility = group.mobility or self.mobility
            if "broker" in {role_name(role) for role in group.roles} and mobility.model != "static":
                raise ValueError(
                    f"nodes.{number}.mobility: brokers of {self.protocol} stay where they are (static), "
                    f"and these move ({mobility.model}): a wire connects them"
                )
        if any(isinstance(fault, Crash | Churn) for fault in self.faults):
            raise ValueError(f"faults: nothing crashes under {self.protocol}: its source knows no such thing")
        return self

    @model_validator(mode="after")
    def _publishes_before_the_end(self) -> Self:
        for where, publisher in self._publishers():
            check_traffic(where, publisher, self.duration)
        return self

    def _publishers(self) -> list[tuple[str, Publisher]]:
        """What publishers do, or the role name would have them do."""
        return [*{"publisher": self.publisher, **dict(self._having(Publisher))}.items()]

    def _having(self, role: type[R]) -> list[tuple[str, R]]:
        """What nodes with a role do, and where the scenario says so."""
        found = {}
        for number, group in enumerate(self.nodes):
            for each in group.roles:
                if isinstance(each, role):
                    found[f"nodes.{number}.roles.{role.role}"] = each
                elif each == role.role:
                    found[role.role] = getattr(self, role.role)
        return list(found.items())

    @model_validator(mode="after")
    def _publishes_what_is_subscribed_to(self) -> Self:
        """Brokers alone are a network to look at; what is published to nobody is a mistake."""
        publishers, subscribers = self._having(Publisher), self._having(Subscriber)
        if bool(publishers) != bool(subscribers):
            lacking, idle = ("subscriber", "published") if publishers else ("publisher", "subscribed to")
            raise ValueError(
                f"nodes: there is no {lacking} for what is {idle}: give nodes the role {lacking}"
            )
        types: dict[str, set[str]] = {}
        for name, value in (
            item for _, publisher in publishers for event in publisher.events for item in event.items()
        ):
            types.setdefault(name, set()).update(types_of(value))
        known = sorted(types)
        for where, subscriber in subscribers:
            for text in subscriber.filters:
                if wrong := checks.filter_type_problem(text, types):
                    raise ValueError(f"{where}.where: {text!r} matches no event that is published: {wrong}")
            for text, names in subscriber.asked_for().items():
                for name in names:
                    if name not in known:
                        hint = suggest(name, known, "events have")
                        raise ValueError(f"{where}.where: no event has the {name!r} of {text!r}; {hint}")
        return self

    @model_validator(mode="after")
    def _sends_frames_that_are_large_enough(self) -> Self:
        """By all that an event has where it must fit into a frame; by its payload where it is split."""
        protocol = row_of(self.protocol)
        frames = 1 if protocol.broadcasts else MAX_FRAGMENTS
        for where, publisher in self._publishers():
            most = frames * (self.transport.max_frame - FRAME_OVERHEAD)
            if around := AROUND_EVENT.get(str(self.protocol)):
                most = self.transport.max_frame - around - event_bytes(publisher)
            if protocol.family != "ip" and publisher.largest_payload > most:
                raise ValueError(
                    f"{where}.payload: {publisher.largest_payload} B do not fit into {frames} frame(s) of "
                    f"{self.transport.max_frame} B (transport.max_frame), {most} B do"
                    + (f": {self.protocol} does not split an event" if frames == 1 else "")
                )
        return self

    @model_validator(mode="after")
    def _says_filters_in_a_frame(self) -> Self:
        size = self.transport.max_frame
        if self.protocol != "mft-mesh":
            return self
        if size < LEAST_FRAME:
            raise ValueError(f"transport.max_frame: mft-mesh needs {LEAST_FRAME} B at least, not {size}")
        for where, subscriber in self._having(Subscriber):
            taken, most = filter_bytes(subscriber), size - AROUND_FILTERS
            if taken > most:
                raise ValueError(
                    f"{where}.where: {taken} B of filters do not fit into a frame of {size} B "
                    f"(transport.max_frame), {most} B do: mft-mesh does not split them"
                )
        return self

    @model_validator(mode="after")
    def _advertises_one_thing(self) -> Self:
        kinds = {
            type(policy) for policy in (self.parent_policy, self.client_policy) if policy.has_own("advertise")
        }
        if len(kinds) > 1:
            names = " and ".join(sorted(kind.name or kind.__name__ for kind in kinds))
            raise ValueError(
                f"client_policy: a heartbeat has room for what one policy advertises, and {names} both do: "
                "choose one for parents and clients, or one that does not advertise"
            )
        return self

    def crashes(self) -> list[Crash]:
        """All crashes of the run, by time: those that are named and those that churn draws."""
        return [crash for _, crash in self._crashes()]

    def _crashes(self) -> list[tuple[int, Crash]]:
        """The same with the number of the fault that each is of."""
        found = []
        for number, fault in enumerate(self.faults):
            if isinstance(fault, Crash):
                found.append((number, fault))
            elif isinstance(fault, Churn):
                seed, up = f"{self.seed} {number}", self.radio.startup_spread
                for node in self._named(fault.churn):
                    drawn = fault.crashes(node, seed=seed, duration=self.duration, up=up)
                    found += [(number, crash) for crash in drawn]
        return sorted(found, key=lambda each: each[1].at)

    def _named(self, nodes: str | list[int]) -> list[int]:
        """The ids that a fault names, perhaps by their role."""
        if not isinstance(nodes, str):
            return nodes
        return [
            node
            for group, ids in zip(self.nodes, self.ids(), strict=True)
            if nodes == "all" or nodes.removesuffix("s") in {role_name(role) for role in group.roles}
            for node in ids
        ]

    def movers(self) -> list[tuple[str, MobilityModel, list[int]]]:
        """Which nodes (ids) move how, and where the scenario says so."""
        own, rest = [], []
        for number, (group, ids) in enumerate(zip(self.nodes, self.ids(), strict=True)):
            if group.mobility is None:
                rest += ids
            else:
                own.append((f"nodes.{number}.mobility", group.mobility, ids))
        return own + ([("mobility", self.mobility, sorted(rest))] if rest else [])

    def replace(self, **changes: Any) -> Scenario:
        """A scenario with some fields changed, checked like any other.

        Of a part a mapping changes what it names, as in `replace(publisher={"stop": 90})`; an object takes
        the part's place. With another protocol, parts on which its runs do not depend are as by default.
        """
        left_out = self._left_out_with(changes["protocol"]) if "protocol" in changes else []
        own = {name: getattr(self, name) for name in self.model_fields_set if name not in left_out}
        if "speed" in changes and "mobility" not in changes and self.mobility.own_speed() is not None:
            own["mobility"] = self.mobility.model_copy(update={"speed": None})
        if "mobility" in changes:
            own.pop("speed", None)
        changed = {*changes, *(["mobility"] if "speed" in changes else [])}
        axes = {key: value for key, value in self._axes.items() if key.split(".")[0] not in changed}
        return checked(Scenario, merged(Scenario, own, changes), "scenario").placed(axes)

    @staticmethod
    def _left_out_with(protocol: Any) -> list[str]:
        """Parts on which runs of another protocol do not depend."""
        try:
            return unused_parts(parse_protocol(protocol))
        except ValueError:
            return []  # the scenario's own check says what is wrong

    @property
    def axes(self) -> Mapping[str, Any]:
        """Where it lies on the axes of a study or a sweep: values by key, as tables have them."""
        return MappingProxyType(self._axes)

    def placed(self, axes: Mapping[str, Any]) -> Scenario:
        """The same at these places on axes: what a sweep says of each of its runs."""
        found = self.model_copy()
        found._axes = dict(axes)
        return found

    def __repr__(self) -> str:
        return f"Scenario({', '.join(self._headlines().values())})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return table(self._headlines(), caption="Scenario")

    def _headlines(self) -> dict[str, str]:
        return {
            "protocol": str(self.protocol),
            "configuration": self.config,
            "area": "{:g} m x {:g} m".format(*self.area),
            "nodes": f"{self.count()} nodes",
            "speed": f"{self.speed:g} m/s",
            "duration": f"{self.duration:g} s",
            "seed": f"seed {self.seed}",
        }

    def fingerprint(self) -> str:
        """SHA-256 (hex) over everything that determines the result."""
        text = json.dumps(self.model_dump(mode="json", context=FINGERPRINT), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def to_plain(self) -> Any:
        content = super().to_plain()
        content.pop("speed", None)  # mobility has it
        return content

    def to_yaml(self) -> str:
        """A scenario file: what is not the default. `Scenario.from_yaml` reads it."""
        return to_yaml(self)

    @classmethod
    def from_yaml(cls, source: str | Path) -> Scenario:
        """The scenario that a file (a path) or a text of several lines describes."""
        content, where, folder = read_yaml(source)
        return checked(cls, content, where, {"folder": folder})


def unit_of(key: str) -> str | None:
    """The unit of the field of a scenario that a dotted key names, such as `overlay.leader_timeout`."""
    return unit_at(Scenario, key.split("."))


def check_traffic(where: str, publisher: Publisher, duration: float) -> None:
    """Raises ValueError unless `publisher` publishes within `duration` s."""
    stop = publisher.stops_at(duration)
    if stop > duration:
        raise ValueError(f"{where}.stop ({stop:g} s) is after the end of the run, duration ({duration:g} s)")
    if publisher.start >= stop:
        raise ValueError(f"{where}.start ({publisher.start:g} s) must come before its stop ({stop:g} s)")


def to_yaml(model: Model) -> str:
    """`model` as a scenario file."""
    return yaml_files.dump(plain(model))


def read_yaml(source: str | Path) -> tuple[dict[str, Any], str, Path]:
    """A YAML mapping, what to call it, and the folder that paths in it start from.

    `source` is a path, or a text of several lines. Keys, and keys of parts, that it does not give come from
    the file that its key `base` names, if any. Raises ConfigurationError if there is none.
    """
    if isinstance(source, str) and "\n" in source:
        return _with_base(yaml_files.parse(source, "YAML"), "YAML", Path(), ()), "YAML", Path()
    path = as_path(source, "a scenario file", "configs/thesis.yaml")
    return _read(path), str(source), path.parent


def _read(path: Path, derived: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The keys of a scenario file; `derived` are the files whose `base` led to this one."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        by = f"{derived[-1]}: base: " if derived else ""
        raise ConfigurationError(f"{by}{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not a text file: {error}") from error
    if path.resolve() in derived:
        raise ConfigurationError(f"{derived[-1]}: base: {path} leads back to this file")
    content = yaml_files.parse(text, str(path))
    return _with_base(content, str(path), path.parent, (*derived, path.resolve()))


def _with_base(
    content: dict[str, Any], where: str, folder: Path, derived: tuple[Path, ...]
) -> dict[str, Any]:
    base = content.pop("base", None)
    if base is None:
        return content
    if not isinstance(base, str):
        raise ConfigurationError(f"{where}: base: must be the name of a scenario file (given: {base!r})")
    inherited = _read(folder / base, derived)
    found = merged(Common, inherited, content)
    unused = _unused_of(found) - {*content}
    return {name: value for name, value in found.items() if name not in unused}


def _unused_of(content: Mapping[str, Any]) -> set[str]:
    """Parts on which no run of a scenario file depends, as far as the names of its protocols tell."""
    protocols = content.get("protocols", content.get("protocol"))
    names = as_list(protocols) if protocols else []
    parts = [set(unused_parts(name)) for name in names if isinstance(name, str)]
    return set.intersection(*parts) if parts else set()
