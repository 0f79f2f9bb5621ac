"""Reports: what stands in them can be had again by the commands that stand in them."""

from __future__ import annotations

import math
import re
import shlex
import shutil
from html.parser import HTMLParser
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_up import study
from typer.testing import CliRunner

from mftpubsub import labels
from mftpubsub.cli.main import app
from mftpubsub.errors import MftPubsubError
from mftpubsub.scenario.radios import RADIOS
from mftpubsub.sources.thesis import statements
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.statistics import ends
from mftpubsub.studies import claims, numbers, provenance, report, sensitivity
from mftpubsub.studies.report import overview, pages
from mftpubsub.studies.results import StudyResults
from mftpubsub.trace.layout import KEYS

PROTOCOLS = ("mft-pubsub", "aodv", "cascading")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of a study and of two variants of a part of it."""
    root = tmp_path_factory.mktemp("tables")
    study(root / "thesis", protocols=PROTOCOLS, configs=("C2", "C8", "C16"))
    keys = {"configs": ("C8", "C16"), "speeds": (2.0, 8.0), "seeds": 3}
    for name in ("retries-0", "sigma-0"):
        study(root / "sensitivity" / name, **keys)  # type: ignore[arg-type]
    sensitivity.make(StudyResults(root / "thesis"), root / "sensitivity", THESIS)
    return root


@pytest.fixture
def results(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """results/thesis below the working directory."""
    monkeypatch.chdir(tmp_path)
    return make_study(tables)


@pytest.fixture(scope="module")
def reported(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with its report, to be read only. Of its figures two are there."""
    root = tmp_path_factory.mktemp("reported")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        folder = make_study(tables)
        (folder / "figures").mkdir()
        for name in ("overview", "fig4_5a"):
            (folder / "figures" / f"{name}.png").touch()
        report.make(StudyResults(folder), THESIS)
    return root / "results" / "thesis"


def make_study(tables: Path) -> Path:
    folder = Path(shutil.copytree(tables, "results")) / "thesis"
    (folder / "studies").mkdir()
    (folder / "studies" / "thesis.yaml").write_text(
        "# mftpubsub sweep configs/thesis.yaml --out results/thesis\n"
        "about: Who delivers more?\nduration: 250.0\nradio: {tx_power: -5.0}\n"
        "protocols: [aodv]\nspeeds: [2.0]\nseeds: [5, 6]\nconfigurations:\n  C2:\n    area: [35.0, 20.0]\n"
        "    nodes: [{count: 2, roles: [publisher]}, "
        "{count: 1, roles: [{subscriber: {where: [x > 1]}}, broker]}]\n"
    )
    return folder


def ask(results: Path, question: str) -> None:
    """Lets the study be about something else."""
    path = results / "studies" / "thesis.yaml"
    path.write_text(path.read_text().replace("Who delivers more?", question))


def call(command: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert result.exit_code == 0, (command, result.output)
    return result.output


@pytest.mark.usefixtures("one_kind_of_picture")
@pytest.mark.slow
def test_figures_and_reports_say_where_they_are(results: Path) -> None:
    drawn = call("mftpubsub figures results/thesis").split()
    assert "results/thesis/figures/fig4_5a.png" in drawn
    assert all(Path(path).is_file() for path in drawn)
    assert call("mftpubsub report results/thesis").split() == [
        "results/thesis/report.md",
        "results/thesis/report.html",
    ]


@pytest.mark.slow
def test_a_figure_of_ones_own_is_where_it_was_asked_for(results: Path, tmp_path: Path) -> None:
    asked = "mftpubsub figures results/thesis --metric hops_max --by config --x protocol --log --no-title"
    asked += " --only speed_mps=2,8 --label aodv=unicast --style paper"
    assert call(f"{asked} --out a.pdf --out a.svg").split() == ["a.pdf", "a.svg"]
    assert ">unicast</text>" in (tmp_path / "a.svg").read_text()
    stem = "results/thesis/figures/hops_max_over_protocol_by_config"
    assert call(asked).split() == [f"{stem}.png", f"{stem}.svg", f"{stem}.pdf"]


def test_a_table_can_be_had_as_csv_and_as_json(results: Path) -> None:
    asked = "mftpubsub table results/thesis --metric hops_max --only config=C2"
    csv = pd.read_csv(StringIO(call(f"{asked} --csv")))
    assert [*csv] == ["protocol", "config", "speed_mps", "metric", "mean", "ci95", "sd", "n"]
    assert len(csv) == len(PROTOCOLS) * 5
    pd.testing.assert_frame_equal(pd.read_json(StringIO(call(f"{asked} --json"))), csv, check_dtype=False)
    assert CliRunner().invoke(app, [*shlex.split(asked)[1:], "--csv", "--json"]).exit_code == 2


@pytest.mark.usefixtures("one_kind_of_picture")
@pytest.mark.slow
def test_every_table_can_be_printed_again_by_the_command_below_it(results: Path) -> None:
    call("mftpubsub report results/thesis")
    text = "".join((results / name).read_text() for name in pages.NAMES)
    tables = re.findall(r"((?:^\|.*\n)+)\n`(mftpubsub [^`]*)`$", text, re.MULTILINE)
    assert len(tables) >= 15
    assert len(re.findall(r"^\| --- ", text, re.MULTILINE)) == len(tables) + 1  # the matrix of verdicts
    for table, command in tables:
        assert table in call(command)


@pytest.mark.slow
def test_a_number_of_the_report_is_the_mean_of_the_runs(reported: Path) -> None:
    runs = pd.read_parquet(reported / "tables" / "runs.parquet")
    case = runs.query("protocol == 'aodv' and config == 'C8' and speed_mps == 8")["frames_per_node"]
    half = 2.7764451 * case.std() / 5**0.5
    figure = (reported / "cases.md").read_text().split("## Figure 4.8")[1].split("##")[0]
    assert f"{case.mean():.1f} ± {half:.1f} (5)" in figure


@pytest.mark.slow
def test_the_report_begins_with_what_was_asked_and_what_came_out(reported: Path) -> None:
    first = (reported / "report.md").read_text()
    assert first.split("\n\n")[1] == "Who delivers more?"
    assert "Against AODV, of 31 statements, " in first.split("\n\n")[2]
    assert "What follows is of C16, 8 m/s." in first
    assert re.findall(r"\]\(figures/(.*)\.png\)", first) == ["overview"]
    assert "only config=C16 --only speed_mps=8`" in first
    methods = (reported / "methods.md").read_text()
    assert (
        "MFT-PubSub; AODV; first approach: 3 networks (C2, C8, C16) at 2, 4, 6, 8, 10 m/s, 5 seeds."
        in methods
    )
    assert "225 runs in all" in methods
    assert "- C2: 35 x 20 m, 2 publishers, 1 subscriber and broker (x > 1)\n" in methods
    assert "- simulated time: 250 s\n- radio: CC2420 at -5 dBm" in methods


@pytest.mark.parametrize(
    ("joules", "sentence", "has_column"),
    [
        ([20.35, 20.4], "Energy is nearly the same under all: 20.35 to 20.4 J a node.", False),
        ([1.7, 1.70001], "Energy is nearly the same under all: 1.7 J a node.", False),
        (
            [8.0, 20.4],
            "A node takes the least energy under AODV, 8 J, and the most under MFT-Mesh, 20.4 J.",
            True,
        ),
        (
            [20.35, 20.4, math.nan],
            "Energy is nearly the same under all protocols for which it is known: 20.35 to 20.4 J a node.",
            False,
        ),
        ([20.35, math.nan], "Messages per node: 5 under all.", True),
    ],
)
def test_energy_has_a_column_only_where_it_differs(
    joules: list[float], sentence: str, has_column: bool
) -> None:
    protocols = ["aodv", "mft-mesh", "flooding"][: len(joules)]
    runs = pd.DataFrame(
        {"protocol": protocols, "config": "C2", "speed_mps": 2.0, "seed": 1, "published": 9}
        | {"frames_per_node": 5.0, "energy_per_node_j": joules}
    )
    assert overview.answer(runs)[-1] == sentence
    _, table = overview.outcome(runs, "results/mine")
    assert any("energy" in heading for heading in table.heading) is has_column
    assert ("energy_per_node_j" in table.command) is has_column


def test_the_answer_compares_protocols_at_one_place_on_the_axes() -> None:
    """The first one at which most of them ran: not means over radios that some of them did not run on."""
    rates = {("phoenix", "lr-wpan"): 0.5, ("phoenix", "wifi"): 0.9, ("aodv", "wifi"): 0.7}
    runs = pd.DataFrame(
        [
            {
                "protocol": protocol,
                "config": "C8",
                "speed_mps": 8.0,
                "radio": radio,
                "seed": seed,
                "delivery_rate_strict": rate,
            }
            for (protocol, radio), rate in rates.items()
            for seed in (1, 2)
        ]
    )
    assert overview.answer(runs) == [
        "What follows is of C8, 8 m/s, radio wifi.",
        "Of all wanted pairs most are delivered under Phoenix, 90 %, and fewest under AODV, 70 %.",
    ]


@pytest.mark.slow
def test_the_answer_names_the_first_and_the_last(reported: Path) -> None:
    runs = pd.read_parquet(reported / "tables" / "runs.parquet").query("config == 'C16' and speed_mps == 8")
    means = runs.groupby("protocol")["frames_per_node"].mean()
    answer = (reported / "report.md").read_text().split("\n\n")[2]
    fewest, most = labels.label(means.idxmin()), labels.label(means.idxmax())
    assert re.search(f"fewest messages under {fewest}, [0-9.]+, and the most under {most}, ", answer)


@pytest.mark.slow
def test_the_report_is_short_and_leads_to_each_statement(reported: Path) -> None:
    text, behind = ((reported / name).read_text() for name in ("report.md", "claims.md"))
    assert text.count("\n") <= 200
    assert {*re.findall(r"claims\.md#([\w-]+)", text)} == {*re.findall(r"^## (\S+)$", behind, re.MULTILINE)}
    for name in ("claims.md", *pages.NAMES):
        lines = (reported / name).read_text().splitlines()
        cells = [cell for line in lines if line.startswith("|") for cell in line.split(" | ")]
        assert max(map(len, cells), default=0) <= numbers.WIDEST
    for cell in re.findall(r"<td[^>]*>(.*?)</td>", (reported / "report.html").read_text(), re.DOTALL):
        assert len(re.sub(r"<[^>]*>", "", cell).strip()) <= numbers.WIDEST


def test_what_is_undecided_has_its_p_value(results: Path) -> None:
    judged = claims.against_each(StudyResults(results).runs, THESIS)["aodv"]
    undecided = [verdict for verdict in judged if verdict.verdict == claims.UNDECIDED and verdict.p_all < 1]
    assert all("p = " in verdict.text or "p < " in verdict.text for verdict in undecided)


@pytest.mark.slow
def test_the_study_that_a_folder_is_called_after_is_told_of_first(results: Path) -> None:
    for name in ("aodv", "zigbee"):
        (results / "studies" / f"{name}.yaml").write_text(
            f"about: Of {name}.\nprotocols: []\nspeeds: []\nseeds: []\nconfigurations: {{}}\n"
        )
    report.make(StudyResults(results), THESIS)
    assert "\n\nWho delivers more?\n\n" in (results / "report.md").read_text()
    methods, page = ((results / name).read_text() for name in ("methods.md", "report.html"))
    assert "\n\naodv.yaml: Of aodv.\n\nzigbee.yaml: Of zigbee.\n\nMFT-PubSub; " in methods
    first, *others = (page.index(of) for of in (">Who delivers more?<", ">aodv.yaml: Of", ">zigbee.yaml: Of"))
    assert [first, *others] == sorted([first, *others])


@pytest.mark.slow
def test_a_study_of_other_things_has_no_statements_of_the_thesis(tmp_path: Path) -> None:
    report.make(StudyResults(study(tmp_path, protocols=("mft-mesh",), configs=("C8",), seeds=3)), THESIS)
    text = "".join((tmp_path / name).read_text() for name in pages.NAMES)
    assert "## Delivery rate, MFT-Mesh\n" in text
    assert "Figure" not in text
    assert "statement" not in text
    assert not (tmp_path / "claims.md").exists()
    assert "m/s" in text.split("## End-to-end delay")[1].split("`")[0]  # one network: over speeds


def test_a_run_that_several_kept_files_wanted_is_missing_once(results: Path) -> None:
    kept = results / "studies" / "thesis.yaml"
    (results / "studies" / "again.yaml").write_text(kept.read_text())
    assert provenance.missing(StudyResults(results)) == ["no run: AODV, C2, 2 m/s, seed 6"]
    for path in (results / "studies").iterdir():
        path.write_text(path.read_text().replace("seeds: [5, 6]", "seeds: [5]"))
    assert overview.lacking(StudyResults(results)) == []


def test_what_is_published_is_told_though_its_end_is_the_usual_one() -> None:
    publisher: dict[str, Any] = {"rate": 2.0, "payload": 100, "start": 0.0, "stop": None}
    study = {"configurations": {}, "duration": 70.0, "publisher": publisher}
    assert "each publisher: 2 event/s of 100 B, from 0 s to 50 s" in overview.networks([study])
    varied = study | {"axes": {"duration": [70.0, 700.0]}}
    assert "each publisher: 2 event/s of 100 B, from 0 s to (varied) s" in overview.networks([varied])
    file = {"model": "recorded", "path": "/somewhere/events.csv"}
    recorded = study | {"publisher": publisher | {"arrivals": file}}
    assert "each publisher: the events of events.csv" in overview.networks([recorded])


def test_every_radio_is_named_as_people_do() -> None:
    named = [overview.networks([{"configurations": {}, "radio": {"model": name}}])[-1] for name in RADIOS]
    assert named == ["radio: CC2420", "radio: Wi-Fi", "radio: 802.15.4", "radio: a device that all share"]
    assert overview.networks([{"configurations": {}}]) == ["radio: CC2420"]


@pytest.mark.parametrize(
    ("protocols", "configs", "is_theirs"),
    [
        (("mft-pubsub", "aodv", "flooding"), ("C2", "C32"), True),
        (("mft-pubsub", "flooding"), ("C2", "C32"), False),
        (("mft-pubsub", "aodv"), ("C2", "M32"), False),
    ],
)
def test_the_sources_speak_of_two_protocols_in_their_networks(
    protocols: tuple[str, ...], configs: tuple[str, ...], is_theirs: bool
) -> None:
    runs = pd.DataFrame(product(protocols, configs, [2.0], [1]), columns=[*KEYS])
    assert statements.concern(runs) == is_theirs
    runs.insert(3, "duration", 10.0)
    assert statements.concern(runs) == is_theirs  # at each value of one axis
    runs.insert(3, "radio", "CC2420")
    assert not statements.concern(runs)


def test_numbers_have_the_digits_that_their_intervals_allow_and_no_impossible_ones() -> None:
    def shown(mean: float, half: float, metric: str, n: int = 10) -> str:
        return numbers.cell({"mean": mean, "ci95": half, "n": n}, metric)

    assert shown(0.9569123, 0.02048, "delivery_rate") == "95.7 ± 2.0 (10)"
    assert shown(0.9569123, 0.05048, "delivery_rate") == "95.7 [90.6, 100.0] (10)"
    assert shown(12345.6, 234.5, "frames") == "12350 ± 230 (10)"
    assert shown(0.5, 0.75, "delay_mean_s") == "0.50 [0.00, 1.25] (10)"
    assert shown(-0.5, 0.25, "load_by_depth") == "-0.50 ± 0.25 (10)"
    assert shown(-0.9, 0.25, "load_by_depth") == "-0.90 [-1.00, -0.65] (10)"
    assert shown(1.0, 0.0, "delivery_rate") == "100 ± 0 (10)"
    assert shown(0.25, 0.0, "delay_mean_s", n=1) == "0.25 (1)"
    assert shown(0.25, 0.0, "delay_mean_s", n=0) == "-"


def test_an_interval_is_never_on_its_mean_s_other_side() -> None:
    assert ends(0.5, 0.75, (0.0, 1.0)) == (0.0, 1.0)
    above, below = 1.0 + 1e-12, -1e-12  # rounding
    assert ends(above, 0.0, (0.0, 1.0)) == (above, above)
    assert ends(below, 0.0, (0.0, 1.0)) == (below, below)


@pytest.mark.slow
def test_the_report_says_what_made_it_and_what_is_missing(reported: Path) -> None:
    text = (reported / "provenance.md").read_text()
    assert "`mftpubsub sweep configs/thesis.yaml --out results/thesis`" in text
    assert "0123abc" in text
    assert "ns3 3.44" in text
    assert "Linux x86_64, 2 x processor" in text
    assert "Migrations a run at 2 m/s, MFT-PubSub: C2 10.0" in (reported / "claims.md").read_text()
    assert "- no run: AODV, C2, 2 m/s, seed 6" in text
    assert "seed 5" not in text.split("## Missing")[1]
    for name in ("report.md", "methods.md", "report.html"):
        assert "Missing: 1 run, listed under provenance." in (reported / name).read_text()
    assert str(reported.resolve().parent) not in text


class Page(HTMLParser):
    """Notes what a page would load, and which elements belong to protocols."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.protocols: set[str] = set()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            if name in ("src", "srcset", "data", "action") or (
                name == "href" and not (value or "").startswith("#")
            ):
                self.loads.append(f"{tag} {name}={value}")
            if name == "data-protocol" and value:
                self.protocols.add(value)


@pytest.mark.slow
def test_the_page_needs_nothing_else_and_can_be_filtered_by_protocol(reported: Path) -> None:
    text = (reported / "report.html").read_text()
    page = Page()
    page.feed(text)
    assert page.loads == []
    assert page.tags.count("link") == 0
    assert not re.search(r"url\((?!#)|@import|fetch\(|import\(", text)
    assert page.protocols == set(PROTOCOLS)
    assert (
        text.count('<svg viewBox="0 0 480 320" role="img"') == 3 + 3 + 7 + 3
    )  # first what is most asked for; delivery rates, the other figures, losses
    assert "prefers-color-scheme: dark" in text
    assert len(text) < 2_000_000


@pytest.mark.slow
def test_a_page_shows_text_as_it_is(results: Path) -> None:
    ask(results, "a <b> & `c`")
    report.make(StudyResults(results), THESIS)
    assert "a &lt;b&gt; &amp; `c`" in (results / "report.html").read_text()


@pytest.mark.slow
def test_pages_show_the_figures_that_there_are(reported: Path) -> None:
    shown = re.findall(r"\]\(figures/(.*)\.png\)", (reported / "cases.md").read_text())
    assert shown == ["fig4_5a"]


@pytest.mark.slow
def test_reports_are_written_again_only_when_something_changed(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report.make(StudyResults(results), THESIS)
    told = " ".join(capsys.readouterr().err.split())
    assert "the pages leave them out: `mftpubsub figures results/thesis` draws them" in told
    assert "](figures/" not in (results / "report.md").read_text()
    path = results / "report.html"
    before = path.stat().st_mtime_ns
    report.make(StudyResults(results), THESIS)
    assert path.stat().st_mtime_ns == before
    ask(results, "Another question?")
    report.make(StudyResults(results), THESIS)
    assert "Another question?" in path.read_text()


def test_time_under_way_counts_overlaps_once_and_pauses_not_at_all() -> None:
    costs = pd.DataFrame(
        {
            "finished": [
                f"2026-11-21T08:{minute}+00:00" for minute in ("01:00.000", "01:30.000", "10:00.000")
            ],
            "wall_s": [60.0, 60.0, 30.0],
        }
    )
    assert provenance.busy(costs) == pytest.approx(60 + 30 + 30)
    within = pd.DataFrame(
        {"finished": ["2026-11-21T08:01:00+00:00", "2026-11-21T08:00:50+00:00"], "wall_s": [60.0, 5.0]}
    )
    assert provenance.busy(within) == 60
    further = pd.DataFrame({"finished": ["2026-11-21T08:01:10+00:00"], "wall_s": [20.0]})
    assert provenance.busy(pd.concat([within, further])) == 70


@pytest.mark.parametrize("commit", ["0123abc" * 5 + "-dirty", None])
def test_each_protocol_is_told_with_its_code_if_that_is_known(tmp_path: Path, commit: str | None) -> None:
    study(tmp_path)
    costs = tmp_path / "costs.parquet"
    table = pd.read_parquet(costs)
    table["git_commit"] = table["git_commit"].mask(table["protocol"] == "aodv", commit) if commit else None
    table.to_parquet(costs)
    _, by_protocol = provenance.tables(StudyResults(tmp_path))
    told = {row[0]: row[1:3] for row in by_protocol.rows}
    minutes = {row[0]: float(row[3]) for row in by_protocol.rows}
    runs = str(len(table) // 2)
    assert told["AODV"] == [commit or "not recorded", runs]
    assert told["MFT-PubSub"] == ["0123abc" if commit else "not recorded", runs]
    of_aodv = provenance.busy(table[table["protocol"] == "aodv"])
    assert minutes["AODV"] == pytest.approx(of_aodv / 60, rel=0.01)
    assert minutes["all"] == pytest.approx(provenance.busy(table) / 60, rel=0.01)
    assert minutes["AODV"] != minutes["MFT-PubSub"]


def test_what_made_a_study_is_told_with_its_seeds_versions_and_machine(tmp_path: Path) -> None:
    study(tmp_path, seeds=3)
    provenance.check(StudyResults(tmp_path))
    whole, _ = provenance.tables(StudyResults(tmp_path))
    told = dict(whole.rows)
    costs = pd.read_parquet(tmp_path / "costs.parquet")
    assert told["seeds"] == "1, 2, 3"
    assert (told["versions"], told["machine"]) == (costs["versions"][0], costs["machine"][0])
    assert float(told["simulator events"]) == pytest.approx(costs["events"].sum(), rel=1e-3)


def test_a_cell_of_many_commits_seeds_and_machines_is_not_wide(tmp_path: Path) -> None:
    study(tmp_path)
    costs = tmp_path / "costs.parquet"
    table = pd.read_parquet(costs)
    table["git_commit"] = [f"{number:040x}" for number in range(len(table))]
    table["machine"] = [f"Linux x86_64, {number} x processor" for number in range(len(table))]
    table.to_parquet(costs)
    rows = [row for each in provenance.tables(StudyResults(tmp_path)) for row in each.rows]
    assert max(len(cell) for row in rows for cell in row) <= numbers.WIDEST
    assert rows[-1][1] == f"{0:040x} ... {len(table) - 1:040x} ({len(table)} in all)"


@pytest.mark.parametrize("step", ["report", "figures", "claims", "provenance", "ingest"])
@pytest.mark.parametrize("name", ["cugola", "gaddah"])
def test_a_study_that_is_not_of_the_radio_is_refused_by_name(step: str, name: str, tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "results" / name, tmp_path / name)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    answer = CliRunner().invoke(app, [step, str(tmp_path / name)])
    assert isinstance(answer.exception, MftPubsubError)
    assert "mftpubsub study" in str(answer.exception) or step == "ingest"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_wrong_restriction_is_answered_with_an_example() -> None:
    result = CliRunner().invoke(app, ["table", "DIR", "--metric", "reachable", "--only", "speed"])
    assert result.exit_code == 2
    assert "speed_mps=8" in result.output


@pytest.mark.slow
def test_losses_are_told_apart_in_grey_print(results: Path) -> None:
    page = report.make(StudyResults(results), THESIS).read_text()
    patterns = set(re.findall(r'<pattern id="([^"]*)"', page))
    used = re.findall(r'fill="url\(#([^)]*)\)"', page)
    assert set(used) == {"hatch-unmatched", "hatch-radio", "hatch-queued"}
    assert {*used} <= patterns
    inks = re.findall(
        r'<pattern id="[^"]*".*?<path d="([^"]*)"[^>]*stroke="(\w+)"[^>]*stroke-width="([^"]*)"', page
    )
    assert len(set(inks)) == len(patterns)
    legends = re.findall(r'<ul class="legend">.*?</ul>', page, re.DOTALL)
    for keys in (re.findall(r'<svg class="key".*?</svg>', legend) for legend in legends):
        assert len(set(keys)) == len(keys)
    assert sum(legend.count("polyline") for legend in legends) > len(PROTOCOLS)
