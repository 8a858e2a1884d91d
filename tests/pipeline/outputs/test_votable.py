"""Catalogues as VOTables: what others than ourselves make of them. `stilts votlint` validates them, against the schema
too; Astropy reads what it reads in FITS."""

import shutil
import subprocess
import warnings

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")
votable = pytest.importorskip("astropy.io.votable")

from astropy import units
from astropy.io.votable import ucd
from fits_files import TAN
from stage_images import field, write_image

BOTH = ("vot", "xml")
FORMATS = "formats: [fits, ecsv, csv, votable, votable_text]"
EVERYTHING = f"output: {{{FORMATS}, columns: [all, 'VIGNET(7,5)']}}\nmeasurement: {{apertures: [3, 5, 9]}}\n"
CASES = {
    "default": f"output: {{{FORMATS}}}\n",
    "all columns, vectors and pictures": EVERYTHING,
    "one value of each": f"output: {{{FORMATS}, columns: [default, FLUX_APER, 'VIGNET(1,1)']}}\nmeasurement: {{apertures: [3]}}\n",
    "no rows": EVERYTHING + "detection: {threshold: 100000}\n",
}


def votlint(path):
    if shutil.which("stilts") is None:
        pytest.skip("stilts is not installed")
    done = subprocess.run(["stilts", "votlint", f"votable={path}"], capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def parsed(path):
    """Its only table, in which nothing is against the standard."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (table,) = votable.parse(path, verify="exception", unit_format="vounit").iter_tables()
    return table


def check(directory, stem):
    """Both VOTables hold what the FITS table does; returns Astropy's of them."""
    with fits.open(directory / f"{stem}.cat.fits") as file:
        table, header = file[1].data, file[1].header
    read = [parsed(directory / f"{stem}.cat.{ending}") for ending in BOTH]
    for one in read:
        assert [f.name for f in one.fields] == table.names
        for i, described in enumerate(one.fields, start=1):
            theirs, ours = np.asarray(table[described.name]), one.array[described.ID].data
            theirs = theirs.astype(theirs.dtype.newbyteorder("="))
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, described.name
            assert ours.tobytes() == theirs.tobytes() or np.array_equal(ours, theirs, equal_nan=True), described.name
            unit = units.Unit(header.get(f"TUNIT{i}", ""), format="fits")
            assert (described.unit or units.dimensionless_unscaled) == unit, described.name
            assert described.ucd == header[f"TUCD{i}"] and described.description == header[f"TCOMM{i}"]
            assert ucd.check_ucd(described.ucd, check_controlled_vocabulary=True), described.name
            assert (described.ref == "J2000_sky") == ("_J2000" in described.name)
    return read


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("sky", (False, True))
def test_others_read_them(extract, run, tmp_path, case, sky):
    write_image(tmp_path / "r.fits", field(1), BUNIT="Jy/beam", OBJECT='NGC <5> & "co"', EXPTIME=30.5, **{"MJD-OBS": 57000.25},
                **(TAN if sky else {}))
    directory = extract("out", CASES[case], "r.fits")
    read = check(directory, "r")
    assert len(read[0].array) == (0 if case == "no rows" else 10)
    assert [(p.name, p.value, str(p.unit or ""), p.ref) for p in read[0].params if p.name != "SKYSIGMA"][1:] == [
        ("OBJECT", 'NGC <5> & "co"', "", None), ("MJD-OBS", 57000.25, "d", "MJD_time"), ("EXPTIME", 30.5, "s", None)]
    assert run("compare", directory / "r.cat.fits", directory / "r.cat.vot", "--quiet").code == 0
    assert run("compare", directory / "r.cat.xml", directory / "r.cat.vot", "--quiet").code == 0
    for ending in BOTH:
        assert votlint(directory / f"r.cat.{ending}") == ""


def test_bands_whose_files_have_any_name(extract, tmp_path):
    """Names of files are the user's: what XML takes for its own, and what is no ASCII, stands in the table all the same."""
    names = {"g": "a & <b> \"c\" 'd'.fits", "r": "M\u00fcnchen \u2211 \U0001f52d.fits"}
    for i, name in enumerate(names.values()):
        write_image(tmp_path / name, field(i), **TAN)
    write_image(tmp_path / "mean.fits", field(5), **TAN)
    directory = extract("out", EVERYTHING.replace(", 'VIGNET(7,5)'", ""), "-d", "mean.fits", *(part for band, name in names.items()
                                                               for part in ("--band", f"{band}={name}")))
    check(directory, "mean.bands")
    for ending in BOTH:
        path = directory / f"mean.bands.cat.{ending}"
        (resource,) = votable.parse(path).resources
        infos = [(info.name, info.value) for info in resource.infos]
        assert infos[1:4] == [("detection_image", "mean.fits"), *(("band", f"{b}={name}") for b, name in names.items())]
        assert infos[0][0] == "creator" and infos[4][0] == "config" and infos[4][1].startswith("input:\n  hdu: auto\n")
        assert votlint(path) == ""


def test_the_configuration_in_it_runs_again(extract, run, tmp_path):
    write_image(tmp_path / "r.fits", field(1))
    directory = extract("out", CASES["default"] + "detection: {threshold: 4}\n", "r.fits")
    before = (directory / "r.cat.xml").read_bytes()
    (config,) = (info.value for info in votable.parse(directory / "r.cat.vot").resources[0].infos if info.name == "config")
    (tmp_path / "again.yaml").write_text(config)
    assert run("-q", "-o", "again", "again.yaml", "r.fits").code == 0
    assert (tmp_path / "again" / "r.cat.xml").read_bytes() == before


def stilts_reads(path, kind, columns):
    """The values of columns by their names, as the reader of TOPCAT understands them; none if this one was built without
    that format, as Debian's is without ECSV."""
    if shutil.which("stilts") is None:
        pytest.skip("stilts is not installed")
    out = path.with_name("stilts.fits")
    done = subprocess.run(["stilts", "tpipe", f"in={path}", f"ifmt={kind}", f"cmd=keepcols '{' '.join(columns)}'",
                           "ofmt=fits-basic", f"out={out}"], capture_output=True, text=True, timeout=120)
    if kind == "ecsv" and "No table handler available for ecsv" in done.stderr:
        return None
    assert done.returncode == 0, done.stderr
    return fits.getdata(out, 1)


def test_topcat_reads_every_format_as_the_same(extract, tmp_path):
    write_image(tmp_path / "r.fits", field(1), **TAN)
    directory = extract("out", EVERYTHING, "r.fits")
    table = fits.getdata(directory / "r.cat.fits", 1)
    scalars = [name for name in table.names if table[name].ndim == 1]
    vectors = [name for name in table.names if table[name].ndim > 1]
    assert len(scalars) > 100 and "FLUX_APER" in vectors and "VIGNET" in vectors
    for ending, kind in (("fits", "fits"), ("ecsv", "ecsv"), ("csv", "csv"), ("vot", "votable"), ("xml", "votable")):
        columns = scalars + (vectors if kind in ("fits", "votable") else [])
        read = stilts_reads(directory / f"r.cat.{ending}", kind, columns)
        for name in columns if read is not None else ():
            one, other = np.asarray(table[name]), np.asarray(read[name])
            assert np.array_equal(one, other.reshape(one.shape), equal_nan=True), (kind, name)
