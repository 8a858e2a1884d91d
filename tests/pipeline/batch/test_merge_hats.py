"""`srcextract merge -o survey.hats` as other programs read it: cells against astropy-healpix, the directory against hats."""

import os
import subprocess

import pytest

from fits_files import TAN, write_sky

READERS = os.environ.get("SRCEXTRACT_READERS_PYTHON")


def read(survey, script):
    """Runs it where the readers are."""
    if READERS is None:
        pytest.skip("SRCEXTRACT_READERS_PYTHON names no Python that has tests/support/readers.txt")
    before = "import pathlib\nfrom astropy.io import fits\nsources = fits.getdata('survey.fits', 'SOURCES')\n"
    done = subprocess.run([READERS, "-c", before + script], cwd=survey, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def survey(run, tmp_path):
    """Images from pole to pole, merged into FITS and by cells of the sky."""
    below = tmp_path / "night"
    below.mkdir()
    for i, (ra, dec) in enumerate([(0.0, 0.0), (10, 89.9), (200, -89.9), (45, 41.8), (359.99, -41.8), (123, 45), (83, 22)]):
        write_sky(below / f"{i}.fits", **{**TAN, "CRVAL1": float(ra), "CRVAL2": float(dec)})
    config = tmp_path / "c.yaml"
    config.write_text("extends: none\noutput:\n  formats: [fits]\n")
    for arguments in (("batch", config, below, "-o", "out"), ("merge", "out", "-o", "survey.fits"),
                      ("merge", "out", "-o", "survey.hats")):
        done = run(*arguments)
        assert done.code == 0, done.err
    return tmp_path


def test_cells_are_those_of_astropy(survey):
    read(survey, """
import astropy_healpix, numpy, pyarrow.parquet
from astropy import units
rows = 0
for path in pathlib.Path("survey.hats/dataset").rglob("*.parquet"):
    order, pixel = (int(part.split("=")[1].removesuffix(".parquet")) for part in (path.parts[-3], path.parts[-1]))
    table = pyarrow.parquet.ParquetFile(path).read()
    ra, dec = (numpy.array(table[name]) * units.deg for name in ("ALPHA_J2000", "DELTA_J2000"))
    assert list(astropy_healpix.lonlat_to_healpix(ra, dec, 2**29, order="nested")) == table["_healpix_29"].to_pylist()
    assert set(astropy_healpix.lonlat_to_healpix(ra, dec, 2**order, order="nested")) == {pixel}
    rows += len(table)
assert rows == len(sources) == 14
""")


def test_hats_reads_it(survey):
    read(survey, """
import hats
catalogue = hats.read_hats("survey.hats")
assert catalogue.catalog_info.total_rows == len(sources)
assert catalogue.schema.names == ["_healpix_29", *sources.names]
assert len(catalogue.get_healpix_pixels()) == len(list(pathlib.Path("survey.hats/dataset").rglob("*.parquet")))
""")


def test_lsdb_reads_it(survey):
    read(survey, """
import lsdb
table = lsdb.open_catalog("survey.hats").compute()
assert sorted(zip(table["IMAGE"], table["X_IMAGE"])) == sorted(zip(sources["IMAGE"], sources["X_IMAGE"]))
""")


def test_duckdb_and_polars_read_it(survey):
    """A cell alone, and all cells as one table with the directories' names as columns."""
    read(survey, """
import duckdb, polars
cells = "survey.hats/dataset/*/*/*.parquet"
expected = sorted((str(image), float(x)) for image, x in zip(sources["IMAGE"], sources["X_IMAGE"]))
rows = duckdb.sql(f"SELECT IMAGE, X_IMAGE, Norder FROM read_parquet('{cells}', hive_partitioning=true)").fetchall()
assert sorted((image, x) for image, x, _ in rows) == expected
orders = {path.parts[-3] for path in pathlib.Path("survey.hats/dataset").rglob("*.parquet")}
assert {f"Norder={order}" for _, _, order in rows} == orders
table = polars.scan_parquet(cells, hive_partitioning=True).select("IMAGE", "X_IMAGE").collect()
assert sorted(table.iter_rows()) == expected
images = duckdb.sql("SELECT IMAGE FROM 'survey.hats/images.parquet'").fetchall()
assert sorted(images) == sorted({(image,) for image, _ in expected})
""")


def test_images_without_sky_have_no_cells(run, tmp_path):
    below = tmp_path / "night"
    below.mkdir()
    write_sky(below / "plain.fits")
    config = tmp_path / "c.yaml"
    config.write_text("extends: none\noutput:\n  formats: [fits]\n")
    assert run("batch", config, below, "-o", "out").code == 0
    done = run("merge", "out", "-o", "survey.hats")
    assert done.code == 2
    assert "no ALPHA_J2000" in done.err and "WCS" in done.err
    assert not (tmp_path / "survey.hats").exists()
