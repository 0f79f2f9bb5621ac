"""What can happen among brokers that form a tree: every order of messages, losses, crashes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mftpubsub.lab.endless import ENDLESS, Rounds
from mftpubsub.lab.graph import Budgets, Check, Following, Settled, Timers, other_draws, said
from mftpubsub.lab.laboratory import SETTLE_LIMIT, Lab
from mftpubsub.simulator.laboratory import LabError, RefusedError

_SETTLE = "settle"


@dataclass(frozen=True)
class TreeState:
    """A laboratory of C++ that does not change any more, and a text of all that decides what is found."""

    lab: Any
    digest: str
    has_settled: bool = False
    """Whether timers have gone off until they only repeat; nothing follows."""


class Command(NamedTuple):
    """Something that may happen, in the words of transcripts and of C++."""

    action: str
    state: TreeState
    budgets: Budgets
    method: str
    arguments: tuple[Any, ...]


class TreeGraph:
    """What can happen in a laboratory of brokers."""

    def __init__(self, lab: Lab, timers: Timers, always: Check | None, quiet: Check | None) -> None:
        if not (always or quiet or lab.tells_wrong):
            raise LabError(
                "search: brokers without `table` need quiet= or always=, a check that says what is wrong, "
                "such as an event that was not delivered: else nothing is checked"
            )
        self._lab = lab
        self._timers = timers
        self._always, self._quiet = always, quiet
        self._links = lab.links()
        self._brokers = lab.brokers
        self.start = self._state(lab.copied())

    def key(self, state: TreeState) -> Hashable:
        return state.digest, state.has_settled

    def to_transcript(self, comment: str, schedule: Sequence[Any]) -> str:
        return self._lab.to_transcript(comment, schedule)

    def fresh(self) -> TreeGraph:
        return self

    def moves(self, state: TreeState, budgets: Budgets) -> Iterator[Command]:
        if state.has_settled:
            return
        pending = [(str(link.first), str(link.second)) for link in state.lab.GetPending()]
        for one, other in pending:
            yield Command(f"step {one} {other}", state, budgets, "StepLink", (one, other))
        if budgets.losses:
            for one, other in pending:
                if one != other:
                    yield Command(f"drop {one} {other}", state, budgets.but(losses=1), "Drop", (one, other))
        for broker in self._brokers:
            if not state.lab.IsUp(broker):
                yield Command(f"restart {broker}", state, budgets, "Restart", (broker,))
            elif budgets.crashes:
                yield Command(f"crash {broker}", state, budgets.but(crashes=1), "Crash", (broker,))
        for one, other in self._lost_links(state):
            if state.lab.IsUp(one) and state.lab.IsUp(other):
                yield Command(f"connect {one} {other}", state, budgets, "Connect", (one, other))
        yield from self._expiries(state, budgets, is_busy=bool(pending))

    def _expiries(self, state: TreeState, budgets: Budgets, is_busy: bool) -> Iterator[Command]:
        """Timers of brokers of one's own go off; where nothing else is pending, all of them may settle."""
        waiting = self._waiting(state)
        if not (is_busy and self._timers == "at rest"):
            for broker, timers in waiting:
                for timer in timers[:1] if self._timers == "in order" else timers:
                    yield Command(f"expire {broker} {timer}", state, budgets, "Expire", (broker, timer))
        if waiting and self._is_whole(state):
            yield Command(_SETTLE, state, budgets, _SETTLE, ())

    def _waiting(self, state: TreeState) -> list[tuple[str, list[str]]]:
        """Brokers of one's own with timers, and these by when they are due."""
        shown = self._lab.showing(state.lab)
        brokers = [broker for broker in self._brokers if state.lab.IsUp(broker)] if self._lab.is_own else []
        return [(broker, timers) for broker in brokers if (timers := shown.timers(broker))]

    def outcomes(self, move: Command) -> Iterator[Following]:
        if move.method == _SETTLE:
            yield self._settled(move)
            return
        waiting: list[tuple[int, ...]] = [()]
        while waiting:
            chosen = waiting.pop()
            lab = self._copy(move.state.lab)
            self._lab.draws(chosen)
            try:
                self._lab.on(lab, move.method, *move.arguments, forgets_times=self._timers != "in order")
            except RefusedError:  # it makes no sense now
                return
            waiting += other_draws(chosen, self._lab.draws())
            said = f" draws={','.join(map(str, chosen))}" if chosen else ""
            yield Following(move.action + said, self._state(lab), move.budgets)

    def _settled(self, move: Command) -> Following:
        state, done, wrong = self._settle(self._copy(move.state.lab), [])
        return Following("\n\n".join(done), state, move.budgets, wrong)

    def is_rest(self, state: TreeState) -> bool:
        return self.is_end(state)

    def is_end(self, state: TreeState) -> bool:
        return state.has_settled or (self._is_whole(state) and not self._waiting(state))

    def _is_whole(self, state: TreeState) -> bool:
        """Whether all brokers are up, all links there, and nothing is pending."""
        whole = all(state.lab.IsUp(broker) for broker in self._brokers) and not self._lost_links(state)
        return whole and bool(state.lab.GetPending().empty())

    def violation(self, state: TreeState) -> str | None:
        return self._of_any(state.lab) or (self.of_end(state) if self.is_end(state) else None)

    def _of_any(self, lab: Any) -> str | None:
        return said(self._always(self._lab.showing(lab)), "always") if self._always else None

    def of_end(self, state: TreeState) -> str | None:
        if violations := self._lab.showing(state.lab).violations():
            return violations[0]
        return said(self._quiet(self._lab.showing(state.lab)), "quiet") if self._quiet else None

    def stuck(self, state: TreeState, schedule: Callable[[], Sequence[Any]]) -> None:
        """Nothing: to settle is a move here."""

    def settle(self, state: TreeState) -> Settled:
        """Brokers that are down and links that are lost come back, and then everything settles."""
        commands = [f"restart {broker}" for broker in self._brokers if not state.lab.IsUp(broker)]
        lab = self._copy(state.lab)
        for command in commands:
            lab.Restart(command.removeprefix("restart "))
        for one, other in self._lost_links(state):
            lab.Connect(one, other)
            commands.append(f"connect {one} {other}")
        return self._settle(lab, commands)

    def _settle(self, lab: Any, done: Sequence[str]) -> Settled:
        """All that is pending happens, and timers go off until they only repeat."""
        self._lab.draws(())
        rounds = Rounds()
        for steps in range(SETTLE_LIMIT):
            if wrong := self._of_any(lab):
                return Settled(self._state(lab), [*done, *["step"] * steps], wrong)
            if not self._lab.on(lab, "Step"):
                break
            if lab.GetPending().empty():
                rounds = Rounds()
            elif not self._lab.is_shuffled and rounds.are_closed(1, lambda: (str(lab.GetDigest()),)):
                break
        wrong = None if lab.GetPending().empty() else ENDLESS
        return Settled(self._state(lab, has_settled=True), [*done, _SETTLE], wrong)

    def _lost_links(self, state: TreeState) -> list[tuple[str, str]]:
        there = {frozenset((str(link.first), str(link.second))) for link in state.lab.GetLinks()}
        return [link for link in self._links if frozenset(link) not in there]

    def _copy(self, lab: Any) -> Any:
        return type(lab)(lab)

    def _state(self, lab: Any, has_settled: bool = False) -> TreeState:
        digest = str(lab.GetDigest())
        if self._always or self._quiet:  # which may go by the order in which clients have got events
            shown = self._lab.showing(lab)
            digest += str([shown.delivered(str(client.name)) for client in lab.GetClients()])
        return TreeState(lab, digest, has_settled)
