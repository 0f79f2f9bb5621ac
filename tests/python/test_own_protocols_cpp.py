"""Protocols of users in C++: compiled when they are loaded, named by files, told apart by what they say."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mftpubsub
from mftpubsub import ConfigurationError, RunError
from mftpubsub.protocols import cpp
from mftpubsub.protocols.naming import parse
from mftpubsub.scenario.axes import vary
from mftpubsub.simulator import own_code

FLOOD = Path(__file__).parents[2] / "python" / "examples" / "protocols" / "flood.cc"


@pytest.fixture(scope="module")
def scenario() -> mftpubsub.Scenario:
    return mftpubsub.Scenario(
        area=(20, 20),
        nodes=[
            mftpubsub.Group(1, [mftpubsub.Publisher(event={"temp": 21.5}, stop=15.0)]),
            mftpubsub.Group(2, ["broker"]),
            mftpubsub.Group(1, [mftpubsub.Subscriber(where="temp > 20")]),
        ],
        speed=2,
        duration=20,
    )


def flood(jitter: float = 0.05) -> object:
    return cpp(FLOOD, name="flood-cc", options={"jitter": jitter})


@pytest.mark.slow
def test_a_file_runs_without_building_anything(scenario: mftpubsub.Scenario) -> None:
    metrics = mftpubsub.run(scenario.replace(protocol=flood())).metrics
    assert metrics["delivery_rate_strict"] == 1
    assert metrics["frames_by_kind"] == {"DATA": 3 * metrics["delivered_pairs"]}


@pytest.mark.slow
def test_a_full_station_runs_too_and_does_not_deliver_twice_after_a_crash(
    scenario: mftpubsub.Scenario,
) -> None:
    repeat = scenario.replace(protocol=cpp(FLOOD.with_name("repeat.cc"), name="repeat-cc"))
    metrics = mftpubsub.run(repeat).metrics
    assert metrics["delivery_rate_strict"] == 1
    assert metrics["frames_by_kind"] == {"PUB": 4 * metrics["delivered_pairs"]}
    faults = [mftpubsub.crash(3, at=4.0, restart=8.0)]
    deliveries = mftpubsub.run(repeat.replace(faults=faults)).to_pandas("deliveries")
    assert 0.5 < deliveries["delivered_s"].notna().mean() < 1
    assert not deliveries.duplicated(["publisher", "sequence", "subscriber"]).any()


def test_options_reach_it(scenario: mftpubsub.Scenario) -> None:
    quick, slow = (mftpubsub.run(scenario.replace(protocol=flood(jitter))).metrics for jitter in (0.001, 0.5))
    assert quick["delay_mean_s"] < slow["delay_mean_s"] / 3
    wrong = scenario.replace(protocol=cpp(FLOOD, name="flood-cc", options={"jitter": "soon"}))
    with pytest.raises(RunError, match="parameter jitter: 'soon' is no number"):
        mftpubsub.run(wrong)


def having(text: str, faults: dict[str, str]) -> str:
    """What a file says, with further lines, each after a line that stands there once."""
    for line, fault in faults.items():
        assert text.count(line) == 1, line
        text = text.replace(line, f"{line}\n{fault}\n")
    return text


@pytest.fixture(scope="module")
def faulty_flood(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its parameter says what it does wrong. It is one file, as compilation takes long."""
    lines = {
        '{"DATA"})\n    {': "if (Is(1)) { throw 7; }\nif (Is(2)) { SetTimer(1, mesh::Seconds(1)); }",
        "private:": 'bool Is(double fault) const { return GetParameter("fault", 0) == fault; }',
        "ByteReader in(message.body);": (
            'if (Is(3)) { throw std::runtime_error("boom"); }\nif (Is(4)) { throw 7; }\n'
            "if (Is(7)) { Broadcast({0, 99, {}, {}}); }\n"
            "if (Is(8)) { throw std::runtime_error("
            "std::to_string(GetPosition()->x - 2 * std::chrono::duration<double>(Now()).count())); }"
        ),
        "void TakeCopy(const EventPtr& event, NodeId sender, uint8_t hops)\n    {": (
            "if (Is(5)) { Deliver(nullptr, sender, hops); }\n"
            "if (Is(6)) { auto other = *event; other.id.sequence += 5000;\n"
            "Deliver(std::make_shared<mftpubsub::Event>(other), sender, hops); }"
        ),
    }
    file = tmp_path_factory.mktemp("flood") / "flood.cc"
    file.write_text("#include <stdexcept>\n" + having(FLOOD.read_text(), lines))
    return file


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (1, r"constructor at node 0, 0\.0+ s: it throws what is no std::exception"),
        (2, r"constructor at node 0, 0\.0+ s: SetTimer: call it in OnStart or later"),
        (3, r"Receive at node [123], \d+\.\d+ s: boom"),
        (4, r"Receive at node [123], \d+\.\d+ s: it throws what is no std::exception"),
        (5, r"Publish at node 0, \d+\.\d+ s: Deliver: the event is nullptr"),
        (6, r"Receive at node [123], \d+\.\d+ s: deliver: nobody has published 0:50\d\d"),
        (7, r"Receive at node [123], \d+\.\d+ s: a message for node 99: there are 0 to 3"),
    ],
)
def test_what_it_throws_is_told_with_method_node_and_time(
    scenario: mftpubsub.Scenario, faulty_flood: Path, fault: int, says: str
) -> None:
    protocol = cpp(faulty_flood, name="flood-cc", options={"fault": fault})
    with pytest.raises(RunError, match=f"flood-cc .*: {says}"):
        mftpubsub.run(scenario.replace(protocol=protocol))


def test_it_knows_where_it_is_just_now(scenario: mftpubsub.Scenario, faulty_flood: Path) -> None:
    way = mftpubsub.Waypoints([[(0, 1, 2), (20, 41, 2)]] * 4)
    protocol = cpp(faulty_flood, name="flood-cc", options={"fault": 8})
    with pytest.raises(RunError, match=r"Receive at node [123], \d+\.\d+ s: 1\.000000"):
        mftpubsub.run(scenario.replace(protocol=protocol, mobility=way, area=(50, 20)))


@pytest.fixture(scope="module")
def faulty_repeat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = {
        "private:": (
            "bool Is(const char* fault) const\n"
            '{ return m_seat.parameters.contains("fault") && m_seat.parameters.at("fault") == fault; }'
        ),
        "Instant NextDue() const override\n    {": 'if (Is("past")) { return Instant(1); }',
        "WriteEvent(frame, *event);": 'if (Is("large")) { frame.PutBytes(Bytes(20000)); }',
        "frame.Take(), {event->id}};": (
            'if (Is("name")) { output.frame->name = "PUBLICATION-OF-NODE-" + std::to_string(m_seat.self); }\n'
            'if (Is("words")) { output.frame->name = "A PUB"; }\n'
            'if (Is("sender")) { output.frame->bytes[0] = 99; }'
        ),
    }
    file = tmp_path_factory.mktemp("repeat") / "repeat.cc"
    file.write_text(having(FLOOD.with_name("repeat.cc").read_text(), lines))
    return file


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("past", r"Expire at node \d, .*: 100000 times .* at what has passed, 0\.0+ s"),
        ("large", r"Publish at node 0, .*: a PUB of \d+ bytes does not fit in a frame \(\d+ bytes\)"),
        ("words", r"Publish at node 0, .*: a kind of frames is called 'A PUB'"),
        ("sender", r"Receive at node \d, .*: deliver: from node \d+: there are 0 to 3"),
    ],
)
def test_what_a_full_station_does_wrong_is_told(
    scenario: mftpubsub.Scenario, faulty_repeat: Path, fault: str, says: str
) -> None:
    protocol = cpp(faulty_repeat, name="repeat-cc", options={"fault": fault})
    with pytest.raises(RunError, match=says):
        mftpubsub.run(scenario.replace(protocol=protocol))


def test_a_frame_may_have_a_name_that_is_made_for_it(
    scenario: mftpubsub.Scenario, faulty_repeat: Path
) -> None:
    protocol = cpp(faulty_repeat, name="repeat-cc", options={"fault": "name"})
    kinds = mftpubsub.run(scenario.replace(protocol=protocol)).metrics["frames_by_kind"]
    assert set(kinds) == {f"PUBLICATION-OF-NODE-{node}" for node in range(4)}


def test_it_survives_a_crash(scenario: mftpubsub.Scenario) -> None:
    metrics = mftpubsub.run(
        scenario.replace(protocol=flood(), faults=[mftpubsub.crash(3, at=4.0, restart=8.0)])
    ).metrics
    assert 0.5 < metrics["delivery_rate_strict"] < 1


def test_files_name_it(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    (tmp_path / "flood.cc").write_text(FLOOD.read_text())
    text = scenario.to_yaml().replace("protocol: mft-pubsub", "")
    file = tmp_path / "scenario.yaml"
    file.write_text(text + "protocol: {cpp: flood.cc, name: flood-cc, options: {jitter: 0.1}}\n")
    named = mftpubsub.Scenario.from_yaml(file)
    assert str(named.protocol) == "flood-cc"
    assert mftpubsub.run(named).metrics["delivery_rate_strict"] == 1
    again = mftpubsub.Scenario.from_yaml(named.to_yaml())
    assert again.fingerprint() == named.fingerprint()


@pytest.mark.slow
def test_another_text_is_another_protocol_in_headers_of_its_own_too(
    scenario: mftpubsub.Scenario, tmp_path: Path
) -> None:
    """They are included twice, one by another; one has a guard. They open our namespaces."""
    begin, end = "class Flood : public", "const bool REGISTERED"
    text = FLOOD.read_text().replace("Has(BROKER) ||", "ALL ||").replace(end, f"}}\n{end}")
    text = text.replace(begin, f"namespace mftpubsub::mesh {{\n{begin}")
    (file := tmp_path / "flood.cc").write_text(f'#include "more/who.h"\n#include "its.h"\n{text}')
    (tmp_path / "its.h").write_text(
        '#pragma once\n#include "more/who.h"\nconst bool ALL = mftpubsub::BROKERS;\n'
    )
    (tmp_path / "more").mkdir()
    (who := tmp_path / "more" / "who.h").write_text(
        "#ifndef WHO_H\n#define WHO_H\nnamespace mftpubsub {\nconst bool BROKERS = true;\n}\n#endif\n"
    )
    first = scenario.replace(protocol=cpp(file, name="flood-cc"))
    frames = mftpubsub.run(first).metrics["frames"]
    who.write_text(who.read_text().replace("true", "false"))
    second = scenario.replace(protocol=cpp(file, name="flood-cc"))
    assert first.fingerprint() != second.fingerprint()
    assert mftpubsub.run(second).metrics["frames"] < frames / 2
    assert mftpubsub.run(first).metrics["frames"] == frames  # of its text, whatever the files say now


def test_where_its_files_lie_is_no_part_of_it(
    scenario: mftpubsub.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name / "flood.cc" for name in ("here", "there")]
    for file in files:
        file.parent.mkdir()
        file.write_text('#include "its.h"\n' + FLOOD.read_text())
        (file.parent / "its.h").write_text("#pragma once\nstruct Its;\n")
    monkeypatch.chdir(tmp_path)
    here, there = (
        scenario.replace(protocol=cpp(file, name="flood-cc")) for file in ("here/flood.cc", files[1])
    )
    assert here == there
    assert here.fingerprint() == there.fingerprint()
    assert parse(here.protocol.record()).file == "here/flood.cc"  # type: ignore[union-attr]


#: What tells how often a header counts, and what it includes under conditions, as preprocessors know it.
HEADERS = {
    "guard": "#if !defined(ITS_H)\n#define ITS_H\nconst bool ALL = YES;\n#endif\n",
    "macro": "#pragma once\n#ifndef ALL\n#define ALL YES\n#endif\n",
    "condition": "#pragma once\n#ifdef _WIN32\n#include <windows.h>\n#endif\nconst bool ALL = YES;\n",
    "other header, if it is there": (
        '#pragma once\n#if __has_include("not.h")\n#include "not.h"\n#endif\nconst bool ALL = YES;\n'
    ),
    "comment": '/* of old:\n#include "its.h"\n*/\n#pragma once\nconst bool ALL = YES;\n',
}


@pytest.mark.slow
@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_headers_are_what_they_are_for_compilers(
    scenario: mftpubsub.Scenario, tmp_path: Path, header: str
) -> None:
    """Of two protocols in a process, and of two versions; the package's own headers may lie there too."""
    frames = []
    (tmp_path / "protocols" / "own").mkdir(parents=True)
    (tmp_path / "protocols" / "own" / "simple-station.h").write_text("#error not a user's\n")
    for value, name in (("true", "flood-a"), ("false", "flood-a"), ("true", "flood-b")):
        (tmp_path / "its.h").write_text(header.replace("YES", value))
        text = FLOOD.read_text().replace("Has(BROKER) ||", "ALL ||").replace('"flood-cc"', f'"{name}"')
        (tmp_path / "flood.cc").write_text('#include "its.h"\n#include "its.h"\n' + text)
        protocol = cpp(tmp_path / "flood.cc", name=name)
        frames.append(mftpubsub.run(scenario.replace(protocol=protocol)).metrics["frames"])
    assert frames[0] == frames[2] > 2 * frames[1]


@pytest.mark.slow
def test_a_header_without_a_guard_counts_each_time(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    (tmp_path / "kinds.def").write_text("KIND(DATA)\n")
    enum, names = "enum Kind : uint8_t\n    {\n        DATA\n    };", '{"DATA"}'
    table = '\n#define KIND(kind) {}\n#include "kinds.def"\n#undef KIND\n'
    text = FLOOD.read_text()
    assert enum in text
    assert names in text
    text = text.replace(enum, f"enum Kind : uint8_t\n{{{table.format('kind,')}}};")
    text = text.replace(names, f"{{{table.format('#kind,')}}}")
    (tmp_path / "flood.cc").write_text(text)
    result = mftpubsub.run(scenario.replace(protocol=cpp(tmp_path / "flood.cc", name="flood-cc")))
    assert set(result.metrics["frames_by_kind"]) == {"DATA"}


@pytest.mark.slow
def test_sweeps_take_it_along(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    file = tmp_path / "flood.cc"
    file.write_text(FLOOD.read_text())
    protocol = cpp(file, name="flood-cc")
    file.unlink()  # as on another machine
    table = mftpubsub.sweep(
        scenario, tmp_path / "out", over={"protocol": [protocol], "seed": [1, 2]}, workers=1
    )
    assert list(table["failure"]) == [None, None]
    folder = tmp_path / "out" / "runs" / "protocol=flood-cc" / "config=custom" / "speed=2" / "seed=1"
    assert str(mftpubsub.open_run(folder).scenario.protocol) == "flood-cc"


@pytest.mark.slow
def test_what_does_not_compile_is_told_with_its_line(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    """After a header, too. In a process of its own: the compiler of this one does not forget."""
    text = FLOOD.read_text().replace("mesh::Seconds", "mesh::Minutes")
    (tmp_path / "flood.cc").write_text(f'#include "its.h"\n{text}')
    (tmp_path / "its.h").write_text("\n\nstruct Its;\n")
    lines = (tmp_path / "flood.cc").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "mesh::Minutes" in text)
    (tmp_path / "scenario.yaml").write_text(
        scenario.replace(protocol=cpp(tmp_path / "flood.cc", name="flood-cc")).to_yaml()
    )
    run = [sys.executable, "-m", "mftpubsub", "run", str(tmp_path / "scenario.yaml")]
    told = subprocess.run(run, capture_output=True, text=True).stderr
    assert re.search(rf"does not compile:\n.*flood\.cc:{line}:\d+: error:", told), told
    assert "Traceback" not in told


def test_what_a_file_asks_for_can_be_an_axis(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    """Whether or not its options say it."""
    (tmp_path / "own.cc").write_text(FLOOD.read_text() + '\n// GetParameter("old", 1.0)\n')
    own = cpp(tmp_path / "own.cc", name="flood-cc")
    assert own.parameter_names() == ["jitter"]
    _, slow = vary(scenario.replace(protocol=own), {"protocol.jitter": [0.05, 0.1]})
    assert "options: {jitter: '0.1'}" in slow[1].to_yaml()


def test_an_option_that_nobody_asks_for_is_refused(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"flood\.cc: it asks for no option 'jiter'; .*'jitter'"):
        cpp(FLOOD, name="flood-cc", options={"jiter": 0.1})
    with pytest.raises(ConfigurationError, match="no option 'jiter'"):
        flood().varied({"jiter": 1})  # type: ignore[attr-defined]
    (own := tmp_path / "flood.cc").write_text('#include "its.h"\n' + FLOOD.read_text())
    (tmp_path / "its.h").write_text('const std::string ASKED = "jiter";\n')
    assert cpp(own, name="flood-cc", options={"jiter": 0.1}).options == {"jiter": "0.1"}


def test_a_library_that_was_made_anew_wants_another_process(tmp_path: Path) -> None:
    """What registers no protocol is enough: it has been loaded."""
    source, library = str(tmp_path / "it.cc"), str(tmp_path / "libit.so")
    for value, said in (1, "lacks Register"), (2, "made anew after this process .*: start another process"):
        Path(source).write_text(f"int it = {value};")
        own_code.build(source, library)
        with pytest.raises(ConfigurationError, match=said):
            cpp(library, name="it").load()


def test_libraries_with_the_same_names_are_told_apart(tmp_path: Path) -> None:
    """Each one's function and static variable are what its own text says."""
    for value in (1, 2):
        source, library = tmp_path / f"{value}.cc", str(tmp_path / f"lib{value}.so")
        inline = f"inline int it() {{ static int is = {value}; return is--; }}"
        source.write_text(f"{inline} int (*value)() = it;")
        own_code.build(str(source), library)
        with pytest.raises(ConfigurationError, match="lacks Register"):
            cpp(library, name="it").load()
        called = ctypes.CFUNCTYPE(ctypes.c_int).in_dll(ctypes.CDLL(library), "value")
        assert called() == value


def test_what_is_missing_is_told(scenario: mftpubsub.Scenario) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.cc: No such file"):
        cpp("nowhere.cc", name="flood-cc")
    with pytest.raises(ConfigurationError, match="no protocol 'other' is registered"):
        mftpubsub.run(scenario.replace(protocol=cpp(FLOOD, name="other")))
    with pytest.raises(ConfigurationError, match=r"is \{cpp: FILE, name: NAME"):
        scenario.replace(protocol={"cpp": str(FLOOD)})
