"""crowd(): stars of a crowded field in an array, found and at given places."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

import srcextract as sx


def profile(u, v):
    return 2 / (np.pi * 9) * (1 + (u * u + v * v) / 9) ** -3


@pytest.fixture
def field(tmp_path):
    rng = np.random.default_rng(3)
    v, u = (np.mgrid[:41, :41] - 20).astype(float)
    column = fits.Column("PSF_MASK", "1681E", dim="(41,41,1)", array=[profile(u, v)[None]])
    table = fits.BinTableHDU.from_columns([column], name="PSF_DATA")
    table.header.update({"POLNAXIS": 0, "PSF_FWHM": 3.1, "PSF_SAMP": 1.0, "PSFNAXIS": 3, "PSFAXIS1": 41, "PSFAXIS2": 41,
                         "PSFAXIS3": 1})
    fits.HDUList([fits.PrimaryHDU(), table]).writeto(tmp_path / "x.psf")
    stars = np.column_stack((rng.uniform(10, 110, (12, 2)), 10 ** rng.uniform(3.5, 4.5, 12)))
    stars[1, :2] = stars[0, :2] + (3, 1)
    y, x = np.mgrid[:120, :120]
    image = 100 + rng.normal(0, 3, (120, 120)) + sum(f * profile(x - a, y - b) for a, b, f in stars)
    return image, stars, tmp_path / "x.psf"


def test_finds_all_stars(field):
    image, stars, psf = field
    found = sx.crowd(image, psf)
    table = found.table
    for x, y, flux in stars:
        row = np.argmin(np.hypot(table["X_IMAGE"] - 1 - x, table["Y_IMAGE"] - 1 - y))
        assert np.hypot(table["X_IMAGE"][row] - 1 - x, table["Y_IMAGE"][row] - 1 - y) < 0.2
        assert abs(table["FLUX_PSF"][row] - flux) < 5 * table["FLUXERR_PSF"][row] + 0.02 * flux
    assert {"FRACFLUX", "QF", "PASSNO", "CHI2_PSF", "SPREAD_MODEL"} <= set(table.colnames)


def test_fits_fluxes_at_places(field):
    image, stars, psf = field
    places = np.vstack((stars[:, :2], [[60, 500]]))  # the last is off the image
    flux = sx.crowd(image, psf, positions=places)["FLUX_PSF"]
    assert len(flux) == len(places) and np.isnan(flux[-1])
    assert np.all(np.abs(flux[:-1] / stars[:, 2] - 1) < 0.05)


def test_the_configuration_alone_makes_its_psf(field):
    image, _, _ = field
    alone, made = sx.extract(image, "crowd").table, sx.crowd(image).table
    assert len(alone) > 10 and all(np.array_equal(alone[name], made[name], equal_nan=True) for name in made.colnames)


def test_says_what_is_missing(field):
    image, _, psf = field
    with pytest.raises((sx.ConfigError, sx.InputError), match="none.psf"):
        sx.crowd(image, psf.with_name("none.psf"))
    with pytest.raises(sx.ConfigError, match="deblend"):
        sx.crowd(image, psf, deblend__method="tree")
