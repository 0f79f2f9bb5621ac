"""Ties policies to the simulator: hooks that ask Python, and what becomes of wrong answers."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from mftpubsub.errors import RunError
from mftpubsub.own.objects import Recorded, is_ours
from mftpubsub.policies.built_in import BuiltIn
from mftpubsub.policies.kind import ME, Decision, NonsenseError
from mftpubsub.policies.kinds import Policy
from mftpubsub.simulator import decisions
from mftpubsub.simulator.decisions import NONE

#: What the simulator calls a policy that asks a hook.
_PYTHON = "python"
#: What a hook answers that has failed, and what one that decides 0, as hooked.h has it. `NONE` is one less.
_FAILED, _FIRST = 0, 2


class PolicyHook(ctypes.Structure):
    """The C++ struct of that name (hooked.h)."""

    _fields_ = (("decides", ctypes.c_char_p), ("function", ctypes.c_void_p))


class PolicyHooks(ctypes.Structure):
    """The C++ struct of that name (hooked.h)."""

    _fields_ = (("hooks", ctypes.POINTER(PolicyHook)), ("count", ctypes.c_size_t))


class Hooks:
    """Ties the policies of one run to the simulator.

    C++ calls `functions` as long as it uses the policies: keep them until then.
    """

    def __init__(self, fail: Callable[[BaseException], None], name: Callable[[int], str] = str) -> None:
        """`fail` takes what a policy has raised; `name` gives a node's name."""
        #: C functions by what they decide, made by ctypes: nothing is compiled for them.
        self.functions: dict[str, Any] = {}
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
        self.functions[decides] = self._hook(policy, policy.kind)
        for decision in policy.kind.also:
            if policy.has_own(decision.method):
                self.functions[f"{decides}.{decision.method}"] = self._hook(policy, decision)

    def to_cpp(self) -> PolicyHooks:
        """The hooks, as C++ takes them."""
        hooks = [
            PolicyHook(decides.encode(), ctypes.cast(function, ctypes.c_void_p))
            for decides, function in self.functions.items()
        ]
        return PolicyHooks((PolicyHook * len(hooks))(*hooks), len(hooks))

    def _hook(self, policy: Policy, decision: Decision) -> Any:
        return decision.make_hook(lambda *raw: self._ask(policy, decision, raw))

    def _ask(self, policy: Policy, decision: Decision, raw: Sequence[Any]) -> int:
        """What `policy` answers to a hook; nothing may be raised across the simulator."""
        try:
            question = decision.question(*raw)
            if decision.answer.is_moot(question):
                return NONE + _FIRST
            shown = [list(part) if isinstance(part, list) else part for part in question]
            answer = getattr(policy, decision.method)(*shown)
            return decision.answer.to_hook(answer, question, *raw) + _FIRST
        except NonsenseError as error:
            self._fail(RunError(f"{self._where(policy, decision, raw)}: {error}"))
        except Exception as error:
            failure = RunError(f"{self._where(policy, decision, raw)}: {type(error).__name__}: {error}")
            failure.__cause__ = error
            self._fail(failure)
        except BaseException as error:  # the user's interruption
            self._fail(error)
        return _FAILED

    def _where(self, policy: Policy, decision: Decision, raw: Sequence[Any]) -> str:
        node = ME.from_hook(raw[0])
        method = f"{type(policy).__qualname__}.{decision.method}"
        return f"{method} at node {self._name(node.id)}, {node.time_s:.6f} s"


def raising(failures: list[BaseException], function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of C++ gives that calls hooks, which put into `failures` what is raised then."""
    try:
        with listening(failures.append):
            result = function(*arguments)
    except Exception:  # C++ complains of what a hook that failed has answered
        if not failures:
            raise
    if not failures:
        return result
    failure = failures[0]
    failures.clear()
    raise failure


@contextmanager
def listening(fail: Callable[[BaseException], None]) -> Iterator[None]:
    """Catches exceptions of signal handlers that run on entry to a hook, and passes them to `fail`.

    There no `try` of ours is active, and only `sys.unraisablehook` is told.
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
