"""What is fainter than the sky: SExtractor and SEP on the image with its sign turned find it, and an image and its
negative give each other's catalogues."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from peers import (DOUBLE, FLOAT, assert_close, assert_equal, assert_same_but_for_roundings, assert_same_peaks,
                   assert_same_shapes, match)
from program import extract, read_catalogue
from test_mesh import sky
from test_sextractor import assert_same_pixels, sextracted

TURNED = {"BACKGROUND"}  # the sky of a negative is negative
OF_THE_PLACE = {"NUMBER", "SIGN"}


def dips(rng, image, count, sigma=22.5):
    """The image with holes in it, which are as elliptical and as deep as its sources are."""
    return image - sky(rng, *image.shape, sources=count / image.size, sigma=0) + 1000


def sloping(seed):
    """Whole numbers, so that no peer loses digits of them."""
    rng = np.random.default_rng(seed)
    return np.round(dips(rng, sky(rng, 500, 610, gradient=4), 300))


def dark(seed):
    """A few photons a pixel: their distribution is skewed, and there are pixels of none."""
    rng = np.random.default_rng(seed)
    light = np.full((480, 520), 9.0)
    y, x = np.indices(light.shape)
    for _ in range(150):
        cx, cy, peak = rng.uniform(5, 515), rng.uniform(5, 475), rng.uniform(-9, 40)
        light += peak * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / rng.uniform(8, 24))
    return rng.poisson(np.maximum(light, 0.1)).astype(float)


SCENES = {"sloping": (sloping, 3.0), "dark": (dark, 1.5)}


def write(path, pixels):
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(path)
    return path


def of_sign(found, sign):
    chosen = found["SIGN"] == sign
    return {name: column[chosen] for name, column in found.items()}


def sets(*settings):
    return [part for one in settings for part in ("--set", one)]


@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("scene", SCENES)
def test_sextractor_has_them_on_the_negative(program, tmp_path, scene, seed):
    make, threshold = SCENES[scene]
    pixels = make(seed)
    image, negative = write(tmp_path / "image.fits", pixels), write(tmp_path / "negative.fits", -pixels)
    ours, _ = extract(program, "plain", image, tmp_path, "--backend", "cpu",
                      *sets(f"detection.threshold={threshold}", "detection.sign=both"))
    settings = sextractor.BY_ITSELF | {"DETECT_THRESH": threshold, "ANALYSIS_THRESH": threshold}
    for sign, peer, values in ((1, image, pixels), (-1, negative, -pixels)):
        side = of_sign(ours, sign)
        theirs = sextracted(side, peer, tmp_path, **settings)
        assert len(side["NPIX"]) > 50
        assert_same_pixels(values, side, theirs)
        # What is left of a pixel above the sky does not depend on the sign of the sky.
        assert_same_but_for_roundings(side | {"BACKGROUND": np.abs(side["BACKGROUND"])}, theirs, 8)


@pytest.mark.parametrize("scene", SCENES)
def test_sep_has_them_on_the_negative(program, tmp_path, scene):
    sep = pytest.importorskip("sep")
    make, threshold = SCENES[scene]
    pixels = make(3)
    ours, told = extract(program, "plain", write(tmp_path / "image.fits", pixels), tmp_path, "--backend", "cpu",
                         *sets(f"detection.threshold={threshold}", "detection.sign=negative",
                               "background.method=constant"))
    level = told["levels"]["background"]
    assert np.all(ours["SIGN"] == -1) and np.all(ours["BACKGROUND"] == level) and level > 0
    turned = (level - pixels).astype(np.float32)
    sep.set_extract_pixstack(turned.size)
    theirs = sep.extract(turned, told["levels"]["detection"] - level, minarea=5, filter_kernel=None, deblend_cont=1.0,
                         clean=False)
    theirs = theirs[match(ours, theirs["x"] + 1, theirs["y"] + 1)]
    assert_equal(ours["NPIX"], theirs["npix"], "NPIX")
    assert_same_peaks(turned, ours, theirs["xpeak"] + 1, theirs["ypeak"] + 1)
    assert_close(ours["X_IMAGE"], theirs["x"] + 1, DOUBLE, "X_IMAGE")
    assert_close(ours["FLUX_ISO"], theirs["flux"], FLOAT * ours["FLUX_ISO"], "FLUX_ISO")
    assert_equal(ours["FLUX_MAX"], theirs["peak"], "FLUX_MAX")
    assert_same_shapes(ours, {"X2_IMAGE": theirs["x2"], "Y2_IMAGE": theirs["y2"], "XY_IMAGE": theirs["xy"],
                              "A_IMAGE": theirs["a"], "B_IMAGE": theirs["b"]}, np.degrees(theirs["theta"]))


def with_nan(pixels):
    pixels = pixels.copy()
    rng = np.random.default_rng(9)
    pixels[rng.uniform(size=pixels.shape) < 0.02] = np.nan
    pixels[100:160, 200:280] = np.nan
    return pixels


CASES = {
    "as it is": (), "constant": ("background.method=constant",), "without weights": ("weights.type=none",),
    # With meshes the noise of the convolved image is that of the pixels below the sky, which are not those of the negative.
    "convolved": ("convolve.kernel=gaussian", "convolve.fwhm=3", "detection.threshold_unit=detection_sigma",
                  "background.method=constant"),
    "opened": ("morphology.operation=opening", "detection.min_area=1"),
    "seeds": ("detection.seed=6", "detection.connectivity=4"),
    "absolute": ("detection.threshold_unit=absolute", "detection.threshold=60"),
    "variances": ("weights.type=variance", "weights.file=variance.fits"),
    "masked": ("mask.file=mask.fits",)}


@pytest.mark.parametrize("case", CASES)
def test_an_image_and_its_negative_give_each_others_catalogues(program, tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    pixels = with_nan(sloping(4))
    y, x = np.indices(pixels.shape)
    write("variance.fits", 400 + x)
    fits.PrimaryHDU(((x % 50 == 7) | (y > 480)).astype(np.int16)).writeto("mask.fits")
    settings = sets("detection.threshold=3", "detection.sign=both", *CASES[case])
    both = {sign: extract(program, "plain", write(f"{name}.fits", sign * pixels), tmp_path, "--backend", "cpu",
                          *settings)[0] for sign, name in ((1, "image"), (-1, "negative"))}
    assert min((both[1]["SIGN"] == sign).sum() for sign in (1, -1)) > 50
    for sign in (1, -1):
        here, there = of_sign(both[1], sign), of_sign(both[-1], -sign)
        for name in here.keys() - TURNED - OF_THE_PLACE:
            assert_equal(here[name], there[name], name)
        assert_equal(here["BACKGROUND"], -there["BACKGROUND"], "BACKGROUND")
    assert np.array_equal(both[1]["NUMBER"], np.arange(1, len(both[1]["SIGN"]) + 1))
    fainter, _ = extract(program, "plain", "image.fits", tmp_path, "--backend", "cpu", *settings,
                         *sets("detection.sign=negative"))
    for name in fainter.keys() - {"NUMBER"}:
        assert_equal(fainter[name], of_sign(both[1], -1)[name], name)
    brighter, _ = extract(program, "plain", "image.fits", tmp_path, "--backend", "cpu", *settings,
                          *sets("detection.sign=positive"))
    assert "SIGN" not in brighter
    for name in brighter:
        assert_equal(brighter[name], of_sign(both[1], 1)[name], name)


def written(program, directory, image, sign):
    """Everything that the program writes of an image."""
    directory.mkdir()
    (directory / "c.yaml").write_text(
        f"extends: none\ndetection: {{threshold: 3, sign: {sign}}}\nquicklook: {{overlay: none}}\noutput: {{formats: [csv], "
        "segmentation: true, quicklook: true, check_images: [background, rms, -background, objects, -objects, snr]}\n")
    subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, directory / "c.yaml", image], check=True)
    images = {path.name.split(".")[1]: fits.getdata(path) for path in directory.glob("*.fits")}
    told = json.loads((directory / "image.run.json").read_text())
    return read_catalogue(directory / "image.cat.csv"), images, (directory / "image.png").read_bytes(), told


def test_check_images_and_picture_are_those_of_the_image(program, tmp_path):
    image = write(tmp_path / "image.fits", with_nan(sloping(5)))
    rows, plain, picture, told = written(program, tmp_path / "positive", image, "positive")
    for sign in ("both", "negative"):
        found, images, drawn, also_told = written(program, tmp_path / sign, image, sign)
        assert drawn == picture
        assert also_told["background"] == told["background"] and also_told["levels"] == told["levels"]
        for name in ("background", "rms", "minus_background", "snr"):
            assert np.array_equal(images[name], plain[name], equal_nan=True), name
        label, above = images["seg"], images["minus_background"]
        assert np.array_equal(np.unique(label[label > 0]), found["NUMBER"])
        assert np.array_equal(np.bincount(label.ravel(), minlength=len(found["NUMBER"]) + 1)[1:], found["NPIX"])
        assert np.array_equal(images["objects"], np.where(label > 0, above, 0), equal_nan=True)
        assert np.array_equal(images["minus_objects"], np.where(label > 0, 0, above), equal_nan=True)
        fainter = found["SIGN"] == -1
        assert fainter.sum() > 50 and (sign == "negative") == fainter.all()
        assert found["NPIX"].sum() == also_told["counts"]["source_pixels"] > 1000
        # Fluxes are positive. The sky of the negative is estimated anew: in a mesh that is crowded the estimator, which
        # takes the mode or the median, may decide otherwise.
        sums = np.bincount(label.ravel(), np.nan_to_num(above).ravel())[1:]
        error = np.abs(found["SIGN"] * sums - found["FLUX_ISO"]) / found["NPIX"] / told["background"]["sigma"]
        assert error.max() < 0.15 and np.median(error[fainter]) < 0.005 and np.all(error[~fainter] < 1e-4)
        assert np.all(found["FLUX_ISO"] > 0) and np.all(found["FLUX_MAX"] > found["THRESHOLD"])


def test_noise_has_as_many_of_both(program, tmp_path):
    above, below = 0, 0
    for seed in range(4):
        directory = tmp_path / str(seed)
        directory.mkdir()
        noise = np.random.default_rng(seed).normal(300, 7, (800, 900))
        found, _ = extract(program, "plain", write(directory / "noise.fits", noise), directory, "--backend", "cpu",
                           *sets("detection.sign=both", "detection.threshold=3", "detection.min_area=1"))
        above, below = above + np.sum(found["SIGN"] == 1), below + np.sum(found["SIGN"] == -1)
    assert above + below > 5000 and abs(above - below) < 5 * np.sqrt(above + below)


def test_a_hole_is_not_saturated(program, tmp_path):
    pixels = np.random.default_rng(6).normal(0, 3, (200, 200))
    pixels[50:54, 50:54] += 1000
    pixels[150:154, 120:124] -= 1000
    found, _ = extract(program, "plain", write(tmp_path / "image.fits", pixels), tmp_path, "--backend", "cpu",
                       *sets("detection.sign=both", "measurement.saturation=900"))
    assert list(found["SIGN"]) == [1, -1] and list(found["FLAGS"]) == [4, 0]
    assert found["FLUX_ISO"] == pytest.approx([16000, 16000], rel=0.01)


def test_a_threshold_lower_than_the_error_of_the_sky_gives_no_pixel_to_both(program, tmp_path):
    """The sky of the negative is not to the last bit that of the image, so a few pixels are above the one and below the
    other. Whole numbers of a slope are a coarse histogram."""
    image = write(tmp_path / "image.fits", sloping(2))
    (tmp_path / "c.yaml").write_text("extends: none\ndetection: {threshold: 0.005, sign: both, min_area: 1}\n"
                                     "background: {estimator: sextractor}\noutput: {formats: [csv], "
                                     "segmentation: true, check_images: [-background, objects, -objects]}\n")
    done = subprocess.run([program, "--record", "--backend", "cpu", "-o", tmp_path, tmp_path / "c.yaml", image], check=True,
                          capture_output=True, text=True)
    found = read_catalogue(tmp_path / "image.cat.csv")
    images = {path.name.split(".")[1]: fits.getdata(path) for path in tmp_path.glob("image.*.fits")}
    label = images["seg"]
    assert np.array_equal(images["objects"], np.where(label > 0, images["minus_background"], 0))
    assert np.array_equal(images["objects"] + images["minus_objects"], images["minus_background"])
    twice = found["NPIX"].sum() - (label > 0).sum()
    assert 0 < twice < 0.01 * label.size and (label > 0).mean() > 0.95
    above, below = (found["SIGN"] == 1).sum(), (found["SIGN"] == -1).sum()
    assert f"image.fits: {above} sources above " in done.stderr and f", {below} as far below the sky; " in done.stderr
