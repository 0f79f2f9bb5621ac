"""Scenarios (one run) and studies (a scenario file: many runs), with their defaults and their checks.

All defaults are the thesis's (T 4.5.2, J 6) or Castalia's as it ships; where no source gives a value
the reason stands beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from mftpubsub._core import core
from mftpubsub._html import table
from mftpubsub.errors import ConfigurationError

#: Highest number of nodes: ids are 16 bit and one of them is nobody's.
MAX_NODES = 65_000

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=1, le=2**31 - 1)]
Role = Literal["broker", "subscriber", "publisher"]
AttributeValue = bool | int | float | str

M = TypeVar("M", bound="Model")


class Model(BaseModel):
    """Base of all parts: immutable, strict, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Publisher(Model):
    """What a publisher publishes, and when."""

    rate: Positive = Field(1.0, description="events per second, periodic with a random phase")
    start: NonNegative = Field(0.0, description="s; the first event comes within one period from here")
    stop: Positive = Field(500.0, description="s; no event from here on (T 4.5.2: the last 200 s of 700)")
    payload: int = Field(100, ge=6, le=60_000, description="B (J 6); at least 6, AODV's event id")
    events: list[dict[str, AttributeValue]] = Field(
        default=[{"topic": "f1"}, {"topic": "f2"}],
        min_length=1,
        description="attributes of an event; one of the list is drawn for each (J 6)",
    )

    @model_validator(mode="after")
    def _starts_before_it_stops(self) -> Self:
        if self.start >= self.stop:
            raise ValueError(f"start ({self.start:g} s) must come before stop ({self.stop:g} s)")
        return self


class Subscriber(Model):
    """What a subscriber subscribes to."""

    where: list[str] = Field(
        default=["topic = 'f1'", "topic = 'f2'"],
        min_length=1,
        description="filters: SQL-92 style conditions over the attributes of an event (J 6: two)",
    )

    @field_validator("where")
    @classmethod
    def _are_filters(cls, where: list[str]) -> list[str]:
        for text in where:
            if wrong := str(core().CheckFilter(text)):
                raise ValueError(f"{text!r} is no filter: {wrong}")
        return where


class Group(Model):
    """Nodes that carry the same roles."""

    count: int = Field(1, ge=1, le=MAX_NODES)
    roles: list[Role] = Field(description="any combination of broker, subscriber, publisher; none: a router")
    at: list[tuple[float, float]] | None = Field(
        None, description="m: a position for each node; default: uniform in the area"
    )

    @model_validator(mode="after")
    def _has_a_position_each(self) -> Self:
        if self.at is not None and len(self.at) != self.count:
            raise ValueError(f"at has {len(self.at)} positions for {self.count} nodes")
        if len(set(self.roles)) != len(self.roles):
            raise ValueError(f"a role stands twice in {self.roles}")
        return self


class Configuration(Model):
    """A network: its area and its nodes (T table 4.2)."""

    area: tuple[Positive, Positive] = Field(description="m x m")
    nodes: list[Group] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (count := self.count()) > MAX_NODES:
            raise ValueError(f"{count} nodes; at most {MAX_NODES} are possible")
        for group in self.nodes:
            for x, y in group.at or ():
                if not (0 <= x <= self.area[0] and 0 <= y <= self.area[1]):
                    raise ValueError(f"position ({x:g}, {y:g}) lies outside the area {self.area}")
        return self

    def count(self) -> int:
        """Number of nodes."""
        return sum(group.count for group in self.nodes)


class Mobility(Model):
    """How nodes move."""

    model: Literal["random-waypoint", "static"] = Field(
        "random-waypoint", description="T 4.5.2: random waypoint, constant speed, no pause"
    )


class Channel(Model):
    """Castalia's wireless channel; defaults are its shipped ones (PARAMETERS.md)."""

    shadowing: Literal["cell", "pair"] = Field(
        "cell", description="path loss by cell (Castalia's mobile case) or by pair of nodes (its static case)"
    )
    sigma: NonNegative = Field(4.0, description="dB; Castalia's default")
    bidirectional_sigma: NonNegative = Field(1.0, description="dB; Castalia's default")
    cell: Positive = Field(5.0, description="m")
    path_loss_exponent: Positive = 2.4
    reference_loss: NonNegative = Field(55.0, description="dB at 1 m")


class Radio(Model):
    """CC2420, mode normal."""

    tx_power: Literal[0, -1, -3, -5, -7, -10, -15, -25] = Field(0, description="dBm (T 4.5.2: 0)")
    startup_spread: NonNegative = Field(0.05, description="s; nodes start within it (Castalia's default)")


class Overlay(Model):
    """Leader election and tree (protocols.md section 3); no source gives the times."""

    heartbeat_interval: Positive = Field(1.0, description="s")
    leader_timeout: Positive = Field(3.0, description="s; three heartbeats")
    rebroadcast_jitter: NonNegative = Field(0.01, description="s; RFC 5148 style")

    @model_validator(mode="after")
    def _survives_a_heartbeat(self) -> Self:
        if self.leader_timeout <= self.heartbeat_interval:
            raise ValueError("leader_timeout must be longer than heartbeat_interval")
        return self


class Transport(Model):
    """Hop-by-hop acknowledgement (protocols.md section 5)."""

    retries: int = Field(3, ge=0, le=20)
    window: int = Field(4, ge=1, le=64, description="frames on the way to one neighbour")
    max_frame: int = Field(1024, ge=64, le=1024, description="B on the air; 802.15.4's own limit is 127")


class Aodv(Model):
    """ns-3's AODV; nothing set is ns-3's default."""

    attributes: dict[str, str] = Field(
        default={}, description="attributes of ns3::aodv::RoutingProtocol by name, values as ns-3 writes them"
    )
    arp: bool = Field(
        False, description="resolve addresses by ARP; default: known, as in Castalia, where ids are addresses"
    )

    @model_validator(mode="after")
    def _are_attributes(self) -> Self:
        for name, value in self.attributes.items():
            if wrong := str(core().CheckAodvAttribute(name, value)):
                raise ValueError(wrong)
        return self


class MftPubsub(Model):
    """Switches of MFT-PubSub."""

    literal_children: bool = Field(
        False, description="alg. 4.2 to the letter (protocols.md section 4 ruling 5)"
    )


class Cascading(Model):
    """Switches of the first approach."""

    replay: bool = Field(True, description="replay undelivered events; false is the 2016 report's version")


class Common(Model):
    """What all runs of a study share."""

    duration: Positive = Field(700.0, description="s")
    publisher: Publisher = Publisher()
    subscriber: Subscriber = Field(default_factory=Subscriber)
    mobility: Mobility = Mobility()
    channel: Channel = Channel()
    radio: Radio = Radio()
    overlay: Overlay = Overlay()
    transport: Transport = Transport()
    aodv: Aodv = Field(default_factory=Aodv)
    mft_pubsub: MftPubsub = MftPubsub()
    cascading: Cascading = Cascading()

    @model_validator(mode="after")
    def _publishes_before_the_end(self) -> Self:
        if self.publisher.stop > self.duration:
            raise ValueError(
                f"publisher.stop ({self.publisher.stop:g} s) is after the end of the run, "
                f"duration ({self.duration:g} s)"
            )
        return self


def known_protocols() -> list[str]:
    """Names of the protocols that can be simulated."""
    return [str(name) for name in core().GetProtocols()]


def _check_protocol(name: str) -> str:
    known = known_protocols()
    if name not in known:
        raise ValueError(f"no protocol {name!r}; there are {', '.join(known)}")
    return name


class Scenario(Common):
    """One run: everything that determines its result."""

    protocol: str
    config: str = Field("custom", description="name of the configuration")
    network: Configuration
    speed: NonNegative = Field(description="m/s")
    seed: Seed = 1

    _known = field_validator("protocol")(_check_protocol)

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if self.mobility.model != "static" and self.speed == 0:
            raise ValueError("speed 0 m/s needs mobility.model: static")
        return self

    @model_validator(mode="after")
    def _channel_follows_movement(self) -> Self:
        if self.mobility.model != "static" and self.channel.shadowing == "pair":
            raise ValueError(
                "channel.shadowing: pair is Castalia's case of nodes that stand still and needs "
                "mobility.model: static; nodes that move have channel.shadowing: cell"
            )
        return self

    @model_validator(mode="after")
    def _has_brokers(self) -> Self:
        roles = {role for group in self.network.nodes for role in group.roles}
        if self.protocol != "aodv" and "broker" not in roles:
            raise ValueError(f"{self.protocol} needs at least one node with the role broker")
        return self

    def replace(self, **changes: Any) -> Scenario:
        """A scenario with some fields changed, checked like any other."""
        own = {name: getattr(self, name) for name in type(self).model_fields}
        return _checked(Scenario, own | changes, "scenario")

    def __repr__(self) -> str:
        return f"Scenario({', '.join(self._headlines().values())})"

    def _repr_html_(self) -> str:
        return table(self._headlines(), caption="Scenario")

    def _headlines(self) -> dict[str, str]:
        return {
            "protocol": self.protocol,
            "configuration": self.config,
            "area": "{:g} m x {:g} m".format(*self.network.area),
            "nodes": f"{self.network.count()} nodes",
            "speed": f"{self.speed:g} m/s",
            "duration": f"{self.duration:g} s",
            "seed": f"seed {self.seed}",
        }

    def fingerprint(self) -> str:
        """SHA-256 (hex) over everything that determines the result."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


class Study(Common):
    """A scenario file: configurations x speeds x seeds x protocols."""

    protocols: list[str] = Field(min_length=1)
    configurations: dict[str, Configuration] = Field(min_length=1)
    speeds: list[NonNegative] = Field(min_length=1, description="m/s")
    seeds: list[Seed] = Field(min_length=1)

    @field_validator("protocols")
    @classmethod
    def _known(cls, protocols: list[str]) -> list[str]:
        return [_check_protocol(name) for name in protocols]

    @field_validator("seeds", mode="before")
    @classmethod
    def _count_of_seeds(cls, seeds: Any) -> Any:
        """`seeds: 10` is short for the seeds 1 to 10."""
        if isinstance(seeds, int) and not isinstance(seeds, bool):
            if seeds < 1:
                raise ValueError("at least one seed is needed")
            return list(range(1, seeds + 1))
        return seeds

    def case(self, *, protocol: str, config: str, speed: float, seed: int) -> Scenario:
        """The scenario of one run; speed and seed need not be among the file's.

        Raises ConfigurationError for an unknown protocol or configuration.
        """
        if config not in self.configurations:
            raise ConfigurationError(
                f"no configuration {config!r}; there are {', '.join(self.configurations)}"
            )
        common = {name: getattr(self, name) for name in Common.model_fields}
        own = {
            "protocol": protocol,
            "config": config,
            "network": self.configurations[config],
            "speed": float(speed),
            "seed": seed,
        }
        return _checked(Scenario, common | own, f"case {protocol} {config} {speed:g} m/s seed {seed}")

    def cases(self, protocols: Iterable[str] | None = None) -> list[Scenario]:
        """Every run of the study, or those of some protocols."""
        return [
            self.case(protocol=protocol, config=config, speed=speed, seed=seed)
            for protocol, config, speed, seed in product(
                protocols or self.protocols, self.configurations, self.speeds, self.seeds
            )
        ]


def load(path: str | Path) -> Study:
    """Reads a scenario file; keys that it does not give come from the file named by its key `base`, if any.

    Raises ConfigurationError that names the file, the key and what would be right.
    """
    path = Path(path)
    content = _read(path)
    study = _checked(Study, content, str(path))
    try:
        study.model_copy(update={"seeds": study.seeds[:1]}).cases()  # parts may be right and not fit together
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    return study


def _read(path: Path, derived: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The keys of a scenario file. Those that it does not give come from the file that its `base` names.

    `base` is relative to the file; `derived` are the files that led to this one.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not a text file: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path}: no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path}: must be a mapping of keys, such as `protocols: [mft-pubsub]`")
    base = content.pop("base", None)
    if base is None:
        return content
    if not isinstance(base, str):
        raise ConfigurationError(f"{path}: base: must be the name of a scenario file (given: {base!r})")
    if path.resolve() in derived:
        raise ConfigurationError(f"{path}: base: {base} leads back to this file")
    return _read(path.parent / base, (*derived, path.resolve())) | content


def _checked(model: type[M], content: dict[str, Any], source: str) -> M:
    try:
        # By way of JSON, in which lists are tuples too while everything else stays strict.
        return model.model_validate_json(json.dumps(content, default=_to_json))
    except ValidationError as error:
        lines = [_describe(model, detail, source) for detail in error.errors()]
        raise ConfigurationError("\n".join(lines)) from None


def _to_json(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, Model) else str(value)


def _keys_at(model: type[Model], path: list[str]) -> list[str]:
    """Keys that are known below `path`, descending through models, lists and mappings of models."""
    for key in path:
        field = model.model_fields.get(key)
        if field is not None:
            model = _model_in(field.annotation) or model
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[Model] | None:
    """The model that an annotation is made of: `Model`, `list[Model]`, `dict[str, Model]`."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def _describe(model: type[Model], detail: Any, source: str) -> str:
    """One line for one wrong key."""
    keys = [str(part) for part in detail["loc"]]
    key = ".".join(keys) or "(whole)"
    if detail["type"] == "extra_forbidden":
        known = _keys_at(model, keys[:-1])
        close = get_close_matches(keys[-1], known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known keys are {', '.join(known)}"
        return f"{source}: {key}: unknown key; {hint}"
    if detail["type"] == "value_error":
        return f"{source}: {key}: {detail['ctx']['error']}"
    message = detail["msg"][0].lower() + detail["msg"][1:]
    given = "" if detail["type"] == "missing" else f" (given: {detail['input']!r})"
    return f"{source}: {key}: {message}{given}"
