"""Files that are no FITS: the message says how to make FITS of each, and that command does it where its program is there."""

import bz2
import importlib.util
import lzma
import os
import shlex
import shutil
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import RESULTS, field


def refused(run, configure, name):
    """What is said of it, alone or behind a configuration."""
    alone, behind = run("-q", name, "-o", "out"), run("-q", configure(RESULTS), name, "-o", "out")
    assert alone.code == behind.code == 3 and alone.err == behind.err and "not a FITS file but " in alone.err, alone.err
    return alone.err.strip()


@pytest.fixture
def image(tmp_path):
    fits.PrimaryHDU(field(1)).writeto(tmp_path / "plain.fits")
    return (tmp_path / "plain.fits").read_bytes()


PACKED = {"bz2": (bz2.compress, "bzip2"), "xz": (lzma.compress, "xz"), "zst": (None, "zstd"), "Z": (None, "compress")}


def pack(path, kind, data):
    make, program = PACKED[kind]
    if make is None and shutil.which(program) is None:
        begin = {"zst": b"\x28\xb5\x2f\xfd", "Z": b"\x1f\x9d\x90"}[kind]
        path.write_bytes(begin + bytes(100))
        return False
    path.write_bytes(make(data) if make else subprocess.run([program, "-c"], input=data, capture_output=True, check=True).stdout)
    return True


@pytest.mark.parametrize("name", ("sky.fits", "it's a sky $x.fits", "sky"))
@pytest.mark.parametrize("kind", PACKED)
def test_packed_files_are_unpacked_by_the_command(run, configure, tmp_path, image, kind, name):
    path = tmp_path / f"{name}.{kind}"
    whole = pack(path, kind, image)
    command = refused(run, configure, path.name).split("unpack it: ")[1]
    words = shlex.split(command)
    assert words[-1] == path.name and words[0] == {"bz2": "bzip2", "xz": "xz", "zst": "zstd", "Z": "gzip"}[kind]
    if whole and shutil.which(words[0]):
        subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
        assert (tmp_path / name).read_bytes() == image


def test_a_packed_file_under_another_name(run, configure, tmp_path, image):
    """What is in the file counts, and not its name."""
    (tmp_path / "sky.fits").write_bytes(bz2.compress(image))
    assert "bzip2 -dk sky.fits" in refused(run, configure, "sky.fits")


def test_packed_standard_input(configure, tmp_path, image):
    done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "-q", configure(RESULTS), "-", "-o", "out"], cwd=tmp_path,
                          input=lzma.compress(image), capture_output=True, timeout=120)
    assert done.returncode == 3 and b"xz -dc before the pipe" in done.stderr, done.stderr


PICTURES = {"png": ("PIL", "a PNG picture"), "jpg": ("PIL", "a JPEG picture"), "tif": ("tifffile", "a TIFF picture")}


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_become_fits_by_the_line_of_python(run, configure, tmp_path, kind):
    module, called = PICTURES[kind]
    pixels = np.clip(field(1), 0, 255).astype(np.uint8)
    path = tmp_path / f"my sky.{kind}"
    if importlib.util.find_spec("PIL") is None:
        path.write_bytes({"png": b"\x89PNG\r\n\x1a\n", "jpg": b"\xff\xd8\xff\xe0", "tif": b"II*\0"}[kind] + bytes(100))
    else:
        from PIL import Image
        Image.fromarray(pixels).save(path)
    said = refused(run, configure, path.name)
    assert called in said
    command = "python3 -c " + said.split("python3 -c ")[1]
    words = shlex.split(command)
    assert words[-2:] == [path.name, "my sky.fits"]
    compile(words[2], "the line", "exec")
    if importlib.util.find_spec("PIL") is None or importlib.util.find_spec(module) is None:
        return
    subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, check=True)
    made = fits.getdata(tmp_path / "my sky.fits")
    assert made.shape == pixels.shape and np.max(np.abs(made.astype(float) - pixels)) <= (25 if kind == "jpg" else 0)


@pytest.mark.parametrize("name, begin, said", (
    ("a.xisf", b"XISF0100", "an XISF image"), ("a.cr2", b"II*\0\x10\0\0\0CR\2\0", "a raw file"), ("a.NEF", b"MM\0*\0\0\0\x08", "a raw file"),
    ("a.dng", b"II*\0\x08\0\0\0", "a raw file"), ("a.cr3", b"\0\0\0\x18ftypcrx \0\0\0\1", "a raw file"),
    ("a.raf", b"FUJIFILMCCD-RAW ", "a raw file"), ("a.tiff", b"MM\0*\0\0\0\x08", "a TIFF picture"),
    ("a.zip", b"PK\3\4\x14\0\0\0", "unzip a.zip"), ("a.fits", b"<!DOCTYPE html><html>", "a web page"),
))
def test_other_kinds(run, configure, tmp_path, name, begin, said):
    (tmp_path / name).write_bytes(begin + bytes(200))
    message = refused(run, configure, name)
    assert said in message
    if "python3 -c" in message:
        compile(shlex.split("python3 -c " + message.split("python3 -c ")[1].split(" (one colour")[0])[2], "the line", "exec")
