"""Surveys whose runs are killed at any instant, and started again until they are done. How often, SRCEXTRACT_LONG says:
with it a hundred times and more."""

import os
import random
import shutil
import signal
import subprocess
import threading
import time

import pytest

import survey_support as survey
from driver import run_program

SEED = int(os.environ.get("SRCEXTRACT_CHAOS_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
CHAINS = 5  # side by side, so that runs are slow enough for their journals to be written, which is once a second
NEVER = 600.0
LONG = "SRCEXTRACT_LONG" in os.environ
SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
KILLED = -signal.SIGKILL


def kills_of(all):
    """How many of so many kills: as `rounds` of tests/support/rounds.hpp."""
    return all if LONG else max(1, all // (20 if SANITIZED else 4))


class Kills:
    """How many processes were killed, in all threads."""

    def __init__(self, wanted):
        self.wanted, self.count, self.lock = wanted, 0, threading.Lock()

    def add(self, more):
        with self.lock:
            self.count += more

    def enough(self):
        return self.count >= self.wanted


class Chain:
    """One survey after the other in DIRECTORY/out. Each run of one is killed at a random instant, or ends before that;
    the last survey is the one that is done when there were kills enough. Several commands run at the same time."""

    def __init__(self, directory, commands, kills, seed):
        directory.mkdir()
        self.directory, self.commands, self.kills = directory, commands, kills
        self.out = directory / "out"
        self.random = random.Random(seed)
        self.surveys = self.went_on = 0
        self.files = []  # of each command; not known while it runs undisturbed
        self.problems = []

    def work(self):
        try:
            self.run_undisturbed()
            while not self.kills.enough():
                shutil.rmtree(self.out, ignore_errors=True)
                while not self.ends_survey():
                    continue
                self.surveys += 1
        except Exception as error:  # the thread's; the test tells
            self.problems.append(repr(error))

    def run_undisturbed(self):
        self.codes = self.run([NEVER] * len(self.commands))
        self.reference = survey.outputs(self.out)
        known = [survey.last_words(self.out / journal) for journal in self.journals()]
        self.images = [max(1, len(images)) for images in known]
        self.files = [len({name for name, _ in images}) for images in known]
        assert set(self.codes) <= {0, 6}, self.codes

    def ends_survey(self):
        """One run, killed or not. True if it was not."""
        delays = [self.random.uniform(0, 1.3 * self.seconds * left) for left in self.left()]
        codes = self.run([NEVER] * len(delays) if self.kills.enough() else delays)
        assert all(code in (KILLED, usual) for code, usual in zip(codes, self.codes)), codes
        self.kills.add(codes.count(KILLED))
        done = KILLED not in codes
        self.check_outputs(done)
        return done

    def left(self):
        """Of each command, how much of its survey is left to do; a little, for it also ends, if all is done."""
        known = [len(survey.last_words(self.out / journal)) for journal in self.journals()]
        return [1.05 - known / all for known, all in zip(known, self.images)]

    def run(self, delays):
        """Starts the commands, and kills each after its delay. Returns their exit codes."""
        known = [survey.last_words(self.out / journal) for journal in self.journals()]
        begin = time.monotonic()
        logs = [self.directory / f"log{i}" for i in range(len(self.commands))]
        processes = [survey.start(*command, cwd=self.directory, log=log) for command, log in zip(self.commands, logs)]
        killers = [threading.Timer(delay, process.kill) for delay, process in zip(delays, processes)]
        for killer in killers:
            killer.start()
        codes = [process.wait() for process in processes]
        for killer in killers:
            killer.cancel()
        if KILLED not in codes and not any(known):
            self.seconds = time.monotonic() - begin  # how fast it is varies with what else the machine does
        for log, before, files in zip(logs, known, self.files):
            self.check_plan(survey.planned(log.read_text()), before, files)
        return codes

    def journals(self):
        count = len(self.commands)
        return [f"journal.{i + 1}-of-{count}.jsonl" for i in range(count)] if count > 1 else ["journal.jsonl"]

    def check_plan(self, plan, before, files):
        """What the journal knew is not done again: of a file of several images, once it knew of all."""
        if plan is None:  # killed before it had one
            return
        images = {}
        for entry in before.values():
            images.setdefault(entry["image"], []).append(entry)
        known = sum(len(entries) == entries[0].get("images", 1) for entries in images.values())
        self.went_on += known > 0
        if plan["to_do"] != files - known or plan["changed"] + plan["retried"] + plan["forced"] > 0:
            self.problems.append(f"the journal knew the fate of {known} of {files} files, and the plan was {plan}")

    def check_outputs(self, done):
        """Outputs are complete or not there; in the end they are those of an undisturbed run, and nothing else is."""
        found = survey.outputs(self.out) if self.out.exists() else {}
        wrong = [name for name, content in found.items() if self.reference.get(name) != content]
        if done:
            wrong += [f"no {name}" for name in self.reference if name not in found]
        else:
            wrong = [name for name in wrong if not name.startswith("failures") and not name.endswith(".tmp")]
        self.problems += [f"after a {'whole' if done else 'killed'} run: {name}" for name in wrong]


def merged(chain):
    done = run_program("merge", chain.out, "-o", chain.directory / "merged.fits")
    assert done.code == 0, done.err
    return (chain.directory / "merged.fits").read_bytes()


def check_chaos(tmp_path, commands, wanted):
    kills = Kills(wanted)
    chains = [Chain(tmp_path / f"chain{i}", commands, kills, SEED + i) for i in range(CHAINS)]
    threads = [threading.Thread(target=chain.work) for chain in chains]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"SRCEXTRACT_CHAOS_SEED={SEED}: {kills.count} kills, {sum(chain.surveys for chain in chains)} surveys done, "
          f"{sum(chain.went_on for chain in chains)} restarts that had a journal to go by")
    assert [problem for chain in chains for problem in chain.problems] == []
    assert kills.count >= wanted
    quiet = Chain(tmp_path / "quiet", commands, kills, SEED)
    quiet.run_undisturbed()
    assert all(chain.reference == quiet.reference for chain in chains)
    expected = merged(quiet)
    assert all(merged(chain) == expected for chain in chains)


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("extends: none\ninput:\n  hdu: all\noutput:\n  formats: [fits, csv]\n")
    return path


def test_a_run_killed_at_any_instant(tmp_path, config):
    images = survey.write_survey(tmp_path / "images", 200)
    check_chaos(tmp_path, [(config, images, "-o", "out")], kills_of(100))


def test_shards_in_one_directory_killed_at_any_instant(tmp_path, config):
    images = survey.write_survey(tmp_path / "images", 100)
    check_chaos(tmp_path, [(config, images, "-o", "out", "--shard", shard) for shard in ("1/2", "2/2")],
                kills_of(40))


def test_a_run_over_extensions_killed_at_any_instant(tmp_path, config):
    (tmp_path / "images").mkdir()
    first = survey.write_extensions(tmp_path / "images" / "0.fits", range(10))
    for i in range(1, 9):
        os.link(first, tmp_path / "images" / f"{i}.fits")
    check_chaos(tmp_path, [(config, tmp_path / "images", "-o", "out")], kills_of(40))


def killed_before(call, number, command):
    """Whether a run was killed before one of its threads made its `number`th such system call; else it ended."""
    tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={number}"]
    done = subprocess.run([*tracer, survey.PROGRAM, "batch", *map(str, command)], capture_output=True)
    assert done.returncode in (KILLED, 128 + signal.SIGKILL, 6), done
    return done.returncode != 6


@pytest.mark.parametrize("call", ["mkdir", "pwrite64", "ftruncate", "write", "linkat", "rename", "syncfs", "fdatasync"])
def test_a_run_killed_before_each_of_its_changes(tmp_path, config, tracer, call):
    images = survey.write_survey(tmp_path / "images", 3, kinds=3)
    command = (config, images, "-q", "--threads", 1, "-o")
    assert run_program("batch", *command, tmp_path / "quiet").code == 6
    reference = survey.outputs(tmp_path / "quiet")
    out = tmp_path / "out"
    problems = []
    kills = 0
    while killed_before(call, kills + 1, (*command, out)):
        kills += 1
        left = survey.outputs(out) if out.exists() else {}
        problems += [f"{kills}: {name}" for name in left if left[name] != reference.get(name, left[name])]
        assert run_program("batch", *command, out).code == 6
        after = survey.outputs(out)
        problems += [f"{kills}, restarted: {name}" for name in {**after, **reference}
                     if after.get(name) != reference.get(name)]
        shutil.rmtree(out)
    assert problems == [] and kills > 0
