"""Objects of users' classes, made by what scenario files and records of runs say."""

from __future__ import annotations

import inspect
from ast import literal_eval
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from mftpubsub.errors import ConfigurationError
from mftpubsub.own.loading import NotImportedError, load
from mftpubsub.own.objects import Own, Recorded, attributes
from mftpubsub.own.objects import parameters as parameters_of

W = TypeVar("W", bound=Own)

#: Context of a validation that must not run code of modules that a file names.
NO_IMPORTS = {"for": "reading what others wrote"}


def is_record(value: Any) -> bool:
    """Whether it is what `Own.record` tells."""
    return isinstance(value, Mapping) and {"class", "parameters"} <= value.keys()


def make(base: type[W], kind: type[Any], name: str, given: Mapping[str, Any]) -> W:
    """An object of the class `kind`, called `name`, by what its __init__ is given."""
    if not issubclass(kind, base):
        raise ValueError(f"{name} is no {base.__name__}")
    kind.check_class()
    bound = inspect.signature(kind).bind_partial()
    try:
        if given.keys() <= bound.signature.parameters.keys():
            bound.arguments = dict(given)
            made: W = kind(*bound.args, **bound.kwargs)
        else:
            made = kind(**given)
    except ConfigurationError as error:
        raise ValueError(str(error)) from None
    except TypeError as error:
        takes = ", ".join(bound.signature.parameters) or "no parameters"
        raise ValueError(f"{name}: {error}; it takes {takes}") from None
    except ValueError:
        raise
    except Exception as error:  # of a user's __init__
        raise ValueError(f"{name}: {type(error).__name__}: {error}") from error
    parameters_of(made)
    return made


def of_record(base: type[W], told: Mapping[str, Any], may_import: bool) -> W:
    """The object that run.json tells of, or a `Recorded` one.

    Raises ValueError if it cannot be made though its module may be imported.
    """
    name = told["class"]
    recorded: Any = type(Recorded.__name__, (Recorded, base), {"__module__": Recorded.__module__})
    try:
        kind = load(name, may_import)
    except NotImportedError:
        remedy = "is not imported: open_run(FOLDER, import_policies=True) does, and runs its code"
        return cast(W, recorded(told, remedy))
    except ValueError as error:
        if may_import:
            raise
        return cast(W, recorded(told, f"is not there: {error}"))
    if not issubclass(kind, base) and not name.startswith("__main__:"):  # there other code may run by now
        raise ValueError(f"{name} is no {base.__name__}")
    try:
        return _made_anew(base, kind, told)
    except Exception as error:  # whatever the user's code raises
        if may_import:
            raise ValueError(f"{error}") from error
        return cast(W, recorded(told, f"cannot be made anew: {str(error).removeprefix(f'{name}: ')}"))


def _made_anew(base: type[W], kind: type[Any], told: Mapping[str, Any]) -> W:
    """The object that was recorded: made by what its __init__ was given, with the attributes it had."""
    was = told["parameters"]
    given = told.get("arguments", was)
    made = make(base, kind, told["class"], {name: _value(name, text) for name, text in given.items()})
    now = parameters_of(made)
    for name in [name for name in was if now.get(name) != was[name]]:
        object.__setattr__(made, name, _value(name, was[name]))
    for name in attributes(made).keys() - was.keys():
        object.__delattr__(made, name)
    return made


def _value(name: str, text: str) -> Any:
    """The parameter that `identity` tells as `text`."""
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(f"{name}: {text} cannot be made from its description") from None
