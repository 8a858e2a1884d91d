"""A threshold that a script brings along counts in the noise of a pixel: srcextract says when it would not, and what to type."""
import warnings

import numpy
import pytest

import sep_peer
import srcextract
from srcextract import ConfigWarning

SIDE, STARS, SIGMA = 1024, 1400, 3 / 2.3548  # pixels, and the sigma of a star of FWHM 3


@pytest.fixture(scope="module")
def field():
    """Stars whose numbers follow a power law, on a sky of 200 with a noise of 10; and their places from 0."""
    random = numpy.random.default_rng(69)
    image = random.normal(200, 10, (SIDE, SIDE))
    x, y = random.uniform(10, SIDE - 11, (2, STARS))
    flux = numpy.minimum(150 * random.uniform(0, 1, STARS) ** (-1 / 1.2), 2e5)
    for at_x, at_y, light in zip(x, y, flux):
        left, low = max(0, round(at_x) - 15), max(0, round(at_y) - 15)
        rows, columns = numpy.mgrid[low:min(SIDE, low + 31), left:min(SIDE, left + 31)]
        star = numpy.exp(-((columns - at_x) ** 2 + (rows - at_y) ** 2) / (2 * SIGMA**2)) / (2 * numpy.pi * SIGMA**2)
        image[low:low + 31, left:left + 31] += light * star
    return image.astype("f4"), x, y


def false_of(x, y, field):
    """The number of places with no star within 3 pixels."""
    _, stars_x, stars_y = field
    return int((numpy.hypot(x[:, None] - stars_x, y[:, None] - stars_y).min(axis=1) > 3).sum())


def test_a_low_threshold_is_warned_of_with_the_line_to_type(field):
    with pytest.warns(ConfigWarning, match="threshold=1.5 counts in the noise of the filtered image.*threshold_unit='sigma'") as told:
        found = srcextract.extract(field[0], detection__threshold=1.5)
    assert len(told) == 1 and told[0].filename == __file__
    assert false_of(found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1, field) > len(found) / 2  # what the warning is about


def test_scripts_of_sep_find_what_they_found(field):
    """With the row of coming_from_sep.md: SEP's threshold, with the noise of a pixel."""
    sep = sep_peer.peer(3)
    sky = sep.Background(field[0])
    theirs = sep.extract(field[0] - sky, 1.5, err=sky.globalrms)
    assert 600 <= len(theirs) <= 660 + 10 and false_of(theirs["x"], theirs["y"], field) <= 15
    kernel = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
    for keys in {}, {"convolve__kernel": "values", "convolve__values": kernel}:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConfigWarning)
            ours = srcextract.extract(field[0], detection__threshold=1.5, detection__threshold_unit="sigma", **keys)
        assert 600 <= len(ours) <= 660 and false_of(ours["X_IMAGE"] - 1, ours["Y_IMAGE"] - 1, field) <= 15
        assert abs(len(ours) / len(theirs) - 1) < 0.1


def test_scripts_of_photutils_find_what_they_found(field):
    """With the row of coming_from_photutils.md: multiples of the noise of a pixel, in the convolved image."""
    pytest.importorskip("scipy")
    background = pytest.importorskip("photutils.background")
    segmentation = pytest.importorskip("photutils.segmentation")
    astropy_convolve = pytest.importorskip("astropy.convolution").convolve
    sky = background.Background2D(field[0], (64, 64), filter_size=(3, 3))
    filtered = astropy_convolve(field[0] - sky.background, segmentation.make_2dgaussian_kernel(2.0, size=5))
    segments = segmentation.detect_sources(filtered, 1.5 * sky.background_rms, 5)
    places = segmentation.SourceCatalog(filtered, segments)
    theirs = numpy.array(places.centroid)
    assert false_of(theirs[:, 0], theirs[:, 1], field) <= 15
    ours = srcextract.extract(field[0], detection__threshold=1.5, detection__threshold_unit="sigma", convolve__fwhm=2.0)
    assert 600 <= len(ours) <= 660 and false_of(ours["X_IMAGE"] - 1, ours["Y_IMAGE"] - 1, field) <= 15
    assert abs(len(ours) / len(theirs) - 1) < 0.1


SILENT = [({}, {"detection__threshold": 3}), ({}, {"detection__threshold": "4.5"}), ({}, {}),
          ({}, {"detection__threshold": 1.5, "detection__threshold_unit": "detection_sigma"}),
          ({}, {"detection__threshold": 1.5, "convolve__kernel": "none"}), ({}, {"detection__threshold": 1.5, "detection__false_discovery_rate": 0.01}),
          ({"extends": "none"}, {"detection__threshold": 1.5}),
          ({"extends": "default", "detection": {"threshold_unit": "sigma"}}, {"detection__threshold": 1.5}),
          ({"extends": "default", "detection": {"threshold_unit": "detection_sigma", "threshold": 1}}, {})]
TOLD = [({}, {"detection__threshold": 1.5}), ({}, {"detection__threshold": "2.9"}), ({}, {"detection__threshold": numpy.float32(2)}),
        ({"extends": "default", "detection": {"threshold": 2}}, {}),
        ({"extends": "default"}, {"detection__threshold": 2, "convolve__kernel": "none", "convolve__median": True})]


@pytest.mark.parametrize("config, keys", SILENT)
def test_it_is_silent_where_the_unit_is_known(config, keys):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConfigWarning)
        srcextract.Extractor(config or None, **keys)


@pytest.mark.parametrize("config, keys", TOLD)
def test_it_is_told_wherever_the_threshold_is_given(config, keys):
    with pytest.warns(ConfigWarning, match="counts in the noise of the filtered image"):
        srcextract.Extractor(config or None, **keys)
    with pytest.warns(ConfigWarning, match="counts in the noise of the filtered image"):
        srcextract.extract_many([], config or None, **keys)


def test_a_frame_that_is_subtracted_has_its_own_noise():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConfigWarning)
        srcextract.Extractor(of_difference=True, detection__threshold=2)
