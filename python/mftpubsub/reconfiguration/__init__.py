"""Protocols that repair the tables of a dispatching tree whose links change (Cugola et al., here C)."""
