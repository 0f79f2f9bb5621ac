"""What the thesis leaves open, as objects: the policies of a scenario, and what they are asked.

    class StayIfGood(mftpubsub.policies.ParentPolicy):
        def choose(self, me, current, candidates):
            if current is not None and current.rssi_dbm > -85:
                return current
            return self.default(me, current, candidates)

    mftpubsub.run(scenario.replace(parent_policy=StayIfGood()))

One object decides for all nodes of a run: keep what concerns a node by `me.id`. A run works on a copy,
so nothing is carried over to the next one. Whatever a policy raises ends the run as a RunError.
"""

from mftpubsub.policies.built_in import (
    BalancedFanOut,
    Bounded,
    DropLink,
    EmmaController,
    Expiry,
    Farthest,
    FewestLacking,
    FirstHeard,
    FixedRetries,
    Hysteresis,
    Immediate,
    KeepLink,
    LongestLived,
    LongestWaiting,
    LowestId,
    MinimumStay,
    Persistence,
    Resend,
    RetriesByKind,
    Slowest,
    SlowNodeBackbone,
    StrongestLink,
    Unbounded,
)
from mftpubsub.policies.kinds import (
    ClientPolicy,
    FailureAction,
    FailurePolicy,
    LeaderPolicy,
    MigrationPolicy,
    ParentPolicy,
    Policy,
    QueuePolicy,
    RepairPolicy,
    RetryPolicy,
)
from mftpubsub.policies.naming import Named, parse, shipped
from mftpubsub.simulator.shown import Candidate, LackingNeighbour, Me, QueuedEvent

__all__ = [  # noqa: RUF022 (the order of the reference)
    "Me",
    "Candidate",
    "QueuedEvent",
    "LackingNeighbour",
    "Policy",
    "ParentPolicy",
    "ClientPolicy",
    "MigrationPolicy",
    "LeaderPolicy",
    "QueuePolicy",
    "RetryPolicy",
    "FailureAction",
    "FailurePolicy",
    "RepairPolicy",
    "FirstHeard",
    "StrongestLink",
    "Hysteresis",
    "SlowNodeBackbone",
    "BalancedFanOut",
    "EmmaController",
    "Immediate",
    "Persistence",
    "MinimumStay",
    "LongestLived",
    "LowestId",
    "Slowest",
    "Unbounded",
    "Bounded",
    "Expiry",
    "FixedRetries",
    "RetriesByKind",
    "DropLink",
    "KeepLink",
    "Resend",
    "LongestWaiting",
    "FewestLacking",
    "Farthest",
    "shipped",
    "parse",
    "Named",
]
