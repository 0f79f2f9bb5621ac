"""A protocol of one's own with a fault, which no run need show: a search of all orders of messages finds it.

Device 1 hears the event twice before it would say it, so it says nothing. Device 3 hears nobody else.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "protocols"))

from counting import Counting

from mftpubsub import AirLab, search


def lab(protocol):
    made = AirLab(protocol, roles="P B B BS", links="0-1 0-2 1-2 1-3")
    made.publish(0, n=1)
    return made


usual = lab(Counting())
usual.settle()
print("In the usual order, owed:", usual.owed() or "nothing")
found = search(lab(Counting()))
print(found)
print(found.transcript)
print("Mended:", search(lab(Counting(patience=True))))
