"""A study of one's own, from the file to the report; a second start goes on where the first one stopped.

The folder is the one that the argument names, by default `out/own-study`.
"""

import sys
from pathlib import Path

import mftpubsub
from mftpubsub import pipeline

STUDY = """
protocols: [mft-pubsub, mft-pubsub-r]
speeds: [2, 8] # m/s
seeds: 2
duration: 40 # s
axes:
  overlay.leader_timeout: [2, 4] # s
configurations:
  small:
    area: [45, 45] # m
    nodes:
      - {count: 1, roles: [publisher]}
      - {count: 3, roles: [subscriber]}
      - {count: 4, roles: [broker]}
"""

if __name__ == "__main__":  # the sweep's processes import this file
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/own-study")
    study = mftpubsub.Study.from_yaml(STUDY)
    half = study.model_copy(update={"seeds": [1]})
    print(len(mftpubsub.sweep(half, out)), "runs at first")
    print(len(mftpubsub.sweep(study, out)), "runs in all")  # only those of the second seed are made
    pipeline.run(out)
    results = mftpubsub.open_study(out)
    print(results.table("delivery_rate", "migrations", by=["protocol", "overlay.leader_timeout"]))
    print(results.report().relative_to(out))
