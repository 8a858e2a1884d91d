"""scripts/release.sh in a small repository: its notes and its source archive, and what it refuses."""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ["scripts/release.sh", "scripts/sums.sh", "CMakeLists.txt", "pyproject.toml", "CITATION.cff", "CHANGELOG.md"]
CHANGES = """# Changelog

## 3.7.0 (2026-11-30)

It finds [faint](docs/faint.md) sources.

### Speed

- **Faster** by a half ([speed](docs/speed.md),
  [memory](docs/speed.md#memory)).

## 3.6.0 (2026-10-31)

An older sentence.
"""


def git(folder, *words):
    author = {"GIT_AUTHOR_DATE": "2026-11-30T12:00:00Z", "GIT_COMMITTER_DATE": "2026-11-30T12:00:00Z",
              "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", "-C", folder, "-c", "user.name=A Developer", "-c", "user.email=developer@example.org", *words],
                   env={**os.environ, **author}, check=True, capture_output=True)


def release(folder, *words, umask=0o022, zone="UTC"):
    return subprocess.run([folder / "scripts/release.sh", *words], text=True, capture_output=True, umask=umask,
                          env={**os.environ, "TZ": zone})


@pytest.fixture
def repository(tmp_path):
    """A clone of a repository that has version 3.7.0, tagged."""
    origin = tmp_path / "origin"
    for part in PARTS:
        (origin / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, origin / part)
    for part, line in (("CMakeLists.txt", r"(?m)^(project\(srcextract VERSION )[\d.]+"), ("CITATION.cff", r"(?m)^(version: ).*")):
        (origin / part).write_text(re.sub(line, r"\g<1>3.7.0", (origin / part).read_text()))
    (origin / "CHANGELOG.md").write_text(CHANGES)
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(origin))
    git(origin, "add", "--all")
    git(origin, "commit", "--quiet", "--message=Version 3.7.0")
    git(origin, "tag", "v3.7.0")
    return clone(tmp_path, "clone")


def clone(tmp_path, name):
    git(tmp_path, "clone", "--quiet", "origin", name)
    return tmp_path / name


def test_notes_are_the_section_of_the_version(repository, tmp_path):
    done = release(repository, "--only", "notes,source", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    notes = (tmp_path / "out/srcextract-3.7.0-notes.md").read_text()
    assert "It finds faint sources.\n\n## Speed\n\n- **Faster** by a half.\n" in notes
    assert "older" not in notes and "](" not in notes
    # Of the files it names those that are there.
    assert "`tar xf srcextract-3.7.0-source.tar.gz`" in notes and "pip install" not in notes and "docker" not in notes


def test_two_clones_give_the_same_source_archive(repository, tmp_path):
    other = clone(tmp_path, "another")
    assert release(repository, "--only", "source", tmp_path / "first").returncode == 0
    assert release(other, "--only", "source", tmp_path / "second", umask=0o077, zone="Asia/Tokyo").returncode == 0
    first, second = (tmp_path / name / "srcextract-3.7.0-source.tar.gz" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        members = archive.getmembers()
    assert {member.uid for member in members} == {0} and len({member.mtime for member in members}) == 1
    assert {member.name for member in members if member.isfile()} == {f"srcextract-3.7.0/{part}" for part in PARTS}


def test_the_table_says_what_was_made_tried_and_left_out(repository, tmp_path):
    done = release(repository, "--only", "source,sums,try-sums", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    table = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "left out - wheels not named by --only" in table
    rows = {line.split()[2]: line for line in table if " now " in line}
    assert set(rows) == {"SHA256SUMS", "srcextract-3.7.0-source.tar.gz"}
    assert rows["SHA256SUMS"].endswith("all files agree") and rows["srcextract-3.7.0-source.tar.gz"].endswith("not tried by this run")
    (tmp_path / "out/srcextract-3.7.0-source.tar.gz").write_bytes(b"damaged")
    damaged = release(repository, "--only", "try-sums", tmp_path / "out")
    assert damaged.returncode == 1 and "1 steps failed" in damaged.stdout


def test_a_step_that_was_asked_for_and_cannot_run_is_a_failure(repository, tmp_path):
    done = release(repository, "--only", "try-tarball", tmp_path / "out")
    assert done.returncode == 1
    assert "no srcextract-3.7.0-linux-" in done.stdout and "FAILED" in done.stdout


def test_a_dirty_tree_is_refused(repository, tmp_path):
    (repository / "forgotten.txt").write_text("not committed")
    done = release(repository, "--only", "notes,source", tmp_path / "out")
    assert done.returncode == 1 and "Commit or stash" in done.stderr and "forgotten.txt" in done.stderr
    assert not (tmp_path / "out").exists()


def test_files_of_another_version_are_refused(repository, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/srcextract-3.6.0-cp312-abi3-manylinux_2_28_x86_64.whl").write_text("older")
    done = release(repository, "--only", "notes", tmp_path / "out")
    assert done.returncode == 1 and "srcextract-3.6.0-cp312" in done.stderr


@pytest.mark.parametrize("file, old, new, reason", [
    ("CMakeLists.txt", "VERSION 3.7.0", "VERSION 3.8.0", "the newest section of CHANGELOG.md is 3.7.0"),
    ("CITATION.cff", "version: 3.7.0", "version: 3.6.0", "CITATION.cff says 3.6.0"),
    ("pyproject.toml", 'dynamic = ["version"]', 'version = "1.0.0"', "pyproject.toml says 1.0.0"),
    ("CHANGELOG.md", "(2026-11-30)", "(unreleased)", "write the date there"),
    ("CHANGELOG.md", "older", "oldest", "HEAD has no tag: git tag v3.7.0"),
])
def test_places_that_differ_on_the_version_are_named(repository, tmp_path, file, old, new, reason):
    text = (repository / file).read_text()
    assert old in text
    (repository / file).write_text(text.replace(old, new, 1))
    git(repository, "commit", "--quiet", "--all", "--message=Another version")
    done = release(repository, "--only", "notes", tmp_path / "out")
    assert done.returncode == 1 and reason in done.stderr, done.stderr


def test_a_trial_needs_neither_tag_nor_date(repository, tmp_path):
    (repository / "CHANGELOG.md").write_text(CHANGES.replace("2026-11-30", "unreleased"))
    git(repository, "commit", "--quiet", "--all", "--message=Not yet")
    assert release(repository, "--untagged", "--only", "notes", tmp_path / "out").returncode == 0
    git(repository, "tag", "v3.6.9")
    refused = release(repository, "--untagged", "--only", "notes", tmp_path / "out")
    assert refused.returncode == 1 and "the tag of HEAD is v3.6.9, not v3.7.0" in refused.stderr
