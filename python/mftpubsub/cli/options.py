"""What several commands make of the texts of their options."""

from __future__ import annotations

from typing import Annotated

import typer


def key_and_value(text: str, option: str) -> tuple[str, str]:
    """Of KEY=VALUE, which the option `option` was given."""
    key, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is not KEY=VALUE, such as speed_mps=8", param_hint=option)
    return key, value


At = Annotated[list[str] | None, typer.Option(help="KEY=VALUE: where on an axis of a study; repeatable")]


def place_at(texts: list[str] | None) -> dict[str, str] | None:
    """What several `--at KEY=VALUE` say; None if none was given."""
    return dict(key_and_value(text, "--at") for text in texts) if texts else None
