"""Files, functions and classes of the product stay small enough to read; what is named exists.

Tests are left out: a suite may be long, and a case of it a list.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES_OF_A_FILE = 500
LINES_OF_A_FUNCTION = 60
MEMBERS_OF_A_CLASS = 15

CPP = sorted(path for path in (ROOT / "cpp").rglob("*") if path.suffix in (".cc", ".h"))
PYTHON = sorted(
    path for folder in ("mftpubsub", "examples") for path in (ROOT / "python" / folder).rglob("*.py")
)
TYPESCRIPT = sorted((ROOT / "python" / "viewer" / "src").rglob("*.ts"))

#: What is no code in C++: raw strings, comments, strings, characters, directives.
NO_CODE = re.compile(
    r'R"(\w*)\(.*?\)\1"'
    r"|//[^\n]*|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:\\\n|[^\n])*"
    r"|alignas\(\d+\)",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Block:
    """Something between braces: what stands before it, from which line to which, and what it declares."""

    head: str
    first: int
    last: int = 0
    inside: str = ""
    members: list[str] = field(default_factory=list)

    @property
    def lines(self) -> int:
        return self.last - self.first + 1

    @property
    def is_class(self) -> bool:
        return bool(re.match(r"(template <.*> )?class\b[^()]*$", self.head))

    @property
    def is_scope(self) -> bool:
        scopes = r"(inline )?namespace\b|(template <.*> )?(class|struct|enum|union)\b[^()]*$"
        return bool(re.match(scopes, self.head))

    @property
    def is_function(self) -> bool:
        return ")" in self.head and "=" not in re.sub(r"operator\W+|\(.*\)", "", self.head)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _blocks(source: str) -> Iterator[Block]:
    """All blocks of C++, the inner ones first."""
    code = NO_CODE.sub(lambda match: "\n" * match[0].count("\n") or " ", source)
    stack = [Block("", 1)]
    head, first = "", 1
    for number, line in enumerate(code.splitlines(), 1):
        for sign in line + "\n":
            if not head.strip():
                first = number
            if sign == "{":
                stack.append(Block(" ".join(head.split()), first))
                head = ""
            elif sign == "}":
                block = stack.pop()
                block.last = number
                yield block
                head = "" if block.is_scope or block.is_function else f"{block.head} "
            elif sign == ";":
                stack[-1].members.append(" ".join(head.split()))
                head = ""
            elif sign == ":" and head.strip() in ("public", "private", "protected"):
                head = ""
            else:
                head += sign


def _functions(source: str) -> Iterator[Block]:
    """Functions, without those within others."""
    last = 0
    for block in sorted(_blocks(source), key=lambda block: (block.first, -block.last)):
        if block.is_function and not block.is_scope and block.first > last:
            last = block.last
            yield block


def _data(block: Block, source: str) -> list[str]:
    """Names of a class's data members, but those that ns-3 has for attributes and trace sources."""
    names = [re.findall(r"\bm_\w+", declared)[:1] for declared in block.members]
    return [name for found in names for name in found if f"::{name})" not in source]


def _assigned_to_self(node: ast.ClassDef) -> set[str]:
    """Names of what a class's functions assign to `self`."""
    assignments = [each for each in ast.walk(node) if isinstance(each, ast.Assign | ast.AnnAssign)]
    return {
        target.attr
        for each in assignments
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
    }


def test_files_are_short() -> None:
    lengths = {path: _text(path).count("\n") for path in (*CPP, *PYTHON, *TYPESCRIPT)}
    assert [f"{path}: {lines}" for path, lines in lengths.items() if lines > LINES_OF_A_FILE] == []


def test_functions_of_cpp_are_short() -> None:
    long = [
        f"{path}: {block.head}: {block.lines}"
        for path in CPP
        for block in _functions(_text(path))
        if block.lines > LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_functions_of_python_are_short() -> None:
    long = [
        f"{path}: {node.name}"
        for path in PYTHON
        for node in ast.walk(ast.parse(_text(path)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_classes_of_cpp_have_few_members() -> None:
    """Structs are records: a row of a table has as many columns as it needs."""
    wide = []
    for path in CPP:
        beside = "".join(map(_text, path.parent.glob(f"{path.stem}*.cc")))
        for block in _blocks(_text(path)):
            if block.is_class and len(_data(block, beside)) > MEMBERS_OF_A_CLASS:
                wide.append(f"{path}: {block.head}: {_data(block, beside)}")
    assert wide == []


def test_classes_of_python_have_few_members() -> None:
    """Fields of a model or a dataclass are columns of a record."""
    wide = [
        f"{path}: {node.name}: {_assigned_to_self(node)}"
        for path in PYTHON
        for node in ast.walk(ast.parse(_text(path)))
        if isinstance(node, ast.ClassDef) and len(_assigned_to_self(node)) > MEMBERS_OF_A_CLASS
    ]
    assert wide == []


def _comments(path: Path) -> str:
    """What is no code of C++, TypeScript or Python but explains it."""
    source = _text(path)
    if path.suffix != ".py":
        return "\n".join(re.findall(r"//[^\n]*|/\*.*?\*/", source, re.DOTALL))
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    docstrings = [text for text in texts if isinstance(text, str) and ("\n" in text or " " in text)]
    return "\n".join([*docstrings, *re.findall(r"#[^\n]*", source)])


def test_comments_name_files_that_are_there() -> None:
    """By a path below some folder. (report.md is what a study writes.)"""
    there = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = "\n".join(["", *there.stdout.split(), ""]).replace("\n", "\n/")
    named = re.compile(r"(?<![\w./*<{$~-])[a-z_][\w.-]*(?:/[\w.-]+)+\.(?:cc|h|py|ts|yaml|sql|md)(?![\w(/*-])")
    assert [
        f"{path.name}: {name}"
        for path in (*CPP, *PYTHON, *TYPESCRIPT)
        for name in named.findall(_comments(path))
        if f"/{name}\n" not in names and not name.startswith("ns3/") and not name.endswith("/report.md")
    ] == []


def test_the_limits_see_what_is_too_long() -> None:
    """A function in a namespace, one in a class, and a member between functions."""
    source = """
namespace a
{
class Wide : public Base
{
  public:
    Wide() : m_a(1) {}
    int Get() const
    {
        for (;;) { int m_not = 1; }
        return m_a;
    }

  private:
    struct Part { int x{0}; };
    int m_a{0};
    std::map<int, std::vector<int>> m_b; // m_c
    Part m_d{1};
};

std::vector<int> g = {1, 2};

void
Wide::Long(int a)
{
    auto f = [] { return 1; };
}
}
"""
    assert [(b.head.split("(")[0].split()[-1], b.lines) for b in _functions(source)] == [
        ("Wide", 1),
        ("Get", 5),
        ("Wide::Long", 5),
    ]
    wide = next(block for block in _blocks(source) if block.is_class)
    assert _data(wide, source) == ["m_a", "m_b", "m_d"]
    assert _data(wide, "Accessor(&Wide::m_b)") == ["m_a", "m_d"]
