"""Check images and columns of the sky of `srcextract sextractor` beside SExtractor's, run with the same arguments."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

import sextractor
from test_mesh import sky

pytestmark = [pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed"),
              pytest.mark.filterwarnings("ignore::astropy.io.fits.verify.VerifyWarning")]
TYPES = ["BACKGROUND", "BACKGROUND_RMS", "MINIBACKGROUND", "MINIBACK_RMS", "-BACKGROUND", "FILTERED", "IDENTICAL",
         "OBJECTS", "-OBJECTS", "SEGMENTATION"]
SAME = TYPES[:7]
WCS = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 5.0, "CRPIX2": 6.0, "CRVAL1": 10.0, "CRVAL2": 20.0,
       "CDELT1": -1e-4, "CDELT2": 1e-4}
TOLD = {"FILTER": "r", "EXPTIME": 300.0, "DATE-OBS": "2026-01-01T00:00:00", "GAIN": 1.5, "OBJECT": "M31",
        "LONGTEXT": "a" * 100, "HISTORY": "made", "COMMENT": "said"}


def pixels(seed=41):
    return sky(np.random.default_rng(seed), 300, 260, 5, 5).astype(np.float32)


def both(program, directory, image, columns=("NUMBER",), **settings):
    """What both write: check images by type, and the rows sorted by position."""
    (directory / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    (directory / "default.param").write_text("\n".join(columns) + "\n")
    (directory / "default.sex").write_text("DETECT_THRESH 1.5\n")
    written = []
    for name, command in (("theirs", [sextractor.PROGRAM]), ("ours", [program, "sextractor"])):
        names = {kind: directory / f"{name}{kind}.fits" for kind in TYPES}
        chosen = {"CATALOG_NAME": directory / f"{name}.cat", "CATALOG_TYPE": "FITS_1.0", "VERBOSE_TYPE": "QUIET",
                  "CHECKIMAGE_TYPE": ",".join(TYPES), "CHECKIMAGE_NAME": ",".join(map(str, names.values()))} | settings
        arguments = [str(part) for key, value in chosen.items() for part in (f"-{key}", value)]
        done = subprocess.run([*command, str(image), *arguments], cwd=directory, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        rows = fits.getdata(directory / f"{name}.cat", 1)
        if "X_IMAGE_DBL" in columns:
            rows = rows[np.argsort(rows["X_IMAGE_DBL"])]
        written.append(({kind: fits.open(path) for kind, path in names.items()}, rows))
    return written


def check_headers(theirs, ours):
    for kind in TYPES:
        for a, b in zip(theirs[kind], ours[kind], strict=True):
            if a.data is None:
                continue
            for keyword in [*TOLD, *WCS, "EXTNAME"]:
                if keyword in a.header:
                    assert keyword in b.header, (kind, keyword)
                    assert str(b.header[keyword]) == str(a.header[keyword]) or keyword in WCS
                    if isinstance(a.header[keyword], float):
                        assert b.header[keyword] == pytest.approx(a.header[keyword], rel=1e-12), (kind, keyword)


@pytest.mark.parametrize("stored", ("float", "integer", "extensions"))
def test_headers_are_carried(program, tmp_path, stored):
    header = fits.Header(TOLD | WCS)
    path = tmp_path / "image.fits"
    if stored == "extensions":
        fits.HDUList([fits.PrimaryHDU(), *(fits.ImageHDU(pixels(seed), header, name=name)
                                           for seed, name in ((41, "A"), (42, "B")))]).writeto(path)
    else:
        fits.PrimaryHDU(pixels() if stored == "float" else pixels().round().astype(np.uint16), header).writeto(path)
    (theirs, _), (ours, _) = both(program, tmp_path, path)
    check_headers(theirs, ours)
    assert ours["-BACKGROUND"][-1].header["HISTORY"] == theirs["-BACKGROUND"][-1].header["HISTORY"]
    for kind in SAME:
        for a, b in zip(theirs[kind], ours[kind], strict=True):
            assert a.data is None or np.abs(a.data - b.data).max() <= 1e-3, kind


@pytest.mark.parametrize("kind, interpolate", [("MAP_WEIGHT", "ALL"), ("MAP_WEIGHT", "NONE"), ("MAP_VAR", "NONE")])
def test_with_a_map_they_are_values_and_the_noise_of_the_mesh(program, tmp_path, kind, interpolate):
    weights = np.ones((300, 260), np.float32)
    weights[50:110, 100:150] = 0
    weights[:, 130:] *= 0.5
    bad = weights == 0
    values = weights if kind == "MAP_WEIGHT" else np.where(bad, 1e30, 500 / np.maximum(weights, 0.1))
    fits.PrimaryHDU(values.astype(np.float32)).writeto(tmp_path / "map.fits")
    fits.PrimaryHDU(pixels()).writeto(tmp_path / "image.fits")
    (theirs, _), (ours, _) = both(program, tmp_path, tmp_path / "image.fits", WEIGHT_TYPE=kind,
                                  WEIGHT_IMAGE="map.fits", INTERP_TYPE=interpolate, WEIGHT_GAIN="N")
    for name in SAME:
        assert np.abs(theirs[name][0].data - ours[name][0].data).max() <= 1e-3, name
    assert all(np.isfinite(ours[name][0].data).all() for name in TYPES)


@pytest.mark.parametrize("cards", ({}, {"CTYPE1": "LINEAR", "CTYPE2": "LINEAR", "CDELT1": 2.0, "CDELT2": 3.0}))
def test_without_a_wcs_a_pixel_is_a_degree(program, tmp_path, cards):
    fits.PrimaryHDU(pixels(), fits.Header(cards)).writeto(tmp_path / "image.fits")
    network = "/usr/share/source-extractor/default.nnw"
    (_, theirs), (_, ours) = both(program, tmp_path, tmp_path / "image.fits", ("X_IMAGE_DBL", "MU_MAX", "CLASS_STAR"),
                                  PIXEL_SCALE=0, STARNNW_NAME=network, DEBLEND_MINCONT=1, CLEAN="N")
    assert len(ours) == len(theirs) > 20
    assert np.abs(ours["MU_MAX"] - theirs["MU_MAX"]).max() < 1e-3
    assert np.abs(ours["CLASS_STAR"] - theirs["CLASS_STAR"]).max() < 1e-4


@pytest.mark.parametrize("axes", (("GLON", "GLAT"), ("GLAT", "GLON")))
def test_of_a_galactic_image_all_is_equatorial(program, tmp_path, axes):
    wcs = WCS | {"CTYPE1": axes[0] + "-TAN", "CTYPE2": axes[1] + "-TAN", "CRVAL1": 30.0, "CRVAL2": 20.0}
    fits.PrimaryHDU(pixels(), fits.Header(wcs)).writeto(tmp_path / "image.fits")
    places = [part + place + system for place in ("", "PEAK", "WIN")
              for part, system in (("X", "_WORLD"), ("Y", "_WORLD"), ("ALPHA", "_SKY"), ("DELTA", "_SKY"))]
    (_, theirs), (_, ours) = both(program, tmp_path, tmp_path / "image.fits", ("X_IMAGE_DBL", *places), PIXEL_SCALE=0,
                                  DEBLEND_MINCONT=1, CLEAN="N")
    assert len(ours) == len(theirs) > 20
    for name in places:  # SExtractor's galactic pole is a few milliarcseconds off
        assert np.abs(ours[name] - theirs[name]).max() < 1e-5, name


@pytest.mark.parametrize("settings, most", [({"CLEAN": "N"}, 0), ({"CLEAN": "N", "DETECT_MAXAREA": 30}, 0), ({}, 2e-3),
                                            ({"CLEAN": "N", "DEBLEND_MINCONT": 1, "DETECT_MINAREA": 30}, 0)])
def test_without_objects_all_pixels_above_the_threshold_are_blank(program, tmp_path, settings, most):
    """Those of components that are no sources, too small or too large, as well; of what CLEAN joins a few are not."""
    fits.PrimaryHDU(pixels()).writeto(tmp_path / "image.fits")
    (theirs, told), (ours, rows) = both(program, tmp_path, tmp_path / "image.fits", ("NUMBER", "ISOAREAF_IMAGE"), **settings)
    assert len(told) == len(rows) > 5
    theirs, ours = theirs["-OBJECTS"][0].data, ours["-OBJECTS"][0].data
    assert np.count_nonzero(theirs == 0) > 500
    other = np.abs(theirs - ours) > 1e-3
    print(f"{settings}: {other.mean():.3%} other")
    assert other.mean() <= most
