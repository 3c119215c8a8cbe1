"""CrashKitUpload in a program that crashes, starts again and sends, against servers that answer well, badly and not at all.

What it sends is what crashsym send would send: the same ids, the same note of what was sent. Its package, Tests/UploadProduct, takes minutes to build.
"""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import time

import support
from sending import Sender, counted, ids, put, report
from sending_receiver import NEVER, RESET, Answer, Receiver, certificate

PACKAGE = support.ROOT / "Tests" / "UploadProduct"
# Far longer than anything here takes: it has hung.
PATIENCE = 300


class Program:
    """upload-probe and its folder of reports."""

    def __init__(self, probe, crashsym, folder):
        folder.mkdir()
        self.probe, self.folder, self.sender = probe, folder, Sender(crashsym, folder)

    def environment(self, **more):
        return {**self.sender.environment({}), **support.environment(self.folder), **more}

    def crash(self, **more):
        """What it says on standard error."""
        run = subprocess.run([self.probe, "crash"], env=self.environment(**more), capture_output=True, text=True, timeout=PATIENCE)
        assert run.returncode == -signal.SIGSEGV, f"{run.returncode} {run.stderr}"
        return run.stderr

    def run(self, *arguments, **more):
        return subprocess.run([self.probe, *arguments], env=self.environment(**more), capture_output=True, text=True,
                              timeout=PATIENCE)

    def serve(self, *arguments, **more):
        return subprocess.Popen([self.probe, "serve", *arguments], env=self.environment(**more), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def noted(self):
        """Whether all reports of the folder are noted down as sent or counted."""
        names = {path.name for path in self.folder.glob("*.json")}
        for journal in self.sender.journals():
            known = {entry["name"] for entry in json.loads(journal.read_text())["files"]}
            if names <= known:
                return True
        return False


def end(process, by=signal.SIGTERM):
    """Its status, and what it said."""
    process.send_signal(by)
    text, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, text


def until(condition):
    """Waits for what another process writes; there is no event for it here."""
    limit = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def plain(checks, make):
    program = make("plain")
    said = program.crash(CRASHKIT_OPTIONS="output=json-line")
    line = json.loads(said.splitlines()[-1])
    with Receiver() as server:
        to = f"webhook:{server.address}/in"
        process = program.serve(to)
        checks.expect(server.wait_for(1, PATIENCE), "a crash of the last run arrives")
        until(program.noted)
        put(program.folder, report(7))
        checks.expect(server.wait_for(2, PATIENCE), "so does what is written while the program runs")
        until(program.noted)
        status, text = end(process)
        checks.expect(status == 0 and "ended" in text, "SIGTERM ends it", f"{status} {text}")
        got = server.clear()
        first = json.loads(got[0].body)
        checks.expect(first["signal"]["name"] == "SIGSEGV" and first["application"]["name"] == "probe", "it is the report",
                      got[0].body[:200])
        checks.expect(first["fingerprint"]["value"] == line["crashkit.fingerprint"] and first["fingerprint"]["value"].startswith("b1-"),
                      "its fingerprint is that of the line on standard error", f"{first['fingerprint']} {line['crashkit.fingerprint']}")
        checks.expect(first["attributes"] == {"tenant": "[scrubbed]", "request.id": "7f3a"}, "it is scrubbed, but for keys that stay",
                      first["attributes"])
        run = program.sender.send(to)
        checks.expect(run.returncode == 0 and not server.clear(), "crashsym send knows what was sent", run.stderr)
        program.sender.forget()
        program.sender.send(to)
        # In the order of their times: that of the crash is now, and that of the other one is fixed.
        checks.expect(sorted(ids(server.clear())) == sorted(ids(got)), "and would send them under the same ids")
        process = program.serve(to)
        put(program.folder, report(8))
        checks.expect(server.wait_for(1, PATIENCE) and until(program.noted), "the program knows what crashsym sent")
        end(process)
        checks.expect(len(server.clear()) == 1, "and sends what is new alone")


def unconfigured(checks, make):
    program = make("unconfigured")
    program.crash()
    with Receiver() as server:
        process = program.serve()
        status, _ = end_when_started(program, process)
        checks.expect(status == 0 and not server.clear() and not program.sender.journals(), "without a destination nothing is sent", status)
        process = program.serve(CRASHKIT_UPLOAD=f"webhook:{server.address}/")
        checks.expect(server.wait_for(1, PATIENCE), "CRASHKIT_UPLOAD names one")
        end(process)
        for wrong in ("nowhere:x", "webhook:env:NONE", "webhook:ftp://x/"):
            run = program.run("serve", wrong)
            checks.expect(run.returncode != 0 and not server.clear()[1:], f"{wrong} is refused", run.stderr[-300:])


def end_when_started(program, process):
    """Ends it when it can take the signal: its group handles it then."""
    status = pathlib.Path(f"/proc/{process.pid}/status")
    caught = lambda: int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) >> (signal.SIGTERM - 1) & 1
    ignored = lambda: int(re.search(r"SigIgn:\s*(\w+)", status.read_text())[1], 16) >> (signal.SIGTERM - 1) & 1
    until(lambda: caught() or ignored())
    # Its group may not listen yet when it ignores the signal already.
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
    return process.returncode, process.communicate()[0]


def hand_over(checks, make):
    program = make("hand-over")
    program.crash()
    for number in range(4):
        put(program.folder, report(number, function="loop()"))
    with Receiver() as server:
        run = program.run("hand-over", f"webhook:{server.address}/")
        got = server.clear()
        checks.expect(run.returncode == 0 and counted(got) == 5 and len(got) == 3,
                      "onPreviousCrash sends the reports, and of a loop one and a count", f"{run.returncode} {len(got)} {run.stderr}")
        run = program.run("hand-over", f"webhook:{server.address}/")
        checks.expect(run.returncode == 0 and not server.clear(), "and nothing twice", run.stderr)


def refusals(checks, make):
    for name, answer in (("429", Answer(429, {"Retry-After": "3600"})), ("500", Answer(500)), ("reset", RESET),
                         ("redirection", Answer(307, {"Location": "/elsewhere"}))):
        program = make(f"refusal-{name}")
        program.crash()
        with Receiver(lambda request, number: answer if number == 1 else Answer()) as server:
            to = f"webhook:{server.address}/"
            run = program.run("hand-over", to)
            first = server.clear()
            paused = json.loads(program.sender.journals()[0].read_text()).get("pausedUntil", 0) / 1e6 - time.time()
            long = paused > 3000
            checks.expect(run.returncode == 0 and len(first) == 1 and long == (name == "429"),
                          f"{name}: one request, and a pause as the server wants it", f"{paused} {run.stderr}")
            program.sender.pause(600)
            program.run("hand-over", to)
            checks.expect(not server.clear(), f"{name}: the next start knows of the pause")
            program.sender.pause(-1)
            program.run("hand-over", to)
            checks.expect(ids(server.clear()) == ids(first), f"{name}: then it is sent under the same id")
    program = make("refusal-400")
    program.crash()
    with Receiver(lambda request, number: Answer(400)) as server:
        run = program.run("hand-over", f"webhook:{server.address}/")
        program.run("hand-over", f"webhook:{server.address}/")
        checks.expect(len(server.clear()) == 1 and "400" in run.stderr, "400: it is set aside", run.stderr)


def shutdown(checks, make):
    """A server that never answers holds up no shutdown."""
    for by in (signal.SIGTERM, signal.SIGINT):
        program = make(f"shutdown-{by.name}")
        program.crash()
        with Receiver(lambda request, number: NEVER if number == 1 else Answer()) as server:
            process = program.serve(f"webhook:{server.address}/")
            checks.expect(server.wait_for(1, PATIENCE), f"{by.name}: a request is under way")
            begun = time.monotonic()
            status, text = end(process, by)
            print(f"        ended after {time.monotonic() - begun:.1f} s")
            checks.expect(status == 0 and "ended" in text, f"{by.name}: the program ends all the same", f"{status} {text}")
            first = server.clear()
            journal = json.loads(program.sender.journals()[0].read_text())
            checks.expect(not journal.get("pausedUntil") and not journal["files"], f"{by.name}: nothing is held against the server",
                          journal)
            program.run("hand-over", f"webhook:{server.address}/")
            checks.expect(ids(server.clear()) == ids(first), f"{by.name}: the next start sends it under the same id")


def encrypted(checks, make, parent):
    good, authority = certificate(parent, "good", "IP:127.0.0.1")
    wrong, other = certificate(parent, "wrong", "DNS:elsewhere.example")
    for name, file, trusted, arrives in (("no authority", good, None, False), ("another name", wrong, other, False),
                                         ("a good one", good, authority, True)):
        program = make(f"encrypted-{name.replace(' ', '-')}")
        program.crash()
        variables = {"PROBE_CERTIFICATES": str(trusted)} if trusted else {}
        with Receiver(certificate=file) as server:
            run = program.run("hand-over", f"webhook:{server.address}/", **variables)
            checks.expect(len(server.clear()) == arrives, f"a certificate of {name}", run.stderr)


def rivals(checks, make):
    program = make("rivals")
    program.crash()
    with Receiver(lambda request, number: NEVER if number == 1 else Answer()) as server:
        to = f"webhook:{server.address}/"
        process = program.serve(to)
        server.wait_for(1, PATIENCE)
        run = program.sender.send(to)
        checks.expect(run.returncode == 0 and "another" in run.stderr and len(server.requests) == 1,
                      "crashsym send does not send what the program sends", run.stderr)
        run = program.run("hand-over", to)
        checks.expect(run.returncode == 0 and len(server.requests) == 1, "nor does a second program", run.stderr)
        process.kill()
        process.communicate()
        checks.expect(program.sender.send(to).returncode == 0 and len(server.requests) == 2, "after its end crashsym sends it")


def page(checks):
    example = (PACKAGE / "Tests" / "UploadExample" / "Main.swift").read_text()
    checks.expect(f"```swift\n{example}```" in (support.ROOT / "Docs" / "sending.md").read_text(), "the page shows the example")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    parser.add_argument("--only", help="the name of one function")
    options = parser.parse_args()
    subprocess.run(["swift", "build", "--package-path", PACKAGE], check=True)
    probe, crashsym = PACKAGE / ".build" / "debug" / "upload-probe", options.products.resolve() / "crashsym"
    checks = support.Checks()
    with support.temporary_folder() as name:
        parent = pathlib.Path(name)
        make = lambda folder: Program(probe, crashsym, parent / folder)
        for case in (plain, unconfigured, hand_over, refusals, shutdown, rivals):
            if options.only in (None, case.__name__):
                case(checks, make)
        if options.only in (None, "encrypted"):
            encrypted(checks, make, parent)
        if options.only in (None, "page"):
            page(checks)
    checks.end()


if __name__ == "__main__":
    main()
