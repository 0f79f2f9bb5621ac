"""What all runs of a study share, and which of it a protocol depends on."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from mftpubsub.policies import (
    ClientPolicy,
    DropLink,
    FailurePolicy,
    FirstHeard,
    FixedRetries,
    Immediate,
    LeaderPolicy,
    LongestLived,
    LongestWaiting,
    MigrationPolicy,
    Named,
    ParentPolicy,
    QueuePolicy,
    RepairPolicy,
    RetryPolicy,
    Unbounded,
)
from mftpubsub.protocols.catalogue import PARTS, POLICIES, PROTOCOLS, in_setting, using
from mftpubsub.protocols.naming import parse, row_of
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.scenario.faults import Faults
from mftpubsub.scenario.mobility import Mobility, RandomWaypoint
from mftpubsub.scenario.parameters import (
    Aodv,
    Cascading,
    Dsdv,
    Epidemic,
    Handoff,
    Mac,
    MftMesh,
    MftPubsub,
    MftPubsub2,
    Mpl,
    Olsr,
    Overlay,
    Transport,
)
from mftpubsub.scenario.part import (
    Model,
    Period,
    Seconds,
)
from mftpubsub.scenario.radios import CHANNELS, RADIOS, AChannel, ARadio, Cc2420, Channel
from mftpubsub.scenario.roles import Publisher, Subscriber
from mftpubsub.trace.layout import NAME


def check_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise ValueError(
            f"{name!r} cannot be part of a folder's name and of a table's key: "
            "use letters, digits, spaces and any of _ . + -"
        )
    return name


#: Of a configuration.
Name = Annotated[str, AfterValidator(check_name)]
Seed = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]


class Common(Model):
    """What all runs of a study share."""

    duration: Period = Field(default=700.0, description="s")
    warm_up: Seconds = Field(
        default=0.0,
        description="s; metrics are of what is published and sent from here on; its deliveries are counted "
        "to the end",
    )
    publisher: Publisher = Field(default=Publisher(), description="what the role name `publisher` stands for")
    subscriber: Subscriber = Field(
        default_factory=Subscriber, description="what the role name `subscriber` stands for"
    )
    mobility: Mobility = Field(
        default=RandomWaypoint(), description="how nodes move whose group does not say"
    )
    faults: Faults = Field(
        default=[],
        description="crash(...), blackout(...), partition(...), churn(...), join(...), leave(...), "
        "turnover(...), battery(...), duty_cycle(...)",
    )
    channel: AChannel = Field(
        default=Channel(), description="path loss and shadowing; default: the first that the radio knows"
    )
    radio: ARadio = Field(default=Cc2420(), description="model, power, start")
    mac: Mac = Field(default=Mac(), description="carrier sense and backoff")
    overlay: Overlay = Field(default=Overlay(), description="leader election and tree")
    transport: Transport = Field(default=Transport(), description="hop-by-hop acknowledgement")
    aodv: Aodv = Field(default_factory=Aodv, description=f"of {using('aodv')}")
    olsr: Olsr = Field(default_factory=Olsr, description=f"of {using('olsr')}")
    dsdv: Dsdv = Field(default_factory=Dsdv, description=f"of {using('dsdv')}")
    mft_pubsub: MftPubsub = Field(default=MftPubsub(), description=f"of {using('mft_pubsub')}")
    mft_pubsub_2: MftPubsub2 = Field(default=MftPubsub2(), description=f"of {using('mft_pubsub_2')}")
    mft_mesh: MftMesh = Field(default=MftMesh(), description=f"of {using('mft_mesh')}")
    mpl: Mpl = Field(default=Mpl(), description=f"of {using('mpl')}")
    handoff: Handoff = Field(default=Handoff(), description=f"of {using('handoff')}")
    epidemic: Epidemic = Field(default=Epidemic(), description=f"of {using('epidemic')}")
    cascading: Cascading = Field(default=Cascading(), description=f"of {using('cascading')}")
    parent_policy: Named[ParentPolicy] = Field(
        default=FirstHeard(), description="which broker a broker has as its parent"
    )
    client_policy: Named[ClientPolicy] = Field(
        default=FirstHeard(), description="which broker a client is attached to"
    )
    leader_policy: Named[LeaderPolicy] = Field(default=LongestLived(), description="who is the better leader")
    migration_policy: Named[MigrationPolicy] = Field(
        default=Immediate(), description="when a node leaves its parent"
    )
    queue_policy: Named[QueuePolicy] = Field(
        default=Unbounded(), description="what brokers hold for whom they cannot reach"
    )
    retry_policy: Named[RetryPolicy] = Field(
        default=FixedRetries(), description="how often a frame is sent again"
    )
    failure_policy: Named[FailurePolicy] = Field(
        default=DropLink(), description="what follows when a message is given up"
    )
    repair_policy: Named[RepairPolicy] = Field(
        default=LongestWaiting(),
        description="to which neighbours a broker of mft-mesh sends first what they lack",
    )

    @model_validator(mode="before")
    @classmethod
    def _has_a_channel_of_its_radio(cls, data: Any) -> Any:
        """What is said of a channel without a name is of the one that the radio has by default."""
        if not isinstance(data, Mapping) or not isinstance(channel := data.get("channel"), Mapping):
            return data
        radio = data.get("radio", "cc2420")
        name = radio.get("model", "cc2420") if isinstance(radio, Mapping) else getattr(radio, "model", radio)
        known = RADIOS[name].channels if isinstance(name, str) and name in RADIOS else ()
        first = next(iter(known), "castalia")
        return {**data, "channel": {"model": first, **channel}}

    @model_validator(mode="after")
    def _knows_its_channel(self) -> Self:
        known = self.radio.channels
        if "channel" not in self.model_fields_set:
            if known and known[0] != self.channel.model:
                object.__setattr__(self, "channel", CHANNELS[known[0]]())
        elif known and self.channel.model not in known:
            others = [name for name, radio in RADIOS.items() if self.channel.model in radio.channels]
            raise ValueError(
                f"channel: radio {self.radio.model} does not know {self.channel.model}: choose channel.model "
                f"{', '.join(known)}, or radio.model {', '.join(others)}"
            )
        self.radio.check_channel(self.channel)
        return self

    @model_validator(mode="after")
    def _uses_its_parts(self) -> Self:
        for name in self.radio.unused:
            field = Common.model_fields[name]
            if name in self.model_fields_set and getattr(self, name) != field.default:
                using = [model for model, radio in RADIOS.items() if name not in radio.unused]
                raise ValueError(
                    f"{name}: radio {self.radio.model} does not depend on it: leave it out, or choose "
                    f"radio.model {', '.join(using)}"
                )
        if self.transport.acks == "link" and not self.radio.has_acks:
            able = [name for name, radio in RADIOS.items() if radio.has_acks is not False]
            raise ValueError(
                f"transport.acks: radio {self.radio.model} acknowledges nothing: choose own, or "
                f"radio.model {', '.join(able)}"
            )
        return self


def asked_policies(protocol: str | OwnProtocol) -> tuple[str, ...]:
    """Fields of the policies that `protocol` asks."""
    return row_of(protocol).asks


def ignored_policies(protocol: str | OwnProtocol, common: Common) -> list[str]:
    """Fields of the policies that `common` chooses and `protocol` never asks."""
    asked = asked_policies(protocol)
    return [
        name
        for name in POLICIES
        if name not in asked and getattr(common, name) != Common.model_fields[name].default
    ]


def unused_parts(protocol: str | OwnProtocol) -> list[str]:
    """Fields of the parts that runs of `protocol` do not depend on; none of an unknown protocol."""
    if isinstance(protocol, str) and protocol not in PROTOCOLS:
        return []
    used = row_of(protocol).uses
    return [name for name in PARTS if name not in used]


def left_out_with(protocol: Any) -> list[str]:
    """The same for what a scenario is told of its protocol."""
    try:
        return unused_parts(parse(protocol))
    except ValueError:
        return []  # the scenario's own check says what is wrong


def ignored_fields(protocol: str | OwnProtocol) -> set[str]:
    """Fields, parts and policies, of which runs of `protocol` take no notice; none of an unknown one."""
    if isinstance(protocol, str) and protocol not in PROTOCOLS:
        return set()
    return {*unused_parts(protocol), *POLICIES} - {*asked_policies(protocol)}


def check_policies(protocols: Sequence[str | OwnProtocol], common: Common) -> None:
    """Raises ValueError for a policy that none of `protocols` asks."""
    ignored = [set(ignored_policies(protocol, common)) for protocol in protocols]
    for name in sorted(set.intersection(*ignored)):
        asking = [protocol for protocol in known_protocols() if name in asked_policies(protocol)]
        verb = "asks" if len(protocols) == 1 else "ask"
        raise ValueError(
            f"{name}: {_listed(protocols)} never {verb} it: leave it out, or choose one of the "
            f"protocols {', '.join(asking)}"
        )


def check_parts(protocols: Sequence[str | OwnProtocol], given: Collection[str], common: Common) -> None:
    """Raises ValueError for a part that was `given` and on which no run of `protocols` depends."""
    unused = set.intersection(*(set(unused_parts(protocol)) for protocol in protocols))
    for name in sorted(unused & {*given}):
        if getattr(common, name) == Common.model_fields[name].get_default(call_default_factory=True):
            continue
        using = [protocol for protocol in known_protocols() if name not in unused_parts(protocol)]
        verb = "does" if len(protocols) == 1 else "do"
        raise ValueError(
            f"{name}: {_listed(protocols)} {verb} not depend on it: leave it out, or choose one of the "
            f"protocols {', '.join(using)}"
        )


def _listed(protocols: Sequence[str | OwnProtocol]) -> str:
    return " and ".join(map(str, protocols))


def known_protocols() -> list[str]:
    """Names of the protocols that can be simulated."""
    return in_setting("radio")
