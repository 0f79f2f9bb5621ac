"""What the results hang on: variants of a study, each with one thing changed, beside the study itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_typed
from mftpubsub.labels import in_order, in_print, label, number
from mftpubsub.notes import each, tell
from mftpubsub.studies import claims
from mftpubsub.studies.claims import UNDECIDED, Verdict
from mftpubsub.studies.evidence import POINTS, TIMES, UNTESTED, Part, Runs, examine
from mftpubsub.studies.numbers import Table, key_words
from mftpubsub.studies.results import StudyResults, on_one_axis
from mftpubsub.studies.source import Source
from mftpubsub.trace.layout import axes_of, keys_of

if TYPE_CHECKING:
    import pandas as pd

#: What changes are shown of: metric, unit. Rates as differences, the others as ratios.
METRICS = (
    ("delivery_rate", POINTS),
    ("delivery_rate_strict", POINTS),
    ("delay_mean_s", TIMES),
    ("frames_per_node", TIMES),
    ("migrations", TIMES),
)
#: Of the tables, what they know of themselves: the folder of the variants, seen from the study's.
_VARIANTS = "variants"


def make(results: StudyResults, variants: Path, source: Source) -> None:
    """Compares the studies below `variants` with the same cases of a study.

    Only runs count that both have: a statement about a protocol that a variant has not run drops out of its
    rows. Writes DIR/tables/sensitivity_claims (the outcome of each part of each statement before and
    after) and sensitivity_metrics (changes with their intervals). Raises MftPubsubError if there is no
    variant, or one with cases that the study has not.
    """
    import pandas as pd

    from mftpubsub.files import write_table

    there = (path.parents[1] for path in variants.glob("*/tables/runs.parquet"))
    names = sorted(folder.name for folder in there if not folder.samefile(results.folder))
    if not names:
        raise MftPubsubError(f"{variants}/*/tables is missing; `make sensitivity` makes them")
    _keep_others(results, names, variants)
    study = _values(results)
    outcomes, changes = [], []
    for name in each(names, "variants"):
        base, varied = _of_both(study, _values(StudyResults(variants / name)), variants / name)
        outcomes += [
            {"variant": name} | row
            for row in _outcomes(claims.judge(base, source), claims.judge(varied, source))
        ]
        changes += [{"variant": name} | row for row in _changes(base, varied)]
    for kind, rows in (("claims", outcomes), ("metrics", changes)):
        table = pd.DataFrame(rows)
        table.attrs[_VARIANTS] = os.path.relpath(variants, results.folder)
        write_table(table, results.folder / "tables" / f"sensitivity_{kind}")


def _keep_others(results: StudyResults, names: list[str], variants: Path) -> None:
    """Raises MftPubsubError if the study's tables are of variants that are not among `names`."""
    there = results.read("sensitivity_metrics")
    others = sorted({*there["variant"]} - {*names}) if there is not None else []
    if others:
        raise MftPubsubError(
            f"{results.folder}/tables/sensitivity_* are of variants that {variants} has not "
            f"({', '.join(others)}): name their folder, or delete the tables"
        )


def _values(results: StudyResults) -> pd.DataFrame:
    """All that is known of each run, but its processor time: what else the machine did is no variant."""
    return results.runs.drop(columns="cpu_s", errors="ignore")


def _of_both(study: pd.DataFrame, varied: pd.DataFrame, variant: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The runs that `study` and a variant both have, of each. Tells how many others have cases of both."""
    if axes := set(axes_of(varied)) ^ set(axes_of(study)):
        raise MftPubsubError(
            f"{variant} and the study do not both vary {', '.join(sorted(axes))}, on an axis"
        )
    study, varied = on_one_axis(study, varied)
    keys = [*keys_of(varied)]
    place = [key for key in keys if key != "protocol"]
    there = varied[keys].merge(study[place].drop_duplicates(), how="left", indicator=True)
    if len(missing := there.query("_merge != 'both'")):
        words = ", ".join(key_words(key, missing.iloc[0][key]) for key in place)
        raise MftPubsubError(f"{variant} has runs of {words}, of which the study has none")
    shared = study[keys].merge(varied[keys])
    if shared.empty:
        raise MftPubsubError(f"{variant} and the study have no run of the same protocol and case")
    asked = study[study["protocol"].isin(varied["protocol"])].merge(varied[place].drop_duplicates())
    if lacking := len(asked) + len(varied) - 2 * len(shared):
        tell(f"{variant}: {lacking} runs are left out, which either the variant or the study lacks")
    return study.merge(shared), varied.merge(shared)


def _outcomes(before: list[Verdict], after: list[Verdict]) -> Iterator[dict[str, Any]]:
    for old, new in zip(before, after, strict=True):
        parts = {finding.part.name: finding for finding in new.findings}
        for finding in old.findings:
            now = parts.get(finding.part.name)
            if now is None or finding.outcome in UNTESTED or now.outcome in UNTESTED:
                continue
            yield {
                "claim": old.claim.id,
                "verdict_before": old.verdict,
                "verdict": new.verdict,
                "part": finding.part.name,
                "before": finding.outcome,
                "after": now.outcome,
                "effect_before": finding.effect,
                "effect": now.effect,
                "unit": finding.part.unit,
            }


def _changes(base: pd.DataFrame, varied: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Seed by seed, the speeds of a seed averaged."""
    before, after = Runs(base), Runs(varied)
    for protocol in in_order("protocol", varied["protocol"]):
        for config in after.configs:
            for metric, unit in METRICS:
                known = before.speeds_of(metric, protocol, config)
                speeds = [speed for speed in after.speeds_of(metric, protocol, config) if speed in known]
                old, new = (runs.mean(metric, protocol, config, speeds) for runs in (before, after))
                change = (new / old if unit == TIMES else 100 * (new - old)).dropna()
                finding = examine(Part(metric, unit, change))
                yield {
                    "protocol": protocol,
                    "config": config,
                    "metric": metric,
                    "unit": unit,
                    "n": finding.n,
                    "change": finding.effect,
                    "ci_low": finding.low,
                    "ci_high": finding.high,
                }


def tables(results: StudyResults) -> list[Table]:
    """For print: which verdicts change, and by how much the metrics do. Empty without sensitivity tables."""
    outcomes, changes = (results.read(f"sensitivity_{name}") for name in ("claims", "metrics"))
    if outcomes is None or changes is None:
        return []
    variants = changes.attrs.get(_VARIANTS, "../sensitivity")  # tables of older versions do not tell
    folder = Path(os.path.normpath(results.folder / variants))
    command = f"mftpubsub sensitivity {results.name} {as_typed(folder)}"
    groups = outcomes.groupby("variant") if len(outcomes) else ()  # nothing tested: no column either
    rows = [[str(name), *_flips(group)] for name, group in groups]
    headings = ["variant", "verdicts that change", "decided only in one of both", "parts that turn round"]
    verdicts = Table(headings, rows, command=command)
    return [verdicts, _change_table(changes, command)]


def _flips(outcomes: pd.DataFrame) -> list[str]:
    """Verdicts, and parts, that are decided both times, and differently; between them other new verdicts."""
    verdicts = outcomes[outcomes["verdict"] != outcomes["verdict_before"]].drop_duplicates("claim")
    only_once = (verdicts[["verdict_before", "verdict"]] == UNDECIDED).any(axis=1)
    decided = outcomes[(outcomes["before"] != "open") & (outcomes["after"] != "open")]
    turned = decided[decided["before"] != decided["after"]]
    return [
        *(
            "<br>".join(f"{row.claim}: {row.verdict_before} → {row.verdict}" for row in rows.itertuples())
            or "-"
            for rows in (verdicts[~only_once], verdicts[only_once])
        ),
        "<br>".join(f"{row.claim}, {row.part}: {row.before} → {row.after}" for row in turned.itertuples())
        or "-",
    ]


def _change_table(changes: pd.DataFrame, command: str) -> Table:
    cells = {
        (row["variant"], row["protocol"], row["config"], row["metric"]): _cell(row)
        for row in changes.to_dict("records")
    }
    keys = list(dict.fromkeys(key[:3] for key in cells))
    rows = [
        [variant, label(protocol), config]
        + [cells[variant, protocol, config, metric] for metric, _ in METRICS]
        for variant, protocol, config in keys
    ]
    headings = [f"{in_print(metric).called}, {unit}" for metric, unit in METRICS]
    return Table(["variant", "protocol", "configuration", *headings], rows, [key[1] for key in keys], command)


def _cell(row: Any) -> str:
    if row["change"] != row["change"]:
        return "-"  # too few seeds to test, or not defined in some
    return f"{number(row['change'])} [{number(row['ci_low'])}, {number(row['ci_high'])}]"
