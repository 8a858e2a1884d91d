"""FLUX_GROWTH, MAG_GROWTH and their steps: beside SExtractor by one .sex, and beside the light that a Moffat star has within
a circle."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

import survey_fields
from program import extract
from sextractor import PROGRAM
from oracle_fields import field
from test_converted_sex import MEMORY, run
from test_default_sex import partners

NOISE, SIDE = 20.0, 512
GROWTH = ["FLUX_GROWTH", "MAG_GROWTH"]
STEPS = ["FLUX_GROWTHSTEP", "MAG_GROWTHSTEP"]


def both(program, directory, columns, sex=""):
    columns = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "FLAGS", "FLUX_AUTO", "FLUXERR_AUTO", *columns]
    (directory / "x.param").write_text("".join(f"{column}\n" for column in columns))
    (directory / "x.sex").write_text(f"PARAMETERS_NAME x.param\nFILTER N\nCLEAN N\nDEBLEND_NTHRESH 1\nMAG_ZEROPOINT 25\n{sex}\n{MEMORY}")
    run([program, "sextractor", "field.fits", "-c", "x.sex", "-CATALOG_NAME", "ours.cat"], directory)
    run([PROGRAM, "field.fits", "-c", "x.sex", "-CATALOG_NAME", "theirs.cat"], directory)
    mine, told = ({name.removesuffix("_DBL"): np.asarray(table[name], float) for name in table.names}
                  for table in (fits.getdata(directory / f"{who}.cat", 1) for who in ("ours", "theirs")))
    own, other, of_mine, of_theirs = partners(mine, told)
    assert len(own) > 150 and min(of_mine, of_theirs) > 0.99
    return {name: values[own] for name, values in mine.items()}, {name: values[other] for name, values in told.items()}


def columns_of(count):
    return [f"{name}({count})" for name in GROWTH] + STEPS


def compare(mine, told, count):
    """Within 10^-4 of the error, as other fluxes; SExtractor interpolates 10^-5 of a step further out, and beyond the last of
    the 64 circles, where it has 0."""
    assert np.mean(mine["FLAGS"].astype(int) & 255 == told["FLAGS"].astype(int)) >= 0.99
    shape = (len(mine["FLAGS"]), count)
    flux, theirs = (table["FLUX_GROWTH"].reshape(shape) for table in (mine, told))
    error = told["FLUXERR_AUTO"][:, None]
    same = np.abs(flux - theirs) <= 1e-4 * error + 1e-5 * np.abs(theirs).max(1, keepdims=True)
    print(f"{count}: {shape[0]} sources, FLUX_GROWTH equal {same.mean():.3%}, least of a circle {same.mean(0).min():.3%}")
    assert same.mean() >= 0.985
    seen = (theirs > 10 * error) & same
    magnitude, mags = (table["MAG_GROWTH"].reshape(shape) for table in (mine, told))
    assert seen.sum() > 50 and np.abs(magnitude - mags)[seen].max() < 1e-3
    no_light = (theirs < -error) & same
    assert np.all(magnitude[no_light] == 99) and np.all(mags[no_light] == 99)
    for name in STEPS:
        assert np.allclose(mine[name], told[name], rtol=1e-5), name


@pytest.mark.skipif(not PROGRAM, reason="no SExtractor (Debian's source-extractor) on PATH")
@pytest.mark.parametrize("count, seed", ((1, 61), (7, 62), (20, 63), (64, 64)))
def test_beside_sextractor(program, tmp_path, count, seed):
    fits.writeto(tmp_path / "field.fits", field(seed, SIDE, 2500, seeing=3.0, noise=NOISE))
    mine, told = both(program, tmp_path, columns_of(count), "PHOT_AUTOAPERS 20,20" if count == 20 else "")
    compare(mine, told, count)


@pytest.mark.skipif(not PROGRAM, reason="no SExtractor (Debian's source-extractor) on PATH")
def test_with_weights(program, tmp_path):
    light = survey_fields.sources(65, SIDE, 2500, 3.0, NOISE)
    image, weight, _ = survey_fields.stack(65, SIDE, NOISE, light)
    fits.writeto(tmp_path / "field.fits", image)
    fits.writeto(tmp_path / "map.fits", weight.astype(np.float32))
    mine, told = both(program, tmp_path, columns_of(10), "WEIGHT_TYPE MAP_WEIGHT\nWEIGHT_IMAGE map.fits\nDETECT_THRESH 3")
    compare(mine, told, 10)


@pytest.mark.skipif(not PROGRAM, reason="no SExtractor (Debian's source-extractor) on PATH")
def test_without_a_number(program, tmp_path):
    """One value then, in both."""
    fits.writeto(tmp_path / "field.fits", field(66, SIDE, 2500, seeing=3.0, noise=NOISE))
    mine, told = both(program, tmp_path, GROWTH + STEPS)
    compare(mine, told, 1)


@pytest.mark.parametrize("columns, place", ((["FLUX_GROWTH(3)", "MAG_GROWTH(4)"], 6), (["FLUX_GROWTH(65)"], 6)))
def test_curves_that_there_are_not(program, tmp_path, columns, place):
    fits.writeto(tmp_path / "field.fits", field(67, 128, 2500, noise=NOISE))
    (tmp_path / "x.param").write_text("X_IMAGE\n" + "".join(f"{column}\n" for column in columns))
    (tmp_path / "x.sex").write_text("PARAMETERS_NAME x.param\nFILTER N\n")
    with pytest.raises(AssertionError, match=r"x.param:2: FLUX_GROWTH\S*: a curve of growth has one number of steps"):
        run([program, "sextractor", "field.fits", "-c", "x.sex"], tmp_path)
    assert not (tmp_path / "test.cat").exists()


@pytest.mark.parametrize("seed", range(3))
def test_stars_of_a_moffat(program, tmp_path, seed):
    """Light of 1 - (1 + r^2 / a^2)^(1 - beta) is within r. Of 16 radii each is that of a circle, so nothing is interpolated."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:600, :600]
    image, flux, beta = np.zeros(x.shape), 1e6, 3.0
    width = rng.uniform(12, 16, (2, 2))
    for i, j in np.ndindex(2, 2):
        cx, cy = 150 + 300 * i + rng.uniform(-1, 1), 150 + 300 * j + rng.uniform(-1, 1)
        r2 = (x - cx) ** 2 + (y - cy) ** 2
        own = r2 < 149 ** 2
        image[own] += (flux * (beta - 1) / np.pi / width[i, j] ** 2 * (1 + r2 / width[i, j] ** 2) ** -beta)[own]
    fits.writeto(tmp_path / "stars.fits", image.astype(np.float32))
    found, _ = extract(program, "default", tmp_path / "stars.fits", tmp_path, "--set", "output.columns=[default, growth]",
                       "--set", "measurement.growth_steps=16", "--set", "detection.threshold_unit=absolute",
                       "--set", "detection.threshold=2", "--set", "background.level=0", "--set", "background.rms=1")
    assert len(found["X_IMAGE"]) == 4
    for row in range(4):
        i, j = int(found["X_IMAGE"][row] // 300), int(found["Y_IMAGE"][row] // 300)
        radius = found["FLUX_GROWTHSTEP"][row] * np.arange(1, 17)
        assert abs(radius[-1] - 6 * found["A_IMAGE"][row]) < 1e-4 * radius[-1]
        right = flux * (1 - (1 + (radius / width[i, j]) ** 2) ** (1 - beta))
        got = np.array([found["FLUX_GROWTH" + (f"_{k}" if k else "")][row] for k in range(16)])
        # 5 x 5 sub-pixels know the area of a circle to two thirds of a pixel.
        assert np.all(np.abs(got - right) < 0.67 * image.max() + 1e-4 * flux)
        assert np.abs(got - right)[8:].max() < 1e-4 * flux
