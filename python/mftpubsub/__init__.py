"""Fully mobile content-based publish/subscribe on ns-3, Castalia-faithful, with a Spark pipeline.

import mftpubsub

study = mftpubsub.load("configs/quick.yaml")
result = mftpubsub.run(study.case(protocol="mft-pubsub", config="C8", speed=2, seed=1))
print(result.metrics["delivery_rate"])
"""

from mftpubsub.errors import ConfigurationError, InstallationError, MftPubsubError, QueryError, RunError
from mftpubsub.lab import Lab
from mftpubsub.observers import At, Every, Node, Observer, Snapshot
from mftpubsub.run import Metrics, Result, run
from mftpubsub.scenario import (
    Aodv,
    Channel,
    Configuration,
    Group,
    Mobility,
    Overlay,
    Publisher,
    Radio,
    Scenario,
    Study,
    Subscriber,
    Transport,
    load,
)

__all__ = [
    "Aodv",
    "At",
    "Channel",
    "Configuration",
    "ConfigurationError",
    "Every",
    "Group",
    "InstallationError",
    "Lab",
    "Metrics",
    "MftPubsubError",
    "Mobility",
    "Node",
    "Observer",
    "Overlay",
    "Publisher",
    "QueryError",
    "Radio",
    "Result",
    "RunError",
    "Scenario",
    "Snapshot",
    "Study",
    "Subscriber",
    "Transport",
    "load",
    "run",
]
