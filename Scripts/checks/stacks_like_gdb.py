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
import re
import shutil
import subprocess
import time

import support

PROGRAM = support.ROOT / "Tests" / "EndToEndTests" / "Programs" / "fifty_waiting.c"
GDB_SCRIPT = pathlib.Path(__file__).with_name("gdb_stacks.py")
THREADS = 50


def wait_until_all_wait(pid, seconds=20):
    """Returns once no thread has been scheduled between two looks: there is no event that would tell."""
    def look():
        result = {}
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            lines = (task / "status").read_text().splitlines()
            fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            result[task.name] = (fields["State"], fields["voluntary_ctxt_switches"])
        return result

    end, before = time.monotonic() + seconds, None
    while time.monotonic() < end:
        now = look()
        if now == before and all(state.startswith("S") for state, _ in now.values()):
            return
        before = now
        time.sleep(0.05)
    raise TimeoutError(f"the threads of {pid} do not come to rest")


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


class Aliases:
    """The names of each image by address, its separate debug file's too: two names of one function compare equal."""

    def __init__(self, images):
        self.addresses = {}
        for image in images:
            if image.get("path", "").startswith("/"):
                self.read(image["path"], image["path"], "-D")
                build_id = image.get("buildId", "")
                self.read(image["path"], f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug")

    def read(self, image, file, *options):
        if not pathlib.Path(file).exists():
            return
        run = subprocess.run(["nm", "--defined-only", "--format=posix", *options, file], capture_output=True, text=True)
        for line in run.stdout.splitlines():
            name, _, value = line.split(" ")[:3]
            self.addresses.setdefault(plain(name), set()).add((image, value))

    def same(self, one, other):
        if one == other:
            return True
        return bool(self.addresses.get(one, set()) & self.addresses.get(other, set()))


def plain(name):
    """A symbol's name without its version and without the suffix of a split or specialised part."""
    return name and re.sub(r"(\.(part|constprop|isra|cold|lto_priv)(\.\d+)?)+$", "", name.split("@")[0])


def without_entered_inlines(theirs, frames, same):
    """Our frames without those inlined calls of frame 0 that gdb takes for not yet entered."""
    for skipped, frame in enumerate(frames):
        if any(same(theirs[0], plain(frame.get(key))) for key in ("symbol", "description")):
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
        ours = [plain(frame.get(key)) for key in ("symbol", "description") if frame.get(key)]
        if not (any(same(plain(name), mine) for mine in ours) if name else not frame.get("symbol")):
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
            wait_until_all_wait(pid)
            theirs = gdb_stacks(pid)
            wait_until_all_wait(pid)
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
            aliases = Aliases(report["images"])
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
