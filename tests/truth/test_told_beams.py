"""Where the beam of a radio map comes from: a circle without BPA, a table BEAMS with and without CASAMBM, rows of it that
are no beam. What is not used is told."""
import subprocess

import numpy as np
import pytest

pytest.importorskip("scipy")
fits = pytest.importorskip("astropy.io.fits")
table = pytest.importorskip("astropy.table")

import wide_maps

CELL, BEAM = 0.001, (0.006, 0.006)
SHAPE = (128, 128)


def write(path, keywords=(), beams=None, planes=1):
    header = wide_maps.header("SIN", CELL, SHAPE, BEAM, "Jy/beam", crval=(20.0, 10.0))
    image, _ = wide_maps.draw(header, SHAPE, [(20.01, 10.02), (19.98, 9.97)], 1.0, BEAM, noise=0.002)
    for key, value in dict(keywords).items():
        if value is None:
            del header[key]
        else:
            header[key] = value
    header.update(CTYPE3="FREQ", CRVAL3=1.4e9, CDELT3=1e6, CRPIX3=1.0)
    hdus = fits.HDUList([fits.PrimaryHDU(np.repeat(image[None].astype("f4"), planes, 0), header)])
    if beams is not None:
        rows = np.array(beams, float).reshape(-1, 3)
        columns = [fits.Column(name, "E", unit, array=rows[:, i])
                   for i, (name, unit) in enumerate([("BMAJ", "arcsec"), ("BMIN", "arcsec"), ("BPA", "deg")])]
        columns += [fits.Column("CHAN", "J", array=np.arange(len(rows))), fits.Column("POL", "J", array=np.zeros(len(rows), int))]
        hdus.append(fits.BinTableHDU.from_columns(columns, name="BEAMS"))
    hdus.writeto(path)
    return path


def run(program, path, *options):
    return subprocess.run([program, "--backend", "cpu", "-o", path.parent, *options, "radio", path], capture_output=True,
                          text=True)


def beam_of(path):
    header = fits.getheader(path.with_suffix(".gaul.fits"), 1)
    return [header["BMAJ"] * 3600, header["BMIN"] * 3600, header["BPA"]]


def warnings(done):
    return [line for line in done.stderr.splitlines() if line.startswith("warning")]


def test_a_circle_needs_no_angle(program, tmp_path):
    done = run(program, write(tmp_path / "circle.fits", {"BPA": None}))
    assert done.returncode == 0 and not warnings(done), done.stderr
    assert beam_of(tmp_path / "circle.fits") == pytest.approx([21.6, 21.6, 0])
    history = write(tmp_path / "history.fits", {"BMAJ": None, "BMIN": None, "BPA": None})
    with fits.open(history, "update") as hdus:
        hdus[0].header["HISTORY"] = "AIPS   CLEAN BMAJ=  6.0000E-03 BMIN=  6.0000E-03"
    done = run(program, history)
    assert done.returncode == 0 and beam_of(history) == pytest.approx([21.6, 21.6, 0])


def test_an_ellipse_needs_its_angle(program, tmp_path):
    done = run(program, write(tmp_path / "ellipse.fits", {"BPA": None, "BMIN": 0.005}))
    assert done.returncode == 3 and "no number BPA" in done.stderr


def test_a_table_of_which_no_header_tells_is_used_and_told(program, tmp_path):
    path = write(tmp_path / "beams.fits", beams=[(24, 20, 30)])
    done = run(program, path)
    assert done.returncode == 0 and beam_of(path) == pytest.approx([24, 20, 30])
    assert len(warnings(done)) == 1 and "CASAMBM" in done.stderr and "beam.source" in done.stderr
    assert not warnings(run(program, path, "--set", "beam.source=table"))
    assert not warnings(run(program, write(tmp_path / "casa.fits", {"CASAMBM": True}, [(24, 20, 30)])))


def test_a_table_that_the_header_denies_is_told(program, tmp_path):
    path = write(tmp_path / "denied.fits", {"CASAMBM": False}, [(24, 20, 30)])
    done = run(program, path)
    assert beam_of(path)[0] == pytest.approx(21.6)
    assert len(warnings(done)) == 1 and "CASAMBM = F" in done.stderr and "beam.source to table" in done.stderr


@pytest.mark.parametrize("beam", [(np.nan, 20, 30), (24, np.nan, 30), (24, 20, np.nan), (np.inf, 20, 30), (-24, 20, 30)])
def test_a_row_that_is_no_beam_is_named(program, tmp_path, beam):
    """The only plane has the header's beam, with a word; in a sum of two planes the other's is left."""
    path = write(tmp_path / "one.fits", {"CASAMBM": True}, [beam])
    done = run(program, path)
    assert done.returncode == 0 and beam_of(path)[0] == pytest.approx(21.6)
    assert any("plane 1" in line and "row 1" in line and "beam.source" in line for line in warnings(done)), done.stderr
    path = write(tmp_path / "two.fits", {"CASAMBM": True}, [(24, 20, 30), beam], planes=2)
    done = run(program, path, "--set", "combine.method=mean", "--set", "combine.planes=[1, 2]")
    assert done.returncode == 0, done.stderr
    assert beam_of(path) == pytest.approx([24, 20, 30])
    assert any("plane 2" in line and "row 2" in line for line in warnings(done)), done.stderr


def test_a_beam_without_radio_says_what_it_needs(program, tmp_path):
    path = write(tmp_path / "map.fits")
    settings = ["--set", "beam.source=given", "--set", "beam.fwhm=[20, 20]"]
    done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, *settings, path], capture_output=True, text=True)
    assert done.returncode == 2
    assert "'beam.source' has no use but with fit.model gaussians" in done.stderr and "radio" in done.stderr
    assert run(program, path, *settings).returncode == 0
    more = ["--set", "detection.false_discovery_rate=0.01", "--set", "detection.correlated_pixels=0"]
    done = subprocess.run([program, "-v", "--backend", "cpu", "-o", tmp_path, *settings, *more, path], capture_output=True,
                          text=True)
    assert done.returncode == 0 and "pixels share their noise" in done.stderr, done.stderr
