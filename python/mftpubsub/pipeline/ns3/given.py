"""A trace of ours that an ns-3 script wrote itself, by PubSubHelper::WriteTrace."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from isal import igzip
from isal.igzip_lib import IsalError

from mftpubsub.errors import TraceError
from mftpubsub.pipeline.integrity import BadRunError
from mftpubsub.pipeline.parts import layers_of
from mftpubsub.trace import trace_format
from mftpubsub.trace.file import TraceFile, is_compressed

_BLOCK = 2**20
#: What only who knows all nodes' positions can tell.
_OF_BOUND = ("reachable_pairs", "reachable", "delivered_of_reachable")


def copy_trace(given: Path, target: Path) -> list[str]:
    """Puts the trace `given`, compressed or not, at `target`; returns the metrics that it does not tell.

    Raises TraceError, naming file and line, unless it is whole, with each line a record.
    """
    try:
        with _opened(given) as source, TraceFile(target) as file:
            while block := source.read(_BLOCK):
                file.write(block)
            file.complete()
        with igzip.open(target, "rt", encoding="ascii", errors="replace") as lines:
            header = lines.readline().rstrip("\n")
        if header != trace_format.header():
            raise TraceError(
                f"{given}, line 1: {header[:80]!r} instead of {trace_format.header()!r}: it is no trace of "
                "PubSubHelper::WriteTrace, or of another version"
            )
        layers = layers_of(target)
    except (OSError, IsalError, EOFError) as error:
        raise TraceError(f"{given}: {getattr(error, 'strerror', None) or error}") from error
    except BadRunError as error:
        raise TraceError(f"{given}: {error}") from error
    return [] if "bound" in layers else [*_OF_BOUND]


def _opened(path: Path) -> IO[bytes]:
    file: IO[bytes] = igzip.open(path, "rb") if is_compressed(path) else path.open("rb")
    return file
