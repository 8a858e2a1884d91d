"""docs/tutorials/coming_from_sextractor.md: its commands run on a night with a broken image, and agree with SExtractor's own
catalogue."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

from driver import ROOT

PAGE = (ROOT / "docs" / "tutorials" / "coming_from_sextractor.md").read_text()
SEXTRACTOR = shutil.which("source-extractor")
KERNEL = pathlib.Path("/usr/share/source-extractor/default.conv")

pytestmark = pytest.mark.skipif(SEXTRACTOR is None or not KERNEL.exists(), reason="SExtractor is not installed")


def test_a_night(tmp_path):
    run = {"cwd": tmp_path, "capture_output": True, "text": True,
           "env": {**os.environ, "PATH": f"{pathlib.Path(os.environ['SRCEXTRACT_PROGRAM']).parent}:{os.environ['PATH']}"}}
    (tmp_path / "default.sex").write_text(subprocess.run([SEXTRACTOR, "-dd"], **run).stdout)
    (tmp_path / "default.param").write_text("NUMBER\nX_IMAGE\nY_IMAGE\nFLUX_AUTO\nFLUXERR_AUTO\nMAG_AUTO\nFLAGS\n")
    shutil.copy(KERNEL, tmp_path)
    (tmp_path / "images").mkdir()
    sky = (ROOT / "data" / "sky.fits").read_bytes()
    for path in ("m31.fits", "images/a.fits", "images/b.fits"):
        (tmp_path / path).write_bytes(sky)
    (tmp_path / "images/cut.fits").write_bytes(sky[:100_000])
    theirs = subprocess.run([SEXTRACTOR, "m31.fits", "-c", "default.sex", "-CATALOG_NAME", "theirs.cat", "-VERBOSE_TYPE", "QUIET"], **run)
    assert theirs.returncode == 0, theirs.stderr

    commands = re.findall(r"^\$ (srcextract .*)$", PAGE, re.MULTILINE)
    assert len(commands) == 7
    said = {}
    for command in commands:
        done = subprocess.run(shlex.split(command), **run)
        expected = 6 if " batch " in command else 0  # of the broken image
        assert done.returncode in (0, expected), (command, done.stderr)
        said[command.split()[1]] = done.stdout + done.stderr
    assert "are equal (453 rows, " in said["compare"]
    assert "2 images done, 1 failed" in said["status"]
    assert "cut.fits" in (tmp_path / "night/failures.csv").read_text() and (tmp_path / "night.cat.fits").exists()
    judged = subprocess.run(["srcextract", "compare", "theirs.cat", "m31.cat.txt"], **run).stdout
    assert "453 matched by pixel within 1.5 pixels, 0 lost, 0 new" in judged


def test_the_settings_that_it_names_are_known():
    program = os.environ["SRCEXTRACT_PROGRAM"]
    settings = re.findall(r"--set '?([a-z_]+\.[a-z_]+=[^`' ]+)'?", PAGE)
    assert len(settings) >= 6
    for setting in settings:
        done = subprocess.run([program, "keys", setting.split("=")[0]], capture_output=True, text=True)
        assert done.returncode == 0, setting
