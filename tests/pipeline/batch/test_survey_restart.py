"""A survey that is started again does what is missing or changed; who else is at work is left alone."""

import os
import shutil
import signal
import time

import pytest

import survey_support as survey
from fits_files import hdu, write

# Images that take one thread some seconds.
MANY = 1000 if os.environ.get("SRCEXTRACT_SANITIZE") else 4000

CONFIG = "extends: none\ninput:\n  hdu: all\noutput:\n  formats: [fits]\n"
ALL = ["a.fits", "b.fits", "deep/c.fits", "mef.fits"]


@pytest.fixture
def images(tmp_path):
    below = tmp_path / "images"
    (below / "deep").mkdir(parents=True)
    for seed, name in enumerate(("a.fits", "b.fits", "deep/c.fits")):
        write(below / name, survey.image(seed))
    survey.write_extensions(below / "mef.fits", (3, 4, 5))
    return below


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(CONFIG)
    return path


@pytest.fixture
def batch(run, config, images, tmp_path):
    """Runs the survey; returns what it did by the names of the images, its plan, and what the program said."""

    def run_batch(*arguments, code=0, out="out"):
        journal = tmp_path / out / "journal.jsonl"
        before = len(survey.records(journal))
        finished = run("batch", config, images, "-o", out, *arguments)
        assert finished.code == code, finished.err
        new = survey.records(journal)[before:]
        finished.did = sorted(entry["image"] + (f"[{entry['hdu']}]" if "hdu" in entry else "") for entry in new)
        finished.plan = survey.planned(finished.err)
        return finished

    return run_batch


@pytest.fixture
def finished(batch, tmp_path):
    """The directory of the survey, which is done."""
    assert batch().did == EVERY_IMAGE
    return tmp_path / "out"


EVERY_IMAGE = ["a.fits", "b.fits", "deep/c.fits", "mef.fits[1]", "mef.fits[2]", "mef.fits[3]"]


def written(directory):
    return {path: path.stat().st_mtime_ns for path in directory.rglob("*.cat.fits")}


def test_a_finished_survey_has_nothing_left_to_do(batch, finished):
    before = written(finished)
    again = batch()
    assert again.did == [] and again.plan["to_do"] == 0 and again.plan["done"] == 4
    assert written(finished) == before


def test_a_file_with_another_time_is_done_again(batch, finished, images):
    before = survey.outputs(finished)
    os.utime(images / "b.fits", (1, 1))
    again = batch()
    assert again.did == ["b.fits"] and (again.plan["changed"], again.plan["done"]) == (1, 3)
    assert survey.outputs(finished) == before


def test_other_pixels_in_as_many_bytes_are_done_again(batch, finished, images):
    before = survey.outputs(finished)
    size = (images / "deep/c.fits").stat().st_size
    write(images / "deep/c.fits", survey.image(9))
    assert (images / "deep/c.fits").stat().st_size == size
    assert batch().did == ["deep/c.fits"]
    assert [name for name, content in survey.outputs(finished).items() if before[name] != content] == [
        "deep/c.cat.fits"]


@pytest.mark.parametrize("output", ["a.cat.fits", "a.run.json"])
@pytest.mark.parametrize("damage", ["deleted", "cut short", "longer", "empty"])
def test_an_output_that_is_not_as_it_was_is_made_again(batch, finished, output, damage):
    path = finished / output
    before, size = survey.outputs(finished), path.stat().st_size
    if damage == "deleted":
        path.unlink()
    else:
        os.truncate(path, {"cut short": size - 1, "longer": size + 1, "empty": 0}[damage])
    again = batch()
    assert again.did == ["a.fits"] and again.plan["changed"] == 1
    assert survey.outputs(finished) == before and path.exists()


def test_another_configuration_does_everything_again(batch, finished, config, images, run, tmp_path):
    config.write_text(CONFIG + "detection:\n  min_area: 4\n")
    assert batch().did == EVERY_IMAGE
    assert batch("--set", "detection.min_area=4").did == []
    assert batch("--set", "detection.min_area=3").did == EVERY_IMAGE
    config.write_text("# the same, but for how it is written\n" + CONFIG + "detection: {min_area: 3}\n")
    assert batch().did == []


def test_what_does_not_change_results_does_nothing_again(batch, finished):
    assert batch("--threads", 1, "--memory", "1G", "-v", "--backend", "cpu").did == []


def test_force_does_everything_again(batch, finished):
    before = survey.outputs(finished)
    again = batch("--force")
    assert again.did == EVERY_IMAGE and again.plan["forced"] == 4
    assert survey.outputs(finished) == before
    assert batch().did == []


def test_a_new_file_is_added(batch, finished, images):
    write(images / "deep" / "new.fits", survey.image(7))
    again = batch()
    assert again.did == ["deep/new.fits"] and (again.plan["new"], again.plan["done"]) == (1, 4)


def test_a_file_that_is_gone_from_the_survey_keeps_its_outputs(batch, finished, images):
    before = survey.outputs(finished)
    (images / "a.fits").unlink()
    assert batch().did == [] and survey.outputs(finished) == before


def test_only_the_missing_extensions_of_a_file_are_done(batch, finished):
    before = survey.outputs(finished)
    (finished / "mef.hdu2.cat.fits").unlink()
    assert batch().did == ["mef.fits[2]"]
    assert survey.outputs(finished) == before


def test_extensions_that_no_journal_knows_are_new(batch, finished):
    journal = finished / "journal.jsonl"
    lines = [line for line in journal.read_text().splitlines(True) if '"hdu":3' not in line]
    journal.write_text("".join(lines))
    again = batch()
    assert again.did == ["mef.fits[3]"] and again.plan["new"] == 1


def test_a_journal_that_is_lost_means_everything_is_done_again(batch, finished):
    before = survey.outputs(finished)
    (finished / "journal.jsonl").unlink()
    assert batch().did == EVERY_IMAGE and survey.outputs(finished) == before


@pytest.mark.parametrize("torn", ['{"image":"b.fits","pa', '{"image":"caf\\u00', "{", '{"session":'])
def test_a_torn_last_line_is_cut_off(batch, finished, torn):
    journal = finished / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole + torn.encode())
    again = batch()
    assert again.did == [] and "warning" not in again.err
    assert journal.read_bytes().startswith(whole + b'{"session":')


def test_a_damaged_line_costs_its_image_and_is_told(run, config, images, finished):
    journal = finished / "journal.jsonl"
    lines = journal.read_text().splitlines(True)
    damaged = next(i for i, line in enumerate(lines) if '"a.fits"' in line)
    lines[damaged] = lines[damaged][:40] + "\0\0\0\n"
    journal.write_text("".join(lines))
    again = run("batch", config, images, "-o", "out")
    assert again.code == 0 and f"journal.jsonl:{damaged + 1}: " in again.err
    plan = survey.planned(again.err)
    assert (plan["new"], plan["done"]) == (1, 3)


def test_what_failed_is_tried_again_when_asked(batch, images, tmp_path):
    good = (images / "a.fits").read_bytes()
    (images / "a.fits").write_bytes(good[:5000])
    assert batch(code=6).did == EVERY_IMAGE
    left = batch(code=6)
    assert left.did == [] and (left.plan["left"], left.plan["done"]) == (1, 3)
    assert "--retry-failed" in left.err
    retried = batch("--retry-failed", code=6)
    assert retried.did == ["a.fits"] and retried.plan["retried"] == 1
    assert [row["image"] for row in survey.failures(tmp_path / "out")] == ["a.fits"]
    time_before = (images / "a.fits").stat()
    (images / "a.fits").write_bytes(good)
    os.utime(images / "a.fits", ns=(time_before.st_atime_ns, time_before.st_mtime_ns))
    assert batch("--retry-failed").did == ["a.fits"]
    assert not (tmp_path / "out/failures.csv").exists()
    batch(out="quiet")
    assert survey.outputs(tmp_path / "out") == survey.outputs(tmp_path / "quiet")


def test_a_mended_file_is_a_changed_one(batch, images, tmp_path):
    good = (images / "a.fits").read_bytes()
    (images / "a.fits").write_bytes(good[:5000])
    assert batch(code=6).did == EVERY_IMAGE
    (images / "a.fits").write_bytes(good)
    mended = batch()
    assert mended.did == ["a.fits"] and mended.plan["changed"] == 1
    assert not (tmp_path / "out/failures.csv").exists()


def everything(directory):
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in directory.rglob("*") if path.is_file()}


def test_a_dry_run_tells_and_changes_nothing(batch, run, config, images, tmp_path):
    dry = batch("--dry-run")
    assert dry.out.splitlines() == [str(images / name) for name in ALL] and dry.plan["new"] == 4
    assert not (tmp_path / "out").exists()
    batch()
    before = everything(tmp_path)
    assert batch("--dry-run").out == ""
    assert batch("--dry-run", "--force").out.splitlines() == [str(images / name) for name in ALL]
    assert everything(tmp_path) == before
    os.utime(images / "b.fits", (1, 1))
    dry = batch("--dry-run")
    assert dry.out.splitlines() == [str(images / "b.fits")] and dry.plan["changed"] == 1
    assert batch().did == ["b.fits"]


@pytest.fixture
def long_survey(tmp_path, config):
    """A survey that takes one thread some seconds, at work: its directory, its process, and how to start it again."""
    below = tmp_path / "many"
    below.mkdir()
    first = write(below / "0.fits", survey.image(0, 128, 128))
    for i in range(1, MANY):
        os.link(first, below / f"{i}.fits")
    command = (config, below, "-o", "long", "--threads", 1)
    process = survey.start(*command, cwd=tmp_path, log=tmp_path / "log")
    journal = tmp_path / "long" / "journal.jsonl"
    while not survey.records(journal):
        assert process.poll() is None, (tmp_path / "log").read_text()
        time.sleep(0.02)
    yield tmp_path / "long", process, command
    process.kill()
    process.wait()


def test_a_second_process_in_the_directory_says_who_has_it(long_survey, run, tmp_path):
    out, process, command = long_survey
    process.send_signal(signal.SIGSTOP)
    for extra in ((), ("--force",), ("--shard", "1/2")):
        second = run("batch", *command, *extra)
        assert second.code == 3
        assert f"process {process.pid} on {os.uname().nodename} is at work in long" in second.err
    before = (out / "journal.jsonl").read_bytes()
    assert run("batch", *command, "--dry-run").code == 0
    assert (out / "journal.jsonl").read_bytes() == before
    process.kill()
    process.wait()
    shutil.rmtree(tmp_path / "many")
    (tmp_path / "many").mkdir()
    write(tmp_path / "many" / "1.fits", survey.image(0, 128, 128))
    assert run("batch", *command).code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_what_is_under_way_and_a_restart_goes_on(long_survey, run, tmp_path, number):
    out, process, command = long_survey
    process.send_signal(number)
    assert process.wait(30) == 7
    log = (tmp_path / "log").read_text()
    assert "stopped by a signal" in log
    known = survey.done(out / "journal.jsonl")
    there = sorted(path.name.replace(".cat", "") for path in out.glob("*.cat.fits"))
    assert 0 < len(known) < MANY and known == there
    assert '"complete":false' in (out / "journal.jsonl").read_text().splitlines()[-1]
    again = run("batch", *command)
    assert again.code == 0
    plan = survey.planned(again.err)
    assert (plan["done"], plan["new"]) == (len(known), MANY - len(known))
    assert len(survey.records(out / "journal.jsonl")) == len(survey.done(out / "journal.jsonl")) == MANY
    assert '"complete":true' in (out / "journal.jsonl").read_text().splitlines()[-1]


def test_a_restart_of_a_killed_run_begins_where_the_journal_ends(long_survey, run):
    out, process, command = long_survey
    process.kill()
    process.wait()
    known = len(survey.done(out / "journal.jsonl"))
    plan = survey.planned(run("batch", *command).err)
    assert 0 < known < MANY and (plan["done"], plan["new"]) == (known, MANY - known)


@pytest.mark.parametrize("change", ["moved", "removed", "replaced"])
def test_a_directory_that_is_no_longer_there_stops_the_run(long_survey, tmp_path, change):
    out, process, _ = long_survey
    known = survey.records(out / "journal.jsonl")
    out.rename(tmp_path / "elsewhere")
    if change == "removed":
        shutil.rmtree(tmp_path / "elsewhere")
    if change == "replaced":
        shutil.copytree(tmp_path / "elsewhere", out, dirs_exist_ok=True)
    assert process.wait(30) == 3
    last = (tmp_path / "log").read_text().splitlines()[-1]  # after an image that was being written at that instant
    assert last.startswith("error: long/journal.jsonl was moved, removed or replaced while srcextract worked there")
    for directory in (tmp_path / "elsewhere", out):
        assert survey.records(directory / "journal.jsonl")[:len(known)] in ([], known)
    assert not (out / "journal.jsonl").exists() or change == "replaced"


def test_a_lock_that_is_removed_stops_the_run(long_survey, run, tmp_path):
    """Another run can begin, since a new lock file knows nothing of the old one. Both would write the same files."""
    out, process, command = long_survey
    (out / "journal.lock").unlink()
    assert process.wait(30) == 3
    last = (tmp_path / "log").read_text().splitlines()[-1]
    assert last.startswith("error: long/journal.lock was moved, removed or replaced while srcextract worked there")
    known = survey.done(out / "journal.jsonl")
    assert 0 < len(known) < MANY and run("batch", *command).code == 0
    assert len(survey.done(out / "journal.jsonl")) == MANY


def status(process, field):
    with open(f"/proc/{process.pid}/status") as lines:
        return next(line.split()[1] for line in lines if line.startswith(field + ":"))


def catches(process, number):
    return int(status(process, "SigCgt"), 16) >> (number - 1) & 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_second_signal_of_a_kind_ends_it_at_once(tmp_path, config, number):
    """While an image is under way that takes long."""
    side = 12000
    path = write(tmp_path / "large.fits", hdu((side, side), 8))
    os.truncate(path, 2880 + -(-side * side // 2880) * 2880)  # zeros that take no disk
    process = survey.start(config, path, "-o", "out", "--threads", 1, cwd=tmp_path, log=tmp_path / "log")
    while not catches(process, number) or int(status(process, "VmRSS")) < 100_000:  # kilobytes: of pixels
        time.sleep(0.005)
    process.send_signal(number)
    while catches(process, number):
        time.sleep(0.001)
    process.send_signal(number)
    assert process.wait(10) == -number
