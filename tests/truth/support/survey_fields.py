"""Images as the surveys of tests/truth/configurations have them, with their maps of weights and of flags and their headers."""
import numpy as np
from astropy.io import fits
from scipy import ndimage

from oracle_fields import field


def header(scale, **more):
    """Of a tangential projection with pixels of so many arc seconds."""
    cards = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 150.1, "CRVAL2": 2.2, "CRPIX1": 1, "CRPIX2": 1,
             "CD1_1": -scale / 3600, "CD1_2": 0.0, "CD2_1": 0.0, "CD2_2": scale / 3600, **more}
    return fits.Header(list(cards.items()))


def sources(seed, side, per_mpix, seeing, noise):
    """Stars and galaxies that are seen over such a noise, without it."""
    noisy = field(seed, side, per_mpix, seeing=seeing, sky=0, noise=noise, slope=0)
    return noisy - np.random.default_rng(seed).normal(0, noise, noisy.shape)


def exposures(seed, side, count):
    """How many of `count` dithered exposures saw a pixel: each lacks a gap between detectors, what is beyond its edge, bad
    columns, and what cosmic rays hit; a few bright stars have bled in all of them."""
    rng = np.random.default_rng(seed + 7000)
    seen = np.zeros((side, side))
    for _ in range(count):
        x, y = rng.integers(-side // 8, side // 8, 2)
        frame = np.ones((side, side))
        frame[:, side // 2 + x:side // 2 + x + 30] = 0
        frame[:max(0, y)] = 0
        frame[:, rng.choice(side, side // 256)] = 0
        for cy, cx in rng.integers(0, side, (side // 8, 2)):
            frame[cy:cy + rng.integers(1, 3), cx:cx + rng.integers(1, 6)] = 0
        seen += frame
    for cy, cx in rng.integers(20, side - 20, (max(2, side // 256), 2)):
        seen[cy - 15:cy + 15, cx:cx + 3] = 0
    return seen


def stack(seed, side, noise, light, count=6):
    """`light` as a stack of `count` exposures has it, whose noise resampling has correlated; its weights, calibrated, and
    how many exposures saw a pixel. What none saw is anything."""
    rng = np.random.default_rng(seed + 8000)
    seen = exposures(seed, side, count)
    grain = rng.normal(0, 1, light.shape)
    for axis in (0, 1):
        grain = ndimage.correlate1d(grain, [0.1, 0.8, 0.1], axis)  # 0.24 of a pixel's noise is its neighbour's, too
    image = light + noise * grain / np.sqrt(np.maximum(seen, 1) / count)
    image[seen == 0] = 0
    return image.astype(np.float32), (seen / count / noise ** 2).astype(np.float32), seen


def flags_of(seen, image, saturation):
    """1 where not every exposure saw a pixel, 2 where none did, 4 about what is saturated."""
    flags = (seen < seen.max()).astype(np.int16) | 2 * (seen == 0).astype(np.int16)
    return flags | 4 * ndimage.binary_dilation(image >= saturation, iterations=2).astype(np.int16)
