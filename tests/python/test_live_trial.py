"""Sites: their files, and trials beside the simulation of the same scenario."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError
from mftpubsub.live import plan as plans
from mftpubsub.live.site import load
from mftpubsub.live.trial import attempt
from mftpubsub.trace.layout import read_metadata

SITE = """
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
"""
#: Without parameters of mft-mesh.
BARE = SITE.replace("mft_mesh: {heartbeat_interval: 0.5, heartbeat_max: 1.0}", "")


def write(folder: Path, text: str) -> Path:
    path = folder / "site.yaml"
    path.write_text(text)
    return path


@pytest.mark.slow
def test_nodes_publish_what_the_simulation_publishes_and_deliver_as_much(tmp_path: Path) -> None:
    crash = SITE + "  faults: [{crash: 1, at: 2.0, restart: 3.0}]\n"
    shown = attempt(load(write(tmp_path, crash)), tmp_path / "out")
    assert shown.live["published"] == shown.simulated["published"] > 10
    assert shown.live["sent_pairs"] == shown.simulated["sent_pairs"]
    assert shown.live["delivery_rate_strict"] == 1
    assert shown.live["duplicates"] == 0
    assert 0 < shown.live["frames_per_node"] < 200
    assert {*shown.heard} == {0, 1, 2, 3}
    assert shown.heard[2][0] > 0
    assert "delivery rate" in str(shown)
    assert shown.counters[2]["lost_on_purpose"] > 0
    assert read_metadata(shown.run)["source"] == "live"
    ingested = CliRunner().invoke(app, ["ingest", str(tmp_path / "out"), "--quiet"])
    assert ingested.exit_code == 0, ingested.output


@pytest.mark.slow
def test_a_protocol_of_ones_own_is_tried_as_it_is_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    own = BARE.replace("loss: 0.1", "loss: 0.0") + "  protocol: {own_flood:Flood: {jitter: 0.01}}\n"
    shown = attempt(load(write(tmp_path, own)), tmp_path / "out")
    assert shown.live["delivered_pairs"] == shown.simulated["delivered_pairs"] > 5
    assert shown.live["frames_per_node"] == shown.simulated["frames_per_node"] > 5


def test_the_plan_has_the_events_and_the_movement_of_the_simulation(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    moving = SITE.replace("[20, 20]", "[150, 150]").replace("static", "random-waypoint, speed: 50")
    site = load(write(tmp_path, moving))
    assert site.trial
    plan = plans.make(site.trial)
    assert caplog.text + capfd.readouterr().err == ""
    assert {*plan.publications} == {3}
    published = plan.publications[3]
    gaps = [later.at - one.at for one, later in pairwise(published)]
    assert gaps == pytest.approx([0.25] * (len(published) - 1)), "four a second"
    assert {one.attributes["n"] for one in published} <= {*range(10)}
    assert len(plan.links) > 1, "who hears whom changes"
    plan.write(tmp_path / "plan.json")
    assert plans.Plan.read(tmp_path / "plan.json") == plan


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "nodes: {0: {roles: broker, filters: [temp > 20]}}",
            r"site.yaml.*nodes.0: filters: only a subscriber has some, and roles are broker: add subscriber",
        ),
        ("nodes: {0: {roles: brocker}}", r"site.yaml.*nodes.0.roles.*no role 'brocker'"),
        ("nodes: {0: {filters: ['n >']}}", r"nodes.0.filters.*position"),
        ("network: n", "nodes"),
        ("nodes: {0: {filters: ['n > 1']}}", r"nodes.0.roles: missing"),
        ("nodes: {0: {roles: broker}}\nloss: 1.5", "loss"),
        ("nodes: {0: {roles: broker}}\nreach: {0: [1]}", "no node 1"),
        ("nodes: {0: {roles: broker}}\nprotocol: aodv", "aodv does not run live"),
        ("nodes: {0: {roles: broker}}\nport: {group: 1.2.3.4}", r"port.group"),
        ("nodes: {0: {roles: broker}}\nbogus: 1", "bogus"),
        ("scenario: missing.yaml", "missing.yaml"),
        (f"{SITE}  queue_policy: {{expiry: {{max_age: 9.0}}}}", r"scenario.queue_policy: live nodes do not"),
        (
            f"{BARE}  protocol: mft-pubsub\n  leader_policy: slowest",
            r"scenario.leader_policy: live nodes do not",
        ),
        (
            f"{BARE}  protocol: mpl\n  mpl: {{proactive_forwarding: false}}",
            r"scenario.mpl: live nodes do not",
        ),
    ],
)
def test_a_wrong_site_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        load(write(tmp_path, text))


def test_who_leads_may_be_said_as_it_is(tmp_path: Path) -> None:
    assert load(write(tmp_path, f"{BARE}  protocol: mft-pubsub\n  leader_policy: lowest-id\n")).trial


def test_a_key_is_of_a_file_beside_the_site(tmp_path: Path) -> None:
    path = write(tmp_path, "key_file: site.key\nnodes: {0: {roles: broker}}")
    with pytest.raises(ConfigurationError, match=r"site.key: No such file"):
        load(path).node(0)
    (tmp_path / "site.key").write_bytes(b"secret")
    assert load(path).node(0)._settings["keyHex"] == b"secret".hex()


def test_what_cannot_be_tried_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="scenario: a trial needs one"):
        attempt(load(write(tmp_path, "nodes: {0: {roles: broker}}")), tmp_path / "out")
    site = load(write(tmp_path, SITE))
    with pytest.raises(ConfigurationError, match="3600 s at most"):
        attempt(site, tmp_path / "out", 4000.0)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(ConfigurationError, match="not empty"):
        attempt(site, tmp_path / "out")
    with pytest.raises(ConfigurationError, match="no node 9"):
        site.node(9)
