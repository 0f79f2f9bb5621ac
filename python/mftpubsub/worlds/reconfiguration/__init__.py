"""Dispatchers on a tree whose links change: one run of Cugola et al.'s evaluation."""
