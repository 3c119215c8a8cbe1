"""Runs lock scenarios: under ThreadGuard, ThreadSanitizer, Helgrind and DRD."""

import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import support

LIMIT = 30
# After which a program that hangs is taken to be reported on, or not at all.
HANG = 8
VALGRIND_LIMIT = 180
VALGRIND_HANG = 25
VALGRIND = {
    "Helgrind": ["--tool=helgrind", "--history-level=none"],
    "DRD": ["--tool=drd", "--check-stack-var=no"],
}
# Kinds of theirs that are not about locks.
RACES = {"Race", "ConflictingAccess"}


@dataclasses.dataclass
class Result:
    """What a tool said of one scenario."""
    # Of ThreadGuard: the reports; of the others: kinds, each as often as it was said.
    reports: list
    # As subprocess has it; None where the program had to be ended.
    status: int | None
    said: str = ""
    # What a tool says only as the hanging program is ended.
    late: bool = False
    # Of a live scenario under ThreadGuard: whether the program was alive as the report was found.
    alive: bool = False
    # Of ThreadGuard: the reports' files.
    paths: list = dataclasses.field(default_factory=list)


class Child:
    """A program in a session of its own, which is ended with all that it started."""

    def __init__(self, command, folder, environment):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "output"
        with open(self.path, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, start_new_session=True)

    def wait(self, limit):
        """The status; None if the program is still there after that many seconds."""
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def end(self, number=signal.SIGKILL):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def close(self):
        self.end()
        self.process.wait()

    @property
    def said(self):
        return self.path.read_text(errors="replace")


def violation_files(folder):
    """The finished reports of a folder that are not of a crash, oldest first."""
    return [path for path in sorted(pathlib.Path(folder).glob("*.json")) if not path.name.endswith("-crashReport.json")]


def violations(folder):
    """What they hold."""
    return [json.loads(path.read_text()) for path in violation_files(folder)]


def under_thread_guard(row, program, launch, folder):
    """Runs a scenario; one that hangs is ended when its report is there, or after HANG seconds."""
    reports = folder / "reports"
    environment = support.environment(
        reports, THREADGUARD_OPTIONS=row.options, SWIFT_BACKTRACE="enable=no", **launch.environment)
    child = Child([*launch.command, program, *row.name.split()], folder, environment)
    try:
        if not row.live:
            status = child.wait(LIMIT)
            return Result(violations(reports), status, child.said, paths=violation_files(reports))
        kinds = lambda: [report["kind"] for report in violations(reports)]
        end = time.monotonic() + HANG
        while row.kind not in kinds() and child.process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        alive = child.process.poll() is None
        status = child.process.poll()
        return Result(violations(reports), status, child.said, alive=alive, paths=violation_files(reports))
    finally:
        child.close()


@dataclasses.dataclass
class Launch:
    """How a program is started with ThreadGuard in it."""
    command: list
    environment: dict


def launch(products=None, library=None):
    """By `crashsym run --thread-guard`, or with the library preloaded by hand."""
    if library:
        return Launch([], {"LD_PRELOAD": str(library.resolve())})
    return Launch([products / "crashsym", "run", "--thread-guard", "--"], {})


def under_thread_sanitizer(row, program, folder, all_modules=False):
    options = "detect_deadlocks=1:exitcode=0:report_bugs=1"
    if all_modules:
        options += ":ignore_noninstrumented_modules=0"
    environment = support.environment(folder / "reports", TSAN_OPTIONS=options, SWIFT_BACKTRACE="enable=no")
    child = Child([program, *row.name.split()], folder, environment)
    try:
        status = child.wait(HANG if row.live else LIMIT)
        found = re.findall(r"WARNING: ThreadSanitizer: ([^(\n]*)", child.said)
        kinds = [kind.strip() for kind in found if not kind.startswith(("data race", "thread leak"))]
        return Result(kinds, status, child.said)
    finally:
        child.close()


def under_valgrind(tool, row, program, folder):
    output = folder / "errors.xml"
    command = ["valgrind", *VALGRIND[tool], "--max-threads=2000", "--xml=yes", f"--xml-file={output}", program]
    child = Child([*command, *row.name.split()], folder, support.environment(folder / "reports"))

    def kinds():
        text = output.read_text(errors="replace") if output.exists() else ""
        once = re.findall(r"<unique>(\w+)</unique>.*?<kind>(\w+)</kind>", text, re.DOTALL)
        often = {unique: int(count) for count, unique in
                 re.findall(r"<count>(\d+)</count>\s*<unique>(\w+)</unique>", text)}
        return [kind for unique, kind in once if kind not in RACES for _ in range(max(1, often.get(unique, 1)))]

    try:
        status = child.wait(VALGRIND_HANG if row.live else VALGRIND_LIMIT)
        before = kinds()
        if status is None:
            child.end(signal.SIGTERM)
            child.wait(VALGRIND_HANG)
        after = kinds()
        return Result(after, status, child.said, late=bool(after and not before))
    finally:
        child.close()
