"""Configurations of SExtractor's, given to SExtractor and, by `srcextract convert-config`, to srcextract: the same
catalogue, by the measures of test_default_sex.py; and lines of such files, as both read them."""
import os
import re
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

from oracle_fields import field, weights_of_a_mosaic
from program import extract
from rounds import LONG
from sextractor import PROGRAM
from test_default_sex import FLUXES, OTHERS, allowed, partners
from test_dual_image import bands

NOISE = 20.0


def side_of(name):
    """Enough for some hundred sources."""
    return 1536 if name == "cold" or LONG else 768


# Without limits that SExtractor's memory sets to what is in its catalogue.
MEMORY = "MEMORY_BUFSIZE 4096\nMEMORY_OBJSTACK 65535\nMEMORY_PIXSTACK 10000000\nVERBOSE_TYPE QUIET\nCATALOG_TYPE FITS_1.0\n"
COLUMNS = ["NUMBER", "X_IMAGE_DBL", "Y_IMAGE_DBL", "A_IMAGE", *FLUXES, *(name.replace("FLUX", "FLUXERR") for name in FLUXES), *OTHERS]

# What pipelines ask for, each in its own way of writing.
CONFIGURATIONS = {
    # A survey's stack with its map of weights, which is filtered as the image is.
    "weights": """
WEIGHT_TYPE\tMAP_WEIGHT     # MAP_RMS would be calibrated
WEIGHT_IMAGE\t$FIELD/weight.fits
WEIGHT_GAIN  N
INTERP_TYPE  ALL
INTERP_MAXXLAG 4
INTERP_MAXYLAG 4
FILTER          Y
DETECT_THRESH   2.0
ANALYSIS_THRESH 2.0
DETECT_MINAREA  6
BACK_SIZE       128
DEBLEND_MINCONT 0.001
PHOT_APERTURES  4, 8 ,16
""",
    # Two runs of a deep field: bright sources whole ...
    "cold": """
DETECT_MINAREA=60
detect_thresh 2.3
ANALYSIS_THRESH 2.3
DEBLEND_NTHRESH 64
DEBLEND_MINCONT 0.065
FILTER_NAME gauss.conv
WEIGHT_TYPE NONE
BACK_SIZE 128
BACK_FILTERSIZE 4
PHOT_AUTOPARAMS 2.5,3.5
MASK_TYPE CORRECT
""",
    # ... and then what is faint and small.
    "hot": """
DETECT_MINAREA  10
DETECT_THRESH   1.3
ANALYSIS_THRESH 1.3
DEBLEND_NTHRESH 64
DEBLEND_MINCONT 0.0005
CLEAN_PARAM     1.2
FILTER          Y
BACK_FILTERSIZE 5,5
SATUR_LEVEL     4000.
MASK_TYPE       BLANK
""",
    # Noise that follows the meshes. Not filtered: SExtractor filters it as well, of which docs/sextractor.md tells.
    "background": """
WEIGHT_TYPE background,BACKGROUND
WEIGHT_GAIN n
FILTER n
DETECT_THRESH 2
ANALYSIS_THRESH 2
BACK_FILTTHRESH 1
""",
    # Thresholds as pixel values, on the image as it is.
    "absolute": """
FILTER N
THRESH_TYPE ABSOLUTE
DETECT_THRESH 60
ANALYSIS_THRESH 50
GAIN 2.0
GAIN_KEY NONE
CLEAN N
""",
    # A surface brightness, and magnitudes of another zero point.
    "magnitudes": """
DETECT_THRESH  24.0, 30.0
ANALYSIS_THRESH 24.2, 30.0
PIXEL_SCALE    0.4
MAG_ZEROPOINT  27
FILTER N
PHOT_AUTOPARAMS 2.0 3.0
""",
}


def gaussian(size, fwhm):
    """A .conv of a Gaussian."""
    y, x = np.mgrid[:size, :size] - size // 2
    rows = np.exp(-4 * np.log(2) * (x ** 2 + y ** 2) / fwhm ** 2)
    return "CONV NORM\n# a Gaussian\n" + "\n".join(" ".join(f"{value:.6f}" for value in row) for row in rows) + "\n"


def scene(directory, name):
    seed = 900 + list(CONFIGURATIONS).index(name)
    image = field(seed, side_of(name), 2000, seeing=3.0, noise=NOISE)
    weight = weights_of_a_mosaic(seed, side_of(name))
    if name == "weights":
        rng = np.random.default_rng(seed)
        good = weight > 0
        image[good] += rng.normal(0, NOISE, good.sum()) * np.sqrt(np.maximum(weight[good].max() / weight[good] - 1, 0))
        image[~good] = 30_000
    fits.writeto(directory / "field.fits", image.astype(np.float32))
    fits.writeto(directory / "weight.fits", weight)
    (directory / "default.conv").write_text("CONV NORM\n# 3x3 pyramid\n1 2 1\n2 4 2\n1 2 1\n")
    (directory / "gauss.conv").write_text(gaussian(5, 2.5).replace("CONV NORM", "CONV"))  # the old form of it
    (directory / "survey.param").write_text("".join(f"{column}   # what -dp says of it\n" for column in COLUMNS))
    (directory / "survey.sex").write_text(f"# {name}\nPARAMETERS_NAME survey.param\n{CONFIGURATIONS[name]}{MEMORY}")


def run(command, directory):
    done = subprocess.run([str(part) for part in command], cwd=directory, capture_output=True, text=True,
                          env=os.environ | {"FIELD": str(directory)})
    assert done.returncode == 0 and "overflow" not in done.stderr, done.stderr
    return done


def mine_of(program, directory, image="field.fits", *options):
    """Ours by converted.yaml."""
    mine, _ = extract(program, directory / "converted", directory / image, directory, *options)
    return mine | {"SNR": mine["FLUX_ISO"] / mine["FLUXERR_ISO"]}


def theirs_of(directory, images="field.fits"):
    run([PROGRAM, images, "-c", "survey.sex", "-CATALOG_NAME", "their.cat"], directory)
    table = fits.getdata(directory / "their.cat", 1)
    return {name.removesuffix("_DBL"): table[name].astype(float) for name in COLUMNS}


def check(mine, told):
    """That both are one catalogue, by the measures of test_default_sex.py."""
    assert set(COLUMNS) - {"X_IMAGE_DBL", "Y_IMAGE_DBL"} <= set(mine)
    own, other, of_mine, of_theirs = partners(mine, told)
    print(f"{len(told['X_IMAGE'])} sources, matched {of_mine:.4%} and {of_theirs:.4%}")
    assert len(own) > 200 and min(of_mine, of_theirs) >= 0.995
    mine = {column: values[own] for column, values in mine.items()}
    told = {column: values[other] for column, values in told.items()}
    equal = (mine["FLAGS"].astype(int) & 255) == told["FLAGS"].astype(int)
    print(f"FLAGS equal {equal.mean():.4%}")
    assert equal.mean() >= 0.99
    whole = (told["FLAGS"].astype(int) & 2) == 0
    for column in [*FLUXES, *OTHERS[:3]]:
        same = np.abs(mine[column] - told[column]) <= allowed(column, mine, told)
        print(f"{column}: {same[whole].mean():.4%} of those that are whole")
        assert same[whole].mean() >= 0.985, column


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_same_file_the_same_catalogue(program, tmp_path, name):
    scene(tmp_path, name)
    run([program, "convert-config", "--strict", "survey.sex", "-o", "converted.yaml"], tmp_path)
    check(mine_of(program, tmp_path), theirs_of(tmp_path))


def test_two_images(program, tmp_path):
    """What DETECT has for itself is told as an option."""
    scene(tmp_path, "background")
    found, measured = bands(921, 2000)
    fits.writeto(tmp_path / "g.fits", found)
    fits.writeto(tmp_path / "r.fits", measured)
    text = (tmp_path / "survey.sex").read_text().replace("background,BACKGROUND", "BACKGROUND,NONE")
    (tmp_path / "survey.sex").write_text(text)
    done = run([program, "convert-config", "survey.sex", "-o", "converted.yaml"], tmp_path)
    options = re.search(r"for DETECT add (--detect-set weights.type=background)$", done.stderr, re.M)[1].split()
    check(mine_of(program, tmp_path, "r.fits", "-d", tmp_path / "g.fits", *options), theirs_of(tmp_path, "g.fits,r.fits"))


def test_another_threshold_is_another_catalogue(program, tmp_path):
    """That the measures above see a key that was not honoured."""
    scene(tmp_path, "hot")
    run([program, "convert-config", "survey.sex", "-o", "converted.yaml"], tmp_path)
    text = (tmp_path / "converted.yaml").read_text()
    (tmp_path / "converted.yaml").write_text(text.replace("threshold: 1.3\n", "threshold: 1.4\n", 1))
    with pytest.raises(AssertionError):
        check(mine_of(program, tmp_path), theirs_of(tmp_path))


# Each with the parameter of SExtractor's XML, and our key.
LINES = [
    ("DETECT_THRESH 2\nDETECT_THRESH 3", "Detect_Thresh", "threshold"), ("detect_thresh 4", "Detect_Thresh", "threshold"),
    ("DETECT_THRESH=4", "Detect_Thresh", "threshold"), ("DETECT_THRESH \"4\"", "Detect_Thresh", "threshold"),
    ("DETECT_THRESH,4", "Detect_Thresh", "threshold"), ("\tDETECT_THRESH\t6\t# x\r", "Detect_Thresh", "threshold"),
    ("DETECT_THRESH 4#5", "Detect_Thresh", "threshold"), ("DETECT_THRESH 1e1", "Detect_Thresh", "threshold"),
    ("DETECT_THRESH $SIGMAS", "Detect_Thresh", "threshold"), ("DETECT_THRESH ${TEN}2", "Detect_Thresh", "threshold"),
    ("DETECT_MINAREA 7 9", "Detect_MinArea", "min_area"), ("DETECT_MINAREA 7,", "Detect_MinArea", "min_area"),
    ("PHOT_AUTOPARAMS 2 , 3", "Phot_AutoParams", "kron"), ("PHOT_AUTOPARAMS 2;3", "Phot_AutoParams", "kron"),
    ("BACK_SIZE 32", "Back_Size", "mesh_size"), ("SATUR_LEVEL +3e4", "Satur_Level", "saturation"),
    ("MAG_ZEROPOINT -2.5", "Mag_ZeroPoint", "zero_point"), ("GAIN .5", "Gain", "gain"), ("", "Clean_Param", "clean_beta"),
    ("DETECT_MINAREA 10.0", "Detect_MinArea", "min_area"), ("DETECT_MINAREA 10.9 # x", "Detect_MinArea", "min_area"),
    ("detect_minarea\t\"12.\"\r", "Detect_MinArea", "min_area"), ("DEBLEND_NTHRESH 64.5", "Deblend_NThresh", "thresholds"),
    ("BACK_SIZE 48.7", "Back_Size", "mesh_size"), ("BACK_FILTERSIZE 5.0", "Back_FilterSize", "filter_size"),
    ("PIXEL_SCALE SECPIX", "Pixel_Scale", "pixel_scale"), ("PIXEL_SCALE ''", "Pixel_Scale", "pixel_scale"),
    ("", "Detect_Thresh", "threshold"), ("", "Deblend_NThresh", "thresholds"), ("", "Deblend_MinCont", "contrast"),
    ("", "Pixel_Scale", "pixel_scale"), ("", "Satur_Level", "saturation"), ("", "Phot_FluxFrac", "flux_radius"),
]


@pytest.mark.parametrize("lines, parameter, key", LINES)
def test_lines_are_read_as_sextractor_reads_them(program, tmp_path, lines, parameter, key):
    rng = np.random.default_rng(1)
    fits.writeto(tmp_path / "noise.fits", rng.normal(100, 5, (64, 64)).astype(np.float32))
    (tmp_path / "x.param").write_text("NUMBER\n")
    (tmp_path / "x.sex").write_bytes(f"PARAMETERS_NAME x.param\nFILTER N\n{lines}\n".encode())
    environment = os.environ | {"SIGMAS": "7", "TEN": "1"}
    subprocess.run([PROGRAM, "noise.fits", "-c", "x.sex", "-WRITE_XML", "Y", "-XML_NAME", "x.xml", "-VERBOSE_TYPE", "QUIET"],
                   cwd=tmp_path, env=environment, check=True, capture_output=True)
    told = re.search(rf'<PARAM name="{parameter}"[^>]*?value="([^"]*)"', (tmp_path / "x.xml").read_text())[1]
    done = subprocess.run([program, "convert-config", "x.sex"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    mine = re.search(rf"^  {key}: (.*)$", done.stdout, re.M)[1]
    assert [float(word) for word in mine.strip("[]").split(",")] == [float(word) for word in told.split()]


@pytest.mark.parametrize("key", ("GAIN", "''", "'GAIN'", '"GAIN"', "gain", "TOOLONGAKEYWORD", "EGAIN"))
def test_a_keyword_is_looked_for_as_sextractor_does(program, tmp_path, key):
    """By the errors of fluxes, which the gain is seen in: 2.5 of the header, or 9 of GAIN."""
    image = field(7, 256, 3000, noise=NOISE)
    fits.writeto(tmp_path / "field.fits", image.astype(np.float32), fits.Header({"GAIN": 2.5}))
    (tmp_path / "survey.param").write_text("".join(f"{column}\n" for column in COLUMNS))
    (tmp_path / "survey.sex").write_text(f"PARAMETERS_NAME survey.param\nFILTER N\nCLEAN N\nDEBLEND_NTHRESH 1\nGAIN 9\n"
                                         f"GAIN_KEY {key}\nSATUR_KEY ''\n{MEMORY}")
    run([program, "convert-config", "--strict", "survey.sex", "-o", "converted.yaml"], tmp_path)
    mine, told = mine_of(program, tmp_path), theirs_of(tmp_path)
    own, other, _, _ = partners(mine, told)
    assert len(own) > 50
    assert np.median(np.abs(mine["FLUXERR_AUTO"][own] / told["FLUXERR_AUTO"][other] - 1)) < 1e-5


def test_an_even_filter_of_meshes_is_the_next_odd_one(program, tmp_path):
    """A sky that the size of the filter is seen in."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[:512, :512]
    fits.writeto(tmp_path / "sky.fits", (rng.normal(100, 5, x.shape) + 20 * np.sin(x / 40) * np.cos(y / 50)).astype(np.float32))
    (tmp_path / "x.param").write_text("NUMBER\n")

    def sky(size):
        (tmp_path / "x.sex").write_text(f"PARAMETERS_NAME x.param\nFILTER N\nBACK_SIZE 32\nBACK_FILTERSIZE {size}\n")
        run([PROGRAM, "sky.fits", "-c", "x.sex", "-CHECKIMAGE_TYPE", "MINIBACKGROUND", "-CHECKIMAGE_NAME", "mini.fits"], tmp_path)
        return fits.getdata(tmp_path / "mini.fits").tobytes()

    assert len({sky(size) for size in ("1", "3", "5", "5,3", "3,5")}) == 5
    for even, odd in ("2", "3"), ("4", "5"), ("4,2", "5,3"), ("2,5", "3,5"), ("4,5", "5"):
        assert sky(even) == sky(odd), even
        yaml = run([program, "convert-config", "x.sex"], tmp_path).stdout
        assert f"  filter_size: {odd[0]}\n" in yaml


@pytest.mark.parametrize("sizes", ("0,6,12", "6,0,12", "0"))
def test_a_circle_without_area(program, tmp_path, sizes):
    """It has a flux of 0, and the other circles keep their places."""
    count = sizes.count(",") + 1
    fits.writeto(tmp_path / "field.fits", field(8, 512, 3000, noise=NOISE).astype(np.float32))
    names = [f"{name}_APER" for name in ("FLUX", "FLUXERR", "MAG", "MAGERR")]
    (tmp_path / "survey.param").write_text("X_IMAGE\nY_IMAGE\n" + "".join(f"{name}({count})\n" for name in names))
    (tmp_path / "survey.sex").write_text(f"PARAMETERS_NAME survey.param\nFILTER N\nCLEAN N\nGAIN 2\nGAIN_KEY ''\nSATUR_KEY ''\n"
                                         f"MASK_TYPE NONE\nPHOT_APERTURES {sizes}\n{MEMORY}")
    run([program, "convert-config", "--strict", "survey.sex", "-o", "converted.yaml"], tmp_path)
    run([program, "-q", "-o", "out", "converted.yaml", "field.fits"], tmp_path)
    run([PROGRAM, "field.fits", "-c", "survey.sex", "-CATALOG_NAME", "their.cat"], tmp_path)
    mine, theirs = (fits.getdata(tmp_path / name, 1) for name in ("out/field.cat.fits", "their.cat"))
    one, other, _, _ = partners(*({axis: table[axis].astype(float) for axis in ("X_IMAGE", "Y_IMAGE")} for table in (mine, theirs)))
    assert len(one) > 100
    for name in names:
        own, told = mine[name][one].reshape(-1, count), theirs[name][other].reshape(-1, count)
        for i, diameter in enumerate(sizes.split(",")):
            if diameter == "0":
                assert (own[:, i] == told[:, i]).all() and len(set(own[:, i])) == 1, name
            else:
                # SExtractor has 1.086 for 2.5/ln 10.
                assert np.median(np.abs(own[:, i] / told[:, i] - 1)) < (3e-4 if name == "MAGERR_APER" else 1e-4), name


def test_pixels_without_noise(program, tmp_path):
    """What docs/sextractor.md says of 0 in a MAP_RMS."""
    rng = np.random.default_rng(6)
    fits.writeto(tmp_path / "noise.fits", rng.normal(100, 5, (256, 256)).astype(np.float32))
    rms = np.full((256, 256), 5, np.float32)
    rms[100:140, 120:160] = 0
    fits.writeto(tmp_path / "rms.fits", rms)
    (tmp_path / "survey.param").write_text("X_IMAGE\nY_IMAGE\nISOAREA_IMAGE\nFLUX_ISO\nFLUXERR_ISO\n")
    (tmp_path / "survey.sex").write_text("PARAMETERS_NAME survey.param\nFILTER N\nWEIGHT_GAIN N\nWEIGHT_TYPE MAP_RMS\nWEIGHT_IMAGE rms.fits\n"
                                         "INTERP_TYPE NONE\nDETECT_THRESH 3\nANALYSIS_THRESH 3\nCATALOG_TYPE FITS_1.0\n")
    run([PROGRAM, "noise.fits", "-c", "survey.sex", "-CATALOG_NAME", "their.cat"], tmp_path)
    theirs = fits.getdata(tmp_path / "their.cat", 1)
    assert theirs["ISOAREA_IMAGE"].sum() > 400  # of 1600, of which half are above the sky
    run([program, "convert-config", "--strict", "survey.sex", "-o", "converted.yaml"], tmp_path)
    run([program, "-q", "-o", "out", "converted.yaml", "noise.fits"], tmp_path)
    assert len(fits.getdata(tmp_path / "out/noise.cat.fits", 1)) == 0


def test_values_that_sextractor_refuses(program, tmp_path):
    fits.writeto(tmp_path / "noise.fits", np.random.default_rng(1).normal(100, 5, (64, 64)).astype(np.float32))
    (tmp_path / "x.param").write_text("NUMBER\n")
    taken = ["PHOT_FLUXFRAC 1", "PHOT_APERTURES 0,3", "DEBLEND_MINCONT 0", "DEBLEND_MINCONT 1", "CLEAN_PARAM 10", "CLEAN_PARAM 0.11",
             "DEBLEND_NTHRESH 64", "DETECT_MINAREA 1000000", "PHOT_AUTOPARAMS 10,0", "PHOT_PETROPARAMS 0,10",
             "MAG_ZEROPOINT -99", "BACK_FILTERSIZE 11", "BACKPHOTO_THICK 256", "MEMORY_OBJSTACK 16", "MEMORY_OBJSTACK 65536",
             "MEMORY_PIXSTACK 1000", "MEMORY_BUFSIZE 8", "MEMORY_BUFSIZE 65534", "PSF_NMAX 9", "BACK_VALUE -1e6"]
    refused = ["PHOT_FLUXFRAC 0.5,1.5", "PHOT_APERTURES -1,3", "PHOT_APERTURES 3,2097153", "PHOT_FLUXFRAC 0", "DEBLEND_MINCONT 1.1",
               "DEBLEND_MINCONT -0.1", "CLEAN_PARAM 10.1", "CLEAN_PARAM 0.09", "DEBLEND_NTHRESH 0", "DEBLEND_NTHRESH 65",
               "DETECT_MINAREA 0", "DETECT_MINAREA 1000001", "DETECT_MAXAREA -1", "PHOT_AUTOPARAMS 10.1,3", "PHOT_PETROPARAMS 2,-1",
               "PHOT_AUTOAPERS -1,3", "MAG_ZEROPOINT 101", "MAG_GAMMA 0", "GAIN -1", "PIXEL_SCALE -0.1", "SEEING_FWHM -1",
               "BACK_SIZE 0", "BACK_FILTERSIZE 12", "BACK_FILTERSIZE 3,0", "BACKPHOTO_THICK 257", "BACK_FILTTHRESH -1",
               "MEMORY_OBJSTACK 15", "MEMORY_OBJSTACK 65537", "MEMORY_PIXSTACK 999", "MEMORY_PIXSTACK 100000001",
               "MEMORY_BUFSIZE 7", "MEMORY_BUFSIZE 65535", "ASSOC_RADIUS 0", "INTERP_MAXXLAG 0", "INTERP_MAXYLAG 1000001",
               "PSF_NMAX 10"]
    for line in taken + refused:
        (tmp_path / "x.sex").write_text(f"PARAMETERS_NAME x.param\nFILTER N\n{line}\n")
        told = subprocess.run([PROGRAM, "noise.fits", "-c", "x.sex"], cwd=tmp_path, capture_output=True, text=True)
        done = subprocess.run([program, "convert-config", "x.sex"], cwd=tmp_path, capture_output=True, text=True)
        assert ("keyword out of range" in told.stderr) == (line in refused), line
        assert ("SExtractor refuses it as well" in done.stderr) == (line in refused) == (done.returncode == 2), line
