"""FITS files from nothing but the standard library, so that these tests run wherever Python does."""

import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from fits_cards import card  # noqa: E402

CODES = {8: "B", 16: "h", 32: "i", 64: "q", -32: "f", -64: "d"}


def padded(data, filler):
    return data + filler * (-len(data) % 2880)


def hdu(axes, bitpix=-32, values=(), primary=True, **cards):
    """An image HDU: `axes` as NAXIS1, NAXIS2, ...; `values` the stored pixels, NAXIS1 fastest."""
    first = card("SIMPLE", True) if primary else card("XTENSION", "IMAGE")
    lines = [first, card("BITPIX", bitpix), card("NAXIS", len(axes))]
    lines += [card(f"NAXIS{i + 1}", n) for i, n in enumerate(axes)]
    if not primary:
        lines += [card("PCOUNT", 0), card("GCOUNT", 1)]
    lines += [card(key.replace("_", "-"), value) for key, value in cards.items()]
    lines.append("END".ljust(80))
    data = struct.pack(f">{len(values)}{CODES[bitpix]}", *values)
    return padded("".join(lines).encode("ascii"), b" ") + padded(data, b"\0")


def write(path, *hdus):
    path.write_bytes(b"".join(hdus))
    return path


WIDTH, HEIGHT = 40, 30


def sky():
    """A sky of alternating -1 and +1 (median 0, sigma 1) with two sources: 3 x 2 pixels of 100 whose corner is (10, 5),
    and a row of 5 pixels 50, 60, 70, 60, 50 from (20, 20); pixels counted from 0."""
    pixels = [float(1 - 2 * ((x + y) % 2)) for y in range(HEIGHT) for x in range(WIDTH)]
    for y in (5, 6):
        for x in (10, 11, 12):
            pixels[y * WIDTH + x] = 100.0
    for i, value in enumerate((50.0, 60.0, 70.0, 60.0, 50.0)):
        pixels[20 * WIDTH + 20 + i] = value
    pixels[WIDTH - 1] = 0.0  # as many -1 as +1 are left: the median is neither
    return pixels


def write_sky(path, bitpix=-32, **cards):
    values = sky() if bitpix < 0 else [int(v) for v in sky()]
    return write(path, hdu((WIDTH, HEIGHT), bitpix, values, **cards))


# A gnomonic projection of one arc minute a pixel about (RA, Dec) = (150, 2) at the image's middle.
TAN = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 20.5, "CRPIX2": 15.5, "CRVAL1": 150.0, "CRVAL2": 2.0,
       "CDELT1": -1 / 60, "CDELT2": 1 / 60, "RADESYS": "ICRS"}
