"""What users hold: data of the rooms below, with the views of it that they ask for."""
