"""Link-level experiments held against Castalia."""
