"""The laboratory: a protocol message by message, without radio and time.

b3, and s3 with it, moves from b1 to b2 while an event is on its way; b1 sends it after them. Prints every
message as it arrives, and what b1 knows then.
"""

from mftpubsub import Lab

lab = Lab("mft-pubsub", links=[("b1", "b2"), ("b1", "b3")], root="b1")
lab.subscribe("s3", at="b3", where="temp > 20")
lab.settle()
lab.log.clear()

lab.publish("p1", at="b1", temp=25)
lab.disconnect("b1", "b3")
lab.migrate("b3", to="b2")
while lab.step():
    route = lab.table("b1")["s3"]
    print(f"{lab.log[-1]!s:35} | b1: s3 by {route.next_hop}, holds {lab.queue('b1').get('s3', [])}")
print("delivered to s3:", lab.delivered("s3"))
print("wrong:", lab.violations() or "nothing")
