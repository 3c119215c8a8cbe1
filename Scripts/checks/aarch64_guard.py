"""The guard of allocations on aarch64: programs of the end-to-end tests use memory wrongly under it, or rightly.

A report of the machine is symbolicated on this machine, and has to show the lines of allocation, release and use.
"""

import json
import os
import shutil
import subprocess

import death_runs
import support

PROGRAMS = support.ROOT / "Tests" / "EndToEndTests" / "Programs"
# Clang would leave calls of libc out.
FLAGS = ["-std=gnu17", "-O2", "-g", "-pthread", "-fno-builtin"]
LIBRARIES = ["libCrashKitPreload.so", "libCrashKitGuardPreload.so"]
LIMIT = 300
USED, RELEASED, MADE = "It is used here.", "It is released here.", "It is allocated here."
# The cause, and the marks of the lines that allocate, release and use it, by the argument of released.c.
MISUSES = {
    "read": ("useAfterFree", MADE, RELEASED, USED),
    "write": ("useAfterFree", MADE, RELEASED, "It is changed here."),
    "moved": ("useAfterFree", MADE, "It is moved here.", USED),
    "aligned": ("useAfterFree", "It is allocated aligned here.", RELEASED, USED),
    "over": ("overrun", MADE, None, "It is left here."),
    "under": ("underrun", MADE, None, "It is left here."),
    "double": ("doubleFree", MADE, RELEASED, RELEASED),
    "inside": ("misplacedFree", MADE, None, RELEASED),
}
# What allocations.c prints, by its arguments and the share.
HEALTHY = {"no": "as libc", "1": "as libc", "7": "as libc", "count 1": "100000"}
KINDS = [*MISUSES, *HEALTHY]


def build(built):
    built.product("CrashKitGuardPreload")
    for name in ("released", "allocations"):
        built.program(name, [PROGRAMS / f"{name}.c"], FLAGS)


# --- In the machine ----------------------------------------------------------------------------------------------


def ask_all(kinds, products, folder, kept):
    """What each program ended with and printed; the reports stay in `kept`."""
    return {kind: misuse(kind, products, folder, kept) if kind in MISUSES else healthy(kind, products, folder)
            for kind in kinds}


def run(command, products, reports, share):
    preload = ":".join(str(products / library) for library in LIBRARIES)
    environment = support.environment(reports, LD_PRELOAD=preload, CRASHKIT_OPTIONS=f"guard={share}")
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=LIMIT, check=False)


def misuse(kind, products, folder, kept):
    reports = death_runs.made(folder / kind) / "reports"
    ended = run([products / "released", kind], products, reports, 1)
    found = support.reports_in(reports)
    if len(found) == 1:
        shutil.copy(found[0], kept / report_name(kind))
    return {"status": ended.returncode, "reports": len(found), "errors": ended.stderr[-300:]}


def healthy(kind, products, folder):
    *words, share = kind.split()
    reports = death_runs.made(folder / kind.replace(" ", "-")) / "reports"
    ended = run([products / "allocations", *words], products, reports, share)
    return {"status": ended.returncode, "printed": ended.stdout.strip(), "errors": ended.stderr[-300:]}


def report_name(kind):
    return f"guard-{kind}.json"


# --- On this machine ---------------------------------------------------------------------------------------------


def judge(checks, done, folder, products, root, crashsym):
    for kind, found in done.items():
        if kind in HEALTHY:
            right = found["status"] == 0 and found["printed"] == HEALTHY[kind]
            checks.expect(right, f"guard, a healthy program: {kind}", f"{found}")
        elif checks.expect(found["reports"] == 1, f"guard, {kind}: one report", f"{found}"):
            report = symbolicated(folder / report_name(kind), products, root, crashsym)
            complaints = differences(kind, report)
            checks.expect(not complaints, f"guard, {kind}: {MISUSES[kind][0]}, with its stacks", "; ".join(complaints))


def symbolicated(report, products, root, crashsym):
    folders = [word for place in (products, root, root / "usr/lib/debug") for word in ("--symbols", place)]
    shown = subprocess.run([crashsym, *folders, "--format", "json", report], capture_output=True, check=True,
                           env=os.environ | {"CRASHSYM_CACHE_LIMIT": "0"})
    return json.loads(shown.stdout)


def differences(kind, report):
    """How a report differs from what it has to say, in words."""
    cause, made, released, used = MISUSES[kind]
    memory = report.get("guarded", {})
    found = [] if report.get("causeCode") == cause else [f"the cause is {report.get('causeCode')}"]
    stacks = [("allocated", memory.get("allocated"), made, 3), ("released", memory.get("released"), released, 3),
              ("used", report["threads"][0], used, 2)]
    for word, stack, mark, innermost in stacks:
        if mark is None:
            found += ["it was released"] if stack else []
            continue
        lines = lines_of(stack)
        if support.line_of(PROGRAMS / "released.c", mark) not in lines[:innermost]:
            found.append(f"{word} at {lines}")
    return found


def lines_of(stack):
    """The lines of the program in a stack, the innermost first."""
    places = [frame.get("sourceLocation", {}) for frame in (stack or {}).get("frames", [])]
    return [place["line"] for place in places if place.get("file", "").endswith("/released.c") and place["line"]]
