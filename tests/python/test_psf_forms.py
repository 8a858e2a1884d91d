"""What psf= takes: PSFs of photutils, STPSF, Piff and files, held against the light that they themselves draw."""
import io
import pickle

import numpy as np
import pytest

import srcextract as sx

fits = pytest.importorskip("astropy.io.fits")

SKY = dict(background__level=0, weights__type="none", background__rms=3.0, measurement__gain=1e9, backend="cpu",
           output__columns=["X_IMAGE", "Y_IMAGE", "FLUX_PSF"])
PLACES = [(60.3, 50.1), (30.5, 100.25), (100.0, 99.7)]
FLUX = 20000.0


def moffat(u, v, fwhm=3.5, beta=3.0):
    square = (fwhm / 2) ** 2 / (2 ** (1 / beta) - 1)
    return (beta - 1) / (np.pi * square) * (1 + (u * u + v * v) / square) ** -beta


def image_of(star, noise=3.0):
    """An image of stars; `star(u, v, x, y)` is the light in the pixels (u, v) of a star at (x, y)."""
    v, u = np.mgrid[:140, :150].astype(float)
    return np.random.default_rng(8).normal(sum(FLUX * star(u, v, x, y) for x, y in PLACES), noise).astype("f4")


def of_models(model):
    """The light that a model of photutils draws."""
    def star(u, v, x, y):
        one = model.copy()
        one.x_0, one.y_0, one.flux = x, y, 1
        return one(u, v)
    return star


def pixels_of(oversampling, side, fwhm=3.5):
    v, u = (np.mgrid[:side, :side] - (side - 1) / 2) / oversampling
    return moffat(u, v, fwhm)


def check(psf, star, config=None, accuracy=0.004, **keys):
    """Fluxes of stars that the PSF's own package drew."""
    found = sx.extract(image_of(star), config, psf=psf, positions=np.array(PLACES), origin=0, **{**SKY, **keys})
    np.testing.assert_allclose(found["FLUX_PSF"], FLUX, rtol=accuracy)
    return found


@pytest.mark.parametrize("oversampling, side", [(4, 101), (4, 100), (3, 81), (1, 31), ((2, 4), 61)])
def test_images_of_photutils(oversampling, side):
    psf = pytest.importorskip("photutils.psf")
    v, u = np.mgrid[:side, :side] - (side - 1) / 2
    over = np.broadcast_to(oversampling, 2)
    model = psf.ImagePSF(moffat(u / over[1], v / over[0]), oversampling=oversampling)
    check(model, lambda u, v, x, y: moffat(u - x, v - y))


def test_an_origin_of_photutils_that_is_not_the_middle():
    psf = pytest.importorskip("photutils.psf")
    v, u = np.mgrid[:61, :65]
    check(psf.ImagePSF(moffat((u - 31) / 2, (v - 28.5) / 2), oversampling=2, origin=(31, 28.5)), lambda u, v, x, y: moffat(u - x, v - y))


@pytest.mark.parametrize("name, made", [
    ("MoffatPSF", {"alpha": 2.4, "beta": 2.8}), ("CircularGaussianPSF", {"fwhm": 3}), ("CircularGaussianPRF", {"fwhm": 2.2}),
    ("GaussianPSF", {"x_fwhm": 3, "y_fwhm": 4, "theta": 20})])
def test_formulas_of_photutils(name, made):
    model = getattr(pytest.importorskip("photutils.psf"), name)(flux=7, x_0=5, y_0=9, **made)
    check(model, of_models(model), accuracy=0.006)
    assert (model.flux, model.x_0, model.y_0) == (7, 5, 9)


def test_models_of_astropy_that_photutils_adapts():
    psf, models = pytest.importorskip("photutils.psf"), pytest.importorskip("astropy.modeling.models")
    gaussian = models.Gaussian2D(x_stddev=1.5, y_stddev=1.5)
    adapted = psf.make_psf_model(gaussian, x_name="x_mean", y_name="y_mean")
    check(adapted, of_models(psf.CircularGaussianPSF(fwhm=1.5 * np.sqrt(8 * np.log(2)))), accuracy=0.006)
    with pytest.raises(sx.ConfigError, match="a Gaussian2D has no x_0, y_0 and flux.*make_psf_model"):
        sx.extract(np.zeros((50, 50)), psf=gaussian)


@pytest.fixture
def grid():
    """A PSF whose width grows from left to right, and whose fluxes stay 1."""
    psf, nddata = pytest.importorskip("photutils.psf"), pytest.importorskip("astropy.nddata")
    at = [(x, y) for y in (0, 70, 139) for x in (0, 75, 149)]
    stars = np.array([pixels_of(4, 101, 3 + x / 149) for x, _ in at])
    return psf.GriddedPSFModel(nddata.NDData(stars, meta={"grid_xypos": at, "oversampling": 4}))


def test_a_grid_varies_over_the_field(grid):
    check(grid, lambda u, v, x, y: moffat(u - x, v - y, 3 + x / 149))
    made = sx.Psf.of(grid)
    for x, y in PLACES:
        v, u = np.mgrid[-8:9, -8:9]
        truth = moffat(u - (x - np.floor(x + 0.5)), v - (y - np.floor(y + 0.5)), 3 + x / 149)
        np.testing.assert_allclose(made.draw(x, y, 8), truth, atol=0.01 * truth.max())


def test_a_grid_that_no_polynomial_follows_is_told():
    psf, nddata = pytest.importorskip("photutils.psf"), pytest.importorskip("astropy.nddata")
    at = [(x, y) for y in (0, 9) for x in range(0, 90, 10)]
    stars = np.array([pixels_of(2, 41, 3 + (x == 40)) for x, _ in at])
    with pytest.warns(sx.ImageWarning, match="varies over the field more than a polynomial"):
        sx.Psf.of(psf.GriddedPSFModel(nddata.NDData(stars, meta={"grid_xypos": at, "oversampling": 2})))


@pytest.mark.parametrize("oversampling, fov", [(4, 24), (5, 25), (3, 24), (2, 31)])
def test_stpsf_as_poppy_makes_it(oversampling, fov, tmp_path):
    """POPPY makes STPSF's HDUs: light in fine pixels, about the middle also of even sides; pixels of a detector sum it."""
    poppy = pytest.importorskip("poppy")
    telescope = poppy.Instrument(name="one")
    telescope.pupil, telescope.pixelscale = poppy.CircularAperture(radius=1.2), 0.04
    hdus = telescope.calc_psf(monochromatic=1e-6, fov_pixels=fov, oversample=oversampling)
    assert [hdu.name for hdu in hdus] == ["OVERSAMP", "DET_SAMP"] and hdus[0].data.shape == (fov * oversampling,) * 2
    # A star in the middle of the detector's pixels, as POPPY sums them: at a corner of them if their number is even.
    image = np.random.default_rng(3).normal(0, 3, (141, 141)).astype("f4")
    low = 70 - fov // 2
    image[low:low + fov, low:low + fov] += FLUX * hdus["DET_SAMP"].data
    at = low + (fov - 1) / 2
    path = tmp_path / "stpsf.fits"
    hdus.writeto(path)
    with fits.open(path) as opened:
        for psf in hdus, opened, path, str(path), path.read_bytes(), hdus["OVERSAMP"]:
            found = sx.extract(image, psf=psf, positions=np.array([[at, at]]), origin=0, **SKY)
            np.testing.assert_allclose(found["FLUX_PSF"], FLUX, rtol=0.006)
    if fov % 2 == 0:
        with pytest.raises(sx.ConfigError, match="its star lies between pixels; give the oversampled image"):
            sx.extract(image, psf=hdus["DET_SAMP"])


def test_a_grid_of_stpsf_in_a_file(tmp_path):
    pytest.importorskip("photutils.psf")
    header = fits.Header({"OVERSAMP": 4, "DET_SAMP": 4, "NUM_PSFS": 4, "INSTRUME": "NIRCam", "DETECTOR": "NRCA1", "FILTER": "F200W"})
    at = [(0, 0), (149, 0), (0, 139), (149, 139)]
    for number, (x, y) in enumerate(at):
        header[f"DET_YX{number}"] = f"({y}.0, {x}.0)"
    fits.PrimaryHDU(np.array([pixels_of(4, 101, 3 + x / 149) for x, _ in at]), header).writeto(tmp_path / "grid.fits")
    check(tmp_path / "grid.fits", lambda u, v, x, y: (1 - x / 149) * moffat(u - x, v - y, 3) + x / 149 * moffat(u - x, v - y, 4))


@pytest.fixture(scope="module")
def piff_model(tmp_path_factory):
    """A PSF that Piff fits to stars which are wider on the right, and its file."""
    piff, galsim = pytest.importorskip("piff"), pytest.importorskip("galsim")
    folder, rng = tmp_path_factory.mktemp("piff"), np.random.default_rng(1)
    scale = galsim.PixelScale(0.26)
    image, places = galsim.Image(150, 140, wcs=scale), []
    for y in range(15, 140, 22):
        for x in range(15, 150, 22):
            place = galsim.PositionD(x + rng.uniform(-0.5, 0.5), y + rng.uniform(-0.5, 0.5))
            star = galsim.Moffat(beta=3, fwhm=0.9 + x / 1000, flux=1e5).drawImage(nx=39, ny=39, center=place, wcs=scale)
            within = star.bounds & image.bounds
            image[within] += star[within]
            places.append((place.x, place.y))
    image.array[:] += rng.normal(0, 3, image.array.shape)
    image.write(str(folder / "image.fits"))
    fits.BinTableHDU(np.rec.fromrecords(places, names="x,y")).writeto(folder / "stars.fits")
    model = piff.process({"input": {"image_file_name": str(folder / "image.fits"), "cat_file_name": str(folder / "stars.fits"),
                                    "stamp_size": 21, "noise": 9.0},
                          "psf": {"model": {"type": "Moffat", "beta": 3.0}, "interp": {"type": "Polynomial", "order": 1}}})
    model.write(str(folder / "model.piff"))
    return model, folder / "model.piff"


def test_piff(piff_model):
    model, path = piff_model

    def star(u, v, x, y):  # Piff counts from 1
        import galsim
        image = galsim.Image(150, 140)
        stamp = model.draw(x=x + 1, y=y + 1, stamp_size=61)
        within = stamp.bounds & image.bounds
        image[within] += stamp[within]
        return image.array

    for psf in model, path:
        check(psf, star, accuracy=0.006)
    assert sx.Psf.of(model, number=0).planes.shape[0] == 16
    with pytest.raises(sx.ConfigError, match="has the chips 0, and not 3; name one, as in psf=sx.Psf.of"):
        sx.Psf.of(model, number=3)


def test_every_call_takes_them(tmp_path, grid):
    pytest.importorskip("photutils.psf")
    image = image_of(of_models(grid))
    expected = sx.extract(image, psf=grid, **SKY)
    assert len(expected) == len(PLACES)

    def same(found):
        np.testing.assert_array_equal(found["FLUX_PSF"], expected["FLUX_PSF"])

    extractor = sx.Extractor(psf=grid, **SKY)
    same(extractor(image))
    same(pickle.loads(pickle.dumps(extractor))(image))
    same(next(sx.extract_many([image], psf=grid, progress=False, **SKY)))
    fits.writeto(tmp_path / "image.fits", image)
    same(next(sx.extract_many([tmp_path / "image.fits"], psf=grid, progress=False, **SKY)))
    made = sx.Psf.of(grid)
    made.write(tmp_path / "grid.psf")
    contents = (tmp_path / "grid.psf").read_bytes()
    with fits.open(tmp_path / "grid.psf") as hdus:
        for psf in made, tmp_path / "grid.psf", str(tmp_path / "grid.psf"), contents, io.BytesIO(contents), hdus:
            same(sx.extract(image, psf=psf, **SKY))
    same(sx.extract(image, {}, psf=made, mask=np.zeros(image.shape, bool), **SKY))  # its configuration is read again


def test_crowds_and_differences_take_them():
    psf = pytest.importorskip("photutils.psf").MoffatPSF(alpha=3.43, beta=3)
    image = image_of(of_models(psf))
    found = sx.crowd(image + 100, psf=psf, measurement__gain=1e9)
    assert len(found) == len(PLACES)
    np.testing.assert_allclose(found["FLUX_PSF"], FLUX, rtol=0.01)
    v, u = np.mgrid[:300, :300].astype(float)
    frames = np.random.default_rng(1).normal(100, 3, (2, 300, 300))
    frames += sum(FLUX * moffat(u - x, v - y) for x in range(20, 300, 29) for y in range(20, 300, 29))
    frames[1] += FLUX * moffat(u - 150.3, v - 151.4)
    changed = sx.difference(*frames, psf=psf, measurement__gain=1e9, output__columns=["default", "FLUX_PSF"])
    assert len(changed) == 1 and "the PSF given" in changed.config
    np.testing.assert_allclose(changed["FLUX_PSF"], FLUX, rtol=0.02)


def test_the_command_of_the_readme():
    stars = sx.data.sky()
    expected = sx.crowd(stars)
    for found in sx.crowd(stars, psf__method="fit"), sx.crowd(stars, None, {"extends": "crowd", "psf": {"method": "fit"}}):
        assert len(found) == len(expected) > 100
        np.testing.assert_array_equal(found["FLUX_PSF"], expected["FLUX_PSF"])


def test_a_catalogue_outlives_its_psf(tmp_path):
    v, u = np.mgrid[-12:13, -12:13]
    image = image_of(lambda u, v, x, y: moffat(u - x, v - y))
    found = sx.extract(image, psf=moffat(u, v), **SKY)
    assert "the PSF given" in found.config
    assert found.cutouts(5, image).shape == (len(found), 5, 5)
    found.write(tmp_path / "one.ecsv")
    sx.extract(image, psf=moffat(u, v), **SKY).write(tmp_path / "two.ecsv")
    assert (tmp_path / "one.ecsv").read_bytes() == (tmp_path / "two.ecsv").read_bytes()


def test_the_pixel_in_the_middle_of_a_drawing():
    v, u = np.mgrid[-12:13, -12:13]
    psf = sx.Psf.of(moffat(u, v))
    for x, y in PLACES:
        column, row = int(np.floor(x + 0.5)), int(np.floor(y + 0.5))
        rows, columns = np.mgrid[row - 6:row + 7, column - 6:column + 7]
        truth = moffat(columns - x, rows - y)
        np.testing.assert_allclose(psf.draw(x, y, 6), truth, atol=0.02 * truth.max())


@pytest.mark.parametrize("given, text", [
    (3.0, "psf: a float is no PSF; give a Psf"), (np.ones((4, 4)), "odd numbers of rows"), ({"a": 1}, "psf: a dict is no PSF"),
    ("none.psf", "none.psf"), ("none.fits", "psf: none.fits: cannot be read")])
def test_what_is_no_psf(given, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in sx.extract, sx.crowd:
        with pytest.raises(sx.ConfigError, match=text):
            call(np.zeros((50, 50), "f4"), psf=given)


def test_two_psfs_are_told():
    for key in {"psf__file": "x.psf"}, {"psf__method": "fit"}:
        with pytest.raises(sx.ConfigError, match="psf= and psf__.* both say where the PSF is from"):
            sx.crowd(np.zeros((50, 50), "f4"), psf="y.psf", **key)


def test_light_in_other_units_is_told():
    psf = pytest.importorskip("photutils.psf")
    with pytest.warns(sx.ImageWarning, match="the light of its star of flux 1 is 0.06.*psf__normalise='total'"):
        sx.Psf.of(psf.ImagePSF(pixels_of(4, 101) / 16, oversampling=4))
