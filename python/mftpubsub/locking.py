"""Lock files: one process at a time at work in a folder."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from mftpubsub.errors import MftPubsubError


@contextmanager
def locked(path: Path, work: str, remedy: str = "wait for it") -> Iterator[TextIO]:
    """Holds the lock file `path`, which is given, until the block, or this process, ends.

    Raises MftPubsubError if another process holds it; `work` says what that does, `remedy` what to do then.
    """
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MftPubsubError(f"another {work} is at work in {path.parent}: {remedy}") from None
        except OSError as error:
            raise MftPubsubError(
                f"{path} cannot be locked ({error.strerror}): it must be on a file system with locks"
            ) from error
        yield file
