"""Effects, their tests, and verdicts on the sources' statements."""

from __future__ import annotations

import re
from math import inf, nan
from pathlib import Path

import pandas as pd
import pytest
from made_up import World, as_the_thesis_says, study

from mftpubsub.errors import QueryError
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.sources.thesis.statements import CLAIMS
from mftpubsub.studies import claims, report
from mftpubsub.studies.evidence import (
    NO_RUNS,
    NO_VARIANCE,
    TIMES,
    UNDEFINED,
    Finding,
    Part,
    Runs,
    above,
    below,
    examine,
)
from mftpubsub.studies.results import StudyResults
from mftpubsub.trace.layout import CASE, KEYS

PROTOCOLS = ("mft-pubsub", "aodv", "cascading")


def series(*values: float) -> pd.Series[float]:
    return pd.Series(values, index=range(1, len(values) + 1), dtype=float)


def verdicts(folder: Path) -> dict[str, str]:
    return {verdict.claim.id: verdict.verdict for verdict in claims.judge(StudyResults(folder).runs, THESIS)}


@pytest.mark.parametrize(
    ("part", "outcome"),
    [
        (above("", "", series(1, 2, 3), -4), "holds"),
        (above("", "", series(1, 2, 3), 0), "open"),  # 2 ± 2.5
        (above("", "", series(-11, -12, -13), 0), "opposite"),
        (above("", "", series(1, 1.1, 0.9), 5, null=0), "does not hold"),
        (above("", "", series(3, 4, 5), 4.5, null=0), "open"),  # 4 ± 2.5
        (above("", "", series(-1, -2, -3), 0), "open"),  # on the other side, but not surely
        (below("", "", series(1, 2, 3), 0), "open"),
        (below("", "", series(-5, -5.1, -4.9), 0), "holds"),
        (below("", "", series(5, 5.1, 4.9), 0), "opposite"),
        (above("", "", series(0, 0, 0), 0), NO_VARIANCE),
        (above("", TIMES, series(3, 3, 3), 1), NO_VARIANCE),  # however far from the bound
        (above("", "%", series(0, 0, 0), 99), "does not hold"),  # that no seed differs proves no opposite
        (below("", TIMES, series(1, 1, 1), 0.5), "does not hold"),
        (Part("", "", series(3, 3, 3), low=0.5, high=2), "does not hold"),
        (Part("", "", series(2, 2, 2), low=0.5, high=2), NO_VARIANCE),
        (Part("", "", series(1, 1.1, 0.9), low=0.5, high=2), "holds"),
        (Part("", "", series(3, 3.1, 2.9), low=0.5, high=2), "does not hold"),
        (above("", TIMES, series(2, 4, 8), 1), "open"),
        (above("", TIMES, series(0.2, 0.21, 0.19), 10, null=1), "opposite"),
        (above("", "", series(1, 2), 0), NO_RUNS),
        (above("", TIMES, series(1, 0, 2), 0), UNDEFINED),
    ],
)
def test_the_interval_decides(part: Part, outcome: str) -> None:
    assert examine(part).outcome == outcome


def test_an_effect_is_tested_as_by_hand() -> None:
    found = examine(above("", "", series(1, 2, 3), 0))
    assert (found.effect, found.n) == (2, 3)
    assert found.low == pytest.approx(2 - 4.302653 / 3**0.5)
    assert found.p == pytest.approx(0.037090, abs=1e-6)  # t = 3.4641, two degrees of freedom
    assert found.p_rank == pytest.approx(1 / 8)  # all three signs alike


def test_between_two_bounds_the_side_that_is_less_sure_counts() -> None:
    found = examine(Part("", "", series(1, 2, 3), low=0, high=2.4))
    t = 0.4 * 3**0.5
    assert found.p == pytest.approx(0.5 - t / (2 * (2 + t**2) ** 0.5))  # of two degrees of freedom
    assert found.p_rank == pytest.approx(3 / 8)  # ranks 3, 1 below and 2 above: of 8 sums, 3 are at most 2


@pytest.mark.parametrize(
    "value", [(2, -1, 2, 3, 0), (1, 1, -1), (0, 0, 3, -3, 5, 1.5), (3, -1, 2, 4) * 4], ids=len
)
def test_ranks_of_ties_and_zeros_are_tested_as_scipy_does(value: tuple[float, ...]) -> None:
    from scipy.stats import wilcoxon

    found = examine(above("", "", series(*value), 0))
    assert found.p_rank == wilcoxon(value, alternative="greater").pvalue


def test_an_interval_is_told_within_what_is_possible() -> None:
    shares = pd.Series([90.0, 99.0, 100.0])
    assert examine(above("", "%", shares, 50)).measured == "96 [83, 100] % (3)"
    assert examine(above("", "points", shares, 50)).measured == "96 [83, 110] points (3)"


def test_ratios_are_averaged_by_their_logarithms() -> None:
    found = examine(Part("", TIMES, series(2, 8, 4), high=inf, low=0))
    assert found.effect == pytest.approx(4)
    assert found.low * found.high == pytest.approx(16)


def test_what_is_on_the_bound_without_exception_tells_nothing() -> None:
    none = pd.Series([0.0, 0.0, 0.0])
    assert examine(below("", "", none, 0)).p == examine(above("", "", none, 0)).p_opposite == 1


def test_slopes_and_exponents_are_by_least_squares_within_a_seed() -> None:
    rows = [("aodv", "C2", speed, 1, 2 * speed + 1, 6) for speed in (2.0, 4.0, 8.0)]
    rows += [("aodv", "C8", 8.0, 1, 17 * 3.0**2, 18)]
    runs = Runs(pd.DataFrame(rows, columns=[*KEYS, "frames", "nodes"]))
    assert runs.slope("frames", "aodv", "C2").to_dict() == pytest.approx({1: 2})
    assert runs.exponent("frames", "aodv").to_dict() == pytest.approx({1: 2})
    assert runs.slope("frames", "aodv", "C8").empty  # at one speed only
    lacking = pd.DataFrame([*rows, ("aodv", "C2", 2.0, 2, 5, 6)], columns=[*KEYS, "frames", "nodes"])
    assert [*Runs(lacking).slope("frames", "aodv", "C2").index] == [1]  # of seed 2 one speed is known


def test_a_seed_in_which_there_is_nothing_has_no_exponent() -> None:
    rows = [
        ("aodv", config, 8.0, seed, frames, nodes)
        for config, nodes, frames in (("C2", 6, 5.0), ("C8", 24, 20.0))
        for seed in (1, 2)
    ]
    runs = pd.DataFrame(rows, columns=[*KEYS, "frames", "nodes"])
    runs.loc[(runs["seed"] == 2) & (runs["config"] == "C2"), "frames"] = 0
    assert Runs(runs).exponent("frames", "aodv").to_dict() == pytest.approx({1: 1})


def test_networks_of_one_size_all_count() -> None:
    rows = [("aodv", "a", 8.0, 1, 4.0, 8), ("aodv", "b", 8.0, 1, 6.0, 8)]
    assert Runs(pd.DataFrame(rows, columns=[*KEYS, "frames", "nodes"])).per_doubling("frames", "aodv").empty
    rows.append(("aodv", "c", 8.0, 1, 10.0, 16))
    of_three = Runs(pd.DataFrame(rows, columns=[*KEYS, "frames", "nodes"]))
    assert of_three.per_doubling("frames", "aodv").to_dict() == pytest.approx({1: 5})


def test_a_statement_is_as_sure_as_its_least_sure_part_and_two_sided() -> None:
    verdict, *p = claims.decide({"it": [finding("holds", 0.01), finding("holds", 0.03)]})["it"]
    assert verdict == "partly confirmed"
    assert p == pytest.approx([0.06, 0.04])
    assert claims.decide({"it": [finding("open", 0.8)]})["it"] == ("cannot be decided", 1, 1)


def test_p_values_of_several_statements_are_corrected_as_holm_does() -> None:
    corrected = claims._holm({"a": 0.03, "b": 0.01, "c": 0.04})
    assert corrected == pytest.approx({"b": 0.03, "a": 0.06, "c": 0.06})


@pytest.mark.slow
def test_in_a_world_as_the_sources_describe_it_every_statement_is_confirmed(tmp_path: Path) -> None:
    found = verdicts(study(tmp_path, protocols=PROTOCOLS))
    assert set(found.values()) == {"confirmed"}, found
    assert len(found) == 31


@pytest.mark.parametrize(
    ("outcomes", "p", "verdict"),
    [
        (["holds", "holds"], 0.01, "confirmed"),
        (["holds", "holds"], 0.2, "partly confirmed"),
        (["holds"], 0.2, "cannot be decided"),
        (["opposite"], 0.01, "opposite"),
        (["opposite"], 0.2, "not confirmed"),
        (["holds", "open"], 0.01, "partly confirmed"),
        (["holds", UNDEFINED], 0.01, "partly confirmed"),
        ([], 1.0, "cannot be decided"),
        (["open", NO_RUNS], 1.0, "cannot be decided"),
        (["open", NO_VARIANCE], 1.0, "cannot be decided"),
        (["does not hold", "open"], 1.0, "not confirmed"),
    ],
)
def test_a_verdict_needs_all_parts_and_a_small_p(outcomes: list[str], p: float, verdict: str) -> None:
    found = [finding(outcome, 0.001) for outcome in outcomes]
    assert claims._verdict(found, p, p, claims._p_best(found)) == verdict


def finding(outcome: str, p: float) -> Finding:
    return Finding(above("", "", series(1, 2, 3), 0), 3, 2.0, 1.0, 3.0, p, 1.0, p, outcome)


@pytest.mark.parametrize(
    ("parts", "others", "verdict"),
    [
        (2, "open", "partly confirmed"),  # 0.01, two-sided and of two, is 0.04
        (3, "open", "cannot be decided"),  # 0.06: one of many holds by chance
        (3, "does not hold", "not confirmed"),
    ],
)
def test_one_part_of_many_must_hold_against_their_number(parts: int, others: str, verdict: str) -> None:
    found = [finding("holds", 0.01), *(finding(others, 0.9) for _ in range(parts - 1))]
    assert claims.decide({"it": found})["it"][0] == verdict


@pytest.mark.slow
def test_configurations_where_nothing_can_be_seen_have_no_part(tmp_path: Path) -> None:
    def lossless(protocol: str, config: str, speed: float) -> dict[str, float]:
        found = as_the_thesis_says(protocol, config, speed)
        return found | ({"delivery_rate": 1.01} if config in ("C2", "C4") else {})  # 1 in every run

    for verdict in claims.judge(StudyResults(study(tmp_path, lossless)).runs, THESIS):
        if verdict.claim.id in ("stored-meet-subscriber", "undelivered-are-stored"):
            assert [f.part.name.split(",")[0] for f in verdict.findings] == ["C8", "C16", "C32"]


def test_at_one_speed_nothing_is_said_of_speed(tmp_path: Path) -> None:
    assert verdicts(study(tmp_path, speeds=(8.0,)))["mobility-does-not-impair"] == "cannot be decided"


@pytest.mark.slow
def test_means_over_speeds_are_of_those_that_both_sides_have(tmp_path: Path) -> None:
    values = StudyResults(study(tmp_path)).runs
    whole = {f.part.name: f.effect for f in _findings(values, "rate-better")}
    lacking = (values["protocol"] == "aodv") & (values["config"] == "C16") & (values["speed_mps"] == 10)
    rest = {f.part.name: f.effect for f in _findings(values[~lacking], "rate-better")}
    fewer = {f.part.name: f.effect for f in _findings(values[values["speed_mps"] < 10], "rate-better")}
    assert rest == whole | {"C16": fewer["C16"]}


def test_growth_is_compared_over_networks_that_both_protocols_have(tmp_path: Path) -> None:
    """Messages a node stay as few up to C8, and grow beyond."""

    def bent(protocol: str, config: str, speed: float) -> dict[str, float]:
        return as_the_thesis_says("mft-pubsub", config, speed) | {
            "frames_per_node": 500.0 if config in ("C16", "C32") else 90.0
        }

    values = StudyResults(study(tmp_path, bent, speeds=(8.0,))).runs
    is_small = values["config"].isin(["C2", "C4", "C8"])
    (of_both,) = _findings(values[is_small], "scales-better")
    (found,) = _findings(values[is_small | (values["protocol"] == "mft-pubsub")], "scales-better")
    assert found.text == of_both.text
    assert found.effect == pytest.approx(0, abs=0.05)


def test_networks_where_no_speed_changes_anything_are_no_part_of_what_mobility_does(tmp_path: Path) -> None:
    def lossless(protocol: str, config: str, speed: float) -> dict[str, float]:
        found = as_the_thesis_says(protocol, config, speed)
        return found | ({"delivery_rate": 1.01} if config == "C2" else {})  # 1 in every run

    values = StudyResults(study(tmp_path, lossless)).runs
    found = _findings(values, "mobility-does-not-impair")
    assert [one.part.name.split(",")[0] for one in found] == ["C4", "C8", "C16", "C32"]
    assert verdicts(tmp_path)["mobility-does-not-impair"] == "confirmed"


def test_a_value_without_spread_outside_what_is_claimed_decides_without_a_p_value() -> None:
    outside = examine(above("C4", "%", series(0, 0, 0), 99))
    assert outside.text == "C4: 0 %, the same in every run (3), does not hold"
    table = report.pages.parts([outside])
    assert table.rows == [["C4", "> 99 %", "0", NO_VARIANCE, "3", "does not hold"]]
    others = {"opposite": examine(above("", "", series(-11, -12, -13), 0)), "open": finding("open", 0.8)}
    for other in others.values():
        assert claims.decide({"it": [outside, other]})["it"][0] == "not confirmed"
    of_others = {"other": [finding("holds", 0.02)]}
    with_it = claims.decide({"it": [outside], **of_others})
    assert with_it == {
        "it": ("not confirmed", pytest.approx(nan, nan_ok=True), 1),
        **claims.decide(of_others),
    }


def test_what_is_as_small_as_rounding_is_told_as_nothing() -> None:
    found = examine(above("", "", series(9e-16, 8e-16, 9e-16), 0))
    assert (found.outcome, found.effect) == (NO_VARIANCE, 0)


def test_a_study_of_fewer_networks_and_speeds_tells_where_statements_were_judged(tmp_path: Path) -> None:
    values = StudyResults(study(tmp_path)).runs
    assert claims.where(values, THESIS) == ""
    at_8 = values["speed_mps"] == 8
    is_large = values["config"].isin(["C16", "C32"])
    fewer = values[(at_8 | (values["config"] == "C2")) & ~(is_large & (values["protocol"] == "aodv"))]
    beside = "Both protocols were not run in all of these: against AODV"
    in_some = "in C2 at 2, 4, 6, 8, 10 m/s and C4, C8 at 8 m/s"
    assert claims.where(fewer, THESIS) == (
        f"The statements are about C2, C4, C8, C16, C32 at 2, 4, 6, 8, 10 m/s. {beside} {in_some}. "
        "What is said of each size or every speed is judged where the protocols that it is about were run."
    )
    is_ours, is_early = values["protocol"] == "mft-pubsub", values["seed"] <= 2
    assert f"{beside} nowhere. " in claims.where(values[is_ours == is_early], THESIS)
    on_radios = pd.concat([fewer.assign(radio="CC2420"), values[is_ours].assign(radio="802.15.4")])
    on_radios.insert([*on_radios].index("seed"), "radio", on_radios.pop("radio"))
    assert f"with radio 802.15.4 nowhere; with radio CC2420 {in_some}. " in claims.where(on_radios, THESIS)
    one = StudyResults(study(tmp_path / "one", configs=("C8",), speeds=(8.0,)))
    report.make(one, THESIS)
    for name in ("report.md", "claims.md", "report.html"):
        assert "against AODV in C8 at 8 m/s. What is said" in (one.folder / name).read_text(encoding="utf-8")


def _findings(values: pd.DataFrame, claim: str) -> tuple[Finding, ...]:
    return next(tuple(v.findings) for v in claims.judge(values, THESIS) if v.claim.id == claim)


@pytest.mark.slow
def test_with_the_protocols_exchanged_comparisons_come_out_the_other_way_round(tmp_path: Path) -> None:
    other = {"aodv": "mft-pubsub", "mft-pubsub": "aodv"}
    exchanged: World = lambda protocol, *where: as_the_thesis_says(other[protocol], *where)  # noqa: E731
    found = verdicts(study(tmp_path, exchanged))
    for name in (
        "rate-better",
        "c16-delivers-more",
        "aodv-fewer-in-c2",
        "mft-fewer-beyond-c2",
        "scales-better",
    ):
        assert found[name] == "opposite"
    assert found["mft-flat"] == found["linear-growth"] == "not confirmed"
    assert found["less-per-migration"] == "cannot be decided"  # no run of the first approach


@pytest.mark.slow
def test_parts_that_differ_make_a_statement_partly_confirmed(tmp_path: Path) -> None:
    def half(protocol: str, config: str, speed: float) -> dict[str, float]:
        found = as_the_thesis_says(protocol, config, speed)
        return found | ({"frames_per_node": 20.0} if (protocol, config) == ("aodv", "C8") else {})

    assert verdicts(study(tmp_path, half))["mft-fewer-beyond-c2"] == "partly confirmed"


def test_statements_about_sizes_that_were_not_run_stay_open(tmp_path: Path) -> None:
    found = verdicts(study(tmp_path, configs=("C8", "C16"), speeds=(2.0, 8.0)))
    assert found["c32-rate-better"] == found["mft-flat"] == "cannot be decided"
    assert found["rate-better"] == "confirmed"


def test_beside_a_statement_stands_what_the_tables_say(tmp_path: Path) -> None:
    results = StudyResults(study(tmp_path, configs=("C2", "C32"), speeds=(2.0, 8.0), seeds=3))
    found = {verdict.claim.id: verdict.reason for verdict in claims.judge(results.runs, THESIS)}
    # AODV's rate in C32 is 0.95 (6 / 66)^0.3 - 0.04; all is matched, next to nothing lost on the air
    assert found["c32-aodv-delivers-more"] == "Of all pairs of AODV: C32 58 % queued at the end."
    assert found["c32-never-matched"].startswith("Of all pairs of MFT-PubSub: C32 65 % never matched")
    assert found["migrations"].startswith("Migrations of brokers, MFT-PubSub: C2 9.0, C32 ")
    at_ends = re.findall(r"Migrations a run at (\d+) m/s, MFT-PubSub: C2 10.0", found["mft-flat"])
    assert at_ends == ["2", "8"]
    assert found["less-per-migration"].startswith("Control messages a migration, MFT-PubSub: ")
    assert "first approach" not in found["less-per-migration"]  # it was not run


def test_nothing_is_said_of_what_was_not_run(tmp_path: Path) -> None:
    results = StudyResults(study(tmp_path, protocols=("mft-mesh",), configs=("C8",), seeds=3))
    assert {verdict.reason for verdict in claims.judge(results.runs, THESIS)} == {""}


@pytest.mark.slow
@pytest.mark.parametrize("has_axis", [False, True])
def test_a_study_without_the_protocol_of_the_statements_is_refused(tmp_path: Path, has_axis: bool) -> None:
    results = StudyResults(study(tmp_path, protocols=("mft-mesh", "aodv"), configs=("C8",), seeds=3))
    if has_axis:
        path = tmp_path / "tables" / "runs.parquet"
        runs = pd.read_parquet(path)
        runs.insert(3, "radio", "CC2420")
        runs.to_parquet(path)
        for name in ("losses", "frames_by_kind"):
            (tmp_path / "tables" / f"{name}.parquet").unlink()
        (tmp_path / "costs.parquet").unlink()
    with pytest.raises(QueryError, match="has no runs of mft-pubsub, which the statements are about"):
        claims.make(results, THESIS)


def test_a_statement_on_the_delivery_rate_is_judged_by_both_definitions(tmp_path: Path) -> None:
    results = StudyResults(study(tmp_path))
    found = {verdict.claim.id: verdict for verdict in claims.make(results, THESIS)["aodv"]}
    beaten = found["c32-rate-better"]  # of what brokers matched, a third of all, nearly everything arrives
    assert beaten.strict is not None
    assert (beaten.verdict, beaten.strict.verdict) == ("confirmed", "opposite")
    assert found["mft-flat"].strict is None
    table = pd.read_csv(tmp_path / "tables" / "claims.csv").query("claim == 'c32-rate-better'")
    assert table.set_index("rate")["verdict"].to_dict() == {"thesis": "confirmed", "strict": "opposite"}
    assert (table.set_index("rate")["effect"] > 0).to_dict() == {"thesis": True, "strict": False}
    row = next(row for row in claims.summary([beaten], "").rows)
    assert row[4].startswith("confirmed")
    assert row[5].startswith("opposite")
    assert "<br>strict: C32: " in row[3]


def against_others(protocol: str, config: str, speed: float) -> dict[str, float]:
    """A world in which AODV, tuned, sends a tenth of what it sends with its defaults."""
    found = as_the_thesis_says(protocol, config, speed)
    if protocol == "aodv-tuned":
        found["frames_per_node"] /= 10
    return found


@pytest.mark.slow
def test_statements_are_judged_against_each_aodv_that_was_run(tmp_path: Path) -> None:
    results = StudyResults(
        study(tmp_path, against_others, protocols=("mft-pubsub", "aodv", "aodv-tuned", "cascading"))
    )
    judged = claims.make(results, THESIS)
    table = claims.tables(judged, "")[1]
    assert table.heading == ["statement", "AODV", "AODV-tuned"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["aodv-fewer-in-c2"] == ["confirmed", "confirmed"]
    assert rows["mft-fewer-beyond-c2"] == ["confirmed", "partly confirmed"]
    assert rows["order-of-magnitude"][1] != "confirmed"
    assert "mft-flat" not in rows  # it does not speak of AODV
    confirmed = [sum(v.verdict == "confirmed" for v in verdicts) for verdicts in judged.values()]
    assert rows["all: confirmed"] == [str(count) for count in confirmed]
    assert sum(int(rows[name][1]) for name in rows if name.startswith("all: ")) == len(CLAIMS)


def tuned_too(protocol: str, config: str, speed: float) -> dict[str, float]:
    """The same, where MFT-PubSub, tuned, sends a hundredth of what it sends with its defaults."""
    found = against_others(protocol, config, speed)
    if protocol == "mft-pubsub-tuned":
        found["frames_per_node"] /= 100
    return found


@pytest.mark.slow
def test_where_both_were_run_tuned_statements_are_judged_best_against_best(tmp_path: Path) -> None:
    protocols = ("mft-pubsub", "mft-pubsub-tuned", "aodv", "aodv-tuned", "cascading")
    results = StudyResults(study(tmp_path, tuned_too, protocols=protocols))
    judged = claims.make(results, THESIS)
    table = claims.tables(judged, "")[1]
    assert table.heading == ["statement", "AODV", "AODV-tuned", "AODV-tuned (both tuned)"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["mft-fewer-beyond-c2"] == ["confirmed", "partly confirmed", "confirmed"]
    assert rows["aodv-fewer-in-c2"] == ["confirmed", "confirmed", "opposite"]
    assert claims.unequal(results.runs, THESIS) == ""
    pd.testing.assert_frame_equal(  # the first table is of the source's own protocols
        claims.to_table(judged["aodv"]), claims.to_table(claims.judge(results.runs, THESIS))
    )


def test_a_study_that_ran_the_rival_alone_tuned_says_so(tmp_path: Path) -> None:
    own, both = (
        StudyResults(study(tmp_path / str(len(protocols)), protocols=protocols))
        for protocols in (("mft-pubsub", "aodv"), ("mft-pubsub", "aodv", "aodv-tuned"))
    )
    assert claims.unequal(own.runs, THESIS) == ""
    assert claims.unequal(both.runs, THESIS).startswith("MFT-PubSub-tuned was not run here")


@pytest.mark.slow
def test_without_another_aodv_there_is_one_table_of_verdicts(tmp_path: Path) -> None:
    assert len(claims.tables(claims.make(StudyResults(study(tmp_path)), THESIS), "")) == 1


@pytest.mark.slow
def test_the_table_of_claims_has_every_part_with_its_interval(tmp_path: Path) -> None:
    claims.make(StudyResults(study(tmp_path)), THESIS)
    table = pd.read_csv(tmp_path / "tables" / "claims.csv")
    assert set(table["claim"]) == {claim.id for claim in CLAIMS}
    tested = table.dropna(subset=["effect"])
    assert (tested["ci_low"] <= tested["effect"]).all()
    assert (tested["n"] == 5).all()


TABLES = (*(f"tables/{name}" for name in ("runs", "losses", "metrics", "frames_by_kind")), "costs")


@pytest.mark.slow
def test_each_value_of_an_axis_has_its_own_verdicts(tmp_path: Path) -> None:
    def on(radio: str, world: World, protocols: tuple[str, ...]) -> Path:
        folder = study(tmp_path / radio, world, protocols=protocols)
        for name in TABLES:
            table = pd.read_parquet(folder / f"{name}.parquet")
            table.insert(len(CASE), "radio", radio)
            table.to_parquet(folder / f"{name}.parquet")
        return folder

    both = ("mft-pubsub", "aodv")
    folders = [
        on("802.11b", as_the_thesis_says, both),
        on("CC2420", against_others, ("mft-pubsub", "aodv-tuned")),  # without the source's rival
        on("none", as_the_thesis_says, ("aodv",)),
    ]
    for name in TABLES:
        parts = [pd.read_parquet(folder / f"{name}.parquet") for folder in folders]
        pd.concat(parts).to_parquet(folders[0] / f"{name}.parquet")
    results = StudyResults(folders[0])
    judged = claims.make(results, THESIS)
    assert [*judged] == ["802.11b", "CC2420"]
    verdicts = {name: {verdict.claim.id: verdict for verdict in of} for name, of in judged.items()}
    assert verdicts["802.11b"]["mft-fewer-beyond-c2"].verdict == "confirmed"
    assert verdicts["CC2420"]["mft-fewer-beyond-c2"].verdict == "cannot be decided"
    assert verdicts["CC2420"]["mft-flat"].verdict == "confirmed"
    report.make(results, THESIS)
    text = (folders[0] / "report.md").read_text(encoding="utf-8")
    assert "With radio 802.11b, of 31 statements" in text
    assert "With radio CC2420, of 31 statements" in text
    assert "| statement | source | 802.11b | CC2420 |" in text
    pages = (folders[0] / "claims.md").read_text(encoding="utf-8")
    assert "** with radio 802.11b" in pages
    assert "** against" not in pages
