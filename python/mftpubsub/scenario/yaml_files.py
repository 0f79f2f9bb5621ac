"""YAML as scenario files have it: a key once, and 1e9 a number."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import yaml

from mftpubsub.errors import ConfigurationError

#: Numbers as YAML 1.2 and JSON have them; YAML 1.1, which PyYAML follows, takes 1e9 for a text.
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)


_BOOL = "tag:yaml.org,2002:bool"


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        lines: dict[Hashable, int] = {}
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            if key_node.tag == _BOOL and key_node.value.casefold() not in ("true", "false"):
                key_node.tag = "tag:yaml.org,2002:str"  # of YAML 1.1 a key `on` would be true
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue  # PyYAML tells
            if key in lines:
                problem = f"key {key!r} stands twice, first in line {lines[key]}: remove one"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            lines[key] = key_node.start_mark.line + 1
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Quotes the texts that the loader would take for numbers."""


for _class in (_Loader, _Dumper):
    _class.yaml_implicit_resolvers = {
        letter: [each for each in resolvers if each[0] != "tag:yaml.org,2002:float"]
        for letter, resolvers in _class.yaml_implicit_resolvers.items()
    }
    _class.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(rf"^({_FLOAT.pattern})$"), list("-+0123456789.")
    )


def parse(text: str, where: str) -> dict[str, Any]:
    """The mapping that `text` is, called `where` in errors. Raises ConfigurationError if it is none."""
    try:
        content = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{where}: no YAML: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise ConfigurationError(f"{where}: lists and mappings are nested too deeply") from None
    if not isinstance(content, dict):
        raise ConfigurationError(f"{where}: must be a mapping of keys, such as `protocols: [mft-pubsub]`")
    return content


def dump(content: Any) -> str:
    """`content`, made of what YAML has, as a text that `parse` reads."""
    text: str = yaml.dump(content, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=110)
    return text
