"""NLOWWEIGHT_ISO, NLOWDWEIGHT_ISO and FLAGS_WEIGHT beside SExtractor, in one image and in two whose bad pixels are others,
and beside what the label map says. Neither filters: SExtractor counts weights that are filtered as its image is."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

import sextractor
from program import extract
from test_weights import pair, scene

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

COLUMNS = ["NLOWWEIGHT_ISO", "NLOWDWEIGHT_ISO", "FLAGS_WEIGHT"]
SETTINGS = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "THRESH_TYPE": "RELATIVE", "DETECT_THRESH": 3, "ANALYSIS_THRESH": 3,
            "INTERP_TYPE": "NONE", "WEIGHT_GAIN": "N"}


@pytest.mark.parametrize("dual", (False, True))
def test_beside_sextractor(program, tmp_path, dual):
    image, weights = scene(301)
    others = weights.copy()
    if dual:
        others[np.random.default_rng(302).random(others.shape) < 0.01] = 0
    sky, found_by, measured_by = (tmp_path / name for name in ("sky.fits", "found.fits", "measured.fits"))
    for path, pixels in zip((sky, found_by, measured_by), (image, weights, others)):
        fits.writeto(path, pixels)
    twice = (lambda text: f"{text},{text}") if dual else str
    maps = f"{found_by},{measured_by}" if dual else measured_by
    table = fits.getdata(sextractor.sextract(
        twice(sky), tmp_path, ["X_IMAGE_DBL", "Y_IMAGE_DBL", "ISOAREAF_IMAGE", *COLUMNS],
        **SETTINGS | {"WEIGHT_TYPE": twice("MAP_WEIGHT"), "WEIGHT_IMAGE": maps}), 1)
    theirs = {name: table[name].astype(float) for name in table.names}
    sets = ["weights.type=weight", f"weights.file={measured_by}", "detection.threshold=3",
            "output.columns=[default, surroundings]", "output.segmentation=true"]
    options = ("-d", sky, "--detect-set", f"weights.file={found_by}") if dual else ()
    mine, _ = extract(program, "plain", sky, tmp_path, *options, *(part for one in sets for part in ("--set", one)))
    ours, other = pair(mine, theirs)
    same = mine["NPIX"][ours] == theirs["ISOAREAF_IMAGE"][other]
    assert len(ours) > 200 and same.mean() > 0.97
    for name in COLUMNS:
        assert np.array_equal(mine[name][ours][same], theirs[name][other][same]), name
    labels = fits.getdata(tmp_path / "sky.seg.fits")
    beside = ndimage.binary_dilation(weights == 0, np.ones((3, 3)))
    for name, bad in zip(COLUMNS, (others == 0, beside)):
        assert np.array_equal(mine[name], ndimage.sum(bad, labels, mine["NUMBER"])), name
    flags = mine["FLAGS_WEIGHT"].astype(int)
    assert np.count_nonzero(flags & 2) > 30 and np.count_nonzero(flags & 1) > (80 if dual else -1)
