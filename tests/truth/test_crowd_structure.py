"""A crowd before light that is larger than its stars: edges and filaments of nebulae, sky that a mesh cannot follow, and noise
of rows and of low frequencies."""

import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")
spatial = pytest.importorskip("scipy.spatial")

SIDE, STARS, NOISE = 500, 250, 10


def stars(rng, width):
    """Moffat stars of beta 3 from some 6 to 600 sigma."""
    places, fluxes = rng.uniform(15, SIDE - 15, (STARS, 2)), 10 ** rng.uniform(2.8, 4.8, STARS)
    return light_of(places, fluxes, width), places, fluxes


def light_of(places, fluxes, width):
    light, core = np.zeros((SIDE, SIDE)), width / 2 / np.sqrt(2 ** (1 / 3) - 1)
    for (x, y), flux in zip(places, fluxes):
        v, u = np.mgrid[max(0, int(y) - 25):min(SIDE, int(y) + 26), max(0, int(x) - 25):min(SIDE, int(x) + 26)]
        light[v, u] += flux * 2 / (np.pi * core**2) / (1 + ((u - x) ** 2 + (v - y) ** 2) / core**2) ** 3
    return light


def structure(name, rng):
    v, u = np.mgrid[:SIDE, :SIDE]
    if name == "edge":  # a wavy edge, 6 pixels wide and 40 sigma high
        return 40 * NOISE / (1 + np.exp((u - 250 - 60 * np.sin(v / 45)) / 1.5))
    if name == "filaments":  # 20 sigma high and some 8 pixels wide
        wave = ndimage.gaussian_filter(rng.normal(0, 1, (SIDE, SIDE)), 30)
        return 20 * NOISE * np.exp(-(wave / wave.std() / 0.12) ** 2)
    if name == "amplifiers":  # steps of 2 to 4 sigma
        return np.choose((u > 249) * 2 + (v > 249), [0, 4 * NOISE, -2 * NOISE, 2 * NOISE])
    return np.where((u < 16) | (u >= SIDE - 16) | (v >= SIDE - 10), -20 * NOISE, 0)  # an overscan that was left on


def fit(program, directory, image, gain=1e6):
    fits.writeto(directory / "f.fits", image.astype("f4"), fits.Header([("GAIN", gain), ("SATURATE", 1e9)]), overwrite=True)
    done = subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, "--set", "psf.method=fit", "crowd", directory / "f.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = fits.getdata(directory / "f.cat.fits", 1)
    return np.c_[found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1], done.stderr


@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("name", ("edge", "filaments", "amplifiers", "overscan"))
def test_light_larger_than_stars_is_no_star(program, tmp_path, name, seed):
    rng = np.random.default_rng(seed)
    light, places, fluxes = stars(rng, 3)
    image = 200 + light + structure(name, rng) + rng.normal(0, NOISE, light.shape)
    at, _ = fit(program, tmp_path, image)
    false = spatial.cKDTree(places).query(at)[0] > 2
    found = spatial.cKDTree(at).query(places)[0] < 1
    assert false.sum() <= 0.1 * len(at), (false.sum(), len(at))
    assert found[fluxes > 5000].mean() > 0.97


def noise_of_rows(rng):
    return rng.normal(0, NOISE, (SIDE, 1))


def noise_of_low_frequencies(rng):
    frequency = np.fft.rfftfreq(SIDE * SIDE)
    frequency[0] = np.inf
    noise = np.fft.irfft(np.fft.rfft(rng.normal(0, 1, SIDE * SIDE)) / np.sqrt(frequency))
    return NOISE * (noise / noise.std()).reshape(SIDE, SIDE)


@pytest.mark.parametrize("kind, told", ((noise_of_rows, True), (noise_of_low_frequencies, True), (None, False)))
def test_noise_that_becomes_stars_is_told_with_the_line_to_type(program, tmp_path, kind, told):
    rng = np.random.default_rng(5)
    light, places, _ = stars(rng, 3)
    image = 200 + light + rng.normal(0, NOISE, light.shape) + (kind(rng) if kind else 0)
    at, said = fit(program, tmp_path, image)
    assert ("--set crowd.threshold=7" in said) == told, said
    negatives = json.loads((tmp_path / "f.run.json").read_text())["crowd"]["negatives"]
    false = (spatial.cKDTree(places).query(at)[0] > 2).sum()
    assert (negatives > 5) == told and (false > 10) == told, (negatives, false)


@pytest.mark.parametrize("seed", (21, 22))
def test_a_cluster_keeps_its_stars_and_their_light(program, tmp_path, seed):
    """A King profile of 5000 stars. Its middle is one hill of light, on which stars are small maxima."""
    rng = np.random.default_rng(seed)
    radius, low, high = np.linspace(0, 100, 4000), 300 ** -0.6, 1e5 ** -0.6
    density = (1 / np.sqrt(1 + (radius / 15) ** 2) - 1 / np.sqrt(1 + (100 / 15) ** 2)) ** 2 * radius
    distance = np.interp(rng.random(5000), np.cumsum(density) / density.sum(), radius)
    angle = rng.uniform(0, 2 * np.pi, len(distance))
    cluster = np.c_[250 + distance * np.cos(angle), 250 + distance * np.sin(angle)]
    fluxes = (low + rng.random(len(distance)) * (high - low)) ** (-1 / 0.6)
    _, around, of_around = stars(rng, 3)
    apart = np.hypot(*(around - 250).T) > 115
    light = light_of(np.r_[cluster, around[apart]], np.r_[fluxes, of_around[apart]], 3)
    image = rng.poisson(2 * (100 + light)) / 2 + rng.normal(0, 2.5, light.shape)
    at, _ = fit(program, tmp_path, image, gain=2)
    found = fits.getdata(tmp_path / "f.cat.fits", 1)
    inside = np.hypot(*(at - 250).T) < 105
    assert 0.85 < found["FLUX_PSF"][inside].sum() / fluxes.sum() < 1.05
    clear = (fluxes > 1e4) & (distance > 40)
    near, row = spatial.cKDTree(at).query(cluster[clear])
    off = found["FLUX_PSF"][row[near < 1.5]] / fluxes[clear][near < 1.5] - 1
    assert (near < 1.5).mean() > 0.85 and abs(np.median(off)) < 0.04, (len(off), np.median(off))
