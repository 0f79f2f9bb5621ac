"""The thesis (T) and the journal text (J) on fully mobile publish/subscribe."""
