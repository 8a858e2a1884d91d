"""FLUX_BEST and its like, MU_THRESHOLD, ISOAREA_WORLD and POLAR_IMAGE beside SExtractor, by its own configurations: of a
crowded field, so that both kinds of the best flux are there."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

from oracle_fields import field
from program import extract
from sextractor import PROGRAM
from test_converted_sex import MEMORY, run
from test_default_sex import partners

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)

NOISE, SCALE = 20.0, 3.6e-1
BEST = ["FLUX_BEST", "FLUXERR_BEST", "MAG_BEST", "MAGERR_BEST"]
# An isophote at the last bit of its threshold has a pixel more or less.
OTHERS = ["MU_THRESHOLD", "ISOAREA_WORLD", "POLAR_IMAGE"]
COLUMNS = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "A_IMAGE", "FLAGS", "FLUX_AUTO", "FLUX_ISOCOR", "MAG_AUTO", "MU_MAX", "THRESHOLD",
           "ISOAREA_IMAGE", *BEST, *OTHERS]
WCS = fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 10.0, "CRVAL2": 60.0, "CRPIX1": 256.0, "CRPIX2": 256.0,
                   "CD1_1": -SCALE / 3600, "CD1_2": 0.0, "CD2_1": 0.0, "CD2_2": SCALE / 3600})


def write(directory, sex, columns=COLUMNS, images=("field.fits",)):
    for i, name in enumerate(images):
        fits.writeto(directory / name, field(41 + i, 512, 4000, seeing=3.0, noise=NOISE * (1 + i)), WCS)
    (directory / "survey.param").write_text("".join(f"{column}\n" for column in columns))
    (directory / "survey.sex").write_text("PARAMETERS_NAME survey.param\nFILTER N\nCLEAN N\nDEBLEND_NTHRESH 1\nPIXEL_SCALE 0\n"
                                          f"MAG_ZEROPOINT 25\n{sex}\n{MEMORY}")


def both(program, directory, images="field.fits"):
    run([program, "sextractor", images, "-c", "survey.sex", "-CATALOG_NAME", "ours.cat"], directory)
    run([PROGRAM, images, "-c", "survey.sex", "-CATALOG_NAME", "theirs.cat"], directory)
    mine, told = ({name.removesuffix("_DBL"): np.asarray(table[name], float) for name in table.names}
                  for table in (fits.getdata(directory / f"{who}.cat", 1) for who in ("ours", "theirs")))
    # SExtractor rounds the factor, as docs/sextractor.md says; 99 stands for no magnitude.
    told["MAGERR_BEST"][told["FLUX_BEST"] > 0] *= 2.5 / np.log(10) / 1.086
    own, other, of_mine, of_theirs = partners(mine, told)
    assert len(own) > 150 and min(of_mine, of_theirs) > 0.99
    return {name: values[own] for name, values in mine.items()}, {name: values[other] for name, values in told.items()}


def close(mine, told, name):
    """Within SExtractor's digits, or what a ten-thousandth of the error of the flux comes to."""
    flux_apart = 1e-4 * {"FLUX": told["FLUXERR_BEST"],
                         "MAG_": told["MAGERR_BEST"], "MAGE": told["MAGERR_BEST"] ** 2}.get(name[:4], 0)
    allowed = 1e-5 * np.abs(told[name]) + flux_apart
    return np.abs(mine[name] - told[name]) <= allowed


@pytest.mark.parametrize("sex", ("", "ANALYSIS_THRESH 3", "THRESH_TYPE ABSOLUTE\nDETECT_THRESH 50\nANALYSIS_THRESH 70", "GAIN 3\nGAIN_KEY NONE",
                                 "PHOT_AUTOPARAMS 3.5,5"))
def test_beside_sextractor(program, tmp_path, sex):
    write(tmp_path, sex)
    mine, told = both(program, tmp_path)
    crowded = (told["FLAGS"].astype(int) & 1) != 0
    assert 10 < crowded.sum() < len(crowded) - 10
    assert np.mean(np.abs(told["FLUX_AUTO"] / told["FLUX_ISOCOR"] - 1) > 1e-3) > 0.9  # so that either is seen
    for name in BEST + OTHERS:
        for which in crowded, ~crowded:
            assert close(mine, told, name)[which].mean() >= 0.98, name


def test_with_weights(program, tmp_path):
    """Of AUTO: noise and thresholds of single sources are not quite SExtractor's there, which docs/sextractor.md tells."""
    write(tmp_path, "WEIGHT_TYPE BACKGROUND\nWEIGHT_GAIN N\nANALYSIS_THRESH 2.5")
    mine, told = both(program, tmp_path)
    whole = (told["FLAGS"].astype(int) & 1) == 0
    for name in "FLUX_BEST", "MAG_BEST", "MU_THRESHOLD":
        assert close(mine, told, name)[whole].mean() >= 0.98, name
    assert np.ptp(mine["MU_THRESHOLD"]) > 0.02


def test_two_images(program, tmp_path):
    """The brightness of the threshold is of the image that is measured, as in SExtractor."""
    write(tmp_path, "ANALYSIS_THRESH 2", images=("found.fits", "measured.fits"))
    fits.writeto(tmp_path / "measured.fits", field(41, 512, 4000, seeing=3.0, noise=2 * NOISE), WCS, overwrite=True)
    mine, told = both(program, tmp_path, "found.fits,measured.fits")
    for name in BEST + OTHERS:
        assert close(mine, told, name).mean() >= 0.98, name


def test_columns_alone(program, tmp_path):
    """What they are made of need not be asked for, and is not written then."""
    write(tmp_path, "ANALYSIS_THRESH 3")
    all_of_them, _ = both(program, tmp_path)
    for name in BEST + OTHERS:
        (tmp_path / "survey.param").write_text(f"X_IMAGE_DBL\nY_IMAGE_DBL\n{name}\n")
        run([program, "sextractor", "field.fits", "-c", "survey.sex", "-CATALOG_NAME", "alone.cat"], tmp_path)
        alone = fits.getdata(tmp_path / "alone.cat", 1)
        assert list(alone.names) == ["X_IMAGE_DBL", "Y_IMAGE_DBL", name]
        if name in OTHERS:  # those of the flux follow FLAGS, which PETRO or others would set
            assert np.array_equal(np.sort(alone[name]), np.sort(fits.getdata(tmp_path / "ours.cat", 1)[name])), name
    assert len(all_of_them["MAG_BEST"]) > 150


def test_an_area_needs_its_threshold(program, tmp_path):
    fits.writeto(tmp_path / "field.fits", field(41, 256, 4000, noise=NOISE), WCS)
    found, _ = extract(program, "sextractor", tmp_path / "field.fits", tmp_path, "--set", "output.columns=[default, world]",
                       "--set", "detection.analysis_threshold=0")
    assert "ISOAREAF_WORLD" in found and "ISOAREA_WORLD" not in found
