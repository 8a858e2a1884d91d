"""srcextract.extract gives what the command gives, whatever the image is in."""
import subprocess
import sys
import warnings

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")


@pytest.mark.parametrize("ending", ["fits", "ecsv", "csv", "parquet", "vot", "reg", "ldac"])
def test_a_path_gives_the_bytes_of_the_command(ending, run, sky_path, tmp_path):
    words = {"vot": "votable"}
    out = run(sky_path, "--set", f"output.formats=[{words.get(ending, ending)}]")
    wrote, = [path for path in out.iterdir() if not path.name.endswith("run.json")]
    found = srcextract.extract(sky_path, output__formats=[words.get(ending, ending)])
    found.write(tmp_path / f"mine.{ending}")
    assert (tmp_path / f"mine.{ending}").read_bytes() == wrote.read_bytes()
    assert len(found) == 450


def test_an_hdu_gives_the_bytes_of_the_command(run, sky_path, tmp_path):
    out = run(sky_path, "--set", "output.formats=[fits]")
    with fits.open(sky_path) as hdus:
        srcextract.extract(hdus[0], output__formats=["fits"]).write(tmp_path / "untouched.fits")
    with fits.open(sky_path, do_not_scale_image_data=True) as hdus:
        hdus[0].data.sum()
        srcextract.extract(hdus[0], output__formats=["fits"]).write(tmp_path / "touched.fits")
    for name in "untouched", "touched":
        assert (tmp_path / f"{name}.fits").read_bytes() == (out / "sky.cat.fits").read_bytes()


TYPES = [">f4", "<f4", ">f8", "<f8", "i1", "u1", ">i2", "<i2", ">u2", "<u2", ">i4", "<u4", ">i8", "<u8"]


def field(kind):
    """Stars on a sky, within the range of the type."""
    dtype = numpy.dtype(kind)
    random = numpy.random.default_rng(7)
    y, x = numpy.mgrid[:120, :150]
    image = random.normal(20, 3, (120, 150))
    for at_y, at_x in random.uniform(8, 110, (12, 2)):
        image += 70 * numpy.exp(-((y - at_y)**2 + (x - at_x)**2) / 5)
    if dtype.kind == "i" and dtype.itemsize > 1:
        image -= 40
    if dtype.itemsize == 1:
        image = image.clip(-100 if dtype.kind == "i" else 0, 120)
    return image.round().astype(kind)


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_read_as_its_values_are(kind):
    image = field(kind)
    expected = srcextract.extract(image.astype("f4"))
    found = srcextract.extract(image)
    assert len(expected) > 8
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)
    numpy.testing.assert_array_equal(found.segmentation, expected.segmentation)


def layouts(image):
    wide = numpy.zeros((image.shape[0] * 2, image.shape[1] * 3), image.dtype)
    wide[::2, ::3] = image
    frozen = image.copy()
    frozen.flags.writeable = False
    return {"fortran": numpy.asfortranarray(image), "strided": wide[::2, ::3], "read-only": frozen,
            "reversed": image[::-1, ::-1].copy()[::-1, ::-1], "of one plane": image[None]}


@pytest.mark.parametrize("kind", ["<f4", ">i2", "u4", "f8"])
@pytest.mark.parametrize("layout", ["fortran", "strided", "read-only", "reversed", "of one plane"])
def test_every_layout_is_read_where_it_lies(layout, kind):
    image = field(kind)
    expected = srcextract.extract(image)
    found = srcextract.extract(layouts(image)[layout])
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)


def test_masked_pixels_are_in_no_source():
    image = field("f4")
    mask = numpy.zeros(image.shape, bool)
    mask[:, 75:] = True
    by_mask = srcextract.extract(image, mask=mask)
    by_masked_array = srcextract.extract(numpy.ma.array(image, mask=mask))
    by_nan = srcextract.extract(numpy.where(mask, numpy.nan, image))
    assert 0 < len(by_nan) < len(srcextract.extract(image))
    for found in by_mask, by_masked_array:
        assert found["XMAX_IMAGE"].max() <= 75
        numpy.testing.assert_array_equal(found["FLUX_ISO"], by_nan["FLUX_ISO"])


def test_the_sky_is_that_of_the_check_images(run, sky_path):
    out = run(sky_path, "--set", "output.check_images=[background, rms]", "--set", "output.segmentation=true")
    found = srcextract.extract(sky_path)
    numpy.testing.assert_array_equal(found.background, fits.getdata(next(out.glob("*background*"))))
    numpy.testing.assert_array_equal(found.rms, fits.getdata(next(out.glob("*rms*"))))
    numpy.testing.assert_array_equal(found.segmentation, fits.getdata(next(out.glob("*seg*"))))


@pytest.mark.parametrize("image, says", [
    (numpy.zeros(5), "2 axes"), (numpy.zeros((3, 4, 5)), "2 axes"), (numpy.zeros((0, 5)), "no pixels"),
    (numpy.zeros((5, 5), complex), "complex128"), (numpy.zeros((5, 5), "f2"), "float16"),
    (numpy.array([["a", "b"]]), "cannot be of the type"), (object(), "no array"),
])
def test_what_is_no_image_is_told(image, says):
    with pytest.raises(srcextract.InputError, match=says):
        srcextract.extract(image)


def test_a_wrong_key_is_told_with_the_one_that_may_be_meant(tmp_path):
    with pytest.raises(srcextract.ConfigError, match="did you mean 'threshold'"):
        srcextract.extract(numpy.zeros((9, 9)), detection__treshold=3)
    with pytest.raises(srcextract.ConfigError, match="did you mean 'threshold'"):
        srcextract.extract(numpy.zeros((9, 9)), {"detection": {"treshold": 3}})
    with pytest.raises(TypeError, match="section__key"):
        srcextract.extract(numpy.zeros((9, 9)), threshold=3)
    with pytest.raises(srcextract.SrcextractError, match="missing.fits"):
        srcextract.extract(tmp_path / "missing.fits")
    (tmp_path / "text.fits").write_text("no image")
    with pytest.raises(srcextract.InputError, match="FITS"):
        srcextract.extract(tmp_path / "text.fits")


MEMORY_AFTERWARDS = """
import sys, numpy, srcextract
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def churn():
    arrays = [numpy.ones(1 << 17) for _ in range(400)]
before = resident()
churn()
srcextract.extract(sys.argv[1])
srcextract.compare(srcextract.extract(sys.argv[1]), srcextract.extract(sys.argv[1]))
churn()
print(resident() - before)
"""


def test_what_others_release_goes_back_to_the_system_after_a_file(sky_path):
    done = subprocess.run([sys.executable, "-c", MEMORY_AFTERWARDS, str(sky_path)], capture_output=True, text=True,
                          check=True)
    assert int(done.stdout) < 200e6  # 400 MB were made and released twice


def test_a_dict_or_a_file_changes_the_default_and_a_warning_says_so_once(sky_path, tmp_path):
    (tmp_path / "mine.yaml").write_text("extends: default\nmeasurement: {apertures: [7]}\n")
    expected = srcextract.extract(sky_path, detection__threshold=6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = srcextract.extract(sky_path, {"extends": "default", "detection": {"threshold": 6}})
        seven = srcextract.extract(sky_path, tmp_path / "mine.yaml", detection__threshold=6)
        both = srcextract.extract(sky_path, {"extends": str(tmp_path / "mine.yaml"), "detection": {"threshold": 6}})
        alone = srcextract.extract(sky_path, {"extends": "none", "detection": {"threshold": 6}})
    assert found.table.colnames == expected.table.colnames
    assert all((found[name] == expected[name]).all() for name in found.table.colnames)
    assert (seven["FLUX_APER"] > expected["FLUX_APER"]).mean() > 0.9 and (both["FLUX_APER"] == seven["FLUX_APER"]).all()
    assert len(alone) == 220 and len(expected) == 445
    with pytest.warns(UserWarning, match="no key 'extends'.*deblend.method tree \\(not none\\)"):
        silent = srcextract.extract(sky_path, {"detection": {"threshold": 6.0}})
    with pytest.warns(UserWarning) as warned:
        srcextract.extract(sky_path, {"detection": {"threshold": 6.5}})
    assert [warning.filename for warning in warned] == [__file__]
    assert (silent["FLUX_AUTO"] == expected["FLUX_AUTO"]).all()
    with pytest.raises(srcextract.ConfigError, match="'extends' is default, none, radio, crowd, or a file, and defualt.*'default'"):
        srcextract.extract(sky_path, {"extends": "defualt"})
