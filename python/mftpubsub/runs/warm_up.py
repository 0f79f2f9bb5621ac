"""Importing this module makes a process warm: runs that it, or a process forked from it, makes start at once.

Loading the library, compiling what a policy in Python is shown, and asking git which commit this is take
many times what a short run does; so it is done once and not for every run of a sweep.
"""

import gc
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

from mftpubsub.policies import ParentPolicy
from mftpubsub.runs.run import run_to_directory
from mftpubsub.scenario.study import load

with as_file(files("mftpubsub.runs").joinpath("warm-up.yaml")) as path, TemporaryDirectory() as runs:
    case = load(path).cases()[0]
    for warming in (case, case.replace(parent_policy=ParentPolicy())):  # cppyy compiles more at a second call
        run_to_directory(warming, Path(runs))
gc.freeze()  # else the first collection in a fork copies all that is here
