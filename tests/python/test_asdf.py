"""Files of ASDF and WCSs of gwcs: positions are those that the gwcs itself gives."""
import logging

import numpy
import pytest

import srcextract as sx

gwcs = pytest.importorskip("gwcs")
models = pytest.importorskip("astropy.modeling.models")
from astropy import coordinates, nddata, units  # noqa: E402
from gwcs import coordinate_frames  # noqa: E402

Y, X = numpy.mgrid[:120, :150]
IMAGE = numpy.random.default_rng(5).normal(100, 5, Y.shape)
for _x, _y in numpy.random.default_rng(6).uniform(5, 115, (30, 2)):
    IMAGE += 300 * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 5)


def model(distortion=None, frame=None):
    """A gwcs with a rotation, a projection, and a distortion of pixels."""
    bend = models.Polynomial2D(3, c1_0=1, c2_0=2e-5, c0_2=-9e-6, c3_0=1e-6), models.Polynomial2D(3, c0_1=1, c1_1=3e-5, c0_3=1e-6)
    distortion = distortion or models.Mapping((0, 1, 0, 1)) | bend[0] & bend[1]
    on_sky = (models.Rotation2D(31) | models.Scale(-0.11 / 3600) & models.Scale(0.11 / 3600) | models.Pix2Sky_TAN()
              | models.RotateNative2Celestial(80.3, -35, 180))
    pixels = coordinate_frames.Frame2D(name="detector", axes_order=(0, 1), unit=(units.pix, units.pix))
    sky = coordinate_frames.CelestialFrame(reference_frame=coordinates.ICRS() if frame is None else frame, name="sky", unit=(units.deg, units.deg))
    return gwcs.WCS([(pixels, models.Shift(-70) & models.Shift(-60) | distortion | on_sky), (sky, None)])


def assert_places(found, wcs):
    """ALPHA_J2000 and DELTA_J2000 within 0.01 pixel of 0.11 arcseconds."""
    ra, dec = wcs(found.x, found.y)
    off = numpy.hypot((found["ALPHA_J2000"] - ra) * numpy.cos(numpy.radians(dec)), found["DELTA_J2000"] - dec)
    assert len(found) > 10 and off.max() < 0.01 * 0.11 / 3600


def test_positions_of_a_gwcs():
    wcs = model()
    assert_places(sx.extract(IMAGE, wcs=wcs), wcs)
    assert_places(sx.Extractor()(nddata.NDData(IMAGE, wcs=wcs)), wcs)
    assert_places(sx.extract(IMAGE[:, :130], wcs=wcs, header="OBJECT  = 'M 31'".ljust(80)), wcs)
    with_angles = sx.extract(IMAGE, wcs=wcs, measurement__apertures=[1.1 * units.arcsec])
    numpy.testing.assert_allclose(with_angles["FLUX_APER"], sx.extract(IMAGE, measurement__apertures=[10])["FLUX_APER"], rtol=0.02)
    at = coordinates.SkyCoord(*wcs(numpy.array([30.0, 60.5]), numpy.array([20.0, 70.25])), unit="deg")
    forced = sx.extract(IMAGE, wcs=wcs, positions=at)
    numpy.testing.assert_allclose(numpy.array([forced.x, forced.y]), [[30, 60.5], [20, 70.25]], atol=0.01)


def test_a_gwcs_that_no_header_follows_is_told(caplog):
    waves = model(models.Shift(0) & models.Shift(0) | models.Mapping((0, 1)) | (models.Identity(1) + models.Sine1D(2, 0.09)) & models.Identity(1))
    with pytest.raises(sx.InputError, match="SIP follow the gwcs to .* pixels and not to 0.01"):
        sx.extract(IMAGE, wcs=waves)
    with caplog.at_level(logging.WARNING, "srcextract"):
        assert "ALPHA_J2000" not in sx.extract(nddata.NDData(IMAGE, wcs=waves))
    assert "no positions on the sky" in caplog.text


def test_a_gwcs_of_another_frame():
    for frame, most in (coordinates.FK5(), 1e-3), (coordinates.FK5(equinox="J1975"), 1e-3), (coordinates.Galactic(), 0.03):
        wcs = model(frame=frame)
        found = sx.extract(IMAGE, wcs=wcs)
        own = coordinates.SkyCoord(*wcs(found.x, found.y), unit="deg", frame=frame)
        # ALPHA_J2000 of galactic positions is in FK5, which is up to 0.03 arcseconds from ICRS.
        assert own.separation(found.skycoord).arcsec.max() < most


@pytest.fixture(scope="module")
def roman(tmp_path_factory):
    """A file with the parts that Roman's have."""
    asdf = pytest.importorskip("asdf")
    pytest.importorskip("asdf_astropy")
    error = numpy.where(X < 70, 7, 5).astype("f4")
    quality = numpy.where(Y < 40, 1, numpy.where(Y > 100, 4, 0)).astype("u4")
    path = tmp_path_factory.mktemp("asdf") / "roman_cal.asdf"
    asdf.AsdfFile({"roman": {"meta": {"wcs": model()}, "data": IMAGE.astype("f4"), "err": error, "dq": quality}}).write_to(path)
    return path, error, quality


def test_a_file_of_roman(roman):
    path, error, quality = roman
    expected = sx.extract(IMAGE.astype("f4"), error=error, mask=quality == 1, wcs=model())
    extractor = sx.Extractor()
    for found in (sx.extract(path), sx.extract(str(path)), extractor(path), next(sx.extract_many([path], progress=False))):
        assert found.columns == expected.columns and len(found) == len(expected) > 10 and found.name in (str(path), "image 0")
        for name in expected.columns:
            numpy.testing.assert_array_equal(found[name], expected[name])
    assert_places(sx.extract(path, mask=False, detection__threshold=3), model())
    assert sx.extract(path).cutouts(5).shape[1:] == (5, 5)
    later = IMAGE + numpy.random.default_rng(7).normal(0, 3, IMAGE.shape)
    changed = sx.difference(path, later, difference__kernel="gaussian", difference__reference_fwhm=4, difference__new_fwhm=4)
    assert len(changed) == 0


def test_files_without_an_image_are_told(tmp_path):
    asdf = pytest.importorskip("asdf")
    asdf.AsdfFile({"science": numpy.ones((5, 5))}).write_to(tmp_path / "other.asdf")
    (tmp_path / "text.asdf").write_text("nothing")
    for name, text in {"other.asdf": "has no 'data'.*there are .*science", "text.asdf": "cannot be read", "none.asdf": "cannot be read"}.items():
        with pytest.raises(sx.InputError, match=f"{name}: {text}"):
            sx.extract(tmp_path / name)
    failure = next(sx.extract_many([tmp_path / "none.asdf"], progress=False))
    assert not failure and "none.asdf" in failure.name
