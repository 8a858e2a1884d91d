"""The page that `srcextract merge --report` writes, against the table IMAGES as astropy reads it."""

import json
import os
import shutil
import urllib.parse

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from driver import run_program
from report_pages import EVIL, HOSTILE, Page, write_survey


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    directory = tmp_path_factory.mktemp("survey")
    write_survey(directory)
    merge(directory, "out", "-o", "survey.cat.fits", "--report")
    return directory


def merge(directory, *arguments, code=0):
    done = run_program("merge", "-q", *arguments, cwd=directory)
    assert done.code == code, done.err
    return done.err


@pytest.fixture(scope="module")
def page(survey):
    return Page(survey / "survey.report.html")


@pytest.fixture(scope="module")
def images(survey):
    return fits.getdata(survey / "survey.cat.fits", "IMAGES")


def rows_of(page):
    names = [column[0] for column in page.data["columns"]]
    return [dict(zip(names, values)) for values in page.data["rows"]]


def far_from_median(values):
    far = np.abs(values - np.median(values))
    return far / (1.4826 * np.median(far) or 1.2533 * np.mean(far))


def test_its_rows_are_those_of_the_table(page, images):
    rows = {row["IMAGE"]: row for row in rows_of(page)}
    assert len(rows) == len(page.data["rows"]) == len(images) == 19
    for number, image in enumerate(images, 1):
        row = rows[image["IMAGE"]]
        assert (row["No."], row["STATUS"]) == (number, image["STATUS"])
        if row["STATUS"] == "failed":
            assert row["SOURCES"] is row["SIGMA"] is row["Distance"] is None
            assert row["REASON"] == image["REASON"][:200] or row["REASON"].endswith("...")
        else:
            assert row["REASON"] is None
            assert [row[name] for name in ("SOURCES", "WIDTH", "HEIGHT")] == [image["SOURCES"], 61, 50]
            for name in ("BACKGROUND", "SIGMA"):
                assert row[name] == pytest.approx(image[name], rel=1e-5)
            assert (row["FILTER"], row["EXPTIME"], row["OBJECT"]) == ("r", 30, EVIL)


def test_the_images_that_stand_out_come_first(page, images):
    rows = rows_of(page)
    assert [row["STATUS"] for row in rows[:4]] == ["failed"] * 4
    assert [rows[i]["IMAGE"] for i in (4, 5)] == ["night2/07.fits", "night1/04.fits"]
    assert [rows[i]["in"] for i in (4, 5)] == ["BACKGROUND", "SIGMA"]
    done = images[images["STATUS"] == "done"]
    far = np.max([far_from_median(done[name].astype(float)) for name in ("SOURCES", "BACKGROUND", "SIGMA")], axis=0)
    expected = dict(zip(done["IMAGE"], far))
    assert [row["Distance"] for row in rows[4:]] == pytest.approx([expected[row["IMAGE"]] for row in rows[4:]], rel=5e-3)
    assert [row["Distance"] for row in rows[4:]] == sorted((row["Distance"] for row in rows[4:]), reverse=True)


def test_plots_have_every_image_once(page, images):
    data, done = page.data, images["STATUS"] == "done"
    for name, column in (("sources", "SOURCES"), ("level", "BACKGROUND"), ("noise", "SIGMA")):
        assert data[name]["step"] == 1
        shown = [np.nan if one is None else one[1] for one in data[name]["bins"]]
        np.testing.assert_allclose(shown, np.where(done, images[column], np.nan), rtol=1e-4)
    assert data["failed"] == list(np.flatnonzero(~done))
    bars = data["histogram"]
    edges = bars["low"] + bars["step"] * np.arange(len(bars["counts"]) + 1)
    assert bars["counts"] == list(np.histogram(images["SOURCES"][done], edges - 0.5)[0]) and bars["beyond"] == 0


def test_the_map_is_where_the_sources_are(page, survey, images):
    sources = fits.getdata(survey / "survey.cat.fits", "SOURCES")
    for row, place in zip(rows_of(page), page.data["sky"]):
        of_image = sources["IMAGE"] == row["IMAGE"]
        if not of_image.any():
            assert place is None
            continue
        turned = (sources["ALPHA_J2000"][of_image] + 180) % 360 + 180  # around 360
        assert place == pytest.approx([turned.mean(), sources["DELTA_J2000"][of_image].mean()], abs=2e-3)
    assert sum(count for *_, count in page.data["map"]) == sum(place is not None for place in page.data["sky"])
    assert max(cell[0] for cell in page.data["map"]) - min(cell[0] for cell in page.data["map"]) < 10


def test_failures_are_grouped_by_reason(page, images):
    told = page.texts["failures"].split("Names")[1]
    assert told.count("input") == 2
    assert "input3HDU 0 of sky/night2/short0.fits is truncated" in told.replace("\n", "")
    assert "night2/short0.fits, night2/short1.fits, night2/short2.fits" in told
    reason, = images["REASON"][images["IMAGE"] == "night2/text.fits"]
    assert f"input1{reason}night2/text.fits" in told.replace("\n", "")
    assert "19 images, 4 failed; " + str(sum(images["SOURCES"])) + " sources" in page.source


def test_ranges(page, images):
    done = images[images["STATUS"] == "done"]
    for name, told in (("SOURCES", "Sources in an image"), ("BACKGROUND", "Level of the sky adu"), ("SIGMA", "Noise of the sky adu")):
        values = "".join(f"{value:.6g}" for value in (done[name].min(), np.median(done[name]), done[name].max(), len(done)))
        assert told + values in page.texts["ranges"]


def test_nothing_of_a_name_or_a_header_becomes_part_of_the_page(page):
    assert page.script_count == 2 and page.pictures == []
    assert HOSTILE in [row["IMAGE"] for row in rows_of(page)]
    assert HOSTILE in page.texts["table"]


def test_images_are_links_to_pages_of_their_own(page, survey):
    for row, link in zip(rows_of(page), page.data["links"]):
        path = "out/" + row["IMAGE"].removesuffix(".fits") + ".report.html"
        assert (link is not None) == (survey / path).is_file() == (row["STATUS"] == "done")
        if link:
            assert urllib.parse.unquote(link) == path and not set(link) & set(" <>\"'&?#:")
    assert [address for address in page.addresses if not address.startswith(("#", "data:"))] == \
        [link for link in page.data["links"] if link]


def test_links_follow_the_place_of_the_survey(survey):
    (survey / "further/away").mkdir(parents=True)
    gone = survey / "out/night1/00.report.html"
    kept = gone.read_bytes()
    gone.unlink()
    merge(survey, "out", "-o", "further/away/survey.csv", "--report")
    page = Page(survey / "further/away/survey.report.html")
    links = {row["IMAGE"]: link for row, link in zip(rows_of(page), page.data["links"])}
    assert links["night2/01.fits"] == "../../out/night2/01.report.html" and links["night1/00.fits"] is None
    gone.write_bytes(kept)


@pytest.mark.parametrize("output", ["s.fits", "s.cat.csv", "s.hats", "s.reg"])
def test_any_format_may_have_one(survey, tmp_path, output):
    for _ in range(2):  # the second replaces the first
        merge(survey, "out", "-o", tmp_path / output, "--report")
    assert len(rows_of(Page(tmp_path / "s.report.html"))) == 19


def test_without_the_option_there_is_none(survey, tmp_path):
    merge(survey, "out", "-o", tmp_path / "s.fits")
    assert [path.name for path in tmp_path.iterdir()] == ["s.fits"]


def test_no_other_page_is_replaced(survey, tmp_path):
    (tmp_path / "s.report.html").write_text("<!DOCTYPE html>\n<html><title>mine</title></html>\n")
    said = merge(survey, "out", "-o", tmp_path / "s.fits", "--report", code=2)
    assert "no page about a merged survey" in said and not (tmp_path / "s.fits").exists()
    said = merge(survey, "out", "-o", "out/night1/00.ecsv", "--report", code=2)
    assert "night1/00.report.html, which belongs to the survey" in said


def test_shards_in_any_order_make_the_same_page(survey, tmp_path):
    pages = []
    for shards in (1, 2):
        names = [f"{shards}-{i}" for i in range(1, shards + 1)]
        for i, name in enumerate(names, 1):
            done = run_program("batch", "-q", "--set", "output.report=false", "c.yaml", "sky", "-o", tmp_path / name, "--shard",
                               f"{i}/{shards}", cwd=survey)
            assert done.code in (0, 6), done.err
        for order in (names, names[::-1]):
            merge(tmp_path, *order, "-o", "s.fits", "--report")
            pages.append((tmp_path / "s.report.html").read_bytes())
    assert len(set(pages)) == 1


def test_links_to_images_of_two_directories_do_not_depend_on_their_order(survey, tmp_path):
    pages = []
    for name in "ab":
        shutil.copytree(survey / "out", tmp_path / name)
    for order in ("ab", "ba"):
        merge(tmp_path, *order, "-o", "s.fits", "--report")
        pages.append((tmp_path / "s.report.html").read_bytes())
    assert pages[0] == pages[1] and b'href="a/night1/00.report.html"' in pages[0]


def fake_survey(directory, out, images):
    """A survey of links to the catalogue of one image, with hostile names of 240 bytes and a noise of their own; each
    third failed."""
    first, *entries, last = (out / "journal.jsonl").read_text().splitlines()
    done, failed = [next(entry for entry in map(json.loads, entries) if key in entry) for key in ("outputs", "failed")]
    catalogue, size = next((name, size) for name, size in done["outputs"].items() if name.endswith(".cat.fits"))
    directory.mkdir()
    lines = [first]
    for i in range(images):
        name = f"{i:05}" + '<&"' * 78
        entry = {**(failed if i % 3 == 0 else done), "image": name + ".fits", "path": "/" + name + ".fits"}
        if i % 3 == 0:
            entry["reason"] = f"{'<' * 300} {i % 9}{'x' * (i % 500)}"
        else:
            entry |= {"outputs": {name[:200] + ".cat.fits": size}, "sigma": 1 + i / images}
            os.link(out / catalogue, directory / (name[:200] + ".cat.fits"))
        lines.append(json.dumps(entry))
    (directory / "journal.jsonl").write_text("\n".join([*lines, last, ""]))


def test_of_thousands_of_images_it_has_those_that_stand_out(survey, tmp_path):
    count = 6000
    fake_survey(tmp_path / "out", survey / "out", count)
    merge(tmp_path, "out", "-o", "s.fits", "--report")
    page = Page(tmp_path / "s.report.html")
    assert len(page.source.encode()) <= 2_000_000
    rows = rows_of(page)
    assert 100 < len(rows) <= 2000
    assert page.script_count == 2 and f"{count - len(rows)} images are not shown" in page.texts["images"]
    assert f"{count} images, 2000 failed" in page.source
    noise = page.data["noise"]
    assert noise["step"] * len(noise["bins"]) == count and len(noise["bins"]) == 1000
    assert noise["bins"][1] == pytest.approx([1 + i / count for i in (7, 9, 11)], rel=1e-4)  # of images 6 to 11, from 0
    assert len(page.data["failed"]) == 1000
