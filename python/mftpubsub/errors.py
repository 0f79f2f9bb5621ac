"""Errors that a user can act on."""

from __future__ import annotations

import errno
import signal
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


class TraceError(MftPubsubError, ValueError):
    """A file that is damaged, or not what it should be; names it and the place in it."""


class QueryError(MftPubsubError, ValueError):
    """A question that a result cannot answer; says what it has."""


class InstallationError(MftPubsubError, RuntimeError):
    """The machine lacks something; says what and how to get it."""


def is_disk_full(error: OSError) -> bool:
    """Whether an error says that no room is left, on the disk or of the user's share."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def ending(code: int) -> str:
    """How a process ended that failed, by its exit code as `subprocess` has it."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def no_such(what: str, name: object, known: Iterable[str]) -> str:
    """Refuses an unknown `name` of a `what`, such as a protocol, and says what the user may have meant."""
    return f"no {what} {name!r}; {suggest(name, known)}"


def suggest(name: object, known: Iterable[str], what: str = "there are") -> str:
    """What the user may have meant by an unknown `name`: one that is close, else all."""
    known = [str(one) for one in known]
    folded = {one.casefold(): one for one in reversed(known)}
    close = get_close_matches(str(name).casefold(), folded, n=1)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"{what} {', '.join(known) or 'none'}"
