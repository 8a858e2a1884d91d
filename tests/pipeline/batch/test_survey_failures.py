"""What goes wrong in a survey: with one image, which is a row in failures.csv, or with all, which ends the run."""

import os
import resource
import shutil
import struct
import subprocess
import time

import pytest

import survey_support as survey
from driver import run_program
from fits_files import hdu, padded, write

config = survey.config

NAMES = ["a.fits", "b.fits", "c.fits", "d.fits"]
SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""


@pytest.fixture
def images(tmp_path):
    return survey.write_images(tmp_path / "images", NAMES)


def test_a_bad_file_is_a_row_with_its_reason(run, config, images, tmp_path):
    good = (images / "b.fits").read_bytes()
    (images / "b.fits").write_bytes(good[:5000])
    (images / "c.fits").write_text("Dear astronomer, this is not FITS, \"it\" is text.\n" * 200)
    awkward = 'quoted "x", and\nmore.fits'
    (images / awkward).write_bytes(b"")
    finished = run("batch", config, images, "-o", "out")
    assert finished.code == 6
    rows = survey.failures(tmp_path / "out")
    assert [(row["image"], row["hdu"], row["path"], row["kind"]) for row in rows] == [
        (name, "", str(images / name), "input") for name in ("b.fits", "c.fits", awkward)]
    assert "truncated" in rows[0]["reason"]
    assert survey.done(tmp_path / "out/journal.jsonl") == ["a.fits", "d.fits"]
    assert sorted(path.name for path in (tmp_path / "out").glob("*.cat.fits")) == ["a.cat.fits", "d.cat.fits"]
    assert finished.err.count("error: ") == 3


def test_a_missing_file_of_a_manifest_is_a_failure_of_its_own(run, config, images, tmp_path):
    (images / "list.txt").write_text("a.fits\nmissing.fits\n# a comment\nb.fits\n")
    assert run("batch", config, images / "list.txt", "-o", "out").code == 6
    row, = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("missing.fits", "input") and "missing.fits" in row["reason"]
    assert survey.done(tmp_path / "out/journal.jsonl") == ["a.fits", "b.fits"]
    shutil.copy(images / "c.fits", images / "missing.fits")
    assert run("batch", config, images / "list.txt", "-o", "out").code == 0
    assert survey.failures(tmp_path / "out") == []


def test_a_file_that_vanishes_during_the_run_is_a_failure(config, tmp_path):
    below = tmp_path / "many"
    below.mkdir()
    first = write(below / "0000.fits", survey.image(0, 128, 128))
    many = 300 if SANITIZED else 3000
    for i in range(1, many):
        os.link(first, below / f"{i:04}.fits")
    process = survey.start(config, below, "-o", "out", "--threads", 1, cwd=tmp_path, log=tmp_path / "log")
    while not (tmp_path / "out/0000.run.json").exists():  # all files have been found by then
        assert process.poll() is None, (tmp_path / "log").read_text()
        time.sleep(0.005)
    last = f"{many - 1:04}.fits"
    (below / last).unlink()
    assert process.wait(120) == 6
    assert "the run waits" not in (tmp_path / "log").read_text()  # as it would if all were gone
    row, = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == (last, "input")
    assert len(survey.done(tmp_path / "out/journal.jsonl")) == many - 1


@pytest.fixture
def as_nobody(tmp_path, monkeypatch):
    """Runs the program as one whom permissions bind, in a directory that is his."""
    if os.geteuid() != 0:
        yield lambda *arguments: run_program(*arguments, cwd=tmp_path)
        return
    nobody = 65534
    monkeypatch.setenv("SRCEXTRACT_PROGRAM", str(shutil.copy(survey.PROGRAM, tmp_path)))
    for path in [tmp_path, *tmp_path.rglob("*")]:
        os.chown(path, nobody, nobody)
    closed = {path: path.stat().st_mode for path in tmp_path.parents if not path.stat().st_mode & 0o001}
    for path, mode in closed.items():
        path.chmod(mode | 0o001)
    yield lambda *arguments: run_program(*arguments, cwd=tmp_path, user=nobody, group=nobody, extra_groups=[])
    for path, mode in closed.items():
        path.chmod(mode)


@pytest.mark.parametrize("deep", [False, True])
def test_a_directory_that_cannot_be_read_stops_the_run(config, images, tmp_path, as_nobody, deep):
    closed = images / "deep" / "closed" if deep else images
    closed.mkdir(parents=True, exist_ok=True)
    closed.chmod(0)
    stopped = as_nobody("batch", config, images, "-o", "out")
    closed.chmod(0o755)
    assert stopped.code == 3
    assert str(closed) in stopped.err and "Permission denied" in stopped.err
    assert not (tmp_path / "out").exists() or survey.outputs(tmp_path / "out") == {}


def test_a_file_that_may_not_be_read_is_a_failure(config, images, tmp_path, as_nobody):
    (images / "b.fits").chmod(0)
    assert as_nobody("batch", config, images, "-o", "out").code == 6
    row, = survey.failures(tmp_path / "out")
    assert row["image"] == "b.fits" and "Permission denied" in row["reason"]
    (images / "b.fits").chmod(0o644)
    assert as_nobody("batch", config, images, "-o", "out", "--retry-failed").code == 0


def test_an_output_directory_that_may_not_be_written_stops_the_run(config, images, tmp_path, as_nobody):
    (tmp_path / "out").mkdir(mode=0o555)
    stopped = as_nobody("batch", config, images, "-o", "out")
    assert stopped.code == 3 and "out: cannot write into the output directory: Permission denied" in stopped.err


FULL_DISK = """mount -t tmpfs -o size={size} none "$OUT" || exit 99
"$SRCEXTRACT_PROGRAM" "$@"; first=$?
cp -a "$OUT/." "$KEPT"
mount -o remount,size=100M "$OUT"
"$SRCEXTRACT_PROGRAM" "$@"; second=$?
cp -a "$OUT/." "$FINAL"
exit $((first * 10 + second))"""


@pytest.mark.parametrize("size", ["8k", "40k", "200k", "480k"])
def test_a_full_disk_stops_the_run_and_a_restart_goes_on_with_more_room(config, tmp_path, size):
    below = survey.write_survey(tmp_path / "images", 40)
    (below / "night2" / "bad.fits").unlink()
    out, kept, final = (tmp_path / name for name in ("out", "kept", "final"))
    for directory in (out, kept, final):
        directory.mkdir()
    done = subprocess.run(["unshare", "-m", "sh", "-c", FULL_DISK.format(size=size), "sh", "batch", config, below, "-o",
                           out], env={**os.environ, "OUT": out, "KEPT": kept, "FINAL": final}, capture_output=True)
    log = done.stderr.decode()
    if done.returncode in (1, 99):
        pytest.skip(f"no limited file system: {log.strip()}")
    assert done.returncode == 30, log
    error, = [line for line in log.splitlines() if line.startswith("error: ")]
    assert "No space left on device" in error and "free some space" in error and str(out) in error
    assert run_program("batch", config, below, "-o", tmp_path / "quiet").code == 0
    expected = survey.outputs(tmp_path / "quiet")
    assert survey.outputs(kept).items() <= expected.items()
    there = {f"{night}/{path.name.replace('.cat', '')}" for night in ("night1", "night2")
             for path in (kept / night).glob("*.cat.fits")}
    assert set(survey.done(kept / "journal.jsonl")) <= there
    assert survey.outputs(final) == expected


def test_a_limit_on_file_sizes_is_told(config, images, tmp_path):
    limit = 4096
    finished = run_program("batch", config, images, "-o", "out", cwd=tmp_path,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert finished.code in (3, 6) and "ulimit -f" in finished.err
    assert list((tmp_path / "out").glob("*.cat.fits")) == []
    again = run_program("batch", config, images, "-o", "out", "--retry-failed", cwd=tmp_path)
    assert again.code == 0 and len(survey.done(tmp_path / "out/journal.jsonl")) == len(NAMES)


@pytest.mark.parametrize("allowed, tried", [(0, 1), (2, 3), (4, 10)])
def test_more_failures_than_allowed_stop_the_run(run, config, tmp_path, allowed, tried):
    (tmp_path / "images").mkdir()
    for i in range(10):
        name = tmp_path / "images" / f"{i}.fits"
        name.write_bytes(b"no FITS" if i < 4 else survey.image(i))
    stopped = run("batch", config, "images", "-o", "out", "--max-failures", allowed, "--threads", 1)
    assert stopped.code == (8 if allowed < 4 else 6)
    assert len(survey.records(tmp_path / "out/journal.jsonl")) == tried
    assert ("more than --max-failures" in stopped.err) == (allowed < 4)
    last = (tmp_path / "out/journal.jsonl").read_text().splitlines()[-1]
    assert ('"complete":true' in last) == (allowed >= 4)
    assert run("batch", config, "images", "-o", "out").code == 6
    assert len(survey.failures(tmp_path / "out")) == 4 and len(survey.done(tmp_path / "out/journal.jsonl")) == 6


@pytest.mark.parametrize("name", ["journal.jsonl", "journal.lock", "journal.begun", "failures.csv", "a.cat.fits", "d.run.json"])
def test_the_log_is_no_file_of_the_run(run, config, images, tmp_path, name):
    (tmp_path / "link").symlink_to("out")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for directory in ("out", "link"):
        stopped = run("batch", config, images, "-o", "out", "--log-file", f"{directory}/{name}")
        assert stopped.code == 2 and stopped.err.count("error: ") == 1 and f"{directory}/{name}" in stopped.err
        (tmp_path / "out").mkdir(exist_ok=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_log_file_of_an_earlier_run_is_added_to(run, config, images, tmp_path):
    for _ in range(2):
        assert run("batch", config, images, "-o", "out", "--log-file", "out/log.txt").code == 0
    log = (tmp_path / "out/log.txt").read_text()
    assert "4 files to do" in log and "0 files to do" in log


def test_a_manifest_overrides_the_configuration_of_one_image(run, config, images, tmp_path):
    manifest = images / "list.csv"
    manifest.write_text("path,detection.min_area\na.fits,\nb.fits,30\n")
    assert run("batch", config, manifest, "-o", "out").code == 0
    assert run("batch", config, images / "a.fits", images / "b.fits", "-o", "usual").code == 0
    assert run("batch", config, images / "b.fits", "-o", "strict", "--set", "detection.min_area=30").code == 0
    out, usual, strict = (survey.outputs(tmp_path / name) for name in ("out", "usual", "strict"))
    assert out["a.cat.fits"] == usual["a.cat.fits"]
    assert out["b.cat.fits"] == strict["b.cat.fits"] != usual["b.cat.fits"]
    manifest.write_text("path,detection.min_area\na.fits,\nb.fits,31\n")
    assert "1 file to do (1 changed), 1 done already" in run("batch", config, manifest, "-o", "out").err


def test_a_broken_extension_is_a_row_and_the_others_are_done(run, config, tmp_path):
    constant = hdu((50, 50), values=[1.0] * 2500, primary=False)
    good = [survey.image(seed, primary=False) for seed in (1, 2)]
    write(tmp_path / "mef.fits", hdu(()), good[0], constant, good[1])
    write(tmp_path / "z.fits", survey.image(3))
    command = ("batch", config, "mef.fits", "z.fits", "-o", "out", "--set", "input.hdu=all")
    assert run(*command).code == 6
    row, = survey.failures(tmp_path / "out")
    assert (row["image"], row["hdu"], row["kind"]) == ("mef.fits", "2", "input")
    assert sorted(path.name for path in (tmp_path / "out").glob("*.cat.fits")) == [
        "mef.hdu1.cat.fits", "mef.hdu3.cat.fits", "z.cat.fits"]
    again = run(*command)
    assert again.code == 6 and "0 files to do" in again.err
    write(tmp_path / "mef.fits", hdu(()), *good, good[1])
    assert run(*command).code == 0 and survey.failures(tmp_path / "out") == []


@pytest.mark.skipif(SANITIZED, reason="sanitizers: they take memory of their own")
def test_an_image_too_large_for_the_memory_allowed_fails_alone(run, config, images, tmp_path):
    side, rows = 3000, 100
    tile = struct.pack(f">{side * rows}f", *survey.sky(5, side, rows))
    (images / "large.fits").write_bytes(padded(hdu((side, side)) + tile * (side // rows), b"\0"))
    whole = config.parent / "whole.yaml"
    whole.write_text(config.read_text() + "\nbackground: {method: mesh, refine: 2}\n")  # needs the whole image
    assert run("batch", whole, images, "-o", "out", "--memory", "20M").code == 6
    row, = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("large.fits", "memory") and "--memory" in row["reason"]
    assert survey.done(tmp_path / "out/journal.jsonl") == NAMES
    assert run("batch", whole, images, "-o", "out", "--memory", "200M", "--retry-failed").code == 0
