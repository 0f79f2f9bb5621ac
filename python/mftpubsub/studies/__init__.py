"""A study's results: numbers, statements checked, figures, report."""
