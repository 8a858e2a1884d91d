"""docs/own_camera.md: its commands run on a colour stack with borders, its log lines are there, and its zero point is right."""

import os
import pathlib
import re
import shlex
import subprocess

import pytest

from driver import ROOT

numpy = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

PAGE = (ROOT / "docs" / "own_camera.md").read_text()
ZERO_POINT, EXPOSURES = 24.31, 20


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    """A mean of exposures of three planes, with a border of zeros, and the true green fluxes of its stars."""
    folder = tmp_path_factory.mktemp("camera")
    rng = numpy.random.default_rng(4)
    height, width = 400, 600
    y, x = numpy.mgrid[:height, :width]
    stars = [(cx, cy, 10 ** rng.uniform(3.3, 5.3)) for cx in range(40, width - 30, 55) for cy in range(40, height - 30, 52)]
    cube = numpy.zeros((3, height, width))
    for plane, (sky, share) in enumerate(((900, 0.8), (1000, 1), (800, 0.6))):
        cube[plane] = rng.normal(sky, numpy.sqrt(sky / 1.3 / EXPOSURES), (height, width))
        for cx, cy, flux in stars:
            near = numpy.s_[cy - 12:cy + 13, cx - 12:cx + 13]
            cube[plane][near] += share * flux * numpy.exp(-((x[near] - cx) ** 2 + (y[near] - cy) ** 2) / 5.12) / (5.12 * numpy.pi)
    cube[:, :12] = cube[:, :, :9] = cube[:, -7:] = 0
    header = fits.Header([("EGAIN", 1.3), ("GAIN", 120), ("EXPTIME", 300.0)])
    fits.writeto(folder / "stack.fits", numpy.round(cube).astype(numpy.uint16), header)
    return folder, stars


def test_its_commands_run_and_its_lines_are_said(stack):
    folder, stars = stack
    path = f"{pathlib.Path(os.environ['SRCEXTRACT_PROGRAM']).parent}:{os.environ['PATH']}"
    commands = re.findall(r"^\$ (srcextract .*)$", PAGE, re.MULTILINE)
    assert len(commands) == 5
    said = ""
    for command in commands:
        done = subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert done.returncode == 0, done.stderr
        said += done.stderr
    for line in re.findall(r"^\| `(.*?)` \| ", PAGE, re.MULTILINE):
        assert re.sub(r"\d+ pixels of", "", line) in re.sub(r"\d+ pixels of", "", said), line
    assert "measurement.gain: the noise of the sky" in said  # the warning of which the page speaks
    table = fits.getdata(folder / "colours" / "stack.bands.cat.fits")
    assert {"FLUX_AUTO_r", "FLUX_AUTO_g", "FLUX_AUTO_b"} <= set(table.names) and len(table) == len(stars)
    assert numpy.median(table["FLUX_AUTO_r"] / table["FLUX_AUTO_g"]) == pytest.approx(0.8, rel=0.01)
    noisy, true = (fits.getdata(folder / name / "stack.cat.fits") for name in ("green", "gain"))
    assert numpy.median(noisy["FLUXERR_AUTO"] / true["FLUXERR_AUTO"]) > 1.5


def test_its_zero_point_is_that_of_the_stars(stack):
    """The lines of Python, with three stars of the stack and the table of the command in place of the package's."""
    folder, stars = stack
    table = fits.getdata(folder / "green" / "stack.cat.fits")
    lines = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    lines = re.sub(r"^(import srcextract.*|found = .*|known = .*|print.*)$", "", lines, flags=re.MULTILINE)
    known = [(cx + 1.3, cy + 0.6, ZERO_POINT - 2.5 * numpy.log10(flux)) for cx, cy, flux in stars[3:60:20]]
    names = {"found": table, "known": known}
    exec(lines, names)
    assert len(names["differences"]) == 3
    assert numpy.median(names["differences"]) == pytest.approx(ZERO_POINT, abs=0.06)
