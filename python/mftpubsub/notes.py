"""What a command tells on standard error of how it goes; `--quiet` silences it, but never errors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_quiet = False


def be_quiet() -> None:
    """From now on, for this process."""
    global _quiet
    _quiet = True


def is_quiet() -> bool:
    """Whether notes are not wanted."""
    return _quiet


def tell(note: str) -> None:
    """A line about how it goes."""
    if not _quiet:
        print(note, file=sys.stderr)


def console() -> Console:
    """Where progress is shown."""
    from rich.console import Console

    return Console(stderr=True, quiet=_quiet)
