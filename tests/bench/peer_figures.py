"""Writes docs/peers.csv: every figure of the documentation that names another program. scripts/peers.sh calls it.

A figure replaces the older one of the same program and name. Figures that were not measured this time stay, with their date.
"""
import argparse
import csv
import datetime
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import columns
import difference
from make_field import make_field
from session import ROOT, LAUNCHER, ProgramFailed, Session, write_fits

sys.path[:0] = [str(ROOT / "tests" / "truth"), str(ROOT / "tests" / "truth" / "support")]

TABLE = ROOT / "docs" / "peers.csv"
HEAD = ["peer", "version", "what", "field", "value", "unit", "machine", "date"]
OURS = "srcextract"
COLUMNS = ((4096, 1000, 3), (2048, 50000, 2))
PIPELINES = ((1024, 1000), (2048, 1000), (1024, 20000), (2048, 20000))
FUNCTIONS = ((2048, 1000), (2048, 20000))
SHOWN = ("Background", "extract", "extract, map", "extract, noise of each pixel", "sum_circle", "sum_circann", "kron_radius", "sum_ellipse",
         "flux_radius", "winpos", "Background + extract + apertures", "eight functions of a pipeline")
MAGNITUDES, PULL_MAGNITUDES = ("20", "21", "22", "23", "24"), ("20", "22")
PACKAGES = {"SEP": "sep", "photutils": "photutils", "crowdsource": "crowdsourcephoto"}
RADIO = {"bdsf": ("PyBDSF", "bdsf"), "AegeanTools": ("Aegean", "AegeanTools"), "sourcefinder": ("PySE", "radio-pyse")}


class LeftOut(Exception):
    """Why a comparison cannot be made here."""


def first_number(text):
    found = re.search(r"\d+(\.\d+)+", text)
    return found.group() if found else ""


def told_by(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return first_number(done.stdout + done.stderr)


def version_of_package(python, package):
    return told_by(python, "-c", f"import importlib.metadata as m; print(m.version('{package}'))")


def name_of(size, density):
    return f"{size}², {density} sources a Mpixel"


class Figures:
    """What is measured, as rows of the table."""

    def __init__(self, options, work):
        self.program, self.truth_table, self.work = options.program.resolve(), options.truth, pathlib.Path(work)
        self.package_python, self.radio_python = os.environ.get("SRCEXTRACT_PYTHON"), os.environ.get("SRCEXTRACT_RADIO_PYTHON")
        cpu = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                    if line.startswith("model name")), "unknown processor")
        self.machine, self.date, self.rows = cpu, datetime.datetime.now(datetime.timezone.utc).date().isoformat(), []
        self.versions = {OURS: told_by(self.program, "--version"), "HOTPANTS": told_by(difference.HOTPANTS or "false"),
                         "SExtractor": told_by("source-extractor", "--version"), "srcextract.sep": ""}
        self.versions["srcextract.sep"] = self.versions[OURS]
        self.versions["SExtractor, PSFEx"] = f"{self.versions['SExtractor']}, {told_by('psfex', '--version')}"
        for peer, package in PACKAGES.items():
            try:
                self.versions[peer] = importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                pass
        self.session = Session(self.program, None, 4096, work)

    def add(self, peer, what, field, value, unit=""):
        self.rows.append({"peer": peer, "version": self.versions[peer], "what": what, "field": field, "value": str(value), "unit": unit,
                          "machine": self.machine, "date": self.date})

    def image(self, size, density):
        path = self.work / f"field_{size}_{density}.fits"
        if not path.exists():
            write_fits(path, make_field(size, size, per_mpix=density))
        return path

    def columns(self):
        """SExtractor and SEP beside sextractor.yaml, by columns."""
        for size, density, runs in COLUMNS:
            image, field = self.image(size, density), name_of(size, density)
            for row in [columns.default_row(self.session, image, "", runs), *columns.rows_of(self.session, image, "", None, runs)]:
                if not row.values:
                    continue
                which, peer = row.what.replace(", ", "").split(": ")
                for program, value in zip((OURS, peer), row.values):
                    self.add(program, f"columns: CPU time, {which}", field, f"{value:.0f}", "ms")

    def launch(self, python, peer, image):
        """Seconds of the processor for the steps, objects, and MB at the peak of the process."""
        done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, python, "-B", ROOT / "tests/bench/one_peer.py", peer, image],
                              capture_output=True, text=True)
        if done.returncode != 0 or len(lines := done.stdout.splitlines()) < 2:
            raise ProgramFailed((done.stderr.strip().splitlines() or ["no reason given"])[-1])
        told, (_, _, _, memory) = json.loads(lines[-2]), json.loads(lines[-1])
        return told["seconds"], told["objects"], memory / 1e6

    def by_program(self, image):
        process = columns.launch(self.program, "-q", "--record", "--backend", "cpu", "--threads", 1, "--set",
                                 "output.columns=[default, photometry]", "-o", self.work / "out", ROOT / "config/sextractor.yaml", image)
        counts = json.loads((self.work / "out" / f"{image.stem}.run.json").read_text())["counts"]
        return process.cpu / 1e3, counts["sources"], process.memory / 1e6

    def pipeline(self):
        """photutils and SEP from the sky to AUTO fluxes."""
        self.versions[f"{OURS}, command"] = self.versions[OURS]
        ways = {f"{OURS}, command": self.by_program, "photutils": lambda image: self.launch(sys.executable, "photutils", image),
                "SEP": lambda image: self.launch(sys.executable, "sep", image)}
        for package in (OURS, "srcextract.sep") if self.package_python else ():
            ways[package] = lambda image, package=package: self.launch(self.package_python, package, image)
        for size, density in PIPELINES:
            image = self.image(size, density)
            runs = [{peer: way(image) for peer, way in ways.items()} for _ in range(3)]
            for peer in ways:
                self.add(peer, "pipeline: CPU time", name_of(size, density), f"{min(run[peer][0] for run in runs):.3f}", "s")
                self.add(peer, "pipeline: peak memory", name_of(size, density), f"{max(run[peer][2] for run in runs):.0f}", "MB")
                self.add(peer, "pipeline: objects", name_of(size, density), runs[0][peer][1])

    def functions(self):
        """Each function of SEP beside srcextract.sep, by the Python that SRCEXTRACT_PYTHON names."""
        if not self.package_python:
            raise LeftOut("SRCEXTRACT_PYTHON names no Python with the packages srcextract and sep")
        code = ("import json, sys, sep, srcextract.sep as ours, sep_functions as f\n"
                "size, density = map(int, sys.argv[1:]); rows = f.rows_of(ours, sep, size, density, 3, False)\n"
                "print(json.dumps([[row.what, *row.values] for row in rows if row.values]))")
        for size, density in FUNCTIONS:
            done = subprocess.run([self.package_python, "-B", "-c", code, str(size), str(density)], cwd=ROOT / "tests/bench",
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise LeftOut(done.stderr.strip().splitlines()[-1])
            for what, *values in json.loads(done.stdout):
                what = what.split("**")[1] if "**" in what else what.removesuffix(f", {size}², {density}/Mpixel")
                for peer, value in zip(("srcextract.sep", "SEP"), values) if what in SHOWN else ():
                    self.add(peer, f"functions: CPU time, {what}", name_of(size, density), f"{value:.{0 if value >= 100 else 1}f}", "ms")

    def truth(self):
        """Completeness, purity and pulls at equal rates of false sources, of scripts/truth_plots.py."""
        path = self.truth_table
        if path is None:
            path = self.work / "truth.csv"
            subprocess.run([sys.executable, "-B", ROOT / "scripts/truth_plots.py", self.program, "--no-plots", "--output", self.work], check=True)
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            kind, peer, mag = row["kind"], row["program"], row["mag"]
            field = f"{kind}, {mag} to {int(mag) + 1} mag"
            if mag == MAGNITUDES[0]:
                self.add(peer, "truth: false sources a Mpixel", kind, row["false_per_mpix"])
            told = [("completeness", "completeness"), ("purity", "purity")] if mag in MAGNITUDES else []
            if mag in PULL_MAGNITUDES:
                told += [("width of pulls, FLUX_APER", "aper_width"), ("width of pulls, FLUX_AUTO", "auto_width"),
                         ("width of pulls, XWIN_IMAGE", "x_win_width")]
            for what, column in told:
                if row[column]:
                    self.add(peer, f"truth: {what}", field, f"{float(row[column]):.3f}")

    def crowd(self):
        """crowdsource, photutils, and SExtractor with PSFEx, by tests/truth/test_crowd_peers.py."""
        os.environ |= {"SRCEXTRACT_LONG": "1", "SRCEXTRACT_TRUTH_PYTHON": sys.executable}
        import test_crowd_peers as crowd
        if not crowd.SHARED.exists():
            raise LeftOut("the fields are not here")
        if missing := [peer for peer in ("source-extractor", "psfex") if shutil.which(peer) is None]:
            raise LeftOut(f"no {missing[0]}")
        self.versions[f"{OURS}, own PSF"], self.versions["photutils, own PSF"] = self.versions[OURS], self.versions["photutils"]
        for name in crowd.FIELDS:
            density, *further = name.split(", ")
            field = ", ".join([f"{density} stars a Mpixel", *further])
            with tempfile.TemporaryDirectory() as folder:
                told = crowd.beside_the_peers(self.program, pathlib.Path(folder), name)
            for peer, numbers in told.items():
                for what, value in numbers.items():
                    if value != "-":
                        unit = "mmag" if what.endswith(", mmag") else ""
                        self.add(peer, f"crowd: {what.removesuffix(', mmag')}", field, f"{value:.4g}", unit)

    def radio(self):
        """PyBDSF, Aegean and PySE, by tests/truth/test_continuum.py."""
        if not self.radio_python:
            raise LeftOut("no Python has bdsf, AegeanTools or radio-pyse")
        import test_continuum
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = test_continuum.beside_the_peers(self.program, pathlib.Path(folder), self.radio_python, 3072)
        told = {OURS: ours}
        for module, numbers in theirs.items():
            peer, package = RADIO[module]
            self.versions[peer] = version_of_package(self.radio_python, package)
            told[peer] = numbers
        for peer, numbers in told.items():
            for what, value in numbers.items():
                unit = "s" if what == "CPU s" else ""
                self.add(peer, f"radio: {'CPU time' if unit else what}", "3072², 898 sources", str(value).split(" of ")[0], unit)

    def difference(self):
        """HOTPANTS, by tests/bench/difference.py."""
        if not difference.HOTPANTS:
            raise LeftOut("SRCEXTRACT_HOTPANTS names no HOTPANTS")
        for size in (1024, 4096):
            for peer, value in zip((OURS, "HOTPANTS"), difference.core_row(self.session, size).values):
                self.add(peer, "difference: CPU time", f"{size}², 400 stars a Mpixel", f"{value:.0f}", "ms")


STEPS = {"columns": ("SExtractor", "SEP"), "pipeline": ("photutils", "SEP"), "functions": ("SEP",),
         "truth": ("SExtractor", "SEP", "photutils"), "crowd": ("crowdsource", "photutils", "PSFEx", "SExtractor"),
         "radio": ("PyBDSF", "Aegean", "PySE"), "difference": ("HOTPANTS",)}
PEERS = sorted({peer for peers in STEPS.values() for peer in peers})


def merged(old, new):
    """The rows of before with those of now in place of theirs, in the order of the comparisons."""
    def key(row):
        return row["what"], row["field"], row["peer"]

    rows = {key(row): row for row in old} | {key(row): row for row in new}
    groups = ["columns", "pipeline", "functions", "truth", "crowd", "psf", "radio", "difference"]

    def place(row):
        group = row["what"].split(":")[0]
        return groups.index(group) if group in groups else len(groups)

    return sorted(rows.values(), key=place)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--only", default=",".join(PEERS), help=f"some of {','.join(PEERS)}")
    parser.add_argument("--steps", default=",".join(STEPS), help=f"some of {','.join(STEPS)}")
    parser.add_argument("--truth", type=pathlib.Path, help="a table that scripts/truth_plots.py made before")
    options = parser.parse_args()
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(PEERS):
        parser.error(f"no figures of {', '.join(unknown)}; there are {', '.join(PEERS)}")
    with open(TABLE, newline="", encoding="utf-8") as file:
        old = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as work:
        figures = Figures(options, work)
        for step in options.steps.split(","):
            if not set(STEPS[step]) & set(chosen):
                continue
            print(f"{step}: load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
            try:
                getattr(figures, step)()
            except (LeftOut, ProgramFailed) as reason:
                print(f"{step}: left out, older figures stay: {reason}", file=sys.stderr)
    measured = {row["peer"] for row in figures.rows}
    for peer in set(chosen):
        if not any(peer in name.split(", ") for name in measured):
            print(f"{peer}: not measured; its figures are the older ones", file=sys.stderr)
    with open(TABLE, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(merged(old, figures.rows))


if __name__ == "__main__":
    main()
