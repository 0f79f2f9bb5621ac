"""A figure of one's own: any metric of a study over any key, drawn for a screen or a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError, no_such
from mftpubsub.labels import SHARE, in_order, in_print, note_strict
from mftpubsub.notes import tell
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.studies import figures, numbers
from mftpubsub.studies.figures import KINDS, Figure
from mftpubsub.studies.numbers import Query
from mftpubsub.style import PAPER, in_style, show_once
from mftpubsub.trace.layout import case_of, text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

#: Styles of ours, beside matplotlib's.
STYLES: Mapping[str, Any] = {"paper": PAPER}


@dataclass(frozen=True)
class Wish:
    """What a figure shows: means of `metric` over the key `x`, a line for each value of the key `by`.

    `only` restricts keys to values. Of a key that is left several values are averaged, which the title tells,
    if each point has the same ones. `labels` renames what is shown. `styles` are "paper", and names and files
    of matplotlib's styles; later ones win.
    """

    metric: str
    x: str = "config"
    by: str = "protocol"
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_log: bool = False
    has_title: bool = True
    labels: Mapping[str, str] = field(default_factory=dict)
    styles: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Of its files."""
        return f"{self.metric}_over_{self.x}_by_{self.by}"


def draw(runs: pd.DataFrame, wish: Wish) -> Drawing:
    """Draws it. Raises QueryError or MftPubsubError for a metric, key, value or style that is not there."""
    with styled(wish.styles):
        return show_once(figures.draw(figure(runs, wish)))


def write(runs: pd.DataFrame, wish: Wish, paths: Sequence[Path]) -> Sequence[Path]:
    """Draws it into files of KINDS, by their names' ends. Returns them.

    Raises as `draw`, and for other ends.
    """
    check_ends(paths)
    with styled(wish.styles):
        figures.save(figures.draw(figure(runs, wish)), paths)
    return paths


def check_ends(paths: Sequence[Path]) -> None:
    """Raises QueryError for a file that no figure can be written to."""
    for path in paths:
        if path.suffix.removeprefix(".") not in KINDS:
            raise QueryError(f"{path}: figures end in .{', .'.join(KINDS)}")


def check_labels(labels: Iterable[str], shown: Mapping[str, Iterable[object]]) -> None:
    """Raises QueryError for a label of what is not among the values that are `shown`, by their keys."""
    values = {key: [text(value) for value in given] for key, given in shown.items()}
    if unknown := next((name for name in labels if name not in chain(*values.values())), None):
        there = "; ".join(f"of {key} there are {', '.join(given)}" for key, given in values.items())
        raise QueryError(f"label: the figure shows no value {unknown!r}: {there}")


def figure(runs: pd.DataFrame, wish: Wish) -> Figure:
    """What is drawn: protocols are called as on the command line unless the wish renames them."""
    if wish.x == wish.by:
        raise QueryError(f"{wish.x}: it is either along the axis or a line for each of its values")
    note_strict(wish.metric, runs)
    rows = numbers.tidy(runs, Query((wish.metric,), (wish.x, wish.by), only=wish.only))
    rows = rows.dropna(subset=[wish.x, wish.by])  # nowhere on an axis is no place in a figure
    check_labels(wish.labels, {key: in_order(key, rows[key]) for key in (wish.x, wish.by)})
    where = place(numbers.selected(runs, wish.only), (wish.x, wish.by))
    metric = in_print(wish.metric)
    is_share = metric.factor == SHARE
    if not is_share:
        rows = rows.assign(mean=rows["mean"] * metric.factor, ci95=rows["ci95"] * metric.factor)
    if wish.is_log and (lacking := int((rows["mean"] <= 0).sum())):
        tell(f"{lacking} of {len(rows)} points are 0, for which a logarithmic axis has no place")
    shown = f"{metric.title[0].upper()}{metric.title[1:]}"
    return Figure(
        wish.name,
        f"{shown}\n{where}".rstrip() if wish.has_title else "",
        shown,
        wish.metric,
        wish.x,
        wish.by,
        wish.only,
        rows,
        is_log=wish.is_log,
        is_share=is_share,
        labels={name: name for name in PROTOCOLS} | dict(wish.labels),
    )


def place(runs: pd.DataFrame, shown: Sequence[str], several: str = "mean of ") -> str:
    """Which values the keys have that are not `shown`; `several` says what stands for more than one.

    Raises QueryError if the values of the shown keys have not all the same cases of the others.
    """
    if keys := numbers.unlike(runs, shown):
        choices = " or ".join(f"--only {key}=..." for key in keys)
        values = "; ".join(numbers.words_of(runs, key) for key in keys)
        raise QueryError(f"{', '.join(keys)}: not every point has all of {values}; choose by {choices}")
    words = []
    for key in case_of(runs):
        if key not in shown:
            counts = runs.groupby([*shown])[key].nunique()
            words.append(f"{several if counts.max() > 1 else ''}{numbers.words_of(runs, key)}")
    return "; ".join(words)


@contextmanager
def styled(styles: Sequence[str]) -> Iterator[None]:
    """Ours, then `styles`. Raises QueryError for a style that is not there."""
    import matplotlib.pyplot as plt

    known = [*STYLES, *plt.style.available]
    for name in styles:
        if name not in known and not Path(name).is_file():
            raise QueryError(no_such("style", name, known))
    with in_style(*(STYLES.get(name, name) for name in styles)):
        yield
