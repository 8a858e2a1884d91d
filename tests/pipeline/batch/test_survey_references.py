"""Surveys of differences, whose manifest names the reference of each image: the bytes of `srcextract difference`, and what
changed or is wrong with a reference is noticed."""

import csv
import json
import re
import shutil

import pytest

import survey_support as survey
from fits_files import TAN, hdu, write
from survey_beside import (CONFIG, SIDE, assert_shards_merge_to_the_same_bytes, batch_runner, results, run_single, told,
                           write_sky, write_weights)

MANIFEST = """path,name,reference,detection.threshold
night1/a.fits,,templates/r.fits,
night2/a.fits,,templates/r.fits,4
night2/c.fits,since/c.diff,night1/a.fits,
night2/c.fits,,,
"""
ROWS = {
    "night1/a.diff": (["difference"], "data/templates/r.fits data/night1/a.fits", "a.diff"),
    "night2/a.diff": (["difference", "--set", "detection.threshold=4"], "data/templates/r.fits data/night2/a.fits", "a.diff"),
    "since/c.diff": (["difference"], "data/night1/a.fits data/night2/c.fits", "c.diff"),
    "night2/c": ([], "data/night2/c.fits", "c"),
}
OF_TEMPLATE = ["night1/a.diff", "night2/a.diff"]
NAMES = sorted([*OF_TEMPLATE, "since/c.diff", "night2/c.fits"])


@pytest.fixture
def data(tmp_path):
    (tmp_path / "c.yaml").write_text(CONFIG + "difference: {kernel: gaussian, match_flux: false}\n" + "quicklook: {size: 64}\n")
    below = tmp_path / "data"
    for seed, name in enumerate(("templates/r", "night1/a", "night2/a", "night2/c")):
        write_sky(below / f"{name}.fits", seed)
    (below / "survey.csv").write_text(MANIFEST)
    return below


@pytest.fixture
def batch(run, tmp_path):
    runner = batch_runner(run, tmp_path)

    def with_pictures(*arguments, **more):
        return runner("--set", "output.quicklook=true", *arguments, **more)

    return with_pictures


def alone(run, tmp_path):
    """The outputs of the commands for two frames and for one image."""
    rows = {name: ([*options, "--set", "output.quicklook=true"], images, stem)
            for name, (options, images, stem) in ROWS.items()}
    return run_single(run, tmp_path, rows)


@pytest.mark.parametrize("options", [[], ["--threads", 3], ["--memory", "64M"]])
def test_the_bytes_of_the_command_for_two_frames(run, batch, data, tmp_path, options):
    single, reports = alone(run, tmp_path)
    assert batch(*options).did == NAMES
    made = results(tmp_path / "out")
    assert sorted(made) == sorted(single) and "night1/a.diff.png" in made
    assert [name for name in single if made[name] != single[name]] == []
    for stem, report in reports.items():
        assert told(json.loads((tmp_path / "out" / f"{stem}.run.json").read_bytes())) == told(report), stem
    assert len({single[f"{name}.cat.csv"] for name in ROWS}) == len(ROWS)  # or one would do for another
    assert batch(*options).did == []


def test_a_reference_that_changed_is_noticed(run, batch, data, tmp_path):
    batch()
    write_sky(data / "templates/r.fits", 30)
    assert batch().did == OF_TEMPLATE
    single, _ = alone(run, tmp_path)
    assert results(tmp_path / "out") == single
    (data / "survey.csv").write_text(MANIFEST.replace("night1/a.fits,,templates/r.fits", "night1/a.fits,,night2/a.fits"))
    assert batch().did == ["night1/a.diff"]


@pytest.mark.parametrize("harm", ["missing", "cut short", "other shape", "other sky"])
def test_a_broken_reference_is_the_failure_of_its_images(run, batch, data, tmp_path, harm):
    single, _ = alone(run, tmp_path)
    path = data / "templates/r.fits"
    kept = shutil.copy2(path, tmp_path / "kept.fits")
    if harm == "missing":
        path.unlink()
    elif harm == "cut short":
        path.write_bytes(path.read_bytes()[:9000])
    elif harm == "other shape":
        write_sky(path, 11, width=SIDE + 1)
    else:
        write(path, hdu((SIDE, SIDE), values=survey.sky(11, SIDE, SIDE), **{**TAN, "CRVAL1": 151.0}))
    assert batch(code=6).did == NAMES
    failed = survey.failures(tmp_path / "out")
    assert sorted(row["image"] for row in failed) == OF_TEMPLATE
    assert all(row["kind"] == "input" and "templates/r.fits" in row["reason"] for row in failed), failed
    assert results(tmp_path / "out") == {name: content for name, content in single.items()
                                         if not name.startswith(tuple(OF_TEMPLATE))}
    path.unlink(missing_ok=True)
    shutil.copy(kept, path)
    assert batch().did == OF_TEMPLATE  # it has another time than that which failed
    assert results(tmp_path / "out") == single


def test_differences_of_shards_merge(run, batch, data, tmp_path):
    (data / "survey.csv").write_text("".join(MANIFEST.splitlines(keepends=True)[:4]))
    assert_shards_merge_to_the_same_bytes(run, batch, tmp_path)
    with open(tmp_path / "out.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert {row["SIGN"] for row in rows} == {"1", "-1"} and len({row["IMAGE"] for row in rows}) == 3


def test_rows_of_both_kinds_are_warned_of(batch, data):
    assert "different columns" in batch().err


WRONG = {
    "path,reference,detect\na.fits,b.fits,c.fits\n": "survey.csv:2: the row has a reference",
    "path,reference,positions\na.fits,b.fits,c.csv\n": "survey.csv:2: the row has a reference",
    "path,reference,weights.type,weights.file\na.fits,b.fits,weight,w.fits\n": "survey.csv:2: .*gaussian has one noise for all",
    "path,reference,reference:mask.file\na.fits,,m.fits\n": "survey.csv:2: reference:mask.file=m.fits is for a reference",
    "path,Reference\na.fits,b.fits\n": "column 'Reference' means nothing; write 'reference'",
    "reference\nb.fits\n": "no column is called 'path'",
}


@pytest.mark.parametrize("manifest", WRONG)
def test_a_row_that_contradicts_itself_is_refused(run, data, manifest):
    write_weights(data / "w.fits", 0.1)
    (data / "survey.csv").write_text(manifest)
    done = run("batch", "c.yaml", "data/survey.csv", "-o", "out")
    assert done.code == 2 and re.search(WRONG[manifest], done.err), done.err


def test_a_reference_is_never_replaced(run, data, tmp_path):
    (data / "night1/a.fits").rename(data / "new.diff.cat.fits")
    (data / "survey.csv").write_text("path,name,reference\nnight2/a.fits,new.diff,new.diff.cat.fits\n")
    done = run("batch", "c.yaml", "data/survey.csv", "-o", "data")
    assert done.code == 6 and "would replace the input" in done.err, done.err


def test_a_reference_has_a_map_of_its_own(run, batch, data, tmp_path):
    masked = str(write_weights(data / "mask.fits", 0.0))
    settings = [part for key in (f"mask.file={masked}", "mask.good=nonzero") for part in ("--reference-set", key)]
    (data / "survey.csv").write_text("path,reference,reference:mask.file,reference:mask.good\n"
                                     f"night1/a.fits,templates/r.fits,{masked},nonzero\n"
                                     "night2/a.fits,templates/r.fits,,\n")
    assert batch().did == OF_TEMPLATE
    single, reports = run_single(run, tmp_path, {
        "night1/a.diff": (["difference", "--set", "output.quicklook=true", *settings], ROWS["night1/a.diff"][1], "a.diff"),
        "night2/a.diff": (["difference", "--set", "output.quicklook=true"], ROWS["night2/a.diff"][1], "a.diff")})
    assert results(tmp_path / "out") == single
    assert "mask" in reports["night1/a.diff"]["reference"] and "mask" not in reports["night2/a.diff"]["reference"]
    assert batch().did == []
    write_weights(data / "mask.fits", 0.5)
    assert batch().did == ["night1/a.diff"]
    (data / "mask.fits").rename(tmp_path / "elsewhere.fits")
    away = batch()
    assert away.did == [] and "mask.fits: No such file" in away.err, away.err
