"""What threads wait for on aarch64: the program of the end-to-end tests crashes, and its report says it."""

import json
import subprocess

import death_runs
import support

PROGRAM = support.ROOT / "Tests" / "EndToEndTests" / "Programs" / "waits.c"
KINDS = ["each", "circle"]
LIMIT = 300
# Type, mode and owner, by the name of the thread that waits; of a wait with a time limit, a signal overwrites the lock.
EXPECTED = {
    "plain": "mutex exclusive main", "recursive": "mutex exclusive main", "inherits": "mutex exclusive main",
    "robust": "mutex exclusive main", "write": "rwlock exclusive main", "read": "rwlock shared main",
    "readers": "rwlock exclusive -", "condition": "condition exclusive -", "semaphore": "semaphore exclusive -",
    "barrier": "barrier exclusive -", "join": "thread exclusive plain",
}


def build(built):
    return built.program("waits", [PROGRAM], ["-std=gnu17", "-O2", "-g", "-pthread"])


# --- In the machine ----------------------------------------------------------------------------------------------


def die(kind, products, folder):
    reports = death_runs.made(folder / kind) / "reports"
    library = str(products / "libCrashKitPreload.so")
    subprocess.run([products / "waits", kind], env=support.environment(reports, LD_PRELOAD=library),
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False)
    found = support.reports_in(folder / kind / "reports")
    if len(found) != 1:
        return {"error": f"{len(found)} reports"}
    report = json.loads(found[0].read_text())
    names = {thread["id"]: "main" if thread.get("crashed") else thread["name"] for thread in report["threads"]}
    waits = {names[thread["id"]]: words(thread["waitingFor"], names)
             for thread in report["threads"] if "waitingFor" in thread}
    return {"waits": waits, "steps": report.get("deadlock", {}).get("steps", [])}


def words(wait, names):
    return f"{wait['type']} {wait['mode']} {names.get(wait.get('owner'), '-')}"


def die_all(kinds, products, folder):
    return {kind: die(kind, products, folder) for kind in kinds}


# --- On this machine ---------------------------------------------------------------------------------------------


def judge(checks, done):
    for kind, found in done.items():
        if "error" in found:
            checks.expect(False, f"waits of {kind}", found["error"])
        elif kind == "each":
            wrong = {name: found["waits"].get(name) for name, wait in EXPECTED.items() if found["waits"].get(name) != wait}
            checks.expect(not wrong, f"waits: {len(EXPECTED)} kinds of locks", f"{wrong}")
        else:
            steps = found["steps"]
            closes = all(step["owner"] == after["thread"] for step, after in zip(steps, steps[1:] + steps[:1]))
            checks.expect(len(steps) == 3 and closes, "waits: a circle of three threads", f"{steps}")
