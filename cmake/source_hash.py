# SPDX-License-Identifier: GPL-2.0-only
"""Writes a C++ file that tells which sources the library was built from.

    python source_hash.py FOLDER NS3 OUTPUT

The hash is SHA-256 over the version of ns-3 and over what each source in FOLDER says to the compiler. Names
and places of files, comments, formatting, include lines and include guards do not count, nor do rooms that no
run is made of. So the same code has the same hash on every machine, and only a change of code changes it.
"""

import hashlib
import re
import sys
from pathlib import Path

#: Rooms that no run is made of.
APART = ("lab", "castalia", "live", "daemon", "helper", "examples")

TOKEN = re.compile(
    r"""
      (?P<nothing> \s+ | //(?:\\\n|[^\n])* | /\*.*?\*/ )
    | (?P<directive> ^[ \t]*\#(?:\\\n|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?!//)[^\n])* )
    | (?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"  # a raw string
    | (?:u8|[uUL])?"(?:\\.|[^"\\])*"
    | (?:u8|[uUL])?'(?:\\.|[^'\\])*'
    | \.?\d(?:[eEpP][+-]|'?\w|\.)*                          # a number
    | \w+
    | .
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def tokens(source: str) -> list[str]:
    """What the compiler reads of a source, directives as one token each."""
    found = []
    for match in TOKEN.finditer(source):
        if match["directive"] is not None:
            text = match["directive"].replace("\\\n", " ").lstrip(" \t#")
            found.append("#" + " ".join(tokens(text)))
        elif match["nothing"] is None:
            found.append(match[0])
    return found


def meaning(source: str) -> str:
    """The tokens of a source, but those that carry names of files: includes and the include guard."""
    said = [token for token in tokens(source) if not token.startswith("#include ")]
    guard = re.fullmatch(r"#ifndef (\w+)", said[0]) if said else None
    if guard and said[1:2] == [f"#define {guard[1]}"] and said[-1] == "#endif":
        said = said[2:-1]
    return "\n".join(said)


def source_hash(folder: Path, ns3: str) -> str:
    """Of the rooms in `folder`, built with version `ns3` of ns-3."""
    files = [path for path in folder.rglob("*") if path.suffix in (".cc", ".h")]
    rooms = [path for path in files if path.relative_to(folder).parts[0] not in APART]
    meanings = filter(None, (meaning(path.read_text(encoding="utf-8")) for path in rooms))
    digests = sorted(hashlib.sha256(each.encode()).hexdigest() for each in meanings)
    return hashlib.sha256("\n".join([f"ns3 {ns3}", *digests]).encode()).hexdigest()


CPP = """#include "run/simulator.h"

std::string
mftpubsub::GetSourceHash()
{{
    return "{hash}";
}}
"""

if __name__ == "__main__":
    folder, ns3, output = sys.argv[1:]
    Path(output).write_text(CPP.format(hash=source_hash(Path(folder), ns3)), encoding="utf-8")
