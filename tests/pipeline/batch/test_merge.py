"""`srcextract merge` against astropy: the survey catalogue is the catalogues, one below the other."""

import json
import random
import shutil
import subprocess
import urllib.parse
import warnings
import zlib

import pytest

from fits_files import TAN, hdu, sky, write, write_sky

fits = pytest.importorskip("astropy.io.fits")
np = pytest.importorskip("numpy")


@pytest.fixture
def night(tmp_path):
    """Images with and without sky coordinates, of two units, one with two HDUs, one without sources, one that is no
    image, and one whose name is not ASCII."""
    below = tmp_path / "night"
    (below / "late").mkdir(parents=True)
    write_sky(below / "plain.fits")
    write_sky(below / "wcs.fits", **TAN)
    write_sky(below / "late" / "caf\u00e9.fits", 16, BUNIT="adu", **TAN)
    write(below / "late" / "dark.fits", hdu((8, 8), values=[1.0, -1.0] * 32))
    write(below / "late" / "both.fits", hdu(()), hdu((40, 30), values=sky(), primary=False),
          hdu((40, 30), values=sky(), primary=False))
    (below / "late" / "broken.fits").write_text("not an image")
    return below


@pytest.fixture
def batch(run, tmp_path, night):
    config = tmp_path / "batch.yaml"
    config.write_text("extends: none\ninput:\n  hdu: all\noutput:\n  formats: [fits]\n")

    def run_batch(out, *arguments):
        done = run("batch", config, night, "-o", out, *arguments)
        assert done.code in (0, 6), done.err
        return tmp_path / out

    return run_batch


@pytest.fixture
def merge(run, tmp_path):
    def run_merge(*arguments, output="survey.cat.fits", code=0):
        done = run("merge", *arguments, "-o", output)
        assert done.code == code, done.err
        return (tmp_path / output).read_bytes() if code == 0 else done.err

    return run_merge


def catalogue_of(row):
    """The path below the output directory of the catalogue of a row of IMAGES."""
    label = urllib.parse.unquote(row["IMAGE"])
    if row["HDU"] < 0:
        return label.removesuffix(".fits") + ".cat.fits"
    return label.removesuffix(f".fits[{row['HDU']}]") + f".hdu{row['HDU']}.cat.fits"


def test_every_row_of_every_catalogue_is_there_bit_for_bit(batch, merge, tmp_path):
    out = batch("out")
    merge("out")
    with fits.open(tmp_path / "survey.cat.fits") as survey:
        assert [hdu.name for hdu in survey] == ["PRIMARY", "SOURCES", "IMAGES"]
        sources, images = survey["SOURCES"].data, survey["IMAGES"].data
        done = images[images["STATUS"] == "done"]
        assert {catalogue_of(row) for row in done} == {str(p.relative_to(out)) for p in out.rglob("*.cat.fits")}
        expected = [fits.getdata(out / catalogue_of(row), 1) for row in done]
        assert [len(table) for table in expected] == list(done["SOURCES"])
        labels = [label for label, n in zip(done["IMAGE"], done["SOURCES"]) for _ in range(n)]
        assert list(sources["IMAGE"]) == labels
        every = set().union(*(table.names for table in expected))
        assert set(sources.names) == {"IMAGE"} | every
        for name in sorted(every):
            parts = [table[name] if name in table.names else np.full(len(table), np.nan, ">f8") for table in expected]
            assert sources[name].tobytes() == b"".join(part.tobytes() for part in parts), name


def test_columns_are_described_as_in_the_catalogues(batch, merge, tmp_path):
    out = batch("out")
    merge("out")
    survey, catalogue = fits.getheader(tmp_path / "survey.cat.fits", 1), fits.getheader(out / "wcs.cat.fits", 1)
    mixed = {"FLUX_ISO", "FLUXERR_ISO", "FLUX_MAX", "BACKGROUND", "THRESHOLD"}
    for n in range(1, catalogue["TFIELDS"] + 1):
        for key in ("TTYPE", "TFORM", "TUNIT", "TUCD", "TCOMM"):
            if key == "TUNIT" and catalogue[f"TTYPE{n}"] in mixed:
                assert f"TUNIT{n + 1}" not in survey
            else:
                assert survey.get(f"{key}{n + 1}") == catalogue.get(f"{key}{n}")
    assert list(survey["HISTORY"]) == list(catalogue["HISTORY"])
    assert survey["CREATOR"] == catalogue["CREATOR"]


def test_images_says_what_failed_and_why(batch, merge, tmp_path):
    batch("out")
    merge("out")
    images = {row["IMAGE"]: row for row in fits.getdata(tmp_path / "survey.cat.fits", "IMAGES")}
    assert [name for name, row in images.items() if row["STATUS"] == "failed"] == ["late/broken.fits"]
    assert "not a FITS file" in images["late/broken.fits"]["REASON"]
    assert images["late/caf%C3%A9.fits"]["UNIT"] == "adu"
    assert images["late/dark.fits"]["SOURCES"] == 0
    assert (images["plain.fits"]["WIDTH"], images["plain.fits"]["HEIGHT"]) == (40, 30)
    assert list(images) == sorted(images)


def test_shards_merge_to_the_bytes_of_a_run_on_one_machine(batch, merge):
    batch("out")
    whole = merge("out")
    for count in (2, 5):
        directories = [f"{count}-{i}" for i in range(1, count + 1)]
        for i, directory in enumerate(directories, 1):
            batch(directory, "--shard", f"{i}/{count}")
        random.Random(count).shuffle(directories)
        assert merge(*directories) == whole


def test_shards_of_one_directory_merge_to_the_same_bytes(batch, merge):
    batch("out")
    for i in (3, 1, 2):
        batch("together", "--shard", f"{i}/3")
    assert merge("together") == merge("out")


def test_a_missing_shard_is_said(batch, merge):
    batch("2", "--shard", "2/2")
    assert "shard 1/2 is missing" in merge("2", code=3)
    assert merge("2", "--partial")


def test_a_missing_catalogue_is_said_and_made_again(batch, merge):
    out = batch("out")
    whole = merge("out")
    (out / "wcs.cat.fits").unlink()
    assert "wcs.cat.fits" in merge("out", code=3)
    batch("out")
    assert merge("out") == whole


def test_readers_of_fits_have_no_complaint(batch, merge, tmp_path):
    batch("out")
    merge("out")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with fits.open(tmp_path / "survey.cat.fits", checksum=True) as survey:
            survey.verify("exception")
            assert all({"CHECKSUM", "DATASUM"} <= set(table.header) for table in survey[1:])
    if not shutil.which("fitsverify"):
        pytest.skip("no fitsverify")
    verified = subprocess.run(["fitsverify", "-q", "survey.cat.fits"], cwd=tmp_path, capture_output=True, text=True)
    assert verified.stdout.startswith("verification OK"), verified.stdout


@pytest.mark.parametrize("arguments, says", [
    ((), "a directory that batch wrote into is needed"),
    (("out",), "-o is needed"),
    (("out", "-o", "survey.doc"), "its ending tells no format to write; let the name end in one of .fits .ldac .ecsv .csv "
     ".txt .vot .xml .parquet .reg .crtf .hats"),
    (("none", "-o", "s.fits"), "there is no such directory"),
    ((".", "-o", "s.fits"), "journal.jsonl"),
    (("out", "--partail", "-o", "s.fits"), "--partail"),
])
def test_a_command_line_that_makes_no_sense(run, arguments, says):
    done = run("merge", *arguments)
    assert done.code == 2
    assert says in done.err


def test_help_names_tables_and_exit_codes(run):
    done = run("merge", "--help")
    assert done.code == 0
    for word in ("SOURCES", "IMAGES", "--partial", "Example:", "Exit codes:"):
        assert word in done.out


def test_shards_of_different_configurations_are_refused_with_the_keys_that_differ(batch, merge):
    batch("out", "--shard", "1/2", "--set", "detection.threshold=4.5")
    batch("out", "--shard", "2/2", "--set", "morphology.operation=opening")
    said = merge("out", code=2)
    assert "detection.threshold (4.5 and 5.0)" in said and "morphology.operation (none and opening)" in said
    assert "journal.1-of-2.jsonl" in said and "journal.2-of-2.jsonl" in said and "min_area" not in said
    batch("out", "--shard", "2/2", "--set", "detection.threshold=4.5")
    merge("out")


def test_directories_of_different_configurations_are_refused(batch, merge):
    batch("one", "--shard", "1/2")
    batch("two", "--shard", "2/2", "--set", "measurement.gain=2")
    assert "measurement.gain (0.0 and 2.0)" in merge("one", "two", code=2)


def test_a_manifest_may_give_images_settings_of_their_own(run, merge, night, tmp_path):
    (night / "list.csv").write_text("path,detection.threshold\nplain.fits,\nwcs.fits,8\nlate/dark.fits,\n")
    (tmp_path / "c.yaml").write_text("extends: none\n")
    for shard in ("1/2", "2/2"):
        assert run("batch", "c.yaml", night / "list.csv", "-o", "out", "--shard", shard).code == 0
    merge("out")


def test_shards_that_saw_different_files_are_said(batch, merge, night):
    """The largest file goes: the others are divided anew, and one is in neither shard."""
    batch("2", "--shard", "1/2")
    (night / "late" / "both.fits").unlink()
    batch("2", "--shard", "2/2")
    said = merge("2", code=3)
    assert "others found fewer, or of other sizes, and some are in no shard" in said, said
    assert merge("2", "--partial")
    batch("2", "--shard", "1/2")
    merge("2")


@pytest.mark.parametrize("where", ["header", "row", "end"])
def test_a_catalogue_that_was_replaced_by_one_of_its_size_is_noticed(batch, merge, tmp_path, where):
    catalogue = batch("out") / "wcs.cat.fits"
    merge("out")
    content = bytearray(catalogue.read_bytes())
    at = {"header": content.index(b"detection:"), "row": content.index(b"END    ", 2880) // 2880 * 2880 + 2880 + 9,
          "end": len(content) - 1}[where]
    content[at] ^= 1
    catalogue.write_bytes(content)
    said = merge("out", code=3)
    assert "wcs.cat.fits" in said and "checksum" in said and "start the same `srcextract batch` again" in said


def test_the_checksum_of_a_catalogue_is_zlibs(batch):
    out = batch("out")
    done = [entry for entry in map(json.loads, (out / "journal.jsonl").read_text().splitlines()) if "crc32" in entry]
    assert len(done) == 6
    for entry in done:
        name, = (name for name in entry["outputs"] if name.endswith(".cat.fits"))
        assert entry["crc32"] == zlib.crc32((out / name).read_bytes())


@pytest.mark.parametrize("name", ["list.csv", "list.ecsv"])
def test_a_list_of_images_is_never_replaced(batch, run, tmp_path, name):
    batch("out")
    text = "path\na.fits\n" if name.endswith(".csv") else "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: path, datatype: string}\npath\na.fits\n"
    (tmp_path / name).write_text(text)
    done = run("merge", "out", "-o", name)
    assert done.code == 2 and "no merged table" in done.err and (tmp_path / name).read_text() == text
    for _ in range(2):  # a merged table is
        assert run("merge", "out", "-o", "survey" + name[4:]).code == 0


def test_images_of_different_configurations_are_warned_of(batch, run, tmp_path, night):
    """One image again with another threshold; then all of them."""
    batch("out")
    assert run("batch", "--set", "detection.threshold=7", tmp_path / "batch.yaml", night / "plain.fits", "-o", "out").code == 0
    done = run("merge", "out", "-o", "all.fits")
    assert done.code == 0 and "different configurations: detection.threshold (5.0 and 7.0)" in done.err, done.err
    batch("out")
    assert "different configurations" not in run("merge", "out", "-o", "all.fits").err


def test_a_map_is_never_replaced(batch, run, tmp_path):
    batch("out")
    write_sky(tmp_path / "map.fits")
    before = (tmp_path / "map.fits").read_bytes()
    done = run("merge", "out", "-o", "map.fits")
    assert done.code == 2 and "no merged table" in done.err and (tmp_path / "map.fits").read_bytes() == before


@pytest.mark.parametrize("ending", ["fits", "ecsv", "csv", "txt", "ldac", "vot", "parquet", "reg", "crtf"])
def test_a_merged_table_is_replaced(batch, run, ending):
    batch("out")
    for _ in range(2):
        done = run("merge", "out", "-o", f"again.{ending}")
        assert done.code == 0, done.err
