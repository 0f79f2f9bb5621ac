"""The viewer's page in a headless browser: its size, how long it takes to open, and how it plays."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import HERE, publish

ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

from browser import IS_MISSING, Browser, browser  # noqa: E402

import mftpubsub  # noqa: E402
from mftpubsub.views.viewer import page  # noqa: E402

#: Simulated seconds a second.
SPEEDS = (0.1, 1, 10)
#: s
PLAYED = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", action="append")
    parser.add_argument("--config", action="append")
    arguments = parser.parse_args()
    if IS_MISSING:
        raise SystemExit("needs chromium and chromedriver")
    study = mftpubsub.load(ROOT / "configs" / "thesis.yaml")
    rows = []
    with browser(1400, 900) as window, tempfile.TemporaryDirectory() as folder:
        for config in arguments.config or ("C8", "C32"):
            for protocol in arguments.protocol or ("mft-pubsub", "aodv", "mft-mesh"):
                case = study.case(protocol=protocol, config=config, speed=8, seed=1)
                file = Path(folder) / "view.html"
                page.write(file, [page.of_scenario(case)], str(case))
                rows.append({"protocol": protocol, "configuration": config} | measure(window, file))
    publish("viewer", rows)


def measure(window: Browser, file: Path) -> dict[str, Any]:
    """Size (MB), opening (s), and for each speed the pictures a second and the time that one takes (ms)."""
    start = time.perf_counter()
    window.open(file)
    row: dict[str, Any] = {"MB": file.stat().st_size / 1e6, "opens in s": time.perf_counter() - start}
    for speed in SPEEDS:
        window.open(file, f"t=100&speed={speed}")
        told = "return [viewer.drawn, viewer.drawing, performance.now()]"
        window.press(" ")
        before = window.run(told)
        time.sleep(PLAYED)
        after = window.run(told)
        drawn, drawing, passed = (one - other for one, other in zip(after, before, strict=True))
        row |= {f"pictures/s at {speed}x": 1000 * drawn / passed, f"ms at {speed}x": drawing / drawn}
    return row


if __name__ == "__main__":
    main()
