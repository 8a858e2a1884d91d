"""Tile-compressed FITS files with numpy alone: RICE_1 in rows (FITS Standard 4.0, 10), for checks on machines that have
neither astropy nor fpack."""
import multiprocessing
import pathlib

import numpy as np

from fits_cards import header

BLOCK = 32
# Bits of a pixel: bits of the number of low bits, and which number means that codes stand there as they are.
CODINGS = {16: (4, 14), 32: (5, 25)}
BLANK = -2147483647
ZERO = -2147483646
DITHERS = {0: "NO_DITHER", 1: "SUBTRACTIVE_DITHER_1", 2: "SUBTRACTIVE_DITHER_2"}


def randoms():
    """The random numbers of Appendix I."""
    numbers, seed = np.empty(10000, np.float32), 1
    for i in range(10000):
        seed = 16807 * seed % 2147483647
        numbers[i] = seed / 2147483647
    return numbers


def rice_stream(row):
    """The stream of a row of int16 or int32."""
    bits = 8 * row.itemsize
    number_bits, as_they_are = CODINGS[bits]
    steps = np.diff(row.astype(np.int64), prepend=np.int64(row[0])).astype(row.dtype)
    codes = np.where(steps < 0, ~(steps << 1), steps << 1).view(f"u{row.itemsize}").astype(np.int64)
    blocks = [codes[i:i + BLOCK] for i in range(0, len(codes), BLOCK)]
    pieces = [np.unpackbits(row[:1].astype(row.dtype.newbyteorder(">")).view(np.uint8))]

    def number(value, width):
        return np.array([value >> i & 1 for i in reversed(range(width))], np.uint8)

    for block in blocks:
        low_bits = max(0, int(block.mean()).bit_length() - 1)
        lengths = (block >> low_bits) + 1 + low_bits
        if not block.any():
            pieces.append(number(0, number_bits))
        elif low_bits >= as_they_are or lengths.sum() > bits * len(block):
            pieces.append(number(as_they_are + 1, number_bits))
            pieces.append((block[:, None] >> np.arange(bits - 1, -1, -1) & 1).ravel().astype(np.uint8))
        else:
            pieces.append(number(low_bits + 1, number_bits))
            coded = np.zeros(lengths.sum(), np.uint8)
            ends = np.cumsum(lengths)
            coded[ends - low_bits - 1] = 1
            for i in range(low_bits):
                coded[ends - 1 - i] = block >> i & 1
            pieces.append(coded)
    return np.packbits(np.concatenate(pieces)).tobytes()


def quantise(image, dither, seed, step):
    """Integers for floats, row by row, with the scale and the zero of each."""
    numbers, rows = randoms(), []
    scale, zero = np.full(len(image), step), np.nanmin(np.where(np.isfinite(image), image, np.nan)) * np.ones(len(image))
    for y, row in enumerate(image.astype(np.float64)):
        random, at = np.empty(0, np.float64), y + seed - 1
        while dither and len(random) < len(row):
            random = np.concatenate([random, numbers[int(numbers[at % 10000] * np.float32(500)):]])
            at += 1
        moved = random[:len(row)] - 0.5 if dither else 0
        with np.errstate(invalid="ignore"):
            integers = np.round((row - zero[y]) / scale[y] + moved)
        integers = np.where(np.isfinite(row), integers, BLANK)
        if dither == 2:
            integers = np.where(row == 0, ZERO, integers)
        rows.append(integers.astype(np.int64).astype(np.int32))
    return rows, scale, zero


def write_rice(path, image, dither=1, seed=1, step=0.25, **keywords):
    """A file whose first extension is the image, a row a tile: int16 and int32 as they are, floats in steps of `step`."""
    floats = image.dtype.kind == "f"
    rows, scale, zero = quantise(image, dither, seed, step) if floats else (list(image), None, None)
    with multiprocessing.Pool() as pool:
        streams = pool.map(rice_stream, rows, chunksize=64)
    lengths = np.array([len(stream) for stream in streams])
    types = [("data", ">i4", 2)] + ([("scale", ">f8"), ("zero", ">f8"), ("blank", ">i4")] if floats else [])
    table = np.zeros(len(rows), types)
    table["data"][:, 0], table["data"][:, 1] = lengths, np.cumsum(lengths) - lengths
    if floats:
        table["scale"], table["zero"], table["blank"] = scale, zero, BLANK
    bitpix = -8 * image.itemsize if floats else 8 * image.itemsize
    cards = {"XTENSION": "BINTABLE", "BITPIX": 8, "NAXIS": 2, "NAXIS1": table.itemsize, "NAXIS2": len(rows),
             "PCOUNT": int(lengths.sum()), "GCOUNT": 1, "TFIELDS": 4 if floats else 1, "TTYPE1": "COMPRESSED_DATA",
             "TFORM1": f"1PB({lengths.max()})"}
    if floats:
        cards |= {"TTYPE2": "ZSCALE", "TFORM2": "1D", "TTYPE3": "ZZERO", "TFORM3": "1D", "TTYPE4": "ZBLANK",
                  "TFORM4": "1J"}
    cards |= {"ZIMAGE": True, "ZBITPIX": bitpix, "ZNAXIS": 2, "ZNAXIS1": image.shape[1], "ZNAXIS2": image.shape[0],
              "ZTILE1": image.shape[1], "ZTILE2": 1, "ZCMPTYPE": "RICE_1", "ZNAME1": "BLOCKSIZE", "ZVAL1": BLOCK,
              "ZNAME2": "BYTEPIX", "ZVAL2": 4 if floats else image.itemsize}
    if floats:
        cards |= {"ZQUANTIZ": DITHERS[dither], "ZDITHER0": seed}
    data = table.tobytes() + b"".join(streams)
    primary = header({"SIMPLE": True, "BITPIX": 8, "NAXIS": 0, "EXTEND": True})
    pathlib.Path(path).write_bytes(primary + header(cards | keywords) + data + bytes(-len(data) % 2880))
