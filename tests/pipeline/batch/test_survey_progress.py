"""What a survey says while it runs, and at its end."""

import re

import pytest

import driver
import survey_support as survey

config = survey.config

IMAGES = 120


@pytest.fixture
def images(tmp_path):
    """One of them is bad."""
    return survey.write_survey(tmp_path / "images", IMAGES)


def on_terminal(*arguments, cwd, columns=0):
    """What `srcextract batch` writes to a terminal so wide, and its exit code."""
    return driver.on_terminal(lambda stderr: survey.start(*arguments, cwd=cwd, log=stderr), columns)


BAR = re.compile(r"\[(=*) *\] +(\d+) % (\d+) of (\d+) files, ([\d.]+) files/s, ([\d.]+) GB/s"
                 r", ETA \d+:\d\d:\d\d(, (\d+) failed)?")


def test_on_a_terminal_there_is_a_bar_with_rate_and_time_left(config, images, tmp_path):
    text, code = on_terminal(config, images, "-o", "out", cwd=tmp_path)
    assert code == 6
    bars = [BAR.fullmatch(part) for part in re.split(r"\r\x1b\[K|\r?\n", text) if part.startswith("[")]
    assert bars and all(bars), text
    numbers = [(int(bar[2]), int(bar[3]), len(bar[1])) for bar in bars]
    assert numbers == sorted(numbers)
    assert {int(bar[4]) for bar in bars} == {IMAGES + 1}
    assert all(abs(length - percent / 5) <= 1 for percent, _, length in numbers)
    end = text[text.rindex(bars[-1][0]) + len(bars[-1][0]):]
    assert end.startswith("\r\x1b[K") and "images done" in end
    *log, last = driver.left_on_screen(text)
    assert all(re.match("(info|warning|error): ", line) for line in log) and last == ""


def test_a_terminal_that_is_narrow_has_lines_that_fit(config, images, tmp_path):
    text, _ = on_terminal(config, images, "-o", "out", cwd=tmp_path, columns=30)
    bars = [part for part in re.split(r"\r\x1b\[K|\r?\n", text) if part.startswith("[")]
    assert bars and all(len(bar) < 30 for bar in bars)


def test_quiet_on_a_terminal_shows_no_bar(config, images, tmp_path):
    (images / "night2" / "bad.fits").unlink()
    assert on_terminal(config, images, "-q", "-o", "out", cwd=tmp_path) == ("", 0)


def test_a_bar_leaves_no_trace_in_a_log_file(config, images, tmp_path):
    on_terminal(config, images, "-o", "out", "--log-file", "log.txt", cwd=tmp_path)
    text = (tmp_path / "log.txt").read_text()
    assert "images done" in text and "\x1b" not in text and "\r" not in text and "ETA" not in text


def test_elsewhere_there_are_lines_and_no_codes_for_terminals(run, config, images):
    finished = run("batch", config, images, "-o", "out")
    assert finished.code == 6 and finished.out == ""
    assert "\r" not in finished.err and "\x1b" not in finished.err
    lines = finished.err.splitlines()
    assert all(re.match(r"(info|warning|error): ", line) for line in lines)
    assert len(lines) < 12, "a line an image is too much for a survey"


def test_the_summary_tells_what_the_run_came_to(run, config, images, tmp_path):
    finished = run("batch", config, images, "-o", "out")
    entries = survey.last_words(tmp_path / "out/journal.jsonl").values()
    sources = sum(entry.get("sources", 0) for entry in entries)
    line = re.search(r"info: (\d+) images done, (\d+) sources, (\d+) failed, in (?:\d+\.\d\d s|\d+:\d\d:\d\d) "
                     r"\(([\d.]+) images/s, ([\d.]+) Mpixel/s\)", finished.err)
    assert line, finished.err
    assert (int(line[1]), int(line[2]), int(line[3])) == (IMAGES, sources, 1) and sources > 1000
    assert float(line[5]) == pytest.approx(float(line[4]) * 0.04, rel=0.1, abs=0.1)  # 200 x 200 pixels an image
    assert "failed, by kind: 1 input" in finished.err
    steps = re.search(r"where the workers' time went: (.*)", finished.err)[1]
    shares = {step: int(percent) for step, percent in re.findall(r"(\w+) (\d+) %", steps)}
    assert {"ingest", "background", "label", "measure", "write"} <= set(shares)
    assert 90 <= sum(shares.values()) <= 110


def test_quiet_says_only_what_went_wrong(run, config, images):
    finished = run("batch", "-q", config, images, "-o", "out")
    assert finished.code == 6
    lines = finished.err.splitlines()
    assert lines and all(re.match(r"(warning|error): ", line) for line in lines)
    assert sum(line.startswith("error: ") for line in lines) == 1
    (images / "night2" / "bad.fits").unlink()
    finished = run("batch", "-q", config, images, "-o", "out")
    assert (finished.code, finished.err) == (0, "")


def test_verbose_tells_of_every_image(run, config, images):
    err = run("batch", "-v", config, images, "-o", "out").err
    assert len(re.findall(r"debug: .*\.fits: 200 x 200 pixels", err)) == IMAGES


def test_what_a_restart_finds_is_told(run, config, images):
    run("batch", config, images, "-o", "out")
    again = run("batch", config, images, "-o", "out")
    assert again.code == 6
    assert survey.planned(again.err) == {"to_do": 0, "new": 0, "changed": 0, "retried": 0, "forced": 0,
                                         "done": IMAGES, "left": 1}
    assert "back end" not in again.err, "no GPU is woken for nothing"


def test_the_help_tells_inputs_outputs_and_exit_codes(run):
    shown = run("batch", "--help")
    assert shown.code == 0 and shown.err == ""
    for word in ("INPUT", "CONFIG", "--shard", "--retry-failed", "--force", "--dry-run", "--max-failures", "--memory",
                 "--device", "--backend", "--threads", "--log-file", "journal.jsonl", "failures.csv", "Exit codes",
                 "srcextract merge"):
        assert word in shown.out, word
    assert max(map(len, shown.out.splitlines())) <= 120
