"""srcextract sextractor, as a user meets it: what it refuses, says and leaves alone. tests/truth/test_one_word.py has
what it does beside SExtractor."""
import os
import re
import shutil
import subprocess

import pytest

from fits_files import write_sky


@pytest.fixture
def sex(run, tmp_path):
    """Runs it in a directory with an image, a list of columns and a configuration."""
    write_sky(tmp_path / "sky.fits")
    (tmp_path / "default.param").write_text("NUMBER\nX_IMAGE\nFLUX_ISO\n")
    (tmp_path / "default.sex").write_text("FILTER N\nVERBOSE_TYPE QUIET\nCATALOG_TYPE FITS_1.0\nBACK_TYPE MANUAL\n"
                                          "THRESH_TYPE ABSOLUTE\nDETECT_THRESH 5\nANALYSIS_THRESH 5\nDETECT_MINAREA 1\n"
                                          "GAIN_KEY NONE\nSATUR_KEY NONE\n")
    return lambda *arguments, **more: run("sextractor", *arguments, **more)


def files(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def refused(done, code, *parts):
    assert done.code == code and done.out == "", done.err
    for part in parts:
        assert part in done.err


def test_one_catalogue_and_nothing_else(sex, tmp_path):
    before = set(files(tmp_path))
    done = sex("sky.fits")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert set(files(tmp_path)) - before == {"test.cat"}


def test_a_catalogue_is_replaced(sex, tmp_path):
    (tmp_path / "test.cat").write_text("old")
    assert sex("sky.fits").code == 0
    assert (tmp_path / "test.cat").read_bytes().startswith(b"SIMPLE")


def test_no_catalogue(sex, tmp_path):
    before = set(files(tmp_path))
    assert sex("sky.fits", "-CATALOG_TYPE", "NONE").code == 0
    assert set(files(tmp_path)) == before
    assert sex("sky.fits", "-CATALOG_TYPE", "NONE", "-CHECKIMAGE_TYPE", "BACKGROUND").code == 0
    assert set(files(tmp_path)) - before == {"check.fits"}


# What SExtractor does and we do not.
UNMET = [
    ("DETECT_TYPE PHOTO", "DETECT_TYPE PHOTO: images are linear"),
    ("CATALOG_TYPE FITS_TPX", "CATALOG_TYPE FITS_TPX"), ("DGEO_TYPE PIXEL", "DGEO_TYPE PIXEL"),
]


@pytest.mark.parametrize("line, message", UNMET)
def test_what_there_is_not_is_an_error_and_nothing_is_written(sex, tmp_path, line, message):
    before = files(tmp_path)
    key, value = line.split()
    refused(sex("sky.fits", f"-{key}", value), 2, "error: the command line: " + message, "nothing is written")
    assert files(tmp_path) == before
    with open(tmp_path / "default.sex", "a") as file:
        file.write(line + "\n")
    refused(sex("sky.fits"), 2, "error: default.sex:11: " + message, "convert-config")


def test_mistakes_of_files_that_sextractor_passes_over(sex, tmp_path):
    """Are warnings, and cost nothing else; misspelt options are refused (test_mistakes)."""
    assert sex("sky.fits", "-CATALOG_NAME", "plain.cat").code == 0
    with open(tmp_path / "default.sex", "a") as file:
        file.write("DETECT_TRESH 99\nMAG_ZEROPOINT ZP\nBACK_SIZE 64px\nVERBOSE_TYPE EXTRA_WARNINGS\n")
    with open(tmp_path / "default.param", "a") as file:
        file.write("Y_IMGE\ny_image\n")
    done = sex("sky.fits")
    assert done.code == 0 and (tmp_path / "test.cat").read_bytes() == (tmp_path / "plain.cat").read_bytes()
    for told in ("default.sex:11: SExtractor has no key 'DETECT_TRESH'; did you mean 'DETECT_THRESH'?; it is done as SExtractor",
                 "default.sex:12: MAG_ZEROPOINT must be a number, not 'ZP'; SExtractor takes it for 0", "default.sex:13: BACK_SIZE",
                 "default.param:4: SExtractor has no column 'Y_IMGE'; did you mean 'Y_IMAGE'?", "default.param:5"):
        assert "warning: " + told in done.err


@pytest.mark.parametrize("key, typed, taken", [("MAG_ZEROPOINT", "ZP", "0"), ("BACK_SIZE", "64px", "64"), ("BACK_SIZE", "0x40", "64"),
                                               ("BACK_SIZE", "0100", "64"), ("DETECT_THRESH", "3x", "3")])
def test_words_for_numbers(sex, tmp_path, key, typed, taken):
    """In a file and on the command line: a warning that has the number which SExtractor reads (tests/truth/test_one_word.py)."""
    assert sex("sky.fits", "-CATALOG_NAME", "plain.cat", f"-{key}", taken).err == ""
    said = f"'{typed}'; SExtractor takes it for {taken}: write that number for the same"
    done = sex("sky.fits", f"-{key}", typed)
    assert done.code == 0 and f"warning: the command line: {key} must be a" in done.err and said in done.err
    assert (tmp_path / "test.cat").read_bytes() == (tmp_path / "plain.cat").read_bytes()
    with open(tmp_path / "default.sex", "a") as file:
        file.write(f"{key} {typed}\n")
    done = sex("sky.fits", "-CATALOG_NAME", "again.cat")
    assert done.code == 0 and f"warning: default.sex:11: {key} must be a" in done.err and said in done.err
    assert (tmp_path / "again.cat").read_bytes() == (tmp_path / "plain.cat").read_bytes()


@pytest.mark.parametrize("text", [None, "", "# nothing\n\n"])
def test_an_empty_configuration_is_one(sex, tmp_path, text):
    """SExtractor's defaults, as without a file; -c /dev/null is common."""
    settings = ["-BACK_SIZE", "8", "-FILTER", "N", "-THRESH_TYPE", "ABSOLUTE", "-BACK_TYPE", "MANUAL", "-VERBOSE_TYPE", "QUIET"]
    (tmp_path / "default.sex").unlink()
    assert sex("sky.fits", *settings, "-CATALOG_NAME", "plain.cat").code == 0
    if text is not None:
        (tmp_path / "empty.sex").write_text(text)
    name = "/dev/null" if text is None else "empty.sex"
    done = sex("sky.fits", "-c", name, *settings)
    assert done.code == 0 and f"warning: {name}: sets no key of SExtractor's, so that all have its defaults" in done.err
    assert (tmp_path / "test.cat").read_bytes() == (tmp_path / "plain.cat").read_bytes()


@pytest.mark.parametrize("in_file, typed, one", [("1", None, False), ("0", None, False), ("2", None, None), (None, "1", True),
                                                 ("4", "1", True), ("1", "0", False), (None, None, False)])
def test_threads(sex, tmp_path, in_file, typed, one):
    """NTHREADS 1 stands in every dumped configuration, and does not hold a run to one thread; on the command line it does."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor: there is one thread anyway")
    if in_file:
        with open(tmp_path / "default.sex", "a") as file:
            file.write(f"NTHREADS {in_file}\n")
    pytest.importorskip("numpy")
    fits = pytest.importorskip("astropy.io.fits")
    import numpy
    fits.writeto(tmp_path / "large.fits", numpy.random.default_rng(1).normal(0, 1, (1024, 1024)).astype("f4"))
    done = sex("large.fits", "-VERBOSE_TYPE", "FULL", *(["-NTHREADS", typed] if typed else []))
    assert done.code == 0
    threads = int(done.err.rsplit(" s on ", 1)[1].split()[0])
    assert threads == 1 if one else threads == 2 if one is None else threads > 1, done.err


def test_unsigned_integers(sex, tmp_path):
    """Matter to integers alone."""
    assert sex("sky.fits", "-FITS_UNSIGNED", "Y").code == 0
    write_sky(tmp_path / "integers.fits", bitpix=16)
    refused(sex("integers.fits", "-FITS_UNSIGNED", "Y"), 2, "the command line: FITS_UNSIGNED Y", "nothing is written")


def test_keys_of_older_versions_are_passed_over_and_a_warning_says_so(sex, tmp_path):
    assert sex("sky.fits", "-CATALOG_NAME", "plain.cat").code == 0
    with open(tmp_path / "default.sex", "a") as file:
        file.write("PSFDISPLAY_TYPE SPLIT # as SExtractor 2.5 had it\n")
    with open(tmp_path / "default.param", "a") as file:
        file.write("X_PIXEL\n")
    done = sex("sky.fits")
    assert done.code == 0 and "SExtractor has no column 'X_PIXEL', and passes over the line" in done.err
    assert "default.sex:11: SExtractor has no key 'PSFDISPLAY_TYPE', and passes over the line" in done.err
    assert (tmp_path / "test.cat").read_bytes() == (tmp_path / "plain.cat").read_bytes()


def test_one_value_of_weights_for_two_images(sex, tmp_path):
    """In SExtractor that is the noise of the first for both."""
    refused(sex("sky.fits,sky.fits", "-WEIGHT_TYPE", "BACKGROUND"), 2, "the command line: WEIGHT_TYPE BACKGROUND",
            "as WEIGHT_TYPE BACKGROUND,BACKGROUND has it")
    refused(sex("sky.fits,sky.fits", "-WEIGHT_TYPE", "MAP_RMS", "-WEIGHT_IMAGE", "sky.fits"), 2, "WEIGHT_TYPE MAP_RMS,MAP_RMS")
    for values in (["NONE"], ["BACKGROUND,BACKGROUND"], ["MAP_RMS", "-WEIGHT_IMAGE", "sky.fits,sky.fits"]):
        assert "WEIGHT_TYPE" not in sex("sky.fits,sky.fits", "-WEIGHT_TYPE", *values).err, values


def test_columns_that_there_are_not(sex, tmp_path):
    (tmp_path / "default.param").write_text("NUMBER\nMAG_HYBRID\nVECTOR_ASSOC\n")
    refused(sex("sky.fits"), 2, "default.param:2: MAG_HYBRID: of fits of models there are")


def test_a_psf_that_is_not_there(sex, tmp_path):
    (tmp_path / "default.param").write_text("NUMBER\nMAG_PSF\n")
    refused(sex("sky.fits"), 2, "PSF_NAME default.psf", "let psfex make it")


def test_a_header_beside_the_image(sex, tmp_path):
    (tmp_path / "sky.head").write_text("CRVAL1 = 10\n")
    refused(sex("sky.fits"), 2, "sky.head: SExtractor takes this file (HEADER_SUFFIX) for the header of sky.fits")
    assert sex("sky.fits", "-HEADER_SUFFIX", ".ahead").code == 0


def test_a_default_that_is_not_there(sex, tmp_path):
    (tmp_path / "default.sex").unlink()
    done = sex("sky.fits", "-BACK_SIZE", "4", "-DETECT_THRESH", "99", "-CATALOG_TYPE", "FITS_1.0", "-FILTER", "N")
    assert "warning: there is no default.sex here: SExtractor's defaults hold" in done.err
    assert "default.conv" not in done.err


def test_a_default_filter_that_is_not_there(sex, tmp_path):
    warning = "warning: default.sex: there is no default.conv: the 3 x 3 kernel that SExtractor has under this name is used"
    done = sex("sky.fits", "-FILTER", "Y")
    assert done.code == 0 and done.err.splitlines() == [warning]
    (tmp_path / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    assert sex("sky.fits", "-FILTER", "Y").err == ""


@pytest.mark.parametrize("arguments, code, parts", [
    ([], 0, []),
    (["-VERBOSE_TYPE", "QUIET"], 2, ["no image is named"]),
    (["sky.fits", "-c"], 2, ["-c is the last word"]), (["sky.fits", "-c", ""], 2, ["-c is an empty text"]),
    (["sky.fits", "-c", "none.sex"], 2, ["none.sex: cannot open"]),
    (["sky.fits", "-DETECT_THRESH"], 2, ["-DETECT_THRESH is the last word"]),
    (["sky.fits", "-DETCT_THRESH", "3"], 2, ["there is no option -DETCT_THRESH; did you mean -DETECT_THRESH?"]),
    (["sky.fits", "-DETECT_THRESH=3"], 2, ["write -DETECT_THRESH VALUE"]),
    (["sky.fits", "--DETECT_THRESH", "3"], 2, ["write -DETECT_THRESH VALUE"]),
    (["sky.fits", "-q"], 2, ["there is no option -q"]),
    (["sky.fits", "-DETECT_THRESH", "x"], 2, ["the command line: DETECT_THRESH must be above 0, not 0; SExtractor refuses it as well"]),
    (["sky.fits", "-DETECT_MINAREA", ""], 2, ["the command line: DETECT_MINAREA has no value"]),
    (["sky.fits", "-CATALOG_TYPE", "FITS_LDAK"], 2, ["did you mean 'FITS_LDAC'?"]),
    (["sky.fits,sky.fits", "sky.fits"], 2, ["sky.fits is a third image"]),
    (["sky.fits[x]"], 2, ["between the brackets, after a file, is the number of an extension, as in sky.fits[1]"]),
    (["sky.fits[1]"], 3, ["there is no HDU 1", "set the number between brackets"]),
    (["[0]"], 2, ["as in m31.fits[1]"]),
    (["none.fits"], 3, ["none.fits"]), (["default.param"], 3, ["default.param"]), (["sky.fits,none.fits"], 3, ["none.fits"]),
    (["sky.fits", "-PARAMETERS_NAME", "none.param"], 2, ["PARAMETERS_NAME none.param: there is no such file"]),
    (["sky.fits", "-DEBLEND_MINCONT", "2"], 2, ["DEBLEND_MINCONT must be at most 1, not 2; SExtractor refuses it as well"]),
    (["sky.fits", "-DEBLEND_NTHRESH", "65"], 2, ["DEBLEND_NTHRESH must be at most 64, not 65; SExtractor refuses it as well"]),
    (["sky.fits", "-MEMORY_BUFSIZE", "5"], 2, ["MEMORY_BUFSIZE must be at least 8, not 5; SExtractor refuses it as well"]),
    (["sky.fits", "-CLEAN_PARAM", "11"], 2, ["CLEAN_PARAM must be at most 10, not 11; SExtractor refuses it as well"]),
    (["sky.fits", "-FILTER", "Y", "-FILTER_NAME", "none.conv"], 2,
     ["FILTER_NAME none.conv: there is no such file, neither in the working directory nor beside the configuration"]),
    (["sky.fits", "-WEIGHT_TYPE", "MAP_WEIGHT"], 3, ["weight.fits"]),
    (["sky.fits", "-CHECKIMAGE_TYPE", "BACKGROUND,OBJECTS"], 2, ["are not as many"]),
    (["sky.fits", "-CHECKIMAGE_TYPE", "OBJECTS,OBJECTS", "-CHECKIMAGE_NAME", "a,b"], 2, ["OBJECTS is there twice"]),
    (["sky.fits", "-CHECKIMAGE_TYPE", "OBJECTS", "-CHECKIMAGE_NAME", "./test.cat"], 2, ["two outputs would be one file, test.cat"]),
    (["sky.fits", "-CATALOG_NAME", "none/x.cat"], 3, ["none/x.cat"]),
    (["sky.fits", "-CATALOG_NAME", "/dev/stdout"], 2, ["CATALOG_NAME /dev/stdout: write CATALOG_NAME STDOUT"]),
    (["sky.fits", "-CATALOG_NAME", "/dev/null"], 3, ["cannot write /dev/null: it is a device or a pipe"]),
    (["sky.fits", "-CATALOG_NAME", "sky.fits"], 2, ["would replace the input or log 'sky.fits'"]),
    (["sky.fits", "-CATALOG_NAME", "default.param"], 2, ["would replace the input or log 'default.param'"]),
    (["sky.fits", "-CATALOG_NAME", "default.sex"], 2, ["would replace the input or log 'default.sex'"]),
    (["sky.fits", "-CHECKIMAGE_TYPE", "OBJECTS", "-CHECKIMAGE_NAME", "./sky.fits"], 2, ["would replace the input"]),
])
def test_mistakes(sex, tmp_path, arguments, code, parts):
    before = files(tmp_path)
    done = sex(*arguments)
    assert done.code == code and " sources above " not in done.err
    for part in parts:
        assert part in done.err, done.err
    assert files(tmp_path) == before


def test_no_list_of_columns(sex, tmp_path):
    (tmp_path / "default.param").unlink()
    refused(sex("sky.fits"), 2, "default.sex: PARAMETERS_NAME default.param: there is no such file", "srcextract sextractor -dp >")
    (tmp_path / "default.sex").unlink()
    refused(sex("sky.fits"), 2, "SExtractor's defaults: PARAMETERS_NAME default.param: there is no such file")
    (tmp_path / "default.param").write_text("# nothing\n")
    refused(sex("sky.fits"), 2, "default.param: names no column")


def test_positions_on_no_sky(sex, tmp_path):
    (tmp_path / "default.param").write_text("NUMBER\nALPHA_J2000\n")
    before = files(tmp_path)
    done = sex("sky.fits", "-VERBOSE_TYPE", "FULL", "-CHECKIMAGE_TYPE", "SEGMENTATION")
    refused(done, 3, "sky.fits: ALPHA_J2000 (default.param:2) needs positions on the sky", "the header has no celestial WCS",
            "take the column out")
    assert "background" not in done.err and files(tmp_path) == before  # no pixel was read
    done = sex("sky.fits", "-VERBOSE_TYPE", "FULL", "-CATALOG_TYPE", "NONE", "-CHECKIMAGE_TYPE", "SEGMENTATION")
    assert done.code == 0 and "background" in done.err and set(files(tmp_path)) - set(before) == {"check.fits"}
    (tmp_path / "default.param").write_text("NUMBER\nVECTOR_ASSOC(1)\n")
    (tmp_path / "places.list").write_text("10 20\n")
    done = sex("sky.fits", "-VERBOSE_TYPE", "FULL", "-ASSOC_NAME", "places.list", "-ASSOC_PARAMS", "1,2", "-ASSOCCOORD_TYPE", "WORLD")
    refused(done, 3, "ASSOCCOORD_TYPE WORLD: the header has no celestial WCS")
    assert "background" not in done.err


def test_lengths_on_the_sky_need_a_scale_or_a_wcs(sex, tmp_path):
    """tests/truth/test_one_word.py has their values."""
    (tmp_path / "default.param").write_text("NUMBER\nFWHM_WORLD\n")
    refused(sex("sky.fits"), 3, "sky.fits: FWHM_WORLD (default.param:2) needs the size of a pixel on the sky, and the header has no "
            "celestial WCS", "or PIXEL_SCALE, in arcseconds")
    refused(sex("sky.fits", "-PIXEL_SCALE", "0"), 3, "FWHM_WORLD (default.param:2)")
    assert sex("sky.fits", "-PIXEL_SCALE", "0.3").code == 0
    (tmp_path / "default.param").write_text("FWHM_WORLD\nTHETA_SKY\n")
    refused(sex("sky.fits", "-PIXEL_SCALE", "0.3"), 3, "THETA_SKY (default.param:2) needs positions on the sky")


def test_positions_on_the_sky_of_one_extension_alone(sex, tmp_path):
    """Each image of a file is looked at before the first is extracted."""
    fits = pytest.importorskip("astropy.io.fits")
    pixels = fits.getdata(tmp_path / "sky.fits")
    wcs = fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 10.0, "CRVAL2": 20.0, "CRPIX1": 5.0, "CRPIX2": 5.0,
                       "CDELT1": -1e-4, "CDELT2": 1e-4})
    (tmp_path / "default.param").write_text("NUMBER\nA_WORLD\n")
    for second, code in ((wcs, 0), (fits.Header(), 3)):
        fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(pixels, wcs), fits.ImageHDU(pixels, second)]).writeto(
            tmp_path / "both.fits", overwrite=True)
        done = sex("both.fits", "-VERBOSE_TYPE", "FULL")
        assert done.code == code and ("background" in done.err) == (code == 0), done.err
    assert "HDU 2 of both.fits: A_WORLD (default.param:2)" in done.err


@pytest.mark.parametrize("kind", ["conv", "param", "sex"])
def test_files_that_are_none(sex, tmp_path, kind):
    (tmp_path / f"odd.{kind}").write_bytes(bytes(range(256)))
    option = {"conv": ["-FILTER", "Y", "-FILTER_NAME"], "param": ["-PARAMETERS_NAME"], "sex": ["-c"]}[kind]
    refused(sex("sky.fits", *option, f"odd.{kind}"), 2, f"odd.{kind}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root: may write everywhere")
def test_a_directory_that_may_not_be_written_to(sex, tmp_path):
    tmp_path.chmod(0o500)
    try:
        refused(sex("sky.fits"), 3, "test.cat")
    finally:
        tmp_path.chmod(0o700)


def test_a_catalogue_as_standard_output(sex, tmp_path):
    before = set(files(tmp_path))
    done = sex("sky.fits", "-CATALOG_TYPE", "ASCII_HEAD", "-CATALOG_NAME", "STDOUT", "-VERBOSE_TYPE", "FULL")
    assert done.code == 0 and done.out.startswith("#") and done.err != ""
    assert set(files(tmp_path)) == before


def test_standard_output_where_tmpdir_is_no_directory(sex):
    assert sex("sky.fits", "-CATALOG_TYPE", "ASCII_HEAD", "-CATALOG_NAME", "STDOUT", env={"TMPDIR": "/none"}).out.startswith("#")


def test_two_names_of_one_output(sex, tmp_path):
    (tmp_path / "here").symlink_to(".")
    before = files(tmp_path)
    for name in (tmp_path / "test.cat", "./test.cat", "here/test.cat"):
        refused(sex("sky.fits", "-CHECKIMAGE_TYPE", "OBJECTS", "-CHECKIMAGE_NAME", str(name)), 2, "two outputs would be one file, test.cat")
    assert files(tmp_path) == before


def test_a_reader_that_goes_away(sex, tmp_path):
    """As `head` does, which is no error: it has what it wants."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "sextractor", "sky.fits", "-CATALOG_TYPE", "ASCII",
                           "-CATALOG_NAME", "STDOUT"], cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
    with open("/dev/full", "w") as full:
        done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "sextractor", "sky.fits", "-CATALOG_TYPE", "ASCII",
                               "-CATALOG_NAME", "STDOUT"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3 and "cannot write to standard output" in done.stderr


def test_a_list_of_columns_from_a_pipe(sex, tmp_path):
    """As a shell hands it over for <(...)."""
    read, write = os.pipe()
    os.write(write, b"NUMBER\nX_IMAGE\n")
    os.close(write)
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "sextractor", "sky.fits", "-PARAMETERS_NAME", f"/dev/fd/{read}",
                           "-CATALOG_TYPE", "ASCII_HEAD"], cwd=tmp_path, pass_fds=[read], stderr=subprocess.PIPE, text=True)
    os.close(read)
    assert done.returncode == 0, done.stderr
    assert [line.split()[2] for line in (tmp_path / "test.cat").read_text().splitlines() if line.startswith("#")] == ["NUMBER", "X_IMAGE"]


def test_the_command_is_found(run, tmp_path):
    assert "did you mean srcextract sextractor?" in run("sextracter", "x.fits").err
    assert "srcextract sextractor" in run("--help").out
    assert run("sextractor", "-h").out == run("sextractor", "--help").out != ""


@pytest.mark.parametrize("by_link", [False, True])
def test_wrappers_find_a_version(run, tmp_path, by_link):
    """As public ones look for it: on standard error of a call without arguments, and in what -v prints."""
    link = tmp_path / "sex"
    link.symlink_to(os.environ["SRCEXTRACT_PROGRAM"])

    def call(*arguments):
        command = [link] if by_link else [os.environ["SRCEXTRACT_PROGRAM"], "sextractor"]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=tmp_path)

    bare = call()
    assert (bare.returncode, bare.stdout) == (0, "") and "SExtractor" in bare.stderr and "srcextract" in bare.stderr
    assert re.search(r"[Vv]ersion\s+([0-9.]+)", bare.stderr).group(1) == "2.25.0"
    assert re.search("[Vv]ersion ([0-9\\.])+", bare.stderr).group()[8:] == "2.25.0"
    assert bare.stderr.splitlines()[0].split()[3] == "2.25.0" and "-c FILE" in bare.stderr
    for option in "-v", "--version":
        asked = call(option)
        assert asked.returncode == 0 and asked.stdout == "Source Extractor version 2.25.0 (2018-02-08)\n"
        assert "srcextract" in asked.stderr
