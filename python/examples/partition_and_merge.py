"""A network falls apart for 30 s and comes together again: who leads meanwhile, what becomes of events?

Prints the leaders as they change, and when events came to subscribers on either side: those beyond the cut
have to wait until it is over. Draws a film strip into the folder that the argument names, by default `out`.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mftpubsub
from mftpubsub import Broker, Every, Group, Publisher, Static, Subscriber, partition

START, STOP = 30, 60  # s
WEST = [(8, 10), (8, 30), (23, 10), (23, 30)]  # m
EAST = [(40, 10), (40, 30), (55, 10), (55, 30)]

scenario = mftpubsub.Scenario(
    area=(63, 40),  # m
    nodes=[
        Group(8, [Broker()], placement=WEST + EAST),
        Group(4, [Subscriber()], placement=[(5, 20), (15, 35), (58, 20), (48, 35)]),
        Group(1, [Publisher(stop=85)], placement=[(15, 20)]),  # in the west
    ],
    mobility=Static(),
    faults=[partition([4, 5, 6, 7, 10, 11], start=START, stop=STOP)],  # the east
    duration=100,  # s
)
seen: list[list[int]] = []


def note(snapshot):
    if snapshot.leaders not in seen[-1:]:
        seen.append(snapshot.leaders)
        print(f"{snapshot.time_s:3g} s: led by {snapshot.leaders or 'nobody'}")


result = mftpubsub.run(scenario, observers=[Every(1, note)])
deliveries = result.to_pandas("deliveries")
deliveries["side"] = deliveries.subscriber.map({8: "west", 9: "west", 10: "east", 11: "east"})
deliveries["published"] = pd.cut(
    deliveries.published_s, [0, START, STOP, 85], labels=["before", "during", "after"]
)
rows = deliveries.groupby(["side", "published"], observed=True)
print(
    rows.agg(wanted=("sequence", "size"), came=("delivered_s", "count"), median_delay_s=("delay_s", "median"))
)

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(parents=True, exist_ok=True)
result.plot_network([START - 1, STOP - 1, STOP + 20])
plt.savefig(folder / "partition_and_merge.png")
