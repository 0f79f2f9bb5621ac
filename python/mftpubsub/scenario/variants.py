"""Parts of a scenario that are one of several models: ways to move, arrivals of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import PlainValidator, ValidationInfo

from mftpubsub.errors import no_such
from mftpubsub.scenario.part import Joining, Model, given_fields


class Variant(Model):
    """Base of models that a name tells from each other, in YAML their key `model`."""

    model: str

    def to_plain(self) -> Any:
        """With its name, which tells it from the others."""
        return {"model": self.model, **super().to_plain()}


V = TypeVar("V", bound=Variant)


def by_name(*models: type[V]) -> dict[str, type[V]]:
    """Variants by their names."""
    return {model.model_fields["model"].default: model for model in models}


def one_of(models: Mapping[str, type[V]], *, base: type[V], what: str, such: str) -> tuple[Any, Any]:
    """Annotations of a field that takes one of `models`: an object, a name or a mapping.

    A mapping without a name is of the first model. Errors call them `what` and name two, `such`.
    """
    default = next(iter(models))

    def validate(value: Any, info: ValidationInfo) -> Variant:
        if isinstance(value, base):
            return value
        if isinstance(value, str):
            value = {"model": value}
        if not isinstance(value, Mapping):
            raise ValueError(f"no {what} model: {value!r}; such are {such}")
        name = value.get("model", default)
        if name not in models:
            raise ValueError(no_such(f"{what} model", name, models))
        return models[name].model_validate(value, context=info.context)

    def join(old: Any, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """`changes`, and what they do not say of the same model."""
        before = {"model": old} if isinstance(old, str) else given_fields(old)
        name = getattr(old, "model", before.get("model", default))
        return {**before, "model": name, **changes} if changes.get("model", name) == name else changes

    return PlainValidator(validate), Joining(join)
