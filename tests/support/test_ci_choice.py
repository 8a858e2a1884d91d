"""What .ci/run leaves out of a change: in any four turns every test runs, and each time those that the change concerns."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
KINDS = ("truth", "pipeline")


def asked(command, turn, changed=(), everything=""):
    script = 'all=$1 turn=$2 changed=$3; source .ci/choice.sh; ' + command
    done = subprocess.run(["bash", "-c", script, "bash", everything, str(turn), "\n".join(changed)], cwd=ROOT,
                          capture_output=True, text=True)
    assert not done.stderr
    return done


def names_of(kind):
    return {path.stem.removeprefix("test_") for path in (ROOT / "tests" / kind).rglob("test_*.py")}


def run_of(kind, turn, changed=(), everything=""):
    expression = asked(f"tests_left_out {kind}", turn, changed, everything).stdout.strip()
    return {name for name in names_of(kind) if not (expression and re.search(expression, f"{kind}.{name}"))}


@pytest.mark.parametrize("kind", KINDS)
def test_four_turns_run_every_test_once(kind):
    turns = [run_of(kind, turn) for turn in range(6, 10)]
    assert set().union(*turns) == names_of(kind) and sum(map(len, turns)) == len(names_of(kind)) > 70
    assert all(len(turn) > len(names_of(kind)) / 8 for turn in turns)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_out_if_all_is_asked_for(kind):
    assert run_of(kind, 1, everything="1") == names_of(kind)


@pytest.mark.parametrize("changed, tests", [
    ("tests/truth/test_psf_profiles.py", {"psf_profiles"}),
    ("stages/crowd/find_stars.cpp", {"crowd_structure", "crowd_shared_noise"}),
    ("stages/photometry/petrosian_half_light.hpp", {"petrosian_half_light"}),
])
def test_what_differs_is_tested(changed, tests):
    for turn in (1, 2):
        assert tests <= run_of("truth", turn, ["docs/faq.md", changed])


def test_of_many_tests_that_differ_a_sample_runs_beside_the_turn():
    usual = {turn: run_of("truth", turn) for turn in (1, 5)}
    samples = [run_of("truth", turn, ["tests/truth/support/rounds.py"]) - usual[turn] for turn in usual]
    assert [len(sample) for sample in samples] == [6, 6] and samples[0] != samples[1]
    few = [f"tests/truth/test_{name}.py" for name in sorted(names_of("truth") - usual[1])[:6]]
    assert len(run_of("truth", 1, few) - usual[1]) == 6


def test_every_program_runs_in_turn_with_address_sanitizer():
    programs = {"config", "io", "regression", "sextractor", "survey", "stages", "pipeline"}
    left = [set(re.findall(r"[a-z]+", asked("programs_left_out", turn).stdout)) - {"test"} for turn in range(4)]
    assert all(one < programs for one in left) and not set.intersection(*left)
    assert all("io" not in set(re.findall(r"[a-z]+", asked("programs_left_out", turn, [path]).stdout))
               for turn in range(4) for path in ("io/wcs/sip.cpp", "tests/io/tables/test_table_fits.cpp"))


def test_a_step_has_its_turn_or_its_paths():
    chosen = [[asked("chosen 2 '^python/'", turn, [changed]).returncode == 0 for turn in range(4)]
              for changed in ("docs/faq.md", "python/core/psf.cpp")]
    assert chosen == [[False, False, True, False], [True] * 4]
    assert asked("turns_until 2", 3).stdout == "3\n"


def test_device_code_that_differs_is_compiled():
    changed = ["cuda/sky/mesh.cu", "cuda/sky/mesh_rows.hpp", "cuda/sky/gone.cu", "stages/sky/mesh.hpp"]
    files = asked("device_files", 1, changed).stdout.split()
    assert "sky/mesh.cu" in files and "sky/mask_bright.cu" in files and "sky/gone.cu" not in files
    assert files == sorted(set(files)) and not asked("device_files", 1, ["stages/sky/mesh.hpp"]).stdout.strip()
    assert "sky/background.cu" in asked("device_files", 1, ["cuda/sky/clip_state.hpp"]).stdout.split()  # by clip_leader.hpp
