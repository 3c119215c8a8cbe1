"""Stacks of reports against those that gdb finds in the emulated machine: the addresses of all frames must be equal.

Fifty threads that wait in twenty kinds of calls: gdb attaches to them, then the process crashes. Crashes of many kinds:
gdb reads the core of the process that made the report.
"""

import concurrent.futures
import json
import pathlib
import subprocess

import core_notes
import death_runs
import support

GDB_SCRIPT = pathlib.Path(__file__).with_name("gdb_core_stacks.py")
PROGRAM = support.ROOT / "Tests" / "EndToEndTests" / "Programs" / "fifty_waiting.c"
SHORT = ["null-read"]
CRASHES = ["null-read", "null-write", "null-offset", "call-null", "wild-read", "bus-error", "nx-page", "unmapped-code",
           "abort", "assert", "double-free", "free-invalid", "heap-corruption", "strlen-NULL", "readdir-NULL",
           "cxx-exception", "pure-virtual-call", "SIGILL", "SIGTRAP", "seccomp", "smash-stack", "many-threads",
           "stack-overflow", "mutual-recursion", "coroutine", "signal-handler", "no-frame-pointers", "malloc-locked",
           "raise-SIGSEGV"]
WITH_CORE = ["sh", "-c", 'ulimit -S -c unlimited; exec "$@"', "sh"]
LIMIT = 600
INSTRUCTION = 4
WAITS = "fifty waiting threads"


def build(built):
    return built.program("fifty_waiting", [PROGRAM], ["-std=gnu17", "-O2", "-g", "-pthread"])


# --- In the machine ----------------------------------------------------------------------------------------------


def gdb(*words):
    run = subprocess.run(["gdb", "-batch", "-nx", "-x", GDB_SCRIPT, *map(str, words)], capture_output=True, text=True,
                         timeout=LIMIT, check=False)
    lines = [line for line in run.stdout.splitlines() if line.startswith("STACKS ")]
    if not lines:
        return {"error": f"gdb said: {run.stdout[-300:]} {run.stderr[-300:]}"}
    return json.loads(lines[0][len("STACKS "):])


def report_stacks(folder, crashed):
    """What the one report of a folder has of threads, the crashed one or the others: the addresses up to those left out,
    and how the stack ends."""
    found = support.reports_in(folder)
    if len(found) != 1:
        return {"error": f"{len(found)} reports"}
    stacks = {}
    for thread in json.loads(found[0].read_text())["threads"]:
        kept = []
        for frame in thread["frames"]:
            if frame["kind"] in ("omittedFrames", "truncated"):
                break
            kept.append(int(frame["address"], 16))
        if thread.get("crashed", False) == crashed:
            stacks[thread["id"]] = {"frames": kept, "end": thread.get("stackEnd")}
    return stacks


def preloaded(products, reports):
    return support.environment(reports, LD_PRELOAD=str(products / "libCrashKitPreload.so"))


def crash(kind, products, folder):
    reports = death_runs.made(folder / kind) / "reports"
    work = folder / kind / "work"
    work.mkdir()
    subprocess.run([*WITH_CORE, products / "diagdemo", "crash", "--without-crash-kit", kind], cwd=work,
                   env=preloaded(products, reports), stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
                   check=False)
    core = core_notes.find(work)
    theirs = gdb(products / "diagdemo", core) if core else {"error": "no core"}
    if core:
        core.unlink()
    # The other threads go on before the core is made.
    return {"gdb": theirs, "report": report_stacks(reports, crashed=True)}


def wait(products, folder):
    reports = death_runs.made(folder / "fifty_waiting") / "reports"
    process = subprocess.Popen([products / "fifty_waiting"], env=preloaded(products, reports), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        process.stdout.readline()
        support.wait_until_all_wait(process.pid, 51, LIMIT)
        theirs = gdb("-p", process.pid)
        support.wait_until_all_wait(process.pid, 51, LIMIT)
        process.stdin.write(b"!")
        process.stdin.close()
        process.wait(LIMIT)
    finally:
        process.kill()
        process.wait()
    # gdb saw the main thread before it crashed.
    return {"gdb": theirs, "report": report_stacks(reports, crashed=False)}


def compare_all(kinds, products, folder, jobs, waits):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = dict(zip(kinds, pool.map(lambda kind: crash(kind, products, folder), kinds)))
    if waits:
        done[WAITS] = wait(products, folder)
    return done


# --- On this machine ---------------------------------------------------------------------------------------------


def difference(theirs, ours, waits):
    """The first difference of two stacks in words, or None. gdb's may be cut at 250 frames.

    A thread that waits in the kernel is at the instruction of its call for gdb, where the kernel would make the call
    again, and behind it for a handler.
    """
    if waits and theirs and ours and ours[0] - theirs[0] == INSTRUCTION:
        theirs, ours = theirs[1:], ours[1:]
    ours = ours[:len(theirs)] if len(theirs) == 250 else ours
    theirs = theirs[:len(ours)] if len(ours) >= 250 else theirs
    for index in range(max(len(theirs), len(ours))):
        pair = [hex(stack[index]) if index < len(stack) else "(no frame)" for stack in (theirs, ours)]
        if pair[0] != pair[1]:
            return f"frame {index} of {len(theirs)}: gdb {pair[0]}, report {pair[1]}"
    return None


def judge(checks, done):
    for name, both in done.items():
        theirs, ours = both["gdb"], both["report"]
        if "error" in theirs or "error" in ours:
            checks.expect(False, f"stacks of {name}", theirs.get("error") or ours.get("error"))
            continue
        found = [f"thread {thread}: {text} ({stack['end']})" for thread, stack in ours.items()
                 if (text := difference(theirs.get(thread, []), stack["frames"], name == WAITS))]
        count = sum(len(stack["frames"]) for stack in ours.values())
        checks.expect(ours and not found, f"stacks of {name}: {len(ours)} threads, {count} frames as gdb has them",
                      "; ".join(found))
