#!/usr/bin/env python3
"""Draws docs/pictures/*.svg: what a setting changes in an image. The program runs once for each panel.

tests/pipeline/outputs/test_setting_pictures.py holds the pictures against the program. Needs numpy and astropy. Seeds are fixed:
the same versions write the same pictures. NAME... draws only these.
"""
import argparse
import functools
import math
import pathlib

import numpy as np

import crowd_pictures
import difference_pictures
import galaxy_pictures
import radio_pictures
import unkind_pictures
from picture_sheets import (BLUE, Found, GREY, MISSED, ORANGE, RED, ROOT, SIGMA, SKY, coloured, disc, field, grey, judged, moffat, noise,
                            sheet, shrink, unpacked)
from speed_charts import grid, key, page, text, upright

FOLDER = ROOT / "docs/pictures"
KEY = [(BLUE, "true sources"), (ORANGE, "false ones"), (MISSED, "missed", True)]
TREE_OFF = {"deblend.method": "none", "deblend.clean": "false"}


# Pictures

def thresholds(run):
    image, places = field(104, 11, 16, 250, 6000)
    return sheet("detection.threshold, with min_area: 1", [
        judged(grey(image, f"{level} σ"), run(image, {"detection.threshold": level, "detection.min_area": 1}), places)
        for level in (3, 5, 10)], [KEY])


def min_area(run):
    image, places = field(104, 11, 16, 250, 6000)
    return sheet("detection.min_area, at a threshold of 2.5 σ", [
        judged(grey(image, f"{area}"), run(image, {"detection.threshold": 2.5, "detection.min_area": area}), places)
        for area in (1, 5, 25)], [KEY])


def connectivity(run):
    image = np.zeros((12, 18))
    for x, y in [(2, 2), (3, 2), (2, 3), (3, 3), (4, 4), (5, 4), (4, 5), (5, 5), (10, 2), (11, 3), (12, 4), (13, 5), (14, 6), (2, 8),
                 (3, 8), (4, 8), (4, 9), (9, 8), (10, 9), (11, 8), (15, 9)]:
        image[y, x] = 100
    settings = {"background.level": 0, "background.rms": 1, "convolve.kernel": "none", "convolve.fwhm": 0, "convolve.size": 0,
                "detection.threshold_unit": "sigma", "detection.min_area": 1, "output.segmentation": "true", "weights.type": "none",
                **TREE_OFF}
    panels = [grey(image, "pixels above the threshold", 0, 100)]
    for ways in (4, 8):
        found = run(image, {**settings, "detection.connectivity": ways})
        panels.append(coloured(found.labels, f"{ways}: {len(found)} sources"))
    return sheet("detection.connectivity: do corners join pixels?", panels)


def seeds(run):
    image, _ = field(104, 31, 12, 300, 9000)
    panels = []
    for words, settings in (("threshold: 3", {"detection.threshold": 3}),
                            ("threshold: 3, seed: 5", {"detection.threshold": 3, "detection.seed": 5}),
                            ("threshold: 5", {"detection.threshold": 5})):
        found = run(image, {**settings, "detection.min_area": 1, "output.segmentation": "true"})
        panels.append(coloured(found.labels, f"{words}: {len(found)} sources"))
    return sheet("A seed keeps the wide outlines, and drops noise", panels)


def kernels(run):
    image, _ = field(88, 41, 10, 400, 6000)
    panels = [grey(image, "none", SKY - 20, SKY + 100)]
    for words, settings in (("gaussian, fwhm: 3", {"convolve.kernel": "gaussian", "convolve.fwhm": 3, "convolve.size": 0}),
                            ("tophat, radius: 3", {"convolve.kernel": "tophat", "convolve.fwhm": 0, "convolve.radius": 3,
                                                   "convolve.size": 0}),
                            ("mexican_hat, sigma: 1.5", {"convolve.kernel": "mexican_hat", "convolve.fwhm": 0, "convolve.sigma": 1.5,
                                                         "convolve.size": 0})):
        shown = run(image, {**settings, "output.check_images": "[filtered]"}).maps["filtered"]
        spread = 1.4826 * np.median(np.abs(shown - np.median(shown)))
        panels.append(grey(shown, words, np.median(shown) - 2 * spread, np.median(shown) + 10 * spread))
    return sheet("convolve.kernel: the image in which sources are found", panels,
                 ["from -2 to 10 times the noise of each image"])


def matched(run):
    size = 120
    image, places = field(size, 51, 12, 500, 2500)
    sigma = np.full((size, size), SIGMA)
    for column in (20, 21, 60, 61, 62, 100, 101):
        sigma[:, column] *= 6
    image += np.random.default_rng(52).normal(0, 1, image.shape) * np.sqrt(sigma ** 2 - SIGMA ** 2)
    panels = [grey(image, "columns of six times the noise")]
    for way in ("convolution", "matched"):
        found = run(image, {"convolve.filter": way, "convolve.fwhm": 3, "weights.type": "rms", "weights.file": "FOLDER/rms.fits",
                            "background.level": SKY, "detection.min_area": 1, "detection.threshold": 4.5, **TREE_OFF},
                    further={"rms": sigma})
        panels.append(judged(grey(image, way), found, places))
    return sheet("convolve.filter, with a map of the noise, at 4.5 σ", panels, [KEY])


def weights(run):
    size = 104
    image, places = field(size, 61, 14, 500, 6000)
    sigma = np.full((size, size), SIGMA)
    sigma[:, size // 2:] *= 2
    image += np.random.default_rng(62).normal(0, 1, image.shape) * np.sqrt(sigma ** 2 - SIGMA ** 2)
    plain = {"detection.threshold": 5, "detection.min_area": 1, "convolve.kernel": "none", "convolve.fwhm": 0, "convolve.size": 0,
             "detection.threshold_unit": "sigma", **TREE_OFF}
    return sheet("weights.type: the right half has twice the noise", [
        judged(grey(image, "one σ"), run(image, {**plain, "weights.type": "none", "background.method": "constant",
                                                 "background.rms": SIGMA}), places),
        judged(grey(image, "rms"), run(image, {**plain, "weights.type": "rms", "weights.file": "FOLDER/rms.fits"},
                                       further={"rms": sigma}), places)], [KEY])


def meshes(run):
    size, step = 512, 5
    image = noise(size, 71)
    image += 60 * np.arange(size) / size
    disc(image, 260, 250, 3.2e6, 28, 0.6, 30)
    rng = np.random.default_rng(72)
    for x, y, flux in zip(rng.uniform(0, size, 60), rng.uniform(0, size, 60), np.geomspace(1e3, 1e5, 60)):
        moffat(image, x, y, flux, 4)
    above, levels = [grey(shrink(image, step), "the image", 90, 220)], [grey(shrink(SKY + 60 * np.arange(size) / size +
                                                                                    np.zeros((size, 1)), step), "its true sky", 90, 220)]
    for mesh in (16, 64, 256):
        found = run(image, {"background.mesh_size": mesh, "output.check_images": "[background, -background]"})
        levels.append(grey(shrink(found.maps["background"], step), f"sky, mesh_size: {mesh}", 90, 220))
        above.append(grey(shrink(found.maps["minus_background"], step), "the image above it", -10, 120))
    return sheet("background.mesh_size, with a galaxy 150 pixels wide", [*levels, *above], columns=4)


def contrasts(run):
    image = noise(96, 81)
    disc(image, 46, 48, 60000, 9, 0.7, 25)
    for x, y, flux in ((56, 56, 2500), (36, 42, 1500), (30, 56, 900), (66, 40, 9000), (74, 78, 3000)):
        moffat(image, x, y, flux, 4)
    panels = [grey(image, "knots and neighbours", bend=8, high=SKY + 40 * SIGMA)]
    for contrast in (0.0005, 0.005, 0.05):
        found = run(image, {"deblend.contrast": contrast, "output.segmentation": "true", "deblend.clean": "false"})
        panels.append(coloured(found.labels, f"{contrast}: {len(found)} sources"))
    return sheet("deblend.contrast", panels)


def cleaning(run):
    image = noise(120, 91)
    moffat(image, 58, 62, 3e6, 5)
    disc(image, 58, 62, 1e6, 12)
    image += np.random.default_rng(92).normal(0, 1, image.shape) * np.sqrt(np.maximum(image - SKY, 0))
    places = [(58, 62)]
    for x, y, flux in ((10, 10, 3000), (108, 20, 3000), (14, 108, 4000), (106, 104, 2500)):
        moffat(image, x, y, flux)
        places.append((x, y))
    settings = {"detection.threshold": 1.5, "detection.threshold_unit": "sigma", "background.level": SKY, "background.rms": SIGMA,
                "deblend.contrast": 1e-6}
    return sheet("deblend.clean, at a threshold of 1.5 σ", [
        judged(grey(image, words, bend=8, high=SKY + 100 * SIGMA), run(image, {**settings, "deblend.clean": words}), np.array(places))
        for words in ("false", "true")], [KEY])


def kron_sizes(run):
    image = noise(96, 101)
    disc(image, 48, 48, 30000, 5, 0.6, 30)
    moffat(image, 80, 20, 4000)
    panels = []
    for factor in (1.5, 2.5, 4):
        found = run(image, {"measurement.kron": f"[{factor}, 0]", "background.level": SKY})
        row = found.near(48, 48)
        panel = grey(image, f"{factor}: {row['FLUX_AUTO'] / 300:.0f} ± {row['FLUXERR_AUTO'] / 300:.0f} % of the light", bend=6)
        for each in (row, found.near(80, 20)):
            k = each["KRON_RADIUS"]
            panel.ellipse(each["X_IMAGE"] - 1, each["Y_IMAGE"] - 1, k * each["A_IMAGE"], k * each["B_IMAGE"], each["THETA_IMAGE"],
                          ORANGE)
        panels.append(panel)
    return sheet("measurement.kron: how many Kron radii", panels)


def apertures(run):
    image = noise(64, 111, 4)
    moffat(image, 32, 32, 8000, 4)
    sizes = list(range(2, 31))
    row = run(image, {"measurement.apertures": sizes, "background.level": SKY}).near(32, 32)
    panel = grey(image, "circles of 4, 10 and 24 pixels", SKY - 20, SKY + 400, 6)
    for size, colour in ((4, GREY), (10, BLUE), (24, ORANGE)):
        panel.circle(32, 32, size / 2, colour)
    parts = panel.svg(24, 48, 260)
    left, right, top, bottom = 360, 690, 60, 290

    def curve(values, colour):
        drawn = " ".join(f"{left + (right - left) * size / 30:.1f},{bottom - (bottom - top) * value:.1f}"
                         for size, value in zip(sizes, values))
        return f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"/>'

    ratio = row["FLUX_APER"] / row["FLUXERR_APER"]
    for tick in (0, 0.5, 1):
        y = bottom - (bottom - top) * tick
        parts += [grid(left, y, right, y), text(left - 8, y + 5, f"{100 * tick:.0f} %", "end", 13)]
    for tick in (0, 10, 20, 30):
        parts.append(text(left + (right - left) * tick / 30, bottom + 18, f"{tick}", "middle", 13))
    parts += [curve(row["FLUX_APER"] / 8000, BLUE), curve(ratio / ratio.max(), ORANGE),
              text((left + right) / 2, bottom + 38, "diameter in pixels", "middle", 13),
              upright(left - 52, (top + bottom) / 2, "of the greatest"),
              *key([(BLUE, "light"), (ORANGE, "signal to noise")], bottom + 62, (left + right) / 2)]
    return page(364, "measurement.apertures: light or signal to noise?", parts)


def neighbours(run):
    size, x, y, radius = 64, 30, 32, 14
    image = noise(size, 121, 4)
    moffat(image, x, y, 20000, 6)
    moffat(image, 39, 37, 8000, 4)
    image[:, 24] = np.nan
    panels = [grey(image, "the image", high=SKY + 400, bend=6)]
    labels = None
    for way in ("none", "blank", "correct"):
        found = run(image, {"measurement.mask": way, "measurement.apertures": f"[{2 * radius}]", "output.segmentation": "true",
                            "background.level": SKY})
        labels, row = found.labels, found.near(x, y)
        cx, cy = row["X_IMAGE"] - 1, row["Y_IMAGE"] - 1
        bad, other = np.isnan(image), (labels > 0) & (labels != row["NUMBER"])
        used = np.where(bad, SKY, image)
        if way != "none":
            rows, columns = np.indices(image.shape)
            there = np.clip(np.rint(2 * cy - rows).astype(int), 0, size - 1), np.clip(np.rint(2 * cx - columns).astype(int), 0, size - 1)
            fill = np.where((bad | other)[there], SKY, used[there]) if way == "correct" else SKY
            used = np.where(bad | other, fill, used)
        flux = float(np.atleast_1d(row["FLUX_APER"])[0])
        panels.append(grey(used, f"{way}: {flux / 200:.0f} % of its light", high=SKY + 400, bend=6))
    for panel in panels:
        panel.circle(cx, cy, radius, ORANGE)
    return sheet("measurement.mask: which light a circle adds", panels, [[(RED, "masked column"), (ORANGE, "circle that measures the brighter star")]])


def flags(run):
    size = 240
    image = noise(size, 131, 5)
    cases = [(1, 40, 40, "neighbours"), (2, 120, 40, "deblended"), (4, 200, 40, "saturated"), (8, 1, 120, "touches the edge"),
             (16, 232, 120, "aperture leaves the image"), (256, 120, 200, "a masked pixel beside it")]
    moffat(image, 40, 40, 4000)
    moffat(image, 50, 44, 60000)
    moffat(image, 120, 40, 20000)
    moffat(image, 126, 42, 16000)
    moffat(image, 200, 40, 400000)
    moffat(image, 1, 120, 20000)
    moffat(image, 232, 120, 20000)
    moffat(image, 120, 200, 20000)
    np.minimum(image, SKY + 8000, out=image)
    image[198:203, 123] = np.nan
    found = run(image, {"measurement.saturation": 8000, "measurement.apertures": "[16]"})
    panels = []
    for bit, x, y, words in cases:
        row = found.near(x, y)
        if not row["FLAGS"] & bit:
            raise SystemExit(f"flags: no bit {bit} at {x}, {y}")
        left, bottom = (min(max(place - 18, 0), size - 36) for place in (x, y))
        panel = grey(image[bottom:bottom + 36, left:left + 36], f"{bit}: {words}", high=SKY + 3000, bend=30)
        panels.append(panel.circle(row["X_IMAGE"] - 1 - left, row["Y_IMAGE"] - 1 - bottom, 8, ORANGE))
    return sheet("Bits of FLAGS", panels, [[(ORANGE, "the aperture")]], columns=3)


def check_images(run):
    size, step = 192, 2
    image = noise(size, 141) + 40 * np.arange(size) / size
    image += np.random.default_rng(142).normal(0, 1, image.shape) * 10 * np.arange(size)[:, None] / size
    rng = np.random.default_rng(143)
    for flux in np.geomspace(800, 60000, 24):
        moffat(image, *rng.uniform(8, size - 8, 2), flux, 4)
    names = ["background", "rms", "-background", "filtered", "objects", "-objects", "snr"]
    found = run(image, {"output.check_images": f"[{', '.join(names)}]", "output.segmentation": "true", "background.mesh_size": 32})
    ranges = {"background": (90, 150), "rms": (8, 16), "-background": (-30, 150), "filtered": None, "objects": (-30, 150),
              "-objects": None, "snr": (-2, 15)}
    panels = [grey(shrink(image, step), "the image", 70, 250)]
    for name in names:
        shown = found.maps[name.replace("-", "minus_")]
        low, high = ranges[name] or ((70, 250) if np.median(shown) > 50 else (-30, 150))
        panels.append(grey(shrink(shown, step), name, low, high))
    panels.append(coloured(found.labels[::step, ::step], "output.segmentation"))
    return sheet("output.check_images", panels, columns=3)


def interpolation(run):
    size = 72
    image = noise(size, 151)
    for x, y in ((20, 50), (34, 22), (54, 46)):
        moffat(image, x, y, 12000, 4)
    sigma = np.full((size, size), SIGMA)
    sigma[:, 35:37] = np.nan
    sigma[42:50, 50:58] = np.nan
    broken = np.where(np.isnan(sigma), 1000.0, image)
    panels = [grey(np.where(np.isnan(sigma), np.nan, image), "red: bad by the map")]
    for way in ("none", "variance", "all"):
        found = run(broken, {"weights.interpolate": way, "weights.type": "rms", "weights.file": "FOLDER/rms.fits",
                             "output.segmentation": "true", "background.level": SKY}, further={"rms": sigma})
        panels.append(coloured(found.labels, f"{way}: {len(found)} sources"))
    return sheet("weights.interpolate: two bad columns and a hole, with pixels of 1000", panels)


def morphologies(run):
    size = 96
    image, _ = field(size, 161, 8, 6000, 20000, 12)
    rows, columns = np.indices(image.shape)
    image += 120 * np.exp(-((rows - 0.45 * columns - 20) / 1.1 / 1.097) ** 2 / 2 * 4)
    panels = [grey(image, "stars, and a trail")]
    for way in ("none", "erosion", "opening"):
        found = run(image, {"morphology.operation": way, **({} if way == "none" else {"morphology.element": "square"}), "detection.min_area": 1,
                            "output.segmentation": "true", "convolve.kernel": "none", "convolve.fwhm": 0, "convolve.size": 0,
                            "detection.threshold": 4, "detection.threshold_unit": "sigma", **TREE_OFF})
        panels.append(coloured(found.labels, f"{way}: {len(found)} sources"))
    return sheet("morphology.operation, with a square", panels)


def stretches(run):
    image = noise(88, 171)
    disc(image, 44, 44, 200000, 8, 0.6, 30)
    for x, y, flux in ((16, 66, 90000), (70, 20, 6000), (20, 20, 2000), (74, 74, 1000)):
        moffat(image, x, y, flux, 4)
    panels = []
    for way in ("linear", "sqrt", "log", "asinh", "equalize"):
        drawn = run(image, {"output.quicklook": "true", "quicklook.stretch": way, "quicklook.overlay": "none", "quicklook.limits":
                            "minmax"}).pictures["png"]
        panels.append(grey(drawn.astype(float), way, 0, 255))
    return sheet("quicklook.stretch, from the least to the largest value", panels)


def sums(run):
    """The scatter of sums over N pixels, in white noise and in smoothed noise."""
    white = noise(400, 191)
    smooth = SKY + sum(np.roll(np.roll(white - SKY, i, 0), j, 1) for i in range(3) for j in range(3)) / 3
    left, right, top, bottom = 90, 690, 60, 300
    most = math.log10(3)

    def place(count, ratio):
        return left + (right - left) * math.log10(count) / 3, bottom - (bottom - top) * (math.log10(ratio) / most)

    parts = []
    for ratio in (1, 2, 3):
        _, y = place(1, ratio)
        parts += [grid(left, y, right, y), text(left - 8, y + 5, f"{ratio} ×", "end", 13)]
    for count in (1, 10, 100, 1000):
        x, _ = place(count, 1)
        parts += [grid(x, top, x, bottom), text(x, bottom + 18, f"{count}", "middle", 13)]
    for image, colour in ((white, BLUE), (smooth, ORANGE)):
        law = run(image, {"measurement.noise": "apertures"}).record["aperture_noise"]
        drawn = " ".join("{:.1f},{:.1f}".format(*place(n, max(1, law["alpha"] * n ** (law["beta"] - 0.5))))
                         for n in np.geomspace(1, 1000, 60))
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        for circle in law["apertures"]:
            x, y = place(circle["pixels"], max(1, circle["scatter"] / math.sqrt(circle["pixels"])))
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
    parts += [text((left + right) / 2, bottom + 38, "pixels N of a sum", "middle", 13),
              upright(left - 54, (top + bottom) / 2, "error over that of independent pixels"),
              *key([(BLUE, "white noise"), (ORANGE, "smoothed over 3 × 3 pixels")], bottom + 60, (left + right) / 2)]
    return page(374, "measurement.noise: apertures. Points are measured, lines are the law", parts)


def detection_image(run):
    size = 88
    rng = np.random.default_rng(201)
    places = rng.uniform(12, size - 12, (7, 2))
    bands = {}
    for seed, name in enumerate("gr"):
        bands[name] = noise(size, 202 + seed)
        for number, (x, y) in enumerate(places):
            moffat(bands[name], x, y, 900 * (1.5 ** number if name == "r" else 1.5 ** (6 - number)), 4)
    deep = (bands["g"] + bands["r"]) / 2
    panels = []
    for name, words in (("deep", "both together: found here"), ("g", "g: measured"), ("r", "r: measured")):
        image = deep if name == "deep" else bands[name]
        found = run(image, {}) if name == "deep" else run(image, {}, "-d", "FOLDER/deep.fits", further={"deep": deep})
        panel = grey(image, words, bend=4)
        for row in found.rows:
            k = row["KRON_RADIUS"] or 3.5
            panel.ellipse(row["X_IMAGE"] - 1, row["Y_IMAGE"] - 1, k * row["A_IMAGE"], k * row["B_IMAGE"], row["THETA_IMAGE"], ORANGE)
        panels.append(panel)
    return sheet("A detection image: every band has the same ellipses", panels)


PICTURES = {made.__name__: made for made in (
    thresholds, min_area, connectivity, seeds, kernels, matched, weights, meshes, contrasts, cleaning, kron_sizes, apertures, neighbours,
    flags, check_images, interpolation, morphologies, stretches, sums, detection_image)} | difference_pictures.PICTURES \
    | radio_pictures.PICTURES | crowd_pictures.PICTURES | galaxy_pictures.PICTURES | unkind_pictures.PICTURES


def pictures(program, names=PICTURES):
    """{name of the file: its text}."""
    run = functools.partial(Found, program)
    return {f"{name}.svg": PICTURES[name](run) for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="srcextract, as build/srcextract")
    parser.add_argument("name", nargs="*", choices=[[], *PICTURES], metavar="NAME")
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in pictures(arguments.program.resolve(), arguments.name or PICTURES).items():
        (FOLDER / name).write_text(drawn, encoding="utf-8")
        print(f"{name}: {len(drawn)} bytes")


if __name__ == "__main__":
    main()
