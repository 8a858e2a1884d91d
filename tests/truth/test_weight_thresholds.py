"""WEIGHT_THRESH: SExtractor finds sources on pixels beyond it, here they are masked; and it compares variances with the
threshold after it has rescaled them, so that its fluxes depend on the unit of the map. docs/sextractor.md has both."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from test_weights import both, pair, scene

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)


def at(program, directory, factor, limit=0.003):
    """Our catalogue and SExtractor's, of a map and a threshold that are multiplied by a factor."""
    directory.mkdir()
    image, weights = scene(105)
    ours, theirs, told = both(program, directory, image, (weights * factor).astype(np.float32), "weight",
                              ours=[f"weights.threshold={limit * factor}"], WEIGHT_THRESH=limit * factor)
    assert told["counts"]["masked_weight"] == np.sum(weights <= limit)
    return ours, theirs, weights > limit


def test_sources_beyond_the_threshold(program, tmp_path):
    from scipy.ndimage import distance_transform_edt
    ours, theirs, good = at(program, tmp_path / "one", 1)
    x, y = (np.rint(theirs[name] - 1).astype(int) for name in ("X_IMAGE_DBL", "Y_IMAGE_DBL"))
    beyond, within = distance_transform_edt(~good)[y, x] > 3, distance_transform_edt(good)[y, x] > 15
    other = pair(ours, theirs)[1]
    assert beyond.sum() > 10 and not np.any(beyond[other])  # SExtractor's, of which none is ours
    assert np.sum(within[other]) >= 0.99 * within.sum() > 80


def test_a_threshold_is_in_the_unit_of_the_map(program, tmp_path):
    one, their_one, _ = at(program, tmp_path / "one", 1)
    for factor in (0.01, 100):
        ours, theirs, _ = at(program, tmp_path / str(factor), factor)
        assert len(ours["FLUX_ISO"]) == len(one["FLUX_ISO"]) and np.allclose(ours["FLUX_ISO"], one["FLUX_ISO"], rtol=1e-5)
        assert np.allclose(ours["FLUXERR_ISO"], one["FLUXERR_ISO"], rtol=1e-4)
        assert len(theirs["FLAGS"]) == len(their_one["FLAGS"])


def test_sextractor_compares_rescaled_variances(tmp_path):
    image, weights = scene(105)
    fits.writeto(tmp_path / "sky.fits", image)
    low = {}
    for factor in (1, 100):
        fits.writeto(tmp_path / "map.fits", (weights * factor).astype(np.float32), overwrite=True)
        settings = {"BACK_TYPE": "AUTO", "THRESH_TYPE": "RELATIVE", "DETECT_THRESH": 3, "ANALYSIS_THRESH": 3,
                    "WEIGHT_TYPE": "MAP_WEIGHT", "WEIGHT_IMAGE": tmp_path / "map.fits", "INTERP_TYPE": "NONE",
                    "WEIGHT_GAIN": "N", "WEIGHT_THRESH": 0.003 * factor, "MASK_TYPE": "CORRECT"}
        table = fits.getdata(sextractor.sextract(tmp_path / "sky.fits", tmp_path,
                                                 ["NLOWWEIGHT_ISO", "ISOAREAF_IMAGE", "FLUX_AUTO"], **settings), 1)
        low[factor] = table["NLOWWEIGHT_ISO"].sum() / table["ISOAREAF_IMAGE"].sum()
    assert low[1] < 0.2 and low[100] == 1
