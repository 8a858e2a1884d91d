"""model.fit: profiles of galaxies on fields of known galaxies, drawn by points (sersic_galaxies.py), in noise."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

import sextractor
from program import extract, run
from psf_models import Moffats, write_psf
from sersic_galaxies import add

SKY, SIGMA, GAIN, CELL = 200.0, 5.0, 4.0, 96


class Field:
    """A grid of galaxies, one a cell, each out of reach of the others."""

    def __init__(self, seed, fwhm, cells=6, flux=(3.6, 5.2), stars=0):
        rng = np.random.default_rng(seed)
        side = cells * CELL
        self.psf = Moffats(fwhm, side)
        light = np.zeros((side, side))
        rows = []
        for number in range(cells * cells):
            x, y = (number % cells + 0.5) * CELL + rng.uniform(-1, 1), (number // cells + 0.5) * CELL + rng.uniform(-1, 1)
            total = 10 ** rng.uniform(*flux)
            radius, n = rng.uniform(0.8, 2.0) * fwhm, np.exp(rng.uniform(np.log(0.7), np.log(3.5)))
            q, theta = rng.uniform(0.35, 0.95), rng.uniform(-89, 89)
            is_star = number < stars
            if is_star:
                self.psf.add(light, x, y, total)
            else:
                add(light, self.psf, x, y, total, radius, n, q, theta)
            rows.append((x, y, total, radius, n, q, theta, is_star))
        self.truth = np.array(rows, dtype=[(name, float) for name in ("x", "y", "flux", "re", "n", "q", "theta", "star")])
        self.light = light
        self.image = (light + SKY + rng.normal(0, 1, light.shape) * np.sqrt(SIGMA**2 + light / GAIN)).astype(np.float32)

    def fit(self, program, directory, *settings, model="sersic", threads=2, known_sky=True):
        write_psf(directory / "field.psf", self.psf.table(mask=81, step=0.5))
        header = fits.Header({"GAIN": GAIN, "SATURATE": 1e9})
        fits.writeto(directory / "field.fits", self.image, header, overwrite=True)
        chosen = {"psf.file": directory / "field.psf", "model.fit": model, "detection.threshold": 4,
                  "output.columns": "[default]"}
        if known_sky:
            chosen |= {"background.level": SKY, "background.rms": SIGMA}
        sets = [f"{name}={value}" for name, value in chosen.items()] + list(settings)
        rows = extract(program, "default", directory / "field.fits", directory, "--backend", "cpu", "--threads", threads,
                       *(part for one in sets for part in ("--set", one)))[0]
        # one row a galaxy: that nearest to its place
        distance = np.hypot(rows["X_IMAGE"][:, None] - 1 - self.truth["x"], rows["Y_IMAGE"][:, None] - 1 - self.truth["y"])
        found = distance.min(axis=0) < 3
        assert found.mean() > 0.95
        nearest = distance.argmin(axis=0)[found]
        return {name: values[nearest] for name, values in rows.items()}, self.truth[found]


def width(values):
    return np.quantile(np.abs(values - np.median(values)), 0.6827)


@pytest.mark.parametrize("seed, fwhm", [(1, 2.0), (2, 3.5), (3, 3.5)])
def test_sersic_galaxies_have_their_parameters(program, tmp_path, seed, fwhm):
    rows, truth = Field(seed, fwhm).fit(program, tmp_path)
    flux = rows["FLUX_MODEL"] / truth["flux"] - 1
    assert abs(np.median(flux)) < 0.01, np.median(flux)
    assert abs(np.median(rows["SPHEROID_REFF_IMAGE"] / truth["re"] - 1)) < 0.02
    assert abs(np.median(np.log(rows["SPHEROID_SERSICN"] / truth["n"]))) < 0.06
    pulls = {
        "x": (rows["XMODEL_IMAGE"] - 1 - truth["x"]) / np.sqrt(rows["ERRX2MODEL_IMAGE"]),
        "y": (rows["YMODEL_IMAGE"] - 1 - truth["y"]) / np.sqrt(rows["ERRY2MODEL_IMAGE"]),
        "flux": (rows["FLUX_MODEL"] - truth["flux"]) / rows["FLUXERR_MODEL"],
        "re": (rows["SPHEROID_REFF_IMAGE"] - truth["re"]) / rows["SPHEROID_REFFERR_IMAGE"],
        "n": (rows["SPHEROID_SERSICN"] - truth["n"]) / rows["SPHEROID_SERSICNERR"],
        "q": (rows["SPHEROID_ASPECT_IMAGE"] - truth["q"]) / rows["SPHEROID_ASPECTERR_IMAGE"],
    }
    for name, pull in pulls.items():
        assert 0.6 < width(pull) < 1.4, (name, width(pull))  # 36 values: 12 % a standard error
    turned = (rows["SPHEROID_THETA_IMAGE"] - truth["theta"] + 90) % 180 - 90
    flat = truth["q"] < 0.7
    assert width(turned[flat] / rows["SPHEROID_THETAERR_IMAGE"][flat]) < 1.5
    assert np.median(rows["CHI2_MODEL"]) == pytest.approx(1, abs=0.05)


def test_fluxes_are_those_of_bright_galaxies_to_half_a_per_cent(program, tmp_path):
    rows, truth = Field(4, 3.0, flux=(5.2, 6.0)).fit(program, tmp_path)
    assert abs(np.median(rows["FLUX_MODEL"] / truth["flux"] - 1)) < 0.005


def test_stars_fitted_as_galaxies_have_their_flux(program, tmp_path):
    rows, truth = Field(5, 3.0, flux=(4.0, 5.5), stars=36).fit(program, tmp_path)
    assert abs(np.median(rows["FLUX_MODEL"] / truth["flux"] - 1)) < 0.004
    assert np.median(rows["SPHEROID_REFF_IMAGE"]) < 0.3


def test_a_disk_and_a_point_have_columns_of_their_own(program, tmp_path):
    field = Field(6, 3.0, cells=3)
    rows, _ = field.fit(program, tmp_path, model="exponential")
    assert "DISK_SCALE_IMAGE" in rows and "FLUX_SPHEROID" not in rows
    rows, _ = field.fit(program, tmp_path, model="point")
    assert "FLUX_POINTSOURCE" in rows and "FLUX_DISK" not in rows


def test_catalogues_do_not_depend_on_threads_and_check_images_add_up(program, tmp_path):
    field, files = Field(7, 2.5, cells=3), []
    for threads in (1, 2):
        place = tmp_path / str(threads)
        place.mkdir()
        field.fit(program, place, "output.check_images=[model, residual, -background]", "output.formats=[csv, fits]",
                  threads=threads)
        files.append(fits.getdata(place / "field.cat.fits").tobytes())  # headers name their folders
    assert files[0] == files[1]
    model, residual, above = (fits.getdata(next((tmp_path / "1").glob(f"*.{name}.fits"))) for name in
                              ("model", "residual", "minus_background"))
    assert np.array_equal(residual, above - model)
    assert np.std(residual) < 1.1 * SIGMA and np.std(above) > 1.5 * SIGMA


def test_a_model_without_a_psf_is_refused(program, tmp_path):
    fits.writeto(tmp_path / "image.fits", np.zeros((64, 64), np.float32))
    with pytest.raises(RuntimeError, match="exit code 2.*set psf.method to fit, or name a model by psf.file"):
        run(program, "default", tmp_path / "image.fits", tmp_path, "--set", "model.fit=sersic")


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
def test_one_word_replaces_sextractor(program, tmp_path):
    """The same .param, in which columns choose the model: the same columns, and fluxes and shapes that agree."""
    field, catalogues = Field(8, 3.0, cells=5, flux=(4.8, 5.8)), []
    columns = ["X_IMAGE", "Y_IMAGE", "FLUX_MODEL", "XMODEL_IMAGE", "YMODEL_IMAGE", "FLUX_SPHEROID", "SPHEROID_REFF_IMAGE",
               "SPHEROID_ASPECT_IMAGE", "SPHEROID_THETA_IMAGE", "SPHEROID_SERSICN", "CHI2_MODEL", "ALPHAMODEL_J2000",
               "SPHEROID_REFF_WORLD"]
    sky = {"GAIN": GAIN, "CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 10.0, "CRVAL2": 20.0, "CRPIX1": 1.0, "CRPIX2": 1.0,
           "CDELT1": -1e-4, "CDELT2": 1e-4}
    for name, words in (("theirs", [sextractor.PROGRAM]), ("ours", [program, "sextractor"])):
        place = tmp_path / name
        place.mkdir()
        fits.writeto(place / "field.fits", field.image, fits.Header(sky))
        write_psf(place / "field.psf", field.psf.table(mask=81, step=0.5))
        (place / "galaxies.param").write_text("\n".join(columns) + "\n")
        subprocess.run([*words, "field.fits", "-c", "/dev/null", "-PARAMETERS_NAME", "galaxies.param", "-PSF_NAME", "field.psf",
                        "-CATALOG_NAME", "a.cat", "-CATALOG_TYPE", "FITS_1.0", "-BACK_TYPE", "MANUAL", "-BACK_VALUE", str(SKY),
                        "-FILTER", "N", "-GAIN_KEY", "GAIN", "-SATUR_LEVEL", "1e9", "-SATUR_KEY", "NONE"],
                       cwd=place, check=True, capture_output=True)
        catalogues.append(fits.getdata(place / "a.cat"))
    theirs, ours = catalogues
    assert set(columns) <= set(ours.names)
    apart = np.hypot(ours["X_IMAGE"][:, None] - theirs["X_IMAGE"], ours["Y_IMAGE"][:, None] - theirs["Y_IMAGE"])
    partner = apart.argmin(axis=1)
    near = (apart.min(axis=1) < 0.5) & (theirs["FLUX_MODEL"][partner] > 1e4)
    assert near.sum() >= 24
    ours, theirs = ours[near], theirs[partner[near]]
    assert np.median(np.abs(ours["FLUX_MODEL"] / theirs["FLUX_MODEL"] - 1)) < 0.01
    assert np.median(np.abs(ours["SPHEROID_REFF_IMAGE"] / theirs["SPHEROID_REFF_IMAGE"] - 1)) < 0.02
    assert np.median(np.abs(ours["SPHEROID_REFF_WORLD"] / theirs["SPHEROID_REFF_WORLD"] - 1)) < 0.02
    assert np.median(np.abs(ours["SPHEROID_SERSICN"] / theirs["SPHEROID_SERSICN"] - 1)) < 0.05
    assert np.median(np.abs(ours["ALPHAMODEL_J2000"] - theirs["ALPHAMODEL_J2000"])) < 1e-5


def pairs(seed, fwhm=3.0):
    """Galaxies two by two, so close that each has light of the other."""
    rng = np.random.default_rng(seed)
    field = Field(seed, fwhm, cells=4, stars=0)
    side = field.image.shape[0]
    light, rows = np.zeros((side, side)), []
    for number in range(16):
        x, y = (number % 4 + 0.5) * CELL + rng.uniform(-1, 1), (number // 4 + 0.5) * CELL + rng.uniform(-1, 1)
        angle, apart = rng.uniform(0, 2 * np.pi), rng.uniform(10, 14)
        for dx, dy, flux in ((0, 0, 2e5), (apart * np.cos(angle), apart * np.sin(angle), 6e4)):
            shape = rng.uniform(3, 4.5), np.exp(rng.uniform(0, 0.9)), rng.uniform(0.5, 0.95), rng.uniform(-89, 89)
            add(light, field.psf, x + dx, y + dy, flux, *shape)
            rows.append((x + dx, y + dy, flux, *shape, 0))
    field.truth = np.array(rows, dtype=field.truth.dtype)
    field.image = (light + SKY + rng.normal(0, 1, light.shape) * np.sqrt(SIGMA**2 + light / GAIN)).astype(np.float32)
    return field


def bulges_and_disks(seed, fwhm=2.5, cells=4, flux=(3.5, 4.0)):
    """Galaxies of an index-4 bulge with 15 to 60 % of the light, and a disk; columns re, q and theta are the disk's."""
    rng = np.random.default_rng(seed)
    field = Field(seed, fwhm, cells=cells, stars=cells * cells)
    light, rows = np.zeros_like(field.light), []
    for number in range(cells * cells):
        x, y = (number % cells + 0.5) * CELL + rng.uniform(-1, 1), (number // cells + 0.5) * CELL + rng.uniform(-1, 1)
        total, share, radius = 10 ** rng.uniform(*flux), rng.uniform(0.15, 0.6), rng.uniform(1.5, 2.5) * fwhm
        q, theta = rng.uniform(0.35, 0.95), rng.uniform(-89, 89)
        of_bulge = radius * rng.uniform(0.25, 0.5)
        add(light, field.psf, x, y, total * share, of_bulge, 4, rng.uniform(0.6, 0.95), theta)
        add(light, field.psf, x, y, total * (1 - share), radius, 1, q, theta)
        rows.append((x, y, total, radius, q, theta, share, of_bulge))
    field.truth = np.array(rows, dtype=[(name, float) for name in ("x", "y", "flux", "re", "q", "theta", "share", "of_bulge")])
    field.image = (light + SKY + rng.normal(0, 1, light.shape) * np.sqrt(SIGMA**2 + light / GAIN)).astype(np.float32)
    return field


def test_passes_do_not_change_a_bulge_without_neighbours(program, tmp_path):
    """A pass that finds nothing new leaves the sizes of faint bulges where they were."""
    field, radius = bulges_and_disks(15), {}
    for passes in (1, 6):
        place = tmp_path / str(passes)
        place.mkdir()
        rows, _ = field.fit(program, place, f"model.passes={passes}", model="devaucouleurs+disk")
        radius[passes] = rows["SPHEROID_REFF_IMAGE"]
    assert np.median(np.abs(np.log(radius[6] / radius[1]))) < 0.02


def test_bulges_and_disks_have_their_parameters(program, tmp_path):
    rows, truth = bulges_and_disks(16, flux=(5.2, 5.8)).fit(program, tmp_path, model="devaucouleurs+disk")
    assert abs(np.median(rows["FLUX_MODEL"] / truth["flux"] - 1)) < 0.005
    share = rows["FLUXRATIO_SPHEROID"] - truth["share"]
    assert abs(np.median(share)) < 0.02 and width(share) < 0.05
    assert 0.5 < width(share / rows["FLUXRATIOERR_SPHEROID"]) < 1.5  # 16 values: 18 % a standard error
    disk = rows["DISK_SCALE_IMAGE"] * 1.67835 / truth["re"] - 1
    assert abs(np.median(disk)) < 0.02 and width(disk) < 0.05
    assert abs(np.median(rows["SPHEROID_REFF_IMAGE"] / truth["of_bulge"] - 1)) < 0.1


def test_neighbours_are_subtracted(program, tmp_path):
    field, bias = pairs(9), {}
    for passes in (1, 3):
        place = tmp_path / str(passes)
        place.mkdir()
        rows, truth = field.fit(program, place, f"model.passes={passes}")
        flux = rows["FLUX_MODEL"] / truth["flux"] - 1
        bias[passes] = np.median(np.abs(flux[truth["flux"] < 1e5]))
    assert bias[3] < 0.03, bias
    assert bias[3] < 0.6 * bias[1], bias


@pytest.mark.parametrize("spoil", ["nan", "edge", "all"])
def test_no_row_is_lost_to_bad_pixels(program, tmp_path, spoil):
    field = Field(10, 3.0, cells=3, flux=(4.5, 5.2))
    middle = np.rint(np.array([field.truth["x"][4], field.truth["y"][4]])).astype(int)
    if spoil == "nan":
        field.image[middle[1] - 1:middle[1] + 2, middle[0] - 1:middle[0] + 2] = np.nan
    elif spoil == "edge":
        field.image = field.image[middle[1]:, middle[0]:]  # the galaxy is cut through its middle
    else:
        field.image[middle[1] - 40:middle[1] + 40, middle[0] - 40:middle[0] + 40] = np.nan
    write_psf(tmp_path / "field.psf", field.psf.table(mask=81, step=0.5))
    fits.writeto(tmp_path / "field.fits", np.ascontiguousarray(field.image), fits.Header({"GAIN": GAIN}))
    rows, _ = extract(program, "default", tmp_path / "field.fits", tmp_path, "--set", f"psf.file={tmp_path / 'field.psf'}",
                      "--set", "model.fit=sersic")
    without, _ = extract(program, "default", tmp_path / "field.fits", tmp_path)
    assert len(rows["FLUX_MODEL"]) == len(without["X_IMAGE"]) >= (4 if spoil == "edge" else 8)
    assert np.isfinite(rows["FLUX_MODEL"][rows["FLAGS_MODEL"].astype(int) & 4 == 0]).all()
    good = rows["FLAGS_MODEL"] == 0
    assert good.sum() >= 3


def test_a_psf_that_is_cut_is_told(program, tmp_path):
    field = Field(11, 4.0, cells=2)
    write_psf(tmp_path / "field.psf", field.psf.table(mask=9, step=1))
    fits.writeto(tmp_path / "field.fits", field.image, fits.Header({"GAIN": GAIN}))
    _, report = extract(program, "default", tmp_path / "field.fits", tmp_path, "--set", f"psf.file={tmp_path / 'field.psf'}",
                        "--set", "model.fit=sersic")
    assert any("the outermost ring of the PSF still has" in warning for warning in report["warnings"])


@pytest.mark.parametrize("step, is_told", [(0.5, False), (0.7, False), (1.2, True)])
def test_a_psf_in_coarse_steps_is_told(program, tmp_path, step, is_told):
    """A Moffat PSF 1.8 pixels wide: in steps of 1.2 pixels its finest waves are lost."""
    field = Field(17, 1.8, cells=2, stars=4)
    write_psf(tmp_path / "field.psf", field.psf.table(mask=2 * round(20 / step) + 1, step=step))
    fits.writeto(tmp_path / "field.fits", field.image, fits.Header({"GAIN": GAIN}))
    _, report = extract(program, "default", tmp_path / "field.fits", tmp_path, "--set", f"psf.file={tmp_path / 'field.psf'}",
                        "--set", "model.fit=sersic")
    assert any("the PSF is given in steps of" in warning for warning in report["warnings"]) == is_told


@pytest.mark.parametrize("wider, is_told", [(0, False), (0.3, True)])
def test_models_that_fit_no_bright_source_are_told(program, tmp_path, wider, is_told):
    """Stars that widen with their brightness, as on photographs: no Sersic profile has their shape."""
    field = Field(18, 2.5, cells=5, flux=(5.0, 6.0), stars=25)
    light = np.zeros_like(field.light)
    v, u = np.mgrid[:light.shape[0], :light.shape[1]]
    for x, y, flux in zip(field.truth["x"], field.truth["y"], field.truth["flux"]):
        field.psf.add(light, x, y, flux)
        if wider:  # a disk of even light as wide as the photograph's spread
            disk = np.hypot(u - x, v - y) < 4
            light += wider * flux * disk / disk.sum()
    field.image = (light + SKY + np.random.default_rng(180).normal(0, 1, light.shape) * np.sqrt(SIGMA**2 + light / GAIN)).astype(np.float32)
    write_psf(tmp_path / "field.psf", field.psf.table(mask=81, step=0.5))
    fits.writeto(tmp_path / "field.fits", field.image, fits.Header({"GAIN": GAIN, "SATURATE": 1e9}))
    _, report = extract(program, "default", tmp_path / "field.fits", tmp_path, "--set", f"psf.file={tmp_path / 'field.psf'}",
                        "--set", "model.fit=sersic")
    assert any("the models do not fit" in warning for warning in report["warnings"]) == is_told


def test_errors_know_of_shared_noise(program, tmp_path):
    """Galaxies in noise that was smoothed by 0.8 pixels: with errors of independent pixels, pulls would be near 2."""
    field = Field(12, 3.0, cells=7, flux=(3.9, 4.6))
    smooth = ndimage.gaussian_filter(np.random.default_rng(120).normal(0, 1, field.light.shape), 0.8)
    field.image = (field.light + SKY + SIGMA * smooth / smooth.std()).astype(np.float32)
    pulls = {}
    for noise in ("correlated", "pixel"):
        place = tmp_path / noise
        place.mkdir()
        rows, truth = field.fit(program, place, f"measurement.noise={noise}", "measurement.gain_keyword=none", known_sky=False)
        pulls[noise] = width((rows["FLUX_MODEL"] - truth["flux"]) / rows["FLUXERR_MODEL"])
    assert 0.7 < pulls["correlated"] < 1.35, pulls
    assert pulls["pixel"] > 1.5, pulls


def test_clipped_stars_are_left_out_though_no_header_tells_the_level(program, tmp_path):
    """Five of nine stars are clipped; what is left of them tells their flux."""
    field = Field(13, 3.0, cells=3, flux=(4.0, 4.5), stars=9)
    light = np.zeros_like(field.light)
    fluxes = np.where(np.arange(9) < 5, 2e6, field.truth["flux"])
    for (x, y), flux in zip(zip(field.truth["x"], field.truth["y"]), fluxes):
        field.psf.add(light, x, y, flux)
    rng = np.random.default_rng(130)
    field.image = np.minimum(light + SKY + rng.normal(0, 1, light.shape) * np.sqrt(SIGMA**2 + light / GAIN), 60000).astype(np.float32)
    field.truth["flux"] = fluxes
    assert (field.image == 60000).sum() > 20
    write_psf(tmp_path / "field.psf", field.psf.table(mask=81, step=0.5))
    fits.writeto(tmp_path / "field.fits", field.image, fits.Header({"GAIN": GAIN}))
    rows, report = extract(program, "default", tmp_path / "field.fits", tmp_path, "--set", f"psf.file={tmp_path / 'field.psf'}",
                           "--set", "model.fit=point", "--set", f"background.level={SKY}")
    bright = np.sort(rows["FLUX_MODEL"])[-5:]
    assert bright == pytest.approx(2e6, rel=0.02)


def test_no_model_runs_away_from_its_source(program, tmp_path):
    """Faint sources of a crowd: no centre leaves the isophote by more than a width of the PSF."""
    rng = np.random.default_rng(14)
    field = Field(14, 2.5, cells=2)
    light = np.zeros_like(field.light)
    for x, y, flux in zip(*rng.uniform(5, light.shape[0] - 5, (2, 160)), 10 ** rng.uniform(2.8, 4.5, 160)):
        field.psf.add(light, x, y, flux)
    field.image = (light + SKY + rng.normal(0, SIGMA, light.shape)).astype(np.float32)
    write_psf(tmp_path / "field.psf", field.psf.table(mask=81, step=0.5))
    fits.writeto(tmp_path / "field.fits", field.image, fits.Header({"GAIN": GAIN, "SATURATE": 1e9}))
    for model in ("sersic", "exponential"):
        rows, _ = extract(program, "default", tmp_path / "field.fits", tmp_path, "--set", f"psf.file={tmp_path / 'field.psf'}",
                          "--set", f"model.fit={model}")
        assert len(rows["X_IMAGE"]) > 60
        moved = np.maximum(np.abs(rows["XMODEL_IMAGE"] - rows["X_IMAGE"]), np.abs(rows["YMODEL_IMAGE"] - rows["Y_IMAGE"]))
        isophote = np.maximum(rows["XMAX_IMAGE"] - rows["XMIN_IMAGE"], rows["YMAX_IMAGE"] - rows["YMIN_IMAGE"]) + 1
        assert (moved < isophote / 2 + 2.5 + 1).all()


@pytest.mark.parametrize("columns, said", [
    ("[FLUX_DISK]", "describes a disk, and this model.fit has none"),
    ("[NUMBER, FLUX_POINTSOURCE]", "describes a star, which only model.fit: point fits"),
    ("[NUMBER, FLUX_BACKOFFSET]", "set model.sky to free")])
def test_columns_that_a_model_has_not_are_refused(program, tmp_path, columns, said):
    fits.writeto(tmp_path / "image.fits", np.zeros((64, 64), np.float32))
    with pytest.raises(RuntimeError, match=f"exit code 2.*{said}"):
        run(program, "default", tmp_path / "image.fits", tmp_path, "--set", "model.fit=sersic", "--set", "psf.method=fit", "--set",
            f"output.columns={columns}")
