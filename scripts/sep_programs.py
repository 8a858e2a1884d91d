#!/usr/bin/env python3
"""Runs the tests of public programs that use SEP, with sep and with srcextract.sep in its place, without a change to the programs.

    python scripts/sep_programs.py FOLDER [--only NAME ...]

FOLDER has the programs' sources, one folder each, as `git clone` or an unpacked sdist leaves them; those that are absent are told
and left out. The interpreter has srcextract, sep, pytest, and what the programs need. With srcextract.sep every call of
`extract` is made by SEP as well: a program is equal if the same tests pass, and if 99.9 % of SEP's sources have one within
0.02 pixel, in the images of the program's own tests.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

# The folder of a program, and its tests that reach SEP.
PROGRAMS = {
    "astroalign": ["tests"],
    "metadetect": ["metadetect/tests/test_metadetect.py"],
    "stdpipe": ["tests/test_photometry.py", "tests/test_photometry_measure.py", "tests/test_background_estimation.py",
                "tests/test_subtraction.py"],
    "sxdes": ["sxdes"],
}

RUNNER = """
import json, sys
import numpy, pytest

way, log, report, *tests = sys.argv[1:]
calls = []


def near(one, other):
    from scipy.spatial import cKDTree
    if len(one) == 0 or len(other) == 0:
        return 0
    places = [numpy.column_stack([found["x"], found["y"]]) for found in (one, other)]
    return int((cKDTree(places[0]).query(places[1])[0] < 0.02).sum())


import sep as theirs
sys.modules["sep_x"] = theirs
if way == "srcextract.sep":
    import srcextract.sep as ours
    from srcextract.sep import extract as find

    def extract(data, *more, **told):
        found, peer = find(data, *more, **told), theirs.extract(data, *more, **told)
        pair = [one[0] if isinstance(one, tuple) else one for one in (found, peer)]
        calls.append([len(pair[0]), len(pair[1]), near(*pair)])
        return found

    ours.extract = extract
    sys.modules["sep"] = sys.modules["sep_x"] = ours
code = pytest.main(["-q", "-p", "no:cacheprovider", "--junitxml=" + report, *tests])
open(log, "w").write(json.dumps(calls))
sys.exit(code)
"""


def run(folder, tests, way, seconds):
    """{test: outcome} of a program's tests, and [ours, SEP's, of these near] of every call of extract."""
    with tempfile.TemporaryDirectory() as work:
        log, report = pathlib.Path(work, "log"), pathlib.Path(work, "report.xml")
        there = [test for test in tests if (folder / test).exists()]
        done = subprocess.run([sys.executable, "-c", RUNNER, way, str(log), str(report), *there], cwd=folder,
                              capture_output=True, text=True, timeout=seconds)
        if not report.exists() or not log.exists():
            sys.exit(f"{folder}: its tests did not run: {(done.stderr or done.stdout).strip()[-2000:]}")
        outcomes = {}
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            kinds = {child.tag for child in case}
            outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            outcomes[f"{case.get('classname')}::{case.get('name')}"] = outcome
        return outcomes, json.loads(log.read_text())


def judged(name, folder, tests, seconds):
    """A line of the table, and whether the program is equal."""
    (theirs, _), (mine, calls) = (run(folder, tests, way, seconds) for way in ("sep", "srcextract.sep"))
    differ = sorted(test for test in theirs.keys() | mine.keys() if theirs.get(test) != mine.get(test))
    worse = [test for test in differ if theirs.get(test) == "passed"]
    found, of_sep, near = (sum(call[i] for call in calls) for i in range(3))
    share = near / of_sep if of_sep else 1.0
    passed = [sum(outcome == "passed" for outcome in one.values()) for one in (theirs, mine)]
    print(f"| {name} | {len(theirs)} | {passed[0]} | {passed[1]} | {len(calls)} | {of_sep} | {found} | {100 * share:.2f} % |", flush=True)
    for test in differ:
        print(f"  {test}: {theirs.get(test)} with sep, {mine.get(test)} with srcextract.sep", file=sys.stderr)
    if passed[0] == 0:
        print(f"sep_programs: no test of {name} passes with sep: it lacks what it needs", file=sys.stderr)
    return passed[0] > 0 and not worse and share >= 0.999


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--seconds", type=float, default=1200, help="limit for the tests of a program")
    options = parser.parse_args()
    print("| program | tests | pass with sep | with srcextract.sep | calls of extract | SEP's sources | ours | within 0.02 pixel |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    equal = []
    for name in options.only:
        folder = options.folder / name
        if folder.is_dir():
            equal.append(judged(name, folder.resolve(), PROGRAMS[name], options.seconds))
        else:
            print(f"sep_programs: no folder {folder}; git clone the program there", file=sys.stderr)
    sys.exit(0 if equal and all(equal) else 1)


if __name__ == "__main__":
    main()
