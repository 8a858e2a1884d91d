"""`-d DETECT CONFIG MEASURE` beside SExtractor in dual image mode, with the settings of its default.sex: sources of one band in
the light of another, which has a seeing, a noise, a sky and sources of its own.

What SExtractor leaves to chance when it deblends, or cleans in the order in which sources end, is as in test_default_sex.py."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
spatial = pytest.importorskip("scipy.spatial")

from oracle_fields import field
from program import extract, run
from sextractor import PROGRAM, sextract

SIDE, FOUND_NOISE, NOISE = 768, 20.0, 7.0
FLUXES = ["FLUX_ISO", "FLUX_AUTO", "FLUX_APER", "FLUX_PETRO", "FLUX_WIN"]
ERRORS = [name.replace("FLUX", "FLUXERR") for name in FLUXES]
FOUND = ["X_IMAGE", "Y_IMAGE", "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "A_IMAGE", "B_IMAGE", "KRON_RADIUS", "PETRO_RADIUS",
         "ERRX2_IMAGE", "ERRY2_IMAGE", "THRESHOLD"]
MEASURED = ["FLUX_MAX", "FLUX_RADIUS", "XWIN_IMAGE", "YWIN_IMAGE"]
COUNTS = {name: name for name in ("XMIN_IMAGE", "XMAX_IMAGE", "YMIN_IMAGE", "YMAX_IMAGE", "XPEAK_IMAGE", "YPEAK_IMAGE",
                                  "ISO0", "ISO4", "FLAGS_WIN", "ISOAREA_IMAGE")} | {"NPIX": "ISOAREAF_IMAGE"}


def without_noise(seed, per_mpix, **more):
    """The sources of a field, on its sky."""
    noisy = field(seed, SIDE, per_mpix, noise=FOUND_NOISE, **more)
    return noisy - np.random.default_rng(seed).normal(0, FOUND_NOISE, noisy.shape)


def bands(seed, per_mpix):
    """One band, and another of 0.6 of its flux, with sources that the first has not, noisier where there is more sky."""
    found = field(seed, SIDE, per_mpix, seeing=2.4, noise=FOUND_NOISE, correlated=seed % 2 == 0)
    y, x = np.mgrid[:SIDE, :SIDE]
    quiet = 0.6 * without_noise(seed, per_mpix, seeing=3.7, sky=300, slope=0)
    quiet += 0.2 * without_noise(seed + 50, per_mpix / 3, seeing=3.7, sky=0, slope=0) + 0.05 * (SIDE - y) + 0.02 * x
    return found, (quiet + np.random.default_rng(seed + 1000).normal(0, NOISE, quiet.shape)).astype(np.float32)


def options(gain):
    """Of a run of ours."""
    wanted = ["default", *FLUXES, *ERRORS, *FOUND, *MEASURED, *COUNTS, "FWHM_IMAGE"]
    return ["--set", f"output.columns=[{', '.join(dict.fromkeys(wanted))}]", "--set", f"measurement.gain={gain}", "--set",
            "detection.analysis_threshold=1.5"]


def theirs(directory, found, measured, gain, sky):
    """SExtractor's catalogue of one image of the directory in the light of another, whose sky it writes into a file."""
    from test_default_sex import SETTINGS  # which is skipped as a whole where there is no SExtractor

    (directory / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    names = ["X_IMAGE_DBL", "Y_IMAGE_DBL", *FLUXES, *ERRORS, *FOUND[2:], *MEASURED, *COUNTS.values(), "FWHM_IMAGE", "FLAGS"]
    table = fits.getdata(sextract(f"{directory / found},{directory / measured}", directory, names,
                                  CHECKIMAGE_TYPE="BACKGROUND", CHECKIMAGE_NAME=directory / sky,
                                  **SETTINGS | {"GAIN": gain}), 1)
    return {name.removesuffix("_DBL"): table[name].astype(float) for name in names}


def mine_and_theirs(program, directory, seed, per_mpix, gain):
    found, measured = bands(seed, per_mpix)
    fits.writeto(directory / "g.fits", found)
    fits.writeto(directory / "r.fits", measured)
    mine, told = extract(program, "sextractor", directory / "r.fits", directory, "-d", directory / "g.fits", *options(gain))
    return mine, theirs(directory, "g.fits", "r.fits", gain, "sky.fits"), told


def tolerance(name, mine, told):
    """A ten-thousandth of the error, and SExtractor's columns are of float32."""
    width = mine["A_IMAGE"] / np.maximum(np.abs(mine["SNR"]), 1)  # the noise of a position, about
    if name in FLUXES:
        error = told[name.replace("FLUX", "FLUXERR")]
    elif name == "FLUX_MAX":
        error = NOISE
    elif name in ("X_IMAGE", "Y_IMAGE", "XWIN_IMAGE", "YWIN_IMAGE", "FWHM_IMAGE", "FLUX_RADIUS"):
        error = width
    elif name == "XY_IMAGE":
        error = 0.1 * np.sqrt(told["X2_IMAGE"] * told["Y2_IMAGE"])
    else:
        error = 0.1 * np.abs(told[name])
    return np.maximum(1e-4 * error, 1e-6 * np.abs(told[name]))


def require_the_same(mine, told, sky_of_theirs):
    """Returns the rows of mine that are among theirs."""
    from test_default_sex import partners  # which is skipped as a whole where there is no SExtractor

    own, other, of_mine, of_theirs = partners(mine, told)
    print(f"{len(told['X_IMAGE'])} sources, matched {of_mine:.4%} and {of_theirs:.4%}")
    assert len(own) > 200 and of_mine >= 0.995 and of_theirs >= 0.995
    mine = {name: values[own].astype(float) for name, values in mine.items()}
    told = {name: values[other] for name, values in told.items()}
    flags = mine["FLAGS"].astype(int) & 255
    assert (flags == told["FLAGS"].astype(int)).mean() >= 0.99
    whole = (told["FLAGS"].astype(int) & 2) == 0
    shares = {name: np.abs(mine[name] - told[name]) <= tolerance(name, mine, told) for name in FLUXES + FOUND + MEASURED}
    shares |= {name: mine[name] == told[theirs] for name, theirs in COUNTS.items()}
    sky = fits.getdata(sky_of_theirs)[tuple(np.rint(told[name]).astype(int) - 1 for name in ("Y_IMAGE", "X_IMAGE"))]
    shares["BACKGROUND"] = np.abs(mine["BACKGROUND"] - sky) < 1e-3 * NOISE  # the column is not what was subtracted there
    # To a core of one pixel, where no width can be fitted, and to saturated stars SExtractor gives another.
    fitted = (mine["ISO0"] > 2) & (flags & 4 == 0)
    width = np.abs(mine["FWHM_IMAGE"] - told["FWHM_IMAGE"]) <= tolerance("FWHM_IMAGE", mine, told)
    shares["FWHM_IMAGE"] = width | ~fitted
    assert np.count_nonzero(fitted & whole) > 100
    for name in FLUXES:
        error = name.replace("FLUX", "FLUXERR")
        shares[error] = np.abs(mine[error] - told[error]) <= 1e-4 * told[error]
    wrong = {name: f"{same[whole].mean():.4%}" for name, same in shares.items() if same[whole].mean() < 0.985}
    print({name: f"{same[whole].mean():.2%}" for name, same in shares.items()})
    assert not wrong, wrong
    return mine


@pytest.mark.skipif(not PROGRAM, reason="no SExtractor (Debian's source-extractor) on PATH")
@pytest.mark.parametrize("seed, per_mpix, gain", [(901, 1000, 0), (902, 4000, 2.5), (903, 12_000, 0)])
def test_beside_sextractor(program, tmp_path, seed, per_mpix, gain):
    mine, told, report = mine_and_theirs(program, tmp_path, seed, per_mpix, gain)
    mine = require_the_same(mine, told, tmp_path / "sky.fits")
    # The two bands are not alike: what stands in the catalogue is of one of them alone.
    assert np.median(np.abs(mine["FLUX_ISO"] / mine["FLUX_MAX"] - mine["NPIX"])) > 1
    assert report["detection_image"]["path"].endswith("g.fits")
    assert report["detection_image"]["background"]["sigma"] > 1.5 * report["background"]["sigma"]


SETTINGS_OF_IDENTITY = {
    "sextractor": ("sextractor", []),
    "default": ("plain", []),
    "one level": ("plain", ["background.method=constant"]),
    "convolved, one level, above its own noise": (
        "plain", ["background.method=constant", "convolve.kernel=gaussian", "convolve.fwhm=3",
                    "detection.threshold_unit=detection_sigma", "detection.analysis_threshold=3"]),
    "matched": ("plain", ["convolve.kernel=gaussian", "convolve.fwhm=3", "convolve.filter=matched"]),
    "weights": ("sextractor", ["weights.type=rms", "weights.file={weights}"]),
    "weights, interpolated": ("sextractor", ["weights.type=weight", "weights.file={weights}", "weights.interpolate=all",
                                             "weights.rescale=true"]),
    "mask": ("sextractor", ["mask.file={mask}"]),
    "level": ("plain", ["background.level=1000"]),
}


@pytest.mark.parametrize("kind", SETTINGS_OF_IDENTITY)
def test_an_image_by_itself_is_as_without(program, tmp_path, kind):
    """Rows, byte for byte."""
    config, settings = SETTINGS_OF_IDENTITY[kind]
    image = field(911, 400, 8000, noise=FOUND_NOISE)
    rng = np.random.default_rng(912)
    image[rng.random(image.shape) < 1e-3] = np.nan
    noise = np.full(image.shape, FOUND_NOISE, np.float32)
    noise[:, 200:] *= 1.5
    noise[rng.random(image.shape) < 1e-3] = 0
    for name, pixels in (("x", image), ("weights", noise), ("mask", (rng.random(image.shape) < 1e-3).astype(np.int16))):
        fits.writeto(tmp_path / f"{name}.fits", pixels)
    settings = [one.format(weights=tmp_path / "weights.fits", mask=tmp_path / "mask.fits") for one in settings]
    sets = [part for one in (*settings, "output.columns=[all]", "output.formats=[csv, reg]", "measurement.gain=2")
            for part in ("--set", one)]
    catalogues = []
    for name, more in (("alone", []), ("twice", ["-d", tmp_path / "x.fits"])):
        (tmp_path / name).mkdir()
        run(program, config, tmp_path / "x.fits", tmp_path / name, *sets, *more)
        catalogues.append([(tmp_path / name / f"x.{ending}").read_bytes() for ending in ("cat.csv", "reg")])
    assert catalogues[0][0].count(b"\n") > 100
    assert catalogues[0] == catalogues[1]
