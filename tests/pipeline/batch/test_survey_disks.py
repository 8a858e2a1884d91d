"""Three nights on three disks, of which one is pulled in the middle of a run, and put back."""

import gzip
import os
import subprocess

import pytest

import survey_support as survey
from fits_files import write

config = survey.config

NIGHTS = ("night1", "night2", "night3")
FILES = 240

# night2 is gone from its first image on until all else is done. Waits in steps of no process: `ls` of a shell is none.
THREE_DISKS = """
for night in night1 night2 night3; do
  mount -t tmpfs none "disks/$night" && cp -a "kept/$night/." "disks/$night" && mount --bind "disks/$night" "sky/$night" ||
    exit 99
done
"$SRCEXTRACT_PROGRAM" batch -q "$@" sky -o quiet || exit 98
"$SRCEXTRACT_PROGRAM" batch "$@" sky -o out 2>log &
run=$!
until [ -e out/night2/000.run.json ]; do kill -0 $run || exit 97; done
umount -l sky/night2
until grep -q "the run waits until they are back" log; do kill -0 $run || exit 96; sleep 0.05; done
sleep 1.5
cp out/journal.jsonl meanwhile.jsonl
[ -z "$LOST" ] || rm "disks/night2/$LOST"
mount --bind disks/night2 sky/night2
wait $run
"""


@pytest.fixture
def nights(tmp_path):
    """Of images, packed images, and files of two images."""
    for place in ("kept", "disks", "sky"):
        for night in NIGHTS:
            (tmp_path / place / night).mkdir(parents=True)
    for seed, night in enumerate(NIGHTS):
        below = tmp_path / "kept" / night
        first = write(below / "000.fits", survey.image(seed, 96, 96))
        packed = below / "002.fits.gz"
        packed.write_bytes(gzip.compress(first.read_bytes(), 1))
        originals = [first, survey.write_extensions(below / "001.fits", [seed, seed + 9]), packed]
        for i in range(3, FILES):
            os.link(originals[i % 3], below / f"{i:03}.fits{'.gz' if i % 3 == 2 else ''}")
    return tmp_path


def run_on_three_disks(nights, *arguments, lost=""):
    done = subprocess.run(["unshare", "-rm", "sh", "-c", THREE_DISKS, "sh", *map(str, arguments)], cwd=nights,
                          env={**os.environ, "LOST": lost}, capture_output=True, text=True)
    if done.returncode == 99 or done.stderr.startswith("unshare: "):
        pytest.skip(f"no limited file system: {done.stderr.strip()}")
    return done.returncode, (nights / "log").read_text()


def images_of(night, files=range(FILES)):
    """As a journal names them: (name, HDU)."""
    for i in files:
        name = f"{night}/{i:03}.fits{'.gz' if i % 3 == 2 else ''}"
        yield from [(name, 1), (name, 2)] if i % 3 == 1 else [(name, None)]


@pytest.mark.parametrize("threads", [1, 4])
def test_one_of_three_disks_is_pulled_and_put_back(nights, config, threads):
    config.write_text("extends: none\ninput: {hdu: all}\noutput: {formats: [fits]}\n")
    code, log = run_on_three_disks(nights, config, "--threads", threads)
    assert code == 0, log
    records = [(entry["image"], entry.get("hdu")) for entry in survey.records(nights / "out/journal.jsonl")]
    assert sorted(records) == sorted(set(records))  # nothing twice
    assert set(records) == {image for night in NIGHTS for image in images_of(night)}
    assert survey.failures(nights / "out") == []
    meanwhile = set(survey.last_words(nights / "meanwhile.jsonl"))
    assert meanwhile >= {image for night in ("night1", "night3") for image in images_of(night)}
    assert 0 < len([name for name, _ in meanwhile if name.startswith("night2/")]) < FILES
    assert log.count("the inputs beside it are gone too: all in sky/night2/ are put off") == 1
    assert survey.outputs(nights / "out") == survey.outputs(nights / "quiet")


def test_a_file_that_is_lost_meanwhile_fails_alone(nights, config):
    config.write_text("extends: none\ninput: {hdu: all}\noutput: {formats: [fits]}\n")
    last = f"{FILES - 1:03}.fits.gz"
    code, log = run_on_three_disks(nights, config, lost=last)
    assert code == 6, log
    assert [row["image"] for row in survey.failures(nights / "out")] == [f"night2/{last}"]
    assert len(survey.done(nights / "out/journal.jsonl")) == sum(1 for n in NIGHTS for _ in images_of(n)) - 1
