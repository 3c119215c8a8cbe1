"""Drives `crashsym run` on a terminal of its own and prints what the program and the shell saw.

Usage: terminal.py SCENARIO CRASHSYM
"""
import os
import pty
import select
import signal
import sys
import time

DEADLINE = time.monotonic() + 60

# Counts the signals it gets; SIGUSR1 makes it print the counts and exit with status 5.
COUNTER = r"""
import signal, sys, time
counts = {}
def count(number, frame): counts[number] = counts.get(number, 0) + 1
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT): signal.signal(number, count)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print("ready", flush=True)
deadline = time.monotonic() + 60
while signal.sigtimedwait({signal.SIGUSR1}, 1) is None and time.monotonic() < deadline: pass
print(" ".join(f"{signal.Signals(n).name}={c}" for n, c in sorted(counts.items())) or "none", flush=True)
sys.exit(5)
"""


class Terminal:
    """A session of its own with a terminal, in which a command runs."""

    def __init__(self, arguments):
        self.text = ""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvp(arguments[0], arguments)

    def expect(self, wanted):
        """Reads until the text has come."""
        while wanted not in self.text:
            left = DEADLINE - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                sys.exit(f"timed out waiting for {wanted!r} in {self.text!r}")
            try:
                chunk = os.read(self.master, 4096)
            except OSError:
                chunk = b""
            if not chunk:
                sys.exit(f"ended before {wanted!r}: {self.text!r}")
            self.text += chunk.decode(errors="replace")
        before, _, self.text = self.text.partition(wanted)
        return before

    def type(self, keys):
        os.write(self.master, keys)

    def status(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def wait_for(condition):
    """Waits for a state that the kernel announces to nobody but its reader."""
    while not condition():
        if time.monotonic() > DEADLINE:
            sys.exit("timed out waiting for a process's state")
        time.sleep(0.005)


def state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def pending_is_empty(pid):
    """Whether no signal waits to be taken by the process."""
    with open(f"/proc/{pid}/status") as file:
        masks = dict(line.split(":", 1) for line in file if line.startswith(("SigPnd", "ShdPnd")))
    return all(int(mask, 16) == 0 for mask in masks.values())


def counter(crashsym):
    terminal = Terminal([crashsym, "run", "--", sys.executable, "-c", COUNTER])
    terminal.expect("ready")
    return terminal, children(terminal.pid)[0]


def finish(terminal, program):
    wait_for(lambda: pending_is_empty(terminal.pid) and pending_is_empty(program))
    os.kill(terminal.pid, signal.SIGUSR1)
    terminal.expect("SIG")
    print("SIG" + terminal.expect("\r\n"), "status", terminal.status())


def interrupt(crashsym):
    """A key of the terminal reaches the program once."""
    terminal, program = counter(crashsym)
    terminal.type(b"\x03")
    terminal.expect("^C")
    finish(terminal, program)


def process(crashsym):
    """What a process sends to crashsym alone reaches the program once."""
    terminal, program = counter(crashsym)
    os.kill(terminal.pid, signal.SIGTERM)
    os.kill(terminal.pid, signal.SIGINT)
    finish(terminal, program)


def hangup(crashsym):
    """The hangup that only the leader of the session gets reaches the program."""
    terminal = Terminal([crashsym, "run", "--", "sh", "-c", "trap 'kill $!; exit 6' HUP; sleep 60 & echo ready; wait"])
    terminal.expect("ready")
    os.close(terminal.master)
    print("status", terminal.status())


def suspend(crashsym):
    """The shell sees the job stopped, and goes on with it in the foreground."""
    terminal = Terminal(["bash", "--norc", "--noprofile", "-i"])
    terminal.type(b"PS1='shell> '; set -b\n")
    terminal.expect("shell> ")
    terminal.type(f"{crashsym} run -- {sys.executable} -c 'print(\"re\" + \"ady\", flush=True); print(\"got\", input())'; echo status=$?\n".encode())
    terminal.expect("ready")
    run = children(terminal.pid)[0]
    terminal.type(b"\x1a")
    terminal.expect("Stopped")
    wait_for(lambda: state(run) == "T")
    print("stopped", state(run))
    terminal.type(b"fg\n")
    wait_for(lambda: state(run) != "T")
    terminal.type(b"hello\n")
    terminal.expect("got hello")
    print("continued")
    terminal.type(b"exit\n")
    terminal.status()


if __name__ == "__main__":
    {"interrupt": interrupt, "process": process, "hangup": hangup, "suspend": suspend}[sys.argv[1]](sys.argv[2])
