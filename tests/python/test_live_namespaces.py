"""Nodes in network namespaces that the test makes itself: clients of MQTT, and trials. Needs to be root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mftpubsub.errors import InstallationError
from mftpubsub.live.namespaces import INTERFACE, namespaces
from mftpubsub.live.site import load
from mftpubsub.live.trial import attempt
from mftpubsub.simulator.library import package_file

pytestmark = pytest.mark.programs
LIMIT = 120.0
CLIENTS = f"""
network: namespaces
loss: 0.2
port: {{interfaces: [{INTERFACE}]}}
nodes:
  0: {{roles: publisher subscriber, mqtt: 1883}}
  1: {{roles: broker}}
  2: {{roles: broker subscriber, mqtt: 1883}}
reach: {{0: [1], 1: [0, 2], 2: [1]}}
"""
BETWEEN = """
id = 1
roles = broker
network = namespaces
interfaces = {interface}
store = {folder}/between.store
"""
TRIAL = """
network: test
loss: 0.1
mft_mesh: {heartbeat_interval: 0.5, heartbeat_max: 1.0}
scenario:
  area: [20, 20]
  duration: 6
  nodes:
    - {count: 2, roles: [broker]}
    - {count: 1, roles: [{subscriber: {where: n >= 0}}]}
    - {count: 1, roles: [{publisher: {rate: 4.0, stop: 4.0, event: {n: {integer: [0, 9]}}}}]}
  mobility: {model: static}
  faults: [{crash: 1, at: 2.0, restart: 3.0}]
"""


@pytest.fixture
def places() -> Iterator[dict[int, list[str]]]:
    need_namespaces()
    with namespaces([0, 1, 2]) as made:
        yield made


def need_namespaces() -> None:
    try:
        with namespaces([0]):
            pass
    except InstallationError as error:
        pytest.skip(str(error))


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.1)


@pytest.mark.parametrize("between", ["node", "daemon"])
def test_mosquittos_clients_talk_over_three_namespaces(
    places: dict[int, list[str]], tmp_path: Path, between: str
) -> None:
    """The one in between is in Python or mftpubsubd, and is killed."""
    if not shutil.which("mosquitto_sub"):
        pytest.skip("no mosquitto_sub: .ci/tools installs mosquitto-clients")
    site = tmp_path / "site.yaml"
    site.write_text(CLIENTS)
    config = tmp_path / "between.conf"
    config.write_text(BETWEEN.format(interface=INTERFACE, folder=tmp_path))
    own = ["-h", "127.0.0.1", "-q", "1"]
    running: list[subprocess.Popen[bytes]] = []

    def start(node: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "mftpubsub", "live", "run", str(site), "--node", str(node)]
        if node == 1 and between == "daemon":
            command = [str(package_file("bin/mftpubsubd")), str(config)]
        running.append(subprocess.Popen([*places[node], *command]))
        return running[-1]

    def say(words: str) -> bool:
        command = [*places[0], "mosquitto_pub", *own, "-t", "garden/bed", "-m", words]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    try:
        killed = [start(node) for node in (0, 2, 1)][-1]
        heard = tmp_path / "heard"
        with heard.open("wb") as file:
            until(lambda: say("first"))
            hears = [*places[2], "mosquitto_sub", *own, "-t", "garden/+"]

            def listens() -> bool:
                running.append(subprocess.Popen(hears, stdout=file))
                return stays(running[-1])

            until(listens)
            until(lambda: say("?") and b"?" in heard.read_bytes())
            for n in range(30):
                if n == 10:
                    killed.send_signal(signal.SIGKILL)
                    killed.wait()
                if n == 20:
                    killed = start(1)
                assert say(f"{n}")
            until(lambda: {f"{n}" for n in range(30)} <= {*heard.read_text().split()})
        told = [word for word in heard.read_text().split() if word.isdigit()]
        assert len(told) == 30, "each once"
        killed.send_signal(signal.SIGTERM)
        assert killed.wait(LIMIT) == 0
    finally:
        for process in running:
            process.kill()
            process.wait()


def stays(process: subprocess.Popen[bytes]) -> bool:
    """Whether a client has found its node."""
    try:
        process.wait(1.0)
    except subprocess.TimeoutExpired:
        return True
    return False


def test_a_trial_in_namespaces_delivers_what_the_simulation_delivers(tmp_path: Path) -> None:
    need_namespaces()
    path = tmp_path / "site.yaml"
    path.write_text(TRIAL)
    before = own_namespaces()
    shown = attempt(load(path), tmp_path / "out", apart=True)
    assert shown.live["sent_pairs"] == shown.simulated["sent_pairs"] > 10
    assert (shown.live["delivery_rate_strict"], shown.live["duplicates"]) == (1, 0)
    assert shown.heard[2][0] > 0
    assert own_namespaces() == before, "the namespaces are gone"


def own_namespaces() -> set[str]:
    """Those that this process made: others test here too, and whoever is killed leaves theirs."""
    listed = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in listed.splitlines() if line.startswith(f"mftp{os.getpid()}-")}
