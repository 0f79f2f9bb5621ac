"""What users derive from: a base class for each kind of decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import ClassVar, Literal, Self

from mftpubsub.own.objects import Own, is_ours, refuse_misspelt
from mftpubsub.policies.kind import (
    BYTE_OR_NONE,
    COUNT,
    ME,
    NODE,
    TEXT,
    TRUE_OR_FALSE,
    Decision,
    Kind,
    ListOf,
    OneOf,
    OneOfArguments,
    OneOfArgumentsOrNone,
    SomeOfArguments,
    View,
    Whole,
)
from mftpubsub.simulator.shown import Candidate, LackingNeighbour, Me, QueuedEvent


class Policy(Own):
    """Base of all policies; derive from the one of its kind."""

    kind: ClassVar[Kind]
    """What it decides."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kind" in vars(cls):
            cls.what = cls.kind.what

    def has_own(self, method: str) -> bool:
        """Whether its class has a `method` other than that of its kind."""
        return getattr(getattr(type(self), method), "__module__", None) != __name__

    @classmethod
    def check_class(cls) -> None:
        if is_ours(cls):  # every case of a study asks
            return
        bases = [base for base in cls.__mro__ if "kind" in vars(base)]
        for kind in (vars(base)["kind"] for base in bases):
            if kind.method != cls.kind.method:
                raise ValueError(
                    f"{cls.__name__} is a {cls.kind.what} and a {kind.what}: write a class for each, as a "
                    "policy decides one thing"
                )
        refuse_misspelt(cls, bases[0], cls.kind.methods)


class Chooser(Policy):
    """Chooses among brokers."""

    def choose(
        self, me: Me, current: Candidate | None, candidates: list[Candidate]
    ) -> Candidate | int | None:
        """Which of `candidates` (or its id) is to be the parent of `me`; `current`, or None, keeps it.

        Asked at each heartbeat of the newest round, if there is a candidate. `current` is the present
        parent as it was heard last, None if there is none that may be kept. `candidates` are those heard
        in this round that cannot close a loop, in order of arrival. Default: the thesis's choice.
        """
        return self.default(me, current, candidates)

    def default(self, me: Me, current: Candidate | None, candidates: Sequence[Candidate]) -> Candidate | None:
        """The thesis's choice among `candidates`, whichever they are: the one heard first."""
        chosen: Candidate | None = self.kind.ask_shipped("first-heard", (), me, current, candidates)
        return chosen

    def advertise(self, me: Me) -> int | None:
        """What the heartbeats of `me` tell other nodes' policies: 0 to 255, None (default): nothing."""
        return None


def _choosing(name: str) -> Kind:
    return Kind(
        name=name,
        method="choose",
        arguments=(ME, View(Candidate), ListOf(Candidate)),
        answer=OneOfArgumentsOrNone(Candidate, "brokers"),
        also=(Decision("advertise", (ME,), BYTE_OR_NONE),),
    )


class ParentPolicy(Chooser):
    """Which broker a broker has as its parent in the tree."""

    kind = _choosing("parent")


class ClientPolicy(Chooser):
    """Which broker a client, a device without the broker role, is attached to."""

    kind = _choosing("client")


class MigrationPolicy(Policy):
    """When a node leaves its parent (a client: its broker) for the one that another policy proposes."""

    kind = Kind(
        name="migration",
        method="migrate",
        arguments=(ME, View(Candidate), View(Candidate)),
        answer=TRUE_OR_FALSE,
    )

    def migrate(self, me: Me, current: Candidate, proposed: Candidate) -> bool:
        """Whether `me` leaves `current` for `proposed` now. Not asked when `current` cannot be kept."""
        return self.default(me, current, proposed)

    def default(self, me: Me, current: Candidate, proposed: Candidate) -> bool:
        """The thesis's choice: at once."""
        return bool(self.kind.ask_shipped("immediate", (), me, current, proposed))


class LeaderPolicy(Policy):
    """Who is the better leader."""

    kind = Kind(name="leader", method="priority", arguments=(ME,), answer=Whole(2**32 - 2))

    def priority(self, me: Me) -> int:
        """The priority of `me`, which becomes a leader now: lower is better, 0 to 2**32 - 2."""
        return self.default(me)

    def default(self, me: Me) -> int:
        """The thesis's choice: the present time in ms, so that the longest-lived leader stays."""
        return int(self.kind.ask_shipped("longest-lived", (), me))


class QueuePolicy(Policy):
    """What a broker holds for a subscriber that it cannot reach."""

    kind = Kind(
        name="queue",
        method="drop",
        arguments=(ME, NODE, ListOf(QueuedEvent)),
        answer=SomeOfArguments("events"),
    )

    def drop(self, me: Me, subscriber: int, events: list[QueuedEvent]) -> Iterable[QueuedEvent]:
        """Which of `events`, held for `subscriber`, oldest first, to give up.

        Asked when one has been queued, and before they are replayed.
        """
        return self.default(me, subscriber, events)

    def default(self, me: Me, subscriber: int, events: Sequence[QueuedEvent]) -> Iterable[QueuedEvent]:
        """The thesis's choice: none."""
        return ()


class RetryPolicy(Policy):
    """How often a frame is sent again before its neighbour is given up."""

    kind = Kind(name="retry", method="retry", arguments=(ME, NODE, TEXT, COUNT), answer=TRUE_OR_FALSE)
    _retries = 3

    def retry(self, me: Me, neighbour: int, kind: str, attempts: int) -> bool:
        """Whether to send a frame of a message of `kind` ("PUB") once more, after `attempts` times."""
        return self.default(me, neighbour, kind, attempts)

    def default(self, me: Me, neighbour: int, kind: str, attempts: int) -> bool:
        """As often as the scenario's transport.retries says."""
        return attempts <= self._retries

    def of_run(self, retries: int) -> Self:
        """A copy for a run whose transport.retries is `retries`."""
        own = deepcopy(self)
        object.__setattr__(own, "_retries", retries)
        return own


FailureAction = Literal["drop-link", "keep-link", "resend"]
"""`drop-link`, `keep-link` or `resend`."""


class FailurePolicy(Policy):
    """What to do when the transport has given up a message."""

    kind = Kind(
        name="failure",
        method="on_failure",
        arguments=(ME, NODE, TEXT, COUNT),
        answer=OneOf("drop-link", "keep-link", "resend"),
    )

    def on_failure(self, me: Me, neighbour: int, kind: str, failures: int) -> FailureAction:
        """What becomes of a message of `kind` that has been given up `failures` times.

        "drop-link": `neighbour` leaves the tree until it is heard again, the broker queues the events;
        "keep-link": only the latter; "resend": it is sent again and nobody is told.
        """
        return self.default(me, neighbour, kind, failures)

    def default(self, me: Me, neighbour: int, kind: str, failures: int) -> FailureAction:
        """The project's choice: drop-link."""
        return "drop-link"


class RepairPolicy(Policy):
    """To which of the neighbours that lack events a broker of mft-mesh sends them first."""

    kind = Kind(
        name="repair",
        method="first",
        arguments=(ME, ListOf(LackingNeighbour)),
        answer=OneOfArguments(LackingNeighbour, "neighbours"),
    )

    def first(self, me: Me, neighbours: list[LackingNeighbour]) -> LackingNeighbour:
        """Who of `neighbours`, two at least, the longest waiting first, is sent what it lacks first.

        Asked for each frame, and while it has room. What one is sent the others need not be: all hear it.
        """
        return self.default(me, neighbours)

    def default(self, me: Me, neighbours: Sequence[LackingNeighbour]) -> LackingNeighbour:
        """The project's choice: who has waited longest."""
        first: LackingNeighbour = self.kind.ask_shipped("longest-waiting", (), me, neighbours)
        return first
