"""Verdicts on what the sources say of their evaluation, from the tables of a study.

How an effect is tested is in evidence.py. A statement with several parts, such as one for each configuration,
is confirmed if all hold, so that no correction is needed within it, and if its p value is below 0.05 after
correction for the number of statements (Holm's method). It is partly confirmed if one part's p value is below
0.05 after correction for the number of parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

from mftpubsub.evaluation import numbers
from mftpubsub.evaluation.evidence import UNTESTED, Finding, Runs, examine
from mftpubsub.evaluation.reasons import reason
from mftpubsub.evaluation.results import StudyResults
from mftpubsub.evaluation.statements import AODV, CLAIMS, Claim
from mftpubsub.labels import in_order, label
from mftpubsub.statistics import CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd

#: Largest p value, corrected, of what is said to be confirmed or opposite.
SIGNIFICANT = 1 - CONFIDENCE
UNDECIDED = "cannot be decided"
#: Verdicts, from the best to none.
KINDS = ("confirmed", "partly confirmed", "not confirmed", "opposite", UNDECIDED)


@dataclass(frozen=True)
class Verdict:
    """What became of a statement. `p_holm`: of its confirmation or of its opposite, whichever is nearer.

    `strict` is the verdict by the strict rate, if the statement is about the delivery rate.
    """

    claim: Claim
    findings: list[Finding]
    verdict: str
    p_holm: float
    reason: str
    strict: Verdict | None = None

    @property
    def text(self) -> str:
        """The verdict with its p value, if it rests on one."""
        return f"{self.verdict}, {self.p_text}".removesuffix(", ")

    @property
    def p_text(self) -> str:
        """The corrected p value of a verdict that rests on one, else nothing."""
        if self.verdict not in ("confirmed", "opposite"):
            return ""
        return "p < 0.001" if self.p_holm < 0.001 else f"p = {self.p_holm:.2g}"

    @property
    def both(self) -> str:
        """The verdict and, behind a stroke, that by the strict rate, if it is another."""
        other = self.strict.verdict if self.strict else self.verdict
        return self.verdict if other == self.verdict else f"{self.verdict} / {other}"

    @property
    def tally(self) -> str:
        """`holds: 3, open: 1`."""
        counts = Counter(finding.outcome for finding in self.findings)
        return ", ".join(f"{outcome}: {count}" for outcome, count in counts.most_common())


def _rivals(values: pd.DataFrame) -> list[str]:
    """The AODVs of a study: ns-3's with its defaults, then with other parameters or acknowledged."""
    return [name for name in in_order("protocol", values["protocol"]) if name.split("-")[0] == AODV]


def judge(values: pd.DataFrame, rival: str = AODV) -> list[Verdict]:
    """The verdict on every statement, from one row a run (StudyResults.runs).

    `rival` stands for the AODV of which the sources speak: by default ns-3's with its defaults.
    """
    if rival != AODV:
        values = values[values["protocol"] != AODV].replace({"protocol": {rival: AODV}})
    verdicts, strict = (_judge(Runs(values, rate)) for rate in ("delivery_rate", "delivery_rate_strict"))
    return [
        replace(verdict, strict=other) if verdict.claim.is_about_rate else verdict
        for verdict, other in zip(verdicts, strict, strict=True)
    ]


def _judge(runs: Runs) -> list[Verdict]:
    found = {claim.id: [examine(part) for part in claim.check(runs)] for claim in CLAIMS}
    tested = {name: f for name, f in found.items() if any(finding.outcome not in UNTESTED for finding in f)}
    corrected = _holm({name: _p(findings) for name, findings in tested.items()})
    return [
        Verdict(
            claim,
            found[claim.id],
            _verdict(found[claim.id], corrected.get(claim.id, nan)),
            corrected.get(claim.id, nan),
            reason(claim.id, runs),
        )
        for claim in CLAIMS
    ]


def _verdict(findings: list[Finding], p_holm: float) -> str:
    kinds = {finding.outcome for finding in findings}
    if kinds in ({"holds"}, {"opposite"}):
        verdict = "confirmed" if kinds == {"holds"} else "opposite"
        return verdict if p_holm < SIGNIFICANT else UNDECIDED
    if _some_part_holds(findings):
        return "partly confirmed"
    return "not confirmed" if kinds & {"does not hold", "opposite"} else UNDECIDED


def _some_part_holds(findings: list[Finding]) -> bool:
    """Whether one does, although there were so many to choose from."""
    tested = [finding for finding in findings if finding.outcome not in UNTESTED]
    corrected = _holm({str(i): min(1.0, 2 * finding.p) for i, finding in enumerate(tested)})
    return any(
        finding.outcome == "holds" and corrected[str(i)] < SIGNIFICANT for i, finding in enumerate(tested)
    )


def _p(findings: list[Finding]) -> float:
    """Two-sided: that all parts hold, or that all are the other way round."""
    p, p_opposite = max(finding.p for finding in findings), max(finding.p_opposite for finding in findings)
    return min(1.0, 2 * min(p, p_opposite))


def _holm(p_values: dict[str, float]) -> dict[str, float]:
    corrected, last = {}, 0.0
    for i, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        last = max(last, min(1.0, p * (len(p_values) - i)))
        corrected[name] = last
    return corrected


def make(results: StudyResults) -> dict[str, list[Verdict]]:
    """Judges a study against each AODV that was run, ns-3's defaults first, by its name.

    Writes DIR/tables/claims, one row for each part of each statement, against the first of them.
    """
    from mftpubsub.files import write_table

    judged = against_each(results.runs)
    write_table(to_table(judged[AODV]), results.folder / "tables" / "claims")
    return judged


def against_each(values: pd.DataFrame) -> dict[str, list[Verdict]]:
    """The verdicts against ns-3's AODV with its defaults, and against each other that was run."""
    return {rival: judge(values, rival) for rival in dict.fromkeys([AODV, *_rivals(values)])}


def tables(judged: Mapping[str, list[Verdict]], command: str) -> list[numbers.Table]:
    """What `summary` and, if there is more than one AODV, `by_rival` say."""
    return [summary(judged[AODV], command), *([by_rival(judged, command)] if len(judged) > 1 else [])]


def summary(verdicts: list[Verdict], command: str) -> numbers.Table:
    """What was said, what is measured, the verdicts, and what else the tables say of it."""
    rows = [
        [
            verdict.claim.id,
            verdict.claim.says,
            verdict.claim.source,
            "<br>".join(_measured(verdict)) or "-",
            verdict.text,
            verdict.strict.text if verdict.strict else "-",
            verdict.reason or "-",
        ]
        for verdict in verdicts
    ]
    heading = ["id", "statement", "source", "measured", "verdict", "by the strict rate", "beside it"]
    return numbers.Table(heading, rows, command=command)


def by_rival(judged: Mapping[str, list[Verdict]], command: str) -> numbers.Table:
    """The verdicts that rest on AODV against each that was run, of `judged` by its name; then their tally."""
    rows = [
        [of_one[0].claim.id, *(verdict.both for verdict in of_one)]
        for of_one in zip(*judged.values(), strict=True)
        if len({tuple(_measured(verdict)) for verdict in of_one}) > 1
    ]
    heading = ["statement", *(label(rival) for rival in judged)]
    return numbers.Table(heading, [*rows, *tallies(judged)], command=command)


def tallies(judged: Mapping[str, list[Verdict]]) -> list[list[str]]:
    """How many there are of each verdict: a row for each kind, a column for each entry of `judged`."""
    counts = [Counter(verdict.verdict for verdict in verdicts) for verdicts in judged.values()]
    return [[f"all: {kind}", *(str(count[kind]) for count in counts)] for kind in KINDS]


def _measured(verdict: Verdict) -> Iterator[str]:
    yield from (finding.text for finding in verdict.findings)
    if verdict.strict:
        yield from (f"strict: {finding.text}" for finding in verdict.strict.findings)


def to_table(verdicts: list[Verdict]) -> pd.DataFrame:
    """One row for each part, of each definition of the delivery rate if the statement is about it.

    A statement without parts has one row without numbers.
    """
    import pandas as pd

    rows = []
    for verdict in verdicts:
        for rate, judged in (("thesis", verdict), ("strict", verdict.strict)):
            if judged is None:
                continue
            about = {
                "claim": judged.claim.id,
                "source": judged.claim.source,
                "says": judged.claim.says,
                "rate": rate if judged.claim.is_about_rate else None,
                "verdict": judged.verdict,
                "p_holm": judged.p_holm,
            }
            rows += [about | _describe(finding) for finding in judged.findings] or [about]
    return pd.DataFrame(rows)


def _describe(finding: Finding) -> dict[str, Any]:
    part = finding.part
    return {
        "part": part.name,
        "unit": part.unit,
        "claimed": part.claimed(),
        "n": finding.n,
        "effect": finding.effect,
        "ci_low": finding.low,
        "ci_high": finding.high,
        "outcome": finding.outcome,
        "p": finding.p,
        "p_rank": finding.p_rank,
    }
