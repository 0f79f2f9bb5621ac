"""What unmodified ns-3 scripts write: tables of it, and a run of ours made of it."""
