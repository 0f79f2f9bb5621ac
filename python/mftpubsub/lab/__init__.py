"""The laboratory: protocols on a small network of perfect links, one message at a time."""

from mftpubsub.lab.air import AirLab
from mftpubsub.lab.commands import Transcript
from mftpubsub.lab.laboratory import Lab, Log, Record, Route
from mftpubsub.lab.search import Found, search
from mftpubsub.simulator.laboratory import LabError

__all__ = ["AirLab", "Found", "Lab", "LabError", "Log", "Record", "Route", "Transcript", "search"]
