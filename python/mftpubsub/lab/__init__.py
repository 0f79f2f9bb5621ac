"""The laboratory: protocols on a small network of perfect links, one message at a time."""

from mftpubsub.lab.laboratory import Lab, LabError, Log, Record, Route

__all__ = ["Lab", "LabError", "Log", "Record", "Route"]
