"""What protocols of users have in common, whichever language they are written in."""

from __future__ import annotations

from typing import Any, ClassVar

from mftpubsub.own.objects import Own


class OwnProtocol(Own):
    """A protocol that does not ship."""

    what = "protocol"
    policies: ClassVar[tuple[str, ...]] = ()
    """Fields of the policies that it asks: of those that there are today a station asks none."""
    parts: ClassVar[tuple[str, ...]] = ("transport",)
    """Parts of a scenario that its runs depend on, beside those that all runs do."""

    def identity(self) -> Any:
        return {**super().identity(), "name": str(self)}

    def __str__(self) -> str:
        return str(self.name)
