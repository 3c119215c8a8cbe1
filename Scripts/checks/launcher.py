#!/usr/bin/env python3
"""crashsym run is a launcher that nobody sees: what a program is given and how it ends is the same with it and without.

Each program is started by itself and by crashsym run, and what it writes down is compared: arguments, environment,
descriptors, signals, exit status, death by a signal, job control, and all of that without /proc.
"""

import argparse
import concurrent.futures
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import support

LIMIT = 30  # seconds
# Those that CrashKit sets for itself: see Docs/architecture.md.
OWN_VARIABLES = {b"LD_PRELOAD", b"CRASHKIT_DIRECTORY", b"CRASHKIT_OPTIONS", b"CRASHKIT_RUN", b"CRASHKIT_SPARE",
                 b"ASAN_OPTIONS"}
ALL_BYTES = bytes(range(1, 256))
NOT_DEADLY = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH, signal.SIGSTOP, signal.SIGTSTP,
              signal.SIGTTIN, signal.SIGTTOU}
# The shell's last word here is the command that is asked for; /proc is gone.
WITHOUT_PROC = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]


def mini_shell(arguments):
    """Starts a job in the foreground of its terminal as a shell does, and continues it once it has stopped."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(arguments[0], arguments)
    os.write(1, f"job {child}\n".encode())  # in one piece: the job writes too
    while True:
        status = os.waitpid(child, os.WUNTRACED)[1]
        if not os.WIFSTOPPED(status):
            break
        os.tcsetpgrp(0, os.getpgrp())
        print(f"stopped by {os.WSTOPSIG(status)}", flush=True)
        sys.stdin.readline()
        os.tcsetpgrp(0, child)
        os.kill(-child, signal.SIGCONT)
        print("continued", flush=True)
    print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)


def wait_until_it_runs(pid):
    end = time.monotonic() + LIMIT
    while pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T":
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, arguments):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execv(sys.executable, [sys.executable, __file__, "--mini-shell", *arguments])
        self.seen = b""

    def wait_for(self, pattern):
        """Waits until something has been written that matches; None if that takes too long, or the program ends."""
        end = time.monotonic() + LIMIT
        while not (match := re.search(pattern, self.seen)):
            if not select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
                return None
            try:
                self.seen += os.read(self.master, 4096)
            except OSError:
                return None
        return match

    def expect(self, text):
        """Waits for the text, and forgets what came up to it."""
        match = self.wait_for(re.escape(text.encode()))
        if match:
            self.seen = self.seen[match.end():]
        return match is not None

    def number_after(self, text):
        """Two processes may write their numbers in either order, so what came before is kept."""
        match = self.wait_for(re.escape(text.encode()) + rb"(\d+)\r?\n")
        if not match:
            raise ValueError(f"no number after {text!r} in {self.seen!r}")
        self.seen = self.seen[:match.start()] + self.seen[match.end():]
        return int(match[1])

    def type(self, text):
        os.write(self.master, text)

    def close(self):
        # Its end is the end of what runs in it.
        os.close(self.master)
        os.waitpid(self.pid, 0)


class Launcher:
    def __init__(self, products, folder, checks):
        self.checks, self.folder = checks, folder
        self.program = folder / "program"
        source = pathlib.Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-D_GNU_SOURCE", "-o", self.program, source], check=True)
        # A library that does nothing shows what the launcher itself leaves behind.
        self.nothing = folder / "nothing.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", self.nothing, "/dev/null"], check=True)
        self.run = [str(products / "crashsym"), "run", "--"]
        self.kept = {key: value for key, value in os.environb.items()
                     if not key.startswith((b"CRASH", b"LD_PRELOAD", b"ASAN"))}

    def start(self, *arguments, under=(), with_library=False, environment=None, **options):
        variables = dict(self.kept)
        if not with_library:
            variables[b"CRASHSYM_PRELOAD"] = os.fsencode(self.nothing)
        variables.update(environment or {})
        command = [*under, str(self.program), *arguments]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        return subprocess.run(command, env=variables, timeout=LIMIT, **options)

    def same(self, name, *arguments, ways=((), WITHOUT_PROC), without=lambda output: output, **options):
        """The same output and the same end by itself and under crashsym run, with each way to start both."""
        for way in ways:
            if way and os.geteuid() != 0:
                self.checks.skip(f"{name}, without /proc", "only root can take it away")
                continue
            alone = self.start(*arguments, under=way, **options)
            watched = self.start(*arguments, under=[*way, *self.run], **options)
            is_same = (alone.returncode, without(alone.stdout)) == (watched.returncode, without(watched.stdout))
            detail = f"{alone.returncode} {alone.stdout[-80:]} / {watched.returncode} {watched.stdout[-80:]} " \
                f"{watched.stderr[-200:]}"
            self.checks.expect(is_same, name + (", without /proc" if way else ""), detail)

    def arguments(self):
        self.same("arguments of all bytes", "arguments", ALL_BYTES, b"\xf4\x8f\xbe\x80\xff", "ä€😀", b"\xcc\x81/a")
        self.same("empty arguments", "arguments", "", "a", "", "--", "", "--quiet", "-")
        self.same("1,000 arguments", "arguments", *[f"argument {i}" for i in range(1000)])
        # The kernel allows a quarter of the stack, 128 KiB each. The rest is room for what run adds.
        piece, room = 130_000, 64 << 10
        pieces = (os.sysconf("SC_ARG_MAX") - room) // (piece + 9)
        self.same(f"{pieces} arguments of {piece} bytes", "arguments", *[b"\xfe" * piece] * pieces)

    def environment(self):
        def theirs(output):
            # Of our own two that only the library and the comparison know.
            entries = [entry for entry in output.split(b"\0") if entry.split(b"=")[0] not in OWN_VARIABLES]
            return sorted(entries)
        variables = {b"LAUNCHER_BYTES": ALL_BYTES, b"LAUNCHER_\xff\xfe": b"\x80", b"LAUNCHER_EMPTY": b""}
        self.same("environment of all bytes", "environment", environment=variables, without=theirs)
        folder = os.fsencode(self.folder) + b"/reports \xff\xf4\x8f\xbe\x80"
        for name in (b"CRASHKIT_DIRECTORY", b"TMPDIR"):
            os.makedirs(folder, exist_ok=True)
            given = self.start("environment", under=self.run, environment={name: folder})
            found = dict(entry.split(b"=", 1) for entry in given.stdout.split(b"\0") if b"=" in entry)
            self.checks.expect(found.get(b"CRASHKIT_DIRECTORY", b"").startswith(folder),
                               f"{name.decode()} of bytes that are not UTF-8", given.stdout[-200:] + given.stderr)
        self.report_in_foreign_folder(folder)

    def report_in_foreign_folder(self, folder):
        died = self.start("die", str(int(signal.SIGSEGV)), under=self.run, with_library=True,
                          environment={b"CRASHKIT_DIRECTORY": folder})
        reports = [name for name in os.listdir(folder) if name.endswith(b"-crashReport.json")]
        self.checks.expect(died.returncode == -signal.SIGSEGV and len(reports) == 1,
                           "a report in a folder of foreign bytes", died.stderr)
        self.checks.expect(b"died of SIGSEGV" in died.stderr and b"\xff" not in died.stderr,
                           "it is shown, and its path is harmless", died.stderr)

    def programs(self):
        for name in (b"program \xff", "a\u0301".encode(), b"\xcc\x81"):
            path = os.fsencode(self.folder) + b"/" + name
            os.link(self.program, path)
            for way in ([path], ["env", b"PATH=" + os.fsencode(self.folder), *self.run, name]):
                command = [*self.run, *way] if way[0] == path else way
                end = subprocess.run([*command, "exit", "9"], env={**self.kept, b"CRASHSYM_PRELOAD": os.fsencode(
                    self.nothing)}, timeout=LIMIT, capture_output=True)
                self.checks.expect(end.returncode == 9, f"a program named {name}", end.stderr)

    def descriptors(self):
        output = self.folder / "descriptors"
        for closed in ((), (0,), (1,), (2,), (0, 1, 2)):
            seen = []
            for under in ((), self.run):
                # The library keeps the standard ones free as well.
                for with_library in (False, True) if under else (False,):
                    self.start("descriptors", under=under, with_library=with_library,
                               environment={b"LAUNCHER_OUTPUT": os.fsencode(output)}, stdin=None, stdout=None,
                               stderr=None, preexec_fn=lambda: [os.close(fd) for fd in closed])
                    # Those of CrashKit itself are high ones.
                    seen.append([fd for fd in output.read_text().split() if int(fd) < 3])
            self.checks.expect(seen[0] == seen[1] == seen[2], f"descriptors with {closed or 'none'} closed", seen)

    def signals(self):
        def masked(set_up):
            return ["env", *set_up] if set_up else []
        for set_up in ([], ["--ignore-signal=INT", "--ignore-signal=CHLD", "--ignore-signal=HUP"],
                       ["--block-signal=TERM", "--block-signal=USR1"]):
            name = f"all 64 signals {' '.join(set_up)}".strip()
            alone = self.start("signals", under=["sh", "-c", 'exec "$@"', "sh", *masked(set_up)])
            watched = self.start("signals", under=["sh", "-c", 'exec "$@"', "sh", *masked(set_up), *self.run])
            self.checks.expect(alone.stdout == watched.stdout and alone.stdout.count(b"\n") == 65, name,
                               set(alone.stdout.split(b"\n")) ^ set(watched.stdout.split(b"\n")))

    def ends(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda status: self.start("exit", str(status), under=self.run), range(256)))
        for status, end in enumerate(found):
            if end.returncode != status:
                self.checks.expect(False, f"exit status {status}", end)
        self.checks.expect(len(found) == 256, "exit statuses 0 to 255 were tried")
        self.same("an exit status", "exit", "137")
        for number in range(1, 65):
            if number in NOT_DEADLY:
                continue
            self.same(f"death by signal {number}", "die", str(number), ways=((),))
        self.same("death by a signal", "die", str(int(signal.SIGSEGV)))

    def jobs(self):
        for name, run in (("alone", []), ("under crashsym run", self.run)):
            terminal = Terminal([*run, str(self.program), "wait"] if run else [str(self.program), "wait"])
            ends = terminal.expect("ready")
            terminal.type(b"\x03")
            self.checks.expect(ends and terminal.expect(f"ended {-signal.SIGINT}"), f"ctrl-C {name}", terminal.seen)
            terminal.close()
            terminal = Terminal([*run, str(self.program), "line"] if run else [str(self.program), "line"])
            stops = terminal.expect("ready")
            terminal.type(b"\x1a")
            stops = stops and terminal.expect(f"stopped by {int(signal.SIGTSTP)}")
            terminal.type(b"fg\n")
            goes_on = stops and terminal.expect("continued")
            terminal.type(b"q\n")
            self.checks.expect(goes_on and terminal.expect("ended 5"), f"ctrl-Z and fg {name}", terminal.seen)
            terminal.close()

    def stops(self):
        """A program that stops itself by SIGSTOP is a stopped job, whoever continues it."""
        for name, run in (("alone", []), ("under crashsym run", self.run)):
            command = [*run, str(self.program), "stop"]
            terminal = Terminal(command)
            stops = terminal.expect(f"stopped by {int(signal.SIGSTOP)}")
            terminal.type(b"fg\n")
            goes_on = stops and terminal.expect("goes on")
            terminal.type(b"\x03")
            self.checks.expect(goes_on and terminal.expect(f"ended {-signal.SIGINT}"), f"SIGSTOP, fg and ctrl-C {name}",
                               terminal.seen)
            terminal.close()
            terminal = Terminal(command)
            job, program = terminal.number_after("job "), terminal.number_after("program ")
            stops = terminal.expect(f"stopped by {int(signal.SIGSTOP)}")
            os.kill(program, signal.SIGCONT)
            goes_on = stops and terminal.expect("goes on") and wait_until_it_runs(job)
            terminal.type(b"fg\n")
            goes_on = goes_on and terminal.expect("continued")
            terminal.type(b"\x03")
            self.checks.expect(goes_on and terminal.expect(f"ended {-signal.SIGINT}"),
                               f"SIGSTOP and SIGCONT for the program {name}", terminal.seen)
            terminal.close()

    def full_pipe(self):
        """A standard error that nobody reads holds up neither the program's status nor its death."""
        for name, arguments, expected in (("a crash", ["die", str(int(signal.SIGSEGV))], -signal.SIGSEGV),
                                          ("no such program", None, 127)):
            reading, writing = os.pipe()
            fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)
            try:
                while os.write(writing, b"x" * 4096):
                    pass
            except BlockingIOError:
                pass
            fcntl.fcntl(writing, fcntl.F_SETFL, 0)
            command = [self.run[0], "run", "--thread-guard", "--output", str(self.folder / "unread"), "--"]
            command += [str(self.program), *arguments] if arguments else ["/no/such/program"]
            begun = time.monotonic()
            process = subprocess.Popen(command, env=self.kept, stdout=subprocess.DEVNULL, stderr=writing)
            try:
                status = process.wait(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                status = "it hangs"
                process.wait()
            self.checks.expect(status == expected, f"a full pipe as standard error: {name}",
                               f"{status} after {time.monotonic() - begun:.1f} s")
            os.close(reading)
            os.close(writing)

    def links(self):
        """No link is followed, neither to the folder nor in it."""
        target = self.folder / "target"
        target.mkdir(mode=0o700)
        link = self.folder / "link"
        link.symlink_to(target)
        for path in (str(link), f"{link}/"):
            end = subprocess.run([*self.run[:-1], "--output", path, "--", self.program], capture_output=True,
                                 env=self.kept, timeout=LIMIT)
            self.checks.expect(end.returncode == 74 and b"a symbolic link, which is not followed" in end.stderr,
                               f"a link as the folder, {path[-5:]}", end.stderr)
        secret = self.folder / "secret.json"
        secret.write_text('{"schema": "crashkit/1", "kind": "crashReport", "description": "a secret"}')
        script = 'ln -s "$0" "$CRASHKIT_DIRECTORY/20260101T000000.000Z-$$-crashReport.json"; kill -SEGV $$'
        end = subprocess.run([*self.run[:-1], "--output", target, "--", "sh", "-c", script, secret],
                             capture_output=True, timeout=LIMIT, env={**self.kept, b"CRASHSYM_PRELOAD": os.fsencode(self.nothing)})
        self.checks.expect(b"it is a symbolic link" in end.stderr and b"a secret" not in end.stderr,
                           "a link among the reports", end.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", type=pathlib.Path, required=True, help="the folder of the built commands")
    parser.add_argument("parts", nargs="*", help="only these: arguments, environment, …")
    options = parser.parse_args()
    support.hear_all_signals()
    checks = support.Checks()
    with tempfile.TemporaryDirectory() as folder:
        launcher = Launcher(options.products.resolve(), pathlib.Path(folder), checks)
        parts = ["arguments", "environment", "programs", "descriptors", "signals", "ends", "jobs", "stops", "full_pipe",
                 "links"]
        for part in options.parts or parts:
            getattr(launcher, part)()
    checks.end()


if sys.argv[1:2] == ["--mini-shell"]:
    mini_shell(sys.argv[2:])
elif __name__ == "__main__":
    main()
