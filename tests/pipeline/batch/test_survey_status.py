"""`srcextract status`: what it says of a survey that runs, was killed, has finished; as text, JSON, and for Prometheus."""

import collections
import json
import os
import signal
import subprocess
import time

import pytest

import survey_support as survey
from survey_support import config  # noqa: F401  a fixture

READERS = os.environ.get("SRCEXTRACT_READERS_PYTHON")
IMAGES = 60


def status(run, directory):
    done = run("status", directory, "--json")
    assert done.code == 0 and done.err == "", done.err
    return json.loads(done.out)


def counts(journals):
    """Images by result, from what journals say of each last."""
    last = {}
    for journal in journals:
        last.update(survey.last_words(journal))
    return collections.Counter("failed" if "failed" in entry else "done" for entry in last.values())


def test_running_killed_and_finished(run, tmp_path, config):
    images = survey.write_survey(tmp_path / "in", IMAGES)
    out = tmp_path / "out"
    process = survey.start("--threads", 1, "-o", out, config, images, cwd=tmp_path, log=tmp_path / "log")
    seen = []
    while process.poll() is None:
        if (out / "journal.jsonl").exists() and '"written"' in (out / "journal.jsonl").read_text():
            seen.append(status(run, out))
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed = status(run, out)
    (shard,) = killed["shards"]
    if process.returncode == -signal.SIGKILL:
        assert seen[0]["shards"][0]["state"] in ("running", "finished")
        assert seen[0]["shards"][0]["process"] == process.pid
        assert shard["state"] in ("killed", "finished")
        there = counts([out / "journal.jsonl"])
        assert killed["images"] == {"done": there["done"], "failed": there["failed"]}
        if shard["state"] == "killed":
            assert killed["files_left"] == IMAGES + 1 - sum(there.values()) and killed["seconds_left"] is None
    before = {path: path.read_bytes() for path in out.iterdir() if path.is_file()}
    for form in ("--json", "--prometheus"):
        assert run("status", out, form).code == 0
    assert before == {path: path.read_bytes() for path in out.iterdir() if path.is_file()}

    assert run("batch", "-o", out, config, images).code == 6
    finished = status(run, out)
    assert finished["images"] == {"done": IMAGES, "failed": 1} and finished["files_left"] == 0
    assert finished["shards"][0]["state"] == "finished" and finished["seconds_left"] == 0
    (failure,) = finished["failures"]
    (row,) = survey.failures(out)
    assert failure == {"kind": "input", "images": 1, "example": {"image": row["image"], "reason": row["reason"]}}
    assert finished["sources"] == sum(entry.get("sources", 0) for entry in survey.last_words(out / "journal.jsonl").values())


@pytest.fixture
def whole(run, tmp_path, config):
    survey.write_images(tmp_path / "in", [f"{seed}.fits" for seed in range(8)])
    assert run("batch", config, "in", "-o", "out").code == 0
    return tmp_path / "out/journal.jsonl"


def lines_without(journal, *names):
    """The journal's lines but for the records of these images."""
    return [line for line in journal.read_text().splitlines(keepends=True)
            if json.loads(line).get("image") not in names]


def test_records_that_are_lost_line_by_line_are_missed(run, tmp_path, config, whole):
    """The last line counts 8 images. Two lines before it are gone, and none is damaged."""
    assert run("merge", "out", "-o", "before.fits").code == 0
    whole.write_text("".join(lines_without(whole, "3.fits", "4.fits")))
    said = "lines before this one are lost: it counts 2 records more than there are"
    done = run("status", "out", "--json")
    told = json.loads(done.out)
    assert done.code == 0 and said in done.err
    assert told["images"]["done"] == 6 and told["files_left"] == 2 and told["shards"][0]["state"] == "stopped"
    merged = run("merge", "out", "-o", "s.fits")
    assert merged.code == 3 and said in merged.err and "has not finished (images so far: 6 done" in merged.err
    assert not (tmp_path / "s.fits").exists()
    again = run("batch", config, "in", "-o", "out")
    assert again.code == 0 and survey.planned(again.err)["to_do"] == 2
    assert status(run, "out")["files_left"] == 0  # and no word of what was lost
    assert run("merge", "out", "-o", "s.fits").code == 0
    assert (tmp_path / "s.fits").read_bytes() == (tmp_path / "before.fits").read_bytes()


def test_records_of_an_earlier_session_are_missed(run, config, whole):
    """That of a run that was killed, whose records nothing counts; the next one found 8 files and had nothing to do."""
    assert run("batch", config, "in", "-o", "out").code == 0
    lines = lines_without(whole, "0.fits", "7.fits")
    ends = [i for i, line in enumerate(lines) if "end" in json.loads(line)]
    del lines[ends[0]]
    whole.write_text("".join(lines))
    for command in (("status", "out"), ("merge", "out", "-o", "s.fits")):
        done = run(*command)
        assert "lines are lost: the last run found 8 files, and there are records of 6" in done.err, done.err
        assert done.code == (3 if command[0] == "merge" else 0)


@pytest.fixture
def in_shards(run, tmp_path, config):
    """Two of three shards, whose name Prometheus and terminals must not take for their own words."""
    out = tmp_path / 'a "b"\\\n\x1b[1mc'
    images = survey.write_survey(tmp_path / "in", 12)
    for shard in ("1/3", "2/3"):
        assert run("batch", "-o", out, "--shard", shard, config, images).code in (0, 6)
    return out


def test_shards(run, in_shards):
    said = status(run, in_shards)
    assert [(shard["shard"], shard["state"]) for shard in said["shards"]] == [("1/3", "finished"), ("2/3", "finished")]
    assert said["shards_missing"] == 1 and said["files_left"] is None and said["seconds_left"] is None
    for shard, index in zip(said["shards"], (1, 2)):
        there = counts([in_shards / f"journal.{index}-of-3.jsonl"])
        assert shard["images"] == {"done": there["done"], "failed": there["failed"]}
    text = run("status", in_shards)
    assert text.code == 0 and "\x1b" not in text.out
    lines = text.out.splitlines()
    head = next(line for line in lines if line.startswith("SHARD")).split()
    row = next(line for line in lines if line.startswith("2/3")).split()
    assert dict(zip(head, row))["DONE"] == str(said["shards"][1]["images"]["done"])
    assert "1 more shard never started" in lines


def test_prometheus_reads_it(run, in_shards):
    if READERS is None or subprocess.run([READERS, "-c", "import prometheus_client"], capture_output=True).returncode:
        pytest.skip("SRCEXTRACT_READERS_PYTHON names no Python that has prometheus_client")
    said = run("status", in_shards, "--prometheus").out
    script = """
import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.read()))
assert len({family.name for family in families}) == len(families)
print(json.dumps([[family.type, bool(family.documentation), sample.name, sample.labels, sample.value]
                  for family in families for sample in family.samples]))
"""
    read = subprocess.run([READERS, "-c", script], input=said, capture_output=True, text=True, check=True)
    samples = json.loads(read.stdout)
    expected = status(run, in_shards)
    values = {}
    for kind, documented, name, labels, value in samples:
        assert documented and kind == ("counter" if name.endswith("_total") else "gauge")
        assert labels.pop("survey") == str(in_shards)
        values[(name.removeprefix("srcextract_survey_"), *labels.values())] = value
    assert values["images", "done"] == expected["images"]["done"]
    for shard in expected["shards"]:
        assert values["recorded_images_total", shard["shard"]] == sum(shard["images"].values())
        assert values["left_files", shard["shard"]] == 0 and values["finished", shard["shard"]] == 1
    assert ("left_seconds",) not in values


def test_what_is_no_survey_is_refused(run, tmp_path):
    for arguments, word in ((["status"], "DIR"), (["status", tmp_path], "batch"), (["status", tmp_path / "none"], "none")):
        done = run(*arguments)
        assert done.code in (2, 3) and word in done.err
    assert run("status", tmp_path, "--json", "--prometheus").code == 2
