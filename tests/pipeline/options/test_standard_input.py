"""`-` in the place of an image: a FITS file from standard input. And pipes in the place of files."""

import gzip
import json
import os
import re
import signal
import subprocess

import pytest

import driver
from fits_files import HEIGHT, WIDTH, hdu, sky, write, write_sky

IMAGE = driver.ROOT / "data/sky.fits"


@pytest.fixture
def feed(tmp_path):
    """Runs the program with these bytes, or this file, at standard input."""

    def run_with(given, *arguments, **more):
        source = {"input": given} if isinstance(given, bytes) else {"stdin": given}
        return subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], *map(str, arguments)], **source, capture_output=True,
                              cwd=tmp_path, timeout=120, **more)

    return run_with


@pytest.fixture
def expected(run, tmp_path):
    """The catalogue of the same image as a file."""
    assert run("-q", IMAGE, "-o", "named").code == 0
    return (tmp_path / "named/sky.cat.fits").read_bytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
def test_a_pipe_gives_the_catalogue_of_the_file(feed, expected, tmp_path, pack):
    done = feed(pack(IMAGE.read_bytes()), "-q", "--record", "-", "-o", "out")
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["stdin.cat.fits", "stdin.run.json"]
    assert (tmp_path / "out/stdin.cat.fits").read_bytes() == expected
    assert json.loads((tmp_path / "out/stdin.run.json").read_text())["input"]["path"] == "/dev/stdin"


def test_a_redirected_file_is_read_in_place_wherever_it_stands(feed, expected, tmp_path):
    with open(IMAGE, "rb") as image:
        done = feed(image, "-q", "-", "-o", "out", env={**os.environ, "TMPDIR": "/proc"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "out/stdin.cat.fits").read_bytes() == expected


def test_it_stands_beside_a_configuration_and_other_images(feed, config, tmp_path):
    stored = write_sky(tmp_path / "sky.fits").read_bytes()
    assert feed(stored, "-q", config, "sky.fits", "-", "-o", "out").returncode == 0
    assert (tmp_path / "out/stdin.cat.csv").read_bytes() == (tmp_path / "out/sky.cat.csv").read_bytes()
    assert feed(stored, "-q", config, "-", "-", "-o", "two").returncode == 2


def test_a_difference_takes_one_frame_from_it(feed, run, tmp_path):
    write_sky(tmp_path / "new.fits")
    values = [-value if value < 10 else value / 2 for value in sky()]
    stored = write(tmp_path / "old.fits", hdu((WIDTH, HEIGHT), -32, values)).read_bytes()
    asked = ("-q", "--set", "difference.kernel=gaussian", "--set", "output.formats=[csv]", "--set",
             "difference.reference_fwhm=2", "--set", "difference.new_fwhm=2.5")
    named = run("difference", *asked, "old.fits", "new.fits", "-o", "named")
    piped = feed(stored, "difference", *asked, "-", "new.fits", "-o", "piped")
    assert (named.code, piped.returncode) == (0, 0), named.err
    rows = [(tmp_path / name / "new.diff.cat.csv").read_bytes() for name in ("named", "piped")]
    assert rows[0] == rows[1] and len(rows[0].splitlines()) > 1


@pytest.mark.parametrize("given, message", [
    (b"", "standard input: nothing came before it ended (0 bytes); look at the command before the pipe"),
    (IMAGE.read_bytes()[:20000], "/dev/stdin is truncated"),
    (gzip.compress(IMAGE.read_bytes())[:20000], "/dev/stdin: the gzip file"),
    (b"<html>404 Not Found</html>", "/dev/stdin"),
], ids=["empty", "interrupted", "interrupted gzip", "no FITS"])
def test_a_pipe_that_ends_early_is_an_input_error(feed, tmp_path, given, message):
    done = feed(given, "-q", "-", "-o", "out")
    assert done.returncode == 3 and message in done.stderr.decode()
    assert len(done.stderr.splitlines()) == 1
    assert not list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True


@pytest.mark.parametrize("endless", ["yes", "yes | gzip", "cat /dev/zero", "yes '<html>'"])
def test_a_stream_that_is_no_fits_ends_at_once_though_it_has_no_end(tmp_path, endless):
    writer = subprocess.Popen(["bash", "-c", endless], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "-q", "-", "-o", "out"], cwd=tmp_path, stdin=writer.stdout,
                          capture_output=True, timeout=20)
    writer.stdout.close()
    writer.wait(20)
    assert done.returncode == 3 and b"/dev/stdin: not a FITS file" in done.stderr, done.stderr


def test_a_writer_that_is_killed_leaves_a_truncated_image(config, tmp_path):
    """A real pipe, whose writer dies in the middle."""
    write_sky(tmp_path / "sky.fits")
    writer = subprocess.Popen(["sh", "-c", "head -c 4000 sky.fits; kill -9 $$"], cwd=tmp_path, stdout=subprocess.PIPE)
    reader = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "-q", config, "-"], cwd=tmp_path, stdin=writer.stdout,
                            capture_output=True, timeout=120)
    assert writer.wait() == -signal.SIGKILL
    assert reader.returncode == 3 and b"/dev/stdin is truncated" in reader.stderr


def test_the_copy_needs_room_and_leaves_nothing(feed, config, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    stored = write_sky(tmp_path / "sky.fits").read_bytes()
    elsewhere = {**os.environ, "TMPDIR": str(scratch)}
    assert feed(stored, "-q", config, "-", env=elsewhere).returncode == 0
    assert not list(scratch.iterdir())
    done = feed(stored, "-q", config, "-", env=elsewhere, preexec_fn=limit_file_size)
    assert done.returncode == 3 and f"{scratch}: " in done.stderr.decode() and b"where TMPDIR says" in done.stderr
    assert not list(scratch.iterdir())


def limit_file_size():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))


def test_a_terminal_a_closed_and_a_strange_input_are_answered(feed, tmp_path):
    terminal, inside = os.openpty()
    done = feed(inside, "-q", "-")
    assert done.returncode == 3 and b"standard input: this is a terminal" in done.stderr
    os.close(terminal), os.close(inside)
    done = subprocess.run(["sh", "-c", '"$0" -q - <&-', os.environ["SRCEXTRACT_PROGRAM"]], capture_output=True, cwd=tmp_path)
    assert done.returncode == 3 and b"nothing came" in done.stderr
    directory = os.open(tmp_path, os.O_RDONLY)
    done = feed(directory, "-q", "-")
    os.close(directory)
    assert done.returncode == 3 and b"standard input: this is a directory" in done.stderr
    for survey in (["-"], ["c.yaml", "-"]):
        done = feed(b"", "batch", *survey, "-o", "out")
        assert done.returncode == 2 and b"- is standard input, and a survey reads its images from files" in done.stderr


@pytest.mark.parametrize("arguments", [
    ["pipe", "sky.fits"], ["c.yaml", "sky.fits", "--set", "convolve.kernel=file", "--set", "convolve.file=pipe"],
    ["sky.fits", "--log-file", "pipe"], ["batch", "pipe", "sky.fits", "-o", "out"],
    ["batch", "sky.fits", "-o", "out", "--log-file", "pipe"], ["inject", "pipe", "sky.fits"],
    ["compare", "sky.csv", "sky.csv", "pipe"], ["sextractor", "sky.fits", "-c", "pipe"],
    ["sextractor", "sky.fits", "-PARAMETERS_NAME", "pipe"], ["sextractor", "sky.fits", "-FILTER_NAME", "pipe"],
    ["sextractor", "sky.fits", "-STARNNW_NAME", "pipe"], ["convert-config", "pipe"]], ids=" ".join)
def test_a_named_pipe_is_refused_at_once(run, image, config, tmp_path, arguments):
    """Where nobody writes to it or reads it, it would be waited for without end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "sky.csv").write_text("X_IMAGE,Y_IMAGE\n1,2\n")
    (tmp_path / "default.param").write_text("NUMBER\n")
    (tmp_path / "default.sex").write_text("PARAMETERS_NAME default.param\nFILTER N\n" if "-FILTER_NAME" not in arguments else
                                          "PARAMETERS_NAME default.param\n")
    if "-STARNNW_NAME" in arguments:
        (tmp_path / "default.param").write_text("CLASS_STAR\n")
    done = driver.run_program(*arguments, cwd=tmp_path)
    assert done.code in (2, 3) and re.search("pipe: .*(named pipe|not a regular file)", done.err), done.err


def test_a_pipe_without_a_name_is_a_configuration(image, config, tmp_path):
    done = subprocess.run(["bash", "-c", f'"$SRCEXTRACT_PROGRAM" -q <(cat {config}) sky.fits -o out'], cwd=tmp_path,
                          capture_output=True, timeout=60)
    assert done.returncode == 0 and (tmp_path / "out/sky.cat.csv").exists(), done.stderr
