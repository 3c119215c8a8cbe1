"""A crash of the Hummingbird sample with 64 threads, told by CrashKit and crashsym or by the Swift runtime's backtracer."""

import http.client
import os
import pathlib
import signal
import subprocess
import sys
import time

import timing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts" / "checks"))
import support  # noqa: E402

THREADS = 64
REPORTS = 10_000
# The backtracer takes seconds for so many threads, and far longer where it has to share the processor.
PATIENCE = 300
BACKTRACER = "enable=yes,color=no,interactive=no,threads=all,output-to=/dev/null,symbolicate="


def crash(server, directory, **more):
    """Seconds from the request that crashes the server to the server's end."""
    environment = support.environment(directory, **more)
    process = subprocess.Popen([str(server), "0", str(THREADS)], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    port = int(process.stdout.readline().rsplit(" ", 1)[1])
    start = time.monotonic()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", "/orders/3/total")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        pass
    try:
        process.wait(timeout=PATIENCE)
    finally:
        process.kill()
    if process.returncode != -signal.SIGILL and process.returncode != -signal.SIGTRAP:
        raise RuntimeError(f"the server ended with {process.returncode}, not of its crash")
    return time.monotonic() - start, 0, 0


def compare(server, crashsym, rounds, folder):
    """Prints the table: the backtracer's whole time, and that of CrashKit's report with crashsym's."""
    names = {"swift-backtrace, symbolicate=full": "full", "swift-backtrace, symbolicate=fast": "fast",
             "swift-backtrace, symbolicate=off": "off"}
    ours = ["CrashKit: the crash itself", "crashsym on the report, making the index", "crashsym on the report, from the index",
            "crashsym on the report, without an index"]
    turns = timing.Turns([*names, *ours])
    for number in range(rounds):
        directory = pathlib.Path(folder) / f"crash-{number}"
        directory.mkdir()
        for name, kind in names.items():
            turns.add(name, crash(server, directory, CRASHKIT_OPTIONS="enable=no", SWIFT_BACKTRACE=BACKTRACER + kind))
        turns.add(ours[0], crash(server, directory))
        report = str(support.reports_in(directory)[0])
        own = {"XDG_CACHE_HOME": str(directory / "cache"), "CRASHSYM_CACHE_LIMIT": "1024"}
        for name, options in zip(ours[1:], ([], [], ["--no-cache"])):
            turns.add(name, timing.measure([str(crashsym), *options, report], environment={**os.environ, **own}))
    print(f"""
The next table shows a crash of the sample with {THREADS} event loops. The time of a crash runs from the request that causes it to the end
of the process. The time of crashsym is the time of the whole command. The column "ms" shows the best run. A share is a time, divided by
the time of swift-backtrace with `symbolicate=full` in the same run; the median share is shown. The aim was a share of 0.1.
""")
    print("| | ms | share |")
    print("| --- | ---: | ---: |")
    for name in turns.names:
        print(f"| {name} | {turns.best(name) * 1e3:.1f} | {turns.share(name):.3f} |")
    group(crashsym, report, pathlib.Path(folder))


def group(crashsym, report, folder):
    """Prints what it takes to group many reports of the crash: all are one file, under as many names."""
    reports = folder / "reports"
    reports.mkdir()
    for number in range(REPORTS):
        os.link(report, reports / f"{number}.json")
    own = {**os.environ, "XDG_CACHE_HOME": str(folder / "group-cache"), "CRASHSYM_CACHE_LIMIT": "1024"}
    first, later = (timing.measure([str(crashsym), "group", str(reports)], environment=own) for _ in range(2))
    print(f"\n`crashsym group` read {REPORTS:,} reports of that crash, {os.path.getsize(report) / 1e3:.0f} KB each. The first time, it took "
          f"{first[1]:.1f} s of processor time\nand {first[2]:.0f} MiB. With the index it took {later[1]:.1f} s and {later[2]:.0f} MiB.")
