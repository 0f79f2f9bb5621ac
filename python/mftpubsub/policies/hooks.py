"""Ties policies to the simulator: hooks that ask Python, and what becomes of wrong answers."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from ctypes import CFUNCTYPE, c_char_p, c_int64, c_size_t, c_uint16, c_uint32, c_void_p
from typing import Any

from mftpubsub.errors import RunError
from mftpubsub.policies.built_in import BuiltIn
from mftpubsub.policies.kinds import (
    ACTIONS,
    Chooser,
    FailurePolicy,
    LeaderPolicy,
    MigrationPolicy,
    Policy,
    QueuePolicy,
    Recorded,
    RepairPolicy,
    RetryPolicy,
    is_ours,
)
from mftpubsub.simulator import decisions
from mftpubsub.simulator.decisions import (
    NONE,
    array_of,
    candidate_of,
    lacking_neighbour_of,
    me_of,
    queued_event_of,
    view_of,
)
from mftpubsub.simulator.shown import Candidate, LackingNeighbour, Me, QueuedEvent

#: What the simulator calls a policy that asks a hook.
_PYTHON = "python"
#: What a hook answers that has failed, and what one that decides 0, as policies.h has it. `NONE` is one less.
_FAILED, _FIRST = 0, 2

_ADDRESS = c_void_p
_Choose = CFUNCTYPE(c_int64, _ADDRESS, _ADDRESS, _ADDRESS, c_size_t)
_AskMe = CFUNCTYPE(c_int64, _ADDRESS)
_Migrate = CFUNCTYPE(c_int64, _ADDRESS, _ADDRESS, _ADDRESS)
_Drop = CFUNCTYPE(c_int64, _ADDRESS, c_uint16, _ADDRESS, c_size_t, _ADDRESS)
_Repair = CFUNCTYPE(c_int64, _ADDRESS, _ADDRESS, c_size_t)
_Transport = CFUNCTYPE(c_int64, _ADDRESS, c_uint16, c_char_p, c_uint32)


class PolicyHooks(ctypes.Structure):
    """The C++ struct of that name (policies.h): null for what is not decided in Python."""

    _fields_ = (
        ("choose_parent", _Choose),
        ("advertise_parent", _AskMe),
        ("choose_client", _Choose),
        ("advertise_client", _AskMe),
        ("migrate", _Migrate),
        ("priority", _AskMe),
        ("drop", _Drop),
        ("retry", _Transport),
        ("on_failure", _Transport),
        ("repair", _Repair),
    )


class Hooks:
    """Ties the policies of one run to the simulator.

    C++ calls `functions` as long as it uses the policies: keep this object until then. They are C functions
    made by ctypes, for which nothing is compiled.
    """

    def __init__(self, fail: Callable[[BaseException], None], name: Callable[[int], str] = str) -> None:
        """`fail` takes what a policy has raised; `name` gives a node's name."""
        self.functions = PolicyHooks()
        #: The policies by what they decide, as C++ takes them: a name and parameters.
        self.specs: dict[str, dict[str, Any]] = {}
        self._fail = fail
        self._name = name
        decisions.forget_shared()

    def add(self, decides: str, policy: Policy) -> None:
        """Takes the policy for one kind of decision: what C++ makes of one that ships, else a copy of it.

        Raises RunError for one that could not be made anew.
        """
        if isinstance(policy, Recorded):
            raise RunError(f"{policy.what} {policy.obstacle}")
        if isinstance(policy, BuiltIn) and is_ours(type(policy)):
            name, parameters = policy.made_of()
            self.specs[decides] = {"name": name, "parameters": dict(parameters)}
            return
        self.specs[decides] = {"name": _PYTHON, "parameters": {}}
        policy = deepcopy(policy)
        if isinstance(policy, Chooser):
            self._hook_chooser(decides, policy)
        elif isinstance(policy, MigrationPolicy):
            self._hook_migration(policy)
        elif isinstance(policy, LeaderPolicy):
            self._hook_leader(policy)
        elif isinstance(policy, QueuePolicy):
            self._hook_queue(policy)
        elif isinstance(policy, RetryPolicy):
            self._hook_retry(policy)
        elif isinstance(policy, FailurePolicy):
            self._hook_failure(policy)
        elif isinstance(policy, RepairPolicy):
            self._hook_repair(policy)

    def _hook_chooser(self, decides: str, policy: Chooser) -> None:
        def choose(me: int, current: int | None, candidates: int, count: int) -> int:
            if not count:
                return NONE + _FIRST

            def decide(node: Me) -> int:
                now = candidate_of(view_of("Candidate", current)) if current else None
                heard = [candidate_of(cpp) for cpp in array_of("Candidate", candidates, count)]
                return _check_choice(policy.choose(node, now, list(heard)), now, heard)

            return self._ask(policy, "choose", me, decide)

        def advertise(me: int) -> int:
            return self._ask(policy, "advertise", me, lambda node: _check_byte(policy.advertise(node)))

        setattr(self.functions, f"choose_{decides}", _Choose(choose))
        if policy.advertises():
            setattr(self.functions, f"advertise_{decides}", _AskMe(advertise))

    def _hook_migration(self, policy: MigrationPolicy) -> None:
        def migrate(me: int, current: int, proposed: int) -> int:
            def decide(node: Me) -> int:
                now, then = (candidate_of(view_of("Candidate", each)) for each in (current, proposed))
                return _check_bool(policy.migrate(node, now, then))

            return self._ask(policy, "migrate", me, decide)

        self.functions.migrate = _Migrate(migrate)

    def _hook_leader(self, policy: LeaderPolicy) -> None:
        def priority(me: int) -> int:
            return self._ask(policy, "priority", me, lambda node: _check_priority(policy.priority(node)))

        self.functions.priority = _AskMe(priority)

    def _hook_queue(self, policy: QueuePolicy) -> None:
        def drop(me: int, subscriber: int, events: int, count: int, dropped: int) -> int:
            def decide(node: Me) -> int:
                held = [queued_event_of(cpp) for cpp in array_of("QueuedEvent", events, count)]
                for index in _check_events(policy.drop(node, subscriber, list(held)), held):
                    ctypes.memset(dropped + index, 1, 1)
                return 1

            return self._ask(policy, "drop", me, decide)

        self.functions.drop = _Drop(drop)

    def _hook_retry(self, policy: RetryPolicy) -> None:
        def retry(me: int, neighbour: int, kind: bytes, attempts: int) -> int:
            def decide(node: Me) -> int:
                return _check_bool(policy.retry(node, neighbour, kind.decode(), attempts))

            return self._ask(policy, "retry", me, decide)

        self.functions.retry = _Transport(retry)

    def _hook_failure(self, policy: FailurePolicy) -> None:
        def on_failure(me: int, neighbour: int, kind: bytes, failures: int) -> int:
            def decide(node: Me) -> int:
                return _check_action(policy.on_failure(node, neighbour, kind.decode(), failures))

            return self._ask(policy, "on_failure", me, decide)

        self.functions.on_failure = _Transport(on_failure)

    def _hook_repair(self, policy: RepairPolicy) -> None:
        def repair(me: int, neighbours: int, count: int) -> int:
            def decide(node: Me) -> int:
                lacking = [
                    lacking_neighbour_of(cpp) for cpp in array_of("LackingNeighbour", neighbours, count)
                ]
                return _check_neighbour(policy.first(node, list(lacking)), lacking)

            return self._ask(policy, "first", me, decide)

        self.functions.repair = _Repair(repair)

    def _ask(self, policy: Policy, method: str, me: int, decide: Callable[[Me], int]) -> int:
        """What `decide` answers; nothing may be raised across the simulator."""
        node = me_of(view_of("NodeView", me))
        where = f"{type(policy).__qualname__}.{method} at node {self._name(node.id)}, {node.time_s:.6f} s"
        try:
            return decide(node) + _FIRST
        except _NonsenseError as error:
            self._fail(RunError(f"{where}: {error}"))
        except Exception as error:
            failure = RunError(f"{where}: {type(error).__name__}: {error}")
            failure.__cause__ = error
            self._fail(failure)
        except BaseException as error:  # the user's interruption
            self._fail(error)
        return _FAILED


@contextmanager
def listening(fail: Callable[[BaseException], None]) -> Iterator[None]:
    """Hands `fail` what the handler of a signal raises as a C function begins, before any `try` of ours.

    Nobody else is told but `sys.unraisablehook`.
    """
    before = sys.unraisablehook

    def listen(raised: Any) -> None:
        if "ctypes callback" in (raised.err_msg or ""):
            fail(raised.exc_value)
        else:
            before(raised)

    sys.unraisablehook = listen
    try:
        yield
    finally:
        sys.unraisablehook = before


class _NonsenseError(Exception):
    """A policy answered with what is no decision."""


def _check_choice(chosen: Any, current: Candidate | None, candidates: list[Candidate]) -> int:
    if chosen is None:
        return NONE
    allowed = [candidate.id for candidate in candidates] + ([current.id] if current else [])
    id = chosen.id if isinstance(chosen, Candidate) else chosen
    if isinstance(id, int) and not isinstance(id, bool) and id in allowed:
        return id
    ids = ", ".join(map(str, dict.fromkeys(allowed)))
    raise _NonsenseError(f"answered {chosen!r}, which is neither one of the brokers {ids} nor None")


def _check_neighbour(chosen: Any, neighbours: list[LackingNeighbour]) -> int:
    ids = [neighbour.id for neighbour in neighbours]
    id = chosen.id if isinstance(chosen, LackingNeighbour) else chosen
    if isinstance(id, int) and not isinstance(id, bool) and id in ids:
        return id
    raise _NonsenseError(f"answered {chosen!r}, which is none of the neighbours {', '.join(map(str, ids))}")


def _check_byte(value: Any) -> int:
    if value is None:
        return NONE
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
    if value in ACTIONS:
        return ACTIONS.index(value)
    raise _NonsenseError(f"answered {value!r}, which is none of {', '.join(ACTIONS)}")


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
