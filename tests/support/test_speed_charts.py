"""The charts of docs/performance.md are drawn from docs/speed.csv as it is now."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import speed_charts


def test_every_chart_is_fresh():
    drawn = speed_charts.charts()
    stale = [name for name, chart in drawn.items() if (ROOT / "docs" / name).read_text(encoding="utf-8") != chart]
    assert stale == [], f"stale in docs/: {stale}; scripts/speed_charts.py draws them again"


def test_every_chart_is_shown():
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    assert [name for name in speed_charts.charts() if f"({name})" not in page] == []
