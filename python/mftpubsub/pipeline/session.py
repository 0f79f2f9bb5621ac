"""The Spark session: the same pipeline on this machine or on a cluster."""

from __future__ import annotations

import locale
import logging
import os
import re
import socket
import sys
import threading
import warnings
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.errors import ConfigurationError, InstallationError
from mftpubsub.notes import is_quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: What Spark takes for a master; of anything else it says only that Java has exited.
_MASTERS = r"local(\[([1-9]\d*|\*)(,\s*\d+)?\])?|local-cluster\[.+\]|spark://.+|k8s://.+|yarn"

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    # Tasks of few runs: what they count fits their memory, however many runs a study has; and of many small
    # ones, since to open a file takes as long as to read so many bytes.
    "spark.sql.files.maxPartitionBytes": "8m",
    "spark.sql.files.openCostInBytes": "256k",
    # Listing thousands of folders takes less time than a job that does it.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
    # No run is made twice at once; one that loses its executor several times is not the executors' fault.
    "spark.speculation": "false",
    "spark.task.maxFailures": "8",
}

_LOCAL_SETTINGS = {
    "spark.driver.memory": "1g",
    # Nobody waits for a pause: the collector that takes the least time in all.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
    "spark.driver.bindAddress": "127.0.0.1",
}


#: Leaves out Java's second compiler, which takes longer than it saves unless Java has much to do.
_FIRST_COMPILER = "-XX:TieredStopAtLevel=1"
#: What Java says of Spark's own options, and Spark of how it might say more.
_NOISE = (b"WARNING: Using incubator modules", b"Setting default log level", b"To adjust logging level")


def literal(path: str | Path) -> str:
    """A path for Spark, which takes one with `[ ] { } * ?` for a pattern."""
    return re.sub(r"[\\{}\[\]*?]", r"\\\g<0>", str(path))


def running(spark: SparkSession) -> SparkSession:
    """A session of the caller's. Raises ConfigurationError if it was stopped, of which Spark says nothing."""
    if getattr(spark, "is_stopped", False) or (
        hasattr(spark, "_jsparkSession") and spark.sparkContext._jsc is None
    ):
        raise ConfigurationError(
            "the Spark session was stopped: give one that runs, such as SparkSession.builder.getOrCreate()"
        )
    return spark


def session(master: str | None = None, light: bool = False) -> SparkSession:
    """Starts Spark on `master`, `local[*]` by default, or `spark://host:port`, unless it runs in here.

    One that is there stays as it is. It is refused if it is on another master than the one named, unless
    both are in this process.
    `light`: for tasks that are Python's own; Spark's SQL over many records wants all of Java. A cluster's
    workers need this package and the same paths as this machine. Raises ConfigurationError for what is no
    master and where Spark Connect is in use, InstallationError if Spark does not start: Java is missing or
    too old, or there is no master.
    """
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    wanted, master = master, master or "local[*]"
    _check(master)
    if SparkContext._active_spark_context is not None:
        return _there(wanted)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_CONF_DIR", str(files("mftpubsub.pipeline").joinpath("conf")))
    # It is about the pandas API on Spark, which this package does not use.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    logging.getLogger().addFilter(_is_not_of_py4j)  # it logs interruptions, which whoever catches them tells
    is_shown = sys.stderr.isatty() and not is_quiet()
    settings = _SETTINGS | {"spark.ui.showConsoleProgress": str(is_shown).lower()}
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings |= _LOCAL_SETTINGS
        if light:
            settings["spark.driver.extraJavaOptions"] += f" {_FIRST_COMPILER}"
    builder = SparkSession.builder.appName("mftpubsub").master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    if locale.getpreferredencoding(False).upper() != "UTF-8" or sys.flags.utf8_mode:
        os.environ["LC_ALL"] = "C.UTF-8"  # else Java has no words for files with other letters than ASCII's
    try:
        _start_java(settings | {"spark.master": master})
        return builder.getOrCreate()
    except (PySparkRuntimeError, FileNotFoundError) as error:
        raise InstallationError(
            "Spark did not start: it needs Java 17 or newer (apt-get install openjdk-17-jre-headless; "
            f"`mftpubsub doctor` says what is there): {error}"
        ) from error
    except Py4JError as error:
        lines = str(error).splitlines()  # Java's exception is in the one that begins with a colon
        reason = next((line.removeprefix(": ") for line in lines if line.startswith(": ")), lines[0])
        raise InstallationError(
            f"Spark did not start on {master}: is a master there, of the same version? ({reason})"
        ) from error


def _check(master: str) -> None:
    """Raises ConfigurationError for what is no master, or where none can be used, and InstallationError."""
    from pyspark.sql.utils import is_remote

    if is_remote():
        raise ConfigurationError(
            "Spark Connect is in use in this process, which has no master: give its session to "
            "mftpubsub.pipeline.ingest or metrics; sweeps run on processes or a cluster of their own"
        )
    if not re.fullmatch(_MASTERS, master):
        raise ConfigurationError(
            f"no Spark master {master!r}; such are local[*], local[4], local-cluster[2,1,1024], spark://host:7077"
        )
    if master.startswith("spark://"):
        _check_reachable(master)


def _there(wanted: str | None) -> SparkSession:
    """The session of this process, as it is. Raises ConfigurationError if it is on another master."""
    from pyspark.sql import SparkSession

    there = SparkSession.builder.getOrCreate()
    master = str(there.sparkContext.master)
    if wanted is not None and wanted != master and not (_is_here(wanted) and _is_here(master)):
        raise ConfigurationError(f"Spark runs on {master} here, not on {wanted}: stop that session first")
    return there


def _is_here(master: str) -> bool:
    """Whether all of it is in this process: then how many cores it has does not matter."""
    return re.fullmatch(r"local(\[[\d*, ]+\])?", master) is not None


#: s: how long a master may take to answer.
_PATIENCE = 10.0


def _check_reachable(master: str) -> None:
    """Raises InstallationError if nothing answers at `spark://host:port[,host:port...]`.

    Spark itself finds that out in more than a minute.
    """
    reasons = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit() or int(port) >= 2**16:
            raise ConfigurationError(
                f"no Spark master {master!r}: {place!r} is not host:port, as in host:7077"
            )
        try:
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        except OSError as error:
            reasons.append(f"{place}: {error.strerror or error}")
        else:
            return
    raise InstallationError(f"no Spark master answers at {master} ({'; '.join(reasons)}): is one there?")


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


def _start_java(settings: dict[str, str]) -> None:
    """Starts the Java that Spark will use, unless it runs, and passes on what it says but for _NOISE."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    read_end, write_end = os.pipe()
    threading.Thread(target=_pass_on, args=(read_end,), daemon=True).start()
    try:
        conf = SparkConf(loadDefaults=False).setAll([*settings.items()])
        gateway = launch_gateway(conf, popen_kwargs={"stderr": write_end})  # type: ignore[no-untyped-call]
        SparkContext._ensure_initialized(gateway=gateway)
    finally:
        os.close(write_end)


def _pass_on(read_end: int) -> None:
    with os.fdopen(read_end, "rb") as lines:
        for line in lines:
            if not line.startswith(_NOISE):
                os.write(2, line)
