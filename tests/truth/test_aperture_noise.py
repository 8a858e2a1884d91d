"""measurement.noise: apertures. Stars in noise that neighbouring pixels share, as after resampling: fluxes are off from the
truth by the errors that are told, which those of independent pixels are not. The truth is the light that was put in, within
the same aperture, and how much sums scatter NumPy tells in places of its own."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")

from program import ROOT, extract, run
from rounds import first

SIDE, STEP, SIGMA, FWHM, FLUX, SKY = 1104, 48, 10.0, 3.0, 10_000.0, 1000.0
DIAMETERS = (4, 8, 12, 20)
COLUMNS = "[default, photometry, profile, windowed, shapes]"
SEEDS = first(3, (31, 32, 33, 34, 35))


def gaussian(sigma):
    one = np.exp(-np.arange(-12, 13) ** 2 / (2 * sigma**2))
    return np.outer(one, one)


def bilinear(dx, dy):
    """What resampling by a shift does to white noise."""
    return np.outer([dy, 1 - dy], [dx, 1 - dx])


KERNELS = {"gaussian 0.6": gaussian(0.6), "gaussian 1.0": gaussian(1.0), "gaussian 1.3": gaussian(1.3),
           "bilinear 0.5": bilinear(0.5, 0.5), "bilinear 0.2 0.4": bilinear(0.2, 0.4), "box 3": np.ones((3, 3)),
           "triangle": np.outer([1, 2, 1], [1, 2, 1])}
WHITE = np.ones((1, 1))


def noise(seed, kernel, side=SIDE):
    """Of which each pixel has a sigma of 1."""
    white = np.random.default_rng(seed).normal(size=(side + 32, side + 32))
    return signal.fftconvolve(white, kernel / np.sqrt((kernel**2).sum()), mode="same")[16:-16, 16:-16]


def stars(seed, side=SIDE, flux=FLUX):
    """Moffat stars, each alone, of one brightness."""
    rng = np.random.default_rng(seed)
    light = np.zeros((side, side))
    alpha2 = FWHM**2 / 4 / (2 ** (1 / 2.5) - 1)
    y, x = np.mgrid[-20:21, -20:21]
    for row in range(STEP // 2, side - STEP // 3, STEP):
        for column in range(STEP // 2, side - STEP // 3, STEP):
            dx, dy = rng.uniform(-0.5, 0.5, 2)
            star = (1 + ((x - dx) ** 2 + (y - dy) ** 2) / alpha2) ** -2.5
            light[row - 20:row + 21, column - 20:column + 21] += flux * 1.5 / (np.pi * alpha2) * star
    return light


def catalogue(program, directory, image, *settings, config="plain", **maps):
    directory.mkdir(exist_ok=True)
    fits.writeto(directory / "a.fits", image.astype(np.float32), overwrite=True)
    for name, pixels in maps.items():
        fits.writeto(directory / f"{name}.fits", pixels.astype(np.float32), overwrite=True)
    options = [part for setting in (f"output.columns={COLUMNS}", f"measurement.apertures={list(DIAMETERS)}", *settings)
               for part in ("--set", setting)]
    return extract(program, config, directory / "a.fits", directory, "--backend", "cpu", *options)


def width(pulls):
    return np.subtract(*np.quantile(pulls, (0.8413, 0.1587))) / 2


def sub_pixels(light, x, y, radius):
    """The light in a circle, by 10 x 10 sub-pixels."""
    reach = int(radius) + 2
    row, column = int(round(y)), int(round(x))
    cut = light[row - reach:row + reach + 1, column - reach:column + reach + 1]
    steps = np.arange(-reach - 0.45, reach + 0.5, 0.1)
    inside = (steps - (x - column)) ** 2 + (steps[:, None] - (y - row)) ** 2 < radius**2
    side = 2 * reach + 1
    return (cut * inside.reshape(side, 10, side, 10).mean(axis=(1, 3))).sum()


def pixels_in_ellipse(light, found, i):
    """The light of the pixels in the Kron ellipse."""
    x, y = found["X_IMAGE"][i] - 1, found["Y_IMAGE"][i] - 1
    a, b, t = (found[name][i] for name in ("A_IMAGE", "B_IMAGE", "THETA_IMAGE"))
    reach = int(found["KRON_RADIUS"][i] * a) + 2
    row, column = int(round(y)), int(round(x))
    v, u = np.mgrid[row - reach:row + reach + 1, column - reach:column + reach + 1]
    u, v, t = u - x, v - y, np.deg2rad(t)
    inside = ((u * np.cos(t) + v * np.sin(t)) / a) ** 2 + ((v * np.cos(t) - u * np.sin(t)) / b) ** 2 \
        <= found["KRON_RADIUS"][i] ** 2
    return light[row - reach:row + reach + 1, column - reach:column + reach + 1][inside].sum()


def of_stars(found):
    """Rows that are stars, well within the image."""
    inside = np.abs(np.array([found["X_IMAGE"], found["Y_IMAGE"]]) - SIDE / 2).max(axis=0) < SIDE / 2 - STEP / 3
    rows = np.flatnonzero(inside & (found["FLUX_AUTO"] > FLUX / 2))
    assert len(rows) > 400
    return rows


def pulls(found, light):
    """{column: of each star} of the circles and of the ellipse."""
    rows, off = of_stars(found), {}
    for n, diameter in enumerate(DIAMETERS):
        suffix = f"_{n}" if n else ""
        truth = [sub_pixels(light, found["X_IMAGE"][i] - 1, found["Y_IMAGE"][i] - 1, diameter / 2) for i in rows]
        off[f"APER{suffix}"] = (found[f"FLUX_APER{suffix}"][rows] - truth) / found[f"FLUXERR_APER{suffix}"][rows]
    truth = [pixels_in_ellipse(light, found, i) for i in rows]
    off["AUTO"] = (found["FLUX_AUTO"][rows] - truth) / found["FLUXERR_AUTO"][rows]
    return off


def widths(program, directory, images, *settings, **maps):
    """Of the pulls of several images together: with the noise of pixels, and with that of apertures."""
    told = []
    for how in ("pixel", "apertures"):
        off = [pulls(catalogue(program, directory, image, f"measurement.noise={how}", *settings, **maps)[0], light)
               for image, light in images]
        told.append({name: width(np.concatenate([one[name] for one in off])) for name in off[0]})
    return told


@pytest.mark.parametrize("kernel", KERNELS)
def test_fluxes_are_off_by_their_errors(program, tmp_path, kernel):
    images = []
    for seed in SEEDS:
        light = stars(seed)
        images.append((SKY + light + SIGMA * noise(seed + 100, KERNELS[kernel]), light))
    pixel, apertures = widths(program, tmp_path, images)
    assert apertures == pytest.approx(dict.fromkeys(apertures, 1), abs=0.1)
    for name in ("APER_1", "APER_2", "APER_3", "AUTO"):
        assert pixel[name] > 1.3


def test_a_low_threshold_whose_sources_are_mostly_noise(program, tmp_path):
    """SExtractor's 1.5 sigma, which finds more noise than stars: what is kept clear of is no noise."""
    images = []
    for seed in SEEDS:
        light = stars(seed)
        images.append((SKY + light + SIGMA * noise(seed + 200, KERNELS["gaussian 1.0"]), light))
    found, _ = catalogue(program, tmp_path, images[0][0], config="sextractor")
    assert len(found["X_IMAGE"]) > 3 * (SIDE // STEP) ** 2
    _, apertures = widths(program, tmp_path, images, config="sextractor")
    assert apertures == pytest.approx(dict.fromkeys(apertures, 1), abs=0.1)


def test_white_noise_is_left_as_it_is(program, tmp_path):
    image = SKY + stars(5) + SIGMA * noise(6, WHITE)
    pixel, _ = catalogue(program, tmp_path, image)
    apertures, facts = catalogue(program, tmp_path, image, "measurement.noise=apertures")
    for name in pixel:
        if name.startswith("FLUXERR"):
            grown = apertures[name] / pixel[name]
            assert np.all((grown >= 1) & (grown < 1.06)), name
    assert facts["aperture_noise"]["beta"] < 0.53


def law(facts, pixels):
    told = facts["aperture_noise"]
    return np.maximum(told["alpha"] * pixels ** (told["beta"] - 0.5), 1)


def test_what_is_scaled_and_what_is_not(program, tmp_path):
    image = SKY + stars(7) + SIGMA * noise(8, KERNELS["gaussian 1.0"])
    pixel, without = catalogue(program, tmp_path, image, "measurement.gain=2")
    apertures, facts = catalogue(program, tmp_path, image, "measurement.gain=2", "measurement.noise=apertures")
    assert "aperture_noise" not in without
    errors = {name for name in pixel if "ERR" in name and not name.startswith(("ERR", "MAGERR"))}
    assert errors == {"FLUXERR_ISO", "FLUXERR_ISOCOR", "FLUXERR_AUTO", "FLUXERR_PETRO", "FLUXERR_BEST", "FLUXERR_WIN", "FLUXERR_APER",
                      *(f"FLUXERR_APER_{n}" for n in (1, 2, 3))}
    scaled = errors | {f"MAGERR_{name[8:]}" for name in errors} | {"SNR", "SNR_WIN"}
    for name in pixel:
        assert np.array_equal(pixel[name], apertures[name], equal_nan=True) == (name not in scaled), name

    rows = of_stars(pixel)
    areas = {f"APER_{n}" if n else "APER": np.pi * d**2 / 4 for n, d in enumerate(DIAMETERS)} | {"ISO": pixel["NPIX"][rows]}
    for name, area in areas.items():
        photons = pixel[f"FLUX_{name}"][rows] / 2
        sky, grown = (found[f"FLUXERR_{name}"][rows] ** 2 - photons for found in (pixel, apertures))
        np.testing.assert_allclose(grown / sky, law(facts, area) ** 2, rtol=1e-6, err_msg=name)
    for name in ("AUTO", "ISO", "APER"):
        error, flux = (apertures[f"FLUX{what}_{name}"][rows] for what in ("ERR", ""))
        np.testing.assert_allclose(apertures[f"MAGERR_{name}"][rows], 2.5 / np.log(10) * error / flux)


@pytest.mark.parametrize("settings, what", [
    (("weights.type=rms",), "rms"), (("weights.type=weight", "weights.rescale=true"), "weight"),
    (("weights.type=weight", "background.method=constant"), "weight"), (("background.mesh_size=96",), None)])
def test_a_map_of_weights_keeps_its_meaning(program, tmp_path, settings, what):
    """The noise is four times as loud on the right as on the left: pulls are alike, and so is the law."""
    loud = np.broadcast_to(5 * 4 ** (np.arange(SIDE) / SIDE), (SIDE, SIDE))
    maps = {} if what is None else {"map": loud if what == "rms" else 7 / loud**2}
    settings += () if what is None else (f"weights.file={tmp_path / 'map.fits'}",)
    light, off, halves = stars(9), [], []
    for seed in SEEDS:
        image = SKY + light + loud * noise(seed, KERNELS["box 3"])
        found, facts = catalogue(program, tmp_path, image, "measurement.noise=apertures", *settings, **maps)
        off.append(pulls(found, light))
        halves.append(found["X_IMAGE"][of_stars(found)] < SIDE / 2)
    even, _ = catalogue(program, tmp_path, SKY + light + SIGMA * noise(SEEDS[0], KERNELS["box 3"]),
                        "measurement.noise=apertures")
    left = np.concatenate(halves)
    for name in ("APER_1", "APER_2", "AUTO"):
        all_of_them = np.concatenate([one[name] for one in off])
        assert width(all_of_them) == pytest.approx(1, abs=0.1), name
        assert width(all_of_them[left]) == pytest.approx(width(all_of_them[~left]), rel=0.15), name
    assert law(facts, 100) == pytest.approx(2.7, rel=0.1)
    assert len(even["X_IMAGE"]) > 400


def test_numpy_finds_the_same_scatter_elsewhere(program, tmp_path):
    """On a field without stars, of circles on a grid that knows of nothing."""
    image = SIGMA * noise(11, KERNELS["triangle"])
    _, facts = catalogue(program, tmp_path, image, "measurement.noise=apertures")
    told = facts["aperture_noise"]
    assert told["measured"] and len(told["apertures"]) == 7
    for one in told["apertures"]:
        reach = int(one["radius"])
        y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1]
        disc = x**2 + y**2 <= one["radius"] ** 2 + 1e-9
        assert one["pixels"] == disc.sum() and 600 < one["count"] <= 2500
        sums = signal.fftconvolve(image, disc, mode="valid")
        assert one["scatter"] == pytest.approx(sums.std() / SIGMA, rel=0.12)
        assert told["alpha"] * one["pixels"] ** told["beta"] == pytest.approx(sums.std() / SIGMA, rel=0.08)


def test_catalogues_say_what_they_were_made_with(program, tmp_path):
    image = SKY + stars(12) + SIGMA * noise(13, KERNELS["bilinear 0.5"])
    options = "--set", "measurement.noise=apertures", "--set", "output.formats=[fits, ecsv]"
    fits.writeto(tmp_path / "a.fits", image.astype(np.float32))
    run(program, "plain", tmp_path / "a.fits", tmp_path, *options)
    told = json.loads((tmp_path / "a.run.json").read_text())["aperture_noise"]
    header = fits.getheader(tmp_path / "a.cat.fits", 1)
    assert (header["NOISALPH"], header["NOISBETA"]) == (told["alpha"], told["beta"]) and 0.5 < told["beta"] < 1
    text = (tmp_path / "a.cat.ecsv").read_text()
    assert f"#     NOISALPH: {told['alpha']}\n#     NOISBETA: {told['beta']}\n" in text
    run(program, "plain", tmp_path / "a.fits", tmp_path)
    assert "NOISALPH" not in fits.getheader(tmp_path / "a.cat.fits", 1)


@pytest.mark.parametrize("settings", [(), ("detection.sign=both",), ("convolve.kernel=gaussian", "convolve.fwhm=3",
                                           "deblend.method=tree", "deblend.clean=true")])
def test_same_bytes_from_any_number_of_threads(program, tmp_path, settings):
    image = SKY + stars(14, 552) + SIGMA * noise(15, KERNELS["gaussian 1.3"], 552)
    fits.writeto(tmp_path / "a.fits", image.astype(np.float32))
    written = []
    for threads in (1, 2, 7):
        options = [part for one in ("measurement.noise=apertures", f"output.columns={COLUMNS}", *settings)
                   for part in ("--set", one)]
        run(program, "plain", tmp_path / "a.fits", tmp_path, "--threads", threads, "--backend", "cpu", *options)
        facts = json.loads((tmp_path / "a.run.json").read_text())
        written.append(((tmp_path / "a.cat.fits").read_bytes(), facts["aperture_noise"]))
    assert written[0] == written[1] == written[2] and written[0][1]["measured"]


def test_too_few_places_are_a_warning_and_the_noise_of_pixels(program, tmp_path):
    small = SKY + stars(16, 72) + SIGMA * noise(17, KERNELS["box 3"], 72)
    pixel, quiet = catalogue(program, tmp_path, small)
    apertures, facts = catalogue(program, tmp_path, small, "measurement.noise=apertures")
    assert quiet["warnings"] == []
    [warning] = facts["warnings"]
    for words in ("measurement.noise", "4.24 pixels radius", "set measurement.noise to pixel"):
        assert words in warning
    told = facts["aperture_noise"]
    assert (told["measured"], told["alpha"], told["beta"]) == (False, 1, 0.5)
    for name in pixel:
        assert np.array_equal(pixel[name], apertures[name], equal_nan=True), name


def forced(program, directory, image, places, *settings):
    fits.writeto(directory / "a.fits", image.astype(np.float32), overwrite=True)
    np.savetxt(directory / "places.csv", places + 1, delimiter=",", header="X_IMAGE,Y_IMAGE", comments="")
    options = [part for one in ("measurement.apertures=[4, 8, 12]", *settings) for part in ("--set", one)]
    run(program, "plain", directory / "a.fits", directory, "--positions", directory / "places.csv", *options)
    return fits.getdata(directory / "a.forced.cat.fits", 1)


def test_forced_fluxes_of_nothing_scatter_by_their_errors(program, tmp_path):
    """At places between the stars, which are not known there: the limits are three times the scatter."""
    image = SKY + stars(18) + SIGMA * noise(19, KERNELS["gaussian 1.0"])
    nodes = np.arange(STEP, SIDE - STEP, STEP, dtype=float)
    places = np.array([(x, y) for x in nodes for y in nodes])
    pixel = forced(program, tmp_path, image, places)
    apertures = forced(program, tmp_path, image, places, "measurement.noise=apertures")
    for n in range(3):
        flux = apertures["FLUX_APER"][:, n]
        assert width(flux / apertures["FLUXERR_APER"][:, n]) == pytest.approx(1, abs=0.14)
        assert width(flux / pixel["FLUXERR_APER"][:, n]) > 1.8
        np.testing.assert_allclose(apertures["FLUXLIM_APER"][:, n], 3 * apertures["FLUXERR_APER"][:, n])


def test_the_noise_is_that_of_the_image_that_is_measured(program, tmp_path):
    """Sources found in white noise, measured in noise that neighbours share; and the other way round."""
    light = stars(20)
    images = {"white": light + SIGMA * noise(21, WHITE), "shared": light + SIGMA * noise(22, KERNELS["box 3"])}
    for name, pixels in images.items():
        fits.writeto(tmp_path / f"{name}.fits", pixels.astype(np.float32))
    for measured, found_in, factor in (("shared", "white", 2.7), ("white", "shared", 1)):
        _, facts = extract(program, "plain", tmp_path / f"{measured}.fits", tmp_path, "-d", tmp_path / f"{found_in}.fits",
                           "--set", "measurement.noise=apertures")
        assert law(facts, 100) == pytest.approx(factor, rel=0.1)


def test_a_difference_has_the_noise_of_both_frames(program, tmp_path):
    """Which is as shared as that of each; errors of what became brighter and of what became fainter follow it."""
    rng = np.random.default_rng(23)
    places = rng.random((SIDE, SIDE)) < 3e-4
    changes = ndimage.gaussian_filter(places * rng.choice([-4e4, 4e4], (SIDE, SIDE)), 1.3)
    reference = SKY + SIGMA * noise(24, KERNELS["box 3"])
    fresh = SKY + changes + SIGMA * noise(25, KERNELS["box 3"])
    for name, pixels in (("reference", reference), ("new", fresh)):
        fits.writeto(tmp_path / f"{name}.fits", pixels.astype(np.float32))
    rows = {}
    for how in ("pixel", "apertures"):
        command = [program, "difference", "--record", "-q", "-o", tmp_path, "--backend", "cpu", "--set", f"measurement.noise={how}",
                   "--set", "difference.kernel=gaussian", "--set", "difference.match_flux=false", ROOT / "tests/support/plain.yaml",
                   tmp_path / "reference.fits", tmp_path / "new.fits"]
        subprocess.run([str(part) for part in command], check=True)
        rows[how] = fits.getdata(tmp_path / "new.diff.cat.fits", 1)
    facts = json.loads((tmp_path / "new.diff.run.json").read_text())
    grown = rows["apertures"]["FLUXERR_ISO"] / rows["pixel"]["FLUXERR_ISO"]
    assert (rows["pixel"]["SIGN"] < 0).sum() > 50 and (rows["pixel"]["SIGN"] > 0).sum() > 50
    np.testing.assert_allclose(grown, law(facts, rows["pixel"]["NPIX"]), rtol=1e-6)
    assert law(facts, 100) == pytest.approx(2.7, rel=0.1)


def test_a_survey_has_the_law_of_every_image(program, tmp_path):
    for name, kernel in (("a", KERNELS["bilinear 0.5"]), ("b", KERNELS["box 3"])):
        image = SKY + stars(26, 552) + SIGMA * noise(27, kernel, 552)
        fits.writeto(tmp_path / f"{name}.fits", image.astype(np.float32))
    command = [program, "batch", "-q", "--backend", "cpu", "--set", "measurement.noise=apertures", "-o", tmp_path / "out",
               ROOT / "tests/support/plain.yaml", tmp_path / "a.fits", tmp_path / "b.fits"]
    subprocess.run([str(part) for part in command], check=True)
    subprocess.run([program, "merge", "-q", str(tmp_path / "out"), "-o", str(tmp_path / "all.fits")], check=True)
    images = fits.getdata(tmp_path / "all.fits", "IMAGES")
    for row, name in enumerate("ab"):
        told = json.loads((tmp_path / "out" / f"{name}.run.json").read_text())["aperture_noise"]
        assert (images["NOISALPH"][row], images["NOISBETA"][row]) == (told["alpha"], told["beta"])
