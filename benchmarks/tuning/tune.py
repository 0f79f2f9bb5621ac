"""The settings under which each protocol delivers most, found by the same search for all of them.

    python benchmarks/tuning/tune.py search --out build/tuning --budget 500
    python benchmarks/tuning/tune.py held-out --out build/tuning
    python benchmarks/tuning/tune.py publish --out build/tuning

`spaces.yaml` declares what may be set. A trial runs all sizes on one tuning seed after the other, each seed
at another speed, and reports the strict delivery rate, the mean of all. Successive halving ends trials that
are behind, and TPE (optuna) proposes the next ones. Each protocol has the same budget of runs. The first
trial is the protocol as it comes. Runs are stored in DIR/PROTOCOL/runs.jsonl: a search that was interrupted
repeats none, but for runs of other code. `held-out` runs what was best, what it started from, and the tuned
protocol that ships, on seeds that no search has seen; these numbers alone are for print. `publish` writes
them to measured/tuning.json, and prints the tables of benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
import pandas as pd
import yaml

import mftpubsub
from mftpubsub import Scenario
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.scenario.study import Study
from mftpubsub.simulator.library import code_version
from mftpubsub.statistics import moments

HERE = Path(__file__).parent
MEASURED_FILE = HERE.parent / "measured" / "tuning.json"
TUNING_SEEDS = range(101, 111)
HELD_OUT_SEEDS = range(111, 121)
#: m/s of one tuning seed after the other, so that the first rungs see slow and fast networks.
SPEEDS = (8.0, 4.0, 10.0, 6.0, 2.0)
HELD_OUT_SPEED = 8.0
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
    """Runs by the fingerprint of their scenario; those of this code that a file has are not run again.

    Its length is the number of runs that were asked for, stored before or not.
    """

    def __init__(self, path: Path, workers: int) -> None:
        self._path = path
        self._workers = workers
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text and not text.endswith("\n"):
            path.write_text(f"{text}\n", encoding="utf-8")
        self._code = code_version()
        rows = [row for row in map(_read, text.splitlines()) if row and row.get("code") == self._code]
        self._found: dict[str, dict[str, float]] = {row["scenario"]: row["metrics"] for row in rows}
        self._asked: set[str] = set()

    def __len__(self) -> int:
        return len(self._asked)

    def of(self, scenarios: Sequence[Scenario]) -> list[dict[str, float]]:
        """What they measure, in their order."""
        names = [scenario.fingerprint() for scenario in scenarios]
        self._asked.update(names)
        missing = {name: each for name, each in zip(names, scenarios, strict=True) if name not in self._found}
        with self._path.open("a", encoding="utf-8") as file:
            for name, metrics in zip(missing, self._run([*missing.values()]), strict=True):
                self._found[name] = metrics
                file.write(json.dumps({"scenario": name, "code": self._code, "metrics": metrics}) + "\n")
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
    duration: float | None = None
    """s of a run, of which publications take the study's share; the study's if it is not said."""

    def cases(self, choices: Choices, seed: int, speed: float) -> list[Scenario]:
        """All sizes with one seed."""
        return [
            set_up(self._lasting(case), self.space, choices)
            for config in self.study.configurations
            for case in [self.study.case(protocol=self.protocol, config=config, speed=speed, seed=seed)]
        ]

    def _lasting(self, case: Scenario) -> Scenario:
        if self.duration is None:
            return case
        stop = case.publisher.stop
        share = 1.0 if stop is None else stop / case.duration
        return case.replace(duration=self.duration, publisher={"stop": share * self.duration})

    def best(self) -> dict[str, Any]:
        """Searches until the budget is spent. What was best of the trials with the most seeds."""
        sampler = optuna.samplers.TPESampler(seed=1, n_startup_trials=6)
        pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=2)
        found = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
        found.enqueue_trial(as_it_comes(self.space))
        # What is proposed twice costs no runs: without an end to trials a small space would never end.
        found.optimize(self._try, n_trials=self.budget, catch=(_SpentError,), callbacks=[self._stop])
        tried = [trial for trial in found.trials if trial.intermediate_values]
        best = max(tried, key=lambda trial: (len(trial.intermediate_values), _last(trial)))
        seeds = len(best.intermediate_values)
        return {
            "protocol": self.protocol,
            "choices": best.params,
            "seeds": seeds,
            "rate": _last(best),
            "rate_as_it_comes": tried[0].intermediate_values.get(seeds),
            "trials": len(tried),
            "settings": len({tuple(trial.params.items()) for trial in tried}),
            "of": math.prod(map(len, self.space.values())),
            "runs": len(self.runs),
            "duration": self.duration or self.study.duration,
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
            cases = self.cases(choices, seed, SPEEDS[(step - 1) % len(SPEEDS)])
            rates += [row[METRIC] for row in self.runs.of(cases)]
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
            cases = search.cases(choices, seed, HELD_OUT_SPEED)
            measured = search.runs.of(cases)
            rows += [
                {"protocol": search.protocol, "settings": name, "config": case.config, "seed": seed} | metrics
                for case, metrics in zip(cases, measured, strict=True)
            ]
    return pd.DataFrame(rows)


def collected(out: Path, protocols: Iterable[str]) -> list[dict[str, Any]]:
    """What was found for each protocol that was searched, with the means of its held-out runs by size."""
    rows = []
    for protocol in protocols:
        best, runs = (out / protocol / name for name in ("best.json", "held-out.csv"))
        if not best.exists():
            continue
        row = json.loads(best.read_text(encoding="utf-8")) | {"held_out": []}
        if runs.exists():
            by_size = pd.read_csv(runs).groupby(["settings", "config"])
            means = by_size[list(MEASURED)].mean().join(by_size["seed"].nunique().rename("seeds"))
            row["held_out"] = means.round(4).reset_index().to_dict("records")
        rows.append(row)
    return rows


def tables(found: Sequence[Mapping[str, Any]]) -> str:
    """As Markdown: what was found, and what it gives on held-out seeds."""
    return "\n".join([*_found_lines(found), "", *_held_out_lines(found)])


def _found_lines(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "| protocol | settings tried, of | as it comes | found | what differs |"
    yield "|---|---|---|---|---|"
    for row in found:
        usual = as_it_comes(spaces()[row["protocol"]])
        changed = [f"{name}: {choice}" for name, choice in row["choices"].items() if choice != usual[name]]
        yield (
            f"| `{row['protocol']}` | {row['settings']} of {row['of']} | {row['rate_as_it_comes']:.3f} "
            f"| {row['rate']:.3f} | {'; '.join(changed) or 'nothing'} |"
        )


def _held_out_lines(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    sizes = sorted(
        {each["config"] for row in found for each in row["held_out"]}, key=lambda size: (len(size), size)
    )
    yield f"| protocol | settings | {' | '.join(sizes)} |"
    yield "|---|---|" + "---|" * len(sizes)
    for row in found:
        for settings in dict.fromkeys(each["settings"] for each in row["held_out"]):
            of = {each["config"]: each for each in row["held_out"] if each["settings"] == settings}
            cells = [f"{of[size][METRIC]:.3f} ({of[size]['frames_per_node']:.0f})" for size in sizes]
            yield f"| `{row['protocol']}` | {settings} | {' | '.join(cells)} |"


def main() -> None:
    known = spaces()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("search", "held-out", "publish"))
    parser.add_argument("--out", type=Path, required=True, help="folder of runs and of what was found")
    parser.add_argument("--budget", type=int, default=500, help="runs of each protocol, at most")
    parser.add_argument("--seeds", type=int, help="the first so many of the tuning or held-out seeds")
    parser.add_argument("--duration", type=float, help="s of a run; default: the study's")
    parser.add_argument("--protocol", nargs="+", choices=known, default=[*known])
    parser.add_argument(
        "--study", type=Path, default=HERE.parents[1] / "configs" / "evaluation" / "responsive.yaml"
    )
    parser.add_argument("--workers", type=int, default=1)
    told = parser.parse_args()
    if told.what == "search":
        for protocol in told.protocol:
            _search(protocol, known[protocol], told)
    elif told.what == "publish":
        found = collected(told.out, known)
        MEASURED_FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(tables(found))
    else:
        table = pd.concat([_held_out(protocol, known[protocol], told) for protocol in told.protocol])
        print(moments(table, METRIC, ["protocol", "settings", "config"]).round(4).to_string())


def _search(protocol: str, space: Space, told: argparse.Namespace) -> None:
    """Searches, and writes what was found to DIR/PROTOCOL/best.json."""
    folder = told.out / protocol
    search = Search(
        protocol,
        space,
        mftpubsub.load(told.study),
        Runs(folder / "runs.jsonl", told.workers),
        told.budget,
        TUNING_SEEDS[: told.seeds],
        told.duration,
    )
    found = search.best()
    (folder / "best.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found), flush=True)


def _held_out(protocol: str, space: Space, told: argparse.Namespace) -> pd.DataFrame:
    """What was found, what it started from and the tuned protocol that ships: DIR/PROTOCOL/held-out.csv."""
    folder = told.out / protocol
    best = json.loads((folder / "best.json").read_text(encoding="utf-8"))["choices"]
    study, runs = mftpubsub.load(told.study), Runs(folder / "held-out.jsonl", told.workers)
    ours = {protocol: (space, {"as it comes": as_it_comes(space), "found": best})}
    shipped: dict[str, tuple[Space, dict[str, Choices]]] = {f"{protocol}-tuned": ({}, {"shipped": {}})}
    chosen = ours | (shipped if f"{protocol}-tuned" in PROTOCOLS else {})
    table = pd.concat(
        [
            held_out(
                Search(name, its_space, study, runs, 0, duration=told.duration),
                choices,
                HELD_OUT_SEEDS[: told.seeds],
            )
            for name, (its_space, choices) in chosen.items()
        ],
        ignore_index=True,
    )
    table.to_csv(folder / "held-out.csv", index=False)
    return table


if __name__ == "__main__":
    main()
