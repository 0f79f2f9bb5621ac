"""When a publisher's events come."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, FieldSerializationInfo, ValidationInfo, field_serializer, model_validator

from mftpubsub.scenario import movement_files
from mftpubsub.scenario.event_files import RecordedEvent, read
from mftpubsub.scenario.part import FINGERPRINT, Number, Period, Seconds
from mftpubsub.scenario.variants import Variant, by_name, one_of

if TYPE_CHECKING:
    FilePath = str | PathLike[str]
else:
    FilePath = str


class ArrivalProcess(Variant):
    """Base of all that says when events come. The publisher's `rate` is the mean of each."""


class Periodic(ArrivalProcess):
    """One event a period, with a random phase (J 6)."""

    model: Literal["periodic"] = "periodic"


class Poisson(ArrivalProcess):
    """Independent events: exponential times between them."""

    model: Literal["poisson"] = "poisson"


class OnOff(ArrivalProcess):
    """Bursts with silences between them, both of exponential length; within bursts a Poisson process.

    The rate within bursts is `rate` * (on_time + off_time) / on_time: the load does not depend on them.
    """

    model: Literal["on-off"] = "on-off"
    on_time: Period = Field(kw_only=False, description="s; mean length of a burst")
    off_time: Period = Field(kw_only=False, description="s; mean length of a silence")


class Diurnal(ArrivalProcess):
    """A Poisson process whose rate goes up and down like a cosine, as over a day."""

    model: Literal["diurnal"] = "diurnal"
    period: Period = Field(default=86_400.0, kw_only=False, description="s from peak to peak")
    peak: Seconds = Field(default=0.0, description="s; when the rate is at its highest, as it is each period")
    depth: Annotated[Number, Field(ge=0, le=1)] = Field(
        default=1.0, description="0: the rate is constant; 1: it falls to nothing between peaks"
    )


class Recorded(ArrivalProcess):
    """Events as a CSV file has them: their times, payloads and attributes.

    Columns: `time` (s), `bytes` (payload), `publisher` (which node of the group, from 0, which is what it is
    without this column), and one for each attribute, empty where an event has none. Events before the
    publisher's `start` and from its `stop` on are left out. A run tells how many come after its end. A path
    in a scenario file is relative to it.
    """

    model: Literal["recorded"] = "recorded"
    path: FilePath = Field(kw_only=False, description="of the CSV file")
    sha256: str = Field(default="", description="of the file, hex; by default that of the file as it is")

    @model_validator(mode="before")
    @classmethod
    def _finds_the_file(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, Mapping) or not isinstance(data.get("path"), str | PathLike):
            return data
        path = Path((info.context or {}).get("folder", "")) / data["path"]
        digest = movement_files.sha256(path, data.get("sha256"))
        read(str(path.absolute()), digest)
        return {**data, "path": str(path.absolute()), "sha256": digest}

    @field_serializer("path")
    def _tells_where_unless_for_a_fingerprint(self, path: str, info: FieldSerializationInfo) -> str | None:
        """The content is what determines a run."""
        return None if info.context is FINGERPRINT else path

    @property
    def events(self) -> list[RecordedEvent]:
        """All of the file, by time."""
        path = str(self.path)
        movement_files.sha256(path, self.sha256)  # perhaps on another machine than where it was checked
        return read(path, self.sha256)


PROCESSES = by_name(Periodic, Poisson, OnOff, Diurnal, Recorded)

if TYPE_CHECKING:
    Arrivals = ArrivalProcess
else:
    Arrivals = Annotated[
        Any,
        *one_of(
            PROCESSES,
            base=ArrivalProcess,
            what="arrivals",
            such="Poisson() and OnOff(on_time=5, off_time=20)",
        ),
    ]
