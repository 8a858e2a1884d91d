"""A crowd whose noise depends on the place: amplifiers, mosaics of unequal depth, vignetting. No map of the noise is given."""

import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
spatial = pytest.importorskip("scipy.spatial")

SIDE, STARS, WIDTH = 500, 200, 3 / 2.3548


def depths(name, rng):
    """The noise of each pixel, in units of the usual one."""
    y, x = np.mgrid[:SIDE, :SIDE]
    if name == "half":
        return np.where(x < 240, 1.0, 3.0)
    if name == "amplifiers":
        return np.choose((x > 249) * 2 + (y > 249), [1, 1.6, 0.8, 2.2])
    if name == "vignetting":
        return 1 + 2 * np.hypot(x - 250, y - 250) ** 2 / 353**2
    exposures = np.zeros((SIDE, SIDE))
    for _ in range(9):
        a, b = rng.integers(-100, 100, 2)
        exposures += ((x - 250 - a) ** 2 < 240**2) & ((y - 250 - b) ** 2 < 240**2)
    return np.where(exposures > 0, 3 / np.sqrt(np.maximum(exposures, 1)), np.nan)


def scene(name, seed):
    rng = np.random.default_rng(seed)
    image, noise = np.zeros((SIDE, SIDE)), 10 * depths(name, rng)
    places, fluxes = rng.uniform(20, SIDE - 20, (STARS, 2)), 10 ** rng.uniform(2.8, 4.8, STARS)
    for (x, y), flux in zip(places, fluxes):
        v, u = np.mgrid[max(0, int(y) - 9):int(y) + 10, max(0, int(x) - 9):int(x) + 10]
        v, u = v[v[:, 0] < SIDE], u[v[:, 0] < SIDE]
        v, u = v[:, u[0] < SIDE], u[:, u[0] < SIDE]
        image[v, u] += flux / (2 * np.pi * WIDTH**2) * np.exp(-((u - x) ** 2 + (v - y) ** 2) / 2 / WIDTH**2)
    return image + 100 + noise * rng.normal(0, 1, image.shape), noise, places, fluxes


def fit(program, directory, image, *settings):
    fits.writeto(directory / "f.fits", image.astype("f4"), fits.Header([("GAIN", 1e6), ("SATURATE", 1e9)]), overwrite=True)
    done = subprocess.run([program, "-q", "--backend", "cpu", "-o", directory, "--set", "psf.method=fit", *settings, "crowd", directory / "f.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return fits.getdata(directory / "f.cat.fits", 1)


@pytest.mark.parametrize("seed", (21, 22))
@pytest.mark.parametrize("name", ("half", "amplifiers", "vignetting", "mosaic"))
def test_no_noise_becomes_a_star_and_errors_are_those_of_the_place(program, tmp_path, name, seed):
    image, noise, places, fluxes = scene(name, seed)
    found = fit(program, tmp_path, image)
    xy = np.c_[found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1]
    false = spatial.cKDTree(places).query(xy)[0] > 2
    assert false.sum() <= 4, (false.sum(), len(found))
    distance, row = spatial.cKDTree(xy).query(places)
    x, y = np.rint(places).astype(int).T
    expected = 2 * np.sqrt(np.pi) * WIDTH * noise[y, x]
    alone = (spatial.cKDTree(places).query(places, 2)[0][:, 1] > 12) & np.isfinite(expected)
    clear = alone & (fluxes > 9 * expected)
    assert clear.sum() > 60 and (distance[clear] < 1).mean() > 0.97
    # Between cells of unlike noise an error may be that of the neighbour.
    ratio = found["FLUXERR_PSF"][row[clear]] / expected[clear]
    assert abs(np.median(ratio) - 1) < 0.06 and np.quantile(np.abs(np.log(ratio)), 0.9) < 0.25, np.quantile(ratio, [0.05, 0.5, 0.95])


@pytest.mark.parametrize("seed", (21, 22))
def test_a_map_finds_the_same_stars(program, tmp_path, seed):
    image, noise, _, _ = scene("amplifiers", seed)
    own = fit(program, tmp_path, image)
    fits.writeto(tmp_path / "rms.fits", noise.astype("f4"))
    told = fit(program, tmp_path, image, "--set", "weights.type=rms", "--set", f"weights.file={tmp_path}/rms.fits")
    assert abs(len(own) - len(told)) <= 0.03 * len(told)
