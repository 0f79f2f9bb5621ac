"""The commands `mftpubsub experiment ...`: each prints the table of one experiment as CSV on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mftpubsub.errors import ConfigurationError

if TYPE_CHECKING:
    from pandas import DataFrame
else:
    DataFrame = Any  # typer resolves every annotation, and no other command should wait for pandas

app = typer.Typer(
    help="Measure the radio, the channel and the MAC as Castalia was measured; CSV on stdout.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _command(make: Callable[..., DataFrame]) -> None:
    """Registers a command, under the name and with the options of `make`, that prints the table that makes.

    Bad input is one line on stderr and exit code 2.
    """

    @app.command()
    @wraps(make)
    def command(**options: Any) -> None:
        try:
            table = make(**options)
        except ConfigurationError as error:
            print(f"mftpubsub experiment: {' '.join(str(error).split())}", file=sys.stderr)
            raise typer.Exit(2) from None
        table.to_csv(sys.stdout, index=False, float_format="%.10g")


Payload = Annotated[int, typer.Option(min=0, max=999, help="Payload in bytes (25 more are on the air)")]
Seed = Annotated[int, typer.Option(min=0, help="Seed")]
Seeds = Annotated[str, typer.Option(help="Seeds: 0:3 is 0, 1, 2; or by commas")]
Duration = Annotated[float, typer.Option(help="Seconds of traffic")]


@_command
def link(
    distance: Annotated[str, typer.Option(help="Metres: first:last:step or by commas")] = "1:60:0.5",
    tx_power: Annotated[str, typer.Option(help="Output power in dBm, by commas")] = "0",
    payload: Payload = 100,
    packets: Annotated[int, typer.Option(min=1, help="Packets a point")] = 10000,
    seed: Seed = 1,
) -> DataFrame:
    """Reception over distance (s1)."""
    import pandas as pd

    from mftpubsub.castalia import experiments

    return pd.concat(
        [
            experiments.link(experiments.parse_range(distance, "distance"), power, payload, packets, seed)
            for power in experiments.parse_range(tx_power, "tx-power")
        ],
        ignore_index=True,
    )


@_command
def hidden_terminal(
    x: Annotated[
        str, typer.Option(help="Position of C in metres: first:last:step or by commas")
    ] = "30:110:5",
    rate: Annotated[str, typer.Option(help="Packets/s of each sender, by commas")] = "20",
    duration: Duration = 200,
    seeds: Seeds = "0:3",
    payload: Payload = 100,
    tx_power: Annotated[float, typer.Option(help="Output power in dBm")] = 0,
) -> DataFrame:
    """A at 0, B at 25 m, C at x m; what B gets (s2)."""
    import pandas as pd

    from mftpubsub.castalia import experiments

    return pd.concat(
        [
            experiments.hidden_terminal(
                experiments.parse_range(x, "x"),
                r,
                duration,
                experiments.parse_seeds(seeds),
                payload,
                tx_power,
            )
            for r in experiments.parse_range(rate, "rate")
        ],
        ignore_index=True,
    )


@_command
def contention(
    nodes: Annotated[str, typer.Option(help="Numbers of nodes, by commas")] = "20",
    rate: Annotated[str, typer.Option(help="Packets/s of each node, by commas")] = "10",
    duration: Duration = 50,
    seeds: Seeds = "0:5",
    field: Annotated[float, typer.Option(help="Side of the square in metres")] = 10,
    payload: Payload = 100,
) -> DataFrame:
    """Nodes in one place, all sending Poisson traffic (s3)."""
    from mftpubsub.castalia import experiments

    return experiments.contention(
        experiments.parse_counts(nodes, "nodes"),
        experiments.parse_range(rate, "rate"),
        duration,
        experiments.parse_seeds(seeds),
        field,
        payload,
    )


@_command
def shadowing(
    sigma: Annotated[float, typer.Option(help="Standard deviation of the shadowing in dB")] = 4,
    bidirectional_sigma: Annotated[float, typer.Option(help="The same of the asymmetry, in dB")] = 1,
    nodes: Annotated[int, typer.Option(min=2, help="Nodes")] = 40,
    field: Annotated[float, typer.Option(help="Side of the square in metres")] = 60,
    placements: Annotated[int, typer.Option(min=1, help="Random placements")] = 100,
    packets: Annotated[int, typer.Option(min=0, help="Packets on each directed link")] = 50,
    seed: Seed = 0,
) -> DataFrame:
    """Path loss and reception by distance (s4)."""
    from mftpubsub.castalia import experiments

    return experiments.shadowing(sigma, bidirectional_sigma, nodes, field, placements, packets, seed)


@_command
def broadcast(
    nodes: Annotated[int, typer.Option(min=1, help="Nodes")] = 66,
    field: Annotated[float, typer.Option(help="Side of the square in metres")] = 110,
    speed: Annotated[float, typer.Option(help="Speed in m/s")] = 8,
    sigma: Annotated[float, typer.Option(help="Standard deviation of the shadowing in dB")] = 4,
    bidirectional_sigma: Annotated[
        float | None, typer.Option(help="The same of the asymmetry, in dB; default 1, or 0 if sigma is 0")
    ] = None,
    duration: Duration = 200,
    seeds: Seeds = "0:30",
    rate: Annotated[float, typer.Option(help="Packets/s of each node")] = 1,
    payload: Payload = 100,
    each_seed: Annotated[bool, typer.Option("--each-seed", help="One row a seed")] = False,
) -> DataFrame:
    """Moving nodes that broadcast (s5)."""
    from mftpubsub.castalia import experiments

    return experiments.broadcast(
        nodes,
        field,
        speed,
        sigma,
        duration,
        experiments.parse_seeds(seeds),
        bidirectional_sigma,
        payload,
        rate,
        each_seed,
    )


@_command
def flood(
    topology: Annotated[str, typer.Option(help="line25, line12_5, grid5x5_15, ...; by commas")] = "line25",
    jitter_ms: Annotated[str, typer.Option(help="Largest wait of a relay in ms, by commas")] = "0,1,5,10,50",
    seeds: Seeds = "0:3",
    duration: Duration = 400,
    rate: Annotated[float, typer.Option(help="Floods/s")] = 1,
    payload: Payload = 100,
) -> DataFrame:
    """Node 0 floods a static network (s6)."""
    from mftpubsub.castalia import experiments

    return experiments.flood(
        topology.split(","),
        experiments.parse_range(jitter_ms, "jitter-ms"),
        experiments.parse_seeds(seeds),
        duration,
        rate,
        payload,
    )


@_command
def cca_latency(
    distance: Annotated[
        str, typer.Option(help="Metres: by commas or first:last:step")
    ] = "1,5,10,20,30,40,50",
    trials: Annotated[int, typer.Option(min=1, help="Offsets 0.5, 1.5, ... us that are tried")] = 150,
) -> DataFrame:
    """How long a frame must be on the air to be sensed (s7)."""
    from mftpubsub.castalia import experiments

    return experiments.cca_latency(experiments.parse_range(distance, "distance"), trials)


@_command
def overlap(
    distance_a: Annotated[str, typer.Option(help="From A to the receiver in metres, by commas")] = "20",
    x: Annotated[str, typer.Option(help="From C to the receiver in metres: first:last:step")] = "10:70:2",
    offset_ms: Annotated[str, typer.Option(help="C starts this later than A, ms, by commas")] = "0,1,3,-1",
    second: Annotated[bool, typer.Option("--second", help="Another interferer 0.5 ms after C")] = False,
    packets: Annotated[int, typer.Option(min=1, help="Frames a point")] = 4000,
    payload: Payload = 100,
    seed: Seed = 0,
) -> DataFrame:
    """Frames that overlap at a receiver, carrier sense off (s8)."""
    from mftpubsub.castalia import experiments

    return experiments.overlap(
        experiments.parse_range(distance_a, "distance-a"),
        experiments.parse_range(x, "x"),
        experiments.parse_range(offset_ms, "offset-ms"),
        second,
        packets,
        payload,
        seed,
    )


@_command
def burst(
    packets: Annotated[int, typer.Option(min=1, help="Packets handed over at once")] = 40,
    seed: Seed = 0,
    payload: Payload = 100,
) -> DataFrame:
    """Packets handed over at once (s9)."""
    from mftpubsub.castalia import experiments

    return experiments.burst(packets, seed, payload)


@_command
def second_packet(
    delta_us: Annotated[
        str, typer.Option(help="Microseconds: first:last:step or by commas")
    ] = "3700:4400:10",
    payload: Payload = 100,
) -> DataFrame:
    """A second packet some time after the first (s10)."""
    from mftpubsub.castalia import experiments

    return experiments.second_packet(experiments.parse_range(delta_us, "delta-us"), payload)


@_command
def replay(
    pathloss: Annotated[Path, typer.Option(help="CSV: tx_cell,rx_cell,pathloss_db")],
    positions: Annotated[Path, typer.Option(help="CSV: time_s,node,x,y")],
    tx: Annotated[Path, typer.Option(help="CSV: on_air_start_s,node")],
    field: Annotated[
        float | None, typer.Option(help="Side of the field in metres; default: what the cells need")
    ] = None,
    seed: Seed = 0,
    payload: Payload = 100,
    every_signal: Annotated[
        bool, typer.Option("--every-signal", help="Every delivered signal with its chance of success")
    ] = False,
) -> DataFrame:
    """Given transmissions, positions and path losses: who receives what (s5_replay)."""
    from mftpubsub.castalia import experiments

    return experiments.replay(pathloss, positions, tx, field, seed, payload, every_signal)
