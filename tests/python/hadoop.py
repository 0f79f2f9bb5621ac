"""An HDFS of our own: Hadoop's name node and data node, from the jars of an old PySpark.

`python tests/python/hadoop.py` brings these jars to build/hadoop (218 MB to load, once).
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

JARS = Path(__file__).parents[2] / "build" / "hadoop"
#: The last with Hadoop 2.7, whose servers are in one jar with the client.
REQUIREMENT = "pyspark==2.4.8 --hash=sha256:3a19b71b8dc8dd91ebc943604a05e1ab01bce052456d42937035632d852d78dc"
#: What its setup.py can do with.
BUILT_WITH = "pypandoc==1.5\n"

JAVA = [
    *("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
    *("--add-opens=java.base/java.lang=ALL-UNNAMED",),
    *("--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",),
    *("--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",),
]
SERVER = "org.apache.hadoop.hdfs.server"
NAMES, DATA = f"{SERVER}.namenode.NameNode", f"{SERVER}.datanode.DataNode"


@dataclass
class Hadoop:
    """A cluster of one name node and one data node; `settings` is for HADOOP_CONF_DIR."""

    place: Path
    port: int
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def settings(self) -> Path:
        return self.place / "conf"

    def url(self, folder: str) -> str:
        return f"hdfs://127.0.0.1:{self.port}/studies/{quote(folder)}"

    def start(self, server: str, *options: str) -> None:
        """Starts NAMES or DATA, and waits until it serves."""
        command = [*JAVA, "-cp", f"{self.settings}:{JARS}/*", server, *options]
        with (self.place / f"{server.rpartition('.')[2]}.log").open("ab") as log:
            self.running[server] = subprocess.Popen(command, stdout=log, stderr=log)
        if not options:
            self._wait(server)

    def stop(self, server: str) -> None:
        """As a crash does."""
        self.running[server].kill()
        self.running.pop(server).wait()

    def _wait(self, server: str) -> None:
        """Until a file can be written, or, without a data node, until the name node answers."""
        from hdfs_native import Client, WriteOptions

        client = Client(config_dir=str(self.settings))
        end = time.monotonic() + 60
        while True:
            try:
                if len(self.running) == 2:
                    with client.create("/tried", WriteOptions(overwrite=True)) as file:
                        file.write(b"once")
                    client.delete("/tried")
                else:
                    client.get_file_info("/")
                return
            except (OSError, RuntimeError):
                assert self.running[server].poll() is None, f"{server} ended: see {self.place}"
                assert time.monotonic() < end, f"{server} does not serve: see {self.place}"
                time.sleep(0.2)


@contextmanager
def hadoop(place: Path) -> Iterator[Hadoop]:
    """Starts a cluster that keeps all it has in an empty folder."""
    cluster = Hadoop(place, _free_port())
    for page in ("hdfs", "datanode"):
        (cluster.settings / "webapps" / page).mkdir(parents=True)
    _write(cluster.settings / "core-site.xml", {"fs.defaultFS": f"hdfs://127.0.0.1:{cluster.port}"})
    of_servers = {f"dfs.datanode.{part}address": "127.0.0.1:0" for part in ("", "http.", "ipc.")}
    of_client = {"dfs.client.failover.max.attempts": "1", "dfs.replication": "1"}
    _write(
        cluster.settings / "hdfs-site.xml",
        of_servers
        | of_client
        | {
            "dfs.namenode.http-address": "127.0.0.1:0",
            "dfs.namenode.name.dir": f"file://{place}/names",
            "dfs.datanode.data.dir": f"file://{place}/data",
            "dfs.namenode.safemode.extension": "0",
            "dfs.heartbeat.interval": "1",
            "dfs.permissions.enabled": "false",
            "dfs.webhdfs.enabled": "false",
        },
    )
    cluster.start(NAMES, "-format", "-force")
    assert cluster.running.pop(NAMES).wait() == 0, f"see {place}"
    try:
        cluster.start(NAMES)
        cluster.start(DATA)
        yield cluster
    finally:
        for server in [*cluster.running]:
            cluster.stop(server)


def _write(path: Path, settings: dict[str, str]) -> None:
    told = (
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in settings.items()
    )
    path.write_text(f"<configuration>{''.join(told)}</configuration>")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Brings the jars."""
    with tempfile.TemporaryDirectory() as scratch:
        wanted, constraint = Path(scratch, "wanted"), Path(scratch, "constraint")
        wanted.write_text(REQUIREMENT)
        constraint.write_text(BUILT_WITH)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=pyspark"]
        told = [f"--build-constraint={constraint}", f"--dest={scratch}", f"--requirement={wanted}"]
        subprocess.run([*pip, *told], check=True)
        JARS.mkdir(parents=True, exist_ok=True)
        with tarfile.open(next(Path(scratch).glob("pyspark-*.tar.gz"))) as archive:
            for member in archive:
                if "/deps/jars/" in member.name and (content := archive.extractfile(member)):
                    with (JARS / Path(member.name).name).open("wb") as jar:
                        shutil.copyfileobj(content, jar)


if __name__ == "__main__":
    main()
