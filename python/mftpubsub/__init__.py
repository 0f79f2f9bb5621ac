"""Fully mobile content-based publish/subscribe on ns-3, Castalia-faithful, with a Spark pipeline.

import mftpubsub

study = mftpubsub.load("configs/quick.yaml")
result = mftpubsub.run(study.case(protocol="mft-pubsub", config="C8", speed=2, seed=1))
print(result.metrics["delivery_rate"])
"""

from mftpubsub.errors import ConfigurationError, InstallationError, MftPubsubError, RunError
from mftpubsub.lab import Lab
from mftpubsub.run import Result, run
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
    "Channel",
    "Configuration",
    "ConfigurationError",
    "Group",
    "InstallationError",
    "Lab",
    "MftPubsubError",
    "Mobility",
    "Overlay",
    "Publisher",
    "Radio",
    "Result",
    "RunError",
    "Scenario",
    "Study",
    "Subscriber",
    "Transport",
    "load",
    "run",
]
