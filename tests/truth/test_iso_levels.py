"""ISO0 to ISO7, the areas above eight levels from the analysis threshold to the peak, whatever says where sources are
found: beside SExtractor's, and beside counts of pixels, with detection.analysis_threshold."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from oracle_fields import field
from peers import assert_equal, match
from program import extract

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

ISO = [f"ISO{i}" for i in range(8)]
SCALE, ZERO_POINT, NOISE = 0.3, 25.0, 20.0


def brightness(level):
    """A level in pixel units as magnitudes per square arcsecond."""
    return ZERO_POINT - 2.5 * np.log10(level / SCALE**2)


def both(program, image, directory, analysis, settings, their_detect, their_analysis):
    """Our catalogue, its report, and in its order SExtractor's, above a sky of 0."""
    path = directory / "image.fits"
    fits.writeto(path, image)
    chosen = ["background.level=0", f"background.rms={NOISE}", "weights.type=none", "output.columns=[default, profile]",
              f"detection.analysis_threshold={analysis}", *settings]
    ours, told = extract(program, "plain", path, directory, "--backend", "cpu",
                         *(part for one in chosen for part in ("--set", one)))
    table = fits.getdata(sextractor.sextract(
        path, directory, ["X_IMAGE_DBL", "Y_IMAGE_DBL", "ISOAREAF_IMAGE", "ISOAREA_IMAGE", *ISO],
        BACK_VALUE=0, DETECT_THRESH=their_detect(told), ANALYSIS_THRESH=their_analysis), 1)
    index = match(ours, table["X_IMAGE_DBL"], table["Y_IMAGE_DBL"])
    return ours, told, {name: table[name][index].astype(float) for name in table.names}


def assert_levels(ours, theirs, image, threshold, seg):
    assert len(ours["NPIX"]) > 40
    assert_equal(ours["NPIX"], theirs["ISOAREAF_IMAGE"], "NPIX")
    assert_equal(ours["ISOAREA_IMAGE"], theirs["ISOAREA_IMAGE"], "ISOAREA_IMAGE")
    differ = sum(np.count_nonzero(ours[name] != theirs[name]) for name in ISO)
    assert differ <= 1e-3 * 8 * len(ours["NPIX"]), differ  # pixels on a level to the last bit
    # The lowest of them is the analysis threshold.
    lowest = [np.count_nonzero(image[seg == number] > np.float32(threshold)) for number in ours["NUMBER"].astype(int)]
    np.testing.assert_array_equal(ours["ISO0"], lowest)
    np.testing.assert_array_equal(ours["ISO0"], ours["ISOAREA_IMAGE"])
    assert np.count_nonzero(ours["ISO0"] > ours["ISO7"]) > 20 and len(np.unique(ours["ISO0"])) > 10


@pytest.mark.parametrize("analysis", (1.5, 4.0, 8.0))
@pytest.mark.parametrize("by", ("sigma", "rate", "rate in detection_sigma", "brightness"))
def test_from_the_analysis_threshold(program, tmp_path, by, analysis):
    image = (field(431, 512, 2000, noise=NOISE, seeing=4.0) - np.float32(1000)).astype(np.float32)
    level = analysis * NOISE
    detect = lambda told: told["levels"]["detection"]
    settings = {"sigma": ["detection.threshold=3"],
                "rate": ["detection.false_discovery_rate=0.01"],
                "rate in detection_sigma": ["detection.false_discovery_rate=0.01",
                                            "detection.threshold_unit=detection_sigma"],
                "brightness": ["detection.threshold_unit=mag_per_arcsec2", f"detection.threshold={float(brightness(60))!r}",
                               f"measurement.zero_point={ZERO_POINT}", f"measurement.pixel_scale={SCALE}"]}[by]
    asked = repr(float(brightness(level))) if by == "brightness" else analysis
    ours, told, theirs = both(program, image, tmp_path, asked, [*settings, "output.segmentation=true"], detect, level)
    if by.startswith("rate"):
        assert abs(told["levels"]["detection"] / NOISE - 5) > 0.5  # not the threshold of the configuration
    assert_levels(ours, theirs, image, level, fits.getdata(tmp_path / "image.seg.fits", "SEGMENTATION"))
