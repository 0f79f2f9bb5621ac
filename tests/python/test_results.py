"""What a result shows: tables, snapshots, pictures, timelines; and who looks at a run changes nothing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

import mftpubsub
from mftpubsub.policies import Hysteresis, RetriesByKind
from mftpubsub.runs import apart, run_tables
from mftpubsub.runs.run import run_to_directory
from mftpubsub.scenario.observers import Agenda, At, Every
from mftpubsub.simulator.snapshot import Node, Snapshot
from mftpubsub.views.plots import Timeline, draw_networks

mpl.use("Agg")
CONFIG = Path(__file__).parents[2] / "configs" / "thesis.yaml"
SUBSCRIBER = 3


def scenario(protocol: str = "mft-pubsub") -> mftpubsub.Scenario:
    """C8 at 8 m/s, cut short; nodes 0 and 1 publish, 2 to 9 subscribe, 10 to 17 are brokers."""
    case = mftpubsub.load(CONFIG).case(protocol=protocol, config="C8", speed=8, seed=1)
    return case.replace(duration=30.0, publisher=case.publisher.model_copy(update={"stop": 20.0}))


@cache
def result(protocol: str = "mft-pubsub") -> mftpubsub.Result:
    return mftpubsub.run(scenario(protocol))


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    plt.close("all")


class TestTables:
    def test_without_a_name_it_is_the_trace(self) -> None:
        trace = result().to_pandas()
        assert set(trace[trace.layer == "tree"].groupby("kind").size().index) == {"BMIG", "MIG"}

    @pytest.mark.parametrize("name", run_tables.VIEWS)
    @pytest.mark.parametrize("protocol", ["mft-pubsub", "aodv"])
    def test_columns_are_the_documented_ones(self, protocol: str, name: str) -> None:
        table = result(protocol).to_pandas(name)
        assert list(table) == [column.name for column in run_tables.VIEWS[name].columns]
        assert len(table) > 0 or (protocol, name) == ("aodv", "migrations")

    @pytest.mark.parametrize("protocol", ["mft-pubsub", "aodv"])
    def test_they_agree_with_the_metrics(self, protocol: str) -> None:
        run = result(protocol)
        events, deliveries, frames, migrations, nodes = (
            run.to_pandas(name) for name in ("events", "deliveries", "frames", "migrations", "nodes")
        )
        metrics = run.metrics
        assert len(events) == metrics["published"]
        assert events.wanted.sum() == len(deliveries) == metrics["sent_pairs"]
        assert events.delivered.sum() == deliveries.delivered_s.notna().sum() == metrics["delivered_pairs"]
        assert deliveries.matched_s.notna().sum() == events.matched.sum() == metrics["matched_pairs"]
        assert deliveries.delay_s.median() == pytest.approx(metrics["delay_median_s"])
        assert deliveries.duplicates.sum() == metrics["duplicates"]
        assert deliveries.hops.max() == metrics["hops_max"]
        assert deliveries.cause.value_counts().to_dict() == metrics["lost_by_cause"]
        assert frames.kind.value_counts().to_dict() == metrics["frames_by_kind"]
        assert len(migrations) == metrics["migrations"] == nodes.migrations.sum()
        assert len(frames) == nodes.frames.sum()
        assert frames.bytes.sum() == nodes.bytes.sum()

    def test_a_subscription_that_ends_meanwhile_is_no_event(self) -> None:
        run = mftpubsub.run(scenario().replace(faults=[mftpubsub.leave([SUBSCRIBER], at=5.0)]))
        assert "UNSUBSCRIBE" in {*run.to_pandas().kind}
        assert len(run.to_pandas("events")) == run.metrics["published"]

    def test_a_table_that_is_not_there_is_named_with_those_that_are(self) -> None:
        with pytest.raises(mftpubsub.QueryError, match=r"no table 'delivery'; did you mean 'deliveries'"):
            result().to_pandas("delivery")


class TestObservers:
    @pytest.mark.parametrize("protocol", ["mft-pubsub", "aodv"])
    def test_a_run_that_is_looked_at_has_the_same_trace(self, protocol: str, tmp_path: Path) -> None:
        snapshots: list[Snapshot] = []
        observers = [Every(0.7, snapshots.append), Every(10.0, snapshots.append)]
        run = mftpubsub.run(scenario(protocol), tmp_path / "looked-at.gz", observers=observers)
        assert run.trace.read_bytes() == result(protocol).trace.read_bytes()
        assert len(snapshots) == 43 + 4

    def test_they_may_be_part_of_the_scenario(self) -> None:
        seen: list[Snapshot] = []
        watched = scenario().replace(observers=[Every(10.0, seen.append)])
        run = mftpubsub.run(watched)
        assert [snapshot.time_s for snapshot in seen] == [0.0, 10.0, 20.0, 30.0]
        assert watched.fingerprint() == scenario().fingerprint()
        assert watched.to_yaml() == scenario().to_yaml()
        run.snapshot(5.0)
        assert len(seen) == 4  # a snapshot afterwards is not theirs to see

    def test_what_is_no_observer_is_refused(self) -> None:
        with pytest.raises(
            mftpubsub.ConfigurationError, match=r"observers.0: 'x' is no observer, such as Every"
        ):
            scenario().replace(observers=["x"])

    def test_snapshots_come_in_order_from_the_start_to_the_end(self) -> None:
        times: list[float] = []
        note: Callable[[Snapshot], None] = lambda snapshot: times.append(snapshot.time_s)  # noqa: E731
        mftpubsub.run(scenario(), observers=[Every(12.5, note, start=5.0), At([30.0, 0.0], note)])
        assert times == [0.0, 5.0, 17.5, 30.0, 30.0]

    def test_a_broker_has_a_table_and_who_is_none_has_not(self) -> None:
        nodes = result().snapshot(25.0).nodes
        assert all(not node.table for node in nodes if "broker" not in node.roles)
        subscribers = {node.id: node for node in nodes if "subscriber" in node.roles}
        tables = {node.id: node.table for node in nodes if "broker" in node.roles}
        assert all(table.keys() == subscribers.keys() for table in tables.values())
        for subscriber in subscribers.values():
            assert subscriber.parent is not None
            route = tables[subscriber.parent][subscriber.id]
            assert (route.next_hop, route.hops) == (subscriber.id, 1)
        for node in nodes:
            assert sum(route.queued for route in node.table.values()) == node.queued

    def test_a_snapshot_tells_what_the_trace_tells(self) -> None:
        """Whom a subscriber named in its last MIG is its broker; who sends BMIG has that parent."""
        snapshot = result().snapshot(20.0)
        announced = result().to_pandas("migrations")
        last = announced[announced.time_s <= 20].groupby("node").parent.last()
        agree = [
            snapshot.nodes[int(node)].parent == parent for node, parent in zip(last.index, last, strict=True)
        ]
        assert len(agree) > 5
        assert np.mean(agree) > 0.8  # a parent may have been lost, silently, since
        assert snapshot.nodes[0].roles == ("publisher",)
        assert all(node.leader is None for node in snapshot.nodes if "broker" not in node.roles)

    def test_nodes_move_as_fast_as_the_scenario_says(self) -> None:
        before, after = (result().snapshot(time).to_pandas() for time in (10.0, 10.5))
        moved = np.hypot(after.x - before.x, after.y - before.y)
        assert moved.max() == pytest.approx(8 * 0.5)
        assert (moved <= 8 * 0.5 + 1e-9).all()  # less where a node turned

    def test_links_are_those_in_reach(self) -> None:
        """Without shadowing who is in reach is a matter of distance: 95 dB of loss at 46 m."""
        case = scenario()
        channel = case.channel.model_copy(update={"sigma": 0.0, "bidirectional_sigma": 0.0, "cell": 0.5})
        snapshot = mftpubsub.run(case.replace(channel=channel)).snapshot(15.0)
        reach = 10 ** ((95 - 55) / 24)
        for one in snapshot.nodes:
            for other in snapshot.nodes[one.id + 1 :]:
                distance = np.hypot(one.x - other.x, one.y - other.y)
                if abs(distance - reach) > 1.0:
                    assert ((one.id, other.id) in snapshot.links) == (distance < reach)

    def test_an_exception_in_an_observer_ends_the_run(self, tmp_path: Path) -> None:
        def fail(snapshot: Snapshot) -> None:
            raise KeyError("no such thing")

        with pytest.raises(
            mftpubsub.RunError, match=r"Every failed at 7 s of simulated time: KeyError"
        ) as info:
            mftpubsub.run(scenario(), tmp_path / "trace.gz", observers=[Every(100.0, fail, start=7.0)])
        cause = info.value.__cause__
        assert cause
        assert cause.__traceback__
        assert cause.__traceback__.tb_next is not None  # down to the observer's own line
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("instants", [[31.0], [-1.0], [float("nan")]])
    def test_an_instant_outside_the_run_is_refused(self, instants: list[float]) -> None:
        with pytest.raises(mftpubsub.ConfigurationError, match="lies outside the run, 0 to 30 s"):
            mftpubsub.run(scenario(), observers=[At(instants, print)])

    @pytest.mark.parametrize("interval", [0.0, -1.0, float("nan")])
    def test_an_interval_of_nothing_is_refused(self, interval: float) -> None:
        with pytest.raises(mftpubsub.ConfigurationError, match="interval must be above 0 s"):
            Every(interval, print)


def test_the_last_instant_is_in_the_run_however_sums_are_rounded() -> None:
    """3 * 0.1 is above 0.3."""
    assert Every(0.1, print).instants(0.3) == [0, 0.1, 0.2, 0.3]


def test_instants_may_come_from_a_generator() -> None:
    assert Agenda([At((time / 2 for time in range(3)), print)], 10.0).instants == [0, 0.5, 1]


class TestSnapshots:
    def test_what_is_seen_afterwards_is_what_was_seen_during_the_run(self) -> None:
        during: list[Snapshot] = []
        run = mftpubsub.run(scenario(), observers=[Every(10.0, during.append)])
        assert during == [run.snapshot(time) for time in (0, 10, 20, 30)]

    def test_a_time_outside_the_run_is_refused(self) -> None:
        with pytest.raises(mftpubsub.QueryError, match="31 s lies outside the run, 0 to 30 s"):
            result().snapshot(31.0)


class TestFinishedRuns:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return run_to_directory(scenario(), tmp_path)

    def test_its_policies_come_back(self, tmp_path: Path) -> None:
        case = scenario().replace(
            parent_policy=Hysteresis(margin=3.5), retry_policy=RetriesByKind({"BMIG": 7})
        )
        opened = mftpubsub.open_run(run_to_directory(case, tmp_path))
        assert opened.scenario == case
        assert not opened.rerun_obstacle

    def test_a_run_of_a_sweep_can_be_looked_into(self, folder: Path) -> None:
        opened = mftpubsub.open_run(folder)
        assert opened.scenario == scenario()
        pd.testing.assert_frame_equal(opened.to_pandas("events"), result().to_pandas("events"))
        assert opened.snapshot(10.0) == result().snapshot(10.0)

    def test_a_run_of_other_code_cannot_be_simulated_anew(self, folder: Path) -> None:
        told = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(json.dumps(told | {"code": "other"}))
        opened = mftpubsub.open_run(folder)
        assert opened.metrics["published"] == 40
        with pytest.raises(mftpubsub.QueryError, match=r"cannot be simulated anew.*it was run by other code"):
            opened.snapshot(10.0)

    def test_what_is_no_run_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(mftpubsub.QueryError, match="holds no complete run"):
            mftpubsub.open_run(tmp_path)


def collection(ax: Any, label: str) -> Any:
    return next(artist for artist in ax.collections if artist.get_label() == label)


class TestPlotNetwork:
    def test_it_draws_positions_links_tree_roles_and_leaders(self) -> None:
        snapshot = result().snapshot(20.0)
        ax = result().plot_network(20.0)
        for role, count in (("broker", 8), ("subscriber", 8), ("publisher", 2)):
            drawn = collection(ax, role).get_offsets()
            of_role = [(node.x, node.y) for node in snapshot.nodes if node.roles == (role,)]
            assert len(drawn) == count
            np.testing.assert_allclose(drawn, of_role)
        links = collection(ax, "radio link").get_segments()
        assert len(links) == len(snapshot.links) > 0
        leader = snapshot.nodes[snapshot.leaders[0]]
        np.testing.assert_allclose(collection(ax, "leader").get_offsets()[0], (leader.x, leader.y))
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("x (m)", "y (m)", "t = 20 s")
        parents = sum(node.parent is not None for node in snapshot.nodes)
        kinds = ("tree", "client to its broker", "parent out of reach")
        drawn_parents = sum(
            len(c.get_segments())
            for c in ax.collections
            if isinstance(c, LineCollection) and c.get_label() in kinds
        )
        assert drawn_parents == parents > 8

    def test_a_link_has_its_strength_and_strong_ones_lie_above(self) -> None:
        snapshot = result().snapshot(20.0)
        strengths = snapshot.strengths_dbm
        assert strengths.keys() == snapshot.links
        assert -95 <= min(strengths.values()) < max(strengths.values()) <= 0
        drawn = collection(result().plot_network(20.0), "radio link").get_array()
        assert list(drawn) == sorted(strengths.values())

    def test_labels_do_not_hide_each_other(self) -> None:
        _, ax = plt.subplots(figsize=(4, 4))
        ax.set(xlim=(0, 50), ylim=(0, 50))
        apart.write_labels(
            ax, {str(node): (25 + 0.5 * (node % 3), 25 + 0.5 * (node // 3)) for node in range(6)}
        )
        ax.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert len(boxes) == 6
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))

    def test_a_figure_shows_its_legend_as_a_whole(self) -> None:
        figure = result().plot_network([10, 20, 30])[0].figure
        figure.canvas.draw()
        whole, shown = figure.bbox, figure.legends[0].get_window_extent()
        assert whole.x0 <= shown.x0 <= shown.x1 <= whole.x1
        assert whole.y0 <= shown.y0 <= shown.y1 <= whole.y1

    def test_a_broken_link_and_a_node_that_is_down_look_different(self) -> None:
        nodes = (
            Node(0, ("broker",), 1.0, 1.0, True, None, 0, 0),
            Node(1, ("broker",), 9.0, 1.0, True, 0, 0, 0),
            Node(2, ("subscriber",), 5.0, 5.0, False, None, None, 0),
        )
        snapshot = Snapshot(1.0, (10.0, 10.0), nodes, frozenset())
        ax = draw_networks([snapshot])[0]
        assert len(collection(ax, "parent out of reach").get_segments()) == 1
        assert len(collection(ax, "subscriber (down)").get_offsets()) == 1
        held = draw_networks([dataclasses.replace(snapshot, links=frozenset({(0, 1)}))])[0]
        np.testing.assert_allclose(collection(held, "tree").get_segments(), [[(9.0, 1.0), (1.0, 1.0)]])

    def test_several_instants_are_a_row(self) -> None:
        row = result().plot_network([10, 20, 30])
        assert [ax.get_title() for ax in row] == ["t = 10 s", "t = 20 s", "t = 30 s"]
        assert len({ax.figure for ax in row}) == 1

    def test_it_draws_into_given_axes(self) -> None:
        _, axes = plt.subplots(1, 2)
        assert result().plot_network(10.0, ax=axes[0]) is axes[0]
        assert result().plot_network([10.0, 20.0], ax=axes) == list(axes)
        with pytest.raises(mftpubsub.QueryError, match="2 instants need as many axes"):
            draw_networks([result().snapshot(10.0)] * 2, axes[:1])

    def test_without_a_tree_there_is_none(self) -> None:
        labels = [artist.get_label() for artist in result("aodv").plot_network(20.0).collections]
        assert "radio link" in labels
        assert "tree" not in labels
        assert "leader" not in labels


class TestTimeline:
    def test_it_holds_what_the_subscriber_wanted(self) -> None:
        timeline = result().timeline(SUBSCRIBER)
        deliveries = result().to_pandas("deliveries")
        expected = deliveries[deliveries.subscriber == SUBSCRIBER].reset_index(drop=True)
        pd.testing.assert_frame_equal(timeline.to_pandas(), expected)
        assert len(timeline.lost) == timeline.deliveries.delivered_s.isna().sum()

    def test_it_draws_publications_deliveries_and_losses(self) -> None:
        timeline = result().timeline(SUBSCRIBER)
        lines = {str(line.get_label()): line for line in timeline.plot().get_lines()}
        rows = timeline.deliveries
        came = rows[rows.delivered_s.notna()]
        np.testing.assert_allclose(np.asarray(lines["published"].get_xdata()), rows.published_s)
        np.testing.assert_allclose(np.asarray(lines["delivered"].get_xdata()), came.delivered_s)
        np.testing.assert_allclose(np.asarray(lines["delivered"].get_ydata()), came.index)
        lost = {label: line for label, line in lines.items() if label.startswith("never delivered: ")}
        assert sum(np.size(line.get_xdata()) for line in lost.values()) == len(timeline.lost) > 0
        assert len(lost) == timeline.lost.cause.nunique()

    def test_it_can_show_a_part(self) -> None:
        ax = result().timeline(SUBSCRIBER).plot(start=5.0, stop=10.0)
        published = next(line for line in ax.get_lines() if line.get_label() == "published").get_xdata()
        assert np.size(published) == 10  # two publishers, one event a second each
        assert ax.get_xlim() == (5.0, 10.0)

    def test_without_a_delivery_it_tells_no_delay(self, write_run: Callable[..., Path]) -> None:
        trace = write_run("""
+ 0.0 0 node S - - - - - -
- 20 - run END - - - - - -
""")
        timeline = Timeline.of(trace / "trace.gz", 0, 20.0)
        assert repr(timeline) == "Timeline(subscriber 0: 0 events wanted, 0 lost, 0 migrations)"

    def test_whose_migrations_it_shows(self, write_run: Callable[..., Path]) -> None:
        """Broker 1 serves first, then 2: its migration counts only while it serves."""
        trace = write_run("""
+ 0.0 0 node S - - - - - -
+ 0.0 1 node B - - - - - -
+ 0.0 2 node B - - - - - -
t 1.0 0 radio SUB 1 40 - - - -
t 2.0 1 tree BMIG 2 - - - - -
t 3.0 2 tree BMIG 1 - - - - -
t 4.0 0 tree MIG 2 - - - - -
t 5.0 1 tree BMIG 2 - - - - -
t 6.0 2 tree BMIG 1 - - - - -
- 20 - run END - - - - - -
""")
        migrations = Timeline.of(trace / "trace.gz", 0, 20.0).migrations
        assert migrations[["time_s", "whose"]].values.tolist() == [
            [2.0, "broker"],
            [4.0, "subscriber"],
            [6.0, "broker"],
        ]

    def test_a_node_publishes_events_and_no_frames(self, write_run: Callable[..., Path]) -> None:
        """A message of one's own protocol may be called Publish, or Deliver."""
        trace = write_run("""
+ 0.0 0 node PS - - - - - -
+ 1.0 0 app PUBLISH - 100 0 0 - -
t 1.0 0 radio PUBLISH - 140 - - - -
t 1.0 0 radio DELIVER - 140 - - - -
- 20 - run END - - - - - -
""")
        (nodes,) = run_tables.read(trace / "trace.gz", "nodes")
        assert nodes[["frames", "published", "delivered"]].values.tolist() == [[2, 1, 0]]

    def test_a_node_that_is_no_subscriber_is_refused(self) -> None:
        with pytest.raises(mftpubsub.QueryError, match="node 12 is no subscriber; there are 2, 3, 4"):
            result().timeline(12)

    def test_there_is_one_for_aodv(self) -> None:
        timeline = result("aodv").timeline(SUBSCRIBER)
        assert len(timeline.deliveries) == 40
        assert timeline.migrations.empty
        timeline.plot()


class TestReprs:
    def test_they_are_short_in_the_terminal(self) -> None:
        run = result()
        assert repr(run).startswith("Result(mft-pubsub, C8, 8 m/s, seed 1; ")
        expected = "Scenario(mft-pubsub, C8, 60 m x 60 m, 18 nodes, 8 m/s, 30 s, seed 1)"
        assert repr(run.scenario) == expected
        assert repr(run.snapshot(20.0)).startswith("Snapshot(20 s, 18 nodes, ")
        assert repr(run.timeline(SUBSCRIBER)).startswith("Timeline(subscriber 3: 40 events wanted, ")
        assert repr(run.metrics).splitlines()[0].split() == ["protocol", "mft-pubsub"]

    def test_notebooks_get_tables_and_pictures(self) -> None:
        run = result()
        for shown in (run, run.scenario, run.metrics):
            assert shown._repr_html_().startswith("<table>")
        assert f"{run.metrics['delivery_rate']:.4g}" in run._repr_html_()
        assert run.timeline(SUBSCRIBER)._repr_png_().startswith(b"\x89PNG")

    def test_what_is_shown_is_escaped(self) -> None:
        assert "<script>" not in mftpubsub.Metrics({"<script>": "<script>"})._repr_html_()


def test_an_unknown_metric_is_told_with_the_one_that_was_meant() -> None:
    metrics = mftpubsub.Metrics(delivery_rate=1.0)
    with pytest.raises(KeyError, match="no metric 'delivery'; did you mean 'delivery_rate'"):
        metrics["delivery"]
    assert metrics.get("delivery") is None
