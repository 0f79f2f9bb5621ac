"""What stations and brokers of one's own have in common."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Hashable, Mapping, Set
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from mftpubsub.own.objects import attributes, is_ours, refuse_misspelt, source_of
from mftpubsub.protocols import given
from mftpubsub.protocols.content import Event, EventId
from mftpubsub.protocols.own_protocol import OwnProtocol


class Device(OwnProtocol):
    """A device's part in a protocol of one's own."""

    messages: ClassVar[tuple[type, ...]] = ()
    """The classes of its messages: the place of each is the kind of its frames."""
    inputs: ClassVar[tuple[str, ...]] = ()
    """The methods by which it is told what happens."""
    _seat: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__).lower()

    # What is given

    @property
    def id(self) -> int:
        """Of this device."""
        return self._at.id  # type: ignore[no-any-return]

    @property
    def now(self) -> float:
        """s since the run began."""
        return self._at.now  # type: ignore[no-any-return]

    @property
    def random(self) -> Random:
        """This device's own, seeded by the run's seed; another one after each restart."""
        return self._at.random  # type: ignore[no-any-return]

    @property
    def max_bytes(self) -> int:
        """That a message may have."""
        return self._at.max_bytes  # type: ignore[no-any-return]

    @property
    def stable(self) -> dict[str, Any]:
        """What outlives a crash: values that JSON has."""
        return self._at.stable  # type: ignore[no-any-return]

    @property
    def _at(self) -> Any:
        if self._seat is None:
            raise RuntimeError(
                f"{type(self).__name__} is on no device: only `start` and what follows may ask"
            )
        return self._seat

    # What it does

    def matched(self, event: Event | EventId, subscriber: int) -> None:
        """This node knows that `subscriber` wants the event: for the metric delivery_rate."""
        self._at.matched(given.event_id(event, "matched"), given.node(subscriber, "matched"))

    def held(self, event: Event | EventId, subscriber: int) -> None:
        """This node keeps the event for `subscriber`: for the causes of losses."""
        self._at.held(given.event_id(event, "held"), given.node(subscriber, "held"))

    def gave_up(self, event: Event | EventId, subscriber: int) -> None:
        """This node does not keep the event for `subscriber` any more."""
        self._at.gave_up(given.event_id(event, "gave_up"), given.node(subscriber, "gave_up"))

    def set_timer(self, timer: Hashable, after: float) -> None:
        """`expire(timer)` follows after so many s. An equal timer that was set before moves."""
        self._at.set_timer(timer, given.after(timer, after))

    def cancel_timer(self, timer: Hashable) -> None:
        """`timer` is not due any more, if it was."""
        self._at.cancel_timer(timer)

    def note(self, text: str) -> None:
        """A line in the laboratory's transcript."""
        self._at.note(str(text))

    # For those who host it

    @classmethod
    def _base(cls) -> type[Device]:
        """The class of this package that it is derived from."""
        return next(kind for kind in cls.__mro__[1:] if is_ours(kind) and issubclass(kind, Device))

    @classmethod
    def has_own(cls, method: str) -> bool:
        """Whether its class overrides an input."""
        return getattr(cls, method) is not getattr(cls._base(), method)

    @classmethod
    def check_class(cls) -> None:
        """Raises ValueError if the class cannot be meant as it stands."""
        if is_ours(cls):
            return
        _check_members(cls)
        refuse_misspelt(cls, cls._base(), cls.inputs)
        for method in cls.inputs:
            if cls.has_own(method):
                _check_method(cls, method, getattr(cls._base(), method))
        if "__dataclass_params__" in vars(cls) and vars(cls)["__dataclass_params__"].frozen:
            raise ValueError(
                f"{cls.__name__} is a frozen dataclass: a device keeps what it has in mind as attributes, so "
                "take frozen=True away"
            )
        if not isinstance(cls.messages, tuple | list):
            raise ValueError(
                f"{cls.__name__}.messages is {cls.messages!r}: name the classes of its messages, as in "
                "(Data,)"
            )
        if not cls.messages:
            raise ValueError(
                f"{cls.__name__}.messages is empty: name the classes of its messages, as in (Data,)"
            )
        for kind in cls.messages:
            if not isinstance(kind, type) or not hasattr(kind, "_write_part"):
                raise ValueError(
                    f"{cls.__name__}.messages: {kind!r} is no message: decorate its class with @message"
                )
        names = [kind.kind_name for kind in cls.messages]  # type: ignore[attr-defined]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(
                f"{cls.__name__}.messages: two are called {twice[0]}: traces could not tell them apart. "
                "PUB and DATA both count as events, REP as replays"
            )

    def source_hash(self) -> str:
        """Hash of the modules of its class and its messages: helpers stand beside them."""
        kinds = [
            kind for kind in [*type(self).__mro__, *self.messages] if not is_ours(kind) and kind is not object
        ]
        texts = dict.fromkeys(_module_source(kind) or source_of(kind) for kind in kinds)
        return sha256("\n".join(texts).encode()).hexdigest()


def _check_method(cls: type, name: str, of_base: Callable[..., Any]) -> None:
    """Raises ValueError for a method that cannot be called as it will be, or that would not run then."""
    method = getattr(cls, name)
    where = f"{cls.__name__}.{name}"
    if inspect.iscoroutinefunction(method) or inspect.isgeneratorfunction(method):
        kind = "a coroutine" if inspect.iscoroutinefunction(method) else "a generator"
        raise ValueError(f"{where} is {kind}, so calling it would not run it: nothing waits in a protocol")
    takes = list(inspect.signature(of_base).parameters)
    try:
        inspect.signature(method).bind(*takes)
    except TypeError as error:
        raise ValueError(f"{where} is called with ({', '.join(takes[1:])}): {error}") from None
    except ValueError:  # it is no function that tells what it takes
        return


#: What a protocol is asked before and after its run; what it does itself is for its own code to call.
ASKED = frozenset(
    {name for name in dir(OwnProtocol) if not name.startswith("_")} | {"inputs", "messages", "has_own"}
) - {"name"}


def check_attributes(device: Device, asked: Set[str] = frozenset({"messages"})) -> None:
    """Raises ValueError for an attribute that hides an input or what is `asked`, as `self.messages = []`."""
    kind = type(device)
    for name in sorted({*kind.inputs, *asked} & attributes(device).keys()):
        if (value := getattr(device, name)) is not getattr(kind, name):
            raise ValueError(_hiding(f"{kind.__name__}: self.{name}", value, name))


def _check_members(kind: type[Device]) -> None:
    """The same of what a class has in place of something else."""
    base = kind._base()
    for name in sorted({*base.inputs, *ASKED} - {"messages"}):
        value, of_base = (inspect.getattr_static(each, name) for each in (kind, base))
        if not (_is_method(value) if _is_method(of_base) else isinstance(value, type(of_base))):
            raise ValueError(_hiding(f"{kind.__name__}.{name}", value, name))


def _is_method(member: Any) -> bool:
    return callable(member) or hasattr(member, "__get__")


def _hiding(where: str, value: Any, name: str) -> str:
    return f"{where} is {value!r}, but {name} is what every protocol has: give the attribute another name"


@cache
def kinds_of(protocol: type) -> Mapping[type, int]:
    """The messages of a class of protocols, each with the kind of its frames."""
    return {kind: place for place, kind in enumerate(protocol.messages)}  # type: ignore[attr-defined]


def frame_of(
    message: Any, protocol: type, max_bytes: int, why: str = "broadcasts are not split"
) -> tuple[int, bytes]:
    """Kind and bytes of a message that a protocol sends. Raises ValueError for one that it may not."""
    kind, name = kinds_of(protocol).get(type(message)), type(message).__name__
    if kind is None:
        raise ValueError(_no_message(message, protocol))
    body: bytes = message.encode()
    if len(body) > max_bytes:
        raise ValueError(f"a {name} of {len(body)} B does not fit in a frame, {max_bytes} B do: {why}")
    return kind, body


def _no_message(given: Any, protocol: type) -> str:
    if isinstance(given, type):
        return f"{given.__name__} is a class: send an object of it, as in {given.__name__}(...)"
    kind = type(given).__name__
    if not hasattr(given, "_write_part"):
        return f"{given!r} is no message: decorate a class with @message, and send an object of it"
    return f"{given!r} is none of its messages: add {kind} to {protocol.__qualname__}.messages"


def id_of(event: Event | EventId) -> EventId:
    return event.id if isinstance(event, Event) else event


def _module_source(kind: type) -> str:
    """The text of the file of a class's module; empty if it is none, as at a prompt."""
    try:
        file = inspect.getsourcefile(sys.modules[kind.__module__])
        return Path(file).read_text(encoding="utf-8") if file else ""
    except (OSError, TypeError, KeyError):
        return ""
