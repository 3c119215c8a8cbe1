"""What a crash handler calls, over every kind of diagdemo crash: nothing that allocates, locks, is bound late or waits.

A tracer (Tests/HandlerCalls) marks each thread from the first instruction of one of CrashKit's handlers to the
handler's return or the thread's death: the crashing thread's, and that of every thread that is stopped. For marked
threads it notes each system call, each call of malloc, mmap, a lock, the loader or stdio that a preloaded library
counts, libunwind's included, and each symbol that the loader binds (LD_DEBUG=bindings). Before anything else a program
whose handler does all of that must be found out.

With names it runs these kinds only; --quick runs a handful; otherwise it runs all that `diagdemo crash --list` names,
each on the main thread and on a thread of its own, and some with CrashKit preloaded.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import support

SOURCES = support.ROOT / "Tests" / "HandlerCalls"
HANDLERS = {"on_signal", "on_stop", "on_deadline"}
HANDLER_FILES = {"control.c"} | {
    path.name
    for folder in support.own_code("c_folder") if not folder.endswith("CThreadGuard")
    for path in (support.ROOT / folder).rglob("*.c")
}
QUICK = ["null-read", "abort", "fatal-error", "async-crash", "many-threads", "thread-stack-overflow"]
PRELOADED = ["null-read", "abort", "many-threads"]

# Kinds in which something else runs inside our handler first, by design: what counts begins with the capture. A handler
# of the program itself; or the repair of the breadcrumbs' mapping, whose file somebody cut short, which ends in no
# death.
SOMETHING_FIRST = re.compile(r"handler|chain|repair|jvm|ring-cut")
# Kinds that would harm the machine without something around them.
NOT_HERE = {"memory-used-up": "it needs a memory limit around it", "disk-full": "it needs a small disk of its own"}

FUTEX_WAITS = {0: "FUTEX_WAIT", 6: "FUTEX_LOCK_PI", 9: "FUTEX_WAIT_BITSET", 11: "FUTEX_WAIT_REQUEUE_PI",
               13: "FUTEX_LOCK_PI2"}
USAGE = 64
MEMORY_CALLS = {"brk", "mmap", "mremap", "munmap", "mprotect", "madvise"}


def system_call_names():
    text = subprocess.run(["cc", "-dM", "-E", "-xc", "-"], input="#include <sys/syscall.h>\n", capture_output=True,
                          text=True, check=True).stdout
    return {int(number): name for name, number in re.findall(r"#define __NR_(\w+) (\d+)$", text, re.M)}


def handlers_of(image):
    """CrashKit's handlers by their offsets in an executable or a library: functions of these names in its files."""
    text = subprocess.run(["readelf", "--symbols", "--wide", image], capture_output=True, text=True, check=True).stdout
    found, file = {}, None
    for line in text.splitlines():
        fields = line.split()
        if len(fields) != 8 or not fields[0].endswith(":"):
            continue
        _, value, _, kind, _, _, _, name = fields
        if kind == "FILE":
            file = name
        elif kind == "FUNC" and name in HANDLERS and file in HANDLER_FILES:
            found[int(value, 16)] = name
    if "on_signal" not in found.values():
        raise ValueError(f"{image} has no on_signal")
    return found


class Tools:
    """The counting library, the tracer and the program that must be found out, built for this run."""

    def __init__(self, folder):
        self.folder = folder
        strict = ["cc", "-Wall", "-Wextra", "-Werror", "-O1"]
        # The library's own calls are bound at once, so that only the program's show.
        library = ["-fno-builtin", "-fPIC", "-shared", "-Wl,-z,now"]
        for output, source, options in [("counting.so", "counting.c", library), ("tracer", "tracer.c", []),
                                        ("control", "control.c", ["-Wl,-z,lazy"])]:
            subprocess.run([*strict, *options, "-o", folder / output, SOURCES / source], check=True)
        self.names = system_call_names()

    def trace(self, program, *arguments, begins_with_capture=False, preloaded=None):
        """One run; `preloaded` is the library whose handlers count, instead of the program's own."""
        folder = support.temporary_folder()
        image = preloaded or program
        handlers = handlers_of(image)
        log = pathlib.Path(folder.name) / "log"
        libraries = [str(self.folder / "counting.so"), *([str(preloaded)] if preloaded else [])]
        settings = [f"LD_PRELOAD={':'.join(libraries)}", f"CALL_LOG={log}", "LD_DEBUG=bindings",
                    f"LD_DEBUG_OUTPUT={folder.name}/bindings"]
        command = [self.folder / "tracer", log, *(["--begin=capture"] if begins_with_capture else []), image,
                   ",".join(map(hex, handlers)), "--", "/usr/bin/env", *settings, program, *arguments]
        os.chmod(folder.name, 0o711)  # for kinds that give up being root
        reports = pathlib.Path(folder.name) / "reports"
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, cwd=folder.name,
                             stdin=subprocess.DEVNULL, env=support.environment(reports, SWIFT_BACKTRACE="enable=no"))
        with folder:
            return Trace(run.stdout, handlers, self.names, len(support.reports_in(reports)))


class Trace:
    """What the tracer wrote down of one run."""

    def __init__(self, text, handlers, names, reports):
        self.reports = reports
        self.images, self.handlers, self.system_calls, self.bound, self.calls = [], [], [], [], []
        self.outside = self.status = None
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            words = rest.split(" ")
            if kind == "image":
                start, end, offset = (int(word, 16) for word in words[:3])
                self.images.append((start, end, offset, rest.split(" ", 3)[3]))
            elif kind == "handler":
                self.handlers.append((int(words[0]), int(words[1]), handlers[int(words[2], 16)]))
            elif kind == "syscall":
                arguments = [int(word, 16) for word in words[2:]]
                self.system_calls.append((names.get(int(words[1]), words[1]), arguments))
            elif kind == "bound":
                self.bound.append(re.sub(r"^.*binding file ", "", rest).strip())
            elif kind == "call":
                self.calls.append((words[1], int(words[2], 16)))
            elif kind == "outside":
                self.outside = int(words[0])
            elif kind == "end":
                self.status = int(words[0])

    def callers(self):
        """Each function that was called, with the images that called it."""
        result = {}
        for function, caller in self.calls:
            image = next((f"{pathlib.Path(path).name}+{caller - start + offset:#x}"
                          for start, end, offset, path in self.images if start <= caller < end), hex(caller))
            result.setdefault(function, {}).setdefault(image, 0)
            result[function][image] += 1
        return result

    def waits(self):
        """Waits for a futex, and changes to the address space."""
        found = []
        for name, arguments in self.system_calls:
            if name == "futex" and arguments[1] & 0x7f in FUTEX_WAITS:
                found.append(FUTEX_WAITS[arguments[1] & 0x7f])
            elif name in MEMORY_CALLS:
                found.append(name)
        return found


def check_control(checks, tools):
    """The program that does all that a handler must not."""
    trace = tools.trace(tools.folder / "control")
    called = {function for function, _ in trace.calls}
    checks.expect({"malloc", "pthread_mutex_lock", "mmap"} <= called, "control: its calls are counted", called)
    waits = set(trace.waits())
    checks.expect({"FUTEX_WAIT", "mmap", "brk"} <= waits, "control: its system calls are seen", waits)
    checks.expect(any("`getppid'" in line for line in trace.bound), "control: what it binds is seen", trace.bound)


def check_kind(checks, tools, diagdemo, kind):
    trace = tools.trace(diagdemo, "crash", kind, begins_with_capture=bool(SOMETHING_FIRST.search(kind)))
    if trace.status is None:
        return checks.expect(False, f"{kind}: traced to its end")
    if os.WIFEXITED(trace.status) and not trace.handlers:
        status = os.WEXITSTATUS(trace.status)
        if status == USAGE and kind.startswith("thread-"):
            return None  # no such variant
        if status == 1:
            return checks.skip(kind, "this machine does not let it come true")
    return judge(checks, kind, trace)


def check_preloaded(checks, tools, folder, kind):
    """A program that knows nothing of CrashKit, with the preload library."""
    library = folder / "libCrashKitPreload.so"
    trace = tools.trace(folder / "diagdemo", "crash", "--without-crash-kit", kind, preloaded=library)
    judge(checks, f"{kind}, preloaded", trace, needs_handler=True)


def judge(checks, kind, trace, needs_handler=False):
    ran = any(name == "on_signal" for _, _, name in trace.handlers)
    if not ran and not needs_handler:
        return checks.expect(trace.reports == 0, f"{kind}: no handler, and so no report", trace.reports)
    if trace.reports == 0 and not trace.system_calls and SOMETHING_FIRST.search(kind):
        return checks.expect(not trace.calls, f"{kind}: the program's own handler, and no capture", trace.callers())
    complaints = []
    if trace.outside < 1000 or not trace.system_calls:
        complaints.append(f"little was seen: {trace.outside} calls before, {len(trace.system_calls)} system calls")
    if trace.calls:
        complaints.append(f"called {trace.callers()}")
    if trace.bound:
        complaints.append(f"bound {sorted(set(trace.bound))}")
    if waits := trace.waits():
        complaints.append("asked for " + ", ".join(f"{name} × {waits.count(name)}" for name in sorted(set(waits))))
    others = sum(name == "on_stop" for _, _, name in trace.handlers)
    checks.expect(not complaints, f"{kind}: {len(trace.system_calls)} system calls, {others} threads stopped",
                  "; ".join(complaints))


def kinds_of(diagdemo):
    text = subprocess.run([diagdemo, "crash", "--list"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in text.splitlines() if re.match(r"[a-z]\S* ", line)]
    return names + [f"thread-{name}" for name in names if not name.startswith("thread-")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--products", type=pathlib.Path, help="where diagdemo is; it is built otherwise")
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    support.hear_all_signals()
    checks = support.Checks()
    if not options.products:
        support.swift_build("--product", "CrashKitPreload")
    products = (options.products or support.swift_build("--product", "diagdemo")).resolve()
    diagdemo = products / "diagdemo"
    kinds = options.kinds or (QUICK if options.quick else kinds_of(diagdemo))
    with support.temporary_folder() as folder:
        tools = Tools(pathlib.Path(folder))
        os.chmod(folder, 0o711)
        check_control(checks, tools)
        for kind in kinds:
            if reason := NOT_HERE.get(kind.removeprefix("thread-")):
                checks.skip(kind, reason)
                continue
            try:
                check_kind(checks, tools, diagdemo, kind)
            except subprocess.TimeoutExpired:
                checks.expect(False, f"{kind}: ends within two minutes")
        for kind in [] if options.kinds else PRELOADED:
            check_preloaded(checks, tools, products, kind)
    checks.end()


if __name__ == "__main__":
    sys.exit(main())
