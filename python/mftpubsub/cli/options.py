"""What several commands make of the texts of their options."""

from __future__ import annotations

import typer


def key_and_value(text: str, option: str) -> tuple[str, str]:
    """Of KEY=VALUE, which the option `option` was given."""
    key, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is not KEY=VALUE, such as speed_mps=8", param_hint=option)
    return key, value
