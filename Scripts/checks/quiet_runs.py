#!/usr/bin/env python3
"""Programs that do nothing wrong with locks run as ever under ThreadGuard: no report, no deadlock, the same output and
status. What they cost in time and memory is said, and with --table written to Docs/quiet-runs.md.

Without --full, the small and short programs of Tests/LockScenarios/quiet alone; with it all, and threads of Python and Rust, a Java
machine under load, this package's own tests (to be built before), PostgreSQL under pgbench, and the Hummingbird sample
under wrk.
"""

import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import time

import lock_runs
import quiet_programs
import support

PAGE = support.ROOT / "Docs" / "quiet-runs.md"
MARK = "<!-- What follows is written by Scripts/checks/quiet_runs.py. -->\n"
SERVER = support.ROOT / "Samples" / "HummingbirdServer"
WRK_SECONDS, WRK_ROUNDS = 1, 60
TESTS_LIMIT = 1800
# Where the package's own tests break rules on purpose.
PLANTED = ("/Tests/ThreadGuardTests/", "/Tests/LockProbe/")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help="programs whose name holds this; may be given several times")
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--full", action="store_true", help="the large programs too")
    parser.add_argument("--bare", action="store_true", help="without ThreadGuard, to see that the programs are right")
    parser.add_argument("--server", type=pathlib.Path, help="a Hummingbird sample that is already built")
    parser.add_argument("--no-crashsym", action="store_true", help="preload the library by hand everywhere")
    parser.add_argument("--table", action="store_true", help="write Docs/quiet-runs.md; with --full")
    given = parser.parse_args()
    if given.table and (given.only or not given.full or given.bare):
        parser.error("--table goes with --full, and not with --only or --bare")
    return given


def run(command, folder, limit=quiet_programs.LIMIT, **environment):
    """Runs a program to its end, with its largest memory; kills what does not end."""
    folder.mkdir(parents=True, exist_ok=True)
    # What the kernel tells of a child's memory counts this interpreter's, of which the child was a copy before its exec.
    measured = ["/usr/bin/time", "-q", "-o", folder / "memory", "-f", "%M", "env",
                *(f"{name}={value}" for name, value in environment.items())]
    start = time.monotonic()
    with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
        child = subprocess.Popen([str(word) for word in [*measured, *command]], stdin=subprocess.DEVNULL, stdout=stdout,
                                 stderr=stderr, env=support.environment(folder / "reports"), start_new_session=True)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        seconds = time.monotonic() - start
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
    memory = int((folder / "memory").read_text()) if status is not None else 0
    return quiet_programs.Run(status, (folder / "stdout").read_text(errors="replace"), seconds, memory,
                              (folder / "stderr").read_text(errors="replace"))


class Starts:
    """How programs are started with ThreadGuard in them."""

    def __init__(self, given, products):
        self.bare = given.bare
        self.library = products / "libThreadGuardPreload.so"
        self.crashsym = None if given.no_crashsym else products / "crashsym"

    def of(self, by_crashsym, preload=None):
        """The words before a command, and what is added to the environment."""
        libraries = [str(path) for path in (None if self.bare or (by_crashsym and self.crashsym) else self.library, preload)
                     if path]
        words = [self.crashsym, "run", "--thread-guard", "--"] if by_crashsym and self.crashsym and not self.bare else []
        return words, {"LD_PRELOAD": ":".join(libraries)} if libraries else {}


def small(program, starts, folder, checks, lines):
    """One program, without and with."""
    own = folder / "runs" / program.name.replace(" ", "-")
    before = run(program.command, own / "bare", **({"LD_PRELOAD": str(program.preload)} if program.preload else {}))
    words, environment = starts.of(program.by_crashsym, program.preload)
    after = run([*words, *program.command], own / "guarded", **environment)
    reports = lock_runs.violations(own / "guarded" / "reports")
    wrong = []
    if before.status is None or after.status != before.status:
        wrong.append(f"status {after.status}, not {before.status}: {after.errors[-200:]}")
    if after.said != before.said:
        wrong.append(f"says {after.said[-80:]!r}, not {before.said[-80:]!r}")
    if reports:
        wrong.append("reports " + ", ".join(f"{r['kind']} ({r['violation']['code']})" for r in reports))
    # Started by crashsym, which is a process of its own, the largest of the two is told.
    memory = "–" if words else f"{before.kilobytes:,} → {after.kilobytes:,}"
    figures = f"{before.seconds:.2f} s → {after.seconds:.2f} s" + ("" if words else f", {memory} kB")
    checks.expect(not wrong, f"{program.name}: {figures}", "; ".join(wrong))
    lines.append(f"| {program.name} | {before.seconds:.2f} → {after.seconds:.2f} | {memory} | "
                 f"{'; '.join(wrong) or 'quiet'} |")


def own_tests(starts, products, folder, checks, lines):
    """The package's own tests, all of them. What is broken on purpose is told with a frame in a source of
    PLANTED, and nothing else may be told. Programs that tests start are as the tests want them, unwatched, unless they
    link ThreadGuard themselves."""
    words, _ = starts.of(True)
    if not words and not starts.bare:
        return checks.skip("the package's own tests", "without crashsym Swift's own programs would be checked")
    reports = folder / "own-tests" / "reports"
    watched = [*words[:-1], "--follow", "--quiet", "--output", reports, "--"] if words else []
    command = ["swift", "test", "--package-path", support.ROOT, "--skip-build", "--ignore-lock"]
    tests = run([*watched, *command], folder / "own-tests", TESTS_LIMIT)
    failed = [line for line in tests.said.splitlines() if "recorded an issue" in line]
    told = [support.symbolicate(products / "crashsym", path) for path in sorted(reports.glob("*.json"))]
    own = [report for report in told if not is_planted(report)]
    wrong = ([] if tests.status == 0 else [f"status {tests.status}", *failed[:3]]) + [
        f"reports {report['kind']} ({report.get('violation', {}).get('code')})" for report in own]
    planted = len(told) - len(own)
    checks.expect(not wrong, f"the package's own tests: {tests.seconds:.0f} s, {planted} planted mistakes told",
                  "; ".join(wrong))
    # None told means that nobody looked.
    checks.expect(starts.bare or planted, "the package's own tests: watched")
    said = "; ".join(wrong) or f"quiet, but for {planted} planted mistakes"
    lines.append(f"| the package's own tests | – → {tests.seconds:.0f} | – | {said} |")


def is_planted(report):
    frames = [frame for thread in report["threads"] for frame in thread["frames"]]
    files = [frame.get("sourceLocation", {}).get("file", "") for frame in frames]
    return "violation" in report and any(part in file for file in files for part in PLANTED)


def postgres(starts, checks, lines):
    figures = []
    for start in (([], {}), starts.of(True)):
        with quiet_programs.Postgres(start) as cluster:
            held, rate, said = cluster.bench()
            status = cluster.stop()
            kinds = [report["kind"] for report in lock_runs.violations(cluster.reports)]
            figures.append(rate)
            checks.expect(held == "4000|t|t" and status == 0 and not kinds,
                          f"PostgreSQL{', bare' if len(figures) == 1 else ''}: {rate:.0f} transactions a second",
                          f"{held}, status {status}, reports {kinds}")
    lines.append(f"| PostgreSQL under pgbench, transactions per second | {figures[0]:.0f} → {figures[1]:.0f} | – | quiet |")


def processor_seconds(pid):
    """What a process and those that it started have used so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(map(processor_seconds, children))


class Server:
    """The sample, from its start to its end, put under load now and then."""

    def __init__(self, program, words, environment, folder):
        self.folder = folder
        self.process = subprocess.Popen([*words, program], env=support.environment(folder, **environment),
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        start_new_session=True)
        self.port = int(self.process.stdout.readline().rsplit(" ", 1)[1])

    def load(self):
        """Requests per second of wrk's, and the server's processor time for each, in microseconds."""
        before = processor_seconds(self.process.pid)
        load = subprocess.run(["wrk", "-t1", "-c32", f"-d{WRK_SECONDS}s", f"http://127.0.0.1:{self.port}/"], check=True,
                              capture_output=True, text=True).stdout
        used = processor_seconds(self.process.pid) - before
        rate, requests = re.search(r"Requests/sec: +([0-9.]+)", load), re.search(r"(\d+) requests in", load)
        return float(rate[1]), used / int(requests[1]) * 1e6

    def end(self):
        """The reports that it has left."""
        try:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)
        finally:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        return lock_runs.violations(self.folder)


def hummingbird(given, starts, folder, checks, lines):
    """Short turns of both, and the median of each pair's ratio: how fast the machine is changes from second to second, and
    that by more than is asked. Where others use it too requests per second say little, and the server's processor time for
    a request, which bounds them, is what counts."""
    quiet_programs.need("wrk")
    program = given.server or support.swift_build(package=SERVER, configuration="release") / "HummingbirdServer"
    servers, turns = [], []
    try:
        for name, start in (("bare", ([], {})), ("guarded", starts.of(True))):
            own = folder / f"hummingbird-{name}"
            own.mkdir(mode=0o700)
            servers.append(Server(program, *start, own))
        for number in range(WRK_ROUNDS):
            # Who comes second finds the processor warm.
            order = servers if number % 2 else servers[::-1]
            found = {server: server.load() for server in order}
            turns.append([found[server] for server in servers])
    finally:
        reports = [report for server in servers for report in server.end()]
    rate, time_each = ([statistics.median(turn[side][what] for turn in turns) for side in (0, 1)] for what in (0, 1))
    rates = statistics.median(guarded[0] / bare[0] for bare, guarded in turns)
    times = statistics.median(guarded[1] / bare[1] for bare, guarded in turns)
    checks.expect(not reports, "Hummingbird: no report", ", ".join(report["kind"] for report in reports))
    checks.expect(times <= 1 / 0.95,
                  f"Hummingbird: {rate[0]:.0f} → {rate[1]:.0f} requests a second, {rates:.1%} by the median of "
                  f"{len(turns)} pairs; {time_each[0]:.1f} → {time_each[1]:.1f} µs of processor time each, {times:.1%}")
    said = "quiet" if not reports else f"{len(reports)} reports"
    lines.append(f"| Hummingbird under wrk, requests per second | {rate[0]:.0f} → {rate[1]:.0f} ({rates:.1%}) | – | {said} |")
    lines.append(
                "| the same, µs of processor time for each request | "
        f"{time_each[0]:.1f} → {time_each[1]:.1f} ({times:.1%}) | – | |")


def main():
    given = arguments()
    support.hear_all_signals()
    checks = support.Checks()
    products = given.products or support.swift_build()
    products = products.resolve()
    starts, lines = Starts(given, products), []

    def wanted(name):
        return not given.only or any(part.lower() in name.lower() for part in given.only)

    with support.temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        programs = list(quiet_programs.c_programs(folder, given.full)) + list(quiet_programs.diagdemo_programs(products))
        if given.full:
            makers = (quiet_programs.python_program, quiet_programs.java_program, quiet_programs.rust_program)
            for make in makers:
                try:
                    programs.append(make(folder))
                except quiet_programs.Unavailable as reason:
                    checks.skip(make.__name__, reason)
        for program in programs:
            if wanted(program.name):
                small(program, starts, folder, checks, lines)
        if given.full:
            if wanted("own tests"):
                own_tests(starts, products, folder, checks, lines)
            try:
                if wanted("PostgreSQL"):
                    postgres(starts, checks, lines)
                if wanted("Hummingbird"):
                    hummingbird(given, starts, folder, checks, lines)
            except quiet_programs.Unavailable as reason:
                checks.skip("a server", reason)
    if given.table:
        head = PAGE.read_text().split(MARK)[0] if PAGE.exists() else ""
        PAGE.write_text(head + MARK + "\n| program | seconds, without → with | largest memory, kB | result |\n"
                        "| --- | --- | --- | --- |\n" + "\n".join(lines) + "\n")
    checks.end()


if __name__ == "__main__":
    main()
