"""The charts of docs/truth.md are drawn from docs/truth.csv as it is now."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import truth_charts


def test_every_chart_is_fresh():
    drawn = truth_charts.charts()
    stale = [name for name, chart in drawn.items() if (ROOT / "docs" / name).read_text(encoding="utf-8") != chart]
    assert stale == [], f"stale in docs/: {stale}; scripts/truth_charts.py draws them again"


def test_every_chart_is_shown():
    page = (ROOT / "docs/truth.md").read_text(encoding="utf-8")
    assert [name for name in truth_charts.charts() if f"({name})" not in page] == []
