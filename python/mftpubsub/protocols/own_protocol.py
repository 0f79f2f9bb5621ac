"""What protocols of users have in common, whichever language they are written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mftpubsub.own.objects import Own, remade, takes


class OwnProtocol(Own):
    """A protocol that does not ship."""

    what = "protocol"
    policies: ClassVar[tuple[str, ...]] = ()
    """Fields of the policies that it asks: of those that there are today a station asks none."""
    parts: ClassVar[tuple[str, ...]] = ("transport",)
    """Parts of a scenario that its runs depend on, beside those that all runs do."""
    roles: ClassVar[tuple[str, ...]] = ("publisher", "subscriber")
    """Those that nodes need in its networks."""
    broadcasts: ClassVar[bool] = True
    """Whether it broadcasts events: it does not split them into several frames."""

    def parameter_names(self) -> list[str]:
        """What an axis `protocol.NAME` may vary."""
        return takes(self)

    def varied(self, changes: Mapping[str, Any]) -> OwnProtocol:
        """Another one with other parameters."""
        return remade(self, changes)

    def identity(self) -> Any:
        return {**super().identity(), "name": str(self)}

    def __str__(self) -> str:
        return str(self.name)
