"""Core files of many kinds of programs: each thread's frames as `crashsym CORE` finds them against gdb's.

The addresses of all frames must be equal, thread for thread. Own frames are also compared between the core and CrashKit's
report of the same kind of death.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import core_notes
import gdb_cores
import support

CRASHSYM = support.ROOT / ".build" / "debug" / "crashsym"

SWIFT = """
import Dispatch
import Foundation
final class Worker: @unchecked Sendable {
  let number: Int
  init(_ number: Int) { self.number = number }
  @inline(never) func wait(_ gate: DispatchSemaphore) { gate.wait(); print(number) }
}
struct Table { var rows: [Int]; @inline(never) func look(_ index: Int) -> Int { rows[index] } }
@inline(never) func crash(_ table: Table, _ depth: Int) -> Int {
  depth == 0 ? table.look(99) : crash(table, depth - 1) + 1
}
let gate = DispatchSemaphore(value: 0)
let started = DispatchGroup()
for number in 0..<32 {
  started.enter()
  Thread { started.leave(); Worker(number).wait(gate) }.start()
}
DispatchQueue.global().async { started.enter(); started.leave(); Worker(99).wait(gate) }
started.wait()
usleep(200_000)
print(crash(Table(rows: [1, 2, 3]), 5))
"""
CXX = """
#include <stdexcept>
#include <thread>
#include <unistd.h>
struct Guard { ~Guard() { write(2, "", 0); } };
[[gnu::noinline]] int fail(int depth) { Guard guard; if (!depth) throw std::runtime_error("x"); return fail(depth - 1) + 1; }
int main() { std::thread other([] { pause(); }); usleep(100000); return fail(4); }
"""
RUST = """
use std::thread;
#[inline(never)] fn sum(depth: u32, values: &[u32]) -> u32 {
  if depth == 0 { unsafe { *(8 as *mut u32) = 1 }; values[0] } else { sum(depth - 1, values) + 1 }
}
fn main() {
  for _ in 0..3 { thread::spawn(|| thread::park()); }
  thread::sleep(std::time::Duration::from_millis(100));
  println!("{}", sum(6, &[1]));
}
"""
C_NULL_CALL = """
__attribute__((noinline)) int call(int (*function)(int), int value) { return function(value) + 1; }
int main(int count, char **arguments) { return call((int (*)(int))(long)(count - 1), 3) + !arguments; }
"""
C_OVERFLOW = """
__attribute__((noinline)) int deep(volatile int *p) { volatile int a[64]; a[0] = *p + 1; return deep(a) + a[0]; }
int main(void) { volatile int start = 0; return deep(&start); }
"""
C_HANDLER = """
#include <signal.h>
#include <stdlib.h>
static void handle(int signal) { (void)signal; abort(); }
__attribute__((noinline)) int work(volatile int *p) { return *p; }
int main(void) { signal(SIGSEGV, handle); return work((volatile int *)16); }
"""

# Name, file, text, compiler and its arguments.
PROGRAMS = [
    ("swift", "main.swift", SWIFT, ["swiftc", "-O", "-g"]),
    ("swift-static", "main.swift", SWIFT, ["swiftc", "-O", "-g", "-static-stdlib"]),
    ("swift-debug", "main.swift", SWIFT, ["swiftc", "-Onone", "-g"]),
    ("c++", "main.cpp", CXX, ["g++", "-O2", "-g", "-pthread", "-Wl,--build-id"]),
    ("rust", "main.rs", RUST, ["rustc", "-O", "-g"]),
    ("c, no PIE, call through null", "main.c", C_NULL_CALL, ["gcc", "-O1", "-g", "-no-pie", "-Wl,--build-id"]),
    ("c, PIE, call through null", "main.c", C_NULL_CALL, ["gcc", "-O1", "-g", "-pie", "-Wl,--build-id"]),
    ("c, stack overflow", "main.c", C_OVERFLOW, ["gcc", "-O1", "-g", "-Wl,--build-id"]),
    ("c, abort in a handler", "main.c", C_HANDLER, ["gcc", "-O2", "-g", "-Wl,--build-id"]),
    ("c, static", "main.c", C_HANDLER, ["gcc", "-O2", "-g", "-static", "-Wl,--build-id"]),
]


def core_of(program, folder):
    command = ["sh", "-c", 'ulimit -S -c unlimited; exec "$@"', "sh", str(program)]
    environment = {"PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=60, check=False)
    return core_notes.find(folder)


def our_stacks(core, options=()):
    run = subprocess.run([str(CRASHSYM), "--no-cache", "--format", "json", *options, str(core)], capture_output=True,
                         text=True, timeout=120, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    stacks = {}
    for thread in json.loads(run.stdout)["threads"]:
        addresses = []
        for frame in thread["frames"]:
            if frame["kind"] == "omittedFrames":
                break
            if not frame.get("inlined"):
                addresses.append(int(frame["address"], 16))
        stacks[thread["id"]] = addresses
    return stacks


def differences(theirs, ours):
    if theirs.keys() != ours.keys():
        return [f"threads {sorted(theirs)} and {sorted(ours)}"]
    found = []
    for thread, addresses in theirs.items():
        mine = ours[thread][:len(addresses)] if len(addresses) == 250 else ours[thread]
        if mine != addresses:
            place = next((i for i, pair in enumerate(zip(mine, addresses)) if pair[0] != pair[1]),
                         min(len(mine), len(addresses)))
            found.append(f"thread {thread}, frame {place}: gdb {[hex(a) for a in addresses[place:place + 2]]} of "
                         f"{len(addresses)}, ours {[hex(a) for a in mine[place:place + 2]]} of {len(mine)}")
    return found


def main():
    checks = support.Checks()
    for name, file, text, compiler in PROGRAMS:
        if not shutil.which(compiler[0]) or not shutil.which("gdb"):
            checks.skip(name, f"{compiler[0]} or gdb is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, file), pathlib.Path(folder, "program")
            source.write_text(text)
            subprocess.run([*compiler, str(source), "-o", str(program)], check=True, capture_output=True)
            core = core_of(program, folder)
            if core is None:
                checks.skip(name, "this machine leaves no core in the folder of the program")
                continue
            theirs, ours = gdb_cores.stacks(program, core, "gdb"), our_stacks(core)
            found = differences(theirs, ours)
            frames = sum(len(addresses) for addresses in theirs.values())
            checks.expect(not found, f"{name}: {len(theirs)} threads, {frames} frames as gdb has them",
                          f"{len(found)} differ: {'; '.join(found)}")
    checks.end()


if __name__ == "__main__":
    sys.exit(main())
