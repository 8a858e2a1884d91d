"""The workflows of docs/workflows as their programs run them, on three images."""

import os
import pathlib
import shutil
import subprocess

import pytest

import survey_support as survey

ROOT = pathlib.Path(__file__).resolve().parents[3]


def program_of_readers(name):
    """Beside SRCEXTRACT_READERS_PYTHON, or on the path."""
    python = os.environ.get("SRCEXTRACT_READERS_PYTHON", "")
    found = shutil.which(name, path=os.pathsep.join([os.path.dirname(python), os.environ["PATH"]]))
    if found is None:
        pytest.skip(f"neither the path nor SRCEXTRACT_READERS_PYTHON has {name}")
    return found


def test_snakemake_makes_the_catalogue_of_one_run(run, tmp_path):
    snakemake = program_of_readers("snakemake")
    images = survey.write_images(tmp_path / "night 1", ["a.fits", "b.fits", "c.fits"])
    (images / "c.fits").write_bytes((images / "c.fits").read_bytes()[:5000])
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "srcextract").symlink_to(os.environ["SRCEXTRACT_PROGRAM"])
    done = subprocess.run([snakemake, "--snakefile", ROOT / "docs/workflows/Snakefile", "--cores", "2", "--config",
                           f"images={images}", "shards=2"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert run("batch", "-o", "whole", images).code == 6
    assert run("merge", "whole", "-o", "whole.cat.fits").code == 0
    assert (tmp_path / "survey.cat.fits").read_bytes() == (tmp_path / "whole.cat.fits").read_bytes()
    assert len(list((tmp_path / "out").glob("journal.*-of-2.jsonl"))) == 2
