"""`difference.kernel: fitted` finds what changed among Moffat stars, and nothing else, where the Gaussian kernel makes
false changes of the stars."""
import csv
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from moffat_frames import GAIN, READ, SIDE, exposures, moffat
from program import ROOT
from rounds import first

WIDTHS = ["difference.reference_fwhm=3.0", "difference.new_fwhm=3.8"]
#: The stars of the reference and of the new frame, what differs besides, the most false rows of a fitted kernel in one of
#: the seeds, and the keys with which the Gaussian kernel is at its best.
NIGHTS = {
    "worse seeing": ((3.0,), (3.8,), {}, 0, WIDTHS),
    "better seeing": ((3.8,), (3.0,), {}, 0, ["difference.reference_fwhm=3.8", "difference.new_fwhm=3.0"]),
    "elliptical": ((3.0,), (3.5, (0.08, 0.06)), {}, 1, ["difference.reference_fwhm=3.0", "difference.new_fwhm=3.5"]),
    "crossed": ((3.3, (0.08, 0.0)), (3.3, (-0.08, 0.0)), {}, 2, []),
    "shifted": ((3.3,), (3.3,), {"shift": 0.15}, 0, []),
}


def subtract(program, directory, images, *settings, headers=(None, None), of_reference=()):
    """Rows (x and y from 0, SIGN), and run.json. `of_reference`: settings of the reference alone."""
    for name, image, header in zip(("reference", "new"), images, headers):
        fits.writeto(directory / f"{name}.fits", image, header, overwrite=True)
    settings = ["convolve.kernel=gaussian", "convolve.fwhm=3.8", "detection.threshold_unit=detection_sigma",
                "detection.threshold=6", "detection.min_area=1", f"measurement.gain={GAIN}", "output.formats=[csv]",
                *settings]
    options = [part for setting in settings for part in ("--set", setting)]
    options += [part for setting in of_reference for part in ("--reference-set", setting)]
    done = subprocess.run([program, "difference", "--record", "-q", "--backend", "cpu", "-o", directory, *options,
                           ROOT / "tests/support/plain.yaml", directory / "reference.fits", directory / "new.fits"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [table], [report] = directory.glob("new.diff*cat.csv"), directory.glob("new.diff*run.json")
    with open(table) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    at = np.array([(float(row["X_IMAGE"]) - 1, float(row["Y_IMAGE"]) - 1) for row in rows]).reshape(-1, 2)
    return at, np.array([int(row["SIGN"]) for row in rows]), json.loads(report.read_text())


def judge(at, signs, places):
    """How many of the transients have a row of their sign, and how many rows are of none."""
    truth = np.where(np.arange(len(places)) < len(places) // 2, -1, 1)
    apart = np.hypot(*(at[:, np.newaxis] - places).transpose(2, 0, 1))
    found = ((apart < 3) & (signs[:, np.newaxis] == truth)).any(axis=0)
    return int(found.sum()), int((apart.min(axis=1) > 6).sum())


@pytest.mark.parametrize("night", NIGHTS)
@pytest.mark.parametrize("seed", first(2, (1, 2, 3)))
def test_a_fitted_kernel_leaves_changes_alone(program, tmp_path, night, seed):
    before, after, how, most_false, widths = NIGHTS[night]
    images, places = exposures(seed, before, after, **how)
    at, signs, report = subtract(program, tmp_path, images)
    found, false = judge(at, signs, places)
    assert found >= 38 and false <= most_false, (found, false)
    fit = report["difference"]["fit"]
    assert fit["convolved"] == ("new" if night == "better seeing" else "reference")
    # The reference's counts times the ratio of the frames' transparency.
    assert report["difference"]["scale"] == pytest.approx(0.85, abs=0.01)
    assert fit["shift"][0] == pytest.approx(how.get("shift", 0.0), abs=0.02)
    assert 0.8 < fit["noise_scale"] < 1.2
    assert report["warnings"] == []
    # The same frames show that the test bites.
    at, signs, report = subtract(program, tmp_path, images, "difference.kernel=gaussian", *widths)
    assert judge(at, signs, places)[1] >= 10


def test_what_cannot_be_fitted_is_refused_with_the_key(program, tmp_path):
    noise = np.random.default_rng(1).normal(100, 3, (2, 200, 200)).astype(np.float32)
    with pytest.raises(AssertionError, match="difference.kernel.*needs 3 stars or galaxies"):
        subtract(program, tmp_path, noise, "difference.kernel=fitted")
    constant = np.full((2, 200, 200), 100, np.float32)
    with pytest.raises(AssertionError, match="nearly all equal"):
        subtract(program, tmp_path, constant, "difference.kernel=fitted")


def test_a_frame_with_a_third_of_its_pixels_masked_is_subtracted_if_the_other_one_is_convolved(program, tmp_path):
    """The kernel would reach too many masked pixels of the sharper frame."""
    [reference, new], places = exposures(9, (3.6,), (3.3,))
    new[np.random.default_rng(9).uniform(size=new.shape) < 0.3] = np.nan
    with pytest.raises(AssertionError, match="convolve the other frame"):
        subtract(program, tmp_path, (reference, new), "difference.kernel=fitted")
    at, signs, _ = subtract(program, tmp_path, (reference, new), "difference.convolve=reference")
    found, false = judge(at, signs, places)
    assert found >= 34 and false <= 3, (found, false)


@pytest.mark.parametrize("stars", (100, 400, 3000))
@pytest.mark.parametrize("seed", first(2, (21, 22, 23)))
def test_frames_of_other_stars_are_refused(program, tmp_path, seed, stars):
    """A kernel of nothing fits where the other frame is empty: what chance leaves must not pass for a match."""
    [one, _], _ = exposures(seed, (3.0,), (3.3,), stars=stars)
    [_, other], _ = exposures(seed + 100, (3.0,), (3.3,), stars=stars)
    with pytest.raises(AssertionError, match="no kernel makes the stars"):
        subtract(program, tmp_path, (one, other))
    [reference, new], _ = exposures(seed, (3.0,), (3.3,), stars=stars)
    for harm in (np.roll(new, (5, 30), (0, 1)), np.float32(2000) - new):
        with pytest.raises(AssertionError, match="no kernel makes the stars"):
            subtract(program, tmp_path, (reference, harm))
    *_, report = subtract(program, tmp_path, (reference, np.roll(new, (1, -1), (0, 1))))
    assert report["difference"]["fit"]["shift"] == pytest.approx([-1, 1], abs=0.1)


def test_each_frame_has_its_own_gain_and_saturation(program, tmp_path):
    """The reference saturates at a third of what the new frame takes, and was stored in tenths of its counts."""
    [reference, new], places = exposures(4, (3.0,), (3.4,))
    reference = np.minimum(reference, 20000) * np.float32(10)
    own = [fits.Header({"SATURATE": 200000.0, "GAIN": GAIN / 10}), fits.Header({"SATURATE": 60000.0, "GAIN": GAIN})]
    new = np.minimum(new, 60000)
    keys = ["measurement.gain_keyword=GAIN", "measurement.saturation_keyword=SATURATE"]
    at, signs, report = subtract(program, tmp_path, (reference, new), *keys, headers=own)
    found, false = judge(at, signs, places)
    assert found >= 37 and false == 0, (found, false)
    assert 0.8 < report["difference"]["fit"]["noise_scale"] < 1.2
    # The same values without headers: by keys of the new frame, and by keys of the reference alone.
    again, signs, report = subtract(program, tmp_path, (reference, new), "measurement.saturation=60000", of_reference=(
        f"measurement.gain={GAIN / 10}", "measurement.saturation=200000"))
    assert (again == at).all()


def test_a_saturation_that_nobody_told_is_seen(program, tmp_path):
    """Both frames hold no more than 2500 counts, as a file of small integers would."""
    images, places = exposures(7, (3.0,), (3.4,))
    most = 2500
    clipped = [np.minimum(image, most) for image in images]
    at, signs, report = subtract(program, tmp_path, clipped)
    found, false = judge(at, signs, places)
    assert found >= 36 and false <= 1, (found, false)
    assert sum(f"share its greatest value, {most}" in warning for warning in report["warnings"]) == 2
    told = subtract(program, tmp_path, clipped, f"measurement.saturation={most}")
    assert np.array_equal(told[0], at) and told[2]["warnings"] == []


def test_a_saturation_that_nobody_told_is_seen_before_the_reference_is_resampled(program, tmp_path):
    images, places = exposures(7, (3.0,), (3.4,), shift=0.37)
    clipped = [np.minimum(image, 2500) for image in images]
    wcs = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 150.0, "CRVAL2": 2.0, "CRPIX2": 512.0, "CDELT1": -1e-4,
           "CDELT2": 1e-4}
    headers = [fits.Header({**wcs, "CRPIX1": 512.0 + moved}) for moved in (0.0, 0.37)]
    at, signs, report = subtract(program, tmp_path, clipped, "difference.align=wcs", headers=headers)
    found, false = judge(at, signs, places)
    assert report["reference"]["resampled"] and false <= 1, (found, false)
    assert sum("share its greatest value" in warning for warning in report["warnings"]) == 2


@pytest.mark.parametrize("of_header, given", ((GAIN, GAIN / 10), (GAIN, 0), (0.05, GAIN)))
def test_the_reference_has_the_gain_that_is_set_for_it_alone(program, tmp_path, of_header, given):
    """As a header of that gain would have it; 0 is none."""
    images, _ = exposures(4, (3.0,), (3.4,))
    images = [images[0] * np.float32(10 if given == GAIN / 10 else 1), images[1]]
    keys = ["measurement.gain_keyword=GAIN", "output.columns=[default, photometry, psf]"]

    def table(header, of_reference=()):
        headers = [fits.Header(header), fits.Header({"GAIN": GAIN})]
        subtract(program, tmp_path, images, *keys, headers=headers, of_reference=of_reference)
        return [line for line in (tmp_path / "new.diff.cat.csv").read_text().splitlines() if not line.startswith("#")]

    own = table({"GAIN": of_header}, ["measurement.gain_keyword=none", f"measurement.gain={given}"])
    assert own != table({"GAIN": of_header})
    if given:
        assert own == table({"GAIN": given})


def test_whole_numbers_of_little_noise_are_subtracted(program, tmp_path):
    """Frames in units of 25 electrons: the noise of the sky is half of one."""
    images, places = exposures(6, (3.0,), (3.4,))
    coarse = [np.round(image * GAIN / 25).astype(np.int16) for image in images]
    at, signs, report = subtract(program, tmp_path, coarse, "measurement.gain=25", "difference.refuse_bad=true")
    found, false = judge(at, signs, places)
    assert found >= 37 and false <= 1, (found, false)
    assert report["warnings"] == []


def test_stars_wider_than_the_largest_kernel_are_warned_of(program, tmp_path):
    images, _ = exposures(5, (3.0,), (14.0,))
    *_, report = subtract(program, tmp_path, images)
    assert any("too small for them" in warning for warning in report["warnings"])


def test_frames_of_another_sky_are_refused_and_nearly_equal_ones_warned_of(program, tmp_path):
    """Equal frames are refused: tests/pipeline/exposure/test_difference_command.py. Here one pixel differs."""
    [reference, _], _ = exposures(1, (3.3,), (3.3,))
    other = reference.copy()
    other[20, 20] += 1
    with pytest.raises(AssertionError, match="no kernel makes the stars"):
        subtract(program, tmp_path, (reference[::-1, ::-1], reference), "difference.kernel=fitted")
    *_, report = subtract(program, tmp_path, (reference, other), "difference.kernel=fitted")
    assert any("share their noise" in warning for warning in report["warnings"])
    with pytest.raises(AssertionError, match="share their noise.*refused by difference.refuse_bad"):
        subtract(program, tmp_path, (reference, other), "difference.refuse_bad=true")


def test_a_good_difference_is_not_refused(program, tmp_path):
    images, places = exposures(2, (3.0,), (3.8,))
    at, signs, report = subtract(program, tmp_path, images, "difference.refuse_bad=true")
    assert judge(at, signs, places)[0] >= 38
    assert report["difference"]["rows"] == {"brighter": int((signs > 0).sum()), "fainter": int((signs < 0).sum())}
    with pytest.raises(AssertionError, match="refused by difference.refuse_bad"):
        subtract(program, tmp_path, images, "difference.kernel=gaussian", "difference.refuse_bad=true")


def star_fluxes(program, directory, seed, before, after, *settings):
    """Of 40 transients of known flux: FLUX_PSF over the truth, its pulls, and the shares of FLUX_AUTO."""
    images, places = exposures(seed, before, after)
    subtract(program, directory, images, "output.columns=[default, photometry, psf]", *settings)
    [table] = directory.glob("new.diff*cat.csv")
    with open(table) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    flux = 2500 * 0.85  # in counts of the new frame
    shares, pulls, autos = [], [], []
    for x, y in places:
        apart = [np.hypot(float(row["XPSF_IMAGE"]) - 1 - x, float(row["YPSF_IMAGE"]) - 1 - y) for row in rows]
        row = rows[int(np.argmin(apart))]
        if min(apart) > 1.5:
            continue
        shares.append(float(row["FLUX_PSF"]) / flux)
        autos.append(float(row["FLUX_AUTO"]) / flux)
        pulls.append((float(row["FLUX_PSF"]) - flux) / float(row["FLUXERR_PSF"]))
    return shares, pulls, autos


@pytest.mark.parametrize("night", NIGHTS)
def test_the_flux_of_a_star_has_the_error_that_it_says(program, tmp_path, night):
    before, after, *_ = NIGHTS[night]
    shares, pulls, autos = (np.concatenate(all) for all in zip(
        *(star_fluxes(program, tmp_path, seed, before, after) for seed in (31, 32, 33))))
    assert len(shares) >= 110
    assert abs(np.median(shares) - 1) < 0.015
    assert 0.8 < 1.4826 * np.median(np.abs(pulls - np.median(pulls))) < 1.25
    assert abs(np.median(pulls)) < 0.3
    assert abs(np.median(autos) - 1) > abs(np.median(shares) - 1)
    [report] = tmp_path.glob("new.diff*run.json")
    assert json.loads(report.read_text())["difference"]["fit"]["star_profile"]["stars"] >= 30


def test_columns_of_a_star_are_missed_aloud_where_no_shape_is_known(program, tmp_path):
    done = subprocess.run([program, "--record", "-o", tmp_path, "--set", "output.columns=[NUMBER, FLUX_PSF]",
                           ROOT / "config/default.yaml", ROOT / "data/sky.fits"], capture_output=True, text=True)
    assert done.returncode == 2 and "'FLUX_PSF', which needs the shape of stars" in done.stderr


def split_stars(seed):
    """Stars of the new frame have two peaks, 5 pixels apart, as where the telescope jumped; and 40 transients."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, SIDE, (2, 400))
    flux = np.minimum(1500 * rng.uniform(size=400) ** -1.25, 2e5)
    tx, ty = rng.uniform(30, SIDE - 30, (2, 40))
    faint = np.full(20, 4000.0)
    one = moffat(x, y, flux, 3.0) + moffat(tx[:20], ty[:20], faint, 3.0)
    other = sum(weight * (moffat(x + move, y, flux, 3.0) + moffat(tx[20:] + move, ty[20:], faint, 3.0))
                for weight, move in ((0.6, -2.0), (0.4, 3.0)))
    images = [((rng.poisson((light + 200) * GAIN) + rng.normal(0, READ, light.shape)) / GAIN).astype(np.float32)
              for light in (one, other)]
    return images, np.column_stack((tx, ty))


@pytest.mark.parametrize("seed", (61, 62))
def test_a_kernel_of_pixels_makes_stars_that_no_gaussians_make(program, tmp_path, seed):
    images, places = split_stars(seed)
    at, signs, report = subtract(program, tmp_path, images, "difference.basis=delta", "difference.convolve=reference")
    found, false = judge(at, signs, places)
    assert found >= 36 and false <= 2, (found, false)
    *_, gaussians = subtract(program, tmp_path, images, "difference.convolve=reference")
    missed = [told["difference"]["fit"]["residual"] for told in (gaussians, report)]
    assert missed[0] > 5 * missed[1], missed


def test_a_gain_that_contradicts_the_pixels_is_told(program, tmp_path):
    """Counts of 100 seconds, and the same frames in counts per second with the gain of the counts."""
    images, places = exposures(8, (3.0,), (3.4,))
    at, signs, report = subtract(program, tmp_path, images)
    assert report["warnings"] == [] and 0.7 < report["difference"]["fit"]["star_variance"] < 1.3
    *_, report = subtract(program, tmp_path, [image / 100 for image in images])
    assert any("the gain contradicts the pixels" in warning for warning in report["warnings"])
    *_, report = subtract(program, tmp_path, [image / 100 for image in images], f"measurement.gain={100 * GAIN}")
    assert report["warnings"] == []


def moving_stars(seed, before, after):
    """400 stars of which 40 move by half a pixel, and 40 transients of which half vanish; all of these stand alone."""
    rng = np.random.default_rng(seed)
    alone = []
    while len(alone) < 80:
        place = rng.uniform(40, SIDE - 40, 2)
        if all(np.hypot(*(place - other)) > 30 for other in alone):
            alone.append(place)
    alone = np.array(alone)
    x, y = rng.uniform(0, SIDE, (2, 400))
    apart = np.hypot(x[:, np.newaxis] - alone[:, 0], y[:, np.newaxis] - alone[:, 1]).min(axis=1)
    x, y = x[apart > 20], y[apart > 20]
    flux = np.minimum(1500 * rng.uniform(size=len(x)) ** -1.25, 6e5)
    angle, own = rng.uniform(0, 2 * np.pi, 40), rng.uniform(1.5e4, 1e5, 40)
    step = 0.5 * np.column_stack((np.cos(angle), np.sin(angle)))
    images = []
    for shape, moved, there, throughput, sky in ((before, -step / 2, np.s_[40:60], 1.0, 200),
                                                 (after, step / 2, np.s_[60:80], 0.85, 260)):
        light = moffat(x, y, flux, *shape) + moffat(*(alone[:40] + moved).T, own, *shape)
        light += moffat(*alone[there].T, np.full(20, 2500.0), *shape)
        electrons = rng.poisson((throughput * light + sky) * GAIN) + rng.normal(0, READ, light.shape)
        images.append((electrons / GAIN).astype(np.float32))
    return images, alone[:40], alone[40:]


def test_moved_stars_are_dipoles_and_transients_are_not(program, tmp_path):
    halves, flagged, transients = 0, 0, 0
    for seed in (51, 52, 53):
        images, moved, single = moving_stars(seed, (3.0,), (3.4,))
        subtract(program, tmp_path, images, "output.columns=[default, photometry, psf]")
        [table] = tmp_path.glob("new.diff*cat.csv")
        with open(table) as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        at = np.array([(float(row["X_IMAGE"]) - 1, float(row["Y_IMAGE"]) - 1) for row in rows])
        is_dipole = np.array([row["DIPOLE"] == "1" for row in rows])
        separations = np.array([float(row["DIPOLE_SEP"]) for row in rows])
        assert np.isfinite(separations[is_dipole]).all() and (separations[is_dipole] < 7).all()
        near = lambda places, reach: (np.hypot(*(at[:, np.newaxis] - places).transpose(2, 0, 1)) < reach)
        halves += int((near(moved, 5) & is_dipole[:, np.newaxis]).sum(axis=0).clip(max=2).sum())
        found = near(single, 3).any(axis=1)
        transients += int(found.sum())
        flagged += int((found & is_dipole).sum())
    assert transients >= 110
    assert halves >= 0.9 * 2 * 120, halves
    assert flagged <= 0.01 * transients, flagged


@pytest.mark.parametrize("settings", (
    ["detection.threshold_unit=sigma"], ["detection.threshold_unit=sigma", "convolve.kernel=none", "convolve.fwhm=0"],
    ["detection.threshold_unit=sigma", "convolve.filter=matched"]))
def test_the_score_counts_in_its_own_noise_whatever_the_unit(program, tmp_path, settings):
    images, places = exposures(9, (3.0,), (3.4,))
    at, signs, _ = subtract(program, tmp_path, images, *settings)
    found, false = judge(at, signs, places)
    assert found >= 37 and false <= 1, (found, false)


def test_galaxies_among_the_stamps_do_not_make_the_shape(program, tmp_path):
    """More galaxies than stars among the stamps, twice as wide."""
    images, places = exposures(10, (3.0,), (3.4,), stars=200)
    rng = np.random.default_rng(10)
    x, y = rng.uniform(0, SIDE, (2, 150))
    flux = rng.uniform(2e4, 6e4, 150)
    alone = np.hypot(x[:, np.newaxis] - places[:, 0], y[:, np.newaxis] - places[:, 1]).min(axis=1) > 30
    for image, width, throughput in zip(images, (6.5, 6.7), (1.0, 0.85)):
        light = throughput * moffat(x[alone], y[alone], flux[alone], width)
        image += (light + rng.normal(size=light.shape) * np.sqrt(light.clip(0) / GAIN)).astype(np.float32)
    subtract(program, tmp_path, images, "output.columns=[default, photometry, psf]")
    [table] = tmp_path.glob("new.diff*cat.csv")
    with open(table) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    at = np.array([(float(row["X_IMAGE"]) - 1, float(row["Y_IMAGE"]) - 1) for row in rows])
    fluxes = np.array([float(row["FLUX_PSF"]) for row in rows])
    near = np.hypot(*(at[:, np.newaxis] - places).transpose(2, 0, 1)) < 2
    assert near.any(axis=0).sum() >= 37
    assert abs(np.median(fluxes[near.any(axis=1)]) / (2500 * 0.85) - 1) < 0.05
