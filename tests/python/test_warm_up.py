"""A warm-up: what is published before it ends does not count, what is delivered of the rest does."""

from __future__ import annotations

from pathlib import Path

import pytest

import mftpubsub
from mftpubsub import (
    At,
    Broker,
    ConfigurationError,
    Group,
    Publisher,
    RandomWaypoint,
    Scenario,
    Snapshot,
    Subscriber,
    pipeline,
)

WARM = 20.0


def scenario(protocol: str = "mft-pubsub", warm_up: float = WARM) -> Scenario:
    return Scenario(
        area=(60, 60),
        duration=60,
        warm_up=warm_up,
        protocol=protocol,
        nodes=[
            Group(4, [Broker(), Subscriber("topic = 'f1'")]),
            Group(2, [Broker(), Publisher(rate=1, stop=50)]),
        ],
        mobility=RandomWaypoint(speed=8),
    )


@pytest.mark.parametrize("protocol", ["mft-pubsub", "mft-mesh", "aodv"])
def test_metrics_are_of_what_is_published_after_it(protocol: str) -> None:
    result = mftpubsub.run(scenario(protocol))
    trace, metrics = result.to_pandas(), result.metrics
    events = trace[trace.kind == "PUBLISH"]
    kept = events[events.time_s >= WARM][["publisher", "sequence"]]
    assert 0 < len(kept) < len(events)
    assert metrics["published"] == len(kept)
    of_events = trace[trace.publisher.notna()].merge(kept.astype("float64"), on=["publisher", "sequence"])
    assert metrics["sent_pairs"] == (of_events.kind == "SEND").sum()
    assert metrics["delivered_pairs"] == (of_events.kind == "DELIVER").sum()
    assert sum(metrics["lost_by_cause"].values()) == (of_events.layer == "loss").sum()
    frames = trace[(trace.layer == "radio") & (trace.time_s >= WARM)]
    assert metrics["frames"] == len(frames)
    assert metrics["nodes"] == 6
    assert metrics["senders_mean"] == pytest.approx(frames.bytes.sum() * 8 / 250000 / (60 - WARM))


def test_what_happens_does_not_depend_on_it() -> None:
    with_one, without = (mftpubsub.run(scenario(warm_up=warm)).to_pandas() for warm in (WARM, 0.0))
    assert len(with_one[with_one.kind == "WARM"]) == 1
    same = ["app", "broker", "radio", "tree", "bound", "loss"]
    one, other = (
        trace[trace.layer.isin(same)].sort_values([*trace.columns]).reset_index(drop=True)
        for trace in (with_one, without)
    )
    assert one.equals(other)
    energy = [trace[trace.layer == "energy"].kind.astype(float).mean() / 1e6 for trace in (with_one, without)]
    assert energy[1] - energy[0] == pytest.approx(0.068 * WARM, rel=0.05)


def test_an_event_that_arrives_after_it_counts_by_when_it_was_published() -> None:
    """Deliveries of what was published before are not counted, however late."""
    result = mftpubsub.run(scenario())
    found = result.to_pandas("deliveries")
    early = found[(found.published_s < WARM) & (found.delivered_s >= WARM)]
    late = found[found.published_s >= WARM]
    assert result.metrics["delivered_pairs"] == late.delivered_s.notna().sum()
    assert result.metrics["delay_mean_s"] == pytest.approx(late.delay_s.mean())
    assert len(found[found.published_s < WARM]) > 0
    assert len(early) >= 0


def test_counters_of_a_running_network_say_the_same() -> None:
    seen: list[Snapshot] = []
    result = mftpubsub.run(scenario(), observers=[At([60.0], seen.append)])
    (last,) = seen
    metrics = result.metrics
    assert last.counters.published == metrics["published"]
    assert last.counters.wanted == metrics["sent_pairs"]
    assert dict(last.counters.undelivered) == metrics["lost_by_cause"]


@pytest.mark.slow
def test_tables_of_a_study_leave_it_out_too(tmp_path: Path) -> None:
    table = mftpubsub.sweep([scenario(), scenario(warm_up=0.0).replace(config="all")], tmp_path / "study")
    pipeline.run(tmp_path / "study")
    runs = mftpubsub.open_study(tmp_path / "study").runs.set_index("config")
    by_config = table.set_index("config")
    for name in ("custom", "all"):
        assert runs.published[name] == by_config.published[name]
        assert runs.frames[name] == by_config.frames[name]
    assert runs.published["custom"] < runs.published["all"]


def test_it_must_leave_something_to_measure() -> None:
    with pytest.raises(ConfigurationError, match=r"warm_up .70 s. must be before the end"):
        scenario(warm_up=70)
    with pytest.raises(ConfigurationError, match=r"before the last publisher stops .50 s."):
        scenario(warm_up=55)
