"""Nothing in a file can end the process, hang it, or make it take more memory than it was given: files that were made to
(hostile_files.py), one by one and among a hundred good ones."""

import os
import subprocess
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

import survey_support as survey
from driver import run_program
from fits_files import write

astropy_fits = pytest.importorskip("astropy.io.fits")

from hostile_files import LONG_TEXT, replaced, write_hostile  # noqa: E402

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
GOOD = 100
SECONDS = 100 if SANITIZED else 20  # more is a hang: each takes some hundredths of one
MEMORY = 400 << 20  # bytes; the bomb is a quarter of that


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return write_hostile(tmp_path_factory.mktemp("made") / "hostile")


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "c.yaml"
    path.write_text("extends: none\noutput:\n  formats: [fits, csv]\n")
    return path


def extract(path, config, out):
    """Exit code (none of a run that hangs), what was said, and the outputs; and the most memory it had."""
    with open(out.with_suffix(".log"), "w+", errors="backslashreplace") as log:
        process = subprocess.Popen([survey.PROGRAM, "-q", "--threads", "2", "-o", out, config, path], stderr=log,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        watcher = subprocess.Popen(["sh", "-c", f"sleep {SECONDS}; kill -9 {process.pid}"],
                                   start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        os.killpg(watcher.pid, 15)
        watcher.wait()
        log.seek(0)
        return process.returncode, log.read(), survey.outputs(out) if out.exists() else {}, usage.ru_maxrss * 1024


def verdict(path, config, directory):
    """What is wrong with how the file is answered; empty if nothing."""
    first, second = (extract(path, config, directory / f"{path.name}.{i}") for i in (1, 2))
    code, said, outputs, memory = first
    if code == -9:
        return f"{path.name}: hangs, or was killed"
    if code not in (0, 3):
        return f"{path.name}: exit code {code}: {said[-300:]}"
    if code == 3 and "error: " not in said:
        return f"{path.name}: fails without a word"
    if code == 3 and "internal error" in said:
        return f"{path.name}: {said[-300:]}"
    if code == 3 and outputs:
        return f"{path.name}: fails, and leaves {list(outputs)}"
    if second[:1] + second[2:3] != first[:1] + first[2:3]:
        return f"{path.name}: another result on the second run"
    if memory > MEMORY and not SANITIZED:
        return f"{path.name}: takes {memory >> 20} MB"
    return ""


@pytest.fixture(scope="module")
def verdicts(hostile, config, tmp_path_factory):
    directory = tmp_path_factory.mktemp("alone")
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(hostile, pool.map(lambda path: verdict(path, config, directory), hostile)))


def test_each_is_answered_with_a_message_or_a_catalogue_and_the_same_bytes_twice(verdicts):
    assert len(verdicts) > 50
    wrong = [problem for problem in verdicts.values() if problem]
    assert wrong == [], "\n".join([f"{len(wrong)} of {len(verdicts)}:", *wrong])


@pytest.fixture(scope="module")
def skies(tmp_path_factory, config):
    """A hundred good images, and what a run over them alone leaves."""
    below = tmp_path_factory.mktemp("skies")
    originals = [write(below / f"{kind:03}.fits", survey.image(kind, 64, 64)) for kind in range(5)]
    for i in range(5, GOOD):
        os.link(originals[i % 5], below / f"{i:03}.fits")
    out = tmp_path_factory.mktemp("quiet")
    assert run_program("batch", "-q", config, below, "-o", out).code == 0
    return below, survey.outputs(out)


def check_survey(directory, config, skies, bad, starts):
    """All good images are done after so many starts, and every bad one is answered."""
    images = directory / "images"
    images.mkdir(parents=True)
    for path in [*skies[0].iterdir(), *bad]:
        os.link(path, images / path.name)
    codes = []
    while len(codes) < starts and (not codes or codes[-1] not in (0, 6)):
        codes.append(run_program("batch", "-q", "--image-timeout", SECONDS, config, images, "-o", directory / "out").code)
    known = survey.last_words(directory / "out/journal.jsonl")
    answered = {path.name for path in bad} <= {name for name, _ in known}
    good = {name: known for name, known in survey.outputs(directory / "out").items() if name in skies[1]}
    return codes[-1] in (0, 6) and answered and good == skies[1], codes


def test_a_survey_with_all_of_them_that_are_answered_is_done_at_once(verdicts, config, skies, tmp_path):
    answered = [path for path, problem in verdicts.items() if not problem]
    done, codes = check_survey(tmp_path, config, skies, answered, starts=1)
    assert done, codes


@pytest.mark.skipif(SANITIZED, reason="sanitizers: they end the process for what it would survive")
def test_a_survey_around_each_is_done_after_two_starts(verdicts, config, skies, tmp_path):
    failed = [(path.name, codes) for path in verdicts
              for done, codes in [check_survey(tmp_path / path.name, config, skies, [path], starts=2)] if not done]
    assert failed == []


# A key of a table, and the card in place of it.
TABLES = {"tnull_text": ("TNULL3", f"TNULL3  = {LONG_TEXT}"), "tform_long": ("TFORM3", "TFORM3  = '" + "9" * 60 + "J'"),
          "tfields_most": ("TFIELDS", "TFIELDS = 999"), "rows_most": ("NAXIS2", "NAXIS2  = 9223372036854775807"),
          "rows_negative": ("NAXIS2", "NAXIS2  = -9"), "width_none": ("NAXIS1", "NAXIS1  = 0"),
          "heap_far": ("GCOUNT", f"THEAP   = {LONG_TEXT}")}


@pytest.mark.parametrize("name", TABLES)
def test_a_catalogue_that_is_compared_is_answered_too(run, tmp_path, name):
    column = astropy_fits.Column
    astropy_fits.BinTableHDU.from_columns([
        column("X_IMAGE", "D", array=range(9)), column("Y_IMAGE", "D", array=range(9)),
        column("N", "J", array=range(9), null=5)]).writeto(tmp_path / "good.fits")
    (tmp_path / "bad.fits").write_bytes(replaced((tmp_path / "good.fits").read_bytes(), *TABLES[name], 2880))
    assert run("compare", "good.fits", "good.fits").code == 0
    for names in (("good.fits", "bad.fits"), ("bad.fits", "good.fits")):
        done = run("compare", *names)
        assert done.code in (0, 3, 5), (done.code, done.err)
        assert (done.code == 3) == ("bad.fits" in done.err) and "internal" not in done.err, done.err
