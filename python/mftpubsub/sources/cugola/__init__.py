"""Cugola et al. (C): protocols that repair the tables of a dispatching tree whose links change."""
