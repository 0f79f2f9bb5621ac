"""Protocols of users, in Python: message by message on the radio, in files, in sweeps, and when they fail."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from hashlib import sha256
from math import dist
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import Mock

import numpy as np
import own_flood
import pandas as pd
import pytest
import yaml
from own_flood import Data, Flood
from typer.testing import CliRunner

import mftpubsub
from mftpubsub import ConfigurationError, RunError
from mftpubsub.cli.main import app
from mftpubsub.labels import leading, why_strict
from mftpubsub.protocols import (
    DecodeError,
    EncodeError,
    Event,
    EventId,
    Filter,
    Node,
    Station,
    f64,
    i64,
    message,
    u8,
    u16,
)
from mftpubsub.protocols.naming import check_names
from mftpubsub.runs.run import run_to_directory
from mftpubsub.studies.provenance import missing
from mftpubsub.studies.results import StudyResults

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def scenario() -> mftpubsub.Scenario:
    """Four devices that hear each other: a publisher, two brokers, a subscriber."""
    return mftpubsub.Scenario(
        area=(20, 20),
        nodes=[
            mftpubsub.Group(1, [mftpubsub.Publisher(event={"temp": 21.5}, payload=30, stop=15.0)]),
            mftpubsub.Group(2, ["broker"]),
            mftpubsub.Group(1, [mftpubsub.Subscriber(where="temp > 20")]),
        ],
        speed=2,
        duration=20,
        protocol=Flood(),
    )


def test_what_is_published_before_a_device_has_started_waits_for_it(scenario: mftpubsub.Scenario) -> None:
    publisher = mftpubsub.Publisher(event={"temp": 21.5}, payload=30, start=0.01, rate=2.0, stop=15.0)
    nodes = [mftpubsub.Group(1, [publisher]), *scenario.nodes[1:]]
    late = scenario.replace(nodes=nodes, radio=mftpubsub.Cc2420(startup_spread=4.0))
    table = mftpubsub.run(late).to_pandas("deliveries")
    assert len(table) == 30
    assert table["delivered_s"].notna().all()


# What goes over the air


@message
class Mixed:
    first: u8
    is_on: bool
    number: i64
    ids: list[EventId]
    text: str
    maybe: EventId | None
    pair: tuple[Node, f64]
    inner: Data
    where: Filter
    some: set[u16]


EVENT = Event((3, 7), {"temp": 21.5, "n": 3, "s": "äx", "b": True}, 10)
MIXED = Mixed(1, True, -5, [EventId(1, 2)], "hi", None, (4, 2.5), Data(3, EVENT), Filter("temp > 20"), {5, 2})


def test_a_message_is_what_its_bytes_are() -> None:
    back = Mixed.decode(MIXED.encode())  # type: ignore[attr-defined]
    assert back == MIXED
    assert back.inner.event.attributes == {"temp": 21.5, "n": 3, "s": "äx", "b": True}
    assert back.inner.event.payload == bytes(10)
    assert MIXED.size == len(MIXED.encode())  # type: ignore[attr-defined]


@message
class Batch:
    events: list[Event]


@pytest.mark.parametrize("name", ["encode", "decode", "size", "layout", "kind_name"])
def test_a_field_may_be_called_events_and_nothing_that_messages_have(name: str) -> None:
    batch = Batch([EVENT])
    assert Batch.decode(batch.encode()).events == [EVENT]  # type: ignore[attr-defined]
    assert [EVENT.id] == batch._carried() == MIXED._carried()  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=f"{name} is what every message has"):
        message(type("Frame", (), {"__annotations__": {name: u16}}))


def test_a_payload_is_carried_byte_by_byte() -> None:
    event = Event((3, 7), {"temp": 1}, payload=b"\0\1")
    back = Event.from_wire(event.wire)
    assert (back.payload, back.payload_bytes, dict(back.attributes)) == (b"\0\1", 2, {"temp": 1})
    assert Event((3, 7), {"temp": 1}, 2).wire == event.wire[:-1] + b"\0"
    assert Filter("temp = 1").matches(back)


@pytest.mark.parametrize(
    ("attributes", "payload", "words"),
    [
        ({}, bytes(65536), "65536 B"),
        ({"a": 1 << 63}, b"", "64 bits"),
        ({"a": b"bytes"}, b"", "no bool, int, float or str"),
        ({"a": "x" * 65536}, b"", "attribute 'a'"),
        ({str(n): 1 for n in range(256)}, b"", "256 attributes"),
    ],
)
def test_an_event_that_cannot_be_encoded_is_refused(attributes: Any, payload: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Event((3, 7), attributes, payload=payload)


def test_the_sizes_of_fields_are_those_declared() -> None:
    event = 6 + 1 + (2 + 4 + 9) + (2 + 1 + 9) + (2 + 1 + 3 + 3) + (2 + 1 + 2) + 2 + 10
    assert len(EVENT.wire) == event
    assert Data(3, EVENT).size == 1 + event  # type: ignore[attr-defined]
    assert MIXED.size == 1 + 1 + 8 + (1 + 6) + (2 + 2) + 1 + (2 + 8) + (1 + event) + (2 + 9) + 4  # type: ignore[attr-defined]


def test_bytes_that_are_cut_are_no_message() -> None:
    whole = MIXED.encode()  # type: ignore[attr-defined]
    for size in range(len(whole) - 4):  # the set at the end takes what is left
        with pytest.raises(DecodeError):
            Mixed.decode(whole[:size])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Data(300, EVENT), r"Data\.hops: 300 does not fit in u8"),
        (lambda: Data(1, "event"), r"Data\.event: 'event' is no Event"),  # type: ignore[arg-type]
    ],
)
def test_a_value_that_does_not_fit_is_named(wrong: Any, says: str) -> None:
    with pytest.raises(EncodeError, match=says):
        wrong().encode()


def test_a_field_without_an_encoding_is_refused_with_the_class() -> None:
    with pytest.raises(TypeError, match=r"message .*Odd: int has no encoding: use u8"):

        @message
        class Odd:
            count: int


def test_messages_are_values() -> None:
    assert Data(1, EVENT) == Data(1, Event((3, 7)))
    assert len({Data(1, EVENT), Data(1, EVENT), Data(2, EVENT)}) == 2
    with pytest.raises(AttributeError):
        Data(1, EVENT).hops = 2  # type: ignore[misc]


def test_filters_match_as_the_simulator_says() -> None:
    assert Filter("temp > 20 AND s LIKE 'ä%'").matches(EVENT)
    assert not Filter("temp > 22").matches(EVENT)
    assert Filter("temp > 20") == Filter("temp > 20") != Filter("temp > 21")
    with pytest.raises(ValueError, match="is no filter"):
        Filter("temp >")


@pytest.mark.slow
def test_hashes_of_filters_are_the_same_in_every_process() -> None:
    code = "from mftpubsub.protocols import Filter; print(hash(Filter('temp > 20')))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(found) == 1


# On the radio


def lines_of(result: mftpubsub.Result) -> list[list[str]]:
    text = gzip.decompress(result.trace.read_bytes()).decode()
    return [line.split() for line in text.splitlines()]


def test_flooding_delivers_to_those_who_want_it(scenario: mftpubsub.Scenario) -> None:
    metrics = mftpubsub.run(scenario).metrics
    assert metrics["delivery_rate_strict"] == 1.0
    events = metrics["delivered_pairs"]
    # Publisher and both brokers say each event once.
    assert metrics["frames_by_kind"] == {"DATA": 3 * events}


def test_the_frame_is_as_long_as_its_bytes(scenario: mftpubsub.Scenario) -> None:
    event = Event((0, 0), {"temp": 21.5}, 30)
    on_air = 15 + 5 + Data(1, event).size  # type: ignore[attr-defined]
    frames = [line for line in lines_of(mftpubsub.run(scenario)) if line[4] == "DATA"]
    assert {int(line[6]) for line in frames} == {on_air}


def test_a_subscriber_gets_an_event_once(scenario: mftpubsub.Scenario) -> None:
    told = Counter(line[4] for line in lines_of(mftpubsub.run(scenario)) if line[3] == "app")
    assert told["DELIVER"] == told["PUBLISH"]
    assert told["DUPLICATE"] + told["OVERHEARD"] >= told["DELIVER"]


class Insisting(Flood):
    """The publisher sends each event to node 3 alone, three times."""

    def publish(self, event: Event) -> None:
        for _ in range(3):
            self.send(Data(1, event), 3)


def test_copies_for_one_are_duplicates_and_those_of_broadcasts_are_overheard(
    scenario: mftpubsub.Scenario,
) -> None:
    metrics = mftpubsub.run(scenario.replace(protocol=Insisting())).metrics
    events = metrics["delivered_pairs"]
    assert events == metrics["published"] > 0
    assert (metrics["duplicates"], metrics["overheard"]) == (2 * events, 0)
    metrics = mftpubsub.run(scenario).metrics
    assert metrics["duplicates"] == 0 < metrics["overheard"]


class Remembering:
    """No station: what stations may be made of."""

    remembered: ClassVar[list[EventId]] = []


SEEN: set[EventId] = set()


#: Whatever it is asked for, it has.
OBLIGING = Mock()


def see(event: Event) -> None:
    SEEN.add(event.id)
    OBLIGING(event.id)


class Shared(Remembering, Flood):
    """Its devices share what they have seen, as do runs that follow."""

    published = 0
    seen_by_all: ClassVar[set[EventId]] = set()
    #: Nothing that can be copied, or compared.
    untouched: ClassVar[list[object]] = [threading.Lock(), np.zeros(3)]

    def publish(self, event: Event) -> None:
        type(self).published += 1
        self.seen_by_all.add(event.id)
        self.remembered.append(event.id)
        see(event)
        super().publish(event)


def test_what_devices_share_is_told(
    scenario: mftpubsub.Scenario, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(type(scenario.protocol), "__slotnames__", raising=False)  # as in a new process
    mftpubsub.run(scenario)
    assert "all devices share" not in capsys.readouterr().err
    mftpubsub.run(scenario.replace(protocol=Shared()))
    told = capsys.readouterr().err
    assert re.findall(r"(\S+) has changed in this run: .* Make it in start", told) == [
        "Shared.published",
        "Shared.seen_by_all",
        "test_own_protocols.SEEN",
        "Remembering.remembered",
    ]
    assert "untouched" not in told


def test_nobody_gets_what_no_filter_matches(scenario: mftpubsub.Scenario) -> None:
    cold = scenario.replace(
        nodes=[
            mftpubsub.Group(1, [mftpubsub.Publisher(event={"temp": 19.0}, stop=15.0)]),
            mftpubsub.Group(1, ["broker"]),
            mftpubsub.Group(1, [mftpubsub.Subscriber(where="temp > 20")]),
        ]
    )
    told = Counter(line[4] for line in lines_of(mftpubsub.run(cold)) if line[3] == "app")
    assert told["PUBLISH"]
    assert not told["DELIVER"]


class Keeping(Flood):
    """Delivers all that it has heard once more when a filter comes."""

    def start(self) -> None:
        super().start()
        self.kept: list[tuple[Event, int, int]] = []

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.kept.append((message.event, sender, message.hops))
        super().receive(message, sender, rssi_dbm)

    def subscribed(self, where: Filter) -> None:
        for each in self.kept:
            self.deliver(*each)


def test_an_event_that_is_delivered_anew_reaches_a_filter_that_came_later(
    scenario: mftpubsub.Scenario,
) -> None:
    changes = [mftpubsub.Change(at=17, where="temp > 20")]
    late = mftpubsub.Group(1, [mftpubsub.Subscriber(where="temp > 30", changes=changes)])
    later = scenario.replace(protocol=Keeping(), nodes=[*scenario.nodes[:2], late])
    told = Counter(line[4] for line in lines_of(mftpubsub.run(later)) if line[3] == "app")
    assert told["DELIVER"] == told["PUBLISH"] > 0


def test_timers_move_and_end_and_go_off_in_order(scenario: mftpubsub.Scenario) -> None:
    class Telling(own_flood.Listener):
        def expire(self, timer: str) -> None:
            super().expire(timer)
            if timer == "later" and self.is_subscriber:
                raise ValueError(" / ".join(self.heard))

    with pytest.raises(RunError, match=r"subscribed temp > 20 / sooner 0\.5 / later 2\.0"):
        mftpubsub.run(scenario.replace(protocol=Telling()))


def test_a_device_knows_where_it_is_just_now(scenario: mftpubsub.Scenario) -> None:
    class Telling(Flood):
        def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
            if self.now > 5.0 and self.position:
                off = dist(self.position, (1 + 2 * self.now, 2, 3 + 0.5 * self.now))
                raise ValueError(f"off by {off:.6f} m")

    way = mftpubsub.Waypoints([[(0, 1, 2, 3), (10, 21, 2, 8)]] * 4)
    with pytest.raises(RunError, match=r"off by 0\.000000 m"):
        mftpubsub.run(scenario.replace(protocol=Telling(), mobility=way, area=(40, 40)))


def test_a_message_for_one_is_overheard_by_others(scenario: mftpubsub.Scenario) -> None:
    assert mftpubsub.run(scenario.replace(protocol=own_flood.Listener())).metrics["delivery_rate_strict"] == 1


def test_stable_storage_and_filters_outlive_a_crash(scenario: mftpubsub.Scenario) -> None:
    class Telling(own_flood.Listener):
        def start(self) -> None:
            super().start()
            if self.stable["starts"] == 2:
                self.set_timer("tell", 3.0)

        def expire(self, timer: str) -> None:
            if timer == "tell":
                raise ValueError(f"starts {self.stable['starts']}, {[str(one) for one in self.filters]}")

    crash = mftpubsub.crash(3, at=5.0, restart=8.0)
    with pytest.raises(RunError, match=r"at node 3, 11\.0\d+ s: ValueError: starts 2, \['temp > 20'\]"):
        mftpubsub.run(scenario.replace(protocol=Telling(), faults=[crash]))


def test_late_binding_is_asked_when_the_channel_is_free(scenario: mftpubsub.Scenario) -> None:
    metrics = mftpubsub.run(scenario.replace(protocol=own_flood.OneAtATime())).metrics
    assert metrics["delivery_rate_strict"] == 1.0
    assert metrics["frames_by_kind"] == {"DATA": metrics["delivered_pairs"]}


def test_devices_share_nothing_and_runs_neither(scenario: mftpubsub.Scenario) -> None:
    protocol = Flood()
    first = mftpubsub.run(scenario.replace(protocol=protocol))
    assert vars(protocol).keys() == {"_given", "jitter"}
    assert lines_of(first) == lines_of(mftpubsub.run(scenario.replace(protocol=protocol)))


@pytest.mark.slow
def test_the_same_trace_whatever_hashes_are(tmp_path: Path) -> None:
    code = (
        "import mftpubsub, hashlib, gzip; from own_flood import Flood\n"
        "study = mftpubsub.load('configs/thesis.yaml')\n"
        "case = study.case(protocol='aodv', config='C4', speed=8, seed=1)\n"
        "run = mftpubsub.run(case.replace(protocol=Flood(), duration=30, publisher={'stop': 25.0}))\n"
        "print(hashlib.sha256(gzip.decompress(run.trace.read_bytes())).hexdigest())"
    )
    found = set()
    for seed in "12":
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(HERE)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, check=True, cwd=HERE.parents[1]
        )
        found.add(done.stdout)
    assert len(found) == 1


# When it fails


def test_what_it_raises_names_class_method_node_and_time(scenario: mftpubsub.Scenario) -> None:
    where = r"Failing\.receive at node \d, \d\.\d{6} s: ValueError: boom"
    with pytest.raises(RunError, match=where) as raised:
        mftpubsub.run(scenario.replace(protocol=own_flood.Failing()))
    assert isinstance(raised.value.__cause__, ValueError)
    # The next run is not disturbed.
    assert mftpubsub.run(scenario).metrics["delivery_rate_strict"] == 1


def test_a_frame_that_is_too_large_names_class_and_sizes(scenario: mftpubsub.Scenario) -> None:
    with pytest.raises(RunError, match=r"a Data of 20\d\d B does not fit in a frame, \d+ B do"):
        mftpubsub.run(scenario.replace(protocol=own_flood.Fat()))


def test_a_message_that_is_not_declared_is_named(scenario: mftpubsub.Scenario) -> None:
    class Undeclared(Flood):
        messages: ClassVar[Any] = (Mixed,)

    with pytest.raises(RunError, match=r"add Data to .*Undeclared\.messages"):
        mftpubsub.run(scenario.replace(protocol=Undeclared()))


@pytest.mark.parametrize(
    ("protocol", "says"),
    [
        (Flood, r"a protocol is an object: write Flood\(\), not Flood"),
        ("own_flood:Flod", r"cannot load own_flood:Flod"),
        ({"own_flood:Flood": {"jiter": 1}}, r"jiter.*it takes jitter"),
        ("aodvv", r"did you mean 'aodv'"),
        (5, r"no protocol 5"),
    ],
)
def test_a_protocol_that_is_not_there_is_refused(
    scenario: mftpubsub.Scenario, protocol: Any, says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        scenario.replace(protocol=protocol)


def test_what_a_module_raises_as_it_is_imported_is_told(
    scenario: mftpubsub.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raises_at_import.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        ConfigurationError, match=r"raises_at_import:Mine: ZeroDivisionError: division by zero"
    ):
        scenario.replace(protocol="raises_at_import:Mine")


def test_a_class_that_cannot_be_meant_is_refused(scenario: mftpubsub.Scenario) -> None:
    class Silent(Station):
        pass

    class Misspelt(Flood):
        def recieve(self) -> None: ...

    class Base(Station):
        messages = (Data,)

        def recieve(self) -> None: ...

    class Aodv(Flood):
        pass

    for protocol, says in (
        (Silent(), "messages is empty"),
        (Base(), "no method receive but recieve"),
        (Aodv(), "that of a protocol that ships"),
    ):
        with pytest.raises(ConfigurationError, match=says):
            scenario.replace(protocol=protocol)
    scenario.replace(protocol=Misspelt())  # it has a receive


def test_policies_and_parts_that_it_does_not_use_are_refused(scenario: mftpubsub.Scenario) -> None:
    with pytest.raises(ConfigurationError, match=r"parent_policy: flood never asks it"):
        scenario.replace(parent_policy="strongest-link")
    with pytest.raises(ConfigurationError, match=r"overlay: flood does not depend on it"):
        scenario.replace(overlay={"leader_timeout": 5.0})
    with pytest.raises(ConfigurationError, match=r"payload: 5000 B do not fit"):
        scenario.replace(
            publisher=mftpubsub.Publisher(payload=5000),
            nodes=[mftpubsub.Group(2, ["publisher", "subscriber"])],
        )


# In files, sweeps and tables


def test_a_file_names_it(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    text = scenario.replace(protocol=Flood(0.2)).to_yaml()
    assert re.search(r"own_flood:Flood:? *\{jitter: 0\.2\}", text)
    again = mftpubsub.Scenario.from_yaml(text)
    assert isinstance(again.protocol, Flood)
    assert again.protocol.jitter == 0.2
    assert again.fingerprint() == scenario.replace(protocol=Flood(0.2)).fingerprint()


def test_what_it_does_determines_its_fingerprint(scenario: mftpubsub.Scenario) -> None:
    prints = {
        scenario.replace(protocol=protocol).fingerprint()
        for protocol in (Flood(), Flood(0.2), own_flood.Failing())
    }
    assert len(prints) == 3


def test_its_identity_has_the_hash_of_its_module() -> None:
    source = (HERE / "own_flood.py").read_text(encoding="utf-8")
    assert Flood().identity()["source"] == sha256(source.encode()).hexdigest()


def test_its_helpers_belong_to_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    hashes = set()
    for name, delay in (("one", 0.1), ("two", 0.2)):
        source = (HERE / "own_flood.py").read_text()
        (tmp_path / f"flood_{name}.py").write_text(f"DELAY = {delay}\n{source}")
        hashes.add(__import__(f"flood_{name}").Flood().source_hash())
    assert len(hashes) == 2


def test_a_run_s_record_is_of_the_code_that_was_there_as_it_began(
    scenario: mftpubsub.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "edited_amid_a_run.py"
    module.write_text(source := (HERE / "own_flood.py").read_text())
    monkeypatch.syspath_prepend(tmp_path)
    edit = mftpubsub.At([1], lambda _: module.write_text(f"{source}\n"))
    case = scenario.replace(protocol="edited_amid_a_run:Flood", observers=[edit])
    told = json.loads((run_to_directory(case, tmp_path / "runs") / "run.json").read_text())
    assert told["scenario"]["protocol"]["source"] == sha256(source.encode()).hexdigest()
    assert told["fingerprint"] != case.fingerprint()


def test_a_sweep_runs_it_beside_others(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    table = mftpubsub.sweep(
        scenario, tmp_path, over={"protocol": [Flood(), "mft-mesh"], "seed": [1, 2]}, workers=2
    )
    assert list(table["failure"]) == [None] * 4
    assert set(table["protocol"]) == {"flood", "mft-mesh"}
    assert (table["delivery_rate_strict"] == 1).all()
    run = mftpubsub.open_run(tmp_path / "runs" / "protocol=flood" / "config=custom" / "speed=2" / "seed=1")
    assert isinstance(run.scenario.protocol, Flood)


@pytest.mark.slow
def test_a_finished_run_is_told_without_its_module(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    source = (HERE / "own_flood.py").read_text()
    (tmp_path / "gone.py").write_text(source)
    code = (
        "import mftpubsub, sys; from gone import Flood\n"
        "scenario = mftpubsub.Scenario.from_yaml('scenario.yaml').replace(protocol=Flood(0.2))\n"
        "mftpubsub.sweep([scenario], 'out', workers=1)"
    )
    (tmp_path / "scenario.yaml").write_text(scenario.replace(protocol="mft-mesh").to_yaml())
    (tmp_path / "main.py").write_text(
        f"if __name__ == '__main__':\n    {code.replace(chr(10), chr(10) + '    ')}\n"
    )
    subprocess.run([sys.executable, "main.py"], cwd=tmp_path, check=True, capture_output=True)
    run = mftpubsub.open_run(next(tmp_path.glob("out/runs/*/*/*/*")))
    assert str(run.scenario.protocol) == "flood"
    assert run.metrics["delivery_rate_strict"] == 1
    with pytest.raises(RunError, match=r"gone:Flood is not imported"):
        mftpubsub.run(run.scenario)


SCRIPT = """
{definitions}

if __name__ == "__main__":
    import mftpubsub

    scenario = mftpubsub.Scenario.from_yaml("scenario.yaml").replace(protocol=Flood())
    print(list(mftpubsub.sweep(scenario, over={{"seed": [1, 2]}}, workers=2)["delivery_rate_strict"]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["a script", "a prompt"])
def test_one_of_a_script_or_of_a_prompt_is_handed_to_other_processes(
    scenario: mftpubsub.Scenario, tmp_path: Path, how: str
) -> None:
    (tmp_path / "scenario.yaml").write_text(scenario.replace(protocol="mft-mesh").to_yaml())
    script = tmp_path / "script.py"
    definitions = (HERE / "own_flood.py").read_text().partition("class Failing")[0]
    script.write_text(SCRIPT.format(definitions=definitions))
    given = ["-c", script.read_text()] if how == "a prompt" else [str(script)]
    done = subprocess.run([sys.executable, *given], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "[1.0, 1.0]\n", done.stderr


def test_two_of_one_name_are_refused(scenario: mftpubsub.Scenario) -> None:
    with pytest.raises(ConfigurationError, match="two protocols are called flood, and differ"):
        mftpubsub.sweep(scenario, over={"protocol": [Flood(0.1), Flood(0.2)]})
    check_names([Flood(), Flood(), "aodv"])


def test_a_study_has_it_among_its_protocols(tmp_path: Path) -> None:
    study = mftpubsub.Study.from_yaml(
        "duration: 20\npublisher: {stop: 15}\n"
        + "protocols: [mft-mesh, 'own_flood:Flood', {'own_flood:OneAtATime': {}}]\n"
        + "configurations:\n"
        + "  C1: {area: [20, 20], nodes: [{count: 3, roles: [broker, publisher, subscriber]}]}\n"
        + "speeds: [2]\nseeds: 1\n"
    )
    assert [str(case.protocol) for case in study.cases()] == ["mft-mesh", "flood", "one-at-a-time"]
    assert str(study.case(protocol="flood", config="C1", speed=2, seed=1).protocol) == "flood"
    with pytest.raises(ConfigurationError, match="no protocol 'flod'; did you mean 'flood'"):
        study.case(protocol="flod", config="C1", speed=2, seed=1)


def test_what_a_study_of_it_lacks_is_told_by_its_name(tmp_path: Path) -> None:
    kept = {
        "protocols": ["mft-mesh", Flood(jitter=0.2).record()],
        "configurations": {"C1": {}},
        "speeds": [2.0],
        "seeds": [1, 2],
    }
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "own.yaml").write_text(yaml.safe_dump(kept))
    (tmp_path / "tables").mkdir()
    runs = [("mft-mesh", "C1", 2.0, 1), ("mft-mesh", "C1", 2.0, 2), ("flood", "C1", 2.0, 1)]
    table = pd.DataFrame(runs, columns=["protocol", "config", "speed_mps", "seed"])
    table.to_parquet(tmp_path / "tables" / "runs.parquet")
    results = StudyResults(tmp_path)
    assert missing(results) == ["no run: flood, C1, 2 m/s, seed 2"]


def test_its_parameters_are_axes(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    table = mftpubsub.sweep(
        scenario,
        tmp_path,
        over={"protocol": [Flood(), "mft-mesh"], "protocol.jitter": [0.1, 0.3]},
        workers=2,
    )
    flood = table[table["protocol"] == "flood"]
    assert list(flood["protocol.jitter"]) == [0.1, 0.3]
    assert flood["delay_mean_s"].is_monotonic_increasing
    runs = [
        mftpubsub.open_run(path.parent) for path in sorted(tmp_path.glob("runs/protocol=flood/**/run.json"))
    ]
    assert [run.scenario.protocol.jitter for run in runs] == [0.1, 0.3]  # type: ignore[union-attr]
    for wrong in ("jiter", ""):
        with pytest.raises(ConfigurationError, match=rf"protocol\.{wrong}: flood has no parameter '{wrong}'"):
            mftpubsub.sweep(scenario, over={f"protocol.{wrong}": [0.1]})


def test_a_study_varies_its_parameters() -> None:
    text = (
        "duration: 20\npublisher: {stop: 15}\nprotocols: ['own_flood:Flood', mpl]\n"
        "configurations:\n"
        "  C1: {area: [20, 20], nodes: [{count: 3, roles: [broker, publisher, subscriber]}]}\n"
        "speeds: [2]\nseeds: 1\naxes: {protocol.jitter: [0.1, 0.3]}\n"
    )
    cases = mftpubsub.Study.from_yaml(text).cases()
    jitters = [case.protocol.jitter for case in cases if isinstance(case.protocol, Flood)]
    assert jitters == [0.1, 0.3]
    assert len({case.fingerprint() for case in cases if isinstance(case.protocol, Flood)}) == 2
    with pytest.raises(
        ConfigurationError, match=r"axes\.protocol\.late: flood and mpl has no parameter 'late'"
    ):
        mftpubsub.Study.from_yaml(text.replace("protocol.jitter", "protocol.late"))


# What is told of them


def test_reports_lead_with_the_strict_rate_and_what_was_reachable(scenario: mftpubsub.Scenario) -> None:
    names = ("delivery_rate", "delay_mean_s", "delivery_rate_strict")
    strict = ["delivery_rate_strict", "delivered_of_reachable"]
    assert leading(names, ["mft-pubsub", "mft-mesh"]) == list(names)
    assert why_strict(["mft-pubsub", "mft-mesh"]) == ""
    for protocol in ("flood", "mpl", "epidemic"):
        assert leading(names, ["mft-pubsub", protocol]) == [*strict, "delivery_rate", "delay_mean_s"]
    assert why_strict(["mft-pubsub", "flood"]).endswith(f"Of flood read {' and '.join(strict)}.")
    shown = mftpubsub.run(scenario)._repr_html_()
    assert re.findall(r"deliver\w+", shown)[:3] == [*strict, "delivery_rate"]


def test_sweeps_and_comparisons_lead_with_them_too(
    scenario: mftpubsub.Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    table = mftpubsub.sweep(scenario, over={"protocol": [Flood(), "mft-mesh"], "seed": [1, 2]}, workers=2)
    metrics = [name for name in map(str, table) if name.startswith("deliver")]
    assert metrics[:2] == ["delivery_rate_strict", "delivered_of_reachable"]
    capsys.readouterr()
    mftpubsub.compare(table, by="protocol", metric="delivery_rate")
    assert "1 by construction. Of flood read delivery_rate_strict" in capsys.readouterr().err
    mftpubsub.compare(table, by="protocol", metric="delivery_rate_strict")
    assert capsys.readouterr().err == ""


def test_a_run_that_is_printed_leads_with_them(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(scenario.to_yaml(), encoding="utf-8")
    printed = CliRunner().invoke(app, ["run", str(file), "--quiet"]).output.splitlines()
    assert "1 by construction" in printed[0]
    assert [line.split()[0] for line in printed[1:3]] == ["delivery_rate_strict", "delivered_of_reachable"]
