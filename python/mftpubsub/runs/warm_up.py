"""Importing this module makes a process warm: runs that it, or a process forked from it, makes start at once.

Loading the library, and compiling what a policy in Python is shown, takes many times what a short run does;
so it is done once and not for every run of a sweep.
"""

from importlib.resources import as_file, files

from mftpubsub.policies import ParentPolicy
from mftpubsub.runs.run import run
from mftpubsub.scenario.study import load

with as_file(files("mftpubsub.runs").joinpath("warm-up.yaml")) as path:
    run(load(path).cases()[0].replace(parent_policy=ParentPolicy()))
