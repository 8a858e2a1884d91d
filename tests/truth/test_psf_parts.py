"""A PSF that is not that of all stars: each part of the field has stars of its own in it. A part that it does not follow
is warned of, and so are stars that are too sharp for it."""

import re
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

SIDE, GAIN, SKY = 768, 2.0, 300.0
WARNING = "its PSF has not the width of its stars everywhere"


def add(image, x, y, flux, fwhm, beta=3.0, half=24, fine=5, round_=1.0):
    """Adds a Moffat profile, averaged over each pixel; `round_` divides its height and multiplies its width."""
    alpha = fwhm / 2 / np.sqrt(2**(1 / beta) - 1)
    column, row = round(x), round(y)
    part = (np.arange((2 * half + 1) * fine) + 0.5) / fine - 0.5 - half
    u, v = part[None, :] + column - x, (part[:, None] + row - y) * round_
    light = (beta - 1) / np.pi / alpha**2 * (1 + (u**2 + v**2) / alpha**2)**-beta * round_
    light = light.reshape(2 * half + 1, fine, 2 * half + 1, fine).mean((1, 3))
    top, left = max(0, row - half), max(0, column - half)
    bottom, right = min(SIDE, row + half + 1), min(SIDE, column + half + 1)
    image[top:bottom, left:right] += flux * light[top - row + half:bottom - row + half, left - column + half:right - column + half]


def field(rng, width, galaxies=0):
    """400 stars on a jittered grid, whose full width is a function of the place (-1 to 1), and galaxies between them."""
    image, stars = np.zeros((SIDE, SIDE)), []
    for i in range(400):
        x, y = (20 + (k + 0.5) * 36.4 + rng.uniform(-6, 6) for k in (i % 20, i // 20))
        stars.append((x, y, 10**rng.uniform(3.3, 5.7)))
        add(image, *stars[-1], width(2 * x / SIDE - 1, 2 * y / SIDE - 1))
    for _ in range(galaxies):
        add(image, *rng.uniform(12, SIDE - 12, 2), 10**rng.uniform(3.8, 5.3), rng.uniform(4, 12), 2.2, round_=rng.uniform(1, 2))
    return rng.normal(image + SKY, np.sqrt(100 + image / GAIN)), np.array(stars)


def fluxes(program, directory, image, stars):
    """FLUX_PSF over the flux of the bright stars, their places, the places of the PSF's stars, and the messages."""
    fits.writeto(directory / "f.fits", image.astype("f4"), fits.Header([("GAIN", GAIN)]))
    done = subprocess.run([program, "--backend", "cpu", "-o", directory, "--set", "psf.method=fit", "--set", "output.psf=true",
                           "--set", "output.columns=[default, photometry, psf]", directory / "f.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found, chosen = (fits.getdata(directory / f"f.{name}.fits", 1) for name in ("cat", "psf.stars"))
    bright = stars[stars[:, 2] > 2e4]
    apart = np.hypot(found["X_IMAGE"] - 1 - bright[:, :1], found["Y_IMAGE"] - 1 - bright[:, 1:2])
    bright, row = bright[apart.min(1) < 2], apart.argmin(1)[apart.min(1) < 2]
    used = chosen[np.char.strip(chosen["REASON"]) == "used"]
    return found["FLUX_PSF"][row] / bright[:, 2], bright, used, done.stdout + done.stderr


@pytest.mark.parametrize("seed", (4, 5))
@pytest.mark.parametrize("wide, within", ((3.3, 0.02), (3.6, 0.04), (4.2, 0.07)))
def test_either_half_of_a_mosaic_makes_the_psf_and_its_step_is_told(program, tmp_path, wide, within, seed):
    image, stars = field(np.random.default_rng(seed), lambda u, v: 2.8 if u < 0 else wide)
    ratio, bright, used, said = fluxes(program, tmp_path, image, stars)
    assert (used["X_IMAGE"] > SIDE / 2).sum() > 40 and (used["X_IMAGE"] < SIDE / 2).sum() > 40
    for half in (bright[:, 0] < SIDE / 2, bright[:, 0] > SIDE / 2):
        assert abs(np.median(ratio[half]) - 1) < within
    assert WARNING in said and "psf.degree to 4" in said


@pytest.mark.parametrize("seed", (4, 5))
def test_a_width_that_doubles_with_the_square_of_the_distance_is_followed(program, tmp_path, seed):
    image, stars = field(np.random.default_rng(seed), lambda u, v: 2.5 + 1.25 * (u**2 + v**2))
    ratio, _, used, said = fluxes(program, tmp_path, image, stars)
    assert len(used) > 250 and abs(np.median(ratio) - 1) < 0.01
    assert np.quantile(ratio, 0.05) > 0.95 and np.quantile(ratio, 0.95) < 1.03


def test_a_bowl_that_no_polynomial_follows_is_told(program, tmp_path):
    image, stars = field(np.random.default_rng(4), lambda u, v: 2 + 6 * ((u**2 + v**2) / 2)**2)
    ratio, _, _, said = fluxes(program, tmp_path, image, stars)
    assert np.quantile(ratio, 0.05) < 0.95 and WARNING in said


@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("width, galaxies", ((lambda u, v: 3.0, 0), (lambda u, v: 3.0, 100), (lambda u, v: 3 + 0.3 * u - 0.2 * v, 60),
                                             (lambda u, v: 3 + 0.3 * (u**2 + v**2), 30)), ids=("same", "galaxies", "plane", "parabola"))
def test_a_psf_that_follows_its_stars_is_not_warned_of(program, tmp_path, width, galaxies, seed):
    image, stars = field(np.random.default_rng(seed), width, galaxies)
    ratio, _, used, said = fluxes(program, tmp_path, image, stars)
    assert WARNING not in said and abs(np.median(ratio) - 1) < 0.01


@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("fwhm, told", ((0.6, True), (1.5, False)))
def test_stars_sharper_than_a_pixel_samples_are_told(program, tmp_path, fwhm, told, seed):
    # beta 100 is a Gaussian
    rng = np.random.default_rng(seed)
    image = np.zeros((SIDE, SIDE))
    places = 20 + (np.arange(400)[:, None] // [1, 20] % 20 + 0.5) * 36.4 + rng.uniform(-6, 6, (400, 2))
    stars = np.column_stack((places, 10**rng.uniform(3.8, 5.3, 400)))
    for star in stars:
        add(image, *star, fwhm + 0.2 * star[0] / SIDE, 100, 8, 9)
    for x, y in rng.integers(10, SIDE - 10, (20, 2)):  # hot pixels
        image[y, x] += 5000
    _, _, used, said = fluxes(program, tmp_path, rng.normal(image + SKY, np.sqrt(100 + image / GAIN)), stars)
    assert ("bright sources are sharper than a star that its pixels can sample" in said) == told
    assert len(used) < 100 if told else len(used) > 200


@pytest.mark.parametrize("jump, ratio", (((5, 1), 0.6), ((6, 1), 0.6), ((-8, 5), 0.5), ((12, 1), 0.7)))
def test_stars_that_are_in_the_frame_twice_are_told(program, tmp_path, jump, ratio):
    rng = np.random.default_rng(3)
    image, stars = np.zeros((SIDE, SIDE)), []
    for x in np.arange(40, SIDE - 40, 62.0):
        for y in np.arange(40, SIDE - 40, 62.0):
            at, flux = (x + rng.uniform(-12, 12), y + rng.uniform(-12, 12)), 10**rng.uniform(3.6, 5.2)
            stars.append((*at, flux))
            add(image, *at, ratio * flux, 3.0)
            add(image, *(at + np.array(jump)), (1 - ratio) * flux, 3.0)
    image = rng.normal(image + SKY, np.sqrt(100 + image / GAIN))
    found, _, _, said = fluxes(program, tmp_path, image, np.array(stars))
    assert abs(np.median(found) - ratio) < 0.1
    told = re.search(r"are pairs with the same offset, \((\S+), (\S+)\) pixels", said)
    offset = np.array([float(told[1]), float(told[2])])
    assert min(np.hypot(*(offset - jump)), np.hypot(*(offset + jump))) < 1
    advice = re.search(r"--set deblend.method=none --set (measurement.apertures=\S+) gives", said)[1]
    done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, "--set", "deblend.method=none", "--set", advice,
                           "--set", "output.columns=[default, photometry]", tmp_path / "f.fits"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = fits.getdata(tmp_path / "f.cat.fits", 1)
    apart = np.hypot(*(np.stack((rows["X_IMAGE"], rows["Y_IMAGE"]), -1)[:, None] - 1 - np.array(stars)[:, :2]).transpose(2, 0, 1))
    bright = np.array(stars)[:, 2] > 2e4
    assert abs(np.median(rows["FLUX_APER"][apart.argmin(0)[bright]] / np.array(stars)[bright, 2]) - 1) < 0.03


@pytest.mark.parametrize("number", (400, 4000))
def test_neighbours_by_chance_are_no_pairs(program, tmp_path, number):
    rng = np.random.default_rng(number)
    image = np.zeros((SIDE, SIDE))
    stars = np.column_stack((rng.uniform(0, SIDE, (number, 2)), 10**rng.uniform(3.3, 5.2, number)))
    for star in stars:
        add(image, *star, 3.0)
    fits.writeto(tmp_path / "f.fits", rng.normal(image + SKY, np.sqrt(100 + image / GAIN)).astype("f4"), fits.Header([("GAIN", GAIN)]))
    done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, "--set", "psf.method=fit", "crowd", tmp_path / "f.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0 and "are pairs" not in done.stderr, done.stderr


def test_rows_of_stars_are_no_pairs(program, tmp_path):
    """Fibres: each star has one on each side, as far away and as bright."""
    rng = np.random.default_rng(8)
    image = np.zeros((SIDE, SIDE))
    for y in np.arange(40, SIDE - 40, 40.0):
        for x in 60 + 7 * np.arange(9.0):
            add(image, x, y + 0.1 * x, 3e4, 3.0)
    for x, y in rng.uniform(150, SIDE - 30, (30, 2)):
        add(image, x, y, 2e4, 3.0)
    fits.writeto(tmp_path / "f.fits", rng.normal(image + SKY, np.sqrt(100 + image / GAIN)).astype("f4"), fits.Header([("GAIN", GAIN)]))
    done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, "psf", tmp_path / "f.fits"], capture_output=True, text=True)
    assert done.returncode == 0 and "are pairs" not in done.stderr, done.stderr
