"""What lies about in the directories of a survey, and files of very many images: lists that would be replaced, journals
and catalogues that were made to do harm. Each is answered in its time, and within the memory that was given."""

import gzip
import os
import resource
import subprocess
import sys

import pytest

import survey_support as survey
from fits_files import hdu, write

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
SECONDS = 100 if SANITIZED else 20  # of a core; what takes them takes far more
IN_TIME = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))}


def end_of(tmp_path, *arguments):
    """Exit code, what was said, and the most memory: what a process has had before it becomes the program counts, so a
    small one starts it."""
    script = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode;"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, code)")
    done = subprocess.run([sys.executable, "-c", script, survey.PROGRAM, *map(str, arguments)], cwd=tmp_path,
                          capture_output=True, text=True, errors="backslashreplace", check=True)
    memory, code = done.stdout.split()[-2:]
    return int(code), done.stderr, int(memory)


def test_no_list_of_files_or_configuration_is_replaced_by_a_list_of_failures(run, tmp_path):
    write(tmp_path / "a.fits", survey.image(1, 64, 64))
    (tmp_path / "out").mkdir()
    for name, text, arguments in (("failures.csv", "path\n../a.fits\nnone.fits\n", ("c.yaml", "out/failures.csv")),
                                  ("journal.jsonl", "{}", ("out/journal.jsonl", "a.fits"))):
        (tmp_path / "c.yaml").write_text("extends: none\n")
        (tmp_path / "out" / name).write_text(text)
        done = run("batch", "-q", *arguments, "-o", "out")
        assert done.code == 2 and "would replace the input" in done.err and name in done.err
        assert (tmp_path / "out" / name).read_text() == text
        (tmp_path / "out" / name).unlink()


def test_nor_is_the_list_of_a_shard_that_a_run_of_the_whole_reads(run, tmp_path):
    """It would be removed: failures.csv has what it says."""
    write(tmp_path / "a.fits", survey.image(1, 64, 64))
    (tmp_path / "b.fits").write_bytes(b"no image")
    (tmp_path / "c.yaml").write_text("extends: none\n")
    codes = [run("batch", "-q", "c.yaml", "a.fits", "b.fits", "-o", "out", "--shard", f"{i}/2").code for i in (1, 2)]
    assert sorted(codes) == [0, 6]
    [of_shard] = (tmp_path / "out").glob("failures.*-of-2.csv")
    said = "path\n../a.fits\n"  # as someone wrote it who wants one of them tried again
    of_shard.write_text(said)
    done = run("batch", "-q", "c.yaml", of_shard.relative_to(tmp_path), "-o", "out")
    assert done.code == 2 and "would replace the input" in done.err and of_shard.name in done.err
    assert of_shard.read_text() == said


@pytest.fixture
def done_survey(run, tmp_path):
    write(tmp_path / "a.fits", survey.image(1, 64, 64))
    (tmp_path / "c.yaml").write_text("extends: none\n")
    assert run("batch", "-q", "c.yaml", "a.fits", "-o", "out").code == 0
    return tmp_path / "out"


def test_a_journal_named_after_a_million_shards_is_one_line(run, done_survey):
    (done_survey / "journal.jsonl").rename(done_survey / "journal.1-of-1000000.jsonl")
    for more in ([], ["--partial"]):
        done = run("merge", "out", "-o", "all.fits", *more)
        assert done.code == (0 if more else 3) and len(done.err) < 2000
        assert "shards 2/1000000, 3/1000000" in done.err and "and 999989 more are missing" in done.err


def test_a_journal_with_very_many_keys_is_read_in_its_time(run, done_survey):
    """Some seconds more than without would be a day for the journal of a survey."""
    lines = (done_survey / "journal.jsonl").read_text().splitlines(keepends=True)
    record = next(i for i, line in enumerate(lines) if '"outputs"' in line)
    outputs = ",".join(f'"{i}.cat.fits":1' for i in range(200_000))
    lines[record:record] = [lines[record].replace('"outputs":{', '"outputs":{' + outputs + ",")]
    (done_survey / "journal.jsonl").write_text("".join(lines))
    done = run("merge", "out", "-o", "all.fits", **IN_TIME)
    assert done.code == 0, done.err


def test_a_bomb_in_place_of_a_catalogue_is_not_inflated(run, done_survey, tmp_path):
    path = done_survey / "a.cat.fits"
    with gzip.open(tmp_path / "bomb", "wb", 9) as file:
        file.write(path.read_bytes())
        for _ in range(512):
            file.write(bytes(1 << 20))
    path.write_bytes((tmp_path / "bomb").read_bytes())
    known = (done_survey / "journal.jsonl").read_text()
    for true_size in (False, True):
        if true_size:
            size = known.split('"a.cat.fits":')[1].split(",")[0]
            (done_survey / "journal.jsonl").write_text(
                known.replace(f'"a.cat.fits":{size}', f'"a.cat.fits":{path.stat().st_size}'))
        code, said, memory = end_of(tmp_path, "merge", "out", "-o", "all.fits")
        assert code == 3 and "a.cat.fits: the catalogue has" in said, said
        assert SANITIZED or memory < 200 << 20


def test_more_columns_than_a_table_can_have(run, tmp_path):
    names = [f"K{i}" for i in range(1000)]
    (tmp_path / "a.fits").write_bytes(hdu((64, 64), values=survey.sky(1, 64, 64), **dict.fromkeys(names, 1)))
    (tmp_path / "c.yaml").write_text(f"output: {{header_keywords: [{', '.join(names)}]}}\nextends: none\n")
    assert run("batch", "-q", "c.yaml", "a.fits", "-o", "out").code == 0
    done = run("merge", "out", "-o", "all.fits")
    assert done.code == 2 and "IMAGES would have" in done.err and "output.header_keywords" in done.err
    assert not (tmp_path / "all.fits").exists()


def write_many(path, images, named):
    """So many images of a pixel, each with as many maps as it is `named` names."""
    with open(path, "wb") as file:
        file.write(hdu(()))
        for version in range(1, images + 1):
            for name in named:
                file.write(hdu((1, 1), 8, [0], primary=False, EXTNAME=name, EXTVER=version))


def test_maps_of_very_many_images_are_paired_in_their_time(run, tmp_path):
    """By looking at all maps for each image it would take minutes."""
    images = 5_000 if SANITIZED else 20_000
    write_many(tmp_path / "a.fits", images, ["SCI", "DQ"])
    (tmp_path / "c.yaml").write_text("input: {hdu: 'SCI*'}\nmask: {hdu: 'DQ*'}\nextends: none\n")
    done = run("-q", "c.yaml", "a.fits", "-o", "out", **IN_TIME)
    assert done.code == 3 and done.err.count("empty or constant image") == images, done.err[-300:]


# AddressSanitizer copies all that was inflated whenever there is more of it: minutes.
@pytest.mark.parametrize("packed", (False,) if SANITIZED else (False, True))
def test_headers_of_very_many_images_count(tmp_path, packed):
    write_many(tmp_path / "a.fits", 10_000, ["SCI"])
    name = "a.fits"
    if packed:
        name = "a.fits.gz"
        (tmp_path / name).write_bytes(gzip.compress((tmp_path / "a.fits").read_bytes(), 1))
    (tmp_path / "c.yaml").write_text("input: {hdu: all}\nextends: none\n")
    of_file = (tmp_path / "a.fits").stat().st_size if packed else 0
    few, enough = of_file + (25 << 20), of_file + (200 << 20)
    code, said, memory = end_of(tmp_path, "-q", "--memory", few, "c.yaml", name, "-o", "out")
    assert code == 1 and name in said and "--memory" in said, said[-300:]
    assert SANITIZED or memory < 1.2 * few + (20 << 20)
    code, said, memory = end_of(tmp_path, "-q", "--memory", enough, "c.yaml", name, "-o", "out")
    assert code == 3 and said.count("empty or constant image") == 10_000, said[-300:]
    assert SANITIZED or memory < 1.2 * enough
