"""Policies: the built-in decisions, and those written in Python, in runs, sweeps and the laboratory."""

from __future__ import annotations

import bisect
import collections
import dataclasses
import gzip
import importlib
import json
import linecache
import pickle
import random
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import cppyy
import numpy
import pandas
import pytest

import mftpubsub
from mftpubsub import ConfigurationError, RunError, policies
from mftpubsub.policies import Candidate, LackingNeighbour, Me, QueuedEvent
from mftpubsub.policies.hooks import Hooks
from mftpubsub.protocols.catalogue import POLICIES, PROTOCOLS
from mftpubsub.scenario import common as scenarios
from mftpubsub.simulator import decisions
from mftpubsub.simulator.library import core

ROOT = Path(__file__).parents[2]


class Defaults(policies.ParentPolicy):
    """Does nothing but call the default."""

    def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate | None:
        return self.default(me, current, candidates)


class Misspelt(policies.ParentPolicy):
    def chose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate | None:
        return None


class TwoThings(policies.ParentPolicy, policies.MigrationPolicy):  # type: ignore[misc]
    pass


class ForAll(policies.ParentPolicy, policies.ClientPolicy):
    pass


class DefaultClient(policies.ClientPolicy):
    pass


class DefaultMigration(policies.MigrationPolicy):
    pass


class DefaultLeader(policies.LeaderPolicy):
    pass


class DefaultQueue(policies.QueuePolicy):
    pass


class DefaultRetry(policies.RetryPolicy):
    pass


class DefaultFailure(policies.FailurePolicy):
    pass


class StayIfGood(policies.ParentPolicy):
    """Keeps a parent whose signal is good; counts its decisions."""

    def __init__(self, least_dbm: float = -85.0) -> None:
        self.least_dbm = least_dbm
        self.calls = 0

    def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate | None:
        self.calls += 1
        if current is not None and current.rssi_dbm > self.least_dbm:
            return current
        return self.default(me, current, [c for c in candidates if c.rssi_dbm > self.least_dbm])


class Breaks(policies.ParentPolicy):
    def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Any:
        if me.time_s > 5:
            return {}["nothing"]  # type: ignore[index]
        return None


class Answers:
    """A policy of some kind that answers nonsense."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer


class ChoosesNonsense(Answers, policies.ParentPolicy):
    def choose(self, *question: Any) -> Any:
        return self.answer


class AdvertisesNonsense(Answers, policies.ParentPolicy):
    def advertise(self, me: Me) -> Any:
        return self.answer


class MigratesNonsense(Answers, policies.MigrationPolicy):
    def migrate(self, *question: Any) -> Any:
        return self.answer


class LeadsNonsense(Answers, policies.LeaderPolicy):
    def priority(self, me: Me) -> Any:
        return self.answer


class DropsNonsense(Answers, policies.QueuePolicy):
    def drop(self, *question: Any) -> Any:
        return self.answer


class RetriesNonsense(Answers, policies.RetryPolicy):
    def retry(self, *question: Any) -> Any:
        return self.answer


class FailsNonsense(Answers, policies.FailurePolicy):
    def on_failure(self, *question: Any) -> Any:
        return self.answer


@pytest.fixture(scope="module")
def scenario() -> mftpubsub.Scenario:
    study = mftpubsub.load(ROOT / "configs/quick.yaml")
    case = study.case(protocol="mft-pubsub", config="C8", speed=8, seed=1)
    return case.replace(duration=60.0, publisher=mftpubsub.Publisher(stop=50.0))


def trace(scenario: mftpubsub.Scenario) -> bytes:
    return gzip.decompress(mftpubsub.run(scenario).trace.read_bytes())


@pytest.fixture(scope="module")
def plain(scenario: mftpubsub.Scenario) -> bytes:
    return trace(scenario)


@pytest.mark.slow
def test_python_defaults_give_the_trace_of_the_cpp_defaults(
    scenario: mftpubsub.Scenario, plain: bytes
) -> None:
    written = scenario.replace(
        parent_policy=Defaults(),
        client_policy=DefaultClient(),
        migration_policy=DefaultMigration(),
        leader_policy=DefaultLeader(),
        queue_policy=DefaultQueue(),
        retry_policy=DefaultRetry(),
        failure_policy=DefaultFailure(),
    )
    assert trace(written) == plain


SHIPPED = [
    ("parent_policy", policies.StrongestLink()),
    ("parent_policy", policies.Hysteresis(margin=3)),
    ("parent_policy", policies.SlowNodeBackbone()),
    ("parent_policy", policies.BalancedFanOut()),
    ("client_policy", policies.StrongestLink()),
    ("client_policy", policies.EmmaController()),
    ("migration_policy", policies.Persistence(rounds=2)),
    ("migration_policy", policies.MinimumStay(seconds=10)),
    ("leader_policy", policies.LowestId()),
    ("queue_policy", policies.Bounded(capacity=1)),
    ("queue_policy", policies.Expiry(max_age=1)),
    ("retry_policy", policies.FixedRetries(0)),
    ("retry_policy", policies.RetriesByKind({"PUB": 0}, other=6)),
    ("failure_policy", policies.KeepLink()),
    ("failure_policy", policies.Resend()),
]


@pytest.mark.slow
@pytest.mark.parametrize(("field", "policy"), SHIPPED, ids=lambda value: str(value))
def test_every_policy_decides_otherwise_and_the_same_each_time(
    scenario: mftpubsub.Scenario, plain: bytes, field: str, policy: policies.Policy
) -> None:
    changed = scenario.replace(**{field: policy})
    assert changed.fingerprint() != scenario.fingerprint()
    first = trace(changed)
    assert first != plain
    assert trace(changed) == first


@pytest.mark.slow
def test_a_shipped_policy_asked_from_python_decides_as_in_cpp(scenario: mftpubsub.Scenario) -> None:
    class Wrapped(policies.ParentPolicy):
        inner = policies.BalancedFanOut()

        def choose(self, *question: Any) -> Any:
            return self.inner.choose(*question)

        def advertise(self, me: Me) -> int | None:
            return self.inner.advertise(me)

    assert trace(scenario.replace(parent_policy=Wrapped())) == trace(
        scenario.replace(parent_policy=policies.BalancedFanOut())
    )


def test_a_run_leaves_its_policy_untouched(scenario: mftpubsub.Scenario) -> None:
    policy = StayIfGood()
    changed = scenario.replace(parent_policy=policy)
    assert trace(changed) == trace(changed)
    assert policy.calls == 0


def test_a_policy_is_not_asked_to_choose_among_nobody() -> None:
    """As when a parent is heard that has gone below."""

    class Loudest(policies.ParentPolicy):
        def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate:
            return max(candidates, key=lambda candidate: candidate.rssi_dbm)

    raised: list[BaseException] = []
    hooks = Hooks(raised.append)
    hooks.add("parent", Loudest())
    me = core("policies/policies.h").NodeView()
    assert hooks.functions["parent"](cppyy.addressof(me), None, None, 0) == decisions.NONE + 2
    assert raised == []


def test_a_raise_ends_the_run_with_its_traceback(scenario: mftpubsub.Scenario) -> None:
    with pytest.raises(
        RunError, match=r"^Breaks.choose at node \d+, 5\.\d+ s: KeyError: 'nothing'$"
    ) as caught:
        mftpubsub.run(scenario.replace(parent_policy=Breaks()))
    cause = caught.value.__cause__
    assert isinstance(cause, KeyError)
    assert traceback.extract_tb(cause.__traceback__)[-1].line == 'return {}["nothing"]  # type: ignore[index]'


@pytest.mark.parametrize(
    ("field", "policy", "message"),
    [
        ("parent_policy", ChoosesNonsense(9999), "answered 9999, which is neither one of the brokers"),
        ("parent_policy", ChoosesNonsense("b"), "answered 'b', which is neither one of the brokers"),
        ("parent_policy", ChoosesNonsense(True), "answered True, which is neither one of the brokers"),
        ("parent_policy", AdvertisesNonsense(256), "answered 256, which is no whole number from 0 to 255"),
        ("migration_policy", MigratesNonsense(None), "answered None, which is neither True nor False"),
        ("migration_policy", MigratesNonsense(1), "answered 1, which is neither True nor False"),
        ("leader_policy", LeadsNonsense(-1), "answered -1, which is no whole number from 0 to 4294967294"),
        ("queue_policy", DropsNonsense(3), "answered 3, which is no collection"),
        ("queue_policy", DropsNonsense([3]), "answered 3 among others, which is none of the events"),
        ("retry_policy", RetriesNonsense("yes"), "answered 'yes', which is neither True nor False"),
        ("failure_policy", FailsNonsense("panic"), "answered 'panic', which is none of drop-link, keep-link"),
    ],
)
def test_nonsense_is_told_in_one_line(
    scenario: mftpubsub.Scenario, field: str, policy: policies.Policy, message: str
) -> None:
    with pytest.raises(RunError) as caught:
        mftpubsub.run(scenario.replace(**{field: policy}))
    text = str(caught.value)
    assert message in text
    assert "\n" not in text
    assert f"{type(policy).__name__}." in text
    assert " at node " in text
    assert " s: " in text


ME = {
    "id": 11,
    "time_s": 12.5,
    "roles": ("broker", "publisher"),
    "leader": 13,
    "round": 14,
    "parent": 15,
    "hops": 16,
    "attached_s": 17.5,
    "children": 18,
    "speed_mps": 19.5,
    "queued": 20,
}
HEARD = {
    "id": 21,
    "rssi_dbm": -22.5,
    "hops": 23,
    "parent": 24,
    "advertised": 25,
    "arrival": 26,
    "age_s": 27.5,
}
HELD = {"publisher": 31, "sequence": 32, "age_s": 33.5, "payload_bytes": 34}
LACKS = {"id": 41, "events": 42, "age_s": 43.5, "hops": 44.5}
#: What C++ calls the fields, and what it is given for those above.
CPP: list[tuple[str, dict[str, Any], Any, dict[str, Any]]] = [
    (
        "NodeView",
        ME,
        Me,
        {
            "id": 11,
            "timeNanoseconds": 12_500_000_000,
            "roles": 5,
            "leader": 13,
            "round": 14,
            "parent": 15,
            "hops": 16,
            "attachedSeconds": 17.5,
            "children": 18,
            "speedMetresPerSecond": 19.5,
            "queuedEvents": 20,
        },
    ),
    (
        "Candidate",
        HEARD,
        Candidate,
        {
            "id": 21,
            "rssiDbm": -22.5,
            "hops": 23,
            "parent": 24,
            "advertised": 25,
            "arrival": 26,
            "ageSeconds": 27.5,
        },
    ),
    (
        "QueuedEvent",
        HELD,
        QueuedEvent,
        {"publisher": 31, "sequence": 32, "ageSeconds": 33.5, "payloadBytes": 34},
    ),
    (
        "LackingNeighbour",
        LACKS,
        LackingNeighbour,
        {"id": 41, "events": 42, "ageSeconds": 43.5, "hops": 44.5},
    ),
]


@pytest.mark.parametrize(("name", "values", "view", "cpp_values"), CPP, ids=lambda x: str(x)[:9])
def test_what_policies_are_shown_is_what_cpp_has_both_ways(
    name: str, values: dict[str, Any], view: Any, cpp_values: dict[str, Any]
) -> None:
    """Every value another one, so that no two fields can be confused."""
    struct = getattr(core("policies/policies.h"), name)()
    for field, value in cpp_values.items():
        setattr(struct, field, value)
    assert dataclasses.asdict(decisions.from_cpp(view, struct)) == values
    assert values.keys() == {field.name for field in dataclasses.fields(view)}
    back = decisions.to_cpp(view(**values))
    assert {field: getattr(back, field) for field in cpp_values} == cpp_values


def test_nobody_is_none_both_ways() -> None:
    alone, unheard = Me(1), Candidate(2)
    assert decisions.from_cpp(Me, decisions.to_cpp(alone)) == alone
    assert decisions.from_cpp(Candidate, decisions.to_cpp(unheard)) == unheard


SEEN: list[Any] = []


class Looks(policies.ParentPolicy):
    """Keeps what it is shown beside what the simulator knows."""

    def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate | None:
        SEEN.append((me, current, candidates))
        return self.default(me, current, candidates)


@pytest.mark.slow
def test_what_policies_are_shown_is_how_the_network_is(scenario: mftpubsub.Scenario) -> None:
    """Told by snapshots, which come another way, half-way between two rounds of heartbeats."""
    SEEN.clear()
    snapshots: list[mftpubsub.Snapshot] = []
    every = mftpubsub.Every(0.01, snapshots.append)
    mftpubsub.run(scenario.replace(parent_policy=Looks()), observers=[every])
    times = [snapshot.time_s for snapshot in snapshots]
    compared = 0
    since: dict[int, tuple[int | None, float]] = {}
    for me, current, candidates in SEEN:
        before = snapshots[bisect.bisect_left(times, me.time_s) - 1].nodes[me.id]
        after = snapshots[bisect.bisect_left(times, me.time_s)].nodes[me.id]
        if before == dataclasses.replace(after, x=before.x, y=before.y):
            compared += 1
            assert (me.parent, me.leader, me.roles) == (before.parent, before.leader, before.roles)
            assert me.queued == before.queued
        assert me.speed_mps == pytest.approx(8)
        if since.get(me.id, (None, 0.0))[0] == me.parent and me.parent is not None:
            assert me.attached_s >= me.time_s - since[me.id][1] - 1e-6
        else:
            since[me.id] = (me.parent, me.time_s)
        assert all(each.age_s >= 0 and each.parent != me.id for each in candidates)
        assert [each.arrival for each in candidates] == sorted(each.arrival for each in candidates)
        assert current is None or current.id == me.parent
    assert compared > 100
    hops = {(each.hops, each.parent is None) for _, _, candidates in SEEN for each in candidates}
    assert {is_root for count, is_root in hops if count == 0} == {True}
    assert {is_root for count, is_root in hops if count > 0} == {False}
    assert any(me.children for me, _, _ in SEEN)
    assert {me.hops > 0 for me, _, _ in SEEN if me.parent is not None} == {True}


def test_what_is_held_is_shown_with_its_age_and_size(scenario: mftpubsub.Scenario) -> None:
    SEEN.clear()

    class Watches(policies.QueuePolicy):
        def drop(self, me: Me, subscriber: int, held: list[QueuedEvent]) -> list[QueuedEvent]:
            SEEN.extend((me.time_s, event) for event in held)
            return []

    publisher = mftpubsub.Publisher(stop=50.0, payload=77)
    result = mftpubsub.run(scenario.replace(queue_policy=Watches(), publisher=publisher))
    published = result.to_pandas("events").set_index(["publisher", "sequence"])["published_s"]
    assert {event.payload_bytes for _, event in SEEN} == {77}
    for time_s, event in SEEN:
        assert published[(event.publisher, event.sequence)] <= time_s - event.age_s + 1e-9
    assert any(event.age_s > 1 for _, event in SEEN)


class Remembers(policies.Persistence):
    """Its state is C++'s, behind `super`."""

    def migrate(self, me: Me, current: Candidate, proposed: Candidate) -> bool:
        return super().migrate(me, current, proposed)


def test_what_a_policy_remembers_ends_with_its_run(scenario: mftpubsub.Scenario) -> None:
    remembering = scenario.replace(migration_policy=Remembers(rounds=3))
    first = trace(remembering)
    trace(remembering.replace(seed=2))
    assert trace(remembering) == first == trace(scenario.replace(migration_policy=policies.Persistence(3)))
    here, there = Candidate(2), Candidate(3)
    policy = policies.Persistence(rounds=3)
    assert [policy.migrate(Me(1, round=r), here, there) for r in (1, 2)] == [False, False]
    Hooks(lambda error: None)  # as a run begins
    assert [policy.migrate(Me(1, round=r), here, there) for r in (3, 4, 5)] == [False, False, True]


def asked(protocol: str) -> set[str]:
    """Which policies a busy run of a protocol asks: each notes its name."""

    def noting(name: str, base: Any) -> Any:
        def note(method: Any) -> Any:
            def ask(self: Any, *question: Any) -> Any:
                SEEN.append(name)
                return method(self, *question)

            return ask

        methods = {name: note(getattr(base, name)) for name in base.kind.methods}
        return type(f"Noting{base.__name__}", (base,), methods)()

    SEEN.clear()
    still = mftpubsub.Static() if PROTOCOLS[protocol].fixed_brokers else None
    case = mftpubsub.Scenario(
        area=(100, 100),
        duration=40,
        speed=10,
        protocol=protocol,
        nodes=[
            mftpubsub.Group(12, ["broker"], mobility=still),
            mftpubsub.Group(6, ["subscriber", "publisher"]),
        ],
    )
    noted = {name: noting(name, BASES[name]) for name in POLICIES}
    mftpubsub.run(case.model_copy(update=noted))
    return set(SEEN)


BASES: dict[str, Any] = {
    "parent_policy": policies.ParentPolicy,
    "client_policy": policies.ClientPolicy,
    "leader_policy": policies.LeaderPolicy,
    "migration_policy": policies.MigrationPolicy,
    "queue_policy": policies.QueuePolicy,
    "retry_policy": policies.RetryPolicy,
    "failure_policy": policies.FailurePolicy,
    "repair_policy": policies.RepairPolicy,
}


@pytest.mark.slow
@pytest.mark.parametrize("protocol", scenarios.known_protocols())
def test_a_policy_is_refused_where_it_is_never_asked_and_only_there(protocol: str) -> None:
    assert asked(protocol) == set(scenarios.asked_policies(protocol))


def test_shipped_decisions() -> None:
    me = Me(1)
    near, far = Candidate(2, rssi_dbm=-60, arrival=1), Candidate(3, rssi_dbm=-90, arrival=0)
    assert policies.FirstHeard().choose(me, None, [near, far]) is far
    assert policies.FirstHeard().choose(me, None, [near]) is near
    assert policies.FirstHeard().choose(me, far, []) is far
    assert policies.StrongestLink().choose(me, far, [near]) is near
    assert policies.Hysteresis(margin=40).choose(me, far, [near]) is far
    assert policies.EmmaController().choose(me, far, [near]) is near
    assert policies.EmmaController().choose(me, near, [Candidate(3, rssi_dbm=-50)]) is near
    slow, fast = Candidate(4, advertised=5), Candidate(5, advertised=80)
    assert policies.SlowNodeBackbone().choose(me, fast, [fast, slow]) is slow
    assert policies.SlowNodeBackbone().advertise(Me(1, speed_mps=2.0)) == 20
    assert policies.SlowNodeBackbone().advertise(Me(1, speed_mps=99.0)) == 255
    full, mine = Candidate(6, advertised=3), Candidate(7, advertised=4)
    assert policies.BalancedFanOut().choose(me, mine, [full]) is mine  # with us gone it has 3, too
    assert policies.BalancedFanOut().choose(me, None, [mine, full]) is full
    assert policies.BalancedFanOut().advertise(Me(1, children=300)) == 255
    persistent = policies.Persistence(rounds=3)
    rounds = [7, 7, 8, 9, 11]
    assert [persistent.migrate(Me(1, round=r), near, far) for r in rounds] == [
        False,
        False,
        False,
        True,
        False,
    ]
    assert not policies.MinimumStay(5).migrate(Me(1, attached_s=4.9), near, far)
    assert policies.MinimumStay(5).migrate(Me(1, attached_s=5), near, far)
    assert policies.LongestLived().priority(Me(1, time_s=2.5)) == 2500
    assert policies.LowestId().priority(Me(9)) == 9
    assert policies.Slowest().priority(Me(9, speed_mps=1.5)) == 1500
    events = [QueuedEvent(1, n, age_s=10.0 - n) for n in range(4)]
    assert policies.Bounded(3).drop(me, 5, events) == events[:1]
    assert policies.Bounded(3, "newest").drop(me, 5, events) == events[3:]
    assert policies.Expiry(8.5).drop(me, 5, events) == events[:2]
    assert [policies.RetriesByKind({"PUB": 1}).retry(me, 2, "PUB", n) for n in (1, 2)] == [True, False]
    assert policies.RetriesByKind({"PUB": 1}).retry(me, 2, "BMIG", 3)
    assert [policies.Resend(2).on_failure(me, 2, "PUB", n) for n in (2, 3)] == ["resend", "drop-link"]
    assert policies.KeepLink().on_failure(me, 2, "PUB", 1) == "keep-link"
    waits, lacks = LackingNeighbour(2, events=9, age_s=8.0, hops=0.4), LackingNeighbour(3, events=1, hops=0.3)
    leaves = LackingNeighbour(4, events=5, age_s=1.0, hops=1.1)
    assert policies.LongestWaiting().first(me, [waits, leaves, lacks]) is waits  # they come in this order
    assert policies.FewestLacking().first(me, [waits, lacks, leaves]) is lacks
    assert policies.Farthest().first(me, [waits, lacks, leaves]) is leaves


def test_policies_have_names_in_files(scenario: mftpubsub.Scenario) -> None:
    for field, policy in SHIPPED:
        written = scenario.replace(**{field: policy})
        again = mftpubsub.Scenario.from_yaml(written.to_yaml())
        assert getattr(again, field) == policy
    own = scenario.replace(parent_policy="test_policies:StayIfGood")
    assert isinstance(own.parent_policy, StayIfGood)
    named = scenario.replace(parent_policy={"test_policies:StayIfGood": {"least_dbm": -70.0}})
    assert isinstance(named.parent_policy, StayIfGood)
    assert named.parent_policy.least_dbm == -70.0


def test_a_policy_that_no_file_can_name_is_refused(scenario: mftpubsub.Scenario) -> None:
    class Local(policies.ParentPolicy):
        pass

    with pytest.raises(ConfigurationError, match=r"parent policy .*Local: a file cannot name it"):
        scenario.replace(parent_policy=Local()).to_yaml()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("strongest-lnk", "no parent policy 'strongest-lnk'; did you mean 'strongest-link'?"),
        ({"hysteresis": {"margn": 6}}, "it takes margin"),
        ({"hysteresis": {"margin": -1}}, "margin is a number of at least 0 dB (given: -1)"),
        ("nowhere:Nothing", "cannot load nowhere:Nothing"),
        ("test_policies:DefaultClient", "is no ParentPolicy"),
        ("test_policies:Misspelt", "Misspelt has no method choose but chose; did you mean choose?"),
        ("test_policies:TwoThings", "TwoThings is a parent policy and a migration policy: write a class for"),
        (TwoThings(), "TwoThings is a parent policy and a migration policy: write a class for each"),
        (7, "no parent policy: 7; give a ParentPolicy or one of balanced-fan-out"),
    ],
)
def test_wrong_policies_are_refused(scenario: mftpubsub.Scenario, value: Any, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        scenario.replace(parent_policy=value)
    assert message in str(caught.value)
    assert str(caught.value).startswith("scenario: parent_policy: ")


def test_one_class_may_choose_for_brokers_and_for_clients(scenario: mftpubsub.Scenario) -> None:
    both = scenario.replace(parent_policy=ForAll(), client_policy=ForAll())
    assert both.parent_policy == both.client_policy == ForAll()


def test_a_class_decides_as_the_one_that_it_derives_from() -> None:
    class Mine(policies.StrongestLink):
        def choose(self, *question: Any) -> Any:
            return None

    class Derived(Mine):
        pass

    near, far = Candidate(1, rssi_dbm=-50), Candidate(2, rssi_dbm=-90)
    assert policies.StrongestLink().choose(Me(7), far, [near]) is near
    assert Derived().choose(Me(7), far, [near]) is None


def test_retries_are_counts_for_every_kind() -> None:
    assert policies.RetriesByKind({"PUB": 0}, other=0).retry(Me(1), 2, "BMIG", 1) is False
    wrongs: list[dict[str, Any]] = [{"kinds": {"PUB": -1}}, {"other": -1}, {"kinds": {"PUBB": 1}}]
    for wrong in wrongs:
        with pytest.raises(ConfigurationError, match="by-kind: "):
            policies.RetriesByKind(**wrong)


def test_the_fingerprint_knows_parameters(scenario: mftpubsub.Scenario) -> None:
    prints = {
        scenario.replace(parent_policy=policy).fingerprint()
        for policy in (Defaults(), StayIfGood(), StayIfGood(-80.0), StayIfGood(-80.0))
    }
    assert len(prints) == 3


def test_the_fingerprint_knows_the_source_of_a_policy_of_its_bases_and_of_what_it_names_beside_it(
    scenario: mftpubsub.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
from mftpubsub import policies

LIMIT = {limit}
OTHER = {other}

def is_good(candidate):
    return candidate.rssi_dbm > LIMIT + {added}

class Base(policies.ParentPolicy):
    def choose(self, me, current, candidates):
        return {base}

class Own(Base):
    least = {least}
"""
    words = {
        "limit": -85,
        "other": 1,
        "added": 0,
        "base": "None if is_good(current) else current",
        "least": 1,
    }

    def fingerprint(**others: object) -> str:
        (tmp_path / "changing.py").write_text(source.format(**words | others))
        caches: list[dict[str, Any]] = [linecache.cache, sys.modules]
        for cache in caches:
            for name in [name for name in cache if "changing" in name]:
                del cache[name]
        importlib.invalidate_caches()
        return scenario.replace(parent_policy="changing:Own").fingerprint()

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    first = fingerprint()
    assert fingerprint() == fingerprint(other=2) == first
    changed = [fingerprint(**{name: value}) for name, value in (("limit", -80), ("added", 1), ("least", 2))]
    assert first not in [*changed, fingerprint(base="current")]


class Holds(policies.ParentPolicy):
    def __init__(self, held: Any) -> None:
        self.held = held


SAME_EVERYWHERE = """
import random, numpy, mftpubsub
from mftpubsub import policies
from test_policies import Holds

case = mftpubsub.Scenario(area=(9, 9), nodes=[mftpubsub.Group(2, ["broker"])], mobility="static")
for held in (
    random.Random(1),
    {1: [random.Random(1)]},
    numpy.random.default_rng(1),
    {"a", "b", "c", "d", "e"},
    policies.Hysteresis(margin=6.0),
):
    print(case.replace(parent_policy=Holds(held)).fingerprint())
"""


@pytest.mark.slow
def test_the_fingerprint_of_generators_and_containers_is_the_same_in_every_process() -> None:
    environment = {"PYTHONPATH": str(Path(__file__).parent), "PATH": "/usr/bin"}
    told = [
        subprocess.run(
            [sys.executable, "-c", SAME_EVERYWHERE],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert told[0] == told[1]
    assert len(set(told[0].split())) == 5


def test_the_fingerprint_knows_the_seed_of_a_generator(scenario: mftpubsub.Scenario) -> None:
    held = [random.Random(1), random.Random(2), numpy.random.default_rng(1), numpy.random.default_rng(2)]
    assert len({scenario.replace(parent_policy=Holds(each)).fingerprint() for each in held}) == 4


@dataclasses.dataclass
class Table:
    weights: Any


def test_the_fingerprint_knows_each_element_of_an_array(scenario: mftpubsub.Scenario) -> None:
    many, other = numpy.zeros(1200), numpy.zeros(1200)
    other[600] = 1
    held: list[Any] = [
        many,
        other,
        many.reshape(2, 600),
        many.astype(int),
        numpy.array([1 / 3]),
        numpy.array([1 / 3 + 1e-12]),
    ]
    for each in (many, other):
        held += [Table(each), pandas.Series(each), collections.deque([each])]
    held += [Table(numpy.array([1 / 3])), Table(numpy.array([1 / 3 + 1e-12]))]
    held += [pandas.Series([1, 2], name="a"), pandas.Series([1, 2], name="b"), pandas.Index([1, 2], name="a")]
    held += [pandas.Categorical(["a", "b"], categories=order) for order in (["a", "b"], ["b", "a"])]
    held += [pandas.DataFrame({"a": [each], "b": [0.5]}) for each in (1, 1.0, 2**53, 2**53 + 1)]
    held += [numpy.array([1, "a"], dtype=object), numpy.array([1, "b"], dtype=object)]
    assert len({scenario.replace(parent_policy=Holds(each)).fingerprint() for each in held}) == len(held)
    assert Holds(many) == Holds(many.copy()) != Holds(other)
    assert Holds(Table(many)) != Holds(Table(other))


def test_a_policy_that_holds_a_generator_is_not_made_from_its_description() -> None:
    described = Holds(random.Random(1)).identity()
    with pytest.raises(
        ValueError, match=r"^held: <Random in state \w+> cannot be made from its description$"
    ):
        policies.parse(policies.ParentPolicy, described)


@pytest.mark.parametrize(
    "held",
    [object(), [object()], {1: object()}, lambda: 1, random.SystemRandom(), numpy.random.RandomState(1)],
)
def test_an_attribute_that_shows_only_its_address_is_refused(
    scenario: mftpubsub.Scenario, held: object
) -> None:
    said = r"^scenario: parent_policy: Holds\.held is .* at 0x.*; give its class a __repr__ .*"
    with pytest.raises(ConfigurationError, match=said):
        scenario.replace(parent_policy=Holds(held))


@pytest.mark.slow
def test_policies_reach_sweep_workers(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        SCRIPT.format(config=ROOT / "configs/quick.yaml", out=tmp_path / "out")
    )
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "out/runs/protocol=mft-pubsub/config=C2/speed=2/seed=1/run.json").exists()
    assert "Own.choose at node" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    described = json.loads(
        (tmp_path / "out/runs/protocol=mft-pubsub/config=C2/speed=2/seed=1/run.json").read_text()
    )
    assert described["scenario"]["parent_policy"]["class"] == "__main__:Own"


SCRIPT = """
import mftpubsub
from mftpubsub import policies
from mftpubsub.sweeps.sweep import run_study
from pathlib import Path


class Own(policies.ParentPolicy):
    def choose(self, me, current, candidates):
        return candidates[0] if len(candidates) < 2 else 1 // 0


if __name__ == "__main__":
    study = mftpubsub.load("{config}")
    changes = dict(
        parent_policy=Own(),
        protocols=["mft-pubsub"],
        speeds=[2.0],
        seeds=[1],
        configurations={{name: study.configurations[name] for name in ("C2", "C8")}},
        duration=30.0,
        publisher=mftpubsub.Publisher(stop=20.0),
    )
    study = study.model_copy(update=changes)
    raise SystemExit(run_study(study, Path("{out}")))
"""


def test_policies_can_be_pickled(scenario: mftpubsub.Scenario) -> None:
    changed = scenario.replace(parent_policy=StayIfGood(-70.0), migration_policy=policies.Persistence())
    assert pickle.loads(pickle.dumps(changed)) == changed


def laboratory(**options: Any) -> mftpubsub.Lab:
    lab = mftpubsub.Lab("mft-pubsub", links=[("b1", "b2"), ("b1", "b3"), ("b3", "b4")], root="b1", **options)
    lab.subscribe("s", at="b3", where="x > 0")
    lab.settle()
    return lab


def test_lab_hears() -> None:
    lab = laboratory(parent_policy=policies.Hysteresis(margin=6))
    lab.hear("b3", {"b1": -80.0, "b2": -75.0})
    assert lab.parent("b3") == "b1"
    lab.hear("b3", {"b4": -30.0})
    assert lab.parent("b3") == "b1"  # b4 is below it
    lab.hear("b3", {"b2": -70.0})
    assert lab.parent("b3") == "b2"
    lab.settle()
    assert not lab.violations()


def test_lab_asks_the_migration_policy() -> None:
    lab = laboratory(migration_policy="persistence")
    lab.hear("b3", {"b1": -80.0})
    for expected in ("b1", "b1", "b2"):
        lab.hear("b3", {"b2": -60.0})
        assert lab.parent("b3") == expected


def test_lab_queues() -> None:
    lab = laboratory(queue_policy=policies.Bounded(2))
    lab.disconnect("b1", "b3")
    for x in (1, 2, 3):
        lab.publish("p", at="b2", x=x)
    lab.settle()
    assert lab.queue("b1") == {"s": ["p#2", "p#3"]}
    lab.connect("b1", "b3")
    lab.settle()
    assert lab.delivered("s") == ["p#2", "p#3"]
    assert not lab.violations()


class DropsSecond(policies.QueuePolicy):
    def drop(self, me: Me, subscriber: int, events: list[QueuedEvent]) -> list[QueuedEvent]:
        return events[1:2] if len(events) > 2 else []


def test_what_a_policy_drops_goes_and_nothing_else() -> None:
    lab = laboratory(queue_policy=DropsSecond())
    lab.disconnect("b1", "b3")
    for x in (1, 2, 3):
        lab.publish("p", at="b2", x=x)
    lab.settle()
    assert lab.queue("b1") == {"s": ["p#1", "p#3"]}


def test_lab_tells_what_a_policy_raises() -> None:
    lab = laboratory(parent_policy=ChoosesNonsense(99))
    with pytest.raises(RunError, match=r"ChoosesNonsense\.choose at node b3, 0\.000000 s: answered 99"):
        lab.hear("b3", {"b2": -60.0})
    with pytest.raises(mftpubsub.lab.LabError, match="no parent policy 'nearest'"):
        laboratory(parent_policy="nearest")
    with pytest.raises(mftpubsub.lab.LabError, match="b3 does not hear itself"):
        lab.hear("b3", {"b3": -60.0})
