"""Docs/deaths.md: each row's result beside that of the Swift runtime's own backtracer."""

import json
import pathlib
import re
import subprocess

import death_checks


HEAD = """# Every way to die, and its report

`diagdemo crash KIND` died in each of these ways, in a debug build, on {machine}, with {swift}.
Each death ran once with CrashKit. It ran once more without CrashKit, but with the Swift runtime's own backtracer
(`SWIFT_BACKTRACE=enable=yes,threads=all,format=json`, ten seconds at most). To make this page again:

```
swift build
python3 Scripts/checks/deaths.py --compare --table Docs/deaths.md
```

`Tests/Deaths` says what CrashKit must report for each row, and `Scripts/test` checks all of it. `Scripts/test --full`
also runs each death on a separate thread, and in a process that has no free descriptor left.

* report: there is exactly one report, and it can be read
* whole stacks: how many of all threads have a stack that reaches `main` or the thread's first function. CrashKit may
  add one thread, which handles the reports of earlier runs and soon ends
* line: the first frame in the program's own sources has the function and the line that crashed (– if `Tests/Deaths`
  names no line)
* message: the report has the program's last message (– if the program prints no message)
* breadcrumb: the report ends with the last breadcrumb of the program
* status: the program ends with the same status as without CrashKit and without the backtracer

| death | how it ends | | report | whole stacks | line | message | breadcrumb | status |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
# Where a thread begins; a stack that comes down to the program's own first function there lacks libc's frames only.
ENTRIES = re.compile(
    r"^(_start|clone3?|__clone3?|__GI___clone3?|start_thread|main|diagdemo_main|run_work|crash_together"
    r"|_dispatch_worker_thread)\b")
NONE = (None, "–")


def write(deaths, path):
    machine, swift = surroundings()
    lines, totals = [], {"CrashKit": [0] * 6, "Swift's": [0] * 6}
    for death in deaths:
        if death.skipped:
            continue
        ends = death_checks.status_name(death.bare.status)
        for name, results in (("CrashKit", ours(death)), ("Swift's", theirs(death))):
            for index, result in enumerate(results):
                totals[name][index] += result[0] is True
            first = f"{death.row.name} | {ends}" if name == "CrashKit" else " | "
            lines.append(f"| {first} | {name} | " + " | ".join(word for _, word in results) + " |")
    for name, counts in totals.items():
        lines.append(f"| {'all' if name == 'CrashKit' else ''} | | {name} | " + " | ".join(map(str, counts)) + " |")
    pathlib.Path(path).write_text(HEAD.format(machine=machine, swift=swift) + "\n".join(lines) + "\n")


def surroundings():
    lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    system = dict(line.split("=", 1) for line in lines if "=" in line)
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    return system["PRETTY_NAME"].strip('"'), "Swift " + re.search(r"Swift version ([\d.]+)", swift)[1]


def yes(condition):
    return (True, "yes") if condition else (False, "no")


def nothing(death, reason):
    row = death.row
    whole = NONE if row.report == "uncleanExit" else (False, f"0 of {alive(death, death.bare)}")
    return [(False, reason), whole, yes(False) if row.function or row.at else NONE,
            yes(False) if row.message else NONE, yes(False)]


def ours(death):
    report = death.symbolicated
    if death.row.report == "none":
        return [yes(report is None)] + [NONE] * 4 + [status(death, death.ours)]
    if report is None:
        return nothing(death, "none") + [status(death, death.ours)]
    whole = stacks(report, death, death.ours) if "threads" in report else NONE
    return [yes(True), whole, line(death.row, report), message(death, report),
            yes([crumb["message"] for crumb in report.get("breadcrumbs", [])][-1:] == [death.row.breadcrumb]),
            status(death, death.ours)]


def theirs(death):
    found = sorted((death.runtime.folder / "reports").glob("*.json"))
    end = status(death, death.runtime)
    if death.row.report == "none":
        return [yes(not found)] + [NONE] * 4 + [end]
    if not found:
        return nothing(death, "none") + [end]
    try:
        report = json.loads(found[0].read_text())
    except ValueError:
        return nothing(death, "cannot be read") + [end]
    if len(found) > 1:
        return nothing(death, f"{len(found)} of them") + [end]
    report["threads"].sort(key=lambda thread: not thread.get("crashed"))
    return [yes(True), stacks(report, death, death.bare), line(death.row, report), message(death, report),
            yes(any(death.row.breadcrumb in json.dumps(value) for value in report.values())), end]


def status(death, run):
    if run.status is None:
        return (False, "hung")
    return yes(run.status == death.bare.status)


def alive(death, run):
    """How many threads there were at the end: by the core of that run, else by what CrashKit, or the row, knows of."""
    if run.core:
        return len(run.core.threads)
    known = len(death.symbolicated["threads"]) if death.symbolicated and "threads" in death.symbolicated else 1
    return max(known, death.row.threads or 1)


def stacks(report, death, run):
    threads, ids = report["threads"], run.core.threads if run.core else ()
    # The runtime's report has no ids. In ours there may be threads that were about to end.
    here = [thread for thread in threads if "id" not in thread or not ids or thread["id"] in ids]
    whole, expected = sum(ends_at_entry(thread) for thread in here), alive(death, run)
    return whole == expected, f"{whole} of {expected}"


def ends_at_entry(thread):
    if "stackEnd" in thread:
        return thread["stackEnd"] == "entry"
    named = [frame["symbol"] for frame in thread["frames"] if "symbol" in frame]
    return bool(named and ENTRIES.match(named[-1]))


def line(row, report):
    if not row.function and not row.at:
        return NONE
    return yes(not list(death_checks.place(row, report)))


def message(death, report):
    if not death.row.message:
        return NONE
    report = {key: value for key, value in report.items() if key not in ("threads", "images")}
    return yes(death.row.message.lower() in json.dumps(report, ensure_ascii=False).lower().replace("\\n", "\n"))
