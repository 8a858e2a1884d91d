"""What a survey asks of an image later: keywords of its header, its sky, its place, in catalogue, report and merge."""

import json
import struct

import pytest

from fits_files import HEIGHT, TAN, WIDTH, hdu, sky, write, write_sky

OBSERVATION = {"OBJECT": "Barnard's star", "DATE-OBS": "2026-01-02T03:04:05", "MJD-OBS": 61042.127835648, "FILTER": "r",
               "EXPTIME": 300.0, "GAIN": 1.5, "AIRMASS": 1.2, "CCD": 7, "SEEING": 0.8}


def cards(path, number=1):
    """The cards of an HDU of tables without a heap, as text by keyword."""
    data, begin = path.read_bytes(), 0
    for hdu_number in range(number + 1):
        found, at = {}, begin
        while not data[at:at + 8] == b"END     ":
            text = data[at:at + 80].decode()
            found.setdefault(text[:8].strip(), text[10:].split(" /")[0].strip())
            at += 80
        begin = -(-(at + 80) // 2880) * 2880
        found["data"] = data[begin:]
        size = int(found.get("NAXIS1", 0)) * int(found.get("NAXIS2", 0)) if hdu_number else 0
        begin += -(-size // 2880) * 2880
    return found


def fitscard(value):
    return {key: value[key].replace("'", "''") if isinstance(value[key], str) else value[key] for key in value}


def report(path):
    return json.loads(path.read_text())


@pytest.fixture
def observed(tmp_path):
    return write(tmp_path / "a.fits", hdu((WIDTH, HEIGHT), values=sky(), **fitscard(OBSERVATION), **TAN))


def test_the_report_has_header_footprint_memory_and_the_keys(run, config, observed, tmp_path):
    assert run(config, observed, "--set", "output.header_keywords=[SEEING, NOTHERE]").code == 0
    facts = report(tmp_path / "a.run.json")
    assert facts["header"] == OBSERVATION
    assert facts["config"]["detection"]["threshold"] == 5.0
    assert facts["config"]["output"]["header_keywords"] == ["SEEING", "NOTHERE"]
    assert facts["config"]["output"]["formats"] == ["csv"] and facts["config"]["convolve"]["values"] == []
    assert facts["config_yaml"].startswith("input:\n")
    # An arc minute a pixel about (150, 2): the outer edges are 20 and 15 pixels from the middle.
    (left, bottom), (right, _), (_, top), _ = facts["footprint"]
    assert left == pytest.approx(150 + 20 / 60, abs=1e-3) and right == pytest.approx(150 - 20 / 60, abs=1e-3)
    assert bottom == pytest.approx(2 - 15 / 60, abs=1e-3) and top == pytest.approx(2 + 15 / 60, abs=1e-3)
    assert 1e6 < facts["execution"]["peak_memory"] < 1e11


def test_without_a_header_there_is_nothing_to_repeat(run, config, image, tmp_path):
    assert run(config, image).code == 0
    facts = report(tmp_path / "sky.run.json")
    assert facts["header"] == {} and facts["footprint"] is None


def test_catalogues_carry_the_keywords_and_the_sky(run, config, observed, tmp_path):
    assert run(config, observed, "--set", "output.formats=[fits, ecsv]").code == 0
    header = cards(tmp_path / "a.cat.fits")
    assert header["OBJECT"] == "'Barnard''s star'" and float(header["EXPTIME"]) == 300 and header["CCD"] == "7"
    assert float(header["SKYLEVEL"]) == 0 and float(header["SKYSIGMA"]) == pytest.approx(1, abs=0.01)
    assert header["EXTNAME"] == "'CATALOG '" and "SEEING" not in header
    text = (tmp_path / "a.cat.ecsv").read_text()
    assert "#   sky: {median: 0.0, sigma: " in text and "#     OBJECT: 'Barnard''s star'\n" in text
    assert "#     MJD-OBS" in text.replace("'", "") and "300.0" in text


def test_astropy_reads_them(run, config, observed, tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    table = pytest.importorskip("astropy.table")
    settings = "--set", "output.formats=[fits, ecsv]", "--set", "output.header_keywords=[SEEING]"
    assert run(config, observed, *settings).code == 0
    with fits.open(tmp_path / "a.cat.fits") as hdus:
        hdus.verify("exception")
        assert {key: hdus[1].header[key] for key in OBSERVATION} == OBSERVATION
        assert len(hdus[1].data) == 2
    meta = table.Table.read(tmp_path / "a.cat.ecsv").meta
    assert meta["image"] == OBSERVATION and meta["sky"]["median"] == 0


def test_an_extension_inherits_and_keeps_its_name(run, config, tmp_path):
    write(tmp_path / "a.fits", hdu((), 8, **fitscard(OBSERVATION)),
          hdu((WIDTH, HEIGHT), values=sky(), primary=False, EXTNAME="SCI", FILTER="g"))
    assert run(config, "a.fits", "--set", "output.formats=[fits]").code == 0
    header = cards(tmp_path / "a.cat.fits")
    assert header["FILTER"].strip("' ") == "g" and float(header["AIRMASS"]) == 1.2
    assert header["IMGEXT"].strip("' ") == "SCI" and header["EXTNAME"].strip("' ") == "CATALOG"
    assert report(tmp_path / "a.run.json")["header"]["EXTNAME"] == "SCI"


@pytest.mark.parametrize("keywords, said", [
    ("[NAXIS1]", "holds 'NAXIS1', which says how a FITS file is built"), ("[TTYPE12]", "holds 'TTYPE12'"),
    ("[ZIMAGE]", "holds 'ZIMAGE'"), ("[EXTVER]", "holds 'EXTVER'"), ("[TLMIN3]", "holds 'TLMIN3'"),
    ("[object]", "holds 'object', which is no FITS keyword"), ("[TOOLONGKEY]", "1 to 8 of A-Z"),
])
def test_a_keyword_that_would_break_the_catalogue_is_refused(run, config, image, keywords, said):
    done = run(config, image, "--set", f"output.header_keywords={keywords}")
    assert done.code == 2 and said in done.err, done.err


def test_the_survey_has_a_column_for_every_keyword(run, config, tmp_path):
    for name, more in {"a": {"CCD": 1, "EXPTIME": 30, "FILTER": "g", "DATE-OBS": "2026-01-02"},
                       "b": {"CCD": 2, "EXPTIME": 2.5, "WIDTH": 9}, "c": {}}.items():
        write_sky(tmp_path / f"{name}.fits", **more)
    (tmp_path / "d.fits").write_text("no image")
    done = run("batch", config, "a.fits", "b.fits", "c.fits", "d.fits", "-o", "out", "--set", "output.formats=[fits]",
               "--set", "output.header_keywords=[WIDTH]")
    assert done.code == 6, done.err
    assert run("merge", "out", "-o", "survey.fits").code == 0
    header = cards(tmp_path / "survey.fits", 2)
    rows, begin, offsets = int(header["NAXIS2"]), 0, {}
    for column in range(1, int(header["TFIELDS"]) + 1):
        form = header[f"TFORM{column}"].strip("' ")
        offsets[header[f"TTYPE{column}"].strip("' ")] = begin, form, header.get(f"TNULL{column}")
        begin += int(form[:-1]) if form.endswith("A") else 8
    assert rows == 4 and begin == int(header["NAXIS1"])

    def values(name):
        offset, form, null = offsets[name]
        width = int(form[:-1]) if form.endswith("A") else 8
        fields = [header["data"][row * begin + offset:][:width] for row in range(rows)]
        if form.endswith("A"):
            return [field.rstrip(b"\0").decode() for field in fields]
        numbers = [struct.unpack(">q" if form == "K" else ">d", field)[0] for field in fields]
        return [None if null and number == int(null) or number != number else number for number in numbers]

    assert values("IMAGE") == ["a.fits", "b.fits", "c.fits", "d.fits"]
    assert values("CCD") == [1, 2, None, None]
    assert values("EXPTIME") == [30, 2.5, None, None]
    assert values("FILTER") == ["g", "", "", ""] and values("DATE_OBS") == ["2026-01-02", "", "", ""]
    assert values("HEADER_WIDTH") == [None, 9, None, None] and values("WIDTH")[:3] == [WIDTH] * 3
