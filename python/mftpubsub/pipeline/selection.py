"""Which runs of a study a condition on their keys selects: the option `where` of the data source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import duckdb
import pyarrow as pa

from mftpubsub.errors import ConfigurationError, no_such

#: What a condition is made of. Nothing that DuckDB and Spark understand in two ways: no functions and casts.
_TOKENS = re.compile(
    r"""\s+ | (?P<column>`[^`]+` | [^\W\d]\w*) | (?P<text>'[^'\\]*')
    | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?) | (?P<sign><=|>=|<>|!=|==?|<|>|[(),])""",
    re.VERBOSE,
)
_WORDS = {"AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL"}
#: What DuckDB calls expressions that are true or false of a run, and those that such are joined by.
_COMPARES = {"COMPARISON", "BETWEEN", "COMPARE_IN", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL"}
_JOINS = {"CONJUNCTION", "OPERATOR_NOT"}


def selected(runs: pa.Table, keys: Iterable[str], where: str) -> pa.Table:
    """The runs for which `where` is true: `protocol = 'aodv' AND (speed_mps > 2 OR seed IN (1, 2))`.

    Compares keys, numbers and texts by `= <> < <= > >=`, IN, BETWEEN and IS NULL, and joins by AND, OR and
    NOT, with NULL as in SQL. Raises ConfigurationError for anything else.
    """
    query = " ".join(_translated(where, [*keys]))
    sql = f'SELECT "its number" FROM runs WHERE {query}'
    numbers = pa.array(range(len(runs)), pa.int64())
    with duckdb.connect() as connection:
        connection.register("runs", runs.append_column("its number", numbers))
        try:
            found = connection.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            raise ConfigurationError(
                f"where: {where!r} is no condition on keys of runs ({reason})"
            ) from error
        parsed = json.loads(connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0])
    if not _is_condition(parsed["statements"][0]["node"]["where_clause"]):
        raise ConfigurationError(
            f"where: {where!r}: a key or a value by itself is neither true nor false: "
            "compare it, as in seed = 1"
        )
    return runs.take(found.column(0).combine_chunks().sort())


def _is_condition(node: Mapping[str, Any]) -> bool:
    """Whether Spark takes an expression for a condition, too: to DuckDB a number but 0 is true."""
    kinds = {node["class"], node["type"]}
    if kinds & _JOINS:
        return all(map(_is_condition, node["children"]))
    return bool(kinds & _COMPARES)


def _translated(where: str, keys: list[str]) -> Iterator[str]:
    """The parts of a condition, in DuckDB's spelling."""
    names = {key.lower(): key for key in keys}
    place = 0
    while place < len(where):
        token = _TOKENS.match(where, place)
        if token is None:
            raise ConfigurationError(
                f"where: cannot read {where[place:]!r}: it compares keys, numbers and texts in '...' by "
                "= <> < <= > >=, IN, BETWEEN, IS NULL, and joins by AND, OR, NOT"
            )
        place = token.end()
        text = token.group()
        if token["column"] and text.upper() not in _WORDS:
            name = text.strip("`")
            if name.lower() not in names:
                raise ConfigurationError(f"where: {no_such('key', name, keys)}")
            yield f'"{names[name.lower()]}"'
        else:
            yield text.strip()
