#!/usr/bin/env python3
"""Simulated skies as FITS files, with numpy alone: for checks on machines that have no astropy.

`make_field.py DIRECTORY` writes the skies that scripts/gpu_check.sh compares the back ends on.
"""
import pathlib
import sys

import numpy as np

from fits_cards import header
from rice import write_rice

BITPIX = {"u1": 8, "i2": 16, "i4": 32, "i8": 64, "f4": -32, "f8": -64}


def make_field(width, height, per_mpix=1000, seed=1, level=0.0, noise=1.0, exposure=0):
    """Gaussian sources of a power-law flux distribution on noise of this sigma about `level`; float32.

    Every `exposure` of a seed has the same sources and noise of its own."""
    rng = np.random.default_rng(seed)
    image = rng.standard_normal((height, width), dtype=np.float32)
    if exposure > 0:
        image = np.random.default_rng([seed, exposure]).standard_normal((height, width), dtype=np.float32)
    image = np.float32(noise) * image + np.float32(level)
    count = max(1, int(per_mpix * width * height / 1e6))
    x, y = rng.uniform(0, width - 1, count), rng.uniform(0, height - 1, count)
    flux = np.minimum(60.0 * rng.uniform(0, 1, count) ** (-1.0 / 1.2), 2e5)
    major = 1.7 * rng.uniform(1.0, 3.0, count)
    minor = major * rng.uniform(0.4, 1.0, count)
    theta = rng.uniform(-np.pi / 2, np.pi / 2, count)
    for i in range(count):
        radius = int(5 * major[i]) + 1
        rows = np.arange(max(0, int(y[i]) - radius), min(height, int(y[i]) + radius + 1))[:, None]
        columns = np.arange(max(0, int(x[i]) - radius), min(width, int(x[i]) + radius + 1))[None, :]
        dx, dy, c, s = columns - x[i], rows - y[i], np.cos(theta[i]), np.sin(theta[i])
        r2 = ((c * dx + s * dy) / major[i]) ** 2 + ((c * dy - s * dx) / minor[i]) ** 2
        image[rows[0, 0]:rows[-1, 0] + 1, columns[0, 0]:columns[0, -1] + 1] += (
            flux[i] / (2 * np.pi * major[i] * minor[i]) * np.exp(-0.5 * r2)).astype(np.float32)
    return image


def blurred(image):
    """The image in worse seeing, and through a thin cloud: the mean of 3 x 3 pixels, times 0.8."""
    for axis in (0, 1):
        image = (image + np.roll(image, 1, axis) + np.roll(image, -1, axis)) / np.float32(3)
    return np.float32(0.8) * image


def tiled_field(size):
    """A field of make_field; beyond 4096 the one of 4096 again and again, which takes seconds and not minutes."""
    made = min(size, 4096)
    repeats = -(-size // made)
    return np.tile(make_field(made, made), (repeats, repeats))[:size, :size]


def write_fits(path, image, **keywords):
    """A primary image HDU of any BITPIX, big-endian as stored; `keywords` become cards (BSCALE, BZERO, BLANK, ...)."""
    cards = {"SIMPLE": True, "BITPIX": BITPIX[image.dtype.str[1:]], "NAXIS": image.ndim}
    cards |= {f"NAXIS{i + 1}": n for i, n in enumerate(reversed(image.shape))}
    cards |= keywords
    with pathlib.Path(path).open("wb") as file:
        file.write(header(cards))
        image.astype(image.dtype.newbyteorder(">")).tofile(file)
        file.write(bytes(-image.nbytes % 2880))


def ridden_with_nan(image, seed=2):
    """A third of the pixels masked: singly, in whole rows and columns, and in one block; some infinite."""
    rng = np.random.default_rng(seed)
    image = image.copy()
    image[rng.uniform(size=image.shape) < 0.2] = np.nan
    image[rng.uniform(size=image.shape) < 0.01] = np.inf
    image[::17] = np.nan
    image[:, ::23] = np.nan
    image[-40:, -70:] = np.nan
    return image


def spiral(size, pitch=16):
    """One source, one pixel wide, that winds through the whole image."""
    image = np.random.default_rng(3).standard_normal((size, size), dtype=np.float32)
    for inset in range(0, size // 2 - pitch, pitch):
        ring = slice(inset, size - inset)
        image[inset, ring] = image[size - 1 - inset, ring] = 1000
        image[ring, inset] = image[ring, size - 1 - inset] = 1000
        image[inset + 1, inset] = 0  # a gap in every ring,
        image[inset + pitch, inset:inset + pitch] = 1000  # and the way in to the next
    return image


def main(directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    small = make_field(300, 257)
    medium = make_field(2048, 2048)
    skies = {
        "small": small,
        "square_512": make_field(512, 512, seed=4),
        "wide_2047x513": make_field(2047, 513, seed=5),
        "square_2048": medium,
        "crowded_2048": make_field(2048, 2048, per_mpix=20000, seed=6),
        "blurred_2048": blurred(make_field(2048, 2048, exposure=1)),
        "square_4096": make_field(4096, 4096, seed=7),
        "odd_4095x4097": make_field(4095, 4097, seed=8, level=1000.0),
        "one_row_4099": make_field(4099, 1, per_mpix=5000, seed=9),
        "one_column_4099": make_field(1, 4099, per_mpix=5000, seed=10),
        "nan_small": ridden_with_nan(small),
        "nan_2048": ridden_with_nan(medium),
        "all_foreground": make_field(1000, 999, seed=11, level=1e4),
        "double": make_field(777, 555, seed=12).astype(np.float64),
        "spiral_1025": spiral(1025),
    }
    for name, image in skies.items():
        write_fits(directory / f"{name}.fits", image)
    (directory / "maps").mkdir(exist_ok=True)
    weights = 1 + np.arange(medium.shape[1], dtype=np.float32) % 89 / 60 + np.zeros_like(medium)
    weights[np.isnan(skies["nan_2048"])] = 0
    write_fits(directory / "maps" / "weights_2048.fits", weights.astype(np.float32))
    stored = np.clip(np.round(medium * 10), -32767, 32767).astype(np.int16)
    stored[5:9, 100:2000] = -32768
    scaled = {"BSCALE": 0.1, "BZERO": 500.0, "BLANK": -32768}
    write_fits(directory / "int16_2048.fits", stored, **scaled)
    write_rice(directory / "rice_int16_2048.fits.fz", stored, **scaled)
    write_rice(directory / "rice_dithered_2048.fits.fz", medium)
    write_rice(directory / "rice_nan_2048.fits.fz", skies["nan_2048"], dither=2, seed=9000)
    write_rice(directory / "rice_small.fits.fz", small)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1])
