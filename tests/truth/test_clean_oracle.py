"""CLEAN beside SExtractor's definitions written plainly (tests/truth/oracle, which with the growth of SExtractor's
sources are its own to the object): the same objects, the same integers, sums within a millionth, and every pixel
in the segmentation of whom it became part of; from sparse to crowded fields, with and without filter and deblending."""
import os

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor_oracle
from oracle_fields import field
from program import run
from rounds import LONG, first

PROGRAM = os.environ.get("SRCEXTRACT_PROGRAM")
if not PROGRAM or not os.environ.get("SRCEXTRACT_SEXTRACTOR_ORACLE"):
    pytest.skip("SRCEXTRACT_PROGRAM and SRCEXTRACT_SEXTRACTOR_ORACLE must name programs", allow_module_level=True)

NOISE = 16.0  # thresholds are exact in float
INTEGERS = ("XMIN_IMAGE", "XMAX_IMAGE", "YMIN_IMAGE", "YMAX_IMAGE", "XPEAK_IMAGE", "YPEAK_IMAGE", "ISOAREA_IMAGE")
SUMS = ("X_IMAGE", "Y_IMAGE", "FLUX_ISO", "FLUXERR_ISO", "FLUX_MAX", "X2_IMAGE", "Y2_IMAGE", "A_IMAGE", "B_IMAGE")
KERNELS = {"plain": None, "filtered": sextractor_oracle.KERNEL,
           "broad": np.exp(-((np.arange(5) - 2) ** 2 + (np.arange(5)[:, None] - 2) ** 2) / 4).round(3)}


def ours(image, directory, kernel, deblended, min_area=5, connectivity=8, beta=1.0, clean=True, threads=2, variance=None):
    """The program's catalogue, {column: array}, its segmentation, and the bytes of both files."""
    fits.writeto(directory / "image.fits", image, overwrite=True)
    options = {"background.level": 0, "background.rms": NOISE, "background.method": "constant", "detection.threshold": 1.5,
               "detection.analysis_threshold": 2, "detection.min_area": min_area, "detection.connectivity": connectivity,
               "deblend.method": "tree" if deblended else "none", "deblend.clean": str(clean).lower(),
               "deblend.clean_beta": beta, "output.segmentation": "true", "weights.type": "none"}
    if kernel is not None:
        values = "[" + ",".join(f"[{','.join(map(repr, map(float, row)))}]" for row in kernel) + "]"
        options |= {"convolve.kernel": "values", "convolve.values": values}
    if variance is not None:
        fits.writeto(directory / "variance.fits", variance, overwrite=True)
        options |= {"weights.type": "variance", "weights.file": directory / "variance.fits", "weights.rescale": "false"}
    sets = [part for name, value in options.items() for part in ("--set", f"{name}={value}")]
    run(PROGRAM, "plain", directory / "image.fits", directory, "--backend", "cpu", "--threads", threads, *sets)
    files = [directory / f"image.{kind}.fits" for kind in ("cat", "seg")]
    with fits.open(files[0]) as table, fits.open(files[1]) as segmentation:
        catalogue = {name: np.array(table[1].data[name]) for name in table[1].columns.names}
        labels = np.array(next(hdu.data for hdu in segmentation if hdu.data is not None))
    return catalogue, labels, [file.read_bytes() for file in files]


def theirs(image, directory, kernel, deblended, min_area=5, beta=1.0, clean=True, variance=None):
    labels = directory / "labels"
    told = sextractor_oracle.run(image, NOISE, variance, kernel=kernel, labels=labels, random_leftovers=0, streaming_clean=0,
                                 clean=int(clean), detect_thresh=1.5, analysis_thresh=2, detect_minarea=min_area,
                                 deblend_nthresh=32 if deblended else 1, clean_param=beta, weight_thresh=1e30)
    return told, np.fromfile(labels, np.int32).reshape(image.shape)


def scale_of(name, told):
    return np.maximum(np.abs(told[name]), told["FLUXERR_ISO"] if name == "FLUX_ISO" else 0)


def check(image, directory, kernel, deblended, least, **settings):
    """Returns how many sources were absorbed."""
    mine, labels, _ = ours(image, directory, kernel, deblended, **settings)
    told, their_labels = theirs(image, directory, kernel, deblended, **settings)
    count = len(told["FLAGS"])
    assert len(mine["FLAGS"]) == count >= least
    # One label of ours to one of theirs, and in the order of the first pixels.
    inside = labels > 0
    assert np.array_equal(inside, their_labels > 0)
    numbers, first = np.unique(labels[inside], return_index=True)
    assert np.array_equal(numbers, np.arange(1, count + 1)) and np.all(np.diff(first) > 0)
    index = their_labels[inside][first] - 1
    assert np.array_equal(index[labels[inside] - 1] + 1, their_labels[inside])
    told = {name: values[index] for name, values in told.items()}
    for name in INTEGERS:
        assert np.array_equal(mine[name], told[name]), name
    assert np.array_equal(mine["NPIX"], told["ISOAREAF_IMAGE"])
    assert np.array_equal(mine["FLAGS"] & (2 | 8), told["FLAGS"].astype(int) & (2 | 8))
    for name in SUMS:
        far = np.abs(mine[name] - told[name]) > 1e-6 * scale_of(name, told)
        assert not far.any(), f"{name}: {mine[name][far][:5]}, {told[name][far][:5]}"
    if deblended:
        parents = {pair for pair in zip(mine["ID_PARENT"], told["ID_PARENT"])}
        assert len(parents) == len({a for a, _ in parents}) == len({b for _, b in parents})
    uncleaned = theirs(image, directory, kernel, deblended, **settings | {"clean": False})[0]
    return len(uncleaned["FLAGS"]) - count


def sky_free(seed, side, per_mpix, **how):
    """Above its median, as a sky that is estimated leaves a crowded field."""
    image = field(seed, side, per_mpix, sky=0, slope=0, noise=NOISE, **how)
    return image - np.median(image)


@pytest.mark.parametrize("per_mpix, least", [(1000, 50), (20_000, 150), (50_000, 150)])
@pytest.mark.parametrize("seed", first(2, [401, 402, 403]))
@pytest.mark.parametrize("deblended", [False, True])
@pytest.mark.parametrize("kernel", ["plain", "filtered"])
def test_fields(tmp_path, per_mpix, least, seed, deblended, kernel):
    image = sky_free(seed, 300, per_mpix, correlated=seed == 402)
    assert check(image, tmp_path, KERNELS[kernel], deblended, least) > 0


@pytest.mark.parametrize("min_area", [1, 2, 3, 5, 6, 8, 17])
@pytest.mark.parametrize("kernel", ["plain", "filtered", "broad"])
@pytest.mark.parametrize("deblended", [False, True])
def test_least_areas(tmp_path, min_area, kernel, deblended):
    image = sky_free(410 + min_area, 300, 20_000, seeing=2.0)
    assert check(image, tmp_path, KERNELS[kernel], deblended, 100, min_area=min_area) > 0


@pytest.mark.parametrize("beta", [0.5, 1.7])
def test_exponents(tmp_path, beta):
    assert check(sky_free(430, 300, 20_000), tmp_path, KERNELS["filtered"], True, 150, beta=beta) > 0


def test_thresholds_that_follow_the_noise(tmp_path):
    variance = np.full((300, 300), NOISE ** 2, np.float32)
    variance[:, 150:] *= 4
    assert check(sky_free(440, 300, 20_000), tmp_path, None, True, 100, variance=variance) > 0


def test_bytes_do_not_depend_on_the_threads(tmp_path):
    for seed, per_mpix in (451, 2000), (452, 50_000):
        image = sky_free(seed, 400, per_mpix)
        one, seven = (ours(image, tmp_path, KERNELS["filtered"], True, threads=threads)[2] for threads in (1, 7))
        assert one == seven


def test_off_and_on(tmp_path):
    """What is off leaves no trace, and no pixel is lost or won by what is on."""
    image = sky_free(460, 300, 20_000)
    off, before, _ = ours(image, tmp_path, KERNELS["filtered"], True, clean=False)
    on, after, _ = ours(image, tmp_path, KERNELS["filtered"], True)
    assert len(on["FLAGS"]) < len(off["FLAGS"])
    assert np.array_equal(before > 0, after > 0)
    assert np.isclose(on["FLUX_ISO"].sum(), off["FLUX_ISO"].sum(), rtol=1e-12)
    # Whole sources went to others: pixels of one stay together.
    assert len(np.unique(np.stack([before[before > 0], after[before > 0]]), axis=1).T) == len(off["FLAGS"])


if LONG:
    @pytest.mark.parametrize("per_mpix", [1000, 20_000, 50_000])
    @pytest.mark.parametrize("seed", [471, 472])
    @pytest.mark.parametrize("seeing", [1.5, 3.0])
    def test_larger_fields(tmp_path, per_mpix, seed, seeing):
        check(sky_free(seed, 1024, per_mpix, seeing=seeing, correlated=seed == 472), tmp_path, KERNELS["filtered"], True, 400)
