"""Kills crashsym desk with SIGKILL at random instants while several senders send it reports and events, for half an hour.

What was answered with 200 or 202 is there after each start, byte for byte: some of them are read after each kill, and all
of them at the end, once with the database that the kills left and once without it. --seconds says how long; --seed repeats
a run's decisions.
"""

import argparse
import hashlib
import http.client
import json
import pathlib
import random
import signal
import subprocess
import threading
import time

import support

PACKAGE = support.ROOT / "Tests" / "DeskProduct"
SENDERS = 4
LONGEST_LIFE = 8.0
READ_AFTER_A_KILL = 40


def report(number, generator):
    """A report of up to 60 KB, of one of 500 groups."""
    frames = [{"kind": "programCounter", "address": "0x0000000000401000", "symbol": f"function_{number % 500}", "offset": 4,
               "description": f"function_{number % 500}", "image": "api",
               "sourceLocation": {"file": "/src/Book.swift", "line": 7, "column": 3}}]
    value = {"schema": "crashkit/1", "timestamp": "2026-11-27T10:00:00.000000Z", "kind": "crashReport", "description": "Trap",
             "platform": "Linux", "architecture": "x86_64", "signal": {"number": 4, "name": "SIGILL"},
             "message": f"{number} " + "x" * generator.choice([10, 1_000, 1_000, 4_000, 59_000]),
             "application": {"name": "api", "version": f"1.{number % 7}"}, "process": {"pid": 17, "name": "api"},
             "threads": [{"id": 17, "crashed": True, "frames": frames}],
             "images": [{"name": "api", "buildId": "0123456789abcdef0123456789abcdef01234567", "path": "/srv/api",
                         "baseAddress": "0x0000000000400000", "endOfText": "0x0000000000500000"}]}
    return json.dumps(value).encode()


def event(number, generator):
    """An event as a client of Sentry's sends it, and as the desk keeps it."""
    value = {"event_id": f"{number:032x}", "platform": "python", "release": f"shop@1.{number % 7}", "server_name": "web-1",
             "exception": {"values": [{"type": "ValueError", "value": f"{number} " + "x" * generator.choice([10, 1_000]),
                                       "stacktrace": {"frames": [{"function": f"price_{number % 50}", "filename": "book.py", "lineno": 3}]}}]}}
    text = json.dumps(value)
    envelope = "\n".join(["{}", json.dumps({"type": "event", "length": len(text)}), text, ""])
    return envelope.encode(), f'{{"schema":"sentry-event/1","project":"shop","event":{text}}}'.encode()


class Desk:
    def __init__(self, crashsym, folder):
        command = [crashsym, "desk", "--listen", "127.0.0.1:0", "--data", folder, "--no-cache"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the desk did not start")
        self.port = int(line.rstrip("/\n").rpartition(":")[2])

        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def read(self, path):
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait()


class Senders:
    """Threads that send reports to whatever desk there is, and keep what it accepted."""

    def __init__(self, seed):
        self.accepted = {}
        self.wrong = []
        self.port = None
        self.is_over = False
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.threads = [threading.Thread(target=self.run, args=(number, seed)) for number in range(SENDERS)]
        for thread in self.threads:
            thread.start()

    def send_to(self, port):
        with self.lock:
            self.port = port
            self.changed.notify_all()

    def run(self, sender, seed):
        generator = random.Random(f"{seed} {sender}")
        number = sender
        while True:
            with self.lock:
                self.changed.wait_for(lambda: self.port or self.is_over)
                if self.is_over:
                    return
                port = self.port
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                while True:
                    # A report whose answer was lost is sent again, as crashsym send does.
                    choices = random.Random(f"{seed} {number}")
                    if choices.random() < 0.25:
                        body, kept = event(number, choices)
                        connection.request("POST", "/api/shop/envelope/", body, {"Content-Type": "application/x-sentry-envelope"})
                    else:
                        body = kept = report(number, choices)
                        connection.request("POST", "/api/reports", body, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    found = json.loads(answer.read())
                    with self.lock:
                        if answer.status in (200, 202):
                            self.accepted[found["page"]] = hashlib.sha256(kept).hexdigest()
                        elif answer.status != 503:
                            self.wrong.append((answer.status, found))
                    number += SENDERS
                    # Half an hour at full speed would fill a disk.
                    time.sleep(generator.uniform(0, 0.1))
                    if generator.random() < 0.02 or self.is_over:
                        break
            except (OSError, http.client.HTTPException, ValueError):
                with self.lock:
                    if self.port == port:
                        self.port = None
            finally:
                connection.close()

    def end(self):
        with self.lock:
            self.is_over = True
            self.changed.notify_all()
        for thread in self.threads:
            thread.join()


def lost(desk, accepted):
    """Pages of these reports that the desk does not have as they were sent."""
    missing = []
    for page, digest in accepted:
        status, body = desk.read(f"{page}/raw.json")
        if status != 200 or hashlib.sha256(body).hexdigest() != digest:
            missing.append((page, status))
    return missing


def counted(desk):
    lines = desk.read("/metrics")[1].decode().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("crashsym_desk_reports ")))


def soak(crashsym, folder, seconds, seed, checks):
    generator = random.Random(seed)
    senders = Senders(seed)
    end = time.monotonic() + seconds
    kills, missing, short = 0, [], []
    while time.monotonic() < end:
        desk = Desk(crashsym, folder)
        with senders.lock:
            known = list(senders.accepted.items())
        missing += lost(desk, generator.sample(known, min(READ_AFTER_A_KILL, len(known))))
        if counted(desk) < len(known):
            short.append((kills, counted(desk), len(known)))
        senders.send_to(desk.port)
        time.sleep(generator.uniform(0, LONGEST_LIFE))
        desk.end(signal.SIGKILL)
        kills += 1
    senders.end()
    accepted = list(senders.accepted.items())
    checks.expect(kills > 0 and accepted, f"the desk was killed {kills} times and accepted {len(accepted)} reports")
    checks.expect(not senders.wrong, "no report was refused", senders.wrong[:3])
    checks.expect(not missing and not short, "what was accepted is there after each kill", (missing[:3], short[:3]))
    desk = Desk(crashsym, folder)
    everything = lost(desk, accepted)
    checks.expect(not everything, "all of it is there at the end, byte for byte", everything[:3])
    checks.expect(desk.end(signal.SIGTERM) == 0, "the desk ends well")
    for file in pathlib.Path(folder).glob("desk.sqlite*"):
        file.unlink()
    desk = Desk(crashsym, folder)
    everything = lost(desk, accepted)
    number = counted(desk)
    checks.expect(not everything and number >= len(accepted), "the folder alone has all of it too", (number, everything[:3]))
    desk.end(signal.SIGTERM)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800, help="besides the checks at the end")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    checks = support.Checks()
    print(f"--seed {arguments.seed}")
    crashsym = support.swift_build("--product", "crashsym", package=PACKAGE) / "crashsym"
    with support.temporary_folder() as folder:
        soak(crashsym, pathlib.Path(folder) / "desk", arguments.seconds, arguments.seed, checks)
    checks.end()


if __name__ == "__main__":
    main()
