"""The command line: options, messages, what goes to stdout, stderr and the log."""

import os
import pty
import re
import subprocess

import pytest

from fits_files import write_sky


def test_help_shows_options_example_outputs_and_exit_codes(run):
    done = run("--help")
    assert done.code == 0 and done.err == ""
    for word in ("--output-dir", "--backend", "--device", "--threads", "--set", "--dump-config", "--quiet", "--verbose",
                 "--log-file", "--version", "Example:", "Exit codes", "m31.cat.fits", "m31.run.json"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_version_names_build_and_libraries(run):
    done = run("--version")
    assert done.code == 0 and done.err == ""
    lines = done.out.splitlines()
    assert re.fullmatch(r"srcextract \d+\.\d+\.\d+", lines[0])
    versions = {line.split()[0]: line.split(None, 1)[1] for line in lines}
    for library in ("CFITSIO", "wcslib", "TBB", "yaml-cpp", "spdlog"):
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


def test_a_result_that_cannot_be_written_is_an_output_error(run, config):
    with open("/dev/full", "w") as full:
        done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "--dump-config", config], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == 3 and b"standard output" in done.stderr


@pytest.mark.parametrize("arguments, message", [
    ([], "CONFIG is required"),
    (["c.yaml"], "IMAGE is required"),
    (["c.yaml", "sky.fits", "--backend", "gpu"], "--backend"),
    (["c.yaml", "sky.fits", "--threads", "0"], "--threads"),
    (["c.yaml", "sky.fits", "--device", "-1"], "--device"),
    (["c.yaml", "sky.fits", "--frobnicate"], "--frobnicate"),
    (["missing.yaml", "sky.fits"], "missing.yaml"),
    (["c.yaml", "sky.fits", "--set", "detection.treshold=3"], "did you mean"),
    (["c.yaml", "sky.fits", "--set", "detection.threshold=high"], "--set detection.threshold=high"),
    (["c.yaml", "sky.fits", "other/sky.fit"], "'sky.fits' and 'other/sky.fit'"),
    (["c.yaml", "sky.fits", "sky.fits"], "same output files"),
    (["c.yaml", "sky.fits", "--log-file", "sky.fits"], "would replace the input"),
])
def test_usage_errors(run, tmp_path, config, image, arguments, message):
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ") and message in done.err
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_no_output_replaces_the_log(run, config, tmp_path, image):
    done = run(config, image, "--set", "output.formats=[csv]", "-o", ".", "--log-file", f"{image.stem}.cat.csv")
    assert done.code == 2
    assert "would replace the input or log" in (tmp_path / f"{image.stem}.cat.csv").read_text()


def test_a_wrong_key_in_the_file_is_located(run, tmp_path, image):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("detection:\n  treshold: 3\n")
    done = run(wrong, image)
    assert done.code == 2
    assert "wrong.yaml:2:3: unknown key 'treshold' in 'detection'; did you mean 'threshold'?" in done.err


def test_the_log_tells_what_was_done(run, config, tmp_path):
    write_sky(tmp_path / "sky.fits", bitpix=-64, EXTNAME="SCI")
    done = run(config, "sky.fits", "--backend", "cpu", "--threads", 2)
    assert done.code == 0
    assert done.out == ""
    for text in ("sky.fits: 40 x 30 pixels, BITPIX -64, HDU 0 'SCI'", "rounded to float32", "before clipping",
                 "rounds of clipping", "2 sources", "no sky positions", "on 2 CPU threads"):
        assert text in done.err
    assert all(line.startswith("info: ") for line in done.err.splitlines())
    assert "\x1b" not in done.err and "\r" not in done.err


def test_nothing_is_said_of_rounding_where_none_happens(run, config, image):
    assert "rounded" not in run(config, image, "--backend", "cpu").err


def test_quiet_says_nothing_but_errors(run, config, image):
    assert run(config, image, "-q", "--backend", "cpu").err == ""
    assert run(config, "missing.fits", "-q", "--backend", "cpu").err.startswith("error: missing.fits: ")


def test_verbose_tells_the_time_of_every_stage(run, config, image):
    debug = [line for line in run(config, image, "-v", "--backend", "cpu").err.splitlines() if line.startswith("debug")]
    for stage in ("ingest", "background", "threshold", "label", "measure", "columns"):
        assert sum(re.search(rf" {stage} [0-9.]+ s", line) is not None for line in debug) == 1


def test_the_log_file_is_appended_to(run, config, image, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("before\n")
    assert run(config, image, "-q", "--log-file", log, "missing.fits").code == 3
    lines = log.read_text().splitlines()
    assert lines[0] == "before" and len(lines) == 2
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.* error: missing.fits: ", lines[1])


def test_a_log_file_that_cannot_be_opened_is_an_output_error(run, config, image, tmp_path):
    done = run(config, image, "--log-file", "/dev/null/log.txt")
    assert done.code == 3 and "log file" in done.err


def on_terminal(*arguments, cwd):
    """What the program writes to a terminal that is its stderr."""
    terminal, stderr = pty.openpty()
    process = subprocess.Popen([os.environ["SRCEXTRACT_PROGRAM"], *map(str, arguments)], cwd=cwd, stderr=stderr)
    os.close(stderr)
    text = b""
    try:
        while chunk := os.read(terminal, 4096):
            text += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(terminal)
    assert process.wait() == 0
    return text.decode()


def test_progress_is_one_line_on_a_terminal_and_leaves_no_trace(config, image, tmp_path):
    text = on_terminal(config, image, write_sky(tmp_path / "two.fits"), "--backend", "cpu", cwd=tmp_path)
    assert "[1/2] " in text and "[2/2] " in text and "threshold" in text
    assert text.endswith("\r\x1b[K")


def test_quiet_hides_the_progress(config, image, tmp_path):
    assert on_terminal(config, image, "-q", "--backend", "cpu", cwd=tmp_path) == ""
