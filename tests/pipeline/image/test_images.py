"""Images through the program: outputs, exit codes, and that nothing is lost."""

import csv
import json
import math
import os
import re
import resource
import signal

import pytest

from fits_files import HEIGHT, TAN, WIDTH, card, hdu, sky, write, write_sky


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def names(directory):
    return sorted(p.name for p in directory.iterdir())


def report(path):
    return json.loads(path.read_text())


def set_formats(*formats):
    return ("--set", f"output.formats=[{','.join(formats)}]")


EVERYTHING = (*set_formats("fits", "ecsv", "csv", "reg"), "--set", "output.segmentation=true")


def check_sky_catalogue(path):
    """fits_files.sky() measured by hand."""
    first, second = rows(path)
    assert (first["NUMBER"], second["NUMBER"]) == ("1", "2")
    assert [float(first[c]) for c in ("X_IMAGE", "Y_IMAGE", "NPIX", "FLUX_ISO", "FLUX_MAX")] == [12, 6.5, 6, 600, 100]
    assert [float(second[c]) for c in ("X_IMAGE", "Y_IMAGE", "NPIX", "FLUX_ISO", "FLUX_MAX")] == [23, 21, 5, 290, 70]
    assert [second[c] for c in ("XMIN_IMAGE", "XMAX_IMAGE", "XPEAK_IMAGE", "FLAGS")] == ["21", "25", "23", "0"]


def test_the_sources_of_a_known_sky(run, config, image, tmp_path):
    done = run(config, image)
    assert done.code == 0 and done.out == ""
    assert names(tmp_path) == ["c.yaml", "sky.cat.csv", "sky.fits", "sky.run.json"]
    check_sky_catalogue(tmp_path / "sky.cat.csv")


def test_the_record_is_a_choice(run, config, image, tmp_path):
    assert run(config, image, record=False).code == 0
    assert names(tmp_path) == ["c.yaml", "sky.cat.csv", "sky.fits"]
    check_sky_catalogue(tmp_path / "sky.cat.csv")
    first = (tmp_path / "sky.cat.csv").read_bytes()
    done = run(config, image, "--record", "-o", "out", record=False)
    assert done.code == 0 and "earlier run" not in done.err
    assert names(tmp_path / "out") == ["sky.cat.csv", "sky.run.json"]
    assert (tmp_path / "out/sky.cat.csv").read_bytes() == first
    older = (tmp_path / "out/sky.run.json").read_bytes()
    done = run(config, image, "-o", "out", record=False)
    assert done.code == 0 and "sky.run.json is of an earlier run and stays; add --record" in done.err
    assert (tmp_path / "out/sky.run.json").read_bytes() == older
    assert run("batch", "-o", "survey", config, image, record=False).code == 0
    assert {"sky.cat.csv", "sky.run.json"} <= set(names(tmp_path / "survey"))


@pytest.mark.parametrize("bitpix", [16, 32, 64, -32, -64])
def test_every_signed_type_gives_the_same_sources(run, config, tmp_path, bitpix):
    write_sky(tmp_path / "sky.fits", bitpix)
    assert run(config, "sky.fits", "-o", "out").code == 0
    check_sky_catalogue(tmp_path / "out/sky.cat.csv")


def test_sky_positions(run, config, tmp_path):
    write_sky(tmp_path / "sky.fits", **TAN)
    done = run(config, "sky.fits", "--backend", "cpu")
    assert done.code == 0 and "no sky positions" not in done.err
    second = rows(tmp_path / "sky.cat.csv")[1]
    # (2.5, 5.5) arc minutes from the tangent point; the plane's curvature is below 1e-5 degrees here.
    dec = 2 + 5.5 / 60
    assert float(second["DELTA_J2000"]) == pytest.approx(dec, abs=1e-5)
    assert float(second["ALPHA_J2000"]) == pytest.approx(150 - 2.5 / 60 / math.cos(math.radians(dec)), abs=1e-5)


def test_every_output_goes_into_a_new_directory(run, config, image, tmp_path):
    done = run(config, image, "-o", "new/out", *EVERYTHING)
    assert done.code == 0
    written = ["sky.cat.csv", "sky.cat.ecsv", "sky.cat.fits", "sky.reg", "sky.run.json", "sky.seg.fits"]
    assert names(tmp_path / "new/out") == written
    assert sorted(os.path.basename(p) for p in report(tmp_path / "new/out/sky.run.json")["outputs"]) == written


def test_astropy_reads_the_catalogue_and_the_labels(run, config, image, tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    assert run(config, image, *set_formats("fits"), "--set", "output.segmentation=true").code == 0
    table = fits.getdata(tmp_path / "sky.cat.fits", 1)
    assert list(table["FLUX_ISO"]) == [600, 290]
    labels = fits.getdata(tmp_path / "sky.seg.fits")
    assert labels.shape == (HEIGHT, WIDTH)
    assert (labels[5:7, 10:13] == 1).all() and (labels[20, 20:25] == 2).all() and (labels > 0).sum() == 11


def test_the_same_bytes_whatever_the_threads_and_the_directory(run, config, tmp_path):
    write_sky(tmp_path / "sky.fits", **TAN)
    contents = []
    for threads, directory in ((1, "a"), (1, "b"), (2, "c"), (7, "d")):
        assert run(config, "sky.fits", "-o", directory, "--threads", threads, *EVERYTHING).code == 0
        contents.append({p.name: p.read_bytes() for p in (tmp_path / directory).iterdir() if p.name != "sky.run.json"})
    assert len(contents[0]) == 5
    assert all(content == contents[0] for content in contents)


def test_the_report_tells_how_the_catalogue_was_made(run, config, image, tmp_path):
    assert run(config, image, "--backend", "cpu", "--threads", 2).code == 0
    told = report(tmp_path / "sky.run.json")
    assert told["program"]["name"] == "srcextract" and "CFITSIO" in told["program"]["libraries"]
    assert told["input"]["bytes"] == image.stat().st_size
    assert (told["input"]["width"], told["input"]["height"], told["input"]["bitpix"]) == (WIDTH, HEIGHT, -32)
    assert told["counts"] == {"pixels": WIDTH * HEIGHT, "masked_nan": 0, "masked_infinite": 0, "masked_blank": 0,
                              "masked_weight": 0, "masked_mask": 0, "masked_level": 0,
                              "components": 2, "sources": 2, "source_pixels": 11}
    everything = told["background"]["all"]
    pixels = sky()
    mean = math.fsum(pixels) / len(pixels)
    assert everything["mean"] == pytest.approx(mean, rel=1e-14)
    assert everything["sigma"] == pytest.approx(math.sqrt(math.fsum((p - mean)**2 for p in pixels) / len(pixels)),
                                                rel=1e-14)
    assert (everything["count"], everything["min"], everything["max"]) == (WIDTH * HEIGHT, -1, 100)
    assert told["background"]["clipped"]["count"] == WIDTH * HEIGHT - 11 and told["background"]["converged"]
    execution = told["execution"]
    assert (execution["backend"], execution["device"], execution["threads"]) == ("cpu", None, 2)
    assert [step["step"] for step in execution["steps"]] == [
        "ingest", "background", "threshold", "label", "measure", "columns", "sky", "warnings", "checksum", "write"]
    assert execution["seconds"] >= max(step["seconds"] for step in execution["steps"])
    assert execution["start"].endswith("Z") and execution["command"][-1] == "2"
    assert told["sky"] != "ok"


def test_the_report_tells_of_the_meshes(run, configure, tmp_path):
    """Two meshes, of which one is the brighter and the noisier, and one that is masked; values are -2, -1, 0, 1 and 2 times
    1 and 2 about the sky, as often each: of standard deviation sqrt(2) and twice that."""
    pixels = [math.nan if x >= 40 else (50 if x >= 20 else 20) + (1 + x // 20) * ((x + 2 * y) % 5 - 2)
              for y in range(20) for x in range(60)]
    write(tmp_path / "meshes.fits", hdu((60, 20), values=pixels))
    settings = "background: {mesh_size: 20, filter_size: 1}\noutput: {formats: [csv]}\n"
    assert run(configure(settings), "meshes.fits", "--backend", "cpu").code == 0
    told = report(tmp_path / "meshes.run.json")
    sky = told["background"]
    assert (sky["method"], sky["count"], sky["meshes"], sky["bad_meshes"]) == ("mesh", 800, [3, 1], 1)
    # The histogram has about a hundred bins of a tenth of sigma.
    assert sky["level_range"] == pytest.approx([20, 50], abs=0.15)
    assert sky["sigma_range"] == pytest.approx([2**0.5, 8**0.5], rel=0.02)
    assert (sky["level"], sky["sigma"]) == (sky["level_range"][1], sky["sigma_range"][1])  # of two of the three nodes
    assert told["levels"]["background"] == 0 and told["levels"]["detection"] == 5 * sky["sigma"]
    steps = [step["step"] for step in told["execution"]["steps"]]
    assert steps[1:4] == ["background", "subtract", "threshold"]


def test_the_reported_configuration_gives_the_same_catalogue(run, config, image, tmp_path):
    assert run(config, image, "--set", "detection.connectivity=4", "-o", "a").code == 0
    (tmp_path / "again.yaml").write_text(report(tmp_path / "a/sky.run.json")["config_yaml"])
    assert run("again.yaml", image, "-o", "b").code == 0
    assert (tmp_path / "a/sky.cat.csv").read_bytes() == (tmp_path / "b/sky.cat.csv").read_bytes()


def test_the_reported_checksum_is_that_of_the_fits_convention(run, config, image, tmp_path):
    assert run(config, image).code == 0
    total = 0
    data = image.read_bytes()[2880:]
    for i in range(0, len(data), 4):
        total += int.from_bytes(data[i:i + 4], "big")
        total = (total & 0xFFFFFFFF) + (total >> 32)
    assert report(tmp_path / "sky.run.json")["input"]["datasum"] == total


def test_masked_pixels_are_counted_by_kind(run, config, tmp_path):
    pixels = sky()
    pixels[0] = pixels[1] = math.nan
    pixels[2] = math.inf
    write(tmp_path / "float.fits", hdu((WIDTH, HEIGHT), -32, pixels))
    integers = [int(p) for p in sky()]
    integers[:3] = [-999] * 3
    write(tmp_path / "integer.fits", hdu((WIDTH, HEIGHT), 16, integers, BLANK=-999))
    done = run("-v", config, "float.fits", "integer.fits", "--backend", "cpu")
    assert done.code == 0
    assert "float.fits: masked pixels: 2 NaN, 1 infinite, 0 BLANK" in done.err
    assert "integer.fits: masked pixels: 0 NaN, 0 infinite, 3 BLANK" in done.err
    for stem in ("float", "integer"):
        check_sky_catalogue(tmp_path / f"{stem}.cat.csv")


def test_a_plane_of_a_cube(run, config, tmp_path):
    flat = [float(i % 2) for i in range(WIDTH * HEIGHT)]
    write(tmp_path / "cube.fits", hdu((WIDTH, HEIGHT, 2), -32, flat + sky()))
    assert run(config, "cube.fits", "--set", "input.plane=2").code == 0
    check_sky_catalogue(tmp_path / "cube.cat.csv")
    assert run(config, "cube.fits", "--set", "input.plane=3").code == 3


def test_every_hdu_is_tried_and_named(run, config, tmp_path):
    dead = hdu((4, 4), -32, [math.nan] * 16, primary=False)
    good = hdu((WIDTH, HEIGHT), -32, sky(), primary=False)
    write(tmp_path / "mef.fits", hdu((), 8), good, dead, good)
    done = run(config, "mef.fits", "--set", "input.hdu=all", "-o", "out")
    assert done.code == 3
    assert "error: HDU 2 of mef.fits: " in done.err
    assert names(tmp_path / "out") == ["mef.hdu1.cat.csv", "mef.hdu1.run.json", "mef.hdu3.cat.csv", "mef.hdu3.run.json"]
    check_sky_catalogue(tmp_path / "out/mef.hdu3.cat.csv")


def test_an_image_without_sources_has_an_empty_catalogue(run, config, tmp_path):
    write(tmp_path / "flat.fits", hdu((8, 8), -32, [float(i % 2) for i in range(64)]))
    assert run(config, "flat.fits").code == 0
    text = (tmp_path / "flat.cat.csv").read_text()
    assert text.startswith("NUMBER,X_IMAGE") and text.count("\n") == 1


def test_a_bad_image_does_not_stop_the_others(run, config, image, tmp_path):
    (tmp_path / "junk.fits").write_bytes(b"this is no FITS file")
    done = run(config, "missing.fits", image, "junk.fits", "-o", "out")
    assert done.code == 3
    assert "error: missing.fits: " in done.err and "error: junk.fits: " in done.err
    assert names(tmp_path / "out") == ["sky.cat.csv", "sky.run.json"]


def with_card(keyword, value):
    """An image of 4 x 4 pixels whose header says something else in one card."""
    image = hdu((4, 4), 16, [7, 8] * 8)
    begin = image.index(keyword.encode())
    return image[:begin] + card(keyword, value).encode() + image[begin + 80:]


BAD_IMAGES = {
    "empty": b"",
    "text": b"Dear astronomer, this is not FITS. " * 200,
    "header only": hdu((WIDTH, HEIGHT)),
    "truncated": hdu((WIDTH, HEIGHT), -32, sky())[:-2880],
    "no axes": hdu((), 8),
    "all NaN": hdu((4, 4), -32, [math.nan] * 16),
    "constant": hdu((4, 4), 16, [7] * 16),
    "bad BITPIX": with_card("BITPIX", 17),
    "negative axis": with_card("NAXIS1", -4),
    "absurd axes": with_card("NAXIS1", 9000000000000000000),
}


@pytest.mark.parametrize("kind", BAD_IMAGES)
def test_a_bad_image_is_an_input_error_and_keeps_the_old_outputs(run, config, image, tmp_path, kind):
    assert run(config, image).code == 0
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    image.write_bytes(BAD_IMAGES[kind])
    before["sky.fits"] = BAD_IMAGES[kind]
    done = run(config, image)
    assert done.code == 3
    assert done.out == ""
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and errors[0].count(str(image)) == 1
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_a_constant_image_says_what_to_set(run, config, tmp_path):
    write(tmp_path / "flat.fits", hdu((4, 4), 16, [7] * 16))
    for method in ("constant", "mesh"):
        done = run(config, "flat.fits", "--set", "measurement.reference=background", "--set", f"background.method={method}")
        assert done.code == 3 and "background.kappa" in done.err and "detection.threshold_unit" in done.err


def test_an_input_is_never_replaced(run, config, image, tmp_path):
    precious = write_sky(tmp_path / "sky.cat.fits")
    content = precious.read_bytes()
    done = run(config, image, precious, *set_formats("fits"))
    assert done.code == 2 and "would replace the input" in done.err
    assert precious.read_bytes() == content
    assert names(tmp_path) == ["c.yaml", "sky.cat.cat.fits", "sky.cat.fits", "sky.cat.run.json", "sky.fits"]


def test_an_output_directory_that_cannot_be(run, config, image, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for directory in ("file", "file/below"):
        done = run(config, image, "-o", directory)
        assert done.code == 3 and "output directory" in done.err


def test_a_full_disk_leaves_no_half_file(run, config, image, tmp_path):
    def full_after_a_block():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    done = run(config, image, "-o", "out", preexec_fn=full_after_a_block, restore_signals=False)
    assert done.code == 3
    assert "sky.cat.csv" in done.err
    assert names(tmp_path / "out") == []


def old_outputs(run, config, image, directory):
    """Of an earlier run with another threshold."""
    assert run(config, image, "-o", directory, "--set", "output.segmentation=true").code == 0
    return {p.name: p.read_bytes() for p in directory.iterdir() if p.is_file()}


def test_a_report_that_cannot_be_written_leaves_every_old_output(run, config, image, tmp_path):
    out = tmp_path / "out"
    before = old_outputs(run, config, image, out)
    (out / "sky.run.json").unlink()
    (out / "sky.run.json").mkdir()
    del before["sky.run.json"]
    done = run(config, image, "-o", out, "--set", "output.segmentation=true", "--set", "detection.threshold=60")
    assert done.code == 3 and "sky.run.json: Is a directory" in done.err
    assert {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()} == before


def test_a_disk_that_fills_up_at_the_last_output_leaves_every_old_one(run, config, image, tmp_path):
    out = tmp_path / "out"
    before = old_outputs(run, config, image, out)
    limit = max(len(before["sky.cat.csv"]), 1500)
    assert limit < len(before["sky.run.json"])

    def full_after_the_catalogue():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = run(config, image, "-o", out, "--set", "detection.threshold=60", preexec_fn=full_after_the_catalogue,
               restore_signals=False)
    assert done.code == 3 and "sky.run.json" in done.err
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_too_long_a_name_says_so(run, config, tmp_path):
    name = "n" * 249 + ".fits"  # the image's own name is as long as may be
    write_sky(tmp_path / name)
    done = run(config, name, "-o", "out")
    assert done.code == 3 and "File name too long; choose a shorter name, or rename the image" in done.err
    assert names(tmp_path / "out") == []


def test_the_unit_of_the_pixels_is_that_of_the_fluxes(run, config, tmp_path):
    write_sky(tmp_path / "sky.fits", BUNIT="JY/BEAM")
    assert run(config, "sky.fits", *set_formats("ecsv")).code == 0
    text = (tmp_path / "sky.cat.ecsv").read_text()
    assert "name: FLUX_ISO, unit: 'pixel.Jy/beam'" in text and "name: FLUX_MAX, unit: 'Jy/beam'" in text
    assert "name: X2_IMAGE, unit: 'pixel**2'" in text


@pytest.mark.skipif(os.environ.get("SRCEXTRACT_SANITIZE", "") != "", reason="sanitizers: they need the address space")
def test_too_large_an_image_says_how_much_memory_it_needs(run, config, tmp_path):
    side = 40000
    path = write(tmp_path / "huge.fits", hdu((side, side), 8))
    os.truncate(path, 2880 + -(-side * side // 2880) * 2880)  # zeros that take no disk
    limit = 4 << 30
    done = run(config, path, "-o", "out", "--backend", "cpu", "--threads", 2,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.code == 1
    assert "needs about 9601 MB of memory" in done.err and "`ulimit -v` allows" in done.err
    assert names(tmp_path / "out") == []


NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


@pytest.mark.parametrize("backend", ["cuda", "compare"])
def test_a_missing_gpu_is_a_device_error(run, config, image, tmp_path, backend):
    done = run(config, image, "-o", "out", "--backend", backend, env=NO_GPU)
    assert done.code == 4
    assert done.err.startswith("error: ") and done.out == ""
    assert not (tmp_path / "out").exists()


def test_auto_takes_the_cpu_for_a_small_image_and_says_why_to_who_asks(run, config, image, tmp_path):
    done = run(config, image, "-v")
    assert done.code == 0
    assert re.search(r"back end: CPU: .* MB of pixels take about .* s on .* thread", done.err), done.err
    assert report(tmp_path / "sky.run.json")["execution"]["backend"] == "cpu"
    check_sky_catalogue(tmp_path / "sky.cat.csv")


def test_a_gpu_that_was_named_and_cannot_be_used_is_missed(run, config, image, tmp_path):
    done = run("-q", config, image, "--device", 0, env=NO_GPU)
    assert done.code == 0
    assert "warning: back end: CPU, because no GPU can be used: " in done.err
    check_sky_catalogue(tmp_path / "sky.cat.csv")


@pytest.fixture
def gpu(run, config, image):
    if run(config, image, "-o", "probe", "--backend", "cuda").code == 4:
        assert os.environ.get("SRCEXTRACT_REQUIRE_GPU", "") != "1", "SRCEXTRACT_REQUIRE_GPU=1, but no GPU can be used"
        pytest.skip("no GPU: none can be used")


def test_cuda_writes_the_same_bytes(run, config, image, tmp_path, gpu):
    for backend in ("cpu", "cuda"):
        done = run(config, image, "-o", backend, "--backend", backend, *EVERYTHING)
        assert done.code == 0
        assert report(tmp_path / backend / "sky.run.json")["execution"]["backend"] == backend
    for name in ("sky.cat.fits", "sky.cat.ecsv", "sky.cat.csv", "sky.reg", "sky.seg.fits"):
        assert (tmp_path / "cpu" / name).read_bytes() == (tmp_path / "cuda" / name).read_bytes()


def test_compare_prints_a_table_and_writes_the_outputs(run, config, image, tmp_path, gpu):
    done = run(config, image, "--backend", "compare")
    assert done.code == 0
    lines = done.out.splitlines()
    del lines[:next(i for i, line in enumerate(lines) if line.startswith("stage "))]  # the table of times
    compared = [line.split() for line in lines[1:-1]]
    assert {"ingest", "background", "label", "measure"} <= {stage for stage, *_ in compared}
    assert all(mismatches == "0" for _, _, mismatches, *_ in compared)
    assert lines[-1].endswith("agree in every stage")
    check_sky_catalogue(tmp_path / "sky.cat.csv")
    assert len(report(tmp_path / "sky.run.json")["comparison"]) == len(compared)
