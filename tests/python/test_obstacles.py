"""Walls and buildings: who hears whom behind them, on each radio, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import mftpubsub
from mftpubsub import (
    At,
    Broker,
    Cc2420,
    Channel,
    ConfigurationError,
    Group,
    LogDistance,
    LrWpan,
    Obstacle,
    Publisher,
    Scenario,
    Snapshot,
    Static,
    Study,
    Subscriber,
    Wifi,
)
from mftpubsub.scenario.radios import AnyDevice, RadioModel

#: A wall right across the area, and one that a way around is left beside.
ACROSS = [(30, 0), (30, 60)]
HALF = [(30, 0), (30, 30)]
#: dB that no radio here has to spare over 40 m.
THICK = 120.0


def two_houses(
    *, radio: RadioModel | None = None, obstacles: list[Obstacle] | None = None, y: float = 10
) -> Scenario:
    return Scenario(
        area=(60, 60),
        nodes=[
            Group(1, [Broker(), Publisher(rate=1, stop=20, payload=20)], placement=[(10, y)]),
            Group(1, [Broker(), Subscriber()], placement=[(50, y)]),
        ],
        protocol="mft-mesh",
        mobility=Static(),
        duration=30,
        radio=radio or Cc2420(),
        channel=LogDistance(exponent=2.4, reference_loss=45),
        obstacles=obstacles or [],
    )


@pytest.fixture(params=[Cc2420(), Wifi(), LrWpan()], ids=["cc2420", "wifi", "lr-wpan"])
def radio(request: pytest.FixtureRequest) -> RadioModel:
    radio: RadioModel = request.param
    return radio


def test_what_is_behind_a_thick_wall_is_not_reached(radio: RadioModel) -> None:
    free = mftpubsub.run(two_houses(radio=radio))
    walled = mftpubsub.run(two_houses(radio=radio, obstacles=[Obstacle(ACROSS, loss=THICK)]))
    assert free.metrics["delivery_rate_strict"] == free.metrics["reachable"] == 1
    assert walled.metrics["delivery_rate_strict"] == walled.metrics["reachable"] == 0


def test_a_way_beside_a_wall_is_free(radio: RadioModel) -> None:
    wall = [Obstacle(HALF, loss=THICK)]
    assert mftpubsub.run(two_houses(radio=radio, obstacles=wall)).metrics["reachable"] == 0
    assert mftpubsub.run(two_houses(radio=radio, obstacles=wall, y=50)).metrics["reachable"] == 1


def strength(scenario: Scenario) -> int:
    seen: list[Snapshot] = []
    mftpubsub.run(scenario.replace(observers=[At([5], seen.append)]))
    return seen[0].strengths_dbm[0, 1]


def test_each_wall_takes_its_loss(radio: RadioModel) -> None:
    house = [(25, 0), (35, 0), (35, 20), (25, 20), (25, 0)]
    free = strength(two_houses(radio=radio))
    assert strength(two_houses(radio=radio, obstacles=[Obstacle(ACROSS, loss=7)])) == free - 7
    assert strength(two_houses(radio=radio, obstacles=[Obstacle(house, loss=5)])) == free - 10
    both = [Obstacle(ACROSS, loss=7), Obstacle(house, loss=2)]
    assert strength(two_houses(radio=radio, obstacles=both)) == free - 11


@pytest.mark.parametrize("shadowing", ["cell", "pair"])
def test_castalia_s_channel_has_them_however_it_draws(shadowing: str) -> None:
    scenario = two_houses().replace(channel=Channel(shadowing=shadowing, reference_loss=45))  # type: ignore[arg-type]
    wall = [Obstacle(ACROSS, loss=6)]
    assert strength(scenario.replace(obstacles=wall)) == strength(scenario) - 6


def test_a_node_that_walks_behind_a_wall_is_lost_there() -> None:
    """It comes back on the other side of the wall's end."""
    scenario = two_houses(obstacles=[Obstacle([(30, 20), (30, 40)], loss=THICK)])
    walker = Group(
        1, [Broker(), Subscriber()], placement=[(50, 5)], mobility=mftpubsub.Line(to=(50, 55), speed=2)
    )
    seen: list[bool] = []
    mftpubsub.run(
        scenario.replace(
            nodes=[scenario.nodes[0].model_copy(update={"placement": [(10, 30)]}), walker],
            observers=[At([1, 12.5, 24], lambda now: seen.append((0, 1) in now.links))],
        )
    )
    assert seen == [True, False, True]


def test_snapshots_and_pages_have_them() -> None:
    seen: list[Snapshot] = []
    scenario = two_houses(obstacles=[Obstacle([(1, 2), (3, 4)], loss=3)])
    mftpubsub.run(scenario.replace(observers=[At([5], seen.append)]))
    assert seen[0].walls == (((1, 2), (3, 4)),)
    from mftpubsub.views.viewer.page import told_of

    assert told_of(scenario)["walls"] == [[1, 2, 3, 4]]


def test_a_run_without_any_is_what_it_was() -> None:
    """Sweeps that are older know no obstacles."""
    scenario = two_houses()
    assert "obstacles" not in scenario.model_dump(mode="json")
    assert scenario.fingerprint() != two_houses(obstacles=[Obstacle(HALF, loss=3)]).fingerprint()


def test_files_have_them(tmp_path: Path) -> None:
    scenario = two_houses(obstacles=[Obstacle(HALF, loss=3)])
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario
    study = Study.from_yaml(
        "protocols: [mft-mesh]\nspeeds: [0]\nseeds: 1\nmobility: static\nconfigurations:\n"
        "  walled:\n    area: [60, 60]\n    obstacles: {outline: [[1, 2], [3, 4]], loss: 9}\n"
        "    nodes: {count: 4, roles: [broker]}\n"
    )
    [case] = study.cases()
    assert case.obstacles == [Obstacle([(1, 2), (3, 4)], loss=9)]


@pytest.mark.parametrize(
    ("outline", "said"),
    [
        ([(1, 2)], "outline"),
        ([(1, 2), (1, 2)], r"corner \(1, 2\) stands twice in a row"),
        ([(1, 2), (61, 2)], r"obstacles.0.outline: corner \(61, 2\) lies outside the area"),
    ],
)
def test_outlines_that_are_none_are_refused(outline: list[tuple[float, float]], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        two_houses(obstacles=[Obstacle(outline, loss=3)])


def test_a_wall_takes_and_does_not_give() -> None:
    with pytest.raises(ConfigurationError, match="loss"):
        Obstacle(HALF, loss=-1)


def test_a_radio_that_everybody_hears_has_none() -> None:
    with pytest.raises(ConfigurationError, match=r"obstacles: .*radio any .*cc2420, wifi, lr-wpan"):
        Scenario(
            area=(60, 60),
            nodes=[Group(2, [Broker()])],
            radio=AnyDevice(),
            mobility=Static(),
            obstacles=[Obstacle(HALF, loss=3)],
        )
