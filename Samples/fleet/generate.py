"""Writes many crash reports, one a line, as a fleet's machines would leave them.

    generate.py DIAGDEMO COUNT REAL OUTPUT

REAL of them are real: diagdemo dies so many times, in turn of each kind below, each time as a process of its own with its own
address layout. The others are copies of those with another time, host, version and process id, and nothing else changed.
What is varied is drawn from a generator with a fixed seed, so that two runs differ in the real reports only.
"""

import datetime
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

KINDS = [
    "index-out-of-range", "force-unwrap", "force-cast", "force-try", "fatal-error", "precondition", "integer-overflow",
    "swift-divide-by-zero", "exclusivity", "unowned", "async-crash", "async-actor", "async-task-group", "async-detached",
    "null-read", "wild-read", "abort", "double-free", "cxx-exception", "pure-virtual-call", "SIGFPE", "recursion",
    "strlen-NULL", "smash-stack",
]
# The first kinds are the frequent ones, as in life: the nth has a share in proportion to 1/n.
WEIGHTS = [1 / rank for rank in range(1, len(KINDS) + 1)]
VERSIONS = ["2.3.0", "2.3.1", "2.4.0"]
HOSTS = [f"node-{number:02}" for number in range(1, 41)]
DAYS = 14


def real_report(diagdemo, kind):
    """The report of one death."""
    with tempfile.TemporaryDirectory(prefix="fleet-") as folder:
        environment = dict(os.environ, CRASHKIT_DIRECTORY=folder, CRASHKIT_OPTIONS="summary=no", SWIFT_BACKTRACE="enable=no")
        subprocess.run([diagdemo, "crash", kind], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60, check=False)
        reports = list(pathlib.Path(folder).glob("*-crashReport.json"))
        if len(reports) != 1:
            sys.exit(f"generate.py: {kind} left {len(reports)} reports")
        return json.loads(reports[0].read_text())


def varied(report, source, end):
    """The report as if of another machine at another time."""
    report = dict(report)
    moment = end - datetime.timedelta(seconds=source.uniform(0, DAYS * 86400))
    report["timestamp"] = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    pid = source.randrange(100, 60000)
    if report["signal"].get("pid") == report["process"]["pid"]:
        report["signal"] = dict(report["signal"], pid=pid)
    report["process"] = dict(report["process"], pid=pid)
    if "startedAt" in report["process"]:
        started = moment - datetime.timedelta(seconds=report["process"].get("uptime", 0))
        report["process"]["startedAt"] = started.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    report["application"] = {"name": "diagdemo", "version": source.choice(VERSIONS)}
    report["attributes"] = dict(report.get("attributes", {}), **{"host.name": source.choice(HOSTS)})
    return report


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    diagdemo, count, real, output = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    source = random.Random(20261121)
    pool = {}
    for number in range(real):
        kind = KINDS[number % len(KINDS)]
        pool.setdefault(kind, []).append(real_report(diagdemo, kind))
    kinds = list(pool)
    end = datetime.datetime.now(datetime.timezone.utc)
    with open(output, "w", encoding="utf-8") as file:
        for _ in range(count):
            kind = source.choices(kinds, WEIGHTS[:len(kinds)])[0]
            report = varied(source.choice(pool[kind]), source, end)
            file.write(json.dumps(report, separators=(",", ":"), ensure_ascii=False) + "\n")
    print(f"{count} reports made out of {real} real ones of {len(kinds)} kinds, {os.path.getsize(output) >> 20} MiB")


if __name__ == "__main__":
    main()
