#!/usr/bin/python3
"""Writes the seeds of the fuzz targets, DIR/TARGET/NAME: good inputs of every kind, and bad ones that once did harm.

Usage: make_corpus.py DIR
       make_corpus.py --pack FOLDER TARGET.tar.gz   packs the files of a folder, always to the same bytes
What fuzzing finds besides (scripts/fuzz.sh) has names of 40 hexadecimal digits. Needs NumPy and astropy.
"""
import io
import gzip
import pathlib
import sys
import tarfile

import numpy as np
from astropy.io import fits
from astropy.io.votable import from_table, writeto
from astropy.table import Table

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = pathlib.Path(sys.argv[-1])
RNG = np.random.default_rng(15)
SIDE = 24
PIXELS = RNG.normal(100, 5, (SIDE, SIDE)).astype("f4")
PIXELS[5:8, 5:8] += 500
PIXELS[16:19, 12:15] += 500
SHORTS = np.round(PIXELS).astype("i2")

TAN = ["CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CRVAL1  = 150.0", "CRVAL2  = 2.0", "CRPIX1  = 30.0", "CRPIX2  = 20.0",
       "CDELT1  = -0.001", "CDELT2  = 0.001"]
SIP = ["A_ORDER = 2", "B_ORDER = 2", "A_2_0   = 1E-4", "B_0_2   = -1E-4", "AP_ORDER= 1", "BP_ORDER= 1", "AP_1_0  = 1E-5"]
PV = [f"PV{axis}_{k}   = {value}" for axis in (1, 2) for k, value in ((0, 0.0), (1, 1.0), (4, 1e-2), (5, 1e-2))]


def put(target, name, data):
    if target in ("tile_rice", "tile_hcompress", "tile_plio"):  # the same bytes, without a file around them
        put(target.replace("tile", "stream"), name, data)
    folder = OUT / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode("latin-1"))


def stored(hdus):
    """The bytes of a FITS file."""
    file = io.BytesIO()
    hdus.writeto(file, output_verify="ignore")
    return file.getvalue()


def projected(code, *more):
    return [card.replace("-TAN'", f"-{code}'") for card in TAN] + list(more)


def sky_descriptions():
    """Cards by name: every kind of WCS that is read, and mistakes in them."""
    tnx = '"3. 4. 4. 0. -1. 1. -1. 1. 1E-3 2E-3 3E-3 4E-3 5E-3 6E-3 7E-3 8E-3 9E-3 1E-2 1E-3 1E-3 1E-3 1E-3 1E-3 1E-3"'
    known = {code.lower(): projected(code) for code in ("SIN", "ARC", "STG", "ZEA", "CAR", "MER", "CEA", "SFL", "PAR", "MOL",
                                                         "AIT", "TSC", "CSC", "QSC", "HPX", "XPH", "PCO", "BON")}
    known |= {code.lower(): projected(code, "PV2_1   = 45.0", "PV2_2   = 10.0") for code in ("AZP", "SZP", "CYP", "COP", "COE",
                                                                                            "COD", "COO", "AIR", "ZPN")}
    known |= {
        "tan": TAN, "sip": projected("TAN-SIP", *SIP), "tpv": projected("TPV", *PV), "tan_pv": TAN + PV,
        "sip_and_pv": TAN + SIP + PV, "suffix_and_pv": projected("TAN-SIP", *SIP, *PV),
        "tnx": projected("TNX", f"WAT1_001= 'wtype=tnx axtype=ra lngcor = {tnx[:25]}'", "WAT2_001= 'wtype=tnx axtype=dec'"),
        "zpx": projected("ZPX", "WAT1_001= 'wtype=zpx axtype=ra projp1=1. projp3=1.'"),
        "cd": TAN[:6] + ["CD1_1   = -1E-3", "CD1_2   = 1E-5", "CD2_1   = 1E-5", "CD2_2   = 1E-3"],
        "pc": TAN + ["PC1_1   = 0.8", "PC1_2   = -0.6", "PC2_1   = 0.6", "PC2_2   = 0.8"], "crota": TAN + ["CROTA2  = 30.0"],
        "galactic": ["CTYPE1  = 'GLON-CAR'", "CTYPE2  = 'GLAT-CAR'"] + TAN[2:],
        "latitude_first": ["CTYPE1  = 'DEC--TAN'", "CTYPE2  = 'RA---TAN'"] + TAN[2:],
        "fk4": TAN + ["RADESYS = 'FK4'", "EQUINOX = 1950.0"], "icrs": TAN + ["RADESYS = 'ICRS'"],
        "units": TAN + ["CUNIT1  = 'deg'", "CUNIT2  = 'arcmin'"], "spectrum": TAN + ["WCSAXES = 3", "CTYPE3  = 'FREQ'"],
        "poles": TAN + ["LONPOLE = 180.0", "LATPOLE = 30.0"], "alternative": [c[:6] + "A" + c[7:] for c in TAN],
        "dates": TAN + ["DATE-OBS= '2020-02-30T25:00:00'", "MJD-OBS = 1E99"], "linear": ["CTYPE1  = 'RA'", "CTYPE2  = 'DEC'"] + TAN[2:],
        "table": projected("TAB", "PS1_0   = 'WCS-TAB'", "PV1_3   = 1"), "record": TAN + ["DP1     = 'NAXES: 2'", "CPDIS1  = 'LOOKUP'"],
        "tpd": TAN + ["CQDIS1  = 'TPD'", "DQ1     = 'NAXES: 2'", "DQ1     = 'TPD.FWD.1: 1.0'"], "dss": ["AMDX1   = 67.1", "AMDY1   = 67.1", "PLTRAH  = 1"],
        # Mistakes.
        "singular": TAN[:6] + ["CD1_1   = 0.0", "CD2_2   = 0.0"], "quoted": [c.replace("= 150.0", "= '150.0'") for c in TAN],
        "fortran": [c.replace("0.001", "1.0D-3") for c in TAN], "huge": [c.replace("150.0", "1E308") for c in TAN],
        "duplicate": TAN + ["CRVAL1  = 10.0"], "empty": [c.split("=")[0] + "=" for c in TAN],
        "wat_wtype_long": TAN + ["WAT1_001= 'wtype=" + "A" * 60 + "'"],
        "wat_zero": TAN + ["WAT1_000= 'wtype=tnx lngcor = \"1. 2. 3. 4. 1 2 3 4 5 6 7 8 9 10 11\"'"],
        "sip_one_axis": ["A_9_9   = 90.0"], "sip_one_ctype": ["CTYPE1  = 'RA---TAN-SIP'", "A_ORDER = 2", "A_2_0   = 1E-5"],
        "sip_inverse_only": ["AP_2_0  = 1E-5"], "sip_without_order": TAN + ["A_2_0   = 1E-5"], "sip_order": TAN + ["A_ORDER = 99"],
        "tnx_one_axis": ["WAT1_001= 'wtype=tnx lngcor = \"3. 4. 4. 0. -1 1 -1 1 1 2 3 4 5 6 7'"],
        "pv_meaningless": TAN + ["PV2_1   = 0.0", "PV2_2   = 0.0"], "wide": TAN + ["A_9_9   =" + "3" * 51],
        "wide_inverse": TAN + ["AP_9_9  =" + "3" * 51], "axes": ["WCSAXES = 99"] + TAN, "hierarch": TAN + ["HIERARCH CRVAL1 = 3"],
    }
    return known


def fits_cards(cards, naxis=2, bitpix=-32):
    axes = [f"NAXIS{k + 1:<3}= {SIDE}" for k in range(naxis)]
    return "\n".join(["SIMPLE  = T", f"BITPIX  = {bitpix}", f"NAXIS   = {naxis}", *axes, *cards])


def make_headers():
    for name, cards in sky_descriptions().items():
        put("wcs", name, "\n".join(cards))
    long_text = "'this text is longer than thirty characters'"
    headers = {
        "plain": ["EXTEND  = T"], "scaled": ["BSCALE  = 2.5", "BZERO   = 32768", "BLANK   = -1"],
        "usual": ["OBJECT  = 'M31 it''s'", "DATE-OBS= '2020-01-01T00:00:00'", "MJD-OBS = 58849.0", "FILTER  = 'r'", "EXPTIME = 30.",
                  "GAIN    = 1.5E0", "AIRMASS = 1.1D0", "CCD     = 3"],
        "long_text": ["OBJECT  = 'begins &'", "CONTINUE  'goes on &'", "CONTINUE  'and ends' / here"],
        "comments": ["COMMENT nothing", "HISTORY nothing", "        blank", "HIERARCH ESO DET = 5 / five"], "hierarch_bscale": ["HIERARCH BSCALE = 3"],
        "undefined": ["BSCALE  =", "OBJECT  =  / none"], "complex": ["CVALUE  = (1.0, 2.0)", "LOGICAL = F"],
        "blank_text": [f"BLANK   = {long_text}"], "bscale_text": [f"BSCALE  = {long_text}"], "bzero_zero": ["BSCALE  = 0.0"],
        "unit": ["BUNIT   = 'MJy/sr'"], "unit_bytes": ["BUNIT   = '\x80\x80'"], "unit_latin1": ["BUNIT   = '\xb5Jy'"],
        "lower": ["bscale  = 3"], "bytes": ["OBJECT  = '\xff\x00\x01'"], "no_quote": ["OBJECT  = 'open"], "checksum": ["CHECKSUM= 'x'", "DATASUM = '1'"],
        "inherit": ["EXTEND  = T\nEND\nXTENSION= 'IMAGE'\nBITPIX  = 16\nNAXIS   = 2\nNAXIS1  = 9\nNAXIS2  = 9\nPCOUNT  = 0\nGCOUNT  = 1\n"
                    "INHERIT = T\nEXTNAME = 'SCI'"],
        "compressed": ["EXTEND  = T\nEND\nXTENSION= 'BINTABLE'\nBITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 8\nNAXIS2  = 9\nPCOUNT  = 0\nGCOUNT  = 1\nTFIELDS = 1\n"
                       "TTYPE1  = 'COMPRESSED_DATA'\nTFORM1  = '1PB(0)'\nZIMAGE  = T\nZBITPIX = 16\nZNAXIS  = 2\nZNAXIS1 = 9\nZNAXIS2 = 9\n"
                       "ZTILE1  = 9\nZTILE2  = 1\nZCMPTYPE= 'RICE_1'\nZNAME1  = 'BLOCKSIZE'\nZVAL1   = 32\nZNAME2  = 'BYTEPIX'\nZVAL2   = 2\n"
                       "ZBLANK  = -1\nZQUANTIZ= 'NO_DITHER'\nZDITHER0= 1"],
        "table": ["EXTEND  = T\nEND\nXTENSION= 'BINTABLE'\nBITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 12\nNAXIS2  = 9\nPCOUNT  = 0\nGCOUNT  = 1\nTFIELDS = 2\n"
                  "TTYPE1  = 'X'\nTFORM1  = '1D'\nTTYPE2  = 'N'\nTFORM2  = '1J'\nTNULL2  = 3\nTHEAP   = 108"],
    }
    for name, cards in headers.items():
        put("header", name, fits_cards(cards))
    for name, card in {"naxis_0": "NAXIS   = 0", "naxis_999": "NAXIS   = 999", "naxis_negative": "NAXIS   = -1", "side": "NAXIS1  = 2147483647",
                       "bitpix": "BITPIX  = 12", "groups": "GROUPS  = T", "real_naxis": "NAXIS1  = 24.0"}.items():
        lines = fits_cards([]).split("\n")
        put("header", name, "\n".join([card if line.split("=")[0] == card.split("=")[0] else line for line in lines] + ([card] if "GROUPS" in card else [])))
    units = ["Jy/beam", "JY/BEAM", "MJy/sr", "counts", "DN/s", "electron", "adu", "10**-17 erg/s/cm**2/Angstrom", "mag/arcsec2\nmag arcsec-2", "nanomaggies", "%",
             "K (Tb)", "[Jy]", "\x80\x80", "\xb5Jy", "sqrt(Jy)", "Jy pixel-1", "W m-2 Hz-1", "10^3 m\nkm", "1e-3 Jy", "log(cm**-2)", "km/s\nm/s",
             "deg\nrad", "mag * arcsec**(-2)\nmag / arcsec2", "m**(1/2)", "((((((m))))))", "m" * 200, "Pa.s", "um\nnm", "ph/s/cm2", "count\nadu"]
    for number, unit in enumerate(units):
        put("unit", f"unit{number:02}", unit)


def changed(data, card, start=0):
    """The file with its card of this keyword replaced."""
    at = data.index(card[:8].encode("latin-1"), start)
    return data[:at] + card.encode("latin-1").ljust(80)[:80] + data[at + 80:]


def make_images():
    images = {f"plain_{kind}": stored(fits.PrimaryHDU(PIXELS.astype(kind))) for kind in ("u1", "i2", "i4", "i8", "f4", "f8")}
    header = fits.Header.fromstring("\n".join(TAN), sep="\n")
    images["sky"] = stored(fits.PrimaryHDU(PIXELS, header))
    images["sky.gz"] = gzip.compress(images["sky"], mtime=0)
    images["cube"] = stored(fits.PrimaryHDU(np.stack([SHORTS, SHORTS + 1])[:, :12, :12]))
    images["extensions"] = stored(fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(SHORTS, name="SCI"), fits.ImageHDU((SHORTS > 300).astype("u1"), name="DQ")]))
    nan = PIXELS.copy()
    nan[3, 3], nan[4, 4] = np.nan, np.inf
    images["not_finite"] = stored(fits.PrimaryHDU(nan))
    images["constant"] = stored(fits.PrimaryHDU(np.full((9, 9), 7, "f4")))
    images["pedestal"] = stored(fits.PrimaryHDU((PIXELS.astype("f8") + 1e8)))
    images["one_pixel"] = stored(fits.PrimaryHDU(np.ones((1, 1), "f4")))
    images["unsigned"] = stored(fits.PrimaryHDU(SHORTS.astype("u2")))
    blank = stored(fits.PrimaryHDU(SHORTS, fits.Header([("BLANK", -1)])))
    long_text = "'this text is longer than thirty characters'"
    images["blank_text"] = changed(blank, f"BLANK   = {long_text}")
    for method in ("RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1"):
        images[method.lower()] = stored(fits.CompImageHDU(SHORTS, compression_type=method, **({"tile_size": (SIDE, SIDE)} if method == "HCOMPRESS_1" else {})))
    images["rice_floats"] = stored(fits.CompImageHDU(PIXELS, compression_type="RICE_1", quantize_level=4, quantize_method=1, dither_seed=7))
    rice = images["rice_1"]
    for name, card in {"ztile_text": "ZTILE1  = '1E      '", "znaxis_negative": "ZNAXIS  =                   -1", "znaxis_256": "ZNAXIS  =                  256",
                       "znaxis_huge": "ZNAXIS  =            100000000", "znaxis_most": "ZNAXIS  =           2147483647"}.items():
        images[name] = changed(rice, card, 2880)
        images[name + "_cut"] = images[name][:-2880]
    at = rice.index(b"ZVAL2   ")
    images["zblank_text"] = rice[:at] + f"ZBLANK  = {long_text}".encode().ljust(80) + rice[at + 80:]
    end = rice.index(b"END     ", 2880)
    images["ztile_twice"] = rice[:end] + b"ZTILE1  =                 '2D'".ljust(80) + rice[end:end + 80] + rice[end + 160:]
    images["ztile_most"] = changed(images["hcompress_1"], "ZTILE2  =  9223372036854775807", 2880)
    images["cut"] = images["plain_f4"][:3000]
    images["header_only"] = images["plain_f4"][:2880]
    for name, data in images.items():
        put("image", name, data)
    sky = images["sky"]
    put("gzip", "header.gz", gzip.compress(sky[:2880], mtime=0))
    put("gzip", "two_members.gz", gzip.compress(b"one" * 99, mtime=0) + gzip.compress(b"two" * 99, mtime=0))
    put("gzip", "rest_behind.gz", gzip.compress(b"one" * 99, mtime=0) + b"no member")
    put("gzip", "cut.gz", gzip.compress(sky[:2880], mtime=0)[:-9])
    put("gzip", "stored.gz", gzip.compress(bytes(range(256)), 0, mtime=0))
    put("gzip", "empty.gz", gzip.compress(b"", mtime=0))
    put("gzip", "bomb.gz", gzip.compress(bytes(1 << 20), mtime=0))
    put("gzip", "size_wrong.gz", gzip.compress(b"abc", mtime=0)[:-4] + b"\xff\xff\xff\x7f")
    put("gzip", "names.gz", b"\x1f\x8b\x08\x1f" + bytes(6) + b"\x04\x00ABCD" + b"name\0comment\0\x00\x00" + gzip.compress(b"x", mtime=0)[10:])


def tile_stream(pixels, method, **how):
    """What CFITSIO makes of an image of one tile."""
    how.setdefault("tile_size", pixels.shape[::-1])
    data = stored(fits.CompImageHDU(pixels, compression_type=method, **how))
    with fits.open(io.BytesIO(data), disable_image_compression=True) as hdus:
        return hdus[1].data["COMPRESSED_DATA"][0].tobytes() if method != "PLIO_1" else hdus[1].data["COMPRESSED_DATA"][0].astype(">i2").tobytes()


def make_tiles():
    kinds = {0: "u1", 1: "i2", 2: "i4"}
    targets = {"RICE_1": "tile_rice", "GZIP_1": "tile_gzip", "GZIP_2": "tile_gzip", "HCOMPRESS_1": "tile_hcompress", "PLIO_1": "tile_plio"}
    for method, target in targets.items():
        for index, kind in kinds.items():
            for name, pixels in (("noise", PIXELS), ("constant", np.full((SIDE, SIDE), 77)), ("mask", (PIXELS > 300).astype("i2")), ("row", PIXELS[:1]),
                                 ("narrow", PIXELS[:8, :16]), ("steep", np.arange(SIDE * SIDE).reshape(SIDE, SIDE) * 97 % 251)):
                if method == "HCOMPRESS_1" and name == "row":
                    continue
                pixels = pixels.astype(kind)
                stream = tile_stream(pixels, method)
                height, width = pixels.shape
                choice = 4 if method == "GZIP_2" else 0
                put(target, f"{method.lower()}_{name}_{kind}", bytes([index, width - 1, height - 1, height - 1, choice]) + stream)
                if kind == "i4":
                    put(target, f"{method.lower()}_{name}_float", bytes([3, width - 1, height - 1, height - 1, choice | 1]) + stream)
                    put(target, f"{method.lower()}_{name}_rows", bytes([3, width - 1, height - 1, 3, choice | 2]) + stream)
        if method == "RICE_1":
            make_rice_side_by_side(kinds)
        if method == "HCOMPRESS_1":
            stream = tile_stream(PIXELS.astype("i4"), method)
            head = bytes([2, SIDE - 1, SIDE - 1, SIDE - 1])
            put(target, "lossy_smooth", head + b"\x0c" + tile_stream(PIXELS.astype("i4"), method, hcomp_scale=4, hcomp_smooth=1))
            put(target, "zeros", head + b"\0" + stream[:200] + bytes(len(stream) - 200))
            put(target, "short", head + b"\0" + stream[:300])
        if method == "GZIP_1":
            for index, kind in kinds.items():
                put(target, f"inner_{kind}", bytes([index, SIDE - 1, SIDE - 1, SIDE - 1, 8]) + PIXELS.astype(">" + kind).tobytes())
                put(target, f"inner_2_{kind}", bytes([index, SIDE - 1, SIDE - 1, SIDE - 1, 12]) + PIXELS.astype(">" + kind).tobytes())


def make_rice_side_by_side(kinds):
    """Eight streams of as many pixels, with zeros behind the shorter ones."""
    rng = np.random.default_rng(16)
    width, eight = 200, range(8)
    rows = {"noise": [rng.normal(100, 2, width) for _ in eight], "of_all_widths": [rng.normal(100, 1 + 3 * k, width) for k in eight],
            "stars": [rng.normal(50, 1, width) + 70 * (rng.random(width) < 0.03) for _ in eight]}
    for name, pixels in rows.items():
        for index, kind in kinds.items():
            streams = [tile_stream(np.round(row).astype(kind)[None], "RICE_1") for row in pixels]
            longest = max(map(len, streams))
            put("stream_rice", f"side_by_side_{name}_{kind}", bytes([index, width - 1, 0, 0, 8]) + b"".join(stream.ljust(longest, b"\0") for stream in streams))


def some_table():
    rows = 6
    table = Table({"NUMBER": np.arange(rows, dtype="i4"), "X_IMAGE": RNG.uniform(0, 100, rows), "Y_IMAGE": RNG.uniform(0, 100, rows), "FLUX_ISO": RNG.uniform(1, 9, rows).astype("f4"),
                   "ID": np.arange(rows, dtype="i8") + (1 << 60), "NAME": [f"s{k}" for k in range(rows)], "OK": np.arange(rows) % 2 == 0, "FLAGS": np.arange(rows, dtype="i2"),
                   "APER": RNG.uniform(0, 1, (rows, 2))})
    table["X_IMAGE"].unit = "pixel"
    return table


def make_tables():
    table = some_table()
    data = stored(fits.BinTableHDU(table, name="SOURCES"))
    put("table_fits", "astropy", data)
    put("table_fits", "astropy.gz", gzip.compress(data, mtime=0))
    columns = [fits.Column("I", "J", null=5, array=np.arange(9)), fits.Column("S", "I", unit="m", array=np.arange(9)), fits.Column("U", "J", bzero=1 << 31, array=np.arange(9, dtype="u4")),
               fits.Column("B", "B", array=np.arange(9)), fits.Column("L", "L", array=np.arange(9) % 2 == 0), fits.Column("X", "9X", array=np.ones((9, 9), bool)),
               fits.Column("C", "C", array=np.arange(9) + 1j), fits.Column("K", "K", array=np.arange(9)), fits.Column("A", "5A", array=["abc"] * 9),
               fits.Column("P", "PJ()", array=np.array([np.arange(k) for k in range(9)], object)), fits.Column("V", "3E", dim="(3)", array=np.ones((9, 3)))]
    every = stored(fits.BinTableHDU.from_columns(columns))
    put("table_fits", "every_type", every)
    put("table_fits", "scaled", changed(every, "TUNIT2  = 'm'", 2880).replace(b"TUNIT2  = 'm'  ", b"TSCAL2  = 0.5  "))
    put("table_fits", "tnull_text", changed(every, "TNULL1  = 'this text is longer than thirty characters'"))
    put("table_fits", "tform_text", changed(every, "TFORM2  = '999999999999I'"))
    put("table_fits", "rows", changed(every, "NAXIS2  =           2147483647", 2880))
    put("table_fits", "cut", every[:-2880])
    plain = stored(fits.BinTableHDU(table[["NUMBER", "X_IMAGE", "FLUX_ISO", "ID", "FLAGS"]], name="SOURCES"))
    end = plain.index(b"END     ", 2880)
    facts = [b"SKYLEVEL=                100.5", b"SKYSIGMA=                  5.0", b"OBJECT  = 'M31'", b"EXPTIME =                 30.0", b"IMGEXT  = 'SCI'", b"END"]
    facts = b"".join(card.ljust(80) for card in facts)
    put("stored_table", "plain", plain)
    put("stored_table", "facts", (plain[:end] + facts).ljust((end + len(facts) + 2879) // 2880 * 2880) + plain[(end + 80 + 2879) // 2880 * 2880:])
    put("stored_table", "rows", changed(plain, "NAXIS2  =  9223372036854775807", 2880))
    put("stored_table", "every_type", every)
    put("table_fits", "empty", stored(fits.BinTableHDU(table[:0])))
    put("table_fits", "ascii", stored(fits.TableHDU.from_columns([fits.Column("A", "F10.3", array=np.arange(3.)), fits.Column("B", "I6", array=np.arange(3))])))
    put("table_fits", "image", stored(fits.PrimaryHDU(SHORTS[:4, :4])))
    flat = table[[name for name in table.colnames if name != "APER"]]
    texts = {}
    for fmt, options in (("ascii.csv", {}), ("ascii.ecsv", {}), ("ascii.ecsv", {"delimiter": ","})):
        file = io.StringIO()
        flat.write(file, format=fmt, **options)
        texts.setdefault(fmt.split(".")[1], []).append(file.getvalue())
    vectors = io.StringIO()
    table.write(vectors, format="ascii.ecsv")
    texts["ecsv"] += [vectors.getvalue(), "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: a, datatype: float16, unit: m, meta: {ucd: phot.flux}}\n# - {name: b, datatype: string}\na b\n1.5 \"x \"\"y\"\n\"\" nan\n",
                      "# %ECSV 0.9\n# ---\n# delimiter: ','\n# datatype:\n# - {name: a, datatype: int64}\n# - {name: b, datatype: bool}\n# - {name: c, datatype: object}\na,b,c\n1,True,x\n,False,y\n"]
    texts["csv"] += ["a,b\n1,2\n3,4\n", "# c\n\n\"a b\",\"c\"\"d\",\n1,\"x\ny\",nan\n-1e400,,inf\n", "\xef\xbb\xbfa,b\r\n1,2\r\n", "a\n9223372036854775807\n-9223372036854775808\n0x10\n", "x,y\n1.5D3,--\n+2,null\n", ",\n1,2\n"]
    for fmt, several in texts.items():
        for number, text in enumerate(several):
            put("table_" + fmt, f"seed{number}", text)
    for number, text in enumerate(["#   1 NUMBER          Running object number\n#   2 X_IMAGE         x                      [pixel]\n#   3 FLUX_APER       Flux vector [count]\n#   6 MAG             Magnitude [mag]\n"
                                   " 1 10.5 1e3 2 3 99.0\n 2 11.5 4 5 6 -1\n", "# 1 A\n# 2 V\n1 2 3 4\n5 6 7 8\n", "#1 A\n1\n", "#   1 A [deg]\n#   3 B\n# a comment\n1 2 3 4\n"]):
        put("table_ascii_head", f"seed{number}", text)
    for serialisation in ("tabledata", "binary", "binary2"):
        file = io.BytesIO()
        made = table[["X_IMAGE", "NUMBER", "NAME", "OK", "APER", "FLAGS"]][:3]
        writeto(from_table(made), file, tabledata_format=serialisation)
        put("table_votable", serialisation, file.getvalue())
    body = "<TABLE><FIELD name='a' datatype='{0}' arraysize='{1}'/><DATA><TABLEDATA><TR><TD>{2}</TD></TR></TABLEDATA></DATA></TABLE>"
    cells = [("unsignedByte", "1", "0x1F"), ("short", "2", "1 2"), ("char", "*", "text &amp; &#65;"), ("unicodeChar", "3", "\xc3\xa9a"), ("double", "2x2", "1 2 3 NaN"), ("bit", "8", "10101010"),
             ("floatComplex", "1", "1 2"), ("long", "1", ""), ("boolean", "1", "T"), ("int", "*", "1 2 3")]
    for datatype, size, cell in cells:
        put("table_votable", f"cell_{datatype}", "<?xml version='1.0'?><VOTABLE version='1.4'><RESOURCE>" + body.format(datatype, size, cell) + "</RESOURCE></VOTABLE>")
    put("table_votable", "entities", "<?xml version='1.0'?><!DOCTYPE v [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;'>]><VOTABLE><RESOURCE>" + body.format("char", "*", "&b;") + "</RESOURCE></VOTABLE>")
    put("table_votable", "null", "<VOTABLE><RESOURCE><TABLE><FIELD name='a' datatype='int'><VALUES null='-1'/></FIELD><DATA><TABLEDATA><TR><TD>-1</TD></TR><TR><TD>7</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>")
    make_comparisons()


def make_comparisons():
    rows = 30
    x, y, flux = RNG.uniform(1, 500, rows), RNG.uniform(1, 500, rows), RNG.lognormal(5, 1, rows)
    def catalogue(shift, scale, names=("X_IMAGE", "Y_IMAGE", "FLUX_ISO", "FLAGS")):
        lines = [",".join(names)] + [f"{a + shift:.3f},{b:.3f},{f * scale:.4g},{k % 3}" for k, (a, b, f) in enumerate(zip(x, y, flux))]
        return "\n".join(lines) + "\n"
    pairs = {"equal": (catalogue(0, 1), catalogue(0, 1)), "shifted": (catalogue(0, 1), catalogue(0.7, 1)), "brighter": (catalogue(0, 1), catalogue(0, 1.3)),
             "names": (catalogue(0, 1), catalogue(-1, 1, ("x", "y", "flux", "flag"))), "sky": tuple(catalogue(0, s, ("ALPHA_J2000", "DELTA_J2000", "MAG_AUTO", "FLAGS")) for s in (1, 1.1)),
             "empty": (catalogue(0, 1), "X_IMAGE,Y_IMAGE,FLUX_ISO\n"), "not_finite": (catalogue(0, 1), catalogue(0, 1).replace(".3", "nan")), "one_row": ("X_IMAGE,Y_IMAGE\n1,1\n", "X_IMAGE,Y_IMAGE\n1,1\n"),
             "huge": (catalogue(0, 1e300), catalogue(1e200, 1e308)), "text": ("X_IMAGE,Y_IMAGE,NAME\n1,1,a\n", "X_IMAGE,Y_IMAGE,NAME\n1,1,b\n")}
    for name, (reference, new) in pairs.items():
        put("compare", name, reference.rstrip("\n") + "\n%%\n" + new)


def make_texts():
    for name in ("default.yaml", "lesson.yaml"):
        put("config", name, (ROOT / "config" / name).read_bytes())
    for name, text in {"empty": "", "unknown": "detection: {treshold: 3}\n", "difference": "difference: {align: wcs, interpolation: lanczos3, reference_fwhm: 3.0}\n",
                       "combine": "combine: {method: weighted, planes: [1, 2], weights: [0.5, .inf]}\n", "kernel": "convolve:\n  kernel: values\n  values: [[0, 1, 0], [1, 2, 1], [0, 1, 0]]\n",
                       "anchors": "detection: &a {threshold: 3}\nmorphology: *a\n", "merge": "a: &a {x: 1}\ndetection: {<<: *a}\n", "deep": "[" * 300 + "]" * 300, "tabs": "detection:\n\tthreshold: 3\n",
                       "documents": "---\ninput: {hdu: all}\n---\nb: 1\n", "numbers": "detection: {threshold: 1e999, min_area: 99999999999999999999}\n", "bytes": "output: {header_keywords: ['\xff', \"\\x00\"]}\n",
                       "quicklook": "output: {quicklook: true, formats: [fits, csv, ecsv, votable]}\nquicklook: {limits: values, low: 1, high: 0, stretch: log}\n", "tag": "detection: !!binary aGVsbG8=\n"}.items():
        put("config", name, text)
    put("rules", "compare.yaml", (ROOT / "config" / "compare.yaml").read_bytes())
    put("rules", "equal.yaml", (ROOT / "data/reference/equal.yaml").read_bytes())
    for name, text in {"columns": "columns:\n  FLUX_*: {difference: relative, bias: 0.01, error: FLUXERR_*}\n  '*': {difference: ignore}\n", "sides": "new: {first_pixel: zero, angles: radian, columns: {X_IMAGE: x}}\n",
                       "match": "match: {by: sky, radius: 1, radius_unit: sigma}\n", "deep": "columns: {" * 200, "stars": "columns: {'*A*': {}, '**': {}, '': {}}\n"}.items():
        put("rules", name, text)
    put("kernel", "norm", "CONV NORM\n# a comment\n1 2 1\n2 4 2\n1 2 1\n")
    put("kernel", "nonorm", "CONV NONORM\n0.1 -2e-3 +1\n1 1 1\n1 1 1\n")
    put("kernel", "ragged", "CONV NORM\n1 2\n1\n")
    put("kernel", "number", "CONV NORM\n1e999 nan inf\n")
    put("kernel", "fits", stored(fits.PrimaryHDU(np.ones((3, 3), "f4"))))
    put("kernel", "fits_scaled", stored(fits.PrimaryHDU(np.ones((3, 3), "u2"))))
    put("kernel", "fits.gz", gzip.compress(stored(fits.PrimaryHDU(np.ones((3, 3), "f8"))), mtime=0))
    network = "NNW\n# a network\n3 10 10 1\n" + "\n".join(" ".join(["0.5"] * width) for width in [10, 10] + [11] * 11 + [1, 1]) + "\n"
    put("network", "whole", network)
    put("network", "short", network[:200])
    put("network", "layers", network.replace("3 10 10 1", "3 9 9 1"))
    put("network", "number", network.replace("0.5", "1e999", 1))
    mask = np.exp(-0.2 * (np.square(np.mgrid[:9, :9] - 4).sum(axis=0))).astype("f4") * np.array([1, 0.1, 0.2], "f4")[:, None, None]
    table = fits.BinTableHDU.from_columns([fits.Column("PSF_MASK", "243E", dim="(9,9,3)", array=[mask])], name="PSF_DATA")
    table.header.update({"POLNAXIS": 2, "POLGRP1": 1, "POLNAME1": "X_IMAGE", "POLZERO1": 50.5, "POLSCAL1": 99.0, "POLGRP2": 1,
                         "POLNAME2": "Y_IMAGE", "POLZERO2": 50.5, "POLSCAL2": 99.0, "POLNGRP": 1, "POLDEG1": 1,
                         "PSF_FWHM": 3.5, "PSF_SAMP": 0.7, "PSFNAXIS": 3, "PSFAXIS1": 9, "PSFAXIS2": 9, "PSFAXIS3": 3})
    model = stored(fits.HDUList([fits.PrimaryHDU(), table]))
    put("psf", "whole", model)
    put("psf", "short", model[:6000])
    put("psf", "groups", model.replace(b"POLGRP2 =                    1", b"POLGRP2 =                    2"))
    put("psf", "degree", model.replace(b"POLDEG1 =                    1", b"POLDEG1 =                   10"))
    put("psf", "gzipped", gzip.compress(model, mtime=0))
    kernel, columns = "CONV NORM\n1 2 1\n2 4 2\n1 2 1\n", "NUMBER\nX_IMAGE_DBL # x\nFLUX_APER(2)\nVIGNET[7]\nMAG_PSF\nCLASS_STAR\n"
    for name, text in {"usual": "# a comment\nDETECT_THRESH 1.5 # sigma\nFILTER_NAME x.conv\nSTARNNW_NAME x.nnw\nGAIN=2\n", "magnitudes": "DETECT_THRESH 22,30\nANALYSIS_THRESH 22.5,30\nPIXEL_SCALE 0.3\n",
                       "weights": "WEIGHT_TYPE MAP_RMS,MAP_WEIGHT\nWEIGHT_IMAGE a.fits,\"b.fits\"\nWEIGHT_THRESH 1e-3;2\nINTERP_TYPE VAR_ONLY\nFLAG_IMAGE f,g\nFLAG_TYPE OR,MAX\n",
                       "variables": "CATALOG_NAME ${HOME}x$HOME\nPARAMETERS_NAME $\n", "limits": "BACK_SIZE 1\nBACK_FILTERSIZE 4,5\nDEBLEND_MINCONT 7\nPHOT_APERTURES 0\nGAIN_KEY \"x y\"\nDETECT_MINAREA 0\n",
                       "twice": "GAIN 1\ngain 2\nCHECKIMAGE_TYPE -BACKGROUND,SEGMENTATION,APERTURES\nCATALOG_TYPE FITS_LDAC\n", "bytes": "GAIN \xff\nFILTER_NAME \xe9.conv\n", "path": "WEIGHT_TYPE MAP_RMS\nWEIGHT_IMAGE '#:{x\xff\n"}.items():
        put("sextractor", name, "\n%%\n".join([text, columns, kernel, network]))
    put("manifest", "list", "0# the first night\nnight1/a.fits\r\n\n /data/c.fits\n../x/../d.fits\n")
    put("manifest", "csv", "1path,name,detection.threshold,size\na.fits,m31.fits,4.5,12\nb.fits,,,\n")
    put("manifest", "ecsv", "2# %ECSV 1.0\n# ---\n# datatype:\n# - {name: path, datatype: string}\n# - {name: name, datatype: string}\n# - {name: detection.min_area, datatype: int64}\npath name detection.min_area\na.fits b/a.fits 7\n")
    for number, text in enumerate(["path,name\na.fits,../b.fits\n", "path,name\na.fits,/b.fits\n", "path,name\na.fits,b/\n", "path,name\na.fits,b/..\n", "name\nx\n", "path,threshold\na,3\n", "path,detection.x\na,3\n",
                                   "path,convolve.file\na,/dev/null\n", "path,name\n\"a\nb\",x\n", "path,path\na,b\n"]):
        put("manifest", f"mistake{number}", "1" + text)
    done = ('{"image":"n/a.fits","hdu":2,"images":3,"path":"/data/n/a.fits","bytes":2880,"modified":1700000000123456789,"config":"c1","program":"1.0","datasum":4294967295,'
            '"size":[64,32],"sources":7,"background":0.1,"sigma":2.5,"outputs":{"n/a.hdu2.cat.fits":8640,"n/a.hdu2.run.json":2000}}\n')
    failed = ('{"image":"caf\\u0000e9.fits","path":"/data/a.fits","bytes":2880,"modified":1,"config":"c1","program":"1.0","failed":"input","reason":"it is \\"empty\\",\\nor was"}\n')
    session, end = '{"session":1,"about":{"program":"1.0"}}\n', '{"end":{"complete":true,"shard":"1/1","images":2,"failures":1}}\n'
    put("journal", "whole", session + done + failed + end)
    put("journal", "two_sessions", session + done + session.replace("1", "2", 1) + failed + end)
    for number, (old, new) in enumerate([("2880", "1e99"), ("2880", "-1"), ("2880", "99999999999999999999"), ("4294967295", "NaN"), ('"hdu":2', '"hdu":9e18'), ("[64,32]", "[]"), ("0.1", '"-inf"'), ("64", "null"),
                                         ("2.5", "2.5e400"), ('"images":3', '"images":"3"'), ("}}", "}"), ("0.1", "0." + "1" * 300), ("7", "-0.0")]):
        put("journal", f"damaged{number:02}", session + done.replace(old, new, 1) + end)
    put("journal", "deep", session + '{"image":' + "[" * 500 + "\n")
    put("journal", "torn", session + done[:100])


def make_positions():
    rows = 4
    table = Table({"NUMBER": np.arange(1, rows + 1, dtype="i4"), "X_IMAGE": [3.0, 12.5, 24.0, -5.0], "Y_IMAGE": [2.0, 10.0, 20.0, 1e6], "A_IMAGE": [2.0, 1.5, 0.0, 1.0],
                   "B_IMAGE": [1.0, 1.5, 0.0, 3.0], "THETA_IMAGE": [0.0, 30.0, -90.0, 720.0], "KRON_RADIUS": [3.5, 0.0, 2.0, 9.0], "NAME": ["a", "b", "c", "d"]})
    sky = Table({"RA": [150.0, 149.999, 510.0, 0.0], "DEC": [2.0, 2.001, 2.0, -90.0], "Z": np.arange(4.0, dtype="f4")})
    for name, made in {"pixels": table, "sky": sky}.items():
        put("positions", f"{name}.fits", stored(fits.BinTableHDU(made)))
        put("positions", f"{name}.fits.gz", gzip.compress(stored(fits.BinTableHDU(made)), mtime=0))
        for fmt in ("ascii.csv", "ascii.ecsv"):
            file = io.StringIO()
            made.write(file, format=fmt)
            put("positions", f"{name}.{fmt[6:]}", file.getvalue())
    file = io.BytesIO()
    writeto(from_table(sky), file)
    put("positions", "sky.vot", file.getvalue())
    put("positions", "head.txt", "#   1 X_IMAGE  x [pixel]\n#   2 Y_IMAGE  y [pixel]\n 3.5 4.5\n 12 10\n")
    for name, text in {"half": "X_IMAGE\n1\n", "none": "x,y\n", "huge": "x,y\n1e308,-1e308\n1e19,-9e18\n", "not_finite": "x,y\nnan,1\n", "text": "ra,dec\n10h,2d\n",
                       "declination": "RA,DEC\n1,91\n", "epochs": "RA,DEC,RAJ2000,DEJ2000\n1,1,1,1\n2,2,2,2.1\n", "ellipse": "x,y,A_IMAGE\n1,1,1\n",
                       "wide": "x,y,A_IMAGE,B_IMAGE,THETA_IMAGE\n12,10,1e300,1e-300,1e300\n12,10,1e5,1e5,0\n"}.items():
        put("positions", name + ".csv", text)


def make_beams():
    def cube(units=("arcsec", "arcsec", "deg"), name="BEAMS", names=("BMAJ", "BMIN", "BPA", "CHAN", "POL"), kinds="EEEJJ"):
        values = [np.array([5.0, 4.0, 0.0]), np.array([3.0, 2.0, 0.0]), np.array([10.0, -80.0, 0.0]), np.arange(3), np.zeros(3)]
        columns = [fits.Column(key, kind, unit=unit, array=array) for key, kind, unit, array in zip(names, kinds, (*units, None, None), values)]
        return stored(fits.HDUList([fits.PrimaryHDU(np.zeros((3, 4, 4), "f4")), fits.BinTableHDU.from_columns(columns, name=name)]))
    whole = cube()
    for name, data in {"whole": whole, "whole.gz": gzip.compress(whole, mtime=0), "degrees": cube(("deg", "arcmin", "rad")), "no_angle": cube(("Jy", "m", "s")), "doubles": cube(kinds="DDDDD"),
                       "bytes": cube(kinds="BBIKB"), "no_column": cube(names=("BMAJ", "BMIN", "BPA", "CHAN", "X")), "no_table": cube(name="OTHER"), "cut": whole[:-2880],
                       "rows": changed(whole, "NAXIS2  =  9223372036854775807", whole.index(b"XTENSION")), "unit": whole.replace(b"'arcsec  '", b"'((((((('")}.items():
        put("beam_table", name, data)


def pack(folder, archive):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for file in sorted(folder.iterdir()):
            data = file.read_bytes()
            entry = tarfile.TarInfo(file.name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    archive.write_bytes(gzip.compress(raw.getvalue(), 9, mtime=0))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--pack":
        pack(pathlib.Path(sys.argv[2]), OUT)
        sys.exit()
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make_headers()
    make_images()
    make_tiles()
    make_tables()
    make_texts()
    make_positions()
    make_beams()
