"""What happens to devices whose class has no method for it: nothing else would tell."""

from __future__ import annotations

from mftpubsub.protocols.device import Device

_LOST = {
    "publish": "an event that was published goes nowhere",
    "receive": "a message that arrived is lost",
    "expire": "a timer went off, and nothing follows",
}


class Unheard:
    """The methods that a protocol lacks, each until it was told."""

    def __init__(self, protocol: type[Device]) -> None:
        self._lacking = {method for method in _LOST if not protocol.has_own(method)}
        if "next_message" in protocol.inputs and protocol.has_own("next_message"):
            self._lacking.discard("expire")  # a timer wakes it

    def take(self, method: str) -> str:
        """What to tell where a method would be called; empty if it is there, or was told."""
        if method not in self._lacking:
            return ""
        self._lacking.remove(method)
        return (
            f"there is no such method, and so {_LOST[method]}; define it, with `pass` in it if that is meant"
        )
