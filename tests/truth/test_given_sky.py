"""A sky that is given: a level that is a number beside SExtractor's BACK_TYPE MANUAL, one that is a map beside the image
without it, and a noise that is a number. What outputs tell is the level that was given."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
spatial = pytest.importorskip("scipy.spatial")

import sextractor
from program import ROOT, extract
from test_mesh import sky

COLUMNS = ("X_IMAGE_DBL", "Y_IMAGE_DBL", "ISOAREA_IMAGE", "FLUX_ISO", "THRESHOLD")
HEIGHT, WIDTH = 700, 620


def write(path, pixels, **cards):
    fits.PrimaryHDU(np.asarray(pixels, np.float32), fits.Header(cards)).writeto(path, overwrite=True)
    return path


def found(program, directory, image, *settings, threads=1):
    return extract(program, "plain", image, directory, "--backend", "cpu", "--threads", threads,
                   *(part for one in settings for part in ("--set", one)))


def run(program, directory, image, *settings):
    command = [program, "-q", "-o", directory / "out", "--backend", "cpu", ROOT / "tests/support/plain.yaml", image]
    command += [part for one in settings for part in ("--set", one)]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def pair(ours, x, y):
    distance, index = spatial.cKDTree(np.column_stack([x, y])).query(np.column_stack([ours["X_IMAGE"], ours["Y_IMAGE"]]))
    near = distance < 0.1
    return np.flatnonzero(near), index[near]


def curved(height=HEIGHT, width=WIDTH):
    """A level as of a slope and a blob no wider than a mesh, which meshes would not follow; in float32."""
    y, x = np.mgrid[:height, :width]
    return (400 + 0.3 * x - 0.2 * y + 500 * np.exp(-((x - 300) ** 2 + (y - 420) ** 2) / (2 * 40 ** 2))).astype(np.float32)


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("weights, theirs", (("none", "NONE"), ("background", "BACKGROUND")))
@pytest.mark.parametrize("seed, level", ((301, 1000.0), (302, 990.5)))
def test_a_number_is_sextractors_manual_background(program, tmp_path, seed, level, weights, theirs):
    image = write(tmp_path / "image.fits", sky(np.random.default_rng(seed), HEIGHT, WIDTH, gradient=1))
    ours, told = found(program, tmp_path, image, f"background.level={level}", f"weights.type={weights}",
                       "detection.threshold=3")
    path = sextractor.sextract(image, tmp_path, COLUMNS, BACK_TYPE="MANUAL", BACK_VALUE=level, BACK_SIZE=64,
                               THRESH_TYPE="RELATIVE", DETECT_THRESH=3, ANALYSIS_THRESH=3, WEIGHT_TYPE=theirs)
    table = fits.getdata(path, 1)
    mine, other = pair(ours, table["X_IMAGE_DBL"], table["Y_IMAGE_DBL"])
    assert len(set(other)) == len(other) >= 0.995 * max(len(table), len(ours["NPIX"])) > 100
    same = ours["NPIX"][mine] == table["ISOAREA_IMAGE"][other]
    assert same.mean() > 0.99
    mine, other = mine[same], other[same]
    assert np.abs((ours["FLUX_ISO"][mine] - table["FLUX_ISO"][other]) / ours["FLUXERR_ISO"][mine]).max() < 1e-3
    if weights == "none":
        assert np.abs(ours["THRESHOLD"][mine] / table["THRESHOLD"][other] - 1).max() < 1e-5
    assert (ours["BACKGROUND"] == level).all()  # SExtractor's column tells the meshes, which it did not subtract
    assert told["background"]["given_level"] == {"level": level, "range": [level, level]}


@pytest.mark.parametrize("method", ("mesh", "constant"))
def test_a_map_gives_what_the_image_without_it_gives(program, tmp_path, method):
    rng = np.random.default_rng(303)
    above = sky(rng, HEIGHT, WIDTH) - 1000
    level = curved()
    pixels = (above + level).astype(np.float32)
    flat = write(tmp_path / "flat.fits", pixels - level, BUNIT="adu")
    image = write(tmp_path / "image.fits", pixels, BUNIT="adu")
    settings = (f"background.method={method}", "detection.threshold=2.5", "measurement.saturation=2000",
                "convolve.kernel=gaussian", "convolve.fwhm=2")
    of_map = f"background.level={write(tmp_path / 'level.fits', level)}"
    expected, _ = found(program, tmp_path, flat, "background.level=0", *settings)
    got, told = found(program, tmp_path, image, of_map, *settings)
    assert len(got["NPIX"]) > 100
    for name, values in expected.items():
        if name not in ("BACKGROUND", "FLAGS"):
            assert np.array_equal(got[name], values, equal_nan=True), name
    x, y = (np.rint(got[name] - 1).astype(int) for name in ("X_IMAGE", "Y_IMAGE"))
    assert np.abs(got["BACKGROUND"] - level[y, x]).max() < 1.5  # of a pixel beside it, at half-way
    assert np.median(np.abs(got["BACKGROUND"] - level[y, x])) == 0
    # Saturated is what the image has, not what is above the level.
    for row in range(len(x)):
        box = [int(got[name][row]) for name in ("YMIN_IMAGE", "YMAX_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE")]
        peak = pixels[box[0] - 1:box[1], box[2] - 1:box[3]].max()
        if abs(peak - 2000) > 150:
            assert bool(int(got["FLAGS"][row]) & 4) == (peak > 2000), (row, peak)
    assert (got["FLAGS"].astype(int) & 4).any()
    given = told["background"]["given_level"]
    assert given["range"] == [level.min(), level.max()] and given["map"]["path"].endswith("level.fits")
    assert abs(given["level"] - np.median(level)) < 1
    if method == "mesh":
        assert told["background"]["level"] == 0 == told["levels"]["background"]
    assert "level" in [step["step"] for step in told["execution"]["steps"]]


def test_an_absolute_threshold_is_above_the_level(program, tmp_path):
    level = curved()
    image = write(tmp_path / "image.fits", sky(np.random.default_rng(304), HEIGHT, WIDTH) - 1000 + level)
    got, _ = found(program, tmp_path, image, f"background.level={write(tmp_path / 'level.fits', level)}",
                   "detection.threshold_unit=absolute", "detection.threshold=150")
    assert len(got["NPIX"]) > 50 and (got["THRESHOLD"] == 150).all() and got["FLUX_MAX"].min() > 150


@pytest.mark.parametrize("method", ("mesh", "constant"))
def test_thresholds_of_the_filtered_image_count_from_the_level(program, tmp_path, method):
    """White noise of 4 that a Gaussian of 2 pixels' width leaves a third of, whatever level is given."""
    from scipy import ndimage
    rng = np.random.default_rng(321)
    image = write(tmp_path / "x.fits", 100 + rng.normal(0, 4, (400, 300)))
    left = ndimage.gaussian_filter(rng.normal(0, 4, (400, 300)), 2 / 2.3548, radius=2).std()
    for level in (96, 100, 103):
        _, report = extract(program, "default", image, tmp_path / str(level), "--set", f"background.level={level}",
                            "--set", f"background.method={method}")
        assert report["levels"]["detection"] == pytest.approx(5 * left, rel=0.05), level


def test_noise_that_is_given_to_an_image_without_noise(program, tmp_path):
    """The filtered image has none, so that a threshold in units of its noise is an error; one in units of the given is not."""
    y, x = np.mgrid[:200, :200]
    image = write(tmp_path / "x.fits", 100 + np.round(300 * (1 + ((x - 100) ** 2 + (y - 90) ** 2) / 6) ** -3.0))
    default = [program, "-q", "-o", tmp_path, image, "--set", "background.rms=1", "--set", "output.formats=[csv]"]
    refused = subprocess.run([str(part) for part in default], capture_output=True, text=True)
    assert refused.returncode == 3 and "set detection.threshold_unit to sigma" in refused.stderr, refused.stderr
    done = subprocess.run([str(part) for part in [*default, "--set", "detection.threshold_unit=sigma"]], capture_output=True, text=True)
    assert done.returncode == 0 and len((tmp_path / "x.cat.csv").read_text().splitlines()) == 2, done.stderr


@pytest.mark.parametrize("method", ("mesh", "constant"))
def test_check_images_show_the_level(program, tmp_path, method):
    level = curved()
    level[100:110, 200:230] = np.nan
    pixels = (sky(np.random.default_rng(305), HEIGHT, WIDTH) - 1000 + curved()).astype(np.float32)
    image = write(tmp_path / "image.fits", pixels)
    names = ["background", "minus_background", "rms", "snr", "objects", "minus_objects"]
    asked = ",".join(name.replace("minus_", "-") for name in names)
    of_map = f"background.level={write(tmp_path / 'level.fits', level)}"
    _, told = found(program, tmp_path, image, of_map, f"background.method={method}", f"output.check_images=[{asked}]")
    shown = {name: fits.getdata(tmp_path / f"image.{name}.fits") for name in names}
    assert np.array_equal(shown["background"], level, equal_nan=True)
    assert np.array_equal(shown["minus_background"], pixels - level, equal_nan=True)
    assert np.array_equal(shown["snr"], (pixels - level) / shown["rms"], equal_nan=True)
    assert np.array_equal(shown["objects"] + shown["minus_objects"], shown["minus_background"], equal_nan=True)
    assert told["counts"]["masked_level"] == 300 and told["counts"]["masked_nan"] == 0
    _, told = found(program, tmp_path, image, "background.level=812.25", f"background.method={method}",
                    f"output.check_images=[{asked}]")
    assert (fits.getdata(tmp_path / "image.background.fits") == 812.25).all()
    assert np.array_equal(fits.getdata(tmp_path / "image.minus_background.fits"), pixels - np.float32(812.25))
    assert fits.getheader(tmp_path / "image.background.fits")["NAXIS1"] == WIDTH


def test_the_catalogue_tells_the_level(program, tmp_path):
    image = write(tmp_path / "image.fits", sky(np.random.default_rng(306), 200, 220))
    assert run(program, tmp_path, image, "background.level=998.5").returncode == 0
    header = fits.getheader(tmp_path / "out/image.cat.fits", 1)
    assert header["SKYLEVEL"] == 998.5 and 20 < header["SKYSIGMA"] < 25


@pytest.mark.parametrize("method", ("mesh", "constant"))
def test_a_noise_that_is_given(program, tmp_path, method):
    image = write(tmp_path / "image.fits", sky(np.random.default_rng(307), HEIGHT, WIDTH))
    for level in ((), ("background.level=1000",)):
        got, told = found(program, tmp_path, image, "background.rms=31.5", f"background.method={method}", *level,
                          "output.check_images=[rms]")
        assert len(got["NPIX"]) > 50
        assert np.allclose(got["THRESHOLD"], 5 * 31.5, rtol=1e-6, atol=0)
        assert np.allclose(got["FLUXERR_ISO"], 31.5 * np.sqrt(got["NPIX"]), rtol=1e-6, atol=0)
        assert (fits.getdata(tmp_path / "image.rms.fits") == 31.5).all()
        assert told["background"]["given_sigma"] == 31.5 == told["levels"]["sigma"]
        assert np.median(np.abs(got["BACKGROUND"] - 1000)) < (2 if not level else 1e-9)


@pytest.mark.parametrize("settings", (("background.level=LEVEL",), ("background.level=1000", "background.rms=20"),
                                      ("background.level=LEVEL", "background.method=constant")))
def test_the_bytes_are_the_same_on_any_number_of_threads(program, tmp_path, settings):
    level = curved()
    level[50:60] = np.nan
    image = write(tmp_path / "image.fits", sky(np.random.default_rng(308), HEIGHT, WIDTH) - 1000 + curved())
    settings = [one.replace("LEVEL", str(write(tmp_path / "level.fits", level))) for one in settings]
    contents = []
    for threads in (1, 4):
        found(program, tmp_path, image, *settings, "output.check_images=[background,-background]", threads=threads)
        contents.append([(tmp_path / f"image.{name}").read_bytes()
                         for name in ("cat.csv", "background.fits", "minus_background.fits")])
    assert contents[0] == contents[1] and len(contents[0][0]) > 10_000


def test_the_map_may_be_an_hdu_of_the_image(program, tmp_path):
    level = curved()
    pixels = (sky(np.random.default_rng(309), HEIGHT, WIDTH) - 1000 + level).astype(np.float32)
    image = tmp_path / "image.fits"
    fits.HDUList([fits.PrimaryHDU(pixels), fits.ImageHDU(level, name="SKY")]).writeto(image)
    of_file = write(tmp_path / "level.fits", level)
    assert np.array_equal(found(program, tmp_path, image, "background.level_hdu=sky")[0]["FLUX_ISO"],
                          found(program, tmp_path, image, f"background.level={of_file}")[0]["FLUX_ISO"])


@pytest.mark.parametrize("settings, code, words", (
    (("background.level=small.fits",), 3, ("background.level=small.fits: ", "619 x 700", "620 x 700")),
    (("background.level=none.fits",), 3, ("background.level=none.fits: ", "none.fits")),
    (("background.level=level.fits", "background.level_hdu=SKY"), 3, ("background.level_hdu=SKY: ", "SKY")),
    (("background.level_hdu=0",), 3, ("background.level_hdu=0: ", "the image itself")),
    (("background.level=empty.fits",), 3,
     ("every pixel is masked", "434000 by background.level", "is it the right map", "background.level_hdu)?")),
    (("background.rms=level.fits",), 2, ("background.rms=level.fits: ", "weights.type rms and weights.file")),
))
def test_what_cannot_be_used_is_said(program, tmp_path, monkeypatch, settings, code, words):
    monkeypatch.chdir(tmp_path)
    image = write(tmp_path / "image.fits", sky(np.random.default_rng(310), HEIGHT, WIDTH))
    write(tmp_path / "level.fits", curved())
    write(tmp_path / "small.fits", curved()[:, 1:])
    write(tmp_path / "empty.fits", np.nan * curved())
    done = run(program, tmp_path, image, *settings)
    assert done.returncode == code and all(word in done.stderr for word in words), done.stderr
    assert not list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True


def test_a_difference_takes_no_given_sky(program, tmp_path):
    image = write(tmp_path / "image.fits", sky(np.random.default_rng(311), 200, 200))
    for setting in ("background.level=1000", "background.rms=3", "background.level_hdu=1"):
        done = subprocess.run([program, "difference", "--set", setting, ROOT / "tests/support/plain.yaml", image, image],
                              capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 2 and setting in done.stderr and "the sky of one frame" in done.stderr, done.stderr


def test_a_number_for_a_sky_that_varies_is_warned_about(program, tmp_path):
    rng = np.random.default_rng(312)
    image = write(tmp_path / "image.fits", sky(rng, HEIGHT, WIDTH, gradient=10))
    warnings = found(program, tmp_path, image, "background.level=1000")[1]["warnings"]
    [warning] = [one for one in warnings if "8 x 8 blocks" in one]
    assert "background.level" in warning and "as a map" in warning
    image = write(tmp_path / "flat.fits", sky(rng, HEIGHT, WIDTH))
    assert found(program, tmp_path, image, "background.level=1000")[1]["warnings"] == []
