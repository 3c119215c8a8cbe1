"""What a core file's notes say of the signal and the threads: the part of ELF that this needs, in Python's own words."""

import dataclasses
import pathlib
import struct

PT_NOTE = 4
NT_PRSTATUS = 1
NT_SIGINFO = 0x53494749
# The codes of siginfo that carry a sender instead of an address: SI_USER, SI_QUEUE, SI_TKILL.
SENT = (0, -1, -6)


@dataclasses.dataclass(frozen=True)
class CoreSignal:
    number: int
    code: int
    sender: int | None
    address: int | None
    threads: frozenset  # the kernel's ids of those that were alive


def find(folder):
    """The core file that the kernel left in a folder, by either of its default names; None where there is none."""
    found = [path for path in pathlib.Path(folder).iterdir() if path.name == "core" or path.name.startswith("core.")]
    return found[0] if found else None


def signal_of(path):
    """The signal that a core file was made for."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is no 64-bit little-endian ELF file")
    start, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    body, threads = None, set()
    for index in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, start + index * size)
        for note, content in notes(data[offset:offset + length]) if kind == PT_NOTE else ():
            if note == NT_SIGINFO:
                body = content
            elif note == NT_PRSTATUS:
                threads.add(*struct.unpack_from("<i", content, 32))
    if body is None:
        raise ValueError(f"{path} has no NT_SIGINFO")
    number, _, code = struct.unpack_from("<iii", body)
    sender, _ = struct.unpack_from("<iI", body, 16)
    address, = struct.unpack_from("<Q", body, 16)
    sent = code in SENT
    return CoreSignal(number, code, sender if sent else None, None if sent else address, frozenset(threads))


def notes(data):
    at = 0
    while at + 12 <= len(data):
        name, size, kind = struct.unpack_from("<III", data, at)
        body = at + 12 + (name + 3 & ~3)
        yield kind, data[body:body + size]
        at = body + (size + 3 & ~3)
