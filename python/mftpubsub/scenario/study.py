"""Studies: a scenario file for many runs, configurations x speeds x seeds x protocols x axes of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, PlainValidator, field_validator, model_validator

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.files import as_path
from mftpubsub.protocols.naming import ProtocolField, check_names
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.scenario.axes import check_axes, named_values, names_model, once_each, vary
from mftpubsub.scenario.common import (
    Common,
    Name,
    Seed,
    check_parts,
    check_policies,
    ignored_fields,
    ignored_policies,
    known_protocols,
    unused_parts,
)
from mftpubsub.scenario.nodes import Network, why_unused
from mftpubsub.scenario.part import NonNegative, checked, merged
from mftpubsub.scenario.radios import Cc2420, RadioModel
from mftpubsub.scenario.reading import read_yaml, to_yaml
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.trace.layout import as_text, text


def _of_own_radio(radios: Any, own: Any) -> Any:
    """Values of an axis. What names no model is the study's own radio with that change, called after it."""
    if all(map(names_model, radios.values() if isinstance(radios, Mapping) else radios)):
        return radios
    return {
        name: value if names_model(value) else merged(Common, {"radio": own}, {"radio": value})["radio"]
        for name, value in named_values(radios)
    }


def _axis_values(given: Any) -> Any:
    if not isinstance(given, list | tuple | Mapping):
        raise ValueError(f"needs a list of values, or values by name (given: {given!r})")
    if not given:
        raise ValueError("needs at least one value")
    return given


AxisValues = Annotated[list[Any] | dict[str, Any], PlainValidator(_axis_values)]


#: By a key that only files of other studies have.
_OTHER_KINDS = {"series": "reconfigurations", "groups": "hand-offs"}
#: What a study says in a key of its own, by what it could be called on an axis.
_KEY_OF = {"protocol": "protocols", "config": "configurations", "speed": "speeds", "seed": "seeds"}


class Configuration(Network):
    """A network: its area, what stands there, and its nodes (T table 4.2)."""


#: More of them than anybody has time for.
MOST_SEEDS = 10**6


class Study(Common):
    """A scenario file: configurations x speeds x seeds x protocols x axes."""

    about: str = Field(default="", description="what is asked: the first words of the report")
    protocols: list[ProtocolField] = Field(
        min_length=1, description="names of protocols, or module:Class of your own"
    )
    configurations: dict[Name, Configuration] = Field(min_length=1, description="networks by name")
    speeds: list[NonNegative] = Field(min_length=1, description="m/s")
    seeds: list[Seed] = Field(min_length=1, description="a list of seeds, or their number")
    axes: dict[str, AxisValues] = Field(
        default={},
        description="what else varies: values by key, as in {overlay.leader_timeout: [3, 5]}, or by what "
        "tables and figures call them, as in {radio: {802.11b: {model: wifi, standard: 802.11b}}}",
    )

    @model_validator(mode="before")
    @classmethod
    def _begins_where_its_axis_does(cls, given: Any) -> Any:
        """Parts are checked against the radios of an axis: no run has the study's own where there is one."""
        axes = given.get("axes") if isinstance(given, Mapping) else None
        if not isinstance(axes, Mapping) or not (radios := axes.get("radio")):
            return given
        own = given.get("radio", Cc2420.model)
        if not isinstance(radios, list | tuple | Mapping) or not isinstance(own, str | Mapping | RadioModel):
            return given
        radios = _of_own_radio(radios, own)
        first = next(iter(radios.values() if isinstance(radios, Mapping) else radios))
        return {**given, "radio": first, "axes": {**axes, "radio": radios}}

    @field_validator("protocols")
    @classmethod
    def _told_apart(cls, protocols: list[str | OwnProtocol]) -> list[str | OwnProtocol]:
        check_names(protocols)
        return protocols

    @model_validator(mode="after")
    def _asks_its_policies(self) -> Self:
        check_policies(self.protocols, self)
        check_parts(self.protocols, self.model_fields_set, self)
        return self

    @field_validator("seeds", mode="before")
    @classmethod
    def _count_of_seeds(cls, seeds: Any) -> Any:
        """`seeds: 10` is short for the seeds 1 to 10."""
        if isinstance(seeds, int) and not isinstance(seeds, bool):
            if seeds < 1:
                raise ValueError("at least one seed is needed")
            if seeds > MOST_SEEDS:
                raise ValueError(f"at most {MOST_SEEDS} (given: {seeds})")
            return list(range(1, seeds + 1))
        return seeds

    def case(self, *, protocol: str | OwnProtocol, config: str, speed: float, seed: int) -> Scenario:
        """The scenario of one run; speed (m/s) and seed need not be among the file's.

        It is without the policies that its protocol never asks and the parts that its runs do not depend
        on: studies that differ in these only have such runs in common.
        Raises ConfigurationError for an unknown protocol or configuration.
        """
        if config not in self.configurations:
            raise ConfigurationError(no_such("configuration", config, self.configurations))
        own = {str(each): each for each in self.protocols}
        known = [*own, *(name for name in known_protocols() if name not in own)]
        if str(protocol) not in known:
            raise ConfigurationError(no_such("protocol", str(protocol), known))
        protocol = own.get(str(protocol), protocol)
        ignored = [*ignored_policies(protocol, self), *unused_parts(protocol)]
        # The radio, which may be on an axis, chooses a channel. Nodes with own roles need no common ones.
        ignored += {"channel", "publisher", "subscriber"} - self.model_fields_set
        common = {name: getattr(self, name) for name in Common.model_fields if name not in ignored}
        network = self.configurations[config]
        chosen = {
            "protocol": protocol,
            "config": config,
            "area": network.area,
            "nodes": network.nodes,
            "obstacles": network.obstacles,
            "speed": speed,
            "seed": seed,
        }
        return checked(Scenario, common | chosen, f"case {protocol} {config} {text(speed)} m/s seed {seed}")

    def cases(self, protocols: Iterable[str | OwnProtocol] | None = None) -> list[Scenario]:
        """Every run of the study, or those of some protocols, once each: an axis may say the speed anyway."""
        groups = product(
            dict.fromkeys(map(str, protocols or self.protocols)),
            self.configurations,
            dict.fromkeys(self.speeds),
        )
        found = (each for group in groups for each in self._of_each_seed(*group))
        return [case for _, case in once_each(found)]

    def _of_each_seed(
        self, protocol: str, config: str, speed: float
    ) -> Iterator[tuple[dict[str, Any], Scenario]]:
        """What `vary` gives for each seed. It is checked anew where faults are drawn by the seed."""
        made: list[tuple[dict[str, Any], Scenario]] = []
        for seed in dict.fromkeys(self.seeds):
            if not made or any(case.faults for _, case in made):
                base = self.case(protocol=protocol, config=config, speed=speed, seed=seed)
                made = [*vary(base, self.axes)]
            elif "seed" not in self.axes:
                made = [(at, case.model_copy(update={"seed": seed})) for at, case in made]
            yield from made

    def restricted(self, protocols: Iterable[str | OwnProtocol]) -> Study:
        """The study of some of its protocols, without the policies and parts that none of these uses."""
        protocols = list(protocols)
        defaults = {
            name: Common.model_fields[name].get_default(call_default_factory=True)
            for name in set.intersection(*map(ignored_fields, protocols))
        }
        return self.model_copy(update=defaults | {"protocols": protocols})

    def to_yaml(self) -> str:
        """The scenario file: what is not the default. `Study.from_yaml` reads it."""
        return to_yaml(self)

    @classmethod
    def from_yaml(cls, source: str | Path) -> Study:
        """The study that a file (a path) or a text of several lines describes.

        Raises ConfigurationError that names the file, the key and what would be right.
        """
        content, where, folder = read_yaml(source)
        if "area" in content:
            raise ConfigurationError(
                f"{where}: a single scenario, which `mftpubsub run` runs and `Scenario.from_yaml` reads; to "
                "sweep it, put its `area` and `nodes` below a name in `configurations` and say which "
                "`protocols`, `speeds` and `seeds`"
            )
        if other := next((kind for key, kind in _OTHER_KINDS.items() if key in content), None):
            raise ConfigurationError(f"{where}: a study of {other}, which `mftpubsub study run` runs")
        study = checked(cls, content, where, {"folder": folder})
        if twice := next((key for key in _KEY_OF if key in study.axes), None):
            raise ConfigurationError(f"{where}: axes.{twice}: a study says this by `{_KEY_OF[twice]}`")
        nodes = [group for network in study.configurations.values() for group in network.nodes]
        if len({*study.speeds}) > 1 and (why := why_unused("speed", nodes)):
            raise ConfigurationError(f"{where}: speeds: {why}")
        try:
            check_axes(study.axes, study.protocols, nodes)
        except ValueError as error:
            raise ConfigurationError(f"{where}: axes.{error}") from None
        try:
            study.model_copy(update={"seeds": study.seeds[:1]}).cases()  # parts may not fit together
        except ConfigurationError as error:
            raise ConfigurationError(f"{where}: {error}") from None
        return study


def load(path: str | Path) -> Study:
    """Reads a scenario file.

    Raises ConfigurationError that names the file, the key and what would be right.
    """
    return Study.from_yaml(as_path(path, "load", "configs/thesis.yaml"))


def choose(path: Path, *, at: Any = None, **chosen: Any) -> Scenario:
    """The run of a scenario file: of a study the case that `chosen` names (protocol, config, speed, seed), at
    the place on its axes that `at` does (values by key), of a single scenario that one, with what they
    change. None stands for what is not chosen.

    Raises ConfigurationError if the file is a study and they name no run of it, or is none and `config` names
    another network than its own.
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    if "area" in read_yaml(path)[0]:
        scenario = Scenario.from_yaml(path)
        if given.get("config", scenario.config) != scenario.config:
            raise ConfigurationError(
                f"{path} is a single scenario, {scenario.config!r}: --config chooses a network of a study"
            )
        return scenario.replace(**given)
    study = load(path)
    known = {
        "protocol": [str(each) for each in study.protocols],
        "config": study.configurations,
        "speed": [*map(text, study.speeds)],
    }
    if lacking := [f"--{name} ({', '.join(known[name])})" for name in known if name not in given]:
        raise ConfigurationError(f"{path} is a study: choose a run by {', '.join(lacking)}")
    return _placed(path, study, study.case(**{"seed": 1} | given), at or {})


def _placed(path: Path, study: Study, case: Scenario, at: Mapping[str, str]) -> Scenario:
    """A case of a study at a place on its axes, by what tables call their values."""
    found = [*vary(case, study.axes)]
    for key, value in at.items():
        if key not in study.axes:
            raise ConfigurationError(f"--at {key}: {no_such('axis', key, study.axes)}")
        there = [*dict.fromkeys(text(names[key]) for names, _ in found)]
        wanted = value if value in there else as_text(value)
        found = [(names, made) for names, made in found if text(names[key]) == wanted]
        if not found:
            raise ConfigurationError(f"--at {key}: {no_such('value', value, there)}")
    open_axes = {key: [*dict.fromkeys(text(names[key]) for names, _ in found)] for key in study.axes}
    if lacking := [
        f"--at {key}=... ({', '.join(names)})" for key, names in open_axes.items() if len(names) > 1
    ]:
        raise ConfigurationError(f"{path} has axes: choose a place by {', '.join(lacking)}")
    return found[0][1]
