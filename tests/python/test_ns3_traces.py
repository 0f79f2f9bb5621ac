"""What ns-3's own scripts write becomes a run, with the numbers that FlowMonitor and the script counted.

The traces in tests/ns3 are real: programs stand beside them that are compiled against ns-3 alone.
"""

from __future__ import annotations

import gzip
import json
import re
import struct
import tarfile
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import mftpubsub
from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError, MftPubsubError, TraceError
from mftpubsub.folders import folder_at
from mftpubsub.pipeline import integrity, of_runs, tables
from mftpubsub.pipeline.ns3 import captures, reading, text
from mftpubsub.pipeline.ns3.flows import read_flows
from mftpubsub.pipeline.ns3.nodes import Node, read_nodes
from mftpubsub.pipeline.ns3.reading import Files
from mftpubsub.pipeline.ns3.take import Script, check_keys, take
from mftpubsub.pipeline.stored import store
from mftpubsub.pipeline.workers import Executors, Processes
from mftpubsub.studies.distribution import Wish, quantiles
from mftpubsub.studies.results import StudyResults
from mftpubsub.trace.sql import metrics_of, read_trace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRACES = Path(__file__).parents[1] / "ns3"
KEYS = {"protocol": "aodv-wifi", "config": "W18", "speed": "0", "seed": "1"}
RUN = "runs/protocol=aodv-wifi/config=W18/speed=0/seed=1"
NAMED = {"protocol": "aodv-wifi", "config": "W18", "speed_mps": 0.0, "seed": 1}


def unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(TRACES / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def wifi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("aodv-wifi", tmp_path_factory.mktemp("wifi"))


@pytest.fixture(scope="module")
def wired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("wired-and-wpan", tmp_path_factory.mktemp("wired"))


def all_of(wifi: Path) -> Files:
    return Files(wifi / "ip.tr", wifi / "phy.tr", wifi / "flows.xml", (*sorted(wifi.glob("*.pcap")),))


def taken(folder: Path, files: Files, **options: Any) -> Path:
    return take(Script(KEYS, files, **options), folder, Processes(1))


def metrics(run: Path) -> dict[str, Any]:
    return metrics_of(run / "trace.gz", NAMED)


def rows(run: Path, table: str, query: str) -> list[tuple[Any, ...]]:
    parts = f"read_parquet('{run}/{table}/*.parquet', hive_partitioning = false)"
    return duckdb.execute(query.format(parts)).fetchall()


def test_delivered_and_delay_are_what_the_script_counted(wifi: Path, tmp_path: Path) -> None:
    sent, delivered, delay = map(float, (wifi / "counts.txt").read_text().split())
    found = metrics(taken(tmp_path, Files(ip=wifi / "ip.tr")))
    assert (found["published"], found["sent_pairs"], found["delivered_pairs"]) == (sent, sent, delivered)
    assert 0 < delivered < sent
    # times have six digits, so that each of two is up to 50 us off after 10 s
    assert found["delay_mean_s"] == pytest.approx(delay, abs=1e-5)
    assert found["duplicates"] == 0
    assert sum(found["lost_by_cause"].values()) == sent - delivered


@pytest.mark.slow
def test_delivered_and_delay_are_what_flow_monitor_counted(wifi: Path, tmp_path: Path) -> None:
    run = taken(tmp_path, all_of(wifi), ports=[4000])
    tx, rx, delay, forwarded = rows(
        run,
        "ns3_flows",
        "SELECT sum(tx_packets), sum(rx_packets), sum(delay_sum_s) / sum(rx_packets), sum(times_forwarded) "
        "FROM {} WHERE dst_port = 4000",
    )[0]
    found = metrics(run)
    assert (found["sent_pairs"], found["delivered_pairs"]) == (tx, rx)
    assert found["delay_mean_s"] == pytest.approx(delay, abs=1e-5)
    # forwards are of what was lost, too
    assert 1 < found["hops_mean"] <= forwarded / rx + 1
    assert json.loads((run / "run.json").read_text())["notes"] == []


def test_flow_monitor_that_counted_otherwise_is_told(wifi: Path, tmp_path: Path) -> None:
    flows = tmp_path / "flows.xml"
    flows.write_text((wifi / "flows.xml").read_text().replace('txPackets="10"', 'txPackets="11"', 1))
    run = taken(tmp_path, Files(ip=wifi / "ip.tr", flows=flows))
    (note,) = json.loads((run / "run.json").read_text())["notes"]
    assert re.fullmatch(
        r"10\.0\.0\.1 to \S+:4000: 10 sent and \d+ delivered by the IP trace, 11 and .*", note
    )


def test_frames_of_the_text_are_those_of_the_captures(wifi: Path, tmp_path: Path) -> None:
    """By node, kind and size in B, of what was sent and what was received."""
    run = taken(tmp_path, all_of(wifi))
    count = "SELECT {}, node, kind, mac_type, bytes, retry, sequence, mac_dst, count(*) FROM {} "
    count += "GROUP BY ALL ORDER BY ALL"
    of_text = rows(run, "ns3_phy", count.format("CASE layer WHEN 'Tx' THEN 't' ELSE 'r' END AS way", "{}"))
    of_captures = rows(run, "ns3_frames", count.format("direction AS way", "{}"))
    assert len(of_text) > 500
    assert of_text == [
        # the text has no retries and numbers of control frames
        (way, node, kind, mac, size, retry if mac == "DATA" else None, *rest)
        for way, node, kind, mac, size, retry, *rest in of_captures
    ]


@pytest.mark.slow
def test_a_run_has_the_frames_of_captures_where_there_is_no_text(wifi: Path, tmp_path: Path) -> None:
    by_text = metrics(taken(tmp_path / "text", Files(phy=wifi / "phy.tr")))
    files = Files(captures=(*sorted(wifi.glob("*.pcap")),))
    run = taken(tmp_path / "pcap", files)
    assert metrics(run)["frames_by_kind"] == by_text["frames_by_kind"]
    assert {"ACK", "ARP", "DATA", "HELLO", "RREQ", "RREP"} <= {*by_text["frames_by_kind"]}
    assert metrics(run)["frames"] == by_text["frames"]


def test_only_received_frames_have_a_signal(wifi: Path) -> None:
    rows = pa.Table.from_batches(captures.read_frames(wifi / "run-0-0.pcap")).to_pandas()
    assert set(rows["direction"]) == {"t", "r"}
    assert rows.loc[rows["direction"] == "r", "signal_dbm"].between(-100, -30).all()
    assert rows.loc[rows["direction"] == "t", "signal_dbm"].isna().all()


@pytest.mark.slow
@pytest.mark.parametrize("size", [997, 100_000])
@pytest.mark.parametrize("table", ["ns3_ip", "ns3_phy"])
def test_a_large_file_in_shares_gives_the_same_rows(
    wifi: Path, tmp_path: Path, table: str, size: int
) -> None:
    path = tmp_path / "part.tr"
    whole = (wifi / f"{table.removeprefix('ns3_')}.tr").read_bytes()
    path.write_bytes(whole[: whole.index(b"\n", 20_000) + 1])
    (alone,) = text.shares(table, path)
    shares = text.shares(table, path, size)
    assert len(shares) == -(-path.stat().st_size // size)
    found = [batch for share in shares for batch in reading.batches(share)]
    assert pa.Table.from_batches(found) == pa.Table.from_batches(reading.batches(alone))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_is_in_one_share_wherever_the_border_lies(
    written: WriteText, tmp_path: Path, end: str
) -> None:
    """At a line's end, within that end, and within a line; the last line may lack its end."""
    lines = [one.strip() for one in hop(1, 0)]
    written([one + end for one in lines] + [lines[0]])
    borders = [len("".join(one + end for one in lines[:count])) for count in (1, 2, 3)]
    for size in chain.from_iterable((border - 1, border, border + 1) for border in borders):
        shares = text.shares("ns3_ip", tmp_path / "ip.tr", size)
        found = [line for share in shares for _, block in text._blocks(share) for line in block.split(b"\n")]
        assert [one.decode().strip() for one in found] == lines, size


def test_a_compressed_text_is_read_too(wifi: Path, tmp_path: Path) -> None:
    path = tmp_path / "ip.tr"  # by its content, whatever it is called
    path.write_bytes(gzip.compress((wifi / "ip.tr").read_bytes()))
    (share,) = text.shares("ns3_ip", path)
    (plain,) = text.shares("ns3_ip", wifi / "ip.tr")
    assert pa.Table.from_batches(reading.batches(share)) == pa.Table.from_batches(reading.batches(plain))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda packed: packed[: len(packed) // 2], "end-of-stream"),
        (lambda packed: packed[:-8] + b"\0" * 8, "CRC"),
        (lambda packed: packed[:1000] + b"\xff" * 500 + packed[1500:], "damaged or truncated"),
    ],
)
def test_a_compressed_text_that_is_not_whole_is_refused(
    wifi: Path, tmp_path: Path, damage: Callable[[bytes], bytes], said: str
) -> None:
    path = tmp_path / "ip.tr.gz"
    path.write_bytes(damage(gzip.compress((wifi / "ip.tr").read_bytes())))
    assert said in refused(tmp_path, Files(ip=path))


def test_lines_may_end_as_on_windows(written: WriteText, tmp_path: Path) -> None:
    run = taken(tmp_path, written([line.replace("\n", "\r\n") for line in [*hop(1, 0), *hop(2, 1)]]))
    assert (metrics(run)["published"], metrics(run)["delivered_pairs"]) == (2, 2)


@pytest.mark.slow
def test_an_echo_over_wires(wired: Path, tmp_path: Path) -> None:
    """Requests cross a router: two hops, and as many frames; with the replies twice as many events."""
    files = Files(
        wired / "echo-ip.tr", wired / "echo-devices.tr", None, (*sorted(wired.glob("echo-*.pcap")),)
    )
    run = taken(tmp_path, files, ports=[9])
    found = metrics(run)
    assert [found[name] for name in ("published", "delivered_pairs", "hops_mean", "hops_max")] == [5, 5, 2, 2]
    assert found["frames_by_kind"] == {"ARP": 4, "DATA": 20}
    frames = read_trace(run / "trace.gz").query("layer == 'radio' and kind == 'DATA'")
    assert set(zip(frames["bytes"], frames["node"], strict=True)) == {(130, 0), (130, 1), (146, 1), (146, 4)}
    roles = dict(read_trace(run / "trace.gz").query("layer == 'node'")[["node", "kind"]].to_numpy())
    assert roles == {0: "P", 1: "R", 2: "R", 3: "R", 4: "S"}
    assert metrics(taken(tmp_path / "both", files))["published"] == 10


def test_frames_of_lr_wpan(wired: Path, tmp_path: Path) -> None:
    files = Files(phy=wired / "wpan.tr", captures=(*sorted(wired.glob("wpan-*.pcap")),))
    run = taken(tmp_path, files)
    assert metrics(run)["frames_by_kind"] == {"ACK": 3, "DATA": 3}
    assert rows(run, "ns3_phy", "SELECT DISTINCT mac_src, mac_dst, mac_type FROM {} WHERE kind = 'DATA'") == [
        ("00:01", "00:02", "WPAN_DATA")
    ]
    assert rows(run, "ns3_frames", "SELECT kind, sequence FROM {} WHERE node = 1 ORDER BY ALL") == [
        (kind, number) for kind in ("ACK", "DATA") for number in (8, 9, 10)
    ]


# Of lines by hand: 10.0.0.1 is node 0, a router is node 1, 10.0.0.3 is node 2.
def line(
    op: str,
    time: float,
    node: int,
    what: str,
    ttl: int,
    number: int,
    ports: str = "5000 > 4000",
    **other: Any,
) -> str:
    src, dst = other.get("src", "10.0.0.1"), other.get("dst", "10.0.0.3")
    return (
        f"{op} {time:g} /NodeList/{node}/$ns3::{what} ns3::Ipv4Header (tos 0x0 DSCP Default ECN Not-ECT "
        f"ttl {ttl} id {number} protocol 17 offset (bytes) {other.get('offset', 0)} flags [none] length: 128 "
        f"{src} > {dst}) "
        f"ns3::UdpHeader (length: 108 {ports}) Payload (size=100)\n"
    )


def hop(time: float, number: int, **other: Any) -> list[str]:
    """A datagram on its way from node 0 over 1 to 2, in 30 ms."""
    return [
        line("t", time, 0, "Ipv4L3Protocol/Tx(1)", 64, number, **other),
        line("r", time + 0.01, 1, "Ipv4L3Protocol/Rx(1)", 64, number, **other),
        line("t", time + 0.01, 1, "Ipv4L3Protocol/Tx(2)", 63, number, **other),
        line("r", time + 0.03, 2, "Ipv4L3Protocol/Rx(1)", 63, number, **other),
    ]


WriteText = Callable[[list[str]], Files]


@pytest.fixture
def written(tmp_path: Path) -> WriteText:
    def write(lines: list[str]) -> Files:
        path = tmp_path / "ip.tr"
        path.write_text("".join(lines))
        return Files(ip=path)

    return write


def test_a_second_copy_is_a_duplicate(written: WriteText, tmp_path: Path) -> None:
    copy = line("r", 2, 2, "Ipv4L3Protocol/Rx(1)", 63, 0)
    found = metrics(taken(tmp_path, written([*hop(1, 0), copy])))
    assert (found["delivered_pairs"], found["duplicates"], found["hops_mean"]) == (1, 1, 2)
    assert found["delay_mean_s"] == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("time", "said"), [(99.1234, None), (150.123, "1 ms"), (2150.12, "10 ms"), (150.123456, None)]
)
def test_times_that_are_coarse_are_told(
    written: WriteText, tmp_path: Path, time: float, said: str | None
) -> None:
    lines = [re.sub(r"^(.) \S+", rf"\1 {time}", one) for one in hop(1, 0)]
    told = json.loads((taken(tmp_path, written(lines)) / "run.json").read_text())["notes"]
    assert [re.findall(r"steps of (\d+ ms)", note) for note in told] == ([[said]] if said else [])


def test_an_id_that_comes_again_is_another_datagram(written: WriteText, tmp_path: Path) -> None:
    found = metrics(taken(tmp_path, written([*hop(1, 7), *hop(2, 8), *hop(3, 7)])))
    assert (found["published"], found["delivered_pairs"], found["duplicates"]) == (3, 3, 0)


def test_what_waits_on_the_loopback_for_a_route_was_sent_once_and_then(
    written: WriteText, tmp_path: Path
) -> None:
    waiting = [line("t", 1, 0, "Ipv4L3Protocol/Tx(0)", 64, 0), line("r", 1, 0, "Ipv4L3Protocol/Rx(0)", 64, 0)]
    found = metrics(taken(tmp_path, written([*waiting, *hop(1.5, 0)])))
    assert (found["published"], found["hops_mean"]) == (1, 2)
    assert found["delay_mean_s"] == pytest.approx(0.53)


LOST = [line("t", 5, 0, "Ipv4L3Protocol/Tx(1)", 64, 1), line("r", 5.01, 1, "Ipv4L3Protocol/Rx(1)", 64, 1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("last", "cause"),
    [
        (LOST[0], "UNKNOWN"),
        (line("d", 6, 1, "ArpL3Protocol/Drop", 63, 1), "NO_ADDRESS"),
        (line("d", 6, 1, "Ipv4L3Protocol/Drop(1)", 1, 1), "TTL"),
        (line("d", 6, 1, "Ipv4L3Protocol/Drop(1)", 63, 1), "UNKNOWN"),
    ],
)
def test_what_was_lost_has_the_cause_that_the_text_tells(
    written: WriteText, tmp_path: Path, last: str, cause: str
) -> None:
    lines = [*hop(1, 0), *(LOST if last != LOST[0] else []), last]
    assert metrics(taken(tmp_path, written(lines)))["lost_by_cause"] == {cause: 1}


FLOWS = """<?xml version="1.0" ?>
<FlowMonitor><FlowStats>
<Flow flowId="1" timeFirstTxPacket="+1e+09ns" timeFirstRxPacket="+1.03e+09ns" timeLastTxPacket="+5e+09ns"
  timeLastRxPacket="+1.03e+09ns" delaySum="+3e+07ns" jitterSum="+0ns" txBytes="256" rxBytes="128"
  txPackets="2" rxPackets="1" lostPackets="0" timesForwarded="1">
  <packetsDropped reasonCode="{reason}" number="1" /></Flow>
</FlowStats><Ipv4FlowClassifier>
<Flow flowId="1" sourceAddress="10.0.0.1" destinationAddress="10.0.0.3" protocol="17" sourcePort="5000"
  destinationPort="4000" /></Ipv4FlowClassifier></FlowMonitor>
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reason", "cause"), [(0, "NO_ROUTE"), (6, "NO_ROUTE"), (1, "TTL"), (3, "MAC"), (2, "UNKNOWN")]
)
def test_flow_monitor_tells_why_a_flow_lost_all_that_it_lost(
    written: WriteText, tmp_path: Path, reason: int, cause: str
) -> None:
    (tmp_path / "flows.xml").write_text(FLOWS.format(reason=reason))
    files = written([*hop(1, 0), *LOST])
    run = taken(tmp_path, Files(files.ip, flows=tmp_path / "flows.xml"))
    assert metrics(run)["lost_by_cause"] == {cause: 1}
    assert rows(run, "ns3_flows", "SELECT first_rx_s, dropped_by_reason FROM {}") == [
        (1.03, {str(reason): 1})
    ]


def refused(tmp_path: Path, files: Files, **options: Any) -> str:
    """Why; and nothing is left."""
    with pytest.raises(TraceError) as error:
        taken(tmp_path / "out", files, **options)
    assert [*(tmp_path / "out").rglob("*.*")] == []
    return str(error.value)


def test_times_before_the_start_are_refused(written: WriteText, tmp_path: Path) -> None:
    why = refused(tmp_path, written([line("t", -1, 0, "Ipv4L3Protocol/Tx(1)", 64, 0), *hop(1, 1)]))
    assert re.search(r"ip\.tr, line 1: time -1 s is before the start of a run", why)


def test_times_that_go_back_are_refused(written: WriteText, tmp_path: Path) -> None:
    """As in a file that two runs wrote; by whichever task reads the place."""
    why = refused(tmp_path, written([*hop(3, 0), *hop(1, 1)]))
    assert re.search(r"ip\.tr, line 5: time goes back, from 3\.03 s to 1 s: are there two runs", why)
    path = tmp_path / "ip.tr"
    within_a_time = path.read_bytes().index(b"3.03 ") + 2
    for size in (100, 500, 1000, within_a_time):
        shares = text.shares("ns3_ip", path, size)
        with pytest.raises(TraceError, match="line 5: time goes back"):
            [*chain.from_iterable(map(reading.batches, shares))]


def test_other_kinds_of_files_are_refused(wifi: Path, wired: Path, tmp_path: Path) -> None:
    assert "phy.tr, line 1: no line of an IP trace" in refused(tmp_path, Files(ip=wifi / "phy.tr"))
    assert "ip.tr, line 1: no line of a device's trace" in refused(tmp_path, Files(phy=wifi / "ip.tr"))
    assert "no whole XML" in refused(tmp_path, Files(flows=wifi / "ip.tr"))
    renamed = tmp_path / "x-0-0.pcap"
    renamed.write_bytes((wifi / "ip.tr").read_bytes())
    assert "is no pcap file" in refused(tmp_path, Files(captures=(renamed,)))
    assert "PREFIX-NODE-DEVICE.pcap" in refused(tmp_path, Files(captures=(wifi / "ip.tr",)))
    assert "No such file" in refused(tmp_path, Files(ip=wifi / "none.tr"))
    assert refused(tmp_path, Files(flows=wifi / "none.xml")) == f"{wifi}/none.xml: No such file or directory"


def test_a_task_that_does_not_find_a_file_says_so(tmp_path: Path) -> None:
    """As an executor does that has not the driver's files."""
    with pytest.raises(TraceError, match=r"none\.tr: No such file or directory$"):
        [*reading.batches(text.Share("ns3_ip", str(tmp_path / "none.tr")))]


def test_a_damaged_line_is_named(written: WriteText, tmp_path: Path) -> None:
    lines = [*hop(1, 0), *hop(2, 1)]
    lines[6] = "t 2.01 /NodeList/1/$ns3::Ipv4L3Pro" + lines[6]
    assert "ip.tr, line 7: no line of an IP trace" in refused(tmp_path, written(lines))
    lines[6] = "\x00" * 40 + "\n"
    assert "ip.tr, line 7: no line" in refused(tmp_path, written(lines))
    assert "is empty" in refused(tmp_path, written([]))
    assert "has no whole line" in refused(tmp_path, written(["\n"]))
    assert "has no whole line" in refused(tmp_path, written([hop(1, 0)[0].rstrip()]))
    assert "Is a directory" in refused(tmp_path, Files(ip=tmp_path))


def test_a_truncated_last_line_is_left_out_and_told(written: WriteText, tmp_path: Path) -> None:
    run = taken(tmp_path, written([*hop(1, 0), line("t", 2, 0, "Ipv4L3Protocol/Tx(1)", 64, 1)[:-30]]))
    assert metrics(run)["published"] == 1
    assert "ends within a line" in json.loads((run / "run.json").read_text())["notes"][0]


def test_a_truncated_last_packet_is_left_out_and_told(wifi: Path, tmp_path: Path) -> None:
    path = tmp_path / "run-0-0.pcap"
    path.write_bytes((wifi / "run-0-0.pcap").read_bytes()[:-5])
    whole = pa.Table.from_batches(captures.read_frames(wifi / "run-0-0.pcap"))
    assert pa.Table.from_batches(captures.read_frames(path)) == whole[:-1]
    assert not captures.is_cut(wifi / "run-0-0.pcap")
    run = taken(tmp_path, Files(captures=(path,)))
    assert "run-0-0.pcap ends within" in json.loads((run / "run.json").read_text())["notes"][0]


def test_flows_without_a_classifier_are_refused(wifi: Path, tmp_path: Path) -> None:
    (tmp_path / "flows.xml").write_text(
        (wifi / "flows.xml").read_text().replace("Ipv4FlowClassifier", "Nothing")
    )
    assert "has no flow classifier" in refused(tmp_path, Files(flows=tmp_path / "flows.xml"))
    (tmp_path / "flows.xml").write_text(FLOWS.format(reason=0).replace('txPackets="2"', ""))
    assert "flow 1 lacks 'txPackets'" in refused(tmp_path, Files(flows=tmp_path / "flows.xml"))


CLASS = FLOWS[FLOWS.index("<Ipv4FlowClassifier") :].removesuffix("</FlowMonitor>\n")


@pytest.mark.parametrize(
    ("there", "instead", "why"),
    [
        ('txPackets="2"', 'txPackets="-2"', 'flow 1 has what FlowMonitor does not write: txPackets="-2"'),
        ("+3e+07ns", "nan", 'flow 1 has what FlowMonitor does not write: delaySum="nan"'),
        ("+3e+07ns", "-3e+07ns", 'flow 1 has .*: delaySum="-3e.07ns"'),
        ("+3e+07ns", "0.03", 'flow 1 has .*: delaySum="0.03"'),
        ('"4000"', '"400000"', 'flow 1 has .*: destinationPort="400000"'),
        ("10.0.0.3", "there", "flow 1 has .*: 'there' does not appear to be an IPv4"),
        ("FlowStats>", "Stats>", "has no <FlowStats>"),
        ("</FlowStats>", '<Flow flowId="1" /></FlowStats>', "flow 1 is counted twice: .* two runs"),
        (CLASS, CLASS + CLASS.replace("Ipv4", "Ipv6"), "flow 1 has two classifiers"),
    ],
)
def test_flows_that_flow_monitor_does_not_write_are_refused(
    tmp_path: Path, there: str, instead: str, why: str
) -> None:
    (tmp_path / "flows.xml").write_text(FLOWS.format(reason=0).replace(there, instead))
    assert re.search(rf"flows\.xml.* {why}", refused(tmp_path, Files(flows=tmp_path / "flows.xml")))


def test_numbers_that_no_table_holds_are_refused(wifi: Path, written: WriteText, tmp_path: Path) -> None:
    first, *others = hop(1, 0)
    huge = [first.replace("/NodeList/0/", "/NodeList/9999999999/"), *others]
    assert "ip.tr, line 1: no line of an IP trace" in refused(tmp_path, written(huge))
    for wrong in (hop(1, 65536), [first.replace("ttl 64", "ttl 256"), *others], hop(1, 2**64)):
        assert "ip.tr, line 1: no line of an IP trace" in refused(tmp_path, written(wrong))
    (tmp_path / "run.mob").write_text("now=+0.0ns node=9999999999 pos=0:0:0 vel=0:0:0\n")
    assert "run.mob, line 1: no line of a trace of mobility" in refused(
        tmp_path, Files(movement=tmp_path / "run.mob")
    )
    (tmp_path / "flows.xml").write_text(FLOWS.format(reason=0).replace('flowId="1"', 'flowId="9999999999"'))
    assert "a flow has what FlowMonitor does not write" in refused(
        tmp_path, Files(flows=tmp_path / "flows.xml")
    )
    packets = bytearray((wifi / "run-0-0.pcap").read_bytes())
    packets[36:40] = b"\xff" * 4  # the first packet's length
    for name, why in (("x-0-0.pcap", "a packet of 4294967295 B at byte 24"), ("x-9999999999-0.pcap", "NODE")):
        (tmp_path / name).write_bytes(packets)
        assert why in refused(tmp_path, Files(captures=(tmp_path / name,)))


def test_an_address_of_two_nodes_is_refused(written: WriteText, tmp_path: Path) -> None:
    other = line("t", 2, 5, "Ipv4L3Protocol/Tx(1)", 64, 1)
    assert "10.0.0.1 is the address of nodes 0 and 5" in refused(tmp_path, written([*hop(1, 0), other]))


def test_captures_of_two_runs_are_refused(wifi: Path, tmp_path: Path) -> None:
    other = tmp_path / "other-0-0.pcap"
    other.write_bytes((wifi / "run-0-0.pcap").read_bytes())
    assert "are of the same device" in refused(tmp_path, Files(captures=(other, wifi / "run-0-0.pcap")))


def test_a_run_that_is_there_stays(written: WriteText, tmp_path: Path) -> None:
    files = written(hop(1, 0))
    run = taken(tmp_path, files)
    before = (run / "run.json").read_bytes()
    with pytest.raises(TraceError, match="is there already: remove it, or give this run other keys"):
        taken(tmp_path, files)
    assert (run / "run.json").read_bytes() == before


OF_ROUTING = line("t", 2, 2, "Ipv4L3Protocol/Tx(1)", 64, 0, "654 > 654", src="10.0.0.255", dst="10.0.0.1")


@pytest.mark.parametrize(
    ("more", "nodes", "pairs"),
    [([], "0,10.0.0.1", 2), ([OF_ROUTING], "0,10.0.0.1", 1), ([], "2,10.0.0.255", 1)],
)
def test_an_address_that_ends_in_255_is_a_node_s_if_one_sends_with_it_or_is_told_to_have_it(
    written: WriteText, tmp_path: Path, more: list[str], nodes: str, pairs: int
) -> None:
    """A router on the way is no member of a group then."""
    (tmp_path / "nodes.csv").write_text(f"id,address\n{nodes}\n")
    files = written([*hop(1, 0, dst="10.0.0.255"), *more])
    found = metrics(taken(tmp_path, files, nodes=tmp_path / "nodes.csv"))
    assert (found["sent_pairs"], found["delivered_pairs"]) == (pairs, pairs)


def test_flow_monitor_counts_what_goes_to_an_address_that_ends_in_255(tmp_path: Path) -> None:
    """It counts nothing that goes to a group."""
    (tmp_path / "flows.xml").write_text(FLOWS.format(reason=0).replace("10.0.0.3", "10.0.0.255"))
    found = metrics(taken(tmp_path, Files(flows=tmp_path / "flows.xml")))
    assert (found["sent_pairs"], found["delivered_pairs"]) == (2, 1)


def captured(path: Path, times: range) -> Path:
    """A capture of an Ethernet with a datagram a second from 10.0.0.1, which never hears an answer."""
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 2**16, 1)
    for time in times:
        addresses = bytes([10, 0, 0, 1, 10, 0, 0, 3])
        packet = struct.pack(">BBHHHBBH8s", 0x45, 0, 32, time, 0, 64, 17, 0, addresses)
        packet += struct.pack(">4H4s", 5000, 4000, 12, 0, b"data")
        frame = bytes.fromhex("000000000003 000000000001 0800") + packet
        content += struct.pack("<4I", time, 0, len(frame), len(frame)) + frame
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("publisher", [0, 1])
def test_who_never_sends_has_what_its_capture_holds_if_its_address_is_told(
    tmp_path: Path, publisher: int
) -> None:
    """Both captures have the frames at the same times."""
    files = Files(
        captures=tuple(
            captured(tmp_path / f"x-{node}-0.pcap", range(5 if node == publisher else 4)) for node in (0, 1)
        )
    )
    lines = ["id,roles,address", f"{publisher},P,10.0.0.1", f"{1 - publisher},S,10.0.0.3"]
    (tmp_path / "nodes.csv").write_text("\n".join(sorted(lines, reverse=True)) + "\n")
    found = metrics(taken(tmp_path, files, nodes=tmp_path / "nodes.csv"))
    assert (found["sent_pairs"], found["delivered_pairs"]) == (5, 4)


def test_what_came_before_it_was_sent_is_left_out_and_told(written: WriteText, tmp_path: Path) -> None:
    early = line("r", 0.5, 2, "Ipv4L3Protocol/Rx(1)", 63, 0)
    run = taken(tmp_path, written([early, *hop(1, 0), *hop(2, 1)]))
    assert (metrics(run)["delivered_pairs"], metrics(run)["duplicates"]) == (2, 0)
    (note,) = json.loads((run / "run.json").read_text())["notes"]
    assert note == "1 datagrams were received before they were sent: what came before that is left out"


def parts(time: float, number: int, node: int, way: str) -> list[str]:
    """The three fragments of a datagram of 228 B of IP, 10 ms apart: sent by node 0, or got by 2."""
    whole = "Ipv4L3Protocol/Tx(1)" if way == "t" else "Ipv4L3Protocol/Rx(1)"
    found = []
    for place, (offset, flags, length) in enumerate([(0, "MF", 100), (80, "MF", 100), (160, "none", 68)]):
        one = line(way, time + place / 100, node, whole, 64, number, offset=offset)
        one = one.replace("flags [none] length: 128", f"flags [{flags}] length: {length}")
        found.append(one if not offset else re.sub(r"ns3::UdpHeader \(.*?\) ", "", one))
    return found


def test_a_datagram_has_come_with_its_last_fragment(written: WriteText, tmp_path: Path) -> None:
    """In any order; a second copy of a fragment is none of another. One that lacks a fragment was lost."""
    whole, late = parts(1, 0, 0, "t"), parts(2, 1, 0, "t")
    came = sorted(parts(1.1, 0, 2, "r"), key=lambda text: "offset (bytes) 0 " in text)
    came = [re.sub(r"^r \S+", f"r {1.1 + place / 100:g}", text) for place, text in enumerate(came)]
    first = parts(2.1, 1, 2, "r")[0]
    twice = [first, re.sub(r"^r \S+", "r 2.15", first), re.sub(r"^r \S+", "r 2.16", first)]
    run = taken(tmp_path, written([*whole, *came, *late, *twice]))
    found = metrics(run)
    assert (found["published"], found["delivered_pairs"], found["lost_by_cause"]) == (2, 1, {"UNKNOWN": 1})
    assert found["delay_mean_s"] == pytest.approx(0.12)
    assert rows(run, "ns3_ip", "SELECT DISTINCT fragment_offset, more_fragments FROM {} ORDER BY ALL") == [
        (0, 1),
        (80, 1),
        (160, 0),
    ]
    published = read_trace(run / "trace.gz").query("kind == 'PUBLISH'")
    assert [*published["bytes"]] == [200, 200]


def test_fragments_of_two_turns_of_an_id_make_no_whole(written: WriteText, tmp_path: Path) -> None:
    sent, came = [*parts(1, 0, 0, "t"), *parts(40, 0, 0, "t")], parts(1.5, 0, 2, "r")
    lines = [*sent[:3], came[0], *sent[3:]]
    lines += [re.sub(r"^r \S+", f"r {41 + place / 100:g}", one) for place, one in enumerate(came[1:])]
    found = metrics(taken(tmp_path, written([*lines, *hop(50, 7)])))
    assert (found["published"], found["delivered_pairs"]) == (3, 1)


def test_a_port_that_nobody_sent_to_is_refused(written: WriteText, tmp_path: Path) -> None:
    assert "sent to port 5: " not in refused(tmp_path, written(hop(1, 0)), ports=[7])
    assert "UDP ports in the trace: 4000" in refused(tmp_path, written(hop(1, 0)), ports=[7])
    (tmp_path / "flows.xml").write_text(FLOWS.format(reason=0))
    why = refused(tmp_path, Files(flows=tmp_path / "flows.xml"), ports=[7])
    assert "sent to port 7; UDP ports in the trace: 4000" in why


def test_an_address_that_nobody_is_seen_to_own_is_asked_for(written: WriteText, tmp_path: Path) -> None:
    lost = [line("t", 1, 0, "Ipv4L3Protocol/Tx(1)", 64, 0)]
    assert "nobody is seen to own 10.0.0.3" in refused(tmp_path, written(lost))
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("id,roles,address\n0,P,\n2,S,10.0.0.3\n9,B,\n")
    run = taken(tmp_path, written(lost), nodes=nodes)
    assert metrics(run)["lost_by_cause"] == {"UNKNOWN": 1}
    roles = dict(read_trace(run / "trace.gz").query("layer == 'node'")[["node", "kind"]].to_numpy())
    assert roles == {0: "P", 2: "S", 9: "B"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("node,roles\n1,S\n", "the columns are id"),
        ("", "has no nodes: a line of columns (id, roles, address), then nodes"),
        ("id,roles,address\n", "has no nodes"),
        ("id,roles\nx,S\n", "line 2: id: 'x' is no number"),
        ("id,roles\n1,S\n1,P\n", "line 3: node 1 is there already"),
        ("id,roles\n1,SX\n", "line 2: roles: 'SX' are not letters"),
        ("id,address\n1,10.0.0\n", "line 2: address: '10.0.0' is no IPv4"),
        ("id,address\n1,10.0.0.1\n2,10.0.0.1\n", "line 3: 10.0.0.1 is the address of node 1 already"),
    ],
)
def test_a_list_of_nodes_that_is_wrong_is_refused(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "nodes.csv").write_text(content)
    with pytest.raises(ConfigurationError, match=re.escape(why)):
        read_nodes(tmp_path / "nodes.csv")


def test_a_list_of_nodes(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("id,roles,address\n1,bs,10.0.0.1 10.1.0.1\n2,,\n")
    assert read_nodes(tmp_path / "nodes.csv") == [Node(1, "BS", ("10.0.0.1", "10.1.0.1")), Node(2)]


@pytest.mark.parametrize(
    "run",
    [
        "protocol=a,config=b,speed=1",
        "protocol=a/b,config=b,speed=1,seed=1",
        "protocol=a,config=b,speed=x,seed=1",
        "protocol=a,config=b,speed=1,seed=9223372036854775808",
    ],
)
def test_keys_that_name_no_run_are_refused(wifi: Path, tmp_path: Path, run: str) -> None:
    found = CliRunner().invoke(app, ["ingest-ns3", str(tmp_path), "--run", run, "--ip", str(wifi / "ip.tr")])
    assert isinstance(found.exception, ConfigurationError)
    assert "--run" in str(found.exception)


def test_a_speed_of_minus_zero_is_that_of_zero() -> None:
    keys = check_keys({"protocol": "a", "config": "b", "speed": "-0", "seed": "1"})
    assert str(keys["speed_mps"]) == "0.0"


@pytest.mark.spark
def test_what_cannot_be_known_is_null_in_the_tables(
    wifi: Path, tmp_path: Path, undisturbed_runs: Path
) -> None:
    """Beside runs of ours, of which it is known."""
    taken(undisturbed_runs, Files(ip=wifi / "ip.tr"))
    assert CliRunner().invoke(app, ["ingest", str(undisturbed_runs)]).exit_code == 0
    runs = pd.read_parquet(undisturbed_runs / "tables" / "runs.parquet").set_index("protocol")
    foreign, own = runs.loc["aodv-wifi"], runs.loc["mft-pubsub"]
    for metric in (
        "reachable",
        "energy_per_node_j",
        "frames_per_node",
        "frames",
        "senders_mean",
        "migrations",
    ):
        assert pd.isna(foreign[metric])
        assert pd.notna(own[metric])
    assert foreign["delivered_pairs"] == 71
    assert integrity.survey(folder_at(undisturbed_runs)).foreign == []


def test_flow_monitor_alone_tells_no_datagram_s_times(
    undisturbed_runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside a run of ours, of which they are known; tables of a version that made them up are made anew."""
    folder = folder_at(undisturbed_runs)
    (undisturbed_runs / "flows.xml").write_text(FLOWS.format(reason=0))
    taken(undisturbed_runs, Files(flows=undisturbed_runs / "flows.xml"))
    store(Processes(1), folder)
    with monkeypatch.context() as earlier:
        earlier.setattr(tables, "_ROWS_BY", {})
        tables.make(Processes(1), folder)
    assert not tables.are_of(folder)
    tables.make(Processes(1), folder)
    assert tables.are_of(folder)
    results = StudyResults(undisturbed_runs)
    assert {*results.need("delays")["protocol"]} == {"mft-pubsub"}
    runs = results.runs.set_index("protocol")
    assert runs.loc["aodv-wifi", "delay_mean_s"] == pytest.approx(0.03)
    assert [*quantiles(results, Wish(), [0.1])["protocol"]] == ["mft-pubsub"]
    assert "1 runs of aodv-wifi have no delays" in capsys.readouterr().err
    study = of_runs.study(folder)
    rows = [study.run(row) for row in study.runs.to_pylist()]
    found = pa.Table.from_batches(of_runs.answer(study, rows, "deliveries")).to_pandas()
    foreign = found[found["protocol"] == "aodv-wifi"]
    assert sorted(foreign["cause"].isna()) == [False, True]  # one of two was delivered
    unknown = ["published_s", "matched_s", "delivered_s", "delay_s", "hops", "duplicates"]
    assert foreign[unknown].isna().all(axis=None)
    assert found[unknown].notna().any().all()
    nodes = pa.Table.from_batches(of_runs.answer(study, rows, "nodes")).to_pandas().set_index("protocol")
    assert nodes.loc["aodv-wifi", ["frames", "bytes", "migrations"]].isna().all(axis=None)
    assert sorted(nodes.loc["aodv-wifi", "delivered"]) == [0, 1]


@pytest.fixture
def undisturbed_runs(write_run: Callable[..., Path], tmp_path: Path) -> Path:
    from test_pipeline import COUNTED

    write_run(COUNTED, config="W18")
    return tmp_path


@pytest.mark.spark
def test_the_command_and_what_follows_it(wifi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    names = [
        f"--{name}={wifi / file}"
        for name, file in (("ip", "ip.tr"), ("phy", "phy.tr"), ("flows", "flows.xml"))
    ]
    keys = ",".join(f"{name}={value}" for name, value in KEYS.items())
    found = runner.invoke(
        app, ["ingest-ns3", "out", "--run", keys, *names, "--pcap", f"{wifi}/*.pcap", "--port", "4000"]
    )
    assert found.output.splitlines()[-1] == f"out/{RUN}"
    told = json.loads((tmp_path / "out" / RUN / "run.json").read_text())
    assert told["source"] == "ns-3"
    assert {one["file"] for one in told["files"]} >= {"ip.tr", "phy.tr", "flows.xml", "run-17-0.pcap"}
    assert all(len(one["sha256"]) == 64 for one in told["files"])
    for command in (["ingest", "out"], ["table", "out", "--metric", "delivery_rate"], ["view", f"out/{RUN}"]):
        assert runner.invoke(app, command).exit_code == 0, command
    assert "aodv-wifi" in runner.invoke(app, ["table", "out", "--metric", "delivery_rate"]).output
    assert runner.invoke(app, ["provenance", "out"]).exit_code == 0
    with pytest.raises(MftPubsubError, match="is of ns-3: without a scenario"):
        mftpubsub.open_run(tmp_path / "out" / RUN)


def test_a_pattern_that_no_file_matches_is_refused(tmp_path: Path) -> None:
    found = CliRunner().invoke(
        app, ["ingest-ns3", str(tmp_path), "--run", "protocol=a", "--pcap", "none-*.pcap"]
    )
    assert found.exit_code == 2
    assert "no file is called" in found.output


def test_bins_are_those_of_the_histograms(wifi: Path) -> None:
    bins = read_flows(wifi / "flows.xml")["ns3_flow_bins"].to_pandas()
    flows = read_flows(wifi / "flows.xml")["ns3_flows"].to_pandas().set_index("flow")
    delays = bins[bins["histogram"] == "delay"].groupby("flow")["count"].sum()
    assert delays.to_dict() == flows.loc[flows["rx_packets"] > 0, "rx_packets"].to_dict()


@pytest.mark.spark
def test_executors_do_some_pieces_at_a_time(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver never has more of the answers."""
    monkeypatch.setattr(Executors, "cores", 1)
    answers = Executors(spark).map(Path.mkdir, [tmp_path / str(number) for number in range(6)])
    next(answers)
    assert len([*tmp_path.iterdir()]) == 4
    assert (len([*answers]), len([*tmp_path.iterdir()])) == (5, 6)


@pytest.mark.spark
def test_executors_and_processes_give_the_same(spark: SparkSession, wifi: Path, tmp_path: Path) -> None:
    for name, workers in (("spark", Executors(spark)), ("pool", Processes(2)), ("alone", Processes(1))):
        take(Script(KEYS, all_of(wifi)), tmp_path / name, workers)
    contents = {
        name: {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name / RUN).rglob("*.*")
            if path.suffix != ".json"
        }
        for name in ("spark", "pool", "alone")
    }
    assert contents["spark"] == contents["pool"] == contents["alone"]
    with pytest.raises(TraceError, match=r"phy\.tr, line 1"):
        take(Script(KEYS, Files(ip=wifi / "phy.tr")), tmp_path / "damaged", Executors(spark))
