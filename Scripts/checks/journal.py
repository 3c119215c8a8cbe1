"""Crashes in systemd's journal: what the handler sends itself (CRASHKIT_OPTIONS=journal=yes), and crashsym send --to journal.

Works without systemd: in a mount namespace, this check binds the journal's socket. systemd-journal-remote makes a journal file
of what arrives, and coredumpctl lists it. Without namespaces, or without Debian's packages, the rest is skipped, visibly.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import time

import journal_place
import journal_sent
import sending_reports
import support

SECRET = "geheim9382"
BOUND = 1.9  # seconds; the time limit of a report is 2
HOSTILE = '"\\\'`$(x)=\n\x1b[2J\u202e'


class Probe:
    """handler-probe, or a copy of it under another name."""

    def __init__(self, products, folder, name="handler-probe"):
        self.program, self.folder = folder / name, folder / "reports"
        self.folder.mkdir(exist_ok=True, mode=0o700)
        if not self.program.exists():
            self.program.write_bytes((products / "handler-probe").read_bytes())
            self.program.chmod(0o755)

    def crash(self, kind, options="journal=yes", **more):
        for file in self.folder.iterdir():
            file.unlink()
        variables = support.environment(self.folder, CRASHKIT_OPTIONS=options, SWIFT_BACKTRACE="enable=no",
                                        PROBE_FILES=str(self.folder), **more)
        start = time.monotonic()
        run = subprocess.run([self.program, kind, "after"], env=variables, capture_output=True, timeout=60)
        return run, time.monotonic() - start

    def wait(self):
        """Starts it; it crashes when told to."""
        variables = support.environment(self.folder, CRASHKIT_OPTIONS="journal=yes,summary=no", SWIFT_BACKTRACE="enable=no")
        process = subprocess.Popen([self.program, "when-told", "after"], env=variables, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        return process

    def report(self):
        (file,) = support.reports_in(self.folder)
        return file, json.loads(file.read_text())


def plain(checks, products, folder, tools):
    probe = Probe(products, folder)
    with journal_place.Receiver() as receiver:
        run, _ = probe.crash("null-read")
    file, report = probe.report()
    checks.expect(run.returncode == -signal.SIGSEGV, "handler: it died as it would have", run.returncode)
    if not checks.expect(len(receiver.records) == 1, "handler: one record", len(receiver.records)):
        return
    found = journal_place.fields(receiver.records[0])
    crashed = report["threads"][0]
    checks.expect(found["COREDUMP_PID"] == str(report["process"]["pid"]) and found["COREDUMP_SIGNAL"] == "11"
                  and found["COREDUMP_SIGNAL_NAME"] == "SIGSEGV" and found["COREDUMP_UID"] == str(os.getuid())
                  and found["COREDUMP_GID"] == str(os.getgid()) and found["COREDUMP_EXE"] == str(probe.program)
                  and found["COREDUMP_COMM"] == "handler-probe" and found["PRIORITY"] == "2"
                  and found["CRASHKIT_CAUSE"] == "nullDereference" and found["CRASHKIT_REPORT"] == str(file),
                  "handler: the fields are those of the report", found)
    lines = found["MESSAGE"].splitlines()
    checks.expect(lines[2] == f"Stack trace of thread {crashed['id']}:"
                  and [line.split()[1] for line in lines[3:]] == [f["address"] for f in crashed["frames"] if "address" in f],
                  "handler: the stack is that of the report", lines)
    listed(checks, tools, receiver.records, folder, found)
    with journal_place.Receiver() as receiver:
        probe.crash("null-read", "")
    checks.expect(receiver.records == [], "handler: off by default", receiver.records)


def listed(checks, tools, records, folder, found):
    if not tools:
        return
    file = tools.file(records, folder / "crash.journal")
    shown = json.loads(tools.run("coredumpctl", "--file", str(file), "--json=short", "list").stdout)
    checks.expect(len(shown) == 1 and shown[0]["pid"] == int(found["COREDUMP_PID"]) and shown[0]["sig"] == 11
                  and shown[0]["exe"] == found["COREDUMP_EXE"], "handler: coredumpctl lists it", shown)
    told = tools.run("coredumpctl", "--no-pager", "--file", str(file), "info", found["COREDUMP_PID"]).stdout
    checks.expect("Signal: 11 (SEGV)" in told and all(line in told for line in found["MESSAGE"].splitlines()),
                  "handler: coredumpctl shows it", told)


def large(checks, products, folder, tools):
    probe = Probe(products, folder)
    with journal_place.Receiver() as receiver:
        run, _ = probe.crash("thousand")
    found = [journal_place.fields(record) for record in receiver.records]
    checks.expect(len(found) == 1 and receiver.seals == [journal_place.ALL_SEALS], "a thousand threads: one record of sealed memory",
                  f"{len(found)} {receiver.seals}")
    _, report = probe.report()
    stacks = found[0]["MESSAGE"].count("Stack trace of thread ")
    checks.expect(stacks > 500 and len(report["threads"]) > 1000 and len(receiver.records[0]) <= 256 << 10,
                  "a thousand threads: as many stacks as it has room for", f"{stacks} of {len(report['threads'])}")


def hostile(checks, products, folder, tools):
    probe = Probe(products, folder, HOSTILE * 6)
    with journal_place.Receiver() as receiver:
        run, _ = probe.crash("panic-odd")
    checks.expect(run.returncode == -signal.SIGABRT and len(receiver.records) == 1, "hostile: one record", run.returncode)
    found = journal_place.fields(receiver.records[0])
    wrong = {name: value for name, value in found.items()
             if any(ord(c) < 32 and not (c == "\n" and name == "MESSAGE") or c in "\x7f\u202e" for c in value)}
    checks.expect(not wrong and found["CRASHKIT_MESSAGE"].startswith("thread 'main' (17) panicked at src/main.rs:8:21: \"\\?[2J"),
                  "hostile: no text breaks it, or is obeyed by a terminal", wrong or found["CRASHKIT_MESSAGE"])
    if tools:
        file = tools.file(receiver.records, folder / "crash.journal")
        shown = json.loads(tools.run("coredumpctl", "--file", str(file), "--json=short", "list").stdout)
        checks.expect(len(shown) == 1 and shown[0]["pid"] == int(found["COREDUMP_PID"]), "hostile: coredumpctl lists it", shown)


def private(checks, products, folder, tools):
    probe = Probe(products, folder)
    with journal_place.Receiver() as receiver:
        probe.crash("panic-whole", SOME_TOKEN=SECRET, PLAIN=SECRET)
        probe.crash("panic-whole", "journal=yes,environment=yes,hostname=no", PLAIN=SECRET)
    checks.expect(len(receiver.records) == 2 and SECRET.encode() not in b"".join(receiver.records),
                  "nothing of the environment is in the record", receiver.records)
    checks.expect("COREDUMP_HOSTNAME" in journal_place.fields(receiver.records[0])
                  and "COREDUMP_HOSTNAME" not in journal_place.fields(receiver.records[1]), "hostname=no holds for the record")


def unserved(checks, products, folder, tools):
    """No socket; one that nobody reads; one that was closed; one whose queue is full."""
    probe = Probe(products, folder)
    for name in ("missing", "closed", "full"):
        if name == "closed":
            journal_place.Receiver(reads=False).socket.close()
        receiver = journal_place.Receiver(reads=False) if name == "full" else None
        filled = receiver.fill() if receiver else 0
        # The quickest of a few: a busy machine takes its time for anything.
        seconds = []
        while len(seconds) < 5 and min(seconds, default=BOUND) >= BOUND:
            run, taken = probe.crash("null-read", "journal=yes,summary=no")
            seconds.append(taken)
        _, report = probe.report()
        checks.expect(run.returncode == -signal.SIGSEGV and run.stderr == b"" and min(seconds) < BOUND
                      and report["capture"]["cutShort"] == [] and (name == "full") == (filled > 0),
                      f"{name} socket: the report is whole, and nothing waits", f"{run.returncode} {seconds} {run.stderr} {filled}")
        if receiver:
            receiver.__exit__()
        journal_place.SOCKET.unlink(missing_ok=True)


def few_descriptors(checks, products, folder, tools):
    """The socket was opened at install. What the program opened in its place since is left alone."""
    probe = Probe(products, folder)
    for kind in ("descriptors-used-up", "descriptors-reopened", "directory-removed"):
        with journal_place.Receiver() as receiver:
            probe.folder.mkdir(exist_ok=True)
            run, _ = probe.crash(kind)
        names = [journal_place.fields(record)["COREDUMP_SIGNAL_NAME"] for record in receiver.records]
        checks.expect(names == ["SIGSEGV"], f"{kind}: the record is there", f"{names} {run.stderr[-300:]}")


def sent(checks, products, folder, tools):
    """Reports of real crashes, a full one and a hostile one, sent by crashsym."""
    crashsym = products / "crashsym"
    for name, file in sending_reports.made(products, folder).items():
        place = folder / f"sent-{name}"
        place.mkdir()
        (place / file.name).write_bytes(file.read_bytes())
        run, records = journal_sent.send(crashsym, place, "--unscrubbed")
        if not checks.expect(run.returncode == 0 and len(records) == 1, f"send: {name}: one record", run.stderr):
            continue
        found, report = journal_place.fields(records[0]), support.symbolicate(crashsym, file)
        checks.expect(found["COREDUMP_PID"] == str(report["process"]["pid"])
                      and found["COREDUMP_SIGNAL"] == str(report["signal"]["number"])
                      and found["CRASHKIT_FINGERPRINT"] == report["fingerprint"]["value"] and found["PRIORITY"] == "2",
                      f"send: {name}: the fields are those of the report", found)
        wrong = {key: value for key, value in found.items()
                 if any(ord(c) < 32 and not (c == "\n" and key == "MESSAGE") or c in "\x7f\u202e" for c in value)}
        checks.expect(not wrong, f"send: {name}: nothing that a terminal obeys", wrong)
        if name in sending_reports.KINDS:
            places = [(f["sourceLocation"]["file"], str(f["sourceLocation"]["line"]))
                      for f in report["threads"][0]["frames"] if "sourceLocation" in f]
            checks.expect((found["CODE_FILE"], found["CODE_LINE"]) in places and sending_reports.KINDS[name] in found["MESSAGE"],
                          f"send: {name}: function, file and line", f"{places} {found}")
        if tools:
            listed, told = journal_sent.shown(tools, records, folder / "sent.journal")
            checks.expect(len(listed) == 1 and str(listed[0]["pid"]) == found["COREDUMP_PID"]
                          and all(line in told for line in found["MESSAGE"].splitlines()),
                          f"send: {name}: coredumpctl lists and shows it", f"{listed} {told[-200:]}")
        run, again = journal_sent.send(crashsym, place)
        checks.expect(run.returncode == 0 and again == [], f"send: {name}: no second record", f"{run.stderr} {len(again)}")


def read_back(checks, products, folder, tools):
    """crashsym journal lists and shows what coredumpctl does, of records by the handler, by crashsym, and by others."""
    crashsym = products / "crashsym"
    probe = Probe(products, folder)
    with journal_place.Receiver() as receiver:
        probe.crash("null-read")
    handled = receiver.records
    _, sent = journal_sent.send(crashsym, probe.folder)
    core = folder / "core.victim"
    core.write_text("")
    entry = {"MESSAGE_ID": "fc2e22bc6ee647b6b90729ab34a250b1", "MESSAGE": "Process 77 (a) dumped core.\n\nStack\x1b[2J", "COREDUMP_PID": "77",
             "COREDUMP_UID": "5", "COREDUMP_GID": "6", "COREDUMP_SIGNAL": "6", "COREDUMP_TIMESTAMP": "1795759418602923",
             "COREDUMP_COMM": "a", "COREDUMP_EXE": "/srv/a\x1b[2J\n", "COREDUMP_FILENAME": str(core), "COREDUMP_TRUNCATED": "1"}
    other = b"".join(name.encode() + b"\n" + len(value).to_bytes(8, "little") + value.encode() + b"\n" for name, value in entry.items())
    if not tools:
        return checks.skip("crashsym journal", "there is no journal file without systemd-journal-remote")
    file = tools.file([*handled, *sent, other], folder / "all.journal")

    def journal(*words):
        return subprocess.run([crashsym, "journal", "--file", file, *words], env=tools.environment, capture_output=True, text=True)

    listed, pid = journal(), journal_place.fields(handled[0])["COREDUMP_PID"]
    rows = [line.split() for line in listed.stdout.splitlines()[1:]]
    expected = [(str(row["pid"]), str(row["uid"]), str(row["gid"]), row["corefile"])
                for row in json.loads(tools.run("coredumpctl", "--file", str(file), "--json=short", "list").stdout)]
    checks.expect(listed.returncode == 0 and [(r[2], r[3], r[4], r[6]) for r in rows] == expected and len(rows) == 3,
                  "crashsym journal lists what coredumpctl lists", f"{listed.stdout} {listed.stderr} {expected}")
    checks.expect([r[5] for r in rows] == ["SIGSEGV", "SIGSEGV", "SIGABRT"] and [r[7] for r in rows] == ["present", "none", "none"]
                  and rows[2][:2] == ["2026-11-27", "06:03:38"], "crashsym journal: signals, reports and times", listed.stdout)
    shown = journal(pid).stdout
    checks.expect(shown.count(f"PID: {pid} (handler-probe)") == 2 and f"Report: {probe.report()[0]} (present)" in shown
                  and "Fingerprint: b1-" in shown and "Fingerprint: 2-" in shown and "#0  null_read  at " in shown,
                  "crashsym journal PID shows both records", shown)
    hidden = journal("77").stdout + listed.stdout
    checks.expect("\x1b" not in hidden and "/srv/a?[2J" in hidden and f"Core: {core} (truncated)" in hidden,
                  "crashsym journal: a terminal obeys nothing of it", hidden)
    damaged = folder / "damaged.journal"
    damaged.write_bytes(b"no journal at all")
    statuses = [journal("78").returncode, subprocess.run([crashsym, "journal", "--file", damaged], env=tools.environment,
                                                         capture_output=True).returncode,
                subprocess.run([crashsym, "journal", "--file", folder / "none"], capture_output=True).returncode,
                subprocess.run([crashsym, "journal"], env={"PATH": "/nowhere"}, capture_output=True).returncode]
    checks.expect(statuses == [66, 74, 66, 74], "crashsym journal: no such crash, no journal, no such file, no journalctl", statuses)


def not_sent(checks, products, folder, tools):
    """Without a journal reports are kept; it takes no place."""
    (folder / "a-crashReport.json").write_bytes((sending_reports.FIXTURES / "full.json").read_bytes())
    command = [products / "crashsym", "send", "--no-cache", "--to"]
    run = subprocess.run([*command, "journal", folder], capture_output=True, text=True)
    checks.expect(run.returncode == 75 and "reports are kept" in run.stderr, "send: without a journal the report is kept", run.stderr)
    for place in ("journal:/run/other", "journal:env:HOME"):
        run = subprocess.run([*command, place, folder], capture_output=True, text=True)
        checks.expect(run.returncode == 64 and "takes no place" in run.stderr, f"send: {place} is refused", run.stderr)


def replaced(checks, products, folder, tools):
    """The journal's socket as it was at install serves, whatever is at its path since; if it is gone, the new one does."""
    probe = Probe(products, folder)
    with journal_place.Receiver() as receiver:
        process = probe.wait()
        moved = journal_place.SOCKET.rename(journal_place.SOCKET.with_name("moved"))
        process.communicate("x", timeout=60)
        moved.rename(journal_place.SOCKET)
    checks.expect(len(receiver.records) == 1, "a socket that is not at its path any more: the record is there", receiver.records)
    with journal_place.Receiver():
        process = probe.wait()
    with journal_place.Receiver() as receiver:
        process.communicate("x", timeout=60)
    checks.expect(process.returncode == -signal.SIGSEGV and len(receiver.records) == 1,
                  "a journal that was started again: the record is there", f"{process.returncode} {receiver.records}")


CASES = [sent, not_sent, read_back, plain, large, hostile, private, unserved, few_descriptors, replaced]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    parser.add_argument("--only", help="the name of one function")
    options = parser.parse_args()
    products = options.products.resolve()
    checks = support.Checks()
    no_tools = os.environ.get("CRASHKIT_CHECK_NO_TOOLS")
    if not os.environ.get(journal_place.INSIDE):
        no_tools = journal_place.fetch_tools()
        os.environ["CRASHKIT_CHECK_NO_TOOLS"] = no_tools or ""
    if no_tools:
        checks.skip("what coredumpctl lists", no_tools)
    if reason := journal_place.enter():
        checks.skip("what is sent to the journal", reason)
        checks.end()
    support.hear_all_signals()
    tools = None if no_tools else journal_place.Tools()
    with support.temporary_folder() as name:
        for case in CASES:
            if options.only in (None, case.__name__):
                folder = pathlib.Path(name) / case.__name__
                folder.mkdir()
                case(checks, products, folder, tools)
    checks.end()


if __name__ == "__main__":
    main()
