"""A study's folder wherever it lies: on this machine's file systems, in an object store, in HDFS.

A file appears under its name as a whole or not at all. Object stores have no rename and no locks: a file is
there once its upload has ended, and who works in a folder says so by a file that it keeps renewing.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mftpubsub.files import as_path
from mftpubsub.folders.folder import LOCAL_STAT, REMOTE_STAT, Folder, LocalFolder, Stat, stat_of
from mftpubsub.folders.hdfs import HdfsFolder
from mftpubsub.folders.remote import RemoteFolder, UnreachableError
from mftpubsub.folders.stores import StoreFolder

__all__ = [
    "LOCAL_STAT",
    "REMOTE_STAT",
    "Folder",
    "LocalFolder",
    "RemoteFolder",
    "Stat",
    "UnreachableError",
    "folder_at",
    "is_url",
    "stat_of",
]


def is_url(text: object) -> bool:
    """Whether a folder is named by a URL."""
    return re.match(r"[a-z][a-z0-9+.-]*://", str(text)) is not None


def folder_at(text: Folder | str | Path) -> Folder:
    """The folder that a path or URL names; `file://` and `file:/` are of this machine."""
    if isinstance(text, Folder):
        return text
    if of_java := re.match(r"file:(?=/[^/])", str(text)):  # so Java, and a catalogue of Spark, write a path
        return LocalFolder(Path(str(text)[of_java.end() :]))
    if not is_url(text):
        return LocalFolder(as_path(text, "a study's folder", "results/thesis"))
    parts = urlsplit(str(text))
    if parts.scheme == "file":
        return LocalFolder(Path(unquote(parts.path)))
    if parts.scheme == "hdfs":
        return HdfsFolder(str(text))
    return StoreFolder(str(text))
