"""What a trace that was damaged on its way here looks like, and how it is mended: the sweep makes it again.

The folder is the one that the argument names, by default `out/damaged`.
"""

import sys
from pathlib import Path

import mftpubsub
from mftpubsub.trace.layout import run_folder

scenario = mftpubsub.Scenario(
    area=(40, 40),  # m
    nodes=[
        mftpubsub.Group(3, [mftpubsub.Broker(), mftpubsub.Subscriber()]),
        mftpubsub.Group(1, [mftpubsub.Publisher()]),
    ],
    mobility=mftpubsub.RandomWaypoint(speed=2),  # m/s
    duration=20,  # s
)

if __name__ == "__main__":  # the sweep's processes import this file
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/damaged")
    mftpubsub.sweep(scenario, out)
    folder = out / "runs" / run_folder(scenario)
    print("delivered:", len(mftpubsub.open_run(folder).to_pandas("deliveries")))

    trace = folder / "trace.gz"
    whole = trace.read_bytes()
    trace.write_bytes(b"?" + whole[1:])
    try:
        mftpubsub.open_run(folder).to_pandas("deliveries")
    except mftpubsub.QueryError as error:
        print("damaged:", str(error).partition("(")[0].replace(str(out), "OUT"))

    trace.write_bytes(whole[:-1])  # a trace that is too short is missed by the sweep itself
    mftpubsub.sweep(scenario, out)
    print("mended:", trace.read_bytes() == whole)
