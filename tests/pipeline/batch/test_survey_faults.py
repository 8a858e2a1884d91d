"""Disks and servers that fail in passing, and inputs that are not mounted: what was done stays done."""

import calendar
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

import survey_support as survey
from fits_files import TAN, hdu, write

config = survey.config

pytestmark = pytest.mark.skipif(os.environ.get("SRCEXTRACT_SANITIZE", "") != "",
                                reason="sanitizers: they want to be loaded before any other library")
SEEDS = range(1, 6)


def faults(seed, probability, **more):
    return {"LD_PRELOAD": os.environ["SRCEXTRACT_FAULTS"], "FAULTS": str(probability), "FAULTS_SEED": str(seed), **more}


READ_TWICE = "import os; file = os.open('read', os.O_RDONLY); print(len(os.pread(file, 9, 0)), os.pread(file, 9, 0))"


def test_calls_of_other_programs_fail_too(tmp_path):
    """So that no test here passes because nothing failed."""
    (tmp_path / "read").write_bytes(b"some bytes")
    for env, said in ((faults(1, 0, FAULTS_STALE="1", FAULTS_BELOW="read"), "Stale file handle"),
                      (faults(1, 1, FAULTS_BELOW="read"), "'read'"), (faults(1, 1, FAULTS_BELOW="other"), "")):
        done = subprocess.run([sys.executable, "-c", READ_TWICE], cwd=tmp_path, env={**os.environ, **env},
                              capture_output=True, text=True)
        assert (done.returncode != 0) == (said != "") and said in done.stderr, done.stderr


@pytest.fixture
def images(tmp_path):
    return survey.write_images(tmp_path / "images", [f"{seed}.fits" for seed in range(8)])


@pytest.fixture
def many(tmp_path):
    below = survey.write_survey(tmp_path / "many", 300)
    (below / "night2" / "bad.fits").unlink()
    return below


def merged(run, tmp_path, out, *more, code=0):
    done = run("merge", out, "-o", "survey.fits", *more)
    assert done.code == code, done.err
    return (tmp_path / "survey.fits").read_bytes(), done.err


@pytest.mark.parametrize("seed", SEEDS)
def test_random_faults_and_one_plain_restart_end_with_the_undisturbed_bytes(run, config, many, tmp_path, seed):
    assert run("batch", config, many, "-o", "quiet").code == 0
    first = run("batch", config, many, "-o", "out", env=faults(seed, 0.0005))
    assert first.code in (0, 2, 3, 6), first.err
    again = run("batch", config, many, "-o", "out")
    assert again.code == 0, again.err
    assert survey.outputs(tmp_path / "out") == survey.outputs(tmp_path / "quiet")


def test_inputs_that_fail_often_are_read_in_the_end(run, config, many, tmp_path):
    assert run("batch", config, many, "-o", "quiet").code == 0
    first = run("batch", config, many, "-o", "out", env=faults(7, 0.02, FAULTS_BELOW=str(many)))
    assert first.code in (0, 6), first.err
    again = run("batch", config, many, "-o", "out")
    assert again.code == 0, again.err
    assert survey.outputs(tmp_path / "out") == survey.outputs(tmp_path / "quiet")


def test_a_handle_that_is_stale_for_good_is_opened_again(run, config, images, tmp_path):
    assert run("batch", config, images, "-o", "quiet").code == 0
    done = run("batch", config, images, "-o", "out", env=faults(1, 0, FAULTS_STALE="1", FAULTS_BELOW=str(images)))
    assert done.code == 0, done.err
    assert survey.outputs(tmp_path / "out") == survey.outputs(tmp_path / "quiet")


def test_a_disk_that_fails_on_every_call_is_tried_again_at_the_next_start(run, config, images, tmp_path):
    assert run("batch", config, images, "-o", "quiet").code == 0
    broken = faults(1, 1, FAULTS_BELOW=str(images / "3.fits"))
    # Found by the manifest, and read by nobody.
    (images / "list.txt").write_text("".join(f"{i}.fits\n" for i in range(8)))
    assert run("batch", config, images / "list.txt", "-o", "out", env=broken).code == 6
    row, = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("3.fits", "transient"), row
    assert "Stale file handle" in row["reason"] or "Input/output error" in row["reason"]
    again = run("batch", config, images / "list.txt", "-o", "out")
    assert again.code == 0 and survey.planned(again.err)["to_do"] == 1
    assert survey.outputs(tmp_path / "out") == survey.outputs(tmp_path / "quiet")


def test_a_directory_that_fails_in_passing_is_read_again_and_named(run, config, many, tmp_path, tracer):
    """Listing fails once for each of the tree's directories in turn; then for good."""
    assert run("batch", config, many, "-o", "quiet").code == 0
    for when, code in (("1", 0), ("2", 0), ("3", 0), ("1+", 3)):
        done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=getdents64:error=ESTALE:when={when}", "-P", many,
                               "-P", many / "night1", "-P", many / "night2", survey.PROGRAM, "batch", config, many, "-o", "out"],
                              cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        assert re.search(f"warning: {many}[^:]*: Stale file handle; tried again", done.stderr), done.stderr
    assert "cannot read the directory: Stale file handle" in done.stderr
    assert survey.outputs(tmp_path / "out") == survey.outputs(tmp_path / "quiet")


@pytest.mark.parametrize("error", ["ESTALE", "ENOSPC"])
@pytest.mark.parametrize("call", ["openat", "newfstatat", "pread64", "read", "getdents64", "write", "pwrite64", "ftruncate", "fsync", "fdatasync",
                                  "syncfs", "rename", "linkat", "unlink", "mkdir"])
def test_each_call_that_fails_once_loses_nothing(run, config, tmp_path, tracer, call, error):
    """Of outputs, journal, lock and notes: a server that forgets a handle, a disk that is full, at each call in turn. Whatever the
    run says of it, the next start makes the undisturbed bytes, and so does a merge."""
    below = survey.write_images(tmp_path / "few", ["0.fits", "1.fits", "2.fits"])
    command = ("batch", config, below, "-q", "--threads", 1, "-o")
    assert run(*command, "quiet").code == 0
    reference, catalogue = survey.outputs(tmp_path / "quiet"), merged(run, tmp_path, "quiet")[0]
    number, struck = 0, 0
    while True:
        number += 1 if "SRCEXTRACT_LONG" in os.environ or call not in MANY else MANY[call]
        done = subprocess.run(["strace", "-f", "-qq", "-o", "log", "-e", f"inject={call}:error={error}:when={number}", survey.PROGRAM,
                               *map(str, command), "out"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        if "(INJECTED)" not in (tmp_path / "log").read_text():
            break
        struck += 1
        assert done.returncode >= 0, (number, done.stderr)
        again = run(*command, "out", "--retry-failed")
        assert again.code == 0, (number, again.err)
        assert survey.outputs(tmp_path / "out") == reference, number
        assert merged(run, tmp_path, "out")[0] == catalogue, number
        shutil.rmtree(tmp_path / "out")
    assert struck > 0 or call in ("ftruncate", "fsync")


# Calls that the loader and libraries make by the hundred: every so many, unless all are asked for.
MANY = {"openat": 31, "newfstatat": 13, "pread64": 5, "read": 11}


@pytest.fixture
def finished(run, config, images, tmp_path):
    """A manifest whose survey is done and merged, and the bytes of that catalogue."""
    (tmp_path / "list.txt").write_text("".join(f"images/{i}.fits\n" for i in range(8)))
    assert run("batch", config, "list.txt", "-o", "out").code == 0
    return merged(run, tmp_path, "out")[0]


@pytest.mark.parametrize("how", ["the directory is gone", "the mount point is empty", "ESTALE, EIO"])
def test_inputs_that_are_not_mounted_leave_what_is_done(run, config, images, tmp_path, finished, how):
    env = {}
    if how.startswith("ESTALE"):
        env = faults(1, 1, FAULTS_BELOW="images/")
    else:
        images.rename(tmp_path / "elsewhere")
        if "empty" in how:
            images.mkdir()
    before = survey.outputs(tmp_path / "out")
    for more in ((), ("--retry-failed",), ("--force",)):
        again = run("batch", config, "list.txt", "-o", "out", *more, env=env)
        assert again.code == 0, again.err
        plan = survey.planned(again.err)
        assert (plan["to_do"], plan["done"]) == (0, 8)
        assert "warning: " in again.err and "8 files cannot be looked at" in again.err
    assert survey.outputs(tmp_path / "out") == before
    assert merged(run, tmp_path, "out")[0] == finished


@pytest.mark.parametrize("change", ["configuration", "output"])
def test_what_would_have_to_be_done_again_waits_for_its_input(run, config, images, tmp_path, finished, change):
    images.rename(tmp_path / "elsewhere")
    more = ("--set", "detection.threshold=7") if change == "configuration" else ()
    if change == "output":
        (tmp_path / "out/3.cat.fits").unlink(missing_ok=True)
        (tmp_path / "out/images/3.cat.fits").unlink(missing_ok=True)
    stopped = run("batch", config, "list.txt", "-o", "out", *more)
    assert stopped.code == 3 and "bring their inputs back" in stopped.err, stopped.err
    assert survey.failures(tmp_path / "out") == []
    assert merged(run, tmp_path, "out", code=3)[0] == finished
    (tmp_path / "elsewhere").rename(images)
    assert run("batch", config, "list.txt", "-o", "out", *more).code == 0
    assert (merged(run, tmp_path, "out")[0] == finished) == (change == "output")


def test_a_map_that_is_not_mounted_leaves_what_is_done(run, config, images, tmp_path):
    write(tmp_path / "weights.fits", hdu((200, 200), values=[1.0] * 40000))
    (tmp_path / "list.csv").write_text("path,weights.file,weights.type\nimages/1.fits,weights.fits,weight\n")
    first = run("batch", config, "list.csv", "-o", "out")
    assert first.code == 0, first.err
    (tmp_path / "weights.fits").rename(tmp_path / "elsewhere.fits")
    again = run("batch", config, "list.csv", "-o", "out")
    assert again.code == 0 and "weights.fits: No such file" in again.err, again.err
    assert survey.planned(again.err)["to_do"] == 0


def test_images_and_maps_that_are_not_mounted_leave_what_is_done(run, config, images, tmp_path):
    write(images / "weights.fits", hdu((200, 200), values=[1.0] * 40000))
    (tmp_path / "list.csv").write_text("path,weights.file,weights.type\nimages/1.fits,images/weights.fits,weight\n")
    assert run("batch", config, "list.csv", "-o", "out").code == 0
    images.rename(tmp_path / "elsewhere")
    again = run("batch", config, "list.csv", "-o", "out")
    assert again.code == 0 and "1 file cannot be looked at" in again.err, again.err
    assert survey.planned(again.err)["to_do"] == 0 and survey.planned(again.err)["done"] == 1


MOUNTED_ELSEWHERE = """mount -t tmpfs none "$IMAGES" && cp -a "$KEPT/." "$IMAGES" || exit 99
"$SRCEXTRACT_PROGRAM" "$@" """


def test_the_same_files_on_another_device_are_done(run, config, images, tmp_path, finished):
    shutil.copytree(images, tmp_path / "kept")
    done = subprocess.run(["unshare", "-m", "sh", "-c", MOUNTED_ELSEWHERE, "sh", "batch", config, "list.txt", "-o",
                           "out"], cwd=tmp_path, capture_output=True,
                          env={**os.environ, "IMAGES": images, "KEPT": tmp_path / "kept"})
    log = done.stderr.decode()
    if done.returncode == 99 or log.startswith("unshare: "):
        pytest.skip(f"no other file system: {log.strip()}")
    assert done.returncode == 0 and survey.planned(log)["to_do"] == 0, log


@pytest.fixture
def taken_away(config, tmp_path):
    """Starts a run over 1500 images whose disk is taken away as soon as the first is done, and tells the process, and
    what puts the disk back."""
    below = tmp_path / "long"
    below.mkdir()
    first = write(below / "0000.fits", survey.image(0, 128, 128))
    for i in range(1, 1500):
        os.link(first, below / f"{i:04}.fits")

    def begin(*more):
        process = survey.start(config, below, "-o", "out", *more, cwd=tmp_path, log=tmp_path / "log")
        while not (tmp_path / "out/0000.run.json").exists():
            assert process.poll() is None, (tmp_path / "log").read_text()
        below.rename(tmp_path / "away")
        return process, lambda: (tmp_path / "away").rename(below)

    return begin


def await_word(log, word, process):
    deadline = time.monotonic() + 60
    while word not in log.read_text():
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)


def all_done(run, config, tmp_path):
    """After a restart that finds something to do."""
    again = run("batch", config, "long", "-o", "out")
    assert again.code == 0 and survey.planned(again.err)["to_do"] > 0
    return len(survey.done(tmp_path / "out/journal.jsonl")) == 1500


@pytest.mark.parametrize("threads", [1, 4])
def test_a_run_waits_for_a_disk_that_is_away_and_goes_on(taken_away, tmp_path, threads):
    process, put_back = taken_away("--threads", threads)
    await_word(tmp_path / "log", "the run waits until they are back, at most 3600 s (--wait)", process)
    assert f"all in {tmp_path}/long/: the run waits" in (tmp_path / "log").read_text()
    time.sleep(0.3)
    assert len(survey.done(tmp_path / "out/journal.jsonl")) < 1500
    put_back()
    assert process.wait(120) == 0
    assert "the inputs are back after" in (tmp_path / "log").read_text()
    assert len(survey.done(tmp_path / "out/journal.jsonl")) == 1500
    assert survey.failures(tmp_path / "out") == []


def test_status_knows_what_a_run_waits_for_and_since_when(run, taken_away, tmp_path):
    begin = time.time()
    process, put_back = taken_away("--threads", 2)
    await_word(tmp_path / "log", "the run waits", process)

    def gone():
        deadline = time.monotonic() + 20
        while True:
            (shard,) = json.loads(run("status", "out", "--json").out)["shards"]
            yield shard["gone"]
            assert time.monotonic() < deadline, shard
            time.sleep(0.05)

    (entry,) = next(entries for entries in gone() if entries)
    since = calendar.timegm(time.strptime(entry["since"][:19], "%Y-%m-%dT%H:%M:%S"))
    assert entry["directory"] == f"{tmp_path}/long/" and int(begin) <= since <= time.time()
    assert f"\n1/1 waits for {tmp_path}/long/, whose files are gone since {entry['since']}; bring" in run("status", "out").out
    assert re.search(r"^srcextract_survey_gone_directories{.*} 1$", run("status", "out", "--prometheus").out, re.M)
    put_back()
    assert process.wait(120) == 0
    assert next(gone()) == [] and "waits for" not in run("status", "out").out
    assert run("status", "out").err == ""


@pytest.mark.parametrize("end, code, word", [("signal", 7, "start the same command again to go on"),
                                             ("limit", 3, "did not come back within --wait")])
def test_the_waiting_ends_without_a_failure(run, config, taken_away, tmp_path, end, code, word):
    process, put_back = taken_away("--threads", 2, "--wait", 1 if end == "limit" else 600)
    await_word(tmp_path / "log", "the run waits", process)
    if end == "signal":
        process.terminate()
    assert process.wait(60) == code and word in (tmp_path / "log").read_text()
    assert survey.failures(tmp_path / "out") == []
    put_back()
    assert all_done(run, config, tmp_path)


def test_without_waiting_images_fail_and_the_next_start_does_them(run, config, taken_away, tmp_path):
    process, put_back = taken_away("--threads", 1, "--wait", 0)
    assert process.wait(120) == 3  # that of docs/surveys.md, as where the waiting ends; it was 6
    assert "did not come back within --wait" in (tmp_path / "log").read_text()
    assert len(survey.failures(tmp_path / "out")) > 100
    put_back()
    assert all_done(run, config, tmp_path)


def test_merge_refuses_what_was_done_and_failed_since(run, config, images, tmp_path, finished):
    good = (images / "3.fits").read_bytes()
    (images / "3.fits").write_bytes(good[:5000])
    assert run("batch", config, "list.txt", "-o", "out").code == 6
    kept, said = merged(run, tmp_path, "out", code=3)
    assert kept == finished and "1 of 8 images that were done have failed since" in said and "--max-failed" in said
    assert merged(run, tmp_path, "out", "--max-failed", "12", code=3)[0] == finished
    allowed, _ = merged(run, tmp_path, "out", "--max-failed", "12.5")
    assert allowed != finished
    (images / "3.fits").write_bytes(good)
    assert run("batch", config, "list.txt", "-o", "out").code == 0
    merged(run, tmp_path, "out")


def test_merge_takes_what_failed_from_the_beginning(run, config, images, tmp_path):
    (images / "3.fits").write_bytes(b"no FITS")
    assert run("batch", config, images, "-o", "out").code == 6
    merged(run, tmp_path, "out")


@pytest.mark.parametrize("percent", ["-1", "101", "many"])
def test_a_share_that_is_none_is_refused(run, percent):
    done = run("merge", "out", "-o", "s.fits", "--max-failed", percent)
    assert done.code == 2 and "--max-failed" in done.err


FOREIGN = {
    "text without an end of line": b"Dear diary",
    "text": b"my own notes\nmore of them, \n and no end",
    "JSON lines": b'{"id": 1}\n{"id": 2}\n{"id',
}


@pytest.mark.parametrize("name", ["journal.jsonl", "journal.lock", "journal.begun", "failures.csv"])
@pytest.mark.parametrize("kind", [*FOREIGN, "link", "link to a journal", "link to nothing", "pipe", "directory"])
def test_somebody_elses_file_is_not_touched(run, config, images, tmp_path, name, kind):
    out = tmp_path / "out"
    out.mkdir()
    target = tmp_path / "precious"
    path = out / name
    if kind in FOREIGN:
        path.write_bytes(FOREIGN[kind])
    elif kind == "link to a journal":
        assert run("batch", config, images, "-o", "other").code == 0
        path.symlink_to(tmp_path / "other/journal.jsonl")
        target = tmp_path / "other/journal.jsonl"
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        if kind == "link":
            target.write_bytes(b"the only copy\nof a thesis")
        path.symlink_to(target)
    before = target.read_bytes() if target.exists() else None
    refused = run("batch", config, images, "-o", "out")
    assert refused.code == 3 and str(name) in refused.err and refused.err.count("error: ") == 1, refused.err
    assert (target.read_bytes() if target.exists() else None) == before
    assert [entry.name for entry in out.iterdir()] == [name]
    if kind in FOREIGN:
        assert path.read_bytes() == FOREIGN[kind]


def test_another_image_of_the_name_of_one_is_warned_of(run, config, images, tmp_path):
    """Unless the first was moved, failed, or is a copy with its time."""
    assert run("batch", config, images, "-o", "out").code == 0
    shutil.copytree(images, tmp_path / "copy", copy_function=shutil.copy2)
    assert "has the name" not in run("batch", config, "copy", "-o", "out").err
    other = survey.write_images(tmp_path / "other", ["0.fits"])
    done = run("batch", config, "other", "-o", "out")
    assert done.code == 0 and "other/0.fits has the name of " in done.err and "/0.fits, whose outputs are replaced; give" in done.err, done.err
    assert "has the name" not in run("batch", config, "other", "-o", "out").err
    other.rename(tmp_path / "moved")
    assert "has the name" not in run("batch", config, "images", "-o", "out").err


def test_a_directory_that_is_not_there(run, config, images):
    for arguments in (["night9/"], ["night9"], [config, "night9"], ["night9", images]):
        done = run("batch", *arguments, "-o", "out")
        assert done.code == 3 and "night9" in done.err and "there is no file or directory of this name" in done.err, done.err
    for arguments in ([], ["radio"], [config]):
        done = run("batch", *arguments, "-o", "out")
        assert done.code == 2 and "INPUT is required" in done.err, done.err


def test_one_file_that_is_given_in_two_ways_is_no_link(run, config, images, tmp_path):
    done = run("batch", config, images, "images/0.fits", tmp_path / "images/0.fits", "./images/1.fits", "images/1.fits",
               "-o", "out", "--dry-run")
    assert done.code == 0 and "links" not in done.err, done.err


def test_a_keyword_that_is_text_once_stays_a_number(run, config, tmp_path):
    """300 and '300' are one exposure time; where one says something else a warning tells why the column is text."""
    fits = pytest.importorskip("astropy.io.fits")
    below = tmp_path / "times"
    below.mkdir()
    cards = [dict(EXPTIME=300, AIRMASS=1.5, OBJECT="0231", GAIN=2.0),
             dict(EXPTIME="300", AIRMASS=" 1.25E0", OBJECT=231, GAIN="none"),
             dict(EXPTIME="", AIRMASS=1, OBJECT="M31", GAIN=1.0),
             dict(EXPTIME="NaN", AIRMASS="nan", OBJECT="nan", GAIN=1.0)]
    for i, card in enumerate(cards):
        write(below / f"{i}.fits", hdu((200, 200), values=survey.sky(i), **TAN, **card))
    (tmp_path / "c.yaml").write_text("extends: none\noutput:\n  formats: [fits]\n"
                                     "  header_keywords: [EXPTIME, AIRMASS, OBJECT, GAIN]\n")
    assert run("batch", config, below, "-o", "out").code == 0
    said = merged(run, tmp_path, "out")[1]
    with fits.open(tmp_path / "survey.fits") as opened:
        table, formats = opened["IMAGES"].data, {column.name: column.format for column in opened["IMAGES"].columns}
        assert formats["EXPTIME"] == "K" and list(table["EXPTIME"][:2]) == [300, 300]
        assert formats["AIRMASS"] == "D" and list(table["AIRMASS"][:3]) == [1.5, 1.25, 1.0]
        assert math.isnan(table["AIRMASS"][3])
        assert list(table["OBJECT"]) == ["0231", "231", "M31", "nan"]
        assert formats["GAIN"].endswith("A")
    assert "GAIN is a number in some images" in said and "'none'" in said and "EXPTIME" not in said
