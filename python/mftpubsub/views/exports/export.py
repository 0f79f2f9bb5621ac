"""Which file is written how: the suffix of its name says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from mftpubsub.errors import QueryError
from mftpubsub.files import write_text, written
from mftpubsub.runs.simulation import Progress
from mftpubsub.views.exports import moving, netanim, own, pcapng, perfetto
from mftpubsub.views.exports.recording import Excerpt, Recording, Wanted

Write = Callable[[Recording, Path, Progress], None]

#: By what names end with.
WRITERS: dict[str, Write] = {
    ".json": perfetto.write,
    ".json.gz": partial(perfetto.write, is_compressed=True),
    ".pcapng": pcapng.write,
    ".xml": netanim.write,
    ".gif": moving.write_gif,
    ".mp4": moving.write_mp4,
}
_PACKETS = (".json", ".json.gz", ".pcapng")
_PICTURES = (".gif", ".mp4")


def wanted(outs: Sequence[Path], excerpt: Excerpt) -> Wanted:
    """What has to be looked at for some files.

    Raises QueryError for no name, or one that says no format, InstallationError if a program is missing.
    """
    if not outs:
        raise QueryError(f"export: no file was named, such as run.pcapng; names end in {', '.join(WRITERS)}")
    suffixes = [_suffix(out) for out in outs]
    if ".mp4" in suffixes:
        moving.check_ffmpeg()
    has_packets, has_pictures = (any(suffix in some for suffix in suffixes) for some in (_PACKETS, _PICTURES))
    return Wanted(excerpt, has_packets, has_pictures)


def write(recording: Recording, outs: Sequence[Path], progress: Progress = lambda _: None) -> None:
    """Writes a run as files, each whole or not at all; `progress` is told how far in the run it is, s.

    Beside a capture of a protocol of one's own stands its dissector, RUN.lua.

    Raises QueryError for one that cannot be written.
    """
    for out in outs:
        try:
            with written(out) as unfinished:
                WRITERS[_suffix(out)](recording, unfinished, progress)
            if _suffix(out) == ".pcapng" and (text := own.dissector(recording.result.scenario.protocol)):
                write_text(out.with_suffix(".lua"), text)
        except OSError as error:
            raise QueryError(f"{out} cannot be written: {error.strerror or error}") from error


def _suffix(out: Path) -> str:
    for suffix in WRITERS:
        if out.name.endswith(suffix):
            return suffix
    raise QueryError(f"{out}: the name must end in one of {', '.join(WRITERS)}")
