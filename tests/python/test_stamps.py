"""Calls on small images: what they need once is not made again, and results are independent of each other."""
import numpy
import pytest

import srcextract

RANDOM = numpy.random.default_rng(69)
Y, X = numpy.mgrid[:15, :15]
STAMP = (RANDOM.normal(100, 2, (15, 15)) + 300 * numpy.exp(-((X - 7) ** 2 + (Y - 7) ** 2) / 4)).astype("f4")


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
