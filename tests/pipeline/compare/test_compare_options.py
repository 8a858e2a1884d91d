"""`srcextract compare`: rules files, options, exit codes, and what goes to stdout and stderr."""

import json
import os
import re
import subprocess

import pytest

ROWS = [(i + 0.25, 2 * i + 0.5, 100.0 * i, (7 * i) % 90) for i in range(1, 41)]


def catalogue(path, names, rows=ROWS):
    path.write_text("\n".join([",".join(names), *(",".join(f"{value:.17g}" for value in row) for row in rows)]) + "\n")
    return path


@pytest.fixture
def pair(tmp_path):
    names = ["X_IMAGE", "Y_IMAGE", "FLUX_ISO", "THETA_IMAGE"]
    moved = [(x + 0.1, y, flux, theta) for x, y, flux, theta in ROWS]
    return catalogue(tmp_path / "a.csv", names), catalogue(tmp_path / "b.csv", names, moved)


def test_help_shows_options_example_and_exit_codes(compare):
    done = compare("--help")
    assert done.code == 0
    for word in ("REFERENCE", "NEW", "RULES", "--json", "--junit", "--matched", "--update", "--dump-rules", "--threads",
                 "--quiet", "--verbose", "Example:", "Exit codes", "LDAC"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_the_main_help_names_it(run):
    assert "srcextract compare" in run("--help").out


@pytest.mark.parametrize("arguments, message", [
    ([], "srcextract compare REFERENCE NEW"),
    (["a.csv"], "srcextract compare REFERENCE NEW"),
    (["a.csv", "", ], "srcextract compare REFERENCE NEW"),
    (["a.csv", "b.csv", "rules.yaml", "more"], "more"),
    (["a.csv", "b.csv", "--frobnicate"], "--frobnicate"),
    (["a.csv", "b.csv", "--threads", "0"], "--threads"),
    (["a.csv", "b.csv", "-q", "-v"], "--verbose"),
    (["a.csv", "b.csv", "--json", "-", "--junit", "-"], "only one of --json and --junit"),
    (["a.csv", "b.csv", "--matched", "both.doc"], "both.doc"),
    (["a.csv", "b.csv", "missing.yaml"], "missing.yaml"),
    (["a.csv", "b.csv", "a.csv"], "a.csv"),
])
def test_usage_errors(run, pair, tmp_path, arguments, message):
    before = sorted(tmp_path.iterdir())
    done = run("compare", *arguments)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("error: ") and message in done.err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("rules, message", [
    ("match:\n  radus: 2\n", "rules.yaml:2:3: unknown key 'radus' in 'match'; did you mean 'radius'?"),
    ("match: {radius: -1}\n", "rules.yaml:1:17: "),
    ("columns:\n  FLUX_ISO: {tolerance: much}\n", "rules.yaml:2:25: "),
    ("new: {first_pixel: two}\n", "rules.yaml:1:20: "),
    ("match: [", "rules.yaml:"),
])
def test_a_mistake_in_the_rules_is_located(run, pair, tmp_path, rules, message):
    (tmp_path / "rules.yaml").write_text(rules)
    done = run("compare", *pair, "rules.yaml")
    assert done.code == 2 and done.out == "" and message in done.err


def test_dumped_rules_read_back_and_are_the_default(run, compare, pair, tmp_path):
    dumped = compare("--dump-rules").out
    (tmp_path / "rules.yaml").write_text(dumped)
    assert run("compare", "--dump-rules", "x", "y", "rules.yaml").out == dumped
    assert compare(*pair, "rules.yaml").out == compare(*pair).out


def test_dump_rules_alone_with_a_file_dumps_that(compare, run, tmp_path):
    (tmp_path / "gate.yaml").write_text("columns: {X_IMAGE: {bias: 0.4321}}\n")
    dumped = compare("--dump-rules", "gate.yaml").out
    assert "0.4321" in dumped and "0.4321" not in compare("--dump-rules").out
    assert dumped == compare("--dump-rules", "x", "y", "gate.yaml").out
    assert run("compare", "missing.yaml", "--dump-rules").code == 2


def test_a_rule_decides(compare, pair, tmp_path):
    (tmp_path / "wide.yaml").write_text("columns: {X_IMAGE: {bias: 0.2}}\n")
    assert compare(*pair).code == 5
    assert compare(*pair, "wide.yaml").code == 0


def test_columns_of_other_names_are_mapped(compare, pair, tmp_path):
    """As of photutils, which counts from 0 and may give radians."""
    theirs = [(x - 1, y - 1, flux, theta * 3.14159265358979 / 180) for x, y, flux, theta in ROWS]
    catalogue(tmp_path / "photutils.csv", ["xcentroid", "ycentroid", "segment_flux", "orientation"], theirs)
    rules = """new:
  first_pixel: 0
  angles: radian
  columns: {X_IMAGE: xcentroid, Y_IMAGE: ycentroid, FLUX_ISO: segment_flux, THETA_IMAGE: orientation}
"""
    (tmp_path / "photutils.yaml").write_text(rules)
    done = compare(pair[0], "photutils.csv", "photutils.yaml", "--json", "-")
    assert done.code == 0, done.out
    (file,) = json.loads(done.out)["files"]
    columns = {column["name"]: column for column in file["columns"]}
    assert set(columns) == {"X_IMAGE", "Y_IMAGE", "FLUX_ISO", "THETA_IMAGE"} and file["sources"]["matched"] == len(ROWS)
    for column in columns.values():
        assert abs(column["absolute"]["median"]) < 1e-9 and column["absolute"]["scatter"] < 1e-9
    (tmp_path / "wrong.yaml").write_text(rules.replace("segment_flux", "segment_fluxes"))
    done = compare(pair[0], "photutils.csv", "wrong.yaml")
    assert done.code == 2 and "did you mean 'segment_flux'?" in done.err
    (tmp_path / "counted.yaml").write_text(rules.replace("first_pixel: 0", "first_pixel: 1"))
    assert "one side counts from 0" in compare(pair[0], "photutils.csv", "counted.yaml").out


def test_quiet_is_the_verdict_alone(compare, pair):
    done = compare(*pair, "-q")
    (line,) = [line for line in done.out.splitlines() if line.startswith("  ")]
    assert done.code == 5 and "COLUMN" not in done.out and re.match(r"  X_IMAGE: 40 of 40 sources moved by \+0.1", line)


def test_quiet_tells_what_was_left_out(compare, pair, tmp_path):
    (tmp_path / "rules.yaml").write_text("columns: {X_IMAGE: {bias: 0.2}, FLUXX*: {bias: 0.2}}\n")
    done = compare(*pair, "rules.yaml", "-q")
    note, verdict = done.out.splitlines()
    assert done.code == 0 and "FLUXX*" in note and verdict == "within the rules"


@pytest.mark.parametrize("sky, unit, told", [
    (False, "pixel", "by pixel within 2 pixels,"),
    (False, "sigma", "by pixel within 2 sigma,"),
    (True, "arcsec", "by sky within 2 arcsec,"),
    (True, "sigma", "by sky within 2 sigma,"),
])
def test_the_radius_has_its_unit(compare, tmp_path, sky, unit, told):
    names = ["ALPHA_J2000", "DELTA_J2000", "ERRX2_WORLD", "ERRY2_WORLD"] if sky else \
        ["X_IMAGE", "Y_IMAGE", "ERRX2_IMAGE", "ERRY2_IMAGE"]
    catalogue(tmp_path / "a.csv", names, [(x, y, 1e-8, 1e-8) for x, y, _, _ in ROWS])
    (tmp_path / "rules.yaml").write_text(f"match: {{radius: 2, radius_unit: {unit}}}\n")
    assert f"40 matched {told}" in compare("a.csv", "a.csv", "rules.yaml", "-v").out


def test_threads_make_no_difference(compare, pair, own):
    for files in (pair, (own / "sky.cat.fits", own / "sky.cat.csv")):
        assert compare(*files, "--threads", 1, "--json", "-").out == compare(*files, "--threads", 7, "--json", "-").out


def test_a_report_on_stdout_is_alone_there(compare, pair):
    assert json.loads(compare(*pair, "--json", "-").out)
    assert compare(*pair, "--junit", "-").out.startswith("<?xml")


@pytest.mark.parametrize("option, name", [("--json", "no/report.json"), ("--junit", "no/junit.xml"),
                                          ("--matched", "no/both.csv"), ("--json", "pipe")])
def test_a_report_that_cannot_be_written_is_an_output_error(run, pair, tmp_path, option, name):
    os.mkfifo(tmp_path / "pipe")
    done = run("compare", *pair, option, name)
    assert done.code == 3 and name in done.err and "--output-dir" not in done.err


def test_a_verdict_that_cannot_be_written_is_an_output_error(pair):
    with open("/dev/full", "w") as full:
        done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "compare", *map(str, pair)], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == 3 and b"standard output" in done.stderr


def test_names_that_look_like_lists_are_taken_as_they_are(compare, pair, tmp_path):
    (tmp_path / "[a].csv").write_bytes(pair[0].read_bytes())
    assert compare("[a].csv", pair[0].name).code == 0


@pytest.mark.parametrize("option, file", [("--json", "a.csv"), ("--json", "rules.yaml"), ("--junit", "b.csv"),
                                          ("--matched", "a.csv"), ("--matched", "b.csv")])
def test_no_report_replaces_what_is_compared(run, pair, tmp_path, option, file):
    (tmp_path / "rules.yaml").write_text("match: {radius: 1}\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = run("compare", *pair, "rules.yaml", option, tmp_path / file)
    assert done.code == 2 and file in done.err and "choose another name" in done.err
    assert "--output-dir" not in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_report_replaces_the_file_of_which_an_extension_is_compared(run, pair, tmp_path):
    table = tmp_path / "a.fits"
    pytest.importorskip("astropy.table").Table.read(pair[0]).write(table)
    before = table.read_bytes()
    done = run("compare", f"{table}[1]", pair[1], "--json", table)
    assert done.code == 2 and "a.fits" in done.err
    assert table.read_bytes() == before
