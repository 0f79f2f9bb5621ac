"""Pages of the viewer, for tests: what is in them, and where they are written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import IS_MISSING

from mftpubsub.views.viewer import page

needs_browser = pytest.mark.skipif(
    IS_MISSING, reason="no browser: the page is not tried (Debian: apt-get install chromium chromium-driver)"
)


def decode(packed: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """A block's header and columns: what columns.py writes, read by other means than decode.ts."""
    content = gzip.decompress(packed)
    size = int.from_bytes(content[:4], "little")
    told = json.loads(content[4 : 4 + size])
    columns = {}
    for info in told["columns"]:
        kind = np.dtype(info["type"].replace("u", "<u").replace("i", "<i"))
        count = info["rows"] * info["width"]
        start = 4 + size + info["offset"]
        raw = np.frombuffer(content, np.uint8, count * kind.itemsize, start)
        if info["filter"] != "plain" and kind.itemsize > 1:
            raw = raw.reshape(kind.itemsize, count).T.copy().reshape(-1)
        table = raw.view(f"<u{kind.itemsize}").reshape(info["rows"], info["width"])
        if info["filter"] == "delta":
            table = np.cumsum(table, axis=0, dtype=table.dtype)
        elif info["filter"] == "xor":
            table = np.bitwise_xor.accumulate(table, axis=0)
        table = table.view(kind)
        columns[info["name"]] = table if info["width"] > 1 else table[:, 0]
    return told, columns


def written(folder: Path, *blocks: bytes) -> Path:
    file = folder / "view.html"
    page.write(file, blocks, "test")
    return file
