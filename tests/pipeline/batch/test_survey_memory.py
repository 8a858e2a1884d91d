"""What an image of a survey takes in memory, seen from outside: by how much the peak of a process grows with more of
them."""

import os
import subprocess
import sys

import pytest

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
pytestmark = pytest.mark.skipif(SANITIZED, reason="sanitizers: they take memory of their own")
FEW, MANY = 50_000, 250_000


def peak(*arguments):
    """The most memory of a run that ends well: what a process has had before it becomes the program counts, so a small
    one starts it."""
    script = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode;"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, code)")
    done = subprocess.run([sys.executable, "-c", script, os.environ["SRCEXTRACT_PROGRAM"], *map(str, arguments)],
                          capture_output=True, text=True, check=True)
    memory, code = done.stdout.split()
    assert code == "0", done.stderr
    return int(memory)


def an_image_more(command):
    return (peak(*command(MANY)) - peak(*command(FEW))) / (MANY - FEW)


def record(number):
    name = f"night{number // 1000:04}/exposure_{number:07}.fits"
    stem = name.removesuffix(".fits")
    return (f'{{"image":"{name}","path":"/archive/survey/data/release_3/{name}","bytes":{33557760 + number},'
            f'"modified":{1700000000123456789 + number},"config":"0123456789abcdef","program":"1.0.0",'
            f'"datasum":{number * 7919 % 2**32},"size":[4096,4096],"sources":{number % 20000},'
            f'"background":{1000 + number / 977},"sigma":{30 + number / 7e6},'
            f'"outputs":{{"{stem}.cat.fits":{1000000 + number},"{stem}.run.json":{5000 + number % 100}}},'
            f'"crc32":{number * 104729 % 2**32}}}\n')


def test_a_journal_of_many_images_is_kept_in_two_hundred_bytes_an_image(tmp_path):
    (tmp_path / "c.yaml").write_text("extends: none\n")
    (tmp_path / "a.fits").write_bytes(b"")

    def again(images):
        out = tmp_path / f"out{images}"
        out.mkdir()
        with open(out / "journal.jsonl", "w") as journal:
            journal.writelines(map(record, range(images)))
        return "batch", "--dry-run", "-q", "-o", out, tmp_path / "c.yaml", tmp_path / "a.fits"

    assert an_image_more(again) < 200


def test_what_is_to_be_done_is_kept_in_two_hundred_bytes_an_image(tmp_path):
    """With paths of some hundred bytes."""
    (tmp_path / "c.yaml").write_text("extends: none\n")

    def first(images):
        manifest = tmp_path / f"list{images}.txt"
        manifest.write_text("".join(f"night{number // 1000:04}/exposure_{number:07}.fits\n" for number in range(images)))
        return "batch", "--dry-run", "-q", "-o", tmp_path / "out", tmp_path / "c.yaml", manifest

    assert an_image_more(first) < 200
