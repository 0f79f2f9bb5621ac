"""The CC2420 beside ns-3's 802.15.4 and Wi-Fi: which share of broadcasts arrives over which distance.

The same channel for all: log-distance with the exponent 2.4 and 55 dB at 1 m, without shadowing.
docs/models/radios.md has the table.
"""

from __future__ import annotations

from common import arguments, publish

import mftpubsub
from mftpubsub import Broker, Cc2420, Group, LogDistance, LrWpan, Publisher, Static, Subscriber, Wifi
from mftpubsub.protocols import Event, Station, message
from mftpubsub.scenario.radios import RadioModel

CHANNEL = LogDistance(exponent=2.4, reference_loss=55.0)
RADIOS: dict[str, RadioModel] = {
    "cc2420": Cc2420(),
    "lr-wpan": LrWpan(),
    "lr-wpan, -95 dBm": LrWpan(sensitivity=-95.0),
    "802.11b": Wifi(tx_power=0.0),
    "802.11g, 54 Mbit/s": Wifi(standard="802.11g", rate="ErpOfdmRate54Mbps", tx_power=0.0),
}
#: Strengths at which a frame arrives, dBm.
STRENGTHS = [
    -75,
    -77,
    -78,
    -80,
    -81,
    -83,
    -90,
    -92,
    -94,
    -94.5,
    -95.5,
    -96,
    -97,
    -98,
    -100,
    -104,
    -106,
    -107,
    -108,
    -110,
]


@message
class Data:
    event: Event


class Once(Station):
    """A publisher broadcasts each event once, and nobody repeats it."""

    messages = (Data,)

    def publish(self, event: Event) -> None:
        self.broadcast(Data(event))

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.deliver(message.event, sender, 1)


def main() -> None:
    seeds = arguments(__doc__, 2).parse_args().repetitions
    rows = []
    for strength in STRENGTHS:
        metres = 10 ** ((-55.0 - strength) / 24)
        shares = {name: share(radio, metres, seeds) for name, radio in RADIOS.items()}
        rows.append({"strength_dbm": strength, "metres": round(metres, 1)} | shares)
    publish("radio_models", rows)


def share(radio: RadioModel, metres: float, seeds: int) -> float:
    """Of broadcasts of 60 B that arrive."""
    delivered = sent = 0
    for seed in range(1, seeds + 1):
        places = [(0.0, 0.0), (metres, 0.0)]
        scenario = mftpubsub.Scenario(
            protocol=Once(),
            radio=radio,
            channel=CHANNEL,
            area=(metres, 1.0),
            duration=60,
            seed=seed,
            nodes=[
                Group(
                    1,
                    [Publisher(rate=20.0, stop=55, payload=40, event={"a": 1}), Broker()],
                    placement=places[:1],
                ),
                Group(1, [Subscriber("a = 1")], placement=places[1:]),
            ],
            mobility=Static(),
        )
        metrics = mftpubsub.run(scenario).metrics
        delivered += int(metrics["delivered_pairs"])
        sent += int(metrics["sent_pairs"])
    return round(delivered / sent, 4)


if __name__ == "__main__":
    main()
