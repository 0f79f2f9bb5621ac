"""Unicast over publish/subscribe: every node has all roles, and wants what is sent to its own id (T 4.5.1).

Nobody needs to know where a node is: its subscription `to = ID` leads messages to it, wherever it moves.
Prints how many of the messages from each node (row) to each other (column) arrived.
"""

import mftpubsub
from mftpubsub import Broker, Choice, Group, Publisher, RandomWaypoint, Subscriber

NODES = range(8)


def roles(node):
    others = [other for other in NODES if other != node]
    return [Broker(), Subscriber(where=f"to = {node}"), Publisher(rate=0.5, event={"to": Choice(others)})]


scenario = mftpubsub.Scenario(
    area=(60, 60),  # m
    nodes=[Group(1, roles(node)) for node in NODES],
    mobility=RandomWaypoint(speed=2),  # m/s
    duration=200,  # s
)
result = mftpubsub.run(scenario)
messages = result.to_pandas("deliveries")
print(f"{messages.delivered_s.count()} of {len(messages)} messages arrived")
counts = messages.pivot_table(index="publisher", columns="subscriber", values="delivered_s", aggfunc="count")
print(counts.fillna(0).astype(int))
