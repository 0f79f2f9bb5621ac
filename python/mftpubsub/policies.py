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

from __future__ import annotations

import ctypes
import hashlib
import inspect
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import PlainSerializer, PlainValidator

from mftpubsub._core import core
from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.model import suggest

if TYPE_CHECKING:
    from mftpubsub.scenario import Scenario

_NO_NODE = 0xFFFF
_NONE = -1
_FAILED = -2
_ROLES = ((1, "broker"), (2, "subscriber"), (4, "publisher"))

P = TypeVar("P", bound="Policy")


@dataclass(slots=True)
class Me:
    """The node that asks, at the moment of the question."""

    id: int
    _: KW_ONLY
    time_s: float = 0.0
    """Simulated time, s."""
    roles: tuple[str, ...] = ("broker",)
    """Of broker, subscriber, publisher."""
    leader: int | None = None
    """Id of the leader that it follows, None if nobody yet."""
    round: int = 0
    """Number of that leader's newest heartbeat."""
    parent: int | None = None
    """Id of its parent (of a client: its broker), None if it has none."""
    hops: int = 0
    """To the leader."""
    attached_s: float = 0.0
    """s since it got this parent."""
    children: int = 0
    """Number of brokers below it."""
    speed_mps: float = 0.0
    """Its own speed, m/s."""
    queued: int = 0
    """Events that it holds as a broker, one for each (event, subscriber)."""


@dataclass(slots=True)
class Candidate:
    """A broker whose heartbeat was heard."""

    id: int
    _: KW_ONLY
    rssi_dbm: float = 0.0
    """Signal strength of the heartbeat, dBm."""
    hops: int = 0
    """From the leader, as it announced."""
    parent: int | None = None
    """Id of its own parent, as it announced."""
    advertised: int | None = None
    """What its policy advertises (`advertise`), 0 to 255, if anything."""
    arrival: int = 0
    """How many were heard before it in its round; 0 was the first."""
    age_s: float = 0.0
    """s since it was heard."""


@dataclass(slots=True)
class QueuedEvent:
    """An event that a broker holds for a subscriber."""

    publisher: int
    """With `sequence`, the event's id."""
    sequence: int
    _: KW_ONLY
    age_s: float = 0.0
    """s since it was queued here."""
    payload_bytes: int = 0
    """Its payload, B."""


class Policy:
    """Base of all policies; derive from the one of its kind."""

    what: ClassVar[str] = "policy"
    name: ClassVar[str | None] = None
    """In scenario files, of a policy that ships."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def to_plain(self) -> Any:
        """What a scenario file says for it. Raises ConfigurationError if a file cannot name it."""
        own = dict(vars(self))
        name = self.name if type(self).__module__ == __name__ else _path_of(type(self))
        if type(self).__module__ != __name__:
            _check_can_be_made(self, own)
        parameters = {key: value for key, value in own.items() if not key.startswith("_")}
        return {name: parameters} if parameters else name

    def identity(self) -> Any:
        """What determines its decisions, for the fingerprint: of a class of yours, its source too."""
        identity = {"class": _path_of(type(self)), "parameters": {k: repr(v) for k, v in vars(self).items()}}
        if type(self).__module__ != __name__:
            identity["source"] = _source_hash(type(self))
        return identity


def _path_of(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _check_can_be_made(policy: Policy, own: dict[str, Any]) -> None:
    """Raises ConfigurationError unless `module:Class` and its attributes make an equal policy."""
    path = _path_of(type(policy))
    try:
        same = _load(path)(**own) == policy
    except Exception:
        same = False
    if not same or type(policy).__module__ == "__main__":
        raise ConfigurationError(
            f"{policy.what} {path}: a file cannot name it; define the class at the top of an importable "
            "module, with a constructor whose parameters are its attributes"
        )


def _source_hash(kind: type) -> str:
    """Hash of the source of a class and of its bases in user code."""
    texts = []
    for base in kind.__mro__:
        if base.__module__ not in (__name__, "builtins"):
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


class _Chooser(Policy):
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
        return _choose("first-heard", (), me, current, candidates)

    def advertise(self, me: Me) -> int | None:
        """What the heartbeats of `me` tell other nodes' policies: 0 to 255, None (default): nothing."""
        return None


class ParentPolicy(_Chooser):
    """Which broker a broker has as its parent in the tree."""

    what = "parent policy"


class ClientPolicy(_Chooser):
    """Which broker a client, a device without the broker role, is attached to."""

    what = "client policy"


class MigrationPolicy(Policy):
    """When a node leaves its parent (a client: its broker) for the one that another policy proposes."""

    what = "migration policy"

    def migrate(self, me: Me, current: Candidate, proposed: Candidate) -> bool:
        """Whether `me` leaves `current` for `proposed` now. Not asked when `current` cannot be kept."""
        return self.default(me, current, proposed)

    def default(self, me: Me, current: Candidate, proposed: Candidate) -> bool:
        """The thesis's choice: at once."""
        return bool(_make("Migration", "immediate").Migrate(_cpp(me), _cpp(current), _cpp(proposed)))


class LeaderPolicy(Policy):
    """Who is the better leader."""

    what = "leader policy"

    def priority(self, me: Me) -> int:
        """The priority of `me`, which becomes a leader now: lower is better, 0 to 2**32 - 2."""
        return self.default(me)

    def default(self, me: Me) -> int:
        """The thesis's choice: the present time in ms, so that the longest-lived leader stays."""
        return int(_make("Leader", "longest-lived").Priority(_cpp(me)))


class QueuePolicy(Policy):
    """What a broker holds for a subscriber that it cannot reach."""

    what = "queue policy"

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

    what = "retry policy"

    def retry(self, me: Me, neighbour: int, kind: str, attempts: int) -> bool:
        """Whether to send a frame of a message of `kind` ("PUB") once more, after `attempts` times."""
        return self.default(me, neighbour, kind, attempts)

    def default(self, me: Me, neighbour: int, kind: str, attempts: int) -> bool:
        """As often as the scenario's transport.retries says."""
        return attempts <= int(vars(self).get("_retries", 3))


FailureAction = Literal["drop-link", "keep-link", "resend"]
_ACTIONS: tuple[FailureAction, ...] = ("drop-link", "keep-link", "resend")


class FailurePolicy(Policy):
    """What to do when the transport has given up a message."""

    what = "failure policy"

    def on_failure(self, me: Me, neighbour: int, kind: str, failures: int) -> FailureAction:
        """What becomes of a message of `kind` that has been given up `failures` times.

        "drop-link": `neighbour` leaves the tree until it is heard again, the broker queues the events;
        "keep-link": only the latter; "resend": it is sent again and nobody is told.
        """
        return self.default(me, neighbour, kind, failures)

    def default(self, me: Me, neighbour: int, kind: str, failures: int) -> FailureAction:
        """The project's choice: drop-link."""
        return "drop-link"


# What ships. The decisions are C++; called from Python they answer the same.


class _ShippedChooser(ParentPolicy, ClientPolicy):
    what = "parent policy"

    def choose(self, me: Me, current: Candidate | None, candidates: Sequence[Candidate]) -> Candidate | None:
        return _choose(str(self.name), _parameters(self), me, current, candidates)

    def advertise(self, me: Me) -> int | None:
        told = _make("Parent", str(self.name), _parameters(self)).Advertise(_cpp(me))
        return ord(told.value()) if told.has_value() else None  # to cppyy uint8_t is a character


@dataclass(frozen=True, eq=False)
class FirstHeard(_ShippedChooser):
    """The first sender of the round (T 2.5, J 4): the default."""

    name = "first-heard"


@dataclass(frozen=True, eq=False)
class StrongestLink(_ShippedChooser):
    """The one with the strongest signal."""

    name = "strongest-link"


@dataclass(frozen=True, eq=False)
class Hysteresis(_ShippedChooser):
    """The present one, unless another's signal is stronger by `margin` dB."""

    margin: float = 6.0
    name = "hysteresis"

    def __post_init__(self) -> None:
        _require(self, "margin", self.margin, 0, "dB")


@dataclass(frozen=True, eq=False)
class SlowNodeBackbone(_ShippedChooser):
    """The slowest one, and no change among equals (T 5.2). Brokers advertise their speed in 0.1 m/s."""

    name = "slow-node-backbone"


@dataclass(frozen=True, eq=False)
class BalancedFanOut(_ShippedChooser):
    """The one with the fewest other children (T 5.2: balance the tree). Brokers advertise their children."""

    name = "balanced-fan-out"


class _ShippedMigration(MigrationPolicy):
    def migrate(self, me: Me, current: Candidate, proposed: Candidate) -> bool:
        policy = _make("Migration", str(self.name), _parameters(self))
        return bool(policy.Migrate(_cpp(me), _cpp(current), _cpp(proposed)))


@dataclass(frozen=True, eq=False)
class Immediate(_ShippedMigration):
    """At once: the default."""

    name = "immediate"


@dataclass(frozen=True, eq=False)
class Persistence(_ShippedMigration):
    """When the same change has been proposed in `rounds` rounds in a row."""

    rounds: int = 3
    name = "persistence"

    def __post_init__(self) -> None:
        _require(self, "rounds", self.rounds, 1, "rounds", whole=True)


@dataclass(frozen=True, eq=False)
class MinimumStay(_ShippedMigration):
    """When the present parent has been had for `seconds` s."""

    seconds: float = 5.0
    name = "minimum-stay"

    def __post_init__(self) -> None:
        _require(self, "seconds", self.seconds, 0, "s")


class _ShippedLeader(LeaderPolicy):
    def priority(self, me: Me) -> int:
        return int(_make("Leader", str(self.name)).Priority(_cpp(me)))


@dataclass(frozen=True, eq=False)
class LongestLived(_ShippedLeader):
    """The one that became leader first: the default."""

    name = "longest-lived"


@dataclass(frozen=True, eq=False)
class LowestId(_ShippedLeader):
    """The one with the lowest id."""

    name = "lowest-id"


@dataclass(frozen=True, eq=False)
class Slowest(_ShippedLeader):
    """The one that moved slowest when it became leader (T 5.2), in mm/s."""

    name = "slowest"


class _ShippedQueue(QueuePolicy):
    def drop(self, me: Me, subscriber: int, events: Sequence[QueuedEvent]) -> list[QueuedEvent]:
        policy = _make("Queue", _cpp_name(self), _parameters(self))
        return [events[i] for i in policy.Drop(_cpp(me), subscriber, _vector("QueuedEvent", events))]


@dataclass(frozen=True, eq=False)
class Unbounded(QueuePolicy):
    """Everything is held: the default."""

    name = "unbounded"


@dataclass(frozen=True, eq=False)
class Bounded(_ShippedQueue):
    """At most `capacity` events for each subscriber; `which` go if there are more: oldest or newest."""

    capacity: int
    which: Literal["oldest", "newest"] = "oldest"
    name = "bounded"

    def __post_init__(self) -> None:
        _require(self, "capacity", self.capacity, 0, "events", whole=True)
        if self.which not in ("oldest", "newest"):
            raise ConfigurationError(f"bounded: which is 'oldest' or 'newest' (given: {self.which!r})")


@dataclass(frozen=True, eq=False)
class Expiry(_ShippedQueue):
    """No event for longer than `max_age` s."""

    max_age: float
    name = "expiry"

    def __post_init__(self) -> None:
        _require(self, "max_age", self.max_age, 0, "s")


class _ShippedRetry(RetryPolicy):
    def retry(self, me: Me, neighbour: int, kind: str, attempts: int) -> bool:
        return attempts <= self.limit(kind)

    def limit(self, kind: str) -> int:
        """Retransmissions of a frame of a message of `kind`."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class FixedRetries(_ShippedRetry):
    """`retries` retransmissions; default: transport.retries of the scenario."""

    retries: int | None = None
    name = "fixed"

    def __post_init__(self) -> None:
        if self.retries is not None:
            _require(self, "retries", self.retries, 0, "retransmissions", whole=True)

    def limit(self, kind: str) -> int:
        return int(vars(self).get("_retries", 3)) if self.retries is None else self.retries


@dataclass(frozen=True, eq=False)
class RetriesByKind(_ShippedRetry):
    """Retransmissions by kind of message, as in `RetriesByKind({"BMIG": 7}, other=3)`."""

    kinds: Mapping[str, int] = field(default_factory=dict)
    other: int = 3
    name = "by-kind"

    def __post_init__(self) -> None:
        known = [str(kind) for kind in core().GetMessageKinds()]
        for kind, retries in {**self.kinds, "other": self.other}.items():
            if kind not in known and kind != "other":
                raise ConfigurationError(f"by-kind: no messages of kind {kind!r}; {suggest(kind, known)}")
            _require(self, kind, retries, 0, "retransmissions", whole=True)

    def limit(self, kind: str) -> int:
        return self.kinds.get(kind, self.other)


class _ShippedFailure(FailurePolicy):
    def on_failure(self, me: Me, neighbour: int, kind: str, failures: int) -> FailureAction:
        policy = _make("Failure", str(self.name), _parameters(self))
        return _ACTIONS[int(policy.OnFailure(_cpp(me), neighbour, 0, failures))]


@dataclass(frozen=True, eq=False)
class DropLink(_ShippedFailure):
    """The neighbour leaves the tree until it is heard again: the default."""

    name = "drop-link"


@dataclass(frozen=True, eq=False)
class KeepLink(_ShippedFailure):
    """The broker is told, the neighbour stays in the tree."""

    name = "keep-link"


@dataclass(frozen=True, eq=False)
class Resend(_ShippedFailure):
    """The message is sent again `times` times before its link is dropped."""

    times: int = 1
    name = "resend"

    def __post_init__(self) -> None:
        _require(self, "times", self.times, 1, "times", whole=True)


def _require(
    policy: Policy, name: str, value: object, least: float, unit: str, *, whole: bool = False
) -> None:
    kind = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kind) or not least <= value < 2**31:
        number = "a whole number" if whole else "a number"
        raise ConfigurationError(
            f"{policy.name}: {name} is {number} of at least {least:g} {unit} (given: {value!r})"
        )


_KINDS: tuple[type[Policy], ...] = (
    ParentPolicy,
    ClientPolicy,
    MigrationPolicy,
    LeaderPolicy,
    QueuePolicy,
    RetryPolicy,
    FailurePolicy,
)


def shipped(base: type[P]) -> dict[str, type[P]]:
    """The policies of a kind that ship, by their names in scenario files."""
    found = {}
    pending: list[type[P]] = [base]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if kind.__module__ == __name__ and "name" in vars(kind) and kind.name is not None:
            found[kind.name] = kind
    return dict(sorted(found.items()))


def parse(base: type[P], value: Any) -> P:
    """The policy that a scenario names: an instance, a name, `module:Class`, or either with parameters.

    Raises ValueError that says what would be right.
    """
    if isinstance(value, base):
        _refuse_misspelt(base, type(value))
        return value
    if (
        isinstance(value, Mapping) and {"class", "parameters"} <= value.keys()
    ):  # an `identity`, as in run.json
        value = {value["class"]: {k: literal_eval(text) for k, text in value["parameters"].items()}}
    name: Any = value
    parameters: Any = None
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, parameters),) = value.items()
    if not isinstance(name, str) or not isinstance(parameters, Mapping | None):
        if isinstance(value, type) and issubclass(value, base):
            raise ValueError(f"a policy is an object: write {value.__name__}(), not {value.__name__}")
        known = ", ".join(shipped(base))
        raise ValueError(f"no {base.what}: {value!r}; give a {base.__name__} or one of {known}")
    kind = _load(name) if ":" in name else shipped(base).get(name)
    if kind is None:
        raise ValueError(f"no {base.what} {name!r}; {suggest(name, list(shipped(base)))}")
    if not issubclass(kind, base):
        raise ValueError(f"{name} is no {base.__name__}")
    _refuse_misspelt(base, kind)
    try:
        return kind(**(parameters or {}))
    except ConfigurationError as error:
        raise ValueError(str(error)) from None
    except TypeError as error:
        takes = ", ".join(inspect.signature(kind).parameters) or "no parameters"
        raise ValueError(f"{name}: {error}; it takes {takes}") from None


def _refuse_misspelt(base: type[Policy], kind: type[Policy]) -> None:
    """Raises ValueError if a method is almost called as a decision that the class does not take."""
    own = vars(_Chooser if issubclass(base, _Chooser) else base).items()
    decisions = [name for name, thing in own if inspect.isfunction(thing) and name != "default"]
    left = [name for name in decisions if getattr(kind, name) is getattr(base, name)]
    for name in dir(kind):
        if not hasattr(base, name) and (meant := get_close_matches(name, left, 1, 0.75)):
            raise ValueError(f"{kind.__name__} has no method {meant[0]} but {name}; did you mean {meant[0]}?")


def _load(path: str) -> type[Any]:
    """The class called `module:Class`; raises ValueError if there is none."""
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"cannot load {path}: {error}; is its folder on PYTHONPATH?") from None
    if not isinstance(found, type):
        raise ValueError(f"{path} is no class")
    return found


def _field(base: type[P]) -> Any:
    return Annotated[
        Any,
        PlainValidator(lambda value: parse(base, value)),
        PlainSerializer(lambda policy: policy.identity(), when_used="json"),
    ]


if not TYPE_CHECKING:
    ParentField, ClientField, MigrationField, LeaderField, QueueField, RetryField, FailureField = map(
        _field, _KINDS
    )
else:
    ParentField = ParentPolicy
    ClientField = ClientPolicy
    MigrationField = MigrationPolicy
    LeaderField = LeaderPolicy
    QueueField = QueuePolicy
    RetryField = RetryPolicy
    FailureField = FailurePolicy


# To C++ and back.


def _parameters(policy: Policy) -> tuple[tuple[str, float], ...]:
    """The parameters of a policy that ships, as C++ takes them."""
    if isinstance(policy, Bounded):
        return (("capacity", float(policy.capacity)),)
    if isinstance(policy, RetriesByKind):
        return (("other", float(policy.other)), *((k, float(n)) for k, n in policy.kinds.items()))
    if isinstance(policy, FixedRetries):
        return (("retries", float(policy.limit(""))),)
    return tuple((f.name, float(getattr(policy, f.name))) for f in fields(policy))  # type: ignore[arg-type]


def _cpp_name(policy: Policy) -> str:
    return f"drop-{policy.which}" if isinstance(policy, Bounded) else str(policy.name)


@cache
def _make(kind: str, name: str, parameters: tuple[tuple[str, float], ...] = ()) -> Any:
    """A policy that ships, made by the simulator's factory and shared where it keeps no state."""
    return getattr(core(), f"Make{kind}Policy")(name, dict(parameters))


def _cpp(view: Me | Candidate | QueuedEvent) -> Any:
    """The C++ struct of a view."""
    if isinstance(view, Me):
        me = core().NodeView()
        me.id = view.id
        me.roles = sum(bit for bit, name in _ROLES if name in view.roles)
        me.timeNanoseconds = round(view.time_s * 1e9)
        me.leader = _id(view.leader)
        me.round = view.round
        me.parent = _id(view.parent)
        me.hops = view.hops
        me.attachedSeconds = view.attached_s
        me.children = view.children
        me.speedMetresPerSecond = view.speed_mps
        me.queuedEvents = view.queued
        return me
    if isinstance(view, Candidate):
        candidate = core().Candidate()
        candidate.id = view.id
        candidate.rssiDbm = view.rssi_dbm
        candidate.hops = view.hops
        candidate.parent = _id(view.parent)
        candidate.advertised = _NONE if view.advertised is None else view.advertised
        candidate.arrival = view.arrival
        candidate.ageSeconds = view.age_s
        return candidate
    event = core().QueuedEvent()
    event.publisher = view.publisher
    event.sequence = view.sequence
    event.ageSeconds = view.age_s
    event.payloadBytes = view.payload_bytes
    return event


def _id(node: int | None) -> int:
    return _NO_NODE if node is None else node


def _node(id: int) -> int | None:
    return None if id == _NO_NODE else id


@cache
def vector_of(kind: str) -> Any:
    """std::vector of a struct of ours."""
    import cppyy

    return cppyy.gbl.std.vector[getattr(core(), kind)]


def _vector(kind: str, views: Iterable[Any]) -> Any:
    vector = vector_of(kind)()
    for view in views:
        vector.push_back(_cpp(view))
    return vector


@cache
def _size_of(kind: str) -> int:
    import cppyy

    return int(cppyy.sizeof(getattr(core(), kind)))


def _array(kind: str, address: int, count: int) -> list[Any]:
    """The structs of an array of C++; they live as long as it does."""
    import cppyy

    cpp, size = getattr(core(), kind), _size_of(kind)
    return [cppyy.bind_object(address + index * size, cpp) for index in range(count)]


def _me(cpp: Any) -> Me:
    me = object.__new__(Me)
    roles = cpp.roles
    me.id = cpp.id
    me.time_s = cpp.timeNanoseconds / 1e9
    me.roles = _ROLE_NAMES[roles]
    me.leader = _node(cpp.leader)
    me.round = cpp.round
    me.parent = _node(cpp.parent)
    me.hops = cpp.hops
    me.attached_s = cpp.attachedSeconds
    me.children = cpp.children
    me.speed_mps = cpp.speedMetresPerSecond
    me.queued = cpp.queuedEvents
    return me


_ROLE_NAMES = [tuple(name for bit, name in _ROLES if roles & bit) for roles in range(8)]


def _candidate(cpp: Any) -> Candidate:
    candidate = object.__new__(Candidate)
    candidate.id = cpp.id
    candidate.rssi_dbm = cpp.rssiDbm
    candidate.hops = cpp.hops
    candidate.parent = _node(cpp.parent)
    advertised = cpp.advertised
    candidate.advertised = None if advertised == _NONE else advertised
    candidate.arrival = cpp.arrival
    candidate.age_s = cpp.ageSeconds
    return candidate


def _queued_event(cpp: Any) -> QueuedEvent:
    return QueuedEvent(cpp.publisher, cpp.sequence, age_s=cpp.ageSeconds, payload_bytes=cpp.payloadBytes)


def _choose(
    name: str,
    parameters: tuple[tuple[str, float], ...],
    me: Me,
    current: Candidate | None,
    candidates: Sequence[Candidate],
) -> Candidate | None:
    import cppyy

    now = cppyy.nullptr if current is None else _cpp(current)
    chosen = int(_make("Parent", name, parameters).Choose(_cpp(me), now, _vector("Candidate", candidates)))
    return next((c for c in candidates if c.id == chosen), current)


class Hooks:
    """Ties the policies of one run to the simulator."""

    def __init__(self, fail: Callable[[BaseException], None], name: Callable[[int], str] = str) -> None:
        """`fail` takes what a policy has raised; `name` gives a node's name."""
        self._fail = fail
        self._name = name
        self._callables: list[Any] = []  # C++ calls them: they must live as long
        _make.cache_clear()

    def install(self, scenario: Scenario, cpp: Any) -> None:
        """Gives the C++ `Policies` those of `scenario`."""
        cpp.SetParent(self.chooser(scenario.parent_policy))
        cpp.SetClient(self.chooser(scenario.client_policy))
        cpp.SetMigration(self.migration(scenario.migration_policy))
        cpp.SetLeader(self._leader(scenario.leader_policy))
        self.set_queue(scenario.queue_policy, cpp)
        cpp.SetRetry(self._retry(scenario.retry_policy, scenario.transport.retries))
        cpp.SetFailure(self._failure(scenario.failure_policy))

    def chooser(self, policy: _Chooser) -> Any:
        """The C++ policy of `policy`."""
        if isinstance(policy, _ShippedChooser) and _ships(policy):
            return _make_fresh("Parent", policy)
        policy = deepcopy(policy)

        def choose(me: Any, current: Any, address: int, count: int) -> int:
            if not count:
                return _NONE

            def decide(node: Me) -> int:
                now = _candidate(current) if current else None
                heard = [_candidate(cpp) for cpp in _array("Candidate", address, count)]
                chosen = policy.choose(node, now, list(heard))
                return _check_choice(chosen, now, heard)

            return self._ask(policy, "choose", me, decide)

        def advertise(me: Any) -> int:
            return self._ask(policy, "advertise", me, lambda node: _check_byte(policy.advertise(node)))

        advertises = type(policy).advertise is not _Chooser.advertise
        nothing = core().AdvertiseHook()
        return core().HookParentPolicy(self._keep(choose), self._keep(advertise) if advertises else nothing)

    def migration(self, policy: MigrationPolicy) -> Any:
        """The C++ policy of `policy`."""
        if _ships(policy):
            return _make_fresh("Migration", policy)
        policy = deepcopy(policy)

        def migrate(me: Any, current: Any, proposed: Any) -> int:
            now, then = _candidate(current), _candidate(proposed)
            return self._ask(policy, "migrate", me, lambda node: _check_bool(policy.migrate(node, now, then)))

        return core().HookMigrationPolicy(self._keep(migrate))

    def _leader(self, policy: LeaderPolicy) -> Any:
        if _ships(policy):
            return _make_fresh("Leader", policy)
        policy = deepcopy(policy)

        def priority(me: Any) -> int:
            return self._ask(policy, "priority", me, lambda node: _check_priority(policy.priority(node)))

        return core().HookLeaderPolicy(self._keep(priority))

    def set_queue(self, policy: QueuePolicy, cpp: Any) -> None:
        """Gives `cpp`, which has SetQueue, the C++ policy of `policy`."""
        if isinstance(policy, Unbounded) and _ships(policy):
            return  # no policy at all
        if _ships(policy):
            cpp.SetQueue(_make_fresh("Queue", policy))
            return
        policy = deepcopy(policy)

        def drop(me: Any, subscriber: int, address: int, count: int, dropped: int) -> int:
            def decide(node: Me) -> int:
                held = [_queued_event(cpp) for cpp in _array("QueuedEvent", address, count)]
                for index in _check_events(policy.drop(node, subscriber, list(held)), held):
                    ctypes.memset(dropped + index, 1, 1)
                return 1

            return self._ask(policy, "drop", me, decide)

        cpp.SetQueue(core().HookQueuePolicy(self._keep(drop)))

    def _retry(self, policy: RetryPolicy, retries: int) -> Any:
        policy = deepcopy(policy)
        object.__setattr__(policy, "_retries", retries)
        if _ships(policy):
            return _make_fresh("Retry", policy)

        def retry(me: Any, neighbour: int, kind: Any, attempts: int) -> int:
            return self._ask(
                policy,
                "retry",
                me,
                lambda node: _check_bool(policy.retry(node, neighbour, str(kind), attempts)),
            )

        return core().HookRetryPolicy(self._keep(retry))

    def _failure(self, policy: FailurePolicy) -> Any:
        if _ships(policy):
            return _make_fresh("Failure", policy)
        policy = deepcopy(policy)

        def on_failure(me: Any, neighbour: int, kind: Any, failures: int) -> int:
            return self._ask(
                policy,
                "on_failure",
                me,
                lambda node: _check_action(policy.on_failure(node, neighbour, str(kind), failures)),
            )

        return core().HookFailurePolicy(self._keep(on_failure))

    def _keep(self, hook: Any) -> Any:
        self._callables.append(hook)
        return hook

    def _ask(self, policy: Policy, method: str, me: Any, decide: Callable[[Me], int]) -> int:
        """What `decide` answers; nothing may be raised across the simulator."""
        node = _me(me)
        where = f"{type(policy).__qualname__}.{method} at node {self._name(node.id)}, {node.time_s:.6f} s"
        try:
            return decide(node)
        except _NonsenseError as error:
            self._fail(RunError(f"{where}: {error}"))
        except Exception as error:
            failure = RunError(f"{where}: {type(error).__name__}: {error}")
            failure.__cause__ = error
            self._fail(failure)
        except BaseException as error:  # the user's interruption
            self._fail(error)
        return _FAILED


def _ships(policy: Policy) -> bool:
    """Whether C++ can decide alone: a class of ours, not one derived from it."""
    return type(policy).__module__ == __name__ and type(policy).name is not None


def _make_fresh(kind: str, policy: Policy) -> Any:
    """Not shared with another run: some policies keep state."""
    return _make.__wrapped__(kind, _cpp_name(policy), _parameters(policy))


class _NonsenseError(Exception):
    """A policy answered with what is no decision."""


def _check_choice(chosen: Any, current: Candidate | None, candidates: list[Candidate]) -> int:
    if chosen is None:
        return _NONE
    allowed = [candidate.id for candidate in candidates] + ([current.id] if current else [])
    id = chosen.id if isinstance(chosen, Candidate) else chosen
    if isinstance(id, int) and not isinstance(id, bool) and id in allowed:
        return id
    ids = ", ".join(map(str, dict.fromkeys(allowed)))
    raise _NonsenseError(f"answered {chosen!r}, which is neither one of the brokers {ids} nor None")


def _check_byte(value: Any) -> int:
    if value is None:
        return _NONE
    return _check_whole(value, 255, " or None")


def _check_priority(value: Any) -> int:
    return _check_whole(value, 2**32 - 2)


def _check_whole(value: Any, largest: int, otherwise: str = "") -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest:
        return value
    raise _NonsenseError(f"answered {value!r}, which is no whole number from 0 to {largest}{otherwise}")


def _check_bool(value: Any) -> int:
    if isinstance(value, bool):
        return int(value)
    raise _NonsenseError(f"answered {value!r}, which is neither True nor False")


def _check_action(value: Any) -> int:
    if value in _ACTIONS:
        return _ACTIONS.index(value)
    raise _NonsenseError(f"answered {value!r}, which is none of {', '.join(_ACTIONS)}")


def _check_events(dropped: Any, held: list[QueuedEvent]) -> list[int]:
    try:
        given = list(dropped)
    except TypeError:
        raise _NonsenseError(
            f"answered {dropped!r}, which is no collection of the events asked about"
        ) from None
    positions = [next((i for i, event in enumerate(held) if event is one), None) for one in given]
    for one, position in zip(given, positions, strict=True):
        if position is None:
            raise _NonsenseError(f"answered {one!r} among others, which is none of the events asked about")
    return [position for position in positions if position is not None]
