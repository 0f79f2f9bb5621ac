"""With ns-3's own bindings in one process: given nodes, trace callbacks, pcap, NetAnim.

Loading the bindings takes some 10 s, so all tests share this process.
"""

from __future__ import annotations

import contextlib
import json
import re
import runpy
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cppyy
import pytest

import mftpubsub
from mftpubsub.protocols.catalogue import POLICIES, PROTOCOLS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "configs" / "thesis.yaml"
PAIR = ["mft-pubsub", "aodv"]
NODES = 18
DEVICES = "/NodeList/*/DeviceList/*"

PUBSUB, IPV4 = 0x88B5, 0x0800
UDP, AODV_PORT = 17, 654
BROADCAST = "ff:ff:ff:ff:ff:ff"


@pytest.fixture(scope="module")
def interop(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Loaded in a folder with two copies of ns-3 below it, where the bindings by themselves do not load."""
    folder = tmp_path_factory.mktemp("copies")
    for name in ("one", "two"):
        libraries = folder / name / "lib" / "python3" / "ns3" / "lib64"
        libraries.mkdir(parents=True)
        (libraries / "libns3.44-core.so").touch()
    with contextlib.chdir(folder):
        from mftpubsub import interop

    return interop


@pytest.fixture(scope="module")
def ns(interop: Any) -> Any:
    from ns import ns

    return ns


@pytest.fixture(autouse=True)
def _clean(ns: Any) -> Iterator[None]:
    """Takes down what a test has left in ns-3's simulator."""
    yield
    ns.Simulator.Destroy()


def scenario(protocol: str = "mft-pubsub", **changes: object) -> mftpubsub.Scenario:
    """C8 at 8 m/s, cut short."""
    case = mftpubsub.load(CONFIG).case(protocol=protocol, config="C8", speed=8, seed=1)
    return case.replace(duration=6.0, publisher=case.publisher.model_copy(update={"stop": 5.0}), **changes)


def make_nodes(ns: Any, count: int = NODES) -> Any:
    nodes = ns.NodeContainer()
    nodes.Create(count)
    return nodes


def move_at_random(ns: Any, nodes: Any, side: float = 50.0) -> None:
    """ns-3's random waypoint, all by ns-3's automatic random streams."""
    uniform = f"ns3::UniformRandomVariable[Min=0|Max={side}]"
    factory = ns.ObjectFactory()
    factory.SetTypeId("ns3::RandomRectanglePositionAllocator")
    factory.Set("X", ns.StringValue(uniform))
    factory.Set("Y", ns.StringValue(uniform))
    positions = factory.Create().GetObject[ns.PositionAllocator]()
    mobility = ns.MobilityHelper()
    mobility.SetPositionAllocator(positions)
    mobility.SetMobilityModel(
        "ns3::RandomWaypointMobilityModel",
        "Speed", ns.StringValue("ns3::ConstantRandomVariable[Constant=8]"),
        "PositionAllocator", ns.PointerValue(positions),
    )  # fmt: skip
    mobility.Install(nodes)


def stand(ns: Any, node: Any, x: float, y: float) -> None:
    model = ns.CreateObject["ns3::ConstantPositionMobilityModel"]()
    model.SetPosition(ns.Vector(x, y, 0))
    node.AggregateObject(model)


class Captured(NamedTuple):
    """A frame of a capture."""

    time_s: float
    destination: str
    source: str
    ethertype: int
    payload: bytes


def read_pcap(path: Path) -> Iterator[Captured]:
    content = path.read_bytes()
    magic, _, _, _, _, _, link_type = struct.unpack_from("<IHHiIII", content)
    assert (magic, link_type) == (0xA1B2C3D4, 1)  # microseconds, Ethernet
    at = 24
    while at < len(content):
        seconds, micros, kept, size = struct.unpack_from("<IIII", content, at)
        assert kept == size
        frame = content[at + 16 : at + 16 + size]
        (ethertype,) = struct.unpack_from("!H", frame, 12)
        yield Captured(
            seconds + micros / 1e6, frame[:6].hex(":"), frame[6:12].hex(":"), ethertype, frame[14:]
        )
        at += 16 + size


@pytest.mark.slow
def test_the_package_starts_without_what_only_some_need() -> None:
    code = (
        "import sys, mftpubsub;"
        "heavy = {'cppyy', 'duckdb', 'matplotlib', 'ns', 'numpy', 'pandas', 'pyspark', 'scipy'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


@pytest.mark.slow
def test_bindings_that_do_not_load_are_told_with_a_remedy() -> None:
    code = "import sys; sys.modules['ns'] = None; import mftpubsub.interop"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "InstallationError: ns-3's own Python bindings do not load" in told.stderr
    assert "only one copy may lie below them" in told.stderr


def test_the_example_prints_what_it_should(
    interop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ns3_bindings.py"])
    runpy.run_path(str(ROOT / "python/examples/ns3_bindings.py"), run_name="__main__")
    assert capsys.readouterr().out == (ROOT / "tests/examples/ns3_bindings.txt").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PAIR)
def test_whoever_watches_a_network_does_not_disturb_it(
    interop: Any, ns: Any, protocol: str, tmp_path: Path
) -> None:
    case = scenario(protocol)
    alone = mftpubsub.run(case, tmp_path / "alone.gz")
    for name in ("first.gz", "second.gz"):
        with interop.network(case, trace=tmp_path / name) as net:
            net.connect(DEVICES, "Transmit", lambda *arguments: None)
            net.enable_pcap(tmp_path / "run", promiscuous=True)
            net.animate(tmp_path / "run.xml")
            result = net.run()
        assert result.trace.read_bytes() == alone.trace.read_bytes()
        assert result.metrics["published"] == alone.metrics["published"] > 0


@pytest.mark.slow
def test_given_nodes_keep_their_mobility_and_the_others_get_the_scenarios(interop: Any, ns: Any) -> None:
    with interop.network(scenario()) as net:
        own = [net.nodes.Get(i).GetObject[ns.MobilityModel]().GetPosition().x for i in range(NODES)]
    nodes = make_nodes(ns)
    stand(ns, nodes.Get(3), 12.0, 34.0)
    with interop.network(scenario(), nodes=nodes) as net:
        models = [net.nodes.Get(i).GetObject[ns.MobilityModel]() for i in range(NODES)]
        snapshots: list[mftpubsub.Snapshot] = []
        result = net.run(observers=[mftpubsub.At([5.0], snapshots.append)])
        assert (snapshots[0].nodes[3].x, snapshots[0].nodes[3].y) == (12.0, 34.0)
        assert [models[3].GetPosition().x, models[3].GetPosition().y] == [12.0, 34.0]
        names = Counter(str(model.GetInstanceTypeId().GetName()) for model in models)
        assert names == {"ns3::ConstantPositionMobilityModel": 1, "ns3::RandomWaypointMobilityModel": 17}
    with pytest.raises(mftpubsub.QueryError, match=r"cannot be simulated anew.*its nodes were given"):
        result.snapshot(5.0)
    with interop.network(scenario(), nodes=make_nodes(ns)) as net:
        assert [net.nodes.Get(i).GetObject[ns.MobilityModel]().GetPosition().x for i in range(NODES)] == own


def test_what_is_built_twice_with_ns_is_twice_the_same_and_follows_the_seed(interop: Any, ns: Any) -> None:
    traces = []
    for seed in (1, 1, 2):
        nodes = make_nodes(ns)
        move_at_random(ns, nodes)
        with interop.network(scenario(seed=seed), nodes=nodes) as net:
            traces.append(net.run().trace.read_bytes())
    assert traces[0] == traces[1] != traces[2]


def test_nodes_of_ns_may_carry_devices_of_their_own(interop: Any, ns: Any) -> None:
    for protocol in PAIR:
        nodes = make_nodes(ns)
        ns.SimpleNetDeviceHelper().Install(nodes)
        with interop.network(scenario(protocol), nodes=nodes) as net:
            assert nodes.Get(0).GetNDevices() >= 2
            assert net.run().metrics["delivered_pairs"] > 0


@pytest.mark.slow
def test_trace_sources_call_python(interop: Any, ns: Any) -> None:
    sent: list[tuple[str, Any, int]] = []
    mine: list[float] = []
    outcomes: Counter[int] = Counter()
    moves: Counter[str] = Counter()
    with interop.network(scenario()) as net:
        net.connect(
            DEVICES,
            "Transmit",
            lambda path, packet, protocol, to, bytes_on_air: sent.append((path, packet, bytes_on_air)),
        )
        net.connect(net.devices.Get(0), "Transmit", lambda *_: mine.append(ns.Simulator.Now().GetSeconds()))
        net.connect(
            "/ChannelList/*/$mftpubsub::WirelessChannel",
            "SignalEnd",
            lambda path, receiver, frame, ended: outcomes.update([int(ended.outcome)]),
        )
        net.connect(
            "/NodeList/*/$ns3::MobilityModel", "CourseChange", lambda path, model: moves.update([path])
        )
        frames = net.run().to_pandas()
    frames = frames[frames.layer == "radio"]
    assert [size for _, _, size in sent] == frames.bytes.tolist()
    # what a callback was given may be kept: it outlives the call and the network
    assert all(on_air == packet.GetSize() + 15 for _, packet, on_air in sent)
    assert re.fullmatch(r"/NodeList/\d+/DeviceList/0", sent[0][0])
    assert mine == pytest.approx(frames[frames.node == 0].time_s.tolist())
    assert outcomes.total() > len(sent)  # several hear a frame
    assert len(moves) == NODES


@pytest.mark.parametrize("protocol", ["mft-mesh", "aodv-acked"])
def test_trace_sources_of_protocols_call_python(interop: Any, protocol: str) -> None:
    kinds: Counter[str] = Counter()
    hops: list[int] = []

    def delivered(path: str, event: Any, *told: Any) -> None:
        *_, byte, is_duplicate = told
        if not is_duplicate:
            hops.append(ord(byte))

    with interop.network(scenario(protocol)) as net:
        applications = "/NodeList/*/ApplicationList/*"
        net.connect(applications, "Frame", lambda path, kind, to, bytes_on_air: kinds.update([kind]))
        net.connect(applications, "Delivered", delivered)
        if protocol == "aodv-acked":
            net.connect(DEVICES, "GiveUp", lambda *_: None)
            net.connect(DEVICES, "LinkFailure", lambda *_: None)
        records = net.run().to_pandas()
    assert kinds == Counter(records[records.layer == "radio"].kind)
    assert hops == records[records.kind == "DELIVER"].hops.tolist()


class StopHereError(Exception):
    """Raised by a callback."""


def test_an_exception_in_a_callback_ends_the_run_with_its_traceback(
    interop: Any, ns: Any, tmp_path: Path
) -> None:
    calls = []

    def fail(*arguments: object) -> None:
        calls.append(ns.Simulator.Now().GetSeconds())
        raise StopHereError("here")

    trace = tmp_path / "stopped.gz"
    with interop.network(scenario(), trace=trace) as net:
        net.connect(DEVICES, "Transmit", fail)
        with pytest.raises(StopHereError, match="here") as caught:
            net.run()
    assert caught.traceback[-1].name == "fail"
    assert len(calls) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_simulation_that_is_stopped_is_no_result(interop: Any, ns: Any) -> None:
    ns.Simulator.Stop(ns.Seconds(2))
    with (
        interop.network(scenario()) as net,
        pytest.raises(mftpubsub.RunError, match=r"the run was stopped at 2\.0+ s"),
    ):
        net.run()


def test_a_network_lives_in_its_block_and_runs_once(interop: Any, ns: Any) -> None:
    with interop.network(scenario()) as net:
        device = net.devices.Get(0)
        with pytest.raises(mftpubsub.RunError, match="another network is using it"):
            mftpubsub.run(scenario())
        with pytest.raises(mftpubsub.RunError, match="another network"), interop.network(scenario()):
            pass
        net.run()
        with pytest.raises(mftpubsub.RunError, match="runs once"):
            net.run()
    for use in (
        lambda: net.devices,
        lambda: net.nodes,
        lambda: net.channel,
        net.run,
        lambda: net.connect(device, "Transmit", print),
        lambda: net.enable_pcap("run"),
        lambda: net.animate("run.xml"),
    ):
        with pytest.raises(mftpubsub.RunError, match="this network is gone"):
            use()
    assert device.GetMtu() > 0  # what Python still holds is no dangling pointer


def test_a_network_that_a_script_has_destroyed_says_so(interop: Any, ns: Any) -> None:
    case = scenario("mft-pubsub")
    with interop.network(case) as net:
        ns.Simulator.Destroy()
        for use in (lambda: net.channel, net.run):
            with pytest.raises(mftpubsub.RunError, match=r"Simulator\.Destroy has ended this network"):
                use()
    with interop.network(case) as net:
        assert net.run()


def test_a_script_of_cpp_may_set_what_the_catalogue_says(interop: Any, ns: Any) -> None:
    """C++ says once more what each protocol goes by, as it knows no catalogue."""
    cppyy.include("helper/pubsub-helper.h")
    refused = cppyy.gbl.std.invalid_argument
    policies = {
        "parent": ("first-heard", {}),
        "client": ("first-heard", {}),
        "migration": ("immediate", {}),
        "leader": ("lowest-id", {}),
        "queue": ("unbounded", {}),
        "retry": ("fixed", {"retries": 2.0}),
        "failure": ("drop-link", {}),
        "repair": ("farthest", {}),
    }
    assert {f"{kind}_policy" for kind in policies} == set(POLICIES)
    attributes = {
        "transport": ("MaxFrameBytes", ns.UintegerValue(500)),
        "overlay": ("HeartbeatInterval", ns.TimeValue(ns.Seconds(2))),
        "handoff": ("HandoffPing", ns.TimeValue(ns.Seconds(2))),
        "mft_mesh": ("MeshHeartbeat", ns.TimeValue(ns.Seconds(2))),
        "epidemic": ("EpidemicInterval", ns.TimeValue(ns.Seconds(2))),
    }
    for name in json.loads(str(interop.core().ListProtocols())):
        helper = interop.core().PubSubHelper(name)
        for kind, (policy, parameters) in policies.items():
            is_asked = f"{kind}_policy" in PROTOCOLS[name].asks
            said = f"{name} (asks no|has a) {kind} policy"
            with contextlib.nullcontext() if is_asked else pytest.raises(refused, match=said):
                helper.SetPolicy(kind, policy, parameters)
        for part, (attribute, value) in attributes.items():
            is_used = part in PROTOCOLS[name].uses
            said = f"{name} makes nothing of {attribute}"
            with contextlib.nullcontext() if is_used else pytest.raises(refused, match=said):
                helper.SetAttribute(attribute, value)


def test_what_ns3_would_abort_at_is_refused(interop: Any, ns: Any, tmp_path: Path) -> None:
    def refuse(nodes: Any, words: str, case: mftpubsub.Scenario | None = None) -> None:
        with (
            pytest.raises(mftpubsub.ConfigurationError, match=words),
            interop.network(case or scenario(), nodes=nodes),
        ):
            pass

    refuse(make_nodes(ns, 2), "nodes: 2 are given, and the scenario has 18")
    refuse(["node"] * NODES, r"nodes must be an ns\.NodeContainer")
    nodes = make_nodes(ns)
    refuse(ns.NodeContainer(ns.NodeContainer(nodes, nodes)), "36 are given")
    stand(ns, nodes.Get(5), 1000, 0)
    refuse(nodes, r"number 5 stands at \(1000, 0\), outside the area")
    nodes = make_nodes(ns)
    ns.InternetStackHelper().Install(nodes)
    refuse(nodes, "number 0 has an Internet stack already", scenario("aodv"))
    with interop.network(scenario(), nodes=nodes) as net:
        for where, source, words in (
            (
                net.devices.Get(0),
                "Transmitted",
                "mftpubsub::WsnNetDevice has no trace source 'Transmitted'; .*Sniffer",
            ),
            ("/NodeList/99", "Transmit", "no object of the network"),
            ("/NodeList/*/$ns3::Nothing", "Transmit", "ns-3 has no type ns3::Nothing"),
        ):
            with pytest.raises(mftpubsub.ConfigurationError, match=words):
                net.connect(where, source, print)
        with pytest.raises(mftpubsub.ConfigurationError, match="no node 18; there are 0 to 17"):
            net.enable_pcap(tmp_path / "run", nodes=[18])
        (tmp_path / f"run-{nodes.Get(0).GetId()}-1.pcap").mkdir()
        with pytest.raises(mftpubsub.RunError, match=r"cannot write .*run-\d+-1\.pcap"):
            net.enable_pcap(tmp_path / "run")
        with pytest.raises(IsADirectoryError):
            net.animate(tmp_path)
    refuse(nodes, "number 0 belongs to a simulation that has ended")


@pytest.mark.parametrize("where", ["instead", "behind", "by spectrum"])
def test_losses_that_reachable_does_not_know_are_refused(interop: Any, ns: Any, where: str) -> None:
    radio = mftpubsub.LrWpan() if where == "by spectrum" else mftpubsub.Wifi()
    with interop.network(scenario(radio=radio)) as net:
        if where == "instead":
            net.channel.SetPropagationLossModel(ns.CreateObject["ns3::FixedRssLossModel"]())
        elif where == "behind":
            losses = ns.PointerValue()
            net.channel.GetAttribute("PropagationLossModel", losses)
            first = losses.Get["ns3::PropagationLossModel"]()
            first.SetNext(ns.CreateObject["ns3::RangePropagationLossModel"]())
        else:
            loss = ns.CreateObject["ns3::FriisSpectrumPropagationLossModel"]()
            net.channel.AddSpectrumPropagationLossModel(loss)
        with pytest.raises(mftpubsub.RunError, match="other losses than the scenario's"):
            net.run()


def test_pubsub_helper_refuses_devices_that_ns3_would_abort_at(interop: Any, ns: Any) -> None:
    cppyy.include("helper/pubsub-helper.h")
    nodes = make_nodes(ns, 2)
    wire = ns.PointToPointHelper().Install(nodes)
    water = ns.UanHelper().Install(nodes, ns.CreateObject["ns3::UanChannel"]())
    for devices, words in (
        (wire, "PointToPointNetDevice of node .* carries IP only; take a CsmaNetDevice"),
        (water, "UanNetDevice of node .* has no addresses of 48 bits"),
    ):
        with pytest.raises(cppyy.gbl.std.invalid_argument, match=words):
            ns.PubSubHelper("mft-mesh").Install(devices)


def captures(
    interop: Any, case: mftpubsub.Scenario, folder: Path, promiscuous: bool
) -> tuple[Any, list[Any]]:
    with interop.network(case) as net:
        net.enable_pcap(folder / "run", promiscuous=promiscuous)
        own = [str(net.devices.Get(i).GetAddress())[6:] for i in range(NODES)]
        trace = net.run().to_pandas()
    return trace, [(own[i], list(read_pcap(folder / f"run-{i}-0.pcap"))) for i in range(NODES)]


def test_a_capture_has_what_a_node_sends_and_what_it_receives(interop: Any, tmp_path: Path) -> None:
    trace, nodes = captures(interop, scenario(), tmp_path, promiscuous=False)
    for address, frames in nodes:
        assert {frame.ethertype for frame in frames} == {PUBSUB}
        assert all(address == frame.source or frame.destination in (address, BROADCAST) for frame in frames)
    radio = trace[trace.layer == "radio"]
    for node, (address, frames) in enumerate(nodes):
        sent = [frame for frame in frames if frame.source == address]
        expected = radio[radio.node == node]
        assert [len(frame.payload) + 15 for frame in sent] == expected.bytes.tolist()
        assert [frame.time_s for frame in sent] == pytest.approx(expected.time_s.tolist(), abs=2e-6)
    received = sum(frame.source != address for address, frames in nodes for frame in frames)
    _, overhearing = captures(interop, scenario(), tmp_path / "all", promiscuous=True)
    overheard = sum(frame.source != address for address, frames in overhearing for frame in frames)
    assert 0 < received < overheard


def test_captures_of_aodv_are_ipv4_with_udp(interop: Any, tmp_path: Path) -> None:
    trace, nodes = captures(interop, scenario("aodv"), tmp_path, promiscuous=False)
    ports: Counter[int] = Counter()
    for address, frames in nodes:
        for frame in frames:
            assert frame.ethertype == IPV4
            version, protocol = frame.payload[0], frame.payload[9]
            assert (version, protocol) == (0x45, UDP)
            if frame.source == address:
                ports.update(struct.unpack_from("!H", frame.payload, 22))
    data = int((trace.kind == "DATA").sum())
    assert ports == {AODV_PORT: int((trace.layer == "radio").sum()) - data, 4000: data}


def test_an_animation_has_every_node_its_roles_and_its_movement(interop: Any, tmp_path: Path) -> None:
    path = tmp_path / "out" / "run.xml"
    with interop.network(scenario()) as net:
        net.animate(path)
        net.run()
    root = ElementTree.parse(path).getroot()
    assert root.tag == "anim"
    assert len(root.findall("node")) == NODES
    descriptions = [update.get("descr", "") for update in root.findall("nu") if update.get("p") == "d"]
    assert sorted(int(text.split()[0]) for text in descriptions) == list(range(NODES))
    assert Counter(text.split(" ", 1)[1] for text in descriptions) == {
        "broker": 8, "publisher": 2, "subscriber": 8,
    }  # fmt: skip
    moved = {update.get("id") for update in root.findall("nu") if update.get("p") == "p"}
    assert len(moved) == NODES
