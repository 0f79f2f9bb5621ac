"""A scenario: one run, and everything that determines it.

All defaults are the thesis's (T 4.5.2, J 6) or Castalia's as it ships; where no source gives a value
the reason stands beside it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from pydantic import Field, PlainValidator, PrivateAttr, model_validator

from mftpubsub.errors import ConfigurationError, suggest
from mftpubsub.html import table
from mftpubsub.protocols.naming import ProtocolField, row_of
from mftpubsub.scenario.common import (
    Common,
    Name,
    Seed,
    check_parts,
    check_policies,
    known_protocols,
    left_out_with,
)
from mftpubsub.scenario.fault import NodesOf
from mftpubsub.scenario.faults import Blackout, Churn, Crash, Partition, check_naps, check_outages
from mftpubsub.scenario.frames import (
    AROUND_FILTERS,
    FAMILIES_OF_TREES,
    LEAST_FRAME,
    LEAST_OF_TREES,
    filter_bytes,
    misfit,
)
from mftpubsub.scenario.mobility import MobilityModel, leaves_speed_open
from mftpubsub.scenario.nodes import Network, why_unused
from mftpubsub.scenario.observers import Observer, check_observer
from mftpubsub.scenario.part import (
    FINGERPRINT,
    NonNegative,
    checked,
    merged,
    unit_at,
)
from mftpubsub.scenario.presence import Absence, Battery, DutyCycle, Join, Leave, Nap, Turnover, absences_of
from mftpubsub.scenario.radios import RADIOS, Channel
from mftpubsub.scenario.reading import read_yaml, refuse_study, to_yaml
from mftpubsub.scenario.roles import Publisher, Subscriber, check_traffic, role_name, types_of
from mftpubsub.scenario.subscriptions import check_changes
from mftpubsub.simulator import checks

R = TypeVar("R", Publisher, Subscriber)


if TYPE_CHECKING:
    Observers = Sequence[Observer]
else:
    Observers = tuple[Annotated[Any, PlainValidator(check_observer)], ...]

#: Of the map of shadowing, to a side: their columns and rows have 16 bits.
MAX_CELLS = 2**16 - 1


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
            own = mobility.own_speed() is not None
            try:
                (mobility if own else mobility.model_copy(update={"speed": self.speed})).check(
                    self.area, len(ids)
                )
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
    def _starts_before_the_end(self) -> Self:
        if not self.radio.startup_spread < self.duration:
            raise ValueError(
                f"radio.startup_spread ({self.radio.startup_spread:g} s) must be less than duration "
                f"({self.duration:g} s): nodes may start at any time within it"
            )
        return self

    @model_validator(mode="after")
    def _has_a_map_of_bearable_size(self) -> Self:
        self.check_shade(self.radio)
        if not isinstance(self.channel, Channel) or self.channel.shadowing != "cell":
            return self
        columns, rows = (math.ceil(side / self.channel.cell) for side in self.area)
        if max(columns, rows) > MAX_CELLS:
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
        check_outages(self.outages())
        check_naps(self.naps())
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
        if not all(isinstance(fault, Blackout | Partition) for fault in self.faults):
            raise ValueError(
                f"faults: nothing crashes, leaves or sleeps under {self.protocol}: its source knows no "
                "such thing"
            )
        for where, subscriber in self._having(Subscriber):
            if subscriber.changes:
                raise ValueError(
                    f"{where}.changes: subscribers of {self.protocol} subscribe once, as in its source"
                )
        return self

    @model_validator(mode="after")
    def _publishes_before_the_end(self) -> Self:
        for where, publisher in self._publishers():
            check_traffic(where, publisher, self.duration, self._most(where))
        for where, subscriber in self._having(Subscriber):
            check_changes(where, subscriber.changes, self.duration)
        if not self.warm_up < self.duration:
            raise ValueError(
                f"warm_up ({self.warm_up:g} s) must be before the end, duration ({self.duration:g} s)"
            )
        stops = [publisher.stops_at(self.duration) for _, publisher in self._having(Publisher)]
        if stops and not self.warm_up < max(stops):
            raise ValueError(
                f"warm_up ({self.warm_up:g} s) must be before the last publisher stops ({max(stops):g} s): "
                "nothing would be measured"
            )
        return self

    def _publishers(self) -> list[tuple[str, Publisher]]:
        """What publishers do, or the role name would have them do."""
        return [*{"publisher": self.publisher, **dict(self._having(Publisher))}.items()]

    def _most(self, where: str) -> int:
        """Nodes of the largest group that publishes as is said there."""
        _, _, named = where.partition("nodes.")
        groups = [self.nodes[int(named.split(".")[0])]] if named else self.nodes
        return max((group.count for group in groups if named or "publisher" in group.roles), default=0)

    def _chosen_publishers(self) -> list[tuple[str, Publisher]]:
        """The same without what nobody has said and no node does."""
        said = "publisher" in self.model_fields_set
        return self._publishers() if said else self._having(Publisher)

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
            for text in subscriber.ever:
                if wrong := checks.filter_type_problem(text, types):
                    raise ValueError(f"{where}.where: {text!r} matches no event that is published: {wrong}")
            for text, names in subscriber.asked_for().items():
                for name in names:
                    if name not in known:
                        hint = suggest(name, known, "events have")
                        raise ValueError(f"{where}.where: no event has the {name!r} of {text!r}; {hint}")
        return self

    def _largest_frame(self) -> str:
        """What limits a frame, in words."""
        size = self.transport.max_frame
        if self.radio.room(size) < size - self.radio.overhead:
            return f"{self.radio.mtu} B (radio {self.radio.model})"
        return f"{size} B (transport.max_frame)"

    @model_validator(mode="after")
    def _can_run_out_of_power(self) -> Self:
        if self.batteries() and not self.radio.tells_energy:
            able = [name for name, radio in RADIOS.items() if radio.tells_energy]
            raise ValueError(
                f"faults: radio {self.radio.model} tells no energy: leave battery out, "
                f"or choose radio.model {', '.join(able)}"
            )
        return self

    @model_validator(mode="after")
    def _runs_on_its_radio(self) -> Self:
        family = row_of(self.protocol).family
        if family in self.radio.families_it_lacks:
            able = [name for name, radio in RADIOS.items() if family not in radio.families_it_lacks]
            others = [name for name in known_protocols() if row_of(name).family != family]
            raise ValueError(
                f"radio: {self.protocol} cannot run on {self.radio.model}, {self.radio.why_it_lacks}: choose "
                f"radio.model {', '.join(able)}, or a protocol such as {others[0]}"
            )
        return self

    @model_validator(mode="after")
    def _says_heartbeats_in_a_frame(self) -> Self:
        least = LEAST_OF_TREES + self.radio.overhead
        limits = {"transport.max_frame": self.transport.max_frame}
        if self.protocol == "mft-pubsub-2":
            limits["mft_pubsub_2.max_frame"] = self.mft_pubsub_2.max_frame
        for key, most in limits.items():
            if row_of(self.protocol).family in FAMILIES_OF_TREES and most < least:
                raise ValueError(
                    f"{key}: a heartbeat of {self.protocol} takes {least} B, not {most}, "
                    f"on radio {self.radio.model}"
                )
        return self

    @model_validator(mode="after")
    def _says_filters_in_a_frame(self) -> Self:
        if self.protocol != "mft-mesh":
            return self
        room = self.radio.room(self.transport.max_frame) - self.mft_mesh.whereabouts
        if room < LEAST_FRAME:
            least = LEAST_FRAME + self.radio.overhead + self.mft_mesh.whereabouts
            needs = f"mft-mesh needs {least} B at least, not {self.transport.max_frame}"
            raise ValueError(f"transport.max_frame: {needs}")
        for where, subscriber in self._having(Subscriber):
            taken, most = filter_bytes(subscriber), room - AROUND_FILTERS
            if taken > most:
                raise ValueError(
                    f"{where}.where: {taken} B of filters do not fit into a frame of "
                    f"{self._largest_frame()}, {most} B do: mft-mesh does not split them"
                )
        return self

    @model_validator(mode="after")
    def _sends_frames_that_are_large_enough(self) -> Self:
        """By all that an event has where it must fit into a frame; by its payload where it is split."""
        protocol = row_of(self.protocol)
        room, frame = self.radio.room(self.transport.max_frame), self._largest_frame()
        room -= self.mft_mesh.whereabouts
        for where, publisher in self._chosen_publishers():
            problem = misfit(publisher, str(self.protocol), not protocol.broadcasts, room, frame)
            if protocol.family != "ip" and problem:
                raise ValueError(f"{where}.{problem}")
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
        return [each for _, each in self.outages() if isinstance(each, Crash)]

    def outages(self) -> list[tuple[int, Crash | Absence]]:
        """All crashes and absences, named and drawn, by time, with the number of each one's fault."""
        found: list[tuple[int, Crash | Absence]] = []
        moves: list[tuple[float, int, int, bool]] = []
        times = {"duration": self.duration, "up": self.radio.startup_spread}
        for number, fault in enumerate(self.faults):
            seed = f"{self.seed} {number}"
            if isinstance(fault, Crash):
                found.append((number, fault))
            elif isinstance(fault, Churn):
                for node in self._named(fault.churn):
                    found += [(number, crash) for crash in fault.crashes(node, seed=seed, **times)]
            elif isinstance(fault, Turnover):
                for node in self._named(fault.turnover):
                    found += [(number, each) for each in fault.absences(node, seed=seed, **times)]
            elif isinstance(fault, Join | Leave):
                named = fault.times(self._named(fault.named), seed)
                moves += [(at, number, node, isinstance(fault, Join)) for node, at in named]
        return sorted([*found, *absences_of(moves)], key=lambda each: each[1].at)

    def batteries(self) -> dict[int, float]:
        """What nodes have to live on, J, by id; of two faults that say so the last one's."""
        return {
            node: fault.joules(node, f"{self.seed} {number}")
            for number, fault in enumerate(self.faults)
            if isinstance(fault, Battery)
            for node in self._named(fault.battery)
        }

    def naps(self) -> list[Nap]:
        """Whose radio sleeps when."""
        times = {"duration": self.duration, "up": self.radio.startup_spread}
        return [
            fault.nap(node, seed=f"{self.seed} {number}", **times)
            for number, fault in enumerate(self.faults)
            if isinstance(fault, DutyCycle)
            for node in self._named(fault.duty_cycle)
        ]

    def _named(self, nodes: NodesOf | str) -> list[int]:
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
        left_out = left_out_with(changes["protocol"]) if "protocol" in changes else []
        own = {name: getattr(self, name) for name in self.model_fields_set if name not in left_out}
        if "speed" in changes and "mobility" not in changes and self.mobility.own_speed() is not None:
            own["mobility"] = self.mobility.model_copy(update={"speed": None})
        content = merged(Scenario, own, changes)
        if "mobility" in changes and "speed" not in changes and not leaves_speed_open(content["mobility"]):
            content.pop("speed", None)
        changed = {*changes, *(["mobility"] if "speed" in changes else [])}
        axes = {key: value for key, value in self._axes.items() if key.split(".")[0] not in changed}
        made = checked(Scenario, content, "scenario")
        if idle := next((name for name in changes if why_unused(name, made.nodes)), None):
            raise ConfigurationError(f"scenario: {idle}: {why_unused(idle, made.nodes)}")
        return made.placed(axes)

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
        refuse_study(content, where)
        return checked(cls, content, where, {"folder": folder})


def unit_of(key: str) -> str | None:
    """The unit of the field of a scenario that a dotted key names, such as `overlay.leader_timeout`."""
    return unit_at(Scenario, key.split("."))
