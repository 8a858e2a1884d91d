"""Files under several names are warned of, and messages name the first in order of names, in whatever order a file
system lists them and numbers its files."""

import os
import subprocess
import sys

import pytest

import survey_support as survey

config = survey.config

pytestmark = pytest.mark.skipif(os.environ.get("SRCEXTRACT_SANITIZE", "") != "",
                                reason="sanitizers: they want to be loaded before any other library")


@pytest.fixture
def images(tmp_path):
    return survey.write_images(tmp_path / "images", [f"{seed}.fits" for seed in range(8)])


def test_links_to_one_file_are_warned_of(run, config, images, tmp_path):
    assert "one file" not in run("batch", config, images, "-o", "quiet").err
    (images / "soft.fits").symlink_to("0.fits")
    os.link(images / "0.fits", images / "hard.fits")
    done = run("batch", config, images, "-o", "out")
    assert done.code == 0 and "are one file (and 1 more such names): " in done.err, done.err
    assert "/0.fits'" in done.err and "warning: " in done.err


def test_a_file_under_two_names_is_warned_of(run, config, images, tmp_path):
    below = tmp_path / "below"
    below.mkdir()
    images.rename(below / "night")
    done = run("batch", config, "below", "below/night", "-o", "out", "--dry-run")
    assert done.code == 0 and "'below/night/0.fits' has two names (and 7 more such names): it is extracted once for each" in done.err, done.err
    assert "two names" not in run("batch", config, "below", "below", "-o", "out", "--dry-run").err
    (tmp_path / "two.csv").write_text("path,name,detection.threshold\nbelow/night/0.fits,a.fits,3\nbelow/night/0.fits,b.fits,9\n")
    assert "two names" not in run("batch", config, "two.csv", "-o", "out", "--dry-run").err


def another_order(seed):
    return {"LD_PRELOAD": os.environ["SRCEXTRACT_ANOTHER_ORDER"], "ANOTHER_ORDER": str(seed)}


def test_another_order_is_another(tmp_path):
    """So that no test passes because every order is that of names."""
    for name in "abcdefgh":
        (tmp_path / name).touch()
    look = "import os; print(os.listdir('.'), sorted(os.listdir('.'), key=lambda name: os.stat(name).st_ino))"
    said = {subprocess.run([sys.executable, "-c", look], cwd=tmp_path, env={**os.environ, **another_order(seed)},
                           capture_output=True, text=True).stdout for seed in range(4)}
    assert len(said) == 4 and all(text.count("'h'") == 2 for text in said), said  # orders of names, and of inodes


def test_messages_name_the_first_by_name_whatever_the_file_system_lists_first(run, config, images, tmp_path):
    below = tmp_path / "below"
    below.mkdir()
    images.rename(below / "night")
    os.link(below / "night/7.fits", below / "soft.fits")
    os.link(below / "night/3.fits", below / "hard.fits")
    for seed in range(6):
        done = run("batch", config, "below", "below/night", "-o", "out", "--dry-run", env=another_order(seed))
        assert "'below/night/0.fits' has two names (and 9 more such names): " in done.err, done.err
        done = run("batch", config, "below", "-o", "out", "--dry-run", env=another_order(seed))
        assert "'below/hard.fits' and 'below/night/3.fits' are one file (and 1 more such names): " in done.err, done.err
