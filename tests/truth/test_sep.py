"""SEP beside srcextract: no filter, no deblending, no cleaning; at one level and threshold, and by meshes."""
import numpy as np
import pytest

sep = pytest.importorskip("sep")
ndimage = pytest.importorskip("scipy.ndimage")

from fits_pixels import read_pixels
from peers import (DOUBLE, FLOAT, INTEGER_IMAGES, assert_close, assert_equal, assert_same_but_for_roundings,
                   assert_same_peaks, assert_same_shapes, integer_image, match)
from program import extract

ZERO_BASED = {"XMIN_IMAGE": "xmin", "XMAX_IMAGE": "xmax", "YMIN_IMAGE": "ymin", "YMAX_IMAGE": "ymax"}
SHAPES = {"X2_IMAGE": "x2", "Y2_IMAGE": "y2", "XY_IMAGE": "xy", "A_IMAGE": "a", "B_IMAGE": "b"}
TRUNCATED = 2  # SEP's flag of a source at the edge




def sep_found(ours, above, threshold, masked, **settings):
    """SEP's sources, in the order of ours."""
    sep.set_extract_pixstack(above.size)
    theirs = sep.extract(above, threshold, mask=masked, minarea=5, filter_kernel=None, deblend_cont=1.0, clean=False,
                         **settings)
    return theirs[match(ours, theirs["x"] + 1, theirs["y"] + 1)]


def assert_same_pixels(pixels, ours, theirs):
    assert_equal(ours["NPIX"], theirs["npix"], "NPIX")
    for our_name, their_name in ZERO_BASED.items():
        assert_equal(ours[our_name], theirs[their_name] + 1, our_name)
    assert_same_peaks(pixels, ours, theirs["xpeak"] + 1, theirs["ypeak"] + 1)
    assert_equal(ours["FLAGS"].astype(int) & 8 > 0, theirs["flag"] & TRUNCATED > 0, "at the edge")


@pytest.mark.parametrize("name", INTEGER_IMAGES)
def test_sep_finds_and_measures_the_same(program, sky_directory, tmp_path, name):
    image = integer_image(name, sky_directory)
    if image is None:
        pytest.skip(f"no data: {name}")
    ours, report = extract(program, "plain", image, tmp_path, "--backend", "cpu", "--set",
                           "background.method=constant")
    level = report["levels"]["background"]
    pixels = read_pixels(image)
    masked = np.isnan(pixels)
    theirs = sep_found(ours, np.where(masked, 0, pixels - np.float32(level)), report["levels"]["detection"] - level,
                       masked)

    assert_same_pixels(pixels, ours, theirs)
    assert_close(ours["X_IMAGE"], theirs["x"] + 1, DOUBLE, "X_IMAGE")
    assert_close(ours["Y_IMAGE"], theirs["y"] + 1, DOUBLE, "Y_IMAGE")
    assert_close(ours["FLUX_ISO"], theirs["flux"], FLOAT * ours["FLUX_ISO"], "FLUX_ISO")
    assert_equal(ours["FLUX_MAX"], theirs["peak"], "FLUX_MAX")
    assert_same_shapes(ours, {name: theirs[column] for name, column in SHAPES.items()}, np.degrees(theirs["theta"]))


@pytest.mark.parametrize("name", INTEGER_IMAGES)
def test_sep_by_meshes(program, sky_directory, tmp_path, name):
    """The defaults: each estimates level and noise itself, and the threshold is five times the noise of each pixel. A
    level is a sum of four nodes and four second derivatives, whose roundings add up to eight of it at most."""
    image = integer_image(name, sky_directory)
    if image is None:
        pytest.skip(f"no data: {name}")
    ours, report = extract(program, "plain", image, tmp_path, "--backend", "cpu")
    pixels = read_pixels(image)
    masked = np.isnan(pixels)
    filled = np.where(masked, 0, pixels).astype(np.float32)
    sky = sep.Background(filled, mask=masked)
    assert (report["background"]["level"], report["background"]["sigma"]) == (sky.globalback, sky.globalrms)
    level, noise = sky.back(), sky.rms()
    theirs = sep_found(ours, filled - level, 5.0, masked, err=noise)

    assert_same_pixels(pixels, ours, theirs)
    columns = {"X_IMAGE": theirs["x"] + 1, "Y_IMAGE": theirs["y"] + 1, "FLUX_ISO": theirs["flux"],
               "FLUX_MAX": theirs["peak"], "THETA_IMAGE": np.degrees(theirs["theta"])}
    assert_same_but_for_roundings(ours, columns | {name: theirs[column] for name, column in SHAPES.items()}, 8)
    at = np.floor(ours["Y_IMAGE"] - 0.5).astype(int), np.floor(ours["X_IMAGE"] - 0.5).astype(int)
    assert_close(ours["BACKGROUND"], level[at], 8 * FLOAT * level[at], "BACKGROUND")
    _, labels = sep.extract(filled - level, 5.0, err=noise, mask=masked, minarea=5, filter_kernel=None, deblend_cont=1.0,
                            clean=False, segmentation_map=True)
    lowest = ndimage.minimum(noise, labels, labels[theirs["ypeak"], theirs["xpeak"]])
    assert_close(ours["THRESHOLD"], 5.0 * lowest, 8 * FLOAT * ours["THRESHOLD"], "THRESHOLD")
