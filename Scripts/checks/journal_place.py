"""A place with the socket of systemd's journal, without systemd: a mount namespace in which a check has bound it.

What arrives is read strictly, by the native protocol, and turned into a journal file by systemd-journal-remote.
"""

import array
import fcntl
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import threading

import support

sys.path.insert(0, str(support.ROOT / "Scripts" / "vm"))
import arm64_root  # noqa: E402
import failures  # noqa: E402
import packages  # noqa: E402

SOCKET = pathlib.Path("/run/systemd/journal/socket")
INSIDE = "CRASHKIT_CHECK_JOURNAL_PLACE"
F_GET_SEALS, ALL_SEALS = 1034, 15
TOOLS = support.ROOT / ".build" / "journal-tools"
PACKAGES = ["systemd-journal-remote", "systemd-coredump"]


def enter():
    """Runs this program again where /run is its own. Returns why that cannot be, or None inside."""
    if os.environ.get(INSIDE):
        return None
    command = ["unshare", *([] if os.getuid() == 0 else ["--map-root-user"]), "--mount", "sh", "-ec",
               'mount --make-rprivate / && mount -t tmpfs none /run && exec "$@"', "sh"]
    try:
        tried = subprocess.run([*command, "true"], capture_output=True, text=True)
    except FileNotFoundError:
        return "there is no unshare"
    if tried.returncode:
        return tried.stderr.strip() or "refused"
    os.environ[INSIDE] = "yes"
    os.execvp(command[0], [*command, sys.executable, *sys.argv])


def fetch_tools():
    """Fetches what of systemd is not installed, and installs nothing. Returns why that failed, or None."""
    ready = TOOLS / "ready"
    wanted = " ".join(PACKAGES)
    if ready.exists() and ready.read_text() == wanted:
        return None
    try:
        apt = packages.Apt(TOOLS / "apt", packages.mirror(), arm64_root.host_release(), arm64_root.dpkg_architecture(),
                           "/var/lib/dpkg/status")
        apt.unpack(PACKAGES, TOOLS / "root")
    except failures.Unavailable as error:
        return str(error)
    shutil.rmtree(TOOLS / "apt")
    ready.write_text(wanted)
    return None


class Tools:
    """systemd's own readers."""

    def __init__(self):
        root = TOOLS / "root"
        folders = sorted({file.parent for lib in ("lib", "usr/lib") for file in (root / lib).rglob("lib*.so*")})
        programs = [str(root / "usr/bin"), str(root / "bin"), os.environ["PATH"]]
        self.environment = {**os.environ, "PATH": ":".join(programs), "LC_ALL": "C", "TZ": "UTC", "LD_LIBRARY_PATH": ":".join(map(str, folders))}

    @staticmethod
    def find(name):
        for folder in (TOOLS / "root", pathlib.Path("/")):
            for place in ("usr/bin", "bin", "usr/lib/systemd", "lib/systemd"):
                if (folder / place / name).exists():
                    return folder / place / name
        raise FileNotFoundError(name)

    def run(self, name, *arguments):
        return subprocess.run([self.find(name), *arguments], env=self.environment, capture_output=True, text=True, timeout=60)

    def file(self, records, path):
        """A journal file of records, as the journal would have written them, or of what they are in its export format."""
        export = path.with_suffix(".export")
        export.write_bytes(b"".join(self.export(record, number) for number, record in enumerate(records)))
        path.unlink(missing_ok=True)
        run = self.run("systemd-journal-remote", "-o", str(path), str(export))
        if run.returncode or not path.exists():
            raise RuntimeError(run.stderr)
        return path

    @staticmethod
    def export(record, number):
        """What the journal adds itself goes first."""
        trusted = {"__REALTIME_TIMESTAMP": 1_800_000_000_000_000 + number, "__MONOTONIC_TIMESTAMP": 1 + number,
                   "_BOOT_ID": "0123456789abcdef0123456789abcdef", "_HOSTNAME": "here", "_TRANSPORT": "journal",
                   "_UID": os.getuid()}
        return "".join(f"{name}={value}\n" for name, value in trusted.items()).encode() + record + b"\n"


class Receiver:
    """The journal's socket. Keeps each record, and which of them came as sealed memory."""

    def __init__(self, reads=True):
        SOCKET.parent.mkdir(parents=True, exist_ok=True)
        SOCKET.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(SOCKET))
        SOCKET.chmod(0o666)
        self.records, self.seals, self.thread = [], [], None
        if reads:
            self.thread = threading.Thread(target=self.read, daemon=True)
            self.thread.start()

    def read(self):
        while True:
            size = array.array("i").itemsize
            bytes_, control, flags, _ = self.socket.recvmsg(1 << 20, socket.CMSG_SPACE(size))
            if bytes_ == b"end":
                return
            for _, _, data in control:
                (descriptor,) = struct.unpack("i", data[:size])
                self.seals.append(fcntl.fcntl(descriptor, F_GET_SEALS))
                bytes_ = os.pread(descriptor, 1 << 24, 0)
                os.close(descriptor)
            self.records.append(bytes_)

    def fill(self):
        """Sends what nobody reads, until there is no room."""
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sender.setblocking(False)
        count = 0
        try:
            while True:
                sender.sendto(b"filler", str(SOCKET))
                count += 1
        except BlockingIOError:
            return count

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.thread:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(b"end", str(SOCKET))
            self.thread.join()
        self.socket.close()
        SOCKET.unlink(missing_ok=True)


def fields(record):
    """The fields of a record by name. Raises ValueError for what the protocol does not allow, or a name that comes twice."""
    result, at = {}, 0
    while at < len(record):
        line = record.index(b"\n", at)
        name = record[at:line]
        if b"=" in name:
            name, _, value = name.partition(b"=")
            at = line + 1
        else:
            (size,) = struct.unpack_from("<Q", record, line + 1)
            value = record[line + 9:line + 9 + size]
            at = line + 9 + size + 1
            if len(value) != size or record[at - 1:at] != b"\n":
                raise ValueError(f"the value of {name} does not end where it says")
        text = name.decode("ascii")
        if not text or len(text) > 64 or text[0] in "_0123456789" or not text.replace("_", "A").isalnum() or text != text.upper():
            raise ValueError(f"{text!r} is no name of a field")
        if text in result:
            raise ValueError(f"{text} comes twice")
        result[text] = value.decode()
    return result
