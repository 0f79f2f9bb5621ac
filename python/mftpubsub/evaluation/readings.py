"""Which reading of what the sources leave open is their own: calibrated on the counts that they print, and
judged by every other statement.

A folder has a study for each reading, by its name. What they have not run themselves, AODV above all, they
have from the evaluation: no reading changes it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.errors import MftPubsubError
from mftpubsub.evaluation import claims
from mftpubsub.evaluation.claims import Verdict
from mftpubsub.evaluation.numbers import Table
from mftpubsub.evaluation.report.overview import studies
from mftpubsub.evaluation.results import StudyResults
from mftpubsub.files import as_typed, write_text
from mftpubsub.labels import by_number

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

## Out of sample: verdicts by reading

Verdicts are those of [the evaluation](../thesis/report.md), over all speeds and sizes. Behind a stroke stands
the verdict by the strict delivery rate, where it is another one.

{verdicts}

`{command}`
"""


def make(results: StudyResults, root: Path) -> Path:
    """Judges the readings in the folder `root`, beside the evaluation's other protocols.

    Writes and returns root/report.md. Raises MftPubsubError if there is no reading.
    """
    judged = {name: _judge(StudyResults(root / name).runs, results.runs) for name in _names(root)}
    abouts = [f"- {name}: {_about(root / name)}" for name in judged]
    text = _TEXT.format(
        readings="\n".join(abouts),
        calibration=calibration(judged).markdown(),
        verdicts=verdicts(judged).markdown(),
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


def _judge(own: pd.DataFrame, others: pd.DataFrame) -> list[Verdict]:
    import pandas as pd

    others = others[~others["protocol"].isin(own["protocol"])]
    return claims.judge(pd.concat([own, others], ignore_index=True))


def _about(folder: Path) -> str:
    return " ".join(str(study.get("about", "")) for study in studies(folder)).strip() or "-"


def calibration(judged: dict[str, list[Verdict]]) -> Table:
    """The printed counts beside those of each reading, with the verdict."""
    heading, rows = ["reading"], []
    for name, found in judged.items():
        verdict = next(verdict for verdict in found if verdict.claim.id == PRINTED)
        heading = ["reading", *(f"{f.part.name} ({f.part.claimed()})" for f in verdict.findings), "verdict"]
        rows.append([name, *(finding.measured for finding in verdict.findings), verdict.text])
    return Table(heading, rows)


def verdicts(judged: dict[str, list[Verdict]]) -> Table:
    """A row for each statement, a column for each reading; how many there are of each verdict at the end."""
    columns = [{v.claim.id: v for v in found if v.claim.id != PRINTED} for found in judged.values()]
    rows = [[claim, *(_cell(column[claim]) for column in columns)] for claim in columns[0]]
    counts = [Counter(verdict.verdict for verdict in column.values()) for column in columns]
    kinds = ("confirmed", "partly confirmed", "not confirmed", "opposite", claims.UNDECIDED)
    totals = [[f"all: {kind}", *(str(count[kind]) for count in counts)] for kind in kinds]
    return Table(["statement", *judged], [*rows, *totals])


def _cell(verdict: Verdict) -> str:
    strict = verdict.strict.verdict if verdict.strict else verdict.verdict
    return verdict.verdict if strict == verdict.verdict else f"{verdict.verdict} / {strict}"
