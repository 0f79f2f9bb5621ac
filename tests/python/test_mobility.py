"""Where nodes are while a run goes on, by way of moving."""

from __future__ import annotations

import math
import pickle
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    Channel,
    Every,
    GaussMarkov,
    Group,
    Line,
    Manhattan,
    MovementFile,
    Overlay,
    Publisher,
    RandomWalk,
    RandomWaypoint,
    ReferencePointGroups,
    Scenario,
    Snapshot,
    Static,
    Waypoints,
)

AREA = (100, 80)
STEP = 5.0

#: Two nodes; the first goes right from 5 s on and turns up on its way.
NS2 = """# setdest
$node_(0) set X_ 10
$node_(0) set Y_ 10.0
$node_(0) set Z_ 0
$node_(1) set X_ 20
$node_(1) set Y_ 20
$god_ set-dist 0 1 1
$ns_ at 5.0 "$node_(0) setdest 30.0 10.0 2.0"
$ns_ at 6.0 "$god_ set-dist 0 1 2"
$ns_ at 10.0 "$node_(0) setdest 20.0 50.0 1.0"
"""


def tracks(mobility: Any, count: int = 1, **group: Any) -> list[list[tuple[float, float]]]:
    """Where `count` nodes that move by `mobility` are every 5 s, a list each; m."""
    case = Scenario(
        area=AREA,
        duration=30,
        nodes=[
            Group(count, [], mobility=mobility, **group),
            Group(1, [Broker()], placement=[(1, 1)], mobility=Static()),
        ],
    )
    seen: list[list[tuple[float, float]]] = []
    mftpubsub.run(
        case, observers=[Every(STEP, lambda now: seen.append([(node.x, node.y) for node in now.nodes]))]
    )
    *movers, broker = zip(*seen, strict=True)
    assert set(broker) == {(1, 1)}
    return [[(round(x, 6), round(y, 6)) for x, y in mover] for mover in movers]


def legs(track: list[tuple[float, float]]) -> list[float]:
    """Speed between samples, m/s."""
    return [math.dist(a, b) / STEP for a, b in pairwise(track)]


def test_a_line_is_gone_to_and_fro() -> None:
    (track,) = tracks(Line((30, 20), speed=2), placement=[(10, 20)])
    assert track[:6] == [(10, 20), (20, 20), (30, 20), (20, 20), (10, 20), (20, 20)]


def test_waypoints_are_reached_in_time_and_the_last_is_kept() -> None:
    first, second = tracks(Waypoints([[(0, 1, 2), (10, 11, 2), (20, 11, 12)], [(0, 50, 50)]]), count=2)
    assert first == [(1, 2), (6, 2), (11, 2), (11, 7), (11, 12), (11, 12), (11, 12)]
    assert set(second) == {(50, 50)}


def test_an_ns2_file_moves_its_nodes(tmp_path: Path) -> None:
    path = tmp_path / "two.tcl"
    path.write_text(NS2)
    first, second = tracks(MovementFile(path), count=2)
    turned = [(20, 10 + passed) for passed in (0, 5, 10, 15)]
    assert first[:6] == [(10, 10), (10, 10), *turned]
    assert set(second) == {(20, 20)}


def test_a_bonnmotion_file_moves_its_nodes(tmp_path: Path) -> None:
    path = tmp_path / "two.movements"
    path.write_text("0 10 10 5 10 10 10 20 10\n0.0 1 1\n")
    first, second = tracks(MovementFile(str(path)), count=2)
    assert first[:4] == [(10, 10), (10, 10), (20, 10), (20, 10)]
    assert set(second) == {(1, 1)}


def test_a_movement_file_that_changed_or_went_since_is_told_as_other_wrong_input_is(tmp_path: Path) -> None:
    (tmp_path / "two.tcl").write_text(NS2)
    group = Group(2, ["broker"])
    case = Scenario(area=AREA, nodes=[group], mobility=MovementFile(tmp_path / "two.tcl"), duration=30)
    (tmp_path / "two.tcl").write_text(NS2.replace("set X_ 10", "set X_ 11"))
    with pytest.raises(mftpubsub.ConfigurationError, match=r"two\.tcl has changed: its SHA-256 is"):
        mftpubsub.run(case)
    (tmp_path / "two.tcl").unlink()
    for use in (lambda: mftpubsub.run(case), lambda: case.replace(seed=2)):
        with pytest.raises(mftpubsub.ConfigurationError, match=r"no file .*two\.tcl"):
            use()


def test_a_scenario_file_names_movement_files_relative_to_itself(tmp_path: Path) -> None:
    (tmp_path / "two.tcl").write_text(NS2)
    (tmp_path / "case.yaml").write_text(
        "area: [100, 80]\nnodes: [{count: 2, roles: broker}]\n"
        "mobility: {model: movement-file, path: two.tcl}\n"
    )
    case = Scenario.from_yaml(tmp_path / "case.yaml")
    assert isinstance(case.mobility, MovementFile)
    assert case.mobility.path == str(tmp_path / "two.tcl")
    (tmp_path / "two.tcl").write_text(NS2.replace("set X_ 10", "set X_ 11"))
    assert Scenario.from_yaml(tmp_path / "case.yaml").fingerprint() != case.fingerprint()
    with pytest.raises(mftpubsub.ConfigurationError, match=r"two\.tcl has changed: its SHA-256 is"):
        Scenario.from_yaml(case.to_yaml())


def test_a_movement_file_is_found_from_another_folder_and_is_the_same_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "two.tcl").write_text(NS2)
    shutil.copy(tmp_path / "two.tcl", tmp_path / "elsewhere" / "copy.tcl")
    monkeypatch.chdir(tmp_path)
    here = moving("two.tcl")
    monkeypatch.chdir(tmp_path / "elsewhere")
    there = moving("copy.tcl")
    assert here.fingerprint() == there.fingerprint()
    unpickled = pickle.loads(pickle.dumps(here))
    assert unpickled == here
    mftpubsub.run(unpickled)
    (tmp_path / "two.tcl").unlink()
    with pytest.raises(ValueError, match=r"no file .*two\.tcl"):
        mftpubsub.run(unpickled)


def moving(path: str) -> Scenario:
    """Two nodes for a moment, which move as a file says."""
    return Scenario(
        area=(100, 80),
        nodes=[Group(2, ["broker"])],
        mobility=MovementFile(path),
        duration=2,
        publisher=Publisher(stop=1),
    )


@pytest.mark.parametrize(
    ("mobility", "lowest", "highest"),
    [
        (RandomWaypoint(2), 0.0, 2.0),
        (RandomWaypoint((1, 3), pause=(0, 5)), 0.0, 3.0),
        (RandomWaypoint(2, start="steady-state"), 0.0, 2.0),
        (RandomWalk(3, interval=5), 0.0, 3.0),
    ],
)
def test_random_movers_keep_to_their_speed_and_to_the_area(
    mobility: Any, lowest: float, highest: float
) -> None:
    movers = tracks(mobility, count=8)
    for track in movers:
        assert all(0 <= x <= AREA[0] and 0 <= y <= AREA[1] for x, y in track)
        assert all(lowest <= speed <= highest + 1e-6 for speed in legs(track))
    assert max(max(legs(track)) for track in movers) > 0.8 * highest
    assert len({track[0] for track in movers}) == 8


def test_random_waypoint_begins_more_often_in_the_middle_in_its_steady_state() -> None:
    def distance(start: Any) -> float:
        movers = tracks(RandomWaypoint(2, start=start), count=100)
        return sum(math.dist(track[0], (AREA[0] / 2, AREA[1] / 2)) for track in movers) / len(movers)

    # Uniform: 34.5 m with a standard deviation of 13 m a node; in the steady state 27 m.
    assert abs(distance("uniform") - 34.5) < 4 * 1.3
    assert distance("steady-state") < 34.5 - 3 * 1.3


def test_nodes_are_everywhere_in_their_steady_state() -> None:
    case = Scenario(
        area=(4, 4),
        duration=10,
        nodes=[Group(9, ["broker"])],
        mobility=RandomWaypoint(2, start="steady-state"),
    )
    seen: list[tuple[float, float]] = []
    mftpubsub.run(case, observers=[Every(1, lambda now: seen.extend((n.x, n.y) for n in now.nodes))])
    for ways in zip(*seen, strict=True):
        assert 0 <= min(ways) < 0.5
        assert 3.5 < max(ways) <= 4


def test_a_group_that_moves_otherwise_leaves_the_others_where_they_were() -> None:
    case = Scenario(area=AREA, duration=20, nodes=[Group(3, ["broker"]), Group(1)], speed=2)
    first = case.replace(nodes=[case.nodes[0], Group(1, mobility=RandomWalk(9))])
    seen: dict[str, list[Snapshot]] = {"same": [], "other": []}
    for name, one in (("same", case), ("other", first)):
        mftpubsub.run(one, observers=[Every(STEP, seen[name].append)])
    for same, other in zip(seen["same"], seen["other"], strict=True):
        assert [(n.x, n.y) for n in same.nodes[:3]] == [(n.x, n.y) for n in other.nodes[:3]]
    assert (seen["same"][-1].nodes[3].x, 0) != (seen["other"][-1].nodes[3].x, 0)


def links_of(case: Scenario) -> list[frozenset[tuple[int, int]]]:
    """Of each step."""
    seen: list[frozenset[tuple[int, int]]] = []
    mftpubsub.run(case, observers=[Every(STEP, lambda now: seen.append(frozenset(now.links)))])
    return seen


def test_shadowing_by_pair_lets_nodes_move() -> None:
    """It begins with the links of nodes that stand still there, and they change with the distance."""
    case = Scenario(
        area=AREA, duration=30, nodes=[Group(8, ["broker"])], speed=8, channel=Channel(shadowing="pair")
    )
    moving, still = (links_of(one) for one in (case, case.replace(mobility=Static())))
    assert moving[0] == still[0]
    assert len({*moving}) > 1
    assert len({*still}) == 1


LONG = 600.0


def long_tracks(mobility: Any, count: int = 1, seed: int = 1) -> list[list[tuple[float, float]]]:
    """Where `count` nodes that move by `mobility` are each second of ten minutes, a list each; m."""
    case = Scenario(
        area=AREA,
        duration=LONG,
        seed=seed,
        nodes=[Group(count, [], mobility=mobility), Group(1, [Broker()], mobility=Static())],
        overlay=Overlay(heartbeat_interval=100, leader_timeout=300),
    )
    seen: list[list[tuple[float, float]]] = []
    mftpubsub.run(
        case, observers=[Every(1, lambda now: seen.append([(node.x, node.y) for node in now.nodes]))]
    )
    return [list(mover) for mover in zip(*seen, strict=True)][:count]


def turns(track: list[tuple[float, float]]) -> list[float]:
    """Changes of direction from step to step, rad, 0 to pi; where the node stands there is none."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(track)]
    angles = [math.atan2(y, x) for x, y in steps if math.hypot(x, y) > 1e-6]
    return [abs(math.remainder(b - a, math.tau)) for a, b in pairwise(angles)]


def is_inside(tracks: list[list[tuple[float, float]]]) -> bool:
    return all(0 <= x <= AREA[0] and 0 <= y <= AREA[1] for track in tracks for x, y in track)


def test_gauss_markov_is_the_smoother_the_more_it_remembers() -> None:
    rough, smooth = (long_tracks(GaussMarkov(speed=2, memory=memory), 3) for memory in (0.1, 0.95))
    assert is_inside(rough + smooth)
    turned = [sum(map(math.fsum, map(turns, each))) for each in (rough, smooth)]
    assert turned[0] > 2 * turned[1]
    speeds = [math.dist(a, b) for track in rough for a, b in pairwise(track)]
    assert sum(speeds) / len(speeds) == pytest.approx(2, abs=0.1)
    assert long_tracks(GaussMarkov(speed=2)) == long_tracks(GaussMarkov(speed=2))


def test_a_node_that_remembers_everything_goes_straight_on() -> None:
    (track,) = long_tracks(GaussMarkov(speed=0.01, memory=1.0))
    assert max(turns(track)) < 1e-6 or sum(turn > 1e-6 for turn in turns(track)) <= 2  # at an edge


def test_members_of_a_group_stay_together_and_groups_do_not() -> None:
    found = long_tracks(ReferencePointGroups(speed=3, radius=8, size=3, member_speed=1), 6)
    assert is_inside(found)
    groups = found[:3], found[3:]
    for group in groups:
        for one, other in ((0, 1), (0, 2), (1, 2)):
            assert max(math.dist(a, b) for a, b in zip(group[one], group[other], strict=True)) <= 16
        assert math.dist(group[0][0], group[0][100]) > 16  # all of it moves
        assert group[0] != group[1]
    between = [math.dist(a, b) for a, b in zip(groups[0][0], groups[1][0], strict=True)]
    assert max(between) > 32
    speeds = [math.dist(a, b) for a, b in pairwise(found[0])]
    assert max(speeds) <= 4 + 1e-6


def test_members_without_a_speed_keep_their_places() -> None:
    one, other = long_tracks(ReferencePointGroups(speed=3, radius=8, member_speed=0), 2)
    apart = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(one, other, strict=True)]
    assert all(math.dist(apart[0], each) < 1e-6 for each in apart)


def test_streets_are_kept_to() -> None:
    """At most one coordinate is not that of a street, and a node turns only where two meet."""
    found = long_tracks(Manhattan(speed=2, block=20), 5)
    assert is_inside(found)
    assert len({track[0] for track in found}) == 5
    for track in found:
        for x, y in track:
            assert min(abs(math.remainder(x, 20)), abs(math.remainder(y, 20))) < 1e-6
        for a, b in pairwise(track):
            assert abs(a[0] - b[0]) + abs(a[1] - b[1]) == pytest.approx(2, abs=0.21)  # sampled each 0.1 s
    assert max(x for track in found for x, _ in track) > 90


@pytest.mark.slow
@pytest.mark.parametrize("straight", [0.0, 0.5, 0.8])
def test_a_crossing_is_gone_straight_over_so_often(straight: float) -> None:
    """Of crossings from which three ways lead on."""
    found = long_tracks(Manhattan(speed=10, block=10, straight=straight), 20)
    inner = over = 0
    for track in found:
        # It takes a second from a crossing to the next; a sample lies between, always equally far.
        for a, b in pairwise(track):
            (crossing,) = {
                (x, y)
                for x in (10 * math.floor(a[0] / 10), 10 * math.ceil(a[0] / 10))
                for y in (10 * math.floor(a[1] / 10), 10 * math.ceil(a[1] / 10))
                if abs(math.dist((x, y), a) + math.dist((x, y), b) - 10) < 1e-6
            } or {(0, 0)}
            if 0 < crossing[0] < AREA[0] and 0 < crossing[1] < AREA[1]:
                inner += 1
                over += a[0] == b[0] or a[1] == b[1]
    assert inner > 2000
    assert over / inner == pytest.approx(straight, abs=4 * (0.25 / inner) ** 0.5)


@pytest.mark.parametrize(
    ("mobility", "wrong"),
    [
        (ReferencePointGroups(speed=1, radius=40), "radius .40 m. must be less than half"),
        (ReferencePointGroups(speed=1, radius=39.999), "by half of 0.01 m or more"),
        (RandomWalk(speed=(1, 81)), "at 81 m/s a node must take 1 s or more .* not 0.98765"),
        (Manhattan(speed=1, block=81), "block .81 m. must not be longer"),
        (Manhattan(block=20), "needs a speed"),
    ],
)
def test_ways_to_move_that_do_not_fit_are_refused(mobility: Any, wrong: str) -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match=wrong):
        Scenario(area=AREA, nodes=[Group(2, [Broker()], mobility=mobility)])


def test_a_speed_that_a_group_takes_from_its_scenario_is_checked_too() -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match=r"nodes.0.mobility: at 90 m/s"):
        Scenario(
            area=AREA, speed=90, nodes=[Group(2, [Broker()], mobility=RandomWalk()), Group(1, [Broker()])]
        )
