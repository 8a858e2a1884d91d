"""Plots of catalogues: what is beneath the ellipses is the catalogue's image."""
import io

import numpy
import pytest

import srcextract

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pytest.importorskip("matplotlib.pyplot")
fits = pytest.importorskip("astropy.io.fits")

IMAGE = numpy.random.default_rng(2).normal(100, 5, (80, 90)).astype("f4")
IMAGE[30:33, 40:43] += 300


@pytest.fixture(autouse=True)
def figures_end():
    yield
    matplotlib.pyplot.close("all")


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
        with pytest.raises(srcextract.InputError, match="has the shape .* the image of the catalogue \\(80, 90\\)"):
            found.plot(image=given)
    assert shown(found.plot(image=IMAGE[None])).get_array().shape == IMAGE.shape
    with pytest.raises(srcextract.InputError, match="the bytes"):
        found.plot(image=b"nothing")


def test_a_frame_of_a_difference_is_not_blank():
    new = numpy.random.default_rng(3).normal(400, 5, IMAGE.shape).astype("f4")
    found = srcextract.difference(IMAGE + 300, new, difference__kernel="gaussian")
    low, high = shown(found.plot(image=new)).get_clim()
    assert low < 390 and 410 < high < 600


def test_the_sky_and_the_segments_are_the_catalogues():
    found = srcextract.extract(IMAGE, background__method="mesh", background__mesh_size=32)
    for kind, expected in {"sky": found.background, "noise": found.rms}.items():
        numpy.testing.assert_array_equal(shown(found.plot(kind=kind)).get_array(), expected)
    segments = shown(found.plot(kind="segments")).get_array()
    assert ((~numpy.ma.getmaskarray(segments) & numpy.isfinite(numpy.ma.filled(segments, numpy.nan))) == (found.segmentation > 0)).all()


def test_residuals_are_what_no_source_has():
    found = srcextract.extract(IMAGE, background__method="constant")
    left = numpy.ma.filled(shown(found.plot(image=IMAGE, kind="residuals")).get_array().astype(float), numpy.nan)
    outside = found.segmentation == 0
    assert len(found) == 1 and numpy.isnan(left[~outside]).all()
    numpy.testing.assert_allclose(left[outside], ((IMAGE - found.sky_level) / found.sky_sigma)[outside], atol=1e-4)


def test_histograms_count_pixels_or_sources(path):
    found = srcextract.extract(path, input__hdu="SCI")
    axes = found.plot(image=path, kind="histogram")
    edges = numpy.append([bar.get_x() for bar in axes.patches], axes.patches[-1].get_x() + axes.patches[-1].get_width())
    share = numpy.array([bar.get_height() for bar in axes.patches]) * numpy.diff(edges)
    assert share.sum() == pytest.approx(1) and share[numpy.abs(edges[:-1]) < 1].sum() == pytest.approx(0.68, abs=0.04)
    axes = found.plot(kind="histogram", column="FLUX_ISO", bins=5)
    assert sum(bar.get_height() for bar in axes.patches) == len(found) and axes.get_xlabel().startswith("FLUX_ISO")
    assert found.plot(kind="histogram").get_xlabel() == found.plot(image=path, kind="histogram").get_xlabel()


def test_pictures_that_cannot_be():
    found = srcextract.extract(IMAGE)
    with pytest.raises(srcextract.ConfigError, match="there are sources, sky"):
        found.plot(kind="moon")
    with pytest.raises(srcextract.ConfigError, match="is for kind='histogram'"):
        found.plot(kind="sky", column="FLUX_ISO")
    with pytest.raises(srcextract.ConfigError, match="keeps no pixels"):
        found.plot(kind="residuals")


def test_axes_and_bars_have_units(path):
    found = srcextract.extract(path, input__hdu="SCI")
    for kind, told in {"sources": "pixels [count]", "sky": "level of the sky [count]", "noise": "noise of the sky [count]",
                       "residuals": "above the sky, in units of its noise", "segments": None}.items():
        axes = found.plot(image=path, kind=kind) if kind in ("sources", "residuals") else found.plot(kind=kind)
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [pixels from 0]", "y [pixels from 0]")
        others = [one for one in axes.figure.axes if one is not axes]
        assert [one.get_ylabel() for one in others] == ([] if told is None else [told])
    in_electrons = srcextract.extract(IMAGE * pytest.importorskip("astropy.units").electron)
    assert in_electrons.plot().figure.axes[1].get_ylabel() == "level of the sky [electron]"
    assert found[["X_IMAGE", "Y_IMAGE"]].plot(kind="sky").figure.axes[1].get_ylabel() == "level of the sky [count]"
    assert found.plot(kind="histogram", column="FLUX_ISO").get_xlabel() == "FLUX_ISO [count]"


def test_axes_on_the_sky_keep_their_labels():
    found = srcextract.extract(srcextract.data.sky())
    figure = matplotlib.pyplot.figure()
    axes = figure.add_subplot(projection=found.wcs)
    found.plot(axes)
    figure.canvas.draw()
    assert "pixels" not in axes.get_xlabel()
