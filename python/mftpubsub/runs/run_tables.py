"""The tables of a run's result, each defined once: SQL over its trace, and what the columns mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from mftpubsub.errors import QueryError, no_such
from mftpubsub.trace import sql
from mftpubsub.trace.trace_format import Column

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class View:
    """One table: what a row is, its columns, and the query over the records of traces.

    In the query `$keys` stands where columns come that tell runs apart.
    """

    doc: str
    columns: tuple[Column, ...]
    text: str

    def query(self, *keys: str) -> str:
        """Over the view `trace`: of one run, or of several, told apart by columns that come first."""
        return Template(self.text).substitute(keys="".join(f"{key}, " for key in keys))


_PUBLISHER = Column("publisher", "int", "event id: the publishing node")
_SEQUENCE = Column("sequence", "int", "event id: the publisher's sequence number")
_SUBSCRIBER = Column("subscriber", "int", "id of the subscribing node")
_TIME = Column("time_s", "double", "simulated time", "s")
_NODE = Column("node", "int", "id of the node")

VIEWS: dict[str, View] = {
    "events": View(
        "a row for each published event",
        (
            _PUBLISHER,
            _SEQUENCE,
            Column("published_s", "double", "when", "s"),
            Column("bytes", "int", "payload", "B"),
            Column("wanted", "int", "subscribers that held a matching subscription when it was published"),
            Column("matched", "int", "of these, those for which some broker matched it"),
            Column(
                "reachable", "int", "subscribers to which an ideal epidemic protocol would have brought it"
            ),
            Column("delivered", "int", "of those that wanted it, those that got it"),
            Column("delay_max_s", "double", "the longest delay of a delivery", "s"),
        ),
        """
        SELECT $keys publisher, sequence,
            max(time_s) FILTER (WHERE kind = 'PUBLISH') AS published_s,
            max(bytes) FILTER (WHERE kind = 'PUBLISH') AS bytes,
            count(*) FILTER (WHERE kind = 'SEND') AS wanted,
            count(*) FILTER (WHERE kind = 'MATCH' AND is_wanted) AS matched,
            count(*) FILTER (WHERE kind = 'REACHABLE') AS reachable,
            count(*) FILTER (WHERE kind = 'DELIVER' AND is_wanted) AS delivered,
            max(time_s) FILTER (WHERE kind = 'DELIVER' AND is_wanted) - published_s AS delay_max_s
        FROM trace LEFT JOIN (
            SELECT $keys publisher, sequence, subscriber, true AS is_wanted FROM trace WHERE kind = 'SEND'
        ) USING ($keys publisher, sequence, subscriber)
        WHERE layer IN ('app', 'broker', 'bound') AND publisher IS NOT NULL
        GROUP BY $keys publisher, sequence ORDER BY $keys published_s, publisher
        """,
    ),
    "deliveries": View(
        "a row for each event and subscriber that wanted it, delivered or not",
        (
            _PUBLISHER,
            _SEQUENCE,
            _SUBSCRIBER,
            Column("published_s", "double", "when the event was published", "s"),
            Column("matched_s", "double", "when the first broker matched it for the subscriber", "s"),
            Column("reachable_s", "double", "when an ideal epidemic protocol would have delivered it", "s"),
            Column("delivered_s", "double", "when the application got it; missing: it never did", "s"),
            Column("delay_s", "double", "from publication to delivery", "s"),
            Column("hops", "int", "of the delivered copy, client hops included; a replay counts anew"),
            Column("peer", "int", "who delivered it"),
            Column("duplicates", "int", "further copies, which the subscriber suppressed"),
            Column(
                "cause", "string", "why it was never delivered: RADIO, QUEUED, ... as in the trace format"
            ),
        ),
        """
        SELECT $keys publisher, sequence, subscriber,
            any_value(published_s) AS published_s,
            min(time_s) FILTER (WHERE kind = 'MATCH') AS matched_s,
            min(time_s) FILTER (WHERE kind = 'REACHABLE') AS reachable_s,
            min(time_s) FILTER (WHERE kind = 'DELIVER') AS delivered_s,
            delivered_s - any_value(published_s) AS delay_s,
            min(hops) FILTER (WHERE kind = 'DELIVER') AS hops,
            min(peer) FILTER (WHERE kind = 'DELIVER') AS peer,
            count(*) FILTER (WHERE kind = 'DUPLICATE') AS duplicates,
            max(kind) FILTER (WHERE layer = 'loss') AS cause
        FROM trace JOIN (
            SELECT $keys publisher, sequence, time_s AS published_s FROM trace WHERE kind = 'PUBLISH'
        ) USING ($keys publisher, sequence)
        WHERE layer IN ('app', 'broker', 'bound', 'loss') AND subscriber IS NOT NULL
        GROUP BY $keys publisher, sequence, subscriber
        HAVING count(*) FILTER (WHERE kind = 'SEND') > 0
        ORDER BY $keys published_s, publisher, subscriber
        """,
    ),
    "frames": View(
        "a row for each frame that went on the air",
        (
            _TIME,
            Column("node", "int", "id of the sender"),
            Column(
                "kind", "string", "what it carries: HEARTBEAT, ACK, PUB, ...; AODV: DATA, RREQ, HELLO, ..."
            ),
            Column("peer", "int", "to whom; missing: a broadcast"),
            Column("bytes", "int", "on the air, PHY and MAC overhead included", "B"),
        ),
        """
        SELECT $keys time_s, node, kind, peer, bytes
        FROM trace WHERE layer = 'radio' AND op = 't' ORDER BY $keys time_s
        """,
    ),
    "migrations": View(
        "a row for each migration that was announced",
        (
            _TIME,
            _NODE,
            Column("kind", "string", "BMIG: a broker, with everything below it; MIG: a subscriber"),
            Column("parent", "int", "to whom it went: the broker's new parent, the subscriber's new broker"),
        ),
        """
        SELECT $keys time_s, node, kind, peer AS parent
        FROM trace WHERE layer = 'tree' ORDER BY $keys time_s
        """,
    ),
    "nodes": View(
        "a row for each node",
        (
            _NODE,
            Column(
                "roles", "string", "letters of B (broker), S (subscriber), P (publisher); R: none of them"
            ),
            Column("frames", "int", "that it put on the air"),
            Column("bytes", "int", "that it put on the air", "B"),
            Column("published", "int", "events that it published"),
            Column("delivered", "int", "events that its application got"),
            Column("migrations", "int", "that it announced"),
        ),
        """
        SELECT $keys node,
            max(kind) FILTER (WHERE layer = 'node') AS roles,
            count(*) FILTER (WHERE layer = 'radio' AND op = 't') AS frames,
            coalesce(sum(bytes) FILTER (WHERE layer = 'radio' AND op = 't'), 0) AS bytes,
            count(*) FILTER (WHERE layer = 'app' AND kind = 'PUBLISH') AS published,
            count(*) FILTER (WHERE layer = 'app' AND kind = 'DELIVER') AS delivered,
            count(*) FILTER (WHERE layer = 'tree') AS migrations
        FROM trace WHERE node IS NOT NULL GROUP BY $keys node ORDER BY $keys node
        """,
    ),
}


def read(trace: Path, *names: str) -> list[pd.DataFrame]:
    """Tables of a trace by name. Raises QueryError if there is none of a name."""
    for name in names:
        if name not in VIEWS:
            raise QueryError(no_such("table", name, VIEWS))
    frames = sql.query_trace(trace, [VIEWS[name].query() for name in names])
    return [_typed(frame, VIEWS[name]) for name, frame in zip(names, frames, strict=True)]


def _typed(frame: pd.DataFrame, view: View) -> pd.DataFrame:
    """Whole numbers that may be missing stay whole."""
    return frame.astype({column.name: "Int64" for column in view.columns if column.type == "int"})


def markdown() -> str:
    """The tables as docs/reference/results.md has them."""
    lines = []
    for name, view in VIEWS.items():
        rows = [f"| `{c.name}` | {c.type} | {c.unit} | {c.doc} |" for c in view.columns]
        lines += [f"### `{name}`", "", f"{view.doc.capitalize()}.", ""]
        lines += ["| column | type | unit | meaning |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)
