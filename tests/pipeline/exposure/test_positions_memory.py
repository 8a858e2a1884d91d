"""Tables that hold far more than their bytes: refused before they take more than the memory that is given."""

import gzip
import os
import subprocess
import sys

import pytest

from fits_files import hdu, write

MEGABYTE = 1 << 20
ROWS = 40_000_000
LIMIT, MOST = "300M", 360 * MEGABYTE

# Runs the program, and prints the largest memory that it had and its exit code.
MEASURE = """
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, done.returncode)
print(done.stderr)
"""


def card(text):
    return text.ljust(80).encode()


def fits_header(*cards):
    text = b"".join(card(c) for c in (*cards, "END"))
    return text + b" " * (-len(text) % 2880)


def write_pieces(path, *pieces):
    """Gzipped: each piece is bytes, and how often they stand there."""
    with gzip.open(path, "wb", compresslevel=6) as file:
        for piece, count in pieces:
            at_once = max(1, MEGABYTE // len(piece))
            for _ in range(count // at_once):
                file.write(piece * at_once)
            file.write(piece * (count % at_once))


def fits_table(path):
    head = fits_header("SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0")
    table = fits_header("XTENSION= 'BINTABLE'", "BITPIX  =                    8", "NAXIS   =                    2",
                        "NAXIS1  =                    4", f"NAXIS2  = {ROWS:20}", "PCOUNT  =                    0",
                        "GCOUNT  =                    1", "TFIELDS =                    2", "TTYPE1  = 'X_IMAGE'", "TFORM1  = 'I'",
                        "TTYPE2  = 'Y_IMAGE'", "TFORM2  = 'I'")
    write_pieces(path, (head + table, 1), (b"\0\1\0\1", ROWS), (b"\0" * (-4 * ROWS % 2880 or 1), 1))


def csv_table(path):
    write_pieces(path, (b"X_IMAGE,Y_IMAGE\n", 1), (b"1,1\n", ROWS))


def ecsv_table(path):
    head = "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: X_IMAGE, datatype: float64}\n# - {name: Y_IMAGE, datatype: float64}\nX_IMAGE Y_IMAGE\n"
    write_pieces(path, (head.encode(), 1), (b"1 1\n", ROWS))


def text_table(path):
    """Columns that are text from the first row on."""
    write_pieces(path, (b"X_IMAGE,Y_IMAGE,NAME\n", 1), (b"1,1,this is a name that std::string keeps elsewhere\n", ROWS // 4))


def votable(path):
    fields = '<FIELD name="X_IMAGE" datatype="double"/><FIELD name="Y_IMAGE" datatype="double"/>'
    write_pieces(path, (f"<VOTABLE><RESOURCE><TABLE>{fields}<DATA><TABLEDATA>".encode(), 1),
                 (b"<TR><TD>1</TD><TD>1</TD></TR>", ROWS // 4), (b"</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>", 1))


def binary_votable(path):
    fields = '<FIELD name="X_IMAGE" datatype="short"/><FIELD name="Y_IMAGE" datatype="short"/>'
    head = f'<VOTABLE><RESOURCE><TABLE>{fields}<DATA><BINARY><STREAM encoding="base64">'
    write_pieces(path, (head.encode(), 1), (b"AAEAAQABAAEAAQAB", ROWS // 3),
                 (b"</STREAM></BINARY></DATA></TABLE></RESOURCE></VOTABLE>", 1))


def parquet_table(path):
    pyarrow = pytest.importorskip("pyarrow", reason="no data: this Python has no pyarrow")
    import pyarrow.parquet
    with pyarrow.parquet.ParquetWriter(path, pyarrow.schema([("X_IMAGE", "f8"), ("Y_IMAGE", "f8")]), compression="zstd") as writer:
        values = pyarrow.array([1.0] * 1_000_000)
        for _ in range(ROWS // 1_000_000):
            writer.write_table(pyarrow.table({"X_IMAGE": values, "Y_IMAGE": values}))


TABLES = {"fits.gz": fits_table, "csv.gz": csv_table, "ecsv.gz": ecsv_table, "text.csv.gz": text_table, "vot.gz": votable,
          "binary.vot.gz": binary_votable, "parquet": parquet_table}


@pytest.fixture(scope="module", params=TABLES)
def table(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / f"p.{request.param}"
    TABLES[request.param](path)
    assert path.stat().st_size < 3 * MEGABYTE
    return path


def refused(*arguments, cwd):
    if os.environ.get("SRCEXTRACT_SANITIZE"):
        pytest.skip("sanitizers: memory is not the program's own")
    command = [os.environ["SRCEXTRACT_PROGRAM"], *map(str, arguments)]
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], cwd=cwd, capture_output=True, text=True, timeout=300)
    first, said = done.stdout.split("\n", 1)
    memory, code = map(int, first.split())
    assert code == 1 and "memory" in said and "--memory" in said, (code, said)
    assert memory <= MOST, f"{memory / MEGABYTE:.0f} MB"


def test_a_table_of_positions_that_is_too_large_is_refused_within_the_memory(table, tmp_path):
    write(tmp_path / "sky.fits", hdu((64, 64), values=[0.0] * 4096))
    (tmp_path / "c.yaml").write_text("extends: none\n")
    refused("--backend", "cpu", "--memory", LIMIT, "--positions", table, "c.yaml", "sky.fits", "-o", "out", cwd=tmp_path)


def test_so_is_one_of_two_that_are_compared(table, tmp_path):
    refused("compare", "--memory", LIMIT, table, table, cwd=tmp_path)


@pytest.mark.parametrize("head, piece, count", [
    (b"<VOTABLE><RESOURCE><TABLE>", b'<FIELD name="X" datatype="double"/>', 4_000_000),
    (b'<VOTABLE><RESOURCE><TABLE><FIELD name="X" datatype="double"/><DATA><TABLEDATA><TR><TD>', b"1" * 100, 5_000_000)],
    ids=["fields", "first cell"])
def test_a_votable_says_little_before_its_rows(head, piece, count, tmp_path):
    if os.environ.get("SRCEXTRACT_SANITIZE"):
        pytest.skip("sanitizers: memory is not the program's own")
    write_pieces(tmp_path / "p.vot.gz", (head, 1), (piece, count))
    command = [os.environ["SRCEXTRACT_PROGRAM"], "compare", "--memory", LIMIT, "p.vot.gz", "p.vot.gz"]
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    first, said = done.stdout.split("\n", 1)
    memory, code = map(int, first.split())
    assert code == 3 and "p.vot.gz:1: " in said, (code, said)
    assert memory <= MOST, f"{memory / MEGABYTE:.0f} MB"
