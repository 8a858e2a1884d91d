"""`srcextract compare`: what memory large catalogues take, seen from outside."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("astropy")
from astropy.table import Table  # noqa: E402

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
ROWS, COLUMNS = 400_000, 24
MEGABYTE = 1_000_000


def peak(tmp_path, *arguments):
    """The most memory of a comparison, and its report: what a process has had before it becomes the program counts, so
    a small one starts it."""
    script = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode;"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, code)")
    program = os.environ["SRCEXTRACT_PROGRAM"]
    done = subprocess.run([sys.executable, "-c", script, program, "compare", "-q", "--json", tmp_path / "report.json",
                           *map(str, arguments)], capture_output=True, text=True, check=True)
    memory, code = done.stdout.split()[-2:]
    assert code in ("0", "5"), done.stderr
    return int(memory), json.loads((tmp_path / "report.json").read_text())


@pytest.mark.skipif(SANITIZED, reason="sanitizers: they take memory of their own")
def test_more_threads_take_no_more_memory(tmp_path):
    """A column in work is half a dozen numbers a row: sixteen at once were 300 MB of these."""
    random = np.random.default_rng(5)
    x, y = random.uniform(1, 20_000, (2, ROWS))
    for name in ("old", "new"):
        table = Table({"X_IMAGE": x + random.normal(0, 0.05, ROWS), "Y_IMAGE": y + random.normal(0, 0.05, ROWS)})
        for column in range(COLUMNS):
            table[f"QUANTITY_{column}"] = 100 + random.normal(0, 1, ROWS)
        table.write(tmp_path / f"{name}.fits")
    files = tmp_path / "old.fits", tmp_path / "new.fits"
    one, by_one = peak(tmp_path, "--threads", 1, *files)
    many, by_many = peak(tmp_path, "--threads", 16, *files)
    assert by_one == by_many
    assert by_many["files"][0]["sources"]["matched"] > 0.99 * ROWS
    assert len(by_many["files"][0]["columns"]) == COLUMNS + 2
    assert many < one + 60 * MEGABYTE
