"""The star of a difference is made of stars, also where galaxies and cosmic rays are more than stars: changes of known
flux have that flux, within their errors."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from program import ROOT
from rounds import first

REAL = ROOT.parent / "shared/data/real"
SIDE, NOISE, SKY = 600, 1.0, 20.0
SIGNIFICANCES = (5.5, 7, 12, 25, 50)


def point(x, y, flux, fwhm, beta, half=40, side=SIDE):
    """A star of a Moffat profile, or of a Gaussian where beta is None, and the square of pixels that it is in."""
    left, low = max(0, int(x) - half), max(0, int(y) - half)
    v, u = np.mgrid[low:min(side, int(y) + half + 1), left:min(side, int(x) + half + 1)]
    square = (u - x) ** 2 + (v - y) ** 2
    if beta is None:
        variance = fwhm**2 / (8 * np.log(2))
        return np.s_[v[0, 0]:v[-1, 0] + 1, u[0, 0]:u[0, -1] + 1], flux * np.exp(-square / 2 / variance) / 2 / np.pi / variance
    alpha2 = fwhm**2 / 4 / (2 ** (1 / beta) - 1)
    return (np.s_[v[0, 0]:v[-1, 0] + 1, u[0, 0]:u[0, -1] + 1],
            flux * (beta - 1) / np.pi / alpha2 * (1 + square / alpha2) ** -beta)


def galaxy(x, y, flux, scale, axis_ratio, angle, fwhm, half=70):
    """An exponential disk, its middle rounded by the seeing."""
    left, low = max(0, int(x) - half), max(0, int(y) - half)
    v, u = np.mgrid[low:min(SIDE, int(y) + half + 1), left:min(SIDE, int(x) + half + 1)]
    along = (u - x) * np.cos(angle) + (v - y) * np.sin(angle)
    across = (v - y) * np.cos(angle) - (u - x) * np.sin(angle)
    radius = np.sqrt(along**2 * axis_ratio + across**2 / axis_ratio + (0.4 * fwhm) ** 2)
    return (np.s_[v[0, 0]:v[-1, 0] + 1, u[0, 0]:u[0, -1] + 1], flux * np.exp(-radius / scale) / 2 / np.pi / scale**2)


def pair(seed, fwhm, beta, stars=10, galaxies=80, rays=0):
    """Reference and new frame of white noise, places and significances of 30 changes, and their fluxes. The significance
    is that of a matched filter in the difference of two frames that are equally noisy."""
    rng = np.random.default_rng(seed)
    light = np.zeros((SIDE, SIDE))
    for x, y, flux in zip(*rng.uniform(25, SIDE - 25, (2, stars)), 10 ** rng.uniform(2.8, 4.3, stars)):
        at, pixels = point(x, y, flux, fwhm, beta)
        light[at] += pixels
    for x, y, flux, scale, ratio, angle in zip(*rng.uniform(10, SIDE - 10, (2, galaxies)), 10 ** rng.uniform(2.8, 4.6, galaxies),
                                               rng.uniform(1.5, 5, galaxies), rng.uniform(0.4, 1, galaxies),
                                               rng.uniform(0, np.pi, galaxies)):
        at, pixels = galaxy(x, y, flux, scale, ratio, angle, fwhm)
        light[at] += pixels
    _, unit = point(300, 300, 1, fwhm, beta)
    of_one = NOISE * np.sqrt(2 / (unit**2).sum())
    significances, places = np.tile(SIGNIFICANCES, 6), []
    while len(places) < len(significances):
        place = rng.uniform(30, SIDE - 30, 2)
        around = light[int(place[1]) - 6:int(place[1]) + 7, int(place[0]) - 6:int(place[0]) + 7]
        if around.max() < 3 * NOISE and all(np.hypot(*(place - other)) > 40 for other in places):
            places.append(place)
    new = light.copy()
    for (x, y), significance in zip(places, significances):
        at, pixels = point(x, y, significance * of_one, fwhm, beta)
        new[at] += pixels
    frames = [(frame + SKY + rng.normal(0, NOISE, frame.shape)).astype(np.float32) for frame in (light, new)]
    for frame in frames:
        for x, y, length in zip(*rng.integers(10, SIDE - 10, (2, rays)), rng.integers(1, 4, rays)):
            frame[y, x:x + length] += rng.uniform(100, 2000, length)
    return frames, np.array(places), significances, significances * of_one


def changes(program, directory, frames, *settings):
    """The catalogue of a difference, and run.json; of frames that are there already if none are given."""
    for name, frame in zip(("reference", "new"), frames or ()):
        fits.writeto(directory / f"{name}.fits", frame, overwrite=True)
    options = [part for one in ("output.columns=[default, photometry, psf]", *settings) for part in ("--set", one)]
    done = subprocess.run([program, "difference", "--record", "-q", "--backend", "cpu", "-o", directory, *options,
                           directory / "reference.fits", directory / "new.fits"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return fits.getdata(directory / "new.diff.cat.fits", 1), json.loads((directory / "new.diff.run.json").read_text())


def nearest(table, places):
    """For each place the row nearest to it, and its distance."""
    apart = np.hypot(table["X_IMAGE"][None] - 1 - places[:, :1], table["Y_IMAGE"][None] - 1 - places[:, 1:])
    return apart.argmin(axis=1), apart.min(axis=1)


@pytest.mark.parametrize("fwhm, beta", ((2.5, None), (2.5, 3.0), (4.0, 3.0), (3.2, 4.765)))
@pytest.mark.parametrize("rays", (0, 15))
def test_galaxies_are_no_stars(program, tmp_path, fwhm, beta, rays):
    ratios, pulls = [], []
    for seed in first(2, (1, 2, 3)):
        frames, places, significances, fluxes = pair(seed, fwhm, beta, rays=rays)
        table, report = changes(program, tmp_path, frames)
        row, apart = nearest(table, places)
        bright = significances >= 12
        assert (apart[bright] < 1.5).all()
        assert report["difference"]["fit"]["fwhm"]["new"] == pytest.approx(fwhm, rel=0.2)
        assert report["difference"]["fit"]["star_profile"]["stars"] <= 10
        flux, error = (table[name].astype(float)[row][bright] for name in ("FLUX_PSF", "FLUXERR_PSF"))
        ratios += list(flux / fluxes[bright])
        pulls += list((flux - fluxes[bright]) / error)
    assert np.median(ratios) == pytest.approx(1, abs=0.03)
    assert np.sqrt(np.mean(np.square(pulls))) < 1.4


CROWD_SIDE, GAIN, READ = 700, 2.0, 3.0


def crowd(seed, per_mpix, before, after, beta, changed=40):
    """Two frames of a crowd, and places and fluxes of stars that appear, none within 15 pixels of another."""
    rng = np.random.default_rng(seed * 100003 + per_mpix)
    count = int(per_mpix * CROWD_SIDE**2 / 1e6)
    places, fluxes = list(rng.uniform(0, CROWD_SIDE, (count, 2))), list(10 ** rng.uniform(2.5, 5, count))
    new = []
    while len(new) < changed:
        place = rng.uniform(25, CROWD_SIDE - 25, 2)
        if all(np.hypot(*(place - other)) > 15 for other in new):
            new.append(place)
    of_new = 10 ** rng.uniform(3.5, 4.3, changed)
    frames = []
    for fwhm, sky, all_places, all_fluxes in ((before, 200, places, fluxes), (after, 300, places + new, fluxes + list(of_new))):
        light = np.full((CROWD_SIDE, CROWD_SIDE), float(sky))
        for (x, y), flux in zip(all_places, all_fluxes):
            at, pixels = point(x, y, flux, fwhm, beta, side=CROWD_SIDE)
            light[at] += pixels
        electrons = rng.poisson(light * GAIN) + rng.normal(0, GAIN * READ, light.shape)
        frames.append(np.minimum(electrons / GAIN, 60000).astype(np.float32))
    return frames, np.array(new), of_new


@pytest.mark.parametrize("per_mpix", (300, 600, 1000, 6000, 12000, 24500))
@pytest.mark.parametrize("before, after", ((3.5, 4.2), (4.2, 3.5)))
def test_fluxes_in_a_crowd(program, tmp_path, per_mpix, before, after):
    medians, pulls = [], []
    for seed, beta in first(3, ((1, 3.0), (2, None), (3, 2.5), (4, 4.765), (5, 3.0), (6, 2.5))):
        frames, places, fluxes = crowd(seed, per_mpix, before, after, beta)
        table, report = changes(program, tmp_path, frames, f"measurement.gain={GAIN}", "measurement.saturation=60000")
        row, apart = nearest(table, places)
        assert (apart < 1.5).all() and len(table) - len(places) <= 3
        flux, error = (table[name].astype(float)[row] for name in ("FLUX_PSF", "FLUXERR_PSF"))
        medians.append(np.median(flux / fluxes))
        pulls += list((flux - fluxes) / error)
        # Stars of a crowd are neither noise that both frames share nor a kernel that does not match.
        assert [one for one in report["warnings"] if "difference.kernel" in one] == []
    assert medians == pytest.approx(np.ones(len(medians)), abs=0.03)
    assert np.sqrt(np.mean(np.square(pulls))) < 1.3


def write_pair(directory, reference, new, size, shift=0.0):
    """Writes frames that show the same sky, the reference in pixels `size` times as large; `shift`: pixels between both."""
    for name, pixels, scale, off in (("reference", reference, size, 0), ("new", new, 1, shift)):
        middle = (len(pixels) + 1) / 2 - off
        world = fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 150.0, "CRVAL2": 2.0, "CRPIX1": middle,
                             "CRPIX2": middle, "CDELT1": -scale * 1e-4, "CDELT2": scale * 1e-4, "GAIN": GAIN})
        fits.writeto(directory / f"{name}.fits", pixels.astype(np.float32), world, overwrite=True)


def in_larger_pixels(frame, size):
    side = len(frame) // size
    return frame.reshape(side, size, side, size).sum(axis=(1, 3))


@pytest.mark.parametrize("before", (3.5, 5.0))
def test_a_reference_of_pixels_twice_as_large(program, tmp_path, before):
    medians, pulls = [], []
    for seed, beta in ((1, 3.0), (2, None), (3, 2.5), (4, 4.765), (5, 3.0), (6, 2.5)):
        (fine, new), places, fluxes = crowd(seed, 600, before, 4.2, beta)
        write_pair(tmp_path, in_larger_pixels(fine, 2), new, 2)
        table, report = changes(program, tmp_path, None, "difference.align=wcs")
        assert report["reference"]["resampled"]
        row, apart = nearest(table, places)
        assert (apart < 1.5).all() and len(table) - len(places) <= 3
        flux, error = (table[name].astype(float)[row] for name in ("FLUX_PSF", "FLUXERR_PSF"))
        medians.append(np.median(flux / fluxes))
        pulls += list((flux - fluxes) / error)
    assert medians == pytest.approx(np.ones(len(medians)), abs=0.04)
    assert np.sqrt(np.mean(np.square(pulls))) < 1.25


@pytest.mark.parametrize("before, after, size, shift", ((3.5, 4.2, 2, 0), (5.0, 4.2, 2, 0), (4.2, 3.5, 1, 0.5)))
def test_errors_know_the_noise_that_resampled_pixels_share(program, tmp_path, before, after, size, shift):
    """Changes of 13 to 20 sigma of the sky, half of them in the reference: nearly all of their errors is noise of the sky."""
    flux, pulls, scales = 1200.0, {1: [], -1: []}, []
    for seed, beta in ((1, 3.0), (2, None), (3, 2.5)):
        rng = np.random.default_rng(seed)
        stars = list(zip(*rng.uniform(0, CROWD_SIDE, (2, 120)), 10 ** rng.uniform(3.8, 5, 120)))
        places = (np.mgrid[0:12, 0:12].reshape(2, -1).T + 0.5) * (CROWD_SIDE - 60) / 12 + 30 + rng.uniform(-6, 6, (144, 2))
        signs, frames = np.where(np.arange(144) % 2 == 0, -1, 1), []
        for sign, fwhm, off, larger in ((-1, before, 0, size), (1, after, shift, 1)):
            light = np.zeros((CROWD_SIDE, CROWD_SIDE))
            for x, y, one in stars + [(*place, flux) for place in places[signs == sign]]:
                at, pixels = point(x - off, y - off, one, fwhm, beta, side=CROWD_SIDE)
                light[at] += pixels
            light = in_larger_pixels(light, larger)
            frames.append(light + 100 + rng.normal(0, 1, light.shape) * np.sqrt((6.0 * larger) ** 2 + light / GAIN))
        write_pair(tmp_path, *frames, size, shift)
        table, report = changes(program, tmp_path, None, "difference.align=wcs")
        scales.append(report["difference"]["fit"]["noise_scale"])
        for sign in pulls:
            of_sign = table[table["SIGN"] == sign]
            row, apart = nearest(of_sign, places[signs == sign] - shift)
            assert (apart < 1.5).mean() > 0.95
            found, error = (of_sign[name].astype(float)[row][apart < 1.5] for name in ("FLUX_PSF", "FLUXERR_PSF"))
            pulls[sign] += list((found - np.median(found)) / error)
    assert np.std(pulls[1]) == pytest.approx(1, abs=0.08)
    assert np.std(pulls[-1]) == pytest.approx(0.95, abs=0.12)
    assert np.mean(scales) == pytest.approx(1, abs=0.03)


def test_frames_of_one_exposure_are_told_in_a_crowd_too(program, tmp_path):
    frames, _, _ = crowd(1, 12000, 3.5, 3.5, 3.0)
    rng = np.random.default_rng(1)
    copies = [frames[0], (frames[0] + rng.uniform(-0.5, 0.5, frames[0].shape)).astype(np.float32)]
    _, report = changes(program, tmp_path, copies, f"measurement.gain={GAIN}", "measurement.saturation=60000")
    assert any("share their noise" in one for one in report["warnings"])


def track(frame, rng, brightness):
    """Adds a cosmic ray: a straight line of 3 to 40 pixels, about one wide, in pixels that are unlike. Returns where it is."""
    x, y = rng.uniform(40, SIDE - 40, 2)
    length, angle, width = rng.integers(3, 40), rng.uniform(0, np.pi), rng.uniform(0.35, 0.6)
    v, u = np.mgrid[:SIDE, :SIDE]
    along, across = (u - x) * np.cos(angle) + (v - y) * np.sin(angle), (v - y) * np.cos(angle) - (u - x) * np.sin(angle)
    light = np.where(np.abs(along) < length / 2, np.exp(-across**2 / 2 / width**2), 0)
    frame += brightness * light * rng.lognormal(0, 0.3, light.shape)
    return light > 0.3


def tracks_of_decam():
    """The tracks that a mask tells in an exposure of DECam, in units of its noise."""
    pixels = fits.getdata(REAL / "decam_cosmic_ray.fits", 1).astype(float)
    mask = fits.getdata(REAL / "decam_cosmic_ray_dq.fits.gz", 1) > 0
    sky = np.median(pixels)
    rows, columns = np.nonzero(mask)
    box = np.s_[rows.min():rows.max() + 1, columns.min():columns.max() + 1]
    return np.where(mask, (pixels - sky) / 1.4826 / np.median(np.abs(pixels - sky)), 0)[box]


def frames_with_tracks(seed, before, after, beta):
    """Both frames, 30 changes, their significances, which frame each is in, and where tracks are in each frame. The tracks of
    DECam are among them where there is that image."""
    rng = np.random.default_rng(seed)
    stars = list(zip(*rng.uniform(10, SIDE - 10, (2, 150)), 10 ** rng.uniform(2.8, 4.6, 150)))
    _, unit = point(300, 300, 1, after, beta)
    of_one, places = NOISE * np.sqrt(2 / (unit**2).sum()), []
    while len(places) < 30:
        place = rng.uniform(30, SIDE - 30, 2)
        if all(np.hypot(*(place - other)) > 30 for other in places):
            places.append(place)
    significances, in_frame = np.tile((5.5, 7, 12, 25, 50, 100), 5), np.arange(30) % 2
    real = tracks_of_decam() if (REAL / "decam_cosmic_ray.fits").exists() else None
    frames, tracks = [], []
    for k, fwhm in enumerate((before, after)):
        light = np.zeros((SIDE, SIDE))
        for x, y, flux in stars + [(*places[i], significances[i] * of_one) for i in np.nonzero(in_frame == k)[0]]:
            at, pixels = point(x, y, flux, fwhm, beta)
            light[at] += pixels
        frame = SKY + light + rng.normal(0, 1, light.shape) * np.sqrt(NOISE**2 + light / GAIN)
        where = np.zeros(frame.shape, bool)
        for _ in range(8):
            where |= track(frame, rng, 10 ** rng.uniform(0.8, 2))
        for turn in range(0 if real is None else 6):
            one = np.rot90(real, turn)[::rng.choice([-1, 1])]
            x, y = rng.integers(5, SIDE - 45, 2)
            frame[y:y + one.shape[0], x:x + one.shape[1]] += NOISE * one
            where[y:y + one.shape[0], x:x + one.shape[1]] |= one > 0
        frames.append(frame.astype(np.float32))
        tracks.append(where)
    return frames, np.array(places), significances, in_frame, tracks


# Full widths before and after, and the least shares of tracks in the reference and in the new frame. A track in the frame that is
# convolved is wider.
WIDTHS = ((3.5, 3.5, (0.8, 0.8)), (2.5, 2.5, (0.75, 0.8)), (5, 5, (0.8, 0.8)), (3, 4, (0, 0.8)), (2, 2, (0.8, 0.8)),
          (1.6, 1.6, (0.78, 0.8)), (1.6, 2, (0.6, 0.8)))


def test_tracks_of_cosmic_rays_have_a_flag(program, tmp_path):
    from scipy.ndimage import binary_dilation
    of_changes = []
    for before, after, least in WIDTHS:
        of_tracks = [[], []]
        for seed in range(1, 5):
            frames, places, significances, in_frame, tracks = frames_with_tracks(seed, before, after, 3.0)
            table, _ = changes(program, tmp_path, frames, f"measurement.gain={GAIN}")
            is_sharp = table["FLAGS"] & 512 > 0
            of_frame = (table["SIGN"] > 0).astype(int)
            near = np.array([binary_dilation(where, iterations=3) for where in tracks])
            x, y = (np.rint(table[name] - 1).astype(int) for name in ("X_IMAGE", "Y_IMAGE"))
            is_track, is_beside = near[of_frame, y, x], near[1 - of_frame, y, x]
            for k in (0, 1):
                of_tracks[k] += list(is_sharp[is_track & (of_frame == k)])
            apart = np.hypot(table["X_IMAGE"][None] - 1 - places[:, :1], table["Y_IMAGE"][None] - 1 - places[:, 1:])
            is_change = ((apart < 2) & (of_frame[None] == in_frame[:, None])).any(axis=0)
            of_changes += list(is_sharp[is_change & ~is_track & ~is_beside])
        for k in (0, 1):
            assert len(of_tracks[k]) > 25 and np.mean(of_tracks[k]) >= least[k], (before, after, k, np.mean(of_tracks[k]))
    assert len(of_changes) > 300 and np.mean(of_changes) <= 0.01, (len(of_changes), np.sum(of_changes))


def write_psf_of(path, fwhm, beta, half=20):
    """A constant PSF of one pixel a pixel, in the format of PSFEx."""
    from psf_models import psf_table, write_psf
    _, pixels = point(half, half, 1, fwhm, beta, half=half)
    write_psf(path, psf_table(pixels[None], 0.0, 1.0, 0, fwhm, 1.0))


@pytest.mark.parametrize("fwhm, beta", ((2.5, None), (4.0, 3.0)))
def test_a_psf_file_is_the_star_of_a_difference(program, tmp_path, fwhm, beta):
    """Four stars tell their shape badly; the file has it."""
    write_psf_of(tmp_path / "new.psf", fwhm, beta)
    ratios, pulls = [], []
    for seed in range(1, 9):
        frames, places, significances, fluxes = pair(seed, fwhm, beta, stars=4)
        table, report = changes(program, tmp_path, frames, f"psf.file={tmp_path / 'new.psf'}", "difference.convolve=reference")
        assert report["difference"]["fit"]["star_profile"]["psf_file"]
        row, apart = nearest(table, places)
        bright = significances >= 12
        assert (apart[bright] < 1.5).all()
        flux, error = (table[name].astype(float)[row][bright] for name in ("FLUX_PSF", "FLUXERR_PSF"))
        ratios += list(flux / fluxes[bright])
        pulls += list((flux - fluxes[bright]) / error)
    assert np.median(ratios) == pytest.approx(1, abs=0.03)
    assert np.sqrt(np.mean(np.square(pulls))) < 1.25


def test_a_psf_file_that_cannot_count_is_told(program, tmp_path):
    """The new frame's stars are sharper, so it is convolved, and the difference has stars of the reference."""
    write_psf_of(tmp_path / "new.psf", 3.5, 3.0)
    frames, _, _ = crowd(1, 1000, 4.2, 3.5, 3.0)
    _, report = changes(program, tmp_path, frames, f"psf.file={tmp_path / 'new.psf'}", f"measurement.gain={GAIN}")
    assert any("difference.convolve: reference" in one and "psf.file" in one for one in report["warnings"])


def test_a_shift_of_the_stars_is_told(program, tmp_path):
    """The kernel takes up 0.4 pixels without residuals, so nothing else tells."""
    rng = np.random.default_rng(5)
    places, fluxes = rng.uniform(20, SIDE - 20, (150, 2)), 10 ** rng.uniform(3, 4.5, 150)
    for moved in (0.1, 0.4):
        frames = []
        for shift in (0, moved):
            light = np.full((SIDE, SIDE), SKY)
            for (x, y), flux in zip(places, fluxes):
                at, pixels = point(x + shift, y, flux, 3.2, 3.0)
                light[at] += pixels
            frames.append((light + rng.normal(0, NOISE, light.shape)).astype(np.float32))
        _, report = changes(program, tmp_path, frames)
        assert any("difference.align" in one and "pixels in x" in one for one in report["warnings"]) == (moved > 0.3)


def test_faint_halves_of_a_star_that_moved_are_a_dipole(program, tmp_path):
    """Near the threshold noise decides how many pixels of either half are above it, so that their light cannot tell."""
    fwhm, beta, apart, halves, of_changes = 3.8, 3.0, 9, [], []
    grid = np.mgrid[0:5, 0:5].reshape(2, -1).T * 110 + 80.0
    _, unit = point(300, 300, 1, fwhm, beta)
    of_one = NOISE * np.sqrt(2 / (unit**2).sum())
    for seed in range(1, 7):
        rng = np.random.default_rng(seed)
        angle = rng.uniform(0, 2 * np.pi, len(grid))
        new = grid + apart * np.array([np.cos(angle), np.sin(angle)]).T
        flux = rng.uniform(6.5, 9, len(grid)) * of_one
        share = np.where(np.arange(len(grid)) % 2, 1, 0)  # every second one appears without leaving a place
        light = [np.full((SIDE, SIDE), SKY) for _ in range(2)]
        for x, y, one in zip(*rng.uniform(20, SIDE - 20, (2, 60)), 10 ** rng.uniform(2.8, 3.8, 60)):
            at, pixels = point(x, y, one, fwhm, beta)
            for frame in light:
                frame[at] += pixels
        for frame, places, of in zip(light, (grid, new), (share, np.ones(len(grid)))):
            for (x, y), one in zip(places, of * flux):
                at, pixels = point(x, y, one, fwhm, beta)
                frame[at] += pixels
        frames = [(frame + rng.normal(0, NOISE, frame.shape)).astype(np.float32) for frame in light]
        table, _ = changes(program, tmp_path, frames, "output.columns=[default, DIPOLE]")
        assert "FLUX_PSF" not in table.names
        row, far = nearest(table, new)
        other, far_other = nearest(table, grid)
        pair_found = (far < 2) & (far_other < 2) & (share == 1)
        halves += list(table["DIPOLE"][row][pair_found]) + list(table["DIPOLE"][other][pair_found])
        of_changes += list(table["DIPOLE"][row][(far < 2) & (share == 0)])
    assert len(halves) > 60 and np.mean(halves) > 0.95, (len(halves), np.mean(halves))
    assert len(of_changes) > 40 and np.mean(of_changes) < 0.02, (len(of_changes), np.mean(of_changes))


def test_stars_that_vary_in_a_dense_crowd_are_told(program, tmp_path):
    """One shape is not that of stars that are a quarter wider on one side; of stars that are alike nothing is said."""
    for more in (0, 0.25):
        rng = np.random.default_rng(7)
        places, fluxes = rng.uniform(0, CROWD_SIDE, (8000, 2)), 10 ** rng.uniform(2.5, 5, 8000)
        frames = []
        for fwhm, sky in ((3.5, 200), (4.2, 300)):
            light = np.full((CROWD_SIDE, CROWD_SIDE), float(sky))
            for (x, y), flux in zip(places, fluxes):
                at, pixels = point(x, y, flux, fwhm * (1 + more * (x / CROWD_SIDE - 0.5)), 3.0, side=CROWD_SIDE, half=25)
                light[at] += pixels
            electrons = rng.poisson(light * GAIN) + rng.normal(0, GAIN * READ, light.shape)
            frames.append(np.minimum(electrons / GAIN, 60000).astype(np.float32))
        _, report = changes(program, tmp_path, frames, f"measurement.gain={GAIN}", "measurement.saturation=60000")
        told = [one for one in report["warnings"] if "wider in one half" in one and "psf.file=" in one]
        assert len(told) == (1 if more else 0), report["difference"]["fit"]["star_profile"]


@pytest.mark.parametrize("fwhm", (1.3, 2.2))
def test_stars_too_sharp_for_their_pixels_are_told(program, tmp_path, fwhm):
    rng = np.random.default_rng(3)
    light = np.full((SIDE, SIDE), SKY)
    for x, y, flux in zip(*rng.uniform(10, SIDE - 10, (2, 150)), 10 ** rng.uniform(2.8, 4.3, 150)):
        at, pixels = point(x, y, flux, fwhm, 3.0)
        light[at] += pixels
    frames = [(light + rng.normal(0, NOISE, light.shape)).astype(np.float32) for _ in range(2)]
    _, report = changes(program, tmp_path, frames)
    assert any("measurement.apertures=10" in one for one in report["warnings"]) == (fwhm < 2)


def elliptical(x, y, flux, size, axis_ratio, fwhm):
    """A galaxy of a Moffat profile, flattened along y."""
    width = 2.2 * np.hypot(size, 0.51 * fwhm)
    left, low = max(0, int(x) - 40), max(0, int(y) - 40)
    v, u = np.mgrid[low:min(SIDE, int(y) + 41), left:min(SIDE, int(x) + 41)]
    alpha2 = width**2 / 4 / (2 ** (1 / 2.2) - 1)
    light = 1.2 / np.pi / alpha2 * (1 + ((u - x) ** 2 + ((v - y) * axis_ratio) ** 2) / alpha2) ** -2.2
    return np.s_[v[0, 0]:v[-1, 0] + 1, u[0, 0]:u[0, -1] + 1], flux * axis_ratio * light


def among_galaxies(seed, stars, galaxies, side=4, noise=10):
    """Frames of few stars among aligned galaxies, and `side`^2 changes; `noise` is that of the new frame, a number or a map."""
    rng = np.random.default_rng(seed)
    of_stars = list(zip(*rng.uniform(10, SIDE - 10, (2, stars)), 10 ** rng.uniform(3.3, 5.5, stars)))
    of_galaxies = list(zip(*rng.uniform(10, SIDE - 10, (2, galaxies)), 10 ** rng.uniform(3.3, 5.3, galaxies),
                           rng.uniform(2, 5, galaxies), rng.uniform(1, 2, galaxies)))
    grid = (np.mgrid[0:side, 0:side].reshape(2, -1).T + 0.5) * (SIDE - 50) / side + 25
    places, fluxes = grid + rng.uniform(-5, 5, grid.shape), 10 ** rng.uniform(3.5, 4.5, len(grid))
    frames = []
    for fwhm, level, scatter, changed in ((3.0, 200, 10, False), (3.8, 300, noise, True)):
        light = np.zeros((SIDE, SIDE))
        for x, y, flux in of_stars + ([(*place, flux) for place, flux in zip(places, fluxes)] if changed else []):
            at, pixels = point(x, y, flux, fwhm, 3.0)
            light[at] += pixels
        for x, y, *shape in of_galaxies:
            at, pixels = elliptical(x, y, *shape, fwhm)
            light[at] += pixels
        frames.append((light + level + rng.normal(0, 1, light.shape) * np.sqrt(scatter**2 + light / GAIN)).astype(np.float32))
    return frames, places, fluxes


def told_of_galaxies(report):
    """Whether a warning says that the stars may be galaxies, with what to type. No such frame is one to bin."""
    assert [one for one in report["warnings"] if "bin both frames" in one] == []
    return any("may be galaxies" in one and "FLUX_AUTO" in one and "psf.file=" in one for one in report["warnings"])


def test_few_stars_among_many_galaxies(program, tmp_path):
    """All galaxies together are denser in width than the stars, and spread over axis ratios."""
    ratios = []
    for seed in range(1, 7):
        frames, places, fluxes = among_galaxies(seed, stars=6, galaxies=120)
        table, report = changes(program, tmp_path, frames, f"measurement.gain={GAIN}")
        assert not told_of_galaxies(report)
        assert report["difference"]["fit"]["fwhm"]["new"] == pytest.approx(4.4, abs=0.15)
        row, apart = nearest(table, places)
        assert (apart < 2.5).all()
        ratios.append(np.median(table["FLUX_PSF"][row] / fluxes))
    assert ratios == pytest.approx(np.ones(len(ratios)), abs=0.08) and np.median(ratios) == pytest.approx(1, abs=0.04)


def test_galaxies_taken_for_stars_are_told(program, tmp_path):
    for seed in range(1, 6):
        for stars, galaxies in ((0, 60), (12, 40)):
            frames, _, _ = among_galaxies(seed, stars, galaxies)
            _, report = changes(program, tmp_path, frames, f"measurement.gain={GAIN}")
            assert told_of_galaxies(report) == (stars == 0), (seed, report["difference"]["fit"])
        frames, _, _, _ = pair(seed, 3.0, 3.0, stars=0)
        assert told_of_galaxies(changes(program, tmp_path, frames)[1])


def test_noise_of_one_half_is_no_light_of_stars(program, tmp_path):
    """Errors of fluxes contain the noise at their place; taken for photons it was light that the frames do not have."""
    noise = np.where(np.arange(SIDE) < SIDE / 2, 10, 30)[None]
    for seed in range(1, 4):
        frames, places, fluxes = among_galaxies(seed, stars=130, galaxies=0, side=7, noise=noise)
        table, report = changes(program, tmp_path, frames, f"measurement.gain={GAIN}")
        row, apart = nearest(table, places)
        assert np.median(table["FLUX_PSF"][row] / fluxes) == pytest.approx(1, abs=0.03)
        assert [one for one in report["warnings"] if "less than a third of the light" in one] == []


@pytest.mark.skipif(not (REAL / "dec18e.fits.gz").exists(), reason="no data: shared/data/real")
def test_two_epochs_of_decam(program, tmp_path):
    """Four stars. The transient is found, with errors of its own; that the stars moved by half a pixel is told."""
    frames = [fits.getdata(REAL / f"{name}.fits.gz").astype(np.float32) for name in ("dec18e", "dec04c")]
    table, report = changes(program, tmp_path, frames, "measurement.gain=4")
    transient = np.hypot(table["X_IMAGE"] - 129.2, table["Y_IMAGE"] - 128.2) < 1
    assert transient.sum() == 1 and table["SIGN"][transient] == 1
    assert table["FLUX_PSF"][transient] / table["FLUXERR_PSF"][transient] > 12
    halves = table["DIPOLE"] == 1  # of the bright star whose halves are 9 pixels apart
    assert halves.sum() == 2 and set(table["SIGN"][halves]) == {1, -1}
    assert np.hypot(*report["difference"]["fit"]["shift"]) > 0.3
    assert any("difference.align" in one and "pixels in x" in one for one in report["warnings"])
