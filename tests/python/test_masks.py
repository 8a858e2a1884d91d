"""Masks that arrays have of their own: what is under one is not there, whatever the array tells."""
import numpy
import pytest

import srcextract

RANDOM = numpy.random.default_rng(11)


def field():
    y, x = numpy.mgrid[:240, :300]
    pixels = RANDOM.normal(100, 5, y.shape)
    for x0, y0 in RANDOM.uniform(10, 230, (60, 2)):
        pixels += RANDOM.uniform(100, 900) * numpy.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 6)
    return pixels.astype("f4")


PIXELS = field()
NOISE = numpy.full(PIXELS.shape, 5.0, "f4")
NOISE[:, 150:] = 8
BAD = numpy.zeros(PIXELS.shape, bool)
BAD[60:130, 40:200] = True
FURTHER = numpy.zeros(PIXELS.shape, "i2")
FURTHER[180:] = 3


def same(one, other):
    assert list(one) == list(other)
    for name in one.columns:
        numpy.testing.assert_array_equal(one[name], other[name], name)


def hidden(values, kind):
    """The values with BAD for a mask; under it nobody may look."""
    values = numpy.where(BAD, values.dtype.type(1e-3), values)
    if kind == "numpy.ma":
        return numpy.ma.MaskedArray(values, BAD)
    return pytest.importorskip("astropy.utils.masked").Masked(values, mask=BAD)


@pytest.mark.parametrize("kind", ["numpy.ma", "astropy"])
@pytest.mark.parametrize("what", ["error", "weight", "image"])
def test_what_any_array_masks_is_masked(what, kind):
    given = {"image": PIXELS, "error": NOISE, "weight": NOISE ** -2}
    if what == "weight":
        del given["error"]
    else:
        del given["weight"]
    expected = srcextract.extract(**given, mask=BAD)
    assert 0 < len(expected) < len(srcextract.extract(**given))
    given[what] = hidden(given[what], kind)
    same(srcextract.extract(**given), expected)
    both = srcextract.extract(**given, mask=FURTHER)
    same(both, srcextract.extract(given["image"] if what == "image" else PIXELS,
                                  **{name: numpy.asarray(values) for name, values in given.items() if name != "image"},
                                  mask=BAD | (FURTHER != 0)))
    assert len(both) < len(expected)


def test_masks_of_an_image_in_a_unit_and_of_its_errors_are_joined():
    units, nddata = pytest.importorskip("astropy.units"), pytest.importorskip("astropy.nddata")
    masked = pytest.importorskip("astropy.utils.masked").Masked
    expected = srcextract.extract(PIXELS * units.Jy, error=NOISE, mask=BAD | (FURTHER != 0))
    assert 0 < len(expected)
    error = masked(1000 * numpy.where(BAD, 1e-3, NOISE), mask=BAD) * units.mJy
    same(srcextract.extract(nddata.CCDData(PIXELS, unit="Jy", mask=FURTHER != 0), error=error), expected)
    same(srcextract.extract(masked(PIXELS, mask=FURTHER != 0) * units.Jy, error=error), expected)


def test_a_mask_with_a_mask_is_masked_where_it_does_not_tell():
    mask = numpy.ma.MaskedArray(FURTHER, BAD)
    same(srcextract.extract(PIXELS, mask=mask), srcextract.extract(PIXELS, mask=BAD | (FURTHER != 0)))


def test_masked_pixels_of_a_foreground_and_of_labels_are_of_no_source():
    sky = srcextract.background(PIXELS)
    above = PIXELS > sky.level + 4 * sky.rms
    expected = srcextract.label(above & ~BAD)
    assert 0 < len(expected) < len(srcextract.label(above))
    found = srcextract.label(numpy.ma.MaskedArray(above, BAD))
    numpy.testing.assert_array_equal(found.image, expected.image)
    everywhere = srcextract.label(above).image
    same(srcextract.measure(PIXELS, numpy.ma.MaskedArray(everywhere, BAD), sky),
         srcextract.measure(PIXELS, numpy.where(BAD, 0, everywhere), sky))


def test_masks_of_noise_have_to_fit():
    with pytest.raises(srcextract.InputError, match="error has the shape \\(3, 300\\)"):
        srcextract.extract(PIXELS, error=numpy.ma.MaskedArray(NOISE[:3], BAD[:3]))
    with pytest.raises(srcextract.InputError, match="every pixel is masked"):
        srcextract.extract(PIXELS, error=numpy.ma.MaskedArray(NOISE, True))
