"""The published numbers of the astronomy lesson on its GMRT image, where SRCEXTRACT_GMRT_FITS names the file."""
import os

import pytest

from program import extract

IMAGE = os.environ.get("SRCEXTRACT_GMRT_FITS")
if not IMAGE:
    pytest.skip("no data: SRCEXTRACT_GMRT_FITS does not name the lesson's GMRT image", allow_module_level=True)

FLUXES = [38.90615184, 41.91485894, 43.02203498, 47.30590784, 51.23707351, 58.07289425, 68.85673917, 70.31223921,
          95.16443585, 363.58937774]


@pytest.fixture
def lesson(program, tmp_path):
    return extract(program, "lesson", IMAGE, tmp_path)


def published(statistics):
    """As printed: four digits."""
    return {name: f"{statistics[name]:.3e}" for name in ("mean", "median", "sigma", "max")}


def test_statistics(lesson):
    background = lesson[1]["background"]
    assert published(background["all"]) == {
        "mean": "3.898e-04", "median": "1.571e-05", "sigma": "1.993e-02", "max": "2.506e+00"}
    assert published(background["clipped"]) == {
        "mean": "-1.945e-06", "median": "-9.796e-06", "sigma": "1.334e-02", "max": "4.000e-02"}


def test_sources(lesson):
    fluxes = sorted(lesson[0]["FLUX_ISO"])
    assert len(fluxes) == 185
    assert fluxes[-10:] == pytest.approx(FLUXES, rel=0, abs=1e-8)
