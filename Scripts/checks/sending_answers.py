"""What crashsym send makes of answers that no server should give: no HTTP, no end, one byte at a time, a bomb, a wrong certificate."""

import gzip
import json
import socket
import subprocess
import threading
import time

from sending_receiver import Receiver

SENT, BAD, LATER = 0, 65, 75
# Far more than what is read of an answer.
LARGE = 64 << 20
DAY = 86_400


class RawServer:
    """Answers the first bytes of each connection with these pieces, and closes it. `pause` lies between two pieces."""

    def __init__(self, pieces, pause=0):
        self.pieces, self.pause, self.ended = pieces, pause, threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while not self.ended.is_set():
            try:
                link, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(link,), daemon=True).start()

    def answer(self, link):
        with link:
            try:
                link.recv(1 << 16)
                for piece in self.pieces():
                    link.sendall(piece)
                    if self.ended.wait(self.pause):
                        return
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.ended.set()
        self.socket.close()


def endless(head, piece):
    yield head
    while True:
        yield piece


def answer(status, *headers, body=b""):
    return b"\r\n".join([f"HTTP/1.1 {status} X".encode(), *headers, b"Connection: close", b"", body])


OK = b"HTTP/1.1 200 OK\r\n"
# The pieces, the pause between them, the status, and how long nothing is sent then, in seconds.
ANSWERS = {
    "no HTTP": (lambda: [b"\x16\x03\x01\x02\x00\r\n\r\n"], 0, LATER, None),
    "a body without an end": (lambda: endless(OK + b"\r\n", b"x" * (1 << 16)), 0, SENT, None),
    "headers without an end": (lambda: endless(OK, b"X-A: " + b"y" * 60_000 + b"\r\n"), 0, LATER, None),
    "100 again and again": (lambda: endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), 0, LATER, None),
    "a body byte by byte": (lambda: endless(OK + b"Content-Length: 1000\r\n\r\n", b"x"), 0.1, LATER, None),
    "headers line by line": (lambda: endless(OK, b"X: y\r\n"), 0.1, LATER, None),
    "a chunk that is cut": (lambda: [OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab"], 0, LATER, None),
    "no chunk": (lambda: [OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"], 0, LATER, None),
    "a bomb": (lambda: [answer(200, b"Content-Encoding: gzip", body=gzip.compress(bytes(LARGE)))], 0, SENT, None),
    "999": (lambda: [answer(999)], 0, LATER, None),
    "Retry-After: -1": (lambda: [answer(503, b"Retry-After: -1")], 0, LATER, 2),
    "Retry-After: nan": (lambda: [answer(429, b"Retry-After: nan")], 0, LATER, 2),
    "Retry-After: 1e300": (lambda: [answer(429, b"Retry-After: 1e300")], 0, LATER, DAY),
    "Retry-After of 26 digits": (lambda: [answer(503, b"Retry-After: " + b"9" * 26)], 0, LATER, DAY),
    "a reason for a terminal": (lambda: [answer(400, body=b"\x1b]0;x\x07\n::error::\xff" + b"z" * 100_000)], 0, BAD, None),
}


def odd(checks, sender, name, pieces, pause, status, seconds):
    with RawServer(pieces, pause) as server:
        begun = time.time()
        run = sender.send(f"webhook:{server.address}/", "--timeout", "1" if pause else "60")
    lines = run.stderr.splitlines()
    shown = len(run.stderr) < 1000 and "\x1b" not in run.stderr
    checks.expect(run.returncode == status and len(lines) == (status != SENT) and shown, f"{name}: status {status}, a line for it",
                  f"{run.returncode} {run.stderr[:300]!r}")
    if seconds:
        until = json.loads(sender.journals()[0].read_text())["pausedUntil"] / 1e6
        checks.expect(begun <= until <= time.time() + seconds, f"{name}: nothing is sent for a while, a day at most", until - begun)


def expired(parent):
    """A server's key with a certificate of its own that is over, and the certificate alone."""
    folder = parent / "expired-authority"
    folder.mkdir()
    (folder / "index").touch()
    (folder / "ca.cnf").write_text(
        f"[ca]\ndefault_ca = x\n[x]\ndatabase = {folder}/index\nnew_certs_dir = {folder}\nrand_serial = yes\ndefault_md = sha256\n"
        "policy = p\nx509_extensions = e\n[p]\ncommonName = supplied\n[e]\nsubjectAltName = IP:127.0.0.1\nbasicConstraints = CA:TRUE\n")
    file, alone = folder / "server.pem", folder / "server.crt"
    for command in (
            ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", file, "-out", folder / "server.csr", "-subj", "/CN=check"],
            ["ca", "-batch", "-selfsign", "-notext", "-config", folder / "ca.cnf", "-keyfile", file, "-in", folder / "server.csr",
             "-out", alone, "-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]):
        made = subprocess.run(["openssl", *command], capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(made.stderr)
    with open(file, "a") as all_parts:
        all_parts.write(alone.read_text())
    return file, alone


def check(checks, crashsym, parent, fresh, report):
    for number, (name, case) in enumerate(ANSWERS.items()):
        odd(checks, fresh(crashsym, parent, f"odd-{number}", [report(0)]), name, *case)
    certificate, alone = expired(parent)
    with Receiver(certificate=certificate) as server:
        run = fresh(crashsym, parent, "expired", [report(0)]).send(f"webhook:{server.address}/", "--ca-file", str(alone))
        checks.expect(run.returncode == LATER and "expired" in run.stderr and not server.clear(), "a certificate that is over is refused",
                      run.stderr)
