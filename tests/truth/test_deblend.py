"""Deblending beside its definition, level by level with SciPy (deblend_truth.py)."""
import os

import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")

from deblend_truth import Image, deblended, truth

TOOL = os.environ.get("SRCEXTRACT_DEBLEND_IMAGES")
if not TOOL:
    pytest.skip("SRCEXTRACT_DEBLEND_IMAGES must name the program that deblends images", allow_module_level=True)


def stars(seed, size=96, count=60, noise=1.0, beta=2.5):
    """Elliptical Moffat profiles in correlated noise."""
    rng = np.random.default_rng(seed)
    image = ndimage.gaussian_filter(rng.normal(0, noise, (size, size)), 0.6)
    for _ in range(count):
        a, flux = rng.uniform(1.0, 3.0), 10 ** rng.uniform(0.8, 2.8)
        b, angle = a * rng.uniform(0.4, 1), rng.uniform(0, np.pi)
        x, y = rng.uniform(0, size, 2)
        rows, columns = (slice(max(0, int(at) - 30), int(at) + 31) for at in (y, x))
        dy, dx = np.arange(size)[rows, None] - y, np.arange(size)[None, columns] - x
        u, v = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
        image[rows, columns] += flux * (1 + (u / a) ** 2 + (v / b) ** 2) ** -beta
    return image


def source_of_pixels(labels, sources):
    """x, y, parent, split, edge of the source of every pixel."""
    return np.vstack([np.zeros((1, 5)), sources])[labels]


def assert_as_defined(images, decided=0.999):
    """And that images were found to divide, and hardly a pixel may be of either of two sources."""
    split = pixels = open_pixels = 0
    for i, (image, (labels, sources)) in enumerate(zip(images, deblended(TOOL, images))):
        true_labels, true_sources, undecided = truth(image)
        assert len(sources) == len(true_sources), f"image {i}: {len(sources)} sources, not {len(true_sources)}"
        theirs = source_of_pixels(true_labels, true_sources)
        differ = np.argwhere(~np.isclose(source_of_pixels(labels, sources), theirs, rtol=0, atol=1e-6).all(axis=2) &
                             ~undecided)
        assert len(differ) == 0, f"image {i}: {len(differ)} pixels have another source, the first at {differ[0]}"
        first = np.unique(labels[labels > 0], return_index=True)[1]
        assert np.all(np.diff(first) > 0), f"image {i}: not numbered in raster order"
        split += int(sources[:, 3].sum())
        pixels += np.count_nonzero(labels)
        open_pixels += np.count_nonzero(undecided)
    assert split > 2 * len(images) and open_pixels <= (1 - decided) * pixels


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("levels", [2, 5, 32, 100])
def test_stars(connectivity, levels):
    smooth = [stars(seed) for seed in range(6)]
    assert_as_defined([Image(image, 2.5, connectivity=connectivity, levels=levels, contrast=0.0005) for image in smooth])


def test_image_that_was_filtered():
    plain = [stars(seed, noise=2) for seed in range(20, 32)]
    kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
    assert_as_defined([Image(ndimage.convolve(image, kernel, mode="constant"), 2, image) for image in plain])


@pytest.mark.parametrize("min_area", [1, 2, 3, 9])
@pytest.mark.parametrize("contrast", [0, 0.005, 0.1])
def test_noise(min_area, contrast):
    rng = np.random.default_rng(7)
    images = [ndimage.gaussian_filter(rng.normal(0, 1, (40, 50)), rng.uniform(0, 2)) for _ in range(12)]
    assert_as_defined([Image(image / image.std(), 0.3, min_area=min_area, contrast=contrast) for image in images],
                     decided=0.98 if min_area < 3 else 0.999)  # cores of single pixels are all alike


@pytest.mark.parametrize("connectivity", [4, 8])
def test_plateaus(connectivity):
    """Few values, so that nearly every pixel has neighbours as high as itself."""
    rng = np.random.default_rng(3)
    images = [np.round(ndimage.gaussian_filter(rng.uniform(0, 12, (rng.integers(1, 60), 64)), rng.uniform(0, 1)))
              for _ in range(40)]
    assert_as_defined([Image(image, 3.5, connectivity=connectivity, levels=8, contrast=0) for image in images],
                      decided=0.9)


def test_scale():
    """Of the unit of the pixels nothing depends, where it is a power of two; nor do levels that are huge or tiny."""
    image = stars(5)
    first, *others = deblended(TOOL, [Image(image * 2.0**power, 2.5 * 2.0**power) for power in (0, 60, -60, -110)])
    assert first[1][:, 3].sum() > 10
    for other in others:
        assert np.array_equal(first[0], other[0]) and np.array_equal(first[1], other[1])


def test_threads():
    tile = stars(11, size=200, count=400)
    image = [Image(np.tile(tile, (3, 4)), 2.5, contrast=1e-4)]
    (one, rows), = deblended(TOOL, image, threads=1)
    (seven, same), = deblended(TOOL, image, threads=7)
    assert rows[:, 3].sum() > 500
    assert np.array_equal(one, seven) and np.array_equal(rows, same)


def test_what_is_too_small_or_even():
    """Nothing to divide: single pixels, one value, what is too small to be two, no pixel at all."""
    two = np.zeros((3, 9))
    two[1, [1, 2, 3, 5, 6, 7]] = 9
    two[1, 4] = 2  # of 7 pixels: two of three and what joins them
    small = two.copy()
    small[1, 1] = 0
    dots = np.zeros((9, 9))
    dots[::2, ::2] = 5
    images = [Image(dots, 1, min_area=1, contrast=0), Image(np.full((20, 20), 7.0), 1), Image(small, 1, contrast=0),
              Image(np.zeros((4, 4)), 1), Image(np.full((1, 1), 3.0), 1, min_area=1)]
    for labels, sources in deblended(TOOL, images):
        assert not sources[:, 3].any() and labels.max(initial=0) == len(sources)
    (labels, sources), = deblended(TOOL, [Image(two, 1, contrast=0)])
    assert sources[:, 3].tolist() == [1, 1] and labels[1].tolist()[1:4] == [1, 1, 1]


def test_masked_neighbours():
    """Pixels that are NaN are in no source and change nothing else."""
    image = stars(13)
    image[40:44] = np.nan
    halves = image.copy()
    halves[40:44] = 0
    (ours, rows), (other, same) = deblended(TOOL, [Image(image, 2.5), Image(halves, 2.5)])
    assert rows[:, 3].sum() > 4
    assert np.array_equal(ours, other) and np.array_equal(rows, same)
