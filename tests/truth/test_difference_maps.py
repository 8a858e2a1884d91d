"""Masks and maps of the noise of either frame of a difference: changes of known flux have the errors that they say,
and bad pixels make no false rows."""
import csv

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from moffat_frames import GAIN, READ, SIDE, moffat
from test_fitted_difference import judge, subtract

COLUMNS = "output.columns=[default, photometry, psf]"
SKIES, THROUGHPUTS = (200, 260), (1.0, 0.85)
FLUX = 3000


def deviation(frame):
    """Of the pixels of a frame's sky."""
    return np.sqrt(SKIES[frame] * GAIN + READ ** 2) / GAIN


def pair(seed, before, after):
    """Both frames, and the places of 144 transients that stand apart, of which the first half vanish."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, SIDE, (2, 350))
    flux = np.minimum(1500 * rng.uniform(size=350) ** -1.25, 1e5)
    grid = np.mgrid[0:12, 0:12].reshape(2, -1).T
    places = rng.permutation(80 * grid + 72 + rng.uniform(-15, 15, grid.shape))
    images = []
    for fwhm, there, throughput, sky in zip((before, after), (np.s_[:72], np.s_[72:]), THROUGHPUTS, SKIES):
        light = moffat(x, y, flux, fwhm) + moffat(*places[there].T, np.full(72, float(FLUX)), fwhm)
        images.append((rng.poisson((throughput * light + sky) * GAIN) + rng.normal(0, READ, light.shape)) / GAIN)
    return images, places, rng


def pulls_of(directory, places):
    """(FLUX_PSF - truth) / FLUXERR_PSF of the transients that were found, and where these are."""
    [table] = directory.glob("new.diff*cat.csv")
    with open(table) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    x, y, flux, error = (np.array([float(row[name] or "nan") for row in rows])
                         for name in ("XPSF_IMAGE", "YPSF_IMAGE", "FLUX_PSF", "FLUXERR_PSF"))
    good = np.isfinite(x)
    apart = np.hypot(x[good, np.newaxis] - 1 - places[:, 0], y[good, np.newaxis] - 1 - places[:, 1])
    found = apart.min(axis=0) < 1.5
    return ((flux - FLUX * THROUGHPUTS[1]) / error)[good][apart.argmin(axis=0)[found]], places[found]


def write_maps(directory, frame, noisy):
    """The noise of the sky as a map of each kind, the weights in some unit; and the settings that name it."""
    sigma = deviation(frame) * np.where(noisy, 3.0, 1.0)
    settings = {}
    for kind, values in (("rms", sigma), ("variance", sigma ** 2), ("weight", 1234 / sigma ** 2)):
        path = directory / f"{kind}{frame}.fits"
        fits.writeto(path, values.astype(np.float32), overwrite=True)
        settings[kind] = [f"weights.type={kind}", f"weights.file={path}"]
    return settings


def spread(values):
    """The scatter, without the few that lie on a star or a bad column."""
    own = np.abs(values - np.median(values))
    return np.sqrt(np.mean(own[own < 4 * 1.4826 * np.median(own)] ** 2))


#: Stripes of 32 pixels, finer than meshes of a sky, as the edges of exposures leave them in a stack.
STRIPES = np.broadcast_to(np.arange(SIDE) // 32 % 2 == 1, (SIDE, SIDE))


def in_stripe(at):
    return STRIPES[0, np.round(at[:, 0]).astype(int)]


NIGHTS = {"better seeing": (3.8, 3.0), "equal seeing": (3.3, 3.3), "worse seeing": (3.1, 3.6)}


@pytest.mark.parametrize("night, frame, kind", (("better seeing", 0, "weight"), ("equal seeing", 1, "rms"),
                                                ("worse seeing", 0, "variance")))
def test_errors_follow_the_noise_of_either_frame(program, tmp_path, night, frame, kind):
    """Stripes of a frame have three times the noise of those between them."""
    pulls = {"map": [], "no map": []}
    for seed in range(61, 67):
        images, places, rng = pair(seed, *NIGHTS[night])
        images[frame] = images[frame] + STRIPES * rng.normal(0, np.sqrt(8) * deviation(frame), STRIPES.shape)
        images = [image.astype(np.float32) for image in images]
        own = write_maps(tmp_path, frame, STRIPES)[kind]
        how = {"map": ([], own) if frame == 0 else (own, []), "no map": ([], [])}
        for name, (of_new, of_reference) in how.items():
            at, signs, report = subtract(program, tmp_path, images, COLUMNS, *of_new, of_reference=of_reference)
            pulls[name].append(pulls_of(tmp_path, places))
            if name == "no map":
                continue
            found, false = judge(at, signs, places)
            assert found >= 135 and false == 0, (found, false)
            assert 0.9 < report["difference"]["fit"]["noise_scale"] < 1.1
            assert report["warnings"] == []
    spreads = {}
    for name, parts in pulls.items():
        values, at = (np.concatenate(one) for one in zip(*parts))
        spreads[name] = [spread(values[in_stripe(at) == stripe]) for stripe in (False, True)]
    assert all(0.9 < one < 1.15 for one in spreads["map"]), spreads
    # Without the map the same fails: the test bites.
    assert max(spreads["no map"]) > 1.2 * min(spreads["no map"]) and not all(0.9 < one < 1.15 for one in spreads["no map"])


def test_maps_of_both_frames(program, tmp_path):
    """Stripes of the reference and of the new frame, which cross: four kinds of noise."""
    noisy = STRIPES, STRIPES.T
    pulls = []
    for seed in (71, 72, 73, 74):
        images, places, rng = pair(seed, 3.1, 3.4)
        images = [(image + where * rng.normal(0, np.sqrt(8) * deviation(frame), where.shape)).astype(np.float32)
                  for frame, (image, where) in enumerate(zip(images, noisy))]
        of_reference, of_new = (write_maps(tmp_path, frame, where) for frame, where in enumerate(noisy))
        at, signs, report = subtract(program, tmp_path, images, COLUMNS, *of_new["variance"],
                                     of_reference=of_reference["weight"])
        found, false = judge(at, signs, places)
        assert found >= 135 and false == 0, (found, false)
        pulls.append(pulls_of(tmp_path, places))
    values, at = (np.concatenate(one) for one in zip(*pulls))
    for of_reference in (False, True):
        for of_new in (False, True):
            own = values[(in_stripe(at) == of_reference) & (in_stripe(at[:, ::-1]) == of_new)]
            assert 0.85 < spread(own) < 1.2, (of_reference, of_new, spread(own))


@pytest.mark.parametrize("frame", (0, 1))
def test_bad_columns_of_one_frame_make_no_false_rows(program, tmp_path, frame):
    images, places, rng = pair(81 + frame, 3.0, 3.4)
    bad = np.zeros((SIDE, SIDE), np.int16)
    for column in rng.integers(0, SIDE, 12):
        bad[:, column:column + rng.integers(1, 3)] = 1
    images[frame][bad > 0] += rng.normal(0, 300, (bad > 0).sum())
    images = [image.astype(np.float32) for image in images]
    fits.writeto(tmp_path / "mask.fits", bad, overwrite=True)
    fits.writeto(tmp_path / "weight.fits", np.float32(1 - bad), overwrite=True)
    for own in ([f"mask.file={tmp_path}/mask.fits"], ["weights.type=weight", f"weights.file={tmp_path}/weight.fits"]):
        of_new, of_reference = (own, []) if frame == 1 else ([], own)
        at, signs, _ = subtract(program, tmp_path, images, COLUMNS, *of_new, of_reference=of_reference)
        found, false = judge(at, signs, places)
        assert found >= 130 and false <= 1, (found, false)
        pulls, _ = pulls_of(tmp_path, places)
        assert 0.85 < spread(pulls[np.isfinite(pulls)]) < 1.2
    at, signs, _ = subtract(program, tmp_path, images, COLUMNS)
    assert judge(at, signs, places)[1] > 20  # the test bites
