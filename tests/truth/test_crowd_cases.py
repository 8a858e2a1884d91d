"""Crowds in unusual images: strange units, stars brighter than their PSF is wide, images in tiles, places without pixels."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
spatial = pytest.importorskip("scipy.spatial")

from program import read_catalogue, run
from psf_models import Moffats, write_psf
from test_crowd import crowd, field, settings, write


@pytest.mark.parametrize("exponent", [-74, -20, 75])
def test_the_unit_of_pixels_does_not_matter(program, tmp_path, exponent):
    """2^-74 is 5e-23: FLAM and Jy a pixel have such numbers. Weights in single precision would overflow."""
    image, _, psf = field(91, 160, 10000, 3.6)
    factor = 2.0 ** exponent
    found = []
    for scale in (1.0, factor):
        write(tmp_path, (image * scale).astype(np.float32), psf, GAIN=1 / scale)
        rows, facts = crowd(program, tmp_path, "--set", "output.check_images=[chi, residual]", "--set", "crowd.inject=50")
        images = [fits.getdata(tmp_path / f"field.{name}.fits") for name in ("chi", "residual")]
        found.append((rows, facts, images))
    (usual, facts, images), (rows, scaled, scaled_images) = found
    assert len(rows["X_IMAGE"]) == len(usual["X_IMAGE"]) > 100
    for name in usual:
        if not name.startswith("MAG"):
            is_light = name in ("FLUX_PSF", "FLUXERR_PSF", "BACKGROUND", "ERR_CONF")
            exact = name not in ("COMPLETENESS", "ERR_CONF")  # which are interpolated in the logarithm of the flux
            np.testing.assert_allclose(rows[name], usual[name] * (factor if is_light else 1), 0 if exact else 1e-12, err_msg=name)
    assert scaled["noise"] == facts["noise"] * factor
    np.testing.assert_array_equal(scaled_images[0], images[0])
    np.testing.assert_array_equal(scaled_images[1], images[1] * np.float32(factor))


def test_places_at_edges_and_without_pixels(program, tmp_path):
    rng, psf = np.random.default_rng(92), Moffats(3.6, 160)
    image = np.full((160, 160), 100.0)
    stars = [(1.2, 80.4, 90000), (120.4, 40.2, 9000), (40.0, 40.0, 5000), (21.5, 60.0, 50000)]
    for star in stars:
        psf.add(image, *star)
    image = (image + rng.normal(0, 3, image.shape)).astype(np.float32)
    image[10:70, 22:70] = np.nan
    write(tmp_path, image, psf)
    places = [star[:2] for star in stars] + [(-20.0, -20.0)]
    (tmp_path / "places.csv").write_text("X_IMAGE,Y_IMAGE\n" + "".join(f"{x + 1},{y + 1}\n" for x, y in places))
    rows, _ = crowd(program, tmp_path, "--positions", tmp_path / "places.csv")
    flags = rows["FLAGS"].astype(int)
    assert [bool(value & 8) for value in flags[:4]] == [True, False, False, False]
    assert [bool(value & 256) for value in flags[:4]] == [False, False, True, True]
    for i in (0, 1, 3):
        assert abs(rows["FLUX_PSF"][i] - stars[i][2]) < 5 * rows["FLUXERR_PSF"][i]
    for i in (2, 4):  # no pixel of it counts, or it is off the image
        assert np.isnan(rows["FLUX_PSF"][i]) and np.isnan(rows["FLUXERR_PSF"][i])
    assert rows["QF"][2] == 0


@pytest.mark.parametrize("flux, radius", [(1e6, 14), (1e7, 14), (1e7, 24), (1e8, 24)])
def test_no_rings_of_stars_where_the_psf_ends(program, tmp_path, flux, radius):
    """A star of 3e4 to 3e7 times the noise of a pixel, whose PSF is known out to 4 or 7 full widths."""
    rng, side = np.random.default_rng(93), 300
    psf, image = Moffats(3.6, side), np.full((side, side), 100.0)
    psf.add(image, 150.3, 149.7, flux, half=side)
    faint = rng.uniform(10, side - 10, (40, 2))
    faint = faint[np.hypot(*(faint - 150).T) > 75]
    for x, y in faint:
        psf.add(image, x, y, 2500)
    image += rng.normal(0, 3, image.shape) + np.sqrt(np.maximum(image - 100, 0)) * rng.normal(size=image.shape)
    write(tmp_path, image.astype(np.float32), psf, GAIN=1.0)
    write_psf(tmp_path / "field.psf", psf.table(2 * int(radius / 0.72) + 1, 0.72, 3))
    rows, _ = crowd(program, tmp_path)
    places = np.column_stack((rows["X_IMAGE"] - 1, rows["Y_IMAGE"] - 1))
    bright = np.argmax(rows["FLUX_PSF"])
    assert abs(rows["FLUX_PSF"][bright] - flux) < 4 * rows["FLUXERR_PSF"][bright] + 2e-4 * flux and np.hypot(*(places[bright] - (150.3, 149.7))) < 0.02
    distance = spatial.cKDTree(places).query(faint)[0]
    assert len(faint) > 20 and (distance < 1.5).mean() > 0.95
    true = spatial.cKDTree(np.vstack((faint, [(150.3, 149.7)]))).query(places)[0] < 2
    print(len(places), (~true).sum(), rows["FLUX_PSF"][~true])
    assert (~true).sum() <= 2


def tiled(program, directory, size, *options):
    return crowd(program, directory, "--set", f"crowd.tile_size={size}", *options)


def test_tiles_find_what_the_whole_image_has(program, tmp_path):
    image, truth, psf = field(94, 380, 10000, 3.4)
    write(tmp_path, image, psf, GAIN=1.0)
    pictures = "output.check_images=[model, residual, psf_sky]"
    whole, facts = crowd(program, tmp_path, "--set", pictures)
    images = {name: fits.getdata(tmp_path / f"field.{name}.fits").astype(float) for name in ("model", "residual", "psf_sky")}
    rows, of_tiles = tiled(program, tmp_path, 150, "--set", pictures)
    distance, at = spatial.cKDTree(np.column_stack((rows["X_IMAGE"], rows["Y_IMAGE"]))).query(
        np.column_stack((whole["X_IMAGE"], whole["Y_IMAGE"])))
    clear = whole["FLUX_PSF"] > 7 * whole["FLUXERR_PSF"]
    same = distance < 0.5
    assert clear.sum() > 400 and same[clear].mean() > 0.985
    assert abs(len(rows["X_IMAGE"]) / len(whole["X_IMAGE"]) - 1) < 0.01
    these = clear & same
    off = (rows["FLUX_PSF"][at] - whole["FLUX_PSF"])[these] / whole["FLUXERR_PSF"][these]
    print(len(whole["X_IMAGE"]), len(rows["X_IMAGE"]), same[clear].mean(), np.quantile(np.abs(off), [0.5, 0.9, 0.99]))
    assert np.median(np.abs(off)) < 0.1 and np.quantile(np.abs(off), 0.9) < 0.5
    near = spatial.cKDTree(np.column_stack((rows["X_IMAGE"], rows["Y_IMAGE"]))).query_pairs(0.25 * psf.fwhm)
    assert len(near) == 0  # no star twice
    assert abs(of_tiles["noise"] / facts["noise"] - 1) < 0.02 and of_tiles["fwhm"] == facts["fwhm"]
    for name, pixels in images.items():
        other = fits.getdata(tmp_path / f"field.{name}.fits").astype(float)
        assert np.median(np.abs(other - pixels)) < 0.1 * facts["noise"], name
    total = sum(fits.getdata(tmp_path / f"field.{name}.fits").astype(float) for name in images)
    assert np.median(np.abs(total - image)) < 0.02 * facts["noise"]


def test_tiles_measure_given_places(program, tmp_path):
    image, truth, psf = field(95, 330, 8000, 3.4)
    write(tmp_path, image, psf, GAIN=1.0)
    table = "X_IMAGE,Y_IMAGE\n-40,7\n" + "".join(f"{x + 1!r},{y + 1!r}\n" for x, y in truth[:, :2].tolist())
    (tmp_path / "places.csv").write_text(table)
    places = ("--positions", tmp_path / "places.csv")
    whole, _ = crowd(program, tmp_path, *places)
    rows, _ = tiled(program, tmp_path, 140, *places)
    np.testing.assert_array_equal(rows["X_IMAGE"], whole["X_IMAGE"])
    assert np.isnan(rows["FLUX_PSF"][0]) and not np.isnan(rows["FLUX_PSF"][1:]).any()
    off = ((rows["FLUX_PSF"] - whole["FLUX_PSF"]) / whole["FLUXERR_PSF"])[1:]
    print(np.quantile(np.abs(off), [0.5, 0.99, 1]))
    assert np.median(np.abs(off)) < 0.1 and np.abs(off).max() < 1


def test_tiles_are_the_same_with_any_number_of_threads(program, tmp_path):
    image, _, psf = field(96, 200, 12000, 3.4)
    write(tmp_path, image, psf, GAIN=1.0)
    seen = set()
    for threads in (1, 2, 16):
        run(program, "crowd", tmp_path / "field.fits", tmp_path, "--backend", "cpu", "--threads", threads,
            *settings(tmp_path, "output.check_images=[residual]", "crowd.tile_size=130"))
        seen.add((tmp_path / "field.cat.fits").read_bytes() + (tmp_path / "field.residual.fits").read_bytes())
    assert len(seen) == 1


def test_each_row_of_a_manifest_has_its_psf(program, tmp_path):
    fluxes = {}
    for name, fwhm in (("a", 3.4), ("b", 5.0)):
        image, _, psf = field(97, 128, 3000, fwhm)
        write(tmp_path, image, psf, GAIN=1.0)
        rows, _ = crowd(program, tmp_path)
        fluxes[name] = rows["FLUX_PSF"]
        for kind in ("fits", "psf"):
            (tmp_path / f"field.{kind}").rename(tmp_path / f"{name}.{kind}")
    (tmp_path / "list.csv").write_text("path,psf.file\na.fits,a.psf\nb.fits,b.psf\n")

    def batch(manifest, *settings):
        command = [program, "batch", "-q", "-o", "out", "--set", "output.formats=[csv]", *settings, "crowd", manifest]
        return subprocess.run([str(part) for part in command], cwd=tmp_path, capture_output=True, text=True)

    done = batch("list.csv")
    assert done.returncode == 0, done.stderr
    for name, flux in fluxes.items():
        np.testing.assert_array_equal(read_catalogue(tmp_path / f"out/{name}.cat.csv")["FLUX_PSF"], flux)
    (tmp_path / "list.csv").write_text("path,psf.file\na.fits,a.psf\nb.fits,\n")
    done = batch("list.csv", "--set", "psf.method=file")
    assert done.returncode == 2 and "needs the PSF of the image; name its file by psf.file" in done.stderr, done.stderr


def test_says_that_the_sky_is_saturated(program, tmp_path):
    image, _, psf = field(98, 64, 3000, 3.4)
    for level, expected in ((300.0, True), (60000.0, False)):
        write(tmp_path, image, psf, GAIN=1.0, SATURATE=level)
        rows, _ = crowd(program, tmp_path)
        warnings = json.loads((tmp_path / "field.run.json").read_text())["warnings"]
        assert any("is not above the sky" in one for one in warnings) == expected, warnings
        assert (len(rows["X_IMAGE"]) == 0) == expected


@pytest.mark.parametrize("fwhm, density", [(2.1, 2000), (3.6, 2000), (3.6, 20000)])
def test_tracks_of_cosmic_rays_are_flagged(program, tmp_path, fwhm, density):
    """Those of CCDs: lines of 1 to 15 pixels, much brighter than the noise. Stars away from them have no flag."""
    rng, side = np.random.default_rng(99), 300
    image, truth, psf = field(99, side, density, fwhm)
    clean, track = image.copy(), np.zeros(image.shape, bool)
    for x, y, length, angle in zip(*rng.uniform(20, side - 20, (2, 25)), rng.uniform(1, 15, 25), rng.uniform(0, 6.3, 25)):
        for step in np.arange(0, length, 0.5):
            at = int(y + step * np.sin(angle)), int(x + step * np.cos(angle))
            image[at] += rng.uniform(1000, 4000)
            track[at] = True
    for pixels, is_hit in ((clean, False), (image, True)):
        write(tmp_path, pixels, psf, GAIN=1.0)
        rows, _ = crowd(program, tmp_path)
        sharp = (rows["FLAGS"].astype(int) & 512) > 0
        warnings = json.loads((tmp_path / "field.run.json").read_text())["warnings"]
        places = np.column_stack((rows["X_IMAGE"] - 1, rows["Y_IMAGE"] - 1))
        away = spatial.cKDTree(np.argwhere(track)[:, ::-1]).query(places)[0]
        of_star = spatial.cKDTree(truth[:, :2]).query(places)[0] < 1.5
        of_track = (away < 1.5) & ~of_star if is_hit else np.zeros(len(places), bool)
        these = of_star & (away > 2.5 * fwhm) if is_hit else np.ones(len(places), bool)
        print(fwhm, density, is_hit, len(places), sharp[these].sum(), these.sum(), sharp[of_track].sum(), of_track.sum())
        assert sharp[these].mean() < 0.005
        if is_hit:
            assert of_track.sum() > 15 and sharp[of_track].mean() > 0.8
        many = sharp.sum() > 5 and sharp.mean() > 0.02
        assert any("sharper than a star" in one for one in warnings) == many
        assert many == is_hit or density > 10000
