"""What a keyword's value is: names of files as they are, numbers and lists also as text, and no maps of every pixel."""
import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")

RANDOM = numpy.random.default_rng(9)
IMAGE = RANDOM.normal(100, 5, (80, 100)).astype("f4")
IMAGE[20::25, 20::25] += 500
IMAGE[21::25, 20::25] += 500
MASK = numpy.zeros(IMAGE.shape, "u1")
MASK[:, :50] = 1


@pytest.mark.parametrize("name", ["bad #2.fits", "a: b.fits", "[x].fits", "[x]", "{x}", "it's.fits", "'x'", '"x"', "# x", "- x",
                                  "two  blanks.fits", "100", "true", "null", "*x", "%x", "back\\slash"])
def test_a_file_is_the_one_that_is_named(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fits.PrimaryHDU(IMAGE).writeto("image.fits")
    fits.PrimaryHDU(MASK * 0).writeto("bad")
    fits.PrimaryHDU(MASK).writeto(name)
    expected = srcextract.extract(IMAGE, mask=MASK, detection__min_area=2)
    assert 0 < len(expected) < len(srcextract.extract(IMAGE, detection__min_area=2))
    found = srcextract.extract("image.fits", mask__file=name, detection__min_area=2)
    numpy.testing.assert_array_equal(found["X_IMAGE"], expected["X_IMAGE"])
    stacked = srcextract.extract("image.fits", combine__files=["image.fits", name], combine__method="mean", combine__hdus=[])
    assert stacked.sky_level < 70


def test_numbers_and_lists_may_be_text():
    extractor = srcextract.Extractor(detection__threshold="3", output__formats="[fits, csv]", deblend__clean="false",
                                     detection__min_area=" 7 ", input__hdu="SCI,2", background__level="100")
    for line in "threshold: 3.0", "formats: [fits, csv]", "clean: false", "min_area: 7", "hdu: 'SCI,2'", "level: 100":
        assert f"  {line}\n" in extractor.config + "\n", line
    with pytest.raises(srcextract.ConfigError, match="must be a number, not the text 'three'"):
        srcextract.Extractor(detection__threshold="three")


@pytest.mark.parametrize("call, said", [
    (lambda a: srcextract.extract(IMAGE, detection__threshold=a), "detection__threshold is an array of shape \\(2000, 2000\\)"),
    (lambda a: srcextract.extract(IMAGE, {"detection": {"threshold": a}}), "detection.threshold is an array of shape"),
    (lambda a: srcextract.background(IMAGE, mask=a), "background__mask is an array of shape"),
    (lambda a: srcextract.extract(IMAGE, measurement__apertures=a.ravel()), "is an array of shape \\(4000000,\\)"),
    (lambda a: srcextract.extract(IMAGE, detection__threshold=a[:200].tolist()), "has 400000 values"),
])
def test_maps_are_no_values(call, said):
    with pytest.raises(srcextract.ConfigError, match=said) as raised:
        call(numpy.full((2000, 2000), 3.0))
    assert len(str(raised.value)) < 500


def test_long_values_are_told_in_short():
    for value in "x" * 100_000, [3.5] * 5000:
        with pytest.raises(srcextract.ConfigError, match="detection.threshold") as raised:
            srcextract.extract(IMAGE, detection__threshold=value)
        assert len(str(raised.value)) < 1000
        with pytest.raises(srcextract.ConfigError) as raised:
            srcextract.threshold(IMAGE, threshold=value)
        assert len(str(raised.value)) < 1000
    kernel = numpy.ones((63, 63))
    assert srcextract.convolve(IMAGE, kernel=kernel).shape == IMAGE.shape
    assert len(srcextract.extract(IMAGE, convolve__kernel="values", convolve__values=kernel[:3, :3])) > 0


def test_units_are_told_to_be_left_out():
    units = pytest.importorskip("astropy.units")
    with pytest.raises(srcextract.ConfigError, match="measurement__gain is in electron / adu.*\\.value"):
        srcextract.extract(IMAGE, measurement__gain=1.5 * units.electron / units.adu)
    with pytest.raises(srcextract.ConfigError, match="measurement.gain is in"):
        srcextract.extract(IMAGE, {"measurement": {"gain": 1.5 * units.electron / units.adu}})
    assert "  threshold: 4.0\n" in srcextract.Extractor(detection__threshold=4 * units.dimensionless_unscaled).config
