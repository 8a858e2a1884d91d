"""CLASS_STAR beside SExtractor, with the same network, on its pixels above the sky (test_mesh.py has the sky) and without
deblending; and on stars and galaxies that are known to be such. SExtractor's column is of float32."""
import pathlib

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from oracle_fields import field
from peers import match
from program import extract, run
from test_photometry import KERNEL, NOISE, SETTINGS

NETWORKS = [pathlib.Path("/usr/share/source-extractor/default.nnw"), pathlib.Path("/usr/share/sextractor/default.nnw")]
NETWORK = next((path for path in NETWORKS if path.exists()), None)
needs_network = pytest.mark.skipif(NETWORK is None or sextractor.PROGRAM is None, reason="SExtractor is not installed")


def classes(program, image, directory, noise, *settings, columns="default, CLASS_STAR"):
    fits.writeto(directory / "image.fits", image, overwrite=True)
    chosen = {"weights.type": "none", "background.level": 0, "background.rms": repr(noise), "detection.threshold": 1.5,
              "convolve.kernel": "values", "convolve.values": KERNEL, "measurement.nnw": NETWORK,
              "output.columns": f"[{columns}]"}
    sets = [f"{name}={value}" for name, value in chosen.items()] + list(settings)
    return extract(program, "plain", directory / "image.fits", directory, "--backend", "cpu",
                   *(part for one in sets for part in ("--set", one)))[0]


@needs_network
@pytest.mark.parametrize("seed, per_mpix, analysis, seeing, scale",
                         [(601, 1000, 1.5, 1.2, 0.45), (602, 20_000, 5.0, 0.7, 0.3), (603, 5000, 3.0, 3.0, 1.0)])
def test_beside_sextractor(program, tmp_path, seed, per_mpix, analysis, seeing, scale):
    fits.writeto(tmp_path / "theirs.fits", field(seed, 512, per_mpix, noise=NOISE, correlated=seed == 602))
    (tmp_path / "kernel.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    shown = {"-BACKGROUND": tmp_path / "above.fits", "MINIBACK_RMS": tmp_path / "noises.fits"}
    told = fits.getdata(sextractor.sextract(
        tmp_path / "theirs.fits", tmp_path, ["X_IMAGE_DBL", "Y_IMAGE_DBL", "CLASS_STAR", "ISO0"],
        CHECKIMAGE_TYPE=",".join(shown), CHECKIMAGE_NAME=",".join(map(str, shown.values())), STARNNW_NAME=NETWORK,
        SEEING_FWHM=seeing, PIXEL_SCALE=scale, **SETTINGS | {"ANALYSIS_THRESH": analysis}), 1)
    above, noises = (fits.getdata(path) for path in shown.values())
    mine = classes(program, above, tmp_path, float(np.median(noises)), f"measurement.seeing_fwhm={seeing}",
                   f"measurement.pixel_scale={scale}", f"detection.analysis_threshold={analysis}")
    theirs = told["CLASS_STAR"].astype(float)[match(mine, told["X_IMAGE_DBL"], told["Y_IMAGE_DBL"])]
    assert len(theirs) > 100 and np.ptp(theirs) > 0.5
    assert (told["ISO0"] == 0).any() or analysis < 5  # where the network is told of nothing
    off = np.abs(mine["CLASS_STAR"] - theirs)
    assert (off > 1e-6).mean() <= 0.002, off.max()


@needs_network
def test_stars_and_galaxies(program, tmp_path):
    """Round Moffat stars, and galaxies of twice their width: no number of SExtractor's has a part in this."""
    rng = np.random.default_rng(611)
    image, scale, seeing, step = rng.normal(0, NOISE, (512, 512)), 0.25, 0.75, 64
    y, x = np.mgrid[:512, :512]
    is_star = {}
    for i, (row, column) in enumerate(np.ndindex(8, 8)):
        cx, cy = step * column + 31 + rng.random(), step * row + 31 + rng.random()
        width = seeing / scale * (1 if i % 2 == 0 else 2)
        alpha = width / 2 / np.sqrt(2 ** (1 / 3) - 1)
        peak = rng.uniform(40, 400) * NOISE
        image += peak * (1 + ((x - cx) ** 2 + (y - cy) ** 2) / alpha ** 2) ** -3
        is_star[row, column] = i % 2 == 0
    mine = classes(program, image.astype(np.float32), tmp_path, NOISE, f"measurement.seeing_fwhm={seeing}",
                   f"measurement.pixel_scale={scale}", "detection.threshold=5")
    places = zip(((mine["Y_IMAGE"] - 1) // step).astype(int), ((mine["X_IMAGE"] - 1) // step).astype(int))
    stars = np.array([is_star[place] for place in places])
    assert len(stars) == 64
    assert mine["CLASS_STAR"][stars].min() > 0.7 and mine["CLASS_STAR"][~stars].max() < 0.1


@needs_network
def test_without_what_it_needs(program, tmp_path):
    image = field(621, 200, 2000, noise=NOISE) - np.float32(1000)
    assert np.isnan(classes(program, image, tmp_path, NOISE)["CLASS_STAR"]).all()
    groups = classes(program, image, tmp_path, NOISE, "measurement.nnw=''", columns="default, profile")
    assert "CLASS_STAR" not in groups and "ISO7" in groups
    (tmp_path / "other.nnw").write_text("NNW\n3 10 8 1\n")
    with pytest.raises(RuntimeError, match=r"exit code 2.*measurement\.nnw.*other\.nnw:2: .*3 10 10 1"):
        run(program, "plain", tmp_path / "image.fits", tmp_path, "--set", f"measurement.nnw={tmp_path / 'other.nnw'}")
