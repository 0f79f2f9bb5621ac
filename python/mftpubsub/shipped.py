"""The tables that the package ships as YAML."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

#: Of YAML that we wrote ourselves. It is in C where PyYAML was built so: the one in Python took a fifth of
#: the time in which this package is imported.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_table(package: str, name: str) -> Any:
    """What the file `name` of a package of ours says."""
    return yaml.load(files(package).joinpath(name).read_bytes(), LOADER)
