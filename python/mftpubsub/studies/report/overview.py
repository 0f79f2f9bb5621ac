"""What a report shows first: what was asked, of which networks, and what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.labels import in_order, in_print, label, leading, number
from mftpubsub.scenario import axes
from mftpubsub.scenario.arrivals import Recorded
from mftpubsub.scenario.radios import RADIOS, Cc2420
from mftpubsub.scenario.roles import Publisher
from mftpubsub.studies import provenance
from mftpubsub.studies.figures import at, first_place, is_told_by, thesis_speed
from mftpubsub.studies.kept import files, studies
from mftpubsub.studies.numbers import Query, Table, key_heading, key_words, tabulate
from mftpubsub.studies.results import StudyResults
from mftpubsub.trace.layout import axes_of, text

if TYPE_CHECKING:
    import pandas as pd

METRICS = (
    "delivery_rate_strict",
    "delivery_rate",
    "delay_mean_s",
    "delay_p95_s",
    "frames_per_node",
    "energy_per_node_j",
)

#: Told in one sentence, without a column, where it is nearly the same under all protocols.
ENERGY = "energy_per_node_j"
#: Nearly the same: the range of the means is at most this share of the largest.
NEARLY = 0.01

#: What the answer says of metrics: a sentence, and whether more is better.
ANSWERS: Mapping[str, tuple[str, bool]] = {
    "delivery_rate_strict": (
        "Of all wanted pairs most are delivered under {}, {} %, and fewest under {}, {} %.",
        True,
    ),
    "delay_mean_s": ("The mean delay is shortest under {}, {} s, and longest under {}, {} s.", False),
    "frames_per_node": ("A node sends the fewest messages under {}, {}, and the most under {}, {}.", False),
    ENERGY: ("A node takes the least energy under {}, {} J, and the most under {}, {} J.", False),
}

#: What a study sets for all of its networks, and the keys that say so.
SETTINGS = (
    ("simulated time", "{} s", ("duration",)),
    ("movement", "{}, pauses of {} s", ("mobility.model", "mobility.pause")),
    (
        "channel",
        "path loss {} dB at 1 m, exponent {}; shadowing by {}, {} dB",
        (
            "channel.reference_loss",
            "channel.path_loss_exponent",
            "channel.shadowing",
            "channel.sigma",
        ),
    ),
)


def abouts(folder: Path) -> tuple[str, list[str]]:
    """What the first of the kept files says that it is about, and what others add, by their names."""
    said: dict[str, str] = {}
    for path, study in zip(files(folder), studies(folder), strict=True):
        said.setdefault((study.get("about") or "").strip(), path.name)
    said.pop("", None)
    first, *others = said or [""]
    return first, [f"{said[about]}: {about}" for about in others]


def lacking(results: StudyResults) -> list[str]:
    """How many runs that were wanted are not in the tables; nothing if all are."""
    count = len(provenance.lacking(results))
    return [f"Missing: {_counted(count, 'run')}, listed under provenance."] if count else []


def runs(values: pd.DataFrame) -> list[str]:
    """What was run."""
    alike: dict[str, list[str]] = {}
    for name in in_order("protocol", values["protocol"]):
        alike.setdefault(_cases(values[values["protocol"] == name]), []).append(label(name))
    varied = [f"{key_heading(axis, *values[axis])}: {_listed(axis, values)}" for axis in axes_of(values)]
    return [
        *(f"{'; '.join(names)}: {cases}." for cases, names in alike.items()),
        f"{_counted(len(values), 'run')} in all. The same seed gives every protocol the same mobility, "
        "shadowing and traffic.",
        *(f"Varied: {text}." for text in varied),
    ]


def _cases(values: pd.DataFrame) -> str:
    """Networks, speeds and seeds of a protocol's runs."""
    configs, speeds = in_order("config", values["config"]), in_order("speed_mps", values["speed_mps"])
    places = values.groupby(["config", "speed_mps"]).ngroups
    seeds = values.groupby(["config", "speed_mps", *axes_of(values)], dropna=False)["seed"].nunique()
    fewest, most = int(seeds.min()), int(seeds.max())
    listed = ", ".join(map(text, speeds))
    whole = len(configs) * len(speeds)
    return (
        f"{_counted(len(configs), 'network')} ({', '.join(configs)}) at {listed} m/s"
        + (f", {places} of these {whole} cases" if places < whole else "")
        + f", {_counted(most, 'seed') if fewest == most else f'{fewest} to {most} seeds'}"
    )


def _listed(key: str, values: pd.DataFrame) -> str:
    return ", ".join(map(text, in_order(key, values[key])))


def outcome(values: pd.DataFrame, name: str) -> tuple[str, Table]:
    """What came out in the last of the networks, and where that is."""
    only = _last(values)
    known = tuple(metric for metric in METRICS if metric in values and values[metric].notna().any())
    rows = ("protocol", *axes_of(values))
    there = values.loc[values["config"].isin(only["config"]), "protocol"]
    known = tuple(name for name in leading(known, there) if name in values)
    if (means := _means(values, only, ENERGY)).count() > 1 and _is_nearly_the_same(means):
        known = tuple(name for name in known if name != ENERGY)
    if is_told_by(values, "speed_mps", rows):
        del only["speed_mps"]
    return _place(only), tabulate(values, Query(known, rows, only=only), name)


def answer(values: pd.DataFrame) -> list[str]:
    """Sentences on what came out there: who is first and last by the means of ANSWERS."""
    only = _last(values)
    on_axes = first_place(values[values["config"].isin(only["config"])])
    there = at(values, on_axes)
    means = {name: found for name in ANSWERS if (found := _means(there, only, name)).count() > 1}
    if not means:
        return []
    told = (_extremes(found, name) for name, found in means.items())
    where = ", ".join([_place(only), *(key_words(axis, value) for axis, value in on_axes.items())])
    return [f"What follows is of {where}.", *told]


def _means(values: pd.DataFrame, only: Mapping[str, tuple[str, ...]], metric: str) -> pd.Series[float]:
    """By protocol, over the runs of one network and speed; NaN where nothing is known."""
    import pandas as pd

    if metric not in values:
        return pd.Series(dtype=float)
    is_there = values["config"].isin(only["config"]) & (values["speed_mps"] == float(only["speed_mps"][0]))
    return values[is_there].groupby("protocol")[metric].mean()


def _is_nearly_the_same(means: pd.Series[float]) -> bool:
    return float(means.max() - means.min()) <= NEARLY * float(means.max())


def _extremes(means: pd.Series[float], metric: str) -> str:
    says, is_high_good = ANSWERS[metric]
    every = "all protocols for which it is known" if means.hasnans else "all"
    means = means.dropna()
    if metric == ENERGY and _is_nearly_the_same(means):
        least_and_most = dict.fromkeys((f"{means.min():.4g}", f"{means.max():.4g}"))
        return f"Energy is nearly the same under {every}: {' to '.join(least_and_most)} J a node."
    shown = {label(str(name)): number(mean * in_print(metric).factor) for name, mean in means.items()}
    ordered = means.sort_values(ascending=not is_high_good).index
    if len({*shown.values()}) == 1:
        title = in_print(metric).title
        return f"{title[0].upper()}{title[1:]}: {shown.popitem()[1]} under {every}."
    told: list[str] = []
    for end in (shown[label(str(ordered[0]))], shown[label(str(ordered[-1]))]):
        told += [" and ".join(name for name, text in shown.items() if text == end), end]
    return says.format(*told)


def _last(values: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """The last of the networks, at the thesis's speed, or the nearest."""
    config = in_order("config", values["config"])[-1]
    speed = thesis_speed(values.loc[values["config"] == config, "speed_mps"])
    return {"config": (config,), "speed_mps": (text(speed),)}


def _place(only: Mapping[str, tuple[str, ...]]) -> str:
    return ", ".join(key_words(key, *given) for key, given in only.items())


def networks(of: Iterable[Mapping[str, Any]]) -> list[str]:
    """The networks, and what is the same in all of them."""
    of = [*of]
    lines = {
        config: f"{config}: {' x '.join(f'{side:g}' for side in network['area'])} m, "
        f"{_nodes(network['nodes'])}"
        for study in of
        for config, network in study["configurations"].items()
        if network.get("nodes")
    }
    time, *others = _settings(of)
    settings = [time, ("each publisher", _each(_publisher, of)), *others, ("radio", _each(_radio, of))]
    return [
        *lines.values(),
        *(f"{what}: {'; '.join(texts)}" for what, texts in settings if texts),
        *dict.fromkeys(line for study in of for line in _named_values(study)),
    ]


def _settings(of: list[Mapping[str, Any]]) -> Iterable[tuple[str, list[str]]]:
    for what, sentence, keys in SETTINGS:
        said = ([_at(study, key) for key in keys] for study in of)
        yield what, [*dict.fromkeys(sentence.format(*values) for values in said if None not in values)]


def _each(told: Callable[[Mapping[str, Any]], str], of: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is told of each study, once."""
    return [*dict.fromkeys(filter(None, map(told, of)))]


def _publisher(study: Mapping[str, Any]) -> str:
    """What each one publishes, and when; nothing if the study does not say."""
    if _at(study, "publisher.arrivals.model") == Recorded.model_fields["model"].default:
        return f"the events of {Path(study['publisher']['arrivals']['path']).name}"
    rate, payload, start = (_at(study, f"publisher.{key}") for key in ("rate", "payload", "start"))
    if None in (rate, payload, start):
        return ""
    stop, duration = _at(study, "publisher.stop"), _at(study, "duration")
    if stop is None:
        stop = VARIED if duration == VARIED else f"{Publisher().stops_at(float(duration)):g}"
    return f"{rate} event/s of {payload} B, from {start} s to {stop} s"


def _radio(study: Mapping[str, Any]) -> str:
    """Which one, and its power; nothing if radios are an axis, whose values have names."""
    radio = study.get("radio", {})
    if "radio" in (study.get("axes") or {}) or not isinstance(radio, Mapping):
        return ""
    title = RADIOS[radio.get("model", Cc2420.model)].title
    standard = f" ({radio['standard']}, {radio.get('rate')})" if "standard" in radio else ""
    power = _at(study, "radio.tx_power")
    return f"{title}{standard}{'' if power is None else f' at {power} dBm'}"


def _named_values(study: Mapping[str, Any]) -> Iterable[str]:
    """What the names of an axis' values stand for."""
    for key, values in (study.get("axes") or {}).items():
        if isinstance(values, Mapping):
            for name, value in values.items():
                yield f"{key_heading(key, name)} {name}: {axes.label(value)}"


VARIED = "(varied)"


def _at(study: Mapping[str, Any], key: str) -> Any:
    """What a dotted key says, as it is printed; None if it is not there."""
    for axis in study.get("axes") or {}:
        if f"{key}.".startswith(f"{axis}."):
            return VARIED
    content: Any = study
    for part in key.split("."):
        content = content.get(part) if isinstance(content, Mapping) else None
    return f"{content:g}" if isinstance(content, float) else content


def _nodes(groups: Iterable[Mapping[str, Any]]) -> str:
    """`2 publishers, 8 subscribers and brokers`."""
    return ", ".join(
        _counted(group.get("count", 1), *(_role(role) for role in group.get("roles", ()))) + _filters(group)
        for group in groups
    )


def _role(role: Any) -> str:
    """Of a role that is said by its name, or by its name and what is its own."""
    return role if isinstance(role, str) else next(iter(role))


def _filters(group: Mapping[str, Any]) -> str:
    """Of subscribers that want something of their own."""
    own = (role.get("subscriber", {}) for role in group.get("roles", ()) if isinstance(role, Mapping))
    wanted = [text for subscriber in own for text in subscriber.get("where", ())]
    return f" ({'; '.join(wanted)})" if wanted else ""


def _counted(count: int, *things: str) -> str:
    """`3 seeds`, `1 subscriber and broker`."""
    return f"{count} {' and '.join(thing if count == 1 else f'{thing}s' for thing in things) or 'nodes'}"
