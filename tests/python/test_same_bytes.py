"""Every image of data/ and ../shared/data gives the bytes of the command, as a path, an HDU, contents and an array; the
smaller ones unless SRCEXTRACT_LONG is set."""
import os

import numpy
import pytest
from conftest import ROOT

import srcextract

fits = pytest.importorskip("astropy.io.fits")

LONG = "SRCEXTRACT_LONG" in os.environ
SHARED = ROOT.parent / "shared" / "data"
LARGEST = 700_000  # bytes of an image that is taken at all times

IMAGES = sorted(path for folder in (ROOT / "data", SHARED) for path in folder.glob("**/*.fits")
                if LONG or path.stat().st_size < LARGEST)
FORMATS = ["fits", "ecsv"]


def read(found, directory):
    """The bytes of each format."""
    for ending in FORMATS:
        found.write(directory / f"mine.{ending}")
    return [(directory / f"mine.{ending}").read_bytes() for ending in FORMATS]


@pytest.mark.parametrize("config", ["default", "lesson", "photometry"])
@pytest.mark.parametrize("path", IMAGES, ids=lambda path: path.name)
def test_the_bytes_are_those_of_the_command(path, config, run, tmp_path):
    import subprocess
    settings = {"default": {}, "lesson": {}, "photometry": {
        "detection.threshold": "2", "output.columns": "[default, photometry]", "deblend.method": "tree",
        "measurement.apertures": "[4, 9]"}}[config]
    settings["output.formats"] = f"[{', '.join(FORMATS)}]"
    yaml = ROOT / "config" / f"{'lesson' if config == 'lesson' else 'default'}.yaml"
    keys = {key.replace(".", "__"): value for key, value in settings.items()}
    options = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    try:
        out = run(path, *options, config=yaml)
    except subprocess.CalledProcessError:  # which has a reason, that has to be the same
        assert path.name not in ("sky.fits", "sky_subtracted.fits", "image.fits", "galaxies.fits")
        with pytest.raises(srcextract.SrcextractError):
            srcextract.extract(path, yaml, **keys)
        with fits.open(path) as hdus, pytest.raises(srcextract.SrcextractError):
            srcextract.extract(hdus[0], yaml, **keys)
        return
    expected = [next(out.glob(f"*.cat.{ending}")).read_bytes() for ending in FORMATS]
    assert read(srcextract.extract(path, yaml, **keys), tmp_path) == expected
    assert read(srcextract.extract(path.read_bytes(), yaml, **keys), tmp_path) == expected
    with fits.open(path) as hdus:
        if hdus[0].header["NAXIS"] == 0:  # an extension alone has not the cards of the primary header, of which the command knows
            return
        assert read(srcextract.extract(hdus[0], yaml, **keys), tmp_path) == expected
        if hdus[0].header["BITPIX"] < 0 and "BSCALE" not in hdus[0].header:
            native = hdus[0].data.astype(hdus[0].data.dtype.newbyteorder("="))
            assert read(srcextract.extract(native, yaml, header=hdus[0].header, **keys), tmp_path) == expected


def sky(kind, shape=(120, 150), seed=7):
    """Stars on a sky, within the range of a type, as float64."""
    dtype = numpy.dtype(kind)
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    image = random.normal(20, 3, shape)
    for at_y, at_x in random.uniform(8, 110, (12, 2)):
        image += 70 * numpy.exp(-((y - at_y)**2 + (x - at_x)**2) / 5)
    if dtype.kind == "i" and dtype.itemsize > 1:
        image -= 40
    return image.clip(0 if dtype.kind == "u" else -100, 120).round()


STORED = {"i1": "int8", "u1": "uint8", ">i2": "int16", "<i2": "int16", ">u2": "uint16", "<u2": "uint16", ">i4": "int32",
          "<i4": "int32", "<u4": "uint32", ">i8": "int64", "<i8": "int64", "<u8": "uint64", ">f4": "float32",
          "<f4": "float32", ">f8": "float64", "<f8": "float64"}


@pytest.mark.parametrize("kind", STORED)
def test_every_type_and_layout_gives_the_bytes_of_its_file(kind, run, tmp_path):
    image = sky(kind).astype(kind)
    hdu = fits.PrimaryHDU(image.astype(STORED[kind]))
    hdu.writeto(tmp_path / "image.fits")
    expected = next(run(tmp_path / "image.fits", "--set", "output.formats=[fits]").glob("*.cat.fits")).read_bytes()
    wide = numpy.zeros((image.shape[0] * 2, image.shape[1] * 3), image.dtype)
    wide[1::2, 2::3] = image
    frozen = image.copy()
    frozen.flags.writeable = False
    fields = numpy.zeros(image.shape, [("flag", "u1"), ("value", image.dtype)])
    fields["value"] = image
    layouts = {"native": image, "fortran": numpy.asfortranarray(image), "strided": wide[1::2, 2::3],
               "reversed": image[::-1, ::-1].copy()[::-1, ::-1], "read-only": frozen, "one plane": image[None, None],
               "unaligned": fields["value"], "subclass": image.view(type("Mine", (numpy.ndarray,), {})),
               "unmasked": numpy.ma.array(image)}
    for name, array in layouts.items():
        found = srcextract.extract(array, output__formats=["fits"])
        assert len(found) > 8, name
        found.write(tmp_path / "mine.fits")
        assert (tmp_path / "mine.fits").read_bytes() == expected, name


@pytest.mark.parametrize("kind", ["f4", ">f8", "i2", "u1"])
def test_masked_arrays_are_arrays_with_nan(kind, tmp_path):
    image = sky(kind).astype(kind)
    mask = numpy.zeros(image.shape, bool)
    mask[20:50, 30:60] = True
    expected = srcextract.extract(numpy.where(mask, numpy.nan, image.astype("f8")))
    found = srcextract.extract(numpy.ma.array(image, mask=mask))
    assert 0 < len(expected) < len(srcextract.extract(image))
    for name in "X_IMAGE", "Y_IMAGE", "FLUX_ISO", "NPIX", "FLAGS", "BACKGROUND":
        numpy.testing.assert_array_equal(found[name], expected[name], name)


@pytest.mark.parametrize("shape", [(0, 0), (0, 7), (7, 0), (0,), ()])
def test_arrays_without_pixels_are_refused(shape):
    with pytest.raises(srcextract.InputError, match="no pixels|2 axes"):
        srcextract.extract(numpy.zeros(shape))


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, 0.0, 5.0])
def test_images_of_nothing_are_errors_and_no_crash(value, run, tmp_path):
    image = numpy.full((64, 64), value, "f4")
    with pytest.raises(srcextract.InputError) as raised:
        srcextract.extract(image, name="the image")
    fits.PrimaryHDU(image).writeto(tmp_path / "image.fits")
    with pytest.raises(srcextract.InputError) as told:
        srcextract.extract(tmp_path / "image.fits")
    assert str(raised.value).startswith("the image: ")
    assert str(raised.value).split(": ", 1)[1] == str(told.value).split(": ", 1)[1]


def test_nan_and_infinity_are_left_out():
    image = sky("f4").astype("f4")
    image[40:44, 60:66] = numpy.nan
    image[80, 80] = numpy.inf
    image[90, 10] = -numpy.inf
    found = srcextract.extract(image)
    assert len(found) > 5
    for name in found.columns:
        assert numpy.isfinite(found[name]).all() or name.startswith(("ALPHA", "DELTA")), name
    assert not found.segmentation[~numpy.isfinite(image)].any()
