"""How nodes move, within the area of their scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, PlainValidator

from mftpubsub.model import Model, NonNegative, suggest


class MobilityModel(Model):
    """Base of all ways to move."""

    model: str

    def to_plain(self) -> Any:
        """With its name, which tells it from the others."""
        return {"model": self.model, **super().to_plain()}

    def own_speed(self) -> float | None:
        """What `speed` says in tables, m/s; None where it is left to the scenario's `speed`."""
        raise NotImplementedError


class Static(MobilityModel):
    """Stays where it is."""

    model: Literal["static"] = "static"

    def own_speed(self) -> float:
        return 0.0


class RandomWaypoint(MobilityModel):
    """Goes to a random point of the area, then to the next one (T 4.5.2: constant speed, no pause)."""

    model: Literal["random-waypoint"] = "random-waypoint"
    speed: NonNegative | None = Field(None, kw_only=False, description="m/s; default: the scenario's speed")

    def own_speed(self) -> float | None:
        return self.speed


MODELS: dict[str, type[MobilityModel]] = {
    model.model_fields["model"].default: model for model in (Static, RandomWaypoint)
}


def _mobility(value: Any) -> MobilityModel:
    if isinstance(value, MobilityModel):
        return value
    if isinstance(value, str):
        value = {"model": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"no way to move: {value!r}; such are RandomWaypoint(speed=2) and Static()")
    name = value.get("model", "random-waypoint")
    if name not in MODELS:
        raise ValueError(f"no mobility model {name!r}; {suggest(name, list(MODELS))}")
    return MODELS[name].model_validate(value)


if TYPE_CHECKING:
    Mobility = MobilityModel
else:
    Mobility = Annotated[Any, PlainValidator(_mobility)]
