"""What INPUT stands for, of thousands of files that are looked at together: what is found, and what is said of it, is
what one look after the other gives."""

import json
import os
import random
import resource

import pytest

import survey_support as survey
from fits_files import hdu, write

config = survey.config

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
FILES, FOLDERS = (400, 40) if SANITIZED else (4000, 90)
# Every look takes so long, and more or less by accident where there are many: who comes back first is not who began.
SLOW = {"LD_PRELOAD": os.environ["SRCEXTRACT_SLOW_FILES"], "SLOW_FILES": "300"}


@pytest.fixture(scope="module")
def sky(tmp_path_factory):
    """Folders in folders, with images, what is none, links to both, and links that lead nowhere. Nothing is opened: a
    file need not be an image."""
    root = tmp_path_factory.mktemp("sky")
    choose = random.Random(7)
    folders = [root]
    for number in range(FOLDERS):
        folders.append(choose.choice(folders) / f"{choose.randrange(1000):03}_{number}")
        folders[-1].mkdir()
    for number in range(FILES):
        kind = choose.choice([".fits", ".fits", ".fit", ".fts.gz", ".FITS.fz", ".cat.fits", ".txt", ""])
        path = choose.choice(folders) / f"{choose.randrange(100_000):05}_{number}{kind}"
        path.write_bytes(b"x" * choose.randrange(5))
    files = sorted(path for path in root.rglob("*.fits") if not path.name.endswith(".cat.fits"))
    for number in range(FILES // 20):
        (choose.choice(folders) / f"to_file_{number}.fits").symlink_to(choose.choice(files))
        (choose.choice(folders) / f"to_nothing_{number}.fits").symlink_to("nowhere.fits")
    return root


def is_image(name):
    low = name.lower().removesuffix(".gz").removesuffix(".fz")
    return low.endswith((".fits", ".fit", ".fts")) and not low.endswith(".cat.fits") and not name.startswith(".")


def below(root):
    """By Python alone: every image, links to nothing too, in the order of their names."""
    return sorted((os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root)
                   for name in names if is_image(name)), key=os.fsencode)


@pytest.fixture
def plan(run, tmp_path):
    """The paths that a run would extract, in order."""
    (tmp_path / "c.yaml").write_text("extends: none\n")

    def planned(*inputs, env=None, code=0):
        done = run("batch", "--dry-run", "-o", tmp_path / "out", tmp_path / "c.yaml", *inputs, env=env)
        assert done.code == code, done.err
        return done.out.splitlines() if code == 0 else done.err

    return planned


@pytest.mark.parametrize("env", [{}, SLOW])
def test_all_below_a_directory_is_found_in_the_order_of_names(plan, sky, env):
    expected = [str(sky / name) for name in below(sky)]
    assert len(expected) > FILES // 3
    assert plan(sky, env=env) == expected


@pytest.mark.parametrize("env", [{}, SLOW])
def test_so_are_the_lines_of_a_manifest_and_the_matches_of_a_pattern(plan, sky, tmp_path, env):
    names = below(sky)
    lines = [str(sky / name) for name in names] + [str(sky / f"zz_missing_{number}.fits") for number in range(50)]
    random.Random(1).shuffle(lines)
    manifest = tmp_path / "list.txt"
    manifest.write_text("\n".join(lines) + "\n")
    assert sorted(plan(manifest, env=env)) == sorted(lines)
    in_root = [str(sky / name) for name in names if "/" not in name]
    assert plan(f"{sky}/*.f*", env=env) == in_root
    given = sorted(in_root + [str(sky / f"zz_missing_{number}.fits") for number in range(50)], key=os.fsencode)
    assert plan(*random.Random(3).sample(given, len(given)), env=env) == given


@pytest.mark.parametrize("env", [{}, SLOW])
def test_the_first_mistake_is_told_whoever_is_slow(plan, sky, tmp_path, env):
    there = [str(sky / name) for name in below(sky) if "/" not in name]
    said = plan(*there, "no_such_a", "no_such_b", env=env, code=3)
    assert "no_such_a" in said and "no_such_b" not in said
    manifest = tmp_path / "list.csv"
    manifest.write_text("path\n" + "\n".join(there[:5]) + "\n\"\"\n\"\"\n")
    said = plan(manifest, env=env, code=2)
    assert f"list.csv:{7}" in said


def test_a_process_that_may_open_few_files_finds_them_all(run, sky, tmp_path):
    (tmp_path / "c.yaml").write_text("extends: none\n")
    done = run("batch", "--dry-run", "-o", tmp_path / "out", tmp_path / "c.yaml", sky,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)))
    assert done.code == 0, done.err
    assert done.out.splitlines() == [str(sky / name) for name in below(sky)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root: may read every directory")
@pytest.mark.parametrize("env", [{}, SLOW])
def test_so_is_the_first_directory_that_cannot_be_read(plan, tmp_path, env):
    for number in range(100):
        folder = tmp_path / "sky" / f"{number:03}"
        folder.mkdir(parents=True)
        (folder / "a.fits").write_bytes(b"")
        if number in (41, 42, 97):
            folder.chmod(0)
    said = plan(tmp_path / "sky", env=env, code=3)
    for number in (41, 42, 97):
        (tmp_path / "sky" / f"{number:03}").chmod(0o700)
    assert "/041" in said and "/042" not in said and "/097" not in said


def test_a_dry_run_prints_a_line_a_file_whatever_its_name(plan, tmp_path):
    """A terminal would obey the escape sequence, and a script take the rest of a line for another file."""
    names = ["a\x1b]0;owned\x07.fits", "b\n/etc/passwd.fits", "c\x7f\x9b31m.fits", "plain \u00e4.fits"]
    for name in names:
        path = tmp_path / "odd" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    lines = plan(tmp_path / "odd")
    assert [line.isprintable() for line in lines] == [True] * len(names), lines
    assert str(tmp_path / "odd" / names[-1]) in lines


def test_a_merged_table_among_the_inputs_is_left_out(run, tmp_path, config):
    """Whatever its name; and a run that goes on does not look at it again."""
    images = survey.write_images(tmp_path / "in", [f"{seed}.fits" for seed in range(4)])
    assert run("batch", config, "in", "-o", "out").code == 0
    assert run("merge", "out", "-o", images / "2000.fits").code == 0
    table = (images / "2000.fits").read_bytes()
    word = "info: in/2000.fits: left out, as a table of srcextract merge and no image\n"
    said = [run("batch", config, "in", "-o", *to) for to in (["out"], ["new"], ["shards", "--shard", "1/2"], ["shards", "--shard", "2/2"])]
    assert [done.code for done in said] == [0] * 4
    assert word in said[0].err and word in said[1].err and (said[2].err + said[3].err).count(word) == 1
    assert survey.failures(tmp_path / "new") == [] and "4 images done" in said[1].err
    for out in ("out", "new", "shards"):
        again = run("batch", config, "in", "-o", out)
        assert survey.planned(again.err)["to_do"] == 0 and "2000" not in again.err
        status = json.loads(run("status", out, "--json").out)
        assert status["images"] == {"done": 4, "failed": 0} and status["files_left"] == 0
        assert run("merge", out, "-o", f"{out}.fits").code == 0
        assert (tmp_path / f"{out}.fits").read_bytes() == table
    assert run(config, images / "2000.fits", "-o", "single").code == 3


def test_one_sentence_of_many_images_is_one_line_with_a_count(run, tmp_path):
    """No image has a WCS, so that none has the size of a pixel."""
    (tmp_path / "in").mkdir()
    for seed in range(8):
        write(tmp_path / "in" / f"{seed}.fits", hdu((200, 200), values=survey.sky(seed)))
    write(tmp_path / "in" / "9.fits", survey.image(9))
    done = run("batch", "in", "-o", "out", "--threads", "2", "--set", "output.columns=[default, MU_MAX]", "--log-file", "log")
    sentence = "MU_MAX is NaN, since the size of a pixel is not known"
    (line,) = [line for line in done.err.splitlines() if sentence in line]
    assert done.code == 0 and line.startswith(f"warning: 8 of 9 images, in/0.fits the first: {sentence}"), done.err
    assert (tmp_path / "log").read_text().count(sentence) == 1
    again = run("batch", "in/0.fits", "-o", "one", "--set", "output.columns=[default, MU_MAX]")
    assert f"warning: in/0.fits: {sentence}" in again.err
