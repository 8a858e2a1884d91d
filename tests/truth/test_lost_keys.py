"""Keys of SExtractor's that `srcextract convert-config` says are lost: by how much the two catalogues then differ, which is
the table of docs/sextractor.md (-s prints it), and that without the key they do not."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

from sextractor import PROGRAM
from test_converted_maps import both, configure, scene
from test_default_sex import partners

# What is lost, with the words of the message.
LOST = {
    "ANALYSIS_THRESH 24.0,30.0": "ANALYSIS_THRESH 24.0,30.0"}
FLUXES = ["FLUX_ISO", "FLUX_AUTO", "FLUX_APER"]


def differences(mine, told):
    """Shares of rows that have a partner, and medians and 90 % of what fluxes and their errors differ by, in errors."""
    own, other, of_mine, of_theirs = partners(mine, told)
    sizes = {}
    for name in FLUXES:
        error = name.replace("FLUX", "FLUXERR")
        far = np.abs(mine[name][own] - told[name][other]) / told[error][other]
        sizes[name] = np.quantile(far, (0.5, 0.9))
        sizes[error] = np.quantile(np.abs(mine[error][own] / told[error][other] - 1), (0.5, 0.9))
    return of_mine, of_theirs, sizes


@pytest.mark.parametrize("line", LOST)
def test_what_is_lost(program, tmp_path, line):
    key, value = line.split(" ")
    usual = {"GAIN": 2.0}
    if key == "ANALYSIS_THRESH":
        usual |= {"PIXEL_SCALE": 0.4}
    scene(tmp_path, 1011, **usual)
    of_mine, of_theirs, without = differences(*both(program, tmp_path)[:2])
    assert min(of_mine, of_theirs) > 0.99 and max(size[0] for size in without.values()) < 1e-4
    configure(tmp_path, **usual | {key: value})
    if key == "ANALYSIS_THRESH":
        assert both(program, tmp_path)[2] == ""  # no column counts in it
        with open(tmp_path / "x.param", "a") as columns:
            columns.write("FWHM_IMAGE\n")
    mine, told, said = both(program, tmp_path)
    assert f": {LOST[line]}: " in said
    of_mine, of_theirs, sizes = differences(mine, told)
    print(f"\n{line}: matched {of_mine:.1%}, {of_theirs:.1%}; "
          + ", ".join(f"{name} {size[0]:.2g} {size[1]:.2g}" for name, size in sizes.items()))
    # Columns that the key has to do with are others then.
    assert min(of_mine, of_theirs) < 0.99 or max(sizes[name][0] for name in sizes) > 1e-3 or key == "ANALYSIS_THRESH"
