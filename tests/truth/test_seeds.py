"""Seeds: sources reach down to the threshold and have a pixel above detection.seed, as scipy.ndimage.label finds them
on both masks, from the check images."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

from program import extract
from rounds import first
from test_mesh import sky
from test_weights import scene


def written(program, directory, pixels, text, variance=None):
    """Label map, check images and report."""
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(directory / "image.fits")
    if variance is not None:
        fits.PrimaryHDU(np.asarray(variance, np.float32)).writeto(directory / "map.fits")
    (directory / "c.yaml").write_text(
        text + "\noutput: {formats: [csv], segmentation: true, check_images: [-background, rms, filtered]}\nextends: none\n")
    subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, "c.yaml", "image.fits"], cwd=directory,
                   check=True)
    images = {path.name.split(".")[1]: fits.getdata(path) for path in directory.glob("image.*.fits")}
    return images, json.loads((directory / "image.run.json").read_text())


def islands(low, high, connectivity, min_area):
    """The components of `low` that have a pixel of `high` and are large enough, numbered; how many there are of any
    size, and how many with those that have none."""
    label, count = ndimage.label(low, ndimage.generate_binary_structure(2, 2 if connectivity == 8 else 1))
    seeded = np.zeros(count + 1, bool)
    seeded[np.unique(label[high])] = True
    seeded[0] = False
    large = np.bincount(label.ravel(), minlength=count + 1) >= min_area
    number = np.where(seeded & large, np.cumsum(seeded & large), 0)
    return number[label], int(seeded.sum()), count


def above(pixels, level):
    with np.errstate(invalid="ignore"):
        return pixels > np.asarray(level).astype(np.float32)


def rough(seed, correlated):
    """Elliptical sources on a slope; the noise grows along x, and may be that of neighbouring pixels, too."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 1, (520, 560))
    if correlated:
        noise = ndimage.gaussian_filter(noise, 1.2)
        noise /= noise.std()
    x = np.arange(560)
    return sky(rng, 520, 560, gradient=3, sources=0.002, sigma=0) + 10 * (1 + x / 250) * noise


@pytest.mark.parametrize("low, high, connectivity, min_area", ((3, 5, 8, 1), (1.5, 3, 4, 5), (2, 8, 8, 3)))
@pytest.mark.parametrize("background, weights", (("mesh", "background"), ("mesh", "none"), ("constant", "none")))
@pytest.mark.parametrize("correlated", (False, True))
@pytest.mark.parametrize("seed", first(1, (1, 2)))
def test_scipy_finds_the_same(program, tmp_path, seed, correlated, background, weights, low, high, connectivity,
                              min_area):
    pixels = rough(seed, correlated)
    pixels[200:240, 100:130] = np.nan
    images, told = written(program, tmp_path, pixels,
                           f"background: {{method: {background}}}\nweights: {{type: {weights}}}\n"
                           f"detection: {{threshold: {low}, seed: {high}, connectivity: {connectivity}, "
                           f"min_area: {min_area}}}")
    if background == "mesh":
        values = images["minus_background"]
        noise = images["rms"].astype(float) if weights == "background" else told["background"]["sigma"]
        levels = low * noise, high * noise
    else:
        values, clipped = pixels.astype(np.float32), told["background"]["clipped"]
        levels = (clipped["median"] + number * clipped["sigma"] for number in (low, high))
    true_map, found, all_of_them = islands(*(above(values, level) for level in levels), connectivity, min_area)
    assert np.array_equal(images["seg"], true_map)
    assert told["counts"]["components"] == found and told["counts"]["sources"] == true_map.max()
    assert true_map.max() > 30 and found < all_of_them


@pytest.mark.parametrize("kind", ("weight", "variance", "rms"))
def test_with_maps_of_weights(program, tmp_path, kind):
    pixels, weights = scene(111)
    with np.errstate(divide="ignore"):
        maps = {"weight": 3 * weights, "variance": 2 / weights, "rms": 1 / np.sqrt(weights)}
    images, told = written(program, tmp_path, pixels, f"weights: {{type: {kind}, file: map.fits}}\n"
                           "detection: {threshold: 2, seed: 4, min_area: 3}", maps[kind])
    with np.errstate(divide="ignore"):
        variance = {"weight": np.float32(1) / maps["weight"], "variance": maps["variance"],
                    "rms": maps["rms"] * maps["rms"]}[kind].astype(np.float32)
    noise = told["weights"]["noise_scale"] * np.sqrt(variance).astype(float)
    low, high = (above(images["minus_background"], number * noise) for number in (2, 4))
    true_map, found, all_of_them = islands(low, high, 8, 3)
    # Where a pixel is within a rounding of its level, the root of a variance that was made of a weight decides.
    assert (images["seg"] != true_map).mean() < 1e-5
    assert abs(told["counts"]["components"] - found) <= 1 and true_map.max() > 100 and found < all_of_them / 2


def test_seeds_are_looked_for_where_sources_are(program, tmp_path):
    """In the convolved image; and SExtractor's unit or that of its own noise tells how bright they are."""
    pixels = rough(7, False)
    images, told = written(program, tmp_path, pixels, "convolve: {kernel: gaussian, fwhm: 3}\n"
                           "detection: {threshold: 1.5, seed: 3, min_area: 5}")
    noise = images["rms"].astype(float)
    true_map, found, all_of_them = islands(*(above(images["filtered"], number * noise) for number in (1.5, 3)), 8, 5)
    assert np.array_equal(images["seg"], true_map) and told["counts"]["components"] == found < all_of_them


def test_after_an_opening_seeds_are_what_is_left_of_them(program, tmp_path):
    pixels = rough(8, True)
    images, told = written(program, tmp_path, pixels, "morphology: {operation: opening, element: square}\n"
                           "detection: {threshold: 1.5, seed: 4, min_area: 1}")
    noise = images["rms"].astype(float)
    low, high = (above(images["minus_background"], number * noise) for number in (1.5, 4))
    opened = ndimage.binary_opening(low, np.ones((3, 3)))
    true_map, found, _ = islands(opened, high & opened, 8, 1)
    assert np.array_equal(images["seg"], true_map) and told["counts"]["components"] == found > 30


@pytest.mark.parametrize("correlated", (False, True))
def test_noise_has_the_false_sources_of_the_seed(program, tmp_path, correlated):
    """Not those of the threshold, of which a field of noise is full."""
    counts = {}
    for field in range(3):
        noise = np.random.default_rng(field).normal(0, 1, (1500, 1400))
        if correlated:
            noise = ndimage.gaussian_filter(noise, 1.2)
        for name, low, high in (("threshold", 3, 0), ("seeded", 3, 5), ("seed", 5, 0)):
            directory = tmp_path / f"{field}{name}"
            directory.mkdir()
            fits.PrimaryHDU(noise.astype(np.float32)).writeto(directory / "noise.fits")
            found, _ = extract(program, "plain", directory / "noise.fits", directory, "--backend", "cpu",
                               "--set", f"detection.threshold={low}", "--set", f"detection.seed={high}",
                               "--set", "detection.min_area=1")
            counts[name] = counts.get(name, 0) + len(found["NPIX"])
    assert counts["seeded"] <= counts["seed"] < 15
    assert counts["threshold"] > 1000 if correlated else counts["threshold"] > 5000


def test_sources_keep_their_outskirts(program, tmp_path):
    """A Gaussian that is cut off at a level L below its peak P has the fraction 1 - L / P of its flux."""
    rng = np.random.default_rng(12)
    y, x = np.indices((600, 600))
    pixels = rng.normal(0, 1, (600, 600))
    for cy in range(50, 600, 100):
        for cx in range(50, 600, 100):
            pixels += 10 * np.exp(-((x - cx) ** 2 / 6 ** 2 + (y - cy) ** 2 / 4 ** 2) / 2)
    image = tmp_path / "image.fits"
    fits.PrimaryHDU(pixels.astype(np.float32)).writeto(image)
    for low, high in ((5, 0), (3, 5), (2, 5)):
        found, _ = extract(program, "plain", image, tmp_path, "--backend", "cpu", "--set",
                           "background.method=constant", "--set", f"detection.threshold={low}", "--set",
                           f"detection.seed={high}")
        large = found["NPIX"] > 20
        assert large.sum() == 36 and len(large) - large.sum() < (5 if high else 1)
        truth = 2 * np.pi * 6 * 4 * 10
        assert np.median(found["FLUX_ISO"][large]) == pytest.approx(truth * (1 - low / 10), rel=0.06)
        assert found["THRESHOLD"] == pytest.approx(low, rel=0.06)
