"""Keys as Quantities of astropy: pixels, arcseconds, and angles by the scale of the image."""
import numpy
import pytest

import srcextract

units = pytest.importorskip("astropy.units")
fits = pytest.importorskip("astropy.io.fits")
WCS = pytest.importorskip("astropy.wcs").WCS

Y, X = numpy.mgrid[:100, :130]
IMAGE = numpy.random.default_rng(40).normal(50, 3, Y.shape) + 400 * numpy.exp(-((X - 60.0) ** 2 + (Y - 50.0) ** 2) / 6)
SCALE = 0.4  # arcseconds
PLACE = numpy.array([[60.0, 50.0]])


def sky():
    wcs = WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.crpix = ["RA---TAN", "DEC--TAN"], [150, 2.2], [60, 50]
    wcs.wcs.cdelt = [-SCALE / 3600, SCALE / 3600]
    return wcs


def test_angles_become_pixels_by_the_scale_of_the_image(tmp_path):
    hdu = fits.PrimaryHDU(IMAGE.astype("f4"), sky().to_header())
    hdu.writeto(tmp_path / "sky.fits")
    given = ([2 * units.arcsec, 4 * units.arcsec], [2, 4] * units.arcsec, [2 / 60, 4 / 60] * units.arcmin)
    for image in hdu, tmp_path / "sky.fits", (tmp_path / "sky.fits").read_bytes():
        wanted = srcextract.extract(image, positions=PLACE, measurement__apertures=[5, 10])["FLUX_APER"]
        # Within a radius of r pixels is 1 - exp(-r^2 / 6) of such a star.
        numpy.testing.assert_allclose(wanted[0], 400 * 6 * numpy.pi * (1 - numpy.exp(-numpy.array([2.5, 5]) ** 2 / 6)), rtol=0.04)
        for one in given:
            found = srcextract.extract(image, positions=PLACE, measurement__apertures=one)["FLUX_APER"]
            numpy.testing.assert_allclose(found, wanted, rtol=1e-6)
        of_dict = srcextract.extract(image, {"extends": "none", "measurement": {"apertures": given[0]}}, positions=PLACE)["FLUX_APER"]
        numpy.testing.assert_allclose(of_dict, wanted, rtol=1e-6)


def test_arrays_take_the_scale_of_wcs_or_of_the_key():
    wanted = srcextract.extract(IMAGE, positions=PLACE, measurement__apertures=[5])["FLUX_APER"]
    for scale in {"wcs": sky()}, {"measurement__pixel_scale": SCALE}, {"measurement__pixel_scale": SCALE * units.arcsec}:
        found = srcextract.extract(IMAGE, positions=PLACE, measurement__apertures=[2 * units.arcsec], **scale)
        numpy.testing.assert_allclose(found["FLUX_APER"], wanted, rtol=1e-6)
    by_pixels = srcextract.extract(IMAGE, positions=PLACE, measurement__apertures=[5 * units.pix])
    numpy.testing.assert_array_equal(by_pixels["FLUX_APER"], wanted)


def test_kernels_may_be_angles():
    wanted = srcextract.extract(IMAGE, convolve__kernel="gaussian", convolve__fwhm=3.5)
    found = srcextract.extract(IMAGE, wcs=sky(), convolve__kernel="gaussian", convolve__fwhm=1.4 * units.arcsec)
    numpy.testing.assert_allclose(found["X_IMAGE"], wanted["X_IMAGE"], rtol=1e-6)
    assert "fwhm: 3.5" in wanted.config and len(found) == len(wanted) > 0


def test_apertures_of_photutils_are_diameters():
    aperture = pytest.importorskip("photutils.aperture")
    wanted = srcextract.extract(IMAGE, positions=PLACE, measurement__apertures=[5])["FLUX_APER"]
    circle = aperture.CircularAperture(PLACE, r=2.5)
    for one in circle, circle.to_sky(sky()), [circle]:
        found = srcextract.extract(IMAGE, wcs=sky(), positions=circle, measurement__apertures=one)
        numpy.testing.assert_allclose(found["FLUX_APER"], wanted, rtol=1e-6)


def test_angles_that_no_scale_makes_pixels():
    for call in (lambda: srcextract.extract(IMAGE, measurement__apertures=[2 * units.arcsec]),
                 lambda: srcextract.extract(IMAGE, wcs=sky(), measurement__apertures=[2 * units.arcsec, 5]),
                 lambda: srcextract.extract(IMAGE, wcs=sky(), measurement__apertures=[2 * units.s]),
                 lambda: srcextract.extract_many([IMAGE], measurement__apertures=[2 * units.arcsec]),
                 lambda: srcextract.extract(IMAGE, wcs=sky(), measurement__gain=2 * units.arcsec)):
        with pytest.raises(srcextract.ConfigError):
            call()
