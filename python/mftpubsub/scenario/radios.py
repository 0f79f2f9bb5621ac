"""Radios and what is lost on the way between them: one of several models each, told apart by `model`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    Field,
    FieldSerializationInfo,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from mftpubsub.errors import no_such
from mftpubsub.scenario.part import Flag, Joining, Model, NonNegative, Number, Period, Positive, Seconds
from mftpubsub.scenario.part import given_fields as given

Frames = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Power = Annotated[Number, Field(ge=-100, le=60)]
Watts = Annotated[NonNegative, Field(le=1000)]
Decibels = Annotated[NonNegative, Field(le=300)]
Metres = Annotated[Positive, Field(ge=0.001, le=1e6)]
Hertz = Annotated[Positive, Field(ge=1e6, le=1e12)]
#: ns-3 draws so many numbers for each frame.
Shape = Annotated[Number, Field(ge=0.5, le=100)]


class NamedModel(Model):
    """Base of models that have a name, in YAML their key `model`. The first of a kind needs none: files that
    are older than the others do not say it, and runs of the same radio have the same fingerprint."""

    model: ClassVar[str]
    is_first: ClassVar[bool] = False

    def to_plain(self) -> Any:
        """With its name, which tells it from the others."""
        return super().to_plain() if self.is_first else {"model": self.model, **super().to_plain()}

    @model_serializer(mode="wrap")
    def _with_its_name(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return handler(self) if self.is_first else {"model": self.model, **handler(self)}


N = TypeVar("N", bound=NamedModel)


def _one_of(models: Mapping[str, type[N]], base: type[N], what: str, such: str) -> tuple[Any, ...]:
    """Annotations of a field that takes one of `models`: an object, a name or a mapping."""

    def validate(value: Any, info: ValidationInfo) -> N:
        if isinstance(value, base):
            return value
        if isinstance(value, str):
            value = {"model": value}
        if not isinstance(value, Mapping):
            raise ValueError(f"no {what}: {value!r}; such are {such}")
        name = value.get("model", next(iter(models)))
        if not isinstance(name, str) or name not in models:
            raise ValueError(no_such(what, str(name), models))
        fields = {key: item for key, item in value.items() if key != "model"}
        return models[name].model_validate(fields, context=info.context)

    def join(old: Any, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """`changes`, and what they do not say of the same model."""
        before = {"model": old} if isinstance(old, str) else dict(given(old))
        name = getattr(old, "model", before.get("model", next(iter(models))))
        return {**before, "model": name, **changes} if changes.get("model", name) == name else changes

    def dump(each: N, info: FieldSerializationInfo) -> dict[str, Any]:
        return each.model_dump(mode="json", context=info.context)

    return PlainValidator(validate), Joining(join, tuple(models.values())), PlainSerializer(dump)


# Channels


class ChannelModel(NamedModel):
    """Base of what is lost between radios."""

    position_interval: Annotated[Period, Field(ge=0.001)] = Field(
        default=0.1, description="s between samples of the positions of nodes that move (Castalia's default)"
    )


class Channel(ChannelModel):
    """Castalia's wireless channel, of the CC2420; defaults are those that it ships with."""

    model: ClassVar[str] = "castalia"
    is_first: ClassVar[bool] = True

    shadowing: Literal["cell", "pair"] = Field(
        default="cell",
        description="drawn for each pair of cells, which stand for the nodes in them (Castalia's case of "
        "nodes that move), or for each pair of nodes (its static case; if nodes move, the mean path loss "
        "follows their distance)",
    )
    sigma: Decibels = Field(
        default=4.0, description="dB; standard deviation of shadowing (Castalia's default)"
    )
    bidirectional_sigma: Decibels = Field(
        default=1.0, description="dB; of the difference between both directions (Castalia's default)"
    )
    cell: Annotated[Number, Field(ge=0.1, le=1e6)] = Field(default=5.0, description="m; side of a cell")
    path_loss_exponent: Annotated[Number, Field(ge=0.1, le=20)] = Field(
        default=2.4, description="of the mean path loss; free space has 2"
    )
    reference_loss: Decibels = Field(default=55.0, description="dB at 1 m")
    delivery_threshold: Annotated[Number, Field(ge=-200, le=0)] = Field(
        default=-100.0, description="dBm; weaker signals reach nobody, not even as interference"
    )
    position_interval: Annotated[Period, Field(ge=0.001)] = Field(
        default=0.1, description="s between samples of the positions of nodes that move (Castalia's default)"
    )


class LossModel(ChannelModel):
    """Base of ns-3's loss models, of radios of ns-3's."""

    position_interval: Annotated[Period, Field(ge=0.001)] = Field(
        default=0.1,
        description="s between looks at who reaches whom, for what was reachable; radios need none",
    )

    is_steady: ClassVar[bool] = True
    """Whether each frame between the same places is as strong."""


class LogDistance(LossModel):
    """Log-distance path loss; defaults are ns-3's. With `sigma` shadowing, drawn once for a pair of nodes."""

    model: ClassVar[str] = "log-distance"

    exponent: Annotated[Number, Field(ge=0.1, le=20)] = Field(default=3.0, description="free space has 2")
    reference_loss: Decibels = Field(default=46.6777, description="dB at the reference distance")
    reference_distance: Metres = Field(default=1.0, description="m")
    sigma: Decibels = Field(default=0.0, description="dB; standard deviation of shadowing")


class Friis(LossModel):
    """Free space."""

    model: ClassVar[str] = "friis"

    frequency: Hertz = Field(default=2.4e9, description="Hz")


class TwoRay(LossModel):
    """Free space and a reflection by the ground, from the crossover distance on."""

    model: ClassVar[str] = "two-ray"

    frequency: Hertz = Field(default=2.4e9, description="Hz")
    height: Metres = Field(default=1.0, description="m; of antennas above their nodes")


class Nakagami(LossModel):
    """Log-distance path loss, and fading that is drawn for each frame (Nakagami's m in three ranges)."""

    model: ClassVar[str] = "nakagami"
    is_steady: ClassVar[bool] = False

    exponent: Annotated[Number, Field(ge=0.1, le=20)] = Field(default=3.0, description="free space has 2")
    reference_loss: Decibels = Field(default=46.6777, description="dB at 1 m")
    m0: Shape = Field(default=1.5, description="of fading, up to distance1; 1 is Rayleigh's")
    m1: Shape = Field(default=0.75, description="from there up to distance2")
    m2: Shape = Field(default=0.75, description="beyond")
    distance1: Metres = Field(default=80.0, description="m")
    distance2: Metres = Field(default=200.0, description="m")

    @model_validator(mode="after")
    def _has_an_order(self) -> Self:
        if self.distance2 < self.distance1:
            raise ValueError("distance2 must not be shorter than distance1")
        return self


CHANNELS: dict[str, type[ChannelModel]] = {
    each.model: each for each in (Channel, LogDistance, Friis, TwoRay, Nakagami)
}


# Radios


class RadioModel(NamedModel):
    """Base of radios."""

    title: ClassVar[str]
    """What it is called in print."""
    channels: ClassVar[tuple[str, ...]]
    """The channels that they know; the first is what they have by default."""
    unused: ClassVar[tuple[str, ...]] = ("mac",)
    """Parts of a scenario that its runs do not depend on."""
    has_acks: ClassVar[bool] = True
    """Whether it acknowledges frames to one node."""
    mtu: ClassVar[int | None] = None
    """B that a frame carries, if it limits them more than `transport.max_frame`."""
    overhead: ClassVar[int] = 15
    """B around what a frame carries, of MAC and PHY."""

    tells_energy: ClassVar[bool] = False
    """Whether it tells what it has taken from its battery."""
    families_it_lacks: ClassVar[tuple[str, ...]] = ()
    """Of protocols: those that it cannot run, ..."""
    why_it_lacks: ClassVar[str] = ""
    """... and why."""

    startup_spread: Seconds = Field(default=0.05, description="s; nodes start within it (Castalia's default)")

    def check_channel(self, channel: ChannelModel) -> None:
        """Of a model that it knows. ValueError names a value of it that the radio cannot have."""

    def seconds_per_byte(self) -> float:
        """Of a frame on the air."""
        return 32e-6

    def room(self, max_frame: int) -> int:
        """B that a frame carries which has at most `max_frame` B on the air."""
        most = max_frame - self.overhead
        return most if self.mtu is None else min(most, self.mtu)


#: Of free space that has a loss on the first metre: its wavelength is 4 pi metres at most.
LEAST_HERTZ = 2.4e7


class Cc2420(RadioModel):
    """CC2420, mode normal: 250 kbit/s, noise floor -100 dBm, sensitivity -95 dBm."""

    model: ClassVar[str] = "cc2420"
    title: ClassVar[str] = "CC2420"
    is_first: ClassVar[bool] = True
    channels: ClassVar[tuple[str, ...]] = ("castalia", "log-distance", "friis")
    tells_energy: ClassVar[bool] = True
    unused: ClassVar[tuple[str, ...]] = ()
    has_acks: ClassVar[bool] = False

    tx_power: Literal[0, -1, -3, -5, -7, -10, -15, -25] = Field(default=0, description="dBm (T 4.5.2: 0)")
    cca_threshold: Annotated[Number, Field(gt=-100, le=50)] = Field(
        default=-95.0,
        description="dBm; the channel counts as busy from here on (Castalia's default). The noise floor of "
        "-100 dBm would do so always, and nobody would send",
    )
    buffer: Frames = Field(default=16, description="frames that wait in the radio (Castalia's default)")
    startup_spread: Seconds = Field(default=0.05, description="s; nodes start within it (Castalia's default)")
    clock_drift: Annotated[Number, Field(ge=0, le=0.1)] = Field(
        default=3e-5,
        description="standard deviation of the nodes' clock rates, 1 being exact (Castalia's default); only "
        "the MAC goes by them",
    )

    def check_channel(self, channel: ChannelModel) -> None:
        """Castalia's path loss is reckoned from 1 m on, where it is no gain."""
        able = [name for name, radio in RADIOS.items() if channel.model in radio.channels]
        others = ", ".join(name for name in able if name != self.model)
        if isinstance(channel, LogDistance) and channel.reference_distance != 1:
            raise ValueError(
                f"channel.reference_distance: on radio {self.model} it is 1 m, not "
                f"{channel.reference_distance:g} m: give reference_loss at 1 m, or choose radio.model "
                f"{others}"
            )
        if isinstance(channel, Friis) and channel.frequency < LEAST_HERTZ:
            raise ValueError(
                f"channel.frequency: {channel.frequency:g} Hz lose nothing on the first metre, from which "
                f"radio {self.model} reckons: choose {LEAST_HERTZ:g} Hz at least, or radio.model {others}"
            )


#: The rates of each Wi-Fi standard by their names in ns-3, slowest first, with bit/s, at 20 (22) MHz.
DSSS = {"DsssRate1Mbps": 1e6, "DsssRate2Mbps": 2e6, "DsssRate5_5Mbps": 5.5e6, "DsssRate11Mbps": 11e6}
OFDM = {f"OfdmRate{each}Mbps": each * 1e6 for each in (6, 9, 12, 18, 24, 36, 48, 54)}
ERP = {f"ErpOfdmRate{each}Mbps": each * 1e6 for each in (6, 9, 12, 18, 24, 36, 48, 54)}
HT = {f"HtMcs{index}": each * 1e6 for index, each in enumerate((6.5, 13, 19.5, 26, 39, 52, 58.5, 65))}
VHT = {f"VhtMcs{index}": rate for index, rate in enumerate((*HT.values(), 78e6))}
#: With a guard interval of 800 ns, ns-3's default.
HE = {
    f"HeMcs{index}": each * 117e6 / 13.6
    for index, each in enumerate((1, 2, 3, 4, 6, 8, 9, 10, 12, 40 / 3, 15, 50 / 3))
}
RATES: dict[str, dict[str, float]] = {
    "802.11b": DSSS,
    "802.11a": OFDM,
    "802.11g": {**ERP, **DSSS},
    "802.11n": {**HT, **ERP},
    "802.11ac": {**VHT, **OFDM},
    "802.11ax": {**HE, **ERP},
}
#: What RTS, CTS and acknowledgements go at.
CONTROL = {
    "802.11b": "DsssRate1Mbps",
    "802.11a": "OfdmRate6Mbps",
    "802.11g": "ErpOfdmRate6Mbps",
    "802.11n": "ErpOfdmRate6Mbps",
    "802.11ac": "OfdmRate6Mbps",
    "802.11ax": "ErpOfdmRate6Mbps",
}
#: Of ns-3's rate controls those that know neither 802.11n nor later.
LEGACY_RATE_CONTROLS = ("aarf",)


class Wifi(RadioModel):
    """ns-3's Wi-Fi in ad hoc mode. It acknowledges and repeats frames to one node, and takes part in nothing
    else: no beacons, no power save."""

    model: ClassVar[str] = "wifi"
    title: ClassVar[str] = "Wi-Fi"
    channels: ClassVar[tuple[str, ...]] = ("log-distance", "friis", "two-ray", "nakagami")
    tells_energy: ClassVar[bool] = True

    standard: Literal["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax"] = Field(
        default="802.11b",
        description="at 20 MHz, 802.11a and 802.11ac at 5 GHz, the others at 2.4 GHz",
    )
    rate: str = Field(
        default="", description="as ns-3 names it, DsssRate11Mbps; default: the slowest of the standard"
    )
    rate_control: Literal["constant", "minstrel", "ideal", "aarf", "thompson"] = Field(
        default="constant",
        description="of frames to one node: all at `rate`, or at what a rate control of ns-3's chooses; "
        "frames to all always go at `rate`",
    )
    tx_power: Power = Field(default=16.0, description="dBm")
    rts_threshold: Annotated[int, Field(strict=True, ge=0, le=65_535)] = Field(
        default=65_535, description="B; larger frames to one node are announced by RTS and CTS"
    )
    retries: Annotated[int, Field(strict=True, ge=1, le=100)] = Field(
        default=7, description="times that the MAC sends a frame to one node, at most"
    )
    queue: Frames = Field(default=500, description="frames that wait in the MAC")
    transmit_watts: Watts = Field(default=1.14, description="W while it sends (ns-3's 0.380 A at 3 V)")
    receive_watts: Watts = Field(default=0.939, description="W while it receives (0.313 A)")
    listen_watts: Watts = Field(
        default=0.819, description="W while it listens, to a busy channel or a free one (0.273 A)"
    )
    sleep_watts: Watts = Field(default=0.099, description="W while it sleeps (0.033 A)")

    @model_validator(mode="after")
    def _has_the_rate(self) -> Self:
        known = RATES[self.standard]
        if not self.rate:
            object.__setattr__(self, "rate", next(iter(known)))
        elif self.rate not in known:
            raise ValueError(no_such(f"rate of {self.standard}", self.rate, known))
        return self

    @model_validator(mode="after")
    def _has_a_rate_control_that_knows_it(self) -> Self:
        is_legacy = self.standard in ("802.11a", "802.11b", "802.11g")
        if self.rate_control in LEGACY_RATE_CONTROLS and not is_legacy:
            raise ValueError(
                f"rate_control {self.rate_control} knows no rates of {self.standard}; minstrel does"
            )
        return self

    @property
    def overhead(self) -> int:  # type: ignore[override]
        has_qos = self.standard in ("802.11n", "802.11ac", "802.11ax")
        return 38 if has_qos else 36

    def seconds_per_byte(self) -> float:
        return 8 / RATES[self.standard][self.rate]


class LrWpan(RadioModel):
    """ns-3's IEEE 802.15.4 (O-QPSK at 2.4 GHz, 250 kbit/s, unslotted CSMA-CA). Frames carry 114 B at most."""

    model: ClassVar[str] = "lr-wpan"
    title: ClassVar[str] = "802.15.4"
    channels: ClassVar[tuple[str, ...]] = ("log-distance", "friis", "two-ray", "nakagami")
    mtu: ClassVar[int | None] = 114
    overhead: ClassVar[int] = 17
    tells_energy: ClassVar[bool] = True
    families_it_lacks: ClassVar[tuple[str, ...]] = ("ip",)
    why_it_lacks: ClassVar[str] = (
        "which carries IPv6 by 6LoWPAN alone, where ns-3's AODV, OLSR and DSDV route IPv4"
    )

    tx_power: Annotated[Number, Field(ge=-32, le=31)] = Field(default=0.0, description="dBm")
    sensitivity: Annotated[Number, Field(ge=-106.58, le=-85)] = Field(
        default=-106.58, description="dBm; where 1 % of frames of 20 B are lost (ns-3's default)"
    )
    acks: Flag = Field(default=True, description="of frames to one node, by the MAC")
    retries: Annotated[int, Field(strict=True, ge=0, le=7)] = Field(
        default=3, description="of a frame that was not acknowledged, by the MAC"
    )
    transmit_watts: Watts = Field(
        default=0.05742, description="W while it sends (CC2420's data sheet: 17.4 mA at 0 dBm, 3.3 V)"
    )
    receive_watts: Watts = Field(default=0.062, description="W while it receives (18.8 mA)")
    listen_watts: Watts = Field(default=0.062, description="W while it listens (18.8 mA)")
    sleep_watts: Watts = Field(default=0.0014, description="W while it sleeps (426 uA, idle)")

    @property
    def has_acks(self) -> bool:  # type: ignore[override]
        return self.acks


class AnyDevice(RadioModel):
    """Another device of ns-3's, which all nodes share, wherever they are: everybody hears everybody. It tells
    neither strength nor energy, and what is handed to it counts as on the air."""

    model: ClassVar[str] = "any"
    title: ClassVar[str] = "a device that all share"
    channels: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("mac", "channel")
    has_acks: ClassVar[bool] = False
    overhead: ClassVar[int] = 0
    families_it_lacks: ClassVar[tuple[str, ...]] = ("ip",)
    why_it_lacks: ClassVar[str] = "on which everybody hears everybody: there is no route to find"

    device: Literal["simple", "csma"] = Field(
        default="simple", description="ns3::SimpleNetDevice, or ns3::CsmaNetDevice, an Ethernet"
    )
    bit_rate: Annotated[Positive, Field(ge=1, le=1e12)] = Field(default=1e6, description="bit/s")
    delay: Annotated[Seconds, Field(le=10)] = Field(default=1e-6, description="s on the way")

    def seconds_per_byte(self) -> float:
        return 8 / self.bit_rate


RADIOS: dict[str, type[RadioModel]] = {each.model: each for each in (Cc2420, Wifi, LrWpan, AnyDevice)}

if TYPE_CHECKING:
    AChannel = ChannelModel
    ARadio = RadioModel
else:
    AChannel = Annotated[
        Any, *_one_of(CHANNELS, ChannelModel, "channel", "LogDistance(exponent=3) and Friis()")
    ]
    ARadio = Annotated[Any, *_one_of(RADIOS, RadioModel, "radio", "Cc2420() and Wifi(tx_power=16)")]

#: What it was called when there was one.
Radio = Cc2420
