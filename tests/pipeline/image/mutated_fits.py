"""FITS files with one mistake each: a good file of some kind, in which one card, size, byte, table parameter or piece of
a gzip stream is changed. The number of a file gives its bytes."""

import gzip
import io
import random

import numpy as np
from astropy.io import fits

SIDE = 24
TAN = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 150.0, "CRVAL2": 2.0, "CRPIX1": 12.0, "CRPIX2": 9.0,
       "CDELT1": -1e-3, "CDELT2": 1e-3, "RADESYS": "ICRS"}
SIP = {**TAN, "CTYPE1": "RA---TAN-SIP", "CTYPE2": "DEC--TAN-SIP", "A_ORDER": 2, "B_ORDER": 2, "A_2_0": 1e-4, "B_0_2": -1e-4}
TPV = {**TAN, "CTYPE1": "RA---TPV", "CTYPE2": "DEC--TPV", "PV1_0": 0.0, "PV1_1": 1.0, "PV2_0": 0.0, "PV2_1": 1.0, "PV1_4": 1e-2}
USUAL = {"OBJECT": "M31", "DATE-OBS": "2020-01-01T00:00:00", "EXPTIME": 30.0, "GAIN": 1.5, "SATURATE": 60000.0, "BUNIT": "adu"}
RADIO = {**TAN, "BUNIT": "Jy/beam", "BMAJ": 3e-3, "BMIN": 2e-3, "BPA": 30.0}

NUMBERS = ["0", "-1", "1", "2", "7", "999", "2147483647", "-2147483648", "9223372036854775807", "99999999999999999999", "1E308",
           "1E-320", "-1E999", "NaN", "1.5", "1.0D3", "0x10", "T", "F", "", "'text'", "'a text of more than thirty characters'",
           "(1.0, 2.0)", "'open", "24.0", "1 2"]
TEXTS = ["''", "'X'", "'RA---SIN'", "'DEC--ZPN'", "'GLON-CAR'", "'Jy/beam'", "'((((('", "'\xff\x80'", "'FK4'", "'2020-02-30'",
         "'RICE_1'", "'GZIP_2'", "'1PB(9)'", "'9999999999PB'", "'1QB'", "'-1J'", "0", "T", "", "'" + "Z" * 67 + "'"]
JUNK = ["END", "CONTINUE  'goes on'", "HIERARCH ESO DET = 5", "COMMENT nothing", "naxis1  = 3", "BSCALE  = 0.0", "BZERO   = 1E999",
        "BLANK   = 100", "NAXIS3  = 2", "INHERIT = T", "XTENSION= 'IMAGE'", "CRVAL1  = 10.0", "WAT1_001= 'wtype=tnx lngcor = \"3. 4.'",
        "A_ORDER = 99", "WCSAXES = 99", "ZIMAGE  = T", "THEAP   = 7", "CHECKSUM= 'x'", "\0\1\2\xff", "        ", "PV2_99  = 1.0",
        "GROUPS  = T", "EQUINOX = 1950.0", "CUNIT1  = 'arcmin'", "DATASUM = '1'"]


def stored(hdus):
    file = io.BytesIO()
    hdus.writeto(file, output_verify="ignore")
    return file.getvalue()


def good_files():
    """Files of every kind by name."""
    rng = np.random.default_rng(46)
    pixels = rng.normal(100, 5, (SIDE, SIDE))
    for y, x in ((6, 6), (17, 13), (9, 19)):
        pixels[y - 1:y + 2, x - 1:x + 2] += 400
    shorts = np.round(pixels).astype("i2")

    def image(values, cards=()):
        return fits.PrimaryHDU(values, fits.Header(list(dict(cards).items())))

    files = {f"plain_{kind}": stored(image(pixels.astype(kind), USUAL)) for kind in ("u1", "i2", "i4", "i8", "f4", "f8")}
    for name, cards in {"tan": TAN, "sip": SIP, "tpv": TPV, "radio": RADIO, "sky": {**TAN, **USUAL}}.items():
        files[name] = stored(image(pixels.astype("f4"), cards))
    files["unsigned"] = stored(image(shorts.astype("u2")))
    files["blank"] = stored(image(shorts, {**USUAL, "BLANK": -1}))
    files["cube"] = stored(image(np.stack([shorts, shorts + 1]), TAN))
    files["extensions"] = stored(fits.HDUList([fits.PrimaryHDU(None, fits.Header(list(USUAL.items()))),
                                               fits.ImageHDU(shorts, name="SCI"), fits.ImageHDU(shorts * 0, name="DQ")]))
    for codec in ("RICE_1", "GZIP_1", "GZIP_2", "PLIO_1", "HCOMPRESS_1"):
        values = shorts if codec != "PLIO_1" else np.abs(shorts)
        files[f"tiles_{codec}"] = stored(fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(values, compression_type=codec)]))
    for method in (-1, 1, 2):
        made = fits.CompImageHDU(pixels.astype("f4"), compression_type="RICE_1", quantize_method=method, dither_seed=7)
        files[f"floats_{method}"] = stored(fits.HDUList([fits.PrimaryHDU(), made]))
    for name in ("plain_i2", "sky", "extensions"):
        files[name + ".gz"] = gzip.compress(files[name], mtime=0)
    return files


def cards_of(data):
    """Where the cards of all headers begin, from headers as they stand in a good file."""
    places, at = [], 0
    while at < len(data):
        if not data[at:at + 8] in (b"SIMPLE  ", b"XTENSION"):
            at += 2880
            continue
        while data[at:at + 8] != b"END     ":
            places.append(at)
            at += 80
        at = (at // 2880 + 1) * 2880
    return places


def with_card(data, at, card):
    return data[:at] + card.encode("latin-1").ljust(80)[:80] + data[at + 80:]


def is_of_structure(card):
    return card.startswith((b"NAXIS", b"BITPIX", b"PCOUNT", b"GCOUNT", b"Z", b"T", b"SIMPLE", b"XTENSION"))


def change_value(rng, data, places):
    at = rng.choice(places)
    key, old = data[at:at + 8].decode("latin-1"), data[at + 10:at + 80]
    values = TEXTS if old.lstrip().startswith(b"'") and rng.random() < 0.7 else NUMBERS
    return with_card(data, at, f"{key}= {rng.choice(values)}")


def shift_value(rng, data, places):
    """A number a little off: by a factor, or by one."""
    at = rng.choice(places)
    try:
        value = float(data[at + 10:at + 31])
    except ValueError:
        return change_letter(rng, data, places)
    value = rng.choice([value + 1, value - 1, -value, value * 2, value * 0.999, value * 1e6])
    text = f"{int(value)}" if value == int(value) and abs(value) < 1e15 else repr(value).upper()
    return with_card(data, at, f"{data[at:at + 8].decode()}= {text:>20}")


def change_letter(rng, data, places):
    at = rng.choice(places) + rng.randrange(80)
    return data[:at] + bytes([rng.choice(b" '=/0123456789.EDTFAZaz-+\x00\xff")]) + data[at + 1:]


def drop_card(rng, data, places):
    at = rng.choice(places)
    return with_card(data, at, "COMMENT")


def repeat_card(rng, data, places):
    """One card in place of another, which goes."""
    one, other = rng.choice(places), rng.choice(places)
    return data[:other] + data[one:one + 80] + data[other + 80:]


def add_junk(rng, data, places):
    """A card in place of one that says nothing of the structure."""
    others = [at for at in places if not is_of_structure(data[at:at + 80])]
    return with_card(data, rng.choice(others or places), rng.choice(JUNK))


def change_structure(rng, data, places):
    """A size, or a parameter of a compressed table."""
    return rng.choice([change_value, shift_value])(rng, data, [at for at in places if is_of_structure(data[at:at + 80])])


def change_length(rng, data, places):
    if rng.random() < 0.5:
        return data[:rng.randrange(len(data))]
    return data + rng.choice([b"\0", b" ", b"SIMPLE  ="]) * rng.choice([1, 2879, 2880, 5000])


def change_data(rng, data, places):
    """A byte, or some, behind the last header."""
    begin = min((places[-1] // 2880 + 1) * 2880, len(data) - 1)
    at, count = rng.randrange(begin, len(data)), rng.choice([1, 1, 1, 4, 64])
    noise = rng.choice([rng.randbytes(count), bytes(count), b"\xff" * count, b"\x7f\xf0" * count])[:len(data) - at]
    return data[:at] + noise + data[at + len(noise):]


def change_stream(rng, data):
    """A gzip stream: a byte, an end, a second member, trash behind it."""
    at = rng.randrange(len(data))
    return rng.choice([data[:at] + rng.randbytes(1) + data[at + 1:], data[:at], data + data, data + b"trash",
                       data + bytes(rng.randrange(1, 512)), data + gzip.compress(bytes(2880), mtime=0)])


MUTATIONS = [change_value, shift_value, change_letter, drop_card, repeat_card, add_junk, change_structure, change_length,
             change_data, change_data]


class Mutants:
    def __init__(self):
        self.good = {name: (data, [] if name.endswith(".gz") else cards_of(data)) for name, data in good_files().items()}
        self.names = sorted(self.good)

    def make(self, number):
        """File name and bytes."""
        rng = random.Random(number)
        name = rng.choice(self.names)
        data, places = self.good[name]
        if name.endswith(".gz"):
            plain = name.removesuffix(".gz")
            if rng.random() < 0.5:
                return f"{number:06}.fits.gz", change_stream(rng, data)
            return f"{number:06}.fits.gz", gzip.compress(rng.choice(MUTATIONS)(rng, *self.good[plain]), 1, mtime=0)
        return f"{number:06}.fits", rng.choice(MUTATIONS)(rng, data, places)
