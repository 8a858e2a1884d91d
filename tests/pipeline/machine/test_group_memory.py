"""An image, or a catalogue, that needs more than a control group allows: a message, and no SIGKILL of the system."""

import gzip
import os
import pathlib
import subprocess

import pytest

from driver import ROOT

WIDTH = 16384
GIGABYTE = 1 << 30


@pytest.fixture
def group():
    """A control group of 1 GB, as a container or a Slurm job is: a function that makes a process enter it."""
    if os.environ.get("SRCEXTRACT_SANITIZE"):
        pytest.skip("sanitizers: memory is not the program's own")
    lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
    for _, controllers, path in lines:
        first = "memory" in controllers.split(",")
        if not first and controllers != "":
            continue
        parent = pathlib.Path("/sys/fs/cgroup/memory" if first else "/sys/fs/cgroup") / path.lstrip("/")
        mine = parent / f"srcextract-test-{os.getpid()}"
        try:
            mine.mkdir()
            (mine / ("memory.limit_in_bytes" if first else "memory.max")).write_text(str(GIGABYTE))
        except OSError:
            if mine.is_dir():
                mine.rmdir()
            continue
        yield lambda: (mine / "cgroup.procs").write_text("0" if not first else str(os.getpid()))
        mine.rmdir()
        return
    pytest.skip("no data: no control group with a limit can be made here")


def test_an_image_beyond_the_limit_of_the_group_is_an_error_with_a_message(group, tmp_path):
    """Ten times: what the system kills first is chance. A second sky needs the whole image."""
    cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
             f"NAXIS1  = {WIDTH:20}", f"NAXIS2  = {WIDTH:20}", "END"]
    with open(tmp_path / "large.fits", "wb") as file:
        file.write("".join(card.ljust(80) for card in cards).encode().ljust(2880))
        file.truncate(2880 + 4 * WIDTH * WIDTH)  # sparse
    for _ in range(10):
        done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "--backend", "cpu", "-o", "out", "--set",
                               "background.refine=2", ROOT / "config/default.yaml", "large.fits"], cwd=tmp_path, capture_output=True, text=True, preexec_fn=group, timeout=300)
        assert done.returncode == 1, (done.returncode, done.stderr)
        assert "MB of memory" in done.stderr and "control group" in done.stderr, done.stderr


def test_a_small_image_fits(group, tmp_path):
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "-q", "--backend", "cpu", "-o", "out",
                           ROOT / "config/default.yaml", ROOT / "data/sky.fits"], cwd=tmp_path, capture_output=True, text=True,
                          preexec_fn=group, timeout=300)
    assert done.returncode == 0, done.stderr


def test_a_catalogue_beyond_the_limit_of_the_group_is_an_error_with_a_message(group, tmp_path):
    with gzip.open(tmp_path / "large.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"X_IMAGE,Y_IMAGE\n")
        for _ in range(120):
            file.write(b"1,1\n" * 1_000_000)
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "compare", "large.csv.gz", "large.csv.gz"], cwd=tmp_path,
                          capture_output=True, text=True, preexec_fn=group, timeout=300)
    assert done.returncode == 1 and "MB of memory" in done.stderr, (done.returncode, done.stderr)
