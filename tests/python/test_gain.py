"""Electrons of a pixel value and errors of pixels, as objects of astropy have them: the scatter of equal stars is their error."""
import numpy as np
import pytest

import srcextract as sx

fits = pytest.importorskip("astropy.io.fits")
nddata = pytest.importorskip("astropy.nddata")
units = pytest.importorskip("astropy.units")

STEP, ACROSS, SKY, READ, FLUX = 32, 12, 100.0, 3.0, 40000.0
PLACES = STEP // 2 + STEP * np.arange(ACROSS)
HEADER = fits.Header({"GAIN": 4.0})  # of the counts that the electrons once were


def electrons():
    """Equal stars beneath Poisson's photons and a read noise."""
    rng = np.random.default_rng(3)
    line = np.exp(-0.5 * ((np.arange(STEP * ACROSS)[:, None] - PLACES) / 1.3) ** 2).sum(axis=1) / (1.3 * np.sqrt(2 * np.pi))
    stars = FLUX * np.outer(line, line) + SKY
    return rng.poisson(stars) + rng.normal(0, READ, stars.shape)


def is_right(found, factor=1.0):
    """Whether the stated error is `factor` times the scatter."""
    table = found.table
    near = [np.hypot(table["X_IMAGE"] - 1 - x, table["Y_IMAGE"] - 1 - y).argmin() for x in PLACES for y in PLACES]
    flux, error = (np.asarray(found[name]).reshape(len(found), -1)[near, 0] for name in ("FLUX_APER", "FLUXERR_APER"))
    return 0.85 < flux.std(ddof=1) / np.median(error) * factor < 1.15


def test_electrons_are_a_gain_of_1():
    image = electrons()
    for given in (nddata.CCDData(image, unit="electron", header=HEADER), nddata.CCDData(image, unit="electron", meta=HEADER)):
        assert is_right(sx.extract(given))
    assert is_right(sx.extract(image * units.electron, header=HEADER))
    assert is_right(sx.extract(image / 4 * units.adu, header=HEADER))
    assert is_right(sx.extract(image / 600 * units.electron / units.s, header=fits.Header({"GAIN": 4.0, "EXPTIME": 600.0})))
    assert not is_right(sx.extract(image, header=HEADER))  # counts


def test_an_uncertainty_is_a_total_error():
    image = electrons()
    error = np.sqrt(np.maximum(image, 0) + READ**2)
    of_sky = np.full(image.shape, np.sqrt(SKY + READ**2))
    header = fits.Header({"GAIN": 1.0})
    assert is_right(sx.extract(image, header=header, error=error))
    assert is_right(sx.extract(nddata.CCDData(image, unit="electron", uncertainty=nddata.StdDevUncertainty(error), header=header)))
    assert is_right(sx.extract(nddata.CCDData(image, unit="electron", uncertainty=nddata.VarianceUncertainty(error**2))))
    alone = sx.extract(image, header=header, error=of_sky)
    assert not is_right(alone)
    for photons in ("excluded", "auto"):
        assert is_right(sx.extract(image, header=header, error=of_sky, weights__photons=photons))
        assert is_right(sx.Extractor(weights__type="rms", weights__hdu="RMS", weights__photons=photons)(image, header=header, error=of_sky))
    config = {"extends": "none", "weights": {"type": "rms", "hdu": "RMS", "photons": "excluded"}, "measurement": {"gain_keyword": "GAIN"},
              "output": {"columns": ["default", "photometry"]}}
    assert is_right(sx.extract(image, config, header=header, error=of_sky))


def test_units_come_back_as_they_went_in():
    image = electrons()
    assert sx.extract(nddata.CCDData(image, unit="electron")).table["FLUX_APER"].unit == units.electron
    assert sx.extract(image * units.electron / units.s).table["FLUX_APER"].unit == units.electron / units.s
    assert sx.extract(image * units.adu).table["FLUX_APER"].unit == units.adu
    assert sx.extract(image * units.DN).table["FLUX_APER"].unit == units.DN
    assert sx.extract(image * units.ct).table["FLUX_APER"].unit == units.ct
