"""The unit of the pixels in catalogues: one that readers of FITS understand, whatever observatories call it."""

import warnings

import pytest

np = pytest.importorskip("numpy")
table = pytest.importorskip("astropy.table")
units = pytest.importorskip("astropy.units")

from stage_images import field, write_image


@pytest.mark.parametrize("bunit, unit", (("electron", "count"), ("ELECTRONS", "count"), ("electron/s", "count/s"),
                                         ("e-/s", "count/s"), ("ADU", "adu"), ("Jy/beam", "Jy/beam")))
def test_astropy_reads_it_without_a_warning(extract, tmp_path, bunit, unit):
    write_image(tmp_path / "r.fits", field(1), BUNIT=bunit)
    directory = extract("out", "output: {formats: [fits, ecsv]}\n", "r.fits")
    with warnings.catch_warnings():
        warnings.simplefilter("error", units.UnitsWarning)
        for name in ("r.cat.fits", "r.cat.ecsv"):
            read = table.Table.read(directory / name)
            assert read["FLUX_MAX"].unit == units.Unit(unit, format="fits"), name
        again = tmp_path / "again.fits"
        read.write(again)
        assert table.Table.read(again)["FLUX_MAX"].unit == units.Unit(unit, format="fits")


def test_electrons_are_no_unit_of_fits():
    """Else they would be kept as they are."""
    with pytest.raises(ValueError):
        units.Unit("electron", format="fits")


def test_the_threshold_is_in_the_unit_of_the_image_in_which_sources_are_found(extract, tmp_path):
    write_image(tmp_path / "d.fits", field(1), BUNIT="Jy/beam")
    write_image(tmp_path / "r.fits", field(2), BUNIT="adu")
    out = extract("out", "output: {formats: [ecsv]}\n", "-d", "d.fits", "r.fits")
    read = table.Table.read(out / "r.cat.ecsv", format="ascii.ecsv")
    assert read["THRESHOLD"].unit == units.Unit("Jy/beam", format="fits")
    assert read["FLUX_MAX"].unit == read["BACKGROUND"].unit == units.Unit("adu")
