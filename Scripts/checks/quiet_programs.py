"""Programs that do nothing wrong with locks, for quiet_runs.py: how each is built, started, and what it says."""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import support

FOLDER = support.ROOT / "Tests" / "LockScenarios" / "quiet"
C_FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-g", "-O1", "-pthread"]
LIMIT = 300
# Left to the full set, since they take long.
LONG = {"locks-alive", "locks-made-and-destroyed", "many-orders", "thread-churn"}


@dataclasses.dataclass
class Run:
    """How a program went; what it said is compared with what it says without ThreadGuard."""
    status: int | None
    said: str
    seconds: float
    kilobytes: int | None
    errors: str


@dataclasses.dataclass
class Program:
    name: str
    # Command of the program, built in a folder.
    command: list
    # Loaded before everything else, and after ThreadGuard.
    preload: pathlib.Path | None = None
    # The system's own programs are started as a user starts them.
    by_crashsym: bool = False


class Unavailable(Exception):
    """What this machine lacks to run a program."""


def need(command):
    found = shutil.which(command)
    if not found:
        raise Unavailable(f"there is no {command} here")
    return found


def c_programs(folder, full):
    library = folder / "plugin.so"
    subprocess.run(["gcc", *C_FLAGS, "-shared", "-fPIC", FOLDER / "plugin" / "plugin.c", "-o", library], check=True)
    jemalloc = next(pathlib.Path("/usr/lib").glob("*-linux-gnu/libjemalloc.so.2"), None)
    for source in sorted(FOLDER.glob("*.c")):
        if source.stem in LONG and not full:
            continue
        target = folder / source.stem
        subprocess.run(["gcc", *C_FLAGS, source, "-o", target], check=True)
        yield Program(source.stem, [target] + ([library] if source.stem == "dlopened-libraries" else []))
        if jemalloc and source.stem in ("contention", "addresses-reused"):
            yield Program(f"{source.stem} with jemalloc", [target], preload=jemalloc)


def python_program(folder):
    del folder
    # Debian's own: what is first on PATH may be a shell script that starts one.
    return Program("Python, threads", ["/usr/bin/python3", FOLDER / "python_threads.py"], by_crashsym=True)


def java_program(folder):
    subprocess.run([need("javac"), "-d", folder, FOLDER / "JvmLoad.java"], check=True)
    return Program("Java machine under load", [need("java"), "-cp", folder, "JvmLoad"], by_crashsym=True)


def rust_program(folder):
    target = folder / "rust_threads"
    subprocess.run([need("rustc"), "-O", FOLDER / "rust_threads.rs", "-o", target], check=True)
    return Program("Rust, threads", [target], by_crashsym=True)


def diagdemo_programs(products):
    """The rows of its catalogue that are no death."""
    for kind in ("exit-status", "sigterm-handled", "sigpipe-ignored", "children"):
        yield Program(f"diagdemo crash {kind}", [products / "diagdemo", "crash", kind])


class Postgres:
    """A cluster of its own in a temporary folder, as the user postgres where this one is root."""

    def __init__(self, start):
        """`start` is what a command is started with: its words, and what is added to the environment."""
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        if not found:
            raise Unavailable("there is no PostgreSQL here")
        self.binaries, self.start = found[-1], start
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="crashkit-postgres-"))
        self.data, self.reports = self.folder / "data", self.folder / "reports"

    def __enter__(self):
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.plain("initdb", "-D", self.data, "-A", "trust", "--no-sync")
        self.log = open(self.folder / "log", "wb")
        options = ["-D", self.data, "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        self.server = self.guarded("postgres", *options, stdout=self.log, stderr=self.log)
        ready = [*self.user, self.binaries / "pg_isready", "-q", "-h", self.folder]
        if not support.comes_true(lambda: subprocess.run(ready).returncode == 0, 60):
            raise RuntimeError("PostgreSQL does not start: " + self.said())
        return self

    def __exit__(self, *_):
        if self.server.poll() is None:
            self.server.kill()
        self.server.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def plain(self, name, *arguments):
        run = subprocess.run([*self.user, self.binaries / name, *arguments], check=True, capture_output=True, text=True,
                             cwd="/", env=support.environment())
        return run.stdout

    def guarded(self, name, *arguments, **streams):
        command, environment = self.start
        return subprocess.Popen([*self.user, *command, self.binaries / name, *arguments], cwd="/",
                                env=support.environment(self.reports, **environment), **streams)

    def said(self):
        return (self.folder / "log").read_text(errors="replace")

    def bench(self):
        """Runs pgbench's load; returns what the tables then hold, transactions per second and what was said."""
        self.plain("pgbench", "-h", self.folder, "-i", "-s", "2", "-q", "postgres")
        load = self.guarded("pgbench", "-h", self.folder, "-c", "8", "-j", "4", "-t", "500", "postgres",
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, _ = load.communicate(timeout=LIMIT)
        if load.returncode:
            raise RuntimeError(f"pgbench: {said}")
        held = self.plain("psql", "-h", self.folder, "-At", "-c", """
            select (select count(*) from pgbench_history),
                   (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history),
                   (select sum(bbalance) from pgbench_branches) = (select sum(tbalance) from pgbench_tellers)""",
                          "postgres").strip()
        return held, float(re.search(r"tps = ([0-9.]+)", said)[1]), said

    def stop(self):
        self.server.send_signal(signal.SIGINT)
        return self.server.wait(60)
