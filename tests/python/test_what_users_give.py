"""Ordinary things that users have at hand: stacks with masks, cutouts, files not opened yet, names of every kind."""
import io
import os

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")
nddata = pytest.importorskip("astropy.nddata")
units = pytest.importorskip("astropy.units")
table = pytest.importorskip("astropy.table")

RANDOM = numpy.random.default_rng(12)
Y, X = numpy.mgrid[:100, :130]
IMAGE = RANDOM.normal(100, 5, Y.shape)
for _x, _y in RANDOM.uniform(6, 94, (15, 2)):
    IMAGE += 400 * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 6)
IMAGE = numpy.round(IMAGE).astype("i2")
STACK = numpy.stack([IMAGE, IMAGE + RANDOM.integers(-5, 6, IMAGE.shape), IMAGE[::-1]]).astype("i2")
HOLE = numpy.zeros(IMAGE.shape, bool)
HOLE[20:60, 30:70] = True
HOLES = numpy.stack([HOLE, HOLE[::-1], HOLE[:, ::-1]])


def same(found, expected):
    assert len(found) == len(expected) > 0
    for name in "X_IMAGE", "FLUX_ISO", "NPIX":
        numpy.testing.assert_array_equal(found[name], expected[name], name)


@pytest.mark.parametrize("kind", ["masked integers", "masked floats", "NDData"])
def test_a_stack_has_a_mask_of_every_plane(kind):
    expected = srcextract.extract(numpy.nanmean(numpy.where(HOLES, numpy.nan, STACK), axis=0), detection__threshold=4)
    given = {"masked integers": numpy.ma.MaskedArray(STACK, HOLES), "NDData": nddata.NDData(STACK, mask=HOLES),
             "masked floats": numpy.ma.MaskedArray(STACK.astype("f4"), HOLES)}[kind]
    found = srcextract.extract(given, combine__method="mean", detection__threshold=4)
    assert len(found) == len(expected) > 0
    numpy.testing.assert_allclose(found["FLUX_ISO"], expected["FLUX_ISO"], rtol=1e-4)


def test_one_plane_is_an_image():
    expected = srcextract.extract(IMAGE, mask=HOLE)
    for given in (numpy.ma.MaskedArray(IMAGE[None], HOLE[None]), nddata.CCDData(IMAGE[None], unit="adu", mask=HOLE[None]),
                  numpy.ma.MaskedArray(IMAGE[None].astype("f4"), HOLE[None])):
        same(srcextract.extract(given), expected)
    same(srcextract.extract(IMAGE[None], mask=HOLE[None]), expected)
    noise = numpy.full(IMAGE.shape, 6.0)
    same(srcextract.extract(IMAGE[None], error=noise[None]), srcextract.extract(IMAGE, error=noise))
    same(srcextract.extract(STACK, input__plane=1), srcextract.extract(IMAGE))
    same(srcextract.extract(IMAGE, mask=numpy.ma.nomask), srcextract.extract(IMAGE))
    same(srcextract.Extractor()(IMAGE, mask=numpy.ma.MaskedArray(IMAGE).mask), srcextract.extract(IMAGE))


def test_a_cutout_is_an_image_with_its_wcs():
    wcs = pytest.importorskip("astropy.wcs").WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.cdelt = ["RA---TAN", "DEC--TAN"], [150.0, 2.0], [-1e-3, 1e-3]
    cut = nddata.Cutout2D(IMAGE, (60, 50), (80, 100), wcs=wcs)
    found = srcextract.extract(cut)
    same(found, srcextract.extract(cut.data))
    ra, dec = wcs.pixel_to_world_values(found["X_IMAGE"] - 1 + cut.xmin_original, found["Y_IMAGE"] - 1 + cut.ymin_original)
    numpy.testing.assert_allclose(found["ALPHA_J2000"], ra, atol=1e-9)
    numpy.testing.assert_allclose(found["DELTA_J2000"], dec, atol=1e-9)
    same(srcextract.extract(nddata.Cutout2D(IMAGE, (60, 50), (80, 100))), found)


@pytest.fixture
def path(tmp_path):
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(IMAGE[:50] * 0), fits.ImageHDU(IMAGE, name="SCI")]).writeto(tmp_path / "im.fits")
    return tmp_path / "im.fits"


def test_what_fsspec_opens_later_is_a_file(path):
    fsspec = pytest.importorskip("fsspec")
    expected = srcextract.extract(path, input__hdu="SCI")
    same(srcextract.extract(fsspec.open(f"file://{path}"), input__hdu="SCI"), expected)
    fsspec.filesystem("memory").pipe("/im.fits", path.read_bytes())
    found = srcextract.extract(fsspec.open("memory://im.fits"), input__hdu="SCI")
    same(found, expected)
    assert "im.fits" in found.name


def test_a_response_with_data_is_a_file(path):
    class Response(io.BytesIO):
        data = b"of urllib3"
    same(srcextract.extract(Response(path.read_bytes()), input__hdu="SCI"), srcextract.extract(IMAGE))


def test_a_table_may_be_changed():
    found = srcextract.extract(IMAGE)
    before = found["FLUX_ISO"].copy()
    changed = found.table
    changed["FLUX_ISO"] += 1
    numpy.testing.assert_array_equal(changed["FLUX_ISO"], before + 1)
    numpy.testing.assert_array_equal(found["FLUX_ISO"], before)


def test_overwrite_is_what_it_is_for_astropy(tmp_path):
    found = srcextract.extract(IMAGE)
    found.write(tmp_path / "found.csv", overwrite=False)
    before = (tmp_path / "found.csv").read_bytes()
    with pytest.raises(srcextract.OutputError, match="overwrite=True"):
        srcextract.extract(IMAGE, detection__threshold=9).write(tmp_path / "found.csv", overwrite=False)
    assert (tmp_path / "found.csv").read_bytes() == before
    srcextract.extract(IMAGE, detection__threshold=9).write(tmp_path / "found.csv", overwrite=True)
    assert (tmp_path / "found.csv").read_bytes() != before


def test_names_that_are_not_utf8_are_told(path, tmp_path):
    odd = os.fsencode(tmp_path) + b"/\xff"
    found = srcextract.extract(IMAGE)
    for name in odd + b".csv", os.fsdecode(odd) + ".csv", str(tmp_path / "z\0b.csv"):
        for call in (lambda: found.write(name), lambda: srcextract.compare(os.fsdecode(name), found),
                     lambda: srcextract.compare(found, found, os.fsdecode(name)), lambda: srcextract.merge(tmp_path, name),
                     lambda: srcextract.merge([name], "x.fits"), lambda: srcextract.extract(IMAGE, name)):
            with pytest.raises(srcextract.InputError, match="not UTF-8, or has a NUL"):
                call()
        with pytest.raises(srcextract.ConfigError, match="not UTF-8, or has a NUL"):
            srcextract.extract(path, mask__file=os.fsdecode(name))
        with pytest.raises(srcextract.ConfigError, match="not UTF-8, or has a NUL"):
            srcextract.extract(path, {"mask": {"file": os.fsdecode(name)}})
    assert sorted(os.listdir(tmp_path)) == ["im.fits"]
    os.link(path, odd)
    with open(odd, "rb") as file:
        assert "\\udcff" in srcextract.extract(file, input__hdu="SCI").name
    with fits.open(path) as hdus:
        assert srcextract.extract(hdus["SCI"], name="M\udcff31").name == "M\\udcff31"


def test_a_name_is_that_of_the_image(path):
    assert srcextract.extract(path, name="M31", input__hdu="SCI").name.startswith("M31")
    with pytest.raises(srcextract.InputError, match="^M31: "):
        srcextract.extract(path.with_name("none.fits"), name="M31")


def test_hours_and_radians_are_angles():
    wcs = pytest.importorskip("astropy.wcs").WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.cdelt = ["RA---TAN", "DEC--TAN"], [150.0, 2.0], [-1e-3, 1e-3]
    ra, dec = wcs.pixel_to_world_values([30.0, 60.0], [40.0, 70.0])
    for kind in table.QTable, table.Table:
        given = kind({"RA": (ra * units.deg).to(units.hourangle), "DEC": (dec * units.deg).to(units.rad), "MAG": [20.0, 21.0]})
        found = srcextract.extract(IMAGE, wcs=wcs, positions=given)
        numpy.testing.assert_allclose(found["X_IMAGE"], [31, 61], atol=1e-6)
        assert given["RA"].unit == units.hourangle
    with pytest.raises(srcextract.InputError, match="no FITS file has such a table"):
        srcextract.extract(IMAGE, positions=table.Table({"X": [30.0], "Y": [40.0], "Z": [1.0] * units.Unit("3 m")}))
