"""Where people go wrong there is a word: a sky that became a source, images of a file that were not meant, frames that
nothing aligns."""

import json

import pytest

from driver import ROOT
from fits_files import HEIGHT, TAN, WIDTH, hdu, sky, write, write_sky


def lines(done, level):
    return [line for line in done.err.splitlines() if line.startswith(level + ": ")]


# --- a sky that became a source --------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings, said", [
    ({"detection": "{reference: zero}", "background": "{method: constant}"},
     "c.yaml:1:24: the threshold is counted from zero, and the sky is not zero"),
    ({"detection": "{threshold: 90, threshold_unit: absolute}", "background": "{method: constant}"},
     "is not below this pixel value"),
    ({"detection": "{threshold: -9, threshold_unit: absolute}"}, "the sky, 0 with a sigma of "),
])
def test_a_sky_that_is_one_source_is_warned_about_with_the_key(run, configure, tmp_path, settings, said):
    pixels = [100 + value for value in sky()]
    write(tmp_path / "a.fits", hdu((WIDTH, HEIGHT), values=pixels))
    (tmp_path / "c.yaml").write_text("".join(f"{section}: {keys}\n" for section, keys in settings.items()) + "extends: none\n")
    done = run("-q", "c.yaml", "a.fits", "--backend", "cpu")
    assert done.code == 0
    [warning] = lines(done, "warning")
    assert said in warning and "a.fits: source 1 has 100 % of the pixels" in warning


def test_the_lesson_on_an_image_with_a_sky_says_what_went_wrong(run, tmp_path):
    done = run("-q", ROOT / "config/lesson.yaml", ROOT / "data/sky.fits", "-o", tmp_path, "--backend", "cpu")
    [warning] = lines(done, "warning")
    assert "lesson.yaml:" in warning and "set it to background" in warning
    for name in ("default.yaml data/sky.fits", "lesson.yaml data/sky_subtracted.fits"):
        config, image = name.split()
        done = run("-q", ROOT / "config" / config, ROOT / image, "-o", tmp_path, "--backend", "cpu")
        assert done.err == ""


def test_a_twentieth_of_the_pixels_that_are_not_masked_is_no_source(run, config, tmp_path):
    # 6 and 5 pixels belong to the sources of the sky: 6 are more than a twentieth of the 111 that are left.
    nan = float("nan")
    pixels = [value if value > 10 or i % 12 == 5 else nan for i, value in enumerate(sky())]
    write(tmp_path / "a.fits", hdu((WIDTH, HEIGHT), values=pixels))
    done = run("-q", config, "a.fits", "--backend", "cpu")
    [warning] = lines(done, "warning")
    assert "source 1 has 5 % of the pixels that are not masked" in warning


def test_no_source_has_more_than_all_pixels_where_gaps_are_filled(run, config, tmp_path):
    """Every other column is interpolated: the source that the sky becomes has all 1200 pixels, of which 600 were bad."""
    write(tmp_path / "a.fits", hdu((WIDTH, HEIGHT), values=[100 + value for value in sky()]))
    write(tmp_path / "map.fits", hdu((WIDTH, HEIGHT), values=[float(i % 2 == 0) for i in range(WIDTH * HEIGHT)]))
    done = run("-q", config, "a.fits", "--backend", "cpu", "--set", "detection.reference=zero", "--set",
               "weights.type=weight", "--set", "weights.file=map.fits", "--set", "weights.interpolate=all")
    assert done.code == 0 and "a.fits: source 1 has 100 % of the pixels; " in done.err, done.err


# --- columns that an image cannot have -------------------------------------------------------------------------------


@pytest.mark.parametrize("columns, said", [
    ("[X_WORLD, ALPHA_J2000]", "the catalogue has no column at all"),
    ("[world]", "the catalogue has no column at all"),
    ("[NUMBER, X_WORLD, ALPHA_J2000]", "the catalogue has nothing of X_WORLD, ALPHA_J2000: "),
    ("[default, world]", "the catalogue has nothing of world: "),
])
def test_columns_on_the_sky_that_an_image_without_a_wcs_cannot_have(run, config, tmp_path, columns, said):
    write_sky(tmp_path / "a.fits")
    write_sky(tmp_path / "b.fits", **TAN)
    settings = ("--backend", "cpu", "-q", "--set", "output.formats=[csv,ecsv,fits,reg]", "--set",
                f"output.columns={columns}")
    [warning] = lines(run(config, "a.fits", *settings), "warning")
    assert f"--set output.columns={columns}: {said}" in warning and "give the image a celestial WCS" in warning
    assert json.loads((tmp_path / "a.run.json").read_text())["warnings"] == [warning.split("a.fits: ", 1)[1]]
    assert run(config, "b.fits", *settings).err == ""


@pytest.mark.parametrize("columns", ["[default]", "[all]", "[NUMBER, photometry]"])
def test_who_asks_for_no_column_on_the_sky_is_not_warned(run, config, tmp_path, columns):
    write_sky(tmp_path / "a.fits")
    assert run("-q", config, "a.fits", "--backend", "cpu", "--set", f"output.columns={columns}", "--set",
               "measurement.pixel_scale=1").err == ""


# --- several images of a file ----------------------------------------------------------------------------------------


def extension(name, bitpix=-32, values=None):
    return hdu((WIDTH, HEIGHT), bitpix, values or [int(v) if bitpix > 0 else v for v in sky()], primary=False,
               EXTNAME=name)


def test_the_images_that_are_not_extracted_are_named(run, config, tmp_path):
    write(tmp_path / "a.fits", hdu((), 8), extension("SCI"), extension("ERR"), hdu((), 8, primary=False),
          extension("WHT"))
    done = run(config, "a.fits", "--backend", "cpu")
    assert any("HDU 2 'ERR', HDU 4 'WHT'; input.hdu selects one, or all" in line for line in lines(done, "info"))
    assert "input.hdu" not in run(config, "a.fits", "--backend", "cpu", "--set", "input.hdu=SCI").err
    assert "input.hdu" not in run(config, write_sky(tmp_path / "b.fits"), "--backend", "cpu").err


def test_what_follows_the_first_image_may_be_damaged(run, config, tmp_path):
    write(tmp_path / "a.fits", hdu((), 8), extension("SCI"), extension("ERR"), b"XTENSION".ljust(2880))
    done = run(config, "a.fits", "--backend", "cpu")
    assert done.code == 0 and "HDU 2 'ERR'; input.hdu" in done.err


def test_masks_are_left_out_of_all_images(run, config, tmp_path):
    nothing = [0] * WIDTH * HEIGHT
    write(tmp_path / "a.fits", hdu((), 8), extension("SCI"), extension("ERR"), extension("DQ", 16, nothing),
          extension("SCI"), extension("SCI_MASK2", 32, nothing))
    done = run(config, "a.fits", "--backend", "cpu", "--set", "input.hdu=all", "-o", "out")
    assert done.code == 0, done.err
    assert any("HDU 3 'DQ', HDU 5 'SCI_MASK2'" in line for line in lines(done, "info"))
    assert sorted(path.name for path in (tmp_path / "out").glob("*.csv")) == [
        f"a.hdu{number}.cat.csv" for number in (1, 2, 4)]
    # It can still be asked for.
    assert run(config, "a.fits", "--backend", "cpu", "--set", "input.hdu=5", "--set", "detection.threshold=1").code == 3


@pytest.mark.parametrize("name, bitpix", [("DQ", -32), ("MASKED", 16), ("FLAGSTAFF", 16), ("WHT", -32), ("", 16)])
def test_what_may_be_brightness_is_extracted(run, config, tmp_path, name, bitpix):
    write(tmp_path / "a.fits", hdu((), 8), extension("SCI"), extension(name, bitpix))
    assert run(config, "a.fits", "--backend", "cpu", "--set", "input.hdu=all", "-o", "out").code == 0
    assert (tmp_path / "out/a.hdu2.cat.csv").exists()


def test_a_file_of_masks_alone_has_no_others_to_prefer(run, config, tmp_path):
    write(tmp_path / "a.fits", hdu((), 8), extension("DQ", 16), extension("MASK", 16))
    assert run(config, "a.fits", "--backend", "cpu", "--set", "input.hdu=all", "-o", "out").code == 0
    assert (tmp_path / "out/a.hdu2.cat.csv").exists()


@pytest.mark.parametrize("file, said", [
    ([hdu((4, 4), values=[1.0] * 16)], "the only HDU of the file has no name (EXTNAME); set input.hdu to auto"),
    ([hdu((), 8), hdu((4, 4), values=[1.0] * 16, primary=False)], "none of the 2 HDUs of the file has a name"),
    ([hdu((), 8), extension("ERR")], "the file has 0, 1 'ERR'; set input.hdu to one of these"),
])
def test_a_name_that_there_is_not_is_answered_with_those_that_there_are(run, config, tmp_path, file, said):
    write(tmp_path / "a.fits", *file)
    done = run(config, "a.fits", "--set", "input.hdu=SCI")
    assert done.code == 3 and "no HDU is named 'SCI'; " + said in done.err, done.err


# --- frames that nothing aligns --------------------------------------------------------------------------------------


def test_frames_without_a_wcs_are_warned_about(run, config, tmp_path):
    pixels = [-value if abs(value) == 1 else value for value in sky()]
    write_sky(tmp_path / "old.fits", **TAN)
    write(tmp_path / "new.fits", hdu((WIDTH, HEIGHT), values=pixels))
    done = run("difference", "-q", config, "old.fits", "new.fits", "--backend", "cpu", "--set", "difference.kernel=gaussian")
    assert done.code == 0
    [warning] = lines(done, "warning")
    assert "new.fits has no WCS" in warning and "taken for granted" in warning


# --- words -----------------------------------------------------------------------------------------------------------


def test_one_is_no_plural(run, config, image):
    settings = "--set", "detection.min_area=6", "--set", "background.max_iterations=1"
    one = run("-v", config, image, "--backend", "cpu", *settings).err
    assert ": 1 source above" in one and "after 1 round of clipping" in one and "on 1 CPU threads" not in one
    assert ": 2 sources above" in run(config, image, "--backend", "cpu").err


def test_a_machine_without_a_gpu_is_no_news(run, config, image):
    done = run(config, image, "--set", "output.formats=[csv]")
    assert not any("CUDA back end" in line or "no GPU" in line for line in lines(done, "info") + lines(done, "warning"))


# --- a gain that the header overrules --------------------------------------------------------------------------------


def test_a_gain_that_the_header_overrules_is_told(run, tmp_path):
    write_sky(tmp_path / "a.fits", GAIN=2.0)
    done = run("-q", "a.fits", "--set", "measurement.gain=50", "--backend", "cpu")
    [warning] = lines(done, "warning")
    assert "GAIN = 2, and not 50 of --set measurement.gain=50" in warning and "measurement.gain_keyword to none" in warning
    own = ["--set", "measurement.gain=50", "--set", "measurement.gain_keyword=none"]
    assert lines(run("-q", "a.fits", *own, "--backend", "cpu"), "warning") == []
    assert lines(run("-q", "a.fits", "--set", "measurement.gain=2", "--backend", "cpu"), "warning") == []
