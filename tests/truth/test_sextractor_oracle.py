"""The plain implementation of SExtractor's definitions (oracle/) beside SExtractor itself, source by source: leftover pixels
drawn with the same random numbers, and CLEAN in the same order. The sky is SExtractor's (test_mesh.py has that by itself):
its image above the sky, its nodes, and the noise that is the median of theirs."""
import os

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
import sextractor_oracle
from oracle_fields import field
from peers import match
from program import SHARED

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

LONG = "SRCEXTRACT_LONG" in os.environ
INTEGERS = ("ID_PARENT", "ISOAREAF_IMAGE", "ISOAREA_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE", "YMIN_IMAGE", "YMAX_IMAGE",
            "XPEAK_IMAGE", "YPEAK_IMAGE")
NUMBERS = ("X_IMAGE_DBL", "Y_IMAGE_DBL", "THRESHOLD")
# What the strip of rows and the stacks in memory would do to a source is no definition (docs/sextractor.md).
SETTINGS = {"BACK_TYPE": "AUTO", "THRESH_TYPE": "RELATIVE", "DETECT_THRESH": 1.5, "ANALYSIS_THRESH": 1.5, "FILTER": "Y",
            "FILTER_NAME": "kernel.conv", "DEBLEND_NTHRESH": 32, "DEBLEND_MINCONT": 0.005, "CLEAN": "Y",
            "MASK_TYPE": "CORRECT", "MEMORY_BUFSIZE": 4096, "MEMORY_OBJSTACK": 65535, "SATUR_LEVEL": 50000}
SKY = {"above": "-BACKGROUND", "nodes": "MINIBACKGROUND", "noises": "MINIBACK_RMS"}
OF_THE_ORACLE = ("detect_thresh", "analysis_thresh", "detect_minarea", "deblend_nthresh", "deblend_mincont", "satur_level")


def write_kernel(path, kernel):
    path.write_text("CONV NORM\n" + "\n".join(" ".join(map(str, row)) for row in kernel) + "\n")


def theirs(image, directory, kernel=sextractor_oracle.KERNEL, **settings):
    """SExtractor's catalogue of an array or a file, and its sky."""
    if isinstance(image, np.ndarray):
        fits.PrimaryHDU(image).writeto(directory / "image.fits", overwrite=True)
        image = directory / "image.fits"
    write_kernel(directory / "kernel.conv", kernel)
    names = {name: directory / f"{name}.fits" for name in SKY}
    path = sextractor.sextract(image, directory, (*INTEGERS, *NUMBERS, "FLAGS"), CHECKIMAGE_TYPE=",".join(SKY.values()),
                               CHECKIMAGE_NAME=",".join(map(str, names.values())), **SETTINGS | settings)
    return fits.getdata(path, 1), {name: fits.getdata(path) for name, path in names.items()}


def oracle(sky, **settings):
    """The plain implementation's catalogue of the same image."""
    chosen = {name.lower(): value for name, value in (SETTINGS | settings).items() if name.lower() in OF_THE_ORACLE}
    return sextractor_oracle.run(sky["above"], np.float32(np.median(sky["noises"])), nodes=sky["nodes"], **chosen)


def check(image, directory, least, **settings):
    catalogue, sky = theirs(image, directory, **settings)
    plain = oracle(sky, **settings)
    assert len(catalogue) == len(plain["X_IMAGE"]) >= least
    index = match(plain, catalogue["X_IMAGE_DBL"], catalogue["Y_IMAGE_DBL"])
    told = {name: catalogue[name][index].astype(float) for name in catalogue.names}
    for name in INTEGERS:
        assert np.array_equal(plain[name], told[name]), f"{name}: {np.sum(plain[name] != told[name])} of {len(index)} differ"
    for name in NUMBERS:
        assert np.allclose(plain[name.removesuffix("_DBL")], told[name], rtol=1e-6, atol=0), name
    for bit in (2, 8):
        assert np.array_equal(plain["FLAGS"].astype(int) & bit, told["FLAGS"].astype(int) & bit), bit


@pytest.mark.parametrize("per_mpix, seed, least", ((1000, 1, 100), (20_000, 2, 800), (50_000, 3, 800)))
def test_fields_from_sparse_to_crowded(per_mpix, seed, least, tmp_path):
    check(field(seed, 512, per_mpix), tmp_path, least)


@pytest.mark.parametrize("area", (1, 3, 8))
def test_least_areas(area, tmp_path):
    check(field(10 + area, 512, 5000), tmp_path, 300, DETECT_MINAREA=area)


@pytest.mark.skipif(not (SHARED / "sextractor" / "galaxies.fits").exists(), reason="no data: galaxies.fits")
def test_a_real_field(tmp_path):
    check(SHARED / "sextractor" / "galaxies.fits", tmp_path, 850)
