#!/usr/bin/env python3
"""Makes docs/truth.csv, and of it docs/truth_*.svg (truth_charts.py): srcextract, SExtractor, SEP and
photutils on simulated fields of which everything is known (tests/truth/simulated), at equal rates of false sources, which are
counted on the negative images.

Needs `source-extractor` on PATH and the packages of tests/truth/simulated/requirements.txt, as in
  python3 -m venv ENV && ENV/bin/pip install -r tests/truth/simulated/requirements.txt
  ENV/bin/python scripts/truth_plots.py build/srcextract
The same versions give the same numbers. Progress goes to standard error; where srcextract is behind a peer in a bin by more
than two standard deviations, that is printed.
"""
import argparse
import csv
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "truth"), str(ROOT / "tests" / "truth" / "support")]
from simulated import fields, finders, scores  # noqa: E402
import truth_charts  # noqa: E402

SHARES = ("count", "completeness", "detections", "purity")


def images(lights, noise, sign=1):
    for seed, (light, _) in lights.items():
        above, sky = fields.observed(light, seed, noise)
        yield (sky + sign * above).astype(np.float32)


def of_one_kind(lights, noise, programs, options):
    """Of every program the threshold, the rate of false sources there, and the numbers by magnitude."""
    few = dict(list(lights.items())[:options.seeds_of_photutils])
    negative = list(images(few, noise, -1))
    told = {}
    for name, find in programs.items():
        threshold, rate = scores.threshold_of(find, negative, options.false_rate)
        mine = few if name == "photutils" else lights
        judged = [scores.judge(truth, find(image, threshold), options.side)
                  for (_, truth), image in zip(mine.values(), images(mine, noise))]
        told[name] = {"threshold": threshold, "false": rate, "fields": len(mine)} | scores.numbers(scores.joined(judged))
        told[name]["few"] = scores.numbers(scores.joined(judged[:len(few)]))
        print(f"  {name}: {threshold} sigma, {rate:.1f} false a Mpixel, {sum(told[name]['detections'])} sources", file=sys.stderr)
    return told


def write_table(results, path):
    """A row for each program and bin: its first magnitude; medians and widths are of pulls, `off` is in pixels."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kind", "program", "fields", "threshold", "false_per_mpix", "mag", *SHARES, "off", "off_win",
                         *(f"{name}_{what}" for name in scores.PULLS for what in ("median", "width"))])
        for kind, programs in results.items():
            for program, told in programs.items():
                columns = [*(told[name] for name in (*SHARES, "off", "off_win")),
                           *(told[name][what] for name in scores.PULLS for what in ("median", "width"))]
                for k, mag in enumerate(scores.BINS[:-1]):
                    row = ["" if values[k] is None else round(values[k], 4) for values in columns]
                    writer.writerow([kind, program, told["fields"], told["threshold"], f"{told['false']:.4g}", f"{mag:.0f}", *row])


def behind(results):
    """Bins in which, on the same fields, a share of srcextract is below that of a peer by 0.5 % and by more than two standard
    deviations, or a position is off by a twentieth more."""
    for kind, programs in results.items():
        for peer, told in programs.items():
            mine = programs["srcextract"]
            if told["fields"] < mine["fields"]:
                mine = mine["few"]
            for k, low in enumerate(scores.BINS[:-1]):
                where = f"{kind}, {low:.0f} to {low + 1:.0f}"
                for name, count in (("completeness", "count"), ("purity", "detections")):
                    here, there = mine[name][k], told[name][k]
                    if here is None or there is None or there - here < 0.005:
                        continue
                    variance = sum(p * (1 - p) / n for p, n in ((here, mine[count][k]), (there, told[count][k])))
                    if there - here > 2 * variance ** 0.5:
                        yield f"{where}: {name} {here:.4f}, {peer} {there:.4f}"
                for name in ("off", "off_win"):
                    here, there = mine[name][k], told[name][k]
                    if here is not None and there is not None and here > 1.05 * there:
                        yield f"{where}: {name} {here:.4f} pixels, {peer} {there:.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="srcextract, as build/srcextract")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--side", type=int, default=1024, help="of an image, in pixels")
    parser.add_argument("--false-rate", type=float, default=50.0, help="false sources to a million pixels")
    parser.add_argument("--seeds-of-photutils", type=int, default=5, help="which takes longest; thresholds are of these, too")
    parser.add_argument("--programs", default="srcextract,SExtractor,SEP,photutils")
    parser.add_argument("--kinds", default="", help="such as 'sparse deep,crowded shallow'; all without it")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for srcextract alone")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--no-plots", action="store_true")
    options = parser.parse_args()
    every = finders.finders(options.program.resolve(), options.set)
    programs = {name: every[name] for name in options.programs.split(",")}
    results = {}
    for crowding, per_mpix in fields.CROWDINGS.items():
        kinds = {f"{crowding} {depth}": noise for depth, noise in fields.DEPTHS.items()}
        kinds = {kind: noise for kind, noise in kinds.items() if kind in (options.kinds or kind).split(",")}
        lights = {seed: fields.without_noise(seed, options.side, per_mpix) for seed in range(options.seeds if kinds else 0)}
        for kind, noise in kinds.items():
            print(kind, file=sys.stderr)
            results[kind] = of_one_kind(lights, noise, programs, options)
    write_table(results, options.output / "truth.csv")
    print(*behind(results), sep="\n")
    if not options.no_plots:
        truth_charts.draw(options.output)


if __name__ == "__main__":
    main()
