"""Errors of fluxes beside the scatter of equal stars, whatever header and unit say how many electrons a pixel value is, and
whether a map of noise holds the photons of stars. The truth is in electrons: Poisson's photons and a read noise."""

import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
special = pytest.importorskip("scipy.special")

from sextractor import PROGRAM

STARS, STEP, WIDTH, SKY, READ, FLUX = 15, 32, 3.0, 100.0, 3.0, 40000.0
SIDE = STARS * STEP
PLACES = STEP / 2 + STEP * np.arange(STARS)


def light():
    """Equal stars in electrons, each in the middle of a pixel."""
    edges = (np.arange(SIDE + 1) - 0.5 - PLACES[:, None]) / (WIDTH / 2.3548) / np.sqrt(2)
    lines = np.diff(special.erf(edges), axis=1).sum(axis=0) / 2
    return FLUX * np.outer(lines, lines)


def electrons(seed=5, mean_of=1):
    """An exposure, or the mean of several."""
    rng = np.random.default_rng(seed)
    return np.mean([rng.poisson(light() + SKY) + rng.normal(0, READ, (SIDE, SIDE)) for _ in range(mean_of)], axis=0)


def measure(program, path, *settings):
    """The scatter of equal stars over their error, in FLUX_APER and others, what was said, and the table."""
    out = path.parent / "out"
    sets = ["output.columns=[default, photometry, windowed]", *settings]
    done = subprocess.run([program, "-v", "--backend", "cpu", "-o", out, *(part for one in sets for part in ("--set", one)), path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table = fits.getdata(out / f"{path.stem}.cat.fits", 1)
    near = [np.hypot(table["X_IMAGE"] - 1 - x, table["Y_IMAGE"] - 1 - y).argmin() for x in PLACES for y in PLACES]
    assert len(set(near)) == STARS**2

    def ratio(name):
        flux, error = (np.asarray(table[column], float).reshape(len(table), -1)[near, 0] for column in (name, name.replace("FLUX", "FLUXERR")))
        return flux.std(ddof=1) / np.median(error)

    return ratio, done.stderr


def right(ratio, names=("FLUX_APER", "FLUX_AUTO", "FLUX_ISO", "FLUX_WIN")):
    return all(0.85 < ratio(name) < 1.15 for name in names)


# Name: header, what an electron is in pixel values, and a word of the log.
HEADERS = {
    "counts": ({"GAIN": 0.25}, 4, "GAIN of its header"),
    "a camera's setting": ({"GAIN": 100, "EGAIN": 0.25}, 4, "EGAIN of its header"),
    "a setting of 0": ({"GAIN": 0, "EGAIN": 0.77}, 1 / 0.77, "EGAIN of its header"),
    "EGAIN alone": ({"EGAIN": 0.25}, 4, "EGAIN of its header"),
    "electrons": ({"GAIN": 4.0, "BUNIT": "ELECTRONS"}, 1, "whatever GAIN = 4 says"),
    "electrons without a gain": ({"BUNIT": "e-"}, 1, "BUNIT is 'e-'"),
    "photons": ({"GAIN": 4.0, "BUNIT": "photon"}, 1, "BUNIT is 'photon'"),
    "electrons a second": ({"GAIN": 1.0, "BUNIT": "ELECTRONS/S", "EXPTIME": 600.0}, 1 / 600, "times EXPTIME = 600"),
    "HST": ({"CCDGAIN": 2.0, "BUNIT": "e-/s", "EXPTIME": 300.0}, 1 / 300, "times EXPTIME = 300"),
    "counts a second": ({"GAIN": 2.0, "BUNIT": "adu/s", "EXPTIME": 600.0}, 1 / 1200, "as BUNIT is 'adu/s'"),
    "counts per second": ({"GAIN": 2.0, "BUNIT": "counts per second", "EXPOSURE": 50}, 1 / 100, "EXPOSURE = 50"),
    "DN/s": ({"GAIN": 2.0, "BUNIT": "DN/s", "XPOSURE": 50.0}, 1 / 100, "XPOSURE = 50"),
    "TESS": ({"BUNIT": "electrons/s", "EXPOSURE": (600 / 86400, "[d] time on source")}, 1 / 600, "times 86400 s"),
    "a setting beside a text with its unit": ({"GAIN": 100, "EGAIN": "0.25 e/adu"}, 4, "EGAIN of its header"),
    "a text": ({"GAIN": "0.25"}, 4, "is a text"),
    "saturation in a text": ({"GAIN": 0.25, "SATURATE": "1e9"}, 4, "SATURATE = '1e9' of its header is a text"),
}


@pytest.mark.parametrize("header, scale, word", HEADERS.values(), ids=HEADERS)
def test_headers(program, tmp_path, header, scale, word):
    path, cards = tmp_path / "sky.fits", fits.Header()
    cards.update(header)
    fits.writeto(path, (electrons() * scale).astype(np.float32), cards)
    ratio, said = measure(program, path)
    assert right(ratio) and word in said, said
    assert "No detector does that" not in said


# Name: header, settings, what an electron is in pixel values, whether errors have photons, and a warning.
DOUBTS = {
    "calibrated": ({"GAIN": 3.7, "BUNIT": "MJy/sr"}, (), 0.01, False, "--set measurement.gain=NUMBER"),
    "nanomaggies": ({"GAIN": 4.7, "BUNIT": "nanomaggy"}, (), 0.01, False, "--set measurement.gain=NUMBER"),
    "calibrated, with a gain": ({"GAIN": 3.7, "BUNIT": "MJy/sr"}, ("measurement.gain=100",), 0.01, True, ""),
    "no exposure time": ({"GAIN": 2.0, "BUNIT": "adu/s"}, (), 0.01, False, "no exposure time"),
    "no number": ({"GAIN": "high"}, (), 1, False, "GAIN = 'high' of its header is no number above 0"),
    "below 0": ({"GAIN": -1.0}, ("measurement.gain=1",), 1, True, "GAIN = -1 of its header is no number above 0"),
    "my own": ({"GAIN": 100.0, "BUNIT": "adu/s"}, ("measurement.gain=0.25", "measurement.gain_keyword=none"), 4, True, ""),
    "my own beside EGAIN": ({"EGAIN": 100.0}, ("measurement.gain=0.25",), 4, True, ""),
    "my own of a rate": ({"BUNIT": "adu/s", "EXPTIME": 600.0}, ("measurement.gain=0.25",), 4, True, "--set measurement.gain=150 "),
    "my own of electrons a second": ({"BUNIT": "e-/s", "EXPTIME": 600.0}, ("measurement.gain=0.25",), 4, True, "which is a gain of 600,"),
    "a setting alone": ({"GAIN": 120, "XPIXSZ": 3.76}, (), 4, False, "looks like the setting of a camera"),
    "a setting, in counts": ({"GAIN": 120, "XPIXSZ": 3.76, "BUNIT": "adu"}, (), 4, False, "looks like the setting of a camera"),
    "saturation": ({"GAIN": 0.25, "SATURATE": "much"}, (), 4, True, "SATURATE = 'much' of its header is no number above 0"),
    "a setting of another program": ({"GAIN": 56.5, "PIXSIZE1": 3.76}, (), 4, False, "looks like the setting of a camera"),
    "logarithms": ({"GAIN": 1.0, "BUNIT": "log(counts)"}, (), 0.01, False, "or logarithms"),
    "magnitudes": ({"BUNIT": "mag"}, (), 0.01, False, "are magnitudes"),
}


@pytest.mark.parametrize("header, settings, scale, has_photons, warning", DOUBTS.values(), ids=DOUBTS)
def test_doubts(program, tmp_path, header, settings, scale, has_photons, warning):
    path = tmp_path / "sky.fits"
    fits.writeto(path, (electrons() * scale).astype(np.float32), fits.Header(header))
    ratio, said = measure(program, path, *settings)
    assert right(ratio) if has_photons else ratio("FLUX_APER") > 1.5, said
    warnings = "\n".join(line for line in said.splitlines() if line.startswith("warn"))
    assert warning in warnings if warning else not warnings, said


def test_the_sky_of_a_mean(program, tmp_path):
    """The mean of eight exposures has eight times the electrons; its header tells those of one."""
    path = tmp_path / "sky.fits"
    fits.writeto(path, electrons(mean_of=8).astype(np.float32), fits.Header({"GAIN": 1.0}))
    ratio, said = measure(program, path)
    assert ratio("FLUX_APER") < 0.5 and "No detector does that" in said
    least = float(said.split("--set measurement.gain=")[1].split()[0])
    assert 6 < least < 8.5
    ratio, said = measure(program, path, "measurement.gain=8", "measurement.gain_keyword=none")
    assert right(ratio, ["FLUX_APER", "FLUX_AUTO", "FLUX_ISO"]) and "No detector does that" not in said


@pytest.mark.parametrize("method", ["mean", "median", "weighted", "inverse_variance"])
def test_combined_exposures(program, tmp_path, method):
    """Of four exposures, whose header has the gain of one."""
    path = tmp_path / "sky.fits"
    fits.writeto(path, np.array([electrons(seed) for seed in range(4)], np.float32), fits.Header({"GAIN": 1.0}))
    weights = ["combine.weights=[1,2,1,1]"] if method == "weighted" else []
    ratio, said = measure(program, path, f"combine.method={method}", *weights)
    assert ("4 planes that are combined" in said) and "No detector does that" not in said
    if method != "inverse_variance":  # its values are no electrons
        assert right(ratio, ["FLUX_APER", "FLUX_AUTO"]), said


def test_a_mean_without_its_sky(program, tmp_path):
    path = tmp_path / "sky.fits"
    fits.writeto(path, (electrons(mean_of=4) - SKY).astype(np.float32), fits.Header({"GAIN": 1.0, "NCOMBINE": 4}))
    _, said = measure(program, path)
    assert "NCOMBINE = 4" in said and "--set measurement.gain=4 " in said


def map_of(kind, image, scale):
    """A map of what noise is, of all pixels as they were exposed, or of the sky alone."""
    holds = not kind.endswith("of the sky")
    variance = (np.maximum(image, 0) + READ**2 if holds else np.full(image.shape, SKY + READ**2)) * scale**2
    if kind.startswith("rms"):
        return "rms", np.sqrt(variance)
    return ("variance", variance) if kind.startswith("variance") else ("weight", 7 / variance)


MAPS = ["rms", "variance", "weight", "rms of the sky", "variance of the sky", "weight of the sky"]


@pytest.mark.parametrize("header, scale", (({"GAIN": 1.0, "BUNIT": "electron"}, 1), ({"GAIN": 0.25}, 4),
                                           ({"BUNIT": "e-/s", "EXPTIME": 600.0}, 1 / 600)), ids=("LCO", "counts", "rate"))
@pytest.mark.parametrize("kind", MAPS)
def test_maps(program, tmp_path, kind, header, scale):
    image = electrons()
    of, noise = map_of(kind, image, scale)
    path = tmp_path / "sky.fits"
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU((image * scale).astype(np.float32), fits.Header(header), "SCI"),
                  fits.ImageHDU(noise.astype(np.float32), name="ERR")]).writeto(path)
    ratio, said = measure(program, path, f"weights.type={of}", "weights.hdu=ERR")
    assert right(ratio), said
    assert f"taken {'not ' if kind.endswith('of the sky') else ''}to hold the photons" in said
    other = "included" if kind.endswith("of the sky") else "excluded"
    ratio, said = measure(program, path, f"weights.type={of}", "weights.hdu=ERR", f"weights.photons={other}")
    assert not right(ratio, ["FLUX_APER"])


def test_a_map_of_a_calibrated_image(program, tmp_path):
    """As JWST's: MJy/sr beside ERR."""
    image = electrons()
    path = tmp_path / "sky.fits"
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU((image / 50).astype(np.float32), fits.Header({"BUNIT": "MJy/sr"}), "SCI"),
                  fits.ImageHDU((map_of("rms", image, 1 / 50)[1]).astype(np.float32), name="ERR")]).writeto(path)
    ratio, said = measure(program, path, "weights.type=rms", "weights.hdu=ERR")
    assert right(ratio), said


@pytest.mark.parametrize("holds", (False, True))
@pytest.mark.parametrize("kind", ("variance", "weight"))
def test_a_map_with_stripes(program, tmp_path, kind, holds):
    """As of a stack whose exposures end somewhere: bright pixels of a noisy stripe are no photons."""
    image = electrons()
    more = np.where(np.arange(SIDE) // 24 % 2 == 1, 8 * (SKY + READ**2), 0)
    image = image + np.sqrt(more) * np.random.default_rng(9).normal(size=image.shape)
    variance = (np.maximum(image, 0) if holds else SKY) + READ**2 + more + np.zeros(image.shape)
    path = tmp_path / "sky.fits"
    fits.HDUList([fits.PrimaryHDU(image.astype(np.float32), fits.Header({"GAIN": 1.0})),
                  fits.ImageHDU((variance if kind == "variance" else 7 / variance).astype(np.float32), name="ERR")]).writeto(path)
    _, said = measure(program, path, f"weights.type={kind}", "weights.hdu=ERR")
    assert f"taken {'' if holds else 'not '}to hold the photons" in said and "weights.photons: under" not in said, said


@pytest.mark.parametrize("header, options", (({"GAIN": 100, "EGAIN": 0.25}, ()), ({"GAIN": "0.25"}, ()), ({"GAIN": "high"}, ()),
                                             ({"GAIN": 4.0, "BUNIT": "electron/s", "EXPTIME": 600.0}, ()),
                                             ({"BUNIT": "electron"}, ("-GAIN", "3")),
                                             ({"GAIN": 1.0}, ("-WEIGHT_TYPE", "MAP_RMS", "-WEIGHT_IMAGE", "noise.fits"))))
def test_in_sextractors_place(program, tmp_path, header, options):
    """SExtractor reads GAIN as it is, and adds photons to the noise of every map."""
    if not PROGRAM:
        pytest.skip("no SExtractor (Debian's source-extractor) on PATH")
    image = electrons()
    fits.writeto(tmp_path / "sky.fits", image.astype(np.float32), fits.Header(header))
    fits.writeto(tmp_path / "noise.fits", map_of("rms", image, 1)[1].astype(np.float32))
    (tmp_path / "columns").write_text("FLUX_AUTO\nFLUXERR_AUTO\nFLUXERR_APER\n")
    (tmp_path / "c.sex").write_text("PARAMETERS_NAME columns\nFILTER N\nCATALOG_TYPE FITS_1.0\nCATALOG_NAME o.cat\n")
    errors = []
    for command in ([PROGRAM], [program, "sextractor"]):
        done = subprocess.run([*command, "sky.fits", "-c", "c.sex", *options], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        table = fits.getdata(tmp_path / "o.cat", 1)
        errors.append([np.median(table[name]) for name in ("FLUXERR_AUTO", "FLUXERR_APER")])
    assert np.allclose(errors[0], errors[1], rtol=1e-4)


def counts_a_second(path, scale):
    """Moffat stars, in counts divided by `scale`, with the gain of counts in the header and no unit."""
    rng = np.random.default_rng(5)
    v, u = np.mgrid[:400, :400]
    image = np.full((400, 400), 300.0)
    for x in np.arange(30.3, 380, 40):
        for y in np.arange(30.6, 380, 40):
            image += 10**rng.uniform(3.5, 5) * 2 / np.pi / 9 * (1 + ((u - x)**2 + (v - y)**2) / 9)**-3
    pixels = (rng.poisson(image * 1.5) + rng.normal(0, 5, image.shape)) / 1.5 / scale
    fits.writeto(path, pixels.astype(np.float32), fits.Header({"GAIN": 1.5}))


@pytest.mark.parametrize("scale", (1, 100, 1000))
def test_a_gain_of_counts_beside_counts_a_second_is_named(program, tmp_path, scale):
    """By it their stars are of few photons: errors are too large, or no star is bright enough for a PSF."""
    counts_a_second(tmp_path / "sky.fits", scale)
    done = subprocess.run([program, "-o", tmp_path, "--backend", "cpu", "--set", "psf.method=fit", "--set",
                           "output.columns=[default, psf]", tmp_path / "sky.fits"], capture_output=True, text=True)
    assert (done.returncode == 0) == (scale < 1000)
    told = "gain of 1.5 (GAIN of its header)" in done.stderr and "--set measurement.gain_keyword=none" in done.stderr
    assert told == (scale > 1), done.stderr
