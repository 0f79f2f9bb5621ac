"""Matching: the index against a scan, 100 to 10^5 filters."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from common import PROGRAMS, arguments, median, publish, spread

LARGEST, FULL_LARGEST = 100_000, 1_000_000


def main() -> None:
    told = arguments(__doc__, 3, full="10^6 filters too").parse_args()
    runs = [measure(FULL_LARGEST if told.full else LARGEST) for _ in range(told.repetitions)]
    rows = []
    for same in zip(*runs, strict=True):
        rates = {name: [row[name] for row in same] for name in same[0] if name.endswith("_per_s")}
        row = same[0] | {name: spread(values) for name, values in rates.items()}
        row["x scan"] = median([row["events_per_s"] / row["scan_events_per_s"] for row in same])
        rows.append(row)
    publish("matching", rows, told.full)


def measure(largest: int) -> list[dict[str, Any]]:
    """A row for each number of filters and distribution of values."""
    program = PROGRAMS / "matching" / "mftpubsub-benchmark-matching"
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "measured.json"
        subprocess.run([program, str(largest), file], check=True, stdout=subprocess.DEVNULL)
        return list(json.loads(file.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
