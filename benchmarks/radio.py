"""Castalia's scenario s5 on our radio and on ns-3's lr-wpan, side by side, against Castalia's own cost."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from common import HERE, PROGRAMS, arguments, instructions, median, publish, run_json, spread

#: Nodes and side of the field (m) of configurations C2, C8, C16 and C32.
SIZES = ((6, 35), (18, 60), (34, 80), (66, 110))
YARDSTICK = HERE.parent / "tests" / "fidelity" / "reference" / "s5_cpu_yardstick.csv"
#: Simulated s times nodes of a run: ours, and lr-wpan's, which takes longer. So start-up is a small part.
NODE_SECONDS = 66000
LR_WPAN_NODE_SECONDS = 13200
#: Castalia's shorter runs, simulated s, are mostly start-up.
CASTALIA_SECONDS = 1000


def castalia() -> dict[int, float]:
    """Castalia's simulated s per CPU s, by nodes: median of its runs."""
    rates: dict[int, list[float]] = {}
    with YARDSTICK.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if float(row["sim_time_s"]) > CASTALIA_SECONDS:
                cpu = float(row["user_cpu_s"]) + float(row["sys_cpu_s"])
                rates.setdefault(int(row["nodes"]), []).append(float(row["sim_time_s"]) / cpu)
    return {nodes: median(values) for nodes, values in rates.items()}


def main() -> None:
    repetitions = arguments(__doc__, 5).parse_args().repetitions
    program = PROGRAMS / "radio" / "mftpubsub-benchmark-radio"
    yardstick = castalia()
    rows = []
    for nodes, field in SIZES:
        seconds = {"ours": NODE_SECONDS // nodes, "lr-wpan": LR_WPAN_NODE_SECONDS // nodes}
        runs: dict[str, list[dict[str, Any]]] = {radio: [] for radio in seconds}
        for _ in range(repetitions):
            for radio in seconds:
                command: list[str | Path] = [program, radio, str(nodes), str(field), str(seconds[radio]), "0"]
                runs[radio].append(run_json(command))
        rates = {}
        for radio, done in runs.items():
            speeds = [seconds[radio] / run["cpu_s"] for run in done]
            rates[radio] = median(speeds)
            counted = None
            if nodes == SIZES[-1][0]:
                # the difference of two lengths leaves the start-up out
                long, short = (
                    instructions([program, radio, str(nodes), str(field), length, "0"])
                    for length in ("6", "1")
                )
                if long and short:
                    counted = (long - short) / (5 * nodes)
            cpu = median([run["cpu_s"] for run in done])
            rows.append(
                {
                    "nodes": nodes,
                    "radio": radio,
                    "simulated s per CPU s": spread(speeds),
                    "x Castalia": rates[radio] / yardstick[nodes],
                    "x lr-wpan": rates[radio] / rates.get("lr-wpan", rates[radio]),
                    "us/frame": 1e6 * cpu / done[0]["frames"],
                    "us/reception": 1e6 * cpu / done[0]["receptions"],
                    "instructions/frame": counted,
                }
            )
        rows[-2]["x lr-wpan"] = rates["ours"] / rates["lr-wpan"]
    publish("radio", rows)


if __name__ == "__main__":
    main()
