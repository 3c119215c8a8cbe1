"""crashsym send against servers on this machine that answer well, badly, late and not at all.

No report is lost and none is sent twice with two ids, whatever the server does, whichever moment the process is killed
at, and if the disk is full. sentry-sdk and opentelemetry-proto, from PyPI, read what Sentry and a collector get; without PyPI that is
skipped.

--full crashes a thousand times in a loop, and kills the process a thousand times.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import time

import sending_answers
import sending_datadog
import sending_hostile
import sending_otlp
import sending_reports
import sending_sentry
import support
from sending_receiver import NEVER, NOTHING, RESET, Answer, Receiver, certificate

FIXTURES = support.ROOT / "Tests" / "CrashReportViewTests" / "Fixtures"
SENT, USAGE, BAD, MISSING, INPUT_OUTPUT, LATER = 0, 64, 65, 66, 74, 75
# Far longer than thousands of reports take on a busy machine.
PATIENCE = 900


class Sender:
    """crashsym send over one folder."""

    def __init__(self, crashsym, folder):
        self.crashsym, self.folder = crashsym, folder

    def command(self, to, *options):
        return [self.crashsym, "send", "--to", to, "--no-cache", *options, self.folder]

    def environment(self, more):
        names = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SENTRY_DSN", "SENTRY_ENVIRONMENT",
                 "SENTRY_URL", "SENTRY_ORG", "SENTRY_PROJECT", "SENTRY_AUTH_TOKEN")
        kept = {k: v for k, v in support.environment().items()
                if k not in names and k.lower() not in names and not k.startswith("OTEL_")}
        return {**kept, **more}

    def send(self, to, *options, **more):
        return subprocess.run(self.command(to, *options), capture_output=True, text=True, timeout=PATIENCE,
                              env=self.environment(more))

    def start(self, to, *options, **more):
        return subprocess.Popen(self.command(to, *options), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env=self.environment(more))

    def journals(self):
        return [path for path in self.folder.glob(".sent-*") if path.suffix not in (".lock", ".new")]

    def forget(self):
        for path in self.folder.glob(".sent-*"):
            path.unlink()

    def pause(self, seconds):
        """As if nothing were to be sent for so many seconds from now on; after that time if they are over."""
        for path in self.journals():
            journal = json.loads(path.read_text())
            assert journal["pausedUntil"]
            journal["pausedUntil"] = int((time.time() + seconds) * 1e6)
            path.write_text(json.dumps(journal))


def report(number, second=0, function=None, **more):
    """A small report: those of one function have one fingerprint."""
    name = function or f"fault{number}"
    moment = f"2026-11-27T10:{second // 60:02}:{second % 60:02}.{number % 1000:03}"
    content = {"schema": "crashkit/1", "kind": "crashReport", "timestamp": moment + "000Z",
               "signal": {"number": 11, "name": "SIGSEGV"}, "cause": "null dereference", "process": {"pid": 1000 + number},
               "application": {"name": "api", "version": "1.0"},
               "threads": [{"id": 1000 + number, "crashed": True,
                            "frames": [{"kind": "programCounter", "address": "0x0000000000001000", "symbol": name,
                                        "description": name, "image": "api"}]}],
               "images": [], **more}
    stamp = moment.replace("-", "").replace(":", "")
    return f"{stamp}Z-{1000 + number}-crashReport.json", json.dumps(content)


def put(folder, *reports):
    for name, text in reports:
        (folder / (name + ".partial")).write_text(text)
        (folder / (name + ".partial")).rename(folder / name)


def fresh(crashsym, parent, name, reports):
    folder = parent / name
    folder.mkdir()
    put(folder, *reports)
    return Sender(crashsym, folder)


def ids(requests):
    return [request.headers.get("idempotency-key") for request in requests]


def counted(requests):
    """How many reports all requests stand for: each report for one, each count for its number."""
    return sum(json.loads(request.body)["count"] if request.headers["x-crashkit-event"] == "count" else 1
               for request in requests)


# --- One pass


def plain(checks, crashsym, parent):
    sender = fresh(crashsym, parent, "plain", [report(number) for number in range(3)])
    (sender.folder / "notes.txt").write_text("no report")
    with Receiver() as server:
        run = sender.send(f"webhook:{server.address}/in")
        got = server.clear()
        checks.expect(run.returncode == SENT and len(got) == 3 and len(set(ids(got))) == 3, "each report is sent once",
                      f"{run.returncode} {len(got)} {run.stderr}")
        first = json.loads(got[0].body)
        checks.expect(first["fingerprint"]["value"] and first["schema"] == "crashkit/1", "a web hook gets the report",
                      got[0].body[:200])
        again = sender.send(f"webhook:{server.address}/in")
        checks.expect(again.returncode == SENT and not server.clear(), "a second pass sends nothing", again.stderr)
        journal = sender.journals()
        modes = [oct(path.stat().st_mode & 0o777) for path in sender.folder.glob(".sent-*")]
        checks.expect(len(journal) == 1 and set(modes) == {"0o600"}, "what was sent is noted down for this user alone",
                      f"{journal} {modes}")
        put(sender.folder, report(9))
        sender.send(f"webhook:{server.address}/in")
        checks.expect(len(server.clear()) == 1, "a new report alone is sent")
        sender.send(f"webhook:{server.address}/other")
        checks.expect(len(server.clear()) == 4, "another place gets all")
        sender.forget()
        sender.send(f"webhook:{server.address}/in")
        checks.expect(set(ids(got)) <= set(ids(server.clear())), "the ids are made from the reports")


def unreadable(checks, crashsym, parent):
    sender = fresh(crashsym, parent, "unreadable", [report(0)])
    (sender.folder / "0-broken.json").write_text("{")
    (sender.folder / "1-other.json").write_text('{"schema": "something/9"}')
    (sender.folder / "2-link.json").symlink_to("/etc/hostname")
    os.mkfifo(sender.folder / "3-pipe.json")
    with Receiver() as server:
        run = sender.send(f"webhook:{server.address}/")
        lines = run.stderr.splitlines()
        checks.expect(run.returncode == BAD and len(server.clear()) == 1 and len(lines) == 2
                      and all(f"{sender.folder}/" in line for line in lines),
                      "what is no report gets a line, and the rest is sent", f"{run.returncode} {run.stderr}")
        checks.expect((sender.folder / "0-broken.json").exists(), "it stays where it is")
        run = sender.send(f"webhook:{server.address}/")
        checks.expect(run.returncode == SENT and not run.stderr and not server.clear(), "it is named once", run.stderr)


def private(checks, crashsym, parent):
    secret = {"attributes": {"tenant": "blue-tenant"}, "message": "died", "context": {"name": "GET /orders/42", "attributes": {"request.id": "7f3a"}}}
    sender = fresh(crashsym, parent, "private", [report(0, **secret)])
    with Receiver() as server:
        sender.send(f"webhook:{server.address}/")
        scrubbed = server.clear()[0].body
        checks.expect(b"blue-tenant" not in scrubbed and b"/orders/42" not in scrubbed and b"7f3a" not in scrubbed,
                      "reports are scrubbed", scrubbed[:300])
        sender.forget()
        sender.send(f"webhook:{server.address}/", "--keep", "request.id", "--keep", "other")
        kept = server.clear()[0].body
        checks.expect(b'"request.id":"7f3a"' in kept and b"blue-tenant" not in kept and b"/orders/42" not in kept,
                      "--keep leaves the value of a key", kept[:300])
        sender.forget()
        sender.send(f"webhook:{server.address}/", "--unscrubbed")
        checks.expect(b"blue-tenant" in server.clear()[0].body, "--unscrubbed sends them as they are")


def secrets(checks, crashsym, parent):
    sender = fresh(crashsym, parent, "secrets", [report(0)])
    with Receiver() as server:
        host = server.address.removeprefix("http://")
        for to in (f"webhook:http://user:pw-secret@{host}/", f"sentry:http://key:pw-secret@{host}/1"):
            run = sender.send(to)
            checks.expect(run.returncode == USAGE and "env:NAME" in run.stderr and "pw-secret" not in run.stderr,
                          f"{to.split(':')[0]}: a password on the command line is refused, and not repeated", run.stderr)
        run = sender.send(f"webhook:{server.address}/", "--headers", "Authorization: Bearer t-secret")
        checks.expect(run.returncode == USAGE and "t-secret" not in run.stderr and not server.clear(),
                      "so is a header", run.stderr)
        place = sender.folder / "place.txt"
        place.write_text(f"  http://user:p%20w@{host}/x \n")
        headers = sender.folder / "headers.txt"
        headers.write_text("X-Token: t-secret\nX-Other: a: b\n")
        run = sender.send(f"webhook:file:{place}", "--headers", f"file:{headers}")
        got = server.clear()
        checks.expect(run.returncode == SENT and len(got) == 1 and got[0].headers["authorization"] == "Basic dXNlcjpwIHc="
                      and got[0].headers["x-token"] == "t-secret" and got[0].headers["x-other"] == "a: b"
                      and got[0].path == "/x", "place and headers are read from files", f"{run.stderr} {got and got[0].headers}")
        sender.forget()
        run = sender.send("webhook:env:HOOK", HOOK=f"{server.address}/from-environment")
        got = server.clear()
        checks.expect(len(got) == 1 and got[0].path == "/from-environment", "and from the environment", run.stderr)
        for wrong in ("webhook:env:NONE", "webhook:ftp://x/", "nowhere:http://x/", "webhook", "sentry:http://x/1",
                      "webhook:file:/does/not/exist", "webhook:http://x y/"):
            run = sender.send(wrong)
            checks.expect(run.returncode == USAGE and len(run.stderr.splitlines()) == 1, f"{wrong} is refused", run.stderr)


def faults(checks, crashsym, parent):
    def case(name, answer, status, later=True, seconds=None):
        sender = fresh(crashsym, parent, "fault-" + name, [report(0), report(1)])
        with Receiver(lambda request, number: answer if number == 1 else Answer()) as server:
            options = ["--timeout", str(seconds)] if seconds else []
            run = sender.send(f"webhook:{server.address}/", *options)
            first = server.clear()
            line = run.stderr.splitlines()
            checks.expect(run.returncode == status and len(line) == 1 and len(first) == (1 if later else 2),
                          f"{name}: one line, status {status}", f"{run.returncode} {len(first)} {run.stderr}")
            if not later:
                again = sender.send(f"webhook:{server.address}/")
                checks.expect(again.returncode == SENT and not server.clear(), f"{name}: it is not tried again", again.stderr)
                retried = sender.send(f"webhook:{server.address}/", "--retry-rejected")
                checks.expect(retried.returncode == BAD or ids(server.clear()) == ids(first)[:1],
                              f"{name}: --retry-rejected tries it again", retried.stderr)
                return
            sender.pause(600)
            waits = sender.send(f"webhook:{server.address}/")
            checks.expect(waits.returncode == LATER and len(waits.stderr.splitlines()) == 1 and not server.clear(),
                          f"{name}: nothing is sent for a while", waits.stderr)
            sender.pause(-1)
            then = sender.send(f"webhook:{server.address}/", *options)
            got = server.clear()
            checks.expect(then.returncode == SENT and len(got) == 2 and ids(first)[0] in ids(got),
                          f"{name}: then all are sent, with the same ids", f"{then.returncode} {len(got)} {then.stderr}")

    case("400", Answer(400, body=b"no \x1b[31m::error::report"), BAD, later=False)
    case("413", Answer(413), BAD, later=False)
    case("429", Answer(429, {"Retry-After": "3600"}), LATER)
    case("500", Answer(500), LATER)
    case("401", Answer(401), LATER)
    case("redirection", Answer(302, {"Location": "http://127.0.0.1:9/"}), LATER)
    case("nothing", NOTHING, LATER)
    case("reset", RESET, LATER)
    case("half", Answer(200, body=b"{", length=1000), LATER)
    case("never", NEVER, LATER, seconds=1)

    sender = fresh(crashsym, parent, "fault-date", [report(0)])
    moment = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 1800))
    with Receiver(lambda request, number: Answer(503, {"Retry-After": moment})) as server:
        sender.send(f"webhook:{server.address}/")
        until = json.loads(sender.journals()[0].read_text())["pausedUntil"] / 1e6
        checks.expect(abs(until - time.time() - 1800) < 120, "Retry-After may be a date", until)
    sender = fresh(crashsym, parent, "fault-gone", [report(0)])
    run = sender.send(f"webhook:{server.address}/")
    checks.expect(run.returncode == LATER and len(run.stderr.splitlines()) == 1, "no server: one line, kept", run.stderr)
    sender.forget()
    run = sender.send("webhook:http://no-such-host.invalid/")
    checks.expect(run.returncode == LATER and "resolve" in run.stderr and len(run.stderr.splitlines()) == 1,
                  "no such host: one line, kept", run.stderr)
    run = sender.send("webhook:http://127.0.0.1:1/", "--symbols", "/does/not/exist")
    checks.expect(run.returncode == MISSING, "no such folder of symbols", run.stderr)
    run = Sender(crashsym, parent / "none").send("webhook:http://127.0.0.1:1/")
    checks.expect(run.returncode == MISSING and len(run.stderr.splitlines()) == 1, "no such folder of reports", run.stderr)


def encrypted(checks, crashsym, parent):
    """The certificate of another name, of no authority, and a good one; a proxy."""
    good, authority = certificate(parent, "good", "IP:127.0.0.1")
    wrong, other = certificate(parent, "wrong", "DNS:elsewhere.example")
    sender = fresh(crashsym, parent, "encrypted", [report(0)])
    with Receiver(certificate=good) as server:
        run = sender.send(f"webhook:{server.address}/")
        checks.expect(run.returncode == LATER and "certificate" in run.stderr.lower() and not server.clear(),
                      "a certificate that no authority signed is refused", run.stderr)
        sender.forget()
        run = sender.send(f"webhook:{server.address}/", URLSessionCertificateAuthorityInfoFile="INSECURE_SSL_NO_VERIFY",
                          SSL_CERT_FILE=str(authority))
        checks.expect(run.returncode == SENT and len(server.clear()) == 1, "SSL_CERT_FILE names authorities", run.stderr)
        sender.forget()
        run = sender.send(f"webhook:{server.address}/", "--ca-file", str(authority))
        checks.expect(run.returncode == SENT and len(server.clear()) == 1, "so does --ca-file", run.stderr)
        sender.forget()
        run = sender.send(f"webhook:{server.address}/", "--ca-file", "/does/not/exist")
        checks.expect(run.returncode == MISSING and not server.clear(), "without that file nothing is sent", run.stderr)
    with Receiver(certificate=wrong) as server:
        run = sender.send(f"webhook:{server.address}/", "--ca-file", str(other))
        checks.expect(run.returncode == LATER and not server.clear(), "a certificate of another name is refused", run.stderr)
        sender.forget()
    with Receiver() as proxy:
        run = sender.send("webhook:http://reports.example/in", "--proxy", proxy.address)
        got = proxy.clear()
        checks.expect(run.returncode == SENT and len(got) == 1 and got[0].path == "http://reports.example/in",
                      "--proxy takes the requests", f"{run.stderr} {got and got[0].path}")
        sender.forget()
        sender.send("webhook:http://reports.example/in", http_proxy=proxy.address)
        checks.expect(len(proxy.clear()) == 1, "so does http_proxy")


# --- Crash loops


def loop(checks, crashsym, parent, crashes):
    """Crashes of one fault, ten a second: one report a minute, and a count of the rest."""
    minutes = (crashes - 1) // 600 + 1
    sender = fresh(crashsym, parent, f"loop-{crashes}",
                   [report(number, second=number // 10, function="price(of:)") for number in range(crashes)])
    put(sender.folder, report(5000, second=1, function="another()"))
    with Receiver() as server:
        run = sender.send(f"webhook:{server.address}/")
        got = server.clear()
        full = [request for request in got if request.headers["x-crashkit-event"] == "report"]
        checks.expect(run.returncode == SENT and len(full) == minutes + 1 and len(got) == 2 * minutes + 1,
                      f"{crashes} crashes in a loop: one report a minute and a count", f"{len(full)} {len(got)} {run.stderr}")
        checks.expect(counted(got) == crashes + 1, f"{crashes} crashes in a loop: the count is right", counted(got))
        put(sender.folder, report(5001, second=2, function="price(of:)"), report(5002, second=2, function="price(of:)"))
        sender.send(f"webhook:{server.address}/")
        late = server.clear()
        checks.expect([json.loads(request.body).get("count") for request in late] == [2] and ids(late)[0] not in ids(got),
                      "later ones of the same minute are counted too", [request.body[:80] for request in late])


def rejected_loop(checks, crashsym, parent):
    sender = fresh(crashsym, parent, "rejected-loop", [report(number, function="price(of:)") for number in range(50)])
    refuse = lambda request, number: Answer(400 if request.headers["x-crashkit-event"] == "report" else 200)
    with Receiver(refuse) as server:
        run = sender.send(f"webhook:{server.address}/")
        checks.expect(run.returncode == BAD and len(server.clear()) == 4, "of a loop that is rejected, three are tried",
                      run.stderr)


# --- Several processes, and their ends


def rivals(checks, crashsym, parent):
    sender = fresh(crashsym, parent, "rivals", [report(number) for number in range(20)])
    hold = {"at": 1}
    with Receiver(lambda request, number: NEVER if number == hold["at"] else Answer()) as server:
        first = sender.start(f"webhook:{server.address}/", "--timeout", "300")
        server.wait_for(1)
        second = sender.send(f"webhook:{server.address}/")
        checks.expect(second.returncode == SENT and len(server.requests) == 1 and "another crashsym" in second.stderr,
                      "two processes do not send twice: one says that the other sends", second.stderr)
        follower = sender.start(f"webhook:{server.address}/", "--follow")
        first.kill()
        first.wait()
        checks.expect(server.wait_for(21) and len(set(ids(server.requests))) == 20,
                      "one that follows takes over when the first is killed", len(server.requests))
        put(sender.folder, report(40))
        checks.expect(server.wait_for(22), "and sends each new report")
        follower.terminate()
        checks.expect(follower.wait(60) in (-15, 143), "it ends by SIGTERM")
        follower.stderr.close()
        first.stderr.close()


def killed(checks, crashsym, parent, kills):
    """Kills the process at random moments, while reports come: all arrive, none under two ids, and the counts are right."""
    chance = random.Random(17)
    sender = fresh(crashsym, parent, f"killed-{kills}", [])
    number, per_turn = 0, 3
    with Receiver() as server:
        begun = time.monotonic()
        sender.send(f"webhook:{server.address}/")
        put(sender.folder, report(100_000))
        sender.send(f"webhook:{server.address}/")
        length = (time.monotonic() - begun) / 2
        server.clear()
        for turn in range(kills):
            # One is of a loop, two of faults of their own.
            put(sender.folder, *[report(number + step, function="loop()" if step == 0 else None) for step in range(per_turn)])
            number += per_turn
            process = sender.start(f"webhook:{server.address}/")
            # The moments to end it at are the point here: from before its start to after its end.
            time.sleep(chance.uniform(0, 1.5 * length))
            process.kill()
            process.wait()
            process.stderr.close()
        left = sender.send(f"webhook:{server.address}/")
        got = server.clear()
        once = {key: request for key, request in zip(ids(got), got)}
        checks.expect(left.returncode == SENT, f"{kills} kills: the last pass sends what is left", left.stderr)
        checks.expect(counted(once.values()) == number, f"{kills} kills: each report arrives, or is counted once",
                      f"{counted(once.values())} of {number}, {len(got)} requests")
        bodies = {}
        for key, request in zip(ids(got), got):
            bodies.setdefault(key, set()).add(request.body)
        checks.expect(all(len(same) == 1 for same in bodies.values()), f"{kills} kills: what has one id is the same")
        checks.expect(len(got) - len(once) <= kills, f"{kills} kills: at most one is sent twice for each",
                      f"{len(got) - len(once)}")
        print(f"        {len(got)} requests, {len(got) - len(once)} of them twice")


def fill(file):
    """Writes to a file until its disk is full."""
    with open(file, "wb", buffering=0) as sink:
        try:
            while True:
                sink.write(b"x" * 4096)
        except OSError:
            pass


def full_disk(checks, crashsym, parent):
    folder = parent / "full"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True)
    if mounted.returncode:
        return checks.skip("a full disk", mounted.stderr.strip())
    try:
        put(folder, report(0), report(1))
        sender = Sender(crashsym, folder)
        filler = folder / "filler"
        fill(filler)
        with Receiver() as server:
            run = sender.send(f"webhook:{server.address}/")
            checks.expect(run.returncode == INPUT_OUTPUT and len(run.stderr.splitlines()) == 1 and "space" in run.stderr
                          and not server.clear(), "a full disk: one line, and nothing is sent that cannot be noted down",
                          f"{run.returncode} {run.stderr}")
            follower = sender.start(f"webhook:{server.address}/", "--follow")
            line = follower.stderr.readline()
            checks.expect("space" in line, "one that follows says so too, and stays", line)
            follower.kill()
            follower.wait()
            follower.stderr.close()
            filler.unlink()
            run = sender.send(f"webhook:{server.address}/")
            checks.expect(run.returncode == SENT and len(server.clear()) == 2, "with room again all are sent", run.stderr)

        def fill_and_take(request, number):
            if not filler.exists():
                fill(filler)
            return Answer()

        put(folder, report(2), report(3))
        with Receiver(fill_and_take) as server:
            run = sender.send(f"webhook:{server.address}/late")
            first = server.clear()
            checks.expect(run.returncode == INPUT_OUTPUT and len(run.stderr.splitlines()) == 1 and len(first) == 1,
                          "a disk that gets full between answer and note: one line, and no further report", run.stderr)
            filler.unlink()
            filler.touch()
            run = sender.send(f"webhook:{server.address}/late")
            got = server.clear()
            checks.expect(run.returncode == SENT and len(got) == 4 and ids(first)[0] in ids(got) and len(set(ids(got))) == 4,
                          "with room again that one is sent with the same id, and the others", f"{len(got)} {run.stderr}")
    finally:
        subprocess.run(["umount", folder], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", help="the name of one function")
    options = parser.parse_args()
    products = options.products.resolve()
    crashsym = products / "crashsym"
    support.hear_all_signals()
    checks = support.Checks()
    crashes, kills = (1000, 1000) if options.full else (150, 20)
    cases = [plain, unreadable, private, secrets, faults, encrypted, rejected_loop, rivals, full_disk]
    with support.temporary_folder() as name:
        parent = pathlib.Path(name)
        for case in cases:
            if options.only in (None, case.__name__):
                case(checks, crashsym, parent)
        if options.only in (None, "loop"):
            loop(checks, crashsym, parent, crashes)
        if options.only in (None, "killed"):
            killed(checks, crashsym, parent, kills)
        if options.only in (None, "answers"):
            sending_answers.check(checks, crashsym, parent, fresh, report)
        apart = {"sentry": sending_sentry, "otlp": sending_otlp, "datadog": sending_datadog, "hostile": sending_hostile}
        wanted = [name for name in apart if options.only in (None, name)]
        reports = sending_reports.made(products, parent) if wanted else {}
        for name in wanted:
            apart[name].check(checks, products, parent, Sender, reports)
    checks.end()


if __name__ == "__main__":
    main()
