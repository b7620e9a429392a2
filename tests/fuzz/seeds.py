#!/usr/bin/env python3
"""Files of seeds, tests/fuzz/corpus/TARGET.seeds: each seed is a line "seed NAME" and its bytes in quoted lines, which are joined. In
quotes, bytes that are no printable ASCII are \\n, \\r, \\t or \\xHH, and \\" and \\\\ are the two characters.

    seeds.py unpack FILE FOLDER     writes each seed as FOLDER/NAME; other files there are removed
    seeds.py pack FILE FOLDER       writes FILE from the files of FOLDER: unpack, add or change a seed, pack
"""
import os
import re
import sys

WIDTH = 120
ESCAPES = {b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b'"': b'\\"', b"\\": b"\\\\"}
BYTES = {escape: byte for byte, escape in ESCAPES.items()}


def quoted(content):
    """Lines of at most WIDTH characters; each line of a text begins one."""
    line = b""
    for byte in (bytes([b]) for b in content):
        line += ESCAPES.get(byte) or (byte if b" " <= byte <= b"~" else b"\\x%02x" % byte[0])
        if byte == b"\n" or len(line) > WIDTH - 6:
            yield b'"' + line + b'"\n'
            line = b""
    if line:
        yield b'"' + line + b'"\n'


def unquoted(line):
    return re.sub(rb"\\(?:x([0-9a-f]{2})|.)", lambda e: BYTES.get(e[0]) or bytes.fromhex(e[1].decode()), line)


def read(path):
    seeds = {}
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.startswith(b"seed "):
                name = line[5:-1].decode()
                if name in seeds:
                    sys.exit(f"{path}:{number}: a second seed of the name {name}")
                seeds[name] = content = bytearray()
            elif line.startswith(b'"') and line.endswith(b'"\n') and seeds:
                content += unquoted(line[1:-2])
            else:
                sys.exit(f'{path}:{number}: expected "seed NAME" or a quoted line')
    return seeds


def unpack(path, folder):
    seeds = read(path)
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for name, content in seeds.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def pack(path, folder):
    with open(path, "wb") as file:
        for name in sorted(os.listdir(folder)):
            file.write(b"seed " + name.encode() + b"\n")
            with open(os.path.join(folder, name), "rb") as seed:
                file.writelines(quoted(seed.read()))


if __name__ == "__main__":
    {"unpack": unpack, "pack": pack}[sys.argv[1]](*sys.argv[2:])
