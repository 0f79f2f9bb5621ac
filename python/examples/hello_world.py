"""Hello, world: the smallest scenario. Prints what each subscriber wanted and got."""

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber

scenario = mftpubsub.Scenario(
    area=(60, 60),  # m
    nodes=[Group(6, [Broker()]), Group(4, [Subscriber()]), Group(1, [Publisher()])],
    mobility=RandomWaypoint(speed=2),  # m/s
    duration=60,  # s
)
result = mftpubsub.run(scenario)
print(scenario)
print(f"{result.metrics['delivery_rate_strict']:.0%} of what was wanted was delivered")

deliveries = result.to_pandas("deliveries")  # a row for each event and subscriber
print(deliveries.groupby("subscriber").agg(wanted=("sequence", "size"), got=("delivered_s", "count")))
