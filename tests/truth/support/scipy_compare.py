#!/usr/bin/env python3
"""Compares srcextract with NumPy and SciPy, which is all it needs; one line a case, exit code 1 on a mismatch.

What must be equal: the number and order of the sources; NUMBER, the box, the peak and where it is, NPIX, FLAGS; the
count, median and extremes of the pixels before and after the clip. Positions agree to 1e-9 of the 1-based coordinate,
fluxes to 1e-9 of the flux, sigma to 1e-12 of itself, the mean to 1e-12 of sigma or of itself, whichever is larger.
"""
import argparse
import sys
import tempfile

import numpy as np

import cleaned_masks
import numpy_combine
import random_masks
import skies
from fits_pixels import read_pixels
from program import extract
from scipy_truth import CONSTANT, LESSON, four_steps

EXACT = ("NUMBER", "XMIN_IMAGE", "XMAX_IMAGE", "YMIN_IMAGE", "YMAX_IMAGE", "XPEAK_IMAGE", "YPEAK_IMAGE", "NPIX",
         "FLUX_MAX", "FLAGS")
CLOSE = ("X_IMAGE", "Y_IMAGE", "FLUX_ISO")
TOLERANCE = 1e-9
STATISTICS_TOLERANCE = 1e-12


def compare_statistics(ours, truth, what):
    problems = [f"{what}.{name} is {ours[name]!r}, not {truth[name]!r}" for name in ("count", "median", "min", "max")
                if ours[name] != truth[name]]
    scale = {"mean": max(abs(truth["mean"]), truth["sigma"]), "sigma": truth["sigma"]}
    return problems + [f"{what}.{name} is {ours[name]!r}, not {truth[name]!r}" for name in scale
                       if not abs(ours[name] - truth[name]) <= STATISTICS_TOLERANCE * scale[name]]


def compare_catalogues(ours, truth):
    """Problems, and the worst relative difference of each column that may differ."""
    count = len(truth["NUMBER"]) if truth else 0
    if len(ours["NUMBER"]) != count:
        return [f"{len(ours['NUMBER'])} sources, not {count}"], {}
    if count == 0:
        return [], {}
    problems = []
    for name in EXACT:
        wrong = np.flatnonzero(ours[name] != truth[name])
        if wrong.size:
            k = wrong[0]
            problems.append(f"{wrong.size} {name} differ, first source {k + 1}: {ours[name][k]}, not {truth[name][k]}")
    worst = {name: np.max(np.abs(ours[name] - truth[name]) / np.abs(truth[name])) for name in CLOSE}
    problems += [f"{name} is off by {value:.3g}" for name, value in worst.items() if not value <= TOLERANCE]
    return problems, worst


def compare(program, image, semantics, directory, *options):
    """Runs one case. Returns what does not agree (nothing, if all does) and a summary."""
    try:
        ours, report = extract(program, semantics.config, image, directory, *semantics.options, *options)
    except RuntimeError as error:
        return [str(error)], ""
    pixels = read_pixels(image)
    truth = four_steps(pixels, semantics)
    problems, worst = compare_catalogues(ours, truth.catalogue)
    for what in ("all", "clipped"):
        problems += compare_statistics(report["background"][what], getattr(truth, what), what)
    if report["counts"]["components"] != truth.found:
        problems.append(f"{report['counts']['components']} components, not {truth.found}")
    summary = (f"{pixels.shape[1]:5} x {pixels.shape[0]:<5} {truth.found:6} components {len(ours['NUMBER']):6} sources"
               "  worst " + " ".join(f"{name} {value:.0e}" for name, value in worst.items()))
    return problems, summary


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="srcextract")
    parser.add_argument("--backend", default="cpu", help="cpu, cuda or auto (default: cpu)")
    parser.add_argument("--label-masks", metavar="TOOL", help="label_masks: compares random masks as well")
    parser.add_argument("--clean-masks", metavar="TOOL", help="clean_masks: compares erosion, opening and dilation")
    parser.add_argument("--combine-planes", metavar="TOOL", help="combine_planes: compares combined planes with NumPy's")
    parser.add_argument("images", nargs="*", metavar="FITS", help="default: the data at hand and simulated skies")
    return parser.parse_args()


def show(name, problems, summary):
    print(f"{'FAIL' if problems else 'ok':4}  {name:32} {summary}", *problems, sep="\n      ", flush=True)
    return bool(problems)


def main():
    options = parse_arguments()
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        for name in options.images or skies.NAMES:
            image = name if options.images else skies.image(name, directory)
            for semantics in (LESSON, CONSTANT):
                if image is None:
                    print(f"skip  {semantics.name:8} {name}: not here")
                    continue
                failures += show(f"{semantics.name:8} {name}", *compare(options.program, image, semantics, directory,
                                                                          "--backend", options.backend))
    if options.label_masks:
        failures += show("random masks", *random_masks.compare(options.label_masks, options.backend))
    if options.clean_masks:
        failures += show("cleaned masks", *cleaned_masks.compare(options.clean_masks, options.backend))
    if options.combine_planes:
        for method in numpy_combine.METHODS:
            problems = numpy_combine.compare(options.combine_planes, options.backend, method)
            failures += show(f"combined planes: {method}", problems, "as NumPy's")
    print(f"{failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
