"""s5 with 10^2 to 10^4 nodes at the thesis's density: CPU time per frame and reception, and memory."""

from __future__ import annotations

import math

from common import PROGRAMS, arguments, median, publish, run_json, spread

#: 66 nodes on 110 m x 110 m.
AREA_PER_NODE = 110**2 / 66
SIZES = (66, 100, 1000, 10000)
#: Simulated s, and for the smaller sizes, whose runs are short.
SECONDS = 60
NODE_SECONDS = 60000


def main() -> None:
    repetitions = arguments(__doc__, 3).parse_args().repetitions
    program = PROGRAMS / "radio" / "mftpubsub-benchmark-radio"
    rows = []
    for nodes in SIZES:
        field = math.sqrt(nodes * AREA_PER_NODE)
        seconds = max(SECONDS, NODE_SECONDS // nodes)
        runs = [
            run_json([program, "ours", str(nodes), f"{field:.3f}", str(seconds), "0"])
            for _ in range(repetitions)
        ]
        cpu = median([run["cpu_s"] for run in runs])
        run = runs[0]
        rows.append(
            {
                "nodes": nodes,
                "field (m)": field,
                "simulated s": seconds,
                "CPU s": spread([run["cpu_s"] for run in runs]),
                "signals/frame": run["signals"] / run["frames"],
                "receptions/frame": run["receptions"] / run["frames"],
                "us/frame": 1e6 * cpu / run["frames"],
                "ns/signal": 1e9 * cpu / run["signals"],
                "ns/reception": 1e9 * cpu / run["receptions"],
                "peak MiB": max(run["peak_mib"] for run in runs),
            }
        )
    publish("scale", rows)


if __name__ == "__main__":
    main()
