"""One image cannot take a survey with it: what ends the program, or hangs it, is a failure of its own. Files do so by
their names (tests/support/preload/deeds.cpp)."""

import os
import re
import signal
import time

import pytest

import survey_support as survey
from driver import run_program
from fits_files import write

GOOD = 100
DEEDS = {"abort": "SIGABRT", "segv": "SIGSEGV", "fpe": "SIGFPE", "ill": "SIGILL", "kill": "SIGKILL"}
pytestmark = pytest.mark.skipif(os.environ.get("SRCEXTRACT_SANITIZE", "") != "",
                                reason="sanitizers: they want to be loaded before any other library")


@pytest.fixture(scope="module")
def harmful():
    return {"LD_PRELOAD": os.environ["SRCEXTRACT_DEEDS"]}


@pytest.fixture(scope="module")
def skies(tmp_path_factory):
    """A hundred good images, and what a run over them alone leaves."""
    below = tmp_path_factory.mktemp("skies")
    originals = [write(below / f"{kind:03}.fits", survey.image(kind, 64, 64)) for kind in range(5)]
    for i in range(5, GOOD):
        os.link(originals[i % 5], below / f"{i:03}.fits")
    config = below.parent / "crash.yaml"
    config.write_text("extends: none\noutput:\n  formats: [fits, csv]\n")
    out = tmp_path_factory.mktemp("quiet")
    assert run_program("batch", "-q", config, below, "-o", out).code == 0
    return below, config, survey.outputs(out)


@pytest.fixture
def images(tmp_path, skies):
    """The same, to add others to."""
    below = tmp_path / "images"
    below.mkdir()
    for path in skies[0].iterdir():
        os.link(path, below / path.name)
    return below


@pytest.fixture
def batch(tmp_path, images, skies, harmful):
    def run_batch(*arguments, out="out", source=images):
        return run_program("batch", skies[1], source, "-o", out, *arguments, cwd=tmp_path, env=harmful)

    return run_batch


def harm(images, deed, name="050"):
    return write(images / f"{name}.crash-{deed}.fits", survey.image(1, 64, 64))


def good_outputs(directory):
    return {name: content for name, content in survey.outputs(directory).items()
            if ".crash-" not in name and name != "failures.csv"}


def check_done(tmp_path, skies, failed):
    """All good images are done, to the same bytes; returns the reasons of those that failed, by their names."""
    assert good_outputs(tmp_path / "out") == skies[2]
    rows = {row["image"]: row for row in survey.failures(tmp_path / "out")}
    assert sorted(rows) == sorted(failed)
    assert not (tmp_path / "out/journal.begun").exists()
    last = (tmp_path / "out/journal.jsonl").read_text().splitlines()[-1]
    assert '"complete":true' in last
    return rows


@pytest.mark.parametrize("deed", DEEDS)
def test_an_image_that_ends_the_program_is_a_failure_at_the_second_start(tmp_path, images, batch, skies, deed):
    bad = harm(images, deed)
    assert batch().code == -getattr(signal, DEEDS[deed])
    again = batch()
    assert again.code == 6, again.err
    row = check_done(tmp_path, skies, [bad.name])[bad.name]
    assert row["kind"] == ("memory" if deed == "kill" else "crash")
    assert f"signal {int(getattr(signal, DEEDS[deed]))} ({DEEDS[deed]})" in row["reason"] and bad.name in row["reason"]
    third = batch()
    assert third.code == 6 and survey.planned(third.err)["to_do"] == 0


def test_an_image_that_ends_the_program_with_an_exit_code(tmp_path, images, batch, skies):
    bad = harm(images, "exit")
    assert batch().code == 3
    assert batch().code == 6
    assert "exit code 3" in check_done(tmp_path, skies, [bad.name])[bad.name]["reason"]


def test_memory_that_runs_out_in_an_image_is_its_failure_at_once(tmp_path, images, batch, skies):
    bad = harm(images, "memory")
    assert batch().code == 6
    assert check_done(tmp_path, skies, [bad.name])[bad.name]["kind"] == "memory"


def test_an_image_that_hangs_is_a_failure_at_the_second_start(tmp_path, images, batch, skies):
    bad = harm(images, "loop")
    stopped = batch("--image-timeout", 1)
    assert stopped.code == 7, stopped.err
    assert re.search(f"error: .*{bad.name}: .*--image-timeout", stopped.err)
    assert '"complete":false' in (tmp_path / "out/journal.jsonl").read_text().splitlines()[-1]
    assert batch("--image-timeout", 1).code == 6
    row = check_done(tmp_path, skies, [bad.name])[bad.name]
    assert row["kind"] == "timeout" and "1 s" in row["reason"]


def test_what_an_image_leaves_for_another_to_die_of_does_not_stop_the_survey(tmp_path, images, batch, skies):
    trap = harm(images, "later")
    assert batch().code == -signal.SIGABRT
    assert batch().code == 0
    check_done(tmp_path, {2: {**skies[2]}}, [])
    assert trap.name in survey.done(tmp_path / "out/journal.jsonl")


def test_several_images_that_end_the_program_need_a_start_each_at_most(tmp_path, images, batch, skies):
    bad = [harm(images, deed, name).name for deed, name in [("abort", "010"), ("segv", "020"), ("fpe", "030")]]
    codes = [batch().code]
    while codes[-1] < 0 and len(codes) < 10:
        codes.append(batch().code)
    assert codes[-1] == 6 and len(codes) <= len(bad) + 1, codes
    check_done(tmp_path, skies, bad)


@pytest.fixture
def several(tmp_path, batch):
    """Runs over files of three images each."""
    source = tmp_path / "several"
    source.mkdir()
    for i in range(5):
        survey.write_extensions(source / f"{i}.fits", range(3))
    return source, lambda *more: batch("--set", "input.hdu=all", *more, source=source)


def test_a_file_of_several_images_that_cannot_be_opened_fails_as_a_whole(tmp_path, several):
    source, run = several
    bad = survey.write_extensions(source / "2.crash-segv.fits", range(3))
    assert run().code == -signal.SIGSEGV
    assert run().code == 6
    row, = survey.failures(tmp_path / "out")
    assert (row["image"], row["hdu"]) == (bad.name, "")
    assert len(list((tmp_path / "out").glob("*.cat.fits"))) == 15


def harm_hdu(path, number):
    """One of three images in a file, all of one size."""
    images = path.read_bytes()
    path.unlink()  # the others are written by themselves
    middle = len(images) * (2 * number - 1) // 6 // 4 * 4
    path.write_bytes(images[:middle] + b"DEED:segv;  " + images[middle + 12:])


def test_one_catalogue_is_of_the_images_that_did_not_end_the_program(tmp_path, several):
    source, run = several
    harm_hdu(source / "0.fits", 1)
    harm_hdu(source / "2.fits", 2)
    harm_hdu(source / "3.fits", 3)
    codes = []
    while len(codes) < 5 and codes[-1:] != [6]:
        codes.append(run("--set", "output.one_catalogue=true").code)
    assert codes[-1] == 6
    fits = pytest.importorskip("astropy.io.fits")
    numbers = {i: set(fits.getdata(tmp_path / f"out/{i}.cat.fits", 1)["EXT_NUMBER"]) for i in range(5)}
    assert numbers == {0: {2, 3}, 1: {1, 2, 3}, 2: {1, 3}, 3: {1, 2}, 4: {1, 2, 3}}


def test_the_other_images_of_a_file_are_done(tmp_path, several):
    source, run = several
    bad = source / "3.fits"
    harm_hdu(bad, 2)
    assert run().code == -signal.SIGSEGV
    assert run().code == 6
    row, = survey.failures(tmp_path / "out")
    assert (row["image"], row["hdu"], row["kind"]) == (bad.name, "2", "crash") and "HDU 2 of" in row["reason"]
    assert len(list((tmp_path / "out").glob("*.cat.fits"))) == 14
    again = run()
    assert again.code == 6 and survey.planned(again.err)["to_do"] == 0


def test_shards_of_one_directory_each_see_to_their_own(tmp_path, images, batch, skies):
    bad = [harm(images, "abort", name).name for name in ("010", "020", "030", "040")]
    codes = []
    for shard in ("1/2", "2/2"):
        for _ in range(6):
            codes.append(batch("--shard", shard).code)
            if codes[-1] >= 0:
                break
    assert -signal.SIGABRT in codes and codes[-1] in (0, 6), codes
    assert good_outputs(tmp_path / "out").keys() >= skies[2].keys()
    rows = [row["image"] for shard in (1, 2) for row in survey.failures(tmp_path / "out", f".{shard}-of-2")]
    assert sorted(rows) == sorted(bad)


def test_another_division_knows_what_a_shard_was_at(tmp_path, images, batch, skies):
    bad = harm(images, "abort").name
    codes = [batch("--shard", shard).code for shard in ("1/2", "2/2")]
    assert -signal.SIGABRT in codes
    assert batch().code == 6
    check_done(tmp_path, skies, [bad])
    assert list((tmp_path / "out").glob("*.begun")) == []


def test_a_file_that_failed_so_is_tried_again_when_asked_and_when_mended(tmp_path, images, batch, skies):
    bad = harm(images, "abort")
    batch(), batch()
    assert batch("--retry-failed").code == -signal.SIGABRT
    assert batch("--retry-failed").code == 6
    check_done(tmp_path, skies, [bad.name])
    mended = run_program("batch", skies[1], images, "-o", "out", "--retry-failed", cwd=tmp_path)
    assert mended.code == 0, mended.err


def test_who_kills_the_run_condemns_no_image(tmp_path, images, skies, harmful):
    """Killed while it tries an image by itself, four times."""
    harm(images, "loop")
    for _ in range(4):
        process = survey.start(skies[1], images, "-o", "out", cwd=tmp_path, log=tmp_path / "log",
                               env={**os.environ, **harmful})
        begun = tmp_path / "out/journal.begun"
        while not begun.exists() or b"crash-loop" not in begun.read_bytes():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.2)
        process.kill()
        process.wait()
    mended = run_program("batch", skies[1], images, "-o", "out", cwd=tmp_path)
    assert mended.code == 0, mended.err
    check_done(tmp_path, skies, [])


def test_by_itself_an_image_gets_its_own_configuration_name_and_messages(tmp_path, harmful):
    """What a killed run was at is done by itself to the bytes, and with the reasons, of a run that was not killed."""
    images = tmp_path / "images"
    images.mkdir()
    names = [b"caf\xe9.crash-loop.fits", b"plain.crash-loop.fits", b"small.crash-loop.fits"]
    for seed, name in enumerate(names):
        size = 8 if name.startswith(b"small") else 64
        with open(os.path.join(os.fsencode(images), name), "wb") as file:
            file.write(survey.image(seed, size, size))
    (tmp_path / "own.conv").write_text("CONV NORM\n" + 9 * ("1 2 3 4 5 4 3 2 1\n"))
    (tmp_path / "c.yaml").write_text("convolve:\n  kernel: file\n  file: own.conv\nextends: none\n")
    with open(images / "list.csv", "wb") as manifest:
        manifest.write(b"path,detection.threshold\n" + b"".join(name + b",%d\n" % (4 + i) for i, name in enumerate(names)))
    command = ("c.yaml", images / "list.csv", "--threads", 3)
    assert run_program("batch", *command, "-o", "quiet", cwd=tmp_path).code == 6
    process = survey.start(*command, "-o", "out", cwd=tmp_path, log=tmp_path / "log", env={**os.environ, **harmful})
    begun = tmp_path / "out/journal.begun"
    while not begun.exists() or begun.read_bytes().count(b"begun") < len(names):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    again = run_program("batch", *command, "-o", "out", cwd=tmp_path)
    assert again.code == 6 and "sudden end: 3 files" in again.err, again.err
    assert survey.outputs(tmp_path / "out") == survey.outputs(tmp_path / "quiet")
    assert "the kernel" in survey.failures(tmp_path / "out")[0]["reason"]


def test_by_itself_no_image_replaces_an_input(tmp_path, harmful):
    """An input in the place of another's output is left alone there, too."""
    write(tmp_path / "a.crash-loop.fits", survey.image(1, 64, 64))
    write(tmp_path / "a.crash-loop.cat.fits", survey.image(2, 64, 64))
    (tmp_path / "list.txt").write_text("a.crash-loop.fits\na.crash-loop.cat.fits\n")
    (tmp_path / "c.yaml").write_text("extends: none\n")
    before = (tmp_path / "a.crash-loop.cat.fits").read_bytes()
    process = survey.start("c.yaml", "list.txt", "-o", ".", "--threads", 1, cwd=tmp_path, log=tmp_path / "log",
                           env={**os.environ, **harmful})
    while not (tmp_path / "journal.begun").exists() or b"a.crash-loop.fits" not in (
            tmp_path / "journal.begun").read_bytes():
        assert process.poll() in (None,)
        time.sleep(0.01)
    process.kill()
    process.wait()
    again = run_program("batch", "c.yaml", "list.txt", "-o", ".", cwd=tmp_path)
    assert again.code == 6 and "would replace the input" in again.err
    assert (tmp_path / "a.crash-loop.cat.fits").read_bytes() == before


def test_a_file_that_takes_the_whole_run_along_is_given_up(tmp_path, images, skies, harmful):
    """As where the system kills all processes of a job at once."""
    bad = harm(images, "loop").name
    for start in range(10):
        process = survey.start(skies[1], images, "-o", "out", cwd=tmp_path, log=tmp_path / "log",
                               env={**os.environ, **harmful})
        wanted = f"begun  {start} ".encode()
        begun = tmp_path / "out/journal.begun"
        while process.poll() is None and not (begun.exists() and any(
                line.startswith(wanted) and b"crash-loop" in line for line in begun.read_bytes().splitlines())):
            time.sleep(0.01)
        if process.poll() is not None:
            break
        process.kill()
        process.wait()
    assert process.returncode == 6 and start == 6
    assert "whole run 5 times" in check_done(tmp_path, skies, [bad])[bad]["reason"]


def test_a_stop_leaves_no_notes_but_of_what_was_not_tried(tmp_path, images, skies):
    process = survey.start(skies[1], images, "-o", "out", "--threads", 1, cwd=tmp_path, log=tmp_path / "log")
    while not (tmp_path / "out/000.cat.fits").exists():
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    assert process.wait() in (0, 7)
    assert not (tmp_path / "out/journal.begun").exists()


@pytest.mark.parametrize("arguments, said", [
    (["--max-failures", "-1"], "--max-failures: '-1' is not a whole number from 0 on"),
    (["--image-timeout", "-1"], "--image-timeout: '-1' is not a number of seconds from 0 on"),
    (["--image-timeout", "nan"], "--image-timeout: 'nan' is not a number of seconds from 0 on")])
def test_limits_that_are_none_are_refused_in_a_line(batch, arguments, said):
    refused = batch(*arguments)
    assert refused.code == 2 and said in refused.err and len(refused.err) < 200, refused.err
