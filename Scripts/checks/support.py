"""What the checks share: building, running programs that die, and counting what passed."""

import difflib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "Docs" / "report.schema.json"
OWN_CODE = ROOT / "Sources" / "Ground" / "CReportTerms" / "own_code.def"


class Checks:
    """Counts what passed and what did not, on any thread; the last line and the exit status say so.

    CRASHKIT_TEST_RESULTS names a file that gets a line of JSON for each check: its name, and why it was skipped or what
    is wrong, if so. Tests/MatrixTests reads it.
    """

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()
        self.results = os.environ.get("CRASHKIT_TEST_RESULTS")

    def expect(self, condition, name, detail=""):
        detail = " ".join(str(detail).split())[-300:]
        with self.lock:
            if condition:
                self.passed += 1
                self.keep(name)
                print(f"ok      {name}", flush=True)
            else:
                self.failed += 1
                self.keep(name, wrong=detail or "it is not so")
                print(f"NOT OK  {name}" + (f": {detail}" if detail else ""), flush=True)
        return bool(condition)

    def expect_kept(self, file, text, name, update=False):
        """Holds a text against the one that is kept in a file, or keeps it."""
        if update:
            file.write_text(text)
        difference = list(difflib.unified_diff(file.read_text().splitlines(), text.splitlines(), "expected", "given",
                                               lineterm=""))
        if not self.expect(not difference, name):
            print("\n".join(difference))

    def skip(self, name, reason):
        with self.lock:
            self.skipped += 1
            self.keep(name, skipped=reason)
            print(f"skipped {name}: {reason}", flush=True)

    def keep(self, name, **more):
        if self.results:
            with open(self.results, "a") as file:
                file.write(json.dumps({"name": name, **more}) + "\n")

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(1 if self.failed or not self.passed else 0)


def own_code(kind):
    """What belongs to the package, of one kind: folders, modules or prefixes."""
    names = re.findall(rf'^OWN\({kind}, "(.+)"\)$', OWN_CODE.read_text(), re.M)
    if not names:
        raise ValueError(f"{OWN_CODE} has no {kind}")
    return names


def swift_build(*arguments, package=ROOT, configuration="debug"):
    """Builds and returns the folder of the products."""
    command = ["swift", "build", "--package-path", str(package), "-c", configuration, *arguments]
    if package != ROOT:
        # SwiftPM keeps its plan though the package that this one is built on has new files.
        scratch = arguments[arguments.index("--scratch-path") + 1] if "--scratch-path" in arguments else package / ".build"
        for plan in pathlib.Path(scratch).glob(f"*/{configuration}/description.json"):
            plan.unlink()
    subprocess.run(command, check=True, stdout=sys.stderr)
    shown = subprocess.run(command + ["--show-bin-path"], check=True, capture_output=True, text=True)
    return pathlib.Path(shown.stdout.strip())


def environment(directory=None, **more):
    """This process's environment without what would steer the capture, and with what is given; None takes away."""
    result = {k: v for k, v in os.environ.items() if not k.startswith(("CRASHKIT_", "SWIFT_BACKTRACE", "STATE_DIR"))}
    if directory is not None:
        result["CRASHKIT_DIRECTORY"] = str(directory)
    result.update(more)
    return {key: value for key, value in result.items() if value is not None}


def hear_all_signals():
    """What a shell's nohup or & makes this process ignore, or a test's thread makes it block, reaches what it starts."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def reports_in(directory, kind="crashReport"):
    """The finished reports of a folder, oldest first."""
    return sorted(pathlib.Path(directory).glob(f"*-{kind}.json"))


def validate(path):
    """The schema's complaints about a report; empty if there is none."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    return [f"{e.json_path}: {e.message[:200]}" for e in validator.iter_errors(json.loads(path.read_text()))]


def symbolicate(crashsym, path):
    """The report with its frames filled in."""
    run = subprocess.run([crashsym, "--format", "json", path], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="crashkit-check-")


def line_of(path, text):
    """The number of the only line of a file of the package that holds the text."""
    found = [n for n, line in enumerate((ROOT / path).read_text().splitlines(), 1) if text in line]
    if len(found) != 1:
        raise ValueError(f"{path} holds {text!r} {len(found)} times")
    return found[0]


def comes_true(condition, seconds=10):
    """Whether a condition comes true in time that another process brings about, which tells nobody."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(0.01)
    return True


def wait_until_all_wait(pid, threads=1, seconds=20):
    """Returns once that many threads exist and none has been scheduled between two looks: no event would tell."""
    def look():
        result = {}
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                lines = (task / "status").read_text().splitlines()
            except (FileNotFoundError, ProcessLookupError):
                continue  # this thread has ended meanwhile
            fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            result[task.name] = (fields["State"], fields["voluntary_ctxt_switches"])
        return result

    end, before = time.monotonic() + seconds, None
    while time.monotonic() < end:
        now = look()
        if now == before and len(now) >= threads and all(state.startswith("S") for state, _ in now.values()):
            return
        before = now
        time.sleep(0.05)
    raise TimeoutError(f"the threads of {pid} do not come to rest")


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
