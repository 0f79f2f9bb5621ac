"""FlowMonitor's XML to the tables ns3_flows and ns3_flow_bins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from ipaddress import ip_address
from math import isinf
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa

from mftpubsub.errors import TraceError
from mftpubsub.pipeline.ns3.tables import TABLES

_CLASSIFIERS = ("Ipv4FlowClassifier", "Ipv6FlowClassifier")
_LARGEST_FLOW, _LARGEST_COUNT = 2**31 - 1, 2**63 - 1
#: Of IP's headers.
_LARGEST_PROTOCOL, _LARGEST_PORT = 2**8 - 1, 2**16 - 1
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

    Raises TraceError if it is damaged, another kind of file, tells a flow twice, or has no classifier,
    without which nobody knows whose flows they are.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error
    except ElementTree.ParseError as error:
        raise TraceError(f"{path} is no whole XML of FlowMonitor's: {error}") from error
    if root.tag != "FlowMonitor":
        raise TraceError(f"{path}: <{root.tag}> instead of <FlowMonitor>")
    if root.find("FlowStats") is None:
        raise TraceError(f"{path} has no <FlowStats>, which tells what was sent and received")
    classes = _by_flow(
        path,
        (one for tag in _CLASSIFIERS for one in root.iterfind(f"{tag}/Flow")),
        "has two classifiers: ns-3 counts a flow of IPv4 and one of IPv6 of the same number as one",
    )
    stats = _by_flow(
        path, root.iterfind("FlowStats/Flow"), "is counted twice: are there two runs in one file?"
    )
    if lacking := stats.keys() - classes.keys():
        raise TraceError(
            f"{path} has no flow classifier for flow {min(lacking)}: whose flows these are is in "
            "Ipv4FlowClassifier, which FlowMonitorHelper::SerializeToXmlFile writes"
        )
    rows: dict[str, list[dict[str, Any]]] = {"ns3_flows": [], "ns3_flow_bins": []}
    for number, flow in stats.items():
        with _told_of(f"{path}: flow {number}"):
            rows["ns3_flows"].append({"flow": number, **_class(classes[number].attrib), **_flow(flow)})
            rows["ns3_flow_bins"] += [{"flow": number, **row} for row in _bins(flow)]
    return {name: pa.Table.from_pylist(these, TABLES[name].schema()) for name, these in rows.items()}


def _by_flow(
    path: Path, elements: Iterable[ElementTree.Element], why_not_twice: str
) -> dict[int, ElementTree.Element]:
    """By its number."""
    found: dict[int, ElementTree.Element] = {}
    for one in elements:
        with _told_of(f"{path}: a flow"):
            number = _count(one.attrib, "flowId", _LARGEST_FLOW)
        if number in found:
            raise TraceError(f"{path}: flow {number} {why_not_twice}")
        found[number] = one
    return found


@contextmanager
def _told_of(what: str) -> Iterator[None]:
    """Raises TraceError of it for what is missing in the file, or wrong."""
    try:
        yield
    except KeyError as error:
        raise TraceError(f"{what} lacks {error}") from error
    except ValueError as error:
        raise TraceError(f"{what} has what FlowMonitor does not write: {error}") from error


def _class(told: Mapping[str, str]) -> dict[str, Any]:
    """Between whom a flow is."""
    return {
        "src": _address(told, "sourceAddress"),
        "dst": _address(told, "destinationAddress"),
        "ip_protocol": _count(told, "protocol", _LARGEST_PROTOCOL),
        "src_port": _count(told, "sourcePort", _LARGEST_PORT),
        "dst_port": _count(told, "destinationPort", _LARGEST_PORT),
    }


def _flow(flow: ElementTree.Element) -> dict[str, Any]:
    told = flow.attrib
    dropped: dict[str, int] = {}
    for one in flow.iter("packetsDropped"):
        reason = one.attrib["reasonCode"]
        dropped[reason] = dropped.get(reason, 0) + _count(one.attrib, "number")
    return (
        {"dropped_by_reason": [*dropped.items()]}
        | {column: _count(told, name) for column, name in _COUNTS.items()}
        | {column: _seconds(told, name) for column, name in _SUMS.items()}
        | {
            column: _seconds(told, name) if _count(told, count) else None
            for column, (name, count) in _INSTANTS.items()
        }
    )


def _bins(flow: ElementTree.Element) -> list[dict[str, Any]]:
    return [
        {
            "histogram": histogram.tag.removesuffix("Histogram"),
            "start": _number(one.attrib, "start"),
            "width": _number(one.attrib, "width"),
            "count": _count(one.attrib, "count"),
        }
        for histogram in flow
        if histogram.tag.endswith("Histogram")
        for one in histogram.iter("bin")
    ]


def _address(told: Mapping[str, str], name: str) -> str:
    """As ns-3 prints it, as in its other files."""
    ip_address(told[name])
    return told[name]


def _count(told: Mapping[str, str], name: str, most: int = _LARGEST_COUNT) -> int:
    if not re.fullmatch(r"\d{1,19}", told[name]) or int(told[name]) > most:
        raise ValueError(f'{name}="{told[name]}"')
    return int(told[name])


def _seconds(told: Mapping[str, str], name: str) -> float:
    """Of a time as FlowMonitor prints it, such as +3.7e+08ns."""
    return _number(told, name, "ns") / 1e9


def _number(told: Mapping[str, str], name: str, unit: str = "") -> float:
    found = re.fullmatch(rf"\+?(\d+\.?\d*(?:e[+-]?\d+)?){unit}", told[name])
    if not found or isinf(value := float(found[1])):
        raise ValueError(f'{name}="{told[name]}"')
    return value
