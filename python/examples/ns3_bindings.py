"""Publish/subscribe on nodes that ns-3's own Python bindings have made and move, watched in ns-3's ways.

Prints what came of it, and leaves a capture for each node (Wireshark) and an animation (NetAnim) in the
folder that the argument names, by default `out`.
"""

import sys
from collections import Counter
from pathlib import Path

import mftpubsub
from mftpubsub import Broker, Group, Publisher, Subscriber, interop
from mftpubsub.interop import ns  # `from ns import ns`, loaded in the right way

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")

scenario = mftpubsub.Scenario(
    area=(60, 60),
    nodes=[Group(8, [Broker()]), Group(8, [Subscriber()]), Group(2, [Publisher(stop=20)])],
    mobility=mftpubsub.Static(),  # of nodes that bring none
    duration=30,
    seed=1,
)

nodes = ns.NodeContainer()
nodes.Create(18)
mobility = ns.MobilityHelper()
mobility.SetPositionAllocator(
    "ns3::GridPositionAllocator",
    "MinX", ns.DoubleValue(5), "MinY", ns.DoubleValue(5),
    "DeltaX", ns.DoubleValue(10), "DeltaY", ns.DoubleValue(20),
    "GridWidth", ns.UintegerValue(6),
)  # fmt: skip
mobility.SetMobilityModel(
    "ns3::RandomWalk2dMobilityModel",
    "Bounds", ns.RectangleValue(ns.Rectangle(0, 60, 0, 60)),
    "Speed", ns.StringValue("ns3::ConstantRandomVariable[Constant=2]"),
)  # fmt: skip
mobility.Install(nodes)

with interop.network(scenario, nodes=nodes) as net:
    sent: Counter[int] = Counter()
    net.connect(
        "/NodeList/*/DeviceList/*",
        "Transmit",
        lambda path, packet, protocol, to, bytes_on_air: sent.update([bytes_on_air]),
    )
    net.enable_pcap(folder / "run")
    net.animate(folder / "run.xml")
    result = net.run()

print(f"delivery rate {result.metrics['delivery_rate']:.3f}")
print(f"{sent.total()} frames, the longest {max(sent)} B")
print(f"{len(list(folder.glob('run-*.pcap')))} captures and run.xml in {folder}")
