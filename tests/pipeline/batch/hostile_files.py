"""Files that are made to do harm: good ones with a card, or some bytes, that a library takes for something else than it
is. Those of a list beside the repository are added where it is there."""

import gzip
import struct
import subprocess
import sys

import numpy as np
from astropy.io import fits

from driver import ROOT

LIST = ROOT.parent / "shared" / "data" / "hostile" / "make_files.py"
LONG_TEXT = "'a text that is rather longer than thirty characters are'"
TAN = [("CTYPE1", "RA---TAN"), ("CTYPE2", "DEC--TAN"), ("CRVAL1", 10.0), ("CRVAL2", -5.0), ("CRPIX1", 20.0),
       ("CRPIX2", 20.0), ("CDELT1", -1e-3), ("CDELT2", 1e-3)]

# Cards of an image, by what is wrong with them.
HEADERS = {
    "wat_long": TAN + [("WAT2_001", "wtype=" + "Z" * 60)],
    "wat_none": TAN + [("WAT2_000", "wtype=zpx projp1=1.")],
    "sip_of_y_alone": [("B_7_7", 5.0)],
    "sip_without_order": TAN + [("A_2_0", 1e-5), ("B_0_2", 1e-5)],
    "sip_order_too_large": TAN + [("A_ORDER", 2147483647), ("B_ORDER", 2147483647), ("A_2_0", 1e-5)],
    "sip_order_negative": TAN + [("A_ORDER", -1), ("B_ORDER", -1), ("A_2_0", 1e-5)],
    "sip_inverse_of_x_alone": TAN + [("AP_ORDER", 3), ("AP_3_0", 1e-5)],
    "one_ctype_of_two": [("CTYPE2", "DEC--TAN-SIP"), ("B_ORDER", 2), ("B_0_2", 1e-5)],
    "tnx_cut_short": TAN + [("WAT1_001", 'wtype=tnx lngcor = "3. 9. 9. 0. -1 1 -1 1 1')],
    "pv_of_no_number": TAN + [("PV2_99", 1.0)],
    "zero_scale": [(key, 0.0 if key.startswith("CDELT") else value) for key, value in TAN],
    "wcsaxes_too_many": [("WCSAXES", 99)] + TAN,
    "crpix_not_finite": [("CRPIX1", 1e308), ("CRPIX2", -1e308)] + TAN,
    "unit_of_brackets": [("BUNIT", "[[[[(((((" * 7)],
}

# Of an image of integers: the card in place of BLANK.
BLANKS = {"blank_text": f"BLANK   = {LONG_TEXT}", "blank_digits": "BLANK   = " + "9" * 60, "blank_empty": "BLANK   =",
          "bscale_zero": "BSCALE  = 0.0", "bzero_huge": "BZERO   = 1E999", "bitpix_again": "BITPIX  = 7",
          "naxis_again": "NAXIS   = 999", "unit_bytes": b"BUNIT   = '\xff\xfe\x80  '", "history_bytes": b"HISTORY \xff\0\1"}

# Of a compressed one: a key of its table, and the card in place of it.
TILES = {"znaxis_none": ("ZNAXIS ", "ZNAXIS  = 0"), "znaxis_999": ("ZNAXIS ", "ZNAXIS  = 999"),
         "znaxis1_huge": ("ZNAXIS1", "ZNAXIS1 = 1000000000"), "znaxis1_negative": ("ZNAXIS1", "ZNAXIS1 = -60"),
         "ztile1_none": ("ZTILE1", "ZTILE1  = 0"), "ztile1_huge": ("ZTILE1", "ZTILE1  = 2147483647"),
         "zcmptype_long": ("ZCMPTYPE", "ZCMPTYPE= '" + "R" * 60 + "'"), "zbitpix_7": ("ZBITPIX", "ZBITPIX = 7"),
         "blocksize_none": ("ZVAL1", "ZVAL1   = 0"), "blocksize_huge": ("ZVAL1", "ZVAL1   = 2147483647"),
         "theap_text": ("GCOUNT", f"THEAP   = {LONG_TEXT}"), "pcount_huge": ("PCOUNT", "PCOUNT  = 9223372036854775807"),
         "zblank_text": ("ZVAL2", f"ZBLANK  = {LONG_TEXT}"), "zdither_text": ("ZVAL2", f"ZDITHER0= {LONG_TEXT}")}


def replaced(data, key, card, start=0):
    at = data.index(key.ljust(8).encode(), start)
    card = card if isinstance(card, bytes) else card.encode()
    return data[:at] + card.ljust(80)[:80] + data[at + 80:]


def pixels():
    values = np.random.default_rng(7).normal(50, 3, (48, 48)).astype("f4")
    values[20:23, 20:23] += 400
    return values


def write_headers(directory):
    for name, cards in HEADERS.items():
        header = fits.Header(cards)
        fits.PrimaryHDU(pixels(), header).writeto(directory / f"{name}.fits", output_verify="ignore")
    path = directory / "of_integers.fits"
    fits.PrimaryHDU(np.round(pixels()).astype("i2"), fits.Header([("BLANK", -1)])).writeto(path)
    good = path.read_bytes()
    for name, card in BLANKS.items():
        (directory / f"{name}.fits").write_bytes(replaced(good, "BLANK", card))
    for size in (1, 79, 2879, 2881, len(good) - 1):
        (directory / f"cut_at_{size}.fits").write_bytes(good[:size])


def write_tiles(directory):
    values = np.round(pixels()).astype("i2")
    for codec in ("RICE_1", "GZIP_1", "GZIP_2", "PLIO_1", "HCOMPRESS_1"):
        path = directory / f"tiles_{codec}.fits"
        fits.CompImageHDU(values, compression_type=codec).writeto(path)
        good = path.read_bytes()
        begin = (good.index(b"END     ", good.index(b"XTENSION")) + 80 + 2879) // 2880 * 2880
        _, offset = struct.unpack(">ii", good[begin:begin + 8])
        heap = begin + offset
        noise = np.random.default_rng(3).bytes(200)
        (directory / f"noise_{codec}.fits").write_bytes(good[:heap] + noise + good[heap + 200:])
        (directory / f"far_{codec}.fits").write_bytes(
            good[:begin] + struct.pack(">ii", 1 << 30, 0x7fffff00) + good[begin + 8:])
        (directory / f"negative_{codec}.fits").write_bytes(good[:begin] + struct.pack(">ii", -1, -1) + good[begin + 8:])
    rice = (directory / "tiles_RICE_1.fits").read_bytes()
    for name, (key, card) in TILES.items():
        (directory / f"tiles_{name}.fits").write_bytes(replaced(rice, key, card, 2880))


def write_bomb(directory):
    """Some hundred kilobytes that inflate to a hundred megabytes of which the header asks for nothing."""
    good = (directory / "of_integers.fits").read_bytes()
    with gzip.open(directory / "bomb.fits.gz", "wb", 9) as file:
        file.write(good)
        for _ in range(100):
            file.write(bytes(1 << 20))


def write_hostile(directory):
    """Returns their paths."""
    directory.mkdir()
    write_headers(directory)
    write_tiles(directory)
    write_bomb(directory)
    if LIST.exists():
        listed = directory / "listed"
        subprocess.run([sys.executable, "-W", "ignore", LIST, listed], check=True)
        for path in listed.iterdir():
            path.rename(directory / f"listed_{path.name}")
        listed.rmdir()
    return sorted(path for path in directory.iterdir())
