"""What users write classes of and scenarios keep objects of: policies, protocols."""
