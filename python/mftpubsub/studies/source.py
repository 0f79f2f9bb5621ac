"""A source: what a publication says of its evaluation, and the figures that it draws.

Studies know no source: one is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mftpubsub.studies.evidence import Part

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.studies.figures import Figure


@dataclass(frozen=True)
class Claim:
    """A statement, where it stands, in our words, and its parts. Without parts it cannot be checked here.

    `check` takes what the source's tables are read into, and may raise NotRunError. A statement on the
    delivery rate is judged by both definitions of it.
    """

    id: str
    source: str
    says: str
    check: Callable[[Any], Iterable[Part]] = lambda data: ()
    is_about_rate: bool = False


@dataclass(frozen=True)
class Source:
    """`own` is the source's protocol, `rival` the one beside it; variants may be judged in their places."""

    cited: str
    """What its letters stand for, for print."""
    claims: tuple[Claim, ...]
    rival: str
    concern: Callable[[pd.DataFrame], bool]
    """Whether runs are of what the source speaks of."""
    plan: Callable[[pd.DataFrame], list[Figure]]
    """The figures that a table of means allows."""
    reason: Callable[[str, Any], str] = lambda claim, data: ""
    """What the tables say beside a statement, by its id."""
    own: str = ""
    networks: tuple[str, ...] = ()
    speeds: tuple[float, ...] = ()
    """Of which networks and speeds (m/s) the statements speak."""

    @property
    def tuned(self) -> str:
        """Its own protocol with the settings that were best on this radio; empty if it has none."""
        return f"{self.own}-tuned" if self.own else ""
