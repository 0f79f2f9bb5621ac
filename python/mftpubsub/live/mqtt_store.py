"""What clients of MQTT rely on while their node is down: a file of SQLite.

Sessions with their subscriptions, messages that they are owed, retained messages, and parts of long messages.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.live.mqtt_topics import Message
from mftpubsub.live.stable import sync_folder
from mftpubsub.protocols.content import EventId

#: s after which parts of a message that never came whole are forgotten, and parts that are kept at most.
PARTS_AGE, MOST_PARTS = 600.0, 20_000
_LAYOUT = 1
#: What clients are owed is for the node's owner, as its other files are. SQLite gives its journal the same.
_MODE = 0o600
_BOOT = Path("/proc/sys/kernel/random/boot_id")
#: Files of earlier versions have it not.
_BOOT_TABLE = "CREATE TABLE IF NOT EXISTS boot (only INTEGER PRIMARY KEY CHECK (only = 0), id TEXT)"
_logger = logging.getLogger("mftpubsub.live")
_TABLES = """
CREATE TABLE subscriptions (client TEXT, topics TEXT, qos INTEGER, PRIMARY KEY (client, topics));
CREATE TABLE owed (number INTEGER PRIMARY KEY AUTOINCREMENT, client TEXT, topic TEXT, payload BLOB,
                   qos INTEGER, retain INTEGER);
CREATE INDEX owed_of ON owed (client);
CREATE TABLE retained (topic TEXT PRIMARY KEY, payload BLOB, qos INTEGER, stamp INTEGER, node INTEGER);
CREATE TABLE parts (node INTEGER, message INTEGER, part INTEGER, payload BLOB, at REAL,
                    PRIMARY KEY (node, message, part));
CREATE TABLE taken (only INTEGER PRIMARY KEY CHECK (only = 0), node INTEGER, sequence INTEGER);
"""


@dataclass(frozen=True)
class Retained:
    """The latest message of a topic that was to be retained; without a payload it takes back the former."""

    topic: str
    payload: bytes
    qos: int
    stamp: int
    """ns since 1970, by its node's clock: of two, the later one counts."""
    node: int
    """Which told it: that of its client, unless that one was away."""


class Store:
    """Each call is in the file when it returns: `kill -9` undoes nothing.

    A loss of power may undo what was paid, and ends of sessions: messages come twice then, and none is lost.
    """

    def __init__(self, file: Path) -> None:
        """Raises ConfigurationError for a file that this class has not written, or that is damaged."""
        self._file = file
        self._whole: tuple[int, int] | None = None
        self._is_synced = True
        try:
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, _MODE))
            self._database = sqlite3.connect(file, isolation_level=None)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._lay_out()
            self._follow_clock()
            self._journal = os.open(f"{file}-wal", os.O_RDONLY)
            sync_folder(file.parent)
        except (sqlite3.Error, OSError) as error:
            raise ConfigurationError(f"{file}: no store of MQTT's sessions: {error}") from None

    def _lay_out(self) -> None:
        (layout,) = self._database.execute("PRAGMA user_version").fetchone()
        (state,) = self._database.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        if layout == 0:
            self._database.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {_LAYOUT}; COMMIT;")
        elif layout != _LAYOUT:
            raise sqlite3.DatabaseError(f"its layout is {layout}, not {_LAYOUT}")

    def _follow_clock(self) -> None:
        """After another boot nobody knows how old parts are: they count as new."""
        boot = ""
        with suppress(OSError):
            boot = _BOOT.read_text("ascii").strip()
        self._database.execute(_BOOT_TABLE)
        if not boot or self._do("SELECT id FROM boot") != [(boot,)]:
            self._do("UPDATE parts SET at = ?", _since_boot())
            self._do("INSERT OR REPLACE INTO boot VALUES (0, ?)", boot)

    def close(self) -> None:
        self._database.close()
        os.close(self._journal)

    def _do(self, words: str, *values: Any) -> list[tuple[Any, ...]]:
        """Raises RunError if the disk does not take it."""
        try:
            return self._database.execute(words, values).fetchall()
        except sqlite3.Error as error:
            raise RunError(f"{self._file}: {error}") from None

    def _keep(self, words: str, *values: Any) -> list[tuple[Any, ...]]:
        """Does what a loss of power must not undo: others forget it then."""
        rows = self._do(words, *values)
        self._is_synced = False
        if not self._database.in_transaction:
            self._sync()
        return rows

    def _sync(self) -> None:
        if not self._is_synced:
            try:
                os.fsync(self._journal)
            except OSError as error:
                raise RunError(f"{self._file}: {error.strerror}") from None
            self._is_synced = True

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """All that is done within it, or nothing."""
        self._do("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._do("ROLLBACK")
            raise
        self._do("COMMIT")
        self._sync()

    # Sessions

    def subscriptions(self) -> list[tuple[str, str, int]]:
        """Clients, topic filters, QoS."""
        return [(*row,) for row in self._do("SELECT client, topics, qos FROM subscriptions ORDER BY rowid")]

    def subscribe(self, client: str, topics: str, qos: int) -> None:
        self._keep("INSERT OR REPLACE INTO subscriptions VALUES (?, ?, ?)", client, topics, qos)

    def unsubscribe(self, client: str, topics: str) -> None:
        self._keep("DELETE FROM subscriptions WHERE client = ? AND topics = ?", client, topics)

    def forget(self, client: str) -> None:
        self._do("DELETE FROM subscriptions WHERE client = ?", client)
        self._do("DELETE FROM owed WHERE client = ?", client)

    def owe(self, client: str, message: Message) -> int:
        """A number to pay it by."""
        row = (client, message.topic, message.payload, message.qos, message.retain)
        ((number,),) = self._keep(
            "INSERT INTO owed (client, topic, payload, qos, retain) VALUES (?, ?, ?, ?, ?) RETURNING number",
            *row,
        )
        return int(number)

    def pay(self, number: int) -> None:
        self._do("DELETE FROM owed WHERE number = ?", number)

    def owed(self, client: str) -> list[tuple[int, Message]]:
        """In the order in which they came."""
        words = "SELECT number, topic, payload, qos, retain FROM owed WHERE client = ? ORDER BY number"
        return [
            (number, Message(topic, payload, qos, bool(retain)))
            for number, topic, payload, qos, retain in self._do(words, client)
        ]

    # Events

    def take(self, event: EventId) -> bool:
        """Whether the event is another than the one before: a node that dies is told its last one again."""
        last = self._do("SELECT node, sequence FROM taken")
        if last == [(event.publisher, event.sequence)]:
            return False
        if self._whole:
            self._do("DELETE FROM parts WHERE node = ? AND message = ?", *self._whole)
            self._whole = None
        self._do("INSERT OR REPLACE INTO taken VALUES (0, ?, ?)", event.publisher, event.sequence)
        return True

    def collect(self, node: int, message: int, part: int, parts: int, payload: bytes) -> bytes | None:
        """A message's payload if this part makes it whole. Its parts stay until the next event is taken."""
        of_message = "FROM parts WHERE node = ? AND message = ?"
        if not self._do(f"SELECT 1 {of_message} LIMIT 1", node, message):
            self._make_room()
        row = (node, message, part, payload, _since_boot())
        self._keep("INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?)", *row)
        ((kept,),) = self._do(f"SELECT count(*) {of_message}", node, message)
        if kept < parts:
            return None
        found = self._do(f"SELECT payload {of_message} ORDER BY part", node, message)
        self._whole = (node, message)
        return b"".join(one for (one,) in found)

    def _make_room(self) -> None:
        messages = "SELECT node, message FROM parts GROUP BY node, message"
        for message in self._do(f"{messages} HAVING max(at) < ?", _since_boot() - PARTS_AGE):
            self._lose(*message)
        while self._do("SELECT count(*) FROM parts") > [(MOST_PARTS,)]:
            ((node, message),) = self._do(f"{messages} ORDER BY max(at) LIMIT 1")
            self._lose(node, message)

    def _lose(self, node: int, message: int) -> None:
        self._do("DELETE FROM parts WHERE node = ? AND message = ?", node, message)
        _logger.warning("a message of node %d in parts is lost: others of its parts have not come", node)

    # Retained messages

    def retained(self) -> list[Retained]:
        """The oldest first."""
        words = "SELECT topic, payload, qos, stamp, node FROM retained ORDER BY stamp"
        return [Retained(*row) for row in self._do(words)]

    def retain(self, one: Retained) -> None:
        row = (one.topic, one.payload, one.qos, one.stamp, one.node)
        self._keep("INSERT OR REPLACE INTO retained VALUES (?, ?, ?, ?, ?)", *row)

    def forget_retained(self, topic: str) -> None:
        self._do("DELETE FROM retained WHERE topic = ?", topic)


def _since_boot() -> float:
    """s, by the clock of a node's times: nobody sets it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
