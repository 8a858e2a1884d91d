"""The C library may round sin, exp, hypot ... as it likes. With one whose results are a last bit off, every command writes
the same numbers, but for positions, sizes and angles on the sky, which wcslib makes."""
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import continuum_maps
import cube_maps
import moffat_frames
import survey_fields
import wide_maps
from program import ROOT

MOVED = os.environ["SRCEXTRACT_LAST_BIT"]
ONE = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf")
TWO = ("atan2", "hypot", "pow")

# Columns on the sky: positions by every name, and sizes, angles and distances there, with their errors.
ON_THE_SKY = re.compile(r".*_(WORLD|SKY|J2000|B1950)|(E_)?(RA|DEC)(_max)?|COV_RA_DEC|(E_)?(DC_)?(Maj|Min|PA)|DC_MAJ_LIM")


def test_the_library_moves_what_the_program_might_call():
    code = f"""
import ctypes
moved, real = ctypes.CDLL(None), ctypes.CDLL("libm.so.6")
for names, values in (({ONE}, (0.3,)), ({TWO}, (0.3, 0.7))):
    for name in names:
        for ending, kind in (("", ctypes.c_double), ("f", ctypes.c_float)):
            results = []
            for library in (moved, real):
                function = library[name + ending]
                function.restype, function.argtypes = kind, [kind] * len(values)
                results.append(function(*values))
            assert results[0] != results[1] and abs(results[0] / results[1] - 1) < 3e-7, (name + ending, results)
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"LD_PRELOAD": MOVED})


def contents(directory):
    """The bytes of each column of each table, and of each image, in a directory: {(file, HDU, column): bytes}."""
    found = {}
    for path in sorted(directory.rglob("*")):
        if path.suffix not in (".fits", ".psf", ".cat"):
            continue
        with fits.open(path) as hdus:
            for number, hdu in enumerate(hdus):
                if isinstance(hdu, fits.BinTableHDU):
                    for name in hdu.columns.names:
                        found[path.name, number, name] = np.asarray(hdu.data.field(name)).tobytes()
                    found[path.name, number, "rows"] = len(hdu.data)
                elif hdu.data is not None:
                    found[path.name, number, "pixels"] = np.asarray(hdu.data).tobytes()
    return found


def run_both(program, directory, prepare, *arguments):
    """Runs a command in two folders that `prepare` fills, in one with the other C library, and returns which columns differ."""
    of_both = []
    for name, more in (("usual", {}), ("moved", {"LD_PRELOAD": MOVED})):
        place = directory / name
        place.mkdir()
        prepare(place)
        inputs = set(place.iterdir())
        done = subprocess.run([program, *map(str, arguments)], cwd=place, env=os.environ | more, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for path in inputs:
            path.unlink()
        of_both.append(contents(place))
    usual, moved = of_both
    assert usual.keys() == moved.keys() and any(name == "rows" and rows > 10 for (_, _, name), rows in usual.items())
    return {name for (file, hdu, name), values in usual.items() if values != moved[file, hdu, name]}


def check(changed, *, sky=True):
    assert {name for name in changed if not ON_THE_SKY.fullmatch(name)} == set()
    if sky:  # the program calls the other library
        assert changed


def sets(*settings):
    return [part for one in settings for part in ("--set", one)]


ALL = sets("output.columns=[all]", "measurement.apertures=[5, 10]", "measurement.gain=2")


def sky(place, name="sky"):
    shutil.copy(ROOT / "data" / f"{name}.fits", place / "field.fits")


@pytest.mark.parametrize("configuration, name", (("default", "sky"), ("sextractor", "sky"), ("lesson", "sky_subtracted")))
def test_catalogues(program, tmp_path, configuration, name):
    check(run_both(program, tmp_path, lambda place: sky(place, name), "--backend", "cpu", *ALL,
                   ROOT / f"config/{configuration}.yaml", "field.fits"))


def test_thresholds_in_magnitudes(program, tmp_path):
    check(run_both(program, tmp_path, sky, "--backend", "cpu", *ALL, *sets("detection.threshold_unit=mag_per_arcsec2",
                   "detection.threshold=23", "measurement.zero_point=27"), "field.fits"))


def test_psfs_and_crowds(program, tmp_path):
    check(run_both(program, tmp_path, sky, "crowd", "--backend", "cpu", *sets("psf.method=fit", "output.psf=true"),
                   "field.fits"))
    (tmp_path / "psf").mkdir()
    check(run_both(program, tmp_path / "psf", sky, "psf", "--backend", "cpu", "field.fits"), sky=False)


def test_given_ellipses(program, tmp_path):
    def prepare(place):
        sky(place)
        rng = np.random.default_rng(5)
        rows = np.column_stack([rng.uniform(20, 1000, (200, 2)), rng.uniform(3, 6, 200), rng.uniform(1, 3, 200),
                                rng.uniform(-90, 90, 200)])
        np.savetxt(place / "places.csv", rows, delimiter=",", header="X_IMAGE,Y_IMAGE,A_IMAGE,B_IMAGE,THETA_IMAGE", comments="")

    check(run_both(program, tmp_path, prepare, "--positions", "places.csv", "--backend", "cpu", *ALL, "field.fits"))


@pytest.mark.parametrize("kernel", ("fitted", "gaussian"))
def test_differences(program, tmp_path, kernel):
    def prepare(place):
        reference, new = moffat_frames.frames(3, (3.2,), (3.9,))
        head = survey_fields.header(0.4, GAIN=1.5)
        fits.writeto(place / "reference.fits", reference, head)
        fits.writeto(place / "new.fits", new, head)

    widths = sets("difference.reference_fwhm=3.2", "difference.new_fwhm=3.9") if kernel == "gaussian" else []
    check(run_both(program, tmp_path, prepare, "difference", "--backend", "cpu", *ALL,
                   *sets(f"difference.kernel={kernel}"), *widths, "reference.fits", "new.fits"))


RADIO = (*sets("output.catalogues=[srl, gaul]", "fit.reliability=true"), ROOT / "config/radio.yaml")


@pytest.mark.parametrize("cards, settings", (({}, ()), ({"BUNIT": "10**(-3) Jy/beam"}, ()), ({"CROTA2": 20.0}, ()),
                                             ({}, ("beam.source=given", "beam.fwhm=[10.4, 7.6]", "beam.angle=40"))))
def test_gaussians_of_radio_maps(program, tmp_path, cards, settings):
    def prepare(place):
        continuum_maps.Field(31, doubles=10).write(place / "map.fits", **cards)

    check(run_both(program, tmp_path, prepare, "--backend", "cpu", *sets(*settings), *RADIO, "map.fits"))


def test_beams_of_wide_maps(program, tmp_path):
    """Their pixels differ on the sky, which wcslib tells."""
    def prepare(place):
        shape, beam = (400, 700), (0.05, 0.04)
        cards = wide_maps.header("CAR", 0.01, shape, beam, "K", crval=(180.0, 0.0), angle=30.0, pixel=(350.5, -5800.0))
        places = wide_maps.WCS(cards).all_pix2world(*np.mgrid[30:680:60, 30:380:50].reshape(2, -1), 0)
        image, _ = wide_maps.draw(cards, shape, np.column_stack(places), 1.0, beam, 30.0)
        fits.writeto(place / "map.fits", image.astype("f4"), cards)

    check(run_both(program, tmp_path, prepare, "--backend", "cpu", *RADIO, "map.fits"))


def test_spectra_and_polarisation(program, tmp_path):
    def prepare(place):
        cube = cube_maps.Cube(3, curved=4.0, snr=(100, 300), unlike=True)
        planes = np.array([cube.i, *([one] * len(cube.i) for one in cube.polarised)])
        cube.write(place / "map.fits", planes)

    check(run_both(program, tmp_path, prepare, "--backend", "cpu", *sets("input.plane=4", "fit.channels=true", "fit.stokes=true"),
                   *RADIO, "map.fits"))


def test_sextractors_arguments(program, tmp_path):
    def prepare(place):
        sky(place)
        rng = np.random.default_rng(7)
        np.savetxt(place / "some.list", np.column_stack([rng.uniform(1, 1024, (20000, 2)), rng.uniform(15, 22, 20000)]))
        (place / "some.param").write_text("NUMBER\nX_IMAGE\nY_IMAGE\nALPHA_J2000\nDELTA_J2000\nFLUX_AUTO\nMAG_AUTO\n"
                                          "THETA_IMAGE\nMU_THRESHOLD\nVECTOR_ASSOC(3)\nNUMBER_ASSOC\n")

    for kind in ("MAG_MEAN", "MAG_SUM"):
        (tmp_path / kind).mkdir()
        check(run_both(program, tmp_path / kind, prepare, "sextractor", "field.fits", "-PARAMETERS_NAME", "some.param",
                       "-CATALOG_TYPE", "FITS_1.0", "-ASSOC_NAME", "some.list", "-ASSOC_PARAMS", "1,2,3", "-ASSOC_TYPE", kind,
                       "-ASSOC_RADIUS", "6", "-DETECT_THRESH", "23,27", "-ANALYSIS_THRESH", "23,27", "-PIXEL_SCALE", "0.4", "-FILTER", "N"))
