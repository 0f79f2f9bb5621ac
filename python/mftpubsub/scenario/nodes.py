"""The nodes of a scenario: groups with roles, places and movement."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    model_validator,
)

from mftpubsub.scenario.mobility import Mobility
from mftpubsub.scenario.obstacles import Obstacle
from mftpubsub.scenario.part import Height, Model, Number, Positive, as_list, plain
from mftpubsub.scenario.positions import Position, position
from mftpubsub.scenario.radios import RADIOS, RadioModel
from mftpubsub.scenario.roles import Roles, role_name, role_to_plain

#: Highest number of nodes: ids are 16 bit and one of them is nobody's.
MAX_NODES = 65_000

NodeId = Annotated[int, Field(strict=True, ge=0, lt=MAX_NODES)]


class Grid(Model):
    """Places in rows and columns in the middle of the area. In YAML: `placement: {columns: 4}`."""

    columns: Annotated[int, Field(strict=True, ge=1)] | None = Field(
        default=None, kw_only=False, description="default: as many as make the grid as square as the area is"
    )
    spacing: Positive | None = Field(
        default=None, kw_only=False, description="m between neighbours; default: as far as the area allows"
    )

    def positions(self, count: int, area: tuple[float, float]) -> list[tuple[float, float]]:
        """`count` places, row by row from the lower left; m."""
        columns = self.columns or math.ceil(math.sqrt(count * area[0] / area[1]))
        columns = min(columns, count)
        rows = math.ceil(count / columns)
        step = (area[0] / columns, area[1] / rows) if self.spacing is None else (self.spacing, self.spacing)
        left, low = (side - (n - 1) * d for side, n, d in zip(area, (columns, rows), step, strict=True))
        return [
            (left / 2 + index % columns * step[0], low / 2 + index // columns * step[1])
            for index in range(count)
        ]


def _placement(value: Any) -> Any:
    if isinstance(value, Grid) or value == "random":
        return value
    if value == "grid":
        return Grid()
    if isinstance(value, Mapping):
        return Grid.model_validate(value)
    if not isinstance(value, list | tuple):
        raise ValueError(f"no placement {value!r}: it is 'random', a Grid or a list of positions [x, y] in m")
    return [position(each) for each in value]


if TYPE_CHECKING:
    Placement = Literal["random"] | Grid | Sequence[Position]
else:
    Placement = Annotated[Any, PlainValidator(_placement), PlainSerializer(plain)]


class Group(Model):
    """Nodes that carry the same roles, such as `Group(8, [Broker(), Subscriber("temp > 20")])`."""

    count: Annotated[int, Field(strict=True, ge=1, le=MAX_NODES)] = Field(
        default=1, kw_only=False, description="number of nodes"
    )
    roles: Roles = Field(
        default=[],
        kw_only=False,
        description="any combination of Broker(), Subscriber(...), Publisher(...), or of their names, which "
        "stand for the scenario's own `subscriber` and `publisher`; none: a router",
    )
    placement: Placement = Field(
        default="random",
        validation_alias=AliasChoices("placement", "at"),
        description="where nodes are at first: 'random' (uniform in the area), a Grid, or a position (x, y) "
        "or (x, y, z) in m for each node",
    )
    height: Height = Field(
        default=0.0,
        exclude_if=operator.not_,
        description="m above the ground, where a node's position or way has none; it moves in a plane there",
    )
    mobility: Mobility | None = Field(
        default=None, description="how they move; default: as the scenario says"
    )
    ids: list[NodeId] | None = Field(
        default=None, description="an id for each node; default: the lowest ones that are free, in order"
    )

    @model_validator(mode="after")
    def _has_one_of_each(self) -> Self:
        if isinstance(self.placement, list) and len(self.placement) != self.count:
            raise ValueError(f"{len(self.placement)} positions for {self.count} nodes")
        if isinstance(self.placement, list) and not self.height:
            on_ground = [place if any(place[2:]) else place[:2] for place in self.placement]
            object.__setattr__(self, "placement", on_ground)
        if self.ids is not None and len(self.ids) != self.count:
            raise ValueError(f"{len(self.ids)} ids for {self.count} nodes")
        names = [role_name(role) for role in self.roles]
        if len(set(names)) != len(names):
            raise ValueError(f"a role stands twice in {names}")
        return self

    def to_plain(self) -> Any:
        return {"count": self.count} | super().to_plain() | {"roles": [role_to_plain(r) for r in self.roles]}

    def positions(self, area: tuple[float, float]) -> list[tuple[float, float]] | None:
        """Where its nodes are, m; None if that is random."""
        if isinstance(self.placement, Grid):
            return self.placement.positions(self.count, area)
        if isinstance(self.placement, list):
            return [(x, y) for x, y, *_ in self.placement]
        return None

    def heights(self) -> list[float]:
        """How high its nodes are at first, m."""
        if not isinstance(self.placement, list):
            return [self.height] * self.count
        own = [place[2:] for place in self.placement]
        return [each[0] if each else self.height for each in own]


#: Of the area, m: from a hand's breadth to a country.
Side = Annotated[Number, Field(ge=0.1, le=1e6)]


class Network(Model):
    """An area, what stands there, and its nodes."""

    area: tuple[Side, Side] = Field(description="m; width and height")
    nodes: Annotated[list[Group], BeforeValidator(as_list)] = Field(
        min_length=1, description="groups of nodes"
    )
    obstacles: Annotated[list[Obstacle], BeforeValidator(as_list)] = Field(
        default=[], exclude_if=operator.not_, description="walls and buildings that signals pass"
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (count := self.count()) > MAX_NODES:
            raise ValueError(f"{count} nodes; at most {MAX_NODES} are possible")
        for group in self.nodes:
            self._contains("position", group.positions(self.area) or ())
        for number, obstacle in enumerate(self.obstacles):
            self._contains(f"obstacles.{number}.outline: corner", obstacle.outline)
        self.ids()
        return self

    def _contains(self, what: str, places: Iterable[tuple[float, float]]) -> None:
        for x, y in places:
            if not (0 <= x <= self.area[0] and 0 <= y <= self.area[1]):
                raise ValueError(f"{what} ({x:g}, {y:g}) lies outside the area {self.area}")

    def check_shade(self, radio: RadioModel) -> None:
        """Raises ValueError for obstacles on a radio whose signals pass everywhere."""
        if self.obstacles and not radio.channels:
            able = [name for name, each in RADIOS.items() if each.channels]
            raise ValueError(
                f"obstacles: signals of radio {radio.model} pass everywhere: leave them out, or choose "
                f"radio.model {', '.join(able)}"
            )

    def count(self) -> int:
        """Number of nodes."""
        return sum(group.count for group in self.nodes)

    def ids(self) -> list[list[int]]:
        """The nodes' ids, by group."""
        taken: dict[int, int] = {}
        for number, group in enumerate(self.nodes):
            for node in group.ids or ():
                if node in taken:
                    raise ValueError(
                        f"nodes.{number}.ids: {node} is the id of two nodes (nodes.{taken[node]} has it)"
                    )
                if node >= self.count():
                    last = self.count() - 1
                    raise ValueError(f"nodes.{number}.ids: {node}; {last + 1} nodes have the ids 0 to {last}")
                taken[node] = number
        free = (node for node in range(self.count()) if node not in taken)
        return [group.ids or [next(free) for _ in range(group.count)] for group in self.nodes]


def why_unused(name: str, nodes: Sequence[Group]) -> str:
    """Why none of `nodes` goes by the field `name` of their scenario; empty if one does.

    It is empty, too, where no node has such a role at all.
    """
    if name == "speed":
        if any(group.mobility is None or group.mobility.own_speed() is None for group in nodes):
            return ""
        return (
            "no node goes by it, as the mobility of each group has its own or none: change `nodes`, or leave "
            "the speed out there"
        )
    roles = [role for group in nodes for role in group.roles if role_name(role) == name]
    if name in roles or not roles:
        return ""
    return (
        f"no node goes by it, as each group says its own: change `nodes`, or give them the role name {name}"
    )
