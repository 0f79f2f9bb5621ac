"""Networks on this machine and its interfaces: what is simulated, used.

port = UdpMulticast("239.255.77.77", 47777, interfaces=["wlan0"], rate=1e6)
async with Node(id=3, roles="broker subscriber", port=port, store="node3.store") as node:
    await node.subscribe("temp > 20")
    await node.publish({"temp": 21.5}, payload=b"...")
    async for event in node.events():
        print(event.attributes, event.payload)
"""

from mftpubsub.live.node import Node
from mftpubsub.live.port import UdpMulticast
from mftpubsub.scenario.parameters import MftMesh

__all__ = ["MftMesh", "Node", "UdpMulticast"]
