"""Which rule for parents is best, and does it hang on how long a silent leader is waited for?

Runs three rules with three timeouts, five seeds each, in parallel; then compares the rules with the
default, pair by pair: runs of the same seed and timeout have the same places, movement, shadowing and
traffic. The runs are kept in the folder that the argument names, by default `out/rules`: a second start runs
only what is missing.
"""

import sys

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber
from mftpubsub.policies import FirstHeard, Hysteresis, StrongestLink

scenario = mftpubsub.Scenario(
    area=(70, 70),  # m
    nodes=[Group(12, [Broker()]), Group(4, [Subscriber()]), Group(2, [Publisher()])],
    mobility=RandomWaypoint(speed=4),  # m/s
    duration=60,  # s
)

if __name__ == "__main__":  # the sweep's processes import this file
    table = mftpubsub.sweep(
        scenario,
        sys.argv[1] if len(sys.argv) > 1 else "out/rules",
        over={
            "parent_policy": [FirstHeard(), StrongestLink(), Hysteresis(margin=6)],
            "overlay.leader_timeout": [2.0, 3.0, 5.0],  # s
            "seed": range(1, 6),
        },
    )
    means = table.pivot_table(
        index="parent_policy", columns="overlay.leader_timeout", values="migrations_broker"
    )
    print("Migrations of brokers, by timeout (s):", means.round(1), sep="\n", end="\n\n")
    for metric in ("migrations_broker", "delivery_rate_strict"):
        found = mftpubsub.compare(
            table, by="parent_policy", metric=metric, pair=["seed", "overlay.leader_timeout"]
        )
        print(
            found[["parent_policy", metric, "difference", "ci_low", "ci_high", "n"]].round(3).to_string(),
            "\n",
        )
