"""What data look like: plots, the page, files for other programs."""
