import os
import subprocess
from types import SimpleNamespace

import pytest

from fits_files import write_sky


def pytest_configure():
    if "SRCEXTRACT_PROGRAM" not in os.environ:
        raise pytest.UsageError("SRCEXTRACT_PROGRAM must name the program to test")


@pytest.fixture
def run(tmp_path):
    """Runs the program in the test's own directory; `env` is added to the environment."""

    def run_in(*arguments, env=None, cwd=tmp_path, **more):
        command = [os.environ["SRCEXTRACT_PROGRAM"], *map(str, arguments)]
        done = subprocess.run(command, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, **more)
        return SimpleNamespace(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    return run_in


@pytest.fixture
def config(tmp_path):
    """A configuration whose results for fits_files.sky() are known by hand."""
    path = tmp_path / "c.yaml"
    path.write_text("measurement:\n  reference: zero\noutput:\n  formats: [csv]\n")
    return path


@pytest.fixture
def image(tmp_path):
    return write_sky(tmp_path / "sky.fits")
