"""What a kind of policies is: its descriptor, from which hooks, checks and conversions follow.

    kind = Kind(
        name="repair",
        method="first",
        arguments=(ME, ListOf(LackingNeighbour)),
        answer=OneOfArguments(LackingNeighbour, "neighbours"),
    )

In C++ it is the member of that name of `Policies` (policies.h).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import CFUNCTYPE, c_int64, c_size_t, c_uint16, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any

from mftpubsub.simulator import decisions
from mftpubsub.simulator.decisions import NONE, Parameters
from mftpubsub.simulator.shown import Me

Question = Sequence[Any]
"""What a method of a policy is asked, in the order of its parameters."""


class NonsenseError(Exception):
    """A policy answered with what is no decision."""


# What methods are asked.


class Argument:
    """A part of a question; here a number."""

    def __init__(self, *types: Any) -> None:
        """`types` are those of the C arguments that a hook takes for it."""
        self.types = types

    def from_hook(self, *raw: Any) -> Any:
        return raw[0]

    def to_cpp(self, value: Any) -> Any:
        return value


class Text(Argument):
    def __init__(self) -> None:
        super().__init__(c_void_p, c_size_t)

    def from_hook(self, *raw: Any) -> str:
        return ctypes.string_at(*raw).decode()


class View(Argument):
    """A view of a struct, or None."""

    def __init__(self, view: type) -> None:
        super().__init__(c_void_p)
        self._view = view

    def from_hook(self, *raw: Any) -> Any:
        return decisions.view_at(self._view, raw[0]) if raw[0] else None

    def to_cpp(self, value: Any) -> Any:
        return decisions.nothing() if value is None else decisions.to_cpp(value)


class ListOf(Argument):
    """Views of structs."""

    def __init__(self, view: type) -> None:
        super().__init__(c_void_p, c_size_t)
        self._view = view

    def from_hook(self, *raw: Any) -> list[Any]:
        return decisions.views_at(self._view, *raw)

    def to_cpp(self, value: Any) -> Any:
        return decisions.to_vector(self._view, value)


ME = View(Me)
NODE = Argument(c_uint16)
COUNT = Argument(c_uint32)
TEXT = Text()


# What they answer.


class Answer:
    """Which decisions there are."""

    #: Of C arguments that a hook takes after its question.
    types: tuple[Any, ...] = ()

    def is_moot(self, question: Question) -> bool:
        """Whether there is nothing to decide: then the answer is none, and nobody is asked."""
        return False

    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        """The number that a hook answers, `NONE` for none. Raises NonsenseError if `value` is no decision."""
        raise NotImplementedError

    def from_cpp(self, value: Any, question: Question) -> Any:
        """What a policy that ships has answered."""
        return value


class TrueOrFalse(Answer):
    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        if isinstance(value, bool):
            return int(value)
        raise NonsenseError(f"answered {value!r}, which is neither True nor False")


class Whole(Answer):
    def __init__(self, largest: int) -> None:
        self._largest = largest

    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        if _is_whole(value) and 0 <= value <= self._largest:
            return int(value)
        raise NonsenseError(f"answered {value!r}, which is no whole number from 0 to {self._largest}")


class ByteOrNone(Whole):
    def __init__(self) -> None:
        super().__init__(255)

    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        try:
            return NONE if value is None else super().to_hook(value, question)
        except NonsenseError as error:
            raise NonsenseError(f"{error} or None") from None

    def from_cpp(self, value: Any, question: Question) -> int | None:
        return ord(value.value()) if value.has_value() else None  # to cppyy uint8_t is a character


class OneOf(Answer):
    """One of some texts; in C++ an enumeration, in this order."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        if value in self._texts:
            return self._texts.index(value)
        raise NonsenseError(f"answered {value!r}, which is none of {', '.join(self._texts)}")

    def from_cpp(self, value: Any, question: Question) -> str:
        return self._texts[int(value)]


class OneOfArguments(Answer):
    """One of the views that were asked about, or its id."""

    def __init__(self, view: type, noun: str) -> None:
        """`noun` says what they are, in errors."""
        self._view = view
        self._noun = noun

    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        ids = [view.id for view in _choices(question)]
        chosen = value.id if isinstance(value, self._view) else value  # type: ignore[attr-defined]
        if _is_whole(chosen) and chosen in ids:
            return int(chosen)
        raise NonsenseError(f"answered {value!r}, which is {self._refusal(ids)}")

    def _refusal(self, ids: list[int]) -> str:
        return f"none of the {self._noun} {_listed(ids)}"

    def from_cpp(self, value: Any, question: Question) -> Any:
        return next((view for view in _choices(question) if view.id == value), None)


class OneOfArgumentsOrNone(OneOfArguments):
    """The same, or None: then that which is not in the list stays, if there is one."""

    def is_moot(self, question: Question) -> bool:
        return not any(part for part in question if isinstance(part, list))

    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        return NONE if value is None else super().to_hook(value, question)

    def _refusal(self, ids: list[int]) -> str:
        return f"neither one of the {self._noun} {_listed(ids)} nor None"

    def from_cpp(self, value: Any, question: Question) -> Any:
        chosen = super().from_cpp(value, question)
        return next(_single(question), None) if chosen is None else chosen


class SomeOfArguments(Answer):
    """A collection of those that were asked about; a hook sets the bytes of their positions."""

    types = (c_void_p,)

    def __init__(self, noun: str) -> None:
        self._noun = noun

    def to_hook(self, value: Any, question: Question, *raw: Any) -> int:
        for position in self._positions(value, list(_choices(question))):
            ctypes.memset(raw[-1] + position, 1, 1)
        return 1

    def _positions(self, value: Any, views: list[Any]) -> Iterator[int]:
        try:
            given = list(value)
        except TypeError:
            raise NonsenseError(
                f"answered {value!r}, which is no collection of the {self._noun} asked about"
            ) from None
        for one in given:
            position = next((i for i, view in enumerate(views) if view is one), None)
            if position is None:
                raise NonsenseError(
                    f"answered {one!r} among others, which is none of the {self._noun} asked about"
                )
            yield position

    def from_cpp(self, value: Any, question: Question) -> list[Any]:
        views = list(_choices(question))
        return [views[position] for position in value]


TRUE_OR_FALSE = TrueOrFalse()
BYTE_OR_NONE = ByteOrNone()


def _choices(question: Question) -> Iterator[Any]:
    """The views of its lists, and then what else is asked about."""
    for part in question:
        if isinstance(part, Sequence) and not isinstance(part, str):
            yield from part
    yield from _single(question)


def _single(question: Question) -> Iterator[Any]:
    return (part for part in question[1:] if hasattr(part, "id"))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _listed(ids: list[int]) -> str:
    return ", ".join(map(str, dict.fromkeys(ids)))


@dataclass(frozen=True)
class Decision:
    """A question that a method of a policy answers."""

    method: str
    arguments: tuple[Argument, ...]
    answer: Answer

    def make_hook(self, decide: Any) -> Any:
        """A C function that answers what `decide` does of its raw arguments."""
        types = [each for argument in self.arguments for each in argument.types]
        return CFUNCTYPE(c_int64, *types, *self.answer.types)(decide)

    def question(self, *raw: Any) -> list[Any]:
        """What a hook is asked, of its raw arguments."""
        question, at = [], 0
        for argument in self.arguments:
            end = at + len(argument.types)
            question.append(argument.from_hook(*raw[at:end]))
            at = end
        return question

    def ask_cpp(self, method: Any, question: Question) -> Any:
        """What a method of a policy of C++ answers."""
        cpp = [argument.to_cpp(part) for argument, part in zip(self.arguments, question, strict=True)]
        return self.answer.from_cpp(method(*cpp), question)


@dataclass(frozen=True)
class Kind(Decision):
    """A kind of policies, by the decision that they take."""

    name: str
    #: Decisions of those policies that have such a method of their own.
    also: tuple[Decision, ...] = ()

    @property
    def what(self) -> str:
        """What its policies are called."""
        return f"{self.name} policy"

    @property
    def methods(self) -> list[str]:
        """The decisions that a policy may take."""
        return [self.method, *(decision.method for decision in self.also)]

    def ask_shipped(self, name: str, parameters: Parameters, *question: Any) -> Any:
        """What the policy that C++ makes by `name` and `parameters` decides."""
        return self.ask_cpp(decisions.shared(self.name, name, parameters).Decide, question)
