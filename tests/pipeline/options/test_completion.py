"""What the shells complete, and the man pages: both ask the program."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from driver import ROOT

SCRIPT = ROOT / "scripts" / "completions" / "srcextract.bash"
SHELLS = {
    "bash": f"source {SCRIPT}",
    # As bashcompinit calls a function of bash.
    "zsh": f"autoload -Uz compinit bashcompinit; compinit -u -D; bashcompinit; source {SCRIPT}; setopt ksharrays shwordsplit",
    "fish": "",
}


@pytest.fixture(params=SHELLS)
def complete(request, tmp_path):
    """What the shell offers for the last of these words."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"no program {shell}")
    path = f"{pathlib.Path(os.environ['SRCEXTRACT_PROGRAM']).parent}:{os.environ['PATH']}"

    def completed(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        script = (f"{SHELLS[shell]}\ncompopt() {{ :; }}\nCOMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}\n_srcextract\n"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run([shell, *(["-f"] if shell == "zsh" else ["--norc"]), "-c", script], capture_output=True,
                              text=True, env={**os.environ, "PATH": path}, timeout=60)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        # zsh leaves it to its own completion to drop what begins otherwise.
        return [word for word in done.stdout.split() if word.startswith(words[-1])]

    def completed_by_fish(*words):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {SCRIPT.with_suffix('.fish')}; complete -C '{' '.join(words)}'"],
                              capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=60, cwd=tmp_path)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        # It offers what has the word anywhere where nothing begins with it.
        return [line.split("\t")[0] for line in done.stdout.splitlines() if line.startswith(words[-1])]

    return completed_by_fish if shell == "fish" else completed


def options_of(text):
    return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE))


def test_commands_options_keys_and_groups(complete, run):
    assert complete("srcextract", "ba") == ["batch"] and complete("srcextract", "cro") == ["crowd"]
    assert {"merge", "compare", "sextractor", "help"} <= set(complete("srcextract", ""))
    assert set(complete("srcextract", "--")) == options_of(run("--help").out)
    assert set(complete("srcextract", "batch", "--")) == options_of(run("batch", "--help").out)
    assert set(complete("srcextract", "radio", "--")) == options_of(run("radio", "--help").out)
    assert complete("srcextract", "batch", "--sh") == ["--shard"]
    assert sorted(complete("srcextract", "--set", "detection.thr")) == ["detection.threshold=", "detection.threshold_unit="]
    assert sorted(complete("srcextract", "sky.fits", "--backend", "c")) == ["compare", "cpu", "cuda"]
    assert sorted(complete("srcextract", "keys", "de")) == ["deblend", "detection"]
    assert "photometry" in complete("srcextract", "columns", "")
    assert complete("srcextract", "help", "m") == ["merge"]
    assert complete("srcextract", "sk") == []  # the shell completes files then


def test_man_pages_have_every_option(run, tmp_path):
    if shutil.which("help2man") is None:
        pytest.skip("no program help2man")
    subprocess.run([ROOT / "scripts" / "man_pages.sh", os.environ["SRCEXTRACT_PROGRAM"], tmp_path / "man"], check=True)
    pages = {page.stem: page.read_text().replace("\\-", "-") for page in (tmp_path / "man").iterdir()}
    assert set(pages) == {"srcextract", *(f"srcextract-{command}" for command in
                                          ("batch", "status", "merge", "difference", "crowd", "radio", "inject", "psf", "compare", "convert-config",
                                            "sextractor"))}
    for command in ("", "batch", "merge", "compare"):
        said = run(*([command] if command else []), "--help").out
        page = pages["srcextract" + (f"-{command}" if command else "")]
        assert options_of(said) and all(option in page for option in options_of(said))
