"""Many runs, only those that are missing: on this machine or on a cluster."""

from mftpubsub.sweep.sweep import run_study
from mftpubsub.sweep.table import sweep

__all__ = ["run_study", "sweep"]
