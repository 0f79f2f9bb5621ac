"""An S3 of our own: moto's server, behind a gate that can be slow, refuse, and lose connections."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import BinaryIO
from urllib.parse import quote

BUCKET = "studies"


@dataclass
class Store:
    """`fail` is asked of each request, by method and path: 0 lets it pass, a status answers it, -1 hangs up.

    `requests` has all that came.
    """

    port: int
    fail: Callable[[str, str], int] = lambda method, path: 0
    delay: float = 0.0
    requests: list[tuple[str, str]] = field(default_factory=list)

    def url(self, folder: str) -> str:
        """A folder in the bucket, for our commands."""
        options = f"endpoint_override={quote(f'127.0.0.1:{self.port}', safe='')}&scheme=http&region=us-east-1"
        return f"s3://{BUCKET}/{quote(folder)}?{options}"


def _unframed(file: BinaryIO) -> bytes:
    """What comes in chunks, each behind its length; their trailer is left out."""
    parts = []
    while size := int(file.readline().split(b";")[0], 16):
        parts.append(file.read(size))
        file.readline()
    while file.readline().strip():
        pass
    return b"".join(parts)


class _Gate(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: Store
    behind: int

    def _pass(self) -> None:
        body = self._body()
        self.store.requests.append((self.command, self.path))
        status = self.store.fail(self.command, self.path)
        time.sleep(self.store.delay)
        if status < 0:
            self.close_connection = True
            return
        if status:
            code = b"AccessDenied" if status == 403 else b"SlowDown"  # clients go by the word
            self._answer(status, [], b"<Error><Code>" + code + b"</Code><Message>no</Message></Error>")
            return
        onward = http.client.HTTPConnection("127.0.0.1", self.behind)
        hop_by_hop = ("transfer-encoding", "expect", "connection", "content-length")
        headers = {name: value for name, value in self.headers.items() if name.lower() not in hop_by_hop}
        onward.request(self.command, self.path, body, headers)
        answer = onward.getresponse()
        self._answer(answer.status, answer.getheaders(), answer.read())
        onward.close()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return _unframed(self.rfile)  # type: ignore[arg-type]

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        length = dict((name.lower(), value) for name, value in headers).get("content-length")
        self.send_header("Content-Length", (length or "0") if self.command == "HEAD" else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _pass  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def object_store() -> Iterator[Store]:
    """Starts both servers, with a bucket."""
    from moto.server import ThreadedMotoServer

    behind = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    behind.start()
    gate = ThreadingHTTPServer(("127.0.0.1", 0), _Gate)
    gate.daemon_threads = True
    store = Store(gate.server_address[1])
    _Gate.store, _Gate.behind = store, behind.get_host_and_port()[1]
    threading.Thread(target=gate.serve_forever, daemon=True).start()
    try:
        made = http.client.HTTPConnection("127.0.0.1", _Gate.behind)
        made.request("PUT", f"/{BUCKET}")
        assert made.getresponse().status == 200
        yield store
    finally:
        gate.shutdown()
        gate.server_close()
        behind.stop()
