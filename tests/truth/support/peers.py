"""What the comparisons with SExtractor and SEP share: the images, the matching, the differences that are known.

On pixels that are integers about a median that is one (or halfway), float32 holds every pixel above background
exactly, and so the peers work on the same numbers as srcextract. What remains is how they store their results:
half a unit in the last place of float32, 2^-24, for columns that they keep as floats.

Known differences, none of them ours to follow:
- Both add 0.0833333 to the variances of sources thinner than a pixel, where srcextract adds 1/12.
- Of several pixels of a source's highest value, srcextract's peak is the first in raster order, theirs the first in
  the order in which they have joined them.
- Both call the angle of a source with X2 = Y2 exactly 45 degrees, even where XY is 0 or negative.
"""
import numpy as np
from scipy.spatial import cKDTree

import skies
from fits_pixels import STORED, read_header
from skies import make_field, write_fits

FLOAT = 2.0**-24
DOUBLE = 1e-9  # sums and quotients of doubles, on moments of up to 1e5 pixels^2
TWELFTH = 1 / 12 - 0.0833333

THIN = [[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)],  # a row, a column, both diagonals
        [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)],
        [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)],
        [(4, 0), (3, 1), (2, 2), (1, 3), (0, 4)],
        [(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)],  # a cross, a staircase, a hook
        [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)],
        [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (3, 2)]]


def shapes():
    """Sources of equal pixels whose shape is singular or has no preferred axis, also at the edges."""
    pixels = np.indices((128, 128)).sum(axis=0) % 2 * 2 + 999
    for i, shape in enumerate(THIN):
        for x0, y0, value in ((3 + 16 * i, 20, 1500), (5 + 16 * i, 0, 1200), (3 + 16 * i, 90, 1800)):
            for x, y in shape:
                pixels[y0 + y, x0 + x] = value
    return pixels.astype(np.int16)


def stored_integers(path):
    data = path.read_bytes()
    cards, begin = read_header(data)
    shape = int(cards["NAXIS2"]), int(cards["NAXIS1"])
    return np.frombuffer(data, STORED[int(cards["BITPIX"])], shape[0] * shape[1], begin).reshape(shape)


def integer_image(name, directory):
    """The path of an image of integers; None where the data are not."""
    if name == "data/sky":
        return skies.image(name, directory)
    path = directory / f"{name}.fits"
    if name == "galaxies_as_stored":  # without its BSCALE and BZERO
        if not skies.DATA["galaxies"].exists():
            return None
        pixels = stored_integers(skies.DATA["galaxies"]).astype(np.int16)
    elif name == "crowded":
        field = make_field(1023, 777, per_mpix=10000, seed=41)
        pixels = np.clip(np.round(1000 + 20 * field), 0, 32767).astype(np.int16)
    else:
        pixels = shapes()
    write_fits(path, pixels)
    return path


INTEGER_IMAGES = ["data/sky", "galaxies_as_stored", "crowded", "shapes"]


def match(ours, x, y):
    """For each of our sources the peer's at its place, one to one with none left over."""
    here = np.column_stack((ours["X_IMAGE"], ours["Y_IMAGE"]))
    there = np.column_stack((x, y))
    assert len(here) == len(there) > 5, f"{len(here)} sources, the peer has {len(there)}"
    distance, index = cKDTree(there).query(here)
    assert distance.max() < 0.01, f"no counterpart at {here[distance.argmax()]}"
    assert len(set(index)) == len(index), "two sources have the same counterpart"
    return index


def assert_equal(ours, peers, name):
    wrong = np.flatnonzero(ours != peers)
    assert wrong.size == 0, f"{name} of source {wrong[0] + 1}: {ours[wrong[0]]}, not {peers[wrong[0]]}"


def assert_same_peaks(pixels, ours, x, y):
    """The peer's peaks at (x, y), 1-based, are ours, or pixels of just the same value."""
    there = pixels[y.astype(int) - 1, x.astype(int) - 1]
    here = pixels[ours["YPEAK_IMAGE"].astype(int) - 1, ours["XPEAK_IMAGE"].astype(int) - 1]
    assert_equal(here, there, "pixel at the peak")


def assert_close(ours, peers, tolerance, name):
    excess = np.abs(ours - peers) - tolerance
    k = np.argmax(excess)
    assert excess[k] <= 0, f"{name} of source {k + 1}: {ours[k]!r}, not {peers[k]!r}, is off by {excess[k]} too much"


def thin(ours):
    """Sources to whose variances 1/12 was added."""
    x2, y2 = ours["X2_IMAGE"] - 1 / 12, ours["Y2_IMAGE"] - 1 / 12
    return x2 * y2 - ours["XY_IMAGE"]**2 < 0.00694


def assert_same_shapes(ours, peers, angles):
    """Second moments and ellipse: moments kept as doubles, axes and angles (degrees) as floats."""
    moments = DOUBLE + TWELFTH * thin(ours)
    for name in ("X2_IMAGE", "Y2_IMAGE"):
        assert_close(ours[name], peers[name], moments, name)
    assert_close(ours["XY_IMAGE"], peers["XY_IMAGE"], DOUBLE, "XY_IMAGE")
    for name in ("A_IMAGE", "B_IMAGE"):
        assert_close(ours[name], peers[name], FLOAT * ours[name] + moments / ours[name], name)
    no_axis = ours["X2_IMAGE"] == ours["Y2_IMAGE"]
    assert np.allclose(angles[no_axis], 45, rtol=0, atol=90 * FLOAT), "not the known difference where X2 = Y2"
    assert_close(ours["THETA_IMAGE"][~no_axis], angles[~no_axis], 90 * FLOAT, "THETA_IMAGE")


def assert_same_but_for_roundings(ours, peers, roundings):
    """Where a pixel is off by so many roundings to float32, sky included: at most by `pixel` of what is left of it above
    the sky. What that can do to a moment is bounded by the size of the source."""
    background, flux, peak = ours["BACKGROUND"], ours["FLUX_ISO"], ours["FLUX_MAX"]
    pixel = roundings * FLOAT * (background + ours["THRESHOLD"]) / ours["THRESHOLD"]
    width, height = (ours[f"{axis}MAX_IMAGE"] - ours[f"{axis}MIN_IMAGE"] + 1 for axis in "XY")
    assert_close(ours["X_IMAGE"], peers["X_IMAGE"], pixel * width, "X_IMAGE")
    assert_close(ours["Y_IMAGE"], peers["Y_IMAGE"], pixel * height, "Y_IMAGE")
    assert_close(flux, peers["FLUX_ISO"], roundings * FLOAT * (flux + background * ours["NPIX"]) + FLOAT * flux,
                 "FLUX_ISO")
    assert_close(peak, peers["FLUX_MAX"], roundings * FLOAT * (peak + background), "FLUX_MAX")
    moment = pixel * np.maximum(width, height)**2 + 1e-7
    for name in ("X2_IMAGE", "Y2_IMAGE", "XY_IMAGE"):
        assert_close(ours[name], peers[name], moment, name)
    for name in ("A_IMAGE", "B_IMAGE"):
        assert_close(ours[name]**2, peers[name]**2, 2 * moment + 4 * FLOAT * ours[name]**2, f"{name} squared")
    axes = ours["A_IMAGE"]**2 - ours["B_IMAGE"]**2
    turn = np.abs((ours["THETA_IMAGE"] - peers["THETA_IMAGE"] + 90) % 180 - 90)
    with np.errstate(divide="ignore"):  # a round source may point anywhere
        assert_close(turn, 0 * turn, np.degrees(2 * moment / axes) + 90 * FLOAT, "THETA_IMAGE")
