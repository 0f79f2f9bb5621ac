"""Wrong calls from Python: each is refused in one line that says what was given and what would be right."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_up import study as made_up_study
from own_flood import Flood
from typer.testing import CliRunner

import mftpubsub
from mftpubsub import (
    AirLab,
    Broker,
    Choice,
    Group,
    Lab,
    Overlay,
    Publisher,
    RandomWaypoint,
    Scenario,
    Subscriber,
    Uniform,
)
from mftpubsub.cli.main import app
from mftpubsub.errors import InstallationError, MftPubsubError, suggest
from mftpubsub.folders import folder_at
from mftpubsub.pipeline.session import session
from mftpubsub.scenario.common import unused_parts

QUICK = Path(__file__).parents[2] / "configs" / "quick.yaml"
SMALL = Scenario(
    area=(40, 40),
    duration=10,
    nodes=[
        Group(2, [Broker(), Subscriber("temp > 20")]),
        Group(1, [Publisher(event={"temp": Uniform(0, 40)})]),
    ],
    mobility=RandomWaypoint(3),
)


@pytest.fixture(scope="module")
def result() -> mftpubsub.Result:
    return mftpubsub.run(SMALL)


def lab() -> Lab:
    made = Lab("mft-pubsub", links=[("a", "b")], root="a")
    made.subscribe("s", at="b", where="x > 1")
    return made


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


def swept(**options: Any) -> Callable[[], object]:
    return lambda: mftpubsub.sweep(SMALL, **options)


def case_at(**chosen: Any) -> Callable[[], object]:
    usual: dict[str, Any] = {"protocol": "mft-pubsub", "config": "C8", "speed": 2, "seed": 1}
    return lambda: mftpubsub.load(QUICK).case(**(usual | chosen))


def compared(frame: Any, **options: Any) -> Callable[[], object]:
    usual: dict[str, Any] = {"by": "p", "metric": "m"}
    return lambda: mftpubsub.compare(frame, **(usual | options))


PAIRS = table(p=["a", "b"], m=[1.0, 2.0], seed=[1, 1])

CASES: dict[str, tuple[Callable[[], object], str]] = {
    "a nameless folder": (lambda: folder_at(""), "a study's folder: '' is no path, such as 'results/thesis'"),
    "a URL that was a Path": (
        lambda: folder_at(Path("s3://bucket/study")),
        "a study's folder: 's3:/bucket/study' is no path of this machine, such as 'results/thesis'; "
        "`mftpubsub sweep` and `ingest` take a URL, and Python does as a text with ://",
    ),
    # cases
    "a text as speed": (case_at(speed="2"), "C8 2 m/s seed 1: speed: input should be a valid number, in m/s"),
    "no speed": (case_at(speed=None), "C8 None m/s seed 1: speed: input should be a valid number, in m/s"),
    # sweeps
    "one value": (swept(over={"seed": 5}), "over: seed: needs a list of values, as in [5]"),
    "a name": (swept(over={"protocol": "aodv"}), "over: protocol: needs a list of values, as in ['aodv']"),
    "a part": (
        swept(over={"overlay": {"leader_timeout": 3}}),
        "over: overlay: needs a list of values; those of leader_timeout are an axis overlay.leader_timeout",
    ),
    "no value": (swept(over={"seed": []}), "over: seed: no values, so there is nothing to run"),
    "no keys": (swept(over=["seed"]), "over: needs values by key, as in {'seed': [1, 2]} (given: ['seed'])"),
    "a file": (lambda: mftpubsub.sweep("a.yaml"), "'a.yaml' is no Scenario; mftpubsub.load(FILE) reads"),  # type: ignore[arg-type]
    "a number": (lambda: mftpubsub.sweep(5), "5 is no Scenario, nor is it a Study"),  # type: ignore[arg-type]
    "nothing": (lambda: mftpubsub.sweep([]), "there is nothing to run: no scenario was given"),
    "workers": (swept(workers="2"), "workers: must be a number of processes, at least 1 (given: '2')"),
    "time limit": (
        swept(time_limit="5"),
        "time_limit: must be a number above 0, in s, 1e+09 at most (given: '5')",
    ),
    "endless time limit": (
        swept(time_limit=math.inf),
        "time_limit: must be a number above 0, in s, 1e+09 at most",
    ),
    "a folder": (swept(out=5), "sweep: out: 5 is no path, such as 'out/mine'"),
    "an axis of none": (
        swept(over={"protocol": ["aodv", "olsr"], "overlay.leader_timeout": [2, 3]}),
        "over: overlay.leader_timeout: aodv, olsr do not depend on it: leave it out",
    ),
    "an axis that is a metric": (
        swept(over={"nodes": [SMALL.nodes, SMALL.nodes[:1]]}),
        "over: nodes: tables have a metric of that name: give each network a name of its own",
    ),
    # comparisons
    "no table": (compared([1]), "compare: needs a table, as `sweep` returns, not [1]"),
    "no rows": (compared(PAIRS.iloc[:0]), "compare: the table has no rows"),
    "text": (compared(PAIRS, metric="p", by="seed", pair="m"), "compare: p has no numbers to compare"),
    "one group": (compared(PAIRS.iloc[:1]), "compare: all rows have p 'a': two values are needed"),
    "a value": (compared(PAIRS, to="B"), "no p 'B'; did you mean 'b'?"),
    "no pair": (compared(PAIRS, pair=[]), "by, metric and pair are to name different columns, pair at least"),
    "the same": (compared(PAIRS, pair="p"), "by, metric and pair are to name different columns"),
    "undefined": (compared(PAIRS.assign(m=math.nan)), "compare: no row has a m"),
    # files
    "load": (lambda: mftpubsub.load(5), "load: 5 is no path, such as 'configs/thesis.yaml'"),  # type: ignore[arg-type]
    "from_yaml": (lambda: Scenario.from_yaml(5), "a scenario file: 5 is no path"),  # type: ignore[arg-type]
    "open_study": (lambda: mftpubsub.open_study(5), "open_study: 5 is no path, such as 'results/thesis'"),  # type: ignore[arg-type]
    "open_run": (lambda: mftpubsub.open_run(None), "open_run: None is no path, such as"),  # type: ignore[arg-type]
    "trace": (lambda: mftpubsub.run(SMALL, 5), "run: trace: 5 is no path, such as 'run.trace.gz'"),  # type: ignore[arg-type]
    # observers
    "a word": (
        lambda: mftpubsub.run(SMALL, observers=["x"]),  # type: ignore[list-item]
        "observers: 'x' is no observer, such as Every(",
    ),
    "a class": (lambda: mftpubsub.run(SMALL, observers=[mftpubsub.Every]), "is no observer, such as Every("),  # type: ignore[list-item]
    "not a list": (lambda: mftpubsub.run(SMALL, observers=5), "observers: 5 is no observer"),  # type: ignore[arg-type]
    "no function": (
        lambda: mftpubsub.Every(1.0, "print"),  # type: ignore[arg-type]
        "Every: callback must be a function of a Snapshot",
    ),
    "text for s": (lambda: mftpubsub.Every("1", print), "Every: interval must be above 0 s (given: '1')"),  # type: ignore[arg-type]
    "no start": (lambda: mftpubsub.Every(1.0, print, start=math.nan), "Every: start must be a number of s"),
    "one time": (lambda: mftpubsub.At(5, print), "At: times must be a list of s, as in [10, 20] (given: 5)"),  # type: ignore[arg-type]
    "nothing to see": (
        lambda: mftpubsub.run(SMALL, observers=[mftpubsub.Every(1.0, print, start=11)]),
        "Every: start (11 s) must not be after the end of the run (10 s)",
    ),
    "wall time": (
        lambda: mftpubsub.Live(print, interval=-1),
        "Live: interval must be 0 s or more (given: -1)",
    ),
    # the laboratory
    "no links": (lambda: Lab("mft-pubsub", links=[], root="a"), "without a link there is no network"),
    "links": (
        lambda: Lab("mft-pubsub", links="ab", root="a"),  # type: ignore[arg-type]
        "links: needs pairs of brokers, as in [('a', 'b')",
    ),
    "a link of three": (
        lambda: Lab("mft-pubsub", links=[("a", "b", "c")], root="a"),  # type: ignore[list-item]
        "(given: ('a', 'b', 'c'))",
    ),
    "not a number": (
        lambda: lab().publish("p", at="a", x=math.nan),
        "attribute x: nan is not a finite number",
    ),
    "half a character": (
        lambda: lab().publish("p", at="a", x="a\udc80"),
        r"attribute x: 'a\udc80' is no text: '\udc80' at position 2 is half a character (a lone surrogate)",
    ),
    "half a character in a filter": (
        lambda: lab().subscribe("s", at="a", where="x = '\udc80'"),
        r"where: needs a text that is UTF-8: '\udc80' at position 6 is half a character",
    ),
    "65 bits": (lambda: lab().publish("p", at="a", x=2**63), "attribute x: 9223372036854775808 does not fit"),
    "no attributes": (lambda: lab().publish("p", at="a"), "an event without attributes, which no filter"),
    "a broker's number": (lambda: lab().parent(1), "broker: needs a text (given: 1)"),  # type: ignore[arg-type]
    "a filter that is a number": (
        lambda: lab().subscribe("s", where=5),  # type: ignore[arg-type]
        "where: needs a text (given: 5)",
    ),
    "a publisher's number": (lambda: lab().publish(5, at="a", x=1), "publisher: needs a text (given: 5)"),  # type: ignore[arg-type]
    "a protocol that is a number": (
        lambda: Lab(5, links=[("a", "b")], root="a"),  # type: ignore[arg-type]
        "protocol: 5 is no name, such as 'mft-pubsub'",
    ),
    "heard of nobody": (
        lambda: lab().hear("b", -80),  # type: ignore[arg-type]
        "heartbeats: needs senders with their RSSI, as in {'b1': -80} (given: -80)",
    ),
    "heard as a text": (lambda: lab().hear("b", {"a": "x"}), "a: 'x' is no RSSI (dBm)"),  # type: ignore[dict-item]
    "roles": (lambda: AirLab(Flood(), roles=5, links=""), "needs a word for each device, as in 'PB B BS'"),  # type: ignore[arg-type]
    "a role": (lambda: AirLab(Flood(), roles=["PB", 5], links=""), "roles: 5 has other letters than"),  # type: ignore[list-item]
    "links of devices": (
        lambda: AirLab(Flood(), roles="PB BS", links=5),  # type: ignore[arg-type]
        "links: needs pairs of devices, as in '0-1 1-2' (given: 5)",
    ),
    "a device's name": (
        lambda: AirLab(Flood(), roles="PB BS", links="0-1").publish("0", topic="a"),  # type: ignore[arg-type]
        "no node '0': there are 0 to 1",
    ),
    "no laboratory": (lambda: mftpubsub.search(5), "search: 5 is no AirLab, Lab or Transcript"),  # type: ignore[arg-type]
    "losses": (lambda: mftpubsub.search(lab(), losses=-1), "losses: needs a count, 0 or more (given: -1)"),
    "payloads": (
        lambda: Publisher(payload=Choice([60, "a"])),
        "payload: a payload is a whole number of B: Choice([60, 900]), not [60, 'a']",
    ),
    "a name with a space": (
        lambda: lab().publish("p", at="a", **{"x y": 1}),
        "'x y' is no name of an attribute",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_a_wrong_call_gives_one_line(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    act, said = CASES[what]
    with pytest.raises(MftPubsubError) as error:
        act()
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda result: result.snapshot("5"), "'5' is no instant, which is a number of s"),
        (lambda result: result.snapshot(math.nan), "nan s lies outside the run, 0 to 10 s"),
        (lambda result: result.plot_network([]), "no instant was given: name one or several, in s"),
        (lambda result: result.plot_network("5"), "'5' is no instant"),
        (lambda result: result.export(), "export: no file was named, such as run.pcapng; names end in .json"),
        (lambda result: result.timeline(0).plot(start=8, stop=3), "start (8 s) must come before stop (3 s)"),
        (lambda result: result.timeline(0).plot(start="8"), "'8' is no instant, which is a number of s"),
        (lambda result: result.timeline(True), "node True is no subscriber; there are 0, 1"),
        (lambda result: result.export(None), "export: None is no path, such as 'run.pcapng'"),
        (lambda result: result.export(["a.xml"]), "export: ['a.xml'] is no path, such as 'run.pcapng'"),
        (lambda result: result.view().save(5), "save: 5 is no path, such as 'view.html'"),
        (
            lambda result: result.timeline(0).plot(stop=30),
            "start (0 s) must come before stop (30 s), both within",
        ),
    ],
)
def test_a_result_refuses_what_it_cannot_show(result: mftpubsub.Result, ask: Any, said: str) -> None:
    with pytest.raises(MftPubsubError) as error:
        ask(result)
    assert said in str(error.value)


def with_filter(text: str, *events: dict[str, Any]) -> Scenario:
    return SMALL.replace(
        nodes=[
            Group(2, [Broker(), Subscriber(text)]),
            *(Group(1, [Publisher(event=event)]) for event in events),
        ]
    )


EVENT = {"temp": Uniform(0, 40), "room": Choice(["lab", "hall"]), "on": True, "mixed": Choice([1, "one"])}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("temp > '20'", "temp (a number) is never compared with '20' (a text)"),
        ("temp = '20' OR room = 'lab'", "temp (a number) is never compared with '20' (a text)"),
        ("NOT temp <> TRUE", "temp (a number) is never compared with TRUE (true or false)"),
        ("room < 'm'", "an order needs a number, and here is room (a text)"),
        ("room BETWEEN 'a' AND 'm'", "an order needs a number, and here is room (a text)"),
        ("temp LIKE '2%'", "LIKE needs a text, and here is temp (a number)"),
        ("temp IN ('20', '30')", "temp (a number) is never compared with '30' (a text)"),
        ("room", "a condition needs true or false, and here is room (a text)"),
        ("temp + room > 3", "arithmetic needs a number, and here is room (a text)"),
        ("-room = 3", "arithmetic needs a number, and here is room (a text)"),
        ("temp = room", "temp (a number) is never compared with room (a text)"),
        ("on > 0", "on (true or false) is never compared with 0 (a number)"),
        ("mixed = TRUE", "mixed (a number, a text) is never compared with TRUE (true or false)"),
    ],
)
def test_a_filter_that_no_type_of_an_event_meets_is_refused(text: str, said: str) -> None:
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        with_filter(text, EVENT)
    assert f"nodes.0.roles.subscriber.where: {text!r} matches no event that is published: {said}" in str(
        error.value
    )


@pytest.mark.parametrize(
    "text",
    [
        "temp > 20 AND temp < 30.5",
        "room = 'lab' OR room LIKE 'h%'",
        "on AND NOT on = FALSE",
        "temp IN (20, 'none')",
        "mixed = 'one' OR mixed > 0",
        "temp * 2 - 1 >= 3",
        "temp IS NULL",
        "room IS NOT NULL",
        "TRUE",
    ],
)
def test_a_filter_that_some_event_may_meet_is_taken(text: str) -> None:
    with_filter(text, EVENT)


def test_what_one_of_several_publishers_publishes_is_enough_for_a_filter() -> None:
    with_filter("temp = 'warm'", {"temp": 3}, {"temp": "warm"})


def test_an_event_has_attributes() -> None:
    with pytest.raises(
        mftpubsub.ConfigurationError, match=r"event\.1: an event without attributes, which no fil"
    ):
        Publisher(event=[{"a": 1}, {}])


def test_parameters_of_another_protocol_are_refused() -> None:
    said = r"scenario: aodv: mft-pubsub does not depend on it: leave it out, or choose .* aodv, aodv-acked"
    with pytest.raises(mftpubsub.ConfigurationError, match=said):
        SMALL.replace(aodv={"arp": True})
    own = SMALL.replace(overlay=Overlay(leader_timeout=5.0))
    assert own.replace(protocol="aodv").overlay == Overlay()  # as the cases of a study
    assert own.replace(protocol="phoenix").overlay == Overlay(leader_timeout=5.0)


STUDY = """
protocols: [{protocols}]
speeds: [2]
seeds: 1
duration: 10
{more}
configurations:
  C2: {{area: [35, 35], nodes: [{{roles: [publisher]}}, {{roles: [broker, subscriber]}}]}}
"""


def test_a_study_is_refused_what_none_of_its_protocols_depends_on(tmp_path: Path) -> None:
    def load(name: str, text: str) -> mftpubsub.Study:
        (tmp_path / name).write_text(text)
        return mftpubsub.load(tmp_path / name)

    overlay = "overlay: {leader_timeout: 5}"
    load("a.yaml", STUDY.format(protocols="mft-pubsub, aodv", more=overlay))
    with pytest.raises(mftpubsub.ConfigurationError, match="overlay: aodv and mpl do not depend on it"):
        load("b.yaml", STUDY.format(protocols="aodv, mpl", more=overlay))
    derived = load(
        "c.yaml", "base: a.yaml\nprotocols: [aodv]\n"
    )  # what the base says is not theirs to leave out
    assert derived.overlay == Overlay()
    with pytest.raises(mftpubsub.ConfigurationError, match="overlay: aodv does not depend on it"):
        load("d.yaml", f"base: a.yaml\nprotocols: [aodv]\n{overlay}\n")
    axes = "axes: {overlay.leader_timeout: [2, 5]}"
    both = load("e.yaml", STUDY.format(protocols="mft-pubsub, aodv", more=axes))
    assert [(case.protocol, case.overlay.leader_timeout, dict(case.axes)) for case in both.cases()] == [
        (protocol, timeout, {"overlay.leader_timeout": place})
        for protocol, timeout, place in (
            ("mft-pubsub", 2, 2),
            ("mft-pubsub", 5, 5),
            ("aodv", Overlay().leader_timeout, 2),
            ("aodv", Overlay().leader_timeout, 5),
        )
    ]
    with pytest.raises(mftpubsub.ConfigurationError, match=r"axes\.overlay\.leader_timeout: aodv do"):
        load("f.yaml", STUDY.format(protocols="aodv", more=axes))


def test_a_study_is_not_refused_for_a_publisher_that_no_node_is() -> None:
    """Of its nodes each says what it publishes; 100 B, the default, would not fit into a frame."""
    own = STUDY.replace("[publisher]", "[{{publisher: {{payload: 20}}}}]")
    text = own.format(protocols="epidemic", more="radio: lr-wpan")
    assert [case.radio.model for case in mftpubsub.Study.from_yaml(text).cases()] == ["lr-wpan"]
    with pytest.raises(mftpubsub.ConfigurationError, match=r"publisher\.payload: 100 B do not fit"):
        mftpubsub.Study.from_yaml(text + "publisher: {payload: 100}\n")


@pytest.mark.parametrize("key", ["publisher.rate", "subscriber", "speed"])
def test_what_no_node_goes_by_is_no_axis(key: str) -> None:
    field = key.partition(".")[0]
    with pytest.raises(mftpubsub.ConfigurationError, match=rf"over: {key}: no node goes by it, as"):
        mftpubsub.sweep(OWN, over={key: [1.0, 2.0]}, out=None)
    with pytest.raises(mftpubsub.ConfigurationError, match=rf"scenario: {field}: no node goes by it, as"):
        OWN.replace(**{field: {} if field != "speed" else 1.0})


#: Where each group says its own.
OWN = SMALL.replace(
    nodes=[
        Group(2, [Broker(), Subscriber("temp > 20")], mobility=RandomWaypoint(2)),
        Group(1, [Publisher(event={"temp": 21})], mobility=mftpubsub.Static()),
    ]
)


def test_a_study_is_refused_what_none_of_its_nodes_goes_by() -> None:
    group = "[{{roles: [broker, subscriber, publisher: {{rate: 2}}], mobility: static}}]"
    text = STUDY.format(protocols="mft-pubsub", more="axes: {publisher.rate: [1, 2]}")
    own = f"  C3: {{area: [35, 35], nodes: {group}}}\n".replace("{{", "{").replace("}}", "}")
    rates = [case.publisher.rate for case in mftpubsub.Study.from_yaml(text + own).cases()]
    assert rates == [1, 2, 1, 1]  # those of C3 have it from nowhere else
    alone = text[: text.index("  C2")] + own
    with pytest.raises(mftpubsub.ConfigurationError, match=r"axes\.publisher\.rate: no node goes by it"):
        mftpubsub.Study.from_yaml(alone)
    alone = alone.replace("axes: {publisher.rate: [1, 2]}", "").replace("[2]", "[2, 4]")
    with pytest.raises(mftpubsub.ConfigurationError, match="speeds: no node goes by it"):
        mftpubsub.Study.from_yaml(alone)


def test_each_protocol_leaves_some_part_to_others() -> None:
    assert "aodv" in unused_parts("mft-pubsub")
    assert "overlay" in unused_parts("aodv")


def test_the_file_that_names_a_missing_base_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("base: gone.yaml\n")
    with pytest.raises(mftpubsub.ConfigurationError) as error:
        mftpubsub.load(tmp_path / "a.yaml")
    assert str(error.value) == f"{tmp_path}/a.yaml: base: {tmp_path}/gone.yaml: No such file or directory"


@pytest.mark.parametrize(("given", "meant"), [("AODV", "aodv"), ("c8", "C8"), ("MFT_PubSub", "mft-pubsub")])
def test_letters_of_another_case_are_understood(given: str, meant: str) -> None:
    assert suggest(given, ["mft-pubsub", "aodv", "C8", "C16"]) == f"did you mean {meant!r}?"


def test_nobody_waits_for_a_master_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(InstallationError) as error:
        session(f"spark://127.0.0.1:{port},no.such.host.invalid:7077")
    assert f"no Spark master answers at spark://127.0.0.1:{port},no" in str(error.value)
    assert "Connection refused; no.such.host.invalid:7077: " in str(error.value)
    with pytest.raises(mftpubsub.ConfigurationError, match="'nohost' is not host:port, as in host:7077"):
        session("spark://nohost")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metric", "hops_max", "--label", "foo=bar"], "no value 'foo': of config there are C2, C4"),
        (["--label", "aodv=AODV"], "Invalid value for --label: says what a figure of one's own is like"),
        (["--x", "speed_mps"], "Invalid value for --x"),
        (["--metric", "hops_max", "--x", "Config"], "no key 'Config'; did you mean 'config'?"),
    ],
)
def test_a_figure_refuses_what_it_cannot_use(tmp_path: Path, options: list[str], said: str) -> None:
    folder = made_up_study(tmp_path, configs=("C2", "C4"), speeds=(8.0,), seeds=2)
    ran = CliRunner().invoke(app, ["figures", str(folder), *options])
    assert ran.exit_code != 0
    assert said in " ".join((ran.output + str(ran.exception)).replace("│", " ").split())


def test_a_number_is_renamed_as_it_is_printed(tmp_path: Path) -> None:
    results = mftpubsub.open_study(made_up_study(tmp_path, configs=("C2",), speeds=(2.0, 8.0), seeds=2))
    drawing = results.figure("hops_max", x="speed_mps", labels={"8": "fast"})
    assert [text.get_text() for text in drawing.axes[0].get_xticklabels()] == ["2", "fast"]
