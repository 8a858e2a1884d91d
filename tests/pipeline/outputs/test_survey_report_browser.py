"""The page that `srcextract merge --report` writes, in a real browser: headless Chromium."""

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("websocket")

import browser
from driver import run_program
from report_pages import HOSTILE, write_survey

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="there is no chromium")

FIRST = "document.querySelector('#rows tr td:nth-child(2)').textContent"
CHOSEN = "document.querySelector('#chosen').textContent"
MARKED = "document.querySelector('tr[aria-current=true] td:nth-child(2)').textContent"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    directory = tmp_path_factory.mktemp("survey")
    write_survey(directory)
    done = run_program("merge", "-q", "out", "-o", "survey.cat.fits", "--report", cwd=directory)
    assert done.code == 0, done.err
    return directory / "survey.report.html"


def sort_by(page, name):
    page.click(*page.place("#table th:nth-child(%d) button" % (1 + page.ask(
        "JSON.parse(document.querySelector('#data').textContent).columns.findIndex((one) => one[0] === '" + name + "')"))))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plots_are_drawn(report, show, scheme, tmp_path):
    page = show(report, scheme=scheme)
    for name in ("sources", "noise", "level", "histogram", "map"):
        colours = page.ask(f"(() => {{ const c = document.querySelector('#{name}');"
                           "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                           "return new Set(new Uint32Array(d.buffer)).size; })()")
        assert colours > 10, name
    unnamed = page.ask("[...document.querySelectorAll('canvas, section, nav, [role=region]')]"
                       ".filter((e) => !e.ariaLabel && !document.getElementById(e.getAttribute('aria-labelledby'))).length")
    assert unnamed == 0
    page.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 50_000
    red = int(page.ask("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]"))
    assert red > 200 if scheme == "light" else red < 50


def test_the_table_is_sorted(report, show):
    page = show(report)
    sort_by(page, "IMAGE")
    assert page.ask(FIRST) == "night1/00.fits"
    sort_by(page, "IMAGE")
    assert page.ask(FIRST) == "night2/text.fits"
    sort_by(page, "BACKGROUND")
    sort_by(page, "BACKGROUND")
    assert page.ask(FIRST) == "night2/07.fits", "images that failed have no level, and are last"
    assert page.ask("document.querySelector('th[aria-sort]').textContent.startsWith('BACKGROUND')")


def test_a_point_a_row_and_a_key_select_an_image(report, show):
    page = show(report)
    data = "JSON.parse(document.querySelector('#data').textContent)"
    least, most, levels = page.ask(f"(() => {{ const v = {data}.level.bins.filter(Boolean).map((bin) => bin[1]);"
                                   "return [Math.min(...v), Math.max(...v), v.length]; })()")
    assert levels == 15 and most > least + 800
    number = page.ask(f"{data}.rows.find((row) => row[1] === 'night2/07.fits')[0]")
    (left, top), (right, bottom) = page.place("#level", 0, 0), page.place("#level", 1, 1)
    images, margin = 19, 0.05 * (most - least)
    x = left + 58 + (number - 0.62) / (images - 1 + 0.76) * (right - left - 68)
    y = bottom - 40 - (most - max(0, least - margin)) / (most + margin - max(0, least - margin)) * (bottom - top - 50)
    page.click(x, y)
    assert f"Image {number}, night2/07.fits: " in page.ask(CHOSEN) and page.ask(MARKED) == "night2/07.fits"
    page.click(*page.place("#rows tr:nth-child(4) td:nth-child(1)"))
    assert "night2/text.fits: sky/night2/text.fits: not a FITS file" in page.ask(CHOSEN)
    page.ask("document.querySelector('#rows tr:nth-child(4)').focus()")
    page.press("ArrowDown")
    page.press("Enter")
    assert page.ask(MARKED) == "night2/07.fits"


def test_a_hostile_name_is_text(report, show):
    page = show(report)
    assert page.ask(f"[...document.querySelectorAll('#rows td:nth-child(2)')].filter((e) => e.textContent.startsWith('night1/<')).length") == 1
    assert page.ask("document.images.length") == 0
    link = page.ask("[...document.querySelectorAll('#rows a')].find((e) => e.textContent.includes('onerror')).href")
    assert link == (report.parent / "out" / (HOSTILE.removesuffix(".fits") + ".report.html")).as_uri()


def test_without_scripts_the_page_is_read(report, show):
    page = show(report, scripts=False)
    assert page.ask("getComputedStyle(document.querySelector('#plots')).display") == "none"
    assert page.ask("document.querySelectorAll('#rows tr').length") == 19
    assert page.ask("document.querySelectorAll('#failures tbody tr').length") == 2
