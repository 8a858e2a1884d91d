"""A blank field: no positions, or catalogues without a row, are no rows with the usual columns, and no error."""
import numpy
import pytest

import srcextract

table = pytest.importorskip("astropy.table")
coordinates = pytest.importorskip("astropy.coordinates")

RANDOM = numpy.random.default_rng(652)
Y, X = numpy.mgrid[:80, :100]
IMAGE = RANDOM.normal(50, 3, Y.shape).astype("f4")
IMAGE += 400 * numpy.exp(-((X - 40) ** 2 + (Y - 30) ** 2) / 6)
WCS = pytest.importorskip("astropy.wcs").WCS(naxis=2)
WCS.wcs.ctype, WCS.wcs.crval, WCS.wcs.cdelt = ["RA---TAN", "DEC--TAN"], [150.0, 2.0], [-1e-3, 1e-3]
FOUND = srcextract.extract(IMAGE, wcs=WCS)
NONE = FOUND[:0]
BLANK = srcextract.extract(IMAGE, wcs=WCS, detection__threshold=900)

IN_PIXELS = {
    "array": numpy.zeros((0, 2)), "list": [], "tuple": (), "pair": ([], []), "arrays": (numpy.zeros(0), numpy.zeros(0)),
    "one axis": numpy.zeros(0), "dict": {"X": [], "Y": [], "id": []}, "table": table.Table({"X": [1.0], "Y": [2.0], "id": ["ab"]})[:0],
    "photutils": table.QTable({"xcentroid": [], "ycentroid": []}), "catalogue": NONE, "blank": BLANK, "its table": BLANK.table,
    "structured": FOUND.table.as_array()[:0]}
ON_SKY = {"SkyCoord": FOUND.skycoord[:0], "RA and DEC": {"RA": [], "DEC": []}, "column": table.QTable({"c": FOUND.skycoord[:0], "id": [1][:0]})}


def test_the_blank_field_is_blank():
    assert len(FOUND) == 1 and len(BLANK) == 0 and BLANK.columns == FOUND.columns


@pytest.mark.parametrize("form", IN_PIXELS | ON_SKY)
@pytest.mark.parametrize("call", ["extract", "path", "photometry", "crowd"])
def test_no_positions_are_no_rows(form, call, tmp_path):
    given = (IN_PIXELS | ON_SKY)[form]
    if form in ON_SKY and call == "photometry":
        pytest.skip("arrays have no WCS there")
    if call == "photometry":
        found, other = srcextract.photometry(IMAGE, positions=given), srcextract.photometry(IMAGE, positions=[(40.0, 30.0)])
    elif call == "crowd":
        psf = srcextract.Psf.from_image(numpy.exp(-(numpy.mgrid[-8:9, -8:9] ** 2).sum(axis=0) / 6.0))
        psf.write(tmp_path / "one.psf")
        found, other = (srcextract.crowd(IMAGE, tmp_path / "one.psf", wcs=WCS, positions=one) for one in (given, [(40.0, 30.0)]))
    else:
        image = IMAGE
        if call == "path":
            image = tmp_path / "image.fits"
            pytest.importorskip("astropy.io.fits").PrimaryHDU(IMAGE, WCS.to_header()).writeto(image)
        wcs = {} if call == "path" else {"wcs": WCS}
        found, other = srcextract.extract(image, positions=given, **wcs), srcextract.extract(image, positions=[(40.0, 30.0)], **wcs)
    assert len(found) == 0 and len(other) == 1 and set(other.columns) <= set(found.columns)
    for name in other.columns:
        assert found[name].dtype == other[name].dtype and len(found[name]) == 0
    assert call == "photometry" or ("id" in found) == (form in ("dict", "table", "column"))
    for ending in "fits", "ecsv", "csv", "reg":
        found.write(tmp_path / f"none.{ending}")
    assert len(table.Table.read(tmp_path / "none.fits", hdu=1)) == 0 and len(found.table) == 0
    assert "1 position" not in " ".join(found.warnings)


def test_no_rows_of_pandas():
    pandas = pytest.importorskip("pandas")
    for frame in (pandas.DataFrame(columns=["X", "Y", "name"]), pandas.DataFrame({"X": [1.0], "Y": [2.0], "name": ["a"]}).iloc[:0],
                  FOUND.to_pandas().iloc[:0]):
        found = srcextract.extract(IMAGE, positions=frame)
        assert len(found) == 0 and ("name" in found) == ("name" in frame)
        assert len(srcextract.photometry(IMAGE, positions=frame)) == 0


@pytest.mark.parametrize("other", [NONE, BLANK, NONE.table, FOUND, *(IN_PIXELS[form] for form in ("array", "list", "pair", "dict", "photutils"))],
                         ids=lambda one: type(one).__name__)
def test_matching_nothing_is_no_pairs(other):
    pytest.importorskip("scipy")
    for mine in (NONE, BLANK) + (() if other is FOUND else (FOUND,)):
        pairs = mine.match(other, 2)
        assert len(pairs) == len(pairs.rows) == len(pairs.table) == len(pairs.separation) == 0 and len(pairs.unmatched) == len(mine)
        assert pairs.table.colnames[-1] == "separation"


def test_matching_nothing_on_the_sky_is_no_pairs():
    pytest.importorskip("scipy")
    radius = coordinates.Angle(2, "arcsec")
    for other in NONE, BLANK, NONE.table, FOUND.skycoord[:0], {"RA": [], "DEC": []}:
        for mine in NONE, BLANK, FOUND:
            pairs = mine.match(other, radius)
            assert len(pairs) == len(pairs.table) == 0 and pairs.separation.unit == radius.unit
    assert len(NONE.match(FOUND, radius)) == 0 and len(FOUND.match(FOUND.skycoord[0], radius).table) == 1


def test_wrong_tables_stay_wrong_without_rows():
    for given in table.Table({"A": [], "B": []}), numpy.zeros((0, 3)), {"X": []}, {"X": [], "Y": [1.0]}:
        for call in srcextract.extract, srcextract.photometry:
            with pytest.raises(srcextract.InputError, match="the positions"):
                call(IMAGE, positions=given)
