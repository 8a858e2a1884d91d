"""A reader of standard output that has enough, as `head`, closes the pipe. That is no error; a full disk is one."""

import os
import subprocess

import pytest

from fits_files import write_sky


@pytest.mark.parametrize("arguments", [
    [], ["--help"], ["--version"], ["--dump-config", "c.yaml"], ["keys"], ["keys", "output"], ["columns"], ["columns", "all"],
    ["help"], ["batch", "--help"], ["status", "--help"], ["merge", "--help"], ["difference", "--help"], ["inject", "--help"],
    ["psf", "--help"], ["compare", "--help"], ["convert-config", "--help"], ["convert-config", "old.sex"],
    ["sextractor", "-h"], ["sextractor", "-v"], ["sextractor", "-dd"], ["sextractor", "-dp"],
    ["batch", "c.yaml", "images", "-o", "out", "--dry-run"],
], ids=" ".join)
def test_a_reader_that_has_enough_is_no_error(tmp_path, config, arguments):
    """As `head -3`, which closes the pipe."""
    (tmp_path / "old.sex").write_text("GAIN 2\n")
    (tmp_path / "images").mkdir()
    write_sky(tmp_path / "images/sky.fits")
    read, closed = os.pipe()
    os.close(read)
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], *arguments], cwd=tmp_path, stdout=closed, stderr=subprocess.PIPE,
                          text=True)
    os.close(closed)
    assert done.returncode == 0 and "error" not in done.stderr.split() and "standard output" not in done.stderr, done.stderr


def test_a_comparison_keeps_its_exit_code_where_nobody_reads_on(tmp_path):
    for name, flux in ("old.csv", 100), ("new.csv", 900):
        (tmp_path / name).write_text(f"X_IMAGE,Y_IMAGE,FLUX_ISO,FLUXERR_ISO\n10.0,20.0,{flux},1.0\n")
    read, closed = os.pipe()
    os.close(read)
    codes = [subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "compare", "old.csv", "new.csv"], cwd=tmp_path, stdout=stdout,
                            stderr=subprocess.PIPE).returncode for stdout in (subprocess.DEVNULL, closed)]
    os.close(closed)
    assert codes[0] == codes[1] == 5
