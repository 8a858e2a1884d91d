"""Settings and calls of `srcextract sextractor` beside SExtractor: words for numbers, PIXEL_SCALE, no arguments at all."""
import re
import subprocess

import numpy as np
import pytest

pytest.importorskip("astropy.io.fits")

from test_one_word import both, fits_catalogue, small  # noqa: F401  (fixtures)


def test_a_call_without_arguments(small):
    """Wrappers take the version from it."""
    ours, theirs = (subprocess.run(small.programs[name], capture_output=True, text=True) for name in ("ours", "theirs"))
    assert ours.returncode == theirs.returncode and ours.stdout == theirs.stdout
    versions = [re.search(r"[Vv]ersion\s+([0-9.]+)", done.stderr).group(1) for done in (ours, theirs)]
    assert versions[0] == versions[1]


@pytest.mark.parametrize("setting", [("BACK_SIZE", "0x20"), ("BACK_SIZE", "040"), ("BACK_SIZE", "32px"), ("PHOT_APERTURES", "9px,x"),
                                     ("MAG_ZEROPOINT", "ZP"), ("DETECT_THRESH", "3sigma"), ("DETECT_MINAREA", "9.9")])
@pytest.mark.parametrize("in_file", [False, True])
def test_words_for_numbers(small, setting, in_file):
    for place in small.places.values():
        (place / "default.param").write_text("X_IMAGE\nY_IMAGE\nFLUX_APER(2)\nMAG_ISO\n")
        if in_file:
            with open(place / "default.sex", "a") as file:
                file.write(" ".join(setting) + "\n")
    small.run("field.fits", "-CATALOG_TYPE", "FITS_1.0", *([] if in_file else ["-" + setting[0], setting[1]]))
    ours, theirs = small.each(fits_catalogue("test.cat"))
    assert len(ours) == len(theirs) > 20
    order = [np.argsort(table["X_IMAGE"]) for table in (ours, theirs)]
    for name in ["FLUX_APER", "MAG_ISO"]:
        assert np.allclose(ours[name][order[0]], theirs[name][order[1]], rtol=1e-4, atol=1e-2), name


def test_lengths_and_areas_on_the_sky_by_pixel_scale(small):
    """Where there is no WCS. SExtractor has ISOAREA_WORLD and its like in pixels then, though it calls them degrees; A_WORLD
    and its like stay in pixels there, whatever PIXEL_SCALE, so that its A_IMAGE is what ours are held against."""
    widths = ["FWHM_WORLD", "ISOAREA_WORLD", "ISOAREAF_WORLD"]
    axes = ["A", "B", "AWIN", "BWIN", "ERRA", "ERRB"]
    for place in small.places.values():
        (place / "default.param").write_text("\n".join(["X_IMAGE", *widths, "POLAR_WORLD", *(f"{name}_WORLD" for name in axes),
                                                        *(f"{name}_IMAGE" for name in axes)]) + "\n")
    small.run("field.fits", "-CATALOG_TYPE", "FITS_1.0", "-PIXEL_SCALE", "0.3")
    ours, theirs = small.each(fits_catalogue("test.cat"))
    order = [np.argsort(table["X_IMAGE"]) for table in (ours, theirs)]
    assert len(ours) == len(theirs) > 50
    for name in widths:
        assert np.allclose(ours[name][order[0]], theirs[name][order[1]], rtol=1e-3, atol=0), name
        assert ours.columns[name].unit.replace("**", "") == theirs.columns[name].unit.replace("**", ""), name
    assert np.allclose(ours["POLAR_WORLD"][order[0]], theirs["POLAR_WORLD"][order[1]], rtol=1e-3, atol=1e-4)
    for name in axes:
        in_pixels = theirs[f"{name}_IMAGE"][order[1]]
        good = in_pixels > 0
        assert np.allclose(ours[f"{name}_WORLD"][order[0]][good], (in_pixels * 0.3 / 3600)[good], rtol=1e-2, atol=0), name
