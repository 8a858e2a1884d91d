"""A crowd in pixels that share their noise, as those of every resampled image do: no rows of noise, and errors that are those
of the fluxes. The PSF is given, or made of the image."""

import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")
spatial = pytest.importorskip("scipy.spatial")

from program import ROOT

REAL = ROOT.parent / "shared/data/real"
SIDE, STARS, WIDTH = 500, 300, 3 / 2.3548


def fit(program, directory, name, *settings):
    path = directory / f"{name}.fits"
    done = subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, *settings, "crowd", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return fits.getdata(directory / f"{name}.cat.fits", 1)


def field(smoothing, seed):
    """Stars between 0.4 and 40 times what is found in independent pixels."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 1, (SIDE, SIDE))
    noise = ndimage.gaussian_filter(noise, smoothing) if smoothing else noise
    places, fluxes = rng.uniform(20, SIDE - 20, (STARS, 2)), 10**rng.uniform(2.8, 4.8, STARS)
    v, u = np.mgrid[:SIDE, :SIDE]
    image = 100 + 10 * noise / noise.std()
    for (x, y), flux in zip(places, fluxes):
        image += flux / (2 * np.pi * WIDTH**2) * np.exp(-((u - x)**2 + (v - y)**2) / 2 / WIDTH**2)
    return image, places, fluxes


@pytest.mark.parametrize("seed", (3, 4))
@pytest.mark.parametrize("smoothing", (0, 0.5, 0.8, 1.2))
def test_noise_that_pixels_share_is_no_star(program, tmp_path, smoothing, seed):
    image, places, fluxes = field(smoothing, seed)
    fits.writeto(tmp_path / "f.fits", image.astype("f4"), fits.Header([("GAIN", 1e6), ("SATURATE", 1e9)]))
    found = fit(program, tmp_path, "f", "--set", "psf.method=fit")
    tree = spatial.cKDTree(np.c_[found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1])
    distance, row = tree.query(places)
    away = spatial.cKDTree(places).query(tree.data)[0] > 2
    assert away.sum() <= 0.01 * len(found)
    assert (distance[fluxes > 5000] < 1).mean() > 0.97
    # Of stars that stand alone and are not so bright that the PSF, which was made of them, makes a difference.
    alone = (distance < 1) & (spatial.cKDTree(places).query(places, 2)[0][:, 1] > 12) & (fluxes > 1000) & (fluxes < 6000)
    pulls = ((found["FLUX_PSF"][row] - fluxes) / found["FLUXERR_PSF"][row])[alone]
    assert len(pulls) > 25
    scatter = 1.4826 * np.median(np.abs(pulls - np.median(pulls)))
    assert 0.7 < scatter < 1.3, (scatter, len(pulls))


@pytest.mark.parametrize("left, right, part", ((0, 1, 0.5), (0.5, 1.2, 0.5), (0, 0.6, 0.5), (1, 0, 0.75)))
def test_a_part_that_was_smoothed_is_no_quieter_part(program, tmp_path, left, right, part):
    """Second differences tell a hundredth of the noise that was smoothed by a pixel: thousands of its peaks were stars."""
    image, places, fluxes = field(left, 6)
    rng = np.random.default_rng(7)
    noise = ndimage.gaussian_filter(rng.normal(0, 1, image.shape), right) if right else rng.normal(0, 1, image.shape)
    of_right = 100 + 10 * noise / noise.std()
    v, u = np.mgrid[:SIDE, :SIDE]
    for (x, y), flux in zip(places, fluxes):
        of_right += flux / (2 * np.pi * WIDTH**2) * np.exp(-((u - x)**2 + (v - y)**2) / 2 / WIDTH**2)
    image = np.where(u < part * SIDE, image, of_right)
    fits.writeto(tmp_path / "f.fits", image.astype("f4"), fits.Header([("GAIN", 1e6), ("SATURATE", 1e9)]))
    found = fit(program, tmp_path, "f", "--set", "psf.method=fit")
    at = np.c_[found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1]
    away = spatial.cKDTree(places).query(at)[0] > 2
    assert away.sum() <= 0.01 * len(found)
    assert (spatial.cKDTree(at).query(places)[0][fluxes > 5000] < 1).mean() > 0.97


# The KiDS images have dark columns, which are bright in the negative.
@pytest.mark.parametrize("name, part", (("M6707HH", 0.01), ("gc_2mass_h", 0.01), ("HorseHead", 0.01), ("viking_Z", 0.01),
                                        ("spitzer_example_image", 0.01), ("emmi_sep", 0.01), ("kids_g", 0.04), ("kids_r", 0.05)))
def test_the_negative_of_a_real_image_has_hardly_a_star(program, tmp_path, name, part):
    path = next((p for p in (REAL / f"{name}.fits", REAL / f"{name}.fits.gz") if p.exists()), None)
    if path is None:
        pytest.skip("no data: shared/data/real")
    with fits.open(path) as hdus:
        image = np.asarray(next(hdu.data for hdu in hdus if hdu.data is not None), float)
    fits.writeto(tmp_path / "f.fits", image.astype("f4"))
    done = subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", tmp_path, "--set", "output.check_images=[background]", tmp_path / "f.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    level = fits.getdata(tmp_path / "f.background.fits")
    fits.writeto(tmp_path / "negative.fits", (2 * level - image).astype("f4"))
    assert subprocess.run([program, "-q", "-o", tmp_path, "psf", tmp_path / "f.fits"]).returncode == 0
    given = ("--set", f"psf.file={tmp_path}/f.psf")
    assert len(fit(program, tmp_path, "negative", *given)) <= part * len(fit(program, tmp_path, "f", *given))


@pytest.mark.parametrize("stars", (3000, 6000))
def test_a_dense_crowd_in_white_noise_shares_none(program, tmp_path, stars):
    """12 000 and 24 000 stars a megapixel: their light alone is alike over two pixels."""
    rng = np.random.default_rng(5)
    image = 100 + rng.normal(0, 10, (SIDE, SIDE))
    for x, y, flux in zip(*rng.uniform(10, SIDE - 10, (2, stars)), 10**rng.uniform(2.3, 4.5, stars)):
        v, u = np.mgrid[int(y) - 8:int(y) + 9, int(x) - 8:int(x) + 9]
        image[v, u] += flux / (2 * np.pi * WIDTH**2) * np.exp(-((u - x)**2 + (v - y)**2) / 2 / WIDTH**2)
    fits.writeto(tmp_path / "f.fits", image.astype("f4"), fits.Header([("GAIN", 1e6), ("SATURATE", 1e9)]))
    found = fit(program, tmp_path, "f", "--set", "psf.method=fit")
    assert json.loads((tmp_path / "f.run.json").read_text())["crowd"]["shared_noise"] == 1 and len(found) > stars / 3
