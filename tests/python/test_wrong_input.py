"""Wrong input: each gives one line that says what is wrong, where, and what would be right.

A case is something to do and the words that must be in the message, its key first.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub import (
    Aodv,
    Broker,
    Channel,
    Choice,
    ConfigurationError,
    Grid,
    Group,
    Integer,
    Line,
    Mac,
    MovementFile,
    Overlay,
    Publisher,
    Radio,
    RandomWalk,
    RandomWaypoint,
    Scenario,
    Subscriber,
    Transport,
    Uniform,
    Waypoints,
    blackout,
    crash,
    partition,
)
from mftpubsub.policies import BalancedFanOut, Bounded, SlowNodeBackbone
from mftpubsub.scenario import movement_files
from mftpubsub.scenario.part import checked
from mftpubsub.sources.gaddah.study import HandoffStudy

GOOD: dict[str, Any] = {
    "area": (60, 60),
    "duration": 60,
    "nodes": [Group(2, [Broker()]), Group(1, [Publisher()]), Group(1, [Subscriber()])],
    "mobility": RandomWaypoint(2),
}
GOOD_NETWORK = {name: GOOD[name] for name in ("area", "nodes")}


def scenario(**changes: Any) -> Callable[[], Scenario]:
    return lambda: Scenario(**(GOOD | changes))


def nodes(*groups: Any, **changes: Any) -> Callable[[], Scenario]:
    return scenario(nodes=list(groups), **changes)


Case = tuple[Callable[[], Any], str]

CASES: dict[str, Case] = {
    # names
    "misspelt key": (scenario(durration=9), "durration: unknown key; did you mean 'duration'?"),
    "unknown key": (scenario(hue="red"), "hue: unknown key; known keys are area, nodes"),
    "misspelt key of a part": (scenario(radio={"tx_pwer": 0}), "radio.tx_pwer: unknown key; did you mean"),
    "unknown protocol": (scenario(protocol="mqtt"), "protocol: no protocol 'mqtt'; there are"),
    "misspelt role": (lambda: Group(1, ["brokr"]), "roles.0: no role 'brokr'; did you mean 'broker'?"),  # type: ignore[list-item]
    "role as a class": (lambda: Group(1, [Broker]), "roles.0: a role is an object: write Broker()"),  # type: ignore[list-item]
    "misspelt key of a role": (lambda: Subscriber(were="a = 1"), "were: unknown key; did you mean 'where'?"),  # type: ignore[call-arg]
    "unknown mobility": (
        scenario(mobility="levy"),
        "mobility: no mobility model 'levy'; there are random-way",
    ),
    "misspelt mobility": (scenario(mobility="statik"), "mobility: no mobility model 'statik'; did you mean"),
    "unknown distribution": (
        lambda: Publisher(event={"t": {"unifrom": [0, 1]}}),  # type: ignore[dict-item]
        "event.0.t: no distribution {'unifrom': [0, 1]}; did you mean 'uniform'?",
    ),
    "unknown fault": (
        scenario(faults=[{"crsh": 1, "at": 9}]),
        "faults.0: no fault {'crsh': 1, 'at': 9}; did",
    ),
    "AODV attribute": (lambda: Aodv(attributes={"Hello": "1s"}), "no attribute Hello"),
    "range that no float tells": (lambda: Uniform(-1e308, 1e308), "from low (-1e+308) to high (1e+308) is"),
    "too many values": (lambda: Uniform(1, 2, 3), "Uniform: 3 values without a name; low, high may"),  # type: ignore[call-arg]
    "name that no folder can have": (
        scenario(config="a/b"),
        "config: 'a/b' cannot be part of a folder's name",
    ),
    "name that no table's key can have": (
        lambda: mftpubsub.Study(
            protocols=["aodv"],
            speeds=[2],
            seeds=[1],
            configurations={"C2 (dense)": GOOD_NETWORK},  # type: ignore[dict-item]
        ),
        "configurations.C2 (dense): 'C2 (dense)' cannot be part of a folder's name",
    ),
    # types and units
    "time with its unit": (
        scenario(duration="60s"),
        "duration: input should be a valid number, in s (given: '60s')",
    ),
    "area as one number": (scenario(area=60), "area: input should be a valid tuple, in m (given: 60)"),
    "area in text": (scenario(area=("60 m", 60)), "area.0: input should be a valid number, in m"),
    "not a number": (scenario(duration=math.nan), "duration: input should be a finite number, in s"),
    "infinite time": (scenario(duration=math.inf), "duration: input should be a finite number, in s"),
    "truth for a number": (scenario(seed=True), "seed: input should be a valid integer (given: True)"),
    "count as a fraction": (lambda: Group(1.5, ["broker"]), "count: input should be a valid integer"),  # type: ignore[arg-type]
    "milliwatts for dBm": (
        scenario(radio=dict(tx_power=1)),
        "radio.tx_power: input should be 0, -1, -3, -5, -7",
    ),
    "negative time": (scenario(duration=-1), "duration: input should be greater than or equal to"),
    "negative speed": (
        lambda: RandomWaypoint(-2),
        "speed: input should be greater than or equal to 0.001, in m/s",
    ),
    "speed of light": (
        lambda: RandomWaypoint(3e8),
        "speed: input should be less than or equal to 10000, in m/s",
    ),
    "speed in text": (lambda: RandomWaypoint("2 m/s"), "speed: input should be a valid number, in m/s"),  # type: ignore[arg-type]
    "negative shadowing": (
        lambda: Channel(sigma=-4),
        "sigma: input should be greater than or equal to 0, in dB",
    ),
    "milliseconds for seconds": (
        lambda: Mac(backoff_base="16ms"),  # type: ignore[arg-type]
        "backoff_base: input should be a valid number, in s (given: '16ms')",
    ),
    "no node at all": (
        lambda: Group(0, ["broker"]),
        "count: input should be greater than or equal to 1 (given: 0)",
    ),
    "attribute that is a list": (
        lambda: Publisher(event={"t": [1]}),  # type: ignore[dict-item]
        "event.0.t: an attribute is a number, a text",
    ),
    "attribute not finite": (
        lambda: Publisher(event={"t": math.nan}),
        "event.0.t: nan is not a finite number",
    ),
    "attribute with half a character": (
        lambda: Publisher(event={"t": "\udc80"}),
        r"event.0.t: '\udc80' is no text: '\udc80' at position 1 is half a character",
    ),
    "filter with half a character": (
        lambda: Subscriber(where="t = '\udc80'"),
        r"'\udc80' at position 6 is half a character",
    ),
    "filter with a name that is not ASCII": (
        lambda: Subscriber(where="température = 30"),
        "expected a value or an operator at position 4, found a character that is none of ASCII's",
    ),
    "attribute too long": (
        lambda: Publisher(event={"t": 2**63}),
        "event.0.t: 9223372036854775808 does not fit",
    ),
    "AODV time without unit": (
        lambda: Aodv(attributes={"HelloInterval": "1"}),
        "HelloInterval = 1 is no value of type ns3::TimeValue",
    ),
    # places and movement
    "impossible area": (scenario(area=(60, 0)), "area.1: input should be greater than or equal to 0.1, in m"),
    "area of too many cells": (
        scenario(area=(1e6, 1e6)),
        "area: 200000 x 200000 cells of 5 m, at most 65535 to a side are",
    ),
    "position outside": (nodes(Group(1, ["broker"], at=[(70, 1)])), "position (70, 1) lies outside the area"),  # type: ignore[call-arg]
    "too few positions": (lambda: Group(2, ["broker"], placement=[(1, 1)]), "1 positions for 2 nodes"),
    "grid that does not fit": (
        nodes(Group(9, ["broker"], placement=Grid(columns=9, spacing=10))),
        "lies outside the area",
    ),
    "placement by name": (
        lambda: Group(1, placement="circle"),  # type: ignore[arg-type]
        "placement: no placement 'circle': it is 'random'",
    ),
    "no speed": (
        scenario(mobility=RandomWalk()),
        "mobility: speed 0 m/s needs mobility.model: static; random-walk",
    ),
    "two speeds": (scenario(speed=3), "speed is 3 m/s here and 2 m/s in mobility: say it once"),
    "range that descends": (lambda: RandomWaypoint((3, 1)), "speed: low (3) must be below high (1)"),
    "line that leads out": (
        scenario(mobility=Line((99, 9), speed=1)),
        "mobility: position (99, 9) lies outside the area, 60 m x 60 m",
    ),
    "waypoints that begin late": (
        lambda: Waypoints([(5, 1, 1), (9, 2, 2)]),
        "points: nobody knows where node 0 is from 0 s to 5 s",
    ),
    "waypoints back in time": (
        lambda: Waypoints([(0, 1, 1), (9, 2, 2), (8, 3, 3)]),
        "points: node 0 has a waypoint at 8 s after one at 9 s",
    ),
    "waypoints for others": (
        scenario(mobility=Waypoints([(0, 1, 1)])),
        "mobility: 1 lists of waypoints for 4 nodes",
    ),
    "placement and waypoints": (
        nodes(Group(1, ["broker"], placement=[(1, 1)], mobility=Waypoints([(0, 1, 1)]))),
        "nodes.0.placement: waypoints says where nodes are at first; leave it out",
    ),
    # ids, roles, traffic
    "one id twice": (
        nodes(Group(2, ["broker"], ids=[0, 1]), Group(1, ids=[1])),
        "nodes.1.ids: 1 is the id of two nodes (nodes.0 has it)",
    ),
    "id that does not exist": (
        nodes(Group(1, ["broker"], ids=[7])),
        "nodes.0.ids: 7; 1 nodes have the ids 0 to 0",
    ),
    "too few ids": (lambda: Group(2, ["broker"], ids=[0]), "1 ids for 2 nodes"),
    "event that flooding would have to split": (
        scenario(protocol="flooding", transport=dict(max_frame=127), publisher=Publisher(payload=103)),
        "publisher.payload: 103 B do not fit into 1 frame(s) of 127 B (transport.max_frame), 80 B do",
    ),
    "attributes that flooding would have to split": (
        scenario(
            protocol="flooding", transport=dict(max_frame=127), publisher=Publisher(event={"t": "x" * 99})
        ),
        "publisher.event: 114 B beside the payload do not fit into a frame of 127 B (transport.max_frame), ",
    ),
    "more attributes than an event holds": (
        lambda: Publisher(event={f"a{number}": number for number in range(300)}),
        "event.0: dictionary should have at most 255 items (given: {'a0': 0, ",
    ),
    "event of too many frames": (
        scenario(transport=dict(max_frame=127), publisher=Publisher(payload=30_000)),
        "publisher.payload: 30000 B do not fit into 255 frame(s) of 127 B",
    ),
    "two policies that advertise": (
        scenario(parent_policy=SlowNodeBackbone(), client_policy=BalancedFanOut()),
        "balanced-fan-out and slow-node-backbone both do",
    ),
    "no broker": (nodes(Group(2, [Subscriber()])), "mft-pubsub needs at least one node with the role broker"),
    "one role twice": (lambda: Group(1, ["broker", Broker()]), "a role stands twice in ['broker', 'broker']"),
    "no groups": (scenario(nodes=[]), "nodes: list should have at least 1 item"),
    "bad filter": (lambda: Subscriber("temp >"), "where: 'temp >' is no filter: "),
    "filter that is no text": (lambda: Subscriber(20), "where.0: input should be a valid string (given: 20)"),  # type: ignore[arg-type]
    "no filter": (lambda: Subscriber([]), "where: list should have at least 1 item"),
    "attribute without a name": (lambda: Publisher(event={"a b": 1}), "'a b' is no name of an attribute"),
    "no rate": (
        lambda: Publisher(rate=0),
        "rate: input should be greater than or equal to 0.000001, in events per",
    ),
    "range upside down": (lambda: Uniform(40, 0), "low (40) must be below high (0)"),
    "range of one number": (lambda: Integer(3, 3), "low (3) must be below high (3)"),
    "choice of nothing": (lambda: Choice([]), "values: list should have at least 1 item"),
    "stop before start": (lambda: Publisher(start=9, stop=5), "start (9 s) must come before stop (5 s)"),
    "stop after the end": (
        nodes(Group(1, [Broker(), Publisher(stop=90)])),
        "nodes.0.roles.publisher.stop (90 s) is after the end of the run, duration (60 s)",
    ),
    "payload too small": (
        lambda: Publisher(payload=1),
        "payload: input should be greater than or equal to 6, in B",
    ),
    "nobody subscribes": (
        nodes(Group(2, [Broker(), Publisher()])),
        "nodes: there is no subscriber for what is published: give nodes the role subscriber",
    ),
    "nobody publishes": (
        nodes(Group(2, [Broker(), Subscriber()])),
        "nodes: there is no publisher for what is subscribed to: give nodes the role publisher",
    ),
    "filter on an attribute that no event has": (
        nodes(Group(1, [Broker(), Subscriber("temp > 1 OR tmp IS NULL"), Publisher(event={"temp": 1})])),
        "nodes.0.roles.subscriber.where: no event has the 'tmp' of 'temp > 1 OR tmp IS NULL'; did you mean",
    ),
    "filter of the role's name": (
        nodes(Group(1, [Broker(), "subscriber", Publisher(event={"temp": 1})])),
        "subscriber.where: no event has the 'topic' of \"topic = 'f1'\"; events have temp",
    ),
    "policy that is never asked": (
        scenario(protocol="aodv", parent_policy="strongest-link"),
        "parent_policy: aodv never asks it: leave it out, or choose one of the protocols",
    ),
    "queue policy where nothing is held": (
        scenario(protocol="simple-routing", queue_policy=Bounded(3)),
        "queue_policy: simple-routing never asks it: ",
    ),
    "policies that no protocol of a study asks": (
        lambda: mftpubsub.Study(
            protocols=["aodv", "mpl"],
            speeds=[2],
            seeds=[1],
            configurations={"C2": GOOD_NETWORK},  # type: ignore[dict-item]
            retry_policy="by-kind",  # type: ignore[arg-type]
        ),
        "retry_policy: aodv and mpl never ask it: ",
    ),
    # protocol parameters
    "timeout below a heartbeat": (
        lambda: Overlay(leader_timeout=1),
        "must be longer than heartbeat_interval",
    ),
    "frame too large": (
        lambda: Transport(max_frame=2000),
        "max_frame: input should be less than or equal to 1024, in B",
    ),
    "no buffer": (lambda: Radio(buffer=0), "buffer: input should be greater than or equal to 1"),
    # faults
    "crash of nobody": (
        scenario(faults=[crash(9, at=10)]),
        "faults.0: there is no node 9; the ids are 0 to 3",
    ),
    "crash after the end": (
        scenario(faults=[crash(0, at=99)]),
        "faults.0: at (99 s) must be after all nodes have",
    ),
    "restart before the crash": (lambda: crash(0, at=9, restart=5), "restart (5 s) must come after at (9 s)"),
    "crash while off": (
        scenario(faults=[crash(0, at=10), crash(0, at=20)]),
        "faults.1: node 0 is off already at 20 s",
    ),
    "link to itself": (
        lambda: blackout(1, 1, start=0, stop=5),
        "a link is between two nodes, not from 1 to itself",
    ),
    "blackout backwards": (lambda: blackout(1, 2, start=9, stop=5), "stop (5 s) must come after start (9 s)"),
    "everybody on one side": (
        scenario(faults=[partition([0, 1, 2, 3], start=1, stop=5)]),
        "faults.0: all nodes are on one side",
    ),
    "fault that is none": (
        scenario(faults=["crash 3"]),
        "faults.0: no fault: 'crash 3'; such are crash(3, at=100)",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_wrong_input_gives_one_line_that_says_what_and_where(what: str) -> None:
    make, said = CASES[what]
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        make()
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


NS2 = "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n"

FILES: dict[str, tuple[str, str, str]] = {
    "node left out": ("a.tcl", NS2, "a.tcl: node 1 has no position; 4 nodes move by this file"),
    "no position at first": (
        "a.tcl",
        NS2 + '$ns_ at 1.0 "$node_(1) setdest 2.0 3.0 1.0"\n',
        "a.tcl: node 1 has no position at first (set X_)",
    ),
    "half a position": ("a.tcl", "$node_(0) set X_ 1\n", "a.tcl: node 0 has no position at first (set Y_)"),
    "unreadable line": ("a.tcl", NS2 + "$node_(1) put X_ 1\n", "a.tcl:3: neither `$node_(0) set X_ 1.5` nor"),
    "jump": (
        "a.tcl",
        NS2 + '$ns_ at 1.0 "$node_(0) set X_ 5"\n',
        "a.tcl:3: node 0 jumps; nodes go by setdest",
    ),
    "backwards": ("a.tcl", NS2 + '$ns_ at 1.0 "$node_(0) setdest 2 3 -1"\n', "a.tcl:3: a negative speed"),
    "out of the area": (
        "a.tcl",
        "".join(NS2.replace("(0)", f"({n})") for n in range(4)) + '$ns_ at 1.0 "$node_(2) setdest 2 99 1"\n',
        "a.tcl: node 2 goes to (2, 99), outside the area, 60 m x 60 m",
    ),
    "nodes too many": (
        "a.tcl",
        "".join(NS2.replace("(0)", f"({n})") for n in range(6)),
        "a.tcl: it moves node 4, but only 4 nodes move by it, 0 to 3",
    ),
    "gap in time": ("a.movements", "3 1 1 5 2 2\n" * 4, "nobody knows where node 0 is from 0 s to 3 s"),
    "half a waypoint": (
        "a.movements",
        "0 1 1 5 2\n",
        "a.movements:1: 5 numbers, which is no list of `t x y`",
    ),
    "backwards in time": (
        "a.tcl",
        NS2 + '$ns_ at -1.0 "$node_(0) setdest 2 3 1"\n',
        "a.tcl:3: a negative time",
    ),
    "outside at first": (
        "a.tcl",
        "".join(NS2.replace("(0)", f"({n})") for n in range(4)).replace("(3) set Y_ 1", "(3) set Y_ 61")
        + '$ns_ at 1.0 "$node_(3) setdest 2 3 1"\n',
        "a.tcl: node 3 goes to (1, 61), outside the area",
    ),
    "twice at a time": (
        "a.movements",
        "0 1 1 5 2 2 5 3 3\n" * 4,
        "a.movements:1: node 0 has a waypoint at 5 s after one at 5 s",
    ),
    "not in order": (
        "a.tcl",
        NS2 + '$ns_ at 9 "$node_(0) setdest 2 3 1"\n$ns_ at 2 "$node_(0) setdest 4 5 1"\n',
        "a.tcl:4: node 0 goes at 2 s, and at 9 s in line 3: sort the lines by time",
    ),
    "too late": (
        "a.tcl",
        NS2 + '$ns_ at 1e12 "$node_(0) setdest 2 3 1"\n',
        "a.tcl:3: times are up to 1e+07 s, not 1e+12",
    ),
    "too fast": (
        "a.tcl",
        NS2 + '$ns_ at 1 "$node_(0) setdest 2 3 1e300"\n',
        "a.tcl:3: speeds are up to 10000 m/s, not 1e+300",
    ),
    "too slow": (
        "a.tcl",
        NS2 + '$ns_ at 1 "$node_(0) setdest 4 5 1e-12"\n',
        "a.tcl:3: node 0 may take 5e+12 s at 1e-12 m/s, and 1e+09 s are possible",
    ),
    "no number": (
        "a.movements",
        "0 1 1\n0 1 1 nan 2 2\n",
        "a.movements:2: 'nan' is no number such as 12, -0.5 or 1e3",
    ),
    "endless": (
        "a.movements",
        "0 1 1 1e999 2 2\n",
        "a.movements:1: node 0 has a waypoint at inf s; times are",
    ),
    "Python's numbers": ("a.movements", "0 1 1 1_0 2 2\n", "a.movements:1: '1_0' is no number such as"),
    "digits of another script": (
        "a.movements",
        "0 1 \uff11\n",
        "a.movements:1: '\uff11' is no number such as",
    ),
    "such digits in ns-2's": (
        "a.tcl",
        NS2 + "$node_(\uff11) set X_ 1\n",
        "a.tcl:3: neither `$node_(0) set X_",
    ),
    "closer than the clock": (
        "a.movements",
        "0 1 1 5 2 2 5.0000000001 3 3\n",
        "a.movements:1: node 0 has a waypoint at 5.0000000001 s after one at 5 s; the next is 2e-09 s later",
    ),
    "words": ("a.movements", "0 1 1\n0 one 1\n", "a.movements:2: 'one' is no number such as"),
}


@pytest.mark.parametrize(("x", "y"), [(100.5, 10), (90, 80.5), (-0.5, 10), (10, -0.5)])
def test_each_side_of_the_area_bounds_what_a_movement_file_says(tmp_path: Path, x: float, y: float) -> None:
    def check(x: float, y: float) -> None:
        path = tmp_path / f"{x}-{y}.tcl"
        path.write_text(NS2 + f'$ns_ at 1.0 "$node_(0) setdest {x} {y} 1"\n')
        movement_files.check(str(path), (100.0, 80.0), 1)

    check(100, 80)
    check(0, 0)
    with pytest.raises(ValueError, match=r"outside the area, 100 m x 80 m"):
        check(x, y)


def test_bonnmotion_s_files_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "a.movements.gz"
    path.write_bytes(gzip.compress(b"0 10 10 5 20 10\n"))
    movement_files.check(str(path), (100.0, 80.0), 1)
    assert movement_files.read_bonnmotion(str(path)) == [[(0, 10, 10), (5, 20, 10)]]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.movements.gz", b"0 10 10\n", "no file of gzip, or not all of it"),
        ("b.movements.gz", gzip.compress(b"0 10 10\n", mtime=0)[:-9], "no file of gzip, or not all of it"),
        ("c.movements.gz", gzip.compress(b"0 10 \xff\n", mtime=0), "no file of text in UTF-8"),
        ("d.tcl", b"\xff\xfe", "no file of text in UTF-8"),
    ],
)
def test_a_movement_file_that_cannot_be_read_is_named(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(mftpubsub.ConfigurationError, match=rf"{path}: {said}"):
        scenario(mobility=MovementFile(str(path)))()


def test_each_node_of_ns_2_has_its_own_order_of_lines(tmp_path: Path) -> None:
    """As BonnMotion's NSFile has them, node by node. A slow node may be on its way at the end."""
    path = tmp_path / "a.tcl"
    lines = ['$ns_ at 9 "$node_(0) setdest 2 3 1e-6"', '$ns_ at 2 "$node_(1) setdest 4 5 0"']
    path.write_text(NS2 + NS2.replace("(0)", "(1)") + "\n".join(lines))
    movement_files.check(str(path), (100.0, 80.0), 2)


def test_the_speed_of_a_range_is_its_middle() -> None:
    assert mftpubsub.RandomWaypoint((1, 4)).own_speed() == 2.5
    assert mftpubsub.RandomWaypoint().own_speed() is None


def test_a_node_does_not_crash_at_the_instant_at_which_it_restarts() -> None:
    twice = [crash(0, at=20, restart=30), crash(0, at=30, restart=40)]
    with pytest.raises(mftpubsub.ConfigurationError, match=r"faults\.1: node 0 is off already at 30 s"):
        scenario(faults=twice)()


@pytest.mark.parametrize("what", FILES)
def test_a_wrong_movement_file_is_refused_with_its_line(what: str, tmp_path: Path) -> None:
    name, content, said = FILES[what]
    (tmp_path / name).write_text(content)
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        scenario(mobility=MovementFile(str(tmp_path / name)))()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_scenario_is_not_run() -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match=r"'a\.yaml' is no Scenario; Scenario\.from_yaml"):
        mftpubsub.run("a.yaml")  # type: ignore[arg-type]


def test_a_study_where_a_scenario_is_to_be_is_told_to_choose_a_case() -> None:
    file = Path(__file__).parents[2] / "configs" / "quick.yaml"
    with pytest.raises(
        mftpubsub.ConfigurationError, match=r"^run: a Study is many runs: its `case\("
    ) as error:
        mftpubsub.run(mftpubsub.load(file))  # type: ignore[arg-type]
    assert len(str(error.value)) < 200
    with pytest.raises(mftpubsub.ConfigurationError, match=r"quick\.yaml: a study, which `mftpubsub\.load` "):
        mftpubsub.Scenario.from_yaml(file)


def test_a_single_group_and_a_single_fault_need_no_list() -> None:
    group, fault = Group(2, [Broker()]), crash(0, at=10)
    one = scenario(nodes=group, faults=fault)()
    assert one == scenario(nodes=[group], faults=[fault])()


def test_a_missing_movement_file_is_named() -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match=r"no file nowhere\.tcl"):
        MovementFile("nowhere.tcl")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("area: [60, 60]\nnodes: [{count: 1, roles: [brokr]}]\n", "YAML: nodes.0.roles.0: no role 'brokr'"),
        ("area: [60, 60]\nnodes: [\n", "YAML: no YAML: "),
        ("- 1\n- 2\n", "YAML: must be a mapping of keys"),
        ("area: [60, 60]\nspeed: 2\n", "YAML: nodes: field required"),
    ],
)
def test_wrong_yaml_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        Scenario.from_yaml(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_key_that_is_called_as_a_type_is_told_with_its_fault() -> None:
    with pytest.raises(ConfigurationError) as refused:
        mftpubsub.Study.from_yaml(
            "protocols: [mft-pubsub]\nspeeds: [1]\nseeds: 1\naxes: {float: 3}\nmobility: {bool: 3}\n"
            "configurations:\n"
            "  int: {area: [60, 60], nodes: [{count: x, roles: broker}]}\n"
            "  str: {area: [60, 60]}\n"
        )
    told = [line.split(": ")[1] for line in str(refused.value).splitlines()]
    assert told == [
        "mobility.bool",
        "configurations.int.nodes.0.count",
        "configurations.str.nodes",
        "axes.float",
    ]
    event: Any = {"int": [1], "temp": 1}
    with pytest.raises(ConfigurationError, match=r"^Publisher: event\.0\.int: an attribute is a number"):
        Publisher(event=event)


def test_of_a_value_that_may_have_several_types_none_is_told_as_a_key() -> None:
    group = {"schemes": ["jedi"], "mobility": ["random"], "subscribers": [10], "buffer_events": [10]}
    wrong = {"int": group | {"rates": [1], "seeds": {"int": 2}}, "b": group | {"rates": "fast", "seeds": "x"}}
    with pytest.raises(ConfigurationError) as refused:
        checked(HandoffStudy, {"groups": wrong}, "FILE")
    told = [line.split(": ")[1] for line in str(refused.value).splitlines()]
    assert told == ["groups.int.seeds.int", "groups.b.rates", "groups.b.seeds"]
