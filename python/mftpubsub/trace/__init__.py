"""The trace of a run: its format, its file, where it lies, SQL over it."""
