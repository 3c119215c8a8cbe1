"""What threads wait for in libdispatch and for Swift's Mutex on aarch64: the program of the end-to-end tests crashes,
is asked for a capture, and leaves a core file, which crashsym reads on this machine. A circle of Mutexes is a crash.
"""

import aarch64_waits
import support

NAME = "dispatch_waits"
MIXED = "mixed_deadlock"
PROGRAMS = support.ROOT / "Tests" / "EndToEndTests" / "Programs"
LIBRARY = "CrashKitPreload"
# Type and owner, by the name of the thread that waits, as DispatchWaitTests has them.
EXPECTED = {
    "sync": "queue on-cache", "behind": "queue on-cache", "reads": "queue on-readers", "paused": "queue -",
    "main-queue": "queue main", "group": "group -", "item": "workItem -", "semaphore": "semaphore -",
    "on-cache": "semaphore -", "on-readers": "semaphore -", "first": "semaphore -", "once": "once first",
}
# With a time limit: the signal of a crash overwrites the object.
TIMED = {"timed-group": "group -", "timed-sem": "semaphore -"}
CIRCLES = {"circle": ["mutex", "mutex", "queue"], "mutexes": ["mutex", "mutex"]}


def build(swift):
    for name in (NAME, MIXED):
        swift.program(name, PROGRAMS / f"{name}.swift", [])


def run_all(products, folder, kept):
    """In the machine."""
    program, mixed = products / "Onone" / NAME, products / "Onone" / MIXED
    done = {kind: aarch64_waits.ask(core_of(kind), [program, kind], products, folder, kept)
            for kind in ("each", "circle")}
    return done | {"mutexes": {"crash": aarch64_waits.crash([mixed, "mutexes"], products, folder / "mutexes")}}


def core_of(kind):
    return f"dispatch-{kind}"


def judge(checks, done, folder, products, root, crashsym):
    for kind, ways in done.items():
        if kind != "mutexes":
            core = folder / aarch64_waits.core_name(core_of(kind))
            ways["core"] = aarch64_waits.core_waits(core, products / "Onone", root, crashsym)
        for way, found in ways.items():
            title = f"waits in libdispatch, {way} of {kind}"
            if "error" in found:
                checks.expect(False, title, found["error"])
            elif kind == "each":
                expected, waits = judged_waits(way, found["waits"])
                checks.expect(waits == expected, f"{title}: {len(expected)} kinds", f"{waits}")
            else:
                steps = next(iter(found["circles"]), [])
                types = sorted(step["type"] for step in steps)
                checks.expect(types == CIRCLES[kind] and aarch64_waits.closes(steps), title, f"{steps}")


def judged_waits(way, found):
    """What must be, and what was found of it."""
    expected = EXPECTED if way == "crash" else EXPECTED | TIMED
    waits = [(name, wait.replace(" exclusive", "")) for name, wait in found]
    if way != "core":
        return expected, {name: wait for name, wait in waits if name in EXPECTED | TIMED}
    # A core file has no names of threads, and idle threads of libdispatch wait for semaphores too.
    owners = ("on-cache", "on-readers", "first")
    unnamed = (" ".join(aarch64_waits.UNNAMED if word in owners else word for word in wait.split())
               for wait in expected.values())
    return (sorted(wait for wait in unnamed if wait != "semaphore -"),
            sorted(wait for _, wait in waits if wait != "semaphore -"))
