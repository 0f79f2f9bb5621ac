"""What a tired programmer gets wrong in one line of C++: the operators that make mutants of a source file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Operator:
    """A way to be wrong: `pattern` in a line of code becomes `replacement`."""

    name: str
    pattern: re.Pattern[str]
    replacement: str


@dataclass(frozen=True)
class Mutant:
    """One line of one file, changed by one operator."""

    file: str
    line: int
    column: int
    operator: str
    before: str
    after: str


def _swaps(name: str, pairs: str) -> list[Operator]:
    """Operators for `a b, c d`: a becomes b and b becomes a, as whole tokens between spaces."""
    operators = []
    for pair in pairs.split(","):
        left, right = pair.split()
        for old, new in ((left, right), (right, left)):
            operators.append(Operator(name, re.compile(rf"(?<= ){re.escape(old)}(?= |$)"), new))
    return operators


def _words(name: str, pairs: str) -> list[Operator]:
    """The same for words: names of functions and keywords."""
    operators = []
    for pair in pairs.split(","):
        left, right = pair.split()
        for old, new in ((left, right), (right, left)):
            operators.append(Operator(name, re.compile(rf"\b{old}\b"), new))
    return operators


_CHAIN = r"\*?\w[\w.\[\]]*(?:(?:->|::)\w[\w.\[\]]*|\([^()]*\)(?:\.|->)\w+)*"

OPERATORS: tuple[Operator, ...] = (
    *_swaps("boundary", "< <=, > >="),
    *_swaps("equality", "== !="),
    *_swaps("logic", "&& ||"),
    *_swaps("arithmetic", "+ -, * /, += -="),
    *_words("extremum", "min max, lower_bound upper_bound, any_of all_of"),
    *_words("truth", "true false"),
    *_words("jump", "break continue"),
    Operator("negation dropped", re.compile(r"(?<=[ (])!(?=[\w(])"), ""),
    Operator(
        "condition negated", re.compile(r"^(\s*(?:else )?if) \((?!const |auto )([^;]*)\)$"), r"\1 (!(\2))"
    ),
    Operator("constant", re.compile(r"(?<![\w.'])(\d+)(?=U?[ ),;\]}])(?!\.)"), r"(\1 + 1)"),
    Operator("increment", re.compile(r"(?<![\w+])\+\+(?=\w)"), "--"),
    Operator("arguments swapped", re.compile(r"(?<=\()(\w+), (\w+)(?=\))"), r"\2, \1"),
    Operator("statement dropped", re.compile(rf"^(\s+){_CHAIN}(?:\(.*\)|(?: [+\-|&]?=) .+);$"), r"\1;"),
    Operator("statement dropped", re.compile(r"^(\s+)(?:\+\+|--)[\w.\->]+;$"), r"\1;"),
)

#: Lines that say nothing of what a machine does.
_LEFT_ALONE = re.compile(
    r"^\s*(?:#|using |namespace |static_assert|NS_|template|return NAME|\.Add|class |struct |enum )"
)
_STATEMENT_WORDS = re.compile(r"^\s+(?:return|throw|delete|co_\w+|assert)\b")


def _masked(source: str) -> list[str]:
    """The lines of code, each with blanks where comments and texts stand."""
    tokens = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return tokens.sub(lambda token: re.sub(r"[^\n]", " ", token[0]), source).split("\n")


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """All mutants of a source file, in the order of its lines.

    A statement is dropped only where it stands alone on its line.
    """
    lines = source.split("\n")
    masked = _masked(source)
    ended = True  # the line before ends a statement
    for number, (line, code) in enumerate(zip(lines, masked, strict=True), start=1):
        if not _LEFT_ALONE.match(code):
            for operator in OPERATORS:
                if operator.name == "statement dropped" and (not ended or _STATEMENT_WORDS.match(code)):
                    continue
                for match in operator.pattern.finditer(code):
                    found = operator.pattern.match(line, match.start()) or match
                    after = line[: match.start()] + found.expand(operator.replacement) + line[match.end() :]
                    yield Mutant(file, number, match.start() + 1, operator.name, line.strip(), after.strip())
        if code.strip():
            ended = code.rstrip().endswith((";", "{", "}", ":"))


def apply(source: str, mutant: Mutant) -> str:
    """The source with the mutant's line instead of its own."""
    lines = source.split("\n")
    line = lines[mutant.line - 1]
    lines[mutant.line - 1] = line[: len(line) - len(line.lstrip())] + mutant.after
    return "\n".join(lines)
