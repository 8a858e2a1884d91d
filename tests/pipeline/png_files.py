"""PNG files from nothing but the standard library and NumPy: of 8-bit grey, of a palette, without filters."""

import struct
import zlib

import numpy as np

GREY, PALETTE = 0, 3


def read_chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + content), kind
        yield kind, content
        at += 12 + length
    assert kind == b"IEND" and at == len(data)


def read(path):
    """The picture as [row from the top, column, colour]."""
    chunks = list(read_chunks(path.read_bytes()))
    width, height, depth, colour, *more = struct.unpack(">IIBBBBB", dict(chunks)[b"IHDR"])
    assert depth == 8 and colour in (GREY, PALETTE) and more == [0, 0, 0]
    lines = np.frombuffer(zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT")), np.uint8)
    lines = lines.reshape(height, width + 1)
    assert not lines[:, 0].any(), "a filter"
    if colour == GREY:
        return np.repeat(lines[:, 1:, np.newaxis], 3, axis=2)
    return np.frombuffer(dict(chunks)[b"PLTE"], np.uint8).reshape(-1, 3)[lines[:, 1:]]
