"""Drives `diagdemo watch` in tmux, as a person would, and looks at the screen.

Usage: watch.py --products FOLDER [SCENARIO…]
"""
import argparse
import collections
import glob
import http.server
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

LONGEST_WAIT = 20


class Failed(Exception):
    pass


def wait_for(condition, what):
    """Waits for something that nobody announces but to who looks."""
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise Failed(f"waited for {what() if callable(what) else what}")
        time.sleep(0.02)


class Pages(http.server.BaseHTTPRequestHandler):
    """One page; all others are missing."""

    asked = collections.Counter()

    def do_GET(self):
        Pages.asked[self.path] += 1
        self.send_response(200 if self.path == "/page" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Screen:
    """A terminal of tmux's with a shell in it, under a server of its own."""

    count = 0

    def __init__(self, folder, columns=90, lines=24, **environment):
        # A server that was just told to end may still hold its socket.
        Screen.count += 1
        self.socket = os.path.join(folder, f"tmux-{Screen.count}")
        variables = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "CRASHKIT_DIRECTORY": folder, "PS1": "ready> "}
        words = [f"{name}={value}" for name, value in (variables | environment).items()]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines),
                  "env", "-i", "TERM=tmux-256color", *words, "bash", "--norc", "--noprofile")
        self.expect(r"ready>$")

    def tmux(self, *arguments):
        result = subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, timeout=60)
        if result.returncode != 0:
            raise Failed(f"tmux {arguments[0]}: {result.stderr.strip()}")
        return result.stdout

    def text(self, *options):
        return self.tmux("capture-pane", "-p", *options).rstrip("\n")

    def expect(self, pattern, *options):
        """Waits until the screen holds the pattern, and returns the screen."""
        last = [""]

        def look():
            last[0] = self.text(*options)
            return re.search(pattern, last[0], re.MULTILINE)
        wait_for(look, lambda: f"{pattern!r} on\n{last[0]}")
        return last[0]

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def command(self, line):
        self.keys(line, "Enter")

    def program(self):
        """The process that runs in the shell."""
        shell = self.tmux("display", "-p", "#{pane_pid}").strip()

        def child():
            with open(f"/proc/{shell}/task/{shell}/children") as file:
                return file.read().split()
        return int(wait_for(child, "a program in the shell")[0])

    def close(self):
        self.tmux("kill-server")


class Scenarios:
    def __init__(self, products, folder):
        self.diagdemo = os.path.join(products, "diagdemo")
        self.folder = folder

    def watch(self, *options, refresh=0.2, **screen):
        screen = Screen(self.folder, **screen)
        screen.command(" ".join([self.diagdemo, "watch", "--refresh", str(refresh), *options]))
        return screen

    def press_until(self, screen, key, pattern):
        """A key moves a threshold by a step: presses it until the screen says what it should."""
        for _ in range(25):
            if re.search(pattern, screen.text(), re.MULTILINE):
                return
            screen.keys(key)
        screen.expect(pattern)

    def tabs(self):
        screen = self.watch()
        screen.expect(r"^\[1 Metrics\][\s\S]*cpu\.load +\[.*\] +[0-9.]+ % ")
        screen.expect(r"battery\.level +(no device: battery|\[)")
        screen.keys("2")
        screen.expect(r"\[2 Events\]")
        screen.keys("Tab")
        screen.expect(r"\[3 Statistics\][\s\S]*Application +diagdemo[\s\S]*OS +\w[\s\S]*Memory in use +[0-9.]+ MB")
        screen.keys("Right")
        screen.expect(r"\[1 Metrics\]")
        return screen

    def thresholds(self):
        """The load of the memory is beyond 0 and below 1, whatever the machine does."""
        screen = self.watch()
        screen.expect(r"memory\.load +\[.*nominal")
        screen.keys("j")
        screen.expect(r"^> memory\.load")
        self.press_until(screen, "-", r"memory\.load .*CRITICAL < 0\.0 %")
        self.press_until(screen, "+", r"memory\.load .*nominal +< 100\.0 %")
        screen.expect(r"2 Events \([0-9]+\)")
        screen.keys("2")
        text = screen.expect(r"\[2 Events\][\s\S]*nominal +memory\.load[\s\S]*CRITICAL  memory\.load")
        states = re.findall(r"(nominal|CRITICAL) +memory\.load", text)
        if states[0] != "nominal":
            raise Failed(f"the newest is not first: {states}")
        screen.keys("n")
        wait_for(lambda: not re.search(r"nominal +memory\.load", screen.text()), "nominal events to be hidden")
        screen.expect("CRITICAL  memory.load")
        return screen

    def resize(self):
        screen = self.watch()
        screen.expect(r"memory\.load")
        for columns, lines, last in [(40, 10, r"^1-3 tabs"), (20, 4, r"^notif"), (5, 1, r"^\[1 Me$"), (120, 30, r"q quit$")]:
            screen.tmux("resize-window", "-x", str(columns), "-y", str(lines))

            def fits():
                text = screen.text()
                return text.startswith("[1 Me") and re.search(last, text.split("\n")[-1])
            wait_for(fits, lambda: f"{columns}x{lines}: {screen.text()!r}")
        return screen

    def restored(self, screen, expected):
        """The shell is back on its own screen, with its own modes, and has told the status."""
        text = screen.expect(rf"status={expected}$")
        if "1 Metrics" in text:
            raise Failed(f"the view is still there:\n{text}")
        self.expect_modes(screen)
        if screen.tmux("display", "-p", "#{cursor_flag}#{alternate_on}").strip() != "10":
            raise Failed("the cursor is hidden, or the alternate screen is on")

    def expect_modes(self, screen):
        screen.command("stty -a > modes-after; cmp modes modes-after && echo modes are the same")
        screen.expect("^modes are the same$")

    def begin_in_shell(self, then="; echo status=$?"):
        screen = Screen(self.folder)
        screen.command(f"cd {self.folder}; set -b; stty -a > modes; clear")
        screen.command(f"{self.diagdemo} watch{then}")
        screen.expect(r"^\[1 Metrics\]")
        return screen

    def quit(self):
        screen = self.begin_in_shell()
        screen.keys("q")
        self.restored(screen, 0)
        return screen

    def interrupt(self):
        screen = self.begin_in_shell(then="")
        screen.keys("C-c")
        screen.expect(r"ready>$")
        screen.command("echo status=$?")
        self.restored(screen, 130)
        return screen

    def terminate(self):
        screen = self.begin_in_shell()
        os.kill(screen.program(), signal.SIGTERM)
        self.restored(screen, 143)
        return screen

    def crash(self):
        screen = self.begin_in_shell()
        os.kill(screen.program(), signal.SIGSEGV)
        self.restored(screen, 139)
        if not [name for name in os.listdir(self.folder) if name.endswith("-crashReport.json")]:
            raise Failed(f"no report: {os.listdir(self.folder)}")
        return screen

    def stop(self):
        screen = self.begin_in_shell()
        screen.keys("C-z")
        text = screen.expect("Stopped")
        if "1 Metrics" in text:
            raise Failed(f"the view is still there:\n{text}")
        self.expect_modes(screen)
        screen.command("clear; fg; echo status=$?")
        screen.expect(r"^\[1 Metrics\]")
        screen.keys("3")
        screen.expect(r"\[3 Statistics\]")
        screen.keys("q")
        self.restored(screen, 0)
        return screen

    def colours(self):
        screen = self.watch("--threshold", "memory.load=0")
        screen.expect(r"\x1b\[[0-9;]*31m.*CRITICAL", "-e")
        screen.keys("q")
        screen.close()
        screen = self.watch("--threshold", "memory.load=0", NO_COLOR="1")
        text = screen.expect(r"memory\.load.*CRITICAL", "-e")
        if re.search(r"\x1b\[[0-9;]*(3[0-7]|4[0-7]|38|48)[;m]", text):
            raise Failed(f"colours:\n{text!r}")
        if not re.search(r"\x1b\[[0-9;]*7m.*CRITICAL", text):
            raise Failed(f"what is critical does not stand out:\n{text!r}")
        return screen

    def ascii(self):
        screen = self.watch(LANG="C")
        text = screen.expect(r"memory\.load +\[[#|-]+\]")
        if not text.isascii():
            raise Failed(f"not ASCII:\n{text}")
        return screen

    def dumb(self):
        raw = os.path.join(self.folder, "raw")
        screen = Screen(self.folder)
        screen.tmux("pipe-pane", f"cat > {raw}")
        screen.command(f"TERM=dumb {self.diagdemo} watch --refresh 0.2 --duration 2 --threshold memory.load=0; echo status=$?")
        screen.expect(r"status=0$")
        with open(raw) as file:
            text = file.read()
        lines = text[text.index("status=$?") + 9:text.index("status=0")]
        if "\x1b[?1049h" in lines or "CRITICAL  memory.load" not in lines:
            raise Failed(f"not plain: {lines!r}")
        return screen

    def notify(self):
        told = os.path.join(self.folder, "told")
        screen = self.watch("--notify", f"'echo $WATCH_METRIC $WATCH_STATE >> {told}'")
        screen.expect(r"memory\.load +\[.*nominal[\s\S]*notifications on")
        screen.keys("b")
        screen.expect(r"BACKGROUND, every 2\.0 s")
        screen.keys("j")
        self.press_until(screen, "-", r"memory\.load .*CRITICAL < 0\.0 %")

        def said(line):
            def look():
                return os.path.exists(told) and line in open(told).read().split("\n")
            return look
        wait_for(said("memory.load critical"), "the command to be run in the background")
        screen.keys("n")
        screen.expect("nominal events hidden")
        self.press_until(screen, "+", r"memory\.load .*nominal +< 100\.0 %")
        screen.keys("n", "b")
        screen.expect(r"nominal events shown, foreground")
        self.press_until(screen, "-", r"memory\.load .*CRITICAL < 0\.0 %")
        wait_for(lambda: open(told).read().count("memory.load critical") == 2, "the second time")
        if said("memory.load nominal")():
            raise Failed("a nominal event was told of while they were hidden")
        return screen

    def bell(self):
        raw = os.path.join(self.folder, "raw")
        screen = self.watch("--bell", "--threshold", "memory.load=1")
        screen.expect(r"memory\.load +\[.*nominal")
        screen.tmux("pipe-pane", f"cat > {raw}")
        screen.keys("j")
        self.press_until(screen, "-", r"memory\.load .*CRITICAL < 0\.0 %")
        wait_for(lambda: os.path.exists(raw) and b"\x07" in open(raw, "rb").read(), "the bell")
        return screen

    def journal(self):
        file = os.path.join(self.folder, "events.sqlite")
        screen = self.watch("--journal", file)
        screen.expect(r"memory\.load +\[.*nominal")
        screen.keys("j")
        self.press_until(screen, "-", r"memory\.load .*CRITICAL < 0\.0 %")
        screen.keys("q")
        screen.expect(r"ready>$")
        screen.close()
        screen = self.watch("--journal", file)
        screen.expect(r"memory\.load .*CRITICAL < 0\.0 %")
        screen.keys("2")
        screen.expect(r"CRITICAL  memory\.load[\s\S]*CRITICAL  memory\.load")
        screen.keys("q")
        screen.expect(r"ready>$")
        with open(file, "r+b") as database:
            database.seek(60)
            database.write((9).to_bytes(4, "big"))
        for end in ("-wal", "-shm"):
            if os.path.exists(file + end):
                raise Failed(f"{end} is left")
        self.bad_input(["--journal", file], 65, "made by a newer version: its format is 9, and this version reads up to 1")
        return screen

    def url(self):
        """A page that is there, one that is not, and a server that goes away."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        screen = self.watch("--url", f"{address}/page", "--url", f"{address}/none", columns=120)
        screen.expect(r"^  api\.res[^ ]*\.\.[^ ]*/page +\[.*\] +[0-9.]+ .?s ")
        screen.keys("3")

        def row(page):
            found = re.search(rf"GET {address}/{page} +(\d+) +(\d+) +[0-9.]+ .?s +\d\d:\d\d:\d\d", screen.text())
            return tuple(map(int, found.groups())) if found else (0, 0)
        wait_for(lambda: row("page")[0] >= 3 and row("none")[0] >= 3, screen.text)
        if row("page")[1] != 0:
            raise Failed(f"a page that is there is said to fail:\n{screen.text()}")
        calls, errors = row("none")
        if errors != calls:
            raise Failed(f"a page that is missing is said to be there:\n{screen.text()}")
        calls = row("page")[0]
        asked = Pages.asked["/page"]
        if asked < calls:
            raise Failed(f"{calls} calls are told of, and {asked} were made")
        server.shutdown()
        server.server_close()
        wait_for(lambda: row("page")[1] > 0, lambda: f"calls to fail\n{screen.text()}")
        return screen

    def share(self):
        """What it uses of a processor, by the processor's own time, once it has started."""
        screen = self.watch(refresh=1)
        screen.expect(r"memory\.load +\[")
        screen.expect(r"cpu\.load +\[.*nominal")
        process = screen.program()

        def used():
            with open(f"/proc/{process}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        start, before = time.monotonic(), used()
        # A window to measure over.
        time.sleep(5)
        share = 100 * (used() - before) / (time.monotonic() - start)
        print(f"  {share:.2f} % of a processor at one sample a second")
        if share > 5:
            raise Failed(f"{share:.2f} % of a processor is used to watch")
        return screen

    def bad_input(self, options, status, line):
        result = subprocess.run(
            [self.diagdemo, "watch", *options], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "CRASHKIT_DIRECTORY": self.folder, "HOME": self.folder})
        if result.returncode != status or line not in result.stderr:
            raise Failed(f"{options}: {result.returncode} {result.stderr!r}")

    def input(self):
        self.bad_input(["--refresh", "0"], 64, "--refresh takes 0.1 to 3600 seconds.")
        self.bad_input(["--duration", "nan"], 64, "--duration takes")
        self.bad_input(["--url", "file:///etc/passwd"], 64, "--url takes")
        self.bad_input(["--threshold", "cpu=0.5"], 64, "there is no metric 'cpu'")
        self.bad_input(["--threshold", "cpu.load=inf"], 64, "--threshold takes METRIC=NUMBER")
        self.bad_input(["--threshold", "cpu.load=80"], 64, "must be a ratio from 0 to 1, not 80")
        self.bad_input(["--journal", "/none/events"], 74, "/none/events: No such file or directory")
        self.bad_input(["--journal", "/proc/version"], 65, "/proc/version: a text, not a journal")

    def plain(self, *options, shell='exec "$@"'):
        """A shell, which has begun the command in its own place as soon as there is a line."""
        return subprocess.Popen(
            ["sh", "-c", shell, "sh", self.diagdemo, "watch", "--plain", "--refresh", "0.2", *options], text=True,
            env={"PATH": os.environ["PATH"], "CRASHKIT_DIRECTORY": self.folder, "HOME": self.folder},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expect_end(self, program, status, line=""):
        try:
            _, said = program.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            program.kill()
            raise Failed("it does not end")
        if program.returncode != status or line not in said:
            raise Failed(f"{program.returncode} {said!r}")

    def unread(self):
        """Nobody reads standard output, and no file of the program's own takes its place."""
        self.expect_end(self.plain(shell='exec "$@" >&-'), 74, "cannot write to standard output: Bad file descriptor")
        self.expect_end(self.plain(shell='exec "$@" >/dev/full'), 74, "cannot write to standard output: No space left")

    def ignored(self):
        """As below nohup."""
        program = self.plain(shell="trap '' HUP; exec \"$@\"")
        program.stdout.readline()
        program.send_signal(signal.SIGHUP)
        for _ in range(3):
            program.stdout.readline()
        program.send_signal(signal.SIGTERM)
        self.expect_end(program, -signal.SIGTERM)

    def endless(self):
        """A command of the user's that does not end keeps no signal from ending the program."""
        number = os.path.join(self.folder, "number")
        command = f"echo $$ > '{number}'; exec sleep 1000 >&- 2>&-"
        program = self.plain("--threshold", "memory.load=0", "--notify", command)
        wait_for(lambda: os.path.exists(number) and open(number).read().endswith("\n"), "the command")
        try:
            program.send_signal(signal.SIGTERM)
            self.expect_end(program, -signal.SIGTERM)
        finally:
            os.kill(int(open(number).read()), signal.SIGKILL)

    def unkept(self):
        """What the journal does not take is told."""
        file = os.path.join(self.folder, "events.sqlite")
        self.expect_end(self.plain("--duration", "0.5", "--journal", file), 0)
        database = sqlite3.connect(file)
        database.execute("CREATE TRIGGER refuses BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'it refuses'); END")
        database.close()
        program = self.plain("--duration", "1", "--threshold", "memory.load=0", "--journal", file)
        self.expect_end(program, 0, f"diagdemo: journal: {file}: SQLite error 19: it refuses")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", required=True)
    parser.add_argument("scenarios", nargs="*", default=[
        "tabs", "thresholds", "resize", "quit", "interrupt", "terminate", "crash", "stop", "colours", "ascii", "dumb",
        "notify", "bell", "journal", "url", "share", "input", "unread", "ignored", "endless", "unkept"])
    arguments = parser.parse_args()
    failures = 0
    for name in arguments.scenarios:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                getattr(Scenarios(os.path.abspath(arguments.products), folder), name)()
            except Failed as failure:
                print(f"{name}: {failure}", file=sys.stderr)
                failures += 1
            else:
                print(f"{name}: as it should be")
            for socket in glob.glob(os.path.join(folder, "tmux-*")):
                subprocess.run(["tmux", "-S", socket, "kill-server"], capture_output=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
