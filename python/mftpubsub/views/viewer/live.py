"""A run in the viewer's page while it runs: a server on this machine, which the page asks for what is new."""

from __future__ import annotations

import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.snapshot import Snapshot
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.page import live_page, told_of
from mftpubsub.views.viewer.records import FAULTS, Clock
from mftpubsub.views.viewer.replay import Film

#: Looks that a page has: beyond, every other one is forgotten.
_MOST_LOOKS = 400
#: A page that has not asked for so long, in s, is closed: it asks several times a second.
_PATIENCE_S = 3.0
_UNTOLD = ("frames and events one by one: `mftpubsub view` shows the same run with them",)


class LivePage:
    """The page of a run that is going on, at `address`, as long as the block lasts.

    It is renewed by `show`, which costs next to nothing while no page is open.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._clock = Clock.for_duration(scenario.duration)
        self._started = monotonic()
        self._film = Film()
        self._looks = 0
        self._stride = 1
        """Of so many looks one is kept, and the latest."""
        self._server = _Server(live_page(f"mftpubsub: {scenario}"))
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Pages that are open are given the end, if there is one."""
        if self._server.is_open and self._server.is_over:
            self._server.has_end.wait(_PATIENCE_S)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait_for_page(self, seconds: float) -> None:
        """Waits until a page is open, but no longer than so."""
        self._server.has_begun.wait(seconds)
        self._started = monotonic()

    def show(self, snapshot: Snapshot) -> None:
        """Shows the network as it is now."""
        if (self._looks - 1) % self._stride:
            self._film.forget_last()
        self._film.take(snapshot)
        self._looks += 1
        if len(self._film) > _MOST_LOOKS:
            self._film.thin()
            self._stride *= 2
        is_over = snapshot.time_s >= self._scenario.duration
        if self._server.is_open or is_over:
            self._server.offer(self._looks, self._block(snapshot), is_over)

    def _block(self, snapshot: Snapshot) -> bytes:
        columns = Columns()
        self._film.add_to(columns, self._clock)
        self._film.add_routes_to(columns)
        counters = snapshot.counters
        metrics = {
            "published": counters.published,
            "sent_pairs": counters.wanted,
            "delivered_pairs": counters.delivered,
            "migrations": counters.migrations,
            **{f"frames {kind}": count for kind, count in counters.frames.items()},
            **{f"undelivered {cause}": count for cause, count in counters.undelivered.items()},
        }
        roles = ["".join(role[0].upper() for role in node.roles) or "R" for node in snapshot.nodes]
        live = {
            "looks": self._looks,
            "until": snapshot.time_s,
            "rate": snapshot.time_s / max(1e-3, monotonic() - self._started),
        }
        header: dict[str, Any] = {
            "format": 1,
            "name": "",
            "tick": self._clock.tick_s,
            "duration": self._scenario.duration,
            "roles": roles,
            "kinds": [],
            "causes": [""],
            "faults": FAULTS,
            "untold": _UNTOLD,
            "metrics": metrics,
            "live": live,
        }
        return columns.block(
            header | told_of(self._scenario), level=1
        )  # it goes no further than this machine


class _Server(ThreadingHTTPServer):
    """Hands out a page, and the latest block to who has not got it."""

    daemon_threads = True

    def __init__(self, page: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page = page.encode()
        self.has_begun = Event()
        """A page has asked."""
        self.has_end = Event()
        """All pages that are open have got the last block."""
        self.is_over = False
        self._asked_at: dict[str, float] = {}
        """When each page that has not got the last block asked last."""
        self._offer = (0, b"")

    @property
    def is_open(self) -> bool:
        return any(monotonic() - asked < _PATIENCE_S for asked in list(self._asked_at.values()))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a page that was closed before it had its answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def offer(self, looks: int, block: bytes, is_over: bool) -> None:
        self._offer = (looks, block)
        self.is_over = is_over

    def block_after(self, looks: int, page: str) -> bytes:
        """The latest block, if a page that has had so many looks does not know it; else nothing."""
        self._asked_at[page] = monotonic()
        self.has_begun.set()
        newest, block = self._offer
        return block if newest > looks else b""

    def note_end(self, page: str) -> None:
        """A page has got the last block: it asks no more."""
        self._asked_at.pop(page, None)
        if not self.is_open:
            self.has_end.set()


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == "/":
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        elif asked.path == "/run":
            told = parse_qs(asked.query)
            looks, page = (told.get(name, [none])[0] for name, none in (("after", "0"), ("page", "")))
            if not looks.isdecimal():
                self.send_error(HTTPStatus.BAD_REQUEST, "after is how many looks the page has had")
                return
            is_over = self.server.is_over
            block = self.server.block_after(int(looks), page)
            self._answer(HTTPStatus.OK if block else HTTPStatus.NO_CONTENT, "application/gzip", block)
            if is_over:
                self.server.note_end(page)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _answer(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal has better to show."""
