"""Debian's SCAMP solves exposures by our FITS_LDAC as it does by SExtractor's."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")
from scipy.spatial import cKDTree

import psf_programs
import sextractor
from program import ROOT

COLUMNS = ["NUMBER", "X_IMAGE", "Y_IMAGE", "XWIN_IMAGE", "YWIN_IMAGE", "ERRAWIN_IMAGE", "ERRBWIN_IMAGE", "ERRTHETAWIN_IMAGE",
           "FLUX_AUTO", "FLUXERR_AUTO", "FLUX_RADIUS", "ELONGATION", "FLAGS"]

pytestmark = [pytest.mark.skipif(psf_programs.SCAMP is None, reason="SCAMP is not installed"),
              pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")]


@pytest.fixture(scope="module")
def exposures(tmp_path_factory):
    """Three overlapping exposures of one field: distorted, by headers that are some seconds of arc off, and turned."""
    directory = tmp_path_factory.mktemp("exposures")
    rng = np.random.default_rng(11)
    count, side = 900, psf_programs.SIDE
    ra, dec = 150 + rng.uniform(-0.18, 0.18, count), 2.2 + rng.uniform(-0.18, 0.18, count)
    mag = rng.uniform(15, 20, count)
    for number, (east, north) in enumerate([(0, 0), (0.02, 0.015), (-0.018, 0.022)], 1):
        angle = 0.001 * number
        x, y = psf_programs.sky_of_exposure(150 + east, 2.2 + north, angle).wcs_world2pix(ra, dec, 1)
        u, v = (x - side / 2) / side, (y - side / 2) / side
        x, y = x + 1.5 * u * (u ** 2 + v ** 2), y + 1.5 * v * (u ** 2 + v ** 2)
        seen = (x > 5) & (x < side - 4) & (y > 5) & (y < side - 4)
        image = psf_programs.draw_stars(rng, side, x[seen], y[seen], 10 ** (-0.4 * (mag[seen] - 26)))
        wrong = psf_programs.sky_of_exposure(150 + east + 4e-4 * number, 2.2 + north - 3e-4 * number, angle + 0.0005)
        fits.writeto(directory / f"e{number}.fits", image, psf_programs.header_of(wrong, number))
    error = 0.02 / 3600
    psf_programs.write_reference(directory / "reference.cat", rng.normal(ra, error / np.cos(np.radians(dec))),
                                 rng.normal(dec, error), mag, error)
    return directory


def catalogues(program, exposures, directory):
    """Ours and SExtractor's of each exposure."""
    sets = ["output.formats=[ldac]", f"output.columns=[{', '.join(COLUMNS)}]", "measurement.gain_keyword=GAIN",
            "measurement.saturation_keyword=SATURATE", "convolve.kernel=none", "detection.threshold=5"]
    images = [exposures / f"e{number}.fits" for number in (1, 2, 3)]
    command = [program, "-q", "-o", directory, *(part for one in sets for part in ("--set", one)),
               ROOT / "config" / "sextractor.yaml", *images]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    settings = {"DETECT_THRESH": 5, "ANALYSIS_THRESH": 5, "BACK_TYPE": "AUTO", "THRESH_TYPE": "RELATIVE", "GAIN_KEY": "GAIN",
                "MASK_TYPE": "CORRECT", "SATUR_KEY": "SATURATE", "DEBLEND_NTHRESH": 32, "DEBLEND_MINCONT": 0.005, "CLEAN": "Y"}
    for image in images:
        path = sextractor.sextract(image, directory, COLUMNS, catalog_type="FITS_LDAC", **settings)
        path.rename(directory / f"{image.stem}.theirs")
    return [f"{image.stem}.cat.ldac" for image in images], [f"{image.stem}.theirs" for image in images]


def test_it_solves_exposures_as_by_sextractors(program, exposures, tmp_path):
    mine, told = catalogues(program, exposures, tmp_path)
    reference = exposures / "reference.cat"
    ours = psf_programs.scamp(mine, reference, tmp_path)
    heads = [(tmp_path / name).with_suffix(".head").read_text() for name in mine]
    theirs = psf_programs.scamp(told, reference, tmp_path)
    print(ours, theirs)
    assert theirs["external"][3] > 300 and theirs["external"][0] < 0.1
    for which in ("internal", "external"):
        *residuals, chi2, count = theirs[which]
        assert ours[which][:2] == pytest.approx(residuals, rel=0.03), which
        assert ours[which][2] == pytest.approx(chi2, rel=0.05), which
        assert ours[which][3] == pytest.approx(count, rel=0.01), which
    assert all("PV1_1" in head and "FLXSCALE" in head for head in heads)


def test_errors_of_windowed_positions_are_sextractors(program, exposures, tmp_path):
    """What SCAMP weighs positions by."""
    mine, told = ([fits.getdata(tmp_path / name, 2) for name in names] for names in catalogues(program, exposures, tmp_path))
    for one, other in zip(mine, told):
        places = [np.column_stack((each["X_IMAGE"], each["Y_IMAGE"])) for each in (one, other)]
        distance, index = cKDTree(places[1]).query(places[0])
        clean = (distance < 0.05) & (one["FLAGS"] == 0) & (other["FLAGS"][index] == 0)
        assert clean.sum() > 250
        for name in ("ERRAWIN_IMAGE", "ERRBWIN_IMAGE"):
            ratio = one[name][clean] / other[name][index][clean]
            assert np.median(ratio) == pytest.approx(1, abs=0.01) and (np.abs(ratio - 1) < 0.05).mean() > 0.95, name
        long = clean & (one["ERRAWIN_IMAGE"] > 1.01 * one["ERRBWIN_IMAGE"])
        turned = (one["ERRTHETAWIN_IMAGE"][long] - other["ERRTHETAWIN_IMAGE"][index][long] + 90) % 180 - 90
        assert long.sum() > 5 and np.median(np.abs(turned)) < 2
