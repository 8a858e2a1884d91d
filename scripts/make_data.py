#!/usr/bin/env python3
"""Makes data/: two simulated skies with their truth and, with --references, the catalogues that srcextract gives.

Needs numpy and astropy. The seeds are fixed: the same versions of both write the same bytes.
"""
import argparse
import dataclasses
import pathlib
import subprocess

import numpy as np
from astropy.io import fits
from astropy.table import Table
from astropy.wcs import WCS

ROOT = pathlib.Path(__file__).resolve().parent.parent
GAIN = 2.0  # e-/adu
READ_NOISE = 5.0  # e-
SATURATION = 65535  # adu
SEEING = 3.5  # FWHM in pixels
BETA = 3.0  # of the Moffat profile: wings as the atmosphere makes them
BLANK = -32768  # as stored; 0 adu with BZERO = 32768


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    size: int
    stars: int
    galaxies: int
    sky: float  # adu/pixel
    projection: str
    ra: float
    dec: float
    seed: int


SKY = Field("sky", 1024, stars=330, galaxies=130, sky=850.0, projection="TAN", ra=150.1, dec=2.2, seed=20240521)
SUBTRACTED = Field("sky_subtracted", 384, stars=45, galaxies=18, sky=850.0, projection="SIN", ra=244.7, dec=-54.1,
                   seed=20240522)


def draw_sources(field, rng):
    """Positions (0-based), fluxes in adu and, for galaxies, shapes. Counts grow as flux^-1.2; fluxes are total."""
    count = field.stars + field.galaxies
    is_star = np.arange(count) < field.stars
    faintest = np.where(is_star, 1500.0, 6000.0)
    flux = np.minimum(faintest * (1.0 - rng.uniform(0, 1, count)) ** (-1.0 / 1.2), 4e5)
    flux[:3] = [1.6e6, 2.4e6, 4.0e6]  # saturated
    return Table({
        "x": rng.uniform(2, field.size - 3, count),
        "y": rng.uniform(2, field.size - 3, count),
        "flux": flux,
        "type": np.where(is_star, "star", "galaxy"),
        "scale": np.where(is_star, 0.0, rng.uniform(1.0, 3.5, count)),
        "axis_ratio": np.where(is_star, 1.0, rng.uniform(0.3, 1.0, count)),
        "theta": np.where(is_star, 0.0, rng.uniform(-90, 90, count)),
    })


def moffat(r2):
    """The point spread function, of unit volume."""
    alpha2 = (0.5 * SEEING) ** 2 / (2.0 ** (1.0 / BETA) - 1.0)
    return (BETA - 1.0) / (np.pi * alpha2) * (1.0 + r2 / alpha2) ** -BETA


def render_stars(stars, size):
    image = np.zeros((size, size))
    y, x = np.mgrid[0:size, 0:size]
    for star in stars:
        image += star["flux"] * moffat((x - star["x"]) ** 2 + (y - star["y"]) ** 2)
    return image


def render_galaxies(galaxies, size):
    """Inclined exponential discs, averaged over 5 x 5 points a pixel, blurred by the point spread function."""
    image = np.zeros((size, size))
    offsets = (np.arange(5) - 2.0) / 5.0
    for galaxy in galaxies:
        scale, ratio = galaxy["scale"], galaxy["axis_ratio"]
        theta = np.deg2rad(galaxy["theta"])
        radius = int(12 * scale) + 2
        x0, y0 = int(round(galaxy["x"])), int(round(galaxy["y"]))
        rows = slice(max(0, y0 - radius), min(size, y0 + radius + 1))
        columns = slice(max(0, x0 - radius), min(size, x0 + radius + 1))
        y, x = np.mgrid[rows, columns].astype(float)
        for dy in offsets:
            for dx in offsets:
                u = np.cos(theta) * (x + dx - galaxy["x"]) + np.sin(theta) * (y + dy - galaxy["y"])
                v = np.cos(theta) * (y + dy - galaxy["y"]) - np.sin(theta) * (x + dx - galaxy["x"])
                image[rows, columns] += (galaxy["flux"] / (25 * 2 * np.pi * scale**2 * ratio)
                                         * np.exp(-np.hypot(u, v / ratio) / scale))
    # Twice the size, so that the transform wraps light around into the margin and not into the picture.
    distance = np.fft.fftfreq(2 * size, 1.0 / (2 * size))
    blur = np.fft.rfft2(moffat(distance[:, None] ** 2 + distance[None, :] ** 2))
    return np.maximum(np.fft.irfft2(np.fft.rfft2(image, (2 * size, 2 * size)) * blur)[:size, :size], 0.0)


def expose(scene, field, rng):
    """What the detector reads, in adu: photon noise and read noise on top of the sky, not yet saturated."""
    # Rounded so that the last bits of the transform, which differ between machines, do not reach the generator.
    electrons = np.round(GAIN * (scene + field.sky), 6)
    return (rng.poisson(electrons) + rng.normal(0.0, READ_NOISE, scene.shape)) / GAIN


def bad_pixels(field, sources):
    """Mask of a dead column through the fifth star, a 5 x 5 defect and two single pixels."""
    bad = np.zeros((field.size, field.size), bool)
    x, y = int(round(sources["x"][4])), int(round(sources["y"][4]))
    bad[max(0, y - 20):y + 20, x] = True
    bad[field.size // 3:field.size // 3 + 5, field.size // 2:field.size // 2 + 5] = True
    bad[7, 100] = bad[field.size - 40, 61] = True
    return bad


def make_wcs(field):
    wcs = WCS(naxis=2)
    wcs.wcs.ctype = [f"RA---{field.projection}", f"DEC--{field.projection}"]
    wcs.wcs.crval = [field.ra, field.dec]
    wcs.wcs.crpix = [(field.size + 1) / 2] * 2
    wcs.wcs.cd = 0.4 / 3600 * np.array([[-np.cos(0.05), np.sin(0.05)], [np.sin(0.05), np.cos(0.05)]])
    wcs.wcs.radesys = "ICRS"
    return wcs


def write_image(field, pixels, wcs, cards):
    hdu = fits.PrimaryHDU(pixels)
    hdu.header.extend(wcs.to_header().cards, update=True)
    for name, value, comment in cards:
        hdu.header[name] = (value, comment)
    hdu.add_datasum(when="data unit checksum")
    hdu.writeto(ROOT / "data" / f"{field.name}.fits", overwrite=True)


def write_truth(field, sources, wcs):
    ra, dec = wcs.wcs_pix2world(sources["x"], sources["y"], 0)
    table = Table({
        "x": np.round(sources["x"] + 1, 4), "y": np.round(sources["y"] + 1, 4),
        "flux": np.round(sources["flux"], 2), "type": sources["type"],
        "scale": np.round(sources["scale"], 3), "axis_ratio": np.round(sources["axis_ratio"], 3),
        "theta": np.round(sources["theta"], 2), "ra": np.round(ra, 8), "dec": np.round(dec, 8),
    })
    descriptions = {
        "x": ("pixel", "Centre, 1-based as in FITS"), "y": ("pixel", "Centre, 1-based as in FITS"),
        "flux": ("adu", "Total flux"), "type": (None, "star or galaxy"),
        "scale": ("pixel", "Scale length of the exponential disc along its major axis; 0 for a star"),
        "axis_ratio": (None, "Minor over major axis"), "theta": ("deg", "Major axis, from x towards y"),
        "ra": ("deg", "Right ascension, ICRS"), "dec": ("deg", "Declination, ICRS"),
    }
    for name, (unit, description) in descriptions.items():
        table[name].unit = unit
        table[name].description = description
    table.write(ROOT / "data" / f"{field.name}_truth.ecsv", format="ascii.ecsv", overwrite=True)


def make(field):
    rng = np.random.default_rng(field.seed)
    sources = draw_sources(field, rng)
    scene = render_stars(sources[:field.stars], field.size) + render_galaxies(sources[field.stars:], field.size)
    counts = np.minimum(expose(scene, field, rng), SATURATION)
    bad = bad_pixels(field, sources)
    wcs = make_wcs(field)
    cards = [("BUNIT", "adu", ""), ("GAIN", GAIN, "[e-/adu]"), ("RDNOISE", READ_NOISE, "[e-]"),
             ("SEEING", SEEING, "[pixel] FWHM of the stars")]
    if field is SUBTRACTED:
        pixels = (counts - field.sky).astype(np.float32)
        pixels[bad] = np.nan
    else:
        pixels = np.clip(np.round(counts), 1, SATURATION).astype(np.uint16)
        pixels[bad] = 0
        cards += [("BLANK", BLANK, "stored value of a dead pixel"), ("SATURATE", SATURATION, "[adu]")]
    write_image(field, pixels, wcs, cards)
    write_truth(field, sources, wcs)


def make_references(program):
    """The catalogues that the program gives now: run this when a change of results is intended, and say why."""
    for config, field in (("default", SKY), ("lesson", SUBTRACTED)):
        folder = ROOT / "data" / "reference" / config
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([program, "--backend", "cpu", "--set", "output.formats=[ecsv]", "-o", folder,
                        ROOT / "config" / f"{config}.yaml", ROOT / "data" / f"{field.name}.fits"], check=True)
        for record in folder.glob("*.run.json"):  # times and host: not part of a reference
            record.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--references", action="store_true", help="make the reference catalogues, not the images")
    parser.add_argument("--program", default=ROOT / "build" / "srcextract", help="default: build/srcextract")
    options = parser.parse_args()
    if options.references:
        make_references(options.program)
    else:
        make(SKY)
        make(SUBTRACTED)


if __name__ == "__main__":
    main()
