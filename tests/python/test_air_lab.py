"""The laboratory for stations of users, and searches through orders, losses, crashes, draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from own_flood import Data, Flood, OneAtATime

import mftpubsub
from mftpubsub.lab import AirLab, Found, LabError, search
from mftpubsub.lab.commands import Transcript
from mftpubsub.lab.transcript import play, run_transcript
from mftpubsub.protocols import Event, EventId, Filter, Station, message, u8

FULL = "0-1 0-2 0-3 1-2 1-3 2-3"


def flood(links: str = "0-1 1-2 2-3", roles: str = "PB B B BS", protocol: Station | None = None) -> AirLab:
    lab = AirLab(protocol or Flood(), roles=roles, links=links)
    lab.publish(0, topic="a")
    return lab


def test_one_thing_happens_at_a_time() -> None:
    lab = flood()
    assert [str(each) for each in lab.pending()] == ["Expires(0, Forward(0:0, 0))"]
    lab.step()
    assert [str(each) for each in lab.pending()] == ["Heard(0 -> 1, DATA hops=1 event=0:0)"]
    lab.settle()
    assert lab.pending() == []
    assert lab.owed() == []
    assert lab.delivered(3) == {EventId(0, 0)}
    assert str(lab.log).splitlines()[:4] == [
        "0 publishes 0:0",
        "0 expires Forward(0:0, 0)",
        "0 -> 1 DATA hops=1 event=0:0",
        "1 expires Forward(0:0, 1)",
    ]
    assert "3 delivers 0:0 from 2 hops=3" in str(lab.log)


def test_who_is_chosen_hears_first() -> None:
    lab = flood(FULL)
    lab.step()
    last = lab.pending()[-1]
    assert str(last) == "Heard(0 -> 3, DATA hops=1 event=0:0)"
    lab.step(last)
    assert lab.delivered(3)
    assert not lab.station(1).seen  # type: ignore[attr-defined]
    with pytest.raises(LabError, match="is not pending"):
        lab.step(last)


def test_a_lost_frame_is_not_heard() -> None:
    lab = flood()
    lab.step()
    lab.lose()
    assert lab.pending() == []
    assert lab.owed() == [(EventId(0, 0), 3)]


def test_a_crash_forgets_all_but_filters_and_what_was_delivered() -> None:
    lab = flood()
    lab.settle()
    lab.crash(3)
    with pytest.raises(LabError, match="node 3 is down already"):
        lab.crash(3)
    lab.restart(3)
    assert not lab.station(3).seen  # type: ignore[attr-defined]
    assert lab.delivered(3) == {EventId(0, 0)}


def test_a_device_that_is_down_hears_nothing_and_does_nothing() -> None:
    lab = flood("0-1 1-2 2-3")
    lab.step()
    lab.crash(1)
    assert lab.pending() == []
    lab.join(0, 3)
    lab.publish(0, topic="b")
    lab.step()
    assert [str(each) for each in lab.pending()] == ["Heard(0 -> 3, DATA hops=1 event=0:1)"]
    lab.crash(3)
    for wrong in (lambda: lab.subscribe(3, "n > 1"), lambda: lab.unsubscribe(3, "TRUE")):
        with pytest.raises(LabError, match="node 3 is down"):
            wrong()
    lab.restart(1)
    assert lab.pending() == []


class Counting(Flood):
    """Counts what it hears, in attributes of all sorts, and asks for all that it is given."""

    __slots__ = ("heard",)

    def start(self) -> None:
        super().start()
        self.heard: dict[int, list[str]] = {}
        self.asked = (self.id, self.now, self.load, self.max_bytes, self.is_publisher, self.is_subscriber)
        self.stable["starts"] = self.stable.get("starts", 0) + 1

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.heard.setdefault(sender, []).append(str(message.event.id))
        super().receive(message, sender, rssi_dbm)


def test_what_a_station_keeps_is_its_own_and_what_it_asks_is_answered() -> None:
    lab = flood(FULL, protocol=Counting())
    before = lab.copy()
    lab.settle()
    last: Any = lab.station(3)
    assert last.heard == {0: ["0:0"], 1: ["0:0"], 2: ["0:0"]}
    assert last.asked == (3, 0.0, 1.0, 1004, False, True)
    assert before.station(3).heard == {}  # type: ignore[attr-defined]
    lab.crash(3)
    lab.restart(3)
    assert lab.station(3).heard == {}  # type: ignore[attr-defined]
    assert search(flood("0-1 1-2 0-2", "PB B BS", Counting())).violation is None


def test_the_order_of_a_set_does_not_tell_states_apart() -> None:
    class Adding(Flood):
        def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
            self.senders = getattr(self, "senders", set()) | {f"node {sender}"}

    def after(*order: int) -> Any:
        lab = AirLab(Adding(), roles="PB PB S", links="0-2 1-2")
        for node in (0, 1):
            lab.publish(node, n=1)
        lab.step(0)
        lab.step([str(each) for each in lab.pending()].index("Expires(1, Forward(1:0, 0))"))
        for sender in order:
            lab.step(next(each for each in lab.pending() if each.sender == sender))
        channel, state = lab.parts("stand", is_timed=False)
        return channel.cells[state[2]].key(False, True)

    assert after(0, 1) == after(1, 0)


def test_a_message_that_is_not_declared_is_named() -> None:
    class Undeclared(Flood):
        messages: ClassVar[Any] = (Ask,)

    lab = flood(protocol=Undeclared())
    with pytest.raises(LabError, match=r"node 0: ValueError: Data\(.*add Data to .*Undeclared\.messages"):
        lab.step()


def test_what_a_station_raises_leaves_the_laboratory_as_it_was() -> None:
    class Late(Flood):
        def expire(self, timer: Any) -> None:
            raise KeyError(timer)

        def publish(self, event: Event) -> None:
            if event.id.sequence:
                raise KeyError(event)
            super().publish(event)

    lab = flood(protocol=Late())
    before = (lab.pending(), str(lab.log), lab.to_transcript(), lab.owed())
    with pytest.raises(LabError, match="KeyError"):
        lab.step()
    with pytest.raises(LabError, match="KeyError"):
        lab.publish(0, topic="b")
    assert (lab.pending(), str(lab.log), lab.to_transcript(), lab.owed()) == before


def test_filters_decide_what_is_delivered() -> None:
    lab = AirLab(Flood(), roles="PB BS", links="0-1")
    lab.subscribe(1, "topic = 'b'")
    lab.publish(0, topic="a")
    wanted = lab.publish(0, topic="b")
    lab.settle()
    assert lab.delivered(1) == {wanted}


def test_links_come_and_go() -> None:
    lab = flood("0-1")
    lab.join(1, 2)
    lab.join(2, 3)
    lab.cut(2, 3)
    lab.settle()
    assert lab.owed() == [(EventId(0, 0), 3)]
    with pytest.raises(LabError, match="2 and 3 do not hear each other"):
        lab.cut(2, 3)


def test_late_binding_speaks_when_the_channel_is_free() -> None:
    lab = AirLab(OneAtATime(), roles="PB BS", links="0-1")
    lab.publish(0, n=1)
    lab.publish(0, n=2)
    assert str(lab.pending()[0]) == "Free(0)"
    lab.settle()
    assert [line.text for line in lab.log if line.kind] == [
        "0 -> 1 DATA hops=1 event=0:1",
        "0 -> 1 DATA hops=1 event=0:0",
    ]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: AirLab(Flood(), roles="PX B", links="0-1"), "'PX' has other letters"),
        (lambda: AirLab(Flood(), roles="P B", links="0-2"), "two of the devices 0 to 1"),
        (lambda: AirLab(Flood(), roles="P B", links="0-1 1-0"), "1-0 twice"),
        (lambda: AirLab("mft-mesh", roles="P B", links="0-1"), "AirLab is for those"),
        (lambda: flood().publish(1), "node 1 is no publisher"),
        (lambda: flood().crash(7), "no node 7"),
        (lambda: flood().subscribe(3, "temp >"), "is no filter"),
        (lambda: flood().settle(True), "a whole number of steps.*True"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: Any, says: str) -> None:
    with pytest.raises(LabError, match=says):
        wrong()


# Searches


@pytest.mark.slow
def test_every_order_of_flooding_delivers() -> None:
    """The numbers are those of another implementation (platform.md A.7)."""
    found = search(flood(FULL))
    assert (found.states, found.complete, found.violation) == (8633, True, None)
    assert search(flood(FULL), losses=2).states == 26851


def test_the_shortest_loss_is_found_and_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = search(flood("0-1 1-2 0-2", "PB B BS"), losses=6)
    assert found.violation == "undelivered: node 2 wants 0:0 and has not got it, and nothing is pending"
    assert [str(each) for each in found.schedule] == ["expire 0 Forward(0:0, 0)", "lose 0 1", "lose 0 2"]
    file = tmp_path / "found.txt"
    file.write_text(found.transcript + "\nowed\n")
    assert run_transcript(file, rewrite=True) == 0
    assert file.read_text().endswith("owed\n----\n2 0:0\n")
    assert run_transcript(file) == 0


def test_random_schedules_find_it_too_and_shrink() -> None:
    found = search(flood("0-1 1-2 0-2", "PB B BS"), losses=6, schedules=200, seed=1)
    assert found.violation
    assert sum(action.what == "lose" for action in found.schedule) == 2


class Planted(Flood):
    """Drops what it hears when it is about to say something itself."""

    def take(self, event: Event, sender: int, hops: int) -> None:
        if sender != self.id and hops == 2 and len(self.seen) == 1 and event.id not in self.seen:
            return
        super().take(event, sender, hops)


@pytest.mark.slow
def test_a_planted_fault_needs_an_order_and_is_found() -> None:
    lab = AirLab(Planted(), roles="PB B B BS", links="0-1 0-2 1-3 2-3")
    lab.publish(0, n=1)
    lab.publish(0, n=2)
    lab.copy().settle()
    found = search(lab)
    assert found.violation
    assert found.violation.startswith("undelivered")
    assert search(flood("0-1 0-2 1-3 2-3")).violation is None


class Tossing(Flood):
    """Forwards with a probability: a draw that decides."""

    def take(self, event: Event, sender: int, hops: int) -> None:
        if sender == self.id or self.random.random() < 0.5:
            super().take(event, sender, hops)


def test_draws_that_decide_are_branches() -> None:
    found = search(flood("0-1 1-2", "PB B BS", Tossing()))
    assert found.violation
    assert "draws=1" in found.transcript


class Listing(Flood):
    def publish(self, event: Event) -> None:
        self.random.choice(range(5))


def test_a_draw_of_many_outcomes_is_refused_with_its_line() -> None:
    with pytest.raises(LabError, match=r"test_air_lab\.py:\d+: a draw of 5 outcomes"):
        flood(protocol=Listing())


class Shared(Flood):
    """Keeps what it has in mind in its class: all devices share it."""

    shared: ClassVar[list[int]] = []

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.shared.append(sender)
        if len(self.shared) < 3:
            super().receive(message, sender, rssi_dbm)


def test_what_is_changed_in_place_elsewhere_is_named() -> None:
    with pytest.raises(LabError, match=r"Shared\.receive at node \d: Shared\.shared was changed in place"):
        search(flood(FULL, protocol=Shared()))


class Within(Flood):
    """Keeps a container where laboratories make no copy, and changes it: in a tuple, in a message."""

    place = "own"

    def start(self) -> None:
        super().start()
        self.own: tuple[set[int]] = (set(),)
        self.last: Data | None = None

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        if self.place == "own":
            self.own[0].add(sender)
        else:
            object.__setattr__(message, "hops", 7)
        super().receive(message, sender, rssi_dbm)


class GivenMessage(Within):
    place = "message"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Within, r"Within\.receive at node 1: Within\.own was changed in place, where no copy is made"),
        (GivenMessage, r"GivenMessage\.receive at node 1: the Data that it was given was changed in place"),
    ],
)
def test_what_is_changed_in_place_where_no_copy_is_made_is_named(kind: type[Station], words: str) -> None:
    with pytest.raises(LabError, match=words):
        search(flood(FULL, protocol=kind()))


class Opaque(Flood):
    def start(self) -> None:
        super().start()
        self.lock: object = object()


def test_what_has_no_value_is_named() -> None:
    with pytest.raises(LabError, match=r"Opaque\.lock: <object .*cannot be compared"):
        flood(protocol=Opaque())


class Raising(Flood):
    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        raise KeyError("boom")


def test_what_a_station_raises_names_class_method_and_node() -> None:
    with pytest.raises(LabError, match=r"Raising\.receive at node \d: KeyError: 'boom'") as raised:
        search(flood(protocol=Raising()))
    assert isinstance(raised.value.__cause__, KeyError)


def test_crashes_lose_what_flooding_holds() -> None:
    found = search(flood(), crashes=1)
    assert found.violation
    assert any(action.what == "crash" for action in found.schedule)


def test_own_checks_are_asked() -> None:
    def few(lab: AirLab) -> str | None:
        return "heard" if lab.delivered(3) else None

    found = search(flood(), always=few)
    assert found.violation == "always: heard"
    assert search(flood(), quiet=lambda lab: False).violation == "quiet: it answered False"
    assert search(flood(), quiet=lambda lab: lab.owed() == []).violation is None


def test_the_laboratory_is_as_it_was_after_a_search() -> None:
    lab = flood()
    before = [str(each) for each in lab.pending()]
    search(lab)
    assert [str(each) for each in lab.pending()] == before


def test_timers_of_a_device_go_off_in_order_if_they_must() -> None:
    class Two(Flood):
        def start(self) -> None:
            super().start()
            if self.is_publisher:
                self.set_timer("b", 2.0)
                self.set_timer("a", 1.0)

        def expire(self, timer: Any) -> None:
            self.note(str(timer))
            self.order = (*getattr(self, "order", ()), timer)

    def wrong(lab: AirLab) -> bool:
        return getattr(lab.station(0), "order", ("a",))[0] == "a"

    assert search(AirLab(Two(), "P", ""), always=wrong).violation
    assert search(AirLab(Two(), "P", ""), always=wrong, timers="in order").violation is None
    with pytest.raises(LabError, match="none of 'any', 'in order', 'at rest'"):
        search(AirLab(Two(), "P", ""), timers="late")  # type: ignore[arg-type]


def test_a_search_that_is_cut_says_so() -> None:
    found = search(flood(FULL), limit=100)
    assert (found.complete, found.violation, found.states) == (False, None, 100)
    assert "cut" in repr(found)


@message
class Ask:
    hops: u8


class Periodic(Station):
    """Says again each second what it knows, for ever."""

    messages = (Data, Ask)

    def start(self) -> None:
        self.known: dict[EventId, Event] = {}
        self.set_timer("say", 1.0)

    def publish(self, event: Event) -> None:
        self.known[event.id] = event

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.deliver(message.event, sender, message.hops)
        self.known[message.event.id] = message.event

    def expire(self, timer: str) -> None:
        for event in self.known.values():
            self.broadcast(Data(1, event))
        self.set_timer("say", 1.0)


def test_timers_that_never_end_settle_where_they_repeat() -> None:
    lab = flood("0-1 1-2", "PB B BS", Periodic())
    lab.settle()
    assert lab.owed() == []
    found = search(flood("0-1 1-2", "PB B BS", Periodic()), losses=3, schedules=50)
    assert found.violation is None


class Beating(Station):
    """Says once what is published; its beats count, for ever."""

    messages = (Data, Ask)

    def start(self) -> None:
        self.set_timer(("beat", 0), 1.0)

    def publish(self, event: Event) -> None:
        self.broadcast(Data(1, event))

    def receive(self, message: Data | Ask, sender: int, rssi_dbm: float) -> None:
        if isinstance(message, Data):
            self.deliver(message.event, sender, message.hops)

    def expire(self, timer: tuple[str, int]) -> None:
        self.broadcast(Ask(timer[1] % 3))
        self.set_timer(("beat", timer[1] + 1), 1.0)


def test_timers_that_count_settle_where_nobody_gets_anything_any_more() -> None:
    lab = flood("0-1 1-2", "PB B BS", Beating())
    assert lab.settle() < 3 * 400
    assert lab.owed()


@pytest.mark.slow
@pytest.mark.parametrize("timers", ["any", "in order", "at rest"])
def test_what_is_lost_is_found_though_timers_never_end(timers: Any, tmp_path: Path) -> None:
    """No state is an end: where nothing is under way timers go on until they repeat."""
    lab = flood("0-1", "PB BS", Beating())
    found = search(lab, losses=1, timers=timers)
    says = "undelivered: node 1 wants 0:0 and has not got it, and timers only repeat"
    assert found.violation == says
    clocks = ["clocks together"] * (timers == "in order")
    assert [str(each) for each in found.schedule] == ["lose 0 1", *clocks, "settle"]
    file = tmp_path / "found.txt"
    file.write_text(found.transcript + "\nowed\n")
    assert run_transcript(file, rewrite=True) == 0
    assert file.read_text().endswith("owed\n----\n1 0:0\n")
    assert search(lab, timers=timers, limit=300).violation is None


def test_timers_that_mend_what_is_lost_are_no_violation() -> None:
    found = search(flood("0-1", "PB BS", Periodic()), losses=2, timers="at rest")
    assert (found.complete, found.violation) == (True, None)
    assert found.states > 3
    found = search(flood("0-1", "PB BS", Periodic()), losses=1, timers="at rest", quiet=lambda lab: False)
    assert found.violation == "quiet: it answered False"


class Waiting(Station):
    """Notes what time it is where timers go off, and what it heard when."""

    messages = (Ask,)

    def __init__(self, after: float = 2.0) -> None:
        self.after = after

    def start(self) -> None:
        self.heard: list[float] = []
        self.set_timer("late", 1.5 * self.after)
        self.set_timer("early", self.after if self.id else 0.25)

    def receive(self, message: Ask, sender: int, rssi_dbm: float) -> None:
        self.heard.append(self.now)

    def expire(self, timer: str) -> None:
        self.note(f"{timer} {self.now}")
        self.broadcast(Ask(1))


def said_by(lab: AirLab) -> list[str]:
    return [str(line.text) for line in lab.log if " notes " in line.text]


def test_time_passes_by_what_devices_wait_for() -> None:
    lab = AirLab(Waiting(), "B B", "0-1")
    lab.settle()
    assert said_by(lab) == [
        "0 notes early 0.25",
        "1 notes early 2.0",
        "0 notes late 3.0",
        "1 notes late 3.0",
    ]
    assert lab.station(1).heard == [0.25, 3.0]  # type: ignore[attr-defined]
    lab.crash(1)
    lab.restart(1)
    lab.settle()
    assert said_by(lab)[-1] == "1 notes late 6.0"


def test_clocks_go_apart_or_stand_if_they_are_told_to() -> None:
    apart = AirLab(Waiting(), "B B", "0-1")
    apart.set_clocks("apart")
    apart.settle()
    assert apart.station(1).heard == [0.0, 2.0]  # type: ignore[attr-defined]
    still = AirLab(Waiting(), "B B", "0-1")
    still.set_clocks("stand")
    still.settle()
    assert {text.rpartition(" ")[2] for text in said_by(still)} == {"0.0"}
    with pytest.raises(LabError, match="clocks: 'fast' is none of together, apart, stand"):
        still.set_clocks("fast")  # type: ignore[arg-type]


def test_clocks_of_a_search_go_by_each_devices_own_waits_and_its_schedule_replays(tmp_path: Path) -> None:
    def late(lab: AirLab) -> str | None:
        heard = lab.station(0).heard  # type: ignore[attr-defined]
        return f"heard {heard}" if heard and heard[-1] == 3.0 else None

    found = search(AirLab(Waiting(), "B B", "0-1"), timers="in order", always=late)
    assert found.violation == "always: heard [3.0]"  # 0 has waited, and 1 has only then been early
    assert "\nclocks apart\n" in found.transcript
    assert search(AirLab(Waiting(), "B B", "0-1"), always=late).violation is None  # clocks stand
    random = search(AirLab(Waiting(), "B B", "0-1"), timers="in order", always=late, schedules=100)
    assert random.violation
    file = tmp_path / "found.txt"
    file.write_text(found.transcript)
    assert run_transcript(file, rewrite=True) == 0
    assert "0 notes late 3.0" in file.read_text()
    assert "1 notes early 2.0" in file.read_text()


# Of protocols that ship


def tree(protocol: str) -> mftpubsub.Lab:
    lab = mftpubsub.Lab(protocol, [("b1", "b2"), ("b2", "b3"), ("b2", "b4")], root="b1")
    lab.subscribe("s", "b3", where="topic = 'a'")
    lab.settle()
    lab.migrate("b3", "b4")
    lab.publish("p", "b1", topic="a")
    return lab


@pytest.mark.slow
def test_every_order_of_a_migration_is_right() -> None:
    for protocol in ("mft-pubsub", "mft-pubsub-r"):
        found = search(tree(protocol))
        assert (found.complete, found.violation) == (True, None)
        assert found.states > 10


def test_losses_and_crashes_hurt_the_published_algorithm_only() -> None:
    assert search(tree("mft-pubsub"), losses=1).violation
    assert search(tree("mft-pubsub"), crashes=1).violation
    budgets: list[dict[str, Any]] = [{"losses": 1}, {"crashes": 1}]
    for each in budgets:
        found = search(tree("mft-pubsub-r"), **each)
        assert (found.complete, found.violation) == (True, None)


@pytest.mark.parametrize("how", [{"losses": 1}, {"losses": 2, "schedules": 50}])
def test_what_violates_on_the_tree_replays(
    how: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = search(tree("mft-pubsub"), **how)
    assert found.violation
    file = tmp_path / "found.txt"
    file.write_text(found.transcript + "\nviolations\n")
    assert run_transcript(file, rewrite=True) == 0
    assert found.violation in file.read_text()


def test_own_checks_see_a_laboratory_of_the_tree() -> None:
    def routed(lab: mftpubsub.Lab) -> str | None:
        return None if "s" in lab.table("b1") else "b1 knows nothing of s"

    assert search(tree("mft-pubsub-r"), always=routed).violation is None
    found = search(tree("mft-pubsub-r"), always=lambda lab: lab.delivered("s") == [])
    assert found.violation == "always: it answered False"
    lab = tree("mft-pubsub-r")
    search(lab)
    assert lab.pending()


def test_the_package_offers_both() -> None:
    assert mftpubsub.AirLab is AirLab
    assert mftpubsub.search is search
    assert Found.__name__ == "Found"
    assert Filter("TRUE")


class Worded(Flood):
    """Its parameters have spaces, quotes and brackets."""

    def __init__(
        self, levels: tuple[object, ...] = (0.5, "a b"), words: str = "it's [cold", jitter: float = 0
    ) -> None:
        super().__init__(jitter)
        self.levels, self.words = levels, words


def test_a_transcript_keeps_texts_and_parameters_whatever_they_contain(tmp_path: Path) -> None:
    said = {"a": "it's cold", "b": 'say "hi" (', "c": "", "d": "two  ''", "e": "true", "f": "\\'"}
    lab = AirLab(Worded(), "PB B BS", "0-1 1-2")
    lab.publish(0, **said)
    lab.settle()
    file = tmp_path / "own.txt"
    file.write_text(lab.to_transcript() + "pending\n")
    assert run_transcript(file) == 0
    played = [lab for _, _, lab in play(file)][-1]
    station: Any = played._air._lab.station(2)  # type: ignore[union-attr]
    assert (station.levels, station.words) == ((0.5, "a b"), "it's [cold")
    (event,) = played._air._lab._channel.published.values()  # type: ignore[union-attr]
    assert event.attributes == said


def test_two_quotes_in_a_text_of_a_transcript_are_one_as_in_filters() -> None:
    transcript = Transcript()
    transcript.run("lab own_flood:Flood roles=PB,BS 0-1")
    transcript.run("subscribe 1 where topic = 'it''s'")
    transcript.run("publish 0 topic='it''s' n=1")
    assert "1 delivers 0:0 from 0 hops=1" in transcript.run("settle")
    with pytest.raises(LabError, match="publish: 'hello' is no NAME=VALUE"):
        transcript.run("publish 0 hello")


def test_pictures_write_what_stations_keep_by_event_as_transcripts_do() -> None:
    lab = Transcript()
    lab.run("lab test_air_lab:Counting roles=P,B,BS 0-1 1-2")
    lab.run("publish 0 n=1")
    lab.run("step")
    lab.run("step 0 1")
    assert "heard = {0: [0:0]}" in lab.picture().figures[1].knows


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "attribute x: nan is not a finite number"),
        ([1], "attribute 'x': .* is no bool, int, float or str"),
        (1 << 64, "more than 64 bits"),
    ],
)
def test_what_no_event_can_have_is_not_published(value: object, words: str) -> None:
    lab = flood("0-1 1-2 2-3")
    with pytest.raises(LabError, match=f"publish: {words}" if "64" not in words else words):
        lab.publish(0, x=value)
    assert lab.publish(0, x=1) == (0, 1)


def test_what_is_changed_in_place_late_is_found_in_random_schedules() -> None:
    """Only the first steps are all repeated; later ones are sampled, over all schedules."""
    events: list[int] = []

    class Late(Station):
        """Keeps what all devices share from its 2000th step on."""

        messages = (Data,)
        steps = 0

        def start(self) -> None:
            self.set_timer("again", 1.0)

        def expire(self, timer: Any) -> None:
            Late.steps += 1
            if Late.steps > 2000:
                events.append(Late.steps)
                self.broadcast(Data(len(events) % 100, Event((0, len(events)))))
            self.set_timer("again", 1.0)

    with pytest.raises(LabError, match="changed in place"):
        search(AirLab(Late(), "B B", "0-1"), schedules=100)


def test_a_search_tells_how_far_it_is() -> None:
    told: list[int] = []
    search(flood("0-1 1-2", "PB B BS"), schedules=5, progress=told.append)
    assert told == [1, 2, 3, 4, 5]
    told.clear()
    found = search(flood("0-1 1-2", "PB B BS"), progress=told.append)
    assert told == [*range(1, found.states + 1)]


class Measuring(Station):
    """Keeps how well it has heard whom."""

    messages = (Data,)

    def start(self) -> None:
        self.heard: list[tuple[int, float]] = []

    def publish(self, event: Event) -> None:
        self.broadcast(Data(0, event))

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.heard.append((sender, rssi_dbm))
        self.deliver(message.event, sender, 1)


def test_links_say_how_well_they_are_heard(tmp_path: Path) -> None:
    lab = AirLab(Measuring(), roles="PB BS BS", links="0-1 0-2@-81.5123456789")
    lab.publish(0, n=1)
    lab.settle()
    assert [lab.station(node).heard for node in (1, 2)] == [[(0, -60.0)], [(0, -81.5123456789)]]  # type: ignore[attr-defined]
    lab.cut(0, 2)
    lab.join(0, 2)
    lab.cut(0, 1)
    lab.join(1, 0, -90)
    lab.publish(0, n=2)
    lab.settle()
    assert [lab.station(node).heard[1] for node in (1, 2)] == [(0, -90.0), (0, -60.0)]  # type: ignore[attr-defined]
    text = lab.to_transcript()
    assert text.startswith("lab test_air_lab:Measuring roles=BP,BS,BS 0-1 0-2@-81.5123456789\n")
    assert "join 1-0@-90\n" in text
    path = tmp_path / "heard.transcript"
    path.write_text(text)
    assert run_transcript(path) == 0
    searched = AirLab(Measuring(), roles="PB BS", links=[(0, 1, -70.0)])
    searched.publish(0, n=1)
    found = search(searched, always=lambda each: (0, -70.0) not in each.station(1).heard)
    assert found.violation == "always: it answered False"


class Placed(Station):
    """Keeps where it was told something."""

    messages = (Data,)

    def start(self) -> None:
        self.places = [self.position]

    def publish(self, event: Event) -> None:
        self.broadcast(Data(0, event))

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.places.append(self.position)
        self.deliver(message.event, sender, 1)


def test_devices_know_where_they_are_and_transcripts_too() -> None:
    lab = AirLab(Placed(), "PB BS", "0-1", positions="0,0 50.25,0,2")
    lab.publish(0, n=1)
    lab.settle()
    lab.move(1, 7, -8)
    lab.publish(0, n=2)
    lab.settle()
    assert lab.station(1).places == [(50.25, 0, 2), (50.25, 0, 2), (7, -8, 0)]  # type: ignore[attr-defined]
    text = lab.to_transcript()
    assert text.startswith("lab test_air_lab:Placed roles=BP,BS positions=0,0,0;50.25,0,2 0-1\n")
    replayed = Transcript()
    for command in filter(None, text.splitlines()):
        replayed.run(command)
    assert replayed.picture().figures[1].knows == "places = [[50.25 0.0 2.0] [50.25 0.0 2.0] [7.0 -8.0 0.0]]"
    lab.publish(0, n=3)
    found = search(lab, losses=1)
    assert found.violation
    assert "move 1 7 -8 0" in found.transcript
    assert AirLab(Placed(), "PB BS", "0-1").station(1).places == [None]  # type: ignore[attr-defined]


@pytest.mark.parametrize("positions", ["0,0", "0,0 1", "0,0 nan,1", "0,0 1,2,3,4", "0,0 a,b", [(0, 0), 5], 5])
def test_a_position_that_makes_no_sense_is_refused(positions: Any) -> None:
    with pytest.raises(LabError, match="positions: "):
        AirLab(Placed(), "PB BS", "0-1", positions=positions)


@pytest.mark.parametrize("links", ["0-1@loud", "0-1@nan", [(0, 1, "x")], [(0,)], "0-1@-80 1-0"])
def test_a_link_that_makes_no_sense_is_refused(links: Any) -> None:
    with pytest.raises(LabError, match="links: "):
        AirLab(Measuring(), roles="B B", links=links)
