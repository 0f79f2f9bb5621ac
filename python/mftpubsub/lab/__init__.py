"""The laboratory: protocols on a small network of perfect links, one message at a time."""

from mftpubsub.lab.commands import Transcript
from mftpubsub.lab.laboratory import Lab, Log, Record, Route
from mftpubsub.simulator.laboratory import LabError

__all__ = ["Lab", "LabError", "Log", "Record", "Route", "Transcript"]
