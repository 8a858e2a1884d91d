"""found.report(): the page that the command writes, and how a notebook has it."""
import html
import re

import pytest

import srcextract


@pytest.fixture(scope="module")
def found(sky_path):
    return srcextract.extract(sky_path, output__report=True)


def data_of(page):
    """The data that the page's script draws: rows, shapes, histogram, points."""
    return re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1)


def pictures_of(page):
    return re.findall(r'src="(data:image/png[^"]*)"', page)


def test_it_shows_what_the_page_of_the_command_does(found, run, sky_path):
    [path] = run(sky_path, "--report").glob("*.report.html")
    theirs, mine = path.read_text(encoding="utf-8"), found.report().page
    assert data_of(mine) == data_of(theirs) and len(pictures_of(mine)) == 4
    assert pictures_of(mine) == pictures_of(theirs)
    for part in ("Threshold", "GAIN", "Time of each step", "method: tree"):
        assert part in mine and part in theirs
    assert re.search(r"<h2[^>]*>Warnings", mine) is None  # of sky.fits there is none


def test_it_is_written_as_it_is(found, tmp_path):
    report = found.report()
    report.write(tmp_path / "sky.html")
    assert (tmp_path / "sky.html").read_text(encoding="utf-8") == report.page
    assert re.fullmatch(r"<Report: a page of [1-9]\d* kB>", repr(report))
    with pytest.raises(srcextract.OutputError, match="No such file or directory"):
        report.write(tmp_path / "missing" / "sky.html")


def test_a_notebook_shows_it_in_a_frame(found):
    shown = found.report()._repr_html_()
    [inside] = re.findall(r'<iframe srcdoc="([^"]*)"', shown)
    assert html.unescape(inside) == found.report().page
    assert 'sandbox="allow-scripts"' in shown


def test_pixels_that_were_not_kept_are_asked_for(sky_path):
    with pytest.raises(srcextract.ConfigError, match="output__report=True"):
        srcextract.extract(sky_path).report()


def test_images_in_memory_and_many_files_have_one(sky_path):
    pixels = pytest.importorskip("astropy.io.fits").getdata(sky_path)
    assert "All 450 sources" in srcextract.extract(pixels, output__report=True, measurement__gain=2.0).report().page
    [one] = srcextract.extract_many([sky_path], output__report=True)
    assert data_of(one.report().page)
