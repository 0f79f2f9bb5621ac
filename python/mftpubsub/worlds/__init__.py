"""Wired worlds, drawn or given: those of Cugola et al. (reconfiguration) and of Gaddah and Kunz (handoff)."""
