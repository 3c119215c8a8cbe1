"""The C probes of the tests, asked the same questions on this machine and in the emulated one.

What is right of each question is written in the Swift tests, which hold it on x86-64. Here a probe is right if it ends,
prints and reports as it does there. Tests/Aarch64/differences.toml names the questions that the processors answer
differently, each with the reason.
"""

import concurrent.futures
import json
import pathlib
import re
import time
import tomllib

import death_runs
import support

DIFFERENCES = support.ROOT / "Tests" / "Aarch64" / "differences.toml"
NAME = re.compile(r'^    \{"([\w-]+)", \w+\},', re.M)
# What the probes below are asked; the other probes' questions are the names in their sources.
REGION = ["interrupted", "late-attach 4096", "late-attach 65536", "late-attach 1048576", "attach-race", "quiet",
          "truncated 0", "truncated 4096", "truncated 5000", "truncated 120000", "fork-of-threads", "spawn",
          "attributes", "metrics", "producers 65536 4 5000", "records 65536 5000"]
LIVE = ["calls 100", "restarts", "stacks", "failures", "crash", "fork"]
# Of handler-probe; those that say most about the processor. They are asked first, and alone by the short form.
FIRST = ["null-read", "abort", "raise-segv", "kill-segv", "queue-segv", "breakpoint", "trap", "bus", "stack-overflow",
         "thread-stack-overflow", "repair-often", "repair-bus-often", "repair-code-often", "skip-often",
         "sixteen-at-once", "crashes-beside", "child-crashes", "both-crash", "vfork-child-crashes", "crash-during-fork"]


def names_in(folder):
    """What a probe can be asked, from the tables in its sources."""
    found = []
    for path in sorted((support.ROOT / "Tests" / folder).glob("*.c")):
        found += NAME.findall(path.read_text())
    return found


def questions(short):
    """Every question, as a program and its words; the handlers' first."""
    handlers = FIRST if short else FIRST + [name for name in names_in("HandlerProbe") if name not in FIRST]
    asked = [f"handler-probe {name} {state}" for name in handlers for state in ("on", "off")]
    if not short:
        asked += [f"live-probe {words}" for words in LIVE]
        asked += [f"region-probe {words}" for words in REGION]
        asked += [f"lock-probe {name}" for name in names_in("LockProbe")]
    return asked


def differences():
    """The questions with another answer there, with the reason, and what that answer is if it is known."""
    return tomllib.loads(DIFFERENCES.read_text())


def ask(question, products, folder, limit):
    """Runs a probe; returns its answer as plain data."""
    program, *words = question.split()
    own = folder / question.replace(" ", "_")
    reports = death_runs.made(own) / "reports"
    reports.mkdir(mode=0o700)
    environment = {"CRASHKIT_DIRECTORY": str(reports), "PROBE_FILES": str(own / "work"),
                   "SWIFT_BACKTRACE": "enable=no"}
    if program == "handler-probe":
        if words.pop() == "off":
            environment["CRASHKIT_OPTIONS"] = "enable=no"
        words.append("after")
    if program == "region-probe":
        words.insert(1, str(reports))
    started = time.monotonic()
    run = death_runs.run([products / program, *words], own, limit, **environment)
    output = "" if program == "lock-probe" else (own / "stdout").read_text(errors="replace")
    # What the lock engine found stands in its files. How many children crash before their parent is chance.
    found = [digest(json.loads(path.read_text())) for path in sorted(reports.glob("*.json"))]
    if program == "handler-probe" and words[0] == "crash-during-fork":
        found = [report for i, report in enumerate(found) if report not in found[:i]]
    return {"end": death_runs_end(run.status), "printed": plain(output.replace(str(reports), "REPORTS")),
            "reports": sorted(found, key=json.dumps), "seconds": round(time.monotonic() - started, 1),
            "errors": run.stderr[-600:]}


def death_runs_end(status):
    return "hung" if status is None else f"signal {-status}" if status < 0 else f"exit {status}"


def plain(text):
    """Text without what differs from run to run: names of reports, addresses, and numbers of two digits
    and more."""
    text = re.sub(r"\b\d{8}T\d{6}\.\d{3}Z-\d+-", "#-", text)
    return re.sub(r"\b\d{2,}\b", "#", re.sub(r"\b(0x)?[0-9a-f]{8,}\b", "#", text))


def digest(report):
    """What must be the same of a report."""
    violation, signal = report.get("violation"), report.get("signal", {})
    if violation:
        return {"kind": report["kind"], "code": violation.get("code"), "severity": violation["severity"]}
    threads = report.get("threads", [])
    # A thread that was about to end may be gone on the one machine and be there on the other.
    living = [thread for thread in threads if thread.get("stackEnd") != "the thread has exited"]
    return {"kind": report["kind"], "signal": signal.get("name"), "code": signal.get("codeName"),
            "cause": report.get("causeCode"), "crashed": sum(1 for thread in threads if thread.get("crashed")),
            "stacks": sorted({thread.get("stackEnd", "none").split(" at ")[0] for thread in living}),
            "cut": sorted({cut["what"] for cut in report.get("capture", {}).get("cutShort", [])})}


def ask_all(asked, products, folder, jobs, limit):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(asked, pool.map(lambda question: ask(question, products, folder, limit), asked)))


PARTS = ("end", "printed", "reports")


def complaint(here, there, parts):
    """How two answers differ in these parts, in words; None if they do not."""
    for part in parts:
        if here[part] != there[part]:
            return f"{part}: x86-64 {here[part]!r}, aarch64 {there[part]!r}; it wrote {there['errors'][-160:]!r}"
    return None


def judge(checks, here, there):
    """Holds the answers of the machine against those of this one."""
    known = differences()
    for question, answer in there.items():
        name = question.rsplit(" ", 1)[0] if question.startswith("handler-probe") else question
        row = known.get(name, {})
        same = row.get("same", () if row else PARTS)
        found = complaint(here[question], answer, same)
        if found or not row:
            checks.expect(found is None, question, found or "")
        elif complaint(here[question], answer, [part for part in PARTS if part not in same]):
            checks.skip(question, f"differs, as is known: {row['why']}")
        else:
            checks.expect(row.get("sometimes") or question.endswith(" off"), question,
                          f"no longer differs: take it out of {DIFFERENCES.name}")
