"""Columns of numbers as the viewer's page reads them: one compressed block a run (decode.ts reads it).

A block is gzip of: the length of the header (4 bytes, little endian), the header (JSON), and the columns one
after the other. The header's `columns` say of each its name, type, filter, rows and offset behind the header.
Two filters make them compress well, and are undone where they are read: `delta` holds differences to the row
before, `xor` what changed since the row before; both then hold all lowest bytes first, and so on.
"""

from __future__ import annotations

import json
import zlib
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Filter = Literal["plain", "delta", "xor"]

_TYPES: dict[str, type[np.integer[Any]]] = {"u1": np.uint8, "u4": np.uint32, "i4": np.int32}
#: Of 0 to 9; 9 takes five times as long for 1 % less.
_LEVEL = 6
#: A time that never was.
NEVER = 2**32 - 1


class Columns:
    """Collects the columns of one run."""

    def __init__(self) -> None:
        self._told: list[dict[str, Any]] = []
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, values: ArrayLike, kind: str, how: Filter = "plain") -> None:
        """Adds a column of type `kind` (u1, u4, i4). A second axis is a row's width.

        Raises OverflowError if a value does not fit.
        """
        array = np.asarray(values)
        if array.size and np.issubdtype(array.dtype, np.integer):
            limits = np.iinfo(_TYPES[kind])
            if array.min() < limits.min or array.max() > limits.max:
                raise OverflowError(f"column {name}: {array.min()} to {array.max()} do not fit in {kind}")
        array = np.ascontiguousarray(array, dtype=np.dtype(_TYPES[kind]).newbyteorder("<"))
        data = _filtered(array, how).tobytes()
        width = array.shape[1] if array.ndim == 2 else 1
        self._told.append(
            {"name": name, "type": kind, "filter": how, "rows": len(array), "width": width}
            | {"offset": self._size}
        )
        self._parts.append(data)
        self._size += len(data)

    def block(self, told: dict[str, Any], level: int = _LEVEL) -> bytes:
        """The compressed block, `told` and the columns' list as its header; `level` of 0 to 9."""
        header = json.dumps(told | {"columns": self._told}, ensure_ascii=False, allow_nan=False).encode()
        content = b"".join([len(header).to_bytes(4, "little"), header, *self._parts])
        packer = zlib.compressobj(level, zlib.DEFLATED, 31)
        return packer.compress(content) + packer.flush()


def _filtered(array: NDArray[Any], how: Filter) -> NDArray[Any]:
    """The column as it is written; differences wrap around."""
    if how == "plain":
        return array
    changed = array.copy()
    if how == "delta":
        whole = array.view(np.dtype(np.uint32).newbyteorder("<"))
        changed = whole.copy()
        changed[1:] = whole[1:] - whole[:-1]
    else:
        changed[1:] = array[1:] ^ array[:-1]
    if changed.itemsize == 1:
        return changed
    return np.ascontiguousarray(changed.reshape(-1).view(np.uint8).reshape(-1, changed.itemsize).T)
