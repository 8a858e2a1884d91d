"""sx.Psf and sx.fit_psf: what the command makes, files, and photutils."""
import subprocess

import numpy as np
import pytest

import srcextract as sx

fits = pytest.importorskip("astropy.io.fits")


SKY = dict(background__level=0, weights__type="none", background__rms=10.0, measurement__gain=1.0, backend="cpu")


def moffat(u, v, width):
    """A pixel of a round star of beta 3 and that full width."""
    square = (width / 2) ** 2 / (2 ** (1 / 3) - 1)
    return 2 / (np.pi * square) * (1 + (u * u + v * v) / square) ** -3


def field(seed, side=400, width=4.0):
    rng, image = np.random.default_rng(seed), np.zeros((400, 400))
    v, u = np.mgrid[:side, :side]
    for y in range(30, side - 20, 40):
        for x in range(30, side - 20, 40):
            dx, dy = rng.uniform(-0.5, 0.5, 2)
            image += 40000 * moffat(u - x - dx, v - y - dy, width)
    return rng.normal(image, np.sqrt(100 + image)).astype(np.float32)


@pytest.mark.parametrize("seed", [1, 2])
def test_it_is_the_model_that_made_the_stars(tmp_path, seed):
    psf = sx.fit_psf(field(seed), **SKY)
    assert psf.stars is not None and (psf.stars["USED"] == 1).sum() > 60
    assert abs(psf.sum - 1) < 1e-5 and psf.planes.shape[0] == 6
    v, u = np.mgrid[-9:10, -9:10]
    for x, y in ((60.3, 70.8), (200.0, 200.0), (340.45, 55.5)):
        drawn = psf.draw(x, y, 9)
        truth = moffat(u - (x - np.floor(x + 0.5)), v - (y - np.floor(y + 0.5)), 4.0)
        np.testing.assert_allclose(drawn, truth, atol=0.025 * truth.max())
    psf.write(tmp_path / "x.psf")
    again = sx.Psf.read(tmp_path / "x.psf")
    np.testing.assert_array_equal(again.planes, psf.planes)
    np.testing.assert_array_equal(again.draw(50.2, 60.1), psf.draw(50.2, 60.1))
    found = sx.extract(field(seed), psf__file=str(tmp_path / "x.psf"), output__columns=["FLUX_PSF"], **SKY)
    same = sx.extract(field(seed), psf__method="fit", output__columns=["FLUX_PSF"], **SKY)
    np.testing.assert_array_equal(found["FLUX_PSF"], same["FLUX_PSF"])
    np.testing.assert_array_equal(same.psf.planes, psf.planes)
    assert abs(np.median(same["FLUX_PSF"]) / 40000 - 1) < 0.02


def test_it_is_that_of_the_command(program, tmp_path):
    fits.writeto(tmp_path / "a.fits", field(3))
    subprocess.run([program, "psf", "-q", "--backend", "cpu", "-o", tmp_path, tmp_path / "a.fits"], check=True)
    np.testing.assert_array_equal(sx.Psf.read(tmp_path / "a.psf").planes, sx.fit_psf(tmp_path / "a.fits", backend="cpu").planes)


def test_to_photutils_and_back():
    photutils = pytest.importorskip("photutils.psf")
    psf = sx.fit_psf(field(4), **SKY)
    model = psf.to_photutils(200.0, 200.0, oversampling=4)
    assert isinstance(model, photutils.ImagePSF)
    v, u = np.mgrid[190:211, 190:211]
    for x, y in ((200.0, 200.0), (200.25, 199.75)):  # places where no interpolation differs
        model.x_0, model.y_0, model.flux = x, y, 1
        truth = moffat(u - x, v - y, 4.0)
        np.testing.assert_allclose(model(u, v), truth, atol=0.01 * truth.max())
    back = sx.Psf.of(model)
    assert back.step == 0.25 and abs(back.sum - 1) < 0.01
    np.testing.assert_allclose(back.draw(10.0, 10.0, 8), psf.draw(200.0, 200.0, 8), atol=1e-6)


def test_an_image_of_a_star():
    v, u = np.mgrid[-20:21, -20:21] / 2
    psf = sx.Psf.from_image(7 * moffat(u, v, 4.0), step=0.5)
    assert abs(psf.sum - 1) < 1e-6 and abs(psf.fwhm - 4) < 0.3
    b, a = np.mgrid[-6:7, -6:7]
    np.testing.assert_allclose(psf.draw(30.3, 30.0, 6), moffat(a - 0.3, b, 4.0), atol=0.002)


def test_mistakes(tmp_path):
    with pytest.raises(sx.InputError, match="nothing is found above 2 sigma"):
        sx.fit_psf(np.random.default_rng(5).normal(0, 1, (100, 100)).astype(np.float32), backend="cpu")
    with pytest.raises(sx.ConfigError, match="output__columns cannot be given"):
        sx.fit_psf(field(6), output__columns=["NUMBER"])
    with pytest.raises(sx.ConfigError, match="odd numbers of rows"):
        sx.Psf.from_image(np.ones((10, 10)))
    with pytest.raises(sx.ConfigError, match="no PSF was made"):
        sx.extract(field(7), backend="cpu").psf
    fits.writeto(tmp_path / "a.fits", field(8))
    with pytest.raises(sx.ConfigError, match="no table PSF_DATA"):
        sx.Psf.read(tmp_path / "a.fits")
