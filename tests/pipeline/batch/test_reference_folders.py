"""Folders of references: of every image, the frame that covers most of it. Frames are cut from one grid of pixels (CRPIX
alone differs), so the shares that they cover are known."""

import json
import os
import shutil

import pytest

import survey_support as survey
from fits_files import TAN, hdu, write
from survey_beside import CONFIG, SIDE, assert_shards_merge_to_the_same_bytes, batch_runner, results, run_single

ALIGNED = ["--set", "difference.align=wcs"]
# Right and up from the image's corner, in pixels, and the share of night/a.fits that follows.
TEMPLATES = {"left": (-29, 0), "cells/right": (10, 0), "corner": (48, 48)}
BEST = "cells/right"


def frame(right, up, seed, primary=True, **cards):
    cards = {**TAN, "CRPIX1": TAN["CRPIX1"] - right, "CRPIX2": TAN["CRPIX2"] - up, **cards}
    return hdu((SIDE, SIDE), values=survey.sky(seed, SIDE, SIDE), primary=primary, **cards)


def write_frame(path, right, up, seed, **cards):
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, frame(right, up, seed, **cards))


@pytest.fixture
def data(tmp_path):
    (tmp_path / "c.yaml").write_text(CONFIG + "difference: {kernel: gaussian, match_flux: false, align: wcs}\n")
    below = tmp_path / "data"
    for seed, (name, shift) in enumerate(TEMPLATES.items()):
        write_frame(below / f"templates/{name}.fits", *shift, seed)
    write_frame(below / "templates/far.fits", 0, 0, 9, CRVAL1=170.0)
    write_frame(below / "night/a.fits", 0, 0, 20)
    write_frame(below / "night/b.fits", 40, 52, 21)
    (below / "survey.csv").write_text("path,reference\nnight/a.fits,templates\nnight/b.fits,templates/\n")
    return below


@pytest.fixture
def batch(run, tmp_path):
    return batch_runner(run, tmp_path)


def taken(out, name):
    return json.loads((out / f"{name}.diff.run.json").read_text())["reference"]["path"]


def test_the_frame_that_covers_most_is_taken(run, batch, data, tmp_path):
    assert batch().did == ["night/a.diff", "night/b.diff"]
    assert taken(tmp_path / "out", "night/a") == "data/templates/cells/right.fits"
    assert taken(tmp_path / "out", "night/b") == "data/templates/corner.fits"
    single, _ = run_single(run, tmp_path, {
        f"night/{name}.diff": (["difference"], f"data/templates/{reference}.fits data/night/{name}.fits", f"{name}.diff")
        for name, reference in (("a", BEST), ("b", "corner"))})
    assert results(tmp_path / "out") == single


def test_the_command_for_a_few_images(run, data, tmp_path):
    done = run("difference", "c.yaml", "data/templates", "data/night/a.fits", "data/night/b.fits", "-o", "out")
    assert done.code == 0, done.err
    assert taken(tmp_path / "out", "a") == "data/templates/cells/right.fits"
    assert taken(tmp_path / "out", "b") == "data/templates/corner.fits"
    one = run("difference", "c.yaml", "data/templates/corner.fits", "data/night/a.fits", "data/night/b.fits", "-o", "one")
    assert one.code == 0, one.err
    assert taken(tmp_path / "one", "a") == taken(tmp_path / "one", "b") == "data/templates/corner.fits"


def test_equal_frames_are_taken_by_distance_and_then_by_name(batch, data, tmp_path):
    for folder in ("data/templates/y", "data/templates/x"):
        write_frame(tmp_path / folder / "same.fits", 0, 0, 5)
    write(data / "templates/x/wide.fits", hdu((SIDE + 40, SIDE + 40), values=survey.sky(6, SIDE + 40, SIDE + 40), **TAN))
    batch()
    assert taken(tmp_path / "out", "night/a") == "data/templates/x/same.fits"


def test_only_images_with_another_reference_are_done_again(batch, data, tmp_path):
    batch()
    assert batch().did == []
    os.utime(data / "templates/left.fits")
    assert batch().did == []
    os.utime(data / "templates/corner.fits")
    assert batch().did == ["night/b.diff"]
    write_frame(data / "templates/better.fits", 1, 0, 30)
    assert batch().did == ["night/a.diff"]
    assert taken(tmp_path / "out", "night/a") == "data/templates/better.fits"
    (data / "templates/better.fits").unlink()
    assert batch().did == ["night/a.diff"]
    assert taken(tmp_path / "out", "night/a") == "data/templates/cells/right.fits"


def test_an_image_without_a_reference_fails_alone(batch, data, tmp_path):
    write_frame(data / "night/lost.fits", 0, 0, 22, CRVAL1=171.0)
    with open(data / "survey.csv", "a") as manifest:
        manifest.write("night/lost.fits,templates\nnight/blind.fits,templates\nnight/gone.fits,templates\n")
    write(data / "night/blind.fits", hdu((SIDE, SIDE), values=survey.sky(1, SIDE, SIDE)))
    (data / "templates/far.fits").unlink()
    assert len(batch(code=6).did) == 5
    reasons = {row["image"]: row["reason"] for row in survey.failures(tmp_path / "out")}
    assert sorted(reasons) == ["night/blind.diff", "night/gone.diff", "night/lost.diff"]
    lost = reasons["night/lost.diff"]
    assert "no frame of data/templates shows the sky of data/night/lost.fits" in lost
    assert "the nearest is data/templates/left.fits" in lost and " 20.5 degrees" in lost, lost
    assert "no celestial WCS" in reasons["night/blind.diff"] and "name its reference" in reasons["night/blind.diff"]
    assert "night/gone.fits" in reasons["night/gone.diff"]
    write_frame(data / "templates/found.fits", 3, 0, 31, CRVAL1=171.0)
    assert batch(code=6).did == ["night/lost.diff"]


def test_what_is_done_stays_if_its_reference_is_gone(batch, data, tmp_path):
    batch()
    before = results(tmp_path / "out")
    shutil.move(data / "templates/corner.fits", data / "corner.fits")
    shutil.move(data / "templates/cells", data / "cells")
    shutil.move(data / "templates/left.fits", data / "left.fits")
    done = batch()
    assert done.did == [] and "no frame of data/templates shows the sky" in done.err
    assert results(tmp_path / "out") == before
    shutil.rmtree(data / "templates")
    done = batch()
    assert done.did == [] and "data/templates" in done.err
    assert results(tmp_path / "out") == before


def test_an_image_is_not_its_own_reference(batch, data, tmp_path):
    (data / "survey.csv").write_text("path,reference\nnight/a.fits,night\ntemplates/far.fits,templates\n")
    batch(code=6)
    assert taken(tmp_path / "out", "night/a") == "data/night/b.fits"
    (row,) = survey.failures(tmp_path / "out")
    assert "the nearest is data/templates/" in row["reason"] and "far.fits, whose" not in row["reason"]


def test_frames_without_a_place_are_named(batch, data, tmp_path):
    write(data / "templates/blind.fits", hdu((SIDE, SIDE), values=survey.sky(1, SIDE, SIDE)))
    (data / "templates/short.fits").write_bytes(b"SIMPLE")
    err = batch().err
    assert "data/templates: not taken for references: blind.fits (" in err and "short.fits (" in err
    assert taken(tmp_path / "out", "night/a") == "data/templates/cells/right.fits"
    shutil.rmtree(data / "templates")
    (data / "templates").mkdir()
    batch(out="other", code=6)
    assert all("no image is in this folder" in row["reason"] for row in survey.failures(tmp_path / "other"))


def test_hdus_of_a_mosaic_are_compared_by_number(run, batch, data, tmp_path):
    """The frame whose HDUs lie the other way round covers nothing of the HDUs with the same numbers."""
    empty = hdu((), bitpix=8)
    halves = [frame(0, 0, 3, primary=False), frame(200, 0, 4, primary=False)]
    (data / "mosaics").mkdir()
    write(data / "mosaics/a_turned.fits", empty, *reversed(halves))
    write(data / "mosaics/b_right.fits", empty, frame(5, 0, 5, primary=False), frame(205, 0, 6, primary=False))
    write(data / "m.fits", empty, *halves)
    done = run("difference", "c.yaml", "--set", "input.hdu=all", "data/mosaics", "data/m.fits", "-o", "out")
    assert done.code == 0, done.err
    reports = [json.loads(path.read_text()) for path in sorted((tmp_path / "out").glob("*.run.json"))]
    assert [report["reference"]["path"] for report in reports] == ["data/mosaics/b_right.fits"] * 2
    assert [report["reference"]["hdu"] for report in reports] == [report["input"]["hdu"] for report in reports] == [1, 2]


def test_shards_merge_to_the_same_bytes(run, batch, data, tmp_path):
    assert_shards_merge_to_the_same_bytes(run, batch, tmp_path)


def test_an_image_by_itself_gets_the_reference_that_was_chosen(batch, data, tmp_path):
    """What was under way at the end of a process is tried in a process of its own."""
    write_frame(data / "night/lost.fits", 0, 0, 22, CRVAL1=100.0)
    with open(data / "survey.csv", "a") as manifest:
        manifest.write("night/lost.fits,templates\n")
    batch(code=6)
    lines = []
    for name in ("night/a.diff", "night/lost.diff"):
        number = 0xcbf29ce484222325  # FNV-1a
        for byte in name.encode():
            number = (number ^ byte) * 0x100000001b3 % 2**64
        lines.append(f"begun  1 {number:016x} {name}".ljust(127) + "\n")
    (tmp_path / "tried").mkdir()
    (tmp_path / "tried/journal.begun").write_text("".join(lines))
    done = batch(out="tried", code=6)
    assert len(done.did) == 3 and "in processes of their own" in done.err, done.err
    assert results(tmp_path / "tried") == results(tmp_path / "out")
    assert survey.failures(tmp_path / "tried") == survey.failures(tmp_path / "out")
    assert taken(tmp_path / "tried", "night/a") == "data/templates/cells/right.fits"
