"""Protocols that C's statements speak of together, by their short names."""

#: Those that defer unsubscriptions, and those that keep a repair to where it is needed.
DEFERRED, INFORMED = ("tdu", "ndu"), ("ila", "rp")
#: Those that repair tables, in C's order.
REPAIRING = ("strawman", *DEFERRED, *INFORMED)
