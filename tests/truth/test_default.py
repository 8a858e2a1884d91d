"""The default configuration finds the sources that one expects to see, and nothing else: on data/sky.fits, which a new user
extracts first, and on fields by GalSim that it was not made for."""
import os
import subprocess

import numpy as np
import pytest
from astropy.io import fits
from astropy.table import Table
from scipy.spatial import cKDTree

from program import ROOT

NOISE, FWHM = 10.0, 3.0  # of the fields by GalSim
# Signal to noise of a star of flux 1 under a Gaussian of its width: 1 / (2 sqrt(pi) sigma).
PER_FLUX = 1 / (NOISE * 2 * np.sqrt(np.pi) * FWHM / 2.3548)


def rows(program, image, directory):
    """Positions that the program finds without a configuration, from 0 at the centre of the first pixel."""
    subprocess.run([program, "-q", "--backend", "cpu", "-o", directory, str(image)], check=True)
    table = fits.getdata(directory / f"{image.stem}.cat.fits", 1)
    assert np.all(table["FLUXERR_AUTO"] > 0) and np.all(table["FLUXERR_APER"] > 0)
    assert {"MAG_AUTO", "MAGERR_AUTO", "MAG_APER", "MAGERR_APER", "KRON_RADIUS"} <= set(table.names)
    return np.c_[table["X_IMAGE"], table["Y_IMAGE"]] - 1


def found_and_false(found, truth, wanted):
    """How many of the wanted are one row's nearest within 2 pixels, and how many rows have no true source within 3."""
    distance, row = cKDTree(found).query(truth[wanted])
    return len(set(row[distance <= 2])), int((cKDTree(truth).query(found)[0] > 3).sum())


def test_the_first_run(program, tmp_path):
    table = Table.read(ROOT / "data" / "sky_truth.ecsv")
    truth = np.c_[table["x"], table["y"]] - 1
    found, false = found_and_false(rows(program, ROOT / "data" / "sky.fits", tmp_path), truth, np.full(len(truth), True))
    print(f"data/sky.fits: {found} of {len(truth)} sources found, {false} false")
    assert len(truth) == 460 and found >= 440 and false <= 5


@pytest.mark.parametrize("seed", [411, 412, 413])
def test_fields_of_other_seeds(program, tmp_path, seed):
    python = os.environ.get("SRCEXTRACT_TRUTH_PYTHON")
    if not python:
        pytest.skip("no data: SRCEXTRACT_TRUTH_PYTHON names no Python that has tests/truth/simulated/requirements.txt")
    image = tmp_path / "field.fits"
    subprocess.run([python, str(ROOT / "tests/truth/simulated/write_field.py"), str(seed), str(image)], check=True)
    table = fits.getdata(image, 1)
    # As faint as the faintest stars and galaxies of data/sky.fits.
    wanted = table["FLUX"] * PER_FLUX > np.where(table["GALAXY"] == 1, 52, 13)
    found, false = found_and_false(rows(program, image, tmp_path), np.c_[table["X"], table["Y"]], wanted)
    print(f"seed {seed}: {found} of {wanted.sum()} sources found, {false} false")
    assert wanted.sum() > 150 and found >= 0.956 * wanted.sum() and false <= 5
