"""Transients that were put into simulated epochs are found by `srcextract difference`, and nothing else is."""
import dataclasses
import subprocess

import pytest

pytest.importorskip("scipy")

import numpy as np
from scipy.spatial import cKDTree

from epochs import Epoch, expose, flux_of, light, place_transients, points, stars_and_galaxies
from program import ROOT, read_catalogue
from rounds import LONG
from skies import write_fits

# A matched filter, and 6 sigma of it: a frame of 4096 x 4096 pixels has such a peak of noise in one of a hundred.
MATCHED = ["convolve.kernel=gaussian", "detection.threshold_unit=detection_sigma", "detection.threshold=6",
           "detection.min_area=1", "output.formats=[csv]", "difference.kernel=gaussian"]


def subtract(program, directory, reference, new, *settings):
    """The catalogue of new.fits minus reference.fits, which are made of what is given: epochs and pixels."""
    paths = [directory / "reference.fits", directory / "new.fits"]
    for path, (epoch, pixels) in zip(paths, (reference, new)):
        write_fits(path, pixels, **epoch.wcs())
    epochs = reference[0], new[0]
    matched = [*MATCHED, f"convolve.fwhm={max(epoch.fwhm for epoch in epochs)}"]
    if epochs[0].fwhm != epochs[1].fwhm:
        matched += [f"difference.reference_fwhm={epochs[0].fwhm}", f"difference.new_fwhm={epochs[1].fwhm}"]
    if np.isfinite(epochs[1].gain):
        matched.append(f"measurement.gain={epochs[1].gain}")
    options = [part for setting in (*matched, *settings) for part in ("--set", setting)]
    done = subprocess.run([program, "difference", "-q", "-o", directory, *options, ROOT / "tests/support/plain.yaml",
                           *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for path in paths:  # 64 MB each
        path.unlink()
    return read_catalogue(directory / "new.diff.cat.csv")


@dataclasses.dataclass
class Trial:
    """What was injected (places as pixels of the new frame), and the rows: which row is whose."""
    places: np.ndarray
    fluxes: np.ndarray  # in the new frame
    signs: np.ndarray
    signal_to_noise: np.ndarray
    rows: dict
    row_of: np.ndarray  # -1 = none

    def recovered_above(self, signal_to_noise):
        return np.mean(self.row_of[self.signal_to_noise > signal_to_noise] >= 0)

    def false_rows(self):
        others = np.setdiff1d(np.arange(len(self.rows["NUMBER"])), self.row_of)
        return [f"({x:.1f}, {y:.1f})" for x, y in zip(self.rows["X_IMAGE"][others], self.rows["Y_IMAGE"][others])]


def match(rows, places, signs):
    """The row of that sign within 2 pixels of each place."""
    row_of = np.full(len(places), -1)
    for sign in (-1, 1):
        of_sign, wanted = np.flatnonzero(rows["SIGN"] == sign), np.flatnonzero(signs == sign)
        there = np.column_stack((rows["X_IMAGE"], rows["Y_IMAGE"]))[of_sign] - 1
        distance, index = cKDTree(there).query(places[wanted], distance_upper_bound=2)
        row_of[wanted[np.isfinite(distance)]] = of_sign[index[np.isfinite(distance)]]
    return row_of


SIDE = 4096 if LONG else 2048


def inject_and_find(program, directory, reference, new, *settings, brightest=1e6):
    rng = np.random.default_rng(1)
    objects = stars_and_galaxies(new.side, rng, brightest=brightest)
    epochs = reference, new
    lights = [light(epoch, objects) for epoch in epochs]
    places = place_transients(200, 70, epochs, objects, rng)
    signal_to_noise, signs = rng.uniform(5, 50, 200), np.where(rng.uniform(size=200) < 0.35, -1, 1)
    fluxes = flux_of(signal_to_noise, places, epochs, lights)
    for epoch, shining, sign in ((reference, lights[0], -1), (new, lights[1], 1)):
        shining += light(epoch, points(places[signs == sign], fluxes[signs == sign]))
    rows = subtract(program, directory, *((epoch, expose(epoch, shining, rng))
                                          for epoch, shining in zip(epochs, lights)), *settings)
    there = new.pixels_of(places)
    return Trial(there, new.transparency * fluxes, signs, signal_to_noise, rows, match(rows, there, signs))


OTHER_NIGHT = {"sky": 130.0, "noise": 6.0, "transparency": 0.8}
PHOTONS = {"gain": 1.5}
MOVED = {"shift": (7.3, -4.6)}
TURNED = {"shift": (7.3, -4.6), "rotation": 1.2}
NIGHTS = {
    "without photon noise": ({}, {}),
    "with photon noise": (PHOTONS, PHOTONS),
    "worse seeing": ({"fwhm": 3.0, **PHOTONS}, {"fwhm": 3.6, **PHOTONS}),
    "better seeing": ({"fwhm": 3.6, **PHOTONS}, {"fwhm": 3.0, **PHOTONS}),
    "nearly the same seeing": ({"fwhm": 3.0, **PHOTONS}, {"fwhm": 3.1, **PHOTONS}),
}
ORIENTATIONS = {
    "shifted": (PHOTONS, {**MOVED, **PHOTONS}),
    "turned": (PHOTONS, {**TURNED, **PHOTONS}),
    "turned, worse seeing": ({"fwhm": 3.0, **PHOTONS}, {"fwhm": 3.6, **TURNED, **PHOTONS}),
}


def check(trial):
    assert trial.recovered_above(8) >= 0.95
    assert len(trial.false_rows()) <= 2, trial.false_rows()
    # A row has nearly all of the flux that changed, what is above the threshold, in the scale of the new frame.
    strong = (trial.signal_to_noise > 30) & (trial.row_of >= 0)
    share = trial.rows["FLUX_ISO"][trial.row_of[strong]] / trial.fluxes[strong]
    assert 0.9 < np.median(share) < 1


@pytest.mark.parametrize("night", NIGHTS)
def test_transients_are_recovered_and_nothing_else(program, tmp_path, night):
    before, after = NIGHTS[night]
    check(inject_and_find(program, tmp_path, Epoch(SIDE, **before), Epoch(SIDE, **OTHER_NIGHT, **after)))


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_transients_are_recovered_in_frames_that_are_aligned(program, tmp_path, orientation):
    """With stars of up to 1400 sigma a pixel: whatever the weights of 6 x 6 pixels, those of a star 3 pixels wide
    are off by up to 0.5 % of its peak, and around brighter stars that can be seen."""
    before, after = ORIENTATIONS[orientation]
    check(inject_and_find(program, tmp_path, Epoch(SIDE, **before), Epoch(SIDE, **OTHER_NIGHT, **after), "difference.align=wcs",
                          "difference.interpolation=lanczos3", brightest=1e5))


@pytest.mark.parametrize("setting", ["difference.match_flux=false", "difference.new_fwhm=3.0",
                                     "difference.new_fwhm=4.2"])
def test_frames_that_are_not_made_comparable_leave_their_stars(program, tmp_path, setting):
    reference, new = Epoch(side=1024, fwhm=3.0), Epoch(side=1024, fwhm=3.6, **OTHER_NIGHT)
    rng = np.random.default_rng(2)
    objects = stars_and_galaxies(1024, rng)
    frames = [(epoch, expose(epoch, light(epoch, objects), rng)) for epoch in (reference, new)]
    assert len(subtract(program, tmp_path, *frames)["NUMBER"]) == 0
    assert len(subtract(program, tmp_path, *frames, setting)["NUMBER"]) > 20


MOVERS = np.array([[100.3, 120.7], [200.0, 400.5], [350.6, 250.2], [60.0, 455.0]])  # in the reference
MOVES = np.array([[30.0, 12.0], [0.0, -12.0], [9.0, 9.0], [-25.5, 10.5]])


@pytest.mark.parametrize("orientation", [{}, TURNED], ids=["as it was", "turned"])
def test_a_mover_is_a_pair(program, tmp_path, orientation):
    reference, new = Epoch(side=512), Epoch(side=512, **OTHER_NIGHT, **orientation)
    rng = np.random.default_rng(3)
    objects = stars_and_galaxies(512, rng, brightest=1e5)
    frames = []
    for epoch, places in ((reference, MOVERS), (new, MOVERS + MOVES)):
        shining = light(epoch, objects) + light(epoch, points(places, np.full(len(places), 3000.0)))
        frames.append((epoch, expose(epoch, shining, rng)))
    rows = subtract(program, tmp_path, *frames, "difference.align=wcs")

    # What became brighter comes first.
    assert list(rows["SIGN"]) == [1] * len(MOVERS) + [-1] * len(MOVERS)
    assert list(rows["NUMBER"]) == list(range(1, 2 * len(MOVERS) + 1))
    for sign, places in ((1, MOVERS + MOVES), (-1, MOVERS)):
        there = np.column_stack((rows["X_IMAGE"], rows["Y_IMAGE"]))[rows["SIGN"] == sign] - 1
        distance, index = cKDTree(there).query(new.pixels_of(places))
        assert distance.max() < 0.3 and len(set(index)) == len(MOVERS)
    assert rows["FLUX_ISO"] == pytest.approx(0.8 * 3000, rel=0.1)
