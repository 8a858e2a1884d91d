"""What the tables are made from: the benchmark program, srcextract as a whole process, and simulated files."""
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from make_field import tiled_field, write_fits  # noqa: E402

MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}

# Starts a program from a process that is small itself: the kernel counts into the peak memory of a program what the
# process had that started it.
LAUNCHER = """
import json, os, sys, time
begin = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - begin
cpu = usage.ru_utime + usage.ru_stime
print(json.dumps([os.waitstatus_to_exitcode(status), wall * 1e3, cpu * 1e3, usage.ru_maxrss * 1024]))
"""


class ProgramFailed(Exception):
    pass


@dataclasses.dataclass
class Process:
    """What one took: milliseconds, of the clock and of all its threads together, and at its peak bytes."""
    wall: float
    cpu: float
    memory: int
    warnings: list


def launch(*command):
    """Runs it to its end."""
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        raise ProgramFailed(done.stderr.strip().splitlines()[-1])
    code, *taken = json.loads(done.stdout.splitlines()[-1])
    if code != 0:
        raise ProgramFailed((done.stderr.strip() or f"exit {code}").splitlines()[0])
    return Process(*taken, [line for line in done.stderr.splitlines() if line.startswith("warning:")])


def benchmarks(stages, backend, names, sizes):
    """{(name, size): entry} of the benchmarks of the program `stages` that this machine has. An entry has `ms` and the
    counters, or `error_message`. On a GPU `ms` is the median; on a CPU, which others may use, the best."""
    if not stages or not sizes:
        return {}
    pattern = f"^{backend}/({'|'.join(names)})/({'|'.join(map(str, sizes))})(/|$)"
    done = subprocess.run([stages, f"--benchmark_filter={pattern}", "--benchmark_format=json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise ProgramFailed(f"{stages}: {done.stderr.strip()}")
    wanted = "median" if backend == "cuda" else "min"
    entries = {}
    for entry in json.loads(done.stdout)["benchmarks"] if done.stdout else ():
        _, name, size = entry["run_name"].split("/")[:3]
        if entry.get("aggregate_name", wanted) != wanted:
            continue
        entry["ms"] = entry.get("real_time", 0) * MILLISECONDS[entry.get("time_unit", "ms")]
        entries[name, int(size)] = entry
    return entries


class Run:
    """One run of srcextract: times in ms, memory in bytes, and the report of each image."""

    def __init__(self, wall, memory, reports):
        self.wall, self.memory, self.reports = wall, memory, reports

    def image_time(self):
        return sum(report["execution"]["seconds"] for report in self.reports) * 1e3

    def steps(self):
        return {step["step"]: step["seconds"] * 1e3 for step in self.reports[0]["execution"]["steps"]}


class Session:
    def __init__(self, program, stages, largest, work):
        self.program, self.stages, self.largest, self.work = program, stages, largest, pathlib.Path(work)
        self._cuda_problem = None

    def sizes(self, *sizes):
        """Those that this run goes up to."""
        return [size for size in sizes if size <= self.largest]

    def benchmarks(self, backend, names, sizes):
        return benchmarks(self.stages, backend, names, sizes)

    def cuda_problem(self):
        """Why srcextract cannot use a GPU here; empty if it can."""
        if self._cuda_problem is None:
            try:
                self.run("cuda", "lesson", [self.field(64)])
                self._cuda_problem = ""
            except ProgramFailed as error:
                self._cuda_problem = str(error).removeprefix("error: ").split(";")[0]
        return self._cuda_problem

    def lacking(self, otherwise):
        """What this machine lacks for a row about the GPU."""
        return "no GPU" if self.cuda_problem() else otherwise

    def cuda_note(self):
        """For below a table."""
        return [f"cuda skipped: {self.cuda_problem()}."] if self.cuda_problem() else []

    def backends(self):
        return ["cpu"] if self.cuda_problem() else ["cpu", "cuda"]

    def field(self, size):
        """The path of a simulated image, in the page cache and on its disk."""
        path = self.work / f"field_{size}.fits"
        if not path.exists():
            write_fits(path, self.pixels(size))
            os.sync()
        return path

    @staticmethod
    def pixels(size):
        """Those of the simulated image."""
        return tiled_field(size)

    def copies(self, size, count):
        """The image and copies of it, that no cache may hold all of them."""
        original = self.field(size)
        paths = [original] + [self.work / f"{original.stem}_{number}.fits" for number in range(1, count)]
        for path in paths[1:]:
            if not path.exists():
                shutil.copyfile(original, path)
        os.sync()
        return paths

    def run(self, backend, config, images, *options):
        output = self.work / "out"
        # `plain` names no key.
        path = ROOT / ("tests/support" if config == "plain" else "config") / f"{config}.yaml"
        process = launch(self.program, "-q", "--record", "--backend", backend, *options, "-o", output, path, *images)
        reports = [json.loads((output / f"{image.stem}.run.json").read_text()) for image in images]
        return Run(process.wall, process.memory, reports)

    def best(self, runs, *arguments):
        return min((self.run(*arguments) for _ in range(runs)), key=lambda run: run.wall)
