"""What a protocol of one's own costs: flooding in Python beside the same in C++, 700 s of the thesis.

Then a search through every order of its messages and timers among four devices that all hear each other.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from common import HERE, arguments, median, publish, spread

import mftpubsub
from mftpubsub.protocols import Station, cpp, host

ROOT = HERE.parent
EXAMPLES = ROOT / "python" / "examples" / "protocols"
sys.path.insert(0, str(EXAMPLES))


class Calls:
    """How often C++ called Python."""

    count = 0


def counted(call: object) -> object:
    """The function that C++ calls, which counts as well."""

    def counting(self: object, *arguments: object) -> object:
        Calls.count += 1
        return call(self, *arguments)  # type: ignore[operator]

    return counting


def main() -> None:
    from flooding import Flood

    repetitions = arguments(__doc__, 3).parse_args().repetitions
    study = mftpubsub.load(ROOT / "configs" / "thesis.yaml")
    rows = []
    for config in ("C8", "C32"):
        case = study.case(protocol="mft-mesh", config=config, speed=8, seed=1)
        python = case.replace(protocol=Flood())
        compiled = case.replace(protocol=cpp(EXAMPLES / "flood.cc", name="flood-cc"))
        calls = calls_of(python)
        mftpubsub.run(compiled)  # compiles
        slow, fast = [], []  # in turns: the machine is not always equally fast
        for _ in range(repetitions):
            slow.append(cpu_of(python))
            fast.append(cpu_of(compiled))
        rows.append(
            {
                "configuration": config,
                "callbacks": calls,
                "Python (CPU s)": spread(slow),
                "C++ (CPU s)": spread(fast),
                "ratio": median(slow) / median(fast),
                "us/callback": 1e6 * (median(slow) - median(fast)) / calls,
            }
        )
    publish("own_protocol", rows)
    publish("own_search", [searched(Flood(), losses, repetitions) for losses in (0, 2)])


def searched(protocol: Station, losses: int, repetitions: int) -> dict[str, Any]:
    lab = mftpubsub.AirLab(protocol, roles="PB B B BS", links="0-1 0-2 0-3 1-2 1-3 2-3")
    lab.publish(0, topic="a")
    seconds = []
    for _ in range(repetitions):
        start = time.process_time()
        found = mftpubsub.search(lab, losses=losses)
        seconds.append(time.process_time() - start)
    return {
        "frames lost": f"at most {losses}",
        "states": found.states,
        "CPU s": spread(seconds),
        "states/CPU s": found.states / median(seconds),
    }


def cpu_of(scenario: mftpubsub.Scenario) -> float:
    return mftpubsub.run(scenario).cost.cpu_s


def calls_of(scenario: mftpubsub.Scenario) -> int:
    """How often a run of it calls Python."""
    plain = host.Host._call
    host.Host._call = counted(plain)  # type: ignore[method-assign, assignment]
    try:
        Calls.count = 0
        mftpubsub.run(scenario)
    finally:
        host.Host._call = plain  # type: ignore[method-assign]
    return Calls.count


if __name__ == "__main__":
    main()
