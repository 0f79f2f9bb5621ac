"""Parameters of MAC, overlay, transport and protocols, with their defaults and sources."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from mftpubsub.scenario.part import Flag, Joining, Model, Period, Seconds
from mftpubsub.scenario.radios import Frames
from mftpubsub.simulator import checks


class Mac(Model):
    """Castalia's CSMA (CSMA.ini): non-persistent, unacknowledged; defaults are its."""

    backoff_base: Period = Field(
        default=0.016, description="s; the k-th busy assessment in a row is followed by U(0, 1) k times this"
    )
    retry_delay: Period = Field(
        default=128e-6, description="s until the channel is sensed again when the radio was not ready"
    )
    buffer: Frames = Field(default=32, description="frames that wait for the channel; more are dropped")


class Overlay(Model):
    """Leader election and tree (protocols.md section 3); no source gives the times."""

    heartbeat_interval: Annotated[Period, Field(ge=0.001)] = Field(default=1.0, description="s")
    leader_timeout: Period = Field(default=3.0, description="s; three heartbeats")
    rebroadcast_jitter: Seconds = Field(default=0.01, description="s; RFC 5148 style")

    @model_validator(mode="after")
    def _survives_a_heartbeat(self) -> Self:
        if self.leader_timeout <= self.heartbeat_interval:
            raise ValueError("leader_timeout must be longer than heartbeat_interval")
        return self


class Transport(Model):
    """Hop-by-hop acknowledgement (protocols.md section 5)."""

    retries: Annotated[int, Field(strict=True, ge=0, le=20)] = Field(default=3, description="of a frame")
    window: Annotated[int, Field(strict=True, ge=1, le=64)] = Field(
        default=1, description="frames on the way to one neighbour; 1: stop and wait"
    )
    acks: Literal["own", "link"] | None = Field(
        default=None,
        description="who acknowledges: sessions by frames of their own, or the radio's MAC; default: the "
        "MAC, where it does",
    )
    max_frame: Annotated[int, Field(strict=True, ge=64, le=1024)] = Field(
        default=1024, description="B on the air; 802.15.4's own limit is 127"
    )

    @model_serializer(mode="wrap")
    def _as_it_was_before_there_were_two(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Runs in which nobody has chosen who acknowledges keep the fingerprint that they had."""
        return {key: value for key, value in handler(self).items() if (key, value) != ("acks", None)}


class Routing(Model):
    """One of ns-3's routing protocols, over which publishers send each event to each of its subscribers."""

    NAME: ClassVar[str]

    attributes: Annotated[dict[str, str], Joining(lambda old, changes: {**old, **changes})] = Field(
        default={},
        description="attributes of ns-3's class RoutingProtocol by name, values as ns-3 writes them; others "
        "are the protocol's",
    )
    arp: Flag = Field(
        default=False,
        description="resolve addresses by ARP; default: known, as in Castalia, where ids are addresses",
    )

    @model_validator(mode="after")
    def _are_attributes(self) -> Self:
        for name, value in self.attributes.items():
            if wrong := checks.routing_attribute_problem(self.NAME, name, value):
                raise ValueError(wrong)
        return self


class Aodv(Routing):
    """ns-3's AODV; nothing set is what the protocol has, and ns-3's default in `aodv` and `aodv-acked`."""

    NAME = "aodv"


class Olsr(Routing):
    """ns-3's OLSR; nothing set is what the protocol has, and ns-3's default in `olsr`."""

    NAME = "olsr"


class Dsdv(Routing):
    """ns-3's DSDV; nothing set is what the protocol has, and ns-3's default in `dsdv`."""

    NAME = "dsdv"


class MftPubsub(Model):
    """Switches of MFT-PubSub."""

    literal_children: Flag = Field(
        default=False, description="alg. 4.2 to the letter (protocols.md section 4 ruling 5)"
    )


class MftPubsub2(Model):
    """Settings of mft-pubsub-2, instead of the overlay's: found on the thesis's radio and traffic."""

    heartbeat_interval: Annotated[Period, Field(ge=0.001)] = Field(default=6.0, description="s")
    leader_timeout: Period = Field(default=18.0, description="s; three heartbeats")
    max_frame: Annotated[int, Field(strict=True, ge=64, le=1024)] = Field(
        default=500, description="B on the air, where transport.max_frame is not less"
    )

    @model_validator(mode="after")
    def _survives_a_heartbeat(self) -> Self:
        if self.leader_timeout <= self.heartbeat_interval:
            raise ValueError("leader_timeout must be longer than heartbeat_interval")
        return self


class MftMesh(Model):
    """Parameters of mft-mesh: ours, found on the thesis's radio and traffic (docs/protocols.md)."""

    heartbeat_interval: Annotated[Period, Field(ge=0.01)] = Field(
        default=3.0, description="s between what a broker says of itself after a change (Tb)"
    )
    heartbeat_max: Annotated[Period, Field(ge=0.01)] = Field(
        default=8.0,
        description="s between that when nothing changes: the interval doubles up to it (RFC 6206)",
    )
    forward_jitter: Annotated[Seconds, Field(le=60)] = Field(
        default=0.1, description="s within which a new event is forwarded (Tf); it tells copies apart"
    )
    settle_time: Annotated[Seconds, Field(le=60)] = Field(
        default=0.5, description="s; what is younger may be on its way, and is not repaired (Ts)"
    )
    copies: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(
        default=2, description="of an event heard, from which on it is not forwarded (K)"
    )
    redundancy: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(
        default=2, description="heartbeats of neighbours that have nothing to add make one's own needless (k)"
    )
    scoping: Flag = Field(
        default=True,
        description="an event that few want goes to them only, one that no subscriber wants nowhere",
    )
    few: Annotated[int, Field(strict=True, ge=0, le=100)] = Field(
        default=2, description="subscribers at most, where four brokers are around for each of them"
    )
    positions: Flag = Field(
        default=False,
        description="devices know where they are (GPS); an event that few want goes to where they were",
    )
    forget_after: Annotated[Period, Field(le=1e6)] | None = Field(
        default=None,
        description="s; brokers forget so long afterwards what all subscribers have got, or none wants; "
        "default: never, for subscriptions that reach them later",
    )

    @property
    def whereabouts(self) -> int:
        """What each frame says of where its sender is, B."""
        return 5 if self.positions else 0

    @model_validator(mode="after")
    def _has_an_order(self) -> Self:
        if self.heartbeat_max < self.heartbeat_interval:
            raise ValueError("heartbeat_max must not be shorter than heartbeat_interval")
        return self


class Handoff(Model):
    """Of durable, reactive, pro-active, pro-active-r: fixed brokers on a wire, and clients that walk."""

    ping_interval: Annotated[Period, Field(ge=0.01)] = Field(
        default=1.0,
        description="s without a word from a client, after which its broker asks whether it is there",
    )
    wire_delay: Annotated[Seconds, Field(le=10)] = Field(
        default=0.001, description="s between two brokers; nothing of it is on the air"
    )
    queue: Annotated[int, Field(strict=True, ge=1, le=2**40)] = Field(
        default=2**20, description="B that a broker holds for one subscriber at most; the oldest event goes"
    )


Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]


class Mpl(Model):
    """Trickle's parameters of MPL; defaults are RFC 7731's (section 5.4)."""

    proactive_forwarding: Flag = Field(
        default=True, description="forward what is new; false: only what a neighbour's control message lacks"
    )
    data_interval: Annotated[Period, Field(ge=0.001)] = Field(
        default=0.1,
        description="s; Imin and Imax of data messages: 10 times the link layer's latency, here 10 ms",
    )
    data_redundancy: Count = Field(default=1, description="k of data messages")
    data_expirations: Count = Field(default=3, description="intervals in which a data message is forwarded")
    control_min_interval: Annotated[Period, Field(ge=0.001)] = Field(
        default=0.1, description="s; Imin of control messages: 10 times the link layer's latency, here 10 ms"
    )
    control_max_interval: Annotated[Period, Field(ge=0.001)] = Field(
        default=300.0, description="s; Imax of control messages"
    )
    control_redundancy: Count = Field(default=1, description="k of control messages")
    control_expirations: Count = Field(
        default=10, description="intervals until control messages cease, unless something new is heard"
    )

    @model_validator(mode="after")
    def _has_an_order(self) -> Self:
        if self.control_max_interval < self.control_min_interval:
            raise ValueError("control_max_interval must not be shorter than control_min_interval")
        return self


class Epidemic(Model):
    """Epidemic routing (Vahdat and Becker 2000)."""

    summary_interval: Annotated[Period, Field(ge=0.01)] = Field(
        default=1.0, description="s between a node's summary vectors; no source gives a value for broadcasts"
    )


class Cascading(Model):
    """Switches of the first approach."""

    replay: Flag = Field(
        default=True, description="replay undelivered events; false is the 2016 report's version"
    )
