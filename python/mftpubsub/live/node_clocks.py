"""By how much the clocks of live nodes differ."""

from __future__ import annotations

from collections.abc import Sequence

from mftpubsub.live.node_trace import Told

#: Of datagrams in both directions that two clocks are compared by, at least.
_ENOUGH = 3


def clock_offsets(all_told: Sequence[Told]) -> dict[int, int]:
    """By how much each node's clock is ahead of the first one's, ns; 0 where nothing tells.

    Of two nodes that have heard each other, the shortest way in both directions took as long. Others follow
    from node to node, first where most datagrams tell.
    """
    by_node = {told.node: told for told in all_told}
    ahead: dict[tuple[int, int], tuple[int, int]] = {}
    for one in by_node.values():
        for other in by_node.values():
            there, back = _ways(one, other), _ways(other, one)
            if one.node < other.node and min(len(there), len(back)) >= _ENOUGH:
                difference = (min(there) - min(back)) // 2
                ahead[one.node, other.node] = (min(len(there), len(back)), difference)
    offsets = {min(by_node): 0}
    while True:
        edges = [
            (count, known, unknown, difference if known == low else -difference)
            for (low, high), (count, difference) in ahead.items()
            for known, unknown in ((low, high), (high, low))
            if known in offsets and unknown not in offsets
        ]
        if not edges:
            return {node: offsets.get(node, 0) for node in by_node}
        _, known, found, difference = max(edges)
        offsets[found] = offsets[known] + difference


def _ways(sender: Told, hearer: Told) -> list[int]:
    """How long datagrams took from one to the other, by both clocks; ns."""
    return [
        heard - sender.sent[life, number]
        for (source, life, number), heard in hearer.heard.items()
        if source == sender.node and (life, number) in sender.sent
    ]


def is_compared(node: int, all_told: Sequence[Told]) -> bool:
    own = next(told for told in all_told if told.node == node)
    return any(
        min(len(_ways(own, other)), len(_ways(other, own))) >= _ENOUGH
        for other in all_told
        if other is not own
    )
