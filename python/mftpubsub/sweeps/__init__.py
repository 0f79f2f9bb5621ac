"""Many runs, only those that are missing: on this machine or on a cluster."""

from mftpubsub.sweeps.sweep import run_study
from mftpubsub.sweeps.table import sweep

__all__ = ["run_study", "sweep"]
