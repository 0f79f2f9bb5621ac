"""What a script says: one run, or a study of many."""

from mftpubsub.scenario.common import known_protocols
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.scenario.study import Configuration, Study, load

__all__ = ["Configuration", "Scenario", "Study", "known_protocols", "load"]
