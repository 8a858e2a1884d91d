"""Errors of fluxes where pixels share their noise, as after resampling: measurement.noise correlated, the default's."""

import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")
spatial = pytest.importorskip("scipy.spatial")

from program import ROOT
from rounds import first

SIDE, SIGMA, WIDTH = 1024, 10.0, 3 / 2.3548
CIRCLES = [4, 10, 20]


def stars_of(shape):
    """The light of a star of peak 1, of these offsets."""
    return {"Gaussian": lambda u, v: np.exp(-(u**2 + v**2) / 2 / WIDTH**2),
            "ellipse": lambda u, v: np.exp(-(u**2 + (v / 0.6)**2) / 2 / WIDTH**2),
            "Moffat": lambda u, v: (1 + (u**2 + v**2) / 2.6**2)**-3}[shape]


def noise_of(kind, rng):
    noise = rng.normal(size=(SIDE, SIDE))
    if isinstance(kind, str):  # resampled by half a pixel, linearly and by cubic splines
        noise = ndimage.shift(noise, 0.5, order={"linear": 1, "cubic": 3}[kind], mode="wrap")
    elif kind:
        noise = ndimage.gaussian_filter(noise, kind, mode="wrap")
    return SIGMA * noise / noise.std()


def field(kind, shape, seed):
    """An image, its stars without noise, and their places. The sky has a slope."""
    rng = np.random.default_rng(seed)
    ticks = np.arange(30, SIDE - 30, 44)
    places = np.stack(np.meshgrid(ticks, ticks), -1).reshape(-1, 2) + rng.uniform(-3, 3, (ticks.size**2, 2))
    light = np.zeros((SIDE, SIDE))
    for x, y in places:
        v, u = np.mgrid[int(y) - 20:int(y) + 21, int(x) - 20:int(x) + 21]
        light[v, u] += 20 * SIGMA * stars_of(shape)(u - x, v - y)
    return noise_of(kind, rng) + light + 1000 + 0.02 * np.arange(SIDE), light, places


def pulls(program, directory, kind, shape, seed, *settings):
    """Scatter of fluxes in units of their errors, and the report. Isophotal fluxes beside the light in the same pixels: that
    these pixels are chosen by the noise is no error of the sum."""
    image, light, places = field(kind, shape, seed)
    fits.writeto(directory / "a.fits", image.astype(np.float32), overwrite=True)
    options = [word for setting in ("psf.method=fit", f"measurement.apertures={CIRCLES}", "output.segmentation=true",
                                    "output.columns=[default, photometry]", *settings) for word in ("--set", setting)]
    done = subprocess.run([program, "--record", "-q", "-o", directory, *options, ROOT / "config/default.yaml", directory / "a.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = fits.getdata(directory / "a.cat.fits")
    within = ndimage.sum(light, fits.getdata(directory / "a.seg.fits"), np.arange(1, len(rows) + 1))
    distance, _ = spatial.cKDTree(places).query(np.stack((rows["X_IMAGE"], rows["Y_IMAGE"]), -1) - 1)
    stars = distance < 1.5
    assert stars.sum() > 0.98 * len(places)
    measured = {f"circle of {d}": (rows["FLUX_APER"][:, i], rows["FLUXERR_APER"][:, i]) for i, d in enumerate(CIRCLES)}
    measured |= {name: (rows[f"FLUX_{name}"], rows[f"FLUXERR_{name}"]) for name in ("AUTO", "PSF")}
    measured["ISO"] = rows["FLUX_ISO"] - within, rows["FLUXERR_ISO"]
    pull = {name: (flux[stars] - np.median(flux[stars])) / error[stars] for name, (flux, error) in measured.items()}
    return ({name: 1.4826 * np.median(np.abs(one - np.median(one))) for name, one in pull.items()},
            json.loads((directory / "a.run.json").read_text()), done.stderr, rows)


@pytest.mark.parametrize("shape", ("Gaussian", "ellipse", "Moffat"))
@pytest.mark.parametrize("kind", (0, 0.35, 0.5, 0.8, 1.2, "linear", "cubic"))
def test_errors_are_those_of_the_fluxes(program, tmp_path, kind, shape):
    """A scatter of 484 fluxes has an uncertainty of 4 %, the mean of three 2.3 %. Errors of AUTO do not have what the noise
    does to the ellipse: of Moffat stars in white noise their pulls are 1.14 to 1.23, too."""
    found = [pulls(program, tmp_path, kind, shape, seed)[0] for seed in first(2, [1, 2, 3])]
    for name in found[0]:
        most = 1.28 if (name, shape) == ("AUTO", "Moffat") else 1.13
        assert 0.87 < np.mean([one[name] for one in found]) < most, (name, found)


def test_independent_pixels_keep_their_errors(program, tmp_path):
    _, report, _, rows = pulls(program, tmp_path, 0, "Gaussian", 5)
    _, _, _, plain = pulls(program, tmp_path, 0, "Gaussian", 5, "measurement.noise=pixel")
    assert report["shared_noise"]["in_errors"] and report["shared_noise"]["factor"] == pytest.approx(1, abs=0.03)
    for name in ("FLUXERR_ISO", "FLUXERR_AUTO", "FLUXERR_APER", "FLUXERR_PSF"):
        assert np.allclose(rows[name], plain[name], rtol=0.01) and (rows[name] > 0).any()


def test_a_warning_names_the_line_to_type(program, tmp_path):
    """Errors of independent pixels are three times too small, and a warning says so, but not of white noise."""
    found, report, said, _ = pulls(program, tmp_path, 0.8, "Gaussian", 6, "measurement.noise=pixel")
    assert found["circle of 10"] > 2.2 and not report["shared_noise"]["in_errors"]
    assert "errors of sums of 100 pixels are 2.7 times too small; set measurement.noise to correlated" in said
    assert "share their noise" not in pulls(program, tmp_path, 0, "Gaussian", 6, "measurement.noise=pixel")[2]
    assert "share their noise" not in pulls(program, tmp_path, 0.8, "Gaussian", 6)[2]


def warnings_of(program, directory, image, *options):
    fits.writeto(directory / "a.fits", image.astype(np.float32), overwrite=True)
    done = subprocess.run([program, "--record", "-q", "-o", directory, *options, directory / "a.fits"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("setting", ("background.method=constant", "convolve.kernel=none", "background.level=1010",
                                     "detection.threshold_unit=sigma"))
def test_where_the_filtered_image_does_not_tell_a_sample_of_rows_does(program, tmp_path, setting):
    said = warnings_of(program, tmp_path, field(0.8, "Gaussian", 6)[0], "--set", setting)
    assert "pixels share their noise" in said and "set measurement.noise to apertures" in said
    for kind in (0, 0.3):
        assert "share their noise" not in warnings_of(program, tmp_path, field(kind, "Moffat", 6)[0], "--set", setting)


@pytest.mark.parametrize("noise", ("correlated", "pixel"))
def test_in_dual_image_mode_the_measured_image_tells(program, tmp_path, noise):
    smooth, plain = (field(kind, "Gaussian", 3)[0] for kind in (0.8, 0))
    for found_in, measured in ((smooth, plain), (plain, smooth)):
        fits.writeto(tmp_path / "found.fits", found_in.astype(np.float32), overwrite=True)
        said = warnings_of(program, tmp_path, measured, "--set", f"measurement.noise={noise}", "-d", tmp_path / "found.fits")
        assert ("share their noise" in said) == (measured is smooth), said


@pytest.mark.parametrize("noisier", ("half", "quarters"))
def test_a_mosaic_of_depths_shares_no_noise(program, tmp_path, noisier):
    """Typical values of two maps of the noise need not be those of one place."""
    rng = np.random.default_rng(7)
    scale = np.ones((SIDE, SIDE))
    scale[SIDE // 2:] *= 3 if noisier == "half" else 2
    scale[:, SIDE // 2:] *= 1 if noisier == "half" else 1.4
    fits.writeto(tmp_path / "a.fits", (1000 + SIGMA * scale * rng.normal(size=(SIDE, SIDE))).astype(np.float32))
    done = subprocess.run([program, "--record", "-q", "-o", tmp_path, ROOT / "config/default.yaml", tmp_path / "a.fits"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "a.run.json").read_text())["shared_noise"]["factor"] == pytest.approx(1, abs=0.04)
