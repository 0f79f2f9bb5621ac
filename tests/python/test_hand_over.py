"""How Python hands a run over to C++: whole, or with an error that names the field, and leaving nothing."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mftpubsub
from mftpubsub import (
    Broker,
    Change,
    Choice,
    Every,
    GaussMarkov,
    Grid,
    Group,
    Integer,
    Line,
    Manhattan,
    Obstacle,
    Poisson,
    Publisher,
    RandomWalk,
    RandomWaypoint,
    ReferencePointGroups,
    Scenario,
    Static,
    Subscriber,
    Uniform,
    Waypoints,
    blackout,
    crash,
    partition,
    policies,
)
from mftpubsub.policies.hooks import Hooks
from mftpubsub.protocols.catalogue import POLICIES, PROTOCOLS, in_setting
from mftpubsub.protocols.naming import row_of
from mftpubsub.runs.simulation import Simulation
from mftpubsub.scenario.common import Common
from mftpubsub.scenario.faults import Blackout, Crash, Partition
from mftpubsub.scenario.part import Model, given_fields
from mftpubsub.simulator.library import core

ROOT = Path(__file__).parents[2]

#: A scenario in which every field matters.
RICH = Scenario(
    area=(60.0, 50.0),
    nodes=[
        Group(
            3,
            ["broker", "subscriber"],
            placement=[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)],
            mobility=Line((9.0, 8.0)),
        ),
        Group(2, ["publisher"]),
        Group(
            2, [Broker(), Subscriber("a > 1"), Publisher(event={"a": Uniform(0.5, 2.5), "b": Integer(1, 6)})]
        ),
        Group(1, [Broker()], mobility=Waypoints([(0.0, 1.0, 2.0), (10.5, 3.0, 4.0)])),
        Group(1, [Broker()], mobility=RandomWalk((1.0, 2.0), interval=3.0)),
    ],
    mobility=RandomWaypoint(pause=(1.0, 2.0)),
    speed=2.0,
    faults=[
        crash(1, at=5.0, restart=9.0),
        blackout(0, 3, start=1.0, stop=2.0),
        partition([2, 4], start=3.0, stop=4.0),
    ],
    publisher=Publisher(
        stop=40.0, event=[{"c": Choice([1, 1.0, True, "x", 'é"\\\n']), "d": "text", "topic": "f1"}]
    ),
    duration=60.0,
)

#: Other values of fields whose type does not tell one.
OTHER: dict[str, Any] = {
    "radio.cca_threshold": -80.0,
    "publisher.event": [{"topic": "f2"}],
    "publisher.arrivals": "poisson",
    "subscriber.where": ["topic = 'f3'"],
    "subscriber.changes": [{"at": 30.0, "where": "topic = 'f1'"}],
    "channel.shadowing": "pair",
    "radio.tx_power": -3,
    "transport.acks": "link",
    "transport.max_frame": 127,
    "aodv.attributes": {"NetDiameter": "20"},
    "olsr.attributes": {"HelloInterval": "3s"},
    "dsdv.attributes": {"EnableBuffering": "false"},
}
PARTS = [
    f"{part}.{name}"
    for part, field in Common.model_fields.items()
    if part != "mobility" and isinstance(value := getattr(RICH, part), Model)
    for name in type(value).model_fields
]


def received(scenario: Scenario) -> Any:
    """What C++ says it was handed."""
    return json.loads(str(core().EchoRunRequest(Simulation(scenario, lambda _: None).request())))


def handed(scenario: Scenario) -> Any:
    return json.loads(Simulation(scenario, lambda _: None).request())


def other(name: str, value: Any) -> Any:
    if name in OTHER:
        return OTHER[name]
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else (value or 1.0) * 1.5


def leaves(value: Any, place: str = "") -> dict[str, Any]:
    """What a JSON value is made of, by place."""
    if not isinstance(value, dict | list):
        return {place: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {key: leaf for name, item in items for key, leaf in leaves(item, f"{place}.{name}").items()}


def check_that_both_change(one: Scenario, other: Scenario, what: str) -> None:
    """What C++ is handed, and the fingerprint."""
    assert repr(received(one)) != repr(received(other)), what  # 1 == 1.0
    assert one.fingerprint() != other.fingerprint(), what


@pytest.mark.parametrize("name", PARTS)
def test_each_parameter_arrives_and_changes_nothing_else(name: str) -> None:
    part, field = name.split(".")
    # Which of ns-3's routing protocols has a say is the protocol's business.
    rich = RICH.replace(protocol=part) if part in ("olsr", "dsdv") else RICH
    value = other(name, getattr(getattr(rich, part), field))
    # Whatever the protocol: a scenario is refused parts that its own takes no notice of.
    given = getattr(rich, part)
    varied = rich.model_copy(update={part: type(given)(**{**given_fields(given), field: value})})
    changed = leaves(received(varied))
    before = leaves(received(rich))
    assert changed != before
    assert varied.fingerprint() != rich.fingerprint()
    if isinstance(value, int | float):
        places = [place for place in before if changed[place] != before[place]]
        assert {changed[place] for place in places} == {value}
        assert len({place.rpartition(".")[2] for place in places}) == 1


CHANGES: dict[str, Any] = {
    "protocol": "flooding",
    "seed": 2,
    "speed": 3.0,
    "duration": 70.0,
    "warm_up": 5.0,
    "area": (61.0, 50.0),
    "nodes": [*RICH.nodes[:-1], Group(1, [Subscriber()], placement=Grid(spacing=3.0))],
    "mobility": RandomWaypoint(2.0, pause=(1.0, 2.0), start="steady-state"),
    "obstacles": [Obstacle([(1.0, 2.0), (3.0, 4.0), (5.0, 4.0)], loss=6.0)],
    "faults": [],
}


@pytest.mark.parametrize("field", CHANGES)
def test_each_field_of_a_scenario_arrives(field: str) -> None:
    check_that_both_change(RICH, RICH.replace(**{field: CHANGES[field]}), field)


def test_no_field_of_a_scenario_is_forgotten_here() -> None:
    parts = {name.split(".")[0] for name in PARTS}
    assert parts | CHANGES.keys() | KINDS.keys() == Scenario.model_fields.keys() - {"config", "observers"}


#: Policies that have parameters, and other values of these.
PARAMETERS: dict[str, tuple[policies.Policy, dict[str, Any]]] = {
    "hysteresis": (policies.Hysteresis(), {"margin": 3.0}),
    "persistence": (policies.Persistence(), {"rounds": 2}),
    "minimum-stay": (policies.MinimumStay(), {"seconds": 6.0}),
    "bounded": (policies.Bounded(3), {"capacity": 2, "which": "newest"}),
    "expiry": (policies.Expiry(3.0), {"max_age": 2.0}),
    "fixed": (policies.FixedRetries(4), {"retries": 2}),
    "by-kind": (policies.RetriesByKind({"PUB": 1}), {"kinds": {"PUB": 2}, "other": 5}),
    "resend": (policies.Resend(), {"times": 2}),
}
#: What is chosen from, by the fields of scenarios.
KINDS: dict[str, Any] = {name: Scenario.model_fields[name].annotation for name in POLICIES}


def asking(field: str) -> Scenario:
    """A scenario whose protocol asks the policy of a field."""
    if field in row_of(RICH.protocol).asks:
        return RICH
    return RICH.replace(protocol=next(name for name in in_setting("radio") if field in PROTOCOLS[name].asks))


@pytest.mark.parametrize("name", PARAMETERS)
def test_each_parameter_of_a_policy_arrives(name: str) -> None:
    policy, changes = PARAMETERS[name]
    assert changes.keys() == {field.name for field in fields(policy)}  # type: ignore[arg-type]
    for kind in [kind for kind, base in KINDS.items() if isinstance(policy, base)]:
        for parameter, value in changes.items():
            varied = replace(policy, **{parameter: value})  # type: ignore[type-var]
            check_that_both_change(RICH.replace(**{kind: policy}), RICH.replace(**{kind: varied}), parameter)


@pytest.mark.parametrize("kind", KINDS)
def test_every_policy_that_ships_is_told_apart(kind: str) -> None:
    shipped = policies.shipped(KINDS[kind])
    made = [PARAMETERS[name][0] if name in PARAMETERS else policy() for name, policy in shipped.items()]
    scenarios = [asking(kind).replace(**{kind: policy}) for policy in made]
    assert len(made) > 1
    assert len({scenario.fingerprint() for scenario in scenarios}) == len(made)
    assert len({repr(received(scenario)) for scenario in scenarios}) == len(made)
    assert {name for name, policy in shipped.items() if fields(policy)} <= PARAMETERS.keys()


PLACES: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    (
        RandomWaypoint,
        {"speed": (1.0, 2.0), "pause": (1.0, 2.0)},
        {"speed": 3.0, "pause": 0.5, "start": "steady-state"},
    ),
    (RandomWalk, {"speed": (1.0, 2.0), "interval": 3.0}, {"speed": 3.0, "interval": 4.0}),
    (
        GaussMarkov,
        {"speed": (1.0, 2.0)},
        {"speed": 3.0, "memory": 0.5, "speed_sigma": 1.0, "direction_sigma": 1.0, "interval": 2.0},
    ),
    (
        ReferencePointGroups,
        {"speed": 4.0, "radius": 9.0},
        {"speed": 3.0, "radius": 8.0, "size": 1, "member_speed": 2.0, "pause": 1.0},
    ),
    (
        Manhattan,
        {"speed": (1.0, 2.0), "block": 9.0},
        {"speed": 3.0, "block": 8.0, "straight": 0.1},
    ),
    (Line, {"to": (1.0, 2.0), "speed": 1.0}, {"to": (1.0, 3.0), "speed": 2.0}),
    (
        Waypoints,
        {"points": [[(0.0, 1.0, 2.0)], [(0.0, 1.0, 2.0)]]},
        {"points": [[(0.0, 1.0, 2.0), (1.0, 2.0, 3.0)], [(0.0, 1.0, 2.0)]]},
    ),
    (Static, {}, {}),
]


@pytest.mark.parametrize(("kind", "fields", "changes"), PLACES)
def test_each_field_of_a_way_to_move_arrives(
    kind: Callable[..., Any], fields: dict[str, Any], changes: dict[str, Any]
) -> None:
    def moving(**own: Any) -> Scenario:
        return Scenario(area=(60, 60), nodes=[Group(2, Broker(), mobility=kind(**own))], mobility=Static())

    assert changes.keys() == kind.model_fields.keys() - {"model"}  # type: ignore[attr-defined]
    for name, value in changes.items():
        check_that_both_change(moving(**fields), moving(**fields | {name: value}), name)
    assert received(moving(**fields))["scenario"]["nodes"][0]["mobility"]["model"] == kind(**fields).model


PLACED: dict[str, Any] = {"roles": ["broker"], "placement": [(1.0, 1.0), (2.0, 2.0)], "ids": [0, 2]}
GROUPS: dict[str, dict[str, Any]] = {
    "count": {"count": 3, "placement": [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)], "ids": [0, 2, 3]},
    "roles": {"roles": []},
    "placement": {"placement": [(1.0, 1.0), (2.0, 3.0)]},
    "mobility": {"mobility": Line((9.0, 9.0), speed=1.0)},
    "height": {"height": 3.0},
    "ids": {"ids": [0, 1]},
}


def test_each_field_of_a_group_arrives() -> None:
    def placed(**changes: Any) -> Scenario:
        group = Group(**{"count": 2} | PLACED | changes)
        return Scenario(area=(60, 60), nodes=[group, Group(2, Broker())], mobility=Static())

    assert GROUPS.keys() == Group.model_fields.keys()
    for name, changes in GROUPS.items():
        check_that_both_change(placed(), placed(**changes), name)


@pytest.mark.parametrize(("one", "other"), [(Grid(2), Grid(3)), (Grid(2), Grid(2, 3.0))])
def test_each_field_of_a_grid_arrives(one: Grid, other: Grid) -> None:
    def placed(grid: Grid) -> Scenario:
        return Scenario(area=(60, 60), nodes=[Group(6, Broker(), placement=grid)], mobility=Static())

    check_that_both_change(placed(one), placed(other), repr(other))


ROLES: dict[type[Model], dict[str, Any]] = {
    Publisher: {
        "rate": 3.0,
        "arrivals": Poisson(),
        "start": 2.0,
        "stop": 30.0,
        "payload": 50,
        "event": [{"a": Uniform(0.5, 2.5), "b": 2}],
    },
    Subscriber: {"where": ["a > 2"], "changes": [Change(30.0, "a > 2")]},
    Broker: {},
}


@pytest.mark.parametrize("kind", ROLES)
def test_each_field_of_a_group_s_role_arrives(kind: Any) -> None:
    """In RICH it is the third group that has roles of its own."""
    own = RICH.nodes[2]
    assert ROLES[kind].keys() == kind.model_fields.keys()
    role = next(each for each in own.roles if isinstance(each, kind))
    others = [each for each in own.roles if each is not role]
    for name, value in ROLES[kind].items():
        varied = own.model_copy(update={"roles": [*others, role.model_copy(update={name: value})]})
        scenario = RICH.replace(nodes=[*RICH.nodes[:2], varied, *RICH.nodes[3:]])
        check_that_both_change(RICH, scenario, name)


@pytest.mark.parametrize(
    ("one", "others"),
    [
        (Uniform(1, 4), [Uniform(2, 4), Uniform(1, 5), Integer(1, 4)]),
        (Integer(1, 4), [Integer(2, 4), Integer(1, 5)]),
        (Choice([1, 2]), [Choice([1, 3]), Choice([1]), Choice([1, 2.0]), Choice([1, "2"])]),
        (1, [1.0, True, "1", 2]),
    ],
)
def test_each_kind_of_value_arrives_as_what_it_is(one: Any, others: list[Any]) -> None:
    def published(value: Any) -> Scenario:
        wanted = {"where": "topic IS NOT NULL"}
        return RICH.replace(publisher={"event": {"topic": value, "d": "text"}}, subscriber=wanted)

    for other in others:
        check_that_both_change(published(one), published(other), repr(other))


@pytest.mark.parametrize(
    ("fault", "changes"),
    [
        (RICH.faults[0], {"crash": 2, "at": 6.0, "restart": None}),
        (RICH.faults[1], {"blackout": (0, 4), "start": 1.5, "stop": 2.5}),
        (RICH.faults[2], {"partition": [2, 3], "start": 3.5, "stop": 4.5}),
    ],
)
def test_each_field_of_a_fault_arrives(fault: Crash | Blackout | Partition, changes: dict[str, Any]) -> None:
    assert changes.keys() == type(fault).model_fields.keys()
    for name, value in changes.items():
        changed = fault.model_copy(update={name: value})
        check_that_both_change(RICH.replace(faults=[fault]), RICH.replace(faults=[changed]), name)


def test_types_of_constants_arrive() -> None:
    attribute = received(RICH)["scenario"]["nodes"][3]["publisher"]["events"][0]["attributes"][0]
    assert [(type(value), value) for value in attribute["choices"]] == [
        (int, 1),
        (float, 1.0),
        (bool, True),
        (str, "x"),
        (str, 'é"\\\n'),
    ]


def test_instants_arrive() -> None:
    request = Simulation(RICH, lambda _: None).request([0.0, 0.1, 7.5])
    assert json.loads(str(core().EchoRunRequest(request)))["instants"] == [0.0, 0.1, 7.5]


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_whatever_the_values_are_they_arrive_unchanged(data: st.DataObject) -> None:
    """Every number with a point and every text of a request, replaced."""
    floats = st.floats(allow_nan=False, allow_infinity=False)

    def replaced(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: replaced(item) for key, item in value.items()}
        if isinstance(value, list):
            return [replaced(item) for item in value]
        if isinstance(value, float):
            return data.draw(floats)
        return data.draw(st.text(max_size=5)) if isinstance(value, str) else value

    request = replaced(handed(RICH))
    echo = core().EchoRunRequest(json.dumps(request, ensure_ascii=False))
    assert json.loads(str(echo)) == request


def _missing(request: Any) -> None:
    del request["scenario"]["nodes"][1]["mobility"]["maxSpeed"]


def _unknown(request: Any) -> None:
    request["scenario"]["nodes"][1]["colour"] = "red"


def _too_large(request: Any) -> None:
    request["scenario"]["window"] = 256


def _of_other_type(request: Any) -> None:
    request["scenario"]["cellMetres"] = "5"


def _fraction(request: Any) -> None:
    request["scenario"]["seed"] = 1.5


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_missing, r"request.scenario.nodes\[1\].mobility.maxSpeed: missing"),
        (_unknown, r"request.scenario.nodes\[1\].colour: must be a field that is known here"),
        (_too_large, r"request.scenario.window: must be a whole number in the member's range, not '256'"),
        (_of_other_type, r"request.scenario.cellMetres: must be a number"),
        (_fraction, r"request.scenario.seed: must be a whole number in the member's range, not '1.5'"),
    ],
)
def test_a_mismatch_names_the_field(spoil: Callable[[Any], None], told: str) -> None:
    request = handed(RICH)
    spoil(request)
    with pytest.raises(Exception, match=told):
        core().EchoRunRequest(json.dumps(request, ensure_ascii=False))


@pytest.mark.slow
def test_the_first_run_compiles_no_more_than_it_needs() -> None:
    """Of C++ headers one, and no pandas: what a start takes is measured by benchmarks/start.py."""
    program = """
import sys, mftpubsub
from mftpubsub.simulator.library import core
case = mftpubsub.load("configs/thesis.yaml").case(protocol="mft-pubsub", config="C2", speed=2, seed=1)
mftpubsub.run(case.replace(duration=10.0, publisher=mftpubsub.Publisher()))
import mftpubsub.cli
assert core.cache_info().currsize == 1
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


class Same(policies.ParentPolicy):
    """Decides as the default does."""


def resident_mib() -> float:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _make_a_laboratory() -> None:
    lab = mftpubsub.Lab("mft-pubsub", [("b1", "b2"), ("b1", "b3")], root="b1", parent_policy=Same())
    lab.subscribe("s", "b2", where="topic = 'f1'")
    lab.settle()


def _run() -> None:
    scenario = Scenario(
        area=(30, 30), nodes=[Group(3, Broker())], mobility=Static(), duration=5, parent_policy=Same()
    )
    mftpubsub.run(scenario, observers=[Every(1.0, lambda _: None)])


@pytest.mark.slow
@pytest.mark.parametrize(("make", "times"), [(_make_a_laboratory, 200), (_run, 100)])
def test_many_in_one_process_leave_nothing_behind(make: Callable[[], None], times: int) -> None:
    for _ in range(5):
        make()
    before = resident_mib()
    for _ in range(times):
        make()
    assert resident_mib() - before < 10


class _AlarmError(Exception):
    pass


def test_what_a_signal_raises_within_a_run_ends_it() -> None:
    """As Ctrl-C does, and a time-out: the handler runs when the run next calls Python."""

    def ring(*_: Any) -> None:
        raise _AlarmError

    case = mftpubsub.load(ROOT / "configs" / "thesis.yaml").case(
        protocol="mft-pubsub", config="C32", speed=8, seed=1
    )
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(_AlarmError):
            mftpubsub.run(case)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_hook_that_raises_before_it_asks_ends_what_it_was_called_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As when a signal comes just then; to C++ it has answered 0, or anything from Python 3.12 on."""

    def ask(*_: Any) -> None:
        raise _AlarmError

    monkeypatch.setattr(Hooks, "_ask", ask)
    with pytest.raises(_AlarmError):
        mftpubsub.run(RICH.replace(parent_policy=Same(), faults=[]))
    lab = mftpubsub.Lab("mft-pubsub", [("b1", "b2"), ("b1", "b3")], root="b1", parent_policy=Same())
    with pytest.raises(_AlarmError):
        lab.hear("b3", {"b2": -50.0})
