"""Values in the words of transcripts."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import Any

_TEXT = r"""'(?:[^'\\]|\\.|'')*'"""
_PIECE = re.compile(rf"""{_TEXT}|"(?:[^"\\]|\\.)*"|[(\[{{]|[)\]}}]|\s+|[^\s'"()\[\]{{}}]+|.""")


def words_of(text: str) -> list[str]:
    """The words between spaces; in quotes and brackets, spaces are a part of them."""
    words, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth = max(depth + (piece in ("(", "[", "{")) - (piece in (")", "]", "}")), 0)
        if piece.isspace() and not depth:
            words.append("")
        else:
            words[-1] += piece
    return [word for word in words if word]


def value_of(text: str) -> Any:
    """What a word says: 12, 1.5, true, 'text' or (1, 2); a text without quotes is one too."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(_TEXT, text):
        text = "'" + text[1:-1].replace("''", r"\'") + "'"  # as in filters, two are one
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text
