"""crashsym symbols serve: gdb, debuginfod-find and crashsym itself read from it, and what else asks gets nothing that it should not."""

import argparse
import hashlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import support

SOURCE = """#include <stdio.h>
__attribute__((noinline)) int price_of(int number) {
  return number * 3;
}
int main(int count, char **arguments) { return price_of(count) == 3 ? 0 : puts(arguments[0]); }
"""
# Far longer than anything here takes.
PATIENCE = 120


class Server:
    """crashsym symbols serve over a folder."""

    def __init__(self, crashsym, folder, *options):
        self.process = subprocess.Popen([crashsym, "symbols", "serve", "--listen", "127.0.0.1:0", *options, folder],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=support.environment())
        self.address = self.process.stdout.readline().strip().rpartition(" ")[2]
        self.port = int(self.address.rpartition(":")[2])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, path, method="GET", headers={}, body=None):
        connection = self.connect()
        connection.request(method, path, headers=headers, body=body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def raw(self, text):
        """What comes of these bytes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as link:
            link.sendall(text)
            link.shutdown(socket.SHUT_WR)
            parts = []
            while piece := link.recv(65536):
                parts.append(piece)
            return b"".join(parts)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.end()


def until(condition):
    """Waits for what another process does; there is no event for it here."""
    limit = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


def made(crashsym, parent):
    """A stripped program, its build ID, the address of a function, and a store with its debug file and itself."""
    (parent / "shop.c").write_text(SOURCE)
    program, store = parent / "shop", parent / "store"
    subprocess.run(["cc", "-g", "-O1", "-Wl,--build-id", "-o", program, "shop.c"], cwd=parent, check=True)
    names = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    address = next(line.split()[0] for line in names.splitlines() if line.endswith(" price_of"))
    subprocess.run([crashsym, "symbols", "add", "--strip", "--to", store, program], check=True, stdout=subprocess.DEVNULL)
    (file,) = (store / ".build-id").glob("*/*.debug")
    shutil.copy(program, file.with_suffix(""))
    return program, file.parent.name + file.stem, address, store


def client_environment(parent, name, server):
    """Those of libdebuginfod, with a cache of their own."""
    home = parent / f"home-{name}"
    home.mkdir()
    return support.environment(HOME=str(home), DEBUGINFOD_URLS=server.address, DEBUGINFOD_CACHE_PATH=str(home / "cache"),
                               XDG_CACHE_HOME=None, CRASHSYM_SYMBOLS=None, DEBUGINFOD_PROGRESS=None)


def section_of(file, name):
    """The bytes of a section, by readelf."""
    table = subprocess.run(["readelf", "-SW", file], capture_output=True, text=True, check=True).stdout
    offset, size = re.search(rf"\] {re.escape(name)} +\w+ +\w+ (\w+) (\w+)", table).groups()
    return file.read_bytes()[int(offset, 16):int(offset, 16) + int(size, 16)]


def readers(checks, crashsym, parent, server, program, build_id, address):
    away = parent / "away"
    away.mkdir()
    alone = shutil.copy(program, away / "shop")
    if shutil.which("debuginfod-find"):
        for kind, file in (("debuginfo", f"{build_id[2:]}.debug"), ("executable", build_id[2:])):
            run = subprocess.run(["debuginfod-find", kind, build_id], capture_output=True, text=True,
                                 env=client_environment(parent, kind, server))
            path = parent / "store" / ".build-id" / build_id[:2] / file
            same = run.returncode == 0 and pathlib.Path(run.stdout.strip()).read_bytes() == path.read_bytes()
            checks.expect(same, f"debuginfod-find finds the {kind}", run.stderr)
        for section, file in ((".debug_info", f"{build_id[2:]}.debug"), (".text", build_id[2:])):
            run = subprocess.run(["debuginfod-find", "section", build_id, section], capture_output=True, text=True,
                                 env=client_environment(parent, f"section{section}", server))
            wanted = section_of(parent / "store" / ".build-id" / build_id[:2] / file, section)
            same = run.returncode == 0 and pathlib.Path(run.stdout.strip()).read_bytes() == wanted != b""
            checks.expect(same, f"debuginfod-find finds the section {section}", run.stderr)
        run = subprocess.run(["debuginfod-find", "source", build_id, str(parent / "shop.c")], capture_output=True, text=True,
                             env=client_environment(parent, "source", server))
        checks.expect(run.returncode != 0, "and no source files")
    else:
        checks.skip("debuginfod-find", "not installed")
    # Neither may find the source beside the program: what they know is the server's.
    for name, tool, command in (
            ("gdb", "gdb", ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled on", "-ex", "info line price_of", alone]),
            ("crashsym", str(crashsym), [crashsym, "lookup", "--no-cache", alone, f"0x{address}"])):
        if not shutil.which(tool):
            checks.skip(name, "not installed")
            continue
        without = subprocess.run(command, capture_output=True, text=True, cwd=away, timeout=PATIENCE,
                                 env={**client_environment(parent, f"{name}-without", server), "DEBUGINFOD_URLS": ""})
        run = subprocess.run(command, capture_output=True, text=True, cwd=away, timeout=PATIENCE,
                             env=client_environment(parent, name, server))
        text = run.stdout + run.stderr
        checks.expect("shop.c" in text and "shop.c" not in without.stdout, f"{name} reads lines from it", text[-500:])


def answers(checks, server, store, build_id):
    file = store / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    path = f"/buildid/{build_id}/debuginfo"
    answer, content = server.ask(path)
    size = str(file.stat().st_size)
    checks.expect(answer.status == 200 and content == file.read_bytes() and answer.headers["X-DEBUGINFOD-SIZE"] == size
                  and answer.headers["X-DEBUGINFOD-FILE"] == str(file.relative_to(store))
                  and answer.headers["Last-Modified"].endswith(" GMT"), "GET", answer.headers)
    tag = answer.headers["ETag"]
    answer, content = server.ask(path, "HEAD")
    checks.expect(answer.status == 200 and not content and answer.headers["Content-Length"] == size and answer.headers["ETag"] == tag,
                  "HEAD", answer.headers)
    answer, content = server.ask(path, headers={"If-None-Match": tag})
    checks.expect(answer.status == 304 and not content, "304 for what is known", answer.status)
    os.utime(file, ns=(1, 10**18))
    answer, _ = server.ask(path, headers={"If-None-Match": tag})
    checks.expect(answer.status == 200 and answer.headers["ETag"] != tag, "200 for what changed", answer.status)
    answer, content = server.ask(f"/buildid/{build_id.upper()}/debuginfo?x=1")
    checks.expect(answer.status == 200, "capital digits and a query", answer.status)
    connection = server.connect()
    statuses = []
    for one in (path, "/buildid/00ff/debuginfo", path):
        connection.request("GET", one)
        answer = connection.getresponse()
        statuses.append((answer.status, len(answer.read())))
    connection.close()
    checks.expect(statuses == [(200, int(size)), (404, 0), (200, int(size))], "three requests on one connection", statuses)
    lines = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    got = server.raw(lines * 2 + lines.replace(b"1.1\r\n", b"1.1\r\nConnection: close\r\n"))
    checks.expect(got.count(b"HTTP/1.1 200") == 3 and len(got) > 3 * int(size), "three at once", len(got))
    old = server.raw(f"GET {path} HTTP/1.0\r\n\r\n".encode())
    checks.expect(old.endswith(file.read_bytes()), "HTTP/1.0", old[:200])


def hostile(checks, server, store, build_id):
    shelf = store / ".build-id" / "ab"
    shelf.mkdir()
    secret = store.parent / "secret"
    secret.write_text("secret of another folder")
    (shelf / "cdef.debug").symlink_to(secret)
    (store / ".build-id" / "ac").symlink_to(store.parent)
    (store.parent / "cdef.debug").write_text("secret of another folder")
    os.mkfifo(shelf / "cdff.debug")
    (shelf / "cd00.debug").mkdir()
    paths = ["/", "", "*", "/buildid/abcdef/debuginfo", "/buildid/accdef/debuginfo", "/buildid/abcdff/debuginfo", "/buildid/abcd00/debuginfo",
             "/buildid/../../secret/debuginfo", "/buildid/%2e%2e/debuginfo", "/buildid/ab%2f..%2f..%2fsecret/debuginfo",
             "/buildid/ab/../../../secret/debuginfo", "//etc/passwd", "/buildid//debuginfo", "/buildid/ab/debuginfo",
             "/buildid/abc/debuginfo", f"/buildid/{'ab' * 500}/debuginfo", f"/buildid/{build_id}/source/etc/passwd",
             f"/buildid/{build_id}/debuginfo/", f"/buildid/{build_id}", f"/buildid/{build_id}/section", "/metrics",
             "http://other/buildid/abcdef/debuginfo", "/buildid/\u00e4\u00e4/debuginfo"]
    for path in paths:
        got = server.raw(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        checks.expect(got[9:12] in (b"404", b"400", b"") and b"secret of" not in got and b"root:" not in got, f"{path[:60]!r} is not served",
                      got[:200])
    for method in ("GET", "HEAD"):
        answer, content = server.ask(f"/buildid/{build_id}/section/.text", method)
        checks.expect(answer.status == 503 and not content, f"{method} of a section: 503", answer.status)
    for method in ("PUT", "POST", "DELETE", "TRACE"):
        answer, _ = server.ask(f"/buildid/{build_id}/debuginfo", method, body=b"x" * 100_000 if method != "TRACE" else None)
        checks.expect(answer.status == 405 and answer.headers["Allow"] == "GET, HEAD", f"{method} is refused", answer.status)
    for name, text in (("no request", b"\x16\x03\x01\x02\x00\x01"), ("a header without an end", b"GET / HTTP/1.1\r\nX: " + b"y" * 300_000),
                       ("two lengths", b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n")):
        try:
            got = server.raw(text)
        except OSError:
            got = b""
        checks.expect(got[:12] in (b"HTTP/1.1 400", b"HTTP/1.0 400", b"HTTP/1.1 431", b""), f"{name} is refused", got[:100])
    answer, _ = server.ask(f"/buildid/{build_id}/debuginfo", "HEAD")
    checks.expect(answer.status == 200, "and the server goes on")


def large(checks, server, store):
    """More than the kernel takes at once, to a client that is slow to read."""
    content = os.urandom(1 << 20) * 24
    shelf = store / ".build-id" / "ff"
    shelf.mkdir()
    (shelf / "0011.debug").write_bytes(content)
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as link:
        link.sendall(b"GET /buildid/ff0011/debuginfo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer, _ = server.ask("/buildid/ff0011/debuginfo", "HEAD")
        checks.expect(answer.status == 200, "one that does not read holds up no other")
        got = bytearray()
        while piece := link.recv(1 << 16):
            got += piece
    checks.expect(hashlib.sha256(got[-len(content):]).digest() == hashlib.sha256(content).digest(), "a large file arrives whole", len(got))
    before = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as link:
            link.sendall(b"GET /buildid/ff0011/debuginfo HTTP/1.1\r\nHost: x\r\n\r\n")
            link.recv(100)
    descriptors = lambda: len(os.listdir(f"/proc/{server.process.pid}/fd"))
    checks.expect(until(lambda: descriptors() <= before), "transfers that are broken off leave nothing open",
                  f"{before} {descriptors()}")


def bounded(checks, crashsym, store, build_id):
    with Server(crashsym, store, "--connections", "4") as server:
        links = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(4)]
        line = f"HEAD /buildid/{build_id}/debuginfo HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        answers = []
        for link in links:  # one after the other: they wait for different times
            link.sendall(line)
            answers.append(link.recv(1000))
        checks.expect(all(answer.startswith(b"HTTP/1.1 200") for answer in answers), "four of four connections are served")
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as fifth:
            fifth.sendall(line)
            checks.expect(fifth.recv(100).startswith(b"HTTP/1.1 200"), "the fifth is served")
            checks.expect(is_closed(links[0]), "for it the one that asked for nothing longest is closed")
            links[1].sendall(line)
            checks.expect(links[1].recv(100).startswith(b"HTTP/1.1 200"), "and no other")
        for link in links:
            link.close()


def is_closed(link):
    try:
        return link.recv(1) == b""
    except ConnectionError:
        return True


def stalled(checks, crashsym, store, build_id):
    """Clients that ask for a large file and read nothing of it: others are served all the same."""
    def is_served():
        try:
            return server.ask(f"/buildid/{build_id}/debuginfo", "HEAD")[0].status == 200
        except (ConnectionError, http.client.HTTPException):
            return False
    with Server(crashsym, store, "--connections", "4") as server:
        other = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE, source_address=("127.0.0.3", 0))
        links = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(3)]
        for link in links:
            link.sendall(b"GET /buildid/ff0011/debuginfo HTTP/1.1\r\nHost: x\r\n\r\n")
            link.recv(100)
        begun = time.monotonic()
        checks.expect(until(is_served) and time.monotonic() - begun < 30, "clients that read nothing keep no other one out",
                      f"{time.monotonic() - begun:.0f} s")
        flood = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(8)]
        other.sendall(f"HEAD /buildid/{build_id}/debuginfo HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        checks.expect(other.recv(100).startswith(b"HTTP/1.1 200"), "a client with many connections closes its own")
        for link in (*links, *flood, other):
            link.close()


def ends(checks, crashsym, store, server):
    try:
        socket.create_connection(("127.0.0.2", server.port), timeout=PATIENCE).close()
        reached = True
    except OSError:
        reached = False
    checks.expect(not reached, "it listens at the one address that was named")
    run = subprocess.run([crashsym, "symbols", "serve", "--listen", f"127.0.0.1:{server.port}", store], capture_output=True, text=True)
    checks.expect(run.returncode == 74 and len(run.stderr.splitlines()) == 1, "an address that is taken: one line, 74", run.stderr)
    for words, status in ((["/does/not/exist"], 66), (["--listen", "8002", store], 64), (["--listen", "::1:1", store], 64),
                          (["--connections", "0", store], 64)):
        run = subprocess.run([crashsym, "symbols", "serve", *words], capture_output=True, text=True)
        checks.expect(run.returncode == status, f"{' '.join(map(str, words))[:40]}: {status}", run.stderr)
    checks.expect(server.end() == 0, "SIGTERM ends it, with 0")


def begin(description):
    """Reads the options that the checks of symbols have; the command, and the checks to come."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    options = parser.parse_args()
    support.hear_all_signals()
    return options.products.resolve() / "crashsym", support.Checks()


def main():
    crashsym, checks = begin(__doc__.split("\n")[0])
    with support.temporary_folder() as name:
        parent = pathlib.Path(name)
        program, build_id, address, store = made(crashsym, parent)
        with Server(crashsym, store) as server:
            readers(checks, crashsym, parent, server, program, build_id, address)
            answers(checks, server, store, build_id)
            hostile(checks, server, store, build_id)
            large(checks, server, store)
            bounded(checks, crashsym, store, build_id)
            stalled(checks, crashsym, store, build_id)
            ends(checks, crashsym, store, server)
    checks.end()


if __name__ == "__main__":
    main()
