"""Nodes with a height: who reaches whom, how they move up there, and what is refused."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

import mftpubsub
from mftpubsub import (
    At,
    Broker,
    Cc2420,
    Channel,
    ConfigurationError,
    GaussMarkov,
    Group,
    Line,
    LogDistance,
    LrWpan,
    Manhattan,
    MovementFile,
    Obstacle,
    Publisher,
    RandomWalk,
    RandomWaypoint,
    ReferencePointGroups,
    Scenario,
    Snapshot,
    Static,
    Subscriber,
    TwoRay,
    Waypoints,
    Wifi,
)
from mftpubsub.scenario.mobility import MobilityModel
from mftpubsub.scenario.positions import Waypoint
from mftpubsub.scenario.radios import RadioModel
from mftpubsub.views.plots import draw_networks
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.records import Clock
from mftpubsub.views.viewer.replay import Film
from mftpubsub.views.viewer.walk import _places


@pytest.fixture(params=[Cc2420(), Wifi(), LrWpan()], ids=["cc2420", "wifi", "lr-wpan"])
def radio(request: pytest.FixtureRequest) -> RadioModel:
    radio: RadioModel = request.param
    return radio


def two(place: tuple[float, ...], other: tuple[float, ...], *, radio: RadioModel | None = None) -> Scenario:
    return Scenario(
        area=(200, 200),
        nodes=[
            Group(1, [Broker(), Publisher(rate=4, stop=20, payload=20)], placement=[place]),  # type: ignore[list-item]
            Group(1, [Broker(), Subscriber()], placement=[other]),  # type: ignore[list-item]
        ],
        protocol="mft-mesh",
        mobility=Static(),
        duration=25,
        radio=radio or Cc2420(),
        channel=LogDistance(exponent=2.4, reference_loss=45),
    )


def seen(scenario: Scenario, at: float = 5) -> Snapshot:
    kept: list[Snapshot] = []
    mftpubsub.run(scenario.replace(observers=[At([at], kept.append)]))
    return kept[0]


def test_a_link_of_20_m_on_the_ground_is_none_to_a_height_beyond_range(radio: RadioModel) -> None:
    low = mftpubsub.run(two((10, 10), (30, 10), radio=radio))
    high = mftpubsub.run(two((10, 10), (30, 10, 5000), radio=radio))
    assert low.metrics["delivery_rate_strict"] == low.metrics["reachable"] == 1
    assert high.metrics["delivery_rate_strict"] == high.metrics["reachable"] == 0


def test_a_height_is_as_far_as_the_same_way_on_the_ground(radio: RadioModel) -> None:
    """30 m and 40 m up are 50 m: the same strength, and of each frame the same fate."""
    up = two((10, 10), (40, 10, 40), radio=radio)
    flat = two((10, 10), (60, 10), radio=radio)
    assert seen(up).strengths_dbm[0, 1] == seen(flat).strengths_dbm[0, 1]
    assert seen(up).strengths_dbm[0, 1] < seen(two((10, 10), (40, 10), radio=radio)).strengths_dbm[0, 1]
    lossy = [
        each.replace(channel=LogDistance(exponent=2.4, reference_loss=_edge(radio))) for each in (up, flat)
    ]
    traces = [mftpubsub.run(each).to_pandas() for each in lossy]
    assert traces[0].equals(traces[1])


def _edge(radio: RadioModel) -> float:
    """A reference loss at which 50 m are near the end of the radio's reach, dB."""
    return {"cc2420": 54.0, "wifi": 69.0, "lr-wpan": 63.0}[radio.model]


@pytest.mark.parametrize("shadowing", ["cell", "pair"])
def test_castalia_s_channel_counts_heights_however_it_draws(shadowing: str) -> None:
    channel = Channel(shadowing=shadowing, sigma=0, bidirectional_sigma=0, reference_loss=45)  # type: ignore[arg-type]
    up = two((12.5, 12.5), (42.5, 12.5, 40)).replace(channel=channel)
    flat = two((12.5, 12.5), (62.5, 12.5)).replace(channel=channel)
    assert seen(up).strengths_dbm[0, 1] == seen(flat).strengths_dbm[0, 1]
    assert (
        seen(two((12.5, 12.5, 9), (62.5, 12.5, 9)).replace(channel=channel)).strengths_dbm
        == seen(flat).strengths_dbm
    )


def test_antennas_of_two_ray_are_as_high_as_their_nodes() -> None:
    """Beyond the crossover strength goes by the square of each height."""
    ground = two((10, 10), (190, 10), radio=Wifi()).replace(channel=TwoRay(height=1, frequency=9e8))
    up = two((10, 10, 1), (190, 10, 1), radio=Wifi()).replace(channel=TwoRay(height=1, frequency=9e8))
    assert seen(up).strengths_dbm[0, 1] - seen(ground).strengths_dbm[0, 1] == pytest.approx(
        40 * math.log10(2), abs=1
    )


def test_a_wall_shades_what_passes_below_its_height(radio: RadioModel) -> None:
    wall = Obstacle([(30, 0), (30, 60)], loss=3, height=12)
    for first, second, is_shaded in [
        ((10, 10), (50, 10), True),
        ((10, 10), (50, 10, 20), True),
        ((10, 10), (50, 10, 30), False),
        ((10, 10, 13), (50, 10, 13), False),
        ((10, 10, 11), (50, 10, 11), True),
        ((25, 10), (50, 10, 30), True),
    ]:
        free = two(first, second, radio=radio)
        lost = seen(free).strengths_dbm[0, 1] - seen(free.replace(obstacles=[wall])).strengths_dbm[0, 1]
        assert lost == (3 if is_shaded else 0), (first, second)


def test_all_pass_a_wall_of_no_height(radio: RadioModel) -> None:
    high = two((10, 10, 400), (50, 10, 400), radio=radio)
    walled = high.replace(obstacles=[Obstacle([(30, 0), (30, 60)], loss=3)])
    assert seen(high).strengths_dbm[0, 1] - seen(walled).strengths_dbm[0, 1] == 3


def moving(mobility: MobilityModel, **group: object) -> Scenario:
    return Scenario(
        area=(100, 100),
        nodes=[
            Group(1, [Broker(), Publisher(stop=15)], mobility=Static(), placement=[(50, 50)]),
            Group(3, [Broker(), Subscriber()], mobility=mobility, **group),  # type: ignore[arg-type]
        ],
        duration=20,
    )


@pytest.mark.parametrize(
    "mobility",
    [
        RandomWaypoint(speed=5),
        RandomWaypoint(speed=5, start="steady-state"),
        RandomWalk(speed=5, interval=2),
        GaussMarkov(speed=5),
        ReferencePointGroups(speed=5, radius=10),
        Manhattan(speed=5, block=25),
        Line((90, 90), speed=5),
        Waypoints([[(0, 10, 10), (10, 90, 10)]] * 3),
        Static(),
    ],
    ids=lambda mobility: f"{mobility.model}{'-steady' * (getattr(mobility, 'start', '') == 'steady-state')}",
)
def test_whoever_moves_stays_in_the_plane_of_its_group(mobility: MobilityModel) -> None:
    """And goes there as others go on the ground."""
    plane, ground = moving(mobility, height=30), moving(mobility)
    for at in (0.2, 7, 19):
        up, low = seen(plane, at), seen(ground, at)
        assert [node.z for node in up.nodes] == [0, 30, 30, 30]
        assert [(node.x, node.y) for node in up.nodes] == [(node.x, node.y) for node in low.nodes]
        assert [node.z for node in low.nodes] == [0, 0, 0, 0]


def test_a_drone_climbs_on_a_line_and_by_waypoints() -> None:
    line = moving(Line((50, 50, 60), speed=10), placement=[(50, 50, 10)] * 3)
    assert [seen(line, at).nodes[1].z for at in (2, 5, 7)] == pytest.approx([30, 60, 40], abs=1.1)
    way: list[Waypoint] = [(0.0, 10.0, 10.0), (10.0, 10.0, 10.0, 50.0), (20.0, 10.0, 10.0, 0.0)]
    points = moving(Waypoints([way] * 3), height=20)
    assert [seen(points, at).nodes[1].z for at in (0.1, 5, 15)] == pytest.approx([20, 35, 25], abs=0.6)


def test_a_file_of_ns_2_says_how_high_its_nodes_are(tmp_path: Path) -> None:
    path = tmp_path / "drones.mob"
    path.write_text(
        "".join(
            f"$node_({i}) set {name}_ {value}\n" for i in range(3) for name, value in (("X", 10), ("Y", 20))
        )
        + '$node_(1) set Z_ 40.5\n$ns_ at 1.0 "$node_(1) setdest 60.0 20.0 10.0"\n'
    )
    heights = [
        [node.z for node in seen(moving(MovementFile(path), height=30), at).nodes] for at in (0.5, 4, 15)
    ]
    assert heights == [[0, 30, 40.5, 30]] * 3
    path.write_text(path.read_text().replace("40.5", "-1"))
    with pytest.raises(ConfigurationError, match=r"drones.mob:7: heights are 0 to 1e\+06 m, not -1"):
        moving(MovementFile(path))


def test_on_the_ground_nothing_is_said_of_heights() -> None:
    """Older runs and files stay what they are."""
    flat = two((10, 10), (30, 10))
    assert two((10, 10, 0), (30, 10, 0.0)) == flat
    assert two((10, 10, 0), (30, 10, 0.0)).fingerprint() == flat.fingerprint()
    assert "height" not in str(flat.model_dump(mode="json"))
    assert "height" not in str(flat.replace(obstacles=[Obstacle([(1, 2), (3, 4)], loss=3)]).model_dump())
    assert two((10, 10), (30, 10, 5)).fingerprint() != flat.fingerprint()
    assert moving(Static(), height=3).fingerprint() != moving(Static()).fingerprint()


def test_a_position_on_the_ground_stays_there_in_a_group_that_flies() -> None:
    scenario = moving(Static(), height=30, placement=[(1, 2), (3, 4, 0), (5, 6, 7)])
    assert [node.z for node in seen(scenario).nodes] == [0, 30, 0, 7]
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario


def test_tables_pictures_and_pages_tell_heights(tmp_path: Path) -> None:
    scenario = moving(Line((50, 50, 60), speed=10), placement=[(50, 50, 10)] * 3)
    snapshot = seen(scenario, 2)
    assert list(snapshot.to_pandas()["z"]) == [node.z for node in snapshot.nodes]
    [axes] = draw_networks([snapshot])
    assert {text.get_text() for text in axes.texts} >= {"0", "1 (30 m up)"}
    film = Film()
    film.take(snapshot)
    assert columns(film) >= {"film.z"}
    flat = Film()
    flat.take(seen(moving(Static())))
    assert "film.z" not in columns(flat)


def columns(film: Film) -> set[str]:
    kept = Columns()
    film.add_to(kept, Clock(1e-6))
    header = gzip.decompress(kept.block({}))
    size = int.from_bytes(header[:4], "little")
    return {info["name"] for info in json.loads(header[4 : 4 + size])["columns"]}


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ({"height": -1}, r"height.*greater than or equal to 0"),
        ({"placement": [(1, 2), (3, 4), (5, 6, -7)]}, r"placement.*greater than or equal to 0"),
        ({"placement": [(1, 2), (3, 4), (5, 6, 7, 8)]}, r"a position is \[x, y\] or \[x, y, z\] in m, not"),
        ({"placement": [(1, 2), (3, 4), 5]}, r"a position is \[x, y\] or \[x, y, z\] in m, not 5"),
        ({"height": math.inf}, "height"),
    ],
)
def test_heights_that_are_none_are_refused(group: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        moving(Static(), **group)


def test_places_of_walks_of_other_programs_have_heights() -> None:
    course = np.array([[0, 1, 2, 3, 0, 0, 1], [10, 1, 2, 13, 0, 0, 0]], float)
    assert _places(course, np.array([0.0, 5.0, 12.0]))[:, 2].tolist() == [3, 8, 13]
