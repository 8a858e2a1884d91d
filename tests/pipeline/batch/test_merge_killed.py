"""`srcextract merge` that is killed at any instant: what is at the name of the survey, or of its page, is what was there
before, or the whole new one."""

import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from driver import ROOT, run_program
from fits_files import TAN, write_sky

LONG = "SRCEXTRACT_LONG" in os.environ
KILLS = 200 if LONG else 12
IMAGES = 600
SEED = int(os.environ.get("SRCEXTRACT_CHAOS_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
FORMATS = ["fits", "csv", "ecsv", "vot", "xml", "parquet", "reg", "hats"]


@pytest.fixture(scope="module")
def surveys(tmp_path_factory):
    """A small one, and a larger one, whose merged catalogue is told from the other's by its size."""
    directory = tmp_path_factory.mktemp("killed")
    write_sky(directory / "one.fits", **TAN)
    for name, count in (("small", 1), ("large", IMAGES)):
        images = directory / f"images-{name}"
        images.mkdir()
        for i in range(count):
            os.link(directory / "one.fits", images / f"{i:04d}.fits")
        done = run_program("batch", "-q", "--set", "output.formats=[fits]", ROOT / "tests/support/plain.yaml", images, "-o", name, cwd=directory)
        assert done.code == 0, done.err
    return directory


def contents(path):
    """Of a file, or of all files of a directory."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("ending", FORMATS)
def test_what_is_there_is_whole(surveys, tmp_path, ending):
    output, page = tmp_path / f"survey.{ending}", tmp_path / "survey.report.html"

    def merge(name):
        start = time.monotonic()
        done = run_program("merge", "-q", surveys / name, "-o", output, "--report", cwd=tmp_path)
        assert done.code == 0, done.err
        return contents(output), page.read_bytes(), time.monotonic() - start

    (new, new_page, _), (old, old_page, _) = merge("large"), merge("small")
    assert new != old and new_page != old_page
    new, new_page, took = merge("large")
    merge("small")
    chance = random.Random(SEED)
    killed = 0
    for _ in range(KILLS):
        if output.is_dir():
            shutil.rmtree(output)
        merge("small")
        process = subprocess.Popen([os.environ["SRCEXTRACT_PROGRAM"], "merge", "-q", surveys / "large", "-o", output, "--report"],
                                   cwd=tmp_path)
        time.sleep(chance.uniform(0, 1.1 * took))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        assert contents(output) in (old, new), f"SRCEXTRACT_CHAOS_SEED={SEED}"
        assert page.read_bytes() in (old_page, new_page), f"SRCEXTRACT_CHAOS_SEED={SEED}"
    assert killed > KILLS / 4
    assert merge("large")[0] == new
    # A file that waits for its rename has a name, a hidden one, which a process may leave that is killed there.
    left = {path.name for path in tmp_path.iterdir()} - set(survey_files(output))
    assert all(name.startswith(".srcextract.") and name.endswith(".tmp") for name in left), left


def survey_files(output):
    return {output.name, f"survey.images{output.suffix}", "survey.report.html"}
