"""The radio of a scenario as the simulator takes it: structs of cpp/scenario/scenario.h."""

from __future__ import annotations

import math
from typing import Any

from mftpubsub.scenario.radios import (
    CONTROL,
    AnyDevice,
    Channel,
    ChannelModel,
    Friis,
    LogDistance,
    LrWpan,
    Nakagami,
    TwoRay,
    Wifi,
)
from mftpubsub.scenario.scenario import Scenario

#: Of JSON and C++.
Spec = dict[str, Any]
_LIGHT = 299_792_458.0
#: ns-3's threshold that no frame reaches.
_NO_RTS = 4_692_480


def radio_to_cpp(scenario: Scenario) -> Spec:
    """Members of the C++ scenario."""
    radio = scenario.radio
    return {
        "radio": radio.model,
        "wifi": _wifi(radio if isinstance(radio, Wifi) else Wifi()),
        "lrWpan": _lr_wpan(radio if isinstance(radio, LrWpan) else LrWpan()),
        "any": _any(radio if isinstance(radio, AnyDevice) else AnyDevice()),
        "loss": _loss(scenario.channel),
        "usesLinkAcks": (scenario.transport.acks or ("link" if radio.has_acks else "own")) == "link",
    }


def castalia_channel(channel: ChannelModel) -> Channel:
    """What is the same over Castalia's channel, whose means are log-distance: the CC2420's."""
    if isinstance(channel, Channel):
        return channel
    if isinstance(channel, LogDistance):
        return _by_pair(channel.exponent, channel.reference_loss, channel.sigma)
    if isinstance(channel, Friis):
        return _by_pair(2.0, 20 * math.log10(4 * math.pi * channel.frequency / _LIGHT), 0.0)
    return Channel()


def _by_pair(exponent: float, reference_loss: float, sigma: float) -> Channel:
    return Channel(
        shadowing="pair",
        sigma=sigma,
        bidirectional_sigma=0.0,
        path_loss_exponent=exponent,
        reference_loss=reference_loss,
    )


def _wifi(radio: Wifi) -> Spec:
    return {
        "standard": radio.standard,
        "rate": radio.rate,
        "controlRate": CONTROL[radio.standard],
        "rateControl": radio.rate_control,
        "txPowerDbm": radio.tx_power,
        "rtsBytes": _NO_RTS if radio.rts_threshold == 65_535 else radio.rts_threshold,
        "retries": radio.retries,
        "queue": radio.queue,
        "powers": _powers(radio),
    }


def _lr_wpan(radio: LrWpan) -> Spec:
    return {
        "txPowerDbm": radio.tx_power,
        "sensitivityDbm": radio.sensitivity,
        "hasAcks": radio.acks,
        "retries": radio.retries,
        "powers": _powers(radio),
    }


def _powers(radio: Wifi | LrWpan) -> Spec:
    return {
        "transmit": radio.transmit_watts,
        "receive": radio.receive_watts,
        "listen": radio.listen_watts,
        "sleep": radio.sleep_watts,
    }


def _any(radio: AnyDevice) -> Spec:
    return {"device": radio.device, "bitRate": radio.bit_rate, "delaySeconds": radio.delay}


def _loss(channel: ChannelModel) -> Spec:
    spec: Spec = {
        "model": "log-distance",
        "exponent": 3.0,
        "referenceLossDb": 46.6777,
        "referenceMetres": 1.0,
        "sigmaDb": 0.0,
        "frequencyHz": 2.4e9,
        "heightMetres": 1.0,
        "nearM": 1.5,
        "middleM": 0.75,
        "farM": 0.75,
        "nearMetres": 80.0,
        "farMetres": 200.0,
    }
    if isinstance(channel, LogDistance | Nakagami):
        spec |= {"exponent": channel.exponent, "referenceLossDb": channel.reference_loss}
    if isinstance(channel, LogDistance):
        spec |= {"referenceMetres": channel.reference_distance, "sigmaDb": channel.sigma}
    if isinstance(channel, Friis | TwoRay):
        spec["frequencyHz"] = channel.frequency
    if isinstance(channel, TwoRay):
        spec["heightMetres"] = channel.height
    if isinstance(channel, Nakagami):
        spec |= {"nearM": channel.m0, "middleM": channel.m1, "farM": channel.m2}
        spec |= {"nearMetres": channel.distance1, "farMetres": channel.distance2}
    return spec if isinstance(channel, Channel) else spec | {"model": channel.model}
