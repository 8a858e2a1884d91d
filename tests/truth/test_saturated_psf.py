"""FLUX_PSF of stars whose cores are clipped at SATURATE, or just above it: of their wings, on a flat sky and on a slope."""

import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

SIDE, CLIP = 400, 30000


@pytest.mark.parametrize("slope", (0, 2))
@pytest.mark.parametrize("saturate", (CLIP, CLIP - 1))
def test_pixels_that_equal_saturate_do_not_count(program, tmp_path, saturate, slope):
    rng = np.random.default_rng(1)
    v, u = np.mgrid[:SIDE, :SIDE]
    places = [(x, y) for x in np.arange(30.3, SIDE - 20, 48) for y in np.arange(30.6, SIDE - 20, 48)]
    fluxes = 10**rng.uniform(4, 5.3, len(places))
    fluxes[:8] = [8e5, 1e6, 1.5e6, 2e6] * 2
    image, width = 100 + slope * u.astype(float), 3.5 / 2 / np.sqrt(2**(1 / 3) - 1)
    for (x, y), flux in zip(places, fluxes):
        image += flux * 2 / np.pi / width**2 * (1 + ((u - x)**2 + (v - y)**2) / width**2)**-3
    image = np.minimum(rng.poisson(image * 2) / 2 + rng.normal(0, 3, image.shape), CLIP)
    path = tmp_path / "f.fits"
    fits.writeto(path, image.astype("f4"), fits.Header([("GAIN", 2), ("SATURATE", saturate)]))
    done = subprocess.run([program, "-q", "--backend", "cpu", "-o", tmp_path, "--set", "psf.method=fit", "--set",
                           "output.columns=[default, photometry, psf]", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = fits.getdata(tmp_path / "f.cat.fits", 1)
    for (x, y), flux in list(zip(places, fluxes))[:8]:
        row = found[np.hypot(found["X_IMAGE"] - 1 - x, found["Y_IMAGE"] - 1 - y).argmin()]
        assert row["FLAGS"] & 4
        assert abs(row["FLUX_PSF"] / flux - 1) < 0.02
        assert row["FLUXERR_PSF"] > 0
