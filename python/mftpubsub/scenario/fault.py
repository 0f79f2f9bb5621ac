"""What all faults have in common."""

from __future__ import annotations

from typing import Literal

from mftpubsub.scenario.nodes import NodeId
from mftpubsub.scenario.part import Model

#: Which nodes: ids, or all of a role.
NodesOf = Literal["all", "brokers", "subscribers", "publishers"] | list[NodeId]


class Fault(Model):
    """Base of all faults."""

    def nodes(self) -> list[int]:
        """The ids of the nodes that it names."""
        raise NotImplementedError

    def check(self, duration: float, count: int, up: float) -> None:
        """Raises ValueError unless it fits a run of `duration` s with `count` nodes, all up at `up` s."""
        for node in self.nodes():
            if node >= count:
                raise ValueError(f"there is no node {node}; the ids are 0 to {count - 1}")


def check_times(start: float, stop: float | None, duration: float) -> None:
    """Raises ValueError unless something may happen from `start` to `stop`, by default until the end; s."""
    last = duration if stop is None else stop
    if not start < last <= duration:
        raise ValueError(
            f"start ({start:g} s) must come before stop ({last:g} s), and stop not after the end "
            f"({duration:g} s)"
        )
