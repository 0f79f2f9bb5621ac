"""By how much the clocks of live nodes differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from mftpubsub.live.node_trace import Clock, Moment, Told


@dataclass(frozen=True)
class Clocks:
    """Those of all starts of all nodes. Of those that could be compared the first one is taken as right."""

    offsets: dict[Clock, int]
    """By how much each is ahead of the first of its group, ns."""
    first: dict[Clock, Clock]
    """Of the group of each."""

    def common(self, moment: Moment) -> int:
        """By the first clock of its group, ns."""
        return moment.at - self.offsets[moment.clock]

    def are_compared(self, one: Clock, other: Clock) -> bool:
        """Whether they are of one group."""
        return self.first[one] == self.first[other]

    def by_node(self) -> dict[str, list[float]]:
        """By how much the clock of each start of each node is ahead, s."""
        found: dict[str, list[float]] = {}
        for clock, offset in sorted(self.offsets.items()):
            found.setdefault(str(clock.node), []).append(offset / 1e9)
        return found

    def note(self) -> str | None:
        """Which could not be compared with which."""
        groups: dict[Clock, list[str]] = {}
        restarted = {clock.node for clock in self.offsets if clock.start > 0}
        for clock, first in sorted(self.first.items()):
            start = f" (start {clock.start + 1})" if clock.node in restarted else ""
            groups.setdefault(first, []).append(f"{clock.node}{start}")
        if len(groups) < 2:
            return None
        one, *others = (f"{{{', '.join(group)}}}" for group in groups.values())
        return (
            f"clocks of nodes {one} could not be compared with those of {', '.join(others)}: "
            "the first of each group is taken as right"
        )


def compare(all_told: Sequence[Told]) -> Clocks:
    """The clocks, compared by datagrams that were heard both ways.

    Of two that have heard each other, the shortest way in both directions took as long. Others follow from
    clock to clock, first where most datagrams tell.
    """
    differences = _differences(all_told)
    offsets: dict[Clock, int] = {}
    first: dict[Clock, Clock] = {}
    for start in sorted(Clock(told.node, start) for told in all_told for start in range(len(told.started))):
        waiting = [(0, start, 0)]
        while waiting:
            _, found, offset = heappop(waiting)
            if found in offsets:
                continue
            offsets[found], first[found] = offset, start
            for other, (count, difference) in differences[found].items():
                heappush(waiting, (-count, other, offset + difference))
    return Clocks(offsets, first)


def _differences(all_told: Sequence[Told]) -> dict[Clock, dict[Clock, tuple[int, int]]]:
    """By how much others are ahead of each clock, ns, and how many datagrams tell it."""
    sent = {(told.node, *datagram): moment for told in all_told for datagram, moment in told.sent.items()}
    ways: dict[tuple[Clock, Clock], list[int]] = defaultdict(list)
    for told in all_told:
        for datagram, heard in told.heard.items():
            if left := sent.get(datagram):
                ways[left.clock, heard.clock].append(heard.at - left.at)
    found: dict[Clock, dict[Clock, tuple[int, int]]] = defaultdict(dict)
    for (sender, hearer), there in ways.items():
        if back := ways.get((hearer, sender)):
            found[sender][hearer] = (min(len(there), len(back)), (min(there) - min(back)) // 2)
    return found
