"""Many runs from a script: scenarios in, a table out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import ConfigurationError, QueryError
from mftpubsub.files import as_path
from mftpubsub.folders import is_url
from mftpubsub.labels import leading
from mftpubsub.protocols.naming import check_names
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.runs.run import open_run
from mftpubsub.scenario.axes import Values, check_axes, once_each, vary
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.scenario.study import Study
from mftpubsub.simulator.library import code_version
from mftpubsub.sweeps.sweep import run_cases
from mftpubsub.trace.layout import run_folder, run_keys

if TYPE_CHECKING:
    import pandas as pd

Axes = Mapping[str, Values]


def sweep(
    what: Scenario | Study | Iterable[Scenario],
    out: str | Path | None = None,
    *,
    over: Axes | None = None,
    workers: int | None = None,
    master: str | None = None,
    time_limit: float | None = None,
) -> pd.DataFrame:
    """Runs scenarios in parallel: one, some, or all of a study, each for every combination of `over`.

        table = mftpubsub.sweep(
            scenario,
            over={"overlay.leader_timeout": [2.0, 3.0, 5.0], "seed": range(1, 6)},
        )

    The keys of `over` are fields, or fields of parts, the values what `Scenario.replace` takes; a dictionary
    has them by what tables call them, as in `{"radio": {"802.11b": Wifi(standard="802.11b")}}`. With a folder
    `out` the runs are kept there (`mftpubsub ingest`, `figures` and `report` take it), and only those that it
    does not hold are made. `workers` is the number of processes, by default one a processor, fewer if memory
    is short; with `master` (`spark://host:port`, `local[N]`, ...) the runs are tasks of Spark. A run that
    takes longer than `time_limit` (s of wall time; default: none) fails. A script must call this under
    `if __name__ == "__main__":`, since its processes import it.

    Returns one row a run, in the order of the scenarios: what names it, axes too, the metrics
    (docs/reference/metrics.md), and `failure`, which says why a run failed, None if it did not.
    Raises ConfigurationError for what cannot be run, before anything is; MftPubsubError if `out` holds runs
    of other code or settings, or its disk is full.
    """
    axes, cases = _cases(what, over or {})
    if out is not None:
        if is_url(out):
            raise ConfigurationError(f"sweep: out: {out}: a URL is for run_study and `mftpubsub sweep`")
        out = as_path(out, "sweep: out", "out/mine")
    with tempfile.TemporaryDirectory(prefix="mftpubsub-") if out is None else nullcontext(out) as folder:
        study = what if isinstance(what, Study) and not over else None
        failures = run_cases(cases, folder, study, workers, master, time_limit)
        return _table(cases, axes, failures, Path(folder) / "runs")


def run_table(cases: Sequence[Scenario], out: str | Path, **options: Any) -> pd.DataFrame:
    """Runs `cases` into `out`, where they are not there yet: a row a run, as `sweep` gives it."""
    failures = run_cases(cases, out, **options)
    return _table(cases, [{}] * len(cases), failures, Path(out) / "runs")


def _cases(
    what: Scenario | Study | Iterable[Scenario], over: Axes
) -> tuple[list[dict[str, Any]], list[Scenario]]:
    """The scenarios to run, and where each lies on the axes."""
    bases = _bases(what)
    over = _checked_axes(over)
    protocols = list(over.get("protocol", [base.protocol for base in bases]))
    try:
        check_axes(over, protocols, [group for base in bases for group in base.nodes], ", ")
    except ValueError as error:
        raise ConfigurationError(f"sweep: over: {error}") from None
    found = [pair for base in bases for pair in vary(base, over)]
    by_parameters: dict[str, list[str | OwnProtocol]] = {}
    for place, case in found:
        parameters = {key: value for key, value in place.items() if key.startswith("protocol.")}
        by_parameters.setdefault(str(parameters), []).append(case.protocol)
    try:
        for alike in by_parameters.values():
            check_names(alike)
    except ValueError as error:
        raise ConfigurationError(f"sweep: {error}") from None
    if not found:
        raise ConfigurationError("sweep: there is nothing to run: no scenario was given")
    try:
        unique = once_each(found)
    except ConfigurationError as error:
        raise ConfigurationError(f"sweep: {error}") from None
    return [place for place, _ in unique], [case for _, case in unique]


def _bases(what: Any) -> list[Scenario]:
    """The scenarios that a sweep is of. Raises ConfigurationError for what is none."""
    if isinstance(what, str | Path):
        raise ConfigurationError(f"sweep: {str(what)!r} is no Scenario; mftpubsub.load(FILE) reads a study")
    if isinstance(what, Study):
        return what.cases()
    bases = [what] if isinstance(what, Scenario) or not isinstance(what, Iterable) else list(what)
    for base in bases:
        if not isinstance(base, Scenario):
            raise ConfigurationError(f"sweep: {base!r} is no Scenario, nor is it a Study")
    return bases


def _checked_axes(over: Any) -> dict[str, Values]:
    """Values by key. Raises ConfigurationError for a key that has neither a list nor names of them."""
    if not isinstance(over, Mapping):
        raise ConfigurationError(
            f"sweep: over: needs values by key, as in {{'seed': [1, 2]}} (given: {over!r})"
        )
    for key, values in over.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ConfigurationError(f"sweep: over: {key}: needs a list of values, as in [{values!r}]")
    found: dict[str, Values] = {
        str(key): dict(values) if isinstance(values, Mapping) else list(values)
        for key, values in over.items()
    }
    if empty := [key for key in found if not found[key]]:
        raise ConfigurationError(f"sweep: over: {empty[0]}: no values, so there is nothing to run")
    return found


def _table(
    cases: Sequence[Scenario], axes: Sequence[dict[str, Any]], failures: Mapping[str, str], runs: Path
) -> pd.DataFrame:
    import pandas as pd

    protocols = [str(case.protocol) for case in cases]

    def row(case: Scenario) -> dict[str, Any]:
        failure = failures.get(case.fingerprint())
        if failure is None:
            try:
                metrics = open_run(runs / run_folder(case)).metrics
                names = leading(metrics, protocols)
                return {name: metrics[name] for name in names if not isinstance(metrics[name], dict)}
            except QueryError as error:
                failure = str(error)
        return {"failure": failure}

    def keys(case: Scenario) -> dict[str, Any]:
        named = run_keys(case)
        seed = named.pop("seed")
        return {**named, **_told(case.axes), "seed": seed}

    code_version()  # once: threads that parse our sources at the same time break Python 3.11's parser
    with ThreadPoolExecutor() as pool:
        found = zip(cases, axes, pool.map(row, cases), strict=True)
        rows = [keys(case) | _told(given) | gave for case, given, gave in found]
    table = pd.DataFrame(rows)
    failure = table.pop("failure") if "failure" in table else None
    return table.assign(failure=failure)


def _told(places: Mapping[str, Any]) -> dict[str, Any]:
    """Places on axes as tables have them: None as a text, which pandas would take for what is missing."""
    return {key: str(value) if value is None else value for key, value in places.items()}
