"""The picture against NumPy's block means and astropy.visualization, where the numbers come from libm and SVD: limits
within a millionth of the range, grey within one level, and the same level wherever astropy's is not at a boundary."""
import os
import subprocess
import warnings

import numpy as np
import pytest

visualization = pytest.importorskip("astropy.visualization")

LINEAR, SQRT, LOG, ASINH, EQUALIZE = range(5)  # stages' Stretch
ZSCALE, MINMAX = range(2)  # and Limits
STRETCHES = {LINEAR: visualization.LinearStretch(), SQRT: visualization.SqrtStretch(),
             LOG: visualization.LogStretch(1000), ASINH: visualization.AsinhStretch(0.1)}


def skies():
    """Images of many shapes and sizes, some with holes."""
    rng = np.random.default_rng(7)
    for height, width in [(64, 64), (97, 301), (1, 5000), (3000, 1), (517, 1031), (1200, 800), (40, 25), (2, 3)]:
        for holes in (0, 0.3, 0.97):
            sky = rng.normal(rng.uniform(-100, 1000), rng.uniform(0.1, 50), (height, width))
            stars = rng.uniform(size=sky.shape) < 0.02
            sky[stars] += 100 * rng.pareto(1.5, stars.sum())
            sky[rng.uniform(size=sky.shape) < holes] = np.nan
            if np.isfinite(sky).any():
                yield sky.astype(np.float32)


def pictures(images, stretch=LINEAR, limits=ZSCALE, bins=65536, size=1 << 20):
    """Of every image the shrunk one, its limits and the grey, as the program makes them."""
    request = b"".join(np.array([*image.shape[::-1], stretch, limits, bins, size], np.int32).tobytes()
                       + image.tobytes() for image in images)
    answer = subprocess.run([os.environ["SRCEXTRACT_MAKE_PICTURES"]], input=request, stdout=subprocess.PIPE,
                            check=True).stdout
    offset = 0

    def take(dtype, count):
        nonlocal offset
        values = np.frombuffer(answer, dtype, count, offset)
        offset += values.nbytes
        return values

    made = []
    for _ in images:
        width, height = take(np.int32, 2)
        shrunk = take(np.float32, width * height).reshape(height, width)
        made.append((shrunk, take(np.float32, 2), take(np.uint8, width * height).reshape(height, width)))
    assert offset == len(answer)
    return made


def block_means(image, factor):
    """The means of blocks in float64, of what is there."""
    height, width = (-(-side // factor) * factor for side in image.shape)
    padded = np.full((height, width), np.nan)
    padded[:image.shape[0], :image.shape[1]] = image
    blocks = padded.reshape(height // factor, factor, width // factor, factor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # blocks without a pixel
        return np.nanmean(blocks, axis=(1, 3)).astype(np.float32)


@pytest.mark.parametrize("size", [1, 10, 97, 256, 800])
def test_pixels_are_block_means(size):
    images = list(skies())
    for image, (shrunk, _, grey) in zip(images, pictures(images, size=size)):
        factor = max(1, -(-max(image.shape) // size))
        truth = block_means(image, factor)
        assert shrunk.shape == grey.shape == truth.shape and max(shrunk.shape) <= size
        assert np.array_equal(np.isnan(shrunk), np.isnan(truth))
        # Both add in double, in another order, and round once.
        np.testing.assert_allclose(shrunk, truth, rtol=2e-7, atol=1e-6 * np.nanmax(np.abs(image)))
        assert not grey[np.isnan(truth)].any()


def test_zscale_is_that_of_astropy():
    images = list(skies())
    compared = 0
    for image, (_, (low, high), _) in zip(images, pictures(images)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # polyfit on few points
            want = visualization.ZScaleInterval().get_limits(image)
        if not want[0] < want[1]:
            continue
        compared += 1
        np.testing.assert_allclose((low, high), want, rtol=1e-7, atol=1e-6 * (want[1] - want[0]))
    assert compared > 15


def test_zscale_of_many_skies_is_that_of_astropy():
    rng = np.random.default_rng(3)
    images = [(rng.normal(size=(40, 30)) + (rng.uniform(size=(40, 30)) < 0.1) * rng.pareto(1, (40, 30))
               ).astype(np.float32) for _ in range(500)]
    for image, (_, limits, _) in zip(images, pictures(images)):
        want = visualization.ZScaleInterval().get_limits(image)
        np.testing.assert_allclose(limits, want, rtol=1e-7, atol=1e-6 * (want[1] - want[0]))


def test_the_extremes_are_those_of_numpy():
    images = list(skies())
    for image, (_, (low, high), _) in zip(images, pictures(images, limits=MINMAX)):
        assert low == np.nanmin(image)
        assert high == np.nanmax(image) or low == np.nanmax(image)


@pytest.mark.parametrize("stretch", STRETCHES)
def test_stretches_are_those_of_astropy(stretch):
    images = list(skies())
    exact = total = 0
    for image, (_, (low, high), grey) in zip(images, pictures(images, stretch=stretch)):
        there = np.isfinite(image)
        values = (image[there].astype(np.float64) - float(low)) / (float(high) - float(low))
        want = np.round(255 * STRETCHES[stretch](np.clip(values, 0, 1))).astype(int)
        difference = np.abs(grey[there] - want)
        # A bin of 65536 is drawn at its centre: near t = 0 sqrt and log are so steep that the first few differ.
        steep = values < (0.001 if stretch in (SQRT, LOG) else 0)
        assert (difference[~steep] <= 1).all()
        assert not grey[~there].any()
        exact += (difference == 0).sum()
        total += difference.size
    assert exact > 0.98 * total


def test_equalisation_is_that_of_astropy():
    images = [image for image in skies() if np.isfinite(image).sum() > 20000]
    for image, (_, (low, high), grey) in zip(images, pictures(images, stretch=EQUALIZE)):
        values = np.clip(image[np.isfinite(image)], low, high)
        want = 255 * visualization.HistEqStretch(values)((values - low) / (high - low))
        # Equal pixels, those beyond the limits, share a grey here; astropy's has the last of their ranks.
        inside = (values > low) & (values < high)
        assert np.abs(grey[np.isfinite(image)][inside] - want[inside]).max() < 1
