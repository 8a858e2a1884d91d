"""srcextract convert-config, as a user meets it: what it writes, says and exits with."""
import os
import subprocess

import pytest

from fits_files import write_sky


@pytest.fixture
def default_sex(tmp_path):
    """A configuration that asks for nothing that is not there."""
    path = tmp_path / "default.sex"
    path.write_text("DETECT_THRESH 3   # sigma\nFILTER N\nVERBOSE_TYPE QUIET\nCATALOG_TYPE FITS_1.0\nGAIN_KEY NONE\nSATUR_KEY NONE\n")
    (tmp_path / "default.param").write_text("NUMBER\nX_IMAGE\nFLUX_AUTO   # light\n")
    return path


def test_to_a_file_and_to_standard_output(run, default_sex, tmp_path):
    done = run("convert-config", "default.sex", "-o", "config.yaml")
    assert (done.code, done.out, done.err) == (0, "", "")
    text = (tmp_path / "config.yaml").read_text()
    assert "# The settings of default.sex, with the columns of default.param" in text
    assert "  # DETECT_THRESH 3\n  threshold: 3.0\n" in text and "columns: [NUMBER, X_IMAGE, FLUX_AUTO]" in text
    assert max(map(len, text.splitlines())) <= 120
    done = run("convert-config", "default.sex")
    assert (done.code, done.out, done.err) == (0, text, "")


def test_what_it_writes_extracts(run, default_sex, tmp_path):
    write_sky(tmp_path / "sky.fits")
    assert run("convert-config", default_sex, "-o", "config.yaml").code == 0
    done = run("-q", "-o", "out", "config.yaml", "sky.fits")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "out/sky.cat.fits").exists()


def test_what_is_lost_is_told_and_strict_minds(run, default_sex, tmp_path):
    with open(default_sex, "a") as file:
        file.write("DETECT_TYPE PHOTO\n")
    told = "default.sex:7: DETECT_TYPE PHOTO: images are linear"
    done = run("convert-config", "default.sex", "-o", "config.yaml")
    assert done.code == 0 and done.err.startswith("warning: " + told)
    assert "# Settings that could not be honoured:\n# - " + told in (tmp_path / "config.yaml").read_text()
    assert run("convert-config", "default.sex", "-q", "-o", "config.yaml").err == ""
    (tmp_path / "config.yaml").unlink()
    done = run("convert-config", "default.sex", "-q", "--strict", "-o", "config.yaml")
    assert done.code == 5 and done.err.startswith("error: default.sex: 1 thing that it asks for could not be honoured")
    assert (tmp_path / "config.yaml").exists()


@pytest.mark.parametrize("line, code", [
    ("VERBOSE_TYPE FULL", 0), ("MEMORY_BUFSIZE 4096", 0), ("CATALOG_NAME x.cat", 0), ("CATALOG_TYPE FITS_LDAC", 0),
    ("WRITE_XML Y", 0), ("DETECT_MAXAREA 0", 0), ("PHOT_AUTOAPERS 0,0", 0), ("BACKPHOTO_TYPE GLOBAL", 0),
    ("ASSOC_RADIUS 5", 0), ("DETECT_MAXAREA 9", 0), ("BACKPHOTO_TYPE LOCAL", 0), ("DETECT_TYPE PHOTO", 5),
    ("CHECKIMAGE_TYPE APERTURES", 0), ("BACK_SIZE 32,64", 0), ("BACK_FILTERSIZE 4", 0), ("PHOT_APERTURES 0,3", 0),
    ("PSFDISPLAY_TYPE SPLIT", 0), ("HEADER_SUFFIX .ahead", 5), ("FITS_UNSIGNED Y", 5)])
def test_what_counts_for_strict(run, default_sex, line, code):
    with open(default_sex, "a") as file:
        file.write(line + "\n")
    assert run("convert-config", "--strict", "default.sex").code == code


def test_columns_that_there_are_not_count(run, default_sex):
    (default_sex.parent / "psf.param").write_text("NUMBER\nMAG_HYBRID\n")
    done = run("convert-config", "--strict", "default.sex", "--param", "psf.param")
    assert done.code == 5 and "psf.param:2: MAG_HYBRID: of fits of models there are" in done.err


@pytest.mark.parametrize("lines, message", [
    ("GAIN 1\nDETECT_TRESH 3\n", "default.sex:2: SExtractor has no key 'DETECT_TRESH'; did you mean 'DETECT_THRESH'?"),
    ("FILTER_NAME none.conv\n", "default.sex:1: FILTER_NAME none.conv: there is no such file"),
    ("PARAMETERS_NAME none.param\n", "default.sex:1: PARAMETERS_NAME none.param: there is no such file"),
    ("\n\n", "default.sex: sets no key of SExtractor's"),
])
def test_mistakes_are_answered_with_file_and_line(run, default_sex, tmp_path, lines, message):
    default_sex.write_text(lines)
    done = run("convert-config", "default.sex", "-o", "config.yaml")
    assert done.code == 2 and done.out == "" and message in done.err
    assert not (tmp_path / "config.yaml").exists()


@pytest.mark.parametrize("arguments, message", [
    ([], "FILE is needed"), (["none.sex"], "none.sex"), (["default.sex", "-o", ""], "--output is an empty text"),
    (["default.sex", "--param", ""], "--param is an empty text"), (["default.sex", "--parm", "x"], "--param"),
    (["default.sex", "--param", "none.param"], "none.param"), (["default.sex", "more.sex"], "more.sex"),
    (["."], "is a directory")])
def test_command_lines_that_make_no_sense(run, default_sex, arguments, message):
    done = run("convert-config", *arguments)
    assert done.code == 2 and done.out == "" and message in done.err


@pytest.mark.parametrize("name", ["default.sex", "default.param", "link.yaml", "k.conv"])
def test_no_output_replaces_what_it_is_made_of(run, default_sex, tmp_path, name):
    (tmp_path / "link.yaml").symlink_to("default.sex")
    (tmp_path / "k.conv").write_text("CONV NORM\n1\n")
    default_sex.write_text("FILTER_NAME k.conv\n")
    before = (tmp_path / name).read_text()
    done = run("convert-config", "default.sex", "-o", name)
    assert done.code == 2 and name in done.err
    assert (tmp_path / name).read_text() == before


def test_an_output_that_cannot_be_written(run, default_sex):
    assert run("convert-config", "default.sex", "-o", "none/config.yaml").code == 3
    with open("/dev/full", "w") as full:
        done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "convert-config", default_sex], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == 3 and b"standard output" in done.stderr


def test_the_way_in_is_told(run, default_sex, tmp_path):
    write_sky(tmp_path / "sky.fits")
    done = run("default.sex", "sky.fits")
    assert done.code == 2 and "default.sex:1:1: this is a configuration of SExtractor" in done.err
    assert "srcextract convert-config default.sex -o config.yaml makes one of ours of it" in done.err
    (tmp_path / "x.yaml").write_text("DETECT_THRESH: 1.5\n")
    done = run("x.yaml", "sky.fits")
    assert done.code == 2 and "here it is detection.threshold" in done.err
    assert "convert-config" in run("--help").out
    assert "did you mean srcextract convert-config?" in run("convert-confg", "x").err


def test_variables_of_the_environment(run, default_sex):
    default_sex.write_text("WEIGHT_TYPE MAP_RMS\nWEIGHT_IMAGE $MAPS/w.fits\n")
    done = run("convert-config", "default.sex", env={"MAPS": "/data"})
    assert done.code == 0 and "  file: '/data/w.fits'\n" in done.out


def test_help(run):
    done = run("convert-config", "--help")
    assert done.code == 0 and done.err == ""
    for word in ("FILE", "--param", "--output", "--strict", "Example:", "Exit codes", "5  --strict"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_pipes_are_read_as_files_are(run, default_sex, tmp_path):
    def through_pipe(text):
        return subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "convert-config", "/dev/stdin", "--param", "default.param"],
                              input=text, cwd=tmp_path, capture_output=True)
    done = through_pipe(default_sex.read_bytes())
    told = run("convert-config", "default.sex", "--param", "default.param").out
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout.decode().split("\n\n", 1)[1] == told.split("\n\n", 1)[1]  # but for the name of the file
    assert through_pipe(b"\xef\xbb\xbfGAIN 2\r\nFILTER N\r").returncode == 0
    for text, message in [(b"GAIN 1\n\nGAIM 2", b"/dev/stdin:3: SExtractor has no key 'GAIM'"),
                          (b"", b"/dev/stdin: sets no key"), (b"GAIN 1\n\0", b"/dev/stdin:2: a control character"),
                          (b"#\n" * (1 << 19) + b"#", b"/dev/stdin: is larger than 1 MiB")]:
        done = through_pipe(text)
        assert done.returncode == 2 and done.stdout == b"" and message in done.stderr
    assert b"larger" not in through_pipe(b"#\n" * (1 << 19)).stderr
