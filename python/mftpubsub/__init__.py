"""Fully mobile content-based publish/subscribe on ns-3, Castalia-faithful, with a Spark pipeline.

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber, Uniform

scenario = mftpubsub.Scenario(
    area=(60, 60),  # m
    nodes=[
        Group(8, [Broker(), Subscriber(where="temp > 20")]),
        Group(2, [Publisher(rate=1.0, event={"temp": Uniform(0, 40)})]),
    ],
    mobility=RandomWaypoint(speed=2),  # m/s
)
print(mftpubsub.run(scenario).metrics["delivery_rate"])

study = mftpubsub.load("configs/quick.yaml")
result = mftpubsub.run(study.case(protocol="mft-pubsub", config="C8", speed=2, seed=1))
"""

from mftpubsub import moved as _moved  # noqa: F401
from mftpubsub.errors import ConfigurationError, InstallationError, MftPubsubError, QueryError, RunError
from mftpubsub.face.lab import Lab
from mftpubsub.face.result import Result, open_run, run
from mftpubsub.face.study import open_study
from mftpubsub.lab.air import AirLab
from mftpubsub.lab.search import search
from mftpubsub.runs.result import Metrics
from mftpubsub.scenario.arrivals import Diurnal, OnOff, Periodic, Poisson, Recorded
from mftpubsub.scenario.faults import blackout, churn, crash, partition
from mftpubsub.scenario.mobility import (
    GaussMarkov,
    Line,
    Manhattan,
    MovementFile,
    RandomWalk,
    RandomWaypoint,
    ReferencePointGroups,
    Static,
    Waypoints,
)
from mftpubsub.scenario.nodes import Grid, Group
from mftpubsub.scenario.observers import At, Every, Live, Observer
from mftpubsub.scenario.obstacles import Obstacle
from mftpubsub.scenario.parameters import (
    Aodv,
    Cascading,
    Dsdv,
    Mac,
    MftPubsub,
    MftPubsub2,
    Olsr,
    Overlay,
    Transport,
)
from mftpubsub.scenario.presence import battery, duty_cycle, join, leave, turnover
from mftpubsub.scenario.radios import (
    AnyDevice,
    Cc2420,
    Channel,
    Friis,
    LogDistance,
    LrWpan,
    Nakagami,
    Radio,
    TwoRay,
    Wifi,
)
from mftpubsub.scenario.roles import Broker, Choice, Integer, Publisher, Subscriber, Uniform
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.scenario.study import Configuration, Study, load
from mftpubsub.scenario.subscriptions import Change, Resubscribe
from mftpubsub.simulator.snapshot import Node, Snapshot
from mftpubsub.studies.compare import compare
from mftpubsub.sweeps.table import sweep

__version__ = "0.2.0"

__all__ = [
    "AirLab",
    "AnyDevice",
    "Aodv",
    "At",
    "Broker",
    "Cascading",
    "Cc2420",
    "Change",
    "Channel",
    "Choice",
    "Configuration",
    "ConfigurationError",
    "Diurnal",
    "Dsdv",
    "Every",
    "Friis",
    "GaussMarkov",
    "Grid",
    "Group",
    "InstallationError",
    "Integer",
    "Lab",
    "Line",
    "Live",
    "LogDistance",
    "LrWpan",
    "Mac",
    "Manhattan",
    "Metrics",
    "MftPubsub",
    "MftPubsub2",
    "MftPubsubError",
    "MovementFile",
    "Nakagami",
    "Node",
    "Observer",
    "Obstacle",
    "Olsr",
    "OnOff",
    "Overlay",
    "Periodic",
    "Poisson",
    "Publisher",
    "QueryError",
    "Radio",
    "RandomWalk",
    "RandomWaypoint",
    "Recorded",
    "ReferencePointGroups",
    "Resubscribe",
    "Result",
    "RunError",
    "Scenario",
    "Snapshot",
    "Static",
    "Study",
    "Subscriber",
    "Transport",
    "TwoRay",
    "Uniform",
    "Waypoints",
    "Wifi",
    "__version__",
    "battery",
    "blackout",
    "churn",
    "compare",
    "crash",
    "duty_cycle",
    "join",
    "leave",
    "load",
    "open_run",
    "open_study",
    "partition",
    "run",
    "search",
    "sweep",
    "turnover",
]
