"""How nodes move, within the area of their scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    Field,
    FieldSerializationInfo,
    PlainValidator,
    TypeAdapter,
    ValidationInfo,
    field_serializer,
    model_validator,
)

from mftpubsub.scenario import movement_files
from mftpubsub.scenario.part import (
    FINGERPRINT,
    NonNegative,
    Number,
    Period,
    Seconds,
    Speed,
)
from mftpubsub.scenario.positions import Place, Waypoint, waypoint
from mftpubsub.scenario.variants import Variant, by_name, one_of

Area = tuple[float, float]

#: Where nodes cross their area in less time, ns-3's random walk may stay at one corner for ever, s.
LEAST_CROSSING = 1.0
#: What the points of groups, and members about them, move in is at least so wide, m.
LEAST_ROOM = 0.01


def _or_range(number: Any) -> PlainValidator:
    """Takes a number, or the two ends of a range of numbers."""
    adapter: TypeAdapter[float] = TypeAdapter(number)

    def validate(value: Any) -> float | tuple[float, float]:
        if not isinstance(value, list | tuple):
            return adapter.validate_python(value)
        if len(value) != 2:
            raise ValueError(f"a range is [low, high], not {list(value)}")
        low, high = (adapter.validate_python(end) for end in value)
        if low >= high:
            raise ValueError(f"low ({low:g}) must be below high ({high:g})")
        return low, high

    return PlainValidator(validate)


if TYPE_CHECKING:
    SpeedOrRange = float | tuple[float, float]
    SecondsOrRange = float | tuple[float, float]
else:
    SpeedOrRange = Annotated[Any, _or_range(Speed)]
    SecondsOrRange = Annotated[Any, _or_range(Seconds)]


def ends(value: float | tuple[float, float]) -> tuple[float, float]:
    """The ends of a range; a single value is both."""
    return value if isinstance(value, tuple) else (value, value)


class MobilityModel(Variant):
    """Base of all ways to move."""

    def own_speed(self) -> float | None:
        """What `speed` says in tables, m/s; None where it is left to the scenario's `speed`."""
        return 0.0

    def check(self, area: Area, count: int) -> None:
        """Raises ValueError if `count` nodes cannot move so in `area` (m x m)."""

    def places(self) -> bool:
        """Whether it says where nodes are at first, so that `placement` has no say."""
        return False


class Static(MobilityModel):
    """Stays where it is."""

    model: Literal["static"] = "static"


class Wandering(MobilityModel):
    """Base of ways to move at a speed."""

    speed: SpeedOrRange | None = Field(
        default=None,
        kw_only=False,
        description="m/s, or [low, high) to draw from for each leg; default: the scenario's speed",
    )

    def own_speed(self) -> float | None:
        """Of a range, its middle."""
        return None if self.speed is None else sum(ends(self.speed)) / 2


class RandomWaypoint(Wandering):
    """Goes to a random point of the area, then to the next one (T 4.5.2: constant speed, no pause)."""

    model: Literal["random-waypoint"] = "random-waypoint"
    pause: SecondsOrRange = Field(default=0.0, description="s at each point, or [low, high) to draw from")
    start: Literal["uniform", "steady-state"] = Field(
        default="uniform",
        description="where nodes are at first: uniform in the area, as in the thesis and Castalia, or as "
        "they are after a long time, more often in the middle and on their way (Navidi and Camp, 2004)",
    )

    def places(self) -> bool:
        return self.start == "steady-state"


class RandomWalk(Wandering):
    """Goes in a random direction for a while, then in the next one; the edge of the area reflects it."""

    model: Literal["random-walk"] = "random-walk"
    interval: Period = Field(default=10.0, description="s between changes of direction and speed")

    def check(self, area: Area, count: int) -> None:
        if self.speed is not None and ends(self.speed)[1] * LEAST_CROSSING > min(area):
            raise ValueError(
                f"at {ends(self.speed)[1]:g} m/s a node must take {LEAST_CROSSING:g} s or more along the "
                f"area's shorter side, not {min(area) / ends(self.speed)[1]:g} s"
            )


class GaussMarkov(Wandering):
    """Changes speed and direction a little at a time; the more it remembers, the smoother.

    It is ns-3's model, after Liang and Haas (1999). Each step the new value is
    `memory * old + (1 - memory) * mean + sqrt(1 - memory^2) * n`, where n is a normal draw. A node's mean
    direction is drawn once, and turned round where the area ends. Of a range of speeds each node draws its
    mean.
    """

    model: Literal["gauss-markov"] = "gauss-markov"
    memory: Annotated[Number, Field(ge=0, le=1)] = Field(
        default=0.75, description="0: each step anew; 1: straight on"
    )
    speed_sigma: NonNegative | None = Field(
        default=None, description="m/s; standard deviation of a draw; default: a tenth of the speed"
    )
    direction_sigma: Annotated[Number, Field(ge=0, le=10)] = Field(
        default=0.4, description="standard deviation of a draw, rad"
    )
    interval: Period = Field(default=1.0, description="s between steps")


class ReferencePointGroups(Wandering):
    """Nodes move in groups: each about a point that goes from one random point to the next.

    Reference-point group mobility (Hong et al. 1999). The points keep so far from the edges that all members
    are inside.
    """

    model: Literal["reference-point-groups"] = "reference-point-groups"
    radius: Annotated[Number, Field(ge=LEAST_ROOM)] = Field(
        description="m; no member is farther from its group's point"
    )
    size: Annotated[int, Field(strict=True, ge=1)] | None = Field(
        default=None, description="nodes of a group, by their order; default: all are one group"
    )
    member_speed: NonNegative | None = Field(
        default=None,
        description="m/s, at which members move about the point; default: a quarter of the speed",
    )
    pause: SecondsOrRange = Field(default=0.0, description="s at each point, or [low, high) to draw from")

    def check(self, area: Area, count: int) -> None:
        if 2 * self.radius + LEAST_ROOM > min(area):
            raise ValueError(
                f"radius ({self.radius:g} m) must be less than half the area's shorter side, by half of "
                f"{LEAST_ROOM:g} m or more"
            )

    def places(self) -> bool:
        return True


class Manhattan(Wandering):
    """Goes along the streets of a grid; at a crossing straight on, or else left or right, equally likely.

    At the end of a street it turns. A speed is drawn for each block.
    """

    model: Literal["manhattan"] = "manhattan"
    block: Annotated[Number, Field(ge=0.1, le=1e6)] = Field(
        description="m between parallel streets; the first are on the area's edges, x = 0 and y = 0"
    )
    straight: Annotated[Number, Field(ge=0, le=1)] = Field(
        default=0.5, description="probability to go straight on (ETSI TR 101 112: 0.5)"
    )

    def check(self, area: Area, count: int) -> None:
        if self.block > min(area):
            raise ValueError(f"block ({self.block:g} m) must not be longer than the area's shorter side")

    def places(self) -> bool:
        return True


class Line(MobilityModel):
    """Goes from its place to a point and back, for ever."""

    model: Literal["line"] = "line"
    to: Place = Field(
        kw_only=False, description="m; the other end, (x, y), or (x, y, z) to climb or sink on the way"
    )
    speed: Speed | None = Field(default=None, description="m/s; default: the scenario's speed")

    def own_speed(self) -> float | None:
        return self.speed

    def check(self, area: Area, count: int) -> None:
        check_inside(area, self.to[:2])


def _paths(value: Any) -> list[list[Waypoint]]:
    """One path for each node; a single path may stand for itself."""
    if isinstance(value, Sequence) and value and not isinstance(value[0], Sequence | Mapping):
        raise ValueError(f"a waypoint is (t, x, y) or (t, x, y, z) in s and m, not {value[0]!r}")
    if isinstance(value, Sequence) and value and value[0] and not isinstance(value[0][0], Sequence):
        value = [value]
    return _PATHS.validate_python(value)


_PATHS: TypeAdapter[list[list[Waypoint]]] = TypeAdapter(
    list[Annotated[list[Annotated[Any, PlainValidator(waypoint)]], Field(min_length=1)]]
)

if TYPE_CHECKING:
    Paths = Sequence[Waypoint] | Sequence[Sequence[Waypoint]]
    FilePath = str | PathLike[str]
else:
    Paths = Annotated[Any, PlainValidator(_paths)]
    FilePath = str


class Waypoints(MobilityModel):
    """Is at given points at given times, in a straight line between, and rests at the last."""

    model: Literal["waypoints"] = "waypoints"
    points: Paths = Field(
        kw_only=False,
        description="[(t, x, y), ...] or [(t, x, y, z), ...] in s and m, the first at t = 0; for several "
        "nodes a list of such lists",
    )

    def places(self) -> bool:
        return True

    @property
    def paths(self) -> list[list[Waypoint]]:
        """The waypoints of each node."""
        return list(self.points)  # type: ignore[arg-type]

    @model_validator(mode="after")
    def _have_no_gaps(self) -> Self:
        for node, way in enumerate(self.paths):
            movement_files.check_times(way, node, "points")
        return self

    def check(self, area: Area, count: int) -> None:
        if len(self.paths) != count:
            raise ValueError(f"{len(self.paths)} lists of waypoints for {count} nodes")
        for number, path in enumerate(self.paths):
            for t, x, y, *_ in path:
                check_inside(area, (x, y), f" of waypoint {number} at {t:g} s")


class MovementFile(MobilityModel):
    """Nodes move as a file says: ns-2's format (`setdest`, SUMO, BonnMotion's NSFile) or BonnMotion's own.

    A file of ns-2's may set a height (`Z_`), at which its node stays; else the group's `height` is theirs.
    The lines of a node are in order of time. The i-th of the nodes that move by it is node i of the file. A
    path in a scenario file is relative to it.
    """

    model: Literal["movement-file"] = "movement-file"
    path: FilePath = Field(
        kw_only=False, description="ns-2: any name; BonnMotion: it ends in .movements or .movements.gz"
    )
    sha256: str = Field(default="", description="of the file, hex; by default that of the file as it is")

    def places(self) -> bool:
        return True

    @model_validator(mode="before")
    @classmethod
    def _finds_the_file(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, Mapping) or not isinstance(data.get("path"), str | PathLike):
            return data
        path = Path((info.context or {}).get("folder", "")) / data["path"]
        digest = movement_files.sha256(path, data.get("sha256"))
        return {**data, "path": str(path.absolute()), "sha256": digest}

    @field_serializer("path")
    def _tells_where_unless_for_a_fingerprint(self, path: str, info: FieldSerializationInfo) -> str | None:
        """The content is what determines a run."""
        return None if info.context is FINGERPRINT else path

    def check(self, area: Area, count: int) -> None:
        movement_files.check(str(self.path), area, count)


def check_inside(area: Area, point: tuple[float, float], what: str = "") -> None:
    """Raises ValueError unless `point` (m) lies in `area`."""
    if not all(0 <= value <= side for value, side in zip(point, area, strict=True)):
        where = f"({point[0]:g}, {point[1]:g}){what}"
        raise ValueError(f"position {where} lies outside the area, {area[0]:g} m x {area[1]:g} m")


#: By name; what a file says without a name is of the first.
MODELS = by_name(
    RandomWaypoint,
    RandomWalk,
    GaussMarkov,
    ReferencePointGroups,
    Manhattan,
    Line,
    Static,
    Waypoints,
    MovementFile,
)


def leaves_speed_open(value: Any) -> bool:
    """Whether what a scenario says of `mobility` leaves the speed to the scenario's `speed`."""
    if isinstance(value, MobilityModel):
        return value.own_speed() is None
    said = {"model": value} if isinstance(value, str) else value if isinstance(value, Mapping) else {}
    model = MODELS.get(said.get("model", next(iter(MODELS))))
    return bool(said) and model is not None and "speed" in model.model_fields and said.get("speed") is None


if TYPE_CHECKING:
    Mobility = MobilityModel
else:
    Mobility = Annotated[
        Any,
        *one_of(MODELS, base=MobilityModel, what="mobility", such="RandomWaypoint(speed=2) and Static()"),
    ]
