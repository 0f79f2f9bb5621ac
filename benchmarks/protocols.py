"""Thesis-size runs (8 m/s, 700 s, seed 1, trace included) of every protocol: CPU time, events, lines."""

from __future__ import annotations

import argparse
import gzip

from common import HERE, publish, spread

import mftpubsub
from mftpubsub.scenario.scenario import FIXED_BROKERS, known_protocols

THESIS = HERE.parent / "configs" / "thesis.yaml"
#: Runs that take longer are not repeated, CPU s.
LONG = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    mobile = [name for name in known_protocols() if name not in FIXED_BROKERS]
    parser.add_argument("--protocols", nargs="+", default=mobile)
    parser.add_argument("--configs", nargs="+", default=["C2", "C4", "C8", "C16", "C32"])
    arguments = parser.parse_args()
    study = mftpubsub.load(THESIS)
    rows = []
    for protocol in arguments.protocols:
        for config in arguments.configs:
            case = study.case(protocol="aodv", config=config, speed=8, seed=1).replace(protocol=protocol)
            results = [mftpubsub.run(case)]
            while len(results) < arguments.repetitions and results[0].cost.cpu_s < LONG:
                results.append(mftpubsub.run(case))
            with gzip.open(results[0].trace) as trace:
                lines = sum(1 for _ in trace)
            rows.append(
                {
                    "protocol": protocol,
                    "configuration": config,
                    "runs": len(results),
                    "CPU s": spread([result.cost.cpu_s for result in results]),
                    "events": results[0].cost.events,
                    "trace lines": lines,
                }
            )
    publish("protocols", rows)


if __name__ == "__main__":
    main()
