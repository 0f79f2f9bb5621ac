"""A rule of one's own against the default: should a broker have the parent that is nearest to the leader?

Both rules have the same seeds, hence the same places, movement, shadowing and traffic (common random
numbers): what differs within a pair of runs is the rule's doing. Prints the default's mean of each metric and
the difference with its 95 % confidence interval, and draws the pairs into the folder that the argument names,
by default `out`.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from scipy.stats import ttest_rel

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber
from mftpubsub.policies import FirstHeard, ParentPolicy

METRICS = ["delivery_rate_strict", "delay_p95_s", "migrations_broker", "frames_per_node"]


class NearestTheLeader(ParentPolicy):
    """Keeps its parent unless another broker is nearer to the leader, in hops."""

    def choose(self, me, current, candidates):
        known = candidates if current is None else [current, *candidates]
        return min(known, key=lambda candidate: candidate.hops)  # of equals the first, which is `current`


scenario = mftpubsub.Scenario(
    area=(70, 70),  # m
    nodes=[Group(12, [Broker()]), Group(4, [Subscriber()]), Group(2, [Publisher()])],
    mobility=RandomWaypoint(speed=2),  # m/s
    duration=100,  # s
)
runs = pd.DataFrame(
    {"rule": type(rule).__name__} | mftpubsub.run(scenario.replace(parent_policy=rule, seed=seed)).metrics
    for rule in (FirstHeard(), NearestTheLeader())
    for seed in range(1, 6)
)
figure, axes = plt.subplots(1, len(METRICS), figsize=(11, 3.5), layout="constrained")
for metric, ax in zip(METRICS, axes, strict=True):
    pairs = runs.pivot(index="seed", columns="rule", values=metric)
    test = ttest_rel(pairs["NearestTheLeader"], pairs["FirstHeard"])
    low, high = test.confidence_interval(0.95)
    usual = pairs["FirstHeard"].mean()
    print(f"{metric:20} {usual:8.3f} {(low + high) / 2:+9.3f}, 95 % interval {low:+9.3f} to {high:+9.3f}")
    pairs.T.plot(ax=ax, marker="o", title=metric, legend=False, xlabel="", rot=15)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(parents=True, exist_ok=True)
figure.savefig(folder / "custom_parent_policy.png")
