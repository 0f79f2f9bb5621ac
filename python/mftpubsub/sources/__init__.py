"""Publications that studies are held against."""
