"""convolve.filter: matched beside SEP's filter_type="matched", and beside its definition in NumPy and SciPy."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
signal = pytest.importorskip("scipy.signal")

from test_false_discoveries import noise, scene, sources

SKEWED = [[1, 2, 1, 0, 0], [2, 6, 4, 1, 0], [1, 4, 8, 4, 1], [0, 1, 3, 2, 0], [0, 0, 1, 0, 0]]
KERNELS = {"gaussian": (["convolve.kernel=gaussian", "convolve.fwhm=3", "convolve.size=7"],
                        [[np.exp(-(x * x + y * y) * 4 * np.log(2) / 9) for x in range(-3, 4)] for y in range(-3, 4)]),
           "skewed": (["convolve.kernel=values", f"convolve.values={SKEWED}"], SKEWED)}


def found(program, directory, pixels, kernel, threshold, *settings, rms=None):
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(directory / "image.fits")
    settings = [*KERNELS[kernel][0], "convolve.filter=matched", f"detection.threshold={threshold}", *settings]
    if rms is not None:
        fits.PrimaryHDU(np.asarray(rms, np.float32)).writeto(directory / "rms.fits")
        settings += ["weights.type=rms", "weights.file=rms.fits"]
    (directory / "c.yaml").write_text("extends: none\noutput: {formats: [csv], segmentation: true, "
                                      "check_images: [-background, rms, filtered]}\n")
    options = [part for setting in settings for part in ("--set", setting)]
    subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, *options, "c.yaml", "image.fits"],
                   cwd=directory, check=True)
    images = {path.name.split(".")[1]: fits.getdata(path) for path in directory.glob("image.*.fits")}
    table = np.genfromtxt(directory / "image.cat.csv", delimiter=",", names=True)
    return images, table, json.loads((directory / "image.run.json").read_text())


def significance(values, rms, kernel):
    """S, in double: over the pixels that are there and have noise."""
    good = np.isfinite(values) & np.isfinite(rms) & (rms > 0)
    weight = np.where(good, 1 / np.where(good, rms, 1.0) ** 2, 0)
    kernel = np.array(KERNELS[kernel][1], float)
    total = signal.convolve2d(np.where(good, values, 0) * weight, kernel, "same")
    norm = signal.convolve2d(weight, kernel ** 2, "same")
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.isfinite(values), total / np.sqrt(norm), np.nan)


def noisy(seed, shape=(400, 450)):
    """Sources in noise that differs from pixel to pixel, and the noise."""
    rng = np.random.default_rng(seed)
    rms = 5 * rng.uniform(0.5, 3, shape) * (1 + np.arange(shape[1]) / shape[1])
    rms[:, rng.choice(shape[1], 15, False)] *= 6
    return sources(rng, shape, 60) * 8 + rms * noise(rng, shape, False), rms


def assert_same_but_on_the_level(labels, truth, levels, threshold):
    """The same pixels, but for those within a rounding of the threshold."""
    above = np.nan_to_num(truth, nan=-1) > threshold
    differ = (labels > 0) != above
    assert np.abs(levels[differ] - threshold).max(initial=0) < 1e-4 * threshold
    assert differ.sum() <= 3 and above.sum() > 2000


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("threshold", (3, 4.5))
@pytest.mark.parametrize("seed", (1, 2))
def test_sep_finds_the_same_pixels(program, tmp_path, seed, threshold, kernel):
    sep = pytest.importorskip("sep")
    pixels, rms = noisy(seed)
    images, table, _ = found(program, tmp_path, pixels, kernel, threshold, "background.level=0", "detection.min_area=5",
                             rms=rms)
    flipped = np.array(KERNELS[kernel][1], np.float32)[::-1, ::-1].copy()  # SEP correlates
    theirs, labels = sep.extract(pixels.astype(np.float32), threshold, err=rms.astype(np.float32), minarea=5,
                                 filter_kernel=flipped, filter_type="matched", deblend_nthresh=1, deblend_cont=1.0,
                                 clean=False, segmentation_map=True)
    differ = ((images["seg"] > 0) != (labels > 0)).mean()
    print(len(theirs), len(table), differ)
    assert len(theirs) == len(table) > 25 and differ < 2e-5
    order = np.argsort(table["NPIX"] * 1e4 + table["XMIN_IMAGE"])
    other = np.argsort(theirs["npix"] * 1e4 + theirs["xmin"] + 1)
    same = table["NPIX"][order] == theirs["npix"][other]
    assert same.mean() > 0.97
    assert np.allclose(table["FLUX_ISO"][order][same], theirs["flux"][other][same], rtol=1e-4)
    assert np.allclose(table["X_IMAGE"][order][same], theirs["x"][other][same] + 1, atol=2e-3)


def scatter_of_noise(kernel, correlated):
    """The noise of S over that which it has of independent pixels, from noise alone and much of it."""
    pixels = noise(np.random.default_rng(99), (1500, 1500), correlated)
    return significance(pixels, np.full(pixels.shape, pixels.std()), kernel)[20:-20, 20:-20].std()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("weights", ("background", "none"))
@pytest.mark.parametrize("seed, correlated", ((3, False), (4, True)))
def test_by_the_noise_of_the_mesh(program, tmp_path, seed, correlated, weights, kernel):
    pixels, _ = scene(seed, correlated)
    pixels[200:215, 300:330] = np.nan
    images, _, told = found(program, tmp_path, pixels, kernel, 5, f"weights.type={weights}", "detection.min_area=1")
    rms = images["rms"] if weights == "background" else np.full(pixels.shape, told["levels"]["sigma"])
    truth = significance(images["minus_background"].astype(float), rms.astype(float), kernel)
    threshold = told["levels"]["detection"] / told["levels"]["sigma"]
    if correlated:
        # One noise for pixels whose noise doubles along a row: what is measured is that of most.
        assert threshold == pytest.approx(5 * scatter_of_noise(kernel, correlated), rel=0.07 if weights == "background" else 0.12)
    else:
        assert threshold == pytest.approx(5, rel=1e-12)
    assert_same_but_on_the_level(images["seg"], truth, truth, threshold)


def test_holes_of_a_map_tell_nothing(program, tmp_path):
    pixels, rms = noisy(5)
    rms[50:60, 50:200] = 0
    rms[:, 300] = np.nan
    images, _, _ = found(program, tmp_path, pixels, "skewed", 4, "background.level=0", "detection.min_area=1", rms=rms)
    values = np.where(rms > 0, pixels, np.nan)
    truth = significance(values, rms, "skewed")
    assert_same_but_on_the_level(images["seg"], truth, truth, 4)
    assert not images["seg"][50:60, 50:200].any()


def test_noise_is_above_as_often_as_a_normal_one(program, tmp_path):
    """Whatever the noise of single pixels is: that is what the filter is for."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(6)
    rms = rng.uniform(0.2, 20, (700, 700))
    pixels = rms * rng.normal(0, 1, rms.shape)
    images, _, _ = found(program, tmp_path, pixels, "gaussian", 2.5, "background.level=0", "detection.min_area=1",
                         rms=rms)
    share = (images["seg"] > 0).mean()
    assert share == pytest.approx(stats.norm.sf(2.5), rel=0.1)


def test_it_tells_stars_from_noise_where_a_convolution_does_not(program, tmp_path):
    """Faint stars in pixels half of which are thirty times as noisy as the others: a convolution carries their noise into
    the quiet ones."""
    rng = np.random.default_rng(7)
    rms = np.where(rng.random((500, 500)) < 0.5, 30.0, 1.0)
    y, x = np.indices(rms.shape)
    pixels = rms * rng.normal(0, 1, rms.shape)
    centres = [(cx, cy) for cx in range(50, 500, 100) for cy in range(50, 500, 100)]
    for cx, cy in centres:
        pixels += 6 * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) * 4 * np.log(2) / 9)
    seen, false = {}, {}
    for filter in ("matched", "convolution"):
        (tmp_path / filter).mkdir()
        images, table, _ = found(program, tmp_path / filter, pixels, "gaussian", 5, "background.level=0",
                                 "detection.min_area=1", f"convolve.filter={filter}", rms=rms)
        false[filter] = table.size - len(centres)
        seen[filter] = sum(images["seg"][cy - 2:cy + 3, cx - 2:cx + 3].any() for cx, cy in centres)
    assert seen["matched"] >= 24 and false["matched"] <= 3
    assert false["convolution"] > 100


def test_its_noise_is_that_of_its_result_in_either_unit(program, tmp_path):
    """detection_sigma is the noise of the filtered image, which the matched filter counts in anyway."""
    pixels, rms = noisy(95)
    labels = []
    for unit in "sigma", "detection_sigma":
        (tmp_path / unit).mkdir()
        images, _, _ = found(program, tmp_path / unit, pixels, "gaussian", 6, f"detection.threshold_unit={unit}", rms=rms)
        labels.append(images["seg"])
    assert labels[0].max() > 20 and np.array_equal(*labels)
