"""The viewer: a page in which a run is played, stopped and asked (docs/how-to/view.md).

`page` makes it; its sources are in python/viewer, and viewer.html is what they give.
"""
