"""`srcextract compare`: tables that are malformed or degenerate give a clear error or result, and never a crash."""

import gzip
import json
import os

import pytest

pytest.importorskip("astropy")

import numpy as np
from astropy.io.votable import from_table
from astropy.table import Table
from catalogues import reasons, report

COLUMNS = ["NUMBER", "X_IMAGE", "Y_IMAGE", "FLUX_ISO", "FLUXERR_ISO"]


def table_of(rows):
    i = np.arange(rows)
    values = {"NUMBER": i + 1, "X_IMAGE": 10.25 * i + 3, "Y_IMAGE": (37.5 * i) % 1000, "FLUX_ISO": 100.0 * (i + 1),
              "FLUXERR_ISO": 5.0 + i}
    return Table({name: values[name] for name in COLUMNS})


def write(table, path):
    if path.suffix == ".vot":
        from_table(table).to_xml(str(path), tabledata_format="binary2")
    else:
        table.write(path, format={".fits": "fits", ".ecsv": "ascii.ecsv", ".csv": "ascii.csv"}[path.suffix])
    return path


FORMATS = ["fits", "ecsv", "csv", "vot"]


@pytest.fixture(params=FORMATS)
def good(request, tmp_path):
    return write(table_of(50), tmp_path / f"good.{request.param}")


def assert_unreadable(done, path, word=""):
    assert done.code == 3 and done.out == ""
    assert done.err.startswith("error: ") and done.err.count("\n") == 1
    assert str(path) in done.err and word in done.err


def test_truncated_anywhere(run, good):
    """Text may be cut where what is left is a shorter table, which is beyond the rules; of FITS the padding behind the
    last row may be missing."""
    data = good.read_bytes()
    bad = good.with_name("bad" + good.suffix)
    text = good.suffix in (".csv", ".ecsv")
    in_the_end = len(data) - 2900 if good.suffix == ".fits" else len(data) - 8
    for end in sorted({0, 1, 7, 40, 700, 2879, 2880, 5760, len(data) // 2, in_the_end}):
        if not 0 <= end < len(data):
            continue
        bad.write_bytes(data[:end])
        for pair in ((good, bad), (bad, good)):
            done = run("compare", *pair)
            assert done.code == 3 or (text and done.code == 5), end
            if done.code == 3:
                assert_unreadable(done, bad)


def test_bytes_gone_wrong(run, good):
    """Whatever they are, the answer is a comparison or one error."""
    data = good.read_bytes()
    bad = good.with_name("bad" + good.suffix)
    rng = np.random.default_rng(61)
    for _ in range(40 if "SRCEXTRACT_LONG" in os.environ else 10):
        broken = bytearray(data)
        for place in rng.integers(0, len(data), rng.integers(1, 4)):
            broken[place] = rng.choice([0, 9, 10, 32, 34, 44, 45, 48, 57, 60, 62, 127, 128, 255])
        bad.write_bytes(broken)
        done = run("compare", good, bad)
        assert (done.code in (0, 5) and done.err == "") or (done.code == 3 and done.err.startswith("error: "))


def test_truncated_gzip(run, good, tmp_path):
    data = gzip.compress(good.read_bytes())
    for end in (1, 15, len(data) // 2, len(data) - 4):
        bad = tmp_path / "bad.gz"
        bad.write_bytes(data[:end])
        assert_unreadable(run("compare", good, bad), bad)


@pytest.mark.parametrize("text", ["", "\n\n", "# a comment\n", "\0" * 5000, "<VOTABLE/>", "SIMPLE  =", "a b c\n1 2\n"])
def test_what_is_no_table(run, tmp_path, text):
    write(table_of(5), tmp_path / "good.csv")
    (tmp_path / "bad").write_text(text)
    assert_unreadable(run("compare", "good.csv", "bad"), "bad")


def test_no_such_file(run, tmp_path):
    write(table_of(5), tmp_path / "good.csv")
    assert_unreadable(run("compare", "good.csv", "missing.fits"), "missing.fits", "No such file")


def test_an_image_is_no_catalogue(run, tmp_path, image):
    write(table_of(5), tmp_path / "good.csv")
    assert_unreadable(run("compare", "good.csv", image), image, "table")


def test_text_where_numbers_should_be(run, compare, tmp_path):
    """In a CSV file, which does not say what its columns hold, and in those that do."""
    lines = write(table_of(50), tmp_path / "good.csv").read_text().splitlines()
    lines[40] = lines[40].replace("4000.0", "many")
    (tmp_path / "bad.csv").write_text("\n".join(lines) + "\n")
    done = run("compare", "good.csv", "bad.csv")
    assert done.code in (3, 5) and "FLUX_ISO" in done.out + done.err
    text = table_of(50)
    text["FLUX_ISO"] = [f"bright{i}" for i in range(50)]
    for name in ("text.fits", "text.ecsv", "text.vot"):
        done = compare("good.csv", write(text, tmp_path / name))
        assert any("FLUX_ISO" in reason for reason in reasons(done))


def test_positions_of_text(run, tmp_path):
    write(table_of(50), tmp_path / "good.fits")
    text = table_of(50)
    text["X_IMAGE"] = ["here"] * 50
    done = run("compare", "good.fits", write(text, tmp_path / "text.fits"))
    assert done.code in (2, 3, 5) and "X_IMAGE" in done.out + done.err


def test_no_column_in_common(run, tmp_path):
    write(table_of(50), tmp_path / "good.csv")
    (tmp_path / "other.csv").write_text("A,B\n1,2\n")
    done = run("compare", "good.csv", "other.csv")
    assert done.code in (2, 3) and done.out == "" and "position" in done.err and "columns" in done.err


def test_missing_position(run, tmp_path):
    write(table_of(50), tmp_path / "good.csv")
    table = table_of(50)
    del table["Y_IMAGE"]
    done = run("compare", "good.csv", write(table, tmp_path / "bad.csv"))
    assert done.code in (2, 3) and done.out == "" and "Y_IMAGE" in done.err and "bad.csv" in done.err


@pytest.mark.parametrize("ending", FORMATS)
def test_zero_rows(compare, tmp_path, ending):
    none, some = write(table_of(0), tmp_path / f"none.{ending}"), write(table_of(50), tmp_path / f"some.{ending}")
    assert compare(none, none).code == 0
    lost = report(compare(some, none, "--json", "-"))
    assert lost.verdict == "beyond" and lost.sources["lost"] == 50 and lost.sources["matched"] == 0
    assert reasons(compare(some, none))[0].startswith("sources: ")
    gained = report(compare(none, some, "--json", "-"))
    assert gained.verdict == "beyond" and gained.sources["gained"] == 50
    for new, rows in ((none, 50), (some, 100)):
        assert compare(some, new, "--matched", "both.csv").code in (0, 5)


def test_two_columns_of_one_name(run, tmp_path):
    write(table_of(5), tmp_path / "good.csv")
    (tmp_path / "bad.csv").write_text("X_IMAGE,Y_IMAGE,FLUX_ISO,FLUX_ISO\n1,2,3,4\n")
    assert_unreadable(run("compare", "good.csv", "bad.csv"), "bad.csv", "FLUX_ISO")
    fits = write(table_of(5), tmp_path / "good.fits")
    data = fits.read_bytes().replace(b"'FLUXERR_ISO'", b"'FLUX_ISO   '")
    (tmp_path / "bad.fits").write_bytes(data)
    assert_unreadable(run("compare", "good.fits", "bad.fits"), "bad.fits", "FLUX_ISO")


def test_100000_columns(compare, tmp_path):
    names = ["X_IMAGE", "Y_IMAGE", *(f"C{i}" for i in range(99_998))]
    row = ",".join(str(i % 7) for i in range(100_000))
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(names), row, row.replace("0", "8"), row.replace("1", "9")]) + "\n")
    done = compare(path, path, "-q")
    assert done.code == 0 and "within the rules" in done.out


@pytest.mark.parametrize("rows", [1, 2])
def test_a_row_or_two(compare, tmp_path, rows):
    path = write(table_of(rows), tmp_path / "few.fits")
    found = report(compare(path, path, "--json", "-"))
    assert found.verdict == "within" and found.sources["matched"] == rows
    moved = table_of(rows)
    moved["FLUX_ISO"] *= 2
    first = reasons(compare(path, write(moved, tmp_path / "moved.fits")))[0]
    assert first.startswith("FLUX_ISO: ")


def test_two_identical_rows(compare, tmp_path):
    table = table_of(1)
    one = write(table, tmp_path / "one.fits")
    table.add_row(table[0])
    two = write(table, tmp_path / "two.fits")
    assert compare(two, two).code == 0
    assert reasons(compare(one, two))[0].startswith("sources: 1 rows are duplicated, none in the reference: row 2 ")


def test_positions_that_are_all_nan(compare, tmp_path):
    good, table = write(table_of(50), tmp_path / "good.fits"), table_of(50)
    table["X_IMAGE"] = np.nan
    lost = write(table, tmp_path / "lost.fits")
    done = compare(good, lost)
    assert reasons(done)[0].startswith("positions: 50 rows have none (NaN)")
    assert report(compare(good, lost, "--json", "-")).sources["new_without_position"] == 50
    assert json.loads(compare(lost, lost, "--json", "-").out)["files"][0]["sources"]["matched"] == 0


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e308, -1e308, 1e-320])
def test_values_at_the_end_of_the_numbers(compare, tmp_path, value):
    good, table = write(table_of(50), tmp_path / "good.fits"), table_of(50)
    for name in ("X_IMAGE", "FLUX_ISO", "FLUXERR_ISO"):
        table[name][::2] = value
    extreme = write(table, tmp_path / "extreme.fits")
    assert compare(good, extreme).code == 5
    assert compare(extreme, good).code == 5
    assert json.loads(compare(extreme, extreme, "--json", "-").out)
