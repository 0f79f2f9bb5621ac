"""What several commands make of the texts of their options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer


def values_by_key(texts: Iterable[str], option: str) -> dict[str, str]:
    """Of each KEY=VALUE, which the option `option` was given."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"{text!r} is not KEY=VALUE, such as speed_mps=8", param_hint=option)
        if key in found:
            raise typer.BadParameter(
                f"{key} is given twice, {found[key]!r} and {value!r}: give it once", param_hint=option
            )
        found[key] = value
    return found


def chosen(only: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Of each `--only` KEY=VALUE[,VALUE...] the values of the key."""
    return {key: tuple(values.split(",")) for key, values in values_by_key(only or [], "--only").items()}


At = Annotated[list[str] | None, typer.Option(help="KEY=VALUE: where on an axis of a study; repeatable")]


def place_at(texts: list[str] | None) -> dict[str, str] | None:
    """What several `--at KEY=VALUE` say; None if none was given."""
    return values_by_key(texts, "--at") if texts else None
