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
    for name, count in (("small", 1), ("three", 3), ("large", IMAGES)):
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


CHANGES = ["write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "renameat2", "linkat", "unlink", "mkdir", "fchmod",
           "flock"]


def traced(options, log, output, survey):
    return subprocess.run(["strace", "-f", "-qq", "-o", log, *options, os.environ["SRCEXTRACT_PROGRAM"], "merge", "-q", survey, "-o",
                           output, "--report"], cwd=output.parent, capture_output=True)


def everything(directory):
    """All files but those that a killed process leaves under hidden names."""
    return {name: data for name, data in contents(directory).items() if ".srcextract." not in name}


@pytest.mark.parametrize("ending", ["fits", "csv", "hats"])
def test_a_merge_killed_before_each_of_its_changes_is_made_by_the_next(surveys, tmp_path, tracer, ending):
    """Between two calls that change files or directories nothing changes, so these kills are those at every call."""
    def merge(name, directory):
        directory.mkdir(exist_ok=True)
        done = run_program("merge", "-q", surveys / name, "-o", directory / f"survey.{ending}", "--report", cwd=directory)
        assert done.code == 0, done.err
        return everything(directory)

    old, new = merge("small", tmp_path / "old"), merge("three", tmp_path / "new")
    output = tmp_path / "out" / f"survey.{ending}"
    shutil.copytree(tmp_path / "old", output.parent)
    assert traced(["-e", "trace=" + ",".join(CHANGES)], tmp_path / "log", output, surveys / "three").returncode == 0
    assert everything(output.parent) == new
    made = [line.split()[1].split("(")[0] for line in (tmp_path / "log").read_text().splitlines()]
    kills = [(call, number) for call in CHANGES for number in range(1, made.count(call) + 1)]
    if not LONG:
        kills = sorted(random.Random(SEED).sample(kills, min(len(kills), 20)))
    assert len(kills) >= 15
    for call, number in kills:
        shutil.rmtree(output.parent)
        shutil.copytree(tmp_path / "old", output.parent)
        done = traced(["-e", f"inject={call}:signal=KILL:when={number}"], "/dev/null", output, surveys / "three")
        place = f"{call} {number}, SRCEXTRACT_CHAOS_SEED={SEED}"
        assert done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), place
        assert contents(output) in (of_survey(old, output), of_survey(new, output)), place
        assert merge("three", output.parent) == new, place


def of_survey(files, output):
    """Of the files of a directory, those of the survey itself."""
    if output.name in files:
        return {output.name: files[output.name]}
    return {name.removeprefix(output.name + "/"): data for name, data in files.items() if name.startswith(output.name + "/")}


def survey_files(output):
    return {output.name, f"survey.images{output.suffix}", "survey.report.html"}
