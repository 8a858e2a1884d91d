"""Calls on small images: what they need once is not made again, and results are independent of each other."""
import numpy
import pytest

import srcextract
from srcextract import configuration

RANDOM = numpy.random.default_rng(69)
Y, X = numpy.mgrid[:15, :15]
STAMP = (RANDOM.normal(100, 2, (15, 15)) + 300 * numpy.exp(-((X - 7) ** 2 + (Y - 7) ** 2) / 4)).astype("f4")


@pytest.fixture
def reads(monkeypatch):
    """Each reading of a configuration, as a list."""
    made, read = [], configuration.read_settings
    monkeypatch.setattr(configuration, "read_settings", lambda *given: made.append(given) or read(*given))
    return made


@pytest.mark.filterwarnings("ignore::srcextract.SrcextractWarning")
@pytest.mark.parametrize("config", [None, {"extends": "none"}, {"extends": "default", "detection": {"min_area": 3}}])
@pytest.mark.parametrize("maps", [{}, {"error": 2.0}, {"weight": 0.25}, {"mask": X > 13}])
def test_a_second_call_reads_no_configuration(config, maps, reads):
    for call in (lambda: srcextract.extract(STAMP, config, detection__min_area=4, **maps),
                 lambda: srcextract.Extractor(config, detection__min_area=4)(STAMP, **maps)):
        first = call()
        reads.clear()
        assert call().config == first.config and reads == []


@pytest.mark.filterwarnings("ignore::srcextract.SrcextractWarning")
def test_files_are_read_each_time(tmp_path):
    """Their contents may have changed."""
    path = tmp_path / "mine.yaml"
    counts = []
    for threshold in 5, 500:
        path.write_text(f"extends: default\ndetection: {{threshold: {threshold}}}\n")
        for config in path, {"extends": str(path)}:
            counts.append(len(srcextract.extract(STAMP, config, error=2.0)))
    assert counts == [1, 1, 0, 0]


@pytest.mark.filterwarnings("ignore::srcextract.SrcextractWarning")
def test_a_file_is_read_once_a_call(reads, tmp_path):
    (tmp_path / "mine.yaml").write_text("extends: default\n")
    for _ in range(2):
        reads.clear()
        assert len(srcextract.extract(STAMP, tmp_path / "mine.yaml")) == 1 and len(reads) == 1


@pytest.mark.filterwarnings("ignore::srcextract.SrcextractWarning")
def test_tables_are_independent():
    pytest.importorskip("astropy")
    found = srcextract.extract(STAMP, measurement__apertures=[3, 5])
    table, other = found.table, found.table
    flux = found["FLUX_ISO"].copy()
    assert table["FLUX_APER"].shape == (1, 2) and len(found[:0].table) == 0 and len(found[[0, 0, 0]].table) == 3
    table["FLUX_ISO"][:] = 0
    table["FLUX_ISO"].unit = "Jy"
    table["FLUX_ISO"].meta["ucd"] = table["FLUX_ISO"].description = "mine"
    table.meta["name"] = "mine"
    for one in other, found.table:
        assert one["FLUX_ISO"].tolist() == flux.tolist() == found["FLUX_ISO"].tolist()
        assert one["FLUX_ISO"].unit != "Jy" and one["FLUX_ISO"].description != "mine" != one["FLUX_ISO"].meta["ucd"]
        assert one.meta == {"name": "the array"}
