"""The command line: options, messages, what goes to stdout, stderr and the log."""

import gzip
import json
import os
import re
import subprocess

import pytest

import driver
from driver import ROOT
from fits_files import HEIGHT, TAN, WIDTH, hdu, sky, write, write_sky


def test_help_shows_options_example_outputs_and_exit_codes(run):
    done = run("--help")
    assert done.code == 0 and done.err == ""
    for word in ("--output-dir", "--backend", "--device", "--threads", "--set", "--dump-config", "--quiet", "--verbose",
                 "--log-file", "--version", "Example:", "Exit codes", "m31.cat.fits", "m31.run.json"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_a_bare_call_says_what_there_is(run):
    done = run()
    assert done.code == 0 and done.err == "" and len(done.out.splitlines()) <= 25
    assert run("help").out == done.out
    for command in ("batch", "status", "merge", "difference", "crowd", "radio", "inject", "psf", "compare", "convert-config", "sextractor", "columns", "keys"):
        assert f"\n  {command} " in done.out
        assert run("help", command).code == 0
    assert run("help", "merge").out == run("merge", "--help").out


def test_without_a_configuration_it_is_the_default_one(run, tmp_path):
    write_sky(tmp_path / "sky.fits")
    (tmp_path / "default.yaml").write_text((driver.ROOT / "config" / "default.yaml").read_text())
    done = run("sky.fits", "-v", "-o", "bare")
    assert done.code == 0 and "debug: no CONFIG is named" in done.err
    assert run("-q", "sky.fits", "-o", "quiet").err == ""
    assert run("-q", "default.yaml", "sky.fits", "-o", "empty").code == 0
    catalogues = [(tmp_path / name / "sky.cat.fits").read_bytes() for name in ("bare", "quiet", "empty")]
    assert catalogues[0] == catalogues[1] == catalogues[2]
    assert run("--dump-config").out == run("--dump-config", "default.yaml").out
    (tmp_path / "images").mkdir()
    write_sky(tmp_path / "images/sky.fits")
    assert run("batch", "images", "-o", "survey").code == 0
    assert (tmp_path / "survey/sky.cat.fits").read_bytes() == catalogues[0]
    done = run("--set", "detection.treshold=3", "sky.fits")
    assert done.code == 2 and "did you mean" in done.err


def test_keys_are_those_of_a_configuration_with_their_defaults(run):
    """What `keys` prints of a section is a configuration that means the defaults."""
    sections = [line.split()[0] for line in run("keys").out.splitlines() if line.startswith("  ")]
    dumped = [line for line in run("--dump-config").out.splitlines() if line and not re.match(" *#|extends: none$", line)]
    listed = ""
    for section in sections:
        listed += "".join(re.sub(" *#.*", "", line) + "\n" for line in run("keys", section).out.splitlines()
                          if not line.startswith("      #"))
    assert listed.splitlines() == dumped
    lines = run("keys", "detection.threshold").out.splitlines()
    assert lines[1] == "  threshold: 5.0" and all(line.startswith("      #") for line in lines[2:])


def test_keys_are_found_by_a_word(run):
    saturated = run("keys", "SATURAT").out
    assert "\n  saturation_keyword: " in saturated and "measurement:" in saturated and "\n  mesh_size: " not in saturated
    everything = run("keys", "all").out
    sections = [line.split()[0] for line in run("keys").out.splitlines() if line.startswith("  ")]
    assert everything == "".join(run("keys", section).out for section in sections)


@pytest.mark.parametrize("command, keys", [
    ("crowd", {"psf.file": "''", "crowd.threshold": "5.0"}), ("radio", {"detection.seed": "5.0", "beam.source": "auto"}),
    ("difference", {"difference.align": "none"}), ("psf", {"psf.degree": "2"}), ("inject", {"detection.seed": "5.0"}),
])
def test_the_help_of_a_command_shows_its_keys(run, command, keys):
    """With the values that the command has for them, where another than the default's is meant."""
    said = run(command, "--help").out
    assert f"Usage: srcextract {command} [OPTIONS]" in said and max(map(len, said.splitlines())) <= 120
    shown = dict(re.findall(r"^  ([a-z]+\.[a-z_]+)=(.*)$", said, re.MULTILINE))
    assert 7 <= len(shown) <= 12 and keys.items() <= shown.items()
    assert run("help", command).out == said


def test_crowd_and_radio_are_commands(run, tmp_path):
    write_sky(tmp_path / "sky.fits", **TAN)
    beam = ("--set", "beam.source=given", "--set", "beam.fwhm=[120,120]", "--set", "output.formats=[csv]")
    assert run("radio", "-q", "sky.fits", "-o", "a", *beam).code == 0 and run(*beam, "-qo", "b", "radio", "sky.fits").code == 0
    assert (tmp_path / "a/sky.cat.csv").read_text() == (tmp_path / "b/sky.cat.csv").read_text()
    dumped = run("crowd", "--dump-config")
    assert dumped.code == 0 and "\n  method: joint\n" in dumped.out and "\n  method: fit\n" in dumped.out
    named = run("crowd", "--dump-config", "--set", "psf.file=x.psf")
    assert named.code == 0 and "\n  file: x.psf\n" in named.out and "\n  method: fit\n" not in named.out
    (tmp_path / "crowd").write_text((driver.ROOT / "config" / "default.yaml").read_text())  # a file, as before
    assert run("--dump-config", "crowd").out == run("--dump-config").out


def test_columns_are_those_that_can_be_asked_for(run, tmp_path):
    write_sky(tmp_path / "sky.fits")
    groups = [line for line in run("columns").out.splitlines() if line.isalpha() and line.islower()]
    assert {"default", "photometry", "shapes", "world"} <= set(groups)
    shapes = [line.split()[0] for line in run("columns", "shapes").out.splitlines()]
    assert "ELONGATION" in shapes and "FLUX_AUTO" not in shapes
    asked = ("--set", f"output.columns=[{','.join(shapes)}]", "--set", "output.formats=[csv]")
    assert run("-q", "sky.fits", *asked).code == 0
    header = [line for line in (tmp_path / "sky.cat.csv").read_text().splitlines() if not line.startswith("#")][0]
    assert set(shapes) <= set(header.split(","))
    assert run("columns", "FLUX_AUTO").out.split()[0] == "FLUX_AUTO"
    about = [line.split()[0] for line in run("columns", "Radius").out.splitlines()]
    assert {"FLUX_RADIUS", "KRON_RADIUS"} <= set(about) and "FLUX_AUTO" not in about


def test_version_names_build_and_libraries(run):
    done = run("--version")
    assert done.code == 0 and done.err == "" and run("-V").out == done.out == run("radio", "-V").out
    lines = done.out.splitlines()
    assert re.fullmatch(r"srcextract \d+\.\d+\.\d+", lines[0])
    versions = {line.split()[0]: line.split(None, 1)[1] for line in lines}
    for library in ("CFITSIO", "wcslib", "zstd", "TBB", "yaml-cpp", "spdlog"):
        assert re.match(r"\d+\.\d+", versions[library]), library
    assert versions["CUDA"] == "not built" or re.match(r"\d+\.\d+", versions["CUDA"])
    assert versions["build"]


def test_dump_config_is_resolved_and_reads_back(run, tmp_path, config):
    done = run("--dump-config", config, "--set", "detection.threshold=3.5")
    assert done.code == 0 and done.err == ""
    assert "threshold: 3.5" in done.out and "reference: zero" in done.out and "min_area: 5" in done.out
    again = tmp_path / "again.yaml"
    again.write_text(done.out)
    assert run("--dump-config", again).out == done.out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.yaml", "c.yaml"]


def test_a_configuration_changes_the_default_and_says_so_if_it_does_not(run, tmp_path):
    """`detection: {threshold: 6}` changes the threshold and nothing else; a file that says what it extends is not asked again."""
    expected = run("--dump-config", "--set", "detection.threshold=6").out
    (tmp_path / "old.yaml").write_text("detection: {threshold: 6}\n")
    (tmp_path / "new.yaml").write_text("detection: {threshold: 6}\nextends: default\n")
    (tmp_path / "more.yaml").write_text("extends: new.yaml\n")
    assert run("--dump-config", "old.yaml").out == run("--dump-config", "new.yaml").out == run("--dump-config", "more.yaml").out == expected
    for name in ("old", "new", "more"):
        done = run(f"{name}.yaml", ROOT / "data/sky.fits", "-o", name)
        assert done.code == 0 and "445 sources above" in done.err
        warnings = [line for line in done.err.splitlines() if line.startswith("warning: ")]
        assert len(warnings) == (name == "old"), warnings
        if warnings:
            assert "old.yaml: it has no key 'extends'" in warnings[0] and "deblend.method tree (not none)" in warnings[0]
    survey = run("batch", "old.yaml", ROOT / "data/sky.fits", "-o", "survey").err
    assert survey.count("it has no key 'extends'") == 1
    (tmp_path / "alone.yaml").write_text("detection: {threshold: 6}\nextends: none\n")
    for kept in ("new.yaml", "more.yaml"):
        done = run("more.yaml", ROOT / "data/sky.fits", "-o", "log", "--log-file", kept)
        assert done.code == 2 and "would replace the input" in done.err, done.err
    assert "220 sources above" in run("alone.yaml", ROOT / "data/sky.fits", "-o", "alone").err


def test_a_result_that_cannot_be_written_is_an_output_error(run, config):
    with open("/dev/full", "w") as full:
        done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "--dump-config", config], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == 3 and b"standard output" in done.stderr


@pytest.mark.parametrize("arguments, message", [
    (["c.yaml"], "IMAGE is required"),
    (["", "sky.fits"], "CONFIG is an empty text"),
    (["c.yaml", ""], "IMAGE is an empty text"),
    (["c.yaml", "sky.fits", "-o", ""], "--output-dir is an empty text"),
    (["c.yaml", "sky.fits", "-o", "http://host/out"], "--output-dir: http://host/out is an address, and outputs are files of this machine"),
    (["c.yaml", "sky.fits", "--log-file", "https://host/log"], "--log-file: https://host/log is an address"),
    (["difference", "c.yaml", "sky.fits", "sky.fits", "-o", "s3://bucket/a"], "--output-dir: s3://bucket/a is an address"),
    (["batch", "c.yaml", "sky.fits", "-o", "s3://bucket/a"], "--output-dir: s3://bucket/a is an address"),
    (["merge", "a", "-o", "https://host/a.cat.fits"], "--output: https://host/a.cat.fits is an address"),
    (["sky.fits", "c.yaml"], "the configuration c.yaml comes after sky.fits; write it first: srcextract CONFIG IMAGE..."),
    (["missing.fits.fz", "c.yaml"], "the configuration c.yaml comes after missing.fits.fz; write it first"),
    (["renamed", "c.yaml"], "the configuration c.yaml comes after renamed; write it first"),
    (["zipped", "c.yaml"], "the configuration c.yaml comes after zipped; write it first"),
    (["picture.png"], "picture.png is no FITS image: name at least one FITS file"),
    (["-q", "--set", "detection.threshold=3"], "IMAGE is required"),
    (["keys", "detecton"], "'detecton' is no section of a configuration; did you mean detection?"),
    (["columns", "FLUX_AUTP"], "'FLUX_AUTP' is no column and no group of columns; did you mean FLUX_AUTO?"),
    (["keys", "detection.thresold"], "'detection.thresold' is no key of a configuration; see srcextract keys detection"),
    (["m31.fits", "-c", "default.sex"], "there is no option -c; SExtractor's options are those of srcextract sextractor"),
    (["m31.fits", "-DETECT_THRESH", "3"], "there is no option -DETECT_THRESH; SExtractor's options are those of srcextract"),
    (["columns", "shapes", "world"], "columns takes one name, not 2"),
    (["help", "merg"], "'merg' is no command; did you mean merge?"),
    (["c.yaml", "sky.fits", "--set", "[a]=5"], "--set [a]=5: "),
    (["c.yaml", "sky.fits", "--set", "{a}=[5]"], "--set {a}=[5]: "),
    (["c.yaml", "sky.fits", "--backend", "gpu"], "--backend"),
    (["c.yaml", "sky.fits", "--threads", "0"], "--threads"),
    (["c.yaml", "sky.fits", "--device", "-1"], "--device"),
    (["sky.fits", "--threshold", "3"], "there is no option --threshold; did you mean --set detection.threshold=3 or --set weights.threshold=3 or --set crowd.threshold=3? See"),
    (["radio", "sky.fits", "--min-area=9"], "there is no option --min-area; did you mean --set detection.min_area=9? See srcextract radio --help"),
    (["crowd"], "IMAGE is required: name at least one FITS file; see srcextract crowd --help"),
    (["crowd", "c.yaml", "sky.fits"], "c.yaml: crowd is a configuration itself; change its keys by --set, or run srcextract c.yaml IMAGE..."),
    (["keys", "frobnicate"], "'frobnicate' is no section of a configuration; see srcextract keys"),
    (["c.yaml", "sky.fits", "--frobnicate"], "error: there is no option --frobnicate; see srcextract --help"),
    (["--verison"], "there is no option --verison; did you mean --version? See srcextract --help"),
    (["c.yaml", "sky.fits", "--sett=a.b=3"], "there is no option --sett; did you mean --set?"),
    (["c.yaml", "sky.fits", "-x3"], "there is no option -x; see"),
    (["batch", "c.yaml", "sky.fits"], "name a directory for them, as in -o out, or -o . for this one; see srcextract batch --help"),
    (["batch", "c.yaml", "--shards", "1/2"], "there is no option --shards; did you mean --shard? See srcextract batch --help"),
    (["merge", "--outptu", "a.fits"], "there is no option --outptu; did you mean --output? See srcextract merge --help"),
    (["compare", "a", "b", "--jsno", "x"], "there is no option --jsno; did you mean --json? See srcextract compare --help"),
    (["diff", "c.yaml", "sky.fits"], "diff: there is no file of this name, and no such command; did you mean srcextract difference?"),
    (["c.yaml", "merge", "--frobnicate"], "there is no option --frobnicate"),
    (["extract", "c.yaml", "sky.fits"], "no such command: images are extracted without one, as in srcextract IMAGE"),
    (["c.yaml", "sky.fits", "--set", "output.columns=[FLUX_AUTO,", "MAG_AUTO]"],
     "--set output.columns=[FLUX_AUTO,: the [ is not closed; a value with blanks has to be quoted for the shell"),
    (["c.yaml", "sky.fits", "--memory", "lots"], "--memory: lots is no size; write bytes, or as in 500M or 8G"),
    (["missing.yaml", "sky.fits"], "missing.yaml"),
    (["c.yaml", "sky.fits", "--set", "detection.treshold=3"], "did you mean"),
    (["c.yaml", "sky.fits", "--set", "detection.threshold=high"], "--set detection.threshold=high"),
    (["c.yaml", "sky.fits", "other/sky.fit"], "'sky.fits' and 'other/sky.fit'"),
    (["c.yaml", "sky.fits", "sky.fits"], "'sky.fits' and 'sky.fits' would write the same output files"),
    (["c.yaml", "sky.fits", "./sky.fits"], "'./sky.fits' would write the same output files"),
    (["c.yaml", "sky.fits", "sky.fits"], "or give srcextract batch the directory above both"),
    (["c.yaml", "sky.fits", "--set", "output.columns=[NUMBER, SIGN]"],
     "--set output.columns=[NUMBER, SIGN]: 'output.columns' holds 'SIGN', which needs sources of both signs"),
    (["batch", "c.yaml", "sky.fits", "-o", "out", "--set", "output.columns=[SIGN]"], "set detection.sign to both"),
    (["c.yaml", "sky.fits", "--log-file", "sky.fits"], "would replace the input"),
    (["c.yaml", "sky.fits", "--log-file", "sky.run.json"], "the log file 'sky.run.json' would also be "),
    (["c.yaml", "sky.fits", "-o", "new", "--log-file", "./new/sky.cat.csv"], "would also be 'new/sky.cat.csv'"),
])
def test_usage_errors(run, tmp_path, config, image, arguments, message):
    (tmp_path / "renamed").write_bytes(image.read_bytes())
    (tmp_path / "zipped").write_bytes(gzip.compress(image.read_bytes()))
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ") and message in done.err
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize("sign", ["both", "negative"])
def test_the_column_of_signs_where_there_are_some(run, config, image, sign):
    done = run("-q", config, image, "-o", ".", "--set", "output.columns=[SIGN]", "--set", f"detection.sign={sign}")
    assert done.code == 0, done.err
    assert "SIGN" in (image.parent / "sky.cat.csv").read_text()


def test_less_than_a_megabyte_of_memory_is_said_in_bytes(run, config, image):
    done = run("-q", config, image, "--memory", "1000")
    assert done.code == 1 and "--memory allows 1000 bytes; allow more" in done.err


def test_no_output_replaces_the_log(run, config, tmp_path, image):
    log = tmp_path / "sky.hdu0.cat.csv"
    two = hdu((WIDTH, HEIGHT), -32, sky()) + hdu((WIDTH, HEIGHT), -32, sky(), primary=False)
    image.write_bytes(two)
    done = run(config, image, "--set", "input.hdu=all", "-o", ".", "--log-file", log.name)
    assert done.code == 2
    assert "would replace the input or log" in log.read_text()


def test_a_configuration_may_come_through_a_pipe(run, image, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = subprocess.Popen(["sh", "-c", "echo 'output: {formats: [csv]}' > pipe"], cwd=tmp_path)
    assert run("pipe", image).code == 0 and writer.wait() == 0
    assert (tmp_path / "sky.cat.csv").exists()


def test_the_value_of_a_short_option_may_follow_an_equals_sign(run, config, image, tmp_path):
    assert run(config, image, "-o=out").code == 0
    assert (tmp_path / "out/sky.cat.csv").exists() and not (tmp_path / "=out").exists()


def test_a_value_that_looks_like_a_list_is_taken_as_it_is(run, config, image, tmp_path):
    assert run(config, image, "-o", "[out]", "--log-file", "{log}").code == 0
    assert (tmp_path / "[out]/sky.cat.csv").exists() and (tmp_path / "{log}").exists()


def test_a_wrong_key_in_the_file_is_located(run, tmp_path, image):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("detection:\n  treshold: 3\n")
    done = run(wrong, image)
    assert done.code == 2
    assert "wrong.yaml:2:3: unknown key 'treshold' in 'detection'; did you mean 'threshold'?" in done.err


def test_the_log_tells_what_was_done(run, config, tmp_path):
    write_sky(tmp_path / "sky.fits", bitpix=-64, EXTNAME="SCI")
    done = run(config, "sky.fits", "--backend", "cpu", "--threads", 2)
    assert done.code == 0 and done.out == ""
    found, where = done.err.splitlines()
    assert re.fullmatch(r"info: sky.fits: 2 sources above [\d.]+ \(5 sigma\); sky [\d.e-]+, sigma [\d.]+", found)
    assert re.fullmatch(r"info: sky.fits: done in [\d.]+ s on 2 CPU threads, into sky.cat.csv", where)
    done = run("-v", config, "sky.fits", "--backend", "cpu", "--threads", 2)
    for text in ("sky.fits: 40 x 30 pixels, BITPIX -64, HDU 0 'SCI'", "rounded to float32", "before clipping",
                 "after 1 round of clipping", "2 sources", "no sky positions", "on 2 CPU threads"):
        assert text in done.err
    assert all(re.match("(info|debug): ", line) for line in done.err.splitlines())
    assert "\x1b" not in done.err and "\r" not in done.err


@pytest.mark.parametrize("options, endings", [(["--csv"], {"csv"}), (["--parquet"], {"parquet"}), (["--parquet", "--csv"], {"csv", "parquet"}),
                                              ([], {"fits"})])
def test_formats_are_options_too(run, image, tmp_path, options, endings):
    assert run("-q", image, *options, "-o", "out").code == 0
    assert {path.suffix[1:] for path in (tmp_path / "out").iterdir()} - {"json"} == endings


def test_two_ways_to_choose_formats_are_refused_together(run, image):
    for option in ("--csv", "--parquet"):
        done = run(option, "--set", "output.formats=[fits]", image)
        assert done.code == 2 and f"{option} and --set output.formats both choose formats; leave one out" in done.err


def test_several_images_have_a_line_each_and_one_of_all(run, config, tmp_path):
    images = [write_sky(tmp_path / f"{name}.fits") for name in "abc"]
    *lines, last = run(config, *images, "--threads", 1).err.splitlines()
    assert len(lines) == 3
    for name, line in zip("abc", lines):
        assert re.search(rf"/{name}.fits: 2 sources above [\d.]+ \(5 sigma\); sky .*; in [\d.]+ s on 1 CPU thread, into {name}.cat.csv$", line), line
    assert re.fullmatch(r"info: 3 of 3 images: 6 sources in [\d.]+ s", last)
    images[1].write_text("no image")
    assert "info: 2 of 3 images: 4 sources in " in run(config, *images).err


def test_nothing_is_said_of_rounding_where_none_happens(run, config, image):
    assert "rounded" not in run("-v", config, image, "--backend", "cpu").err


def test_quiet_says_nothing_but_errors(run, config, image):
    assert run(config, image, "-q", "--backend", "cpu").err == ""
    assert run(config, "missing.fits", "-q", "--backend", "cpu").err.startswith("error: missing.fits: ")


def test_verbose_tells_the_time_of_every_stage(run, config, image):
    debug = [line for line in run(config, image, "-v", "--backend", "cpu").err.splitlines() if line.startswith("debug")]
    for stage in ("ingest", "background", "threshold", "label", "measure", "columns"):
        assert sum(re.search(rf" {stage} [0-9.]+ s", line) is not None for line in debug) == 1


def test_the_log_tells_of_the_meshes(run, configure, image):
    done = run(configure("background: {mesh_size: 16}\noutput: {formats: [csv]}"), image, "-v", "--backend", "cpu")
    assert "sky.fits: sky of 3 x 2 meshes: level " in done.err and " 1200 pixels" in done.err
    assert len(re.findall(r"debug: .* subtract [0-9.]+ s", done.err)) == 1


def test_the_log_file_is_appended_to_and_never_quiet(run, config, image, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("before\n")
    done = run(config, image, "-q", "--log-file", log, "missing.fits")
    assert done.code == 3
    assert done.err.startswith("error: missing.fits: ") and done.err.count("\n") == 1
    lines = log.read_text().splitlines()
    assert lines[0] == "before"
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.* (info|error): ", line) for line in lines[1:])
    assert any(" info: " in line and "2 sources" in line for line in lines)
    assert any(" error: missing.fits: " in line for line in lines)
    assert not any(" debug: " in line for line in lines)


def test_control_characters_of_names_do_not_reach_the_log(run, config, tmp_path):
    write_sky(tmp_path / "a\x1b[2Jb\n.fits", EXTNAME="A")
    done = run("-v", config, "a\x1b[2Jb\n.fits", "--log-file", "log", "--backend", "cpu")
    assert done.code == 0
    for text in (done.err, (tmp_path / "log").read_text()):
        assert "a?[2Jb?.fits: 40 x 30 pixels" in text and "\x1b" not in text


def test_the_log_tells_which_plane(run, config, tmp_path):
    write(tmp_path / "cube.fits", hdu((WIDTH, HEIGHT, 3), -32, 3 * sky()))
    assert "HDU 0, plane 2 of 3 (input.plane)" in run(config, "cube.fits", "--set", "input.plane=2").err
    write(tmp_path / "flat.fits", hdu((WIDTH, HEIGHT, 1), -32, sky()))
    assert ", plane " not in run(config, "flat.fits").err


def test_the_log_tells_which_plane_of_a_map(run, config, tmp_path):
    pixels = WIDTH * HEIGHT
    write(tmp_path / "sky.fits", hdu((WIDTH, HEIGHT), -32, sky()))
    write(tmp_path / "cube.fits", hdu((WIDTH, HEIGHT, 2), -32, 2 * sky()))
    write(tmp_path / "map.fits", hdu((WIDTH, HEIGHT, 2), -32, [1e6] * pixels + [1.0] * pixels))
    write(tmp_path / "bits.fits", hdu((WIDTH, HEIGHT, 3), 16, [0] * 3 * pixels))
    maps = [part for one in ("weights.type=rms", "weights.file=map.fits", "mask.file=bits.fits", "flags.file=bits.fits",
                             "input.plane=") for part in ("--set", one)]
    for name, plane, found in (("sky", 1, 0), ("cube", 2, 2)):
        done = run("-v", config, f"{name}.fits", "-o", ".", *maps[:-1], f"input.plane={plane}")
        assert done.code == 0 and f"{found} sources above" in done.err
        for of, planes, times in (("map", 2, 1), ("bits", 3, 2)):
            assert done.err.count(f"HDU 0 of {of}.fits, plane {plane} of {planes} (input.plane)") == times
        told = json.loads((tmp_path / f"{name}.run.json").read_text())
        assert [told[key]["plane"] for key in ("weights", "mask")] == [plane, plane]


def test_a_sky_that_cannot_be_used_is_a_warning(run, config, tmp_path):
    write_sky(tmp_path / "sky.fits", **{**TAN, "RADESYS": "GAPPT"})
    assert "warning: sky.fits: no sky positions: the WCS gives RA, DEC in GAPPT" in run(config, "sky.fits", "-q").err
    write_sky(tmp_path / "none.fits")
    assert "debug: none.fits: no sky positions: " in run("-v", config, "none.fits").err


@pytest.mark.parametrize("percent, sky, warned", [(80, 100.0, True), (10, 100.0, True), (2, 100.0, False),
                                                  (10, 0.0, False)])
def test_padding_that_is_not_masked_is_a_warning(run, config, tmp_path, percent, sky, warned):
    pixels = [0.0 if i % 100 < percent else sky + 0.25 + i % 7 - 3 for i in range(WIDTH * HEIGHT)]
    write(tmp_path / "padded.fits", hdu((WIDTH, HEIGHT), -32, pixels))
    done = run(config, "padded.fits", "-q", "--set", "input.padding=keep")
    assert done.code == 0
    assert done.err.startswith(f"warning: padded.fits: {percent} % of the pixels are exactly 0") == warned
    assert warned or done.err == ""


@pytest.mark.parametrize("padded, warned", [(130, True), (0, False)])
def test_meshes_of_padding_are_a_warning(run, configure, tmp_path, padded, warned):
    """Two meshes of 64 pixels in a row, and more."""
    side = 200
    pixels = [0.0 if i % side < padded else 100.25 + i % 7 - 3 for i in range(side * side)]
    write(tmp_path / "padded.fits", hdu((side, side), -32, pixels))
    done = run(configure("output: {formats: [csv]}"), "padded.fits", "-q", "--set", "input.padding=keep")
    assert done.code == 0
    assert ("warning: padded.fits: there are meshes whose pixels are all equal. Is this padding?" in done.err) == warned
    assert warned or done.err == ""


def test_a_log_file_that_cannot_be_opened_is_an_output_error(run, config, image, tmp_path):
    done = run(config, image, "--log-file", "/dev/null/log.txt")
    assert done.code == 3 and "log file" in done.err


@pytest.mark.parametrize("command", ((), ("batch",)))
def test_no_directory_is_made_for_the_log_but_that_of_the_outputs(run, config, image, tmp_path, command):
    before = sorted(tmp_path.rglob("*"))
    for log in ("logs/a.txt", "new/logs/a.txt"):
        done = run(*command, config, image, "-o", "new", "--log-file", log)
        assert done.code == 3 and f"the log file {log}: No such file or directory; create its directory" in done.err
        assert sorted(tmp_path.rglob("*")) == before
    assert run(*command, config, image, "-o", "new", "--log-file", "./new/a.txt").code == 0
    assert "sources" in (tmp_path / "new/a.txt").read_text() or command


def on_terminal(*arguments, cwd, columns=0):
    """What the program writes to a terminal so wide."""

    def start(stderr):
        process = subprocess.Popen([os.environ["SRCEXTRACT_PROGRAM"], *map(str, arguments)], cwd=cwd, stderr=stderr)
        os.close(stderr)
        return process

    text, code = driver.on_terminal(start, columns)
    assert code == 0
    return text


def test_progress_is_one_line_on_a_terminal_and_leaves_no_trace(config, image, tmp_path):
    text = on_terminal(config, image, "--backend", "cpu", cwd=tmp_path)
    assert "sky.fits: ingest" in text and "threshold" in text
    *log, last = driver.left_on_screen(text)
    assert log and all(line.startswith("info: ") for line in log) and last == ""


def test_progress_over_several_files_is_a_bar_with_rate_and_time_left(config, image, tmp_path):
    text = on_terminal(config, image, write_sky(tmp_path / "two.fits"), "--backend", "cpu", cwd=tmp_path)
    assert re.search(r"\r\x1b\[K\[=* *\] +\d+ % 1 of 2 files, [\d.]+ files/s, [\d.]+ GB/s, ETA 0:00:0\d", text), text
    *log, last = driver.left_on_screen(text)
    assert all(line.startswith("info: ") for line in log) and sum(" s on " in line for line in log) == 2
    assert last == "", "nothing of the bar is left"


def test_quiet_hides_the_progress(config, image, tmp_path):
    assert on_terminal(config, image, "-q", "--backend", "cpu", cwd=tmp_path) == ""


def test_progress_is_never_wider_than_the_terminal(config, tmp_path):
    name = "\u00e9" * 40 + "\x1b[2J.fits"
    write_sky(tmp_path / name)
    for columns in (20, 21):
        text = on_terminal(config, name, "--backend", "cpu", cwd=tmp_path, columns=columns)
        lines = [part.split("\r")[0].split("info:")[0] for part in text.split("\x1b[K")]
        assert any(line.startswith("\u00e9") for line in lines)
        assert all(len(line.encode()) < columns for line in lines if line.startswith("\u00e9"))
    assert "\x1b[2J" not in on_terminal(config, name, "--backend", "cpu", cwd=tmp_path)


@pytest.mark.parametrize("settings, coloured, redrawn", [
    ({"TERM": "xterm-256color"}, True, True),
    ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False, True),
    ({"TERM": "dumb", "NO_COLOR": "1"}, False, False),
])
def test_colours_and_progress_are_for_terminals_that_want_them(tmp_path, settings, coloured, redrawn):
    write_sky(tmp_path / "sky.fits")
    near, far = os.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | settings
    subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "sky.fits", "-o", "out"], cwd=tmp_path, stderr=far, check=True,
                   env=environment)
    os.close(far)
    printed = os.read(near, 1 << 16)
    os.close(near)
    assert b"250 sources" in printed or b" sources above " in printed
    assert (b"\x1b[32m" in printed or b"\x1b[1m" in printed) == coloured
    assert (b"\x1b[K" in printed) == redrawn


def test_options_may_stand_before_the_command(run, image, tmp_path):
    write(tmp_path / "new.fits", hdu((WIDTH, HEIGHT), values=[value + i % 3 for i, value in enumerate(sky())]))
    tail = ["sky.fits", "new.fits", "--set", "difference.kernel=gaussian", "--set", "difference.reference_fwhm=2",
            "--set", "difference.new_fwhm=2.5"]
    assert run("difference", "-q", "-o", "after", *tail).code == run("-q", "-o", "before", "difference", *tail).code == 0
    catalogues = [(tmp_path / where / "new.diff.cat.fits").read_bytes() for where in ("after", "before")]
    assert catalogues[0] == catalogues[1]
    assert run("-q", "batch", image, "--output-dir", "survey").err == ""
    assert run("-qo", "short", "--set=detection.threshold=9", "batch", image).code == 0
    assert run("-q", "merge", "survey", "-o", "s.fits").code == 0 and (tmp_path / "s.fits").exists()
    assert run("--json", "status", "survey").out.startswith("{") and run("-q", "status", "survey").code == 0
    assert run("-v", "keys", "detection").out == run("keys", "detection").out
    assert run("-q", "columns").out == run("columns").out and run("-q", "help").out == run("help").out
    assert run("-h", "compare").out == run("compare", "--help").out
    assert run("-o", "batch", image, "-q").code == 0 and (tmp_path / "batch/sky.cat.fits").exists()  # the value of -o


@pytest.mark.parametrize("name", ["radio", "crowd"])
def test_a_directory_does_not_hide_a_configuration_of_the_program(run, tmp_path, name):
    config = run("--dump-config", name).out
    (tmp_path / name).mkdir()
    done = run("--dump-config", name)
    assert done.code == 0 and done.out == config
    assert f"warning: {name} is the configuration of this name, which is part of the program, and not the directory" in done.err
    write_sky(tmp_path / name / "sky.fits")
    (tmp_path / "sky.fits").write_bytes((tmp_path / name / "sky.fits").read_bytes())
    done = run("batch", name, "sky.fits", "-o", "out", "--dry-run", "--set", "psf.method=fit")
    assert done.out == "sky.fits\n" and f"./{name} is the directory" in done.err
    assert run("batch", name, "-o", "out", "--dry-run").out == f"{name}/sky.fits\n"  # there is no other input
