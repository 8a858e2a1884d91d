"""Deblending beside SExtractor's definitions written plainly (tests/truth/oracle), which are SExtractor's own to the object
but for its lot: the same owner of every pixel, leftovers included, in crowded fields. Cores are of 3 pixels at
least here: those of one pixel are all alike, so that what lies between them goes by the order of ties."""
import os

import numpy as np
import pytest

pytest.importorskip("scipy")

import sextractor_oracle
from deblend_truth import Image, deblended
from oracle_fields import field
from rounds import first

TOOL = os.environ.get("SRCEXTRACT_DEBLEND_IMAGES")
if not TOOL or not os.environ.get("SRCEXTRACT_SEXTRACTOR_ORACLE"):
    pytest.skip("SRCEXTRACT_DEBLEND_IMAGES and SRCEXTRACT_SEXTRACTOR_ORACLE must name programs", allow_module_level=True)

NOISE = 20.0


def pixels_of_each(labels, count):
    """The pixels of every label from 1 on, in the order of their first."""
    order = np.argsort(labels, axis=None, kind="stable")
    parts = np.split(order, np.searchsorted(labels.ravel()[order], np.arange(1, count + 2)))[1:-1]
    return sorted(parts, key=lambda part: part[0])


@pytest.mark.parametrize("per_mpix, correlated", [(1000, False), (20_000, True), (50_000, False)])
@pytest.mark.parametrize("seed", first(1, [301, 302]))
@pytest.mark.parametrize("min_area, levels, contrast", [(5, 32, 0.005), (3, 64, 0.0005), (3, 16, 0)])
def test_every_pixel_has_the_same_owner(tmp_path, seed, per_mpix, correlated, min_area, levels, contrast):
    image = field(seed, 256, per_mpix, noise=NOISE, correlated=correlated) - np.float32(1000)
    threshold = 1.5 * NOISE
    [(ours, sources)] = deblended(TOOL, [Image(image, threshold, min_area=min_area, levels=levels, contrast=contrast)])
    labels = tmp_path / "labels"
    objects = sextractor_oracle.run(image, NOISE, kernel=None, labels=labels, random_leftovers=0, streaming_clean=0,
                                    clean=0, detect_thresh=1.5, detect_minarea=min_area, deblend_nthresh=levels,
                                    deblend_mincont=contrast)
    theirs = np.fromfile(labels, np.int32).reshape(image.shape)
    count = len(objects["FLAGS"])
    assert len(sources) == count > 10
    split = objects["FLAGS"].astype(int) & 2 != 0
    assert sources[:, 3].sum() == split.sum() > 5
    for mine, other in zip(pixels_of_each(ours, count), pixels_of_each(theirs, count)):
        assert np.array_equal(mine, other)
    # And of one parent are the same.
    inside = ours > 0
    pairs = set(zip(sources[ours[inside] - 1, 2], objects["ID_PARENT"][theirs[inside] - 1]))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
