"""The images that the comparisons run on: those at hand, and simulated ones of every shape and type."""
import pathlib
import sys

import numpy as np

from fits_pixels import read_pixels
from program import ROOT, SHARED

sys.path.insert(0, str(ROOT / "tests" / "support"))
from make_field import make_field, ridden_with_nan, spiral, write_fits  # noqa: E402

DATA = {"data/sky": ROOT / "data" / "sky.fits", "data/sky_subtracted": ROOT / "data" / "sky_subtracted.fits",
        "galaxies": SHARED / "sextractor" / "galaxies.fits", "sep": SHARED / "sep" / "image.fits"}


def counts(width, height, seed):
    """Stored as 16-bit integers with a scale, a zero and blank pixels."""
    stored = np.clip(np.round(10 * make_field(width, height, seed=seed)), -32767, 32767).astype(np.int16)
    stored[5:9, width // 4:width // 2] = -32768
    stored[height // 2:, 0] = -32768
    return stored


def subtracted(path):
    """A real image without its sky, on which a threshold counted from zero makes sense."""
    pixels = read_pixels(path)
    return pixels - np.float32(np.nanmedian(pixels))


SCALE = {"BSCALE": 0.1, "BZERO": 500.0, "BLANK": -32768}
SIMULATED = {
    "float_1001x777": lambda: (make_field(1001, 777, seed=21), {}),
    "int16_777x1001": lambda: (counts(777, 1001, seed=22), SCALE),
    "float_2048": lambda: (make_field(2048, 2048, seed=23), {}),
    "int16_2048": lambda: (counts(2048, 2048, seed=24), SCALE),
    "crowded_1023x1025": lambda: (make_field(1023, 1025, per_mpix=20000, seed=25), {}),
    "nan_1001x777": lambda: (ridden_with_nan(make_field(1001, 777, seed=26)), {}),
    "on_a_sky_641x1279": lambda: (make_field(641, 1279, seed=27, level=1000.0), {}),
    "double_333x555": lambda: (np.pi * make_field(333, 555, seed=28).astype(np.float64), {}),
    "int32_257x255": lambda: (np.round(1e6 * make_field(257, 255, seed=29)).astype(np.int32), {}),
    "one_row_4099": lambda: (make_field(4099, 1, per_mpix=5000, seed=30), {}),
    "one_column_4099": lambda: (make_field(1, 4099, per_mpix=5000, seed=31), {}),
    "spiral_1025": lambda: (spiral(1025), {}),
}
SUBTRACTED = {f"{name}_minus_median": DATA[name] for name in ("data/sky", "galaxies", "sep")}
NAMES = [*DATA, *SUBTRACTED, *SIMULATED]


def image(name, directory):
    """The path of an image, made in `directory` if it is not at hand; None where the data are not."""
    if name in DATA:
        return DATA[name] if DATA[name].exists() else None
    path = pathlib.Path(directory) / f"{name.replace('/', '_')}.fits"
    if name in SUBTRACTED:
        if not SUBTRACTED[name].exists():
            return None
        write_fits(path, subtracted(SUBTRACTED[name]))
    elif not path.exists():
        pixels, keywords = SIMULATED[name]()
        write_fits(path, pixels, **keywords)
    return path
