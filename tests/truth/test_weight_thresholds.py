"""WEIGHT_THRESH beside SExtractor, by the drop-in and by converted configurations: sources are found on pixels beyond it,
which the sky and apertures leave out. The measure is how alike the two are without a threshold."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from program import extract
from test_one_word import both, fits_catalogue  # noqa: F401
from test_weights import THEIR_TYPE, as_type, pair, scene

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

FLUXES = ["FLUX_ISO", "FLUXERR_ISO", "FLUX_AUTO", "FLUXERR_AUTO", "FLUX_APER", "FLUXERR_APER", "FLUX_PETRO", "FLUX_RADIUS"]
COUNTS = ["ISOAREAF_IMAGE", "NLOWWEIGHT_ISO", "NLOWDWEIGHT_ISO", "FLAGS_WEIGHT"]
COLUMNS = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "FLAGS", "THRESHOLD", "BACKGROUND", *FLUXES, *COUNTS]
SCENES = (105, 205, 305)
OF_ONE, OF_TWO, OF_THREE = 1.35 / 900, 2.7 / 900, 3.6 / 900  # weights, between those of one to four exposures


def field(seed, holes=True):
    """As of test_weights.py; or without pixels of no weight, which the filters of both take for something else."""
    image, weights = scene(seed)
    if not holes:
        hole = weights == 0
        image[hole] = np.random.default_rng(seed).normal(500, 30, np.count_nonzero(hole))
        weights[hole] = 1 / 900
    return image, weights


def prepare(both, image, weights, kind="weight", **settings):
    """The same field, map and .sex for both programs."""
    chosen = {"CATALOG_TYPE": "FITS_1.0", "DETECT_THRESH": 3, "ANALYSIS_THRESH": 3, "FILTER_NAME": "kernel.conv",
              "WEIGHT_TYPE": THEIR_TYPE[kind], "WEIGHT_IMAGE": "map.fits", "WEIGHT_GAIN": "N", "GAIN_KEY": "NONE",
              "SATUR_KEY": "NONE", "VERBOSE_TYPE": "QUIET", "INTERP_TYPE": "NONE", "FILTER": "N"} | settings

    def make(place):
        fits.writeto(place / "image.fits", image, overwrite=True)
        fits.writeto(place / "map.fits", as_type(weights, kind), overwrite=True)
        (place / "kernel.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
        (place / "default.param").write_text("\n".join(COLUMNS))
        (place / "default.sex").write_text("".join(f"{name} {value}\n" for name, value in chosen.items()))

    both.prepare(make)


def compare(ours, theirs, columns=FLUXES):
    """The share of rows matched within 1 pixel; and of whole sources, those with the same value of each column."""
    mine, other = pair({"X_IMAGE": ours["X_IMAGE_DBL"], "Y_IMAGE": ours["Y_IMAGE_DBL"]}, theirs, 1)
    matched = len(set(other)) / max(len(ours), len(theirs))
    whole = (theirs["FLAGS"][other] & 2) == 0
    mine, other = mine[whole], other[whole]
    same = {name: np.mean(np.isclose(ours[name][mine], theirs[name][other], rtol=1e-3, atol=1e-6)) for name in columns}
    print(f"{len(ours)} and {len(theirs)}, matched {matched:.2%}", {name: f"{share:.3f}" for name, share in same.items()})
    return matched, same


def check(both, without, **settings):
    """Runs both with a threshold; returns theirs."""
    both.run("image.fits", *(str(part) for name, value in settings.items() for part in (f"-{name}", value)))
    ours, theirs = both.each(fits_catalogue("test.cat"))
    assert len(theirs) > 200
    matched, same = compare(ours, theirs, [*FLUXES, *COUNTS, "THRESHOLD", "BACKGROUND"])
    assert matched >= 0.99
    for name in FLUXES:
        assert same[name] >= without[name] - 0.01, name
    # SExtractor looks for low weights beside a source in the variances that it has filtered.
    for name in (*(COUNTS if settings.get("FILTER", "N") == "N" else COUNTS[:2]), "THRESHOLD", "BACKGROUND"):
        assert same[name] >= 0.98, name
    return theirs


def without_threshold(both, **settings):
    both.run("image.fits", *(str(part) for name, value in settings.items() for part in (f"-{name}", value)))
    matched, same = compare(*both.each(fits_catalogue("test.cat")))
    assert matched >= 0.99 and min(same.values()) > 0.95
    return same


@pytest.mark.parametrize("seed", SCENES)
@pytest.mark.parametrize("filtered, interpolated, holes", (("N", "NONE", True), ("N", "ALL", True), ("Y", "NONE", False),
                                                            ("Y", "ALL", False)))
def test_calibrated_weights(both, seed, filtered, interpolated, holes):
    image, weights = field(seed, holes)
    prepare(both, image, weights, INTERP_TYPE=interpolated, FILTER=filtered)
    without = without_threshold(both)
    for limit in (OF_ONE, OF_TWO, OF_THREE):
        theirs = check(both, without, WEIGHT_THRESH=limit, FILTER=filtered)
    low = theirs["NLOWWEIGHT_ISO"] > 0.5 * theirs["ISOAREAF_IMAGE"]
    assert np.count_nonzero(low) > (20 if interpolated == "NONE" else 0)  # sources beyond the threshold, which were lost


@pytest.mark.parametrize("settings", ({"FILTER": "Y"}, {"MASK_TYPE": "BLANK"}, {"MASK_TYPE": "NONE"},
                                      {"RESCALE_WEIGHTS": "N"}, {"DEBLEND_NTHRESH": 1, "CLEAN": "N"}), ids=str)
def test_other_settings(both, settings):
    image, weights = field(405, False)
    prepare(both, image, weights)
    without = without_threshold(both, **settings)
    for limit in (OF_TWO, OF_THREE):
        check(both, without, WEIGHT_THRESH=limit, **settings)


@pytest.mark.parametrize("kind", ("variance", "rms"))
@pytest.mark.parametrize("seed", SCENES[:2])
def test_maps_of_noise(both, kind, seed):
    image, weights = scene(seed)
    prepare(both, image, weights, kind)
    without = without_threshold(both)
    for limit in (OF_TWO, OF_THREE):
        check(both, without, WEIGHT_THRESH=repr(float(limit ** (-1 if kind == "variance" else -0.5))))


@pytest.mark.parametrize("factor", (900, 100, 0.01))
@pytest.mark.parametrize("interpolated", ("NONE", "ALL"))
def test_maps_in_another_unit(both, factor, interpolated):
    """As exposures. SExtractor compares the variance that it has rescaled: all pixels are bad for apertures, or none."""
    image, weights = scene(505)
    prepare(both, image, weights * np.float32(factor), INTERP_TYPE=interpolated)
    without = without_threshold(both)
    for limit in (OF_TWO, OF_THREE):
        theirs = check(both, without, WEIGHT_THRESH=limit * factor)
    assert np.mean(theirs["FLUX_AUTO"] == 0) == (1 if factor > 1 else 0)


def test_a_converted_configuration(both, program):
    image, weights = scene(605)
    prepare(both, image, weights)
    without = without_threshold(both)
    ours, theirs = both.places["ours"], both.places["theirs"]
    for limit in (OF_TWO, OF_THREE):
        prepare(both, image, weights, WEIGHT_THRESH=limit)
        subprocess.run([sextractor.PROGRAM, "image.fits"], cwd=theirs, check=True, capture_output=True)
        subprocess.run([program, "convert-config", "default.sex", "-o", "x.yaml"], cwd=ours, check=True, capture_output=True)
        assert "beyond: detect" in (ours / "x.yaml").read_text()
        subprocess.run([program, "-q", "-o", "out", "x.yaml", "image.fits", "--set", "output.formats=[fits]"], cwd=ours,
                       check=True, capture_output=True)
        table = fits.getdata(ours / "out/image.cat.fits", 1)
        matched, same = compare(Renamed(table), fits_catalogue("test.cat")(theirs))
        assert matched >= 0.99
        assert all(same[name] >= without[name] - 0.01 for name in FLUXES)


class Renamed:
    """Our columns by the names that SExtractor gives those in double precision."""

    def __init__(self, table):
        self.table = table

    def __getitem__(self, name):
        return self.table[name.removesuffix("_DBL")]

    def __len__(self):
        return len(self.table)


def test_one_image_found_in_another(both):
    """Each of a pair has its own map and threshold."""
    image, weights = scene(705)
    second = scene(706)[1]
    rng = np.random.default_rng(705)
    prepare(both, image, weights)

    def add(place):
        fits.writeto(place / "red.fits", (image + rng.normal(0, 3, image.shape)).astype(np.float32), overwrite=True)
        fits.writeto(place / "red_map.fits", second, overwrite=True)

    rng = np.random.default_rng(705)
    add(both.places["ours"])
    rng = np.random.default_rng(705)
    add(both.places["theirs"])
    pairs = ["image.fits,red.fits", "-WEIGHT_IMAGE", "map.fits,red_map.fits", "-WEIGHT_TYPE", "MAP_WEIGHT,MAP_WEIGHT",
             "-INTERP_TYPE", "NONE,NONE"]
    both.run(*pairs)
    without = compare(*both.each(fits_catalogue("test.cat")))[1]
    both.run(*pairs, "-WEIGHT_THRESH", f"{OF_TWO},{OF_THREE}")
    matched, same = compare(*both.each(fits_catalogue("test.cat")), [*FLUXES, *COUNTS])
    assert matched >= 0.99
    for name in FLUXES:
        assert same[name] >= without[name] - 0.01, name
    for name in COUNTS:
        assert same[name] >= 0.98, name


def test_mask_finds_nothing_beyond(program, tmp_path):
    image, weights = scene(105)
    fits.writeto(tmp_path / "sky.fits", image)
    fits.writeto(tmp_path / "map.fits", weights)
    found = {}
    for beyond in ("mask", "detect"):
        settings = [f"weights.{setting}" for setting in ("type=weight", f"file={tmp_path / 'map.fits'}",
                                                         f"threshold={OF_THREE}", f"beyond={beyond}")]
        rows, _ = extract(program, "plain", tmp_path / "sky.fits", tmp_path,
                          *(word for setting in settings for word in ("--set", setting)))
        x, y = (np.rint(rows[name]).astype(int) - 1 for name in ("X_IMAGE", "Y_IMAGE"))
        found[beyond] = np.count_nonzero(weights[y, x] <= OF_THREE)
    assert found["mask"] < 0.2 * found["detect"] and found["detect"] > 40
