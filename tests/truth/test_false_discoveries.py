"""detection.false_discovery_rate beside the rule of Benjamini and Hochberg over all sorted p-values, and what share of the
pixels above the threshold is noise in simulated fields whose true sources are known to the pixel."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
stats = pytest.importorskip("scipy.stats")
ndimage = pytest.importorskip("scipy.ndimage")

from rounds import LONG, first  # noqa: E402


def sources(rng, shape, count=120):
    """Moffat stars and elliptical exponentials, in units of the noise, each cut off where it is 1 % of that: the pixels
    of no source are noise and nothing else."""
    height, width = shape
    truth = np.zeros(shape)
    for k in range(count):
        cx, cy = rng.uniform(0, width), rng.uniform(0, height)
        part = np.s_[max(0, int(cy) - 50):int(cy) + 51, max(0, int(cx) - 50):int(cx) + 51]
        y, x = np.mgrid[part[0].start:min(part[0].stop, height), part[1].start:min(part[1].stop, width)]
        angle, axis = rng.uniform(0, np.pi), rng.uniform(0.3, 1)
        u = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
        v = ((y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)) / axis
        peak = 10 ** rng.uniform(0, 2)
        r2 = u * u + v * v
        profile = peak * (1 + r2 / 9) ** -2.5 if k % 2 else peak * np.exp(-np.sqrt(r2) / rng.uniform(1.5, 4))
        truth[part] += np.where(profile > 0.01, profile, 0)
    return truth


def noise(rng, shape, correlated):
    pixels = rng.normal(0, 1, shape)
    if correlated:
        pixels = ndimage.gaussian_filter(pixels, 1.2, mode="wrap")
        pixels /= pixels.std()
    return pixels


def scene(seed, correlated, shape=(640, 700)):
    """An image over a sky that slopes, whose noise grows along x, and where there are sources."""
    rng = np.random.default_rng(seed)
    truth = sources(rng, shape)
    sigma = 10 * (1 + np.arange(shape[1]) / shape[1])
    sky = 800 + np.add.outer(np.arange(shape[0]) / 20, np.arange(shape[1]) / 15)
    return sky + sigma * (truth + noise(rng, shape, correlated)), truth > 0


def found(program, directory, pixels, rate, *settings):
    """The label map, the check images and the report of all pixels above the threshold that the rate asks for."""
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(directory / "image.fits", overwrite=True)
    (directory / "c.yaml").write_text(
        f"detection: {{false_discovery_rate: {rate}, min_area: 1}}\n"
        "output: {formats: [csv], segmentation: true, check_images: [-background, rms, filtered]}\nextends: none\n")
    options = [part for setting in settings for part in ("--set", setting)]
    subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, *options, "c.yaml", "image.fits"],
                   cwd=directory, check=True)
    images = {path.name.split(".")[1]: fits.getdata(path) for path in directory.glob("image.*.fits")}
    return images, json.loads((directory / "image.run.json").read_text())


def threshold_of_sorted(significance, rate):
    """Benjamini & Hochberg as they wrote it: of the sorted p-values the last that is at most its rank's share."""
    p = np.sort(stats.norm.sf(significance[np.isfinite(significance)].astype(float)))
    kept = np.flatnonzero(p <= rate * np.arange(1, len(p) + 1) / len(p))
    return stats.norm.isf(p[kept[-1]] if len(kept) else rate / len(p))


def assert_the_rule(told, significance, rate):
    """Ours is a multiple of 1/256 at which the rule holds, above which there are no other pixels than above the true one,
    and nearly all of these; returns it."""
    ours = told["levels"]["detection"] / told["levels"]["sigma"]
    assert ours * 256 == pytest.approx(round(ours * 256), abs=1e-6)
    true = threshold_of_sorted(significance, rate)
    assert ours <= true + 4 / 256, (ours, true)
    good = np.sort(significance[np.isfinite(significance)].astype(float))
    above = len(good) - np.searchsorted(good, ours + 1e-6, "right")
    assert above <= (good >= true).sum()
    assert len(good) * stats.norm.sf(ours) <= rate * max(above, 1) * (1 + 2 / max(above, 1))
    return ours


@pytest.mark.parametrize("rate", (0.001, 0.02, 0.3))
@pytest.mark.parametrize("seed, correlated", ((1, False), (2, True)))
@pytest.mark.parametrize("weights", ("background", "none"))
def test_it_is_the_rule_of_the_sorted_p_values(program, tmp_path, weights, seed, correlated, rate):
    pixels, _ = scene(seed, correlated)
    pixels[100:140, 200:260] = np.nan
    images, told = found(program, tmp_path, pixels, rate, f"weights.type={weights}")
    rms = images["rms"].astype(float) if weights == "background" else told["levels"]["sigma"]
    ours = assert_the_rule(told, images["minus_background"] / rms, rate)
    with np.errstate(invalid="ignore"):
        above = images["minus_background"] > (ours * rms if weights == "none" else (ours * rms).astype(np.float32))
    assert ((images["seg"] > 0) != above).mean() < 1e-5 and above.sum() > 2000


def test_by_a_map_of_weights(program, tmp_path):
    pixels, _ = scene(3, False)
    variance = (10 * (1 + np.arange(700) / 700)) ** 2 * np.ones((640, 1))
    variance[300:320, 300:420] *= 9
    fits.PrimaryHDU(variance.astype(np.float32)).writeto(tmp_path / "map.fits")
    images, told = found(program, tmp_path, pixels, 0.05, "weights.type=variance", "weights.file=map.fits")
    rms = told["weights"]["noise_scale"] * np.sqrt(variance)
    assert_the_rule(told, images["minus_background"] / rms, 0.05)


def test_in_the_convolved_image_by_its_own_noise(program, tmp_path):
    pixels, _ = scene(4, False)
    images, told = found(program, tmp_path, pixels, 0.05, "convolve.kernel=gaussian", "convolve.fwhm=3",
                         "detection.threshold_unit=detection_sigma")
    filtered = images["filtered"].astype(float)
    # Their noise is that of the clipped pixels, which follows the mesh from place to place.
    clipped = filtered
    for _ in range(100):
        middle, sigma = np.median(clipped), clipped.std()
        clipped = clipped[np.abs(clipped - middle) < 3 * sigma]
    rms = images["rms"] / told["levels"]["sigma"] * sigma
    true = threshold_of_sorted((filtered - middle) / rms, 0.05)
    # The noise of the depths below the sky has no bias here, and a scatter of 1 % in five fields of this size beside the
    # filtered noise without sources; the clipped noise, 0.3 %.
    assert (told["levels"]["detection"] - middle) / sigma == pytest.approx(true, rel=0.02)
    assert (images["seg"] > 0).sum() > 3000


def test_correlated_pixels_divide_the_rate(program, tmp_path):
    pixels, _ = scene(5, True)
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    _, divided = found(program, tmp_path / "a", pixels, 0.1, "detection.correlated_pixels=25")
    _, same = found(program, tmp_path / "b", pixels, 0.1 / sum(1 / n for n in range(1, 26)))
    assert divided["levels"]["detection"] == same["levels"]["detection"]


@pytest.mark.parametrize("rate", (0.01, 0.1))
@pytest.mark.parametrize("correlated", (False, True))
def test_no_more_than_that_share_of_the_pixels_is_noise(program, tmp_path, correlated, rate):
    """The mean over fields, of which each has an error; and not far less, or the rule would be no rule."""
    shares, completeness = [], []
    for seed in first(5, range(10, 20)):
        pixels, in_source = scene(seed, correlated)
        images, _ = found(program, tmp_path, pixels, rate)
        above = images["seg"] > 0
        shares.append((above & ~in_source).sum() / above.sum())
        completeness.append((above & in_source).sum() / in_source.sum())
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    print(rate, correlated, np.mean(shares), error, np.mean(completeness))
    assert rate / 4 < np.mean(shares) <= rate + 3 * error
    assert np.mean(completeness) > 0.05


@pytest.mark.parametrize("correlated", (False, True))
def test_of_fields_of_noise_few_have_a_pixel_at_all(program, tmp_path, correlated):
    """Where there are no sources every discovery is false: there may be one in that share of the fields."""
    rate, fields = 0.1, 60 if LONG else 30
    some = 0
    for seed in range(fields):
        pixels = 500 + 7 * noise(np.random.default_rng(1000 + seed), (200, 260), correlated)
        images, told = found(program, tmp_path, pixels, rate, "background.method=constant")
        some += (images["seg"] > 0).any()
        assert np.isfinite(told["levels"]["detection"])
    assert some <= stats.binom.ppf(0.999, fields, rate)
