"""The Hummingbird sample under load, hit on its crashing route.

Expects one valid report in which the route handler's file and line are right, every thread that /proc/self/task held
is listed, and at least 99 of 100 threads over all runs have a stack down to the thread's entry. The crashed thread's
part of the text report is compared, normalised, with the sample's expected.txt; --update writes that anew.

Then one request of 200 in flight unwraps nil. Text, HTML, Markdown and JUnit have to name its function, file, line, id
and trace. That report is sent on: Sentry's reader, OpenTelemetry's messages and coredumpctl have to read the same of it.

Then the server crashes under the SWIFT_BACKTRACE of the usual Dockerfiles. It has to end as soon as without.
"""

import argparse
import http.client
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import threading
import time

import hummingbird_sent
import support
from normalise import normalise

PACKAGE = support.ROOT / "Samples" / "HummingbirdServer"
ROUTER = "Samples/HummingbirdServer/Sources/HummingbirdServer/Router.swift"
ORDERS = "Samples/HummingbirdServer/Sources/HummingbirdServer/OrderBook.swift"
LOAD = ["primes/2000", "sleep/2", "block/2"]
REQUESTS_BEFORE_THE_CRASH = 200
REQUESTS_IN_FLIGHT = 200
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
FORMATS = ["text", "html", "markdown", "junit"]
# As the Dockerfiles of Vapor's and Hummingbird's templates have it, the helper beside the program.
HELPER = "swift-backtrace-static"
TEMPLATE = f"enable=yes,sanitize=yes,threads=all,images=all,interactive=no,swift-backtrace=./{HELPER}"
PRINTED = "*** Program crashed"
TURNS = 5
LATER_AT_MOST = 0.2


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", "/" + path)
        return connection.getresponse().read()
    finally:
        connection.close()


def request_until_the_end(port, path):
    try:
        get(port, path)
    except (OSError, http.client.HTTPException):
        pass  # The server died under the request, as it should.


def crash_on_route(port):
    request_until_the_end(port, "orders/3/total")


def send(port, path, trace, span=SPAN):
    """Sends a request that is part of a trace; returns its connection."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    head = f"GET /{path} HTTP/1.1\r\nHost: localhost\r\ntraceparent: 00-{trace}-{span}-01\r\n\r\n"
    connection.sendall(head.encode())
    return connection


def crash_among_many(port):
    """Sends requests that wait, each with a trace of its own, and among them the one that crashes."""
    connections = [send(port, "wait/sleep", f"{number:032x}") for number in range(1, REQUESTS_IN_FLIGHT)]
    end = time.monotonic() + 60
    while int(get(port, "waiting")) < len(connections):
        if time.monotonic() > end:
            raise TimeoutError("the requests did not begin")
        time.sleep(0.05)
    connections.append(send(port, "orders/3/customer?access_token=geheim", TRACE))
    try:
        connections[-1].recv(1)
    except OSError:
        pass  # The server died under the request, as it should.
    for connection in connections:
        connection.close()


def crash_under_load(program, directory, crash_by=crash_on_route):
    """Starts the server and the load, and asks for the crash. Returns the thread ids just before, and the status."""
    server = subprocess.Popen(
        [program], env=support.environment(directory), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    load = []
    try:
        port = int(server.stdout.readline().rsplit(" ", 1)[1])
        url = f"http://127.0.0.1:{port}/"
        load = [
            subprocess.Popen(["wrk", "-t1", "-c8", "-d60s", url + path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
            for path in LOAD
        ]
        # Requests of our own among wrk's: once these came back, the load is on and every kind of thread exists.
        for number in range(REQUESTS_BEFORE_THE_CRASH):
            get(port, LOAD[number % len(LOAD)])
        crash = threading.Thread(target=crash_by, args=(port,))
        tasks = {int(name) for name in os.listdir(f"/proc/{server.pid}/task")}
        crash.start()
        status = server.wait(timeout=60)
        crash.join()
        return tasks, status
    finally:
        for process in load + [server]:
            if process.poll() is None:
                process.kill()
            process.wait()


def judge(checks, run, path, crashsym, tasks):
    """Checks one report; returns how many threads it should hold and how many of those have whole stacks."""
    report = support.symbolicate(crashsym, path)
    threads = report["threads"]
    complaints = support.validate(path)
    checks.expect(not complaints, f"run {run}: valid by the schema", "; ".join(complaints[:3]))
    checks.expect(threads[0].get("crashed") is True, f"run {run}: the crashed thread comes first")
    # An optimised program traps without a word: that an index was out of range stands in its debug information.
    checks.expect(report.get("cause") == "Index out of range", f"run {run}: the cause", report.get("cause"))

    places = [(f["sourceLocation"]["file"], f["sourceLocation"]["line"])
              for f in threads[0]["frames"] if "sourceLocation" in f]
    for file, text in [(ORDERS, "    prices[item]"), (ROUTER, "OrderBook.shared.total(ofOrder: id)")]:
        wanted = (str(support.ROOT / file), support.line_of(file, text))
        checks.expect(wanted in places, f"run {run}: {os.path.basename(file)}:{wanted[1]} is on the crashed stack",
                      f"it holds {[(os.path.basename(f), l) for f, l in places]}")

    ids = {thread["id"] for thread in threads}
    checks.expect(len(tasks) >= 8, f"run {run}: {len(tasks)} threads served")
    missing = tasks - ids
    checks.expect(not missing, f"run {run}: every thread of /proc/self/task is listed", f"missing {missing}")
    whole = [t["id"] for t in threads if t.get("stackEnd") == "entry"]
    for thread in threads:
        if thread.get("stackEnd") != "entry":
            print(f"        {thread.get('name')}: {thread.get('capturedBy')}, {thread.get('stackEnd')}")
    return len(tasks | ids), len(whole)


def compare_text(checks, run, path, crashsym, update):
    text = subprocess.run([crashsym, path], check=True, capture_output=True, text=True).stdout
    given = normalise(text, crashed_only=True)
    checks.expect_kept(
        PACKAGE / "expected.txt", given, f"run {run}: the crashed thread's report is the expected one", update)


def names_the_request(checks, program, crashsym):
    """One request of many unwraps nil: every format names its function, file, line, id and trace."""
    with support.temporary_folder() as directory:
        crash_under_load(program, directory, crash_among_many)
        reports = support.reports_in(directory)
        if not checks.expect(len(reports) == 1, "one request of many: one report", f"{len(reports)}"):
            return
        report = support.symbolicate(crashsym, reports[0])
        complaints = support.validate(reports[0])
        checks.expect(not complaints, "one request of many: valid by the schema", "; ".join(complaints[:3]))
        context = report.get("context", {})
        request = context.get("attributes", {}).get("request.id")
        checks.expect(context == {
            "name": "GET /orders/3/customer", "trace": {"traceId": TRACE, "spanId": SPAN},
            "attributes": {"http.route": "/orders/{id}/customer", "request.id": request},
        } and request, "one request of many: the report is about it", str(context))
        contexts = [task.get("context", {}) for task in report["tasks"]]
        others = [other for other in contexts if other.get("name") == "GET /wait/sleep"]
        ids = {other["attributes"]["request.id"] for other in others}
        traces = {other["trace"]["traceId"] for other in others}
        count = REQUESTS_IN_FLIGHT - 1
        checks.expect(len(others) == len(ids - {request}) == len(traces - {TRACE}) == count,
                      f"one request of many: {count} others are told apart", f"{len(others)}, {len(ids)}, {len(traces)}")
        line = support.line_of(ORDERS, "    customers[id]!")
        wanted = ["OrderBook.customer(ofOrder:)", f"OrderBook.swift:{line}", str(request), TRACE]
        for form in FORMATS:
            shown = subprocess.run([crashsym, "--format", form, reports[0]], check=True, capture_output=True, text=True)
            missing = [word for word in wanted if word not in shown.stdout]
            checks.expect(not missing, f"one request of many: {form} names it", f"it lacks {missing}")
            checks.expect("geheim" not in shown.stdout, f"one request of many: {form} has nothing of the query")
            if form == "text":
                second = shown.stdout.splitlines()[1]
                checks.expect(second.startswith("in GET /orders/3/customer "),
                              "one request of many: the second line of the text names it", second)
        hummingbird_sent.check(checks, crashsym, directory, report, (wanted[0], str(support.ROOT / ORDERS), line))


def crash_at_rest(program, folder, **variables):
    """The seconds from the crashing request to the server's end, its status, and what it said."""
    with open(folder / "stderr", "w+b") as errors, support.temporary_folder() as reports:
        server = subprocess.Popen([program], env=support.environment(reports, **variables), cwd=folder,
                                  stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            port = int(server.stdout.readline().rsplit(" ", 1)[1])
            for path in LOAD:
                get(port, path)
            start = time.monotonic()
            request_until_the_end(port, "orders/3/total")
            status = server.wait(timeout=60)
            taken = time.monotonic() - start
        finally:
            if server.poll() is None:
                server.kill()
            server.wait()
        errors.seek(0)
        found = len(support.reports_in(reports))
        return taken, (status, found), errors.read().decode(errors="replace")


def ends_as_soon(checks, program):
    """Compares the times under the templates' variable with those without it, in turns."""
    name = "under the templates' SWIFT_BACKTRACE"
    helper = pathlib.Path(shutil.which("swift")).resolve().parents[1] / "libexec/swift/linux" / HELPER
    if not helper.exists():
        return checks.skip(name, f"{helper} is missing")
    with support.temporary_folder() as name_of_folder:
        folder = pathlib.Path(name_of_folder)
        (folder / HELPER).symlink_to(helper)
        without, under = [], []
        for _ in range(TURNS):
            without.append(crash_at_rest(program, folder))
            under.append(crash_at_rest(program, folder, SWIFT_BACKTRACE=TEMPLATE))
        ends = {end for _, end, _ in without + under}
        checks.expect(ends == {(-4, 1)}, f"{name}: died by SIGILL with one report", str(ends))
        chained = [said for _, _, said in under if PRINTED in said]
        checks.expect(not chained, f"{name}: the runtime's backtracer stays away", chained[:1])
        later = statistics.median(t for t, _, _ in under) - statistics.median(t for t, _, _ in without)
        checks.expect(later < LATER_AT_MOST, f"{name}: it ends as soon as without", f"{later:.3f} s later")
        # The variable is one that has an effect.
        _, end, said = crash_at_rest(program, folder, SWIFT_BACKTRACE=TEMPLATE, CRASHKIT_OPTIONS="chain=yes")
        checks.expect(end == (-4, 1) and PRINTED in said, f"{name}: chain=yes runs it", f"{end} {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--server", help="a server that is already built")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()

    crashsym = support.swift_build("--product", "crashsym") / "crashsym"
    program = arguments.server or support.swift_build(package=PACKAGE, configuration="release") / "HummingbirdServer"
    checks, expected, whole = support.Checks(), 0, 0
    for run in range(1, arguments.runs + 1):
        with support.temporary_folder() as directory:
            tasks, status = crash_under_load(program, directory)
            checks.expect(status == -4, f"run {run}: died by SIGILL", f"status {status}")
            reports = support.reports_in(directory)
            if checks.expect(len(reports) == 1, f"run {run}: one report", f"{len(reports)}"):
                counts = judge(checks, run, reports[0], crashsym, tasks)
                compare_text(checks, run, reports[0], crashsym, arguments.update and run == 1)
                expected, whole = expected + counts[0], whole + counts[1]
    names_the_request(checks, program, crashsym)
    ends_as_soon(checks, str(pathlib.Path(program).resolve()))
    checks.expect(expected and whole >= 0.99 * expected, f"{whole} of {expected} threads have a stack to their entry")
    checks.end()


if __name__ == "__main__":
    main()
