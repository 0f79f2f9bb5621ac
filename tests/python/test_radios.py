"""The same scenarios over Wi-Fi, 802.15.4 and other devices of ns-3's."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from own_flood import Flood

import mftpubsub
from mftpubsub import (
    AnyDevice,
    At,
    Broker,
    Cc2420,
    Channel,
    ConfigurationError,
    Friis,
    Group,
    LogDistance,
    LrWpan,
    Mac,
    Nakagami,
    Publisher,
    RandomWaypoint,
    Scenario,
    Snapshot,
    Static,
    Subscriber,
    TwoRay,
    Wifi,
    battery,
    blackout,
    crash,
    duty_cycle,
    join,
    partition,
)
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.runs.simulation import Simulation, simulate
from mftpubsub.scenario.common import known_protocols
from mftpubsub.scenario.radios import CHANNELS, LEGACY_RATE_CONTROLS, RADIOS, RATES, RadioModel
from mftpubsub.simulator.library import core

EVENT = {"topic": "a"}
SMALL = {"max_frame": 64}
POWERS = [f"{state}_watts" for state in ("transmit", "receive", "listen", "sleep")]
RADIO_OBJECTS = [Cc2420(), Wifi(), LrWpan(), AnyDevice()]


def network(radio: RadioModel, protocol: Any = "mft-mesh", **changes: Any) -> Scenario:
    """Ten walkers who hear each other in a few hops."""
    settings: dict[str, Any] = {
        "area": (70, 70),
        "duration": 40,
        "nodes": [
            Group(6, [Broker()]),
            Group(3, [Subscriber("topic = 'a'")]),
            Group(1, [Publisher(rate=1.0, stop=30, payload=40, event=EVENT)]),
        ],
        "mobility": RandomWaypoint(speed=3),
    }
    return Scenario(radio=radio, protocol=protocol, **(settings | changes))


def pair(radio: RadioModel, metres: float, **changes: Any) -> Scenario:
    """A publisher and a subscriber so far from each other, who repeat what may have been lost."""
    places = [(0.0, 0.0), (metres, 0.0)]
    return Scenario(
        radio=radio,
        protocol="epidemic",
        area=(max(metres, 10.0), 10.0),
        duration=30,
        seed=3,
        nodes=[
            Group(1, [Publisher(rate=4.0, stop=20, payload=20, event=EVENT), Broker()], placement=places[:1]),
            Group(1, [Subscriber("topic = 'a'"), Broker()], placement=places[1:]),
        ],
        mobility=Static(),
        **changes,
    )


def outcome(scenario: Scenario) -> tuple[int, int]:
    """Pairs that were delivered, and that were reachable."""
    metrics = mftpubsub.run(scenario).metrics
    return int(metrics["delivered_pairs"]), int(metrics["reachable_pairs"])


# What a run is


@pytest.mark.parametrize("radio", RADIO_OBJECTS, ids=lambda radio: str(radio.model))
def test_a_scenario_is_one_line_away_from_another_radio(tmp_path: Path, radio: RadioModel) -> None:
    text = network(Cc2420()).to_yaml()
    line = f"radio: {{model: {radio.model}}}\n"
    path = tmp_path / "scenario.yaml"
    path.write_text(text if radio.model == "cc2420" else text + line)

    scenario = Scenario.from_yaml(path)

    assert scenario == network(radio)
    assert mftpubsub.run(scenario).metrics["delivery_rate"] > 0.9


@pytest.mark.parametrize("radio", RADIO_OBJECTS, ids=lambda radio: str(radio.model))
def test_a_file_says_what_was_chosen(radio: RadioModel) -> None:
    scenario = network(radio)
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario


def test_the_cc2420_needs_no_name_and_has_the_fingerprint_it_had() -> None:
    named = network(Cc2420()).replace(radio={"model": "cc2420"}, channel={"model": "castalia"})
    said = json.loads(json.dumps(named.model_dump(mode="json")))

    assert named.fingerprint() == network(Cc2420()).fingerprint()
    assert "model" not in {*said["radio"], *said["channel"]}
    assert mftpubsub.Radio is Cc2420


def test_replacing_a_radio_brings_its_channel() -> None:
    scenario = network(Cc2420()).replace(radio=Wifi())

    assert scenario.channel == LogDistance()
    assert scenario.replace(radio=Cc2420()).channel == Channel()
    assert scenario.replace(radio={"tx_power": 3.0}).radio == Wifi(tx_power=3.0)


OTHER_VALUES: dict[str, Any] = {
    "standard": "802.11g",
    "rate": "DsssRate2Mbps",
    "rate_control": "minstrel",
    "device": "csma",
    "acks": False,
    "sigma": 2.0,
}


@pytest.mark.parametrize("model", [*list(RADIOS.values())[1:], *list(CHANNELS.values())[1:]])
def test_each_parameter_arrives_and_changes_the_fingerprint(model: Any) -> None:
    part = "radio" if model in RADIOS.values() else "channel"

    def handed(**given: Any) -> tuple[str, str]:
        radio = {"radio": Wifi()} if part == "channel" else {}
        scenario = network(**{"radio": None, **radio, **{part: model(**given)}})
        request = Simulation(scenario, lambda _: None).request()
        return str(core().EchoRunRequest(request)), scenario.fingerprint()

    before = handed()
    for name in model.model_fields:
        value = OTHER_VALUES[name] if name in OTHER_VALUES else _other(getattr(model(), name))
        after = handed(**{name: value})
        assert after[0] != before[0], name
        assert after[1] != before[1], name


def _other(value: Any) -> Any:
    return value - 1 if isinstance(value, int) and not isinstance(value, bool) else (value or -3.0) * 0.9


# What cannot be


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: network(Wifi(), mac=Mac(buffer=3)), "mac: radio wifi does not depend on it"),
        (lambda: network(AnyDevice(), channel=Friis()), "channel: radio any does not depend on it"),
        (lambda: network(Wifi(), channel=Channel(sigma=2.0)), "channel: radio wifi does not know castalia"),
        (lambda: network(Cc2420(), channel=TwoRay()), "radio.model wifi, lr-wpan"),
        (lambda: network(Cc2420(), channel=LogDistance(reference_distance=10.0)), "is 1 m, not 10 m"),
        (lambda: network(Cc2420(), channel=Friis(frequency=2e7)), "channel.frequency: 2e+07 Hz"),
        (lambda: network(LrWpan(), "aodv"), "which carries IPv6 by 6LoWPAN alone"),
        (lambda: network(LrWpan(), "dsdv"), "choose radio.model cc2420, wifi, or a protocol such as"),
        (lambda: network(AnyDevice(), "olsr"), "everybody hears everybody: there is no route to find"),
        (lambda: Wifi(standard="802.11n", rate_control="aarf"), "aarf knows no rates of 802.11n"),
        (lambda: Wifi(rate_control="fastest"), "ideal"),  # type: ignore[arg-type]
        (lambda: network(LrWpan(), publisher=Publisher(payload=100)), "114 B (radio lr-wpan), 78 B do"),
        (lambda: network(LrWpan(), "flooding", publisher=Publisher(payload=100)), "does not split an event"),
        (lambda: network(Wifi(), "flooding", transport=SMALL), "a heartbeat of flooding takes 66 B, not 64"),
        (lambda: network(Wifi(), "mft-pubsub-2", mft_pubsub_2=SMALL), "mft_pubsub_2.max_frame: a heartbeat"),
        (lambda: network(Wifi(), transport={"max_frame": 80}), "mft-mesh needs 112 B at least, not 80"),
        (lambda: network(Wifi(), "mpl", transport=SMALL), "event: 20 B beside the payload"),
        (lambda: network(Wifi(), "mft-pubsub", transport=SMALL), "takes 66 B, not 64, on radio wifi"),
        (lambda: Nakagami(m0=1e9), "m0: input should be less than or equal to 100 (given: "),
        (lambda: LogDistance(sigma=1e9), "sigma: input should be less than or equal to 300, in dB"),
        (lambda: LogDistance(reference_distance=0.0), "reference_distance: input should be greater than"),
        (lambda: TwoRay(height=1e9), "height: input should be less than or equal to 1000000"),
        (lambda: Friis(frequency=1.0), "frequency: input should be greater than or equal to 1000000"),
        (lambda: network(Wifi(), faults=[blackout(0, 99, start=0.0, stop=3.0)]), "99"),
        (lambda: LrWpan(sensitivity=-110.0), "sensitivity: input should be greater than"),
        (lambda: LrWpan(retries=8), "retries: input should be less than or equal to 7"),
        (lambda: AnyDevice(bit_rate=-1.0), "bit_rate"),
        (lambda: Wifi(rate="HtMcs0"), "no rate of 802.11b"),
        (lambda: network(Cc2420(), "mft-pubsub", transport={"acks": "link"}), "cc2420 acknowledges nothing"),
        (lambda: network(LrWpan(acks=False), "mft-pubsub", transport={"acks": "link"}), "choose own"),
        (lambda: network(AnyDevice(), faults=[battery([1], charge=5.0)]), "tells no energy"),
        (lambda: Wifi(standard="802.11z"), "802.11b"),  # type: ignore[arg-type]
        (lambda: Wifi(tx_power=90.0), "in dBm"),
        (lambda: Nakagami(distance1=300.0), "distance2 must not be shorter"),
        (lambda: network(Cc2420()).replace(radio="wify"), "wifi"),
        (lambda: network(Cc2420()).replace(radio={"model": "wifi", "power": 3}), "radio.power: unknown key"),
    ],
)  # fmt: skip
def test_what_a_radio_cannot_do_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        make()
    assert said in str(error.value)


# What was reachable


@pytest.mark.parametrize(
    ("radio", "channel", "reach"),
    [
        (Wifi(), LogDistance(), 51.5),  # 16 dBm, -82 dBm: the detector of preambles
        (Wifi(tx_power=10.0), LogDistance(exponent=2.5), 65.0),
        (Wifi(tx_power=0.0), Friis(), 125.2),
    ],
)
def test_wifi_reaches_as_far_as_its_phy_detects_preambles(radio: Wifi, channel: Any, reach: float) -> None:
    assert outcome(pair(radio, reach * 0.995, channel=channel)) == (80, 80)
    assert outcome(pair(radio, reach * 1.01, channel=channel)) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "radio",
    [
        *(Wifi(standard=standard, rate=rate) for standard in ("802.11b", "802.11g", "802.11n")
          for rate in list(RATES[standard])[:8:3]),
        Wifi(standard="802.11ac", rate="VhtMcs8"),
        Wifi(standard="802.11ax", rate="HeMcs11"),
        Wifi(standard="802.11a"),
        LrWpan(),
        LrWpan(sensitivity=-95.0),
        LrWpan(tx_power=-10.0),
    ],
)  # fmt: skip
def test_nothing_arrives_over_a_link_that_is_not_usable(radio: RadioModel) -> None:
    """And over those that are, well within the reach, something does."""
    reach = _reach(radio)
    for share in (0.5, 0.8, 0.9, 0.95, 0.99, 1.01, 1.05, 1.2):
        delivered, reachable = outcome(pair(radio, reach * share))
        assert reachable == (80 if share < 1 else 0), share
        assert delivered <= reachable, share
        assert delivered == 80 or share > 0.5, share


@pytest.mark.slow
@pytest.mark.parametrize(
    ("radio", "channel"),
    [
        (Wifi(tx_power=7.0), TwoRay(height=1.2)),
        (Wifi(standard="802.11a", rate="OfdmRate24Mbps"), TwoRay(frequency=5.2e9, height=0.4)),
        (Wifi(standard="802.11n", rate="HtMcs3", tx_power=3.0), LogDistance(exponent=2.7, sigma=6.0)),
        (LrWpan(tx_power=-7.0, sensitivity=-90.0), Friis(frequency=5e9)),
        (LrWpan(sensitivity=-99.0), LogDistance(exponent=3.3, reference_loss=50, reference_distance=2.0)),
        (LrWpan(tx_power=4.0, sensitivity=-90.0), TwoRay(height=1.2)),
        (Cc2420(), LogDistance(exponent=3.3, reference_loss=40)),
        (Cc2420(tx_power=-10), Friis(frequency=5e9)),
    ],
)
def test_each_channel_has_its_own_bound(radio: RadioModel, channel: Any) -> None:
    reach = _reach(radio, channel=channel)
    for share in (0.5, 0.9, 0.99, 1.01, 1.05, 1.3):
        delivered, reachable = outcome(pair(radio, reach * share, channel=channel))
        assert reachable == (80 if share < 1 else 0), share
        assert delivered <= reachable, share
        assert delivered == 80 or share > 0.5, share


def test_with_fading_the_bound_is_that_of_the_mean_strength() -> None:
    steady = LogDistance(exponent=3.1)
    fading = Nakagami(exponent=3.1, m0=2.0, m1=1.0, distance1=20, distance2=60)
    reach = _reach(Wifi(), channel=fading)

    assert reach == pytest.approx(_reach(Wifi(), channel=steady), abs=0.1)
    delivered, reachable = outcome(pair(Wifi(), reach * 1.05, channel=fading))
    assert reachable == 0 < delivered
    assert 0 < outcome(pair(Wifi(), reach * 0.95, channel=fading))[0] < 80


@pytest.mark.parametrize("radio", [Wifi(), LrWpan()], ids=lambda radio: str(radio.model))
def test_a_loss_that_the_cc2420_could_not_have_is_one_of_other_radios(radio: RadioModel) -> None:
    near = LogDistance(reference_distance=100.0, reference_loss=40.0)
    assert outcome(pair(radio, 5.0, channel=near)) == (80, 80)


def _reach(radio: RadioModel, **changes: Any) -> float:
    """The longest link of a pair that a snapshot shows, m."""
    low, high = 1.0, 1000.0
    while high - low > 0.01:
        middle = (low + high) / 2
        seen: list[Snapshot] = []
        observers = [At([0], seen.append)]
        simulate(pair(radio, middle, **changes), lambda _: None, observers=observers, until=0.1)
        low, high = (middle, high) if seen[0].links else (low, middle)
    return low


@pytest.mark.slow
@pytest.mark.parametrize("radio", [Wifi(tx_power=0.0), LrWpan(tx_power=-18.0)])
@pytest.mark.parametrize("protocol", ["mft-mesh", "mft-pubsub", "epidemic"])
def test_walkers_deliver_no_more_than_was_reachable(radio: RadioModel, protocol: str) -> None:
    for seed in (1, 2):
        result = mftpubsub.run(network(radio, protocol, area=(120, 120), seed=seed))
        assert 0 < result.metrics["delivered_pairs"] <= result.metrics["reachable_pairs"]


# What runs


@pytest.mark.slow
@pytest.mark.parametrize("protocol", known_protocols())
@pytest.mark.parametrize("radio", [Wifi(), LrWpan()], ids=["wifi", "lr-wpan"])
def test_every_protocol_delivers(radio: RadioModel, protocol: str) -> None:
    if PROTOCOLS[protocol].family == "ip" and radio.model == "lr-wpan":
        return
    changes: dict[str, Any] = {"area": (40, 40)}
    if PROTOCOLS[protocol].fixed_brokers:
        nodes = network(radio).nodes
        changes["nodes"] = [Group(6, [Broker()], mobility=Static()), *nodes[1:]]
    assert mftpubsub.run(network(radio, protocol, **changes)).metrics["delivery_rate"] > 0.8


@pytest.mark.parametrize("radio", RADIO_OBJECTS, ids=lambda radio: str(radio.model))
def test_a_protocol_of_ones_own_runs(radio: RadioModel) -> None:
    assert mftpubsub.run(network(radio, Flood(), area=(40, 40))).metrics["delivery_rate"] > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("radio", [Wifi(), LrWpan(), AnyDevice()], ids=lambda radio: str(radio.model))
def test_a_run_is_the_same_again(radio: RadioModel) -> None:
    scenario = network(radio, "mft-pubsub")
    one, other, another = (
        gzip.decompress(mftpubsub.run(scenario.replace(seed=seed)).trace.read_bytes()) for seed in (1, 1, 2)
    )
    assert one == other
    assert one != another


@pytest.mark.slow
@pytest.mark.parametrize("radio", [Wifi(), LrWpan(), AnyDevice(), AnyDevice(device="csma")])
def test_faults_cut_what_they_name(radio: RadioModel) -> None:
    base = pair(radio, 5.0)
    everything, _ = outcome(base)
    cut = base.replace(faults=[blackout(0, 1, start=0.0, stop=30.0)])
    apart = base.replace(faults=[partition([1], start=0.0, stop=30.0)])
    crashed = base.replace(faults=[crash(1, at=1.0)])

    assert everything == 80
    assert outcome(cut)[0] == outcome(apart)[0] == 0
    assert outcome(crashed)[0] < 10


def test_a_node_is_back_after_a_crash_on_wifi() -> None:
    scenario = pair(Wifi(), 5.0, faults=[crash(1, at=5.0, restart=10.0)])
    assert outcome(scenario)[0] > 60


def test_devices_tell_their_energy_or_nothing() -> None:
    energy = {
        radio.model: mftpubsub.run(network(radio)).metrics["energy_per_node_j"] for radio in RADIO_OBJECTS
    }

    assert energy["wifi"] == pytest.approx(40 * 0.273 * 3, rel=0.1)  # ns-3's idle current at 3 V
    assert energy["lr-wpan"] == pytest.approx(40 * 0.062, rel=0.01)
    assert energy["cc2420"] is not None
    assert energy["any"] is None


@pytest.mark.parametrize("radio", [Wifi(), LrWpan()], ids=lambda radio: str(radio.model))
def test_a_battery_ends_with_its_charge_however_much_a_radio_draws(radio: RadioModel) -> None:
    thirsty = radio.model_copy(update=dict.fromkeys(POWERS, 5.0))
    trace = mftpubsub.run(pair(thirsty, 5.0, faults=[battery([1], charge=15.0)])).to_pandas()
    assert trace[trace.kind == "BATTERY"].time_s.tolist() == [pytest.approx(3.0, abs=0.1)]


@pytest.mark.parametrize("radio", [Wifi(), LrWpan()], ids=lambda radio: str(radio.model))
def test_each_state_has_its_power(radio: RadioModel) -> None:
    """Of a sender and a receiver, whose frames are as long on the air as their bytes say."""
    nothing = dict.fromkeys(POWERS, 0.0)

    def joules(**watts: float) -> float:
        metrics = mftpubsub.run(pair(radio.model_copy(update=nothing | watts), 5.0)).metrics
        return float(metrics["energy_per_node_j"])

    sending, receiving = joules(transmit_watts=1.0), joules(receive_watts=1.0)
    listening = joules(listen_watts=1.0)
    assert 0.02 < sending < 3.0
    assert 0.7 * sending < receiving < 1.01 * sending  # ns-3's Wi-Fi listens while there is a preamble
    assert sending + receiving + listening == pytest.approx(30.0, abs=0.1)


@pytest.mark.parametrize("radio", [Cc2420(), Wifi(), LrWpan()], ids=lambda radio: str(radio.model))
def test_a_radio_sleeps_through_what_is_sent_and_wakes_up(radio: RadioModel) -> None:
    """A publisher's radio sleeps: what it publishes meanwhile goes out when it is awake."""
    awake = pair(radio, 5.0)
    sleeper = awake.replace(faults=[duty_cycle([0], period=4.0, awake=1.0, phase="same")])
    all_the_time, at_times = mftpubsub.run(awake).metrics, mftpubsub.run(sleeper).metrics

    assert at_times["delivered_pairs"] > 0.9 * all_the_time["delivered_pairs"]
    assert at_times["delay_mean_s"] > 1.5 * all_the_time["delay_mean_s"]
    assert at_times["energy_per_node_j"] < 0.75 * all_the_time["energy_per_node_j"]


def test_frames_of_a_device_that_sleeps_wait_where_all_share_it_too() -> None:
    sleeper = pair(AnyDevice(), 5.0, faults=[duty_cycle([0], period=4.0, awake=1.0, phase="same")])
    assert outcome(sleeper.replace(protocol="flooding"))[0] == 80


@pytest.mark.parametrize(
    "radio", [Wifi(sleep_watts=0.25), LrWpan(sleep_watts=0.25)], ids=lambda radio: str(radio.model)
)
def test_a_sleeper_that_crashes_draws_nothing(radio: RadioModel) -> None:
    asleep = [duty_cycle([1], period=30.0, awake=0.5, phase="same", start=1.0)]
    crashed = [*asleep, crash(1, at=10.0)]
    energy = [
        float(mftpubsub.run(pair(radio, 5.0, faults=faults)).metrics["energy_per_node_j"])
        for faults in (asleep, crashed)
    ]

    assert 0 < energy[0] - energy[1] == pytest.approx(20 * 0.25 / 2, rel=0.1)


@pytest.mark.parametrize("radio", RADIO_OBJECTS, ids=lambda radio: str(radio.model))
def test_who_joins_during_a_nap_sleeps(radio: RadioModel) -> None:
    nap = duty_cycle([1], period=1000.0, awake=1.0, phase="same")
    assert outcome(pair(radio, 5.0, faults=[join([1], at=5.0), nap])) == (0, 0)


# Rates


@pytest.mark.slow
@pytest.mark.parametrize("standard", list(RATES))
def test_every_standard_runs_at_its_slowest_and_its_fastest_rate(standard: Any) -> None:
    rates = RATES[standard]
    for rate in (min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)):
        metrics = mftpubsub.run(
            network(Wifi(standard=standard, rate=rate), "mft-pubsub", area=(7, 7))
        ).metrics
        assert metrics["delivery_rate"] > 0.9, rate


@pytest.mark.slow
@pytest.mark.parametrize("standard", ["802.11b", "802.11g", "802.11n", "802.11ac", "802.11ax"])
def test_a_rate_control_chooses_for_frames_to_one_node_alone(standard: Any) -> None:
    """The ideal one speeds each up, but in 802.11g; the others have to learn first, from few frames here."""
    legacy = [*LEGACY_RATE_CONTROLS] if standard in ("802.11b", "802.11g") else []

    def on_air(protocol: str, rate_control: Any) -> float:
        radio = Wifi(
            standard=standard,
            rate_control=rate_control,
            transmit_watts=1.0,
            receive_watts=0.0,
            listen_watts=0.0,
        )
        metrics = mftpubsub.run(network(radio, protocol, area=(25, 25))).metrics
        assert metrics["delivery_rate"] > 0.9, rate_control
        return float(metrics["energy_per_node_j"]) / float(metrics["frames_per_node"])

    constant, to_all = on_air("mft-pubsub", "constant"), on_air("epidemic", "constant")
    assert (on_air("mft-pubsub", "ideal") < 0.95 * constant) == (standard != "802.11g")
    for rate_control in ("minstrel", "thompson", *legacy):
        assert on_air("mft-pubsub", rate_control) != constant, rate_control
        assert on_air("epidemic", rate_control) == to_all, rate_control


@pytest.mark.parametrize("standard", RATES)
@pytest.mark.parametrize("protocol", ["mft-mesh", "epidemic", "mpl"])
def test_what_an_error_says_fits_into_a_frame_arrives(protocol: Any, standard: Any) -> None:
    def with_payload(size: int) -> Scenario:
        publisher = Publisher(rate=1.0, start=3.0, stop=5.0, payload=size, event=EVENT)
        nodes = [Group(1, [publisher, Broker()]), Group(1, [Broker(), Subscriber("topic = 'a'")])]
        radio = Wifi(standard=standard)
        return network(radio, protocol, area=(5, 5), duration=10, nodes=nodes, mobility=Static())

    with pytest.raises(ConfigurationError) as refused:
        with_payload(2000)
    most = int(re.findall(r"(\d+) B do:", str(refused.value))[0])
    assert mftpubsub.run(with_payload(most)).metrics["delivery_rate_strict"] == 1
    with pytest.raises(ConfigurationError, match=f"{most} B do"):
        with_payload(most + 1)


# Acknowledgements


@pytest.mark.slow
@pytest.mark.parametrize("radio", [Wifi(), LrWpan()], ids=lambda radio: str(radio.model))
@pytest.mark.parametrize("protocol", ["mft-pubsub", "simple-routing", "durable"])
@pytest.mark.parametrize(("rate", "of_frames", "of_acks"), [(1, 1.0, 1.0), (10, 0.8, 0.5)])
def test_the_radios_acknowledgements_spare_frames(
    radio: RadioModel, protocol: str, rate: float, of_frames: float, of_acks: float
) -> None:
    """Where messages follow each other one ACK does for several, and nowhere are more needed."""
    publisher = Publisher(rate=rate, stop=30, payload=40, event=EVENT)
    nodes = [
        Group(6, [Broker()], mobility=Static()),
        Group(3, [Subscriber("topic = 'a'")]),
        Group(1, [publisher]),
    ]
    link = network(radio, protocol, nodes=nodes, area=(50, 50))
    own = link.replace(transport={"acks": "own"})
    before, after = mftpubsub.run(own).metrics, mftpubsub.run(link).metrics

    assert link.fingerprint() != own.fingerprint()
    assert after["frames"] == mftpubsub.run(link.replace(transport={"acks": "link"})).metrics["frames"]
    assert after["frames_per_node_ack"] <= of_acks * before["frames_per_node_ack"]
    assert after["frames"] <= of_frames * before["frames"]
    assert after["delivery_rate_strict"] > before["delivery_rate_strict"] - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("radio", [Wifi(), LrWpan()], ids=lambda radio: str(radio.model))
def test_sessions_end_by_the_radios_failures_too(radio: RadioModel) -> None:
    """Subscribers whose brokers go and come back get what was published meanwhile, or it is told as lost."""
    faults = [crash(node, at=5.0 + node, restart=20.0 + node) for node in range(3)]
    for acks in ("own", "link"):
        scenario = network(radio, "mft-pubsub", faults=faults, transport={"acks": acks}, area=(60, 60))
        metrics = mftpubsub.run(scenario).metrics
        assert metrics["delivery_rate_strict"] > 0.8, acks
        assert metrics["migrations"] > 0
