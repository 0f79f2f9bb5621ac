"""A study's results, and the figures and reports that are made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.files import as_path
from mftpubsub.studies import results
from mftpubsub.studies.results import chosen

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class StudyResults(results.StudyResults):
    """What a study gave, from the tables in its folder. Each is read once."""

    def figure(
        self,
        metric: str,
        *,
        x: str = "config",
        by: str = "protocol",
        only: Mapping[str, object] | None = None,
        is_log: bool = False,
        has_title: bool = True,
        labels: Mapping[str, str] | None = None,
        style: str | Sequence[str] = (),
        out: str | Path | None = None,
    ) -> Figure:
        """A figure of a metric over the key `x`: means with 95 % intervals, a line for each value of `by`.

        `only` restricts keys to a value or several. Of a key that is left several values are averaged, which
        the title tells, if each point has the same ones. `labels` gives protocols or configurations other
        names; `style` is "paper" (a column, 3.4 inches wide), or the name or file of a matplotlib style, or
        several. `out` is also written: .png, .svg or .pdf. Raises MftPubsubError for what is not there.
        """
        from mftpubsub.studies import own_figure

        styles = (style,) if isinstance(style, str) else style
        wish = own_figure.Wish(metric, x, by, chosen(only), is_log, has_title, labels or {}, styles)
        if out is not None:
            own_figure.write(self.runs, wish, [Path(out)])
        return own_figure.draw(self.runs, wish)

    def quantiles(
        self,
        *,
        of: str = "pairs",
        by: str = "protocol",
        only: Mapping[str, object] | None = None,
        shares: Sequence[float] = (0.5, 0.9, 0.95, 0.99),
    ) -> pd.DataFrame:
        """How long it took until shares of all had arrived: a row for each value of the key `by` and share.

        `of` is "pairs", "events" or "subscribers"; what never arrives is in the whole. `delay_s` is the
        geometric mean of the seeds' quantiles, `ci_low` and `ci_high` the ends of its 95 % interval; NaN
        where only `reached` of `n` seeds came so far. Raises MftPubsubError for what is not there.
        """
        from mftpubsub.studies import distribution

        wish = distribution.Wish(of, by, chosen(only))
        return distribution.quantiles(self, wish, shares)

    def report(self) -> Path:
        """Writes the figures, report.md and report.html, unless they are of these tables.

        Returns report.html, which needs no other file.
        """
        from mftpubsub.sources.thesis.source import THESIS
        from mftpubsub.studies import figures, report

        figures.make(self, THESIS)
        return report.make(self, THESIS)


def open_study(folder: str | Path) -> StudyResults:
    """The results of a study, by the folder that `sweep` filled and `ingest` made the tables of.

    Raises MftPubsubError if there are no tables.
    """
    results = StudyResults(as_path(folder, "open_study", "results/thesis"))
    results.need("runs")
    return results
