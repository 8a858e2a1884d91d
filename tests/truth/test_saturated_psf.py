"""FLUX_PSF of stars whose cores are clipped at SATURATE, or just above it: of their wings, on a flat sky and on a slope.
Without SATURATE the value at which they are clipped is found, and told."""

import re
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

SIDE, CLIP = 400, 30000


def field(slope, clip=CLIP, seed=1):
    """A sky with a grid of stars, eight of them clipped unless `clip` is infinite; their places and fluxes."""
    rng = np.random.default_rng(seed)
    v, u = np.mgrid[:SIDE, :SIDE]
    places = [(x, y) for x in np.arange(30.3, SIDE - 20, 48) for y in np.arange(30.6, SIDE - 20, 48)]
    fluxes = 10**rng.uniform(4, 5.3, len(places))
    fluxes[:8] = [8e5, 1e6, 1.5e6, 2e6] * 2
    image, width = 100 + slope * u.astype(float), 3.5 / 2 / np.sqrt(2**(1 / 3) - 1)
    for (x, y), flux in zip(places, fluxes):
        image += flux * 2 / np.pi / width**2 * (1 + ((u - x)**2 + (v - y)**2) / width**2)**-3
    return np.minimum(rng.poisson(image * 2) / 2 + rng.normal(0, 3, image.shape), clip), places, fluxes


def catalogue(program, directory, image, *arguments, **header):
    fits.writeto(directory / "f.fits", image.astype("f4"), fits.Header([("GAIN", 2), *header.items()]), overwrite=True)
    done = subprocess.run([program, "-q", "--backend", "cpu", "-o", directory, *arguments, directory / "f.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return fits.getdata(directory / "f.cat.fits", 1), done.stderr


PSF = ["--set", "psf.method=fit", "--set", "output.columns=[default, photometry, psf]"]


def nearest(found, place):
    return found[np.hypot(found["X_IMAGE"] - 1 - place[0], found["Y_IMAGE"] - 1 - place[1]).argmin()]


@pytest.mark.parametrize("slope", (0, 2))
@pytest.mark.parametrize("saturate", (CLIP, CLIP - 1))
def test_pixels_that_equal_saturate_do_not_count(program, tmp_path, saturate, slope):
    image, places, fluxes = field(slope)
    found, _ = catalogue(program, tmp_path, image, *PSF, SATURATE=saturate)
    for place, flux in list(zip(places, fluxes))[:8]:
        row = nearest(found, place)
        assert row["FLAGS"] & 4
        assert abs(row["FLUX_PSF"] / flux - 1) < 0.02
        assert row["FLUXERR_PSF"] > 0


@pytest.mark.parametrize("slope", (0, 2))
@pytest.mark.parametrize("arguments", ([], PSF, ["--set", "psf.method=fit", "crowd"]), ids=("default", "psf", "crowd"))
def test_without_saturate_the_value_that_clipped_stars_share_counts(program, tmp_path, arguments, slope):
    image, places, fluxes = field(slope)
    found, said = catalogue(program, tmp_path, image, *arguments)
    assert "8 sources have the same greatest value, 30000," in said and "set measurement.saturation to 30000" in said
    rows = [nearest(found, place) for place in places]
    assert [bool(row["FLAGS"] & 4) for row in rows] == [True] * 8 + [False] * (len(places) - 8)
    if arguments:
        told, _ = catalogue(program, tmp_path, image, *arguments, SATURATE=CLIP)
        assert np.array_equal(found["FLUX_PSF"], told["FLUX_PSF"])
        assert all(abs(row["FLUX_PSF"] / flux - 1) < 0.02 for row, flux in zip(rows[:8], fluxes))


@pytest.mark.parametrize("arguments", ([], PSF), ids=("default", "psf"))
def test_stars_that_are_not_clipped_are_not_flagged(program, tmp_path, arguments):
    image, _, _ = field(0, np.inf)
    found, said = catalogue(program, tmp_path, image, *arguments)
    assert "greatest value" not in said and "should differ" not in said and not (found["FLAGS"] & 4).any()
    # Nor where many peaks share a value that is not far above the sky.
    few, said = catalogue(program, tmp_path, np.minimum(np.round(image / 20), 20))
    assert "greatest value" not in said and not (few["FLAGS"] & 4).any()


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_peaks_that_gather_without_being_equal_are_told(program, tmp_path, seed):
    """Clipped pixels are divided by a flat, and no two are equal; the value to type makes the fluxes right."""
    image, places, fluxes = field(0, seed=seed)
    flat = 1 + 0.03 * np.cos(np.arange(SIDE) / 90) + np.random.default_rng(seed).normal(0, 0.005, image.shape)
    image = np.where(image >= CLIP, image / flat, image)
    found, said = catalogue(program, tmp_path, image, *PSF)
    off = [nearest(found, place)["FLUX_PSF"] / flux - 1 for place, flux in list(zip(places, fluxes))[:8]]
    assert min(off) < -0.1 and "bright sources that should differ are all from" in said
    level = re.search(r"set measurement.saturation to (\S+)", said)[1]
    found, said = catalogue(program, tmp_path, image, *PSF, "--set", f"measurement.saturation={level}")
    assert "should differ" not in said
    for place, flux in list(zip(places, fluxes))[:8]:
        row = nearest(found, place)
        assert row["FLAGS"] & 4 and abs(row["FLUX_PSF"] / flux - 1) < 0.03


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_bright_galaxies_beside_stars_are_not_told_as_clipped(program, tmp_path, seed):
    image, _, _ = field(0, np.inf, seed)
    rng = np.random.default_rng(seed)
    v, u = np.mgrid[:SIDE, :SIDE]
    for x, y in rng.uniform(20, SIDE - 20, (25, 2)):
        radius = rng.uniform(3, 8)
        image += 10**rng.uniform(5, 6.5) * 2 / np.pi / radius**2 * (1 + ((u - x)**2 + (v - y)**2) / radius**2)**-3
    _, said = catalogue(program, tmp_path, image, *PSF)
    assert "should differ" not in said
