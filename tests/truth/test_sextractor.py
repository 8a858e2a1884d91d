"""SExtractor beside srcextract, set to the same: no filter, deblending or cleaning; at one level and threshold, and by
meshes.

FLUXERR_ISO is not compared at one level: SExtractor takes the noise from its own background map even when it is given.
Of FLAGS 8 (at the edge) is compared; 4 (saturated) is in test_flags.py, and 256, of masked pixels, is srcextract's alone.
"""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import skies
from fits_pixels import read_pixels
from peers import (DOUBLE, FLOAT, INTEGER_IMAGES, assert_close, assert_equal, assert_same_but_for_roundings,
                   assert_same_peaks, assert_same_shapes, integer_image, match)
from program import extract
from sextractor import BY_ITSELF, PROGRAM, at_level, sextract

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)

EQUAL = {"NPIX": "ISOAREA_IMAGE", "XMIN_IMAGE": "XMIN_IMAGE", "XMAX_IMAGE": "XMAX_IMAGE", "YMIN_IMAGE": "YMIN_IMAGE",
         "YMAX_IMAGE": "YMAX_IMAGE"}
COLUMNS = [*EQUAL.values(), "XPEAK_IMAGE", "YPEAK_IMAGE", "X_IMAGE_DBL", "Y_IMAGE_DBL", "FLUX_ISO", "FLUX_MAX",
           "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE", "THRESHOLD", "FLUXERR_ISO",
           "FLAGS"]


def sextracted(ours, image, directory, **settings):
    """SExtractor's catalogue, in the order of ours."""
    table = fits.getdata(sextract(image, directory, COLUMNS, **settings), 1)
    theirs = {name.removesuffix("_DBL"): table[name].astype(float) for name in COLUMNS}
    index = match(ours, theirs["X_IMAGE"], theirs["Y_IMAGE"])
    return {name: column[index] for name, column in theirs.items()}


def at_one_level(program, image, directory):
    """Our catalogue, and SExtractor's in the same order, of one level and one threshold for the whole image."""
    ours, report = extract(program, "plain", image, directory, "--backend", "cpu", "--set",
                           "background.method=constant")
    levels = report["levels"]
    level = levels["background"]
    return ours, sextracted(ours, image, directory, **at_level(level, levels["detection"] - level))


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
    ours, theirs = at_one_level(program, image, tmp_path)
    assert_same_pixels(read_pixels(image), ours, theirs)
    for name in ("X_IMAGE", "Y_IMAGE"):
        assert_close(ours[name], theirs[name], DOUBLE, name)
    for name in ("FLUX_ISO", "FLUX_MAX"):
        assert_close(ours[name], theirs[name], FLOAT * np.abs(ours[name]), name)
    assert_same_shapes(ours, theirs, theirs["THETA_IMAGE"])


def test_scaled_image(program, tmp_path):
    """SExtractor 2.25 scales and subtracts in float32, srcextract in double: pixels differ by up to four roundings."""
    image = skies.image("galaxies", tmp_path)
    if image is None:
        pytest.skip("no data: shared/data")
    ours, theirs = at_one_level(program, image, tmp_path)
    assert_same_pixels(read_pixels(image), ours, theirs)
    assert_same_but_for_roundings(ours, theirs, 4)


@pytest.mark.parametrize("weights", ["background", "none"])
@pytest.mark.parametrize("name", INTEGER_IMAGES)
def test_by_meshes(program, sky_directory, tmp_path, name, weights):
    """The defaults: each estimates the sky itself, SExtractor as its manual has it. The level of a pixel is a sum of four
    nodes and four second derivatives, whose roundings add up to eight of the level at most."""
    image = integer_image(name, sky_directory)
    if image is None:
        pytest.skip(f"no data: {name}")
    ours, _ = extract(program, "plain", image, tmp_path, "--backend", "cpu", "--set", f"weights.type={weights}")
    theirs = sextracted(ours, image, tmp_path, **(BY_ITSELF | {"WEIGHT_TYPE": weights.upper()}))
    assert_same_pixels(read_pixels(image), ours, theirs)
    assert_same_but_for_roundings(ours, theirs, 8)
    # With weights, SExtractor's FLUXERR_ISO is that of each pixel's noise, ours of that at the position.
    assert_close(ours["THRESHOLD"], theirs["THRESHOLD"], 8 * FLOAT * ours["THRESHOLD"], "THRESHOLD")
    if weights == "none":
        assert_close(ours["FLUXERR_ISO"], theirs["FLUXERR_ISO"], 4 * FLOAT * ours["FLUXERR_ISO"], "FLUXERR_ISO")
