"""`ulimit -v`: counts as the memory that there is, in the message and in what is done at once."""

import gzip
import os
import resource
import subprocess

import pytest

from driver import ROOT
from fits_files import hdu

pytestmark = pytest.mark.skipif(bool(os.environ.get("SRCEXTRACT_SANITIZE")), reason="sanitizers: they need the address space")
MEGABYTE = 1 << 20


def run_within(megabytes, tmp_path, *arguments):
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE,) * 2))
    assert " 0.0 GB" not in done.stderr
    return done.returncode, done.stderr


def zeros(path, side, opened=open):
    """An image of bytes that takes little of the disk."""
    with opened(path, "wb") as file:
        file.write(hdu((side, side), 8)[:2880])
        file.write(bytes(-(-side * side // 2880) * 2880))


def test_a_large_image_is_refused_with_the_limit(tmp_path):
    zeros(tmp_path / "large.fits", 6000)
    code, said = run_within(200, tmp_path, "-q", "--backend", "cpu", "--threads", "1", "large.fits")
    assert code == 1 and "MB of memory" in said and "`ulimit -v` allows" in said, said


def test_a_gzipped_image_is_refused_before_it_is_inflated(tmp_path):
    zeros(tmp_path / "large.fits.gz", 20000, lambda *how: gzip.open(*how, compresslevel=1))
    code, said = run_within(200, tmp_path, "-q", "--backend", "cpu", "--threads", "1", "large.fits.gz")
    assert code == 1 and "inflated, the file has 400" in said and "is the most for one file" in said, said


@pytest.mark.parametrize("megabytes", (70, 100, 400))  # the program with CUDA and its libraries take 47 of them
def test_a_small_image_is_extracted(tmp_path, megabytes):
    code, said = run_within(megabytes, tmp_path, "-q", "--backend", "cpu", "--threads", "1", "-o", "out", str(ROOT / "data/sky.fits"))
    assert code == 0, said
    assert (tmp_path / "out" / "sky.cat.fits").is_file()


def test_a_survey_goes_on_behind_it(tmp_path):
    zeros(tmp_path / "a.fits", 6000)
    (tmp_path / "b.fits").write_bytes((ROOT / "data/sky.fits").read_bytes())
    code, said = run_within(200, tmp_path, "batch", "-q", "--backend", "cpu", "--threads", "1", "-o", "out", "a.fits", "b.fits")
    assert code == 6, said
    assert "a.fits,,"  in (tmp_path / "out" / "failures.csv").read_text() and ",memory," in (tmp_path / "out" / "failures.csv").read_text()
    assert (tmp_path / "out" / "b.cat.fits").is_file()
