"""A share of any of ns-3's files to rows of its table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from mftpubsub.errors import TraceError
from mftpubsub.pipeline.ns3 import captures, flows, text
from mftpubsub.pipeline.ns3.text import MADE_BY, Share


@dataclass(frozen=True)
class Files:
    """What one run of a script wrote: text traces of IP, devices and mobility, FlowMonitor's XML, captures.

    Or `trace`, of PubSubHelper::WriteTrace, which is a trace of ours and has no table.
    """

    ip: Path | None = None
    phy: Path | None = None
    flows: Path | None = None
    captures: tuple[Path, ...] = ()
    trace: Path | None = None
    movement: Path | None = None

    def by_table(self) -> dict[str, list[Path]]:
        """The files of each table."""
        one = {
            "ns3_ip": self.ip,
            "ns3_phy": self.phy,
            "ns3_movement": self.movement,
            "ns3_flows": self.flows,
            "ns3_flow_bins": self.flows,
        }
        return {name: [path] for name, path in one.items() if path} | {"ns3_frames": [*self.captures]}


def shares(files: Files) -> list[Share]:
    """What there is to read, in the order of the tables' rows. Raises TraceError for a file that is none."""
    nodes: dict[tuple[int, int], Path] = {}
    for path in files.captures:
        other = nodes.setdefault(captures.node_and_device(path), path)
        if other != path:
            raise TraceError(f"{path} and {other} are of the same device: are there two runs in one folder?")
    found = []
    for table, paths in files.by_table().items():
        for path in paths:
            found += text.shares(table, path) if table in MADE_BY else [Share(table, str(path))]
    return found


def batches(share: Share) -> Iterator[pa.RecordBatch]:
    """The rows of a share, in the order of its file. Raises TraceError if that is damaged."""
    if share.table in MADE_BY:
        yield from text.read(share)
    elif share.table == "ns3_frames":
        yield from captures.read_frames(Path(share.path))
    else:
        yield from flows.read_flows(Path(share.path))[share.table].to_batches()


def cut_off(files: Files) -> list[Path]:
    """The files of which the last line or packet is truncated, and was left out."""
    texts = [path for path in (files.ip, files.phy, files.movement) if path and text.is_truncated(path)]
    return texts + [path for path in files.captures if captures.is_cut(path)]
