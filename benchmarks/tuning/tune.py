"""The settings under which each protocol delivers most, found by the same search for all of them.

    python benchmarks/tuning/tune.py search --out build/tuning --budget 500
    python benchmarks/tuning/tune.py held-out --out build/tuning

`spaces.yaml` declares what may be set. A trial runs all sizes on one tuning seed after the other, and
reports the strict delivery rate, the mean of the sizes. Successive halving ends trials that are behind, and
TPE (optuna) proposes the next ones. Each protocol has the same budget of runs. The first trial is the
protocol as it comes. Runs are stored in DIR/PROTOCOL/runs.jsonl: a search that was interrupted repeats none.
`held-out` runs what was best and what it started from on seeds that no search has seen; these numbers alone
are for print.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
import pandas as pd
import yaml

import mftpubsub
from mftpubsub import Scenario
from mftpubsub.scenario.study import Study
from mftpubsub.statistics import moments

HERE = Path(__file__).parent
TUNING_SEEDS = range(101, 111)
HELD_OUT_SEEDS = range(111, 121)
SPEED = 8.0  # m/s
METRIC = "delivery_rate_strict"
MEASURED = (METRIC, "delay_mean_s", "frames_per_node")

#: By dimension and choice, what a choice changes.
Space = Mapping[str, Mapping[str, Mapping[str, Any]]]
#: A choice for each dimension.
Choices = Mapping[str, str]


def spaces(path: Path = HERE / "spaces.yaml") -> dict[str, Space]:
    """The declared spaces, by protocol."""
    found: dict[str, Space] = yaml.safe_load(path.read_text(encoding="utf-8"))["protocols"]
    return found


def as_it_comes(space: Space) -> dict[str, str]:
    """The first choice of each dimension."""
    return {dimension: next(iter(choices)) for dimension, choices in space.items()}


def set_up(scenario: Scenario, space: Space, choices: Choices) -> Scenario:
    """The scenario with these choices, in the order of the dimensions."""
    for dimension, options in space.items():
        scenario = scenario.replace(**options[choices[dimension]])
    return scenario


class Runs:
    """Runs by the fingerprint of their scenario; those that a file has are not run again."""

    def __init__(self, path: Path, workers: int) -> None:
        self._path = path
        self._workers = workers
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text and not text.endswith("\n"):
            path.write_text(f"{text}\n", encoding="utf-8")
        rows = [row for row in map(_read, text.splitlines()) if row]
        self._found: dict[str, dict[str, float]] = {row["scenario"]: row["metrics"] for row in rows}

    def __len__(self) -> int:
        return len(self._found)

    def of(self, scenarios: Sequence[Scenario]) -> list[dict[str, float]]:
        """What they measure, in their order."""
        names = [scenario.fingerprint() for scenario in scenarios]
        missing = {name: each for name, each in zip(names, scenarios, strict=True) if name not in self._found}
        with self._path.open("a", encoding="utf-8") as file:
            for name, metrics in zip(missing, self._run([*missing.values()]), strict=True):
                self._found[name] = metrics
                file.write(json.dumps({"scenario": name, "metrics": metrics}) + "\n")
                file.flush()
        return [self._found[name] for name in names]

    def _run(self, scenarios: list[Scenario]) -> Any:
        if self._workers == 1 or len(scenarios) < 2:
            return map(measure, scenarios)
        with ProcessPoolExecutor(self._workers) as pool:
            return list(pool.map(measure, scenarios))


def _read(line: str) -> dict[str, Any] | None:
    """A stored run; none if it was cut off while it was written."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return None


def measure(scenario: Scenario) -> dict[str, float]:
    """One run."""
    metrics = mftpubsub.run(scenario).metrics
    return {name: metrics[name] for name in MEASURED}


@dataclass(frozen=True)
class Search:
    """The search for one protocol's settings."""

    protocol: str
    space: Space
    study: Study
    runs: Runs
    budget: int
    """Runs at most; the sizes of one seed are not divided."""
    seeds: Sequence[int] = TUNING_SEEDS

    def cases(self, choices: Choices, seed: int) -> list[Scenario]:
        """All sizes with one seed."""
        return [
            set_up(
                self.study.case(protocol=self.protocol, config=config, speed=SPEED, seed=seed),
                self.space,
                choices,
            )
            for config in self.study.configurations
        ]

    def best(self) -> dict[str, Any]:
        """Searches until the budget is spent. What was best of the trials with the most seeds."""
        sampler = optuna.samplers.TPESampler(seed=1, n_startup_trials=10)
        pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3)
        found = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
        found.enqueue_trial(as_it_comes(self.space))
        # What is proposed twice costs no runs: without an end to trials a small space would never end.
        found.optimize(self._try, n_trials=self.budget, catch=(_SpentError,), callbacks=[self._stop])
        tried = [trial for trial in found.trials if trial.intermediate_values]
        best = max(tried, key=lambda trial: (len(trial.intermediate_values), _last(trial)))
        return {
            "protocol": self.protocol,
            "choices": best.params,
            "seeds": len(best.intermediate_values),
            "trials": len(found.trials),
            "runs": len(self.runs),
        }

    def _try(self, trial: optuna.Trial) -> float:
        choices = {
            dimension: str(trial.suggest_categorical(dimension, [*options]))
            for dimension, options in self.space.items()
        }
        rates: list[float] = []
        for step, seed in enumerate(self.seeds, 1):
            if self._is_spent():
                raise _SpentError
            rates += [row[METRIC] for row in self.runs.of(self.cases(choices, seed))]
            trial.report(sum(rates) / len(rates), step)
            if step < len(self.seeds) and trial.should_prune():
                raise optuna.TrialPruned
        return sum(rates) / len(rates)

    def _is_spent(self) -> bool:
        return len(self.runs) + len(self.study.configurations) > self.budget

    def _stop(self, found: optuna.Study, _: optuna.trial.FrozenTrial) -> None:
        if self._is_spent():
            found.stop()


class _SpentError(Exception):
    """The budget allows no further seed."""


def _last(trial: optuna.trial.FrozenTrial) -> float:
    return trial.intermediate_values[max(trial.intermediate_values)]


def held_out(
    search: Search, chosen: Mapping[str, Choices], seeds: Sequence[int] = HELD_OUT_SEEDS
) -> pd.DataFrame:
    """A row a run on held-out seeds, for each of the choices by their names."""
    rows = []
    for name, choices in chosen.items():
        for seed in seeds:
            cases = search.cases(choices, seed)
            measured = search.runs.of(cases)
            rows += [
                {"protocol": search.protocol, "settings": name, "config": case.config, "seed": seed} | metrics
                for case, metrics in zip(cases, measured, strict=True)
            ]
    return pd.DataFrame(rows)


def main() -> None:
    known = spaces()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("search", "held-out"))
    parser.add_argument("--out", type=Path, required=True, help="folder of runs and of what was found")
    parser.add_argument("--budget", type=int, default=500, help="runs of each protocol, at most")
    parser.add_argument("--protocol", nargs="+", choices=known, default=[*known])
    parser.add_argument("--study", type=Path, default=HERE.parents[1] / "configs" / "thesis.yaml")
    parser.add_argument("--workers", type=int, default=1)
    told = parser.parse_args()
    study = mftpubsub.load(told.study)
    tables = []
    for protocol in told.protocol:
        folder = told.out / protocol
        file = "runs.jsonl" if told.what == "search" else "held-out.jsonl"
        runs = Runs(folder / file, told.workers)
        search = Search(protocol, known[protocol], study, runs, told.budget)
        if told.what == "search":
            found = search.best()
            (folder / "best.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            print(json.dumps(found), flush=True)
        else:
            found = json.loads((folder / "best.json").read_text(encoding="utf-8"))
            chosen = {"as it comes": as_it_comes(search.space), "tuned": found["choices"]}
            tables.append(held_out(search, chosen))
    if tables:
        table = pd.concat(tables, ignore_index=True)
        table.to_csv(told.out / "held-out.csv", index=False)
        print(moments(table, METRIC, ["protocol", "settings", "config"]).round(4).to_string())


if __name__ == "__main__":
    main()
