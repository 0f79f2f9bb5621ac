"""Matching: the index against a scan, 100 to 10^6 filters."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from common import PROGRAMS, publish


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1_000_000)
    largest = parser.parse_args().largest
    program = PROGRAMS / "matching" / "mftpubsub-benchmark-matching"
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "measured.json"
        subprocess.run([program, str(largest), file], check=True, stdout=subprocess.DEVNULL)
        rows = json.loads(file.read_text(encoding="utf-8"))
    for row in rows:
        row["x scan"] = row["events_per_s"] / row["scan_events_per_s"]
    publish("matching", rows)


if __name__ == "__main__":
    main()
