"""What a user says of the nodes of an ns-3 script: a CSV file with the columns id, roles, address."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from mftpubsub.errors import ConfigurationError

_COLUMNS = ("id", "roles", "address")


@dataclass(frozen=True)
class Node:
    """A node: `roles` are letters of B, S and P, R for none of them, None if they are not told."""

    id: int
    roles: str | None = None
    addresses: tuple[str, ...] = ()


def read_nodes(path: Path) -> list[Node]:
    """The nodes in a CSV file; several addresses are separated by spaces, and what is empty is not told.

    Raises ConfigurationError, naming line and column, for what is wrong, and for an address of two nodes.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [*csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{path} is no CSV file that can be read: {error}") from error
    if not rows:
        raise ConfigurationError(
            f"{path} has no nodes: a line of columns ({', '.join(_COLUMNS)}), then nodes"
        )
    found: dict[int, Node] = {}
    owners: dict[str, int] = {}
    for line, row in enumerate(rows, 2):
        if "id" not in row or not {*row} <= {*_COLUMNS}:
            raise ConfigurationError(
                f"{path}: the columns are id, and roles or address, not {', '.join(map(str, row))}"
            )
        node = _node(row, f"{path}, line {line}")
        if node.id in found:
            raise ConfigurationError(f"{path}, line {line}: node {node.id} is there already")
        for address in node.addresses:
            if owners.setdefault(address, node.id) != node.id:
                raise ConfigurationError(
                    f"{path}, line {line}: {address} is the address of node {owners[address]} already"
                )
        found[node.id] = node
    return [*found.values()]


def _node(row: dict[str, str | None], where: str) -> Node:
    number = (row["id"] or "").strip()
    if not number.isdigit():
        raise ConfigurationError(f"{where}: id: {number!r} is no number of a node, as in /NodeList/3")
    roles = (row.get("roles") or "").strip().upper() or None
    if roles and not re.fullmatch("R|[BSP]+", roles):
        raise ConfigurationError(
            f"{where}: roles: {roles!r} are not letters of B, S and P, or R for none of them"
        )
    addresses = tuple((row.get("address") or "").split())
    for address in addresses:
        try:
            IPv4Address(address)
        except ValueError as error:
            raise ConfigurationError(
                f"{where}: address: {address!r} is no IPv4 address, as 10.0.0.3"
            ) from error
    return Node(int(number), roles, addresses)
