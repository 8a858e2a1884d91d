"""SExtractor beside srcextract, set to the same: one threshold, no filter, deblending, cleaning or weights.

FLUXERR_ISO is not compared: SExtractor takes the noise from its own background map even when the level is given.
FLAGS agree in 8 (at the edge) alone: SExtractor's 1 speaks of neighbours, srcextract's of masked pixels.
"""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import skies
from fits_pixels import read_pixels
from peers import (DOUBLE, FLOAT, INTEGER_IMAGES, assert_close, assert_equal, assert_same_peaks, assert_same_shapes,
                   integer_image, match)
from program import extract
from sextractor import PROGRAM, at_level, sextract

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)

EQUAL = {"NPIX": "ISOAREA_IMAGE", "XMIN_IMAGE": "XMIN_IMAGE", "XMAX_IMAGE": "XMAX_IMAGE", "YMIN_IMAGE": "YMIN_IMAGE",
         "YMAX_IMAGE": "YMAX_IMAGE"}
COLUMNS = [*EQUAL.values(), "XPEAK_IMAGE", "YPEAK_IMAGE", "X_IMAGE_DBL", "Y_IMAGE_DBL", "FLUX_ISO", "FLUX_MAX",
           "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE", "FLAGS"]


def both(program, image, directory):
    """Our catalogue and SExtractor's in the same order."""
    ours, report = extract(program, "default", image, directory, "--backend", "cpu")
    levels = report["levels"]
    level = levels["background"]
    table = fits.getdata(sextract(image, directory, COLUMNS, **at_level(level, levels["detection"] - level)), 1)
    theirs = {name: table[name].astype(float) for name in COLUMNS}
    index = match(ours, theirs["X_IMAGE_DBL"], theirs["Y_IMAGE_DBL"])
    return ours, {name: column[index] for name, column in theirs.items()}


def assert_same_pixels(pixels, ours, theirs):
    for our_name, their_name in EQUAL.items():
        assert_equal(ours[our_name], theirs[their_name], our_name)
    assert_same_peaks(pixels, ours, theirs["XPEAK_IMAGE"], theirs["YPEAK_IMAGE"])
    assert_equal(ours["FLAGS"].astype(int) & 8, theirs["FLAGS"].astype(int) & 8, "FLAGS & 8")


@pytest.mark.parametrize("name", INTEGER_IMAGES)
def test_integer_images(program, sky_directory, tmp_path, name):
    image = integer_image(name, sky_directory)
    if image is None:
        pytest.skip(f"no data: {name}")
    ours, theirs = both(program, image, tmp_path)
    assert_same_pixels(read_pixels(image), ours, theirs)
    for name in ("X_IMAGE", "Y_IMAGE"):
        assert_close(ours[name], theirs[f"{name}_DBL"], DOUBLE, name)
    for name in ("FLUX_ISO", "FLUX_MAX"):
        assert_close(ours[name], theirs[name], FLOAT * np.abs(ours[name]), name)
    assert_same_shapes(ours, theirs, theirs["THETA_IMAGE"])


def test_scaled_image(program, tmp_path):
    """SExtractor 2.25 scales and subtracts in float32, srcextract in double: pixels differ by up to four roundings.

    Those are 4 x 2^-24 of the pixel, sky included, and so at most `pixel` of what is left of it above the sky; what
    that can do to a moment is bounded by the size of the source."""
    image = skies.image("galaxies", tmp_path)
    if image is None:
        pytest.skip("no data: shared/data")
    ours, theirs = both(program, image, tmp_path)
    assert_same_pixels(read_pixels(image), ours, theirs)
    background, flux = ours["BACKGROUND"], ours["FLUX_ISO"]
    pixel = 4 * FLOAT * (background + ours["THRESHOLD"]) / ours["THRESHOLD"]
    width, height = (ours[f"{axis}MAX_IMAGE"] - ours[f"{axis}MIN_IMAGE"] + 1 for axis in "XY")
    size = np.maximum(width, height)
    assert_close(ours["X_IMAGE"], theirs["X_IMAGE_DBL"], pixel * width, "X_IMAGE")
    assert_close(ours["Y_IMAGE"], theirs["Y_IMAGE_DBL"], pixel * height, "Y_IMAGE")
    assert_close(flux, theirs["FLUX_ISO"], 4 * FLOAT * (flux + background * ours["NPIX"]) + FLOAT * flux, "FLUX_ISO")
    peak = ours["FLUX_MAX"]
    assert_close(peak, theirs["FLUX_MAX"], 4 * FLOAT * (peak + background), "FLUX_MAX")
    moment = pixel * size**2 + 1e-7
    for name in ("X2_IMAGE", "Y2_IMAGE", "XY_IMAGE"):
        assert_close(ours[name], theirs[name], moment, name)
    for name in ("A_IMAGE", "B_IMAGE"):
        assert_close(ours[name]**2, theirs[name]**2, 2 * moment + 4 * FLOAT * ours[name]**2, f"{name} squared")
    axes = ours["A_IMAGE"]**2 - ours["B_IMAGE"]**2
    turn = np.abs((ours["THETA_IMAGE"] - theirs["THETA_IMAGE"] + 90) % 180 - 90)
    assert_close(turn, 0 * turn, np.degrees(2 * moment / axes) + 90 * FLOAT, "THETA_IMAGE")
