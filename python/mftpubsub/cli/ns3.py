"""The command `mftpubsub ingest-ns3`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer


def ingest_ns3(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of a study: the run goes to DIR/runs")
    ],
    run: Annotated[str, typer.Option(help="protocol=P,config=C,speed=V,seed=N: what the run is called")],
    ip: Annotated[Path | None, typer.Option(help="Of InternetStackHelper::EnableAsciiIpv4All")] = None,
    phy: Annotated[Path | None, typer.Option(help="Of a device helper's EnableAsciiAll")] = None,
    movement: Annotated[Path | None, typer.Option(help="Of MobilityHelper::EnableAsciiAll")] = None,
    flows: Annotated[Path | None, typer.Option(help="Of FlowMonitorHelper::SerializeToXmlFile")] = None,
    pcap: Annotated[
        str | None, typer.Option(metavar="GLOB", help="Of EnablePcapAll: 'PREFIX-*.pcap', in quotes")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Of PubSubHelper::WriteTrace: a whole run by itself")
    ] = None,
    nodes: Annotated[
        Path | None, typer.Option(help="CSV: id, roles (B, S, P), address [default: by who sends to whom]")
    ] = None,
    port: Annotated[
        list[int] | None,
        typer.Option(
            min=1, max=65535, help="UDP port of the application (repeatable) [default: all but routing's]"
        ),
    ] = None,
    event_by: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="Which datagrams of a publisher are one event: payload (what it says of itself), time (sent "
            "within 1 ms), datagram (none)",
        ),
    ] = "payload",
    master: Annotated[
        str | None, typer.Option(help="Read on Spark: local[2], spark://host:port [default: processes here]")
    ] = None,
) -> None:
    """Make a run of what an unmodified ns-3 script wrote, to stand beside ours in tables and figures."""
    from mftpubsub.cli.options import values_by_key
    from mftpubsub.files import as_path
    from mftpubsub.pipeline.ns3.reading import Files
    from mftpubsub.pipeline.ns3.take import Script, take
    from mftpubsub.pipeline.workers import Executors, Processes

    captures = tuple(sorted(_matching(pcap))) if pcap else ()
    if pcap and not captures:
        raise typer.BadParameter(f"no file is called {pcap}", param_hint="--pcap")
    keys = values_by_key(run.split(","), "--run")
    script = Script(keys, Files(ip, phy, flows, captures, trace, movement), nodes, port or [], event_by)
    if master:
        from mftpubsub.pipeline.session import session

        workers: Executors | Processes = Executors(session(master, light=True))
    else:
        workers = Processes()
    print(take(script, as_path(folder, "DIR", "out/mine"), workers))


def _matching(pattern: str) -> Iterator[Path]:
    """The files of a pattern of a shell."""
    path = Path(pattern)
    root = Path(path.anchor)
    return root.glob(str(path.relative_to(root)))
