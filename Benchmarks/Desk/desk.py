"""Measures crashsym desk in a release build: reports taken in, memory, pages, and live programs.

Reports of 59 KB in 500 groups, whose symbols the desk has, are sent by several connections, beside bare inserts of the same bytes by
GRDB. Pages are read with 100 and with 100,000 reports in 2,000 groups. Then 200 programs push once a second, and 20 browsers listen.
Standard output is the section "The desk" of Docs/benchmarks.md; what is under way goes to standard error.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]),
                str(pathlib.Path(__file__).resolve().parents[2] / "Scripts" / "checks")]
import history  # noqa: E402
import support  # noqa: E402

BYTES = 59_000
GROUPS = 500
CONNECTIONS = 16
MANY_GROUPS = 2_000
DAY = 86_400
PLACE = "000000000000"
OWNERS = "/src/part-1*/ @books\n/src/ @shop\n"


def tell(words):
    print(f"desk: {words}", file=sys.stderr, flush=True)


class Desk:
    def __init__(self, crashsym, folder, *options):
        command = [crashsym, "desk", "--listen", "127.0.0.1:0", "--data", folder, "--no-cache", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "CRASHSYM_SYMBOLS": "", "DEBUGINFOD_URLS": ""})
        self.port = int(self.process.stdout.readline().rstrip("/\n").rpartition(":")[2])
        self.connect()

    def connect(self):
        """Anew after a while in which nothing is asked: the desk ends a connection that rests."""
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)

    def ask(self, method, path, body=None, kind="application/json", key=None):
        headers = {"Content-Type": kind} if body else {}
        if key:
            headers["Idempotency-Key"] = key
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
        return text

    def processor(self):
        """Seconds that the desk had a processor."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """MiB at most since the start."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def settle(self):
        """Waits until each report has its group."""
        self.connect()
        while int(re.search(r"^crashsym_desk_waiting_reports (\d+)", self.ask("GET", "/metrics").decode(), re.MULTILINE)[1]):
            time.sleep(0.2)

    def end(self):
        self.connection.close()
        self.process.terminate()
        if self.process.wait(timeout=300) != 0:
            raise RuntimeError("the desk did not end well")


def load(products, *words):
    run = subprocess.run([products / "desk-load", *map(str, words)], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout)


# MARK: Reports

def crash(diagdemo, folder):
    """A report of diagdemo, without names: the desk fills them in."""
    folder.mkdir()
    subprocess.run([diagdemo, "crash", "null-read"], env=support.environment(folder), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=300)
    return json.loads(next(folder.glob("*-crashReport.json")).read_text())


def functions(diagdemo, count):
    """Pairs of offsets in functions of diagdemo's own: several closures of one function would be one group."""
    shown = subprocess.run(["nm", "--defined-only", "--print-size", diagdemo], check=True, capture_output=True, text=True).stdout
    found = sorted({int(line[0], 16) for line in (line.split() for line in shown.splitlines())
                    if len(line) == 4 and line[2] in "tT" and line[3].startswith("$s8diagdemo") and int(line[1], 16) > 64})
    generator = random.Random(7)
    return [[address + 32 for address in generator.sample(found, 2)] for _ in range(count)]


def large_models(diagdemo, folder, place):
    """A report of 59 KB for each of 500 groups."""
    report = crash(diagdemo, folder)
    image = next(image for image in report["images"] if image["path"].endswith("diagdemo"))
    base = int(image["baseAddress"], 16)
    thread = next(thread for thread in report["threads"] if thread.get("crashed"))
    report["attributes"] = {"request.id": PLACE}
    # As a program with more threads has it.
    frames = thread["frames"]
    for number in range(1000):
        more = {"id": 5000 + number, "name": f"worker {number}", "frames": frames}
        if len(json.dumps(report)) + len(json.dumps(more)) > BYTES:
            break
        report["threads"].append(more)
    place.mkdir()
    for number, offsets in enumerate(functions(diagdemo, GROUPS)):
        own = [{"kind": "programCounter", "address": f"0x{base + offset:016x}"} for offset in offsets]
        thread["frames"] = own + frames[2:]
        (place / f"{number:04}.json").write_text(json.dumps(report))


def small_models(place):
    """Reports of 2,000 groups over 30 days. A few groups have most of them."""
    place.mkdir()
    generator = random.Random(7)
    number = 0
    now = time.time()
    for group in range(MANY_GROUPS):
        for _ in range(max(1, 3000 // (group + 1))):
            moment = time.gmtime(now - generator.random() ** 2 * 30 * DAY)
            words = [f"Part{group % 90}", f"function{group}", "Order", "price"]
            frames = [{"kind": "programCounter", "address": f"0x{0x401000 + depth * 64:016x}", "offset": 4, "image": "api",
                       "symbol": re.sub(r"\W+", "_", name), "description": name,
                       "sourceLocation": {"file": f"/src/part-{group % 90}/File{group}.swift", "line": 7 + depth, "column": 3}}
                      for depth, name in enumerate([f"{words[0]}.{words[1]}(of:)", *(f"caller{(group + depth) % 300}.run()" for depth in range(12))])]
            report = {"schema": "crashkit/1", "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", moment), "kind": "crashReport",
                      "description": "Trap", "platform": "Linux", "architecture": "x86_64",
                      "signal": {"number": 4, "name": "SIGILL"}, "message": f"order {PLACE} of {words[group % 4]} was not there",
                      "application": {"name": ["api", "worker"][group % 2], "version": f"1.{generator.randrange(12)}"},
                      "process": {"pid": 17, "name": "api"}, "host": {"name": f"web-{generator.randrange(40)}"},
                      "attributes": {"tenant": f"t{generator.randrange(50)}", "region": generator.choice(["eu", "us", "ap"])},
                      "threads": [{"id": 17, "crashed": True, "frames": frames}],
                      "images": [{"name": "api", "buildId": "0123456789abcdef0123456789abcdef01234567", "path": "/srv/api",
                                  "baseAddress": "0x0000000000400000", "endOfText": "0x0000000000500000"}]}
            (place / f"{number:06}.json").write_text(json.dumps(report))
            number += 1


# MARK: Measurements

def take_in(products, diagdemo, folder, count):
    models = folder / "models"
    large_models(diagdemo, folder / "crash", models)
    tell(f"{count} bare inserts")
    bare = load(products, "bare", folder / "bare.sqlite", 1, models, 0, count)
    desk = Desk(products / "crashsym", folder / "intake")
    try:
        desk.ask("POST", "/api/symbols", pathlib.Path(diagdemo).read_bytes(), "application/octet-stream")
        tell("one report of each group: symbols are decoded then")
        load(products, "send", desk.port, CONNECTIONS, models, 10_000_000, GROUPS)
        tell(f"{count} reports")
        desk.settle()
        used, start = desk.processor(), time.monotonic()
        sent = load(products, "send", desk.port, CONNECTIONS, models, 0, count)
        accepting = desk.processor() - used
        desk.settle()
        used = desk.processor() - used
        described = count / (time.monotonic() - start)
        groups = int(re.search(r"(\d+) group", desk.ask("GET", "/?state=all").decode())[1])
        memory = desk.memory()
    finally:
        desk.end()
    share = sent["rate"] / bare["rate"]
    print(f"{CONNECTIONS} connections sent {count:,} reports of {BYTES // 1000} KB, which belong to {groups} groups. When the desk "
          f"answers, the report is on the disk. After that, the desk finds the functions of the report and its group:\n")
    print("| | reports a second | p50 (ms) | p99 (ms) | longest (ms) | ms of processor a report | of the client (ms) | memory (MiB) |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(f"| the desk accepts | {sent['rate']:.0f} | {sent['p50']:.1f} | {sent['p99']:.1f} | {sent['longest']:.0f} "
          f"| {accepting / count * 1e3:.2f} | {sent['processor'] / count * 1e3:.2f} | {memory:.0f} |")
    print(f"| until all reports have their groups | {described:.0f} | | | | {used / count * 1e3:.2f} | | |")
    print(f"| bare inserts with GRDB, one after the other | {bare['rate']:.0f} | | | | {bare['processor'] / count * 1e3:.2f} | | |")
    print(f"\nThe rate is {share:.2f} times that of the bare inserts. The aims are 0.4 times that rate, 1,000 reports a second, a p99 "
          f"below 50 ms, and at most 200 MiB.\n",
          flush=True)
    return share


def pages(desk):
    """Names and paths of each kind of page; the largest group and its reports."""
    inbox = desk.ask("GET", "/?state=all").decode()
    groups = re.findall(r'href="/groups/([0-9a-f]+-[0-9a-f]+)"', inbox)

    def size(group):
        return int(re.search(r"(\d+) crash", desk.ask("GET", f"/groups/{group}").decode())[1])
    largest = max(groups, key=size)
    report = re.search(r'href="/reports/([0-9a-f]+)"', desk.ask("GET", f"/groups/{largest}").decode())[1]
    program = "0" * 31 + "1"
    return {"inbox": "/", "all groups": "/?state=all", "the last page of groups": "/?state=all&page=39", "new": "/?state=new",
            "gone": "/?state=gone", "search: a word of all reports": "/?state=all&q=order",
            "search: part of a name": "/?state=all&q=function19", "search: three words": "/?state=all&q=Part7+caller12+order",
            "search: nothing": "/?state=all&q=zebra", "the largest group": f"/groups/{largest}",
            "the largest group, page 20": f"/groups/{largest}?page=20", "a report": f"/reports/{report}",
            "a report as JSON": f"/reports/{report}/raw.json", "a report, scrubbed": f"/reports/{report}/scrubbed.json",
            "versions": "/versions", "live": "/live", "a live program": f"/live/{program}", "alerts": "/alerts", "metrics": "/metrics"}


def timed(desk, path, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        desk.ask("GET", path)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), max(times)


def push(number, second, load_value=0.4):
    state = "critical" if load_value > 0.8 else "nominal"
    names = ["cpu.load", "memory.load", "disk.load", "loop.delay", "requests.rate", "errors.share", "file.share", "threads.share"]
    metrics = [{"name": name, "unit": "ratio", "value": load_value, "threshold": 0.8, "nominal": "lower", "state": state} for name in names]
    return json.dumps({"schema": "crashkit-live/1", "program": "api", "version": f"1.{number % 5}", "host": f"web-{number}",
                       "process": 100 + number, "refresh": 1, "system": "Debian", "memory": 123000000 + second, "metrics": metrics,
                       "events": [{"number": second + 1, "date": time.time(), "metric": "cpu.load", "unit": "ratio", "state": state,
                                   "value": load_value, "threshold": 0.8}],
                       "endpoints": [{"name": f"GET /{name}", "calls": 41 + second, "errors": 2, "mean": 0.012, "p99": 0.4,
                                      "lastCall": time.time()} for name in ("price", "order", "book")]})


def read_pages(products, folder, count, rounds):
    models = folder / "small"
    small_models(models)
    owners = folder / "CODEOWNERS"
    owners.write_text(OWNERS)
    hooks = folder / "hooks"
    hooks.write_text("webhook http://127.0.0.1:9/x threshold\n")
    desk = Desk(products / "crashsym", folder / "pages", "--codeowners", owners, "--alerts", hooks)
    results = {}
    try:
        for number in range(400):
            desk.ask("POST", "/api/starts", json.dumps({"schema": "crashkit-start/1", "program": "api", "version": f"1.{number % 12}"}),
                     key=f"start-{number:08}")
        desk.ask("POST", f"/api/live/{'0' * 31}1", push(1, 0))
        done = 0
        for wanted in (100, count):
            tell(f"{wanted} reports, for the pages")
            sent = load(products, "send", desk.port, 4 * CONNECTIONS, models, done, wanted - done)
            done = wanted
            desk.settle()
            desk.ask("POST", f"/api/live/{'0' * 31}1", push(1, 0))
            results[wanted] = {name: timed(desk, path, rounds) for name, path in pages(desk).items()}
        groups = int(re.search(r"(\d+) group", desk.ask("GET", "/?state=all").decode())[1])
        memory = desk.memory()
        if groups != MANY_GROUPS and count >= 100_000:
            raise RuntimeError(f"{groups} groups, not {MANY_GROUPS}")
    finally:
        desk.end()
    print(f"The next table shows the time that the desk needs for each page, with 100 reports and with {count:,} small reports in "
          f"{groups:,} groups. Each cell shows the median of {rounds} requests, and the longest in brackets. The aim is 50 ms. The desk "
          f"accepted the small reports at {sent['rate']:.0f} a second, and used at most {memory:.0f} MiB.\n")
    print(f"| page | 100 reports (ms) | {count:,} reports (ms) |\n| --- | ---: | ---: |")
    for name, (median, most) in results[count].items():
        before = results[100][name]
        print(f"| {name} | {before[0]:.1f} ({before[1]:.1f}) | {median:.1f} ({most:.1f}) |")
    print(flush=True)
    return max(median for median, _ in results[count].values())


def live(products, folder, seconds, programs=200, browsers=20):
    desk = Desk(products / "crashsym", folder / "live")
    is_over = threading.Event()
    times, received, problems = [], [0] * browsers, []

    def pushes(part):
        connection = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=60)
        start = time.monotonic() + part / 20
        second = 0
        while not is_over.is_set():
            for number in range(part, programs, 20):
                before = time.perf_counter()
                connection.request("POST", f"/api/live/{number:032x}", push(number, second, 0.4 + 0.5 * ((number + second) % 50 == 0)),
                                   {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                times.append((time.perf_counter() - before) * 1e3)
                if answer.status != 200:
                    problems.append(answer.status)
            second += 1
            is_over.wait(max(0, start + second - time.monotonic()))
        connection.close()

    def listens(browser):
        path = "/live/events" if browser % 2 == 0 else f"/live/{browser:032x}/events"
        connection = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        while not is_over.is_set():
            line = answer.readline()
            if not line and not is_over.is_set():
                problems.append(f"browser {browser} was given up")
            if not line:
                return
            if line.startswith(b"event: parts"):
                received[browser] += 1
        connection.close()

    threads = [threading.Thread(target=pushes, args=(part,)) for part in range(20)]
    for thread in threads:
        thread.start()
    time.sleep(3)
    listeners = [threading.Thread(target=listens, args=(browser,), daemon=True) for browser in range(browsers)]
    for thread in listeners:
        thread.start()
    time.sleep(2)
    times.clear()
    before, mine = desk.processor(), time.process_time()
    heard = list(received)
    time.sleep(seconds)
    used, client = desk.processor() - before, time.process_time() - mine
    texts = [now - then for now, then in zip(received, heard)]
    measured = sorted(times)
    is_over.set()
    for thread in threads:
        thread.join()
    memory = desk.memory()
    desk.end()
    if problems:
        raise RuntimeError(f"live programs: {problems[:3]}")
    print(f"{programs} programs push once a second, and {browsers} browsers listen, half of them to the list, for {seconds} seconds: "
          f"{len(measured) / seconds:.0f} pushes a second, answered in {measured[len(measured) // 2]:.1f} ms "
          f"(p99 {measured[int(len(measured) * 0.99)]:.1f} ms). Each browser got {min(texts) / seconds:.2f} to {max(texts) / seconds:.2f} texts "
          f"a second. The desk used {used / seconds * 100:.0f} % of a processor, the client {client / seconds * 100:.0f} %; "
          f"{memory:.0f} MiB at most.\n", flush=True)
    return used / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", type=pathlib.Path, required=True, help="the folder of crashsym and desk-load")
    parser.add_argument("--diagdemo", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true", help="few reports")
    parser.add_argument("--only", choices=["intake", "pages", "live"], help="one part")
    arguments = parser.parse_args()
    products, quick = arguments.products.resolve(), arguments.quick
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        # For each new file, ext4 looks at the inodes that were freed in the last minutes, such as those of an earlier run.
        # With this attribute, ext4 places each folder below by its name, away from these inodes.
        subprocess.run(["chattr", "+T", folder], stderr=subprocess.DEVNULL)
        folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        if arguments.only in (None, "intake"):
            measured["share of bare inserts"] = take_in(products, arguments.diagdemo.resolve(), folder, 500 if quick else 10_000)
        if arguments.only in (None, "pages"):
            measured["slowest page, of 50 ms"] = read_pages(products, folder, 1_000 if quick else 100_000, 3 if quick else 20) / 50
        if arguments.only in (None, "live"):
            measured["live programs, of a processor"] = live(products, folder, 5 if quick else 60)
    if not quick and arguments.only is None:
        history.append("Desk", measured)


if __name__ == "__main__":
    main()
