"""The runs of a sweep as tasks of Spark: `spark://host:port` for a cluster, here this machine as if one.

All executors must see the folder, which the argument names, by default `out/cluster`, under the same path.
"""

import sys

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber

scenario = mftpubsub.Scenario(
    area=(50, 50),  # m
    nodes=[Group(6, [Broker(), Subscriber()]), Group(1, [Publisher()])],
    mobility=RandomWaypoint(speed=2),  # m/s
    duration=20,  # s
)

if __name__ == "__main__":  # the executors' processes import this file
    out = sys.argv[1] if len(sys.argv) > 1 else "out/cluster"
    table = mftpubsub.sweep(scenario, out, over={"seed": range(1, 5)}, master="local[2]")
    print(table[["seed", "published", "delivered_pairs", "failure"]].to_string(index=False))
