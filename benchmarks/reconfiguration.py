"""C's figure 14 (Cugola et al.) at its largest, 500 dispatchers and 200 patterns, one seed: CPU time."""

from __future__ import annotations

import time

from common import HERE, arguments, publish, spread

from mftpubsub.reconfiguration import OverlayScenario, OverlayStudy, run

STUDY = HERE.parent / "configs" / "cugola.yaml"
#: That C has; the others in the series come after them.
FAMILY = ("strawman", "tdu", "ndu", "ila", "rp")


def main() -> None:
    repetitions = arguments(__doc__, 5).parse_args().repetitions
    runs = [*OverlayStudy.from_yaml(STUDY).scenarios("scale", 1)]
    largest = max(x for x, _, _ in runs)
    scenarios = {protocol: scenario for x, protocol, scenario in runs if x == largest}
    run(scenarios["strawman"])  # loads the library
    spent = {name: [_cpu_s(scenario) for _ in range(repetitions)] for name, scenario in scenarios.items()}
    together = [sum(spent[name][index] for name in FAMILY) for index in range(repetitions)]
    rows = [{"protocol": name, "CPU s": spread(values)} for name, values in spent.items()]
    publish("reconfiguration", [*rows, {"protocol": "those of C together", "CPU s": spread(together)}])


def _cpu_s(scenario: OverlayScenario) -> float:
    """Drawing the world, running it and its metrics."""
    start = time.process_time()
    assert run(scenario).metrics["reconfigurations"] == 12
    return time.process_time() - start


if __name__ == "__main__":
    main()
