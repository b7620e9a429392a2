#!/usr/bin/env python3
"""Decodes TensorBoard event files with the standard library alone and prints 'step tag value' lines.

Independent of our writer: checks lengths and masked crc32c of every record.
Usage: decode_events.py FILE...
"""
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(crc):
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Field number -> last value (int, 8 or 4 raw bytes, or bytes)."""
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        out[key >> 3] = value
    return out


def records(path):
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        length = struct.unpack_from("<Q", data, at)[0]
        assert struct.unpack_from("<I", data, at + 8)[0] == masked(crc32c(data[at:at + 8])), "length checksum"
        body = data[at + 12:at + 12 + length]
        assert len(body) == length, "truncated record"
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == masked(crc32c(body)), "data checksum"
        yield body
        at += 16 + length


for path in sys.argv[1:]:
    for body in records(path):
        event = fields(body)
        if 3 in event:
            print("version", event[3].decode())
        if 7 in event:
            print("start", event.get(2, 0))
        if 5 in event:
            value = fields(fields(event[5])[1])
            print(event.get(2, 0), value[1].decode(), round(struct.unpack("<f", value[2])[0], 6))
