"""Errors that a user can act on."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from difflib import get_close_matches


class MftPubsubError(Exception):
    """Base of every error that this package raises on purpose; its text is for the user."""


class ConfigurationError(MftPubsubError, ValueError):
    """A scenario file or scenario that cannot be run: names the file, the key and what would be right."""


class RunError(MftPubsubError, RuntimeError):
    """A run that failed."""


class DiskFullError(RunError):
    """No room is left: nothing that follows would fit either."""


class QueryError(MftPubsubError, ValueError):
    """A question that a result cannot answer; says what it has."""


class InstallationError(MftPubsubError, RuntimeError):
    """The machine lacks something; says what and how to get it."""


def is_disk_full(error: OSError) -> bool:
    """Whether an error says that no room is left, on the disk or of the user's share."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def suggest(name: object, known: Iterable[str], what: str = "known are") -> str:
    """What the user may have meant by an unknown `name`."""
    known = list(known)
    close = get_close_matches(str(name), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"{what} {', '.join(known)}"
