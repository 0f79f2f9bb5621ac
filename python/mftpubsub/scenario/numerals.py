"""Numbers in files of others, as filters read them.

Python's own `int` and `float` take `12_5` for 125, digits of any script, and words.
"""

from __future__ import annotations

import re

#: Of the largest whole number of 64 bits.
DIGITS = 19
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def number_or_none(text: str) -> int | float | None:
    """The number that `text` is, perhaps between spaces."""
    word = text.strip(" \t")
    if not _NUMBER.fullmatch(word):
        return None
    digits = word.lstrip("+-").lstrip("0") or "0"
    if digits.isdigit() and len(digits) <= DIGITS:
        whole = int(f"-{digits}" if word.startswith("-") else digits)
        return whole if abs(whole) < 2**63 else float(whole)
    return float(word)


def number_of(text: str, where: str) -> int | float:
    """Raises ValueError that names `where` the text stands, if it is no number."""
    value = number_or_none(text)
    if value is None:
        raise ValueError(f"{where}: {text[:40]!r} is no number such as 12, -0.5 or 1e3")
    return value
