"""FLUX_PSF of stars whose cores are clipped at SATURATE, or just above it: of their wings, on a flat sky and on a slope.
Without SATURATE the value at which they are clipped is found, and told. Cores that overflowed or were set to 0 count as saturated."""

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


def dark_core(name, image):
    """What converters make of the clipped cores, as stored; sky is the level that the stars are on."""
    clipped = image >= CLIP
    return {
        "0": np.where(clipped, 0, image),
        "-32768": np.where(clipped, -32768, image),
        "wrapped": (np.round(image).astype(np.int64) + 32768) % 65536 - 32768,
        "0 without a sky": np.where(clipped, 0, image - 100),
        "-32768 without a sky": np.where(clipped, -32768, image - 100),
    }[name]


@pytest.mark.parametrize("told", ({}, {"SATURATE": CLIP}), ids=("unknown", "told"))
@pytest.mark.parametrize("arguments", (PSF, ["--set", "psf.method=fit", "crowd"]), ids=("psf", "crowd"))
@pytest.mark.parametrize("name", ("0", "-32768", "wrapped", "0 without a sky", "-32768 without a sky"))
def test_cores_far_below_the_sky_count_as_saturated(program, tmp_path, name, arguments, told):
    image, places, fluxes = field(0, np.inf)
    found, said = catalogue(program, tmp_path, dark_core(name, image), *arguments, **told)
    assert "the cores of 8 stars, the first around" in said and "they count as saturated" in said
    assert ("set measurement.saturation to" in said) == (not told)
    for place, flux in list(zip(places, fluxes))[:8]:
        row = nearest(found, place)
        assert row["FLAGS"] & 4 and abs(row["FLUX_PSF"] / flux - 1) < 0.02
    for place, flux in list(zip(places, fluxes))[8:]:
        assert abs(nearest(found, place)["FLUX_PSF"] - flux) < max(5 * nearest(found, place)["FLUXERR_PSF"], 0.02 * flux)


def test_the_level_that_is_told_makes_the_same_catalogue(program, tmp_path):
    image, _, _ = field(0, np.inf)
    found, said = catalogue(program, tmp_path, dark_core("0", image), *PSF)
    level = re.search(r"set measurement.saturation to ([^,]+)", said)[1]
    told, _ = catalogue(program, tmp_path, dark_core("0", image), *PSF, "--set", f"measurement.saturation={level}")
    assert np.allclose(found["FLUX_PSF"], told["FLUX_PSF"], rtol=1e-3)


def test_dark_pixels_in_faint_stars_are_masked_and_others_stay(program, tmp_path):
    image, places, fluxes = field(0)
    dark = image.copy()
    rng = np.random.default_rng(3)
    for x, y in rng.integers(5, SIDE - 5, (200, 2)):
        if min(np.hypot(x - a, y - b) for a, b in places) > 20:
            dark[y, x] = -500
    x, y = np.round(places[20]).astype(int)
    dark[y, x + 1] = 0
    found, said = catalogue(program, tmp_path, dark, *PSF, SATURATE=CLIP)
    assert "1 place of bright light, the first around" in said and "name a map of bad pixels by mask.file" in said
    row = nearest(found, places[20])
    assert row["FLAGS"] & 256 and not row["FLAGS"] & 4 and not abs(row["FLUX_PSF"] - fluxes[20]) > 5 * row["FLUXERR_PSF"]


@pytest.mark.parametrize("level", (0, 100))
def test_negative_light_of_a_difference_is_no_dark_core(program, tmp_path, level):
    """Two frames of other seeing and places: negative cores, rings and dipoles."""
    image, places, fluxes = field(0, np.inf)
    v, u = np.mgrid[:SIDE, :SIDE]
    other = image * 0
    for number, ((x, y), flux) in enumerate(zip(places, fluxes)):
        width = (3.2, 3.8)[number % 2] / 2 / np.sqrt(2**(1 / 3) - 1)
        other += flux * 2 / np.pi / width**2 * (1 + ((u - x - 0.4 * (number % 3))**2 + (v - y)**2) / width**2)**-3
    fits.writeto(tmp_path / "f.fits", (image - 100 - other + level).astype("f4"), overwrite=True)
    done = subprocess.run([program, "-q", "--backend", "cpu", "-o", tmp_path, "--set", "psf.method=fit", "crowd",
                           tmp_path / "f.fits"], capture_output=True, text=True)
    assert "the cores of" not in done.stderr
