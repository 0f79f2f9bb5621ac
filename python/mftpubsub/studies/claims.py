"""Verdicts on what the sources say of their evaluation, from the tables of a study.

How an effect is tested is in evidence.py. A statement with several parts, such as one for each configuration,
has the first of these verdicts that is true of it:

1. confirmed: all parts hold, and p is below 0.05. It is that of the least sure part, so that the number of
   parts needs no correction, after Holm's correction for the number of statements.
2. partly confirmed: of two or more parts one holds whose p is below 0.05 after Holm's correction for their
   number.
3. opposite: in all parts the opposite is the case, and p is below 0.05, found as that of a confirmation.
4. not confirmed: some part does not hold, or its opposite is the case.
5. cannot be decided: all else.

Every p is doubled, since a statement may be confirmed or be the other way round; each of both directions is
corrected on its own. So verdicts are monotone: a part that gets worse improves no verdict, neither that of
its statement nor another one, and a part that gets better worsens none. From the best verdict to the worst
the order is that of KINDS. A part is worse if all its seeds move as far away from the claimed region.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError
from mftpubsub.labels import in_order, label
from mftpubsub.statistics import CONFIDENCE
from mftpubsub.studies import numbers
from mftpubsub.studies.evidence import UNTESTED, Finding, NotRunError, Runs, examine
from mftpubsub.studies.results import StudyResults
from mftpubsub.studies.source import Claim, Source
from mftpubsub.trace.layout import axes_of

if TYPE_CHECKING:
    import pandas as pd

#: Largest p value, corrected, of what is said to be confirmed or opposite.
SIGNIFICANT = 1 - CONFIDENCE
UNDECIDED = "cannot be decided"
#: Verdicts, from the best to the worst.
KINDS = ("confirmed", "partly confirmed", UNDECIDED, "not confirmed", "opposite")


@dataclass(frozen=True)
class Verdict:
    """What became of a statement.

    `p_all`: of its confirmation or of its opposite, whichever is nearer. `p_best`: of its surest part that
    holds, corrected for the number of parts; 1 if none does. `strict` is the verdict by the strict rate, if
    the statement is about the delivery rate.
    """

    claim: Claim
    findings: list[Finding]
    verdict: str
    p_all: float
    p_best: float
    reason: str
    strict: Verdict | None = None

    @property
    def text(self) -> str:
        """The verdict with its p value, if it rests on one or lacks one."""
        return f"{self.verdict}, {self.p_text}".removesuffix(", ")

    @property
    def p_text(self) -> str:
        """The p value that a verdict rests on; of what is not confirmed though parts hold, what it lacks."""
        outcomes = {finding.outcome for finding in self.findings}
        if all(finding.is_exact for finding in self.findings):
            return ""
        if outcomes in ({"holds"}, {"opposite"}):
            return f"all parts: {_p_text(self.p_all)}" if len(self.findings) > 1 else _p_text(self.p_all)
        if "holds" in outcomes and self.verdict in ("partly confirmed", UNDECIDED):
            return f"surest part: {_p_text(self.p_best)}"
        return _p_text(self.p_all) if self.verdict == UNDECIDED and not isnan(self.p_all) else ""

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


def _rivals(values: pd.DataFrame, source: Source) -> list[str]:
    """The source's rival, as it is and with other parameters: `aodv`, `aodv-tuned`."""
    return [name for name in in_order("protocol", values["protocol"]) if name.split("-")[0] == source.rival]


def judge(
    values: pd.DataFrame, source: Source, rival: str | None = None, own: str | None = None
) -> list[Verdict]:
    """The verdict on every statement, from one row a run (StudyResults.runs).

    `rival` stands for the source's, and `own` for its own protocol: by default themselves.
    """
    values = _in_place_of(source.own, own, _in_place_of(source.rival, rival, values))
    runs = Runs(values)
    verdicts, strict = (hold_against(each, source) for each in (runs, runs.by("delivery_rate_strict")))
    return [
        replace(verdict, strict=other) if verdict.claim.is_about_rate else verdict
        for verdict, other in zip(verdicts, strict, strict=True)
    ]


def _in_place_of(usual: str, other: str | None, values: pd.DataFrame) -> pd.DataFrame:
    if other in (None, usual):
        return values
    return values[values["protocol"] != usual].replace({"protocol": {other: usual}})


def hold_against(data: Any, source: Source) -> list[Verdict]:
    """The verdict on every statement, from what the source's checks take."""
    found: dict[str, list[Finding]] = {}
    reasons: dict[str, str] = {}
    for claim in source.claims:
        try:
            found[claim.id] = [examine(part) for part in claim.check(data)]
            reasons[claim.id] = source.reason(claim.id, data)
        except NotRunError as error:
            found[claim.id], reasons[claim.id] = [], f"Not run: {error}."
    decided = decide(found)
    return [Verdict(claim, found[claim.id], *decided[claim.id], reasons[claim.id]) for claim in source.claims]


def decide(found: Mapping[str, list[Finding]]) -> dict[str, tuple[str, float, float]]:
    """The verdict on each statement with its p values (`Verdict.p_all`, `p_best`), from all their parts."""
    tested = {name: findings for name, findings in found.items() if _tested(findings)}
    p, p_opposite = (
        _holm({name: _two_sided(max(getattr(one, side) for one in of)) for name, of in tested.items()})
        for side in ("p", "p_opposite")
    )
    best = {name: _p_best(findings) for name, findings in found.items()}
    return {
        name: (
            _verdict(findings, p.get(name, nan), p_opposite.get(name, nan), best[name]),
            min(p.get(name, nan), p_opposite.get(name, nan)),
            best[name],
        )
        for name, findings in found.items()
    }


def _verdict(findings: list[Finding], p: float, p_opposite: float, p_best: float) -> str:
    """The first of the module's rules that is true."""
    outcomes = {finding.outcome for finding in findings}
    if outcomes == {"holds"} and p < SIGNIFICANT:
        return "confirmed"
    if len(findings) > 1 and p_best < SIGNIFICANT:
        return "partly confirmed"
    if outcomes == {"opposite"} and p_opposite < SIGNIFICANT:
        return "opposite"
    return "not confirmed" if outcomes & {"does not hold", "opposite"} else UNDECIDED


def _tested(findings: list[Finding]) -> list[Finding]:
    """Those that have a p value: a statement that loses or gains one would change what others need."""
    return [one for one in findings if one.outcome not in UNTESTED and not one.is_constant]


def _p_best(findings: list[Finding]) -> float:
    """The p value of the surest part that holds, although there were so many to choose from."""
    tested = _tested(findings)
    corrected = _holm({str(i): _two_sided(finding.p) for i, finding in enumerate(tested)})
    return min((corrected[str(i)] for i, one in enumerate(tested) if one.outcome == "holds"), default=1.0)


def _two_sided(p: float) -> float:
    return min(1.0, 2 * p)


def _p_text(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def _holm(p_values: dict[str, float]) -> dict[str, float]:
    corrected, last = {}, 0.0
    for i, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        last = max(last, min(1.0, p * (len(p_values) - i)))
        corrected[name] = last
    return corrected


def make(results: StudyResults, source: Source) -> dict[str, list[Verdict]]:
    """Judges a study against each form of the source's rival that was run, itself first, by its name.

    A study with an axis is judged at each of its values instead. Writes DIR/tables/claims, one row for each
    part of each statement, of the first of these. Raises QueryError for a study without runs of the source's
    own protocol.
    """
    from mftpubsub.files import write_table

    if source.own not in {*results.runs["protocol"]}:
        raise QueryError(f"{results.name} has no runs of {source.own}, which the statements are about")
    on_axis = axes_of(results.runs)
    judged = (at_each if on_axis else against_each)(results.runs, source)
    write_table(to_table(next(iter(judged.values()))), results.folder / "tables" / "claims")
    return judged


def at_each(values: pd.DataFrame, source: Source) -> dict[str, list[Verdict]]:
    """The verdicts at each value of a study's axes, by what tables call it, where its own protocol ran."""
    return {name: judge(there, source) for name, there in _at_each(values, source).items()}


def _at_each(values: pd.DataFrame, source: Source) -> dict[str, pd.DataFrame]:
    axes = [*axes_of(values)]
    places = values.loc[values["protocol"] == source.own, axes].dropna().drop_duplicates().to_dict("records")
    places.sort(key=lambda place: [in_order(axis, values[axis]).index(place[axis]) for axis in axes])
    found = {}
    for place in places:
        there = values[(values[axes] == [*place.values()]).all(axis="columns")]
        name = ", ".join(str(label(value)) for value in place.values())
        found[name] = there.drop(columns=axes)
    return found


def against_each(values: pd.DataFrame, source: Source) -> dict[str, list[Verdict]]:
    """The verdicts against the source's rival, and against each other form of it that was run.

    Where the source's own protocol was run tuned, that is also judged against each rival that is.
    """
    return {name: judge(values, source, *pair) for name, pair in _pairs(values, source).items()}


def _pairs(values: pd.DataFrame, source: Source) -> dict[str, tuple[str, str]]:
    """Which rival stands beside which protocol of the source's, by what the verdicts are called."""
    rivals = dict.fromkeys([source.rival, *_rivals(values, source)])
    found = {rival: (rival, source.own) for rival in rivals}
    if source.tuned in {*values["protocol"]}:
        found |= {
            f"{label(rival)} (both tuned)": (rival, source.tuned) for rival in rivals if _is_tuned(rival)
        }
    return found


def against(values: pd.DataFrame) -> str:
    """What stands in a sentence before the names that `make` gives verdicts by: `with radio`."""
    axes = " and ".join(axis.rpartition(".")[2] for axis in axes_of(values))
    return f"with {axes}" if axes else "against"


def _is_tuned(protocol: str) -> bool:
    return "tuned" in protocol.split("-")


def unequal(values: pd.DataFrame, source: Source) -> str:
    """A warning where the rival alone was run tuned; else empty."""
    if source.tuned in {*values["protocol"]} or not any(map(_is_tuned, _rivals(values, source))):
        return ""
    return (
        f"{label(source.tuned)} was not run here: {label(source.own)} stands with its defaults beside tuned "
        f"forms of {label(source.rival)}, so no verdict is best against best."
    )


def where(values: pd.DataFrame, source: Source) -> str:
    """Where both protocols ran that verdicts rest on, with a seed in common, if not in all places."""
    if axes_of(values):
        pairs = {name: (of, (source.rival, source.own)) for name, of in _at_each(values, source).items()}
    else:
        pairs = {label(name): (values, pair) for name, pair in _pairs(values, source).items()}
    asked = {*product(source.networks, source.speeds)}
    names: dict[str, list[str]] = {}
    for name, (of, pair) in pairs.items():
        ours, theirs = (_places(of[of["protocol"] == protocol]) for protocol in pair)
        both = {(config, speed) for config, speed, _ in ours & theirs}
        words = f"in {_place_words(both)}" if both else "nowhere"
        names.setdefault("" if asked <= both else words, []).append(name)
    told = [f"{against(values)} {', '.join(of)} {text}" for text, of in names.items() if text]
    if not told:
        return ""
    return (
        f"The statements are about {_place_words(asked)}. Both protocols were not run in all of these: "
        f"{'; '.join(told)}. What is said of each size or every speed is judged where the "
        "protocols that it is about were run."
    )


def _places(rows: pd.DataFrame) -> set[tuple[str, float, int]]:
    return {*zip(rows["config"], rows["speed_mps"], rows["seed"], strict=True)}


def _place_words(places: set[tuple[str, float]]) -> str:
    """`C2, C4 at 2, 8 m/s and C8 at 8 m/s`."""
    import pandas as pd

    rows = pd.DataFrame([*places], columns=["config", "speed_mps"])
    of_speeds: dict[str, list[str]] = {}
    for config in in_order("config", rows["config"]):
        speeds = in_order("speed_mps", rows.loc[rows["config"] == config, "speed_mps"])
        of_speeds.setdefault(numbers.key_words("speed_mps", *speeds), []).append(config)
    return " and ".join(
        f"{numbers.key_words('config', *configs)} at {speeds}" for speeds, configs in of_speeds.items()
    )


def tables(judged: Mapping[str, list[Verdict]], command: str) -> list[numbers.Table]:
    """What `summary` and, if there is more than one rival, `by_rival` say."""
    return [
        summary(next(iter(judged.values())), command),
        *([by_rival(judged, command)] if len(judged) > 1 else []),
    ]


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


def brief(judged: Mapping[str, list[Verdict]]) -> numbers.Table:
    """What was said, and the verdict against each rival; against the first also that by the strict rate."""
    first, *others = judged.values()
    rows = [
        [
            verdict.claim.id,
            verdict.claim.says,
            verdict.text,
            verdict.strict.text if verdict.strict else "-",
            *(of[place].verdict for of in others),
        ]
        for place, verdict in enumerate(first)
    ]
    names = [label(rival) for rival in judged]
    heading = ["id", "statement", names[0], "by the strict rate", *names[1:]]
    return numbers.Table(heading, rows)


def by_rival(judged: Mapping[str, list[Verdict]], command: str) -> numbers.Table:
    """The verdicts that differ between rivals, of `judged` by their names; then the count of each."""
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
                "p_holm": judged.p_all,
                "p_best": judged.p_best,
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
