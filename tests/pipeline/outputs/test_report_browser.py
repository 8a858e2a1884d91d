"""The page that --report writes, in a real browser: headless Chromium."""

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("websocket")

import browser
from driver import ROOT, run_program
from stage_images import write_image

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="there is no chromium")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    directory = tmp_path_factory.mktemp("report")
    done = run_program("-q", "--report", "--set", "output.report_copies=100", "-o", directory, ROOT / "data/sky.fits")
    assert done.code == 0, done.err
    return directory / "sky.report.html"


SCALE = "Number(document.querySelector('#sky').dataset.scale)"


def screen_of(page, x, y, width=1024, height=1024):
    """The place on the screen of a pixel of an image that is shown whole."""
    scale = page.ask(SCALE)
    left, top = page.place("#sky", 0, 0)
    right, bottom = page.place("#sky", 1, 1)
    return ((left + right) / 2 + (x - 0.5 - width / 2) * scale, (top + bottom) / 2 + (height / 2 - (y - 0.5)) * scale)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_click_on_a_source_shows_its_row(report, show, scheme, tmp_path):
    page = show(report, scheme=scheme)
    brightest = page.ask("JSON.parse(document.querySelector('#data').textContent).rows[0][0]")
    assert page.ask("document.querySelector('#of-source').textContent") == f"Source {brightest}", "the brightest at first"
    number, x, y = page.ask("(() => { const d = JSON.parse(document.querySelector('#data').textContent);"
                            "return [d.rows[7][0], ...d.shapes[7].slice(0, 2)]; })()")
    page.click(*screen_of(page, x, y))
    assert page.ask("document.querySelector('#of-source').textContent") == f"Source {number}"
    assert page.ask("document.querySelector('#values').textContent").startswith(f"NUMBER{number}")
    assert page.ask("document.querySelector('tr[aria-current=true] td').textContent") == str(number)
    page.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 100_000
    red = int(page.ask("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]"))
    assert red > 200 if scheme == "light" else red < 50


def test_a_click_on_a_row_shows_the_source(report, show):
    page = show(report)
    before = page.ask(SCALE)
    page.click(*page.place("#rows tr:nth-child(4) td:nth-child(2)"))
    assert page.ask("document.querySelector('#of-source').textContent.startsWith('Source ')")
    assert page.ask(SCALE) > 2 * before
    x, y = page.place("#sky")
    page.click(x, y)  # it is in the middle
    assert page.ask("document.querySelector('#rows tr:nth-child(4)').getAttribute('aria-current')") == "true"


def test_zoom_and_pan_by_wheel_mouse_and_keys(report, show):
    page = show(report)
    whole = page.ask(SCALE)
    x, y = page.place("#sky")
    page.wheel(x, y, -300)
    assert page.ask(SCALE) > 1.5 * whole
    page.ask("document.querySelector('#sky').focus()")
    page.press("0")
    assert page.ask(SCALE) == pytest.approx(whole)
    page.press("+")
    page.press("+")
    assert page.ask(SCALE) == pytest.approx(whole * 1.69)
    page.press("-")
    chosen = page.ask("document.querySelector('#of-source').textContent")
    page.drag(x, y, x + 50, y + 20)
    assert page.ask("document.querySelector('#of-source').textContent") == chosen, "a drag is no click"
    page.press("n")
    assert page.ask("document.querySelector('#of-source').textContent") != chosen


def test_the_table_is_sorted_and_turned(report, show):
    page = show(report)
    cell = "document.querySelector('#rows td').textContent"
    page.click(*page.place("#table th:first-child button"))
    assert page.ask(cell) == "1"
    page.click(*page.place("#after"))
    assert page.ask(cell) == "26"
    page.click(*page.place("#table th:first-child button"))
    assert page.ask(cell) == page.ask("String(JSON.parse(document.querySelector('#data').textContent).total)")


def type_into(page, name, typed):
    page.ask(f"(() => {{ const field = document.querySelector('{name}'); field.value = {typed!r};"
             "field.dispatchEvent(new Event('input')); })()")


def test_rows_are_searched_and_saved(report, show):
    page = show(report)
    data = page.ask("JSON.parse(document.querySelector('#data').textContent)")
    names = [column[0] for column in data["columns"]]
    snr, flags = names.index("SNR"), names.index("FLAGS")
    expected = [row for row in data["rows"] if row[snr] > 100 and row[flags] == 0]
    assert 5 < len(expected) < 200
    page.ask("window.saved = null; URL.createObjectURL = (blob) => { blob.text().then((t) => { window.saved = t; }); return 'data:,'; };")
    type_into(page, "#find", "snr > 100, FLAGS = 0")
    assert page.ask("document.querySelector('#matches').textContent") == f"{len(expected)} of {len(data['rows'])} rows"
    page.click(*page.place("#save"))
    head, *lines = page.ask("new Promise((done) => setInterval(() => window.saved && done(window.saved), 20))").splitlines()
    assert head.split(",") == names and [int(line.split(",")[0]) for line in lines] == [row[0] for row in expected]
    type_into(page, "#find", f"NUMBER = {expected[3][0]}")
    assert page.ask("document.querySelectorAll('#rows tr').length") == 1
    for wrong in ("SNR > 20 and FLAGS = 0", "SNR > x", "SNR => 20"):
        type_into(page, "#find", wrong)
        assert page.ask("document.querySelector('#matches').textContent").endswith("is no number; commas part conditions"), wrong
    type_into(page, "#find", "FLAGS == 0")
    assert page.ask("document.querySelector('#matches').textContent").startswith(f"{sum(row[flags] == 0 for row in data['rows'])} of ")
    type_into(page, "#find", "SNRR > 3")
    assert page.ask("document.querySelector('#matches').textContent") == "there is no column SNRR"
    assert page.ask("document.querySelector('#find').validity.valid") is False
    type_into(page, "#find", "")
    assert page.ask("document.querySelectorAll('#rows tr').length") == 25


def test_values_have_the_digits_of_their_errors_and_magnitudes_are_called_instrumental(report, show):
    page = show(report)
    data = page.ask("JSON.parse(document.querySelector('#data').textContent)")
    row = dict(zip((column[0] for column in data["columns"]), data["rows"][0]))
    shown = page.ask("Object.fromEntries([...document.querySelectorAll('#values tr')].map((r) => [r.cells[0].textContent, r.cells[1].textContent]))")
    for value, error in (("FLUX_AUTO", "FLUXERR_AUTO"), ("MAG_AUTO", "MAGERR_AUTO"), ("FLUX_APER", "FLUXERR_APER")):
        left, right = shown[value].split(" ± ")
        assert float(left) == pytest.approx(row[value], abs=0.05 * row[error]) and float(right) == pytest.approx(row[error], rel=0.06)
        assert len(left.partition(".")[2]) == len(right.partition(".")[2]) and error not in shown
    assert data["magnitude"] == "MAG_AUTO (instrumental)"
    assert [unit for name, unit, _ in data["columns"] if name == "MAG_AUTO"] == ["mag, instrumental"]


def test_contrast_changes_the_picture_and_not_the_ellipses(report, show):
    page = show(report)
    mean = ("(() => { const sky = document.querySelector('#sky'), c = document.createElement('canvas'); [c.width, c.height] = [sky.width, sky.height];"
            "const to = c.getContext('2d'); to.drawImage(sky, 0, 0); const d = to.getImageData(0, 0, c.width, c.height).data; let s = 0; for (let i = 0; i < d.length; i += 4) s += d[i]; return s / (d.length / 4); })()")
    before = page.ask(mean)
    type_into(page, "#brightness", "2")
    assert page.ask(mean) > 1.3 * before
    type_into(page, "#brightness", "0")
    assert page.ask(mean) == pytest.approx(before, rel=1e-6)


def test_a_scale_and_a_compass_follow_the_wcs(show, tmp_path):
    """Pixels of 0.5 arcseconds, turned by 30 degrees; and an image without a WCS has its scale in pixels."""
    turn, side = np.radians(30), 0.5 / 3600
    wcs = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 100, "CRPIX2": 100, "CRVAL1": 10, "CRVAL2": 60,
           "CDELT1": -side, "CDELT2": side, "CROTA2": 30}
    pixels = np.random.default_rng(1).normal(0, 1, (200, 200))
    pixels[100, 90] = pixels[101, 90] = pixels[100, 91] = pixels[101, 91] = pixels[102, 90] = 500
    for name, cards in (("wcs", wcs), ("plain", {})):
        done = run_program("-q", "--report", "-o", tmp_path, write_image(tmp_path / f"{name}.fits", pixels.astype(np.float32), **cards))
        assert done.code == 0, done.err
        page = show(tmp_path / f"{name}.report.html")
        bar, scale = page.ask("document.querySelector('#sky').dataset.bar"), page.ask(SCALE)
        sky = page.ask("JSON.parse(document.querySelector('#data').textContent).sky")
        if name == "plain":
            assert sky is None and bar.endswith(" pixels")
            continue
        assert sky["scale"] == pytest.approx(0.5, rel=1e-3)
        assert sky["north"] == pytest.approx([-np.sin(turn), np.cos(turn)], abs=1e-3)
        assert sky["east"] == pytest.approx([-np.cos(turn), -np.sin(turn)], abs=1e-3)
        width = page.ask("document.querySelector('#sky').clientWidth")
        assert bar == max((f"{n}\u2033" for n in (5, 10, 20, 30) if n / 0.5 * scale <= 0.25 * width), key=lambda text: int(text[:-1]))


def test_plots_are_drawn(report, show):
    page = show(report)
    for name in ("histogram", "counts", "errors", "sizes", "found"):
        colours = page.ask(f"(() => {{ const c = document.querySelector('#{name}');"
                           "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                           "return new Set(new Uint32Array(d.buffer)).size; })()")
        assert colours > 10, name


def test_without_scripts_the_page_is_read(report, show):
    page = show(report, scripts=False)
    assert page.ask("document.querySelector('#picture').naturalWidth") == 1024
    assert page.ask("getComputedStyle(document.querySelector('#picture')).display") == "block"
    assert page.ask("getComputedStyle(document.querySelector('#plots')).display") == "none"
    assert page.ask("document.querySelectorAll('#rows tr').length") == 25
    assert page.ask("document.querySelectorAll('#completeness tbody tr').length") > 5
    assert page.ask("getComputedStyle(document.querySelector('#completeness figure')).display") == "none"


def test_strange_images(show, tmp_path):
    rng = np.random.default_rng(1)
    images = {"row": rng.normal(0, 1, (1, 3000)), "none": rng.normal(0, 1, (70, 90)), "column": rng.normal(0, 1, (900, 1))}
    for name, pixels in images.items():
        image = write_image(tmp_path / f"{name}.fits", pixels.astype(np.float32), OBJECT="</script><script>alert(1)</script>")
        (tmp_path / "c.yaml").write_text("detection: {threshold: 30}\noutput: {columns: [default, photometry]}\nextends: none\n")
        done = run_program("-q", "--report", "-o", tmp_path, tmp_path / "c.yaml", image)
        assert done.code == 0, done.err
        page = show(tmp_path / f"{name}.report.html")
        assert page.ask("document.querySelector('#page').textContent") == "page 1 of 1"


BRIGHTEST = """((id) => {
    const c = document.createElement('canvas'), shown = document.querySelector(id);
    [c.width, c.height] = [shown.width, shown.height];
    c.getContext('2d').drawImage(shown, 0, 0);
    const {data} = c.getContext('2d').getImageData(0, 0, c.width, c.height), middle = [];
    for (let i = 0; i < data.length; i += 4) {
      const [x, y] = [(i / 4) % c.width, Math.floor(i / 4 / c.width)];
      if (Math.hypot(x - c.width / 2, y - c.height / 2) < c.width / 20 && data[i] === data[i + 1] && data[i] === data[i + 2])
        middle.push(data[i]);
    }
    return middle.sort((a, b) => a - b)[Math.floor(middle.length / 2)]; })"""


def test_a_difference_shows_both_frames_of_a_row(show, tmp_path):
    """A star that is new is dark in the reference and bright in the new frame; the stretch can be turned."""
    rng = np.random.default_rng(3)
    y, x = np.indices((150, 160))
    stars = 100 + sum(3000 * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 8) for cx, cy in rng.uniform(15, 135, (12, 2)))
    frames = {"old": stars, "new": stars + 5000 * np.exp(-((x - 80) ** 2 + (y - 70) ** 2) / 8)}
    for name, pixels in frames.items():
        write_image(tmp_path / f"{name}.fits", (pixels + rng.normal(0, 5, pixels.shape)).astype(np.float32))
    done = run_program("difference", "-q", "--set", "difference.kernel=gaussian", "--report", "-o", tmp_path,
                       tmp_path / "old.fits", tmp_path / "new.fits")
    assert done.code == 0, done.err
    page = show(tmp_path / "new.diff.report.html")
    reference, fresh, difference = (page.ask(f"{BRIGHTEST}('#cutout{frame}')") for frame in ("-reference", "-new", ""))
    assert reference < 140 < 200 < min(fresh, difference)
    page.ask("(() => { const s = document.querySelector('#stretch'); s.value = '-1'; s.dispatchEvent(new Event('input')); })()")
    assert page.ask(f"{BRIGHTEST}('#cutout-new')") < 60


def test_every_row_of_a_difference_shows_both_frames(show, tmp_path):
    """Of 130 new stars the faintest has cut-outs of pictures that are shrunk, and the page says so."""
    rng = np.random.default_rng(3)
    frames = {name: rng.normal(100, 5, (700, 900)) for name in ("old", "new")}
    y, x = np.indices((31, 31)) - 15
    for i in range(130):
        at_y, at_x = 30 + 64 * (i // 13), 30 + 65 * (i % 13)
        frames["new"][at_y - 15:at_y + 16, at_x - 15:at_x + 16] += (5000 - 20 * i) * np.exp(-(x**2 + y**2) / 18)
    for name, pixels in frames.items():
        write_image(tmp_path / f"{name}.fits", pixels.astype(np.float32))
    done = run_program("difference", "-q", "--set", "difference.kernel=gaussian", "--set", "difference.match_flux=false", "--report",
                       "-o", tmp_path, tmp_path / "old.fits", tmp_path / "new.fits")
    assert done.code == 0, done.err
    page = show(tmp_path / "new.diff.report.html")
    assert page.ask("JSON.parse(document.querySelector('#data').textContent).total") == 130
    note = "document.querySelector('#cutout-note').textContent"
    assert page.ask(note) == ""
    page.ask("document.querySelector('#sky').focus()")
    page.press("p")
    page.press("p")
    assert page.ask(note).startswith("Cut out of a picture that is shrunk 2 times. The 100 brightest")
    reference, fresh, difference = (page.ask(f"{BRIGHTEST}('#cutout{frame}')") for frame in ("-reference", "-new", ""))
    assert reference < 140 < 200 < min(fresh, difference)


def test_cutouts_of_a_large_image_show_the_source_in_the_middle(show, tmp_path):
    """The brightest hundred have the pixels of the image, the others those of the picture, which is shrunk by two."""
    pixels = np.random.default_rng(1).normal(0, 1, (1200, 1501)).astype(np.float32)
    y, x = np.indices((31, 31)) - 15
    for i in range(130):
        at_y, at_x = 60 + 100 * (i // 14), 57 + 101 * (i % 14)
        pixels[at_y - 15:at_y + 16, at_x - 15:at_x + 16] += (500 - 2 * i) * np.exp(-(x**2 + y**2) / 8)
    done = run_program("-q", "--report", "-o", tmp_path, write_image(tmp_path / "large.fits", pixels))
    assert done.code == 0, done.err
    page = show(tmp_path / "large.report.html")
    page.ask("document.querySelector('#sky').focus()")
    for key, far in (("n", 4), ("p", 10)):
        for _ in range(1 if key == "n" else 2):
            page.press(key)
        row = page.ask("document.querySelector('#of-source').textContent")
        middle = page.ask("""(() => {
            const c = document.createElement('canvas'), shown = document.querySelector('#cutout');
            [c.width, c.height] = [shown.width, shown.height];
            c.getContext('2d').drawImage(shown, 0, 0);
            const {data} = c.getContext('2d').getImageData(0, 0, c.width, c.height);
            let [n, sx, sy] = [0, 0, 0];
            for (let i = 0; i < data.length; i += 4)
              if (data[i] > 180 && data[i] === data[i + 1] && data[i] === data[i + 2])
                [n, sx, sy] = [n + 1, sx + (i / 4) % c.width, sy + Math.floor(i / 4 / c.width)];
            return [n, sx / n / c.width, sy / n / c.height]; })()""")
        assert middle[0] > 100 and np.hypot(middle[1] - 0.5, middle[2] - 0.5) * 200 < far, (row, middle)
