"""Runs: a scenario in, a trace and what is computed of it out."""
