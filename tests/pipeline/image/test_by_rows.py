"""Images that do not fit into --memory: the same bytes, in less memory, or a refusal that says why."""

import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

SAYS_SO = "its rows are read several times instead"
SHAPE = (2300, 3100)


def moffat_stars(seed):
    """Elliptical Moffat stars on a sloping sky with correlated noise."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 10, SHAPE).astype("f4")
    image = 1000 + (noise + np.roll(noise, 1, 0) + np.roll(noise, 1, 1)) / 1.7
    image += np.linspace(0, 80, SHAPE[1], dtype="f4")
    y, x = np.mgrid[-15:16, -15:16]
    for _ in range(2500):
        row, column = rng.integers(15, SHAPE[0] - 16), rng.integers(15, SHAPE[1] - 16)
        u, v = x - rng.uniform(-0.5, 0.5), (y - rng.uniform(-0.5, 0.5)) * rng.uniform(1, 2)
        star = 10 ** rng.uniform(1.5, 4) * (1 + (u * u + v * v) / 8) ** -2.5
        image[row - 15:row + 16, column - 15:column + 16] += star
    image[1000:1040, 500:2000] = np.nan
    return image.astype(">f4")


@pytest.fixture(scope="module", params=[1, 2] if "SRCEXTRACT_LONG" in os.environ else [1])
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"seed{request.param}")
    sky = moffat_stars(request.param)
    fits.writeto(folder / "sky.fits", sky)
    other = moffat_stars(request.param + 10)
    other[:, ::2] -= 2 * (other[:, ::2] > 1200) * (other[:, ::2] - 1200)  # holes
    fits.writeto(folder / "other.fits", other)
    level = np.broadcast_to(np.linspace(1000, 1080, SHAPE[1], dtype="f4"), SHAPE).astype(">f4")
    level[5:9, 700:900] = np.nan
    fits.writeto(folder / "level.fits", level)
    fits.writeto(folder / "cube.fits", np.stack([sky, other, sky + 3]).astype(">f4"))
    rng = np.random.default_rng(request.param)
    fits.writeto(folder / "bad.fits", (rng.random(SHAPE) < 0.01).astype("u1"))
    weights = np.linspace(1, 2, SHAPE[0], dtype="f4")[:, None] * np.ones(SHAPE, "f4")
    weights[rng.random(SHAPE) < 0.01] = 0
    fits.writeto(folder / "weights.fits", weights.astype(">f4"))
    return folder


def extract(folder, out, *options, image="sky.fits"):
    command = [os.environ["SRCEXTRACT_PROGRAM"], "--backend", "cpu", "-o", out, *options]
    command += [image] if image else []
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def outputs(folder, out):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder, out).glob("*.[fp][in][tg]*"))}


def without_times(page):
    """The lines of a report that do not tell when the run was, and how long its steps took."""
    return [line for line in page.read_text().splitlines()
            if not re.match(r'<tr><th scope="row">[\w ]+</th><td( class="number")?>[\d.:TZ, -]+', line)]


@pytest.mark.parametrize("options", [
    [],
    ["--set", "output.segmentation=true"],
    ["--set", "output.columns=[all, 'VIGNET(21,21)']", "--set", "measurement.gain=2"],
    ["--set", "output.check_images=[background, rms, -background, filtered, objects, -objects, snr, threshold, apertures]"],
    ["--set", "background.method=constant", "--set", "deblend.clean=false"],
    ["--set", "mask.file=bad.fits"],
    ["--set", "weights.type=weight", "--set", "weights.file=weights.fits", "--set", "mask.file=bad.fits",
     "--set", "output.check_images=[rms, snr]"],
    ["--set", "weights.type=weight", "--set", "weights.file=weights.fits", "--set", "weights.interpolate=all",
     "--set", "output.check_images=[rms, -background]"],
    ["-d", "other.fits", "--set", "output.segmentation=true", "--set", "output.check_images=[-background, filtered]",
     "--detect-set", "mask.file=bad.fits"],
    ["-d", "cube.fits", "--detect-set", "combine.method=chi_square", "--detect-set", "combine.planes=[1, 2, 3]",
     "--detect-set", "weights.type=weight", "--detect-set", "weights.file=weights.fits"],
    ["--set", "detection.sign=both", "--set", "output.check_images=[-background, -objects, threshold]"],
    ["--set", "detection.sign=negative", "--set", "background.method=constant"],
    ["--set", "background.method=constant",
     "--set", "output.check_images=[background, rms, -background, filtered, objects, -objects, snr]",
     "--set", "output.columns=[default, 'VIGNET(21,21)']"],
    ["--set", "background.level=level.fits", "--set", "output.check_images=[background, -background]"],
    ["--set", "output.quicklook=true", "--set", "quicklook.size=4000"],
], ids=["default", "segmentation", "every column and cut-outs", "check images", "one sky", "mask", "weights",
        "interpolated", "detection image", "combined detection image", "both signs", "negative", "check images of one sky", "level",
        "picture"])
def test_the_bytes_are_those_of_the_whole_image(folder, options):
    whole = extract(folder, "whole", *options)
    rows = extract(folder, "rows", *options, "--memory", "32M", "--threads", "2")
    assert whole.returncode == rows.returncode == 0, rows.stderr
    assert outputs(folder, "whole") == outputs(folder, "rows") != {}
    assert SAYS_SO in rows.stderr and SAYS_SO not in whole.stderr


def test_combined_planes_give_the_bytes_of_the_whole_image(folder):
    options = ["--set", "combine.method=median", "--set", "combine.planes=[1, 2, 3]", "--set", "output.quicklook=true"]
    whole = extract(folder, "whole", *options, image="cube.fits")
    rows = extract(folder, "rows", *options, "--memory", "32M", image="cube.fits")
    assert whole.returncode == rows.returncode == 0, rows.stderr
    assert outputs(folder, "whole") == outputs(folder, "rows") != {}
    assert SAYS_SO in rows.stderr and SAYS_SO not in whole.stderr


def test_images_of_a_gzipped_file_share_its_memory_in_turn(folder):
    """The file takes 7.6 MB, an image 9 MB as a whole, all three 34 MB. No memory is refused that is more than an accepted one."""
    images = [fits.ImageHDU(moffat_stars(seed)[:700, :900]) for seed in (21, 22, 23)]
    fits.HDUList([fits.PrimaryHDU(), *images]).writeto(folder / "three.fits.gz", overwrite=True)
    made = {}
    for memory in ("8M", "11M", "13M", "20M", "30M"):
        done = extract(folder, f"of{memory}", "--set", "input.hdu=all", "--memory", memory, image="three.fits.gz")
        assert done.returncode == (1 if memory == "8M" else 0), done.stderr
        made[memory] = outputs(folder, f"of{memory}")
        assert done.stderr.count(SAYS_SO) == (3 if memory in ("11M", "13M") else 0), done.stderr
    assert made["8M"] == {}
    assert made["11M"] == made["13M"] == made["20M"] == made["30M"] and len(made["30M"]) == 3


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crowded")
    rng = np.random.default_rng(4)
    sky = rng.normal(100, 5, (900, 1200)).astype("f4")
    y, x = np.mgrid[-7:8, -7:8]
    for _ in range(20000):
        row, column, light = rng.integers(7, 893), rng.integers(7, 1193), 10 ** rng.uniform(1.5, 3)
        sky[row - 7:row + 8, column - 7:column + 8] += light * (1 + (x * x + 1.5 * y * y) / 3) ** -2.5
    for name, image in (("sky", sky), ("other", sky + 1)):
        fits.writeto(folder / f"{name}.fits", image.astype(">f4"))
    return folder


@pytest.mark.parametrize("bands, memories", [([], (20, 22, 25, 28, 31, 60)),
                                             (["-d", "sky.fits", "--band", "a=sky.fits", "--band", "b=other.fits"],
                                              (26, 28, 32, 36, 40, 44, 60))])
def test_an_image_whose_sources_leave_too_little_memory_begins_again_by_rows(crowded, bands, memories):
    """How many sources there are shows only after the whole image was begun. No memory is refused that is more than an
    accepted one."""
    told, made = "", set()
    for memory in memories:
        out = f"{len(bands)}_{memory}"
        command = ["--set", "detection.threshold=3.5", "--memory", f"{memory}M", *bands]
        done = extract(crowded, out, *command, image=None if bands else "sky.fits")
        assert done.returncode == 0, f"{memory}: {done.stderr}"
        told += done.stderr
        made.update(outputs(crowded, out).values())
    assert len(made) == 1 and SAYS_SO not in done.stderr
    assert re.search(rf"and beside the image there are \d+ MB; {SAYS_SO}", told)


def test_the_largest_band_decides_whether_bands_go_by_rows(folder):
    """A band with weights needs more than one without, as a whole; by rows less than the other as a whole."""
    light = ["-d", "sky.fits", "--band", "a=sky.fits", "--band", "b=other.fits"]
    heavy = [*light, "--band-set", "b:weights.file=weights.fits", "--band-set", "b:weights.type=variance"]
    for memory in range(60, 300, 10):
        if SAYS_SO not in extract(folder, "light", *light, "--memory", f"{memory}M", image=None).stderr:
            break
    rows = extract(folder, "heavy_rows", *heavy, "--memory", f"{memory}M", image=None)
    whole = extract(folder, "heavy_whole", *heavy, image=None)
    assert SAYS_SO in rows.stderr and SAYS_SO not in whole.stderr
    assert outputs(folder, "heavy_rows") == outputs(folder, "heavy_whole") != {}


def test_files_that_hold_memory_and_others_that_wait_for_it_end(folder):
    """A gzipped file takes most of the memory, and a worker waits for it with an image of the other file."""
    images = fits.HDUList([fits.PrimaryHDU()] + [fits.ImageHDU(moffat_stars(seed)[:500, :600]) for seed in (31, 32, 33)])
    for name in ("plain.fits", "held.fits.gz", "plain2.fits"):
        images.writeto(folder / name, overwrite=True)
    for memory in ("10M", "14M", "20M"):
        command = [os.environ["SRCEXTRACT_PROGRAM"], "batch", "-q", "--backend", "cpu", "--threads", "4", "-o", f"held{memory}", "--memory",
                   memory, "--set", "input.hdu=all", "--set", "detection.threshold=8", "held.fits.gz", "plain.fits", "plain2.fits"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert len(list((folder / f"held{memory}").glob("*.cat.fits"))) == 9


def test_a_report_is_that_of_the_whole_image(folder):
    pages = []
    for memory in ("4G", "32M"):
        done = extract(folder, memory, "--set", "output.report=true", "--set", "background.level=level.fits", "--memory",
                       memory)
        assert done.returncode == 0 and (SAYS_SO in done.stderr) == (memory == "32M"), done.stderr
        pages.append(without_times(folder / memory / "sky.report.html"))
    assert pages[0] == pages[1] and len(pages[0]) > 100


@pytest.mark.parametrize("interpolated", ["NONE", "ALL"])
def test_sextractors_check_images_are_those_of_the_whole_image(folder, interpolated):
    """There pixels that a map of weights masks have the values of the image. The machine has as little memory as
    /proc/meminfo tells."""
    (folder / "meminfo").write_text("MemAvailable: 30000 kB\n")
    little = ["unshare", "-rm", "sh", "-c", "mount --bind meminfo /proc/meminfo && exec \"$@\"", "sh"]
    if shutil.which("unshare") is None or subprocess.run([*little, "true"], cwd=folder).returncode != 0:
        pytest.skip("nothing may be mounted")
    (folder / "sex.param").write_text("NUMBER\nX_IMAGE\nFLUX_AUTO\n")
    made = []
    for memory, before in (("all", []), ("little", little)):
        names = [f"{name}{memory}.fits" for name in ("sub", "filtered", "same")]
        done = subprocess.run(
            [*before, os.environ["SRCEXTRACT_PROGRAM"], "sextractor", "sky.fits", "-PARAMETERS_NAME", "sex.param", "-FILTER_NAME",
             "default.conv", "-WEIGHT_TYPE", "MAP_WEIGHT", "-WEIGHT_IMAGE", "weights.fits", "-INTERP_TYPE", interpolated, "-CATALOG_NAME",
             f"{memory}.cat", "-CATALOG_TYPE", "FITS_1.0", "-CHECKIMAGE_TYPE", "-BACKGROUND,FILTERED,IDENTICAL",
             "-CHECKIMAGE_NAME", ",".join(names)], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and (SAYS_SO in done.stderr) == (memory == "little"), done.stderr
        made.append([fits.getdata(folder / name).tobytes() for name in names])
    assert made[0] == made[1]


def test_what_needs_the_whole_image_is_refused(folder):
    done = extract(folder, "refused", "--memory", "32M", "--set", "measurement.noise=apertures")
    assert done.returncode == 1
    assert "it needs about" in done.stderr and "--memory allows" in done.stderr


def test_light_at_positions_is_that_of_the_whole_image(folder):
    rng = np.random.default_rng(3)
    places = np.column_stack([rng.uniform(-50, SHAPE[1] + 50, 3000), rng.uniform(-50, SHAPE[0] + 50, 3000),
                              rng.uniform(1, 9, 3000), rng.uniform(1, 4, 3000), rng.uniform(-90, 90, 3000)])
    names = "X_IMAGE,Y_IMAGE,A_IMAGE,B_IMAGE,THETA_IMAGE"
    np.savetxt(folder / "places.csv", places, fmt="%.4f", delimiter=",", header=names, comments="")
    options = ["--positions", "places.csv", "--set", "weights.type=weight", "--set", "weights.file=weights.fits",
               "--set", "measurement.apertures=[3, 60]"]
    whole, rows = extract(folder, "whole", *options), extract(folder, "rows", *options, "--memory", "32M")
    assert whole.returncode == rows.returncode == 0, rows.stderr
    forced = [{name: content for name, content in outputs(folder, out).items() if "forced" in name}
              for out in ("whole", "rows")]
    assert forced[0] == forced[1] != {}
    assert SAYS_SO in rows.stderr and SAYS_SO not in whole.stderr
