"""`srcextract merge -o survey.hats` as other programs read it: cells against astropy-healpix, the directory against hats."""

import pytest

from fits_files import TAN, write_sky

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")


@pytest.fixture
def survey(run, tmp_path):
    """Images from pole to pole, merged into FITS and by cells of the sky."""
    below = tmp_path / "night"
    below.mkdir()
    for i, (ra, dec) in enumerate([(0.0, 0.0), (10, 89.9), (200, -89.9), (45, 41.8), (359.99, -41.8), (123, 45), (83, 22)]):
        write_sky(below / f"{i}.fits", **{**TAN, "CRVAL1": float(ra), "CRVAL2": float(dec)})
    config = tmp_path / "c.yaml"
    config.write_text("output:\n  formats: [fits]\n")
    for arguments in (("batch", config, below, "-o", "out"), ("merge", "out", "-o", "survey.fits"),
                      ("merge", "out", "-o", "survey.hats")):
        done = run(*arguments)
        assert done.code == 0, done.err
    return tmp_path


def test_cells_are_those_of_astropy(survey):
    healpix = pytest.importorskip("astropy_healpix")
    units = pytest.importorskip("astropy.units")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 0
    for path in (survey / "survey.hats/dataset").rglob("*.parquet"):
        order, pixel = (int(part.split("=")[1].removesuffix(".parquet")) for part in (path.parts[-3], path.parts[-1]))
        table = parquet.ParquetFile(path).read()
        ra, dec = (np.array(table[name]) * units.deg for name in ("ALPHA_J2000", "DELTA_J2000"))
        assert list(healpix.lonlat_to_healpix(ra, dec, 2**29, order="nested")) == table["_healpix_29"].to_pylist()
        assert set(healpix.lonlat_to_healpix(ra, dec, 2**order, order="nested")) == {pixel}
        rows += len(table)
    assert rows == len(fits.getdata(survey / "survey.fits", "SOURCES")) == 14


def test_hats_reads_it(survey):
    hats = pytest.importorskip("hats")
    catalogue = hats.read_hats(survey / "survey.hats")
    sources = fits.getdata(survey / "survey.fits", "SOURCES")
    assert catalogue.catalog_info.total_rows == len(sources)
    assert catalogue.schema.names == ["_healpix_29", *sources.names]
    assert len(catalogue.get_healpix_pixels()) == len(list((survey / "survey.hats/dataset").rglob("*.parquet")))


def test_lsdb_reads_it(survey):
    lsdb = pytest.importorskip("lsdb")
    sources = fits.getdata(survey / "survey.fits", "SOURCES")
    table = lsdb.open_catalog(survey / "survey.hats").compute()
    assert sorted(zip(table["IMAGE"], table["X_IMAGE"])) == sorted(zip(sources["IMAGE"], sources["X_IMAGE"]))


def test_images_without_sky_have_no_cells(run, tmp_path):
    below = tmp_path / "night"
    below.mkdir()
    write_sky(below / "plain.fits")
    config = tmp_path / "c.yaml"
    config.write_text("output:\n  formats: [fits]\n")
    assert run("batch", config, below, "-o", "out").code == 0
    done = run("merge", "out", "-o", "survey.hats")
    assert done.code == 2
    assert "no ALPHA_J2000" in done.err and "WCS" in done.err
    assert not (tmp_path / "survey.hats").exists()
