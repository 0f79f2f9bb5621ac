"""The page that holds our radio beside ns-3's: its tables were measured, ns-3's example is run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import mftpubsub
from mftpubsub import Broker, Group, LogDistance, LrWpan, Publisher, Scenario, Static, Subscriber
from mftpubsub.protocols import Event, Station, message

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/models/radios.md").read_text(encoding="utf-8")
EXAMPLE = pd.read_csv(ROOT / "tests/fidelity/reference/lr_wpan_example.csv")
RADIOS = ("cc2420", "lr-wpan", "802.11b")


@message
class Data:
    event: Event


class Once(Station):
    """Nobody repeats a broadcast."""

    messages = (Data,)

    def publish(self, event: Event) -> None:
        self.broadcast(Data(event))

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.deliver(message.event, sender, 1)


def measured(name: str) -> list[dict[str, Any]]:
    content = json.loads((ROOT / "benchmarks/measured" / f"{name}.json").read_text(encoding="utf-8"))
    return list(content["rows"])


def row(*cells: Any) -> str:
    return "| " + " | ".join(f"{cell:g}" if isinstance(cell, int | float) else cell for cell in cells) + " |"


def test_the_published_curves_are_those_that_were_measured() -> None:
    for each in measured("radio_models"):
        assert row(*each.values()) in PAGE
        assert each["strength_dbm"] >= -82 or each["802.11b"] == 0


def test_what_two_frames_do_to_each_other_is_what_was_measured() -> None:
    by = {(each["what"], each["at"]): [each[radio] for radio in RADIOS] for each in measured("radio_links")}
    for what, at in by:
        if what == "capture, earlier":
            assert row(at, *by[what, at], *by["capture, later", at]) in PAGE
        elif what == "carrier sense":
            assert row(at, *by[what, at]) in PAGE
        elif what.startswith("answer"):
            assert row(what.split(", ")[1], *by[what, at]) in PAGE


@pytest.mark.parametrize(("metres", "received"), [*EXAMPLE.itertuples(index=False, name=None)])
def test_802_15_4_receives_what_ns3s_example_prints(metres: int, received: int) -> None:
    """`lr-wpan-error-distance-plot --packetSize=66` of ns-3 3.44, 1000 frames: within 3.5 deviations."""
    scenario = Scenario(
        protocol=Once(),
        radio=LrWpan(),
        channel=LogDistance(),
        area=(metres, 1.0),
        duration=60,
        seed=100,
        nodes=[
            Group(
                1,
                [Publisher(rate=20.0, stop=55, payload=40, event={"a": 1}), Broker()],
                placement=[(0.0, 0.0)],
            ),
            Group(1, [Subscriber("a = 1")], placement=[(float(metres), 0.0)]),
        ],
        mobility=Static(),
    )
    metrics = mftpubsub.run(scenario).metrics
    sent = int(metrics["sent_pairs"])
    share = (metrics["delivered_pairs"] + received) / (sent + 1000)
    deviation = (share * (1 - share) * (1 / sent + 1 / 1000)) ** 0.5
    assert abs(metrics["delivered_pairs"] / sent - received / 1000) < 3.5 * deviation
