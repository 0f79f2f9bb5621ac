"""What all parts of a scenario have in common: immutable, checked, and errors of one line a fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from mftpubsub.errors import ConfigurationError, suggest

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0)]
NonNegative = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0), AfterValidator(abs)]  # of -0.0
#: A time or length of time, s: what ns-3's clock of nanoseconds can hold with ease.
Seconds = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1e7)]
#: A time that must pass, s: without it a run would stand still.
Period = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1e-6, le=1e7)]
Speed = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0.001, le=10_000)]
Whole = Annotated[int, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Point = tuple[Number, Number]
#: m above the ground.
MAX_HEIGHT = 1e6
Height = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=MAX_HEIGHT)]

#: Context of a serialization that is to hold what determines a run, and no more.
FINGERPRINT = {"for": "fingerprint"}

#: How the description of a field begins that has a unit.
UNIT = re.compile(r"(s|m|m/s|dBm|dB|B|events per second)(?=[ ,;(]|$)")

#: What pydantic calls a type that a value may have, beside others.
_TYPE = re.compile(r"(literal|list|dict|tuple)\[|function-|(int|float|str|bool|none)$")

#: Characters that an error shows of what was given.
_LONGEST = 200

M = TypeVar("M", bound="Model")


class Model(BaseModel):
    """Base of all parts: immutable; wrong values and unknown keys raise ConfigurationError."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def __init__(self, /, *args: Any, **fields: Any) -> None:
        """Fields declared with `kw_only=False` may be given by position."""
        given = _by_name(type(self), args) | fields
        try:
            self.__pydantic_validator__.validate_python(given, self_instance=self)
        except ValidationError as error:
            raise ConfigurationError(describe(type(self), error, type(self).__name__, given)) from None

    # To pydantic this is as BaseModel's own: parts of parts do not pass here, the whole tells their errors.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Puts the fields and their units where help() shows them."""
        super().__pydantic_init_subclass__(**kwargs)
        fields = cls.model_fields.items()
        cls.__doc__ = "\n".join([cls.__doc__ or cls.__name__, "", *(_document(*item) for item in fields)])
        cls.__signature__ = _signature(cls)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and is_same(self.__dict__, other.__dict__)

    def __hash__(self) -> int:
        return hash(json.dumps(self.model_dump(mode="json", context=FINGERPRINT), sort_keys=True))

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, data: Any) -> Any:
        """Refuses unknown keys, here where the known ones can be told. Takes numpy's numbers and arrays."""
        if isinstance(data, Mapping):
            data = {key: native(value) for key, value in data.items()}
            known = {name for field in cls.model_fields.items() for name in _names(*field)}
            wrong = [_unknown(key, value, cls) for key, value in data.items() if key not in known]
            if wrong:
                raise ValidationError.from_exception_data(cls.__name__, wrong)
        return data

    def to_plain(self) -> Any:
        """What a scenario file says for this part: whatever is not the default."""
        return {
            name: plain(value)
            for name, field in type(self).model_fields.items()
            if not field.exclude
            and (value := getattr(self, name)) != field.get_default(call_default_factory=True)
        }


def is_same(one: Any, other: Any) -> bool:
    """Whether values of fields are equal as fingerprints tell them apart: 1, 1.0 and True are three."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(is_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, int | float):
        return repr(one) == repr(other)
    return bool(one == other)


def merged(model: type[Model], base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """What makes a `model` of the fields `base` and of `changes`, which name of a part only what changes."""
    result = _by_field(model, base)
    for name, value in _by_field(model, changes).items():
        field = model.model_fields.get(name)
        if field and name in result and isinstance(value, Mapping):
            value = _join(field, result[name], value)
        result[name] = value
    return result


@dataclass(frozen=True)
class Joining:
    """In a field's annotation: what a mapping makes of the field's value so far."""

    join: Callable[[Any, Mapping[str, Any]], Any]
    models: tuple[type[Model], ...] = ()
    """That the field may be made of, where its type does not tell."""


def _join(field: FieldInfo, old: Any, changes: Mapping[str, Any]) -> Any:
    part = field.annotation
    if isinstance(part, type) and issubclass(part, Model) and isinstance(old, Model | Mapping):
        return merged(part, given_fields(old), changes)
    joining = next((each for each in field.metadata if isinstance(each, Joining)), None)
    return joining.join(old, changes) if joining else changes


def given_fields(part: Model | Mapping[str, Any]) -> Mapping[str, Any]:
    """What was said of a part: all but defaults."""
    if isinstance(part, Mapping):
        return part
    return {name: getattr(part, name) for name in part.model_fields_set}


def _by_field(model: type[Model], content: Mapping[str, Any]) -> dict[str, Any]:
    """`content` with the fields' own names instead of others that they may have."""
    own = {alias: name for name, field in model.model_fields.items() for alias in _names(name, field)}
    return {own.get(key, key): value for key, value in content.items()}


def plain(value: Any) -> Any:
    """`value` made of what YAML has."""
    if hasattr(value, "to_plain"):
        return value.to_plain()
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def checked(model: type[M], content: Any, source: str, context: Any = None) -> M:
    """A `model` made of `content`; raises ConfigurationError, a line for each fault, headed by `source`."""
    try:
        return model.model_validate(content, context=context)
    except ValidationError as error:
        raise ConfigurationError(describe(model, error, source, content)) from None


def describe(model: type[Model], error: ValidationError, source: str, content: Any) -> str:
    """A line for each fault of `content`: source, key, what is wrong and what would be right."""
    faults: dict[tuple[str, ...], list[ErrorDetails]] = {}
    named: set[tuple[str, ...]] = set()
    for detail in error.errors():
        parts = [*_parts(detail, content)]
        keys = tuple(part for part, is_type in parts if not is_type)
        faults.setdefault(keys, []).append(detail)
        if parts and not parts[-1][1]:
            named.add(keys)
    return "\n".join(
        _describe(model, keys, details, source)
        for keys, details in faults.items()
        if keys in named or not _holds_another(keys, faults)
    )


def _parts(detail: ErrorDetails, content: Any) -> Iterator[tuple[str, bool]]:
    """Where in the content a fault is, and of each part whether it is the name of a type: pydantic names the
    types that a value may have too, and a key may be called as one."""
    for part in detail["loc"]:
        if part == "[key]":  # it is the part before
            continue
        is_there = isinstance(content, Mapping) and part in content and content is not detail["input"]
        is_type = not is_there and bool(_TYPE.match(str(part)))
        yield str(part), is_type
        if is_there or (isinstance(part, int) and isinstance(content, Sequence) and part < len(content)):
            content = content[part]


def _holds_another(keys: tuple[str, ...], faults: Iterable[tuple[str, ...]]) -> bool:
    """Whether something is wrong within a value too, which then is of another type that it may have."""
    return any(other != keys and other[: len(keys)] == keys for other in faults)


def native(value: Any) -> Any:
    """Numbers and arrays of numpy, also in lists, as Python's own: files and tables have only these."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if type(value) in (list, tuple):
        return type(value)(map(native, value))
    return value


def as_list(value: Any) -> Any:
    """One thing as a list of one."""
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, list) else [value]


def _by_name(model: type[Model], args: tuple[Any, ...]) -> dict[str, Any]:
    names = [name for name, field in model.model_fields.items() if field.kw_only is False]
    if len(args) > len(names):
        usage = f"{', '.join(names)} may be given without a name" if names else "all its fields need a name"
        raise ConfigurationError(f"{model.__name__}: {len(args)} values without a name; {usage}")
    return dict(zip(names, args, strict=False))


def _names(name: str, field: FieldInfo) -> Iterator[str]:
    """What a key may be called."""
    yield name
    if field.validation_alias is not None:
        yield from (str(alias) for alias in getattr(field.validation_alias, "choices", ()))


def _unknown(key: Any, value: Any, model: type[Model]) -> InitErrorDetails:
    hint = suggest(key, list(model.model_fields), "known keys are")
    error = PydanticCustomError("unknown_key", "unknown key; {hint}", {"hint": hint})
    return InitErrorDetails(type=error, loc=(str(key),), input=value)


def _document(name: str, field: FieldInfo) -> str:
    return f"    {name}: {field.description}" if field.description else f"    {name}"


def _signature(model: type[Model]) -> Signature:
    parameters = [_parameter(*item) for item in model.model_fields.items()]
    return Signature(sorted(parameters, key=lambda parameter: parameter.kind))


def _parameter(name: str, field: FieldInfo) -> Parameter:
    kind = Parameter.POSITIONAL_OR_KEYWORD if field.kw_only is False else Parameter.KEYWORD_ONLY
    required = field.is_required()
    return Parameter(
        name, kind, default=Parameter.empty if required else field.get_default(call_default_factory=True)
    )


def _describe(model: type[Model], keys: tuple[str, ...], details: list[ErrorDetails], source: str) -> str:
    where = f"{source}: {'.'.join(keys)}: " if keys else f"{source}: "
    detail = details[0]
    if detail["type"] == "unknown_key":
        return where + detail["msg"]
    if detail["type"] == "value_error":
        return where + str(detail["ctx"]["error"])
    first, *others = dict.fromkeys(_message(each) for each in details)
    message = ", or ".join([first, *(text.removeprefix("input should be ") for text in others)])
    if unit := unit_at(model, keys):
        message += f", in {unit}"
    if detail["type"] == "missing":
        return where + message
    given = repr(detail["input"])
    return f"{where}{message} (given: {given if len(given) <= _LONGEST else f'{given[:_LONGEST]}…'})"


def _message(detail: ErrorDetails) -> str:
    message, _, _ = detail["msg"].partition(" after validation, not")
    return message[0].lower() + message[1:]


def unit_at(model: type[Model], keys: Sequence[str]) -> str | None:
    """The unit of the field at `keys`, if it has one."""
    models, unit = [model], None
    for key in keys:
        fields = [
            field
            for candidate in models
            for item in candidate.model_fields.items()
            for field in item[1:]
            if key in _names(item[0], item[1])
        ]
        if fields:
            found = UNIT.match(fields[0].description or "")
            unit = found[1] if found else None
            models = [inner for field in fields for inner in _models_of(field)]
    return unit


def _models_of(field: FieldInfo) -> list[type[Model]]:
    """The models that a field is made of."""
    told = [model for each in field.metadata if isinstance(each, Joining) for model in each.models]
    return told or _models_in(field.annotation)


def _models_in(annotation: Any) -> list[type[Model]]:
    """The models that an annotation is made of: `Model`, `list[Model]`, `A | B`."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]
