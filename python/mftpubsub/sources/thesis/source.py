"""The thesis as a source, for studies to be held against."""

from __future__ import annotations

from mftpubsub.sources.thesis.figures import plan
from mftpubsub.sources.thesis.reasons import reason
from mftpubsub.sources.thesis.statements import AODV, CLAIMS, CONFIGS, MFT, SPEEDS, concern
from mftpubsub.studies.source import Source

THESIS = Source(
    "T is the thesis, J the journal text.", CLAIMS, AODV, concern, plan, reason, MFT, CONFIGS, SPEEDS
)
