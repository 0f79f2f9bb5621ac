"""What Python costs that looks at a run: an observer that is shown the network ten times a second."""

from __future__ import annotations

import argparse

from common import HERE, median, publish, spread

import mftpubsub

THESIS = HERE.parent / "configs" / "thesis.yaml"
#: s
INTERVAL = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    repetitions = parser.parse_args().repetitions
    case = mftpubsub.load(THESIS).case(protocol="mft-pubsub", config="C32", speed=8, seed=1)
    calls = 0

    def look(_: mftpubsub.Snapshot) -> None:
        nonlocal calls
        calls += 1

    with_hook, without = [], []
    for _ in range(repetitions):  # in turns, as the machine is not always equally fast
        without.append(mftpubsub.run(case).cost.cpu_s)
        calls = 0
        with_hook.append(mftpubsub.run(case, observers=[mftpubsub.Every(INTERVAL, look)]).cost.cpu_s)
    extra = median(with_hook) - median(without)
    publish(
        "hooks",
        [
            {
                "hook": f"observer, every {INTERVAL} s, 66 nodes",
                "calls": calls,
                "without (CPU s)": spread(without),
                "with (CPU s)": spread(with_hook),
                "us/call": 1e6 * extra / calls,
            }
        ],
    )


if __name__ == "__main__":
    main()
