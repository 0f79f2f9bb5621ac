"""Which reading of what the sources leave open is their own: calibrated on the counts that they print, and
judged by every other statement.

A folder has a study for each reading, by its name. What they have not run themselves, AODV above all, they
have from the evaluation: no reading changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_typed, write_text
from mftpubsub.labels import by_number, label
from mftpubsub.notes import each
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.sources.thesis.statements import AODV, MFT
from mftpubsub.studies import claims
from mftpubsub.studies.claims import Verdict
from mftpubsub.studies.evidence import Finding, Runs, examine
from mftpubsub.studies.kept import studies
from mftpubsub.studies.numbers import Table
from mftpubsub.studies.results import StudyResults

if TYPE_CHECKING:
    import pandas as pd

#: The one statement with numbers in print: how many migrations a run has (J 6).
PRINTED = "migrations"

_TEXT = """\
# Which reading is the sources' own?

The sources leave open how often heartbeats are sent and what a node does when a frame is given up. A
reading is a choice of both; its name says it. Readings are told apart by the one count that is in print,
alone; every other statement is out of sample: none was looked at to choose among them, unless a reading says
so of itself.

{readings}

## Calibration: migrations a run

{calibration}

{attachments}

The source does not say what its count has. Above are the migrations of which a message tells; the second
table counts every change of an attachment, those of publishers and first ones too.

## Out of sample: verdicts by reading

Verdicts are those of [the evaluation](../thesis/report.md), over all speeds and sizes, against ns-3's AODV
with its defaults. Behind a stroke stands the verdict by the strict delivery rate, where it is another one.

{verdicts}

## The same against each AODV

{tallies}

`{command}`
"""


def make(results: StudyResults, root: Path) -> Path:
    """Judges the readings in the folder `root`, beside the evaluation's other protocols.

    Writes and returns root/report.md. Raises MftPubsubError if there is no reading, or neither a reading nor
    the evaluation has run AODV.
    """
    for name in _names(root):
        if not {AODV, MFT} <= {*_beside(StudyResults(root / name).runs, results.runs)["protocol"]}:
            raise MftPubsubError(
                f"{results.folder} and {root / name} have no runs of {AODV} and {MFT}, which the statements "
                "compare: name the folder of an evaluation, such as results/thesis"
            )
    own = {name: StudyResults(root / name).runs for name in _names(root)}
    judged = {
        name: claims.against_each(_beside(own[name], results.runs), THESIS)
        for name in each([*own], "readings judged")
    }
    usual = {name: of[AODV] for name, of in judged.items()}
    text = _TEXT.format(
        readings="\n".join(f"- {name}: {_about(root / name)}" for name in own),
        calibration=calibration(usual).markdown(),
        attachments=attachments(own, usual).markdown(),
        verdicts=verdicts(usual).markdown(),
        tallies=tallies(judged).markdown(),
        command=f"mftpubsub readings {results.name} {as_typed(root)}",
    )
    write_text(root / "report.md", text)
    return root / "report.md"


def _names(root: Path) -> list[str]:
    """Readings with tables, in the order of their numbers."""
    found = (path.parents[1].name for path in root.glob("*/tables/runs.parquet"))
    names = sorted(found, key=by_number)
    if not names:
        raise MftPubsubError(f"{root}/*/tables is missing; `make readings` makes them")
    return names


def _beside(own: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """A reading's runs, and of protocols that it did not run those of the evaluation.

    Without MFT-PubSub tuned: that is of the evaluation's own reading.
    """
    import pandas as pd

    left_out = {*own["protocol"], THESIS.tuned}
    return pd.concat([own, others[~others["protocol"].isin(left_out)]], ignore_index=True)


def _about(folder: Path) -> str:
    return " ".join(str(study.get("about", "")) for study in studies(folder)).strip() or "-"


def calibration(judged: Mapping[str, list[Verdict]]) -> Table:
    """The printed counts beside those of each reading, with the verdict."""
    printed = {name: _printed(found) for name, found in judged.items()}
    rows = [[name, *_cells(verdict.findings), verdict.text] for name, verdict in printed.items()]
    return Table([*_heading(printed), "verdict"], rows)


def attachments(own: Mapping[str, pd.DataFrame], judged: Mapping[str, list[Verdict]]) -> Table:
    """All attachments of a run under each reading, beside the printed counts."""
    printed = {name: _printed(found) for name, found in judged.items()}
    rows = []
    for name, verdict in printed.items():
        runs = Runs(own[name])
        parts = (finding.part for finding in verdict.findings)
        counted = (
            replace(part, unit="attachments", values=runs.mean("attachments", MFT, part.name))
            for part in parts
        )
        rows.append([name, *_cells(map(examine, counted))])
    return Table(_heading(printed), rows)


def _printed(found: Iterable[Verdict]) -> Verdict:
    return next(verdict for verdict in found if verdict.claim.id == PRINTED)


def _heading(printed: Mapping[str, Verdict]) -> list[str]:
    findings = next(iter(printed.values())).findings
    return ["reading", *(f"{finding.part.name} ({finding.part.claimed()})" for finding in findings)]


def _cells(findings: Iterable[Finding]) -> list[str]:
    return [f"{finding.measured}, {finding.outcome}" for finding in findings]


def verdicts(judged: Mapping[str, list[Verdict]]) -> Table:
    """A row for each statement, a column for each reading; how many there are of each verdict at the end."""
    found = _out_of_sample(judged)
    rows = [
        [of_one[0].claim.id, *(verdict.both for verdict in of_one)]
        for of_one in zip(*found.values(), strict=True)
    ]
    return Table(["statement", *found], [*rows, *claims.tallies(found)])


def tallies(judged: Mapping[str, Mapping[str, list[Verdict]]]) -> Table:
    """How many statements there are of each verdict under each reading, against each AODV."""
    rivals = [*next(iter(judged.values()))]
    rows = [
        [label(rival), *row]
        for rival in rivals
        for row in claims.tallies(_out_of_sample({name: of[rival] for name, of in judged.items()}))
    ]
    return Table(["against", "statements", *judged], rows)


def _out_of_sample(judged: Mapping[str, list[Verdict]]) -> dict[str, list[Verdict]]:
    """Without the statement that readings are told apart by."""
    return {name: [v for v in found if v.claim.id != PRINTED] for name, found in judged.items()}
