"""The laboratory: the protocols on a small network of perfect links, one message at a time."""

from __future__ import annotations

import ctypes
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field
from html import escape
from numbers import Real
from typing import Any, TypeVar

from mftpubsub import policies
from mftpubsub.errors import suggest
from mftpubsub.lab.brokers import LabBrokers
from mftpubsub.lab.own import command_words, taken
from mftpubsub.policies.hooks import Hooks, raising
from mftpubsub.protocols.broker import Broker
from mftpubsub.simulator.laboratory import (
    PYTHON_BROKERS,
    LabError,
    call,
    check_limit,
    event,
    heartbeats,
    tree_lab,
)

P = TypeVar("P", bound=policies.Policy)

SETTLE_LIMIT = 100_000
"""Steps after which `Lab.settle` takes the network to be circulating messages for ever."""


@dataclass(frozen=True)
class Record:
    """A message that arrived, or that was lost together with its link."""

    step: int
    source: str
    destination: str
    kind: str
    fields: dict[str, Any]
    failed: bool = False
    text: str = field(default="", repr=False, compare=False)
    """In the words of transcripts."""

    def __str__(self) -> str:
        return self.text


class Log(list[Record]):
    """The records so far, oldest first; prints as a transcript."""

    def __init__(self, lab: Any) -> None:
        super().__init__()
        self._lab = lab

    def clear(self) -> None:
        super().clear()
        self._lab.ClearLog()

    def __str__(self) -> str:
        return "\n".join(str(record) for record in self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


@dataclass(frozen=True)
class Route:
    """What a broker knows of a subscriber. No filters: a tombstone."""

    next_hop: str | None
    timestamp: int
    hops: int
    filters: frozenset[str]


class Lab:
    """A network of brokers that form a tree, and of subscribers and publishers attached to them.

    Links are perfect and first-in-first-out, nothing takes time, and nothing happens unless
    `step` or `settle` is called. The order is that of sending, unless a `seed` is given, which
    draws the next link at random, reproducibly.

    Where two parts of the network join, the brokers on the path from the joining end to the leader
    that is worse in `leaders` (then: root, then by name) change their parents one after the other;
    such a change is pending as `(broker, broker)`.

    `queue_policy` decides what brokers hold (no time passes: nothing expires), `parent_policy` and
    `migration_policy` what `hear` leads to; to policies brokers are numbers, in the order of their names.
    """

    def __init__(
        self,
        protocol: str | Broker,
        links: Iterable[tuple[str, str]],
        root: str,
        *,
        leaders: Sequence[str] = (),
        seed: int | None = None,
        replay: bool = True,
        literal_children: bool = False,
        queue_policy: Any = "unbounded",
        parent_policy: Any = "first-heard",
        migration_policy: Any = "immediate",
    ) -> None:
        links = _links(links)
        _check_brokers(links, root, leaders)
        self._failures: list[BaseException] = []
        self._hooks = Hooks(self._failures.append, self._name)
        self._hooks.add("queue", _policy(policies.QueuePolicy, queue_policy))
        self._hooks.add("parent", _policy(policies.ParentPolicy, parent_policy))
        self._hooks.add("migration", _policy(policies.MigrationPolicy, migration_policy))
        if not isinstance(protocol, str | Broker):
            raise LabError(f"protocol: {protocol!r} is no name, such as 'mft-pubsub'")
        own = isinstance(protocol, Broker) or ":" in protocol
        self._own = taken(protocol, Broker, "Lab is for brokers, AirLab for stations") if own else None
        self._brokers = LabBrokers(self._own, self._failures.append, self._name) if self._own else None
        options = {
            "protocol": PYTHON_BROKERS if own else protocol,
            "links": links,
            "root": root,
            "order": list(leaders),
            "literalChildren": literal_children,
            "replay": replay,
            "shuffled": seed is not None,
            "seed": seed or 0,
        }
        request = json.dumps({"options": options, "policies": self._hooks.specs}, ensure_ascii=False)
        hooks = self._hooks.to_cpp()
        brokers = ctypes.addressof(self._brokers.hooks) if self._brokers else 0
        self._lab = self._run(tree_lab, request, ctypes.addressof(hooks), brokers)
        self.log = Log(self._lab)
        self._history: list[str] = []
        self._setup = _setup_command(options, command_words(self._own) if self._own else [str(protocol)])
        self.is_shuffled = seed is not None
        self.clients: dict[str, str] = {}
        """The broker that each client was last put at."""
        self.subscribers: set[str] = set()

    @property
    def brokers(self) -> list[str]:
        """All of them, down or not."""
        return [str(name) for name in self._lab.GetBrokers()]

    @property
    def is_own(self) -> bool:
        """Whether its brokers are a protocol of one's own."""
        return self._brokers is not None

    @property
    def tells_wrong(self) -> bool:
        """Whether `violations` can know what is wrong: brokers of one's own need a `table` for that."""
        return self._brokers is None or type(self._brokers.protocol).has_own("table")

    def subscribe(self, subscriber: str, at: str | None = None, *, where: str) -> None:
        """Adds a filter; `at` is needed for a new subscriber."""
        self._do(
            f"subscribe {_client(subscriber, at)} where {where}", "Subscribe", subscriber, at or "", where
        )
        self.subscribers.add(subscriber)
        self._put(subscriber, at)

    def unsubscribe(self, subscriber: str, *, where: str) -> None:
        """Takes a filter back, by its text."""
        self._do(f"unsubscribe {subscriber} where {where}", "Unsubscribe", subscriber, where)

    def publish(self, publisher: str, at: str | None = None, **attributes: bool | int | float | str) -> str:
        """Publishes an event; a publisher that is elsewhere goes to `at` first. Returns its id."""
        said = " ".join(
            [f"publish {_client(publisher, at)}", *(f"{k}={_value(v)}" for k, v in attributes.items())]
        )
        published = str(self._do(said, "Publish", publisher, at or "", event(attributes)))
        self._put(publisher, at)
        return published

    def connect(self, one: str, other: str) -> None:
        """A link comes up. Where it joins two parts of the network, parents are to change, as said above."""
        self._do(f"connect {one} {other}", "Connect", one, other)

    def disconnect(self, one: str, other: str) -> None:
        """A link goes down at both ends; what is under way on it is lost, and logged as failed."""
        self._do(f"disconnect {one} {other}", "Disconnect", one, other)

    def migrate(self, broker: str, to: str) -> None:
        """`broker` leaves its parent for `to`, with everything below it."""
        self._do(f"migrate {broker} to {to}", "Migrate", broker, to)

    def hear(self, broker: str, heartbeats: Mapping[str, float | tuple[float, int]]) -> None:
        """`broker` hears a round of heartbeats: senders in order, each with its RSSI in dBm, or with its
        RSSI and what it advertises.

        After each the parent policy chooses and the migration policy agrees or not; `broker` migrates if
        its parent changes. Its parent is known to them as it was last heard here, if it ever was.
        """
        self._do("", "Hear", broker, _heartbeats(heartbeats))

    def move(self, client: str, to: str) -> None:
        """`client` leaves its broker for `to`, which may be the same one."""
        self._do(f"move {client} to {to}", "Move", client, to)
        self._put(client, to)

    def crash(self, broker: str) -> None:
        """`broker` forgets everything and loses its links."""
        self._do(f"crash {broker}", "Crash", broker)

    def restart(self, broker: str) -> None:
        """`broker` is back, empty: its clients return to it, its links have to be connected."""
        self._do(f"restart {broker}", "Restart", broker)

    # What happens on a radio, and brokers are not told.

    def drop(self, source: str, destination: str) -> None:
        """The oldest message from `source` to `destination` is lost for good: the transport of `source` gives
        up all that it has sent there, and begins a new session."""
        self._do(f"drop {source} {destination}", "Drop", source, destination)

    def deny(self, source: str, destination: str) -> None:
        """The oldest message from `source` to `destination` arrives, but all acknowledgements are lost: the
        rest as `drop`."""
        self._do(f"deny {source} {destination}", "Deny", source, destination)

    def lose(self, broker: str, neighbour: str) -> None:
        """`broker` alone loses its link to `neighbour`; it hears it again, when that is stepped."""
        self._do(f"lose {broker} {neighbour}", "Lose", broker, neighbour)

    def restart_silently(self, broker: str) -> None:
        """`broker` forgets everything, so quickly that nobody notices until it speaks."""
        self._do(f"restart {broker} silently", "RestartSilently", broker)

    def slip(self, client: str, to: str) -> None:
        """`client` leaves its broker, which does not see it go, for `to`."""
        self._do(f"slip {client} to {to}", "Slip", client, to)
        self._put(client, to)

    def pending(self) -> list[tuple[str, str]]:
        """The links with messages in flight, and `(b, b)` for a broker that has to change its
        parent; the first is what `step` would take by default."""
        return [(str(link.first), str(link.second)) for link in self._lab.GetPending()]

    def step(self, link: tuple[str, str] | None = None) -> bool:
        """Delivers one message: the head of `link`, if given. Returns whether there was one.

        Where nothing is pending, timers of a protocol of one's own expire.
        """
        if link is not None:
            self._do(f"step {link[0]} {link[1]}", "StepLink", *link)
            return True
        return bool(self._do("step", "Step"))

    def timers(self, broker: str) -> list[str]:
        """Of a protocol of one's own, what `broker` waits for, by when it is due; texts for `expire`."""
        if not self._brokers:
            return []
        return self._brokers.timers(int(call(self._lab.GetBrokerState, broker)))

    def expire(self, broker: str, timer: str) -> None:
        """Of a protocol of one's own, a timer of `broker` expires, whatever else is pending.

        `timer` is its text, one of `timers(broker)`. Raises LabError.
        """
        self._do(f"expire {broker} {timer}", "Expire", broker, timer)

    def settle(self, limit: int = SETTLE_LIMIT) -> int:
        """Steps until nothing is pending and returns the number of steps.

        Raises `RuntimeError` when `limit` steps do not suffice, LabError for a limit that is no such number.
        What a broker raises leaves the laboratory as it was before that step.
        """
        check_limit(limit)
        before = len(self._history)
        for steps in range(limit):
            if not self._do("step", "Step"):
                self._history[before:] = ["settle"]
                return steps
        if not self._lab.GetPending().empty():
            raise RuntimeError(f"not quiet after {limit} steps")
        return limit

    def table(self, broker: str) -> dict[str, Route]:
        """The routing table, tombstones included, by subscriber (simple-routing: by next hop)."""
        return {
            str(row.subscriber): Route(
                str(row.nextHop) or None,
                int(row.timestamp),
                int(row.hops),
                frozenset(str(text) for text in row.filters),
            )
            for row in self._run(self._lab.GetTable, broker)
        }

    def describe(self, broker: str) -> list[str]:
        """What `broker` knows and holds, in the words of transcripts: a line for each subscriber."""
        lines = [*self._run(self._lab.DescribeTable, broker), *self._run(self._lab.DescribeQueues, broker)]
        return [str(line) for line in lines]

    def links(self) -> list[tuple[str, str]]:
        """The links between brokers, as they are now."""
        return [(str(link.first), str(link.second)) for link in self._lab.GetLinks()]

    def queue(self, broker: str) -> dict[str, list[str]]:
        """The events that `broker` holds, by subscriber."""
        return {
            str(row.subscriber): [str(event) for event in row.events]
            for row in self._run(self._lab.GetQueues, broker)
        }

    def delivered(self, subscriber: str) -> list[str]:
        """The events that the application has seen, in order."""
        return [str(event) for event in call(self._lab.GetDelivered, subscriber)]

    def parent(self, broker: str) -> str | None:
        """The parent of `broker` in the tree; None for a root."""
        return str(call(self._lab.GetParent, broker)) or None

    def broker(self, name: str) -> Broker:
        """Of a protocol of one's own, the broker called so, to look at. Raises LabError."""
        if not self._brokers:
            raise LabError("broker: the protocol ships: table and queue tell what its brokers know")
        return self._brokers.broker(int(call(self._lab.GetBrokerState, name)))

    def violations(self) -> list[str]:
        """What is wrong in a network in which nothing is pending (docs/protocols.md)."""
        return [str(text) for text in self._run(self._lab.FindViolations)]

    def _put(self, client: str, broker: str | None) -> None:
        if broker:
            self.clients[client] = broker

    def _name(self, node: int) -> str:
        """Of a broker, while the laboratory is made too."""
        return str(self._lab.GetProcessName(node)) if hasattr(self, "_lab") else f"broker {node + 1}"

    # For searches

    def copied(self) -> Any:
        """The C++ laboratory in its present state, without a log."""
        lab = type(self._lab)(self._lab)
        lab.SetLogging(False)
        return lab

    def draws(self, outcomes: tuple[int, ...] | None = None) -> list[int]:
        """How many outcomes each draw of brokers had that decides. `outcomes`: those of what follows."""
        if not self._brokers:
            return []
        if outcomes is not None:
            self._brokers.choose(outcomes)
        return self._brokers.draws

    def on(self, lab: Any, method: str, *arguments: Any, forgets_times: bool = False) -> Any:
        """Calls a method of a C++ laboratory, whose policies are those of this one. Raises as commands do.

        `forgets_times`: in states of brokers of one's own it makes no difference when timers are due.
        """
        with self._brokers.forgetting_times(forgets_times) if self._brokers else nullcontext():
            return self._run(getattr(lab, method), *arguments)

    def showing(self, lab: Any) -> Lab:
        """This laboratory with the state of a C++ one, which keeps no log, to look at."""
        shown = copy(self)
        shown._lab, shown.log = lab, Log(lab)
        return shown

    def to_transcript(self, comment: str = "", following: Iterable[object] = ()) -> str:
        """A file that `mftpubsub lab` replays: what has been done here, then the commands `following`.

        Policies and heartbeats that were heard have no words there.
        """
        head = [f"# {comment}", ""] if comment else []
        return "\n".join([*head, "\n\n".join([self._setup, *self._history, *map(str, following)])]) + "\n"

    def _do(self, said: str, method: str, *arguments: Any) -> Any:
        """Runs a command of C++; `said` is it in the words of transcripts."""
        before = type(self._lab)(self._lab) if self._brokers else None
        self.draws(())
        try:
            result = self.on(self._lab, method, *arguments)
        except BaseException:
            self._lab = before or self._lab  # what a broker raises leaves the laboratory as it was
            raise
        if said:
            self._history.append(said)
        self._refresh()
        return result

    def _run(self, method: Any, *arguments: Any) -> Any:
        """Calls C++, which calls policies. Raises RunError if one of them fails: the step is half done."""
        return raising(self._failures, call, method, *arguments)

    def _refresh(self) -> None:
        records = self._lab.GetLog()
        for index in range(len(self.log), records.size()):
            record = records[index]
            self.log.append(
                Record(
                    int(record.step),
                    str(record.source),
                    str(record.destination),
                    str(record.kind),
                    {
                        name: _tuples(value, nested=name == "T")
                        for name, value in json.loads(str(record.fields)).items()
                    },
                    bool(record.failed),
                    str(record.text),
                )
            )


def _setup_command(options: Mapping[str, Any], protocol: Sequence[str]) -> str:
    """The command `lab` of transcripts."""
    words = ["lab", *protocol, f"root={options['root']}"]
    if options["order"]:
        words.append(f"leaders={','.join(options['order'])}")
    if options["shuffled"]:
        words.append(f"seed={options['seed']}")
    if not options["replay"]:
        words.append("replay=false")
    if options["literalChildren"]:
        words.append("literal-children=true")
    return " ".join([*words, *(f"{one}-{other}" for one, other in options["links"])])


def _client(name: str, at: str | None) -> str:
    return f"{name} at {at}" if at else name


def _value(value: bool | int | float | str) -> str:
    """An attribute's value in the words of transcripts."""
    if isinstance(value, bool):
        return str(value).lower()
    return "'{}'".format(value.replace("'", "''")) if isinstance(value, str) else repr(value)


def _links(links: Any) -> list[tuple[str, str]]:
    """Pairs of brokers. Raises LabError for what are none."""
    usual = "links: needs pairs of brokers, as in [('a', 'b'), ('b', 'c')]"
    if isinstance(links, str) or not isinstance(links, Iterable):
        raise LabError(f"{usual} (given: {links!r})")
    found = list(links)
    for link in found:
        if not (
            isinstance(link, tuple | list) and len(link) == 2 and all(isinstance(name, str) for name in link)
        ):
            raise LabError(f"{usual} (given: {link!r})")
    if not found:
        raise LabError(f"{usual}: without a link there is no network")
    return [(one, other) for one, other in found]


def _check_brokers(links: Sequence[tuple[str, str]], root: str, leaders: Sequence[str]) -> None:
    """Raises LabError for a root or a leader that no link names."""
    known = sorted({name for link in links for name in link})
    for what, name in (("root", root), *(("leaders", leader) for leader in leaders)):
        if name not in known:
            raise LabError(f"{what}: no link has a broker {name!r}; {suggest(name, known)}")


def _policy(base: type[P], value: Any) -> P:
    try:
        return policies.parse(base, value)
    except ValueError as error:
        raise LabError(str(error)) from None


def _heartbeats(heard: Mapping[str, float | tuple[float, int]]) -> Any:
    if not isinstance(heard, Mapping) or not heard:
        raise LabError(f"heartbeats: needs senders with their RSSI, as in {{'b1': -80}} (given: {heard!r})")
    words = {sender: word if isinstance(word, tuple) else (word, -1) for sender, word in heard.items()}
    for sender, word in words.items():
        if not _is_heard(*word):
            raise LabError(
                f"{sender}: {heard[sender]!r} is no RSSI (dBm), or RSSI and advertised byte (0 to 255)"
            )
    return heartbeats(words)


def _is_heard(rssi_dbm: Any, advertised: Any = None, *more: Any) -> bool:
    return (
        not more
        and isinstance(rssi_dbm, Real)
        and math.isfinite(rssi_dbm)
        and isinstance(advertised, int)
        and -1 <= advertised <= 255
    )


def _tuples(value: Any, *, nested: bool) -> Any:
    """JSON's lists as the lists of tuples that they stand for."""
    if not isinstance(value, list):
        return value
    items: Iterator[Any] = (_tuples(item, nested=True) for item in value)
    return tuple(items) if nested else list(items)
