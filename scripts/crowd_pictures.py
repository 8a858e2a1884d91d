"""The pictures of crowded fields, for scripts/setting_pictures.py: the image, what the fit leaves, and how many stars it finds."""
import functools
import math

import numpy as np

from picture_sheets import BLUE, GREY, ORANGE, SIGMA, SKY, grey, moffat, noise, sheet
from speed_charts import grid, key, page, text, upright

SIZE, SEED, FWHM = 512, 231, 4.0
STARS = 2600  # 10 000 a Mpixel
CUT = slice(300, 390)
CROWD = {"psf.method": "fit", "measurement.gain": 1, "output.check_images": "[residual]"}


@functools.cache
def scene():
    """Moffat stars whose numbers fall with their flux as a power law, and their places and fluxes."""
    rng = np.random.default_rng(SEED)
    places = rng.uniform(0, SIZE - 1, (STARS, 2))
    fluxes = 200 * (1 - rng.uniform(0, 0.9997, STARS)) ** -0.8
    image, half = np.full((SIZE, SIZE), float(SKY)), 30
    for (x, y), flux in zip(places, fluxes):
        left, bottom = (max(0, round(place) - half) for place in (x, y))
        part = image[bottom:round(y) + half + 1, left:round(x) + half + 1]
        stamp = np.zeros((2 * half + 1, 2 * half + 1))
        moffat(stamp, x - left, y - bottom, flux, FWHM)
        part += stamp[:part.shape[0], :part.shape[1]]
    photons = np.random.default_rng(SEED + 1).normal(0, 1, image.shape) * np.sqrt(np.maximum(image - SKY, 0))
    return image + photons + noise(SIZE, SEED + 2) - SKY, places, fluxes


def brightest_first(found, name, places, fluxes):
    """Which stars have a row of their own: within a pixel, with a flux within a factor of two. Bright stars choose first."""
    here = np.column_stack((found.rows["X_IMAGE"] - 1, found.rows["Y_IMAGE"] - 1))
    light = found.rows[name]
    free = np.ones(len(here), bool)
    matched = np.zeros(len(places), bool)
    for star in np.argsort(-fluxes):
        apart = np.hypot(*(here - places[star]).T)
        good = free & (apart < 1) & (light > fluxes[star] / 2) & (light < fluxes[star] * 2)
        if good.any():
            free[np.flatnonzero(good)[np.argmin(apart[good])]] = False
            matched[star] = True
    return matched


def crowd(run):
    image, _, _ = scene()
    found = run(image, CROWD, config="crowd")
    plain = run(image, {"measurement.gain": 1, "output.segmentation": "true"})
    places = np.column_stack((found.rows["X_IMAGE"] - 1, found.rows["Y_IMAGE"] - 1))
    cut = (CUT, CUT)

    def marked(caption, rows):
        panel = grey(image[cut], caption, SKY - 20, SKY + 300, 5)
        inside = np.all((rows > CUT.start) & (rows < CUT.stop - 1), axis=1)
        for x, y in rows[inside]:
            panel.circle(x - CUT.start, y - CUT.start, 1.2, ORANGE)
        return panel

    detected = np.column_stack((plain.rows["X_IMAGE"] - 1, plain.rows["Y_IMAGE"] - 1))
    return sheet("A crowded field, by a PSF made of its own stars", [
        grey(image[cut], "a part of the image", SKY - 20, SKY + 300, 5),
        grey(found.maps["residual"].squeeze()[cut], "the residual of crowd", -5 * SIGMA, 10 * SIGMA),
        marked(f"default.yaml: {len(plain)} sources in all", detected), marked(f"crowd: {len(places)} stars in all", places)],
        ["greys of the residual: from -5 to 10 times the noise of the sky"], columns=2)


def crowd_completeness(run):
    image, places, fluxes = scene()
    alpha = FWHM / (2 * math.sqrt(2 ** (1 / 3) - 1))
    alone = fluxes / (SIGMA * alpha * math.sqrt(5 / 4 * math.pi))  # the sum of squares of a Moffat profile of beta 3
    edges = np.geomspace(2, 300, 11)
    left, right, top, bottom = 90, 690, 50, 300

    def place(at, part):
        return left + (right - left) * math.log(at / edges[0]) / math.log(edges[-1] / edges[0]), bottom - (bottom - top) * part

    parts = []
    for part in (0, 0.5, 1):
        _, y = place(edges[0], part)
        parts += [grid(left, y, right, y), text(left - 8, y + 5, f"{part:.0%}", "end", 13)]
    for at in (3, 10, 30, 100):
        x, _ = place(at, 0)
        parts += [grid(x, top, x, bottom), text(x, bottom + 18, f"{at}", "middle", 13)]
    by_crowd = run(image, CROWD, config="crowd")
    by_default = run(image, {"measurement.gain": 1, "output.columns": "[default, FLUX_AUTO]"})
    for found, name, colour in ((by_crowd, "FLUX_PSF", BLUE), (by_default, "FLUX_AUTO", GREY)):
        matched = brightest_first(found, name, places, fluxes)
        points = []
        for low, high in zip(edges[:-1], edges[1:]):
            inside = (alone >= low) & (alone < high)
            if inside.sum() >= 5:
                points.append(place(math.sqrt(low * high), matched[inside].mean()))
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in points]
    parts += [text((left + right) / 2, bottom + 38, "signal to noise that a star would have alone", "middle", 13),
              upright(left - 54, (top + bottom) / 2, "found: to a pixel, flux to a factor of 2"),
              *key([(BLUE, "crowd, FLUX_PSF"), (GREY, "default.yaml, FLUX_AUTO")], bottom + 60, (left + right) / 2)]
    return page(374, "Stars found of 10 000 a Mpixel (FWHM 4 pixels)", parts)


PICTURES = {picture.__name__: picture for picture in (crowd, crowd_completeness)}
