"""Deblending beside SExtractor, set to the same, without CLEAN: as many objects, of the same cores and parents.

Which pixels a divided object has beside its core SExtractor leaves to chance, so of these cores are compared alone, of
the others all."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

from peers import match
from program import extract
from sextractor import PROGRAM, sextract
from test_deblend import stars

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)

COLUMNS = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "ID_PARENT", "FLAGS", "ISOAREAF_IMAGE", "X2_IMAGE"]
SETTINGS = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "BACK_FILTERSIZE": 3, "WEIGHT_TYPE": "NONE", "THRESH_TYPE": "RELATIVE",
            "DETECT_THRESH": 2, "ANALYSIS_THRESH": 2, "DEBLEND_NTHRESH": 32, "FILTER": "Y", "FILTER_NAME": "kernel.conv",
            "MEMORY_BUFSIZE": 1024, "MEMORY_OBJSTACK": 60_000}
KERNEL = "[[1, 2, 1], [2, 4, 2], [1, 2, 1]]"


def both(program, image, directory, contrast):
    path = directory / "field.fits"
    fits.writeto(path, image)
    (directory / "kernel.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    ours, _ = extract(program, "plain", path, directory, "--set", "deblend.method=tree", "--set",
                      f"deblend.contrast={contrast}", "--set", "detection.threshold=2", "--set", "weights.type=none",
                      "--set", "convolve.kernel=values", "--set", f"convolve.values={KERNEL}")
    table = fits.getdata(sextract(path, directory, COLUMNS, **SETTINGS, DEBLEND_MINCONT=contrast), 1)
    theirs = {name.removesuffix("_DBL"): table[name].astype(float) for name in COLUMNS}
    assert len(ours["NUMBER"]) == len(table)
    index = match(ours, theirs["X_IMAGE"], theirs["Y_IMAGE"])
    return ours, {name: column[index] for name, column in theirs.items()}


@pytest.mark.parametrize("contrast", [0.005, 1e-4])
@pytest.mark.parametrize("seed, count", [(31, 300), (32, 1500), (33, 4000)])
def test_crowded_fields(program, tmp_path, seed, count, contrast):
    image = stars(seed, size=512, count=count, noise=2).astype(np.float32)
    ours, theirs = both(program, image, tmp_path, contrast)
    split = ours["FLAGS"].astype(int) & 2
    assert np.count_nonzero(split) > 20
    assert np.array_equal(split, theirs["FLAGS"].astype(int) & 2)
    assert np.array_equal(ours["FLAGS"].astype(int) & 8, theirs["FLAGS"].astype(int) & 8)
    assert np.abs(ours["X_IMAGE"] - theirs["X_IMAGE"]).max() < 1e-4
    assert np.abs(ours["Y_IMAGE"] - theirs["Y_IMAGE"]).max() < 1e-4
    families = set(zip(ours["ID_PARENT"], theirs["ID_PARENT"]))
    assert len(families) == len(set(ours["ID_PARENT"])) == len(set(theirs["ID_PARENT"]))
    whole = split == 0
    assert np.array_equal(ours["NPIX"][whole], theirs["ISOAREAF_IMAGE"][whole])
    # Of all sources of an island there are as many pixels as it has, whoever has them.
    for parent, their_parent in families:
        assert (ours["NPIX"][ours["ID_PARENT"] == parent].sum() ==
                theirs["ISOAREAF_IMAGE"][theirs["ID_PARENT"] == their_parent].sum())
