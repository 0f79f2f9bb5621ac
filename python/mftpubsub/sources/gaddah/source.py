"""Gaddah and Kunz as a source, for studies to be held against."""

from __future__ import annotations

from mftpubsub.sources.gaddah.claims import CLAIMS
from mftpubsub.sources.gaddah.reasons import reason
from mftpubsub.studies.source import Source

GADDAH = Source(
    "G is Gaddah and Kunz; its absolute numbers are of a testbed whose event size is not published.",
    CLAIMS,
    rival="",
    concern=lambda cells: "tables" in {*cells["group"]},
    plan=lambda cells: [],
    reason=reason,
)
