"""When events come, how large they are, and that every protocol gets the same ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    Choice,
    ConfigurationError,
    Diurnal,
    Group,
    Integer,
    OnOff,
    Periodic,
    Poisson,
    Publisher,
    Recorded,
    Scenario,
    Static,
    Subscriber,
    churn,
    crash,
)
from mftpubsub.scenario import event_files
from mftpubsub.scenario.left_out import left_out

END = 4000.0


def scenario(publisher: Publisher, where: str = "topic = 'f1'", **fields: Any) -> Scenario:
    """A publisher that is its own broker and subscriber: events, and hardly anything on the air."""
    return Scenario(
        area=(40, 40),
        nodes=[Group(1, [Broker(), Subscriber(where), publisher], placement=[(5, 5)])],
        mobility=Static(),
        **{"duration": END + 1, "seed": 3, **fields},
    )


def published(case: Scenario) -> pd.DataFrame:
    trace = mftpubsub.run(case).to_pandas()
    return trace[(trace.layer == "app") & (trace.kind == "PUBLISH")]


def times(arrivals: Any, **fields: Any) -> np.ndarray[Any, Any]:
    own = Publisher(rate=2, arrivals=arrivals, stop=END, event={"topic": "f1"})
    return published(scenario(own, **fields)).time_s.to_numpy()


def dispersion(found: np.ndarray[Any, Any], window: float = 20.0) -> float:
    """Variance of the counts in windows over their mean: 1 for a Poisson process."""
    counts = np.histogram(found, bins=np.arange(0, END + 1, window))[0]
    return float(counts.var(ddof=1) / counts.mean())


@pytest.mark.parametrize(
    ("arrivals", "least", "most"),
    [(Periodic(), 0.0, 0.05), (Poisson(), 0.75, 1.25), (OnOff(on_time=5, off_time=15), 8.0, 40.0)],
    ids=["periodic", "poisson", "on-off"],
)
def test_arrivals_have_the_rate_and_their_own_burstiness(arrivals: Any, least: float, most: float) -> None:
    found = times(arrivals)
    burstiness = dispersion(found)
    assert least <= burstiness <= most
    # Four standard errors of a count whose variance is `burstiness` times its mean.
    assert abs(len(found) / END - 2) <= 4 * np.sqrt(2 * max(burstiness, 0.01) / END)
    assert found.max() < END


def test_on_and_off_are_as_long_as_they_should_be() -> None:
    gaps = np.diff(times(OnOff(on_time=5, off_time=15)))
    # Within bursts 8 events a second: a gap of 3 s is a silence, with 1 in 10^10 exceptions.
    silences = gaps[gaps > 3]
    assert np.mean(silences) == pytest.approx(15 + 3, rel=0.2)  # what is left of an exponential after 3 s
    assert np.mean(gaps[gaps <= 3]) < 0.25


def test_a_diurnal_rate_peaks_where_it_should() -> None:
    found = times(Diurnal(period=400, peak=100, depth=0.8))
    phase = np.cos(2 * np.pi * (found - 100) / 400)
    # The mean of cos under a density of 1 + 0.8 cos is 0.4.
    assert phase.mean() == pytest.approx(0.4, abs=0.04)


def test_arrivals_differ_by_seed_and_not_by_protocol() -> None:
    one = times(Poisson())
    assert np.array_equal(one, times(Poisson(), protocol="aodv"))
    assert not np.array_equal(one, times(Poisson(), seed=4))


def test_payloads_are_drawn() -> None:
    drawn = Publisher(rate=2, payload=Integer(50, 59), stop=300.0, event={"topic": "f1"})
    sizes = published(scenario(drawn, duration=301.0)).bytes
    assert set(sizes) == set(range(50, 60))
    chosen = drawn.model_copy(update={"payload": Choice([60, 300])})
    assert set(published(scenario(chosen, duration=301.0)).bytes) == {60, 300}


EVENTS = "time,publisher,bytes,topic,temp\n30.5,0,100,f1,\n10.25,0,80,f1,2.5\n11,1,90,f1,\n70,0,100,,7\n"


def recorded(folder: Path, text: str | bytes = EVENTS) -> Recorded:
    path = folder / "events.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Recorded(path)


def test_recorded_events_are_replayed(tmp_path: Path) -> None:
    trace = mftpubsub.run(
        scenario(Publisher(arrivals=recorded(tmp_path)), "topic = 'f1' OR temp > 0", duration=60.0)
    ).to_pandas()
    events = trace[trace.kind == "PUBLISH"]
    assert list(zip(events.time_s, events.bytes, strict=True)) == [(10.25, 80), (30.5, 100)]
    assert len(trace[trace.kind == "SEND"]) == 2  # both match: temp and topic arrive


def test_events_after_the_end_of_a_run_are_told_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = scenario(Publisher(arrivals=recorded(tmp_path)), "topic = 'f1'", duration=60.0)
    file = tmp_path / "events.csv"
    late = (
        f"{file}: 1 of 4 events are left out, since the run ends at 60 s: duration must be above 70 for all"
    )
    other = (
        f"{file}: 1 of 4 events are left out, since `publisher` counts from 0 the nodes of the group, which "
        "has 1"
    )
    result = mftpubsub.run(case)
    assert capsys.readouterr().err.splitlines() == result.notes == [late, other]
    assert late in repr(result)
    mftpubsub.sweep(case, over={"seed": [1, 2]}, workers=1)
    assert capsys.readouterr().err.splitlines().count(late) == 1
    stopped = Publisher(arrivals=recorded(tmp_path), stop=40.0)
    assert left_out(scenario(stopped, "topic = 'f1'", duration=60.0)) == [other]


def test_a_recording_is_part_of_what_a_run_is(tmp_path: Path) -> None:
    one = scenario(Publisher(arrivals=recorded(tmp_path)))
    other = tmp_path / "other"
    other.mkdir()
    moved = scenario(Publisher(arrivals=recorded(other)))
    assert one.fingerprint() == moved.fingerprint()
    changed = scenario(Publisher(arrivals=recorded(other, EVENTS.replace("10.25", "10.5"))))
    assert one.fingerprint() != changed.fingerprint()


def test_a_recording_is_found_from_its_scenario_file(tmp_path: Path) -> None:
    recorded(tmp_path)
    file = tmp_path / "case.yaml"
    file.write_text(
        "area: [40, 40]\nmobility: static\nduration: 60\nnodes:\n"
        "- count: 1\n  roles:\n  - broker\n  - subscriber: {where: temp > 0}\n"
        "  - publisher: {arrivals: {model: recorded, path: events.csv}}\n"
    )
    case = Scenario.from_yaml(file)
    assert Scenario.from_yaml(case.to_yaml()).fingerprint() == case.fingerprint()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("time,topic\n1,f1\n", "events.csv:1: no column 'bytes'; its first line has time, topic"),
        ("time,bytes,topic\n1,2,f1\n", "events.csv:2: bytes: input should be greater than or equal to 6"),
        ("time,bytes,topic\n1,100,f1\nx,100,f1\n", "events.csv:3: time: "),
        ("time,bytes,topic\n1,100\n", "events.csv:2: not as many values"),
        ("time,bytes,topic\n1,100,\n", "events.csv:2: an event without attributes"),
        ("time,bytes,topic\nnan,100,f1\n", "events.csv:2: time: "),
        ("time,bytes,topic\n1_0,100,f1\n", "events.csv:2: time: '1_0' is no number such as 12"),
        ("time,bytes,topic\n1,\uff11\uff10\uff10,f1\n", "events.csv:2: bytes: '\uff11"),
        ("time,bytes,topic\n", "events.csv: no events"),
        ('time,bytes,topic\n1,100,"f1\n2,100,f1\n', "events.csv:2: unexpected end of data; is a quote left"),
        ("time,bytes,topic\n1,100," + "x" * 200_000, "events.csv:2: field larger than field limit"),
        ("time,bytes,topic\n1,100," + "x" * 65_536, "events.csv:2: topic: 'xxxxx"),
        (b"time,bytes,topic\n1,100,\xff\n", "events.csv: no file of text in UTF-8"),
        ("time,bytes,topic name\n1,100,f1\n", "'topic name' is no name of an attribute"),
    ],
)
def test_a_wrong_recording_is_refused_with_its_line(tmp_path: Path, text: str | bytes, wrong: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Publisher(arrivals=recorded(tmp_path, text))
    assert wrong in str(refused.value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "time,bytes,publisher,temp\n1,80,1,5\n2,80,2,5\n",
            "events.csv has events of publisher 2 and none of 0: `publisher` counts the 2 nodes of the group",
        ),
        ("time,bytes,temp\n10,80,5\n", "events.csv has no event from 0 s to 10 s"),
    ],
)
@pytest.mark.parametrize("is_named", [False, True])
def test_a_recording_of_which_nothing_would_be_published_is_refused(
    tmp_path: Path, text: str, wrong: str, is_named: bool
) -> None:
    publisher = Publisher(arrivals=recorded(tmp_path, text))
    group = mftpubsub.Group(2, ["publisher" if is_named else publisher])
    others = mftpubsub.Group(5, ["broker", mftpubsub.Subscriber("temp > 1")])
    with pytest.raises(ConfigurationError) as refused:
        Scenario(
            area=(40, 40),
            nodes=[others, group],
            mobility=mftpubsub.Static(),
            duration=10,
            publisher=publisher if is_named else Publisher(event={"temp": 1}),
        )
    assert wrong in str(refused.value)


def test_values_of_a_recording_are_what_a_filter_reads(tmp_path: Path) -> None:
    given = {
        "12_5": "12_5",
        "\uff11": "\uff11",
        "1e3": 1000.0,
        " -.5": -0.5,
        "+7": 7,
        "nan": "nan",
        "9" * 30: "9" * 30,
        "9223372036854775807": 2**63 - 1,
        "-9223372036854775807": 1 - 2**63,
        "0" * 5000: 0,
    }
    lines = "".join(f"{n},100,{text}\n" for n, text in enumerate(given))
    events = event_files.read(str(recorded(tmp_path, f"time,bytes,temp\n{lines}").path), "")
    assert [one.attributes["temp"] for one in events] == [*given.values()]


def test_what_a_recording_says_is_not_said_twice(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="rate: the file of recorded events says it"):
        Publisher(arrivals=recorded(tmp_path), rate=3)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"arrivals": "poison"}, "no arrivals model 'poison'; did you mean 'poisson'"),
        ({"arrivals": {"model": "on-off", "on_time": 5}}, "off_time: field required"),
        ({"arrivals": Poisson, "rate": 1}, "no arrivals model"),
        ({"payload": "many"}, "payload"),
        ({"payload": mftpubsub.Uniform(10, 20)}, "a payload is a whole number"),
        ({"payload": Integer(1, 20)}, "greater than or equal to 6"),
        ({"payload": Integer(6, 60_001)}, "less than or equal to 60000"),
        ({"payload": mftpubsub.Choice([6, 60_001, 7])}, "less than or equal to 60000"),
    ],
)
def test_wrong_traffic_is_refused(fields: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Publisher(**fields)
    assert wrong in str(refused.value)


def pair(**fields: Any) -> Scenario:
    return Scenario(
        area=(40, 40),
        nodes=[
            Group(3, [Broker()], placement=[(5, 5), (15, 5), (25, 5)]),
            Group(1, [Subscriber()], placement=[(5, 15)]),
            Group(1, [Publisher()], placement=[(15, 15)]),
        ],
        mobility=Static(),
        duration=2000.0,
        **fields,
    )


def test_churn_takes_nodes_down_as_long_as_it_says() -> None:
    crashes = pair(faults=[churn("brokers", mtbf=90, mttr=10)]).crashes()
    assert {each.crash for each in crashes} == {0, 1, 2}
    down = [each.restart - each.at for each in crashes if each.restart is not None]
    assert len(crashes) == pytest.approx(3 * 2000 / 100, rel=0.35)
    assert np.mean(down) == pytest.approx(10, rel=0.35)


def test_churn_is_the_same_for_every_protocol_and_another_with_another_seed() -> None:
    case = pair(faults=[churn([1], mtbf=90, mttr=10, start=500, stop=600)])
    crashes = case.crashes()
    assert crashes == case.replace(protocol="aodv").crashes() != case.replace(seed=2).crashes()
    assert all(500 <= each.at < 600 for each in crashes)


def test_churn_is_in_the_trace() -> None:
    case = pair(faults=[churn([0], mtbf=30, mttr=5)]).replace(duration=200.0)
    trace = mftpubsub.run(case).to_pandas()
    found = trace[(trace.layer == "fault") & (trace.op == "-")]
    wanted = [each.at for each in case.crashes()]
    assert wanted
    assert found.time_s.to_numpy() == pytest.approx(wanted, abs=1e-6)


def test_churn_and_a_crash_of_the_same_node_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="node 0 is off already"):
        pair(faults=[churn([0], mtbf=30, mttr=1000), crash(0, at=1999)])
    with pytest.raises(ConfigurationError, match=r"faults.0: start \(50 s\) must come before stop \(40 s\)"):
        pair(faults=[churn(mtbf=30, mttr=5, start=50, stop=40)])


def test_churn_is_read_from_a_file() -> None:
    case = pair(faults=[{"churn": "brokers", "mtbf": 90, "mttr": 10}])
    assert Scenario.from_yaml(case.to_yaml()).crashes() == case.crashes()


def test_an_attribute_may_be_called_as_a_word_of_yaml(tmp_path: Path) -> None:
    """YAML 1.1 takes `on` and `no` for truth values."""
    case = Scenario.from_yaml(
        "area: [40, 40]\nmobility: static\nduration: 10\nnodes:\n"
        "- roles: [broker, {subscriber: {where: 'on = true AND no = 3'}}]\n"
        "- roles: [{publisher: {event: {on: true, no: 3}}}]\n"
    )
    assert mftpubsub.run(case).metrics["sent_pairs"] > 0
    assert Scenario.from_yaml(case.to_yaml()) == case
    with pytest.raises(ConfigurationError, match=r"arrivals\.on: unknown key; known keys are model, on_time"):
        Scenario.from_yaml(case.to_yaml() + "publisher: {arrivals: {model: on-off, on: 2, off_time: 3}}\n")
