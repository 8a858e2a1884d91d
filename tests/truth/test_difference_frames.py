"""Fluxes of a variable in either frame of a difference, of stars whose light in both is known."""
import csv

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from moffat_frames import GAIN, READ, SIDE, moffat
from test_difference_maps import FLUX, SKIES, THROUGHPUTS, pair, spread
from test_fitted_difference import subtract

COLUMNS = "output.columns=[default, photometry, psf, frames]"


def exposed(rng, places, lights, before, after, slope=0.0):
    """Both frames of 450 stars and of the stars at these places, which stand apart. `lights` has the flux of these in each
    frame; the sky of both rises by `slope` counts along x."""
    x, y = rng.uniform(0, SIDE, (2, 450))
    alone = np.hypot(x[:, np.newaxis] - places[:, 0], y[:, np.newaxis] - places[:, 1]).min(axis=1) > 25
    flux = np.minimum(5000 * rng.uniform(size=450) ** -1, 2e5)
    images = []
    for fwhm, own, throughput, sky in zip((before, after), lights, THROUGHPUTS, SKIES):
        shining = moffat(x[alone], y[alone], flux[alone], fwhm) + moffat(*places.T, own, fwhm)
        level = sky + slope * np.arange(SIDE) / SIDE
        electrons = rng.poisson((throughput * shining + level) * GAIN) + rng.normal(0, READ, shining.shape)
        images.append((electrons / GAIN).astype(np.float32))
    return images


def variables(seed, before, after, slope=0.0):
    """Both frames of 450 stars and of 9 variables; places of these, and their flux in both frames, in counts of the new
    one."""
    rng = np.random.default_rng(seed)
    grid = np.mgrid[0:3, 0:3].reshape(2, -1).T
    places = rng.permutation(320 * grid + 192 + rng.uniform(-40, 40, grid.shape))
    base = 10 ** rng.uniform(3.3, 4.3, len(places))
    change = np.where(np.arange(len(places)) % 2, 1, -1) * (6000 + 0.3 * base * rng.uniform(size=len(places)))
    light = np.array([np.maximum(base - np.minimum(change, 0), 0), base + np.maximum(change, 0)])
    return exposed(rng, places, light, before, after, slope=slope), places, light * THROUGHPUTS[1]


def read(directory, places, light):
    """The rows of the variables, and their fluxes in both frames."""
    [table] = directory.glob("new.diff*cat.csv")
    with open(table) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    names = ("XPSF_IMAGE", "YPSF_IMAGE", "FLUX_PSF", "SIGN", "FLUX_NEW", "FLUXERR_NEW", "FLUX_REF", "FLUXERR_REF")
    rows = np.array([[float(row[name] or "nan") for name in names] for row in rows])
    apart = np.hypot(*(rows[:, :2, np.newaxis] - 1 - places.T).transpose(1, 0, 2))
    found = np.nanmin(apart, axis=0) < 1
    return rows[np.nanargmin(apart, axis=0)[found]], light[:, found]


@pytest.mark.parametrize("before, after, slope", ((3.0, 3.5, 0), (3.5, 3.0, 0), (3.3, 3.3, 60)))
def test_fluxes_in_both_frames_are_those_of_the_star(program, tmp_path, before, after, slope):
    parts = []
    for seed in range(91, 107):
        images, places, light = variables(seed, before, after, slope)
        _, _, report = subtract(program, tmp_path, images, COLUMNS)
        assert report["difference"]["fit"]["convolved"] == ("new" if before > after else "reference")
        parts.append(read(tmp_path, places, light))
    rows = np.concatenate([part[0] for part in parts])
    reference, new = np.concatenate([part[1] for part in parts], axis=1)
    assert len(rows) >= 140
    _, _, change, sign, flux_new, error_new, flux_reference, error_reference = rows.T
    assert np.abs(flux_new - flux_reference - sign * change).max() <= 1e-9 * flux_new.max()
    for truth, flux, error, convolved in ((new, flux_new, error_new, before > after),
                                          (reference, flux_reference, error_reference, before <= after)):
        # Half of the noise of the convolved frame still makes the kernel too wide: 0.4 to 1.3 %.
        assert abs(np.median(flux / truth) - 1) < (0.015 if convolved else 0.01), np.median(flux / truth)
        faint = truth < 1e4
        assert 0.9 < spread(((flux - truth) / error)[faint]) < 1.2, spread(((flux - truth) / error)[faint])


def on_bright_stars(seed, before, after, flux=30000):
    """Both frames, with 25 stars of that flux that change by 6000 counts; places of these, and the change."""
    rng = np.random.default_rng(seed)
    grid = np.mgrid[0:5, 0:5].reshape(2, -1).T
    places = rng.permutation(190 * grid + 130 + rng.uniform(-30, 30, grid.shape))
    change = np.where(np.arange(len(places)) % 2, 6000.0, -6000.0)
    light = np.array([flux - np.minimum(change, 0), flux + np.maximum(change, 0)])
    return exposed(rng, places, light, before, after), places, change * THROUGHPUTS[1]


@pytest.mark.parametrize("before, after", ((3.0, 3.5), (3.5, 3.0)))
def test_the_error_of_a_variable_counts_the_photons_of_its_star(program, tmp_path, before, after):
    """Those of the change alone give pulls of 1.4 to 1.6."""
    pulls = []
    for seed in range(401, 406):
        images, places, change = on_bright_stars(seed, before, after)
        subtract(program, tmp_path, images, COLUMNS)
        with open(next(tmp_path.glob("new.diff*cat.csv"))) as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        rows = np.array([[float(row[name] or "nan") for name in ("XPSF_IMAGE", "YPSF_IMAGE", "SIGN", "FLUX_PSF", "FLUXERR_PSF")]
                         for row in rows])
        apart = np.hypot(*(rows[:, :2, np.newaxis] - 1 - places.T).transpose(1, 0, 2))
        row = rows[np.nanargmin(apart, axis=0)]
        assert (np.nanmin(apart, axis=0) < 1).all()
        pulls.append((row[:, 2] * row[:, 3] - change) / row[:, 4])
    pulls = np.concatenate(pulls).reshape(-1)
    assert 0.85 < spread(pulls - np.median(pulls)) < 1.35, spread(pulls)


def test_a_transient_has_no_flux_in_the_other_frame(program, tmp_path):
    images, places, _ = pair(95, 3.0, 3.4)
    subtract(program, tmp_path, [image.astype(np.float32) for image in images], COLUMNS)
    flux = FLUX * THROUGHPUTS[1]
    gone = np.arange(len(places)) < len(places) // 2
    rows, (reference, new) = read(tmp_path, places, np.array([gone * flux, ~gone * flux]))
    assert len(rows) >= 135
    for frame, truth in ((6, reference), (4, new)):
        pulls = (rows[:, frame] - truth) / rows[:, frame + 1]
        assert 0.85 < spread(pulls) < 1.2, spread(pulls)
        assert abs(np.median(pulls)) < 0.5, np.median(pulls)


def test_other_columns_do_not_change(program, tmp_path):
    images, places, light = variables(97, 3.0, 3.4)
    tables = []
    for columns in (COLUMNS, COLUMNS.replace(", frames", "")):
        subtract(program, tmp_path, images, columns)
        with open(tmp_path / "new.diff.cat.csv") as file:
            tables.append(list(csv.DictReader(line for line in file if not line.startswith("#"))))
    assert [{name: row[name] for name in tables[1][0]} for row in tables[0]] == tables[1]
