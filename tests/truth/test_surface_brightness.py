"""Thresholds as surface brightnesses beside SExtractor's, "DETECT_THRESH mu, zero point": the same pixels, on a flat
sky and on one that slopes, whether the pixel scale is given or in the WCS (SExtractor has to be told). The levels are
some two sigma: nearer to the sky there are so many pixels that the roundings of its spline decide on one of them."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

import sextractor
from test_mesh import sky

SCALE = 0.42  # arcseconds
ZERO_POINT = 25.0


def header(**more):
    scale = SCALE / 3600
    return fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 300.0, "CRPIX2": 250.0, "CRVAL1": 150.0,
                        "CRVAL2": 30.0, "CD1_1": -scale * 0.8, "CD1_2": scale * 0.6, "CD2_1": scale * 0.6,
                        "CD2_2": scale * 0.8, **more})


def ours(program, directory, threshold, more=""):
    """The label map and the level."""
    (directory / "c.yaml").write_text(f"detection: {{threshold_unit: mag_per_arcsec2, threshold: {threshold}}}\n"
                                      f"{more}\noutput: {{formats: [csv], segmentation: true}}\nextends: none\n")
    done = subprocess.run([program, "--record", "-q", "--backend", "cpu", "-o", directory, "c.yaml", "image.fits"], cwd=directory,
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done
    return fits.getdata(directory / "image.seg.fits"), json.loads((directory / "image.run.json").read_text())["levels"]


def theirs(directory, threshold, **settings):
    path = directory / "their_seg.fits"
    asked = f"{threshold},{ZERO_POINT}"
    sextractor.sextract(directory / "image.fits", directory, ["NUMBER"],
                        **{"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "BACK_FILTERSIZE": 3, "THRESH_TYPE": "RELATIVE",
                           "DETECT_THRESH": asked, "ANALYSIS_THRESH": asked, "CHECKIMAGE_TYPE": "SEGMENTATION",
                           "CHECKIMAGE_NAME": path, **settings})
    return fits.getdata(path)


def same_islands(mine, other):
    """Whether two label maps are of the same islands, however these are numbered."""
    assert mine.max() == other.max() > 50
    pairs = np.unique(np.column_stack([mine.ravel(), other.ravel()]), axis=0)
    return len(pairs) == mine.max() + 1 and tuple(pairs[0]) == (0, 0)


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("gradient", (0, 8))
@pytest.mark.parametrize("threshold, from_wcs", ((18.8, False), (18.4, True)))
@pytest.mark.parametrize("seed", (2, 3))
def test_sextractor_finds_the_same_pixels(program, tmp_path, seed, threshold, from_wcs, gradient):
    pixels = np.round(sky(np.random.default_rng(seed), 500, 600, gradient))
    fits.PrimaryHDU(pixels.astype(np.float32), header()).writeto(tmp_path / "image.fits")
    given = "" if from_wcs else f", pixel_scale: {SCALE}"
    label, levels = ours(program, tmp_path, threshold, f"measurement: {{zero_point: {ZERO_POINT}{given}}}\nbackground: {{estimator: sextractor}}")
    assert same_islands(label, theirs(tmp_path, threshold, PIXEL_SCALE=SCALE))
    assert levels["detection"] == pytest.approx(SCALE ** 2 * 10 ** (-0.4 * (threshold - ZERO_POINT)), rel=1e-5)


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
def test_of_one_level_for_the_image(program, tmp_path):
    pixels = np.round(sky(np.random.default_rng(3), 500, 600))
    fits.PrimaryHDU(pixels.astype(np.float32)).writeto(tmp_path / "image.fits")
    label, levels = ours(program, tmp_path, 20, f"measurement: {{zero_point: {ZERO_POINT}, pixel_scale: {SCALE}}}\n"
                         "background: {method: constant}")
    assert same_islands(label, theirs(tmp_path, 20, PIXEL_SCALE=SCALE, BACK_TYPE="MANUAL",
                                      BACK_VALUE=levels["background"]))
    assert levels["background"] > 900


@pytest.mark.parametrize("axis", ("TAN-SIP", "GLON", "TAN"))
def test_the_pixel_scale_is_astropys_in_the_middle(program, tmp_path, axis):
    """That of the pixel at the centre: a distortion has made it another than the header's matrix says."""
    wcs = pytest.importorskip("astropy.wcs")
    cards = header()
    cards["CRPIX1"] = -700.0
    if axis == "GLON":
        cards.update(CTYPE1="GLON-CAR", CTYPE2="GLAT-CAR", CRVAL2=0.0)
    if axis == "TAN-SIP":
        cards.update(CTYPE1="RA---TAN-SIP", CTYPE2="DEC--TAN-SIP", A_ORDER=2, B_ORDER=2, A_2_0=2e-5, B_1_1=-1e-5)
    pixels = sky(np.random.default_rng(5), 500, 600)
    fits.PrimaryHDU(pixels, cards).writeto(tmp_path / "image.fits")
    _, levels = ours(program, tmp_path, 20, f"measurement: {{zero_point: {ZERO_POINT}}}")
    place = wcs.WCS(fits.getheader(tmp_path / "image.fits"))
    corners = place.pixel_to_world([299, 300, 300, 299], [249, 249, 250, 250])
    a, b, d = corners[0], corners[1], corners[3]
    turn = np.sin((a.position_angle(d) - a.position_angle(b)).rad)
    area = abs(a.separation(b).arcsec * a.separation(d).arcsec * turn)
    assert levels["detection"] == pytest.approx(area * 100, rel=1e-4)
    if axis == "TAN-SIP":
        assert abs(area / SCALE ** 2 - 1) > 0.01


def test_without_a_pixel_scale_it_says_what_to_set(program, tmp_path):
    fits.PrimaryHDU(sky(np.random.default_rng(5), 200, 200)).writeto(tmp_path / "image.fits")
    done = ours(program, tmp_path, 20, f"measurement: {{zero_point: {ZERO_POINT}}}")
    assert done.returncode == 3
    assert ("c.yaml:1:29: a threshold in mag_per_arcsec2 needs the size of a pixel, and the header has no celestial "
            "WCS (CTYPE1, CTYPE2); set measurement.pixel_scale, in arcseconds") in done.stderr
    assert not list(tmp_path.glob("image.*.*"))


def test_seeds_are_brighter(program, tmp_path):
    """As many sources as there are islands of the faint level with a pixel above the bright one."""
    ndimage = pytest.importorskip("scipy.ndimage")
    pixels = np.round(sky(np.random.default_rng(6), 500, 600))
    fits.PrimaryHDU(pixels.astype(np.float32)).writeto(tmp_path / "image.fits")
    label, levels = ours(program, tmp_path, "20, seed: 18.5, min_area: 1",
                         f"measurement: {{zero_point: {ZERO_POINT}, pixel_scale: {SCALE}}}\n"
                         "background: {method: constant}")
    level = levels["background"]
    low, high = (pixels > level + SCALE ** 2 * 10 ** (-0.4 * (mu - ZERO_POINT)) for mu in (20, 18.5))
    islands, count = ndimage.label(low, np.ones((3, 3)))
    seeded = np.unique(islands[high])
    assert np.array_equal(label > 0, np.isin(islands, seeded) & low)
    assert label.max() == len(seeded) > 30 and count > len(seeded)
