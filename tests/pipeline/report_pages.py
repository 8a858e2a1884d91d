"""Reads the pages of --report, and makes a survey for one."""

import html.parser
import json

import pytest

np = pytest.importorskip("numpy")

from driver import run_program
from fits_files import TAN
from stage_images import field, write_image

EVIL = "</script><script>alert(1)</script>"


class Page(html.parser.HTMLParser):
    """A page's text of each element with an id, its tables, its pictures; fails on tags that do not match."""

    VOID = {"meta", "link", "img", "input", "br"}

    def __init__(self, path):
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.open, self.texts, self.pictures, self.addresses, self.script_count = [], {}, [], [], 0
        self.feed(self.source)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        self.script_count += tag == "script"
        if tag == "img":
            self.pictures.append(given)
        if tag not in self.VOID:
            self.open.append((tag, given.get("id")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, tag

    def handle_data(self, text):
        for _, name in self.open:
            if name:
                self.texts[name] = self.texts.get(name, "") + text

    @property
    def data(self):
        return json.loads(self.texts["data"], parse_constant=pytest.fail)


HOSTILE = "night1/<img src=x onerror=alert(1)> & \"'.fits"


def write_survey(directory):
    """Images of two nights about right ascension 0, of which one is noisy, one brighter than the others, one has a hostile
    name, four are no images; extracted with reports into `out`. The images that are done, by name."""
    images = {f"night{1 + i % 2}/{i:02}.fits": field(i) for i in range(14)}
    images["night1/04.fits"] = np.random.default_rng(1).normal(20, 9, (50, 61)).astype(np.float32)
    images["night2/07.fits"] = images["night2/07.fits"] + np.float32(900)
    images[HOSTILE] = field(20)
    (directory / "sky").mkdir()
    for i, (name, pixels) in enumerate(images.items()):
        place = {"CRVAL1": (358 + i / 3) % 360, "CRVAL2": -3 + i / 2}
        write_image(directory / "sky" / name, pixels, BUNIT="adu", FILTER="r", EXPTIME=30.0, OBJECT=EVIL, **{**TAN, **place})
    whole = (directory / "sky/night1/00.fits").read_bytes()
    for i in range(3):
        (directory / f"sky/night2/short{i}.fits").write_bytes(whole[:5000 + 100 * i])
    (directory / "sky/night2/text.fits").write_text("no image")
    (directory / "c.yaml").write_text("output: {formats: [fits], report: true}\nextends: none\n")
    done = run_program("batch", "-q", "c.yaml", "sky", "-o", "out", cwd=directory)
    assert done.code == 6, done.err
    return images
