"""The Hummingbird sample with 1,000 requests that wait for ever, at five different places, and then crashes.

Builds the server in debug, in release, and in release with the standard library inside. Expects every request among
the report's tasks, 200 at each place, with what it waits for and the line of its handler.
"""

import argparse
import collections
import pathlib
import resource
import socket
import subprocess
import time

import faithful_binaries
import support
from hummingbird import get, request_until_the_end

SOURCES = "Samples/HummingbirdServer/Sources/HummingbirdServer/Waiting.swift"
EACH = 200
# Of each route: what its tasks wait for, and the code that waits.
PLACES = {
    "continuation": ("continuation", "await withCheckedContinuation { continuation in"),
    "sleep": ("sleep", "try await Task.sleep("),
    "stream": ("stream", "for await number in stream"),
    "task": ("task", "await stuck.value"),
    "let": ("asyncLet", "return await answer"),
}
QUIET_LOOKS = 10


def lines_of_place(route, kind):
    """The line of the route's wait, the first one with its code below the route's own line. In an optimised build, any
    line of the handler up to there: the compiler gives the place where a task goes on the handler's first line too."""
    lines = (support.ROOT / SOURCES).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f'"wait/{route}"' in line)
    wait = next(i for i in range(start, len(lines)) if PLACES[route][1] in lines[i])
    return range(wait + 1 if kind == "debug" else start + 1, wait + 2)


def send_requests(port):
    """Sends all requests, each on a connection of its own; returns the connections."""
    connections = []
    for route in PLACES:
        for _ in range(EACH):
            connection = socket.create_connection(("127.0.0.1", port), timeout=20)
            connection.sendall(f"GET /wait/{route} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            connections.append(connection)
    return connections


def is_computing(pid):
    states = set()
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        states.add((thread / "stat").read_text().rsplit(")", 1)[1].split()[0])
    return "R" in states


def wait_until_all_wait(port, pid, limit=60):
    """Until all have begun, and no thread has run at ten looks in a row: a task cannot say that it is suspended."""
    end = time.monotonic() + limit
    while int(get(port, "waiting")) < EACH * len(PLACES):
        if time.monotonic() > end:
            raise TimeoutError("the requests did not begin")
        time.sleep(0.05)
    quiet = 0
    while quiet < QUIET_LOOKS and time.monotonic() < end:
        time.sleep(0.01)
        quiet = 0 if is_computing(pid) else quiet + 1


def crash(program, folder):
    server = subprocess.Popen([program], env=support.environment(folder), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        port = int(server.stdout.readline().rsplit(" ", 1)[1])
        connections = send_requests(port)
        wait_until_all_wait(port, server.pid)
        request_until_the_end(port, "orders/3/total")
        server.wait(timeout=60)
        for connection in connections:
            connection.close()
    finally:
        if server.poll() is None:
            server.kill()
        server.wait()
    return support.reports_in(folder)


def frames_of(tasks):
    """The frames of each task: its own, or those of the task that stands for it."""
    own = {task["id"]: task.get("frames", []) for task in tasks}
    return [(task, own.get(task.get("framesOf"), task.get("frames", []))) for task in tasks]


def judge(checks, kind, report):
    tasks = report.get("tasks", [])
    search = report["capture"]["tasks"]
    print(f"        {kind}: {search.get('count')} tasks in {1000 * search.get('time', 0):.0f} ms, "
          f"{search.get('searchedBytes', 0) >> 20} MiB searched")
    checks.expect(report.get("omittedTasks") == 0 and "isCut" not in search, f"{kind}: all tasks are listed",
                  f"{report.get('omittedTasks')} are not; {search}")
    found = collections.Counter()
    for task, frames in frames_of(tasks):
        lines = [frame["sourceLocation"]["line"] for frame in frames
                 if frame.get("sourceLocation", {}).get("file", "").endswith(SOURCES)]
        if lines:
            found[task.get("awaits", {}).get("kind"), lines[0]] += 1
    for route, (awaited, _) in PLACES.items():
        lines = lines_of_place(route, kind)
        count = sum(found[awaited, line] for line in lines)
        checks.expect(count == EACH, f"{kind}: {EACH} requests wait in Waiting.swift:{lines[-1]} ({awaited})",
                      f"{count} of {dict(found)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", choices=["debug", "release", "static"], action="append", help="this build alone")
    given, checks = parser.parse_args(), support.Checks()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))
    crashsym = support.swift_build("--product", "crashsym") / "crashsym"
    for kind in given.build or ["debug", "release", "static"]:
        program = faithful_binaries.server(kind)
        with support.temporary_folder() as folder:
            reports = crash(program, folder)
            checks.expect(len(reports) == 1, f"{kind}: one report", f"{len(reports)}")
            if reports:
                judge(checks, kind, support.symbolicate(crashsym, reports[0]))
    checks.end()


if __name__ == "__main__":
    main()
