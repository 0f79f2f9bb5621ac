"""What of a run's CPU time goes into its trace: formatting in C++, compression in Python."""

from __future__ import annotations

import gzip
import io
import time

from common import HERE, PROGRAMS, arguments, median, publish, run_json, spread
from isal import igzip

import mftpubsub
from mftpubsub.runs.simulation import simulate
from mftpubsub.trace.blocks import COMPRESSION_LEVEL

THESIS = HERE.parent / "configs" / "thesis.yaml"
#: The simulator hands over blocks of this size, bytes.
BLOCK = 1 << 20
CASES = (("mft-pubsub", "C8"), ("mft-pubsub", "C32"), ("aodv", "C8"))


def compression_time(text: bytes) -> float:
    """CPU time of compressing a trace as runs do, s."""
    start = time.process_time()
    with igzip.IGzipFile(mode="wb", compresslevel=COMPRESSION_LEVEL, fileobj=io.BytesIO(), mtime=0) as file:
        for begin in range(0, len(text), BLOCK):
            file.write(text[begin : begin + BLOCK])
    return time.process_time() - start


def main() -> None:
    repetitions = arguments(__doc__, 5).parse_args().repetitions
    program = PROGRAMS / "trace" / "mftpubsub-benchmark-trace"
    study = mftpubsub.load(THESIS)
    rows = []
    for protocol, config in CASES:
        case = study.case(protocol=protocol, config=config, speed=8, seed=1)
        runs, thrown_away = [], []
        for _ in range(repetitions):
            thrown_away.append(simulate(case, lambda block: None).cpu_s)
            runs.append(mftpubsub.run(case))
        text = gzip.decompress(runs[0].trace.read_bytes())
        lines = text.count(b"\n")
        formatting = [1e-9 * lines * run_json([program])["ns_per_line"] for _ in range(repetitions)]
        compression = [compression_time(text) for _ in range(repetitions)]
        cpu = median([run.cost.cpu_s for run in runs])
        rows.append(
            {
                "protocol": protocol,
                "configuration": config,
                "trace thrown away (CPU s)": spread(thrown_away),
                "run with trace (CPU s)": spread([run.cost.cpu_s for run in runs]),
                "lines": lines,
                "formatting (CPU s)": spread(formatting),
                "compression (CPU s)": spread(compression),
                "share of the run (%)": 100 * (median(formatting) + median(compression)) / cpu,
            }
        )
    publish("tracing", rows)


if __name__ == "__main__":
    main()
