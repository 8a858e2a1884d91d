"""Positions on the sky are those of the WCS that comes with an image, as astropy has them, or none."""
import logging

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")
nddata = pytest.importorskip("astropy.nddata")
wcs_module = pytest.importorskip("astropy.wcs")

RANDOM = numpy.random.default_rng(6)
Y, X = numpy.mgrid[:120, :150]
IMAGE = RANDOM.normal(100, 5, Y.shape)
for _x, _y in RANDOM.uniform(5, 115, (30, 2)):
    IMAGE += 300 * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 5)


def wcs_of(axes=2, sip=False):
    wcs = wcs_module.WCS(naxis=axes)
    wcs.wcs.ctype = ["RA---TAN-SIP" if sip else "RA---TAN", "DEC--TAN-SIP" if sip else "DEC--TAN", "FREQ"][:axes]
    wcs.wcs.crval, wcs.wcs.crpix, wcs.wcs.cdelt = [150.0, 2.0, 1e9][:axes], [75.0, 60.0, 1.0][:axes], [-1e-3, 1e-3, 1e6][:axes]
    if sip:
        a = numpy.zeros((3, 3))
        a[2, 0] = 1e-4
        wcs.sip = wcs_module.Sip(a, 2 * a.T, None, None, wcs.wcs.crpix)
    wcs.array_shape = (5, *IMAGE.shape)[3 - axes:]
    return wcs


def assert_positions(found, ra, dec):
    assert len(found) > 3
    numpy.testing.assert_allclose(found["ALPHA_J2000"], ra, rtol=0, atol=1e-9)
    numpy.testing.assert_allclose(found["DELTA_J2000"], dec, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["NDDataRef", "CCDData", "of a cube", "SIP"])
@pytest.mark.parametrize("with_header", [False, True])
def test_a_slice_has_the_positions_of_its_wcs(kind, with_header):
    wcs = wcs_of(3 if kind == "of a cube" else 2, kind == "SIP")
    meta = wcs_of().to_header() if with_header else {}
    if kind == "CCDData":
        part = nddata.CCDData(IMAGE, unit="adu", wcs=wcs, meta=meta)[20:, 30:140]
    elif kind == "of a cube":
        part = nddata.NDDataRef(numpy.stack([IMAGE] * 5), wcs=wcs, meta=meta)[2, 20:, 30:140]
    else:
        part = nddata.NDDataRef(IMAGE, wcs=wcs, meta=meta)[20:, 30:140]
    found = srcextract.extract(part)
    assert_positions(found, *part.wcs.low_level_wcs.pixel_to_world_values(found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1))
    if kind != "CCDData":
        again = srcextract.extract(part.data, wcs=part.wcs)
        assert_positions(again, found["ALPHA_J2000"], found["DELTA_J2000"])


class OfNobody:
    """A WCS that has no header, as those of gwcs."""
    low_level_wcs = property(lambda self: self)
    pixel_n_dim = world_n_dim = 2


def test_a_wcs_without_a_header_gives_no_positions_and_says_so(caplog):
    image = nddata.NDData(IMAGE, meta=wcs_of().to_header())
    assert "ALPHA_J2000" in srcextract.extract(image)
    image._wcs = OfNobody()
    with caplog.at_level(logging.WARNING, "srcextract"):
        assert "ALPHA_J2000" not in srcextract.extract(image)
    assert "no positions on the sky" in caplog.text and "OfNobody" in caplog.text
    with pytest.raises(srcextract.InputError, match="a OfNobody is no astropy.wcs.WCS"):
        srcextract.extract(IMAGE, wcs=OfNobody())


@pytest.mark.parametrize("table", ["cpdis1", "cpdis2", "det2im1", "det2im2"])
def test_tables_of_distortion_are_not_dropped_in_silence(table, caplog):
    wcs = wcs_of()
    setattr(wcs, table, wcs_module.DistortionLookupTable(numpy.full((10, 10), 3, "f4"), (1, 1), (1, 1), (15, 12)))
    with pytest.raises(srcextract.InputError, match=f"distortion is a table \\({table}\\)"):
        srcextract.extract(IMAGE, wcs=wcs)
    with pytest.raises(srcextract.InputError, match="distortion is a table"):
        srcextract.resample(IMAGE, wcs, wcs_of())
    with caplog.at_level(logging.WARNING, "srcextract"):
        assert "ALPHA_J2000" not in srcextract.extract(nddata.CCDData(IMAGE, unit="adu", wcs=wcs))
    assert "distortion is a table" in caplog.text


def test_a_header_says_how_large_what_is_resampled_is():
    larger = wcs_of().to_header()
    larger.update({"NAXIS": 2, "NAXIS1": 200, "NAXIS2": 170})
    expected = srcextract.resample(IMAGE, wcs_of(), larger)
    assert expected.shape == (170, 200)
    text = larger.tostring()
    for header in text, "\n".join(text[at:at + 80] for at in range(0, len(text), 80)):
        numpy.testing.assert_array_equal(srcextract.resample(IMAGE, wcs_of(), header), expected)
