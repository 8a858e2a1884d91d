"""`srcextract compare --update`: the new catalogue becomes the reference, and a log tells why."""

import re
import shutil

import pytest

from driver import ROOT

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ srcextract \d+\.\d+\.\d+ (?P<what>.*)")


@pytest.fixture
def files(own, tmp_path):
    """A reference, and a new catalogue that has lost every source but ten."""
    reference, new = tmp_path / "reference.csv", tmp_path / "new.csv"
    shutil.copy(own / "sky.cat.csv", reference)
    new.write_text("".join(reference.read_text().splitlines(keepends=True)[:11]))
    return reference, new


def contents(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_reference_is_replaced_and_the_log_says_why(run, files, tmp_path):
    reference, new = files
    done = run("compare", reference, new, "--update", "a threshold of 50 sigma")
    assert done.code == 0 and "BEYOND THE RULES" in done.out
    assert reference.read_bytes() == new.read_bytes()
    (line,) = (tmp_path / "reference.csv.log").read_text().splitlines()
    told = LINE.fullmatch(line)["what"]
    assert "reference.csv: a threshold of 50 sigma [beyond the rules, " in told and "sources: 241 were lost" in told
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new.csv", "reference.csv", "reference.csv.log"]


def test_the_log_grows(run, files, tmp_path):
    reference, new = files
    for why in ("first", "second"):
        assert run("compare", reference, new, "--update", why).code == 0
    lines = (tmp_path / "reference.csv.log").read_text().splitlines()
    assert len(lines) == 2 and all(LINE.fullmatch(line) for line in lines)
    assert "first [beyond the rules" in lines[0] and "second [within the rules]" in lines[1]


@pytest.mark.parametrize("arguments", [["--update"], ["--update", ""], ["--update", " \t "], ["--update", "two\nlines"]])
def test_there_is_no_update_without_a_reason_in_a_line(run, files, tmp_path, arguments):
    before = contents(tmp_path)
    done = run("compare", *files, *arguments)
    assert done.code == 2 and done.out == "" and done.err.startswith("error: ") and "--update" in done.err
    assert contents(tmp_path) == before


def test_reports_are_of_the_reference_before_the_update(run, files, tmp_path):
    assert run("compare", *files, "--update", "why", "--json", "report.json", "--matched", "both.csv").code == 0
    assert '"verdict": "beyond"' in (tmp_path / "report.json").read_text()
    assert len((tmp_path / "both.csv").read_text().splitlines()) == 252


def test_what_cannot_be_read_replaces_nothing(run, files, tmp_path):
    reference, new = files
    new.write_bytes(reference.read_bytes()[:20])
    before = contents(tmp_path)
    assert run("compare", reference, new, "--update", "why").code == 3
    assert contents(tmp_path) == before


def test_the_log_holds_nothing_that_a_terminal_obeys(run, files, tmp_path):
    reference, new = files
    new.write_bytes(new.read_bytes().replace(b"FLUX_ISO", b"FLUX\x1b[2J"))
    assert run("compare", reference, new, "--update", "red \x1b[31m\rtext").code == 0
    log = (tmp_path / "reference.csv.log").read_text()
    assert log.count("\n") == 1 and log.endswith("\n") and "red ?[31m?text" in log
    assert all(character.isprintable() for character in log[:-1])


def test_the_log_is_not_written_through_a_link(run, files, tmp_path):
    (tmp_path / "precious").write_text("mine\n")
    (tmp_path / "reference.csv.log").symlink_to("precious")
    before = contents(tmp_path)
    done = run("compare", *files, "--update", "why")
    assert done.code == 3 and "reference.csv.log is a link" in done.err
    assert contents(tmp_path) == before


@pytest.fixture
def folders(own, tmp_path):
    """a.csv differs, b.csv does not, c.fits is new, d.csv is gone."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir(), new.mkdir()
    for name in ("a.csv", "b.csv", "d.csv"):
        shutil.copy(own / "sky.cat.csv", old / name)
    shutil.copy(own / "sky.cat.csv", new / "b.csv")
    shutil.copy(own / "sky.cat.fits", new / "c.fits")
    (new / "a.csv").write_text("".join((old / "a.csv").read_text().splitlines(keepends=True)[:11]))
    return old, new


def test_a_directory_is_updated_file_by_file(run, folders):
    old, new = folders
    gone = (old / "d.csv").read_bytes()
    done = run("compare", old, new, "--update", "a threshold of 50 sigma")
    assert done.code == 0
    for name in ("a.csv", "b.csv", "c.fits"):
        assert (old / name).read_bytes() == (new / name).read_bytes()
    assert (old / "d.csv").read_bytes() == gone and "d.csv" in done.err
    lines = [LINE.fullmatch(line)["what"] for line in (old / "compare.log").read_text().splitlines()]
    assert [line.split(":")[0] for line in lines] == ["a", "b", "c"]
    assert "sources: 241 were lost" in lines[0] and "within the rules" in lines[1] and "no catalogue" in lines[2]
    again = run("compare", old, new)
    assert again.code == 5 and "3 of 4 catalogues within the rules" in again.out


def test_what_is_no_catalogue_is_not_added(run, folders):
    old, new = folders
    shutil.copy(ROOT / "data/sky.fits", new / "image.fits")
    done = run("compare", old, new, "--update", "why")
    assert done.code == 0 and f"{new / 'image.fits'}: is not added: " in done.err
    assert not (old / "image.fits").exists() and (old / "c.fits").exists()
    assert "image" not in (old / "compare.log").read_text()


@pytest.mark.parametrize("in_the_way", ["c.fits", "compare.log"])
def test_a_copy_that_fails_leaves_everything(run, folders, in_the_way):
    old, new = folders
    (old / in_the_way).mkdir()
    before = contents(old)
    done = run("compare", old, new, "--update", "why")
    assert done.code == 3 and in_the_way in done.err
    assert contents(old) == before


def test_a_gzipped_reference_keeps_its_format(run, files, tmp_path):
    import gzip
    reference, new = files
    for path, text in ((tmp_path / "r.fits.gz", reference.read_bytes()), (tmp_path / "n.csv.gz", new.read_bytes())):
        path.write_bytes(gzip.compress(text))
    done = run("compare", tmp_path / "r.fits.gz", tmp_path / "n.csv.gz", "--update", "why")
    assert done.code == 2 and "is no .fits.gz as" in done.err, done.err
