"""The pictures of docs/pictures are what the program draws now, and a page shows each."""

import os
import pathlib
import sys

import pytest

pytest.importorskip("numpy")
pytest.importorskip("astropy")

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import setting_pictures

PAGES = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("name", setting_pictures.PICTURES)
def test_picture_is_fresh(name):
    drawn, = setting_pictures.pictures(pathlib.Path(os.environ["SRCEXTRACT_PROGRAM"]), [name]).values()
    kept = (ROOT / f"docs/pictures/{name}.svg").read_text(encoding="utf-8")
    assert setting_pictures.unpacked(drawn) == setting_pictures.unpacked(kept), \
        f"stale: scripts/setting_pictures.py build/srcextract {name} draws it again"


def test_every_picture_is_small_and_shown():
    kept = sorted((ROOT / "docs/pictures").iterdir())
    assert [path.stem for path in kept] == sorted([*setting_pictures.PICTURES, "psf"])  # srcextract psf draws that one
    assert [path.name for path in kept if path.stat().st_size > 40000 or f"pictures/{path.name})" not in PAGES] == []
