"""Runs as files that other tools read."""
