"""Tiled images whose tiles are not compressed (ZCMPTYPE = 'NOCOMPRESS'), in each column where writers put them."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import HEIGHT, RESULTS, WIDTH, field, rows

CODES = {np.dtype("u1"): "B", np.dtype("i2"): "I", np.dtype("i4"): "J", np.dtype("f4"): "E", np.dtype("f8"): "D"}
BITPIX = {"B": 8, "I": 16, "J": 32, "E": -32, "D": -64}


def write_tiles(path, pixels, column="COMPRESSED_DATA", as_bytes=True, numbers=None, **cards):
    """A row of tiles, a row of the image each. `numbers`: what is stored, if not the pixels."""
    code = CODES[pixels.dtype]
    stored = pixels if numbers is None else numbers
    cells = np.empty(len(pixels), object)
    for y, row in enumerate(stored):
        cells[y] = np.frombuffer(row.astype(row.dtype.newbyteorder(">")).tobytes(), np.uint8) if as_bytes else row
    table = fits.BinTableHDU.from_columns(
        [fits.Column(column, "PB()" if as_bytes else f"P{CODES[stored.dtype]}()", array=cells)])
    table.header.update({"ZIMAGE": True, "ZCMPTYPE": "NOCOMPRESS", "ZBITPIX": BITPIX[code], "ZNAXIS": 2, "ZNAXIS1": WIDTH,
                         "ZNAXIS2": HEIGHT, "ZTILE1": WIDTH, "ZTILE2": 1, **cards})
    fits.HDUList([fits.PrimaryHDU(), table]).writeto(path, overwrite=True)


def catalogue(extract, name):
    return rows(extract(f"out-{name}", RESULTS, f"{name}.fits") / f"{name}.cat.csv")


@pytest.mark.parametrize("kind", ("u1", "i2", "i4", "f4", "f8"))
@pytest.mark.parametrize("column, as_bytes", (("COMPRESSED_DATA", True), ("COMPRESSED_DATA", False), ("UNCOMPRESSED_DATA", False)))
def test_plain_tiles_are_read(extract, tmp_path, kind, column, as_bytes):
    pixels = field(1, brightness=30).astype(kind)
    fits.PrimaryHDU(pixels).writeto(tmp_path / "plain.fits")
    write_tiles(tmp_path / "tiles.fits", pixels, column, as_bytes)
    assert catalogue(extract, "tiles") == catalogue(extract, "plain") != []


def test_quantised_floats(extract, tmp_path):
    numbers = np.round(field(1) / 0.25).astype("i4")
    fits.PrimaryHDU((numbers * 0.25 + 3).astype("f4")).writeto(tmp_path / "plain.fits")
    write_tiles(tmp_path / "tiles.fits", field(1), numbers=numbers, ZSCALE=0.25, ZZERO=3.0)
    assert catalogue(extract, "tiles") == catalogue(extract, "plain") != []


def test_narrow_integers(extract, tmp_path):
    """As in GZIP_1, integers may be stored with fewer bytes than ZBITPIX says."""
    pixels = field(1).astype("i4")
    fits.PrimaryHDU(pixels).writeto(tmp_path / "plain.fits")
    write_tiles(tmp_path / "tiles.fits", pixels, numbers=pixels.astype("i2"))
    assert catalogue(extract, "tiles") == catalogue(extract, "plain") != []


@pytest.mark.parametrize("cut", (1, 3, 60))
def test_a_tile_of_another_size_is_damaged(run, configure, tmp_path, cut):
    pixels = field(1)
    cells = np.empty(HEIGHT, object)
    for y, row in enumerate(pixels):
        stored = np.frombuffer(row.astype(">f4").tobytes(), np.uint8)
        cells[y] = stored[:-cut] if y == 7 else stored
    table = fits.BinTableHDU.from_columns([fits.Column("COMPRESSED_DATA", "PB()", array=cells)])
    table.header.update({"ZIMAGE": True, "ZCMPTYPE": "NOCOMPRESS", "ZBITPIX": -32, "ZNAXIS": 2, "ZNAXIS1": WIDTH,
                         "ZNAXIS2": HEIGHT, "ZTILE1": WIDTH, "ZTILE2": 1})
    fits.HDUList([fits.PrimaryHDU(), table]).writeto(tmp_path / "tiles.fits")
    done = run("-q", configure(RESULTS), "tiles.fits", "-o", "out")
    assert done.code == 3 and "tile 7 of the compressed image is damaged" in done.err
