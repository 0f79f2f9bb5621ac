"""The small tables that notebooks show."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def table(rows: Mapping[str, object], caption: str = "") -> str:
    """Names and values as an HTML table of two columns."""
    head = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table>{head}{body}</table>"
