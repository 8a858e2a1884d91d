"""Frames of several planes and of two epochs: what is subtracted from what, what is refused, and what is kept."""

import csv
import json

import pytest

from fits_files import HEIGHT, WIDTH, hdu, sky, write


def changed(y):
    """The sky with a third source, 5 x 2 pixels of 30 in rows y and y + 1 from column 30."""
    pixels = sky()
    for row in (y, y + 1):
        pixels[row * WIDTH + 30:row * WIDTH + 35] = [30.0] * 5
    return pixels


def swapped(pixels):
    """The same with its noise turned over, so that the difference of two frames has some."""
    return [-value if abs(value) == 1 else value for value in pixels]


def extension(pixels):
    return hdu((WIDTH, HEIGHT), values=pixels, primary=False)


def sources(path):
    with open(path, newline="") as file:
        return [(int(row["SIGN"]), round(float(row["Y_IMAGE"]), 1)) for row in csv.DictReader(file)]


@pytest.fixture
def frames(tmp_path):
    write(tmp_path / "old.fits", hdu((), 8), extension(sky()), extension(changed(25)))
    write(tmp_path / "new.fits", hdu((), 8), extension(swapped(changed(15))), extension(swapped(sky())))


@pytest.mark.usefixtures("frames")
def test_every_hdu_is_held_against_that_of_its_number(run, config, tmp_path):
    done = run("difference", config, "old.fits", "new.fits", "--set", "input.hdu=all",
               "--set", "difference.kernel=gaussian", "-o", "out")
    assert done.code == 0, done.err
    assert sources(tmp_path / "out/new.diff.hdu1.cat.csv") == [(1, 16.5)]
    assert sources(tmp_path / "out/new.diff.hdu2.cat.csv") == [(-1, 26.5)]
    report = json.loads((tmp_path / "out/new.diff.hdu2.run.json").read_text())
    assert report["reference"]["hdu"] == 2


@pytest.mark.usefixtures("frames")
@pytest.mark.parametrize("settings, said", [
    (["detection.threshold_unit=absolute", "detection.threshold=-5"],
     "--set detection.threshold=-5: a pixel of a difference is above a threshold below 0"),
    (["combine.method=mean", "combine.files=[sky.fits]"], "--set combine.files=[sky.fits]: the same files would be"),
    (["difference.kernel=gaussian", "difference.reference_fwhm=12", "difference.new_fwhm=3"],
     "--set difference.new_fwhm=3: the kernel, 41 x 41 pixels, is larger than the image, 40 x 30 pixels"),
])
def test_a_difference_that_means_nothing_is_refused(run, config, settings, said):
    done = run("difference", config, "old.fits", "new.fits", *(word for s in settings for word in ("--set", s)))
    assert done.code == 2 and said in done.err, done.err


def test_the_planes_of_a_cube_are_counted(run, config, tmp_path):
    write(tmp_path / "cube.fits", hdu((2, 2, 70), values=[0.0] * 280))
    done = run(config, "cube.fits", "--set", "combine.method=median")
    assert done.code == 2 and "there are 70 planes to combine, but it takes 1 to 64" in done.err


def test_a_kernel_is_not_replaced_by_an_output(run, config, image, tmp_path):
    kernel = tmp_path / "out/sky.cat.csv"
    kernel.parent.mkdir()
    kernel.write_text("CONV NORM\n1 2 1\n")
    done = run("batch", config, image, "-o", "out", "--set", "convolve.kernel=file", "--set", f"convolve.file={kernel}")
    assert done.code == 6 and "would replace" in done.err, done.err
    assert kernel.read_text() == "CONV NORM\n1 2 1\n"
