"""A notebook's cells as a script: what shows itself as a table or picture there is printed here.

Editors that know `# %%` run them cell by cell.
"""

# %% A scenario
import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber, Uniform

scenario = mftpubsub.Scenario(
    area=(60, 60),  # m
    nodes=[
        Group(8, [Broker(), Subscriber(where="temp > 20")]),
        Group(2, [Publisher(rate=1.0, event={"temp": Uniform(0, 40)})]),
    ],
    mobility=RandomWaypoint(speed=2),  # m/s
    duration=60,  # s
)
print(scenario)

# %% Its result: the last line of a cell shows itself, as HTML in a notebook
result = mftpubsub.run(scenario)
print(result._repr_html_()[:80], "...")

# %% Tables of the run
print(result.to_pandas("nodes").head(3))

# %% The network at an instant
snapshot = result.snapshot(30.0)
print(snapshot, snapshot.leaders)

# %% What became of a subscriber's events
print(result.timeline(subscriber=0))
