"""How pictures look."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colour-blind-safe (Wong 2011).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: Of lines: these and some of Tol's, each with a marker and a line style of its own for grey print.
INKS = (
    *COLOURS,
    *("#882255", "#117733", "#332288", "#999933", "#44AA99", "#AA4499"),
    *("#661100", "#6699CC", "#DDCC77", "#888888", "#AA3377", "#4477AA", "#228833", "#EE6677"),
)
MARKERS = tuple("os^DvPX*h<>pd8Hx+1234")
DASHES = (
    "-",
    "--",
    "-.",
    ":",
    (0, (5, 1, 1, 1, 1, 1)),
    (0, (1, 1)),
    (0, (8, 2)),
    (0, (3, 1, 3, 4)),
    (0, (10, 1, 2, 1)),
    (0, (2, 4)),
    (0, (6, 4)),
    (0, (12, 2, 2, 2)),
    (0, (4, 1)),
    (0, (1, 4)),
    (0, (7, 1, 1, 3)),
    (0, (15, 3)),
    (0, (3, 3, 1, 3)),
    (0, (9, 1, 4, 1)),
    (0, (2, 1, 2, 4)),
    (0, (5, 2, 1, 2)),
    (0, (11, 3, 1, 3)),
)

#: A column of a paper.
PAPER: Any = {
    "figure.figsize": (3.4, 2.7),  # inch
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "legend.title_fontsize": 7,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
}
#: Of files: text that can be edited and searched, and the same file each time.
EDITABLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "mftpubsub", "pdf.fonttype": 42}
STYLE: Any = {
    **EDITABLE,
    "figure.figsize": (4.6, 3.4),  # inch
    "figure.constrained_layout.use": True,
    "savefig.dpi": 200,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.title_fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 5,
    "hatch.linewidth": 0.6,
}


@contextmanager
def in_style(*more: Any) -> Iterator[None]:
    """For what is drawn: STYLE, then `more`, styles of matplotlib.

    The first figure loads matplotlib's backend. A notebook's sets that figures are shown, which stays.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    is_interactive = mpl.is_interactive()
    try:
        with plt.style.context([STYLE, *more]):
            try:
                yield
            finally:
                is_interactive = mpl.is_interactive()
    finally:
        mpl.interactive(is_interactive)


def show_once(figure: Figure) -> Figure:
    """A figure that is returned: where a notebook shows it as what a cell gives, not for being open too."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    if mpl.get_backend().endswith("inline"):
        plt.close(figure)
    return figure
