"""ns-3's own examples, unmodified: what they wrote becomes runs with the counts that they printed.

And what tells that several datagrams are one event: broadcasts, payloads, times.
"""

from __future__ import annotations

import json
import re
import struct
import tarfile
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner
from viewer_pages import decode

from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError, TraceError
from mftpubsub.pipeline.ns3 import text
from mftpubsub.pipeline.ns3.reading import Files
from mftpubsub.pipeline.ns3.take import Script, take
from mftpubsub.pipeline.workers import Processes
from mftpubsub.trace.sql import metrics_of, read_trace
from mftpubsub.views.viewer.page import of_foreign
from mftpubsub.views.viewer.walk import walk

TRACES = Path(__file__).parents[1] / "ns3"
KEYS = {"protocol": "p", "config": "c", "speed": "0", "seed": "1"}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    with tarfile.open(TRACES / "ns3-examples.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def taken(folder: Path, files: Files, **options: Any) -> Path:
    return take(Script(KEYS, files, **options), folder, Processes(1))


def metrics(run: Path) -> dict[str, Any]:
    return metrics_of(run / "trace.gz", {"protocol": "p", "config": "c", "speed_mps": 0.0, "seed": 1})


def notes(run: Path) -> list[str]:
    return list(json.loads((run / "run.json").read_text())["notes"])


def test_a_broadcast_is_one_event_for_all_who_hear_it(examples: Path, tmp_path: Path) -> None:
    """Node 0 of csma-broadcast sends each datagram on two networks, with a node on each."""
    text = (examples / "csma-broadcast.tr").read_text()
    run = taken(tmp_path, Files(phy=examples / "csma-broadcast.tr"))
    received = len(re.findall(r"^r .*UdpHeader", text, re.MULTILINE))
    found = metrics(run)
    assert found["delivered_pairs"] == received
    assert found["published"] == len(re.findall(r"^\+ .*DeviceList/0/", text, re.MULTILINE))
    assert found["sent_pairs"] == 2 * found["published"]
    # the text was cut within a datagram's way
    assert 0 <= found["sent_pairs"] - received <= 2
    roles = dict(read_trace(run / "trace.gz").query("layer == 'node'")[["node", "kind"]].to_numpy())
    assert roles == {0: "P", 1: "S", 2: "S"}


def test_pings_are_events_of_captures(examples: Path, tmp_path: Path) -> None:
    """What ping has counted of aodv-example, and the times of those that needed no route first."""
    printed = (examples / "aodv-example.txt").read_text()
    times = [float(ms) / 1000 for ms in re.findall(r"time=([\d.]+) ms", printed)]
    run = taken(tmp_path, Files(captures=(*sorted(examples.glob("aodv-node-*.pcap")),)))
    records = read_trace(run / "trace.gz")
    replies = records.query("kind == 'DELIVER' and node == 0")
    assert len(replies) == len(times) == int(re.findall(r"(\d+) received", printed)[0])
    both = records.query("kind == 'DELIVER'").merge(
        records.query("kind == 'PUBLISH'"), on=["publisher", "sequence"], suffixes=("", "_sent")
    )
    way = (both["time_s"] - both["time_s_sent"]).groupby(both["node"]).mean()
    # a request and its reply take half of ping's time each; captures begin when a frame is on the air
    assert way[0] + way[4] == pytest.approx(min(times), rel=0.1)
    assert set(both["hops"]) == {4}


def test_pings_over_ipv6_are_events(examples: Path, tmp_path: Path) -> None:
    """ping-example: five over a router, which took 20.033 ms each, there and back."""
    printed = (examples / "ping-example.txt").read_text()
    times = [float(ms) / 1000 for ms in re.findall(r"time=([\d.]+) ms", printed)]
    run = taken(tmp_path, Files(captures=(*sorted(examples.glob("ping-example-*.pcap")),)))
    found = metrics(run)
    assert (found["published"], found["delivered_pairs"]) == (2 * len(times), 2 * len(times)) == (10, 10)
    assert found["delay_mean_s"] == pytest.approx(times[0] / 2, abs=1e-6)
    assert notes(run) == []


def test_fragments_over_wi_fi_are_one_event(examples: Path, tmp_path: Path) -> None:
    """wifi-simple-adhoc with packets of 3000 B: four broadcasts of two fragments each."""
    run = taken(tmp_path, Files(captures=(*sorted(examples.glob("wifi-simple-adhoc-?-0.pcap")),)))
    assert metrics(run)["published"] == metrics(run)["delivered_pairs"] == 4
    assert metrics(run)["frames_by_kind"] == {"DATA": 8}
    assert {*read_trace(run / "trace.gz").query("kind == 'PUBLISH'")["bytes"]} == {3000}


def test_fragments_of_ipv6_are_told(examples: Path, tmp_path: Path) -> None:
    """fragmentation-ipv6: its pings are fragments, of which no event is made."""
    run = taken(tmp_path, Files(captures=(*sorted(examples.glob("fragmentation-ipv6-*.pcap")),)))
    assert metrics(run)["published"] == 0
    (note,) = notes(run)
    assert re.fullmatch(r"\d+ IPv6 fragments were sent: what is fragmented is in the tables only", note)


def test_a_packet_across_the_grid(examples: Path, tmp_path: Path) -> None:
    """wifi-simple-adhoc-grid sends one, over OLSR, from node 24 to node 0."""
    printed = (examples / "wifi-simple-adhoc-grid.txt").read_text()
    run = taken(tmp_path, Files(phy=examples / "wifi-simple-adhoc-grid.tr"))
    found = metrics(run)
    assert found["delivered_pairs"] == printed.count("Received one packet!") == found["published"] == 1
    assert found["hops_mean"] == 8
    roles = dict(read_trace(run / "trace.gz").query("layer == 'node'")[["node", "kind"]].to_numpy())
    assert (roles[24], roles[0], roles[12]) == ("P", "S", "R")


def test_pings_over_lr_wpan_are_frames_only(examples: Path, tmp_path: Path) -> None:
    """example-ping-lr-wpan: its headers are compressed, so that a text has no addresses."""
    text = (examples / "example-ping-lr-wpan.tr").read_text()
    run = taken(tmp_path, Files(phy=examples / "example-ping-lr-wpan.tr"))
    sent = re.findall(r"^t .*Frame Type = (\d)", text, re.MULTILINE)
    assert metrics(run)["frames_by_kind"] == {"ACK": sent.count("2"), "DATA": sent.count("1")}
    unknown = json.loads((run / "run.json").read_text())["unknown"]
    assert {"published", "delivered_pairs"} <= {*unknown}


def test_flows_and_movement_of_a_network_that_moves(examples: Path, tmp_path: Path) -> None:
    """manet-routing-compare --flowMonitor=1: what it counted itself, until its last report at 199 s, too."""
    name = "manet-routing-compare"
    files = Files(flows=examples / f"{name}.flowmon", movement=examples / f"{name}.mob")
    run = taken(tmp_path, files, ports=[9])
    found = metrics(run)
    reported = (examples / "manet-routing.output.csv").read_text().splitlines()[1:]
    counted = sum(int(line.split(",")[2]) for line in reported)
    assert 0 <= found["delivered_pairs"] - counted <= 11  # which is what the last second before had
    assert found["published"] == 3968
    told, columns = decode(of_foreign(run))
    walked = walk(run, range(50), told["duration"])
    assert walked is not None
    assert walked.times_s[-1] == told["duration"]
    assert walk(run, range(51), 200) is None
    lines = (examples / f"{name}.mob").read_text().splitlines()
    numbers = [[float(number) for number in re.findall(r"-?\d[\d.]*(?:e[+-]?\d+)?", line)] for line in lines]
    for look in (0, 1, 201, 399):
        time_s = walked.times_s[look]
        for node in (0, 15, 49):
            now, _, x, y, _, vx, vy, _ = [
                row for row in numbers if row[0] <= time_s * 1e9 and row[1] == node
            ][-1]
            since = time_s - now / 1e9
            wanted = (x + vx * since, y + vy * since)
            assert walked.places_mm[look, node, :2] / 1000 == pytest.approx(wanted, abs=0.01)
    assert told["area"] == pytest.approx(walked.area_m)
    assert "positions" not in " ".join(told["untold"])
    assert "film.links" not in columns
    assert (columns["film.x"] == walked.places_mm[:, :, 0]).all()
    assert walked.area_m == pytest.approx((walked.places_mm[:, :, :2] / 1000).max(axis=(0, 1)), abs=0.001)


def test_a_large_trace_of_mobility_in_shares_gives_the_same_rows(examples: Path) -> None:
    path = examples / "manet-routing-compare.mob"
    (whole,), parts = (text.shares("ns3_movement", path, size) for size in (2**20, 2000))
    rows = [row for share in parts for batch in text.read(share) for row in batch.to_pylist()]
    assert len(parts) > 10
    assert rows == [row for batch in text.read(whole) for row in batch.to_pylist()]
    assert len(rows) == len(path.read_text().splitlines())


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("now=+0ns node=0 pos=1:2:0 vel=0:0", "line 2: no line of a trace of mobility"),
        ("now=+5ns node=0 pos=1:2:0 vel=0:0:0", "time goes back, from 1 s to 5e-09 s"),
    ],
)
def test_a_trace_of_mobility_that_is_wrong_is_refused(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "run.mob"
    path.write_text(f"now=+1e+03ms node=0 pos=1:2:0 vel=0:0:0\n{line}\n")
    with pytest.raises(TraceError, match=why):
        taken(tmp_path / "out", Files(movement=path))


def test_a_field_begins_where_nodes_are(tmp_path: Path) -> None:
    """Places may be negative, and a node stands where its first line has it until then."""
    path = tmp_path / "run.mob"
    courses = ["0s node=0 pos=-10:5:0 vel=1:0:0", "2s node=1 pos=0:-5:0 vel=0:0:0"]
    courses += ["4s node=0 pos=-6:5:0 vel=0:0:0"]
    path.write_text("".join(f"now=+{course}\n" for course in courses))
    walked = walk(taken(tmp_path / "out", Files(movement=path)), [0, 1], 6)
    assert walked is not None
    assert walked.area_m == (10, 10)
    assert walked.places_mm[[0, 4, 8, 11]].tolist() == [
        [[0, 10_000, 0], [10_000, 0, 0]],
        [[2_000, 10_000, 0], [10_000, 0, 0]],
        [[4_000, 10_000, 0], [10_000, 0, 0]],
        [[4_000, 10_000, 0], [10_000, 0, 0]],
    ]


def test_nodes_that_stand_still_have_places(tmp_path: Path) -> None:
    path = tmp_path / "run.mob"
    path.write_text("now=+0ns node=0 pos=3:4:0 vel=0:0:0\n")
    walked = walk(taken(tmp_path / "out", Files(movement=path)), [0], 0)
    assert walked is not None
    assert walked.places_mm.tolist() == [[[3_000, 4_000, 0]]]


FLOWS = """<?xml version="1.0" ?>
<FlowMonitor><FlowStats>
<Flow flowId="1" timeFirstTxPacket="+1e+09ns" timeFirstRxPacket="+1.1e+09ns" timeLastTxPacket="+4e+09ns"
  timeLastRxPacket="+4.3e+09ns" delaySum="+6e+08ns" jitterSum="+0ns" txBytes="512" rxBytes="384" txPackets="4"
  rxPackets="3" lostPackets="0" timesForwarded="0" />
<Flow flowId="2" timeFirstTxPacket="+1e+09ns" timeFirstRxPacket="+0ns" timeLastTxPacket="+1e+09ns"
  timeLastRxPacket="+0ns" delaySum="+0ns" jitterSum="+0ns" txBytes="48" rxBytes="0" txPackets="1"
  rxPackets="0" lostPackets="0" timesForwarded="0" />
</FlowStats><Ipv4FlowClassifier>
<Flow flowId="1" sourceAddress="10.0.0.10" destinationAddress="10.0.0.9" protocol="17" sourcePort="5000"
  destinationPort="9" />
<Flow flowId="2" sourceAddress="10.0.0.2" destinationAddress="10.255.255.255" protocol="17" sourcePort="654"
  destinationPort="654" /></Ipv4FlowClassifier></FlowMonitor>
"""


def test_flow_monitor_alone_gives_its_counts_and_mean_delay(tmp_path: Path) -> None:
    """All that manet-routing-compare writes of its packets."""
    path = tmp_path / "run.flowmon"
    path.write_text(FLOWS)
    run = taken(tmp_path / "out", Files(flows=path))
    found = metrics(run)
    assert (found["sent_pairs"], found["delivered_pairs"]) == (4, 3)
    assert found["delay_mean_s"] == pytest.approx(0.2)
    assert found["lost_by_cause"] == {"UNKNOWN": 1}
    unknown = json.loads((run / "run.json").read_text())["unknown"]
    assert {"delay_median_s", "hops_mean", "frames"} <= {*unknown}
    assert not {"delay_mean_s", "delivered_pairs"} & {*unknown}
    (note,) = notes(run)
    assert "spread evenly" in note
    # by their addresses: 10.0.0.2, 10.0.0.9, 10.0.0.10
    roles = dict(read_trace(run / "trace.gz").query("layer == 'node'")[["node", "kind"]].to_numpy())
    assert roles == {0: "R", 1: "S", 2: "P"}


def line(op: str, time: float, node: int, number: int, dst: str, what: str = "", payload: str = "") -> str:
    """Of an IP trace: node 0 is 10.0.0.1, and sends to port 4000."""
    where = what or {"t": "Tx(1)", "r": "Rx(1)"}[op]
    return (
        f"{op} {time:g} /NodeList/{node}/$ns3::Ipv4L3Protocol/{where} ns3::Ipv4Header (tos 0x0 DSCP Default "
        f"ECN Not-ECT ttl 64 id {number} protocol 17 offset (bytes) 0 flags [none] length: 128 "
        f"10.0.0.1 > {dst}) "
        f"ns3::UdpHeader (length: 108 5000 > 4000) {payload}Payload (size=100)\n"
    )


def to_three(time: float, number: int, gap: float = 0.0004, payload: str = "") -> list[str]:
    """One datagram each to nodes 1, 2 and 3, which get it."""
    sent = [line("t", time + i * gap, 0, number, f"10.0.0.{i + 2}", payload=payload) for i in range(3)]
    got = [line("r", time + 0.1, i + 1, number, f"10.0.0.{i + 2}", payload=payload) for i in range(3)]
    return sent + got


def of_lines(tmp_path: Path, lines: list[str], **options: Any) -> dict[str, Any]:
    path = tmp_path / "ip.tr"
    path.write_text("".join(lines))
    return metrics(taken(tmp_path / "out", Files(ip=path), **options))


SEVERAL = [*to_three(1, 0), *to_three(2, 1), *to_three(3, 2, gap=0.01)]


@pytest.mark.slow
@pytest.mark.parametrize(("how", "published"), [("time", 5), ("payload", 9), ("datagram", 9)])
def test_datagrams_of_an_instant_are_one_event_by_time(tmp_path: Path, how: str, published: int) -> None:
    found = of_lines(tmp_path, SEVERAL, event_by=how)
    assert (found["published"], found["sent_pairs"], found["delivered_pairs"]) == (published, 9, 9)
    assert found["lost_by_cause"] == {}


def test_two_to_the_same_are_two_events(tmp_path: Path) -> None:
    lines = [line("t", 1 + i * 0.0002, 0, i, "10.0.0.2") for i in range(3)]
    lines += [line("r", 1.1, 1, i, "10.0.0.2") for i in range(3)]
    assert of_lines(tmp_path, lines, event_by="time")["published"] == 3


def test_the_number_in_a_payload_tells_events_apart(tmp_path: Path) -> None:
    """Of UdpClient, as the text has it: the same number at the same time."""
    lines = []
    for number in range(2):
        header = f"ns3::SeqTsHeader ((seq={number} time=+{1 + number}e+09ns)) "
        lines += to_three(1 + number * 0.0015, number, 0.0004, header)
    lines.sort(key=lambda text: float(text.split()[1]))
    assert of_lines(tmp_path, lines)["published"] == 2
    (tmp_path / "other").mkdir()
    assert of_lines(tmp_path / "other", lines, event_by="datagram")["published"] == 6


def test_a_group_s_members_are_who_has_got_some_of_it(tmp_path: Path) -> None:
    lines = [
        line("t", 1, 0, 0, "10.255.255.255"),
        line("r", 1.1, 1, 0, "10.255.255.255"),
        line("r", 1.1, 2, 0, "10.255.255.255"),
        line("t", 2, 0, 1, "10.255.255.255"),
        line("r", 2.1, 2, 1, "10.255.255.255"),
        line("r", 2.2, 2, 1, "10.255.255.255"),
    ]
    found = of_lines(tmp_path, lines)
    assert (found["published"], found["sent_pairs"], found["delivered_pairs"]) == (2, 4, 3)
    assert (found["duplicates"], found["lost_by_cause"]) == (1, {"UNKNOWN": 1})
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("id,roles\n0,P\n1,S\n2,R\n3,S\n")
    (tmp_path / "told").mkdir()
    found = of_lines(tmp_path / "told", lines, nodes=nodes)
    assert (found["sent_pairs"], found["delivered_pairs"]) == (4, 1)


def test_ipv6_and_tcp_are_told_as_far_as_they_can_be(tmp_path: Path) -> None:
    def v6(op: str, time: float, node: int, payload: str) -> str:
        where = {"t": "Tx(1)", "r": "Rx(1)"}[op]
        return (
            f"{op} {time:g} /NodeList/{node}/$ns3::Ipv6L3Protocol/{where} ns3::Ipv6Header ((Version 6 "
            "Traffic class 0x0 DSCP Default Flow Label 0x0 Payload Length 108 Next Header 17 Hop Limit 64 )"
            "2001:1::1 > 2001:1::2) "
            f"ns3::UdpHeader (length: 108 5000 > 4000) {payload}Payload (size=100)\n"
        )

    tcp = line("t", 3, 0, 7, "10.0.0.2").replace("protocol 17", "protocol 6")
    tcp = tcp.replace(
        "ns3::UdpHeader (length: 108 5000 > 4000)", "ns3::TcpHeader (5000 > 80 [ACK] Seq=1 Ack=1 Win=9)"
    )
    told = "ns3::SeqTsHeader ((seq=0 time=+1e+09ns)) "
    lines = [v6("t", 1, 0, told), v6("r", 1.5, 1, told), v6("t", 2, 0, ""), v6("r", 2.5, 1, ""), tcp]
    path = tmp_path / "ip.tr"
    path.write_text("".join(lines))
    run = taken(tmp_path / "out", Files(ip=path))
    found = metrics(run)
    assert (found["published"], found["delivered_pairs"], found["delay_mean_s"]) == (1, 1, 0.5)
    assert [re.sub(r":.*|that.*", "", note) for note in notes(run)] == [
        "1 TCP segments were sent",
        "1 IPv6 datagrams were sent ",
    ]
    table = f"'{run}/ns3_ip/*.parquet'"
    query = f"SELECT DISTINCT src, ttl, ip_id, dst_port, bytes FROM {table} WHERE src LIKE '2001%'"
    assert duckdb.execute(query).fetchall() == [("2001:1::1", 64, None, 4000, 148)]


def capture(path: Path, packets: list[tuple[float, bytes]], link: int = 9) -> Path:
    """Of frames with IPv4: by default point-to-point, with `link` 1 those of Ethernet, as they are."""
    text = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    for time, packet in packets:
        frame = packet if link == 1 else b"\x00\x21" + packet
        text += struct.pack("<4I", int(time), round(time % 1 * 1e6), len(frame), len(frame)) + frame
    path.write_bytes(text)
    return path


def ethernet(src: int, dst: int, packet: bytes, llc: bool = False) -> bytes:
    """A frame from device `src` to device `dst`; with a header of LLC, as csma's EncapsulationMode has it."""
    kind = struct.pack(">H", len(packet) + 8) + b"\xaa\xaa\x03\0\0\0\x08\0" if llc else b"\x08\0"
    return bytes([0, 0, 0, 0, 0, dst, 0, 0, 0, 0, 0, src]) + kind + packet


def arp(src: int, dst: int) -> bytes:
    """Of which only the frame's addresses are read: by these captures tell who is who."""
    return ethernet(src, dst, b"")[:12] + b"\x08\x06" + bytes(46)


def udp(dst: int, number: int, payload: bytes, ttl: int = 64) -> bytes:
    ip = struct.pack(
        ">BBHHHBBH4s4s",
        0x45,
        0,
        28 + len(payload),
        number,
        0,
        ttl,
        17,
        0,
        bytes([10, 0, 0, 1]),
        bytes([10, 0, 0, dst]),
    )
    return ip + struct.pack(">4H", 5000, 4000, 8 + len(payload), 0) + payload


def test_ids_in_captured_payloads(tmp_path: Path) -> None:
    """Our own six bytes, SeqTsHeader, and payloads that say nothing."""
    ours = [udp(2, 0, struct.pack(">HI", 5, 9) + bytes(94)), udp(3, 0, struct.pack(">HI", 5, 9) + bytes(94))]
    numbered = udp(2, 1, struct.pack(">IQ", 3, 2_000_000_000) + bytes(88))
    packets = [(1.0, ours[0]), (1.5, ours[1]), (2.0, numbered), (3.0, udp(2, 2, b""))]
    sender = capture(tmp_path / "x-0-0.pcap", packets)
    to_two = capture(tmp_path / "x-1-0.pcap", [(t + 0.1, p) for t, p in packets if p[19] == 2])
    to_three = capture(tmp_path / "x-2-0.pcap", [(t + 0.1, p) for t, p in packets if p[19] == 3])
    run = taken(tmp_path / "out", Files(captures=(sender, to_two, to_three)))
    frames = f"'{run}/ns3_frames/*.parquet'"
    query = f"SELECT event_publisher, event_sequence FROM {frames} WHERE node = 0 ORDER BY time_s"
    assert duckdb.execute(query).fetchall() == [(5, 9), (5, 9), (None, 3), (None, None)]
    found = metrics(run)
    assert (found["published"], found["sent_pairs"], found["delivered_pairs"]) == (3, 4, 4)


@pytest.mark.parametrize("llc", [False, True])
def test_ethernet_s_two_ways_to_carry_ip(tmp_path: Path, llc: bool) -> None:
    frame = ethernet(1, 2, udp(2, 0, bytes(100)), llc)
    sender = capture(tmp_path / "x-0-0.pcap", [(0.7, arp(2, 1)), (1.0, frame)], link=1)
    receiver = capture(tmp_path / "x-1-0.pcap", [(0.5, arp(2, 1)), (1.25, frame)], link=1)
    found = metrics(taken(tmp_path / "out", Files(captures=(sender, receiver))))
    assert (found["published"], found["delivered_pairs"], found["delay_mean_s"]) == (1, 1, 0.25)


def test_a_router_s_captures_alone_tell_of_no_delivery(tmp_path: Path) -> None:
    """As in ns-3's tutorial/third: what came by one device and went out by the other was not sent here."""
    frames = [(0.5, arp(2, 1)), (1.0, ethernet(1, 2, udp(2, 0, bytes(100))))]
    came = capture(tmp_path / "x-1-0.pcap", frames, link=1)
    went = capture(tmp_path / "x-1-1.pcap", [(1.0, udp(2, 0, bytes(100), ttl=63))])
    next_router = capture(tmp_path / "x-2-0.pcap", [(1.1, udp(2, 0, bytes(100), ttl=63))])
    run = taken(tmp_path / "out", Files(captures=(came, went, next_router)))
    assert metrics(run)["published"] == 0
    assert notes(run) == [
        "1 datagrams were seen on their way, but not where they were sent: they are left out"
    ]


def test_a_way_to_tell_events_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ip.tr"
    path.write_text("".join(SEVERAL))
    with pytest.raises(ConfigurationError, match="--event-by: 'times' is none of payload, time, datagram"):
        taken(tmp_path / "out", Files(ip=path), event_by="times")
    keys = "protocol=p,config=c,speed=0,seed=1"
    command = ["ingest-ns3", str(tmp_path / "cli"), "--run", keys, "--ip", str(path), "--event-by", "time"]
    assert CliRunner().invoke(app, command).exit_code == 0
    (run,) = (tmp_path / "cli").rglob("run.json")
    assert metrics(run.parent)["published"] == 5
