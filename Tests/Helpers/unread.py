"""Runs a command with a standard error that nobody reads, and prints as JSON how it ended and what was there to be read.

Usage: unread.py pipe|closed|socket|terminal COMMAND...

A command that prints the line "read" has its standard error emptied, and gets an empty line when that is done.
"""
import fcntl
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import termios
import threading
import time

LIMIT = 30
FILLER = b"."


def fill(end):
    """Writes until there is no room. O_NONBLOCK is off again before the command starts."""
    os.set_blocking(end, False)
    count = 0
    try:
        while True:
            count += os.write(end, FILLER * 512)
    except BlockingIOError:
        pass
    try:
        while True:
            count += os.write(end, FILLER)
    except BlockingIOError:
        pass
    os.set_blocking(end, True)
    return count


def open_unread(kind):
    """The end that is read, the one that is written to, and how much lies between."""
    if kind == "terminal":
        reader, writer = pty.openpty()
        termios.tcflow(writer, termios.TCOOFF)
        return reader, writer, 0
    if kind == "socket":
        ends = socket.socketpair()
        reader, writer = (end.detach() for end in ends)
        return reader, writer, fill(writer)
    reader, writer = os.pipe()
    if kind == "closed":
        os.close(reader)
        return -1, writer, 0
    return reader, writer, fill(writer)


def drain(reader):
    if reader < 0:
        return b""
    os.set_blocking(reader, False)
    text = b""
    try:
        while part := os.read(reader, 65536):
            text += part
    except BlockingIOError:
        pass
    return text


def main():
    kind, command = sys.argv[1], sys.argv[2:]
    reader, writer, filled = open_unread(kind)
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=writer, start_new_session=True)
    limit = threading.Timer(LIMIT, lambda: os.killpg(process.pid, signal.SIGKILL))
    limit.start()
    read = b""
    output = []
    for line in process.stdout:
        output.append(line.decode().rstrip())
        if output[-1] == "read":
            if kind == "terminal":
                termios.tcflow(writer, termios.TCOON)
            read += drain(reader)
            process.stdin.write(b"\n")
            process.stdin.flush()
    status = process.wait()
    seconds = time.monotonic() - start
    limit.cancel()
    if kind == "terminal":
        termios.tcflow(writer, termios.TCOON)
    kept = fcntl.fcntl(writer, fcntl.F_GETFL) == flags
    read += drain(reader)
    print(json.dumps({
        "status": status, "seconds": seconds, "keepsFlags": kept, "output": output,
        "errors": read[filled:].decode(errors="replace"),
    }))


main()
