"""ISOAREA_IMAGE, the pixels of a source above detection.analysis_threshold in the image that is measured, beside
SExtractor's with ANALYSIS_THRESH."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

import sextractor
from peers import assert_equal, match
from program import extract
from test_flags import sky

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

KERNEL = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
CONV = "CONV NORM\n1 2 1\n2 4 2\n1 2 1\n"


def field(directory, seed, correlated):
    """Moffat stars and elongated galaxies on a slope with noise that grows along x, rounded to integers; the noise may be
    that of neighbouring pixels, too."""
    rng = np.random.default_rng(seed)
    pixels = sky(seed)
    noise = rng.normal(0, 1, pixels.shape)
    if correlated:
        noise = ndimage.gaussian_filter(noise, 1)
        noise /= noise.std()
    x = np.arange(pixels.shape[1])
    path = directory / "field.fits"
    fits.PrimaryHDU(np.rint(pixels + 1000 + x / 10 + (5 + x / 40) * noise).astype(np.float32)).writeto(path)
    return path


def both(program, path, directory, detect, analysis, weights, filtered, *options):
    """Our catalogue and, in its order, SExtractor's ISOAREAF_IMAGE and ISOAREA_IMAGE."""
    options = list(options) + (["--set", "convolve.kernel=values", "--set", f"convolve.values={KERNEL}"]
                               if filtered else [])
    ours, _ = extract(program, "plain", path, directory, "--backend", "cpu", "--set", f"weights.type={weights}",
                      "--set", f"detection.threshold={detect}", "--set", f"detection.analysis_threshold={analysis}",
                      *options)
    settings = sextractor.BY_ITSELF | {"WEIGHT_TYPE": weights.upper(), "DETECT_THRESH": detect,
                                       "ANALYSIS_THRESH": analysis}
    if filtered:
        (directory / "k.conv").write_text(CONV)
        settings |= {"FILTER": "Y", "FILTER_NAME": directory / "k.conv"}
    table = fits.getdata(sextractor.sextract(path, directory, ["X_IMAGE_DBL", "Y_IMAGE_DBL", "ISOAREAF_IMAGE",
                                                               "ISOAREA_IMAGE", "THRESHOLD"], **settings), 1)
    index = match(ours, table["X_IMAGE_DBL"], table["Y_IMAGE_DBL"])
    return ours, {name: table[name][index].astype(float) for name in table.names}


@pytest.mark.parametrize("detect, analysis", ((5, 2), (3, 6), (4, 4), (2.5, 1.5)))
@pytest.mark.parametrize("filtered", (False, True))
@pytest.mark.parametrize("seed, correlated", ((1, False), (2, True), (3, True)))
def test_without_weights(program, tmp_path, seed, correlated, filtered, detect, analysis):
    ours, theirs = both(program, field(tmp_path, seed, correlated), tmp_path, detect, analysis, "none", filtered)
    assert len(ours["NPIX"]) > 150
    assert_equal(ours["NPIX"], theirs["ISOAREAF_IMAGE"], "NPIX")
    assert_equal(ours["ISOAREA_IMAGE"], theirs["ISOAREA_IMAGE"], "ISOAREA_IMAGE")
    if not filtered and analysis <= detect:
        assert np.array_equal(ours["ISOAREA_IMAGE"], ours["NPIX"])
    else:
        assert (ours["ISOAREA_IMAGE"] != ours["NPIX"]).mean() > (0.5 if analysis > detect else 0.02)


@pytest.mark.parametrize("detect, analysis", ((5, 2), (3, 6), (4, 4)))
@pytest.mark.parametrize("seed", (4, 5))
def test_by_the_noise_of_the_mesh(program, tmp_path, seed, detect, analysis):
    ours, theirs = both(program, field(tmp_path, seed, True), tmp_path, detect, analysis, "background", False)
    assert_equal(ours["NPIX"], theirs["ISOAREAF_IMAGE"], "NPIX")
    assert_equal(ours["ISOAREA_IMAGE"], theirs["ISOAREA_IMAGE"], "ISOAREA_IMAGE")


def test_there_is_no_column_unless_it_is_asked_for(program, tmp_path):
    ours, _ = extract(program, "plain", field(tmp_path, 6, False), tmp_path, "--backend", "cpu")
    assert "ISOAREA_IMAGE" not in ours and len(ours["NPIX"]) > 100
