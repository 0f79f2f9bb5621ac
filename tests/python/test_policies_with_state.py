"""Policies with state: what constructors make is there in sweeps, of finished runs, in notebooks."""

from __future__ import annotations

import inspect
import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property, partialmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy
import pytest
from numpy.typing import NDArray

import mftpubsub
from mftpubsub import ConfigurationError, policies, protocols
from mftpubsub.policies import Candidate, Me
from mftpubsub.protocols import Broker, message
from mftpubsub.runs.run import run_to_directory


@pytest.fixture(scope="module")
def scenario() -> mftpubsub.Scenario:
    devices = mftpubsub.Group(5, ["broker", "subscriber", "publisher"])
    return mftpubsub.Scenario(
        area=(40, 40), nodes=[devices], speed=4, duration=20, publisher=mftpubsub.Publisher(stop=15.0)
    )


class Counts(policies.ParentPolicy):
    def __init__(self, least: float = -85.0) -> None:
        self.least = least
        self.calls = 0


class Stateful(policies.ParentPolicy):
    """Of its attributes its constructor takes one, by another name, and makes the others."""

    def __init__(self, least: float = 0.5, *more: int, seed: int = 7, **words: str) -> None:
        self.chosen: dict[int, int] = {}
        self.seen: defaultdict[int, list[int]] = defaultdict(list)
        self._limit = least
        self._more = more
        self._random = random.Random(seed)
        self._words = words

    def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate:
        self.chosen[me.id] = self.chosen.get(me.id, 0) + 1
        self.seen[me.id].append(len(candidates))
        return candidates[self._random.randrange(len(candidates))]


class Bare(policies.ParentPolicy):
    pass


def recorded(policy: policies.Policy) -> Any:
    """As run.json has it."""
    return json.loads(json.dumps(policy.record()))


@pytest.mark.parametrize(
    "policy",
    [
        Stateful(),
        Stateful(0.25),
        Stateful(seed=3),
        Stateful(0.25, 1, 2, seed=3, a="b"),
        Counts(-70.0),
        Bare(),
    ],
)
def test_a_policy_with_state_is_made_anew_by_what_it_was_given(policy: policies.ParentPolicy) -> None:
    again = policies.parse(policies.ParentPolicy, recorded(policy))
    assert type(again) is type(policy)
    assert again.identity() == policy.identity()
    assert {name: type(value) for name, value in vars(again).items()} == {
        name: type(value) for name, value in vars(policy).items()
    }
    assert again.record() == policy.record()


def test_what_was_changed_after_it_was_made_is_so_again() -> None:
    policy = Stateful(0.25)
    policy.chosen[3] = 4
    policy._limit = 0.75
    del policy._words
    again = policies.parse(policies.ParentPolicy, recorded(policy))
    assert again.identity() == policy.identity()
    assert policy != Stateful(0.25)
    policy._random.random()
    with pytest.raises(ValueError, match=r"^_random: <Random in state \w+> cannot be made from its desc"):
        policies.parse(policies.ParentPolicy, recorded(policy))


def test_what_a_policy_was_given_does_not_tell_it_apart(scenario: mftpubsub.Scenario) -> None:
    same = [Stateful(), Stateful(0.5), Stateful(least=0.5, seed=7)]
    assert len({scenario.replace(parent_policy=policy).fingerprint() for policy in same}) == 1
    assert Counts(-80.0) == Counts(least=-80.0) != Counts(-70.0)


@dataclass(slots=True)
class Slotted(policies.ParentPolicy):
    least: float = -85.0


def test_what_is_kept_in_slots_tells_policies_apart(scenario: mftpubsub.Scenario) -> None:
    low, high = (scenario.replace(parent_policy=Slotted(least)) for least in (-85.0, -80.0))
    assert low.fingerprint() != high.fingerprint()
    again = mftpubsub.Scenario.from_yaml(high.to_yaml())
    assert again.fingerprint() == high.fingerprint()
    changed = Slotted()
    changed.least = -70.0
    assert policies.parse(policies.ParentPolicy, recorded(changed)) == changed != Slotted()


def test_a_class_without_a_constructor_takes_nothing() -> None:
    with pytest.raises(TypeError, match=r"^Bare\(\) takes no arguments$"):
        Bare(3)  # type: ignore[call-arg]
    assert str(inspect.signature(Bare)) == "()"
    assert [*inspect.signature(Stateful).parameters] == ["least", "more", "seed", "words"]


class Renames(policies.ParentPolicy):
    def __init__(self, least: float = 0.5, most: float = 1.0) -> None:
        self.held = {"least": least, "most": most}


def test_a_file_names_a_policy_by_what_its_constructor_takes(scenario: mftpubsub.Scenario) -> None:
    for policy in (Renames(), Renames(0.25), Renames(0.25, most=2.0)):
        again = mftpubsub.Scenario.from_yaml(scenario.replace(parent_policy=policy).to_yaml())
        assert again.parent_policy == policy
    with pytest.raises(ConfigurationError, match="a file cannot name it"):
        scenario.replace(parent_policy=Stateful()).to_yaml()  # generators are never equal


def test_a_policy_with_state_goes_through_a_sweep(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    case = scenario.replace(parent_policy=Stateful(0.25, seed=3))
    row = mftpubsub.sweep(case, tmp_path).iloc[0]
    alone = mftpubsub.run(case)
    assert row["failure"] is None
    assert row["delivered_pairs"] == alone.metrics["delivered_pairs"] > 0
    (folder,) = tmp_path.glob("runs/*/*/*/*")
    result = mftpubsub.open_run(folder)
    assert result.rerun_obstacle == ""
    assert result.snapshot(20.0).nodes == alone.snapshot(20.0).nodes


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("not now")


RING: list[Any] = []
RING.append(RING)


class Sharing(policies.ParentPolicy):
    asked: ClassVar[dict[int, int]] = {}
    ring: ClassVar[Any] = RING
    odd: ClassVar[Any] = Odd()
    kinds: ClassVar[Any] = (numpy.ndarray, NDArray[numpy.float64])

    def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate | None:
        self.asked[me.id] = self.asked.get(me.id, 0) + 1
        return self.default(me, current, candidates)


class SharingBroker(Broker):
    messages = (message(type("Word", (), {})),)
    known: ClassVar[dict[int, Broker]] = {}

    def start(self) -> None:
        self.known[self.id] = self


def test_what_classes_of_brokers_and_policies_share_is_told(
    scenario: mftpubsub.Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    mftpubsub.run(scenario.replace(protocol=SharingBroker(), parent_policy=Sharing()))
    told = re.findall(r"(\S+) has changed in this run: .* Make it in (\w+), as", capsys.readouterr().err)
    assert told == [("Sharing.asked", "__init__"), ("SharingBroker.known", "start")]


class Raises(policies.ParentPolicy):
    is_off = False

    def __init__(self) -> None:
        if self.is_off:
            raise OSError("no more")


def test_metrics_of_a_run_whose_policy_cannot_be_made_anew_are_there(
    scenario: mftpubsub.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = scenario.replace(parent_policy=Raises())
    folder = run_to_directory(case, tmp_path)
    monkeypatch.setattr(Raises, "is_off", True)
    result = mftpubsub.open_run(folder)
    assert result.metrics["published"] > 0
    assert result.rerun_obstacle == "test_policies_with_state:Raises cannot be made anew: OSError: no more"
    assert result.scenario.fingerprint() == case.fingerprint()
    with pytest.raises(ConfigurationError, match="Raises cannot be made anew: OSError: no more"):
        mftpubsub.sweep(result.scenario, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    told = json.loads((folder / "run.json").read_text())
    told["scenario"]["parent_policy"]["class"] = "__main__:NoMore"
    (folder / "run.json").write_text(json.dumps(told))
    assert mftpubsub.open_run(folder).metrics["published"] > 0


class Unpicklable(policies.ParentPolicy):
    def __init__(self) -> None:
        self.file = Path(__file__).open("rb")  # noqa: SIM115


def test_a_policy_that_no_process_can_be_handed_is_refused_before_anything_runs(
    scenario: mftpubsub.Scenario, tmp_path: Path
) -> None:
    said = r"^parent policy test_.*:Unpicklable cannot be handed to other processes \(TypeError: "
    with pytest.raises(ConfigurationError, match=said):
        mftpubsub.sweep(scenario.replace(parent_policy=Unpicklable()), tmp_path / "out")
    assert not (tmp_path / "out").exists()


TYPED = """
LEAST, WORDS, MOST = 100, ("x", 200), 300
COUNTS = []

def first(): return second() + LEAST

@cache
def second(words=None): return 901 if words else WORDS or first()

@message
class Data:
    hops: u8

class Typed(Station):
    messages = (Data,)
    share = 0.5
    _limits = {"few": [1, 2]}
    words: str = "x"

    def start(self, least=1, *, most=2):
        COUNTS.append(first)
        return [each + 1 for each in (1, 2)]

    @property
    def mean(self): return 1

    @staticmethod
    def pick(): return 2

    @cached_property
    def held(self): return 3

    @decorated
    def publish(self, event): return 4, MOST

    key = lambda self: 5
    later = partialmethod(print, 7)
    again = ring
    kinds: NDArray[float64] = (ndarray, Generator)
    by_name = {"low": (lambda self: 8,)}

    class Table:
        class Row:
            def length(self): return 700

    def receive(self, message, sender, rssi_dbm):
        def inner(): return (lambda: 6)()
        return inner() in {"a", "b", "c"}
"""


def typed_in(text: str) -> str:
    """The hash of a class that has no file, as at a prompt."""

    def decorated(function: Any) -> Any:
        return lambda self, event: function(self, event)

    def ring(event: Any) -> int:
        return 9

    again = cache(ring)
    again.__wrapped__ = again
    given = {"__name__": "typed", "decorated": decorated, "partialmethod": partialmethod, "ring": again}
    given |= {
        "cache": cache,
        "cached_property": cached_property,
        "NDArray": NDArray,
        "float64": numpy.float64,
    }
    given |= {"ndarray": numpy.ndarray, "Generator": numpy.random.Generator}
    exec(compile(text, "typed", "exec", dont_inherit=True), scope := {**vars(protocols), **given})
    return str(scope["Typed"]().source_hash())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hops: u8", "hops: u16"),
        ("share = 0.5", "share = 0.25"),
        ("[1, 2]}", "[1, 3]}"),
        ("words: str", "words: bytes"),
        ("least=1", "least=2"),
        ("most=2", "most=3"),
        ("each + 1", "each - 1"),
        ("return 1", "return 10"),
        ("return 2", "return 20"),
        ("return 3", "return 30"),
        ("return 4", "return 40"),
        ("self: 5", "self: 50"),
        ("lambda: 6", "lambda: 60"),
        ("print, 7", "print, 70"),
        ("self: 8", "self: 80"),
        ("NDArray[float64]", "NDArray[int]"),
        ('"c"}', '"d"}'),
        ("sender, rssi_dbm)", "rssi_dbm, sender)"),
        ("100,", "101,"),
        ("200)", "201)"),
        ("300", "301"),
        ("700", "701"),
        ("901 if", "902 if"),
        ("WORDS or", "WORDS and"),
        ("@staticmethod\n    def pick()", "@classmethod\n    def pick(cls)"),
    ],
)
def test_what_was_typed_in_otherwise_is_another_class(old: str, new: str) -> None:
    assert TYPED.count(old) == 1
    assert typed_in(TYPED) == typed_in(f"\n\n{TYPED}") != typed_in(TYPED.replace(old, new))


def test_what_a_class_that_was_typed_in_does_not_name_is_no_part_of_it() -> None:
    assert typed_in(TYPED) == typed_in(TYPED.replace("COUNTS = []", "COUNTS = [1]\nOTHER = append = 5"))


NOTEBOOK = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
assert "__file__" not in shell.user_ns
for cell in sys.stdin.read().split("# cell"):
    shell.run_cell(cell).raise_error()
"""
CELLS = """
import mftpubsub
from mftpubsub import policies
CHOICE = 0
# cell
class Own(policies.ParentPolicy):
    def __init__(self):
        self.asked = {}
    def choose(self, me, current, candidates):
        self.asked[me.id] = candidates[CHOICE]
        return self.asked[me.id]
# cell
scenario = mftpubsub.Scenario(
    area=(40, 40), nodes=[mftpubsub.Group(4, ["broker", "subscriber", "publisher"])], speed=2, duration=20,
    publisher=mftpubsub.Publisher(stop=15.0), parent_policy=Own(),
)
table = mftpubsub.sweep(scenario, "out", over={"seed": [1, 2]})
# cell
again = mftpubsub.sweep(scenario, "out", over={"seed": [1, 2]})  # its processes found the same class
# cell
CHOICE = -1
try:
    mftpubsub.sweep(scenario, "out", over={"seed": [1, 2]})
except mftpubsub.MftPubsubError as error:
    assert "was run with other settings (parent_policy.source was" in str(error), error
else:
    raise AssertionError("an edit of a constant was not noticed")
CHOICE = 0
# cell
assert list(table.failure) == [None, None], table.failure
assert (table.delivered_pairs > 0).all()
import pathlib
result = mftpubsub.open_run(next(pathlib.Path("out/runs").glob("*/*/*/seed=1")))
assert result.rerun_obstacle == "" and len(result.snapshot(10.0).nodes) == 4
print("done")
"""


@pytest.mark.slow
def test_a_policy_of_a_notebook_s_cell_goes_through_a_sweep(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK],
        input=CELLS,
        cwd=tmp_path,
        env=os.environ | {"IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.endswith("done\n"), done.stdout + done.stderr
