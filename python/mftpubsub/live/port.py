"""Where the datagrams of a node go and come from."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Any

from pydantic import Field, field_validator

from mftpubsub.scenario.part import Model, Positive


class UdpMulticast(Model):
    """UDP multicast on interfaces of this machine: a datagram goes out on each, and comes in from each.

    By default nothing leaves the machine: `lo` is its loopback. Name the radio's interface to change that, as
    in `interfaces=["wlan0"]`.
    """

    group: str = Field(default="239.255.77.77", kw_only=False, description="IPv4 multicast address")
    port: Annotated[int, Field(strict=True, ge=1, le=65535)] = Field(
        default=47777, kw_only=False, description="of UDP"
    )
    interfaces: tuple[str, ...] = Field(
        default=("lo",), min_length=1, description="names, as `ip link` lists them"
    )
    rate: Positive = Field(
        default=1e6, description="bit/s at which frames follow each other; the node sends no faster"
    )
    hops: Annotated[int, Field(strict=True, ge=0, le=255)] = Field(
        default=1, description="routers that forward a datagram, and one: 1 stays on the interfaces' links"
    )
    max_frame: Annotated[int, Field(strict=True, ge=200, le=65000)] = Field(
        default=1400, description="B; longer than a link's packets they are split, and lost together"
    )

    @field_validator("group")
    @classmethod
    def _is_multicast(cls, group: str) -> str:
        try:
            if IPv4Address(group).is_multicast:
                return group
        except ValueError:
            pass
        raise ValueError(
            f"{group!r} is no IPv4 multicast address, 224.0.0.0 to 239.255.255.255; sites have 239.x.y.z"
        )

    def to_cpp(self) -> dict[str, Any]:
        """As live::PortSettings has it."""
        return {
            "group": self.group,
            "port": self.port,
            "interfaces": list(self.interfaces),
            "rate": self.rate,
            "hops": self.hops,
            "maxFrameBytes": self.max_frame,
        }
