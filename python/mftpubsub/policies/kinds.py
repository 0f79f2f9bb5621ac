"""What users derive from: a base class for each kind of decision."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from mftpubsub.errors import ConfigurationError
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
from mftpubsub.policies.loading import load
from mftpubsub.simulator.shown import Candidate, LackingNeighbour, Me, QueuedEvent

PACKAGE = __name__.rpartition(".")[0]


class Policy:
    """Base of all policies; derive from the one of its kind."""

    kind: ClassVar[Kind]
    """What it decides."""
    name: ClassVar[str | None] = None
    """In scenario files, of a policy that ships."""

    if (
        not TYPE_CHECKING
    ):  # to type checkers, and to `inspect.signature`, a class takes what its __init__ takes

        def __new__(cls, *args: Any, **kwargs: Any) -> Self:
            """Keeps what `__init__` is given: by it the policy of a finished run is made anew."""
            if (args or kwargs) and cls.__init__ is object.__init__:
                raise TypeError(f"{cls.__name__}() takes no arguments")
            policy = super().__new__(cls)
            vars(policy)[_GIVEN] = (args, kwargs)
            return policy

        __new__.__signature__ = inspect.Signature(
            [inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)]
        )

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and attributes(self) == attributes(other)

    __hash__ = None  # type: ignore[assignment]

    def has_own(self, method: str) -> bool:
        """Whether its class has a `method` other than that of its kind."""
        return getattr(getattr(type(self), method), "__module__", None) != __name__

    def to_plain(self) -> Any:
        """What a scenario file says for it. Raises ConfigurationError if a file cannot name it."""
        if is_ours(type(self)):
            name: Any = self.name
            own = {key: value for key, value in attributes(self).items() if not key.startswith("_")}
        else:
            name = path_of(type(self))
            own = _makes(self)
        return {name: own} if own else name

    def identity(self) -> Any:
        """What determines its decisions, for the fingerprint: of a class of yours, its source too."""
        identity = {"class": path_of(type(self)), "parameters": parameters(self)}
        if not is_ours(type(self)):
            identity["source"] = _source_hash(type(self))
        return identity

    def record(self) -> Any:
        """What run.json says for it: its identity and, of a class of yours, what its `__init__` was given."""
        told = self.identity()
        if not is_ours(type(self)):
            told["arguments"] = {name: _text(value) for name, value in _given(self).arguments.items()}
        return told


class Recorded(Policy):
    """Stands for a policy of a finished run that was not made anew: it can be told, not asked."""

    def __init__(self, record: Mapping[str, Any], obstacle: str) -> None:
        """`obstacle` says why it was not made, and what would be right."""
        self._record = dict(record)
        self.obstacle = f"{self} {obstacle}"

    def identity(self) -> Any:
        return {name: value for name, value in self._record.items() if name != "arguments"}

    def record(self) -> Any:
        return self._record

    def to_plain(self) -> Any:
        return self._record

    def __repr__(self) -> str:
        return str(self._record["class"])


#: The attribute that keeps what `__init__` was given: positional and named arguments.
_GIVEN = "_given"


def attributes(policy: Policy) -> dict[str, Any]:
    """What `policy` holds, by name."""
    return {name: value for name, value in vars(policy).items() if name != _GIVEN}


def _given(policy: Policy) -> inspect.BoundArguments:
    args, kwargs = vars(policy)[_GIVEN]
    return inspect.signature(type(policy)).bind(*args, **kwargs)


#: As in `<Table object at 0x7f0a>`, `<function f at 0x7f0a>` and numpy's `RandomState(MT19937) at 0x7F0A`.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def parameters(policy: Policy) -> dict[str, str]:
    """Each attribute of `policy` as a text that is the same in every process.

    Raises ValueError if one tells only where it lies in memory.
    """
    texts = {name: _text(value) for name, value in attributes(policy).items()}
    for name, text in texts.items():
        if _ADDRESS.search(text):
            raise ValueError(
                f"{type(policy).__name__}.{name} is {text}, which says where it lies, not what it is: "
                "runs that differ in it could not be told apart; give its class a __repr__ of its values"
            )
    return texts


def _text(value: Any) -> str:
    """What an attribute of a policy is: its repr, but of random generators the state they are in."""
    if isinstance(value, Policy):
        return repr(value.identity())
    if isinstance(value, Mapping):
        items = ", ".join(f"{_text(key)}: {_text(item)}" for key, item in value.items())
        return f"{{{items}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, set | frozenset) and value:
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    state: Any = None
    if isinstance(value, Random) and not isinstance(value, SystemRandom):
        state = value.getstate()
    elif hasattr(value, "bit_generator"):  # numpy's
        state = value.bit_generator.state
    if state is None:
        return repr(value)
    return f"<{type(value).__name__} in state {hashlib.sha256(repr(state).encode()).hexdigest()[:16]}>"


def is_ours(kind: type) -> bool:
    """Whether the class is part of this package."""
    return kind.__module__.startswith(f"{PACKAGE}.")


def path_of(kind: type) -> str:
    """What files and fingerprints call the class: in which module of this package it is does not matter.

    Nor does it matter that the user's script is called __mp_main__ in the processes of a sweep.
    """
    module = "__main__" if kind.__module__ == "__mp_main__" else kind.__module__
    return f"{PACKAGE if is_ours(kind) else module}:{kind.__qualname__}"


def _makes(policy: Policy) -> dict[str, Any]:
    """By which named arguments its class makes an equal policy: its attributes, or what it was given.

    Raises ConfigurationError if neither does.
    """
    path = path_of(type(policy))
    given = _given(policy)
    for own in (attributes(policy), given.arguments | given.kwargs):
        try:
            if load(path)(**own) == policy and type(policy).__module__ != "__main__":
                return own
        except Exception:  # whatever the user's code raises
            continue
    raise ConfigurationError(
        f"{policy.kind.what} {path}: a file cannot name it; define the class at the top of an importable "
        "module, with a constructor whose parameters make an equal policy"
    )


def _source_hash(kind: type) -> str:
    """Hash of the source of a class and of its bases in user code."""
    texts = []
    for base in kind.__mro__:
        if not is_ours(base) and base.__module__ != "builtins":
            try:
                texts.append(inspect.getsource(base))
            except (OSError, TypeError):  # typed in at a prompt: the code is all there is
                texts += [repr(_code(function)) for function in vars(base).values() if callable(function)]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _code(function: Callable[..., Any]) -> Any:
    code = getattr(function, "__code__", None)
    return code and (
        code.co_code,
        code.co_names,
        [repr(c) for c in code.co_consts if not hasattr(c, "co_code")],
    )


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
