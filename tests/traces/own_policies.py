"""Policies in Python, for the traces of digests.py."""

from __future__ import annotations

from collections.abc import Sequence

from mftpubsub.policies import Candidate, Me, ParentPolicy, QueuedEvent, QueuePolicy, RetryPolicy


class HighestId(ParentPolicy):
    """The candidate with the highest id."""

    def choose(self, me: Me, current: Candidate | None, candidates: Sequence[Candidate]) -> Candidate | None:
        return max(candidates, key=lambda candidate: candidate.id, default=None)


class OneEvent(QueuePolicy):
    """Only the newest event is held for a subscriber."""

    def drop(self, me: Me, subscriber: int, events: Sequence[QueuedEvent]) -> list[QueuedEvent]:
        return list(events[:-1])


class Twice(RetryPolicy):
    """A frame is sent again once, whatever it carries."""

    def retry(self, me: Me, neighbour: int, kind: str, attempts: int) -> bool:
        return attempts < 2
