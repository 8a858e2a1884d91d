"""`srcextract compare`: its reports for machines and the table of both sides' rows, checked with numpy and astropy."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

pytest.importorskip("astropy")

import numpy as np
from astropy.table import Table
from catalogues import read, reasons, report, write


@pytest.fixture
def altered(own, tmp_path):
    """A catalogue of 241 rows of our own's 251, of which two of every three have another flux, with 3 new ones."""
    rng = np.random.default_rng(7)
    table = read(own / "sky.cat.fits")
    table["X_IMAGE"] += rng.normal(0.05, 0.02, len(table))
    table["FLUX_ISO"] *= np.where(np.arange(len(table)) % 3 == 0, 1, rng.normal(1.02, 0.01, len(table)))
    table["THETA_IMAGE"] = (table["THETA_IMAGE"] + 30 + 90) % 180 - 90
    table["FLUX_MAX"][101] = np.nan
    new = Table(table[[50, 51, 52]])
    new["X_IMAGE"] += 20.0
    new["Y_IMAGE"] += 300.5
    for row in new:
        table.add_row(row)
    table.remove_rows(np.arange(0, 250, 25))
    return write(table, tmp_path / "altered.fits")


def paired(own, altered):
    """Both sides' rows of the same source, by NUMBER, and the indices of lost rows."""
    reference, new = read(own / "sky.cat.fits"), read(altered)[:241]
    assert len(set(new["NUMBER"])) == 241
    rows = new["NUMBER"] - 1
    return reference[rows], new, np.setdiff1d(np.arange(251), rows)


def spread(values):
    median = np.median(values)
    return {"median": median, "scatter": 1.4826 * np.median(np.abs(values - median))}


def assert_spread(found, values):
    assert found == pytest.approx(spread(values), rel=1e-4, abs=1e-12)


def test_json_counts_and_measures(compare, own, altered):
    done = compare(own / "sky.cat.fits", altered, "--json", "-")
    assert done.code == 5
    found = report(done)
    assert found.verdict == "beyond" and found.matched_by == "pixel"
    assert found.reference == str(own / "sky.cat.fits") and found.new == str(altered)
    assert found.sources == {"reference": 251, "new": 244, "matched": 241, "lost": 10, "gained": 3,
                             "reference_duplicates": 0, "new_duplicates": 0, "reference_without_position": 0,
                             "new_without_position": 0}
    before, after, _ = paired(own, altered)
    flux, x, peak = (found.columns[name] for name in ("FLUX_ISO", "X_IMAGE", "FLUX_MAX"))
    assert flux["difference"] == "relative" and flux["pairs"] == 241 and flux["unit"] == "adu"
    difference = np.asarray(after["FLUX_ISO"]) - before["FLUX_ISO"]
    assert_spread(flux["absolute"], difference)
    assert_spread(flux["relative"], difference / ((np.asarray(after["FLUX_ISO"]) + before["FLUX_ISO"]) / 2))
    assert_spread(flux["in_sigma"], difference / np.hypot(after["FLUXERR_ISO"], before["FLUXERR_ISO"]))
    assert_spread(x["absolute"], np.asarray(after["X_IMAGE"]) - before["X_IMAGE"])
    assert peak["pairs"] == 240 and peak["values_lost"] == 1 and peak["values_gained"] == 0
    assert found.columns["THETA_IMAGE"]["absolute"]["median"] == pytest.approx(30)
    worst = flux["worst"][0]
    assert after["FLUX_ISO"][worst["new_row"] - 1] == worst["new"]
    assert read(own / "sky.cat.fits")["FLUX_ISO"][worst["reference_row"] - 1] == worst["reference"]


def test_json_says_what_the_text_says(compare, own, altered, tmp_path):
    done = compare(own / "sky.cat.fits", altered, "--json", "report.json")
    whole = json.loads((tmp_path / "report.json").read_text())
    assert list(whole) == ["program", "verdict", "rules", "files"] and whole["verdict"] == "beyond"
    assert whole["program"]["name"] == "srcextract" and whole["program"]["version"]
    findings = whole["files"][0]["findings"]
    assert [f"{finding['subject']}: {finding['words']}" for finding in findings] == reasons(done)
    (tmp_path / "again.yaml").write_text(whole["rules"])
    assert report(compare(own / "sky.cat.fits", altered, "again.yaml", "--json", "-")).findings == findings


def test_what_is_not_a_number_is_null(compare, own):
    text = compare(own / "sky.cat.fits", own / "sky.cat.csv", "--json", "-").out
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    columns = {column["name"]: column for column in found["files"][0]["columns"]}
    assert columns["X_IMAGE"]["in_sigma"] == {"median": None, "scatter": None}


def test_junit_is_what_ci_systems_read(compare, own, altered, tmp_path):
    done = compare(own / "sky.cat.fits", altered, "--junit", "junit.xml")
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert root.tag == "testsuites"
    (suite,) = root
    cases = list(suite)
    failed = [case for case in cases if case.findall("failure")]
    for element in (root, suite):
        assert int(element.get("tests")) == len(cases) > 24 and int(element.get("errors")) == 0
        assert int(element.get("failures")) == len(failed) > 0
    assert suite.tag == "testsuite" and suite.get("name") and int(suite.get("skipped")) == 0
    names = [case.get("name") for case in cases]
    assert len(set(names)) == len(names) and {"sources", "positions", "FLUX_ISO", "DELTA_J2000"} <= set(names)
    assert {case.tag for case in cases} == {"testcase"} and all(case.get("classname") for case in cases)
    told = {f"{case.get('name')}: {failure.get('message')}" for case in failed for failure in case}
    assert told == set(reasons(done))


def test_junit_of_what_is_within_has_no_failure(compare, own):
    done = compare(own / "sky.cat.fits", own / "sky.cat.csv", "--junit", "-")
    root = ElementTree.fromstring(done.out)
    assert root.get("failures") == "0" and int(root.get("tests")) > 24 and list(root.iter("failure")) == []


@pytest.mark.parametrize("ending", ["fits", "ecsv", "csv"])
def test_matched_holds_every_row_of_both_sides(compare, own, altered, tmp_path, ending):
    assert compare(own / "sky.cat.fits", altered, "--matched", f"both.{ending}").code == 5
    both = read(tmp_path / f"both.{ending}")
    before, after, lost = paired(own, altered)
    reference, new = read(own / "sky.cat.fits"), read(altered)
    kind = np.char.strip(np.asarray(both["MATCH"]).astype(str))
    assert [int((kind == name).sum()) for name in ("matched", "lost", "gained")] == [241, 10, 3] and len(both) == 254
    pairs = both[kind == "matched"]
    order = np.argsort(pairs["ROW_NEW"])
    assert (pairs["ROW_NEW"][order] == np.arange(1, 242)).all() and (pairs["ROW_REF"][order] == after["NUMBER"]).all()
    for name in reference.colnames:
        ours = np.asarray(pairs[order][f"{name}_REF"], float)
        theirs = np.asarray(pairs[order][f"{name}_NEW"], float)
        assert np.array_equal(ours, np.asarray(before[name], float), equal_nan=True), name
        assert np.array_equal(theirs, np.asarray(after[name], float), equal_nan=True), name
    mean = (after["FLUX_ISO"] + before["FLUX_ISO"]) / 2
    residual = {"X_IMAGE": after["X_IMAGE"] - before["X_IMAGE"],
                "FLUX_ISO": (after["FLUX_ISO"] - before["FLUX_ISO"]) / mean, "THETA_IMAGE": np.full(241, 30.0)}
    for name, expected in residual.items():
        assert np.asarray(pairs[order][f"{name}_DIFF"]) == pytest.approx(np.asarray(expected), rel=1e-9, abs=1e-9)
    assert sorted(both["ROW_REF"][kind == "lost"] - 1) == list(lost)
    assert sorted(both["ROW_NEW"][kind == "gained"]) == [242, 243, 244]
    for name, side, kind_without in (("ROW_NEW", "NEW", "lost"), ("ROW_REF", "REF", "gained")):
        rows = both[kind == kind_without]
        assert (rows[name] == 0).all()
        assert np.isnan(np.ma.filled(np.ma.asarray(rows[f"FLUX_ISO_{side}"], float), np.nan)).all()
    assert (both["Y_IMAGE_NEW"][kind == "gained"] == new["Y_IMAGE"][241:]).all()


def test_matched_keeps_units_and_says_where_it_comes_from(compare, own, tmp_path):
    assert compare(own / "sky.cat.ecsv", own / "sky.cat.fits", "--matched", "both.ecsv").code == 0
    table = Table.read(tmp_path / "both.ecsv")
    assert str(table["X_IMAGE_REF"].unit) == str(table["X_IMAGE_NEW"].unit) == "pix"
    assert table["X_IMAGE_REF"].description and table.meta["creator"].startswith("srcextract ")


def test_names_that_are_no_text_do_no_harm(compare, tmp_path):
    """Neither to a terminal, nor to what reads the reports; nor do the characters of XML."""
    rows = "".join(f"{i},{7 * i % 90},{{}},{i}\n" for i in range(30))
    for name, value in (("a\x1b[2J.csv", 1), ("b.csv", 2)):
        header = b"X_IMAGE,Y_IMAGE,A\x1b[2J<&>'x,FLUX_\xff\n"
        (tmp_path / name).write_bytes(header + rows.replace("{}", str(value)).encode())
    done = compare("a\x1b[2J.csv", "b.csv", "--json", "report.json", "--junit", "junit.xml")
    assert done.code == 5 and "A?[2J<&>'x: " in done.out and "\x1b" not in done.out
    assert "A" in json.loads((tmp_path / "report.json").read_text())["files"][0]["findings"][0]["subject"]
    names = [case.get("name") for case in ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase")]
    assert any("[2J<&>'x" in name for name in names) and any(name.startswith("FLUX_") for name in names)
