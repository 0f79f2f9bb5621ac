"""Values in the words of transcripts."""

from __future__ import annotations

from ast import literal_eval
from typing import Any


def value_of(text: str) -> Any:
    """What a word says: 12, 1.5, true or 'text'; a text without quotes is one too."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text
