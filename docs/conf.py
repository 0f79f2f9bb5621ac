"""Sphinx's configuration, and the pictures of the pages whose Python is run when they are read."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt
from PIL import Image

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]

mpl.use("Agg")
project = "mftpubsub"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "mftpubsub"
exclude_patterns = ["pictures", "templates"]
myst_heading_anchors = 3


#: Pages whose Python is run; the n-th figure that a page draws is pictures/PAGE-n.png. One that is there
#: stays, as fonts differ between machines: delete it to have it drawn anew.
RUN = (
    "tutorial",
    "how-to/break-and-move",
    "how-to/look-into-a-run",
    "how-to/laboratory",
    "how-to/own-protocol",
    "how-to/study",
    "reference/scenarios",
)


def setup(app: Sphinx) -> None:
    app.connect("source-read", _read)


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    if page in RUN:
        _run(page, source[0])
    # Reports are no pages of this site: their place in the repository is told.
    source[0] = re.sub(r"\[([^\]]*)\]\(\.\./(results/[^)]+\.md)\)", r"\1 (`\2`)", source[0])


def _run(page: str, text: str) -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(io.StringIO()):
        # Of its own: with annotations as texts, as here, fields of messages would not be found.
        exec(compile(code, page, "exec", dont_inherit=True), {"__name__": "__main__"})
    for number in plt.get_fignums():
        picture = ROOT / "docs" / "pictures" / f"{Path(page).name}-{number}.png"
        if picture.name in text and not picture.exists():
            _save(plt.figure(number), picture)
    plt.close("all")


def _save(figure: Figure, picture: Path) -> None:
    """With so few colours that it is small: it is in the repository."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=80)
    few = Image.open(drawn).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)
