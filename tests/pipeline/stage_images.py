"""Simulated images for the tests of image stages, and what the program writes of them."""

import csv
import json

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from fits_files import hdu, write

WIDTH, HEIGHT = 61, 50
RESULTS = "output: {formats: [csv, reg], segmentation: true}\n"
CONSTANT = "background: {method: constant}\n"  # one level for the whole image, which NumPy can subtract


def field(seed, height=HEIGHT, width=WIDTH, brightness=100.0):
    """Noise of sigma 1 about 20, and ten stars, which are the same for every seed; float32."""
    grid = (np.indices((5, 2)).reshape(2, 10).T + 0.5) * (width / 5, height / 2)
    places = grid + np.random.default_rng(0).uniform(-2, 2, grid.shape)
    y, x = np.indices((height, width))
    image = np.random.default_rng(seed).normal(20, 1, (height, width))
    for i, (at_x, at_y) in enumerate(places):
        image += brightness * (i + 1) / 5 * np.exp(-((x - at_x) ** 2 + (y - at_y) ** 2) / 4)
    return image.astype(np.float32)


def image_hdu(pixels, bitpix=-32, **cards):
    return hdu(pixels.shape[::-1], bitpix, pixels.ravel().tolist(), **cards)


def write_image(path, pixels, **cards):
    path.parent.mkdir(exist_ok=True)
    return write(path, image_hdu(np.asarray(pixels), **cards))


def write_extensions(path, **planes):
    return write(path, hdu((), 8), *(image_hdu(pixels, primary=False, EXTNAME=name) for name, pixels in planes.items()))


def write_with_map(path, name, flags, planes, compressed=False):
    """An image, and a map of it of that name whose header names bits as LSST's does."""
    hdus = [fits.PrimaryHDU(), fits.ImageHDU(field(1), name="IMAGE")]
    hdus.append(fits.CompImageHDU(flags, name=name) if compressed else fits.ImageHDU(flags, name=name))
    for plane, bit in planes.items():
        hdus[2].header[f"HIERARCH MP_{plane}" if len(plane) > 5 else f"MP_{plane}"] = bit
    fits.HDUList(hdus).writeto(path)


def labels_of(path):
    return fits.getdata(path, "SEGMENTATION")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def report(path):
    return json.loads(path.read_text())


def steps(told):
    return [step["step"] for step in told["execution"]["steps"]]


def results(directory):
    """What was found, whatever it was found with: outputs that carry the configuration are left out."""
    return {p.name: labels_of(p).tolist() if p.name.endswith(".seg.fits") else p.read_bytes()
            for p in directory.iterdir() if p.name.endswith((".csv", ".reg", ".seg.fits"))}


def check_no_use(run, configure, directory, text, code, words):
    """A map of sky.fits that the configuration names cannot be used, which is said; nothing is left of the attempt."""
    before = sorted(directory.rglob("*"))
    configure(text + "\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    assert done.code == code and done.err.count("error: ") == 1, done.err
    assert all(word in done.err for word in words), done.err
    left = [path.name for path in sorted(directory.rglob("*")) if path not in before]
    assert left in (["config.yaml"], ["config.yaml", "out"])
