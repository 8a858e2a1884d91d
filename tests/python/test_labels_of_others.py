"""Deblending of labels that no threshold has made."""
import numpy
import pytest

import srcextract


@pytest.mark.parametrize("bump", [10, 30])
def test_masked_pixels_of_others_labels_have_no_light(bump):
    """A star with a bump of a thousandth of its light is one, also if a pixel is masked and in the label all the same."""
    y, x = numpy.mgrid[:80, :80]
    image = 1000 * numpy.exp(-((x - 30)**2 + (y - 40)**2) / 120) + bump * numpy.exp(-((x - 56)**2 + (y - 40)**2) / 8)
    image = (image + numpy.random.default_rng(1).normal(0, 0.3, x.shape)).astype("f4")
    labels = ((x - 40)**2 + (y - 40)**2 < 900).astype("i4")
    sky = srcextract.background(image, method="constant")
    for row, column in (0, 0), (35, 28), (30, 40), (40, 20):
        holed = image.copy()
        holed[row, column] = numpy.nan
        assert len(srcextract.deblend(holed, labels, sky, detection__threshold=1)) == 1
