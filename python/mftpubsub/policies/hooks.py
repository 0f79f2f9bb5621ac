"""Ties policies to the simulator: hooks that ask Python, and what becomes of wrong answers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar

from mftpubsub._core import core
from mftpubsub.errors import RunError
from mftpubsub.policies import binding
from mftpubsub.policies.binding import NONE, array_of, candidate_of, me_of, queued_event_of
from mftpubsub.policies.built_in import BuiltIn, Unbounded
from mftpubsub.policies.kinds import (
    ACTIONS,
    Chooser,
    FailurePolicy,
    LeaderPolicy,
    MigrationPolicy,
    Policy,
    QueuePolicy,
    RetryPolicy,
    is_ours,
)
from mftpubsub.policies.views import Candidate, Me, QueuedEvent

if TYPE_CHECKING:
    from mftpubsub.scenario import Scenario

_FAILED = -2

P = TypeVar("P", bound=Policy)


class Hooks:
    """Ties the policies of one run to the simulator."""

    def __init__(self, fail: Callable[[BaseException], None], name: Callable[[int], str] = str) -> None:
        """`fail` takes what a policy has raised; `name` gives a node's name."""
        self._fail = fail
        self._name = name
        self._callables: list[Any] = []  # C++ calls them: they must live as long
        binding.forget_shared()

    def install(self, scenario: Scenario, cpp: Any) -> None:
        """Gives the C++ `Policies` those of `scenario`."""
        cpp.SetParent(self.chooser(scenario.parent_policy))
        cpp.SetClient(self.chooser(scenario.client_policy))
        cpp.SetMigration(self.migration(scenario.migration_policy))
        cpp.SetLeader(self._tie(scenario.leader_policy, self._hook_leader))
        self.set_queue(scenario.queue_policy, cpp)
        retry = deepcopy(scenario.retry_policy)
        object.__setattr__(retry, "_retries", scenario.transport.retries)
        cpp.SetRetry(self._tie(retry, self._hook_retry))
        cpp.SetFailure(self._tie(scenario.failure_policy, self._hook_failure))

    def chooser(self, policy: Chooser) -> Any:
        """The C++ policy of `policy`."""
        return self._tie(policy, self._hook_chooser)

    def migration(self, policy: MigrationPolicy) -> Any:
        """The C++ policy of `policy`."""
        return self._tie(policy, self._hook_migration)

    def set_queue(self, policy: QueuePolicy, cpp: Any) -> None:
        """Gives `cpp`, which has SetQueue, the C++ policy of `policy`."""
        if type(policy) is not Unbounded:  # which is no policy at all
            cpp.SetQueue(self._tie(policy, self._hook_queue))

    def _tie(self, policy: P, hook: Callable[[P], Any]) -> Any:
        """What C++ makes of a policy that ships, alone; else `hook` of a copy of it."""
        if isinstance(policy, BuiltIn) and is_ours(type(policy)):
            return binding.make(policy.cpp, *policy.made_of())
        return hook(deepcopy(policy))

    def _hook_chooser(self, policy: Chooser) -> Any:
        def choose(me: Any, current: Any, address: int, count: int) -> int:
            if not count:
                return NONE

            def decide(node: Me) -> int:
                now = candidate_of(current) if current else None
                heard = [candidate_of(cpp) for cpp in array_of("Candidate", address, count)]
                return _check_choice(policy.choose(node, now, list(heard)), now, heard)

            return self._ask(policy, "choose", me, decide)

        def advertise(me: Any) -> int:
            return self._ask(policy, "advertise", me, lambda node: _check_byte(policy.advertise(node)))

        told = self._keep(advertise) if policy.advertises() else core().AdvertiseHook()
        return core().HookParentPolicy(self._keep(choose), told)

    def _hook_migration(self, policy: MigrationPolicy) -> Any:
        def migrate(me: Any, current: Any, proposed: Any) -> int:
            def decide(node: Me) -> int:
                return _check_bool(policy.migrate(node, candidate_of(current), candidate_of(proposed)))

            return self._ask(policy, "migrate", me, decide)

        return core().HookMigrationPolicy(self._keep(migrate))

    def _hook_leader(self, policy: LeaderPolicy) -> Any:
        def priority(me: Any) -> int:
            return self._ask(policy, "priority", me, lambda node: _check_priority(policy.priority(node)))

        return core().HookLeaderPolicy(self._keep(priority))

    def _hook_queue(self, policy: QueuePolicy) -> Any:
        def drop(me: Any, subscriber: int, address: int, count: int, dropped: int) -> int:
            def decide(node: Me) -> int:
                held = [queued_event_of(cpp) for cpp in array_of("QueuedEvent", address, count)]
                for index in _check_events(policy.drop(node, subscriber, list(held)), held):
                    ctypes.memset(dropped + index, 1, 1)
                return 1

            return self._ask(policy, "drop", me, decide)

        return core().HookQueuePolicy(self._keep(drop))

    def _hook_retry(self, policy: RetryPolicy) -> Any:
        def retry(me: Any, neighbour: int, kind: Any, attempts: int) -> int:
            def decide(node: Me) -> int:
                return _check_bool(policy.retry(node, neighbour, str(kind), attempts))

            return self._ask(policy, "retry", me, decide)

        return core().HookRetryPolicy(self._keep(retry))

    def _hook_failure(self, policy: FailurePolicy) -> Any:
        def on_failure(me: Any, neighbour: int, kind: Any, failures: int) -> int:
            def decide(node: Me) -> int:
                return _check_action(policy.on_failure(node, neighbour, str(kind), failures))

            return self._ask(policy, "on_failure", me, decide)

        return core().HookFailurePolicy(self._keep(on_failure))

    def _keep(self, hook: Any) -> Any:
        self._callables.append(hook)
        return hook

    def _ask(self, policy: Policy, method: str, me: Any, decide: Callable[[Me], int]) -> int:
        """What `decide` answers; nothing may be raised across the simulator."""
        node = me_of(me)
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
