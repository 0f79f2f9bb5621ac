"""A run for NetAnim, ns-3's animator: nodes, how they move, and the frames that were received.

The elements are those that ns-3's AnimationInterface writes: `node` and `nu` for places, colours, sizes and
descriptions, `pr` for a frame on the air, `wpr` for each node that received it. Times are s, lengths m.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from pathlib import Path
from xml.sax.saxutils import quoteattr

from mftpubsub.runs.simulation import Progress
from mftpubsub.views.exports.recording import Frame, Recording
from mftpubsub.views.plots import LOOKS

_VERSION = "netanim-3.108"
#: Of a node, as a part of the area's longer side.
_SIZE = 1 / 40

#: When it is so, s, and the elements that say it.
Told = tuple[float, str]


def write(recording: Recording, out: Path, progress: Progress) -> None:
    """Writes the animation: everything in the order of time."""
    with out.open("w", encoding="utf-8") as file:
        file.write(f'<anim ver="{_VERSION}" filetype="animation" >\n')
        file.writelines(_nodes(recording))
        for time_s, elements in merge(_moves(recording), _frames(recording), key=itemgetter(0)):
            file.write(elements)
            progress(time_s)
        file.write("</anim>\n")


def _element(name: str, **attributes: object) -> str:
    text = "".join(f" {key}={quoteattr(_text(value))}" for key, value in attributes.items())
    return f"<{name}{text}/>\n"


def _text(value: object) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _nodes(recording: Recording) -> Iterator[str]:
    begin_s, _ = recording.span
    size = _SIZE * max(recording.result.scenario.area)
    _, places = next(_places(recording))
    for node, (roles, (x, y)) in enumerate(zip(recording.roles(), places, strict=True)):
        yield _element("node", id=node, sysId=0, locX=x, locY=y)
        _, colour = LOOKS[roles]
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        about = {"t": begin_s, "id": node}
        yield _element("nu", p="c", **about, r=red, g=green, b=blue)
        yield _element("nu", p="d", **about, descr=f"{node} {' '.join(roles) or 'router'}")
        yield _element("nu", p="s", **about, w=size, h=size)


def _places(recording: Recording) -> Iterator[tuple[float, list[list[float]]]]:
    """Where the nodes were, by id: at first as at the last look until then, then at each look."""
    begin_s, end_s = recording.span
    film = recording.seen.film
    first = bisect_right(film.times, begin_s) - 1
    for time_s, places in zip(film.times[first:], film.places()[first:].tolist(), strict=True):
        if time_s <= end_s:
            yield max(begin_s, time_s), places


def _moves(recording: Recording) -> Iterator[Told]:
    before: list[list[float]] = []
    for time_s, places in _places(recording):
        moved = [node for node, place in enumerate(places) if not before or place != before[node]]
        elements = (
            _element("nu", p="p", t=time_s, id=node, x=places[node][0], y=places[node][1]) for node in moved
        )
        yield time_s, "".join(elements)
        before = places


def _frames(recording: Recording) -> Iterator[Told]:
    for number, frame in enumerate(recording.frames()):
        yield frame.time_s, _frame(number, frame)


def _frame(number: int, frame: Frame) -> str:
    to = "everybody" if frame.peer < 0 else frame.peer
    about = f"{frame.kind} to {to}, {frame.bytes} bytes"
    sent = _element("pr", uId=number, fId=frame.node, fbTx=frame.time_s, **{"meta-info": about})
    received = (
        _element("wpr", uId=number, tId=node, fbRx=frame.time_s, lbRx=frame.end_s) for node in frame.received
    )
    return sent + "".join(received)
