"""convolve.median: the filtered image is NumPy's medians, hot pixels are not found and stars are, and the noise of what is
filtered is known where pixels are independent and where they share it."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

SIDE = 600


def extract(program, directory, pixels, *settings):
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(directory / "f.fits", overwrite=True)
    options = [part for setting in ("output.formats=[csv]", "convolve.median=true", *settings) for part in ("--set", setting)]
    subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, *options, directory / "f.fits"], check=True)
    table = np.genfromtxt(directory / "f.cat.csv", delimiter=",", names=True, ndmin=1)
    return table, json.loads((directory / "f.run.json").read_text())


def star_field(rng, fwhm=2.8, count=150):
    """A field of stars of 12 to 200 sigma of the pixels at their peaks, more than 8 pixels from each other."""
    places = []
    while len(places) < count:
        place = rng.uniform(10, SIDE - 10, 2)
        if all(np.hypot(*(place - other)) > 8 for other in places):
            places.append(place)
    image = rng.normal(1000, 10, (SIDE, SIDE))
    y, x = np.mgrid[:SIDE, :SIDE]
    for cx, cy in places:
        near = np.s_[max(int(cy) - 15, 0):int(cy) + 16, max(int(cx) - 15, 0):int(cx) + 16]
        image[near] += 10 ** rng.uniform(2.08, 3.3) * np.exp(-4 * np.log(2) * ((x[near] - cx) ** 2 + (y[near] - cy) ** 2) / fwhm ** 2)
    return image, np.array(places)


def test_the_filtered_image_is_that_of_nanmedian(program, tmp_path):
    image = np.random.default_rng(1).normal(1000, 10, (90, 120)).astype(np.float32)
    image[20, 30:40] = image[0, 0] = image[70:73, 70:73] = np.nan
    extract(program, tmp_path, image, "convolve.kernel=none", "background.method=constant", "output.check_images=[filtered,-background]")
    padded = np.pad(image, 1, constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).reshape(*image.shape, 9)
    with np.errstate(all="ignore"):
        want = np.where(np.isnan(image), np.nan, np.nanmedian(windows, axis=2))
    filtered = fits.getdata(tmp_path / "f.filtered.fits")
    level = np.nanmedian(want - filtered)
    good = ~np.isnan(want)
    assert good.sum() > 10_000 and np.abs((want - filtered)[good] - level).max() < 2e-4


@pytest.mark.parametrize("seed", [1, 2])
def test_hot_pixels_are_not_found_and_stars_are(program, tmp_path, seed):
    rng = np.random.default_rng(seed)
    image, places = star_field(rng)
    hot = rng.integers(3, SIDE - 3, (400, 2))
    for column, row in hot:
        image[row, column] += 10 ** rng.uniform(2.5, 4.5)
    with_it, _ = extract(program, tmp_path, image)
    without, _ = extract(program, tmp_path, image, "convolve.median=false")

    def found(table, at, within):
        return sum(np.min(np.hypot(table["X_IMAGE"] - 1 - x, table["Y_IMAGE"] - 1 - y)) < within for x, y in at)

    alone = np.array([place for place in hot if np.min(np.hypot(*(places - place).T)) > 8])
    assert len(alone) > 200 and found(without, alone, 1.5) > 0.9 * len(alone)
    assert found(with_it, alone, 1.5) <= 2
    assert found(with_it, places, 1.5) >= 0.97 * len(places)
    assert len(with_it) <= 1.05 * len(places)


@pytest.mark.parametrize("smoothed", [0, 0.8, 1.2])
def test_noise_alone_has_no_sources_and_its_shared_noise_is_known(program, tmp_path, smoothed):
    rng = np.random.default_rng(5)
    noise = rng.normal(0, 1, (SIDE, SIDE))
    if smoothed:
        noise = ndimage.gaussian_filter(noise, smoothed, mode="wrap")
    noise *= 10 / noise.std()
    table, record = extract(program, tmp_path, noise + 1000)
    assert len(table) <= 1
    assert record["shared_noise"]["width"] == pytest.approx(smoothed, rel=0.15)
