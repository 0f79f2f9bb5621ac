"""Many runs, only those that are missing: on this machine or on a cluster."""
