"""Which metrics there are: how each is called, in metrics.yaml, and how it is computed, in SQL."""
