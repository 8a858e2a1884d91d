#!/usr/bin/env python3
"""Runs the tests of public programs that use SEP, with sep and with srcextract.sep in its place, without a change to the programs.

    python scripts/sep_programs.py FOLDER [--srcextract WHEEL] [--only NAME ...]

FOLDER has the programs' sources, one folder each; what is absent is cloned there. Every program is installed into a virtual
environment of its own in FOLDER/venvs, with sep and with srcextract from WHEEL (by default from this repository). With
srcextract.sep every call is made by SEP as well. A program is equal if the same tests pass, if 99.9 % of SEP's sources have
one of ours within 0.02 pixel, and if 99.9 % of all further numbers agree to a thousandth, in the images of its own tests.
"""
import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

GITHUB = "https://github.com/"


@dataclasses.dataclass
class Program:
    where: str  # at GitHub
    tests: list  # files, or tests of files, that reach SEP
    needs: list = dataclasses.field(default_factory=list)  # for pip, beside what the program itself asks for
    sources: dict = dataclasses.field(default_factory=dict)  # further programs that are on no index


PROGRAMS = {
    "astroalign": Program("quatrope/astroalign", ["tests"], ["astropy", "ccdproc", "pillow"]),
    "metadetect": Program("esheldon/metadetect", ["metadetect/tests/test_metadetect.py"],
                          ["numpy", "scipy", "galsim", "fitsio", "pyyaml", "numba", "esutil"],
                          {"meds": "esheldon/meds", "ngmix": "esheldon/ngmix", "sxdes": "esheldon/sxdes"}),
    "ProperImage": Program("quatrope/ProperImage", [f"tests/test_single_image.py::{name}" for name in (
        "TestNpArray", "TestNpArrayMask", "TestFitsFile", "TestNoSources", "TestNpArrayMinSrcs", "TestNpArrayPicky")]),
    "pyobs-core": Program("pyobs/pyobs-core", ["tests/images/processors/detection", "tests/images/processors/photometry"],
                          ["ccdproc", "photutils", "lmfit", "pytest-asyncio"]),
    "stdpipe": Program("karpov-sv/stdpipe", ["tests/test_photometry.py", "tests/test_photometry_measure.py",
                                             "tests/test_background_estimation.py", "tests/test_subtraction.py"]),
    "sxdes": Program("esheldon/sxdes", ["sxdes"], ["numpy"]),
    "ysphotutilpy": Program("ysBach/ysphotutilpy", ["ysphotutilpy/tests/test_seputil.py", "ysphotutilpy/tests/test_apphot.py"]),
}

RUNNER = """
import json, sys
import numpy, pytest, sep as theirs

way, log, report, *tests = sys.argv[1:]
calls = {"extract": [], "further": []}


def near(one, other):
    from scipy.spatial import cKDTree
    if len(one) == 0 or len(other) == 0:
        return 0
    places = [numpy.column_stack([found["x"], found["y"]]) for found in (one, other)]
    return int((cKDTree(places[0]).query(places[1])[0] < 0.02).sum())


def agree(one, other, scale):
    one, other = (numpy.atleast_1d(numpy.asarray(value, dtype=float)) for value in (one, other))
    equal = numpy.abs(one - other) <= 1e-3 * scale + 1e-6 * numpy.abs(other)
    calls["further"].append([other.size, int((equal | (numpy.isnan(one) & numpy.isnan(other))).sum())])


def as_both(name):
    mine, peer = getattr(ours, name), getattr(theirs, name)

    def call(*given, **told):
        found = mine(*given, **told)
        for one, other in zip(found[:-1], peer(*given, **told)[:-1]):  # the last are flags
            agree(one, other, numpy.abs(other))
        return found
    return call


if way == "srcextract.sep":
    import srcextract.sep as ours
    find, Sky = ours.extract, ours.Background

    def extract(data, *more, **told):
        found, peer = find(data, *more, **told), theirs.extract(data, *more, **told)
        pair = [one[0] if isinstance(one, tuple) else one for one in (found, peer)]
        calls["extract"].append([len(pair[1]), len(pair[0]), near(*pair)])
        return found

    class Background(Sky):
        def __init__(self, *given, **told):
            super().__init__(*given, **told)
            peer = theirs.Background(*given, **told)
            agree(self.back(), peer.back(), peer.globalrms)
            agree(self.rms(), peer.rms(), peer.globalrms)

    ours.extract, ours.Background = extract, Background
    for name in "sum_circle", "sum_circann", "sum_ellipse", "sum_ellipann", "kron_radius", "flux_radius", "winpos":
        setattr(ours, name, as_both(name))
    sys.modules["sep"] = ours
sys.modules["sep_x"] = sys.modules["sep"]
code = pytest.main(["-q", "-p", "no:cacheprovider", "--junitxml=" + report, *tests])
open(log, "w").write(json.dumps(calls))
sys.exit(code)
"""


def prepared(name, program, home, srcextract):
    """The interpreter of a program's environment, which is made where it is not there yet."""
    folders = [home / name]
    for other, where in {name: program.where, **program.sources}.items():
        if not (home / other).is_dir():
            subprocess.run(["git", "clone", "--quiet", "--depth", "1", GITHUB + where, home / other], check=True)
    folders += [home / other for other in program.sources]
    venv = home / "venvs" / name
    if not (venv / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "pytest", "scipy", "sep==1.4.1",
                        srcextract, *program.needs, *folders], check=True)
        (venv / "ready").touch()
    return venv / "bin/python"


def run(python, folder, tests, way, seconds):
    """{test: outcome} of a program's tests, and what the calls gave: of extract [SEP's sources, ours, near], of others
    [numbers, that agree]."""
    with tempfile.TemporaryDirectory() as work:
        log, report = pathlib.Path(work, "log"), pathlib.Path(work, "report.xml")
        there = [test for test in tests if (folder / test.split("::")[0]).exists()]
        done = subprocess.run([python, "-c", RUNNER, way, str(log), str(report), *there], cwd=folder,
                              capture_output=True, text=True, timeout=seconds)
        if not report.exists() or not log.exists():
            sys.exit(f"sep_programs: the tests of {folder} did not run: {(done.stderr or done.stdout).strip()[-2000:]}")
        outcomes = {}
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            kinds = {child.tag for child in case}
            outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            outcomes[f"{case.get('classname')}::{case.get('name')}"] = outcome
        return outcomes, json.loads(log.read_text())


def judged(name, python, folder, tests, seconds):
    """Prints a line of the table; whether the program is equal."""
    (theirs, _), (mine, calls) = (run(python, folder, tests, way, seconds) for way in ("sep", "srcextract.sep"))
    differ = sorted(test for test in theirs.keys() | mine.keys() if theirs.get(test) != mine.get(test))
    worse = [test for test in differ if theirs.get(test) == "passed"]
    of_sep, found, near = (sum(call[i] for call in calls["extract"]) for i in range(3))
    numbers, agreeing = (sum(call[i] for call in calls["further"]) for i in range(2))
    shares = [part / whole if whole else 1.0 for part, whole in ((near, of_sep), (agreeing, numbers))]
    passed = [sum(outcome == "passed" for outcome in one.values()) for one in (theirs, mine)]
    print(f"| {name} | {passed[0]}, {passed[1]} | {len(calls['extract'])} | {of_sep} | {found} | {100 * shares[0]:.2f} % "
          f"| {len(calls['further'])} | {100 * shares[1]:.2f} % |", flush=True)
    for test in differ:
        print(f"  {test}: {theirs.get(test)} with sep, {mine.get(test)} with srcextract.sep", file=sys.stderr)
    if passed[0] == 0:
        print(f"sep_programs: no test of {name} passes with sep: it lacks what it needs", file=sys.stderr)
    return passed[0] > 0 and not worse and min(shares) >= 0.999


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--srcextract", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                        help="a wheel, or sources")
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--seconds", type=float, default=1800, help="limit for the tests of a program")
    options = parser.parse_args()
    home = options.folder.resolve()
    print("| program | tests that pass with sep, with srcextract.sep | calls of extract | SEP's sources | ours | within 0.02 pixel "
          "| further arrays | numbers that agree |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    equal = []
    for name in options.only:
        try:
            python = prepared(name, PROGRAMS[name], home, options.srcextract.resolve())
        except subprocess.CalledProcessError as error:
            print(f"sep_programs: {name} cannot be installed: {error}", file=sys.stderr)
            continue
        equal.append(judged(name, python, home / name, PROGRAMS[name].tests, options.seconds))
    sys.exit(0 if equal and all(equal) else 1)


if __name__ == "__main__":
    main()
