"""Objects of users' classes: what tells them apart in runs, and what files say for them."""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache, cached_property, partial
from random import Random, SystemRandom
from types import CodeType, FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from mftpubsub.errors import ConfigurationError
from mftpubsub.own.loading import load
from mftpubsub.own.named import FUNCTIONS, closed_over, named

W = TypeVar("W", bound="Own")

PACKAGE = __name__.partition(".")[0]


class Own:
    """Base of what users write classes of: policies, protocols. A scenario keeps an object."""

    what: ClassVar[str] = "object"
    """What it is called in errors."""
    name: Any = None
    """In scenario files, of one that ships; of a protocol in folders and tables."""

    if (
        not TYPE_CHECKING
    ):  # to type checkers, and to `inspect.signature`, a class takes what its __init__ takes

        def __new__(cls, *args: Any, **kwargs: Any) -> Self:
            """Keeps what `__init__` is given: by it the object of a finished run is made anew."""
            if (args or kwargs) and cls.__init__ is object.__init__:
                raise TypeError(f"{cls.__name__}() takes no arguments")
            made = super().__new__(cls)
            vars(made)[_GIVEN] = (args, kwargs)
            return made

        __new__.__signature__ = inspect.Signature(
            [inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)]
        )

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        try:
            is_same = without_texts = attributes(self) == attributes(other)
        except ValueError:  # arrays compare element by element
            is_same, without_texts = True, False
        if is_same:  # by texts 1, 1.0 and True are three
            with suppress(ValueError):
                return parameters(self) == parameters(other)
        return without_texts

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def check_class(cls) -> None:
        """Raises ValueError if the class of a user cannot be meant as it stands."""

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
        """What determines what it does, for the fingerprint: of a class of yours, its source too."""
        identity = {"class": path_of(type(self)), "parameters": parameters(self)}
        if not is_ours(type(self)):
            identity["source"] = self.source_hash()
        return identity

    def source_hash(self) -> str:
        """Hash of the source of its class and of the bases of that in user code."""
        texts = []
        for base in type(self).__mro__:
            if not is_ours(base) and base.__module__ != "builtins":
                texts.append(source_of(base))
        return hashlib.sha256("\n".join(texts).encode()).hexdigest()

    def record(self) -> Any:
        """What run.json says for it: its identity and, of a class of yours, what its `__init__` was given."""
        told = self.identity()
        if not is_ours(type(self)):
            told["arguments"] = {name: _text(value) for name, value in _given(self).arguments.items()}
        return told


class Recorded(Own):
    """Stands for an object of a finished run that was not made anew: it can be told, not asked."""

    def __init__(self, record: Mapping[str, Any], obstacle: str) -> None:
        """`obstacle` says why it was not made, and what would be right."""
        self._record = dict(record)
        self.name = record.get("name")
        self.obstacle = f"{record['class']} {obstacle}"

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


def attributes(own: Own) -> dict[str, Any]:
    """What `own` holds, by name."""
    kind: Any = type(own)
    held = {name: value for name, value in vars(own).items() if name != _GIVEN}
    return held | {name: getattr(own, name) for name in _slots(kind) if hasattr(own, name)}


@cache
def _slots(kind: type) -> tuple[str, ...]:
    """The attributes that objects of the class hold by `__slots__`: `vars` of an object has not these."""
    slots = [vars(base).items() for base in kind.__mro__]
    return tuple(name for base in slots for name, value in base if isinstance(value, MemberDescriptorType))


def _given(own: Own) -> inspect.BoundArguments:
    args, kwargs = vars(own)[_GIVEN]
    return inspect.signature(type(own)).bind(*args, **kwargs)


def takes(own: Own) -> list[str]:
    """The parameters of its class."""
    return list(inspect.signature(type(own)).parameters)


def remade(own: W, changes: Mapping[str, Any]) -> W:
    """What its class makes of what it was given, with other parameters. Attributes that were set stay.

    Raises ValueError for one of these that such a parameter decides too.
    """
    given = _given(own)
    first = parameters(type(own)(*given.args, **given.kwargs))
    given.arguments.update(changes)
    made = type(own)(*given.args, **given.kwargs)
    held, now = parameters(own), parameters(made)
    for name in sorted({*held, *first} - {*changes}):
        if held.get(name) == first.get(name) or _is_cached(own, name):
            continue
        if first.get(name) != now.get(name):
            raise ValueError(
                f"{name} is {held.get(name, 'not there')}, which its __init__ has not made, and goes by "
                f"{' and '.join(changes)} too: let __init__ take {name} as a parameter"
            )
        if name in held:
            object.__setattr__(made, name, getattr(own, name))
        else:
            object.__delattr__(made, name)
    return made


def _is_cached(own: Own, name: str) -> bool:
    """Whether an attribute is made when it is asked for."""
    return isinstance(inspect.getattr_static(type(own), name, None), cached_property)


#: As in `<Table object at 0x7f0a>`, `<function f at 0x7f0a>` and numpy's `RandomState(MT19937) at 0x7F0A`.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def parameters(own: Own) -> dict[str, str]:
    """Each attribute of `own` as a text that is the same in every process.

    Raises ValueError if one tells only where it lies in memory.
    """
    texts = {name: _text(value) for name, value in attributes(own).items()}
    for name, text in texts.items():
        if _ADDRESS.search(text):
            raise ValueError(
                f"{type(own).__name__}.{name} is {text}, which says where it lies, not what it is: "
                "runs that differ in it could not be told apart; give its class a __repr__ of its values"
            )
    return texts


def _text(value: Any) -> str:
    """What an attribute is: its repr, but of random generators their state, and of arrays all elements."""
    if value is None or isinstance(value, type | int | float | str | bytes):
        return repr(value)
    if isinstance(value, Own):
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
    kind = type(value)  # an alias such as NDArray[float64] has the attributes of its class
    if hasattr(kind, "dtype") and hasattr(kind, "tobytes") and hasattr(kind, "__setitem__"):  # an array
        return _array_text(value)
    if hasattr(kind, "to_numpy") and "pandas" in {base.__module__.partition(".")[0] for base in kind.__mro__}:
        return _pandas_text(value)
    state: Any = None
    if isinstance(value, Random) and not isinstance(value, SystemRandom):
        state = value.getstate()
    elif hasattr(kind, "bit_generator"):  # numpy's
        state = value.bit_generator.state
    if state is None:
        return _full_repr(value)
    return f"<{kind.__name__} in state {_digest(repr(state).encode())}>"


def _pandas_text(value: Any) -> str:
    """What a table, a column, an index or an array of pandas is: its repr leaves elements out."""
    kind = type(value)
    if value.ndim == 2:
        columns = [value.iloc[:, place] for place in range(value.shape[1])]
        parts = [_text(part) for part in (value.index, value.columns, *columns)]
    else:
        names = [repr(getattr(value, name)) for name in ("names", "name") if hasattr(kind, name)]
        categories = getattr(value.dtype, "categories", None)
        index = value.index if hasattr(kind, "index") else None
        parts = [*names, str(value.dtype), *map(_text, (categories, index, value.to_numpy()))]
    return f"<{kind.__name__} {parts}>"


def _full_repr(value: Any) -> str:
    """Its repr; arrays that it shows have all of their elements and digits there."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return repr(value)
    with numpy.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(value)


def _array_text(array: Any) -> str:
    """What an array of numpy is: its repr leaves elements out, and digits of those that it shows."""
    if array.dtype.hasobject:
        return _text(array.tolist())
    return f"<{type(array).__name__} {array.dtype} {array.shape} of {_digest(array.tobytes())}>"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def shared(own: object) -> dict[str, str]:
    """What users' classes of an object hold beside methods, and what these name in their module, as texts.

    All devices and runs share it. What has not changed gives the same text. Python's own names are left out:
    it keeps `__slotnames__` in a class whose object is copied.
    """
    held: dict[str, Any] = {}
    for one in type(own).__mro__:
        if not is_ours(one) and one.__module__ != "builtins":
            held |= {f"{one.__qualname__}.{name}": value for name, value in vars(one).items()}
            held |= {f"{one.__module__}.{name}": value for name, value in named(one).items()}
    return {
        name: _glance(value)
        for name, value in held.items()
        if not (name.rpartition(".")[2].startswith("__") or callable(value) or hasattr(value, "__get__"))
    }


#: Items of a container that are looked at for changes; of longer ones only how many there are.
_MOST_ITEMS = 100_000


def _glance(value: Any) -> str:
    """What tells a change of a value in a run, at little cost: empty where nothing does."""
    if isinstance(value, Mapping | list | tuple | set | frozenset) and len(value) > _MOST_ITEMS:
        return f"{len(value)} items"
    try:
        return (
            repr(value) if isinstance(value, Own | Mapping | list | tuple | set | frozenset) else _text(value)
        )
    except Exception:  # of a user's __repr__
        return ""


def is_ours(kind: type) -> bool:
    """Whether the class is part of this package."""
    return kind.__module__.startswith(f"{PACKAGE}.")


def refuse_misspelt(kind: type, base: type, methods: Iterable[str]) -> None:
    """Raises ValueError if a method of a user's class is almost called as one that `base` asks for."""
    left = [name for name in methods if getattr(kind, name) is getattr(base, name)]
    for name in dir(kind):
        if not hasattr(base, name) and (meant := get_close_matches(name, left, 1, 0.75)):
            raise ValueError(f"{kind.__name__} has no method {meant[0]} but {name}; did you mean {meant[0]}?")


def path_of(kind: type) -> str:
    """What files and fingerprints call the class: in which module of this package it is does not matter.

    Nor does it matter that the user's script is called __mp_main__ in the processes of a sweep.
    """
    module = "__main__" if kind.__module__ == "__mp_main__" else kind.__module__
    return f"{'.'.join(module.split('.')[:2]) if is_ours(kind) else module}:{kind.__qualname__}"


def _makes(own: Own) -> dict[str, Any]:
    """By which named arguments its class makes an equal object: its attributes, or what it was given.

    Raises ConfigurationError if neither does.
    """
    path = path_of(type(own))
    given = _given(own)
    for arguments in (attributes(own), given.arguments | given.kwargs):
        try:
            if load(path)(**arguments) == own and type(own).__module__ != "__main__":
                return arguments
        except Exception:  # whatever the user's code raises
            continue
    raise ConfigurationError(
        f"{own.what} {path}: a file cannot name it; define the class at the top of an importable "
        "module, with a constructor whose parameters make an equal object"
    )


def source_of(kind: type) -> str:
    """The source of a class and of what its methods name beside it; of one that was typed in at a prompt,
    what it holds."""
    outside = {name: value for name, value in named(kind).items() if _is_part(kind, value)}
    try:
        source, tell = inspect.getsource(kind), _source_or_held
    except (OSError, TypeError):
        held = {name: value for name, value in vars(kind).items() if _counts(name, value)}
        source, tell = _lines(held, partial(_inner_or_held, kind)), _held
    return "\n".join([source, _lines(outside, tell)]) if outside else source


def _inner_or_held(kind: type, value: Any) -> str:
    """What a class holds; of a class within it, what that one says."""
    is_inner = isinstance(value, type) and value.__qualname__.startswith(f"{kind.__qualname__}.")
    return source_of(value) if is_inner else _held(value)


def _lines(values: Mapping[str, Any], tell: Callable[[Any], str]) -> str:
    return "\n".join(f"{name}: {tell(values[name])}" for name in sorted(values))


def _source_or_held(value: Any) -> str:
    """The source of a function in a file, which every version of Python reads alike; else what it holds."""
    try:
        return inspect.getsource(value)
    except (OSError, TypeError):
        return _held(value)


def _is_part(kind: type, value: Any) -> bool:
    """Whether a global that a class names tells it apart: it is a function of its module, or plain."""
    if isinstance(value, tuple | frozenset):
        return all(_is_part(kind, item) for item in value)
    if value is None or isinstance(value, int | float | complex | str | bytes):
        return True
    return (
        callable(value)
        and not isinstance(value, type)
        and getattr(value, "__module__", None) == kind.__module__
    )


def _counts(name: str, value: Any) -> bool:
    """Whether what a class holds tells it apart: Python adds other names, and slots are lost by pickling."""
    is_own = name == "__annotations__" or not name.startswith("__") or callable(value)
    return is_own and not isinstance(value, MemberDescriptorType)


def _held(value: Any, within: tuple[Any, ...] = ()) -> str:
    """What a class or a function holds, as a text that is the same in every process."""
    if isinstance(value, FunctionType):
        return _function_text(value, within)
    if isinstance(value, Mapping):
        return f"{{{[(_held(key, within), _held(item, within)) for key, item in value.items()]}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}{[_held(item, within) for item in value]}"
    parts = [getattr(value, name) for name in FUNCTIONS if callable(getattr(value, name, None))]
    if parts and not isinstance(value, type):
        given = [
            getattr(value, name) for name in ("args", "keywords") if hasattr(value, name)
        ]  # of a partial
        is_met = any(value is one for one in within)
        held = [] if is_met else [_held(part, (*within, value)) for part in (*parts, *given)]
        return f"<{type(value).__name__} {held}>"
    return _ADDRESS.sub("", _text(value))


def _function_text(function: FunctionType, within: tuple[Any, ...]) -> str:
    """What a function does, with its defaults, and with the functions that a decorator has wrapped."""
    code = function.__code__
    if any(code is one for one in within):
        return code.co_qualname
    values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()]
    values += closed_over(function)
    return repr((_code_text(code), [_held(value, (*within, code)) for value in values]))


def _code_text(code: CodeType) -> str:
    takes = (code.co_varnames, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    consts = [_code_text(one) if isinstance(one, CodeType) else _text(one) for one in code.co_consts]
    return repr((code.co_code, code.co_exceptiontable, code.co_names, code.co_flags, takes, consts))
