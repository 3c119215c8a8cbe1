"""What threads wait for in libdispatch and for Swift's Mutex on aarch64: the program of the end-to-end tests crashes,
and is asked for a capture."""

import aarch64_waits
import support

NAME = "dispatch_waits"
PROGRAM = support.ROOT / "Tests" / "EndToEndTests" / "Programs" / "dispatch_waits.swift"
LIBRARY = "CrashKitPreload"
# Type and owner, by the name of the thread that waits, as DispatchWaitTests has them.
EXPECTED = {
    "sync": "queue on-cache", "behind": "queue on-cache", "reads": "queue on-readers", "paused": "queue -",
    "main-queue": "queue main", "group": "group -", "item": "workItem -", "semaphore": "semaphore -",
    "on-cache": "semaphore -", "on-readers": "semaphore -", "first": "semaphore -", "once": "once first",
}
# With a time limit: the signal of a crash overwrites the object.
TIMED = {"timed-group": "group -", "timed-sem": "semaphore -"}
CIRCLE = ["mutex", "mutex", "queue"]


def build(swift):
    swift.program(NAME, PROGRAM, [])


def run_all(products, folder):
    """In the machine."""
    program = products / "Onone" / NAME
    return {kind: {"crash": aarch64_waits.crash(kind, program, products, folder),
                   "capture": aarch64_waits.capture(kind, program, products, folder)} for kind in ("each", "circle")}


def judge(checks, done):
    for kind, ways in done.items():
        for way, found in ways.items():
            title = f"waits in libdispatch, {way} of {kind}"
            if "error" in found:
                checks.expect(False, title, found["error"])
            elif kind == "each":
                expected = EXPECTED if way == "crash" else EXPECTED | TIMED
                waits = {name: wait.replace(" exclusive", "") for name, wait in found["waits"] if name in EXPECTED | TIMED}
                checks.expect(waits == expected, f"{title}: {len(expected)} kinds", f"{waits}")
            else:
                types = sorted(step["type"] for step in found["steps"])
                checks.expect(types == CIRCLE and aarch64_waits.closes(found["steps"]), title, f"{found['steps']}")
