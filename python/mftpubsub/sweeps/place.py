"""Where a sweep of this machine puts its runs: a folder with those of one kind of study."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_path

Kind = Literal["the radio", "reconfiguration", "hand-offs"]
#: What runs of a kind of study are called in DIR/runs.
_RUNS: dict[Kind, str] = {
    "the radio": "protocol=*",
    "reconfiguration": "series=*",
    "hand-offs": f"{'[0-9a-f]' * 16}.json",
}


def runs_in(out: Path, kind: Kind) -> Path:
    """`out`/runs, which is made if it is not there.

    Raises MftPubsubError if it cannot be made, or has runs of another kind of study: then neither study would
    have tables and reports.
    """
    runs = as_path(out, "--out", "out/mine") / "runs"
    for other, pattern in _RUNS.items():
        if other != kind and (found := next(runs.glob(pattern), None)):
            raise MftPubsubError(
                f"{found} is a run of a study of {other}, and this study is of {kind}: choose another --out"
            )
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MftPubsubError(f"{runs} cannot be made ({error.strerror}): choose another --out") from error
    return runs
