"""The catalogue of protocols holds what C++ can make, and what scenarios have."""

from __future__ import annotations

from mftpubsub.protocols.catalogue import FAMILIES, PARTS, POLICIES, PROTOCOLS, ROUTING, SHORT, in_setting
from mftpubsub.scenario.common import Common
from mftpubsub.simulator import checks
from mftpubsub.simulator.laboratory import handoff_schemes
from mftpubsub.simulator.library import core

#: Of dispatchers of C that run on the radio, on the tree's brokers.
HOSTED = {"reconfiguration": "tree"}


def test_what_runs_on_the_radio_is_what_the_simulator_makes() -> None:
    stacks = checks.protocols()
    assert {*in_setting("radio")} == {*stacks}
    for name, stack in stacks.items():
        row = PROTOCOLS[name]
        if row.family == "ip":
            assert stack in row.uses
        else:
            assert stack == HOSTED.get(row.family, row.family)


def test_what_runs_on_wires_is_what_there_are_dispatchers_of() -> None:
    made = core("protocols/reconfiguration/make-dispatcher.h").reconfiguration.GetProtocols()
    own = {name for name in SHORT.values() if PROTOCOLS[name].family == "reconfiguration"}
    assert own == {str(name) for name in made}
    assert own | {SHORT[short] for short in ROUTING} == {*in_setting("wires")}


def test_what_hands_clients_off_is_what_there_are_schemes_of() -> None:
    assert sorted(in_setting("handoff")) == sorted(handoff_schemes())


def test_policies_and_parts_are_a_scenario_s() -> None:
    assert {*POLICIES, *PARTS} <= {*Common.model_fields}
    assert {name for name in Common.model_fields if name.endswith("_policy")} == {*POLICIES}


def test_a_name_in_print_is_one_protocol_s() -> None:
    labels = [row.label for row in PROTOCOLS.values()]
    assert len({*labels}) == len(labels)
    assert not [label for label in labels if "," in label]


def test_a_look_is_one_protocol_s() -> None:
    looks = [row.look for row in PROTOCOLS.values() if row.look is not None]
    assert sorted(looks) == list(range(len(looks)))


def test_every_protocol_is_of_a_family() -> None:
    rows = [row for family in FAMILIES for row in family.protocols]
    assert {row.name for row in rows} == {*PROTOCOLS}
    assert all(row.settings for row in rows)
