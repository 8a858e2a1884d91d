"""`srcextract compare`: one catalogue in every format that it reads, each held against each."""

import gzip

import pytest

pytest.importorskip("astropy")

import numpy as np
from astropy.io.votable import from_table
from astropy.table import Table
from catalogues import FORMATS, reasons, report, write
from driver import ROOT, run_program

NAMES = ["fits", "ecsv", "csv", "fits.gz", "ecsv.gz", "csv.gz", "tabledata.vot", "binary2.vot", "binary2.vot.gz",
         "vot", "xml"]


@pytest.fixture(scope="module")
def formats(own, tmp_path_factory):
    """Paths by NAMES: what the program wrote itself, zipped, and as VOTables of Astropy."""
    directory = tmp_path_factory.mktemp("formats")
    table = Table.read(own / "sky.cat.ecsv", format="ascii.ecsv")
    votable = from_table(table)
    for kind in ("tabledata", "binary2"):
        votable.to_xml(str(directory / f"sky.{kind}.vot"), tabledata_format=kind)
    for plain in ("fits", "ecsv", "csv", "vot", "xml"):
        (directory / f"sky.{plain}").write_bytes((own / f"sky.cat.{plain}").read_bytes())
    for zipped in (name for name in NAMES if name.endswith(".gz")):
        path = directory / f"sky.{zipped}"
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
    return {name: directory / f"sky.{name}" for name in NAMES}


@pytest.mark.parametrize("reference", NAMES)
@pytest.mark.parametrize("new", NAMES)
def test_formats_make_no_difference(compare, formats, own, reference, new):
    done = compare(formats[reference], formats[new], "--json", "-")
    assert done.code == 0
    found = report(done)
    rows = len(Table.read(own / "sky.cat.fits"))
    assert rows > 100 and found.sources["matched"] == found.sources["reference"] == found.sources["new"] == rows
    assert found.verdict == "within" and found.findings == [] and found.notes == []
    compared = set(Table.read(own / "sky.cat.fits").colnames) - {"NUMBER"}
    assert set(found.columns) == compared
    for column in found.columns.values():
        assert column["pairs"] == rows and column["outliers"] == 0
        assert column["absolute"] == {"median": 0, "scatter": 0}
        assert [row for row in column["worst"] if row["difference"] != 0] == []


def test_an_extension_is_chosen_by_name_or_number(compare, own):
    path = own / "sky.cat.fits"
    with_extension = [f"{path}[1]", f"{path}[{name_of_table(path)}]"]
    for name in with_extension:
        assert compare(path, name).code == 0
    done = compare(path, f"{path}[7]")
    assert done.code == 3 and "sky.cat.fits" in done.err


def name_of_table(path):
    from astropy.io import fits

    return fits.getheader(path, 1)["EXTNAME"]


VECTORS = {"FLUX_APER": 3, "FLUXERR_APER": 3, "MAG_APER": 3, "MAGERR_APER": 3, "FLUX_RADIUS": 2}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """The catalogues of a run that asks for several apertures and parts of the light."""
    directory = tmp_path_factory.mktemp("vectors")
    sets = ("output.formats=[fits,ecsv,csv]", "output.columns=[default,photometry,FLUX_RADIUS]",
            "measurement.apertures=[3,5,9]", "measurement.flux_radius=[0.5,0.8]")
    done = run_program("-q", "-o", directory, *(part for one in sets for part in ("--set", one)),
                       ROOT / "tests/support/plain.yaml", ROOT / "data/sky.fits")
    assert done.code == 0, done.err
    return directory


@pytest.mark.parametrize("extension", [".fits", ".ecsv"])
def test_vectors_are_the_scalars_of_csv(vectors, extension):
    table, scalars = (Table.read(vectors / f"sky.cat{kind}", format=FORMATS[kind]) for kind in (extension, ".csv"))
    assert len(table) == len(scalars) > 100
    for name, length in VECTORS.items():
        assert table[name].shape == (len(scalars), length) and table[name].dtype.newbyteorder("=") == np.float64
        assert table[name].unit == {"FLUX_RADIUS": "pixel", "FLUX_APER": "adu", "FLUXERR_APER": "adu"}.get(name, "mag")
        for i in range(length):
            assert np.array_equal(table[name][:, i], scalars[f"{name}_{i}" if i else name])
    assert table["KRON_RADIUS"].ndim == 1 and not [name for name in table.colnames if name[-2:] in ("_1", "_2")]


@pytest.mark.parametrize("new", [".fits", ".ecsv", ".csv"])
@pytest.mark.parametrize("reference", [".fits", ".ecsv", ".csv"])
def test_vectors_are_compared_element_by_element(compare, vectors, tmp_path, reference, new):
    paths = [vectors / f"sky.cat{kind}" for kind in (reference, new)]
    found = report(compare(*paths, "--json", "-"))
    elements = {f"{name}_{i}" if i else name for name, length in VECTORS.items() for i in range(length)}
    assert found.verdict == "within" and found.notes == [] and elements <= set(found.columns)
    assert all(column["absolute"] == {"median": 0, "scatter": 0} for column in found.columns.values())
    if new == ".csv":
        return
    table = Table.read(paths[1], format=FORMATS[new])
    table["FLUX_APER"][:, 2] *= 1.1
    said = reasons(compare(paths[0], write(table, tmp_path / f"changed{new}")))
    assert said and all(reason.startswith("FLUX_APER_2") for reason in said)


@pytest.mark.parametrize("threshold", [5, 1e6])
def test_vectors_and_cutouts_are_those_of_fits_also_without_rows(compare, tmp_path, threshold):
    sets = ("output.formats=[fits,ecsv,ascii_head,parquet,votable]", f"detection.threshold={threshold}",
            "output.columns=[default,FLUX_APER,'VIGNET(3,3)']", "measurement.apertures=[3,5,9]")
    done = run_program("-q", "-o", tmp_path, *(part for one in sets for part in ("--set", one)),
                       ROOT / "tests/support/plain.yaml", ROOT / "data/sky.fits")
    assert done.code == 0, done.err
    assert (len(Table.read(tmp_path / "sky.cat.fits")) > 100) == (threshold == 5)
    for other in ("ecsv", "txt", "vot", "parquet"):
        for pair in (("fits", other), (other, "fits")):
            done = compare(*(f"sky.cat.{kind}" for kind in pair), "--json", "-")
            assert done.code == 0, done.out
            assert report(done).notes == [] and "FLUX_APER_2" in report(done).columns


def test_order_of_rows_and_columns_makes_no_difference(compare, own, tmp_path):
    table = Table.read(own / "sky.cat.fits")
    table[::-1][table.colnames[::-1]].write(tmp_path / "turned.fits")
    found = report(compare(own / "sky.cat.fits", "turned.fits", "--json", "-"))
    assert found.verdict == "within" and found.sources["matched"] == len(table)
    assert all(column["absolute"] == {"median": 0, "scatter": 0} for column in found.columns.values())


def test_names_of_files_do_not_tell_their_format(compare, formats, tmp_path):
    for i, path in enumerate(formats.values()):
        (tmp_path / f"{i}.dat").write_bytes(path.read_bytes())
        assert compare(path, f"{i}.dat").code == 0
