"""From trace files to tables: the metrics are SQL, run by Spark over many runs and by DuckDB over one."""
