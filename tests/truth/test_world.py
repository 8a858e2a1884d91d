"""Columns on the sky. Beside SExtractor, on the pixels that it has above its sky, which stores 24 bits of most of them, and
takes what a pixel is on the sky from the next pixel, where srcextract looks half a pixel to either side. By its numbers
SExtractor 2.25 adds but half of the term 2 J_x J_y XY to X2_WORLD, Y2_WORLD, X2WIN_WORLD and so on, though all of it to those
of ERRX2WIN_WORLD: axes and angles are compared where that term is 0, in an image that is not turned, and its errors of
windowed positions where one is turned and sheared. Its CXX_WORLD is Y2_WORLD / 10⁻⁶. Where the latitude comes first it takes
x for y in moments, and of a galactic image everything is equatorial.

Beside Astropy, also with a distortion and with coarse pixels: positions, and of moments what a small ellipse that has them
becomes on the sky, point by point."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
erfa = pytest.importorskip("erfa")
pytest.importorskip("scipy")
from astropy import units as u
from astropy.coordinates import SkyCoord
from astropy.wcs import WCS

import sextractor
from oracle_fields import field
from peers import match
from program import extract

SETTINGS = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "BACK_FILTERSIZE": 3, "THRESH_TYPE": "RELATIVE", "DETECT_THRESH": 3,
            "ANALYSIS_THRESH": 3, "MASK_TYPE": "CORRECT", "PIXEL_SCALE": 0}
POSITIONS = {"": ("X_IMAGE", "Y_IMAGE"), "PEAK": ("XPEAK_IMAGE", "YPEAK_IMAGE"), "WIN": ("XWIN_IMAGE", "YWIN_IMAGE")}
MOMENTS = {"{}": "", "{}WIN": "WIN", "ERR{}": "", "ERR{}WIN": "WIN"}
PARTS = ("X2", "Y2", "XY")
SIZES = ("A", "B")
NOISE, SIDE = 20.0, 256


def header(kind):
    """A WCS of pixels that are no squares, turned by 33 degrees and sheared unless it is `aligned`."""
    made = fits.Header()
    turned = np.radians(0.0 if kind == "aligned" else 33.0)
    scale = np.array([[-1.0, 0], [0, 0.8]] if kind == "aligned" else [[-1.0, 0.18], [0.07, 0.8]]) * (0.5 if kind == "coarse" else 1e-4)
    matrix = scale @ np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])
    axes = ("GLON", "GLAT") if kind == "galactic" else ("RA--", "DEC-")
    code = {"distorted": "-TPV", "coarse": "-CAR"}.get(kind, "-TAN")
    centre = (311.0, 0.0) if kind in ("coarse", "aligned") else (311.0, 57.0)
    order = (1, 0) if kind == "latitude first" else (0, 1)
    for i, axis in enumerate(order):
        made[f"CTYPE{i + 1}"], made[f"CUNIT{i + 1}"] = axes[axis] + code, "deg"
        made[f"CRPIX{i + 1}"], made[f"CRVAL{i + 1}"] = 100.5 + 40 * i, centre[axis]
        for j in (0, 1):
            made[f"CD{i + 1}_{j + 1}"] = matrix[axis][j]
    if kind != "galactic":
        made["RADESYS"] = "ICRS"
    if kind == "distorted":
        made.update({"PV1_1": 1.0, "PV1_4": 0.8, "PV1_7": 30.0, "PV2_1": 1.0, "PV2_5": -0.6, "PV2_8": 20.0})
    return made


def names(form, parts, system="WORLD"):
    return [f"{form.format(part)}_{system}" for part in parts]


ELLIPSES = [name for form in MOMENTS for name in names(form, (*PARTS, *SIZES))]
ANGLES = [name for form in MOMENTS for system in ("WORLD", "SKY", "J2000") for name in names(form, ["THETA"], system)]
PLACES = [f"{part}{place}_{system}" for place in POSITIONS
          for part, system in (("X", "WORLD"), ("Y", "WORLD"), ("ALPHA", "SKY"), ("DELTA", "SKY"), ("ALPHA", "J2000"),
                               ("DELTA", "J2000"))]
# Of these alone SExtractor has the moments whole where the image is turned: of the others' variances half of what XY adds.
TURNED = [*(form.format("XY") + "_WORLD" for form in MOMENTS), *names("ERR{}WIN", (*PARTS, *SIZES)), "ISOAREAF_WORLD",
          "FWHM_WORLD"]
OTHERS = ["ISOAREAF_WORLD", "FWHM_WORLD"]


def ours(program, image, kind, noise, directory, *settings, columns="all"):
    path = directory / "image.fits"
    fits.writeto(path, image, header(kind), overwrite=True)
    sets = ["weights.type=none", "background.level=0", f"background.rms={noise!r}", "detection.threshold=3",
            "measurement.gain=0", f"output.columns=[{columns}]", *settings]
    return extract(program, "plain", path, directory, "--backend", "cpu",
                   *(part for one in sets for part in ("--set", one)))[0]


def separation(a, b):
    return np.abs((a - b + 90) % 180 - 90)


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("kind, seed", [("TAN", 701), ("aligned", 702), ("aligned", 704), ("latitude first", 703)])
def test_beside_sextractor(program, tmp_path, kind, seed):
    fits.writeto(tmp_path / "theirs.fits", field(seed, SIDE, 3000, noise=NOISE, seeing=3.5), header(kind))
    asked = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "FLAGS_WIN", *PLACES, *ELLIPSES, *ANGLES, *OTHERS]
    shown = {"-BACKGROUND": tmp_path / "above.fits", "MINIBACK_RMS": tmp_path / "noises.fits"}
    table = fits.getdata(sextractor.sextract(tmp_path / "theirs.fits", tmp_path, asked, CHECKIMAGE_TYPE=",".join(shown),
                                             CHECKIMAGE_NAME=",".join(map(str, shown.values())), **SETTINGS), 1)
    above, noises = (fits.getdata(path) for path in shown.values())
    mine = ours(program, above, kind, float(np.median(noises)), tmp_path)
    index = match(mine, table["X_IMAGE_DBL"], table["Y_IMAGE_DBL"])
    told = {name: table[name][index].astype(float) for name in asked}
    whole = (mine["FLAGS_WIN"] == 0) & (told["FLAGS_WIN"] == 0)
    assert np.count_nonzero(whole) > 20
    for name in PLACES:
        assert np.abs(mine[name] - told[name])[whole].max() < 1e-9, name
    for name in {"TAN": TURNED, "aligned": ELLIPSES + OTHERS, "latitude first": []}[kind]:
        size = np.abs(told[name])
        if "XY" in name:  # of two that may cancel
            size = np.sqrt(told[name.replace("XY", "X2")] * told[name.replace("XY", "Y2")])
        assert (np.abs(mine[name] - told[name]) / size)[whole].max() < 2e-5, name
    for name in {"TAN": [name for name in ANGLES if name.startswith("ERRTHETAWIN")], "aligned": ANGLES,
                 "latitude first": []}[kind]:
        a, b = (told[one] for one in names(name.rsplit("_", 1)[0].replace("THETA", "{}"), SIZES))
        assert (separation(mine[name], told[name]) * (1 - b * b / (a * a)))[whole].max() < 2e-3, name


def on_the_sky(wcs, x, y, moments, galactic):
    """What moments become, (xx, yy, xy) with x to the east and y to the north in the system of `galactic`, by the points
    of a small ellipse that has them."""
    covariance = np.array([[moments[0], moments[2]], [moments[2], moments[1]]])
    values, vectors = np.linalg.eigh(covariance)
    circle = np.exp(2j * np.pi * np.arange(8) / 8)
    small = 0.01 / np.sqrt(values.max())
    points = small * vectors @ np.diag(np.sqrt(values)) @ np.array([circle.real, circle.imag])
    frame = "galactic" if wcs.wcs.lngtyp == "GLON" else "icrs"

    def sky(px, py):
        world = wcs.all_pix2world(np.column_stack((px, py)), 1)
        place = SkyCoord(world[:, wcs.wcs.lng] * u.deg, world[:, wcs.wcs.lat] * u.deg, frame=frame)
        return place.galactic if galactic else place.icrs

    centre, around = sky([x], [y])[0], sky(x + points[0], y + points[1])
    east, north = (np.asarray(part.deg) for part in centre.spherical_offsets_to(around))
    mean = lambda a, b: 2 * np.mean(a * b) / small**2
    return mean(east, east), mean(north, north), mean(east, north)


def axes(xx, yy, xy):
    """Major and minor axis, and the angle from x to y."""
    values, vectors = np.linalg.eigh([[xx, xy], [xy, yy]])
    return np.sqrt(values[1]), np.sqrt(max(values[0], 0)), np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))


@pytest.mark.parametrize("kind", ("TAN", "latitude first", "galactic", "distorted", "coarse"))
def test_beside_astropy(program, tmp_path, kind):
    image = field(711, SIDE, 1500, noise=NOISE, seeing=3.5) - np.float32(1000)
    mine = ours(program, image, kind, NOISE, tmp_path)
    wcs = WCS(header(kind))
    galactic = kind == "galactic"
    usable = np.flatnonzero((mine["FLAGS_WIN"] == 0) & (mine["B_IMAGE"] > 0.5))
    assert len(usable) > 50
    for place, (x, y) in POSITIONS.items():
        world = wcs.all_pix2world(np.column_stack((mine[x], mine[y])), 1)
        longitude, latitude = world[:, wcs.wcs.lng] % 360, world[:, wcs.wcs.lat]
        at = {"X": world[:, 0] % 360 if wcs.wcs.lng == 0 else world[:, 0],
              "Y": world[:, 1] % 360 if wcs.wcs.lng == 1 else world[:, 1]}
        alpha, delta = longitude, latitude
        if galactic:
            alpha, delta = np.degrees(erfa.g2icrs(np.radians(longitude), np.radians(latitude)))
        for name, told in {f"X{place}_WORLD": at["X"], f"Y{place}_WORLD": at["Y"], f"ALPHA{place}_SKY": longitude,
                           f"DELTA{place}_SKY": latitude, f"ALPHA{place}_J2000": alpha,
                           f"DELTA{place}_J2000": delta}.items():
            assert np.abs(mine[name] - told).max() < 1e-9, name
    for form, place in MOMENTS.items():
        pixel = [mine[f"{form.format(part)}_IMAGE"] for part in PARTS]
        x, y = (mine[name] for name in POSITIONS[place])
        for i in usable[:12]:
            moments = [part[i] for part in pixel]
            native = on_the_sky(wcs, x[i], y[i], moments, galactic)
            j2000 = on_the_sky(wcs, x[i], y[i], moments, False)
            told = native if wcs.wcs.lng == 0 else (native[1], native[0], native[2])
            size = told[0] + told[1]
            for name, value in zip(names(form, PARTS), told):
                assert abs(mine[name][i] - value) < 2e-4 * size, (name, i)
            if form == "{}":
                determinant = told[0] * told[1] - told[2] ** 2
                for name, value in zip(("CXX", "CYY", "CXY"), (told[1], told[0], -2 * told[2])):
                    assert abs(mine[f"{name}_WORLD"][i] - value / determinant) < 2e-3 * size / determinant, (name, i)
            a, b, angle = axes(*told)
            assert mine[names(form, "A")[0]][i] == pytest.approx(a, rel=2e-4)
            assert mine[names(form, "B")[0]][i] == pytest.approx(b, rel=1e-3)
            for system, expected in (("WORLD", angle), ("SKY", 90 - axes(*native)[2]), ("J2000", 90 - axes(*j2000)[2])):
                name = names(form, ["THETA"], system)[0]
                assert separation(mine[name][i], expected) < 0.02 / (1 - (b / a) ** 2), (name, i)


def test_what_is_not_there(program, tmp_path):
    """No columns on the sky without a WCS; what they are made of is not written unless it was asked for."""
    image = field(721, SIDE, 1000, noise=NOISE) - np.float32(1000)
    columns = "NUMBER, ALPHAWIN_J2000, ERRTHETA_SKY, FWHM_WORLD"
    mine = ours(program, image, "TAN", NOISE, tmp_path, columns=columns)
    assert list(mine) == ["NUMBER", "ALPHAWIN_J2000", "FWHM_WORLD", "ERRTHETA_SKY"]
    every = ours(program, image, "TAN", NOISE, tmp_path)
    for name in mine:
        assert np.array_equal(mine[name], every[name], equal_nan=True), name
    fits.writeto(tmp_path / "plain.fits", image)
    plain = extract(program, "plain", tmp_path / "plain.fits", tmp_path, "--set", f"output.columns=[{columns}]")[0]
    assert list(plain) == ["NUMBER"]


def test_both_signs(program, tmp_path):
    """Sources that are fainter than the sky have their places too."""
    image = field(731, SIDE, 1000, noise=NOISE) - np.float32(1000)
    image = np.hstack((image, -image))
    mine = ours(program, image, "TAN", NOISE, tmp_path, "detection.sign=both")
    assert 10 < np.count_nonzero(mine["SIGN"] < 0) < len(mine["SIGN"]) - 10
    world = WCS(header("TAN")).all_pix2world(np.column_stack((mine["XPEAK_IMAGE"], mine["YPEAK_IMAGE"])), 1)
    assert np.abs(mine["ALPHAPEAK_J2000"] - world[:, 0]).max() < 1e-9
    assert np.abs(mine["DELTAPEAK_SKY"] - world[:, 1]).max() < 1e-9


def test_compare_takes_them(program, tmp_path):
    """The same catalogue in two formats, and one whose longitudes are a full turn further."""
    image = field(741, SIDE, 1500, noise=NOISE) - np.float32(1000)
    ours(program, image, "TAN", NOISE, tmp_path, "output.formats=[fits, csv, ecsv]")
    text = (tmp_path / "image.cat.csv").read_text().splitlines()
    columns = text[0].split(",")
    at = [columns.index(name) for name in ("XWIN_WORLD", "ALPHAPEAK_SKY", "XPEAK_WORLD", "ALPHAPEAK_J2000")]
    rows = [line.split(",") for line in text[1:]]
    for row in rows:
        for i in at:
            row[i] = repr(float(row[i]) - 360)
    (tmp_path / "turned.csv").write_text("\n".join(",".join(row) for row in [columns, *rows]) + "\n")
    for other in ("image.cat.ecsv", "turned.csv"):
        done = subprocess.run([program, "compare", tmp_path / "image.cat.fits", tmp_path / other], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
