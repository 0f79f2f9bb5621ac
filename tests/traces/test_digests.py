"""Every scenario of scenarios.yaml still gives the trace whose digest is in digests.txt."""

from __future__ import annotations

from typing import Any

import digests
import pytest
from digests import Digest

from mftpubsub.protocols.catalogue import POLICIES, SHORT
from mftpubsub.scenario.arrivals import PROCESSES
from mftpubsub.scenario.common import Common, known_protocols
from mftpubsub.scenario.faults import FAULTS
from mftpubsub.scenario.mobility import MODELS
from mftpubsub.simulator.laboratory import handoff_schemes

SCENARIOS = digests.scenarios()


#: Runs of more than half a second.
LONG = ("wifi",)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in SCENARIOS]
)
def test_a_run_is_what_it_was(name: str) -> None:
    before = digests.remembered().get(name)
    now = digests.digest(name)
    assert now == before, (
        f"the run of {name} has changed: {now.lines} lines, {before.lines if before else 0} before.\n"
        f"Print it with `python tests/traces/digests.py {name}`, on the commit before too, and compare.\n"
        "If the change is meant, `make digests` renews tests/traces/digests.txt."
    )


def test_no_digest_is_of_a_scenario_that_is_gone() -> None:
    assert digests.remembered().keys() <= SCENARIOS.keys()


def _contents(*parts: str) -> list[dict[str, Any]]:
    return [content for part, content in SCENARIOS.values() if part in parts]


def test_every_protocol_has_a_run() -> None:
    assert {content["protocol"] for content in _contents("networks") if "protocol" in content} == {
        *known_protocols()
    }
    assert {content["scheme"] for content in _contents("handoffs")} == {*handoff_schemes()}
    wired = {content["protocol"] for content in _contents("wires", "given")}
    assert {SHORT.get(name, name) for name in wired} == {*SHORT.values()}


def test_every_kind_of_policy_has_a_run_in_which_it_is_not_the_default() -> None:
    used = {name for content in _contents("networks") for name in POLICIES if name in content}
    assert used == {*POLICIES}
    for content in _contents("networks"):
        for name in used & content.keys():
            assert content[name] != Common.model_fields[name].default.name


def test_every_fault_and_every_way_to_move_has_a_run() -> None:
    contents = _contents("networks")
    faults = [fault for content in contents for fault in content.get("faults", [])]
    assert {kind for kind in FAULTS for fault in faults if kind in fault} == {*FAULTS}
    movements = [content["mobility"] for content in contents]
    movements += [
        group["mobility"] for content in contents for group in content["nodes"] if "mobility" in group
    ]
    models = {each if isinstance(each, str) else each.get("model", "random-waypoint") for each in movements}
    assert models == {*MODELS}


def test_every_arrival_process_has_a_run() -> None:
    contents = _contents("networks")
    publishers = [content["publisher"] for content in contents if "publisher" in content]
    groups = [group for content in contents for group in content["nodes"] if isinstance(group, dict)]
    roles = [role for group in groups for role in group["roles"]]
    publishers += [role["publisher"] for role in roles if isinstance(role, dict) and "publisher" in role]
    arrivals = [each["arrivals"] for each in publishers if "arrivals" in each]
    models = {each if isinstance(each, str) else each["model"] for each in arrivals} | {"periodic"}
    assert models == {*PROCESSES}


def test_it_is_said_which_digests_changed() -> None:
    before = {name: Digest(1, "a") for name in ("same", "other", "gone")}
    after = {"same": Digest(1, "a"), "other": Digest(2, "b"), "fresh": Digest(3, "c")}
    assert digests.changes(before, after) == [
        "fresh: new, 3 lines",
        "gone: gone",
        "other: 2 lines, 1 before",
    ]
    assert digests.changes(before, before) == []
