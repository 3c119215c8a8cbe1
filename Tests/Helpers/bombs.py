"""Gives a program a section that claims, or really is, far larger when decompressed: bombs.py PROGRAM OUTPUT KIND."""

import lzma
import os
import struct
import subprocess
import sys
import zlib

GIB = 1 << 30
ZLIB, ZSTD = 1, 2
COMPRESSED = 0x800


def headers(program):
    """The section headers of a 64-bit file: name and place of each."""
    table, = struct.unpack_from("<Q", program, 0x28)
    count, strings = struct.unpack_from("<HH", program, 0x3C)
    names, = struct.unpack_from("<Q", program, table + 64 * strings + 24)
    for header in range(table, table + 64 * count, 64):
        start = names + struct.unpack_from("<I", program, header)[0]
        yield program[start:program.index(0, start)].decode(), header


def replace(program, section, contents, flags):
    header = dict(headers(program))[section]
    flags |= struct.unpack_from("<Q", program, header + 8)[0]
    struct.pack_into("<Q", program, header + 8, flags)
    struct.pack_into("<QQ", program, header + 24, len(program), len(contents))
    program += contents


def compressed(kind, size, stream):
    return struct.pack("<IIQQ", kind, 0, size, 1) + stream


def zeros(compressor, size):
    piece = bytes(1 << 20)
    return b"".join([compressor.compress(piece) for _ in range(size >> 20)] + [compressor.flush()])


def zstd_zeros(size):
    """A frame of blocks that each say: 128 KiB of zeros."""
    count = size >> 17
    blocks = [struct.pack("<I", (i == count - 1) | 1 << 1 | 1 << 20)[:3] + b"\0" for i in range(count)]
    return b"\x28\xb5\x2f\xfd\x00\x38" + b"".join(blocks)


def rows(program, count):
    """The program's line table with so many rows more, each of one byte."""
    header = dict(headers(program))[".debug_line"]
    place, size = struct.unpack_from("<QQ", program, header + 24)
    table = program[place:place + size]
    table[-3:] = b"\x13" * count + table[-3:]
    struct.pack_into("<I", table, 0, len(table) - 4)
    return bytes(table)


def main():
    source, output, kind = sys.argv[1:]
    program = bytearray(open(source, "rb").read())
    if kind == "zlib":
        replace(program, ".debug_info", compressed(ZLIB, GIB // 2, zeros(zlib.compressobj(9), GIB // 2)), COMPRESSED)
    elif kind == "zlib in lines":
        replace(program, ".debug_line", compressed(ZLIB, GIB // 2, zeros(zlib.compressobj(9), GIB // 2)), COMPRESSED)
    elif kind == "zlib's claim":
        replace(program, ".debug_info", compressed(ZLIB, 1 << 60, zeros(zlib.compressobj(), 1 << 20)), COMPRESSED)
    elif kind == "zstd":
        # What is behind the stream makes the file large enough to be that much.
        stream = zstd_zeros(GIB // 2) + os.urandom(GIB // 2 // 1000)
        replace(program, ".debug_info", compressed(ZSTD, GIB // 2, stream), COMPRESSED)
    elif kind == "xz":
        with open(output + ".xz", "wb") as file:
            file.write(zeros(lzma.LZMACompressor(preset=0), GIB // 2))
        subprocess.run(["strip", "-o", output, source], check=True)
        subprocess.run(["objcopy", "--add-section", f".gnu_debugdata={output}.xz", output], check=True)
        return
    elif kind == "rows":
        table = rows(program, 60_000_000)
        replace(program, ".debug_line", compressed(ZLIB, len(table), zlib.compress(table, 1)), COMPRESSED)
    else:
        sys.exit(f"no such kind: {kind}")
    with open(output, "wb") as file:
        file.write(program)


if __name__ == "__main__":
    main()
