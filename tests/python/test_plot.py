"""Plots of catalogues: what is beneath the ellipses is the catalogue's image."""
import io

import numpy
import pytest

import srcextract

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
fits = pytest.importorskip("astropy.io.fits")

IMAGE = numpy.random.default_rng(2).normal(100, 5, (80, 90)).astype("f4")
IMAGE[30:33, 40:43] += 300


def shown(axes):
    return axes.images[0]


@pytest.fixture
def path(tmp_path):
    stored = numpy.round(IMAGE).astype("i2")
    stored[3, 5] = -32768
    science = fits.ImageHDU(stored, name="SCI")
    science.header["BLANK"] = -32768
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(IMAGE[:50] * 0), science]).writeto(tmp_path / "image.fits")
    return tmp_path / "image.fits"


def test_a_norm_is_taken_as_it_is():
    found = srcextract.extract(IMAGE)
    norm = matplotlib.colors.LogNorm(50, 500)
    assert shown(found.plot(image=IMAGE, norm=norm)).norm is norm
    assert shown(found.plot(image=IMAGE)).get_clim() == pytest.approx((found.sky_level - 3 * found.sky_sigma,
                                                                      found.sky_level + 12 * found.sky_sigma))
    assert shown(found.plot(image=IMAGE, vmin=3)).get_clim()[0] == 3


@pytest.mark.parametrize("kind", ["path", "text", "bytes", "file", "BytesIO", "HDU", "HDUList"])
def test_the_image_is_that_of_the_catalogue(kind, path):
    found = srcextract.extract(path, input__hdu="SCI")
    expected = numpy.round(IMAGE).astype(float)
    expected[3, 5] = numpy.nan
    with fits.open(path) as hdus, open(path, "rb") as file:
        given = {"path": path, "text": str(path), "bytes": path.read_bytes(), "file": file, "HDU": hdus["SCI"],
                 "BytesIO": io.BytesIO(path.read_bytes()), "HDUList": hdus}[kind]
        values = shown(found.plot(image=given)).get_array()
    numpy.testing.assert_array_equal(numpy.ma.filled(values, numpy.nan), expected)


def test_another_image_is_refused(path):
    found = srcextract.extract(IMAGE)
    for given in IMAGE[:50], path, numpy.stack([IMAGE, IMAGE]):
        with pytest.raises(srcextract.InputError, match="has the shape .* that of the catalogue \\(80, 90\\)"):
            found.plot(image=given)
    assert shown(found.plot(image=IMAGE[None])).get_array().shape == IMAGE.shape
    with pytest.raises(srcextract.InputError, match="the bytes"):
        found.plot(image=b"nothing")


def test_a_frame_of_a_difference_is_not_blank():
    new = numpy.random.default_rng(3).normal(400, 5, IMAGE.shape).astype("f4")
    found = srcextract.difference(IMAGE + 300, new, difference__kernel="gaussian")
    low, high = shown(found.plot(image=new)).get_clim()
    assert low < 390 and 410 < high < 600
