"""Crowded fields: all stars at once (crowd.method), on simulated fields whose stars are known, and beside a dense solution
of the same least squares."""
import json
import pathlib
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
spatial = pytest.importorskip("scipy.spatial")

from program import read_catalogue, run
from psf_models import Moffats, write_psf

SKY, READ = 500.0, 5.0


def field(seed, side, density, fwhm, brightest=12.5, faintest=18.0):
    """Image, truth (x, y, flux) and PSF of stars that become 1.8 times as many a magnitude; zero point 25."""
    rng = np.random.default_rng(seed)
    psf, image = Moffats(fwhm, side), np.zeros((side, side))
    count = rng.poisson(density * (side + 20) ** 2 / 1e6)
    low, high = 10 ** (0.25 * brightest), 10 ** (0.25 * faintest)
    flux = 10 ** (0.4 * (25 - np.log10(low + (high - low) * rng.random(count)) / 0.25))
    x, y = rng.uniform(-10.5, side + 9.5, (2, count))
    for star in zip(x, y, flux):
        psf.add(image, *star)
    image += SKY * (1 + 0.04 * np.arange(side) / side)
    noisy = (rng.poisson(image) + rng.normal(0, READ, image.shape)).astype(np.float32)
    inside = (x > -0.5) & (y > -0.5) & (x < side - 0.5) & (y < side - 0.5)
    return noisy, np.column_stack((x, y, flux))[inside], psf


def write(directory, image, psf, step=None, **cards):
    head = fits.Header(cards)
    fits.writeto(directory / "field.fits", image, head, overwrite=True)
    step = step or min(0.8, 0.2 * psf.fwhm)
    half = int(24 / step)
    write_psf(directory / "field.psf", psf.table(2 * half + 1, step, 3))


def settings(directory, *more):
    return [part for one in (f"psf.file={directory}/field.psf", *more) for part in ("--set", one)]


def crowd(program, directory, *options):
    run(program, "crowd", directory / "field.fits", directory, "--backend", "cpu", "--set", "output.formats=[csv]",
        *settings(directory), *options)
    name = directory / ("field.forced" if "--positions" in options else "field")
    return read_catalogue(f"{name}.cat.csv"), json.loads(pathlib.Path(f"{name}.run.json").read_text())["crowd"]


def pair(rows, truth, radius):
    """Row and star of each pair: within the radius and a factor 2, nearest first."""
    tree = spatial.cKDTree(truth[:, :2])
    found = []
    for row, (x, y, flux) in enumerate(zip(rows["X_IMAGE"] - 1, rows["Y_IMAGE"] - 1, rows["FLUX_PSF"])):
        for star in tree.query_ball_point((x, y), radius):
            ratio = flux / truth[star, 2]
            if 0.5 < ratio < 2:
                found.append((np.hypot(*(truth[star, :2] - (x, y))) / 0.5 + abs(np.log(ratio)) / 0.28, row, star))
    used_rows, used_stars, pairs = set(), set(), []
    for _, row, star in sorted(found):
        if row not in used_rows and star not in used_stars:
            used_rows.add(row), used_stars.add(star)
            pairs.append((row, star))
    return np.array(pairs).reshape(-1, 2).T


def mad(values):
    return 1.4826 * np.median(np.abs(values - np.median(values)))


@pytest.mark.parametrize("seed, fwhm, density, complete, pure", [
    (1, 4.0, 10000, 0.66, 0.87), (2, 4.0, 10000, 0.66, 0.87), (3, 2.2, 10000, 0.82, 0.93), (4, 4.0, 1000, 0.83, 0.91)])
def test_finds_the_stars_of_a_crowd(program, tmp_path, seed, fwhm, density, complete, pure):
    side = 512 if density < 5000 else 320
    image, truth, psf = field(seed, side, density, fwhm)
    write(tmp_path, image, psf, GAIN=1.0)
    rows, facts = crowd(program, tmp_path)
    limit = 5 * psf.cramer_rao(side / 2, side / 2, 1e-3, SKY + READ ** 2, 1)
    row, star = pair(rows, truth, max(0.7, fwhm / 4))
    bright = truth[:, 2] > limit
    found = np.zeros(len(truth), bool)
    found[star] = True
    significant = rows["FLUX_PSF"] > 5 * rows["FLUXERR_PSF"]
    true = np.zeros(len(significant), bool)
    true[row] = True
    print(facts["stars"], found[bright].mean(), true[significant].mean(), facts["turns"])
    assert bright.sum() > 150
    assert found[bright].mean() >= complete
    assert true[significant].mean() >= pure
    assert abs(facts["noise"] / np.sqrt(SKY * 1.02 + READ ** 2) - 1) < 0.04
    assert 1 < facts["fwhm"] / fwhm + 0.05 < 1.2  # pixels are as wide as a third of it


@pytest.mark.parametrize("seed, fwhm, complete, pure", [(5, 4.0, 0.62, 0.85), (6, 4.0, 0.62, 0.85), (7, 2.4, 0.78, 0.91)])
def test_a_crowd_makes_its_own_psf(program, tmp_path, seed, fwhm, complete, pure):
    """No file of a PSF: stars that overlap make it."""
    image, truth, psf = field(seed, 512, 10000, fwhm)
    fits.writeto(tmp_path / "field.fits", image, fits.Header({"GAIN": 1.0}))
    run(program, "crowd", tmp_path / "field.fits", tmp_path, "--backend", "cpu", "--set", "output.formats=[csv]",
        "--set", "psf.method=fit")
    rows = read_catalogue(str(tmp_path / "field.cat.csv"))
    facts = json.loads((tmp_path / "field.run.json").read_text())
    limit = 5 * psf.cramer_rao(256, 256, 1e-3, SKY + READ ** 2, 1)
    row, star = pair(rows, truth, max(0.7, fwhm / 4))
    found = np.isin(np.arange(len(truth)), star)[truth[:, 2] > limit].mean()
    significant = rows["FLUX_PSF"] > 5 * rows["FLUXERR_PSF"]
    true = np.isin(np.arange(len(significant)), row)[significant].mean()
    bright = truth[star, 2] > 3e4
    bias = np.median(rows["FLUX_PSF"][row][bright] / truth[star, 2][bright]) - 1
    print(facts["psf"], found, true, bright.sum(), bias)
    assert facts["psf"]["stars"] > 20
    assert found >= complete and true >= pure
    assert bright.sum() > 20 and abs(bias) < 0.03


@pytest.mark.parametrize("seed", [11, 12])
def test_single_stars_scatter_by_their_errors(program, tmp_path, seed):
    image, truth, psf = field(seed, 600, 600, 3.5)
    write(tmp_path, image, psf, GAIN=1.0)
    rows, _ = crowd(program, tmp_path)
    row, star = pair(rows, truth, 1)
    distance = spatial.cKDTree(truth[:, :2]).query(truth[:, :2], 2)[0][:, 1]
    alone = (distance[star] > 4 * psf.fwhm) & (truth[star, 2] > 3000)
    row, star = row[alone], star[alone]
    assert len(row) > 40
    pull = (rows["FLUX_PSF"][row] - truth[star, 2]) / rows["FLUXERR_PSF"][row]
    bound = np.array([psf.cramer_rao(*truth[i], SKY * 1.02 + READ ** 2, 1) for i in star])
    places = np.concatenate(((rows["X_IMAGE"][row] - 1 - truth[star, 0]) / np.sqrt(rows["ERRX2PSF_IMAGE"][row]),
                             (rows["Y_IMAGE"][row] - 1 - truth[star, 1]) / np.sqrt(rows["ERRY2PSF_IMAGE"][row])))
    print(len(row), pull.std(), mad(places), np.median(rows["FLUXERR_PSF"][row] / bound), pull.mean())
    assert 0.75 < mad(pull) < 1.4 and 0.75 < mad(places) < 1.4
    assert 0.93 < np.median(rows["FLUXERR_PSF"][row] / bound) < 1.1
    assert abs(np.median(pull)) < 0.5
    assert 0.8 < np.median(rows["CHI2_PSF"][row]) < 1.2
    assert np.median(rows["FRACFLUX"][row]) > 0.95 and rows["QF"][row].min() > 0.5


def test_fluxes_at_places_are_those_of_least_squares(program, tmp_path):
    """The last step is linear: fluxes that minimise the squares in equal noise, above the sky that was fitted. A stamp ends
    where its star is below a twentieth of the noise of a pixel, which the solution here does not."""
    side = 96
    image, truth, psf = field(21, side, 12000, 3.6, faintest=17)
    write(tmp_path, image, psf)
    table = "X_IMAGE,Y_IMAGE\n" + "".join(f"{x + 1!r},{y + 1!r}\n" for x, y in truth[:, :2].tolist())
    (tmp_path / "places.csv").write_text(table)
    rows, facts = crowd(program, tmp_path, "--positions", tmp_path / "places.csv",
                        "--set", "output.check_images=[psf_sky, residual, model, chi]")
    assert len(rows["FLUX_PSF"]) == len(truth) > 80
    sky = fits.getdata(tmp_path / "field.forced.psf_sky.fits").astype(float)
    columns = []
    for x, y in truth[:, :2]:
        one = np.zeros((side, side))
        psf.add(one, x, y, 1, 60)
        columns.append(one.ravel())
    columns = np.array(columns).T
    flux, *_ = np.linalg.lstsq(columns, (image - sky).ravel(), rcond=None)
    error = facts["noise"] * np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)))
    print(np.quantile(np.abs(rows["FLUX_PSF"] - flux) / error, [0.5, 0.9, 1]))
    assert np.median(np.abs(rows["FLUX_PSF"] - flux) / error) < 0.15
    assert np.max(np.abs(rows["FLUX_PSF"] - flux) / error) < 0.5
    model = fits.getdata(tmp_path / "field.forced.model.fits")
    residual = fits.getdata(tmp_path / "field.forced.residual.fits")
    assert np.allclose(model + residual + sky, image, atol=0.01)
    chi = fits.getdata(tmp_path / "field.forced.chi.fits")
    assert np.allclose(chi, residual / facts["noise"], rtol=1e-3, atol=1e-4)


def test_added_stars_tell_the_completeness(program, tmp_path):
    image, truth, psf = field(71, 320, 10000, 3.6)
    write(tmp_path, image, psf, GAIN=1.0)
    rows, facts = crowd(program, tmp_path, "--set", "crowd.inject=1000")
    bins = facts["injected"]
    part = np.array([one["found"] / one["added"] for one in bins])
    flux = np.array([one["flux"] for one in bins])
    print(list(zip(flux, part, [one["scatter"] for one in bins])))
    assert sum(one["added"] for one in bins) > 150
    assert part[0] < 0.5 and part[-3:].mean() > 0.9 and part[5:].mean() > part[:5].mean() + 0.2
    row, star = pair(rows, truth, 0.9)  # what added stars tell is what became of those that are there
    for low, high in ((flux[2], flux[5]), (flux[5], flux[9])):
        there = (truth[:, 2] >= low) & (truth[:, 2] < high)
        told = np.mean(part[(flux >= low) & (flux < high)])
        assert abs(np.isin(np.flatnonzero(there), star).mean() - told) < 0.15
    assert 0 <= rows["COMPLETENESS"].min() and rows["COMPLETENESS"].max() <= 1
    pull = (rows["FLUX_PSF"][row] - truth[star, 2]) / rows["ERR_CONF"][row]
    alone = (rows["FLUX_PSF"][row] - truth[star, 2]) / rows["FLUXERR_PSF"][row]
    faint = truth[star, 2] < 3e4
    print(mad(pull[faint]), mad(alone[faint]))
    assert 0.5 < mad(pull[faint]) < 1.6


def test_same_bytes_with_any_number_of_threads(program, tmp_path):
    image, _, psf = field(31, 200, 15000, 3.3)
    write(tmp_path, image, psf, GAIN=1.3)
    seen = set()
    for threads in (1, 2, 16):
        run(program, "crowd", tmp_path / "field.fits", tmp_path, "--backend", "cpu", "--threads", threads,
            *settings(tmp_path, "output.check_images=[residual]"))
        seen.add((tmp_path / "field.cat.fits").read_bytes() + (tmp_path / "field.residual.fits").read_bytes())
    assert len(seen) == 1


@pytest.mark.parametrize("stars", [[], [(60.3, 41.8, 40000)]])
def test_one_star_or_none(program, tmp_path, stars):
    rng, psf = np.random.default_rng(41), Moffats(3.6, 120)
    image = np.full((120, 120), 80.0)
    for star in stars:
        psf.add(image, *star, half=60)
    write(tmp_path, (image + rng.normal(0, 3, image.shape)).astype(np.float32), psf)
    rows, facts = crowd(program, tmp_path)
    assert facts["stars"] == len(rows["X_IMAGE"]) == len(stars)
    assert abs(facts["noise"] / 3 - 1) < 0.05
    if stars:
        assert abs(rows["FLUX_PSF"][0] - 40000) < 4 * rows["FLUXERR_PSF"][0]
        assert abs(rows["X_IMAGE"][0] - 61.3) < 0.01 and abs(rows["Y_IMAGE"][0] - 42.8) < 0.01
        assert abs(rows["BACKGROUND"][0] - 80) < 1
        assert abs(rows["SPREAD_MODEL"][0]) < 4 * rows["SPREADERR_MODEL"][0]


def test_masked_edge_and_saturated_core(program, tmp_path):
    rng, psf = np.random.default_rng(51), Moffats(3.6, 160)
    image = np.full((160, 160), 100.0)
    stars = [(70.2, 80.4, 2e6), (3.2, 60.1, 9000), (60.4, 120.3, 9000), (120.4, 40.2, 9000)]
    for star in stars:
        psf.add(image, *star, half=80)
    image = (image + rng.normal(0, 3, image.shape)).astype(np.float32)
    image[:, :2] = np.nan
    saturated = image > 30000
    assert 5 < saturated.sum() < 60
    image[saturated] = 30000
    write(tmp_path, image, psf, SATURATE=30000.0)
    rows, _ = crowd(program, tmp_path)
    assert len(rows["X_IMAGE"]) == len(stars)
    for x, y, flux in stars:
        row = np.argmin(np.hypot(rows["X_IMAGE"] - 1 - x, rows["Y_IMAGE"] - 1 - y))
        assert abs(rows["FLUX_PSF"][row] / flux - 1) < 0.02, (x, y, rows["FLUX_PSF"][row])
        assert np.hypot(rows["X_IMAGE"][row] - 1 - x, rows["Y_IMAGE"][row] - 1 - y) < 0.1
        assert (int(rows["FLAGS"][row]) & 4 != 0) == (flux > 1e6)
        assert (int(rows["FLAGS"][row]) & 256 != 0) == (x < 10)
    edge = np.argmin(rows["X_IMAGE"])
    assert 0.5 < rows["QF"][edge] < 0.97


def test_warns_of_a_narrow_psf_and_an_unknown_gain(program, tmp_path):
    image, _, psf = field(81, 128, 3000, 3.6)
    for half, gain in ((40, {"GAIN": 1.0}), (8, {})):
        write(tmp_path, image, psf, **gain)
        write_psf(tmp_path / "field.psf", psf.table(2 * half + 1, 0.72, 2))
        crowd(program, tmp_path)
        warnings = json.loads((tmp_path / "field.run.json").read_text())["warnings"]
        assert [any(text in one for one in warnings) for text in ("PSF ends", "gain is not known")] == [half < 20] * 2


def test_all_saturated(program, tmp_path):
    psf = Moffats(3.6, 64)
    noise = np.random.default_rng(61).normal(500, 3, (64, 64)).astype(np.float32)
    write(tmp_path, noise, psf, SATURATE=400.0)
    rows, facts = crowd(program, tmp_path)
    assert facts["stars"] == 0


@pytest.mark.parametrize("setting, said", [
    ("psf.file=''", "needs the PSF of the image"), ("deblend.method=tree", "deblend.method to none"),
    ("convolve.kernel=gaussian;convolve.fwhm=3", "convolve.kernel to none"), ("output.segmentation=true", "output.segmentation"),
    ("output.check_images=[objects]", "a crowd has none of"),
    ("output.report=true;output.report_copies=9", "crowd.inject"), ("fit.model=gaussians", "set one of them to none")])
def test_what_a_crowd_excludes(program, tmp_path, setting, said):
    write(tmp_path, np.ones((64, 64), np.float32), Moffats(3.6, 64))
    options = settings(tmp_path, *setting.split(";"))
    done = subprocess.run([program, "--record", "-q", "-o", tmp_path, *options, "crowd", tmp_path / "field.fits"], capture_output=True,
                          text=True)
    assert done.returncode == 2 and said in done.stderr, done.stderr
