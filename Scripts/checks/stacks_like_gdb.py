"""Fifty waiting threads: the function names of our report against those that gdb finds in the same process.

gdb attaches, lists every thread's frames and detaches; then the process crashes under `crashsym run`. Names must be
equal frame for frame. What counts as equal:
  two names of one address (poll and __poll), a symbol with its version (poll@@GLIBC_2.2.5), and a part that the
  compiler split off or specialised (msort_with_tmp.part.0)
  gdb's `??` and our nothing
  in frame 0, an inlined function that begins at the very program counter: gdb takes it for not yet entered
Frames that gdb infers from tail calls, which are on no stack, are left out.
"""

import json
import pathlib
import shutil
import subprocess

import support

PROGRAM = support.ROOT / "Tests" / "EndToEndTests" / "Programs" / "fifty_waiting.c"
GDB_SCRIPT = pathlib.Path(__file__).with_name("gdb_stacks.py")
THREADS = 50


def program_of(parent):
    """The process that crashsym started, or the parent itself where it became the program."""
    children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return int(children[0]) if children else parent


def gdb_stacks(pid):
    run = subprocess.run(["gdb", "-batch", "-nx", "-p", str(pid), "-x", str(GDB_SCRIPT)],
                         capture_output=True, text=True, timeout=300)
    lines = [line for line in run.stdout.splitlines() if line.startswith("STACKS ")]
    if not lines:
        raise RuntimeError(f"gdb said: {run.stdout[-500:]} {run.stderr[-500:]}")
    return {int(thread): names for thread, names in json.loads(lines[0][len("STACKS "):]).items()}


def without_entered_inlines(theirs, frames, same):
    """Our frames without those inlined calls of frame 0 that gdb takes for not yet entered."""
    for skipped, frame in enumerate(frames):
        if any(same(theirs[0], support.plain(frame.get(key))) for key in ("symbol", "description")):
            return frames[skipped:]
        if not frame.get("inlined"):
            break
    return frames


def compare(theirs, frames, same):
    """The first difference in words, or None."""
    frames = without_entered_inlines(theirs, frames, same)
    for index in range(max(len(theirs), len(frames))):
        name = theirs[index] if index < len(theirs) else "(no frame)"
        frame = frames[index] if index < len(frames) else {"symbol": "(no frame)"}
        ours = [support.plain(frame.get(key)) for key in ("symbol", "description") if frame.get(key)]
        if not (any(same(support.plain(name), mine) for mine in ours) if name else not frame.get("symbol")):
            return f"frame {index}: gdb {name}, report {ours}"
    return None


def main():
    if shutil.which("gdb") is None:
        raise SystemExit("gdb is missing")
    products = support.swift_build("--product", "crashsym")
    support.swift_build("--product", "CrashKitPreload")
    crashsym, checks = products / "crashsym", support.Checks()
    with support.temporary_folder() as folder:
        program = f"{folder}/fifty_waiting"
        subprocess.run(["cc", "-std=gnu17", "-O2", "-g", "-pthread", PROGRAM, "-o", program], check=True)
        process = subprocess.Popen([crashsym, "run", "--", program], env=support.environment(folder),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            process.stdout.readline()
            pid = program_of(process.pid)
            support.wait_until_all_wait(pid)
            theirs = gdb_stacks(pid)
            support.wait_until_all_wait(pid)
            process.stdin.write(b"!")
            process.stdin.close()
            process.wait(timeout=60)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        reports = support.reports_in(folder)
        if checks.expect(len(reports) == 1, "one report", str(len(reports))):
            report = support.symbolicate(crashsym, reports[0])
            aliases = support.Aliases(report["images"])
            waiting = [thread for thread in report["threads"] if not thread.get("crashed")]
            checks.expect(len(waiting) >= THREADS, f"{THREADS} waiting threads are listed", str(len(waiting)))
            for thread in waiting:
                names = theirs.get(thread["id"], [])
                frames = [frame for frame in thread["frames"] if "address" in frame]
                difference = compare(names, frames, aliases.same) if names else None
                checks.expect(difference is None and names, f"thread {thread['id']}: {len(names)} frames as gdb's",
                              difference or "gdb does not know it")
    checks.end()


if __name__ == "__main__":
    main()
