"""`srcextract difference` warns where its Gaussian kernel leaves residuals of stars, and is silent where it fits: Moffat
stars between which nothing but the transients has changed."""
import importlib.util
import json
import re
import subprocess
import sys

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from epochs import Epoch, expose, light, stars_and_galaxies
from moffat_frames import GAIN, SIDE, frames, moffat
from program import ROOT

SHARED = ROOT.parent / "shared/difference"
SAID = "whose shape the kernel does not match"


def warnings(program, directory, images, *settings, headers=(None, None), said=SAID):
    for name, image, header in zip(("reference", "new"), images, headers):
        fits.writeto(directory / f"{name}.fits", image, header, overwrite=True)
    settings = ["convolve.kernel=gaussian", "convolve.fwhm=3.5", "detection.threshold_unit=detection_sigma",
                "detection.threshold=6", "detection.min_area=1", f"measurement.gain={GAIN}", "output.formats=[csv]",
                "difference.kernel=gaussian", *settings]
    options = [part for setting in settings for part in ("--set", setting)]
    subprocess.run([program, "difference", "--record", "-q", "--backend", "cpu", "-o", directory, *options, ROOT / "tests/support/plain.yaml",
                    directory / "reference.fits", directory / "new.fits"], check=True)
    [report] = directory.glob("new.diff*run.json")
    return [warning for warning in json.loads(report.read_text())["warnings"] if said in warning]


KNOWN = ["difference.reference_fwhm=3.0", "difference.new_fwhm=3.8"]
BAD = {
    "seeing": ((3.0,), (3.8,), {}, KNOWN),
    "seeing, widths not given": ((3.0,), (3.8,), {}, []),
    "better": ((3.8,), (3.0,), {}, ["difference.reference_fwhm=3.8", "difference.new_fwhm=3.0"]),
    "elliptical": ((3.3,), (3.3, (0.08, 0.06)), {}, []),
    "crossed": ((3.3, (0.08, 0.0)), (3.3, (-0.08, 0.0)), {}, []),
    "shifted": ((3.3,), (3.3,), {"shift": 0.15}, []),
    "crowded": ((3.0,), (3.8,), {"stars": 8000, "brightest": 2e5}, KNOWN),
    "gain not given": ((3.0,), (3.8,), {}, [*KNOWN, "measurement.gain=0"]),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("seed", (1, 2))
def test_residuals_of_stars_are_warned_about(program, tmp_path, case, seed):
    before, after, how, settings = BAD[case]
    [warning] = warnings(program, tmp_path, frames(seed, before, after, **how), *settings)
    assert "Count on false rows at bright stars" in warning and "reference_fwhm and new_fwhm" in warning
    assert ("measurement.gain" in warning) == (case == "gain not given")


@pytest.mark.parametrize("fwhm", (3.0, 3.8))
@pytest.mark.parametrize("stars", (0, 400, 8000))
@pytest.mark.parametrize("seed", (1, 2))
def test_equal_seeing_is_no_reason_to_warn(program, tmp_path, fwhm, stars, seed):
    images = frames(seed, (fwhm,), (fwhm,), stars=stars, brightest=2e5 if stars > 1000 else 6e5)
    assert warnings(program, tmp_path, images) == []


@pytest.mark.parametrize("throughput", (0.1, 10))
@pytest.mark.parametrize("seed", (1, 2))
def test_nor_is_a_reference_of_another_depth(program, tmp_path, throughput, seed):
    """The light of stars that vanished is in the reference alone, whatever their photons are there: none of them counts
    as a residual. The kernel leaves residuals of the brightest stars, as it has to make them narrower; those may count."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(30, SIDE - 30, (2, 430))
    flux = np.concatenate((np.minimum(1500 * rng.uniform(size=400) ** -1.25, 3e5), rng.uniform(1e4, 4e4, 30)))
    images = []
    for fwhm, depth, count, sky in ((3.4, throughput, 430, 40), (2.8, 1, 400, 400)):
        shining = depth * moffat(x[:count], y[:count], flux[:count], fwhm) + sky
        images.append((rng.poisson(shining * GAIN) / GAIN).astype(np.float32))
    said = warnings(program, tmp_path, images, "difference.kernel=fitted", said="changes are less than a third")
    [table] = tmp_path.glob("new.diff*cat.csv")
    rows = np.genfromtxt(table, delimiter=",", names=True)
    gone = np.hypot(rows["X_IMAGE"][:, None] - 1 - x[400:], rows["Y_IMAGE"][:, None] - 1 - y[400:]).min(axis=1) < 3
    assert gone.sum() > 25
    for warning in said:
        assert int(re.search(r"(\d+) of \d+ changes are less", warning)[1]) <= (~gone).sum()


@pytest.mark.parametrize("step", (3, 5))
@pytest.mark.parametrize("seed", (1, 2))
def test_nor_are_asteroids(program, tmp_path, step, seed):
    """Each is a row where it was and one where it is; both are true."""
    rng = np.random.default_rng(seed)
    images = frames(seed, (3.3,), (3.3,), stars=100)
    x, y = rng.uniform(30, SIDE - 30, (2, 40))
    turn = rng.uniform(0, 2 * np.pi, 40)
    for image, way in zip(images, (0, step)):
        shining = moffat(x + way * np.cos(turn), y + way * np.sin(turn), np.full(40, 3000.0), 3.3)
        image += rng.poisson(shining * GAIN).astype(np.float32) / GAIN
    assert warnings(program, tmp_path, images) == []
    [table] = tmp_path.glob("new.diff*cat.csv")
    assert len(table.read_text().splitlines()) > 100


def test_nor_are_gaussians_which_the_kernel_fits(program, tmp_path):
    epochs = Epoch(SIDE, fwhm=3.0, gain=GAIN), Epoch(SIDE, fwhm=3.6, gain=GAIN, transparency=0.8)
    rng = np.random.default_rng(1)
    objects = stars_and_galaxies(SIDE, rng)
    images = [expose(epoch, light(epoch, objects), rng) for epoch in epochs]
    assert warnings(program, tmp_path, images, "difference.reference_fwhm=3.0", "difference.new_fwhm=3.6") == []


@pytest.mark.skipif(not SHARED.exists(), reason="no data: no shared/difference")
def test_the_simulated_cases(program, tmp_path, monkeypatch):
    """Of 13 that have 18 to 378 false rows at least 12 warn; the one of equal seeing does not."""
    if importlib.util.find_spec("galsim") is None:
        pytest.skip("no data: the simulation of these cases needs GalSim, which Debian has not")
    monkeypatch.syspath_prepend(str(SHARED))
    monkeypatch.delitem(sys.modules, "epochs")
    theirs = importlib.import_module("epochs")
    warned = {}
    for name, case in theirs.CASES.items():
        theirs.make(name, 1, tmp_path)
        wide = {"reference": case.reference.psf.fwhm, "new": case.new.psf.fwhm}
        if case.reference.other_wcs:
            wide["reference"] *= 0.42 / 0.5
        settings = ["difference.align=wcs", f"convolve.fwhm={max(wide.values())}"]
        if wide["reference"] != wide["new"]:
            settings += [f"difference.{which}_fwhm={width}" for which, width in wide.items()]
        images = [fits.getdata(tmp_path / f"{which}.fits") for which in wide]
        headers = [fits.getheader(tmp_path / f"{which}.fits") for which in wide]
        directory = tmp_path / name
        directory.mkdir()
        warned[name] = bool(warnings(program, directory, images, *settings, headers=headers))
    print(warned)
    assert not warned.pop("same") and sum(warned.values()) >= 12
