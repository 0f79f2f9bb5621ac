"""Every protocol on the same networks: three seeds, each with the same places, movement and traffic for all.

Prints the mean of what was delivered of what was wanted, its delay, and what it cost.
"""

import pandas as pd

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber
from mftpubsub.protocols.catalogue import PROTOCOLS

scenario = mftpubsub.Scenario(
    area=(60, 60),  # m
    nodes=[Group(8, [Broker()]), Group(8, [Subscriber()]), Group(2, [Publisher()])],
    mobility=RandomWaypoint(speed=4),  # m/s
    duration=60,  # s
)
runs = pd.DataFrame(
    mftpubsub.run(scenario.replace(protocol=protocol, seed=seed)).metrics
    for protocol, row in PROTOCOLS.items()
    if "radio" in row.settings and not row.fixed_brokers  # here brokers move
    for seed in (1, 2, 3)
)
metrics = ["delivery_rate_strict", "delay_median_s", "delay_p95_s", "frames_per_node"]
print(runs.groupby("protocol", sort=False)[metrics].mean().round(3).to_string())
