"""Spark over the script's own runs: a study of twelve, swept on all processors, and questions to its traces.

Prints means with their 95 % confidence intervals, which the pipeline has computed, and an aggregation of
one's own over the records of all traces: the share of each kind of frame in the bytes on the air. Leaves runs
and tables in the folder that the argument names, by default `out/spark`; what is there is not run again.
"""

import sys
from pathlib import Path

import pandas as pd

import mftpubsub
from mftpubsub import pipeline
from mftpubsub.pipeline.session import session

STUDY = """
protocols: [mft-pubsub, aodv]
speeds: [2, 8] # m/s
seeds: 3
duration: 40 # s
configurations:
  small:
    area: [60, 60] # m
    nodes:
      - {count: 8, roles: [broker, subscriber]}
      - {count: 2, roles: [publisher]}
"""

if __name__ == "__main__":  # the sweep's processes import this file
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/spark")
    table = mftpubsub.sweep(mftpubsub.Study.from_yaml(STUDY), out)
    if table["failure"].notna().any():
        sys.exit("a run failed")
    pipeline.run(out)
    metrics = pd.read_parquet(out / "tables" / "metrics.parquet")
    metrics = metrics[metrics.metric == "frames_per_node"]
    print(metrics.drop(columns=["config", "metric"]).round(1).to_string(index=False))

    pipeline.ingest(session(), out).createOrReplaceTempView("trace")
    shares = session().sql("""
        SELECT protocol, kind, round(sum(bytes) / sum(sum(bytes)) OVER (PARTITION BY protocol), 3) AS share
        FROM trace WHERE layer = 'radio' AND op = 't' GROUP BY protocol, kind ORDER BY protocol, share DESC
    """)
    print(shares.toPandas().to_string(index=False))
