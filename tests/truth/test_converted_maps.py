"""Maps of weights and of flags, check images, a sky that is given and pixels that are BLANK, of one .sex that SExtractor and,
by `srcextract convert-config`, srcextract read: the same values. What differs stands in docs/sextractor.md; -s prints it."""
import shutil

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

import survey_fields
from oracle_fields import field
from sextractor import PROGRAM
from test_default_sex import FLUXES, OTHERS, allowed, partners
from test_flags import truth
from test_survey_configurations import ALL_OF_IT, KERNELS, run

SIDE, NOISE = 768, 20.0
COLUMNS = ["NUMBER", "X_IMAGE_DBL", "Y_IMAGE_DBL", "A_IMAGE", "ISOAREAF_IMAGE", "THRESHOLD", "BACKGROUND", *FLUXES,
           *(name.replace("FLUX", "FLUXERR") for name in FLUXES), *OTHERS, "IMAFLAGS_ISO(1)", "NIMAFLAGS_ISO(1)"]
BASE = {"PARAMETERS_NAME": "x.param", "FILTER_NAME": "$KERNELS/default.conv", "WEIGHT_GAIN": "N", "FLAG_IMAGE": "flag.fits",
        "FLAG_TYPE": "OR", "GAIN_KEY": "NONE", "SATUR_KEY": "NONE"}


def scene(directory, seed, image=None, **settings):
    """A raw field, unless another is given, a map of flags, and a configuration."""
    if image is None:
        image = field(seed, SIDE, 3000, seeing=3.0, noise=NOISE)
    fits.writeto(directory / "field.fits", image, overwrite=True)
    rng = np.random.default_rng(seed)
    flags = np.zeros((SIDE, SIDE), np.int16)
    for bit in range(5):
        for y, x, size in zip(*rng.integers(0, SIDE, (2, 60)), rng.integers(1, 30, 60)):
            flags[y:y + size, x:x + size] |= 1 << bit
    fits.writeto(directory / "flag.fits", flags, overwrite=True)
    configure(directory, **settings)
    return image, flags


def configure(directory, **settings):
    (directory / "x.param").write_text("\n".join(COLUMNS) + "\n")
    (directory / "x.sex").write_text("".join(f"{key} {value}\n" for key, value in (BASE | settings).items()))


def both(program, directory, *options):
    """Catalogues of the two, ours by the names of theirs."""
    shutil.rmtree(directory / "out", ignore_errors=True)
    run([PROGRAM, "field.fits", "-c", "x.sex", *ALL_OF_IT, "their.cat"], directory)
    done = run([program, "convert-config", "x.sex", "-o", "x.yaml"], directory)
    run([program, "-q", "-o", "out", "x.yaml", "field.fits", "--set", "output.formats=[fits]", *options], directory)
    mine, told = fits.getdata(directory / "out/field.cat.fits", 1), fits.getdata(directory / "their.cat", 1)
    mine = {name: np.ravel(mine[name]).astype(float) for name in mine.names}
    told = {name.removesuffix("_DBL"): np.ravel(told[name]).astype(float) for name in told.names}
    return mine | {"SNR": mine["FLUX_ISO"] / mine["FLUXERR_ISO"]}, told, done.stderr


def check(mine, told, matched=0.995, equal=0.985, columns=(*FLUXES, *OTHERS[:3])):
    """That both are one catalogue, by the measures of test_default_sex.py; returns rows that are the same sources."""
    own, other, of_mine, of_theirs = partners(mine, told)
    print(f"{len(told['X_IMAGE'])} sources, matched {of_mine:.2%} and {of_theirs:.2%}")
    mine = {column: values[own] for column, values in mine.items()}
    told = {column: values[other] for column, values in told.items()}
    flags = (mine["FLAGS"].astype(int) & 255) == told["FLAGS"].astype(int)
    whole = (told["FLAGS"].astype(int) & 2) == 0
    same = {column: np.abs(mine[column] - told[column]) <= allowed(column, mine, told) for column in columns}
    print({"FLAGS": f"{flags.mean():.2%}"} | {column: f"{values[whole].mean():.2%}" for column, values in same.items()})
    assert len(own) > 200 and min(of_mine, of_theirs) >= matched and flags.mean() >= 0.985
    for column, values in same.items():
        assert values[whole].mean() >= equal, column
    return mine, told


@pytest.mark.parametrize("kind", ("OR", "AND", "MIN", "MAX", "MOST"))
@pytest.mark.parametrize("clean", ("Y", "N"))
def test_flag_types(program, tmp_path, kind, clean):
    """Sources of the same pixels have the same flags, but for AND, which is 0 there, and for what absorbed another: MIN of it is
    0 there if one of both has no flag, and MOST counts the flag of the one or of the other."""
    scene(tmp_path, 1001, FLAG_TYPE=kind, CLEAN=clean)
    mine, told, said = both(program, tmp_path)
    assert said == ""
    mine, told = check(mine, told)
    same = (told["FLAGS"].astype(int) & 2 == 0) & (mine["ISOAREAF_IMAGE"] == told["ISOAREAF_IMAGE"])
    columns = "IMAFLAGS_ISO", "NIMAFLAGS_ISO"
    other = {column: same & (mine[column] != told[column]) for column in columns}
    print(f"{kind}, CLEAN {clean}: of {same.sum()}", {column: rows.sum() for column, rows in other.items()})
    assert np.count_nonzero(mine["NIMAFLAGS_ISO"][same]) > 100
    if kind == "AND":
        assert not told["IMAFLAGS_ISO"].any() and mine["IMAFLAGS_ISO"].any() and not other["NIMAFLAGS_ISO"].any()
    elif kind == "MIN" and clean == "Y":
        assert 0 < other["IMAFLAGS_ISO"].sum() < 0.03 * same.sum() and not told["IMAFLAGS_ISO"][other["IMAFLAGS_ISO"]].any()
    else:
        assert sum(rows.sum() for rows in other.values()) <= (0 if kind in ("OR", "MAX", "MIN") else 0.02 * same.sum())


def test_a_sky_that_is_given(program, tmp_path):
    image = field(1002, SIDE, 3000, seeing=3.0, noise=NOISE, slope=0)
    scene(tmp_path, 1002, image, BACK_TYPE="MANUAL", BACK_VALUE=1000.0)
    mine, told, _ = both(program, tmp_path)
    mine, told = check(mine, told)
    print(f"BACKGROUND: {mine['BACKGROUND'].min()} to {mine['BACKGROUND'].max()}, theirs {told['BACKGROUND'].min()} to "
          f"{told['BACKGROUND'].max()}")
    assert np.all(mine["BACKGROUND"] == 1000) and np.ptp(told["BACKGROUND"]) > 1


@pytest.mark.parametrize("kind, factor", (("MAP_WEIGHT", 7.0), ("MAP_VAR", 0.1), ("MAP_RMS", 1.0)))
@pytest.mark.parametrize("convolved", ("Y", "N"))
def test_maps_of_weights(program, tmp_path, kind, factor, convolved):
    light = survey_fields.sources(1003, SIDE, 3000, 3.0, NOISE)
    image, weight, _ = survey_fields.stack(1003, SIDE, NOISE, light)
    with np.errstate(divide="ignore"):
        values = {"MAP_WEIGHT": weight, "MAP_VAR": 1 / weight, "MAP_RMS": 1 / np.sqrt(weight)}[kind] * factor
    fits.writeto(tmp_path / "map.fits", np.where(np.isfinite(values), values, 1e31).astype(np.float32))
    scene(tmp_path, 1003, image, WEIGHT_TYPE=kind, WEIGHT_IMAGE="map.fits", FILTER=convolved,
          DETECT_THRESH=2 if convolved == "Y" else 3, ANALYSIS_THRESH=2)
    mine, told, said = both(program, tmp_path)
    assert said == ""
    check(mine, told)


def test_noise_of_the_meshes(program, tmp_path):
    """SExtractor filters it as well, which is seen at the edges alone."""
    scene(tmp_path, 1021, WEIGHT_TYPE="BACKGROUND")
    mine, told, said = both(program, tmp_path)
    assert said == ""
    check(mine, told)


@pytest.mark.parametrize("kind", ("MAP_WEIGHT", "MAP_VAR", "MAP_RMS"))
def test_thresholds_of_weights(program, tmp_path, kind):
    """What is beyond WEIGHT_THRESH is interpolated, as what has no weight."""
    light = survey_fields.sources(1004, SIDE, 3000, 3.0, NOISE)
    image, weight, seen = survey_fields.stack(1004, SIDE, NOISE, light)
    weight = np.maximum(weight, weight[weight > 0].min() / 4)
    values = {"MAP_WEIGHT": weight, "MAP_VAR": 1 / weight, "MAP_RMS": 1 / np.sqrt(weight)}[kind]
    limit = {"MAP_WEIGHT": 1, "MAP_VAR": -1, "MAP_RMS": -0.5}[kind]
    fits.writeto(tmp_path / "map.fits", values.astype(np.float32))
    scene(tmp_path, 1004, image, WEIGHT_TYPE=kind, WEIGHT_IMAGE="map.fits", DETECT_THRESH=2, ANALYSIS_THRESH=2,
          WEIGHT_THRESH=repr(float((1.5 / 6 / NOISE ** 2) ** limit)))
    mine, told, _ = both(program, tmp_path)
    check(mine, told)


def test_blank_pixels(program, tmp_path):
    """SExtractor takes them for -1e30, which spoils every window of the filter that they are in: what is far from them is
    the same."""
    image = field(1005, SIDE, 3000, seeing=3.0, noise=NOISE)
    rng = np.random.default_rng(1005)
    blank = np.zeros(image.shape, bool)
    blank[:, 300:302] = True
    for y, x in rng.integers(0, SIDE - 10, (12, 2)):
        blank[y:y + 6, x:x + 6] = True
    scene(tmp_path, 1005, np.where(blank, np.nan, image).astype(np.float32))
    mine, told, _ = both(program, tmp_path)
    far = ndimage.distance_transform_edt(~blank)

    def split(table):
        here = far[tuple(np.clip(np.rint(table[name]).astype(int) - 1, 0, SIDE - 1) for name in ("Y_IMAGE", "X_IMAGE"))]
        return [{name: values[rows] for name, values in table.items()} for rows in (here >= 10, here < 10)]

    (mine, near_mine), (told, near_told) = split(mine), split(told)
    check(mine, told)
    print(f"within 10 pixels {len(near_mine['NUMBER'])} and {len(near_told['NUMBER'])}, matched {partners(near_mine, near_told)[2:]}")


CHECKS = {"BACKGROUND": "background", "BACKGROUND_RMS": "rms", "-BACKGROUND": "minus_background", "FILTERED": "filtered",
          "MINIBACKGROUND": "minibackground", "MINIBACK_RMS": "miniback_rms", "OBJECTS": "objects",
          "-OBJECTS": "minus_objects"}


def test_check_images(program, tmp_path):
    """-OBJECTS leaves what is above the threshold and too small for a source, which SExtractor blanks; and blanks what a
    source has absorbed, which SExtractor shows again."""
    names = [f"their.{i}.fits" for i in range(len(CHECKS) + 1)]
    scene(tmp_path, 1006, CHECKIMAGE_TYPE=",".join([*CHECKS, "SEGMENTATION"]), CHECKIMAGE_NAME=",".join(names))
    _, _, said = both(program, tmp_path)
    assert said == ""
    for (kind, ours), name in zip(CHECKS.items(), names):
        told, mine = fits.getdata(tmp_path / name), fits.getdata(tmp_path / f"out/field.{ours}.fits")
        apart = np.abs(mine - told)
        print(f"{kind}: {apart.max():.2g} of a noise of {NOISE}, {(apart > 1e-4 * NOISE).mean():.3%} of the pixels")
        assert mine.shape == told.shape and np.ptp(told) > 0
        if kind == "-OBJECTS":
            other = apart > 1e-4 * NOISE
            labels = fits.getdata(tmp_path / "out/field.seg.fits", 1)
            assert np.all(np.where(labels > 0, mine == 0, told == 0)[other]) and other.mean() < 0.005
        else:
            assert apart.max() <= 1e-4 * NOISE
    told, labels = fits.getdata(tmp_path / names[-1]), fits.getdata(tmp_path / "out/field.seg.fits", 1)
    assert np.array_equal(told > 0, labels > 0) and abs(np.unique(told).size - np.unique(labels).size) < 4 < labels.max()


def test_a_filter_that_is_not_symmetric(program, tmp_path):
    (tmp_path / "x.conv").write_text("CONV NORM\n1 2 3\n0 5 1\n0 0 2\n")
    image, _ = scene(tmp_path, 1007, FILTER_NAME="x.conv", CHECKIMAGE_TYPE="FILTERED", CHECKIMAGE_NAME="their.fits")
    mine, told, _ = both(program, tmp_path)
    check(mine, told)
    apart = np.abs(fits.getdata(tmp_path / "their.fits") - fits.getdata(tmp_path / "out/field.filtered.fits"))
    assert apart.max() <= 1e-3 * NOISE
