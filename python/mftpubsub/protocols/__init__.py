"""The protocols that ship (`catalogue`), and what those of users are made of: stations, messages, timers.

@message
class Data:
    hops: u8
    event: Event

class Flood(Station):
    messages = (Data,)
    ...

mftpubsub.run(scenario.replace(protocol=Flood()))
"""

from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.content import DecodeError, Event, EventId, Filter
from mftpubsub.protocols.cpp import CppProtocol, cpp
from mftpubsub.protocols.station import Station
from mftpubsub.protocols.wire import EncodeError, Node, f64, i32, i64, message, timer, u8, u16, u32, u64

__all__ = [  # noqa: RUF022 (the order of the reference)
    "Station",
    "Broker",
    "message",
    "timer",
    "Event",
    "EventId",
    "Filter",
    "Node",
    "u8",
    "u16",
    "u32",
    "u64",
    "i32",
    "i64",
    "f64",
    "cpp",
    "CppProtocol",
    "EncodeError",
    "DecodeError",
]
