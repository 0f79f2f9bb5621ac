"""Network namespaces of a trial: each node has an interface of its own, and nothing leaves the machine."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mftpubsub.errors import InstallationError

#: The interface of each node in its namespace.
INTERFACE = "mesh0"


@contextmanager
def namespaces(ids: Iterable[int]) -> Iterator[dict[int, list[str]]]:
    """A namespace for each node, all on one bridge: the words before a command that runs in it, by node.

    They are gone afterwards. Raises InstallationError where they are not permitted.
    """
    # Whoever is killed leaves theirs, and processes' numbers come again.
    mark = f"mftp{os.getpid()}-{secrets.token_hex(3)}"
    hub = f"{mark}-hub"
    made: list[str] = []
    try:
        _make(hub, made)
        _ip("-n", hub, "link", "add", "bridge0", "type", "bridge", "mcast_snooping", "0")
        _ip("-n", hub, "link", "set", "bridge0", "up")
        commands = {}
        for place, id in enumerate(ids):
            name = f"{mark}-{id}"
            _make(name, made)
            _ip(
                "-n",
                hub,
                "link",
                "add",
                f"port{place}",
                "type",
                "veth",
                "peer",
                "name",
                INTERFACE,
                "netns",
                name,
            )
            _ip("-n", hub, "link", "set", f"port{place}", "master", "bridge0", "up")
            address = f"10.77.{(place + 1) // 256}.{(place + 1) % 256}/16"
            _ip("-n", name, "addr", "add", address, "dev", INTERFACE)
            _ip("-n", name, "link", "set", INTERFACE, "up")
            _ip("-n", name, "link", "set", "lo", "up")
            commands[id] = ["ip", "netns", "exec", name]
        yield commands
    finally:
        for name in reversed(made):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def _make(name: str, made: list[str]) -> None:
    if shutil.which("ip") is None:
        raise InstallationError("--namespaces needs `ip`: install Debian's iproute2")
    _ip("netns", "add", name)
    made.append(name)


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], check=False, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise InstallationError(
            f"namespaces are not permitted here ({said}): be root, or leave --namespaces out"
        )
