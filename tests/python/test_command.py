"""`pip install` brings the command: the same program as build/srcextract."""
import importlib.metadata
import os
import pathlib
import subprocess
import sysconfig

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
try:
    installed = any(file.name == "srcextract" for file in importlib.metadata.distribution("srcextract").files or [])
except importlib.metadata.PackageNotFoundError:
    pytest.skip("no data: the package is not installed, it is imported from a build", allow_module_level=True)
COMMAND = pathlib.Path(sysconfig.get_path("scripts")) / "srcextract"
PROGRAM = os.environ.get("SRCEXTRACT_PROGRAM")


def test_the_command_is_installed():
    assert installed and os.access(COMMAND, os.X_OK)


@pytest.mark.parametrize("arguments", [["--help"], ["batch", "--help"], ["columns", "-x"], ["no.yaml", "no.fits"],
                                       ["config/default.yaml", "data/none.fits"]])
def test_it_answers_as_the_program(arguments):
    if not PROGRAM:
        pytest.skip("no data: SRCEXTRACT_PROGRAM names no program")
    done = [subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True)
            for program in (COMMAND, PROGRAM)]
    assert (done[0].returncode, done[0].stdout, done[0].stderr) == (done[1].returncode, done[1].stdout, done[1].stderr)


def test_it_writes_the_bytes_of_the_program(tmp_path):
    if not PROGRAM:
        pytest.skip("no data: SRCEXTRACT_PROGRAM names no program")
    for name, program in (("command", COMMAND), ("program", PROGRAM)):
        subprocess.run([program, "-q", "-o", tmp_path / name, ROOT / "config/default.yaml", ROOT / "data/sky.fits"],
                       check=True)
    written = [(tmp_path / name / "sky.cat.fits").read_bytes() for name in ("command", "program")]
    assert written[0] == written[1] and len(written[0]) > 10_000
