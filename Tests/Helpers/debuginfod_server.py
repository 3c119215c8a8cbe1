"""A debuginfod server on loopback, a real one or one that misbehaves. Prints its port, and ends with its standard input.

Usage: debuginfod_server.py real FOLDER BUILD-ID    the real server, once it has the build ID's debug information
       debuginfod_server.py file FILE               answers every request with the file
       debuginfod_server.py missing                 answers every request with 404
       debuginfod_server.py never                   takes connections and never answers
       debuginfod_server.py drip                    begins a long answer and goes on too slowly
       debuginfod_server.py huge                    the same, of a file that no disk holds
       debuginfod_server.py refused                 nobody listens on the port
"""
import http.server
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

DEADLINE = time.monotonic() + 60


class Handler(http.server.BaseHTTPRequestHandler):
    mode, content = "missing", b""

    def do_GET(self):
        if self.mode == "missing":
            return self.send_error(404)
        self.send_response(200)
        if self.mode in ("drip", "huge"):
            self.send_header("Content-Length", str(1 << (30 if self.mode == "drip" else 44)))
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x")
                    time.sleep(0.05)
            except OSError:
                return None
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content)
        return None

    def log_message(self, *_):
        pass


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def is_served(port, build_id):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/buildid/{build_id}/debuginfo", timeout=10) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def real(folder, build_id):
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        server = subprocess.Popen(
            ["debuginfod", "-p", str(port), "-d", ":memory:", "-F", "-t", "1", folder],
            env={**os.environ, "HOME": home, "DEBUGINFOD_URLS": ""},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not is_served(port, build_id):
                if time.monotonic() > DEADLINE or server.poll() is not None:
                    sys.exit("debuginfod does not serve the file")
                time.sleep(0.1)
            print(port, flush=True)
            sys.stdin.read()
        finally:
            server.kill()
            server.wait()


def main():
    mode, arguments = sys.argv[1], sys.argv[2:]
    if mode == "real":
        return real(*arguments)
    if mode == "refused":
        port = free_port()
    elif mode == "never":
        server = socket.create_server(("127.0.0.1", 0))
        port = server.getsockname()[1]
    else:
        Handler.mode = mode
        if mode == "file":
            with open(arguments[0], "rb") as file:
                Handler.content = file.read()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(port, flush=True)
    sys.stdin.read()
    return None


if __name__ == "__main__":
    main()
