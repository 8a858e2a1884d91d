"""DETECT_MAXAREA (detection.max_area) beside SExtractor, by one .sex: sources of more pixels are dropped after deblending and
before CLEAN. Every source that is left has the same values, those beside a dropped one, too."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

import survey_fields
from oracle_fields import field
from program import extract
from sextractor import PROGRAM
from test_converted_maps import NOISE, SIDE, both, check, scene
from test_default_sex import partners

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)


def compare(program, directory, limit, clean, matched=0.995):
    mine, told, said = both(program, directory)
    assert said == ""
    left = len(told["X_IMAGE"])
    pixels = [table["ISOAREAF_IMAGE"].max() for table in (mine, told)]
    check(mine, told, matched)
    if clean == "N":
        assert max(pixels) <= limit
    else:
        assert min(pixels) > limit or limit > 100  # one that has absorbed others later is not dropped
    return mine, left


@pytest.mark.parametrize("limit, seed", ((30, 1021), (60, 1022), (200, 1023)))
@pytest.mark.parametrize("clean", ("Y", "N"))
@pytest.mark.parametrize("contrast", (0.005, 1))
def test_sources_that_are_left(program, tmp_path, limit, seed, clean, contrast):
    scene(tmp_path, seed, DETECT_MAXAREA=limit, CLEAN=clean, DEBLEND_MINCONT=contrast, GAIN=2.0)
    mine, left = compare(program, tmp_path, limit, clean)
    scene(tmp_path, seed, CLEAN=clean, DEBLEND_MINCONT=contrast, GAIN=2.0)
    every, told, _ = both(program, tmp_path)
    assert left < len(told["X_IMAGE"]) - 10
    if clean == "N":  # the key drops rows, and changes no other
        own, other, share, _ = partners(mine, every)
        assert share == 1 and np.all(np.delete(every["ISOAREAF_IMAGE"], other) > limit)
        for name in "ISOAREAF_IMAGE", "FLUX_ISO", "FLUX_AUTO", "FLAGS":
            assert np.array_equal(mine[name][own], every[name][other]), name


def test_with_weights(program, tmp_path):
    light = survey_fields.sources(1024, SIDE, 3000, 3.0, NOISE)
    image, weight, _ = survey_fields.stack(1024, SIDE, NOISE, light)
    fits.writeto(tmp_path / "map.fits", weight.astype(np.float32))
    scene(tmp_path, 1024, image, DETECT_MAXAREA=50, DETECT_THRESH=2, WEIGHT_TYPE="MAP_WEIGHT", WEIGHT_IMAGE="map.fits")
    compare(program, tmp_path, 50, "Y")


@pytest.mark.parametrize("seed", (1026, 1027))
def test_a_source_of_just_as_many_pixels_is_kept(program, tmp_path, seed):
    scene(tmp_path, seed, CLEAN="N", DEBLEND_MINCONT=1)
    every, _, _ = both(program, tmp_path)
    middle = int(np.median(every["ISOAREAF_IMAGE"]))
    scene(tmp_path, seed, CLEAN="N", DEBLEND_MINCONT=1, DETECT_MAXAREA=middle)
    for table in both(program, tmp_path)[:2]:
        assert table["ISOAREAF_IMAGE"].max() == middle
        assert len(table["X_IMAGE"]) == np.count_nonzero(every["ISOAREAF_IMAGE"] <= middle)


def test_a_limit_beyond_every_source_changes_nothing(program, tmp_path):
    scene(tmp_path, 1025, CLEAN="N", DEBLEND_MINCONT=1)
    mine, _, _ = both(program, tmp_path)
    scene(tmp_path, 1025, CLEAN="N", DEBLEND_MINCONT=1, DETECT_MAXAREA=1_000_000)
    same, _, _ = both(program, tmp_path)
    assert len(mine["NUMBER"]) > 200 and all(np.array_equal(mine[name], same[name], equal_nan=True) for name in mine)


@pytest.mark.parametrize("options", ((), ("--detect", "field.fits"), ("--set", "deblend.method=none"), ("--set", "detection.sign=both"),
                                     ("--memory", "80M"), ("--threads", "1")))
def test_without_clean_it_drops_rows_and_nothing_else(program, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    fits.writeto("field.fits", np.tile(field(1028, 512, 3000, seeing=3.0, noise=NOISE), (4, 4)))
    usual = "--set", "deblend.clean=false", "--set", "output.columns=[default, photometry, windowed, profile]"
    every, _ = extract(program, "default", "field.fits", ".", *usual, *options)
    left, _ = extract(program, "default", "field.fits", ".", *usual, *options, "--set", "detection.max_area=40")
    small = every["NPIX"] <= 40
    assert 100 < small.sum() < len(small) - 100
    for name in every:
        if name == "ID_PARENT" and "detection.sign=both" in options:  # groups below the sky are counted after those above
            assert np.array_equal(*(np.unique(of, return_inverse=True)[1] for of in (every[name][small], left[name])))
        elif name != "NUMBER":
            assert np.array_equal(every[name][small], left[name], equal_nan=True), name
