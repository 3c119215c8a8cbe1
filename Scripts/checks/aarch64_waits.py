"""What threads wait for on aarch64: the program of the end-to-end tests crashes, is asked for a capture, and leaves a
core file, which crashsym reads on this machine. The report of each says it.
"""

import json
import os
import shutil
import signal
import subprocess

import core_notes
import death_runs
import support

PROGRAMS = support.ROOT / "Tests" / "EndToEndTests" / "Programs"
FLAGS = ["-std=gnu17", "-O2", "-g", "-pthread"]
# The program of each kind, with its argument.
COMMANDS = {"each": ["waits", "each"], "circles": ["waits", "circles"], "ownerless": ["ownerless_mutex"]}
KINDS = list(COMMANDS)
LIMIT = 300
UNNAMED = "unnamed"
# Type, mode and owner, by the name of the thread that waits.
EXPECTED = {
    "plain": "mutex exclusive main", "recursive": "mutex exclusive main", "inherits": "mutex exclusive main",
    "robust": "mutex exclusive main", "write": "rwlock exclusive main", "read": "rwlock shared main",
    "readers": "rwlock exclusive -", "condition": "condition exclusive -", "semaphore": "semaphore exclusive -",
    "barrier": "barrier exclusive -", "join": "thread exclusive plain",
}
# With a time limit: the signal of a crash overwrites the lock. Of a thread that sleeps, the kernel says which lock it
# waits for, but not what called a function without a frame.
TIMED = {"timed-cond": "condition exclusive -", "timed-sem": "semaphore exclusive -"}
FRAMELESS = {
    "timed-write": "rwlock exclusive main", "timed": "mutex exclusive main", "timed-robust": "mutex exclusive main",
}
EXPECTED_OF = {"crash": EXPECTED, "capture": EXPECTED | TIMED, "core": EXPECTED | TIMED | FRAMELESS}


def build(built):
    built.program("waits", [PROGRAMS / "waits.c"], FLAGS)
    ownerless, library = [PROGRAMS / "ownerless_mutex.c"], "libswiftSynchronization.so"
    imitated = built.program(library, ownerless, [*FLAGS, "-DLIBRARY", "-fPIC"],
                             linking=["-shared", f"-Wl,-soname,{library}"])
    built.program("ownerless_mutex", ownerless, FLAGS, imitated, linking=["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN"])


# --- In the machine ----------------------------------------------------------------------------------------------


def preloaded(products, reports, **more):
    return support.environment(reports, LD_PRELOAD=str(products / "libCrashKitPreload.so"), **more)


def ask(name, command, products, folder, kept):
    """The waits that reports of a crash and of a capture show; a core file stays in `kept`."""
    leave_core(name, command, folder, kept)
    return {"crash": crash(command, products, folder / name), "capture": capture(command, products, folder / name)}


def crash(command, products, folder):
    reports = death_runs.made(folder / "crash") / "reports"
    subprocess.run(command, env=preloaded(products, reports), stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=LIMIT, check=False)
    return found_in(reports, "crashReport")


def capture(command, products, folder):
    reports = death_runs.made(folder / "capture") / "reports"
    environment = preloaded(products, reports, CRASHKIT_OPTIONS="on-signal=QUIT")
    with subprocess.Popen([*command, "stay"], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGQUIT)
        # The last line but one names the report, which is there then.
        any(": report: " in line for line in process.stderr)
        process.stdin.close()
        process.stderr.read()
        process.wait(LIMIT)
    return found_in(reports, "capture")


def leave_core(name, command, folder, kept):
    work = death_runs.made(folder / name / "core")
    subprocess.run(["sh", "-c", 'ulimit -S -c unlimited; exec "$@"', "sh", *command], cwd=work,
                   env=os.environ | {"SWIFT_BACKTRACE": "enable=no"}, stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=LIMIT, check=False)
    core = core_notes.find(work)
    if core:
        shutil.copy(core, kept / core_name(name))


def core_name(name):
    return f"waits-{name}.core"


def found_in(reports, kind):
    found = support.reports_in(reports, kind)
    return waits_of(json.loads(found[0].read_text())) if len(found) == 1 else {"error": f"{len(found)} reports"}


def waits_of(report):
    """Pairs of a thread's name and what it waits for. A core file has no names of threads."""
    main = report["process"]["pid"]
    names = {thread["id"]: "main" if thread["id"] == main else thread.get("name", UNNAMED)
             for thread in report["threads"]}
    waits = [[names[thread["id"]], words(thread["waitingFor"], names)]
             for thread in report["threads"] if "waitingFor" in thread]
    deadlock = report.get("deadlock", {"steps": []})
    circles = [deadlock["steps"], *(other["steps"] for other in deadlock.get("others", []))]
    return {"waits": sorted(waits), "circles": sorted(circles, key=len)}


def words(wait, names):
    return f"{wait['type']} {wait['mode']} {names.get(wait.get('owner'), '-')}"


def ask_all(kinds, products, folder, kept):
    commands = {kind: [products / COMMANDS[kind][0], *COMMANDS[kind][1:]] for kind in kinds}
    return {kind: ask(kind, command, products, folder, kept) for kind, command in commands.items()}


# --- On this machine ---------------------------------------------------------------------------------------------


def core_waits(core, products, root, crashsym):
    if not core.exists():
        return {"error": "no core file"}
    folders = [word for place in (products, root, root / "usr/lib/debug") for word in ("--symbols", place)]
    run = subprocess.run([crashsym, *folders, "--format", "json", core], capture_output=True, text=True, check=False,
                         env=os.environ | {"CRASHSYM_CACHE_LIMIT": "0"})
    return waits_of(json.loads(run.stdout)) if run.returncode == 0 else {"error": run.stderr[-300:]}


def judge(checks, done, folder, products, root, crashsym):
    for kind, found in done.items():
        found["core"] = core_waits(folder / core_name(kind), products, root, crashsym)
        for way, waits in found.items():
            judge_waits(checks, kind, way, waits)


def judge_waits(checks, kind, way, found):
    if "error" in found:
        checks.expect(False, f"waits of {kind}, {way}", found["error"])
    elif kind == "ownerless":
        waits = [wait for _, wait in found["waits"]]
        checks.expect(waits == ["mutex exclusive -"], f"waits, {way}: a Mutex without an owner", f"{waits}")
    elif kind == "each":
        expected = EXPECTED_OF[way]
        if way == "core":
            expected = sorted([UNNAMED, wait.replace("plain", UNNAMED)] for wait in expected.values())
        else:
            expected = sorted(map(list, expected.items()))
        checks.expect(found["waits"] == expected, f"waits, {way}: {len(expected)} kinds of locks", f"{found['waits']}")
    else:
        circles = found["circles"]
        right = [len(circle) for circle in circles] == [1, 3] and all(closes(circle) for circle in circles)
        checks.expect(right, f"waits, {way}: a circle of three threads, and one of a thread alone", f"{circles}")


def closes(steps):
    return all(step["owner"] == after["thread"] for step, after in zip(steps, steps[1:] + steps[:1]))
