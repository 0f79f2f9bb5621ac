"""The tables that the package ships as YAML."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

#: Written in C where PyYAML was built with it: in Python it took a fifth of the time to import this package.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_table(package: str, name: str) -> Any:
    """What the file `name` of a package of ours says."""
    return yaml.load(files(package).joinpath(name).read_bytes(), _Loader)
