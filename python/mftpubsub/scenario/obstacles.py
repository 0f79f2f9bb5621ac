"""What stands in the way of radio signals: walls and buildings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator

from mftpubsub.scenario.part import MAX_HEIGHT, Model, NonNegative, Point, Positive

if TYPE_CHECKING:
    Outline = Sequence[tuple[float, float]]
else:
    Outline = Annotated[list[Point], Field(min_length=2)]


class Obstacle(Model):
    """A wall, or a building: straight walls from corner to corner, each of which takes something of a signal.

    The multi-wall model (Motley and Keenan, 1988; COST 231, section 4.7): whatever the angle is, a signal
    loses `loss` at each wall on the straight way to its receiver. What passes above a wall's `height` loses
    nothing; there are no roofs. Nodes are not held up.

        Obstacle([(20, 0), (20, 40)], loss=12)  # a wall
        Obstacle([(30, 10), (50, 10), (50, 30), (30, 30), (30, 10)], loss=9)  # a building: 18 right through
    """

    outline: Outline = Field(
        kw_only=False, description="corners [x, y] in m, in order; of a building the last is the first"
    )
    loss: Annotated[NonNegative, Field(le=300)] = Field(
        description="dB that each wall takes (9 in the buildings of Veins' example)"
    )
    height: Annotated[Positive, Field(le=MAX_HEIGHT)] | None = Field(
        default=None, exclude_if=lambda height: height is None, description="m; default: nothing goes over it"
    )

    @model_validator(mode="after")
    def _goes_somewhere(self) -> Self:
        for corner, following in self.walls():
            if corner == following:
                raise ValueError("outline: the corner ({:g}, {:g}) stands twice in a row".format(*corner))
        return self

    def walls(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """From where to where each wall goes, m."""
        return list(zip(self.outline, self.outline[1:], strict=False))
