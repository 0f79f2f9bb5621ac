"""Ties brokers that are written in Python to the simulator (cpp/protocols/own/hook-broker.h)."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_int64, c_uint8, c_uint32, c_uint64
from random import Random, SystemRandom
from typing import Any

from mftpubsub import notes
from mftpubsub.errors import MftPubsubError, RunError
from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.broker_inputs import METHODS, START, TABLE
from mftpubsub.protocols.broker_seat import HEAD, START_INPUT, WISHES, BrokerSeat, answer, tell
from mftpubsub.protocols.content import Event, EventId
from mftpubsub.protocols.unheard import Unheard

#: hook-broker.h: what a hook answers that has failed.
_FAILED = 0
_CAPACITY = 1 << 20

_Call = CFUNCTYPE(c_int64, c_uint32, c_uint64, c_int64, c_uint64)


class BrokerHooks(ctypes.Structure):
    """The C++ struct of that name."""

    _fields_ = (
        ("call", _Call),
        ("input", POINTER(c_char)),
        ("effects", POINTER(c_char)),
        ("capacity", c_uint64),
        ("kinds", c_char_p),
        ("wishes", c_uint8),
    )


class BrokerHost(ABC):
    """The brokers of a run or laboratory. C++ calls `hooks` as long as it uses them: keep this until then."""

    def __init__(self, protocol: Broker, fail: Callable[[BaseException], None]) -> None:
        """`fail` takes what a broker has raised."""
        self.protocol = deepcopy(protocol)
        self._fail = fail
        self._unheard = Unheard(type(protocol))
        self._published: dict[EventId, Event] = {}
        self._input, self._effects = (c_char * _CAPACITY)(), (c_char * _CAPACITY)()
        kinds = " ".join(kind.kind_name for kind in protocol.messages)  # type: ignore[attr-defined]
        self.hooks = BrokerHooks(
            _Call(self._call),
            ctypes.cast(self._input, POINTER(c_char)),
            ctypes.cast(self._effects, POINTER(c_char)),
            _CAPACITY,
            kinds.encode(),
            sum(bit for method, bit in WISHES.items() if protocol.has_own(method)),
        )

    @abstractmethod
    def broker(self, state: int) -> Broker:
        """The broker of a state, to look at."""

    @abstractmethod
    def _step(self, what: int, state: int, nanoseconds: int, data: bytes) -> bytes:
        """What an input leads to: HEAD, then effects."""

    @abstractmethod
    def _failure(self, where: str, node: int, nanoseconds: int, said: str) -> MftPubsubError:
        """How it is told that a broker has raised something."""

    @abstractmethod
    def _node(self, state: int) -> int:
        """Whose state it is."""

    def _call(self, what: int, state: int, nanoseconds: int, size: int) -> int:
        """What C++ calls; nothing may be raised across the simulator."""
        data: bytes = self._input[:size]  # type: ignore[assignment]
        try:
            if what < TABLE:
                self._tell_lost(what, state, nanoseconds)
                out = self._step(what, state, nanoseconds, data)
            else:
                out = answer(self.protocol if what > TABLE + 1 else self.broker(state), what, data)
            if len(out) > _CAPACITY:
                raise ValueError(f"effects of {len(out)} B of one call, {_CAPACITY} B are possible")
            ctypes.memmove(self._effects, out, len(out))
            return len(out) + 1
        except MftPubsubError as error:
            self._fail(error)
        except Exception as error:
            node = START_INPUT.unpack(data)[0] if what == START else self._node(state)
            failure = self._failure(self._method(what), node, nanoseconds, f"{type(error).__name__}: {error}")
            failure.__cause__ = error
            self._fail(failure)
        except BaseException as error:  # the user's interruption
            self._fail(error)
        return _FAILED

    def _tell_lost(self, what: int, state: int, nanoseconds: int) -> None:
        if lost := self._unheard.take(METHODS[what]):
            notes.tell(str(self._failure(self._method(what), self._node(state), nanoseconds, lost)))

    def _method(self, what: int) -> str:
        return f"{type(self.protocol).__qualname__}.{METHODS[what]}"


class RadioBrokers(BrokerHost):
    """On a radio: a state is a broker's place among all that have started."""

    def __init__(self, protocol: Broker, fail: Callable[[BaseException], None], seed: int) -> None:
        super().__init__(protocol, fail)
        self._seed = seed
        self._brokers: list[tuple[Broker, BrokerSeat]] = []

    def broker(self, state: int) -> Broker:
        return self._brokers[state][0]

    def _step(self, what: int, state: int, nanoseconds: int, data: bytes) -> bytes:
        if what == START:
            state = self._add(START_INPUT.unpack(data)[0])
        broker, seat = self._brokers[state]
        seat.nanoseconds = nanoseconds
        tell(broker, seat, what, data)
        out = HEAD.pack(state, seat.due, 0) + seat.effects
        seat.effects.clear()
        return out

    def _add(self, node: int) -> int:
        before = [seat for _, seat in self._brokers if seat.id == node]
        random = Random(f"{self._seed} {node} {len(before)}")
        seat = BrokerSeat(
            node, type(self.protocol), random, before[-1].stable if before else {}, self._published
        )
        broker = deepcopy(self.protocol)
        broker._seat = seat
        self._brokers.append((broker, seat))
        return len(self._brokers) - 1

    def _node(self, state: int) -> int:
        return self._brokers[state][1].id

    def _failure(self, where: str, node: int, nanoseconds: int, said: str) -> MftPubsubError:
        return _failure(where, node, nanoseconds, said)


class LiveBroker(BrokerHost):
    """The one broker of a node that runs, among others that do not run here."""

    def __init__(self, protocol: Broker, fail: Callable[[BaseException], None]) -> None:
        super().__init__(protocol, fail)
        #: What it finds in `stable` at first, and what takes it after each input.
        self.stable: dict[str, Any] = {}
        self.keep: Callable[[dict[str, Any]], None] | None = None
        self._seat: BrokerSeat | None = None

    def broker(self, state: int) -> Broker:
        return self.protocol

    def _step(self, what: int, state: int, nanoseconds: int, data: bytes) -> bytes:
        if what == START:
            id = START_INPUT.unpack(data)[0]
            self._seat = BrokerSeat(id, type(self.protocol), SystemRandom(), deepcopy(self.stable), None)
            self.protocol._seat = self._seat
        seat = self._seat
        assert seat
        seat.nanoseconds = nanoseconds
        tell(self.protocol, seat, what, data)
        if self.keep:
            self.keep(seat.stable)
        out = HEAD.pack(0, seat.due, 0) + seat.effects
        seat.effects.clear()
        return out

    def _node(self, state: int) -> int:
        return self._seat.id if self._seat else 0

    def _failure(self, where: str, node: int, nanoseconds: int, said: str) -> MftPubsubError:
        return _failure(where, node, nanoseconds, said)


def _failure(where: str, node: int, nanoseconds: int, said: str) -> MftPubsubError:
    return RunError(f"{where} at node {node}, {nanoseconds / 1e9:.6f} s: {said}")
