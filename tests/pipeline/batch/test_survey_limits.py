"""A survey under a system that gives little: memory, open files, streams; and files that are none of its business."""

import gzip
import json
import os
import resource
import subprocess

import pytest

import survey_support as survey
from driver import run_program
from fits_files import hdu, write

config = survey.config

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""


@pytest.fixture
def images(tmp_path):
    return survey.write_images(tmp_path / "images", [f"{seed:02}.fits" for seed in range(40)])


# A gzipped file is counted with its images when it is opened, once. Were the images counted
# again, none of these would ever end.
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_gzipped_images_take_turns_within_the_memory(run, config, images, tmp_path, threads):
    zipped = tmp_path / "zipped"
    zipped.mkdir()
    for path in sorted(images.iterdir())[:8]:
        (zipped / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes(), 1))
    extensions = survey.write_extensions(tmp_path / "x.fits", range(3))
    (zipped / "x.fits.gz").write_bytes(gzip.compress(extensions.read_bytes(), 1))
    memory = 7 * extensions.stat().st_size + 1000
    done = run("batch", config, zipped, "-o", "out", "--memory", memory, "--threads", threads, "--set", "input.hdu=all")
    assert done.code == 0, done.err
    assert len(survey.done(tmp_path / "out/journal.jsonl")) == 9 + 2  # the three of x.fits are told one by one


def limited(limit, soft, hard):
    return lambda: resource.setrlimit(limit, (soft, hard))


@pytest.mark.skipif(SANITIZED, reason="sanitizers: they open files of their own")
def test_too_few_open_files_end_the_run_and_condemn_no_image(run, config, images, tmp_path):
    done = run("batch", config, images, "-o", "out", "--threads", 8, preexec_fn=limited(resource.RLIMIT_NOFILE, 8, 8))
    assert done.code == 3 and "ulimit -n" in done.err, done.err
    assert not any("failed" in entry for entry in survey.records(tmp_path / "out/journal.jsonl"))
    again = run("batch", config, images, "-o", "out")
    assert again.code == 0 and len(survey.done(tmp_path / "out/journal.jsonl")) == 40


@pytest.mark.skipif(SANITIZED, reason="sanitizers: they open files of their own")
def test_a_low_soft_limit_on_open_files_is_raised(run, config, images):
    done = run("batch", config, images, "-o", "out", "--threads", 8, preexec_fn=limited(resource.RLIMIT_NOFILE, 8, 1000))
    assert done.code == 0, done.err


def test_without_standard_streams_nothing_gets_into_the_journal(config, images, tmp_path):
    command = f'exec "$0" batch -o out "{config}" "{images}" <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", command, os.environ["SRCEXTRACT_PROGRAM"]], cwd=tmp_path, timeout=60)
    assert done.returncode == 0
    for line in (tmp_path / "out/journal.jsonl").read_text().splitlines():
        json.loads(line)
    assert len(survey.done(tmp_path / "out/journal.jsonl")) == 40


def test_a_log_that_nobody_reads_does_not_end_the_run(config, images, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "batch", config, images, "-o", "out"], cwd=tmp_path,
                          stdin=subprocess.DEVNULL, stderr=writer, timeout=60)
    os.close(writer)
    assert done.returncode == 0
    assert len(survey.done(tmp_path / "out/journal.jsonl")) == 40


def test_a_pipe_is_no_image_and_is_not_waited_for(run, config, images, tmp_path):
    os.mkfifo(tmp_path / "p.fits")
    done = run("batch", config, images, tmp_path / "p.fits", "-o", "out")
    assert done.code == 6
    assert [row["image"] for row in survey.failures(tmp_path / "out")] == ["p.fits"]
    assert "pipe" in survey.failures(tmp_path / "out")[0]["reason"]


@pytest.mark.parametrize("shard", ["1/2", "2/2"])
def test_an_input_is_not_replaced_by_the_output_of_another_shard(run, config, tmp_path, shard):
    for name in ("a.fits", "a.cat.fits"):
        write(tmp_path / name, survey.image(1))
    (tmp_path / "list.txt").write_text("a.fits\na.cat.fits\n")
    before = (tmp_path / "a.cat.fits").read_bytes()
    for part in (shard, "1/2", "2/2"):
        run("batch", config, "list.txt", "-o", ".", "--shard", part)
    assert (tmp_path / "a.cat.fits").read_bytes() == before


def test_merge_does_not_replace_an_image(config, images, tmp_path):
    assert run_program("batch", config, "images", "-o", "out", cwd=tmp_path).code == 0
    before = (images / "00.fits").read_bytes()
    done = run_program("merge", ".", "-o", "../images/00.fits", cwd=tmp_path / "out")
    assert done.code == 2 and "00.fits" in done.err
    assert (images / "00.fits").read_bytes() == before


def test_merge_takes_the_name_after_an_equals_sign(config, images, tmp_path):
    assert run_program("batch", config, "images", "-o", "out", cwd=tmp_path).code == 0
    assert run_program("merge", "out", "-o=x.fits", cwd=tmp_path).code == 0
    assert (tmp_path / "x.fits").exists()


def test_odd_journals_are_told(run, config, images, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/journal.jsonl").symlink_to("/dev/null")
    done = run("batch", config, images, "-o", "out")
    assert done.code == 3 and "journal.jsonl" in done.err and "regular file" in done.err


@pytest.mark.parametrize("arguments", [["--memory", "0"], ["--memory", "-1"], ["--shard", "1/2000000000"],
                                       ["--shard", "0/4"]])
def test_what_bounds_nothing_is_refused(run, config, images, arguments):
    done = run("batch", config, images, "-o", "out", *arguments)
    assert done.code == 2 and arguments[0] in done.err, done.err
