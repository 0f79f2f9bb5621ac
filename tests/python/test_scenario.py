"""Scenario files: what is accepted, what is refused and how it is said."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from own_flood import Data

import mftpubsub
from mftpubsub import (
    Broker,
    Cc2420,
    Channel,
    Choice,
    Grid,
    Group,
    Integer,
    MovementFile,
    Publisher,
    RandomWaypoint,
    Scenario,
    Static,
    Subscriber,
    Uniform,
    Waypoints,
    crash,
    partition,
)
from mftpubsub.protocols import Station
from mftpubsub.scenario import axes
from mftpubsub.scenario.roles import Role

CONFIGS = Path(__file__).parents[2] / "configs"

SMALL: dict[str, Any] = {
    "protocols": ["mft-pubsub"],
    "speeds": [2],
    "seeds": 1,
    "duration": 20,
    "publisher": {"stop": 10},
    "configurations": {
        "C2": {
            "area": [35, 35],
            "nodes": [
                {"count": 2, "roles": ["publisher"]},
                {"count": 2, "roles": ["subscriber"]},
                {"count": 2, "roles": ["broker"]},
            ],
        }
    },
}


def with_value(path: str, value: Any) -> dict[str, Any]:
    """SMALL with the key at `path` (dots) set, or removed if the value is None."""
    content: dict[str, Any] = yaml.safe_load(yaml.safe_dump(SMALL))
    *folders, key = path.split(".")
    part: Any = content
    for folder in folders:
        part = part[int(folder)] if isinstance(part, list) else part.setdefault(folder, {})
    if value is None:
        del part[key]
    else:
        part[key] = value
    return content


def load(folder: Path, content: Any) -> mftpubsub.Study:
    path = folder / "study.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return mftpubsub.load(path)


def test_minus_zero_is_zero_where_it_names_a_run(tmp_path: Path) -> None:
    study = load(tmp_path, SMALL | {"speeds": [-0.0], "mobility": "static"})
    (case,) = study.cases()
    assert str(case.speed) == "0.0"
    assert case.fingerprint() == case.replace(speed=-0.0).fingerprint()
    assert str(axes.label(-0.0)) == "0.0"


@pytest.mark.parametrize("value", [math.inf, math.nan, 10**30])
def test_a_number_that_no_table_holds_has_to_be_named_on_an_axis(value: float) -> None:
    """Its runs were made, set aside by ingest, made again, ..."""
    small = mftpubsub.load(CONFIGS / "quick.yaml").case(protocol="mft-mesh", config="C2", speed=2, seed=1)
    with pytest.raises(
        mftpubsub.ConfigurationError, match=r"way: tables have no room for the number .*: name the"
    ):
        axes.once_each([({"way": value}, small)])
    assert axes.once_each([({"way": "endless"}, small)])


@pytest.mark.parametrize("value", ["", [], (), {}, [""]])
def test_what_is_empty_on_an_axis_has_a_name(value: Any) -> None:
    """Its column was blank in tables, and missing for who read their CSV."""
    assert axes.label(value) == "empty"


def test_the_thesis_study_is_what_the_thesis_says() -> None:
    study = mftpubsub.load(CONFIGS / "thesis.yaml")
    assert len(study.cases()) == 2 * 5 * 5 * 10
    sizes = {name: (c.area, [g.count for g in c.nodes]) for name, c in study.configurations.items()}
    assert sizes == {
        "C2": ((35, 35), [2, 2, 2]),
        "C4": ((45, 45), [2, 4, 4]),
        "C8": ((60, 60), [2, 8, 8]),
        "C16": ((80, 80), [2, 16, 16]),
        "C32": ((110, 110), [2, 32, 32]),
    }
    assert study.speeds == [2, 4, 6, 8, 10]
    assert (study.duration, study.publisher.stop, study.publisher.rate) == (700, 500, 1)
    assert isinstance(study.radio, Cc2420)
    assert (study.publisher.payload, study.radio.tx_power) == (100, 0)


def test_the_quick_study_is_a_part_of_the_thesis_study() -> None:
    quick, thesis = (mftpubsub.load(CONFIGS / f"{name}.yaml") for name in ("quick", "thesis"))
    assert quick.configurations.items() <= thesis.configurations.items()
    assert set(quick.speeds) <= set(thesis.speeds)
    assert set(quick.seeds) <= set(thesis.seeds)


def test_a_count_of_seeds_is_short_for_the_first_ones(tmp_path: Path) -> None:
    assert load(tmp_path, with_value("seeds", 3)).seeds == [1, 2, 3]
    assert load(tmp_path, with_value("seeds", [7, 9])).seeds == [7, 9]


def test_what_is_named_twice_is_run_once() -> None:
    study = mftpubsub.Study.from_yaml(
        "protocols: [aodv, aodv]\nspeeds: [2, 2.0]\nseeds: [1, 2, 1]\nconfigurations:\n"
        "  C 2+.-_: {area: [60, 60], nodes: [{count: 2, roles: [publisher, subscriber]}]}\n"
    )
    assert [(case.config, case.seed) for case in study.cases(["aodv", "aodv"])] == [
        ("C 2+.-_", 1),
        ("C 2+.-_", 2),
    ]
    assert study.cases() == study.cases(["aodv"])


class Jittered(Station):
    messages = (Data,)

    def __init__(self, jitter: float) -> None:
        self.jitter = jitter


def test_scenarios_are_equal_where_their_fingerprints_are() -> None:
    def having(value: float) -> list[Scenario]:
        nodes = [Group(1, [Publisher(event={"a": value}), Subscriber("TRUE"), Broker()])]
        plain = Scenario(area=(20, 20), speed=2, nodes=nodes)
        return [plain, flat().replace(protocol=Jittered(value))]

    for each in zip(*map(having, (1, True, 1.0, 0.0, -0.0)), strict=True):
        assert len({one.fingerprint() for one in each}) == 5
        assert not any(one == other for one, other in combinations(each, 2))
    for one, same in zip(having(1), having(1), strict=True):
        assert one == same
        assert hash(one) == hash(same)
        assert hash(one.nodes[0]) == hash(same.nodes[0])


def test_the_fingerprint_is_of_what_determines_the_result(tmp_path: Path) -> None:
    study = load(tmp_path, SMALL)
    case = study.case(protocol="mft-pubsub", config="C2", speed=2, seed=1)
    same = load(tmp_path, SMALL).case(protocol="mft-pubsub", config="C2", speed=2, seed=1)
    assert case.fingerprint() == same.fingerprint()
    others = [
        case.replace(seed=2),
        case.replace(speed=4.0),
        case.replace(duration=30.0),
        case.replace(protocol="aodv"),
    ]
    assert len({case.fingerprint(), *(other.fingerprint() for other in others)}) == 5


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("protocolls", ["aodv"], "protocolls: unknown key; did you mean 'protocols'?"),
        ("publisher.speed", 1, "publisher.speed: unknown key; known keys are rate, arrivals, start, stop"),
        ("configurations.C2.nodes.0.role", "broker", "did you mean 'roles'?"),
        ("protocols", None, "protocols: field required"),
        ("protocols", ["aodw"], "no protocol 'aodw'; did you mean 'aodv'"),
        ("protocols", [], "protocols: list should have at least 1 item"),
        ("speeds", ["fast"], "speeds.0: input should be a valid number, in m/s (given: 'fast')"),
        ("speeds", [-2], "speeds.0: input should be greater than or equal to 0, in m/s (given: -2)"),
        ("speeds", [float("inf")], "speeds.0: input should be a finite number"),
        ("seeds", 0, "seeds: at least one seed is needed"),
        ("seeds", [0], "seeds.0: input should be greater than or equal to 1 (given: 0)"),
        ("seeds", "many", "seeds: input should be a valid"),
        ("duration", "700 s", "duration: input should be a valid number, in s (given: '700 s')"),
        ("duration", 5, "publisher.stop (10 s) is after the end of the run, duration (5 s)"),
        ("publisher.rate", 0, "than or equal to 0.000001, in events per second (given: 0)"),
        ("publisher.start", 10, "publisher: start (10 s) must come before stop (10 s)"),
        ("publisher.payload", 2.5, "publisher.payload: input should be a valid integer"),
        ("publisher.events", [], "publisher.events: list should have at least 1 item"),
        ("subscriber.where", ["topic = "], "subscriber.where: 'topic = ' is no filter"),
        ("configurations.C2.area", [35], "configurations.C2.area.1: field required"),
        (
            "configurations.C2.area",
            [35, 0],
            "configurations.C2.area.1: input should be greater than or equal to 0.1, in m",
        ),
        (
            "configurations.C2.nodes.0.roles",
            ["boss"],
            "no role 'boss'; there are broker, subscriber, publisher",
        ),
        ("configurations.C2.nodes.0.roles", ["broker", "broker"], "a role stands twice"),
        ("configurations.C2.nodes.0.count", 0, "count: input should be greater than or equal to 1"),
        ("configurations.C2.nodes.0.count", 70000, "count: input should be less than or equal to 65000"),
        ("configurations.C2.nodes.0.at", [[1, 1]], "1 positions for 2 nodes"),
        ("configurations.C2.nodes.0.at", [[1, 1], [40, 1]], "position (40, 1) lies outside the area"),
        ("radio.tx_power", -4, "radio.tx_power: input should be 0, -1, -3, -5, -7, -10, -15 or -25"),
        ("radio.cca_threshold", -100, "radio.cca_threshold: input should be greater than -100"),
        ("channel.shadowing", "room", "channel.shadowing: input should be 'cell' or 'pair'"),
        ("channel.sigma", -1, "channel.sigma: input should be greater than or equal to 0"),
        ("overlay.leader_timeout", 1, "leader_timeout must be longer than heartbeat_interval"),
        ("transport.max_frame", 10, "transport.max_frame: input should be greater than or equal to 64"),
        (
            "aodv.attributes",
            {"HelloIntervall": "1s"},
            "ns3::aodv::RoutingProtocol has no attribute HelloIntervall",
        ),
        (
            "aodv.attributes",
            {"NetDiameter": "wide"},
            "NetDiameter = wide is no value of type ns3::UintegerValue",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_with_file_key_and_remedy(
    tmp_path: Path, path: str, value: Any, said: str
) -> None:
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        load(tmp_path, with_value(path, value))
    assert said in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "study.yaml"))


@pytest.mark.parametrize(
    ("content", "said"),
    [("protocols: [", "no YAML"), ("- 1\n", "must be a mapping"), ("", "must be a mapping")],
)
def test_what_is_no_scenario_file_is_refused(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match=said):
        load(tmp_path, content)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match=r"nowhere\.yaml: No such file"):
        mftpubsub.load(tmp_path / "nowhere.yaml")


def test_a_case_that_cannot_be_run_is_refused(tmp_path: Path) -> None:
    study = load(tmp_path, SMALL)
    with pytest.raises(mftpubsub.ConfigurationError, match="no configuration 'C3'; there are C2"):
        study.case(protocol="mft-pubsub", config="C3", speed=2, seed=1)
    with pytest.raises(
        mftpubsub.ConfigurationError, match=r"mobility: speed 0 m/s needs mobility\.model: static"
    ):
        study.case(protocol="mft-pubsub", config="C2", speed=0, seed=1)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            "configurations.C2.nodes",
            [{"roles": ["publisher"]}],
            "needs at least one node with the role broker",
        ),
        ("speeds", [0], "mobility: speed 0 m/s needs mobility"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_with_file_and_case(
    tmp_path: Path, path: str, value: Any, said: str
) -> None:
    with pytest.raises(
        mftpubsub.ConfigurationError, match=rf"study\.yaml: case .*{said}|study\.yaml: {said}"
    ):
        load(tmp_path, with_value(path, value))


def test_a_file_takes_what_it_does_not_say_from_its_base(tmp_path: Path) -> None:
    base = load(tmp_path, SMALL | {"channel": {"sigma": 1, "cell": 4}})
    (tmp_path / "variant.yaml").write_text("base: study.yaml\nspeeds: [7]\nchannel: {sigma: 0}")
    variant = mftpubsub.load(tmp_path / "variant.yaml")
    assert isinstance(variant.channel, Channel)
    assert (variant.speeds, variant.channel.sigma, variant.channel.cell) == ([7.0], 0, 4)
    assert variant.configurations == base.configurations


def test_a_path_is_relative_to_the_file_that_has_it(tmp_path: Path) -> None:
    group = "{roles: [{publisher: {arrivals: {model: recorded, path: e.csv}}}, subscriber, broker]}"
    (tmp_path / "of_base").mkdir()
    (tmp_path / "of_base/base.yaml").write_text(
        f"area: [9, 9]\nduration: 10\nnodes: [{group}]\nmobility: {{model: movement-file, path: a.tcl}}\n"
    )
    (tmp_path / "of_base/e.csv").write_text("time,bytes,topic\n1,100,f1\n2,90,f2\n")
    for folder in ("of_base", "."):
        (tmp_path / folder / "a.tcl").write_text("$node_(0) set X_ 1\n$node_(0) set Y_ 1\n")
    derived = tmp_path / "derived.yaml"
    derived.write_text("base: of_base/base.yaml\n")
    found = Scenario.from_yaml(derived)
    assert found == Scenario.from_yaml(tmp_path / "of_base/base.yaml")
    assert found.mobility == MovementFile(tmp_path / "of_base/a.tcl")
    derived.write_text("base: of_base/base.yaml\nmobility: {path: a.tcl}\n")
    assert Scenario.from_yaml(derived).mobility == MovementFile(tmp_path / "a.tcl")


BASE: dict[str, Any] = {
    "protocols": ["mft-pubsub", "aodv"],
    "publisher": {"rate": 2, "stop": 10, "events": [{"topic": "f1"}, {"topic": "f2"}]},
    "mobility": {"model": "random-walk", "interval": 5},
    "aodv": {"attributes": {"NetDiameter": "20", "HelloInterval": "2s"}},
}


@pytest.mark.parametrize(
    ("says", "means"),
    [
        ({"publisher": {"rate": 3}}, {"publisher": BASE["publisher"] | {"rate": 3}}),
        (
            {"publisher": {"event": {"topic": "f1"}}},
            {"publisher": {"rate": 2, "stop": 10, "event": {"topic": "f1"}}},
        ),
        ({"mobility": {"interval": 7}}, {"mobility": {"model": "random-walk", "interval": 7}}),
        (
            {"mobility": {"model": "random-walk", "interval": 7}},
            {"mobility": {"model": "random-walk", "interval": 7}},
        ),
        ({"mobility": {"model": "random-waypoint"}}, {"mobility": {"model": "random-waypoint"}}),
        (
            {"aodv": {"attributes": {"NetDiameter": "9"}}},
            {"aodv": {"attributes": {"NetDiameter": "9", "HelloInterval": "2s"}}},
        ),
        ({"configurations": {"C3": SMALL["configurations"]["C2"]}}, {}),
    ],
)
def test_a_derived_file_and_replace_change_of_a_part_what_they_name(
    tmp_path: Path, says: dict[str, Any], means: dict[str, Any]
) -> None:
    base = load(tmp_path, SMALL | BASE)
    (tmp_path / "variant.yaml").write_text(yaml.safe_dump({"base": "study.yaml"} | says))
    variant = mftpubsub.load(tmp_path / "variant.yaml")
    assert variant == mftpubsub.Study(**SMALL | BASE | says | means)
    if "configurations" not in says and says.get("mobility") != {"model": "random-waypoint"}:
        protocol = "aodv" if "aodv" in says else "mft-pubsub"  # whose runs depend on it
        choice: dict[str, Any] = {"protocol": protocol, "config": "C2", "speed": 2, "seed": 1}
        assert base.case(**choice).replace(**says) == variant.case(**choice)


def test_an_object_takes_the_place_of_a_part() -> None:
    everything = Group(3, ["broker", "subscriber", "publisher"])
    case = at_rest(nodes=everything).replace(publisher={"rate": 3.0, "payload": 50})
    assert case.replace(publisher=Publisher(rate=4.0)).publisher == Publisher(rate=4.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("area: [60, 60]\nduration: 9\nnodes: []\nduration: 8\n", "'duration' stands twice, first in line 2"),
        ("area: [60, 60]\nradio: {buffer: 9, buffer: 8}\n", "'buffer' stands twice, first in line 2"),
        ("area: [60, 60]\nnodes: []\npublisher: {rate: 1e9}\n", "publisher.rate: input should be less than"),
        (f"area: {'[' * 5000}{']' * 5000}\n", "lists and mappings are nested too deeply"),
    ],
)
def test_yaml_that_would_be_taken_for_something_else_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "case.yaml").write_text(text)
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        Scenario.from_yaml(tmp_path / "case.yaml")
    assert said in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "case.yaml"))


def test_a_text_that_looks_like_a_number_stays_a_text() -> None:
    case = flat().replace(nodes=[Group(1, [Broker(), "subscriber", Publisher(event={"topic": "1e3"})])])
    assert Scenario.from_yaml(case.to_yaml()) == case


def test_what_a_base_asks_is_asked_of_its_own_protocols_only(tmp_path: Path) -> None:
    load(tmp_path, SMALL | {"about": "Which is better?"})
    for says, asked in (("speeds: [7]", "Which is better?"), ("protocols: [mft-mesh]", "")):
        (tmp_path / "variant.yaml").write_text(f"base: study.yaml\n{says}\n")
        assert mftpubsub.load(tmp_path / "variant.yaml").about == asked


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("variant.yaml", "leads back to this file"),
        ("nowhere.yaml", r"nowhere\.yaml: No such file"),
        ("[1]", "must be the name of a scenario file"),
    ],
)
def test_a_base_that_cannot_be_read_is_named(tmp_path: Path, base: str, said: str) -> None:
    (tmp_path / "variant.yaml").write_text(f"base: {base}")
    with pytest.raises(mftpubsub.ConfigurationError, match=said):
        mftpubsub.load(tmp_path / "variant.yaml")


def flat() -> mftpubsub.Scenario:
    """Everything that a group can say."""
    return Scenario(
        area=(60, 60),
        duration=30,
        nodes=[
            Group(8, [Broker(), Subscriber(where="temp > 20")], placement=Grid(columns=4)),
            Group(2, ["subscriber"], placement=[(1, 2), (3, 4)], mobility=Static()),
            Group(
                2,
                Publisher(rate=2.0, event={"temp": Uniform(0, 40), "n": Integer(1, 3), "topic": "f1"}),
                ids=[0, 5],
            ),
            Group(1, [Publisher(event=[{"temp": Choice([10, 30])}, {"temp": 25.5, "hot": True}])]),
        ],
        mobility=RandomWaypoint(speed=2),
    )


def test_a_scenario_needs_an_area_and_nodes_only() -> None:
    case = Scenario(area=(35, 35), nodes=[Group(3, ["broker", "publisher", "subscriber"])], speed=2)
    assert (case.protocol, case.seed, case.duration, case.mobility) == (
        "mft-pubsub",
        1,
        700,
        RandomWaypoint(2),
    )


@pytest.mark.parametrize(("duration", "stop"), [(700, 500), (70, 50), (1000, 800)])
def test_publishers_stop_before_the_end_as_in_the_thesis(duration: float, stop: float) -> None:
    assert Publisher().stops_at(duration) == stop
    assert Publisher(stop=3.0).stops_at(duration) == 3


def test_yaml_and_json_give_the_same_scenario_back() -> None:
    case = flat()
    for again in (Scenario.from_yaml(case.to_yaml()), Scenario.model_validate_json(case.model_dump_json())):
        assert again == case
        assert again.fingerprint() == case.fingerprint()
    assert "payload" not in case.to_yaml()  # only what is not the default


def test_yaml_gives_the_same_study_back() -> None:
    study = mftpubsub.load(CONFIGS / "thesis.yaml")
    assert mftpubsub.Study.from_yaml(study.to_yaml()) == study


def test_ids_that_are_not_given_are_the_free_ones_in_order() -> None:
    assert flat().ids() == [[1, 2, 3, 4, 6, 7, 8, 9], [10, 11], [0, 5], [12]]


def test_numbers_and_arrays_of_numpy_are_python_s_own() -> None:
    points = np.array([[0, 1, 1], [10, 5, 5]])
    placed = [(1.0, 1.0), (5.0, 5.0)]
    given: Any = {"count": np.int64(2), "ids": [*np.arange(2)], "placement": points[:, 1:]}
    assert Group(roles=["broker"], **given) == Group(2, ["broker"], ids=[0, 1], placement=placed)
    given = {"points": points}
    assert Waypoints(**given) == Waypoints(points=[(0, 1, 1), (10, 5, 5)])
    case = flat().replace(seed=np.int64(3), duration=np.float32(30))
    assert case.fingerprint() == flat().replace(seed=3, duration=30).fingerprint()


def test_speed_is_said_once() -> None:
    case = flat()
    assert case.speed == 2
    assert case.replace(speed=4).mobility == RandomWaypoint(4)
    assert case.replace(mobility=RandomWaypoint(3)).speed == 3
    assert case.replace(mobility={"model": "static"}).speed == 0
    with pytest.raises(mftpubsub.ConfigurationError, match="speed is 2 m/s here and 4 m/s in mobility"):
        case.replace(speed=2, mobility=RandomWaypoint(4))


def test_a_grid_lies_in_the_middle_of_the_area() -> None:
    assert Grid().positions(4, (20, 20)) == [(5, 5), (15, 5), (5, 15), (15, 15)]
    assert Grid(columns=3, spacing=2).positions(3, (20, 10)) == [(8, 5), (10, 5), (12, 5)]


def test_help_tells_the_fields_with_their_units() -> None:
    assert "    rate: events per second" in (Publisher.__doc__ or "")
    assert str(signature(Uniform)) == "(low, high)"


def test_drawn_attributes_are_of_their_distribution_and_leave_the_rest_as_it_is() -> None:
    """What a filter lets through tells what was drawn."""

    def matched(event: Any, where: str) -> tuple[int, int]:
        case = flat().replace(
            duration=60,
            mobility=Static(),
            nodes=[Group(1, [Broker(), Subscriber(where), Publisher(rate=20.0, event=event)])],
        )
        metrics = mftpubsub.run(case).metrics
        return metrics["sent_pairs"], metrics["published"]

    whole = "n >= 1 AND n <= 3 AND n <> 1.5"
    assert matched({"n": Integer(1, 3)}, whole)[0] == matched({"n": 2}, whole)[1] > 800
    assert matched({"t": Uniform(0, 40)}, "t >= 0 AND t < 40")[0] == matched({"t": 1}, "t > 5")[1]
    for event, where, share in [
        ({"n": Integer(1, 3)}, "n = 3", 1 / 3),
        ({"t": Uniform(0, 40)}, "t > 30", 1 / 4),
        ({"c": Choice(["red", "green"])}, "c = 'red'", 1 / 2),
    ]:
        wanted, published = matched(event, where)
        assert abs(wanted / published - share) < 4 * (share * (1 - share) / published) ** 0.5


def at_rest(**changes: Any) -> Scenario:
    """Three nodes for 100 s that do everything; events stop at 500/7 s."""
    given: dict[str, Any] = {
        "area": (30, 30),
        "duration": 100,
        "mobility": Static(),
        "nodes": [Group(3, [Broker(), Subscriber("n > 0"), Publisher(event={"n": 1})])],
    }
    return Scenario(**given | changes)


def published(**publisher: Any) -> Scenario:
    return at_rest(nodes=[Group(3, ["broker", "subscriber", Publisher(event={"topic": "f1"}, **publisher)])])


ALL: list[Role] = [Broker(), Publisher(event={"n": 1})]


@pytest.mark.parametrize(
    ("fits", "does_not"),
    [
        (lambda: Uniform(1, 1.5), lambda: Uniform(1, 1)),
        (lambda: Integer(1, 2), lambda: Integer(2, 2)),
        (lambda: Publisher(event={"n": 2**63 - 1}), lambda: Publisher(event={"n": 2**63})),
        (lambda: Publisher(event={"n": -(2**63)}), lambda: Publisher(event={"n": -(2**63) - 1})),
        (lambda: Publisher(event={"n": -1e308}), lambda: Publisher(event={"n": float("-inf")})),
        (lambda: Publisher(event={"temp": 1}), lambda: Publisher(event={"and": 1})),
        (lambda: Publisher(start=1, stop=1.1), lambda: Publisher(start=1, stop=1)),
        (lambda: published(stop=100), lambda: published(stop=100.1)),
        (lambda: published(start=71), lambda: published(start=500 / 7)),
        (lambda: at_rest(faults=[crash(2, at=50)]), lambda: at_rest(faults=[crash(3, at=50)])),
        (lambda: at_rest(faults=[crash(2, at=0.06)]), lambda: at_rest(faults=[crash(2, at=0.05)])),
        (lambda: at_rest(faults=[crash(2, at=99)]), lambda: at_rest(faults=[crash(2, at=100)])),
        (lambda: crash(2, at=5, restart=5.1), lambda: crash(2, at=5, restart=5)),
        (
            lambda: at_rest(faults=[crash(2, at=5, restart=6), crash(2, at=6.1)]),
            lambda: at_rest(faults=[crash(2, at=5, restart=6), crash(2, at=6)]),
        ),
        (
            lambda: at_rest(faults=[partition([0, 1], start=99, stop=200)]),
            lambda: at_rest(faults=[partition([0, 1], start=100, stop=200)]),
        ),
        (
            lambda: at_rest(faults=[partition([0, 1, 1], start=1, stop=2)]),
            lambda: at_rest(faults=[partition([0, 1, 2, 2], start=1, stop=2)]),
        ),
        (
            lambda: at_rest(nodes=[Group(2, ["broker"])]),
            lambda: at_rest(nodes=[Group(2, ["broker", "subscriber"])]),
        ),
        (
            lambda: at_rest(nodes=[Group(1, [Subscriber(["n > 0", "n < 0"]), *ALL])]),
            lambda: at_rest(nodes=[Group(1, [Subscriber(["n > 0", "m > 0"]), *ALL])]),
        ),
    ],
)
def test_beside_the_last_that_fits_is_the_first_that_does_not(
    fits: Callable[[], object], does_not: Callable[[], object]
) -> None:
    fits()
    with pytest.raises(mftpubsub.ConfigurationError):
        does_not()


def test_a_change_of_a_part_keeps_the_rest_of_it_under_either_of_a_field_s_names() -> None:
    case = at_rest(
        nodes=Group(3, [Broker(), Subscriber("n > 0"), "publisher"]),
        publisher=Publisher(rate=3.0, payload=50, event={"n": 1}),
        overlay={"leader_timeout": 5.0},
    )
    changed = case.replace(
        publisher={"events": [{"n": 1}], "payload": 60}, overlay={"heartbeat_interval": 2.0}
    )
    assert (changed.publisher.rate, changed.publisher.payload) == (3, 60)
    assert (changed.overlay.leader_timeout, changed.overlay.heartbeat_interval) == (5, 2)
    assert changed.replace(publisher={"event": {"n": 2}}).publisher.events == [{"n": 2}]
    assert changed.duration == case.duration == 100
