"""A transient in two real stacks of DECam, beside the difference that SFFT publishes of them.

SRCEXTRACT_DECAM_PAIR names the folder test/difference_noise_decorrelation/4check of SFFT's repository (Hu et al. 2022, ApJ
936, 157)."""
import csv
import os
import pathlib
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from program import ROOT

FOLDER = os.environ.get("SRCEXTRACT_DECAM_PAIR")
if not FOLDER:
    pytest.skip("no data: SRCEXTRACT_DECAM_PAIR does not name SFFT's folder of DECam frames", allow_module_level=True)
FOLDER = pathlib.Path(FOLDER)


@pytest.fixture(scope="module")
def rows(program, tmp_path_factory):
    out = tmp_path_factory.mktemp("decam")
    done = subprocess.run([program, "difference", "-q", "-o", out, "--set", "difference.align=wcs", "--set", "output.formats=[csv]",
                           "--set", "output.columns=[default, psf, FLUX_PSF, FLUXERR_PSF]", ROOT / "config/default.yaml",
                           FOLDER / "Stack-DEC-OBS18.fits", FOLDER / "Stack-DEC-OBS04.fits"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(out / "Stack-DEC-OBS04.diff.cat.csv") as file:
        return [{name: float(value) for name, value in row.items()}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def brightest_change(image):
    """The place, from 0, of the most light within 3 pixels, away from stars of more than 2000 counts."""
    stars = fits.getdata(FOLDER / "Stack-DEC-OBS04.fits") > 2000
    y, x = np.indices(image.shape)
    for row, column in np.argwhere(stars):
        image = np.where(np.hypot(y - row, x - column) < 12, 0, image)
    image[:12], image[-12:], image[:, :12], image[:, -12:] = 0, 0, 0, 0
    light = sum(np.roll(image, (i, j), (0, 1)) for i in range(-3, 4) for j in range(-3, 4) if i * i + j * j <= 9)
    row, column = np.unravel_index(np.argmax(light), image.shape)
    return column, row


def test_the_transient_is_found_and_nothing_else(rows):
    published = fits.getdata(FOLDER / "FinalDifference.fits").astype(float)
    x, y = brightest_change(published)
    [row] = rows
    assert row["SIGN"] == 1
    assert np.hypot(row["XPSF_IMAGE"] - 1 - x, row["YPSF_IMAGE"] - 1 - y) < 1.5
    near = np.hypot(*(np.indices(published.shape) - np.array([y, x])[:, None, None])) <= 12
    light = published[near].sum()
    assert row["FLUX_PSF"] == pytest.approx(light, abs=2 * row["FLUXERR_PSF"] + 0.1 * light)
    assert row["FLUX_PSF"] > 20 * row["FLUXERR_PSF"]
