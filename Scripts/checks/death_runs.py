"""Runs the programs of the matrix: with CrashKit, undisturbed, and under the Swift runtime's own backtracer."""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import signal
import struct
import subprocess

import core_notes
import places_to_die
import support

LIMIT = 30
# Cores for the sake of their notes: no memory in them. Addresses that do not change from run to run can be compared.
LAUNCH = ["sh", "-c", "ulimit -S -c unlimited; echo 0 >/proc/self/coredump_filter; exec setarch -R \"$@\"", "sh"]
RUNTIME = "enable=yes,threads=all,interactive=no,color=no,format=json,output-to="


@dataclasses.dataclass
class Run:
    """One program's end, and what it left."""
    status: int | None  # as Popen has it: negative for a signal; None where it had to be killed
    pid: int
    stderr: str
    folder: pathlib.Path
    core: core_notes.CoreSignal | None


@dataclasses.dataclass
class Death:
    """A row's runs, and the report with its frames filled in where there is one."""
    row: object
    ours: Run | None = None
    bare: Run | None = None
    runtime: Run | None = None
    skipped: str | None = None
    symbols: pathlib.Path | None = None
    path: pathlib.Path | None = None
    symbolicated: dict | None = None


def signal_of(core):
    """Its signal; None if it is gone or not whole: processes that die at once remove and replace each other's file."""
    try:
        return core_notes.signal_of(core)
    except (ValueError, struct.error, FileNotFoundError):
        return None


def run(command, folder, limit=LIMIT, **environment):
    """Runs a command in a working directory of its own below `folder`, and kills it after `limit` seconds."""
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
        child = subprocess.Popen(
            LAUNCH + [str(word) for word in command], cwd=work, env=support.environment(**environment),
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        # With what it may have started and left behind.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if status is None:
            child.wait()
    said = (folder / "stderr").read_text(errors="replace")
    core = core_notes.find(work)
    result = Run(status, child.pid, said, folder, signal_of(core) if core else None)
    if core:
        core.unlink(missing_ok=True)
    return result


def reports(folder):
    return sorted(path for path in (folder / "reports").glob("*.json"))


def die(row, products, folder, compare):
    """Runs a row in every way that is asked for."""
    own = folder / row.name
    place = places_to_die.of(row, products, own)
    if reason := place.missing():
        return Death(row, skipped=reason)

    def start(name, command, reports, limit=LIMIT, **environment):
        return run([*row.launcher, *command], own / name, limit,
                   **{"CRASHKIT_DIRECTORY": str(reports), **environment, **row.environment, **place.environment})

    try:
        there = made(own / "ours") / "reports"
        place.prepare(there)
        ours = start("ours", place.command(row.asked, there, True), there)
        if row.report == "uncleanExit":
            # It is the next program in the same folder that tells.
            start("next", place.next_command(there), there)
        there = made(made(own / "bare") / "reports")
        place.prepare(there)
        bare = start("bare", place.command(row.asked, there, False), there, SWIFT_BACKTRACE="enable=no")
        runtime = None
        if compare:
            there = made(made(own / "runtime") / "reports")
            place.prepare(there)
            command = place.command(row.asked, there, False)
            runtime = start("runtime", command, there, 10, SWIFT_BACKTRACE=RUNTIME + str(there))
        return Death(row, ours, bare, runtime, symbols=place.symbols)
    finally:
        place.clean_up()


def made(folder):
    folder.mkdir(parents=True, mode=0o700)
    return folder


def die_all(rows, products, folder, compare, jobs):
    """Runs all rows, several at a time, then symbolicates their reports."""
    deaths = run_all(rows, products, folder, compare, jobs)
    symbolicate_all(deaths, products, jobs)
    return deaths


def run_all(rows, products, folder, compare, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda row: die(row, products, folder, compare), rows))


def symbolicate_all(deaths, products, jobs):
    """Finds each death's report, and fills in its frames."""
    for death in deaths:
        if death.skipped:
            continue
        found = reports(death.ours.folder)
        if death.row.report == "stderr":
            death.path = death.ours.folder / "stderr"
        elif len(found) == 1:
            death.path = found[0]
    with_report = [death for death in deaths if death.path]
    parts = [[death for death in with_report if death.symbols]]
    ordinary = [death for death in with_report if not death.symbols]
    parts += [ordinary[i::jobs] for i in range(jobs)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for texts in pool.map(lambda part: symbolicate(part, products), parts):
            for death, text in texts:
                death.symbolicated = text


def symbolicate(deaths, products):
    """Many reports by one crashsym, which then reads each image's debug information once."""
    if not deaths:
        return []
    command = [products / "crashsym", "--format", "json", *[death.path for death in deaths]]
    symbols = ":".join(sorted({str(death.symbols) for death in deaths if death.symbols}))
    environment = support.environment(CRASHSYM_SYMBOLS=symbols or None)
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    lines = ended.stdout.splitlines()
    if len(lines) != len(deaths):
        # One of them cannot be read: find out which.
        if len(deaths) > 1:
            return [pair for death in deaths for pair in symbolicate([death], products)]
        deaths[0].ours.stderr += ended.stderr
        return []
    return [(death, json.loads(line)) for death, line in zip(deaths, lines)]
