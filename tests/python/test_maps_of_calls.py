"""Maps that come with one image count the same in extract(), in an Extractor, and among many images: as the command's do."""
import re

import numpy
import pytest

import srcextract
from conftest import ROOT

fits = pytest.importorskip("astropy.io.fits")

FITS = {"output__formats": ["fits"]}


def field():
    random = numpy.random.default_rng(4)
    y, x = numpy.mgrid[:200, :240]
    pixels = random.normal(100, 5, y.shape)
    for x0, y0, peak in zip(random.uniform(5, 235, 40), random.uniform(5, 195, 40), random.uniform(30, 400, 40)):
        pixels += peak * numpy.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 6)
    return pixels.astype("f4")


PIXELS = field()
NOISE = numpy.full(PIXELS.shape, 5, "f4")
NOISE[:, :120] = 50


def as_the_command(run, tmp_path, kind, values, **config):
    path = tmp_path / "image.fits"
    fits.HDUList([fits.PrimaryHDU(PIXELS), fits.ImageHDU(values, name="MAP")]).writeto(path)
    out = run(path, "--set", "output.formats=[fits]", "--set", f"weights.type={kind}", "--set", "weights.hdu=MAP", **config)
    with fits.open(next(out.glob("*.cat.fits"))) as hdus:
        return hdus[1].data


def same(found, expected):
    assert len(found) == len(expected) > 0
    for name in "X_IMAGE", "FLUX_ISO", "NPIX", "THRESHOLD":
        numpy.testing.assert_array_equal(found[name], expected[name], name)


@pytest.mark.parametrize("kind", ["error", "weight"])
def test_an_extractor_takes_the_noise_of_each_image(kind, run, tmp_path):
    given = {kind: NOISE if kind == "error" else NOISE ** -2}
    expected = as_the_command(run, tmp_path, "rms" if kind == "error" else "weight", given[kind],
                              config=ROOT / "tests" / "support" / "plain.yaml")
    extractor = srcextract.Extractor({"extends": "none"})
    plain = extractor(PIXELS)
    assert len(plain) > len(expected)
    same(extractor(PIXELS, **given), expected)
    same(srcextract.extract(PIXELS, {"extends": "none"}, **given), expected)
    same(extractor(PIXELS), plain)


def test_an_extractor_of_a_file_writes_what_extract_writes(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("extends: none\ndetection: {threshold: 3}\noutput: {formats: [fits]}\n")
    bad = PIXELS > 300
    srcextract.extract(PIXELS, config, error=NOISE, mask=bad).write(tmp_path / "one.fits")
    extractor = srcextract.Extractor(config)
    config.unlink()
    extractor(PIXELS, error=NOISE, mask=bad).write(tmp_path / "two.fits")
    assert (tmp_path / "one.fits").read_bytes() == (tmp_path / "two.fits").read_bytes()


def test_uncertainties_count_everywhere(run, tmp_path):
    nddata = pytest.importorskip("astropy.nddata")
    image = nddata.CCDData(PIXELS, unit="adu", uncertainty=nddata.StdDevUncertainty(NOISE))
    expected = as_the_command(run, tmp_path, "rms", NOISE)
    same(srcextract.extract(image), expected)
    same(srcextract.Extractor()(image), expected)
    same(srcextract.extract(image, weights__type="rms", weights__hdu="RMS"), expected)
    for found in srcextract.extract_many([image, image], progress=False):
        same(found, expected)
    same(srcextract.Extractor(weights__type="background")(image), srcextract.extract(PIXELS))


def test_a_difference_tells_its_own_noise():
    nddata = pytest.importorskip("astropy.nddata")
    changed = PIXELS + numpy.roll(PIXELS, 5, 0) - 100
    image = nddata.CCDData(changed, unit="adu", uncertainty=nddata.StdDevUncertainty(NOISE))
    how = {"difference__kernel": "gaussian"}
    same(srcextract.difference(nddata.CCDData(PIXELS, unit="adu"), image, **how), srcextract.difference(PIXELS, changed, **how))


@pytest.mark.parametrize("kind", ["none", "background"])
def test_maps_that_would_not_be_looked_at_are_refused(kind):
    with pytest.raises(srcextract.ConfigError, match=f"error tells .* weights__type='{kind}'"):
        srcextract.extract(PIXELS, error=NOISE, weights__type=kind)
    with pytest.raises(srcextract.ConfigError, match=f"weight tells .* weights__type='{kind}'"):
        srcextract.Extractor(weights__type=kind)(PIXELS, weight=NOISE)
    with pytest.raises(srcextract.ConfigError, match="give one of them"):
        srcextract.Extractor()(PIXELS, weight=NOISE, error=NOISE)


@pytest.mark.parametrize("kind", ["variance", "weight"])
def test_the_type_of_a_configuration_counts_as_that_of_a_key(kind, run, tmp_path):
    values = NOISE ** 2 if kind == "variance" else 1 / NOISE ** 2
    expected = as_the_command(run, tmp_path, kind, values)
    config = tmp_path / "config.yaml"
    config.write_text(re.sub("(\nweights:\n  type: )[a-z]+", f"\\1{kind}", srcextract.Extractor().config))
    same(srcextract.extract(PIXELS, error=values, weights__type=kind), expected)
    same(srcextract.extract(PIXELS, config, error=values), expected)
    plain = srcextract.extract(PIXELS, {"extends": "none"}, error=values, weights__type=kind)
    same(srcextract.extract(PIXELS, {"extends": "none", "weights": {"type": kind}}, error=values), plain)
    with pytest.raises(srcextract.ConfigError, match="error tells"):
        srcextract.extract(PIXELS, {"extends": "none", "weights": {"type": "background"}}, error=NOISE)


def test_an_uncertainty_of_an_unknown_kind_is_told():
    nddata = pytest.importorskip("astropy.nddata")
    image = nddata.NDData(PIXELS, uncertainty=nddata.UnknownUncertainty(NOISE))
    with pytest.raises(srcextract.InputError, match="a UnknownUncertainty is no standard deviation"):
        srcextract.extract(image)
    same(srcextract.extract(image, weights__type="background"), srcextract.extract(PIXELS))


@pytest.mark.parametrize("name", ["device", "of_difference", "error"])
def test_what_is_no_argument_of_many_images_is_told(name):
    with pytest.raises(TypeError, match=f"there is no argument '{name}'"):
        srcextract.extract_many([PIXELS], **{name: 0})


@pytest.mark.filterwarnings("error::ResourceWarning", "error::pytest.PytestUnraisableExceptionWarning")
def test_contents_are_closed_beside_wrong_positions(sky_path):
    import gc
    with pytest.raises(srcextract.InputError, match="positions"):
        srcextract.extract(sky_path.read_bytes(), positions=[1, 2, 3])
    gc.collect()
