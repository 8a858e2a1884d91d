"""convolve.filter: matched where neighbours share their noise: its thresholds are counted in the noise that the filtered
image has, which SciPy measures here in the noise alone, and 5 sigma finds nothing in noise."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

SIGMA_OF_FWHM = 1 / np.sqrt(8 * np.log(2))


def correlated(rng, side, beam):
    """Noise of 10, of pixels that share it over a Gaussian beam of that FWHM; 0: independent ones."""
    pixels = rng.normal(0, 1, (side, side))
    if beam:
        pixels = ndimage.gaussian_filter(pixels, beam * SIGMA_OF_FWHM, mode="wrap")
    return 10 * pixels / pixels.std()


def stars(rng, side, count, fwhm=3.0):
    """Gaussians, most of them faint."""
    image = np.zeros((side + 40, side + 40))
    y, x = np.mgrid[-20:21, -20:21]
    for flux in np.minimum(60 * rng.uniform(size=count) ** -1.25, 1e6):
        cx, cy = rng.uniform(0, side, 2)
        r2 = (x - cx % 1) ** 2 + (y - cy % 1) ** 2
        peak = flux * 4 * np.log(2) / np.pi / fwhm ** 2
        image[int(cy):int(cy) + 41, int(cx):int(cx) + 41] += peak * np.exp(-r2 * 4 * np.log(2) / fwhm ** 2)
    return image[20:-20, 20:-20]


def extract(program, directory, pixels, fwhm, *settings, rms=None):
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(directory / "image.fits", overwrite=True)
    settings = ["convolve.kernel=gaussian", f"convolve.fwhm={fwhm}", "convolve.filter=matched", *settings]
    if rms is not None:
        fits.PrimaryHDU(np.asarray(rms, np.float32)).writeto(directory / "rms.fits", overwrite=True)
        settings += ["weights.type=rms", "weights.file=rms.fits"]
    (directory / "c.yaml").write_text("output: {formats: [csv]}\nextends: none\n")
    options = [part for setting in settings for part in ("--set", setting)]
    subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, *options, "c.yaml", "image.fits"],
                   cwd=directory, check=True)
    table = np.genfromtxt(directory / "image.cat.csv", delimiter=",", names=True, ndmin=1)
    return table, json.loads((directory / "image.run.json").read_text())["levels"]


def noise_of_filtered(pixels, fwhm):
    """Of noise alone, over what it is of independent pixels."""
    half = int(np.ceil(4 * fwhm * SIGMA_OF_FWHM))
    line = np.exp(-np.arange(-half, half + 1) ** 2 / 2 / (fwhm * SIGMA_OF_FWHM) ** 2)
    smooth = ndimage.convolve1d(ndimage.convolve1d(pixels, line, axis=0, mode="wrap"), line, axis=1, mode="wrap")
    return smooth.std() / (line ** 2).sum() / pixels.std()


WAYS = {"mesh": [], "one level": ["background.method=constant"], "one noise": ["weights.type=none"],
        "rate": ["detection.false_discovery_rate=0.01"], "seed": ["detection.threshold=3", "detection.seed=5"],
        "both signs": ["detection.sign=both"], "map": []}


@pytest.mark.parametrize("way", WAYS)
def test_five_sigma_finds_nothing_in_noise_that_a_beam_makes(program, tmp_path, way):
    """1536 x 1536 pixels and a beam of 4.5, with the kernel of that width: 5717 rows in units of independent pixels."""
    pixels = 100 + correlated(np.random.default_rng(1), 1536, 4.5)
    rms = np.full(pixels.shape, 10.0) if way == "map" else None
    table, levels = extract(program, tmp_path, pixels, 4.5, *WAYS[way], rms=rms)
    print(way, len(table), levels)
    assert len(table) <= 1


@pytest.mark.parametrize("beam, fwhm", [(1.5, 3.0), (2.5, 3.0), (4.5, 3.0), (4.5, 6.0), (8.0, 4.5)])
@pytest.mark.parametrize("count", (0, 400))
def test_the_threshold_is_in_the_noise_of_the_filtered_image(program, tmp_path, beam, fwhm, count):
    rng = np.random.default_rng(2)
    alone = correlated(rng, 768, beam)
    _, levels = extract(program, tmp_path, alone + stars(rng, 768, count), fwhm, "background.level=0")
    factor, truth = levels["detection"] / levels["sigma"] / 5, noise_of_filtered(alone, fwhm)
    print(beam, fwhm, count, factor, truth)
    # The mesh takes some of the noise for sky where the beam is wide.
    assert factor == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("side, count", [(128, 0), (128, 100), (256, 400), (768, 0), (768, 400), (768, 4000)])
@pytest.mark.parametrize("seed", (1, 2, 3))
def test_independent_pixels_have_the_threshold_that_is_given(program, tmp_path, side, count, seed):
    """Crowded fields as well: stars are above the sky, and the noise is told by what is below."""
    rng = np.random.default_rng(seed)
    table, levels = extract(program, tmp_path, 100 + stars(rng, side, count) + correlated(rng, side, 0), 3)
    assert levels["detection"] == pytest.approx(5 * levels["sigma"], rel=1e-12)
    assert len(table) >= count / 8


def test_stars_in_correlated_noise_are_found_as_deep_as_their_signal_to_noise(program, tmp_path):
    """Stars of 8 sigma of the filtered image, and no others."""
    rng = np.random.default_rng(5)
    alone = correlated(rng, 1024, 2.5)
    places = [(x, y) for x in range(32, 1024, 64) for y in range(32, 1024, 64)]
    stars_at = np.zeros(alone.shape)
    y, x = np.mgrid[-10:11, -10:11]
    star = np.exp(-(x * x + y * y) * 4 * np.log(2) / 9)
    half = np.arange(-6, 7)
    line = np.exp(-half ** 2 * 4 * np.log(2) / 9)
    kernel = np.outer(line, line)
    answer = (kernel * star[4:17, 4:17]).sum()  # of the filter to a star whose peak is 1
    scatter = ndimage.convolve1d(ndimage.convolve1d(alone, line, axis=0), line, axis=1).std()
    for cx, cy in places:
        stars_at[cy - 10:cy + 11, cx - 10:cx + 11] += 8 * scatter / answer * star
    table, _ = extract(program, tmp_path, alone + stars_at, 3, "detection.min_area=1")
    distance = np.hypot((table["X_IMAGE"] - 1)[:, None] - [p[0] for p in places],
                        (table["Y_IMAGE"] - 1)[:, None] - [p[1] for p in places])
    seen, false = (distance.min(axis=0) < 2.5).sum(), (distance.min(axis=1) > 5).sum()
    print(len(places), seen, false)
    assert seen >= 0.97 * len(places) and false <= 1


@pytest.mark.parametrize("sign", ("negative", "both"))
@pytest.mark.parametrize("count, beam", [(0, 0), (200, 0), (600, 0), (200, 2.5)])
def test_dips_among_stars_are_found(program, tmp_path, sign, count, beam):
    """In the negative, in which dips are found, stars are below the sky."""
    rng = np.random.default_rng(6)
    noise = correlated(rng, 640, beam)
    shining = 20 * stars(rng, 640, count)  # bright ones
    y, x = np.mgrid[-10:11, -10:11]
    peak = 60 if beam == 0 else 150
    dip = peak * np.exp(-(x * x + y * y) * 4 * np.log(2) / 9)
    places = [(i, j) for i in range(20, 620, 40) for j in range(20, 620, 40)
              if shining[j - 10:j + 11, i - 10:i + 11].max() < 10]
    image = 100 + noise + shining
    for i, j in places:
        image[j - 10:j + 11, i - 10:i + 11] -= dip
    table, levels = extract(program, tmp_path, image, 3, f"detection.sign={sign}", "output.columns=[default]")
    fainter = table[table["SIGN"] < 0]
    distance = np.hypot((fainter["X_IMAGE"] - 1)[:, None] - [p[0] for p in places],
                        (fainter["Y_IMAGE"] - 1)[:, None] - [p[1] for p in places])
    print(sign, count, beam, len(places), len(fainter))
    assert len(places) > 20 and (distance.min(axis=0) < 2).mean() >= 0.97
    if sign == "both":
        assert np.sum(table["SIGN"] > 0) >= count / 8
