"""The pictures of docs/stages are what scripts/concept_pictures.py draws now, and their pages show them."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import concept_pictures


def test_every_picture_is_fresh():
    folder = ROOT / "docs/stages"
    stale = [name for name, drawn in concept_pictures.pictures().items() if (folder / name).read_text(encoding="utf-8") != drawn]
    assert stale == [], f"stale in docs/stages/: {stale}; scripts/concept_pictures.py draws them again"


def test_every_picture_is_shown():
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/stages").glob("*.md"))
    assert [name for name in concept_pictures.pictures() if f"({name})" not in pages] == []
