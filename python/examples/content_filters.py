"""Content-based subscriptions: what is wanted is a condition over an event's attributes, not a topic.

Every reading has a room and a temperature, drawn anew for each. Prints, for each subscription, how many
events it wanted, and how many of those came.
"""

import mftpubsub
from mftpubsub import Broker, Choice, Group, Publisher, RandomWaypoint, Subscriber, Uniform

READING = {"room": Choice(["lab", "attic", "cellar"]), "temp": Uniform(0, 40)}
FILTERS = [
    "temp > 30",
    "room = 'lab'",
    "room LIKE '%a%' AND temp BETWEEN 10 AND 20",
    "room IN ('attic', 'cellar')",
]

scenario = mftpubsub.Scenario(
    area=(50, 50),  # m
    nodes=[
        Group(6, [Broker()]),
        Group(3, [Publisher(rate=2, event=READING)]),  # events per second
        *(Group(1, [Subscriber(where=text)]) for text in FILTERS),
    ],
    mobility=RandomWaypoint(speed=1),  # m/s
    duration=100,  # s
)
result = mftpubsub.run(scenario)
events = len(result.to_pandas("events"))
deliveries = result.to_pandas("deliveries")
print(f"{events} events")
for subscriber, text in enumerate(FILTERS, start=9):
    wanted = deliveries[deliveries.subscriber == subscriber]
    print(f"{len(wanted):4} wanted, {wanted.delivered_s.count():4} came: {text}")
