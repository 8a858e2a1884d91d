"""The catalogue that SEP is tested with (sep/image.cat: SExtractor's, of sep/image.fits, with nothing deblended, MASK_TYPE NONE
and no least Kron radius), all of its columns at the tolerances of SEP's own test, or closer. It is text of few digits: an
A_IMAGE or a FLUX_RADIUS of 1.397, a KRON_RADIUS of 6.79."""
import numpy as np
import pytest

pytest.importorskip("scipy")
fits = pytest.importorskip("astropy.io.fits")

from peers import match
from program import SHARED, extract, run

SEP = SHARED / "sep"
if not SEP.exists():
    pytest.skip("no data: shared/data/sep", allow_module_level=True)

# Absolute, and relative to the value: SEP's are those of test_vs_sextractor in its test.py. It has none for A_IMAGE, and
# 0.04 for the radii of light, whose mirrored neighbours and sums it makes in another way than SExtractor.
TOLERANCES = {"X_IMAGE": (1e-3, 0), "Y_IMAGE": (1e-3, 0), "X2_IMAGE": (1e-4, 0), "Y2_IMAGE": (1e-4, 0),
              "XY_IMAGE": (1e-4, 0), "ERRX2_IMAGE": (0, 1e-4), "ERRY2_IMAGE": (0, 1e-4), "ERRXY_IMAGE": (0, 1e-3),
              "A_IMAGE": (5.1e-4, 0), "FLUX_APER": (0, 2e-4), "FLUXERR_APER": (0, 1e-5), "KRON_RADIUS": (0.01, 0),
              "FLUX_AUTO": (0, 5e-4), "FLUXERR_AUTO": (0, 5e-4), "FLUX_RADIUS": (1e-3, 1e-3),
              "FLUX_RADIUS_1": (1e-3, 1e-3), "FLUX_RADIUS_2": (1e-3, 1e-3), "XWIN_IMAGE": (1.5e-3, 0),
              "YWIN_IMAGE": (1.5e-3, 0)}
NAMES = ["NUMBER", "X_IMAGE", "Y_IMAGE", "XWIN_IMAGE", "YWIN_IMAGE", "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "ERRX2_IMAGE",
         "ERRY2_IMAGE", "ERRXY_IMAGE", "A_IMAGE", "FLUX_APER", "FLUXERR_APER", "KRON_RADIUS", "FLUX_AUTO", "FLUXERR_AUTO",
         "FLUX_RADIUS", "FLUX_RADIUS_1", "FLUX_RADIUS_2", "FLAGS"]
SETTINGS = {"deblend.contrast": 1, "measurement.mask": "none", "measurement.apertures": [10],
            "measurement.kron": [2.5, 0], "measurement.flux_radius": [0.1, 0.5, 0.6],
            "output.columns": f"[{', '.join([*NAMES[:18], 'FLAGS', 'FLAGS_WIN'])}]"}


@pytest.fixture(scope="module")
def catalogues(program, tmp_path_factory):
    """Ours and the reference, in our order."""
    options = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    mine, _ = extract(program, "sextractor", SEP / "image.fits", tmp_path_factory.mktemp("sep"), *options)
    told = dict(zip(NAMES, np.loadtxt(SEP / "image.cat").T))
    index = match(mine, told["X_IMAGE"], told["Y_IMAGE"])
    assert len(index) == 65
    return mine, {name: values[index] for name, values in told.items()}


@pytest.mark.parametrize("name", TOLERANCES)
def test_column(catalogues, name):
    mine, told = catalogues
    # The SExtractor that made it did not yet take back windows that run away by more than a pixel in both directions.
    stayed = mine["FLAGS_WIN"].astype(int) & 8 == 0 if "WIN" in name else np.ones(len(mine[name]), bool)
    assert np.count_nonzero(~stayed) <= 2
    absolute, relative = TOLERANCES[name]
    far = np.abs(mine[name] - told[name]) / (absolute + relative * np.abs(told[name]) + 1e-300)
    assert np.nanmax(far[stayed]) <= 1, f"source {np.nanargmax(np.where(stayed, far, 0)) + 1}"
    assert np.isfinite(mine[name]).all()


def test_windows_that_ran_away_are_isophotal(catalogues):
    mine, told = catalogues
    away = mine["FLAGS_WIN"].astype(int) & 8 != 0
    assert np.count_nonzero(away) == 2
    for axis in "XY":
        assert (mine[f"{axis}WIN_IMAGE"][away] == mine[f"{axis}_IMAGE"][away]).all()
        assert (np.abs(told[f"{axis}WIN_IMAGE"] - told[f"{axis}_IMAGE"])[away] > 1).all()


def test_flags(catalogues):
    mine, told = catalogues
    assert (mine["FLAGS"] == told["FLAGS"]).all() and np.count_nonzero(told["FLAGS"]) > 5


@pytest.mark.parametrize("ours, theirs, tolerance", [("background", "back.fits", 1e-5), ("rms", "rms.fits", 1e-4)])
def test_sky(program, tmp_path, ours, theirs, tolerance):
    run(program, "plain", SEP / "image.fits", tmp_path, "--set", f"output.check_images=[{ours}]")
    assert fits.getdata(tmp_path / f"image.{ours}.fits") == pytest.approx(fits.getdata(SEP / theirs), rel=tolerance)
