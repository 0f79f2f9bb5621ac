"""What Python costs within a run: an observer, and a parent policy that calls the default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from common import HERE, arguments, median, publish, spread

import mftpubsub
from mftpubsub.policies import Candidate, Me, ParentPolicy

THESIS = HERE.parent / "configs" / "thesis.yaml"
#: s
INTERVAL = 0.1


@dataclass
class Counter:
    """How often Python was called."""

    calls: int = 0

    def look(self, _: mftpubsub.Snapshot) -> None:
        self.calls += 1


class Same(ParentPolicy):
    """Decides as the default does. A run works on a copy of it, so the count is kept with the class."""

    counter = Counter()

    def choose(self, me: Me, current: Candidate | None, candidates: list[Candidate]) -> Candidate | None:
        self.counter.calls += 1
        return self.default(me, current, candidates)


def main() -> None:
    repetitions = arguments(__doc__, 3).parse_args().repetitions
    case = mftpubsub.load(THESIS).case(protocol="mft-pubsub", config="C16", speed=8, seed=1)
    plain = partial(mftpubsub.run, case)
    seen = Counter()
    observed = partial(mftpubsub.run, case, observers=[mftpubsub.Every(INTERVAL, seen.look)])
    decided = partial(mftpubsub.run, case.replace(parent_policy=Same()))
    publish(
        "hooks",
        [
            compare(f"observer, every {INTERVAL} s", plain, observed, seen, repetitions),
            compare("parent policy that calls the default", plain, decided, Same.counter, repetitions),
        ],
    )


def compare(
    name: str,
    plain: Callable[[], mftpubsub.Result],
    hooked: Callable[[], mftpubsub.Result],
    counter: Counter,
    repetitions: int,
) -> dict[str, object]:
    """A row: runs with and without, in turns, as the machine is not always equally fast."""
    without, having = [], []
    for _ in range(repetitions):
        without.append(plain().cost.cpu_s)
        counter.calls = 0
        having.append(hooked().cost.cpu_s)
    return {
        "hook": name,
        "calls": counter.calls,
        "without (CPU s)": spread(without),
        "with (CPU s)": spread(having),
        "us/call": 1e6 * (median(having) - median(without)) / counter.calls,
    }


if __name__ == "__main__":
    main()
