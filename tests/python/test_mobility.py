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
    Group,
    Line,
    MovementFile,
    Publisher,
    RandomWalk,
    RandomWaypoint,
    Scenario,
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


def test_a_group_that_moves_otherwise_leaves_the_others_where_they_were() -> None:
    case = Scenario(area=AREA, duration=20, nodes=[Group(3, ["broker"]), Group(1)], speed=2)
    first = case.replace(nodes=[case.nodes[0], Group(1, mobility=RandomWalk(9))])
    seen: dict[str, Any] = {}
    for name, one in (("same", case), ("other", first)):
        mftpubsub.run(one, observers=[Every(STEP, lambda now, n=name: seen.setdefault(n, []).append(now))])
    for same, other in zip(seen["same"], seen["other"], strict=True):
        assert [(n.x, n.y) for n in same.nodes[:3]] == [(n.x, n.y) for n in other.nodes[:3]]
    assert (seen["same"][-1].nodes[3].x, 0) != (seen["other"][-1].nodes[3].x, 0)


def test_shadowing_by_pair_lets_nodes_move() -> None:
    """It begins with the links of nodes that stand still there, and they change with the distance."""
    case = Scenario(
        area=AREA, duration=30, nodes=[Group(8, ["broker"])], speed=8, channel=Channel(shadowing="pair")
    )
    links: list[Any] = []
    for one in (case, case.replace(mobility=Static())):
        seen: list[Any] = []
        mftpubsub.run(one, observers=[Every(STEP, lambda now, s=seen: s.append(set(now.links)))])
        links.append(seen)
    moving, still = links
    assert moving[0] == still[0]
    assert len({frozenset(now) for now in moving}) > 1
    assert len({frozenset(now) for now in still}) == 1
