"""The places that rows of the matrix of deaths die in, where a row says `place = "NAME"`.

Each is a way to start diagdemo, with CrashKit and without, and what it takes to get the reports out of there. A place
that this machine does not give says why: its rows are skipped, visibly.
"""

import os
import pathlib
import shutil
import subprocess

import places
import support


class Place:
    """Where nothing is special; every other place says what differs."""

    # Environment variables that are set, or, with None, taken away.
    environment = {}
    # Folders for crashsym to find debug information in, if the images' paths do not lead there.
    symbols = None

    def __init__(self, products, own):
        self.products, self.own = products, own
        self.program = products / "diagdemo"

    def missing(self):
        """Why there is no such place on this machine; None where there is."""

    def prepare(self, reports):
        """Once before each run, whose report folder that is."""

    def launcher(self, reports):
        """The words in front of the program."""
        return []

    def command(self, kind, reports, with_crash_kit):
        options = [] if with_crash_kit else ["--without-crash-kit"]
        return [*self.launcher(reports), self.program, "crash", *options, kind]

    def next_command(self, reports):
        """The program that is started next, and has to tell how the one before ended."""
        return [*self.launcher(reports), self.program, "crash", "--previous"]

    def clean_up(self):
        """Once, after the last run."""


# Ends as the program ended: by the same signal, if it was one, but without a second core.
SAME_END = """
status=$?
%s
[ $status -le 128 ] || { ulimit -S -c 0; kill -$((status - 128)) $$; }
exit $status
"""


class Namespaces(Place):
    """New namespaces, a script that furnishes them, and the program in the place of the script's shell."""

    unshare = ["--mount"]
    script = ""

    def missing(self):
        if os.geteuid() != 0:
            return "needs root"
        place = places.Place(None, ["unshare", *self.unshare])
        return place.possible()

    def launcher(self, reports):
        return ["unshare", *self.unshare, "sh", "-ec", self.script + '\nexec "$@"', "sh"]


class PID1(Namespaces):
    unshare = ["--pid", "--fork", "--mount-proc"]

    def launcher(self, reports):
        return alone_with_its_core(super().launcher(reports))


def alone_with_its_core(launcher):
    """unshare ends by the signal that its child ended by, and must not put its core in the place of the child's."""
    return ["sh", "-ec", 'ulimit -S -c 0; exec "$@"', "sh", *launcher,
            "sh", "-ec", 'ulimit -S -c unlimited; exec "$@"', "sh"]


class ReadOnlyRoot(Namespaces):
    script = places.READ_ONLY


class WithoutLibunwind(Namespaces):
    script = places.WITHOUT_LIBUNWIND


class SmallDisk(Namespaces):
    """The report folder on a disk of its own, of two megabytes. Reports are copied out at the end."""

    furnish = 'mount -t tmpfs -o size=2m,mode=0700 tmpfs "$reports"'
    rescue = """
mkdir "$reports.kept"
find "$reports" -name '*.json*' -exec cp -p {} "$reports.kept" ';'
umount "$reports"
find "$reports.kept" -type f -exec mv {} "$reports" ';'
"""

    def prepare(self, reports):
        reports.mkdir(mode=0o700, exist_ok=True)

    def launcher(self, reports):
        script = 'reports=$1; shift\n' + self.furnish + '\nset +e\n"$@"' + SAME_END % self.rescue
        return ["unshare", *self.unshare, "sh", "-ec", script, "sh", reports]


class ReadOnlyFolder(SmallDisk):
    """The report folder cannot be written to; the next choice can."""

    furnish = SmallDisk.furnish + '\nmount -o remount,ro "$reports"\nexport XDG_STATE_HOME="$reports.state"'
    rescue = 'umount "$reports"; find "$reports.state" -type f -exec mv {} "$reports" ";"'


class CopiedProgram(Place):
    """A copy of the program, which may be treated as the products may not."""

    def __init__(self, products, own):
        super().__init__(products, own)
        self.folder = own / "program"
        self.program = self.folder / "diagdemo"

    def prepare(self, reports):
        if not self.program.exists():
            self.folder.mkdir(parents=True)
            shutil.copy(self.products / "diagdemo", self.program)
            self.treat()

    def treat(self):
        """What is done to the copy."""


class Stripped(CopiedProgram):
    """No symbols in the program; its debug information in a file beside it."""

    def missing(self):
        return None if shutil.which("objcopy") else "objcopy is missing"

    def treat(self):
        debug = self.program.with_suffix(".debug")
        for command in [["objcopy", "--only-keep-debug", self.program, debug], ["strip", self.program],
                        ["objcopy", f"--add-gnu-debuglink={debug}", self.program]]:
            subprocess.run(command, check=True)


class NamelessUser(CopiedProgram):
    """A user without a name, a HOME or any right but to the report folder."""

    USER = 54321
    environment = {"HOME": None, "XDG_STATE_HOME": None, "USER": None, "LOGNAME": None}

    def missing(self):
        if os.geteuid() != 0:
            return "needs root"
        return None if shutil.which("setpriv") else "setpriv is missing"

    def prepare(self, reports):
        super().prepare(reports)
        for folder in [self.own.parent, self.own, self.folder, reports.parent]:
            folder.chmod(0o755)
        reports.mkdir(mode=0o700, exist_ok=True)
        for folder in [reports, reports.parent / "work"]:
            folder.mkdir(exist_ok=True)
            os.chown(folder, self.USER, self.USER)

    def launcher(self, reports):
        return ["setpriv", "--reuid", self.USER, "--regid", self.USER, "--clear-groups"]


class StaticLibrary(Place):
    """A program with the Swift standard library inside, from the build that the full set of tests makes."""

    def __init__(self, products, own):
        super().__init__(products, own)
        self.program = support.ROOT / ".build/full-static/release/diagdemo"

    def missing(self):
        if not self.program.exists():
            return "there is no static build in .build/full-static; Scripts/test --full makes one"
        sources = [p for p in (support.ROOT / "Sources").rglob("*") if p.is_file()]
        if any(source.stat().st_mtime > self.program.stat().st_mtime for source in sources):
            return "the static build in .build/full-static is older than the sources; Scripts/test --full makes it anew"


class MemoryLimit(Place):
    """A control group of its own below this process's, with a limit of memory."""

    LIMIT = 64 << 20

    def __init__(self, products, own):
        super().__init__(products, own)
        self.group, self.limits = memory_group(f"crashkit-check-{os.getpid()}-{own.name}")

    def missing(self):
        if self.group is None:
            return "no control group for memory is to be found"
        try:
            self.group.mkdir()
            for name in self.limits:
                (self.group / name).write_text(str(self.LIMIT))
        except OSError as error:
            return f"control groups cannot be made: {error.strerror}"
        finally:
            self.clean_up()

    def prepare(self, reports):
        if not self.group.exists():
            self.group.mkdir()
            for name in self.limits:
                (self.group / name).write_text(str(self.LIMIT))

    def launcher(self, reports):
        return ["sh", "-ec", 'echo $$ >"$1"; shift; exec "$@"', "sh", self.group / "cgroup.procs"]

    def clean_up(self):
        if self.group.exists():
            self.group.rmdir()


def memory_group(name):
    """The path of a group below this process's own, and the names of its limits: of version 1, else of version 2."""
    found = None, []
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return pathlib.Path("/sys/fs/cgroup/memory", path.lstrip("/"), name), ["memory.limit_in_bytes"]
        if number == "0":
            group = pathlib.Path("/sys/fs/cgroup", path.lstrip("/"))
            enabled = group / "cgroup.subtree_control"
            if enabled.exists() and "memory" in enabled.read_text().split():
                found = group / name, ["memory.max", "memory.swap.max"]
    return found


class Java(Place):
    """A Java program, which lives on faults that its machine repairs: null checks, safepoints, deep recursion."""

    SOURCE = support.ROOT / "Tests" / "Deaths" / "Faults.java"

    def missing(self):
        return None if shutil.which("java") and shutil.which("javac") else "java is missing"

    def prepare(self, reports):
        classes = self.own / "classes"
        if not classes.exists():
            subprocess.run(["javac", "-d", classes, self.SOURCE], check=True)

    def command(self, kind, reports, with_crash_kit):
        java = ["java", "-XX:TieredStopAtLevel=4", "-cp", self.own / "classes", "Faults"]
        return [self.products / "crashsym", "run", "--", *java] if with_crash_kit else java


NAMES = {
    "pid-1": PID1,
    "read-only-root": ReadOnlyRoot,
    "read-only-folder": ReadOnlyFolder,
    "without-libunwind": WithoutLibunwind,
    "small-disk": SmallDisk,
    "stripped": Stripped,
    "nameless-user": NamelessUser,
    "static-library": StaticLibrary,
    "memory-limit": MemoryLimit,
    "java": Java,
    None: Place,
}


def of(row, products, own):
    """The place that a row dies in."""
    if row.place == "slim-root":
        import slim_root
        return slim_root.SlimRoot(products, own)
    return NAMES[row.place](products, own)
