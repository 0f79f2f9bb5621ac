"""FlowMonitor's XML to the tables ns3_flows and ns3_flow_bins."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa

from mftpubsub.errors import TraceError
from mftpubsub.pipeline.ns3.tables import TABLES

_CLASSIFIERS = ("Ipv4FlowClassifier", "Ipv6FlowClassifier")
_COUNTS = {
    "tx_packets": "txPackets",
    "rx_packets": "rxPackets",
    "lost_packets": "lostPackets",
    "tx_bytes": "txBytes",
    "rx_bytes": "rxBytes",
    "times_forwarded": "timesForwarded",
}
_SUMS = {"delay_sum_s": "delaySum", "jitter_sum_s": "jitterSum"}
#: By column: the attribute, and the count that must not be 0 for it to say something.
_INSTANTS = {
    "first_tx_s": ("timeFirstTxPacket", "txPackets"),
    "last_tx_s": ("timeLastTxPacket", "txPackets"),
    "first_rx_s": ("timeFirstRxPacket", "rxPackets"),
    "last_rx_s": ("timeLastRxPacket", "rxPackets"),
}


def read_flows(path: Path) -> dict[str, pa.Table]:
    """The tables ns3_flows and ns3_flow_bins of a file that FlowMonitor::SerializeToXmlFile wrote.

    Raises TraceError if it is damaged, another kind of file, or has no classifier, without which nobody
    knows whose flows they are.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error
    except ElementTree.ParseError as error:
        raise TraceError(f"{path} is no whole XML of FlowMonitor's: {error}") from error
    if root.tag != "FlowMonitor":
        raise TraceError(f"{path}: <{root.tag}> instead of <FlowMonitor>")
    try:
        named = [one.attrib for tag in _CLASSIFIERS for one in root.findall(f"{tag}/Flow")]
        classes = {one["flowId"]: one for one in named}
        stats = root.findall("FlowStats/Flow")
        if lacking := {one.attrib["flowId"] for one in stats} - classes.keys():
            raise TraceError(
                f"{path} has no flow classifier for flow {min(lacking)}: whose flows these are is in "
                "Ipv4FlowClassifier, which FlowMonitorHelper::SerializeToXmlFile writes"
            )
        rows = {
            "ns3_flows": [_flow(one, classes[one.attrib["flowId"]]) for one in stats],
            "ns3_flow_bins": [row for one in stats for row in _bins(one)],
        }
        return {name: pa.Table.from_pylist(these, TABLES[name].schema()) for name, these in rows.items()}
    except KeyError as error:
        raise TraceError(f"{path}: a flow lacks {error}") from error
    except (ValueError, OverflowError) as error:
        raise TraceError(f"{path}: a flow has what FlowMonitor does not write: {error}") from error


def _flow(flow: ElementTree.Element, its_class: dict[str, str]) -> dict[str, Any]:
    told = flow.attrib
    dropped: dict[str, int] = {}
    for one in flow.iter("packetsDropped"):
        reason = one.attrib["reasonCode"]
        dropped[reason] = dropped.get(reason, 0) + int(one.attrib["number"])
    return (
        {
            "flow": int(told["flowId"]),
            "src": its_class["sourceAddress"],
            "dst": its_class["destinationAddress"],
            "ip_protocol": int(its_class["protocol"]),
            "src_port": int(its_class["sourcePort"]),
            "dst_port": int(its_class["destinationPort"]),
            "dropped_by_reason": [*dropped.items()],
        }
        | {column: int(told[name]) for column, name in _COUNTS.items()}
        | {column: _seconds(told[name]) for column, name in _SUMS.items()}
        | {
            column: _seconds(told[name]) if int(told[count]) else None
            for column, (name, count) in _INSTANTS.items()
        }
    )


def _bins(flow: ElementTree.Element) -> list[dict[str, Any]]:
    return [
        {
            "flow": int(flow.attrib["flowId"]),
            "histogram": histogram.tag.removesuffix("Histogram"),
            "start": float(one.attrib["start"]),
            "width": float(one.attrib["width"]),
            "count": int(one.attrib["count"]),
        }
        for histogram in flow
        if histogram.tag.endswith("Histogram")
        for one in histogram.iter("bin")
    ]


def _seconds(time: str) -> float:
    """Of a time as FlowMonitor prints it, such as +3.7e+08ns."""
    return float(time.removesuffix("ns")) / 1e9
