"""Maps, headers and WCSs beside a path, and maps as files, HDUs, uncertainties, NDData and single numbers: as the same arrays with the
array."""
import gzip
import io

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")
nddata = pytest.importorskip("astropy.nddata")
units = pytest.importorskip("astropy.units")

RANDOM = numpy.random.default_rng(653)
Y, X = numpy.mgrid[:120, :140]
IMAGE = RANDOM.normal(100, 5, Y.shape)
for _x, _y, _peak in zip(RANDOM.uniform(5, 135, 25), RANDOM.uniform(5, 115, 25), RANDOM.uniform(30, 400, 25)):
    IMAGE += _peak * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 6)
IMAGE = numpy.round(IMAGE).astype("i2")
NOISE = numpy.where(X < 70, 7, 5).astype("f4")
MASK = Y < 40
OTHER = X > 120
WCS = pytest.importorskip("astropy.wcs").WCS(naxis=2)
WCS.wcs.ctype, WCS.wcs.crval, WCS.wcs.cdelt = ["RA---TAN", "DEC--TAN"], [150.0, 2.0], [-1e-3, 1e-3]


def same(found, expected):
    assert len(found) == len(expected) > 0 and found.columns == expected.columns
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("maps")
    fits.PrimaryHDU(IMAGE).writeto(path / "one.fits")
    (path / "one.fits.gz").write_bytes(gzip.compress((path / "one.fits").read_bytes()))
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(IMAGE)]).writeto(path / "one.fits.fz")
    scaled = fits.PrimaryHDU(IMAGE.astype("f4") * 0.1)
    scaled.scale("int16", bscale=0.1, bzero=50)
    scaled.writeto(path / "scaled.fits")
    maps = [(IMAGE, "SCI", 1), (IMAGE[::-1], "SCI", 2), (NOISE, "ERR", 1), (MASK.astype("u1"), "DQ", 1), (OTHER.astype("u1"), "DQ", 2)]
    fits.HDUList([fits.PrimaryHDU()] + [fits.ImageHDU(data, name=name, ver=ver) for data, name, ver in maps]).writeto(path / "many.fits")
    return path


MAPS = {"mask": {"mask": MASK}, "error": {"error": NOISE}, "weight": {"weight": NOISE**-2}, "wcs": {"wcs": WCS}, "header": {"header": WCS.to_header()},
        "all": {"mask": MASK, "error": NOISE, "wcs": WCS}}


@pytest.mark.parametrize("maps", MAPS)
def test_maps_beside_a_file_are_as_beside_its_array(maps, folder):
    told = MAPS[maps]
    expected = srcextract.extract(IMAGE, **told)
    for name in "one.fits", "one.fits.gz", "one.fits.fz", "many.fits":
        found = srcextract.extract(folder / name, **told)
        same(found, expected)
        assert found.name == srcextract.extract(folder / name).name
    for given in (folder / "one.fits").read_bytes(), io.BytesIO((folder / "one.fits").read_bytes()):
        same(srcextract.Extractor()(given, **told), expected)
    with fits.open(folder / "scaled.fits") as hdus:
        same(srcextract.extract(folder / "scaled.fits", **told), srcextract.extract(hdus[0], **told))


def test_maps_of_the_file_count_beside_given_ones(folder):
    path = folder / "many.fits"
    same(srcextract.extract(path, mask=MASK, weights__hdu="ERR", weights__type="rms"), srcextract.extract(IMAGE, mask=MASK, error=NOISE))
    same(srcextract.extract(path, error=NOISE, mask__hdu="DQ"), srcextract.extract(IMAGE, mask=MASK, error=NOISE))
    same(srcextract.extract(path, {"extends": "none", "mask": {"hdu": "DQ"}}, wcs=WCS),
         srcextract.extract(IMAGE, {"extends": "none"}, mask=MASK, wcs=WCS))
    same(srcextract.extract(path, mask=MASK, input__hdu="SCI,2"), srcextract.extract(IMAGE[::-1], mask=MASK))
    same(srcextract.crowd(folder / "one.fits", mask=MASK), srcextract.crowd(IMAGE, mask=MASK))
    assert srcextract.extract(folder / "one.fits", mask=MASK).cutouts(5).shape[1:] == (5, 5)
    with pytest.raises(srcextract.ConfigError, match="input.hdu selects 5 images"):
        srcextract.extract(path, mask=MASK, input__hdu="all")


def test_asinh_pixels_of_a_file_are_linear_beside_a_map_too(tmp_path):
    magnitudes = 2.5 / numpy.log(10) * numpy.arcsinh((IMAGE - 12.0) / (2 * 3.5))
    pan_starrs = fits.PrimaryHDU(magnitudes.astype("f4"))
    pan_starrs.header["BSOFTEN"], pan_starrs.header["BOFFSET"] = 3.5, 12.0
    pan_starrs.writeto(tmp_path / "asinh.fits")
    expected = srcextract.extract(IMAGE, mask=MASK)
    with fits.open(tmp_path / "asinh.fits") as hdus:
        for found in srcextract.extract(tmp_path / "asinh.fits", mask=MASK), srcextract.extract(hdus[0], mask=MASK):
            assert len(found) == len(expected) > 5 and not any("BSOFTEN" in warning for warning in found.warnings)
            numpy.testing.assert_allclose(found["FLUX_APER"], expected["FLUX_APER"], rtol=1e-4)


def test_an_extension_has_a_name_and_a_version(folder):
    """As astropy names it: a tuple; a list has names."""
    path = folder / "many.fits"
    expected = srcextract.extract(IMAGE[::-1])
    with fits.open(path) as hdus:
        for image in path, hdus:
            same(srcextract.extract(image, input__hdu=("SCI", 2)), expected)
    same(srcextract.extract(path, mask__hdu=("DQ", 2)), srcextract.extract(IMAGE, mask=OTHER))
    same(srcextract.extract(path, {"extends": "none", "input": {"hdu": ("SCI", 2)}, "mask": {"hdu": ("DQ", 2)}}),
         srcextract.extract(IMAGE[::-1], {"extends": "none"}, mask=OTHER))
    with pytest.raises(srcextract.ConfigError, match="input.hdu selects 2 images"):
        srcextract.extract(path, input__hdu=["SCI", 2])


def test_hdus_are_maps(folder):
    with_noise, with_mask = srcextract.extract(IMAGE, error=NOISE), srcextract.extract(IMAGE, mask=MASK)
    with fits.open(folder / "many.fits") as hdus:
        same(srcextract.extract(IMAGE, error=hdus["ERR"]), with_noise)
        same(srcextract.extract(IMAGE, mask=hdus["DQ"]), with_mask)
        same(srcextract.extract(hdus["SCI"], mask=hdus["DQ", 1]), with_mask)
        with pytest.raises(srcextract.InputError, match="error: the HDUList has 5 images; give the HDU"):
            srcextract.extract(IMAGE, error=hdus)
    same(srcextract.extract(IMAGE, error=fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(NOISE)])), with_noise)
    same(srcextract.extract(IMAGE, weight=fits.CompImageHDU(NOISE**-2, quantize_level=0)), srcextract.extract(IMAGE, weight=NOISE**-2))
    noise = fits.PrimaryHDU(NOISE / 1000)
    noise.header["BUNIT"] = "kJy"
    same(srcextract.extract(IMAGE * units.Jy, error=noise), srcextract.extract(IMAGE * units.Jy, error=NOISE / 1000 * units.kJy))
    noise.header["BUNIT"] = "m"
    with pytest.raises(srcextract.InputError, match="error: in m, and the image in Jy"):
        srcextract.extract(IMAGE * units.Jy, error=noise)


@pytest.mark.parametrize("kind, power", [(nddata.StdDevUncertainty, 1.0), (nddata.VarianceUncertainty, 2.0), (nddata.InverseVariance, -2.0)])
def test_uncertainties_are_maps(kind, power):
    noise = numpy.float64(2.0) ** numpy.round(NOISE - 4)  # powers of two: no rounding
    given, ccd = kind(noise**power), nddata.CCDData(IMAGE, unit="adu", uncertainty=kind(noise**power))
    same(srcextract.extract(IMAGE, error=given), srcextract.extract(IMAGE, error=noise))
    same(srcextract.extract(IMAGE, weight=given), srcextract.extract(IMAGE, weight=noise**-2))
    same(srcextract.extract(IMAGE, error=given, weights__type="variance"), srcextract.extract(IMAGE, error=noise**2, weights__type="variance"))
    same(srcextract.extract(IMAGE, error=ccd.uncertainty), srcextract.extract(IMAGE, error=noise))
    of_unit = nddata.CCDData(IMAGE, unit="Jy")
    in_kilo = kind((noise / 1024) ** power, unit=units.Unit("1.024 kJy") ** power)
    same(srcextract.extract(of_unit, error=in_kilo), srcextract.extract(of_unit, error=noise))
    same(srcextract.extract(of_unit, error=in_kilo, weights__type="variance"),
         srcextract.extract(of_unit, error=noise**2, weights__type="variance"))


def test_an_uncertainty_of_no_known_kind_is_told():
    for what in "error", "weight":
        with pytest.raises(srcextract.InputError, match=f"{what}: a UnknownUncertainty is no standard deviation"):
            srcextract.extract(IMAGE, **{what: nddata.UnknownUncertainty(NOISE)})


def test_an_nddata_is_a_map():
    same(srcextract.extract(IMAGE, error=nddata.NDData(NOISE, mask=MASK)), srcextract.extract(IMAGE, error=NOISE, mask=MASK))
    same(srcextract.extract(IMAGE, mask=nddata.NDData(MASK)), srcextract.extract(IMAGE, mask=MASK))
    same(srcextract.extract(IMAGE * units.Jy, error=nddata.CCDData(NOISE / 1000, unit="kJy")),
         srcextract.extract(IMAGE * units.Jy, error=NOISE / 1000 * units.kJy))


@pytest.mark.parametrize("five", [5, 5.0, numpy.float32(5), numpy.array(5.0)])
def test_one_number_is_that_of_all_pixels(five, folder):
    expected = srcextract.extract(IMAGE, error=numpy.full(IMAGE.shape, 5.0))
    for image in IMAGE, folder / "one.fits":
        same(srcextract.extract(image, error=five), expected)
    same(srcextract.extract(IMAGE, weight=five), srcextract.extract(IMAGE, weight=numpy.full(IMAGE.shape, 5.0)))
    same(srcextract.extract(IMAGE * units.Jy, error=five * units.Jy), srcextract.extract(IMAGE * units.Jy, error=numpy.full(IMAGE.shape, 5.0)))


def test_one_value_of_a_mask():
    same(srcextract.extract(IMAGE, mask=False), srcextract.extract(IMAGE))
    for told in {"mask": True}, {"error": 0.0}, {"error": -1.0}, {"error": numpy.nan}:
        with pytest.raises(srcextract.InputError, match="every pixel is masked"):
            srcextract.extract(IMAGE, **told)


@pytest.mark.parametrize("form", ["path", "text", "gzip", "bytes", "file"])
def test_a_map_in_a_file(form, folder, tmp_path):
    maps = {"mask": MASK.astype("u1"), "error": NOISE, "weight": NOISE**-2}
    for what, values in maps.items():
        path = tmp_path / f"{what}.fits"
        fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(values)]).writeto(path, overwrite=True)
        (tmp_path / f"{what}.fits.gz").write_bytes(gzip.compress(path.read_bytes()))
        given = {"path": path, "text": str(path), "gzip": tmp_path / f"{what}.fits.gz", "bytes": path.read_bytes(), "file": io.BytesIO(path.read_bytes())}
        expected = srcextract.extract(IMAGE, **{what: values})
        for image in IMAGE, folder / "one.fits", nddata.NDData(IMAGE):
            same(srcextract.extract(image, **{what: given[form]}), expected)
        same(srcextract.Extractor()(IMAGE, **{what: given[form]}), expected)


def test_noise_in_a_file_has_its_unit(tmp_path):
    noise = fits.PrimaryHDU(NOISE / 1000)
    noise.header["BUNIT"] = "kJy"
    noise.writeto(tmp_path / "noise.fits")
    same(srcextract.extract(IMAGE * units.Jy, error=tmp_path / "noise.fits"), srcextract.extract(IMAGE * units.Jy, error=NOISE / 1000 * units.kJy))


@pytest.mark.parametrize("kind", [nddata.StdDevUncertainty, nddata.VarianceUncertainty, nddata.InverseVariance])
def test_every_form_of_a_map_beside_a_file(kind, folder):
    power = {"std": 1, "var": 2, "ivar": -2}[kind(NOISE).uncertainty_type]
    noise = numpy.float64(2.0) ** numpy.round(NOISE - 4)  # powers of two: no rounding
    expected = srcextract.extract(IMAGE, error=noise)
    for error in kind(noise**power), fits.ImageHDU(noise), fits.HDUList([fits.PrimaryHDU(noise)]), nddata.NDData(noise):
        same(srcextract.extract(folder / "one.fits", error=error), expected)
    same(srcextract.extract(folder / "one.fits", mask=fits.ImageHDU(MASK.astype("u1"))), srcextract.extract(IMAGE, mask=MASK))
    same(srcextract.extract(folder / "one.fits", mask=nddata.NDData(MASK)), srcextract.extract(IMAGE, mask=MASK))


def test_a_file_that_is_no_map_is_told(folder, tmp_path):
    (tmp_path / "text.fits").write_text("nothing")
    for what, keys in {"error": "weights", "weight": "weights", "mask": "mask"}.items():
        with pytest.raises(srcextract.InputError, match=f"{what}: .*many.fits has 5 images; give the HDU that is meant, as hdus.*{keys}__hdu"):
            srcextract.extract(IMAGE, **{what: folder / "many.fits"})
        with pytest.raises(srcextract.InputError, match=f"{what}: .*text.fits: cannot be read"):
            srcextract.extract(IMAGE, **{what: tmp_path / "text.fits"})
        with pytest.raises(srcextract.InputError, match=f"{what}: .*none.fits: cannot be read"):
            srcextract.extract(folder / "one.fits", **{what: tmp_path / "none.fits"})
