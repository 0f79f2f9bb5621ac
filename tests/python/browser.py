"""A headless browser for tests: Chromium by way of chromedriver, which speaks WebDriver (W3C)."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMEDRIVER = shutil.which("chromedriver")
IS_MISSING = CHROMIUM is None or CHROMEDRIVER is None

_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--hide-scrollbars",
)


#: Asks the driver itself, whatever proxies the machine has.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Browser:
    """One window."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, page: Path, fragment: str = "") -> None:
        """Opens the viewer's page from its file, and waits until it is ready."""
        self.open_address(f"{page.as_uri()}#{fragment}")

    def open_address(self, address: str) -> None:
        """Opens a page of the viewer, and waits until it is ready and drawn in its place."""
        self._post("url", {"url": "about:blank"})  # so that another fragment loads the page anew
        self._post("url", {"url": address})
        self._wait("document.body.dataset.ready === 'true'")
        self.run(
            "const note = () => { document.body.dataset.drawn = 'true'; };"
            "requestAnimationFrame(() => requestAnimationFrame(note));"
        )
        self._wait("document.body.dataset.drawn === 'true'")

    def _wait(self, condition: str) -> None:
        end = time.monotonic() + 120
        while not self.run(f"return {condition}"):
            assert time.monotonic() < end, self.run("return document.body.innerText")
            time.sleep(0.05)

    def run(self, script: str, *arguments: Any) -> Any:
        """What a function body of JavaScript returns."""
        return self._post("execute/sync", {"script": script, "args": arguments})

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other, on what has the focus."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._post("actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click(self, x: float, y: float) -> None:
        """Clicks at a place of the window."""
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._post("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Moves what is at a place of the window to another, by way of their middle."""
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        moves: list[dict[str, Any]] = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 20}
            for x, y in (start, middle, end)
        ]
        actions = [
            moves[0],
            {"type": "pointerDown", "button": 0},
            *moves[1:],
            {"type": "pointerUp", "button": 0},
        ]
        self._post("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def resize(self, width: int, height: int) -> None:
        """Shows the page as on a screen of this size, px; narrower ones than windows may be, too."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._post("goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": size})

    def complaints(self) -> list[str]:
        """What the console has had to complain of since it was last asked."""
        return [entry["message"] for entry in self._post("se/log", {"type": "browser"})]

    def screenshot(self, file: Path) -> None:
        """Writes a picture (PNG) of the window."""
        with _OPENER.open(f"{self._session}/screenshot", timeout=120) as answer:
            file.write_bytes(base64.b64decode(json.load(answer)["value"]))

    def _post(self, what: str, content: dict[str, Any]) -> Any:
        return post(f"{self._session}/{what}", content)


def post(url: str, content: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        url, json.dumps(content).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    try:
        with _OPENER.open(request, timeout=120) as answer:
            return json.load(answer)["value"]
    except HTTPError as error:
        raise AssertionError(json.load(error)["value"]["message"]) from error


@contextmanager
def browser(width: int = 1280, height: int = 800) -> Iterator[Browser]:
    """A browser that ends with the block."""
    assert CHROMIUM
    assert CHROMEDRIVER
    driver = subprocess.Popen([CHROMEDRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        assert driver.stdout
        port = next(
            line.split()[-1].rstrip(".") for line in driver.stdout if "started successfully on port" in line
        )
        options = {"binary": CHROMIUM, "args": [*_ARGUMENTS, f"--window-size={width},{height}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        url = f"http://127.0.0.1:{port}/session"
        session = post(url, {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        try:
            yield Browser(f"{url}/{session}")
        finally:
            with _OPENER.open(urllib.request.Request(f"{url}/{session}", method="DELETE"), timeout=60):
                pass
    finally:
        driver.terminate()
        driver.wait()
