"""Movement from a file in ns-2's format (`tram.ns_movements`): a subscriber rides a tram past four brokers.

Beyond the last one nobody reaches it, and its events wait; on the way back it gets them. Prints, every 10 s,
where the tram is, its broker, how many events brokers hold for it, and how many have come.
"""

from pathlib import Path

import mftpubsub
from mftpubsub import Broker, Every, Group, MovementFile, Publisher, Static, Subscriber

TRAM, STATIONS = 0, range(1, 5)

scenario = mftpubsub.Scenario(
    area=(260, 40),  # m
    nodes=[
        Group(1, [Subscriber()], mobility=MovementFile(Path(__file__).with_name("tram.ns_movements"))),
        Group(4, [Broker()], placement=[(25, 10), (60, 10), (95, 10), (130, 10)]),
        Group(1, [Publisher()], placement=[(10, 10)]),
    ],
    mobility=Static(),  # of those that the file does not move
    duration=180,  # s
)
snapshots: list[mftpubsub.Snapshot] = []
result = mftpubsub.run(scenario, observers=[Every(10, snapshots.append)])
deliveries = result.to_pandas("deliveries")

print("time   tram at  broker  held  come")
for snapshot in snapshots:
    tram = snapshot.nodes[TRAM]
    held = sum(snapshot.nodes[station].queued for station in STATIONS)
    come = (deliveries.delivered_s <= snapshot.time_s).sum()
    print(f"{snapshot.time_s:3g} s  {tram.x:5.0f} m  {tram.parent or '-':>6}  {held:4}  {come:4}")
print(f"{len(deliveries)} events, of which {deliveries.delivered_s.count()} came")
