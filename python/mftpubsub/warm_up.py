"""Importing this module makes a process warm: runs that it, or a process forked from it, makes start at once.

Loading the library and compiling what Python calls of it takes seconds, many times a short run; so it is
done once and not for every run of a sweep.
"""

from importlib.resources import as_file, files

from mftpubsub.run import run
from mftpubsub.study import load

with as_file(files("mftpubsub").joinpath("warm-up.yaml")) as path:
    run(load(path).cases()[0])
