"""Unfriendly places to crash in: PID 1, a read-only root, no HOME, a user without a name, no libunwind.

Each leaves a report or its documented fallback, and the program ends with the status that it would have had. Needs
root, for namespaces; where those are refused the case is skipped, visibly.
"""

import json
import pathlib
import re
import shutil
import subprocess

import support

SIGSEGV = 11
CRASH = ["crash", "null-write"]


class Place:
    """A way to start diagdemo: a shell script that ends in `exec "$@"`, run by unshare."""

    def __init__(self, name, unshare, script='exec "$@"', env=None):
        self.name, self.unshare, self.script, self.env = name, unshare, script, env

    def possible(self):
        run = subprocess.run([*self.unshare, "sh", "-ec", self.script, "sh", "true"], capture_output=True, text=True,
                             env=self.env)
        return run.stderr.strip() or "refused" if run.returncode else None

    def run(self, *command):
        return subprocess.run([*self.unshare, "sh", "-ec", self.script, "sh", *command], capture_output=True,
                              text=True, env=self.env, timeout=60)


def died(run, as_pid_1=False):
    """By SIGSEGV; as PID 1, whose raised signals the kernel ignores, by the status that stands for it."""
    return run.returncode == (128 + SIGSEGV if as_pid_1 else -SIGSEGV) or run.returncode == 128 + SIGSEGV


def one_report(checks, name, folder):
    """The one report of a folder, valid by the schema; None, and a failure, if there is not exactly one."""
    reports = [path for path in pathlib.Path(folder).rglob("*-crashReport.json")]
    if not checks.expect(len(reports) == 1, f"{name}: one report", f"{len(reports)} in {folder}"):
        return None
    complaints = support.validate(reports[0])
    checks.expect(not complaints, f"{name}: valid by the schema", "; ".join(complaints[:3]))
    return json.loads(reports[0].read_text())


def pid_1(checks, diagdemo, folder):
    place = Place("as PID 1", ["unshare", "--pid", "--fork", "--mount-proc"], env=support.environment(folder))
    if reason := place.possible():
        return checks.skip(place.name, reason)
    for kind in ["null-write", "abort", "raise-SIGSEGV", "fatal-error"]:
        with support.temporary_folder() as own:
            place.env = support.environment(own)
            run = place.run(diagdemo, "crash", kind)
            expected = {"null-write": 139, "abort": 134, "raise-SIGSEGV": 139, "fatal-error": 132}[kind]
            status = run.returncode if run.returncode >= 0 else 128 - run.returncode
            checks.expect(status == expected, f"{place.name}: {kind}: status", f"{run.returncode} {run.stderr[-200:]}")
            if report := one_report(checks, f"{place.name}: {kind}", own):
                checks.expect(report["process"]["pid"] == 1, f"{place.name}: {kind}: it was PID 1")


# Everything read-only but what a container keeps of its own.
READ_ONLY = """
mount --make-rprivate /
for point in $(awk '{print $2}' /proc/self/mounts | grep -Ev '^/(proc|dev|sys)(/|$)' | sort -ru); do
  mount -o remount,ro,bind "$point" 2>/dev/null || true
done
for point in /dev/shm /run; do mountpoint -q $point && mount -o remount,ro,bind $point || true; done
! touch /tmp/writable-after-all 2>/dev/null
"""


def read_only_root(checks, diagdemo, folder):
    env = support.environment()
    place = Place("read-only root", ["unshare", "--mount"], READ_ONLY + 'exec "$@"', env)
    if reason := place.possible():
        return checks.skip(place.name, reason)
    run = place.run(diagdemo, *CRASH)
    checks.expect(died(run), f"{place.name}: status", f"{run.returncode} {run.stderr[-300:]}")
    lines = [line for line in run.stderr.splitlines() if re.match(r"CrashKit(\[\d+\])?:", line)]
    checks.expect(any("null pointer dereference" in line for line in lines), f"{place.name}: summary", run.stderr)
    checks.expect(lines and "null pointer dereference" not in lines[0], f"{place.name}: install() says so", run.stderr)

    place.env = support.environment(CRASHKIT_OPTIONS="output=stderr")
    run = place.run(diagdemo, *CRASH)
    numbered = [line for line in run.stderr.splitlines() if "crashkit-report " in line]
    checks.expect(len(numbered) > 1, f"{place.name}: output=stderr writes numbered lines", run.stderr[-300:])


def no_home(checks, diagdemo, folder):
    env = {"PATH": "/usr/bin:/bin", "TMPDIR": folder}
    run = subprocess.run([diagdemo, *CRASH], env={**env, "HOME": folder}, capture_output=True, text=True)
    checks.expect(died(run), "HOME: status", str(run.returncode))
    state = pathlib.Path(folder, ".local/state/crashkit/diagdemo")
    checks.expect(list(state.glob("*.json")), "HOME: the report is under ~/.local/state", run.stderr[-300:])
    checks.expect(state.is_dir() and state.stat().st_mode & 0o777 == 0o700, "HOME: the folder is private")


def nameless_user(checks, diagdemo, folder):
    name = "a user without a name and a HOME"
    if shutil.which("setpriv") is None:
        return checks.skip(name, "setpriv is missing")
    # The build folder may be closed to others: a copy that the user may run, with the libraries it needs.
    program = pathlib.Path(folder, "diagdemo")
    shutil.copy(diagdemo, program)
    temporary = pathlib.Path(folder, "tmp")
    temporary.mkdir()
    for path, mode in [(folder, 0o755), (program, 0o755), (temporary, 0o1777)]:
        pathlib.Path(path).chmod(mode)
    user = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"]
    env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(temporary)}
    trial = subprocess.run([*user, program, "crash", "--list"], env=env, capture_output=True, text=True)
    if trial.returncode:
        return checks.skip(name, trial.stderr.strip()[-200:])
    run = subprocess.run([*user, program, *CRASH], env=env, capture_output=True, text=True)
    checks.expect(died(run), f"{name}: status", f"{run.returncode}")
    if one_report(checks, name, temporary):
        path = next(temporary.rglob("*-crashReport.json"))
        status = path.stat()
        checks.expect(status.st_uid == 54321 and status.st_mode & 0o777 == 0o600, f"{name}: the file is its own")
        checks.expect(path.parent.stat().st_mode & 0o777 == 0o700, f"{name}: the folder is private")


WITHOUT_LIBUNWIND = """
mount --make-rprivate /
for library in $(ldconfig -p | awk '/libunwind/ {print $NF}'); do mount --bind /dev/null "$library"; done
"""


def without_libunwind(checks, diagdemo, folder):
    place = Place("without libunwind", ["unshare", "--mount"], WITHOUT_LIBUNWIND + 'exec "$@"',
                  support.environment(folder))
    if reason := place.possible():
        return checks.skip(place.name, reason)
    run = place.run(diagdemo, *CRASH)
    checks.expect(died(run), f"{place.name}: status", f"{run.returncode} {run.stderr[-300:]}")
    if report := one_report(checks, place.name, folder):
        crashed = report["threads"][0]
        checks.expect(crashed.get("unwoundBy") == "framePointer", f"{place.name}: marked", crashed.get("unwoundBy"))
        checks.expect(len(crashed["frames"]) >= 2, f"{place.name}: frames by frame pointers", str(crashed["frames"]))


WITHOUT_PROC = "mount --make-rprivate / && mount -t tmpfs none /proc && "


def without_proc(checks, diagdemo, folder):
    # A program in C: Swift takes its arguments from /proc.
    path = pathlib.Path(diagdemo).resolve().with_name("handler-probe")
    name, program = path.name, str(path)
    # How it is started, and what the report then gives as its path: the name alone if the kernel was given no path.
    ways = {"by its path": ([program], program),
            "by a relative path": (["sh", "-c", f'cd "{path.parent}" && exec ./{name} "$@"', "sh"], program),
            "under another name": (["bash", "-c", f'exec -a other "{path}" "$@"', "bash"], program),
            "by a descriptor": (["python3", "-c", "import os, sys; file = os.open(sys.argv[1], os.O_RDONLY); "
                                 "os.execve(file, sys.argv[1:], os.environ)", program], name)}
    for way, (command, wanted) in ways.items():
        place = Place(f"without /proc, started {way}", ["unshare", "--mount"], WITHOUT_PROC + 'exec "$@"')
        with support.temporary_folder() as own:
            place.env = support.environment(own)
            if reason := place.possible():
                checks.skip(place.name, reason)
                continue
            run = place.run(*command, "null-read")
            checks.expect(died(run), f"{place.name}: status", f"{run.returncode} {run.stderr[-300:]}")
            if report := one_report(checks, place.name, own):
                pc = int(report["threads"][0]["frames"][0]["address"], 16)
                images = [image for image in report["images"]
                          if int(image["baseAddress"], 16) <= pc < int(image["endOfText"], 16)]
                found = [(image["name"], image["path"]) for image in images]
                checks.expect(found == [(name, wanted)], f"{place.name}: the program's image has a name", found)
                checks.expect(report["process"]["name"] == name, f"{place.name}: the process has a name",
                              report["process"]["name"])


def main():
    products = support.swift_build("--product", "diagdemo")
    support.swift_build("--product", "handler-probe")
    checks = support.Checks()
    for case in [pid_1, read_only_root, no_home, nameless_user, without_libunwind, without_proc]:
        with support.temporary_folder() as folder:
            case(checks, str(products / "diagdemo"), folder)
    checks.end()


if __name__ == "__main__":
    main()
