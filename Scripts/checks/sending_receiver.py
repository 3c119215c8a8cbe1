"""A server on this machine that takes what crashsym send sends, and answers as a check wants it."""

import http.server
import socket
import ssl
import struct
import subprocess
import threading


def certificate(folder, name, host):
    """A server's key with its certificate, and the certificate alone, which a client trusts."""
    file, alone = folder / f"{name}.pem", folder / f"{name}.crt"
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", file, "-out", alone, "-days", "30",
                           "-subj", "/CN=check", "-addext", f"subjectAltName={host}"], capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(made.stderr)
    with open(file, "a") as all_parts:
        all_parts.write(alone.read_text())
    return file, alone


class Request:
    """What came: path, headers with names in small letters, body, method."""

    def __init__(self, path, headers, body, method="POST"):
        self.path, self.headers, self.body, self.method = path, headers, body, method


class Complaints:
    """Collects in `wrong` what does not hold of a payload."""

    def __init__(self):
        self.wrong = []

    def expect(self, condition, what):
        if not condition:
            self.wrong.append(what)


class Answer:
    """What is answered. `body` may be cut: of `length` bytes that are announced only those of `body` come."""

    def __init__(self, status=200, headers=None, body=b"{}", length=None):
        self.status, self.headers, self.body = status, headers or {}, body
        self.length = len(body) if length is None else length


# Closes the connection without a word; never answers; resets it.
NOTHING, NEVER, RESET = object(), object(), object()


class Receiver:
    """Listens on a port of 127.0.0.1 that is free. `plan` is given each request and its number, and returns an answer."""

    def __init__(self, plan=lambda request, number: Answer(), certificate=None):
        self.plan, self.requests, self.count, self.lock = plan, [], 0, threading.Lock()
        self.arrived, self.released = threading.Condition(self.lock), threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # The body of an answer would wait for the client's delayed acknowledgement of the headers: 40 ms a request.
            disable_nagle_algorithm = True

            def do_POST(self):
                receiver.take(self)

            do_GET = do_HEAD = do_PUT = do_POST

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.address = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def take(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        request = Request(handler.path, {name.lower(): value for name, value in handler.headers.items()}, body,
                          handler.command)
        with self.lock:
            self.requests.append(request)
            self.count += 1
            number = self.count
            self.arrived.notify_all()
        answer = self.plan(request, number)
        handler.close_connection = True
        if answer is NEVER:
            self.released.wait()
        elif answer is RESET:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
        elif answer is not NOTHING:
            handler.close_connection = False
            handler.send_response(answer.status)
            for name, value in answer.headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(answer.length))
            handler.end_headers()
            if handler.command != "HEAD":
                handler.wfile.write(answer.body)
            if answer.length != len(answer.body):
                handler.close_connection = True

    def wait_for(self, count, seconds=60):
        """Whether so many requests came."""
        with self.lock:
            return self.arrived.wait_for(lambda: len(self.requests) >= count, seconds)

    def clear(self):
        with self.lock:
            taken, self.requests = self.requests, []
            return taken

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
