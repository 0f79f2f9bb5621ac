"""Runs of the thesis's evaluation (8 m/s, seed 1, with trace) of every protocol: CPU time, events, lines."""

from __future__ import annotations

import gzip

from common import HERE, arguments, publish, spread

import mftpubsub
from mftpubsub.protocols.catalogue import PROTOCOLS, in_setting

THESIS = HERE.parent / "configs" / "thesis.yaml"
#: Simulated s, and those of the thesis; 5 of 7 with publications.
SECONDS, FULL_SECONDS = 100, 700
#: Runs that take longer are not repeated, CPU s.
LONG = 20.0


def main() -> None:
    parser = arguments(__doc__, 3, full=f"{FULL_SECONDS} s instead of {SECONDS}, half an hour")
    mobile = [name for name in in_setting("radio") if not PROTOCOLS[name].fixed_brokers]
    parser.add_argument("--protocols", nargs="+", default=mobile)
    parser.add_argument("--configs", nargs="+", default=["C2", "C4", "C8", "C16", "C32"])
    told = parser.parse_args()
    seconds = FULL_SECONDS if told.full else SECONDS
    study = mftpubsub.load(THESIS)
    rows = []
    for protocol in told.protocols:
        for config in told.configs:
            case = study.case(protocol="aodv", config=config, speed=8, seed=1)
            case = case.replace(protocol=protocol, duration=seconds, publisher={"stop": seconds * 5 / 7})
            results = [mftpubsub.run(case)]
            while len(results) < told.repetitions and results[0].cost.cpu_s < LONG:
                results.append(mftpubsub.run(case))
            with gzip.open(results[0].trace) as trace:
                lines = sum(1 for _ in trace)
            rows.append(
                {
                    "protocol": protocol,
                    "configuration": config,
                    "simulated s": seconds,
                    "runs": len(results),
                    "CPU s": spread([result.cost.cpu_s for result in results]),
                    "events": results[0].cost.events,
                    "trace lines": lines,
                }
            )
    publish("protocols", rows, told.full)


if __name__ == "__main__":
    main()
