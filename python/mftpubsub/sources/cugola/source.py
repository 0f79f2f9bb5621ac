"""Cugola et al. as a source, for studies to be held against."""

from __future__ import annotations

from mftpubsub.sources.cugola.claims import CLAIMS
from mftpubsub.sources.cugola.reasons import reason
from mftpubsub.studies.source import Source

CUGOLA = Source(
    "C is Cugola et al.; it gives no spread, so that the tolerances are ours and stand in the statement.",
    CLAIMS,
    rival="",
    concern=lambda runs: {"scale", "default"} <= {*runs["series"]},
    plan=lambda runs: [],
    reason=reason,
)
