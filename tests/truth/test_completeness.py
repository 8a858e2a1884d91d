"""The completeness in a report, beside the share of known stars that the program finds in further fields of the same kind."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
stats = pytest.importorskip("scipy.stats")

from moffat_frames import moffat
from program import path_of, read_catalogue

SIDE, GAIN, FIELDS, KNOWN = 768, 1.5, 16, 144
WAYS = {"default": [path_of("default")], "constant": [path_of("plain")],
        "low": [path_of("default"), "--set", "detection.threshold=2.5"]}


def field(seed, bright=0.0, faint=0.0):
    """Stars, and galaxies that are mostly brighter, on a sloping sky. There are more stars, whose places are known, if
    their magnitudes are between two that differ."""
    rng = np.random.default_rng(seed)
    how = dict(fwhm=3.5, shear=(0.05, 0.03), side=SIDE)
    x, y = rng.uniform(0, SIDE - 1, (2, 250))
    light = moffat(x, y, np.minimum(400 * rng.uniform(size=250) ** -1.1, 3e5), **how)
    for _ in range(30):
        place, flux, width = rng.uniform(0, SIDE - 1, (2, 1)), [min(4000 * rng.uniform() ** -1.1, 3e5)], rng.uniform(5, 14)
        light += moffat(*place, flux, width, rng.uniform(-0.3, 0.3, 2), SIDE)
    known = rng.uniform((0, 0, bright), (SIDE - 1, SIDE - 1, faint), (KNOWN if bright < faint else 0, 3))
    light += moffat(known[:, 0], known[:, 1], 10 ** (-0.4 * known[:, 2]), **how)
    v, u = np.mgrid[:SIDE, :SIDE] / SIDE
    electrons = rng.poisson((light + 300 * (1 + 0.1 * u + 0.05 * v)) * GAIN) + rng.normal(0, 4, light.shape)
    return (electrons / GAIN).astype(np.float32), known


def extract(program, directory, pixels, *options):
    fits.PrimaryHDU(pixels).writeto(directory / "sky.fits", overwrite=True)
    command = [program, "--record", "-q", "-o", directory, "--set", "output.formats=[csv]", "--set", f"measurement.gain={GAIN}",
               *options, directory / "sky.fits"]
    subprocess.run([str(part) for part in command], check=True)
    return read_catalogue(directory / "sky.cat.csv"), json.loads((directory / "sky.run.json").read_text())


def with_copies(copies):
    return ["--report", "--set", f"output.report_copies={copies}"]


def shares(program, directory, edges, options):
    """Of the known stars in each bin, the share with a source within 3 pixels that is about as bright."""
    found, count = np.zeros((2, len(edges) - 1))
    for seed in range(100, 100 + FIELDS):
        pixels, known = field(seed, edges[0], edges[-1])
        sources, _ = extract(program, directory, pixels, *options)
        flux = sources["FLUX_AUTO" if "FLUX_AUTO" in sources else "FLUX_ISO"]
        distance = np.hypot(sources["X_IMAGE"] - 1 - known[:, :1], sources["Y_IMAGE"] - 1 - known[:, 1:2])
        ratio = flux / 10 ** (-0.4 * known[:, 2:])
        is_found = ((distance < 3) & (ratio > 0.15) & (ratio < 2)).any(axis=1)
        count += np.histogram(known[:, 2], edges)[0]
        found += np.histogram(known[is_found, 2], edges)[0]
    return found / count


def limit(edges, share, least):
    """Where the share falls below `least`, by straight lines between the middles of bins."""
    last = np.flatnonzero(share >= least)[-1]
    return np.interp(-least, -share[last:last + 2], (edges[:-1] + edges[1:])[last:last + 2] / 2)


@pytest.mark.parametrize("way", WAYS)
def test_half_of_the_stars_are_found_where_it_says(program, tmp_path, way):
    told = [extract(program, tmp_path, field(seed)[0], *with_copies(1200), *WAYS[way])[1]["completeness"] for seed in (1, 2, 3)]
    edges = np.array([one["magnitudes"][0] for one in told[0]["bins"]] + [told[0]["bins"][-1]["magnitudes"][1]])
    share = shares(program, tmp_path, edges, WAYS[way])
    truth = np.array([limit(edges, share, 0.5), limit(edges, share, 0.9)])
    off = np.array([[one["limit_50"], one["limit_90"]] for one in told]) - truth
    print(way, truth.round(2), off.round(3).tolist())
    assert (np.abs(off[:, 0]) < 0.2).all() and np.abs(off.mean(axis=0)).max() < 0.15
    for one in told:
        assert one["copies"] == 1200 == sum(bin["copies"] for bin in one["bins"])
        assert one["bins"][0]["share"] > 0.9 and one["bins"][-1]["share"] < 0.1
        for bin in one["bins"]:
            interval = stats.binomtest(bin["found"], bin["copies"]).proportion_ci(0.6826894921370859, "wilson")
            assert np.allclose(bin["interval"], interval, rtol=0, atol=1e-9)


def test_copies_change_no_catalogue_and_depend_on_the_image_alone(program, tmp_path):
    pixels, written, told = field(4)[0], [], []
    for number, options in enumerate(([], with_copies(50), with_copies(50), with_copies(60))):
        _, record = extract(program, tmp_path, pixels, "--threads", str(1 + number % 3), "--set", "output.segmentation=true",
                            *options)
        written.append([(tmp_path / f"sky.{name}").read_bytes() for name in ("cat.csv", "seg.fits")])
        told.append(record.get("completeness"))
    catalogues = [catalogue for catalogue, _ in written]
    assert catalogues[0] == catalogues[1] == catalogues[2] == catalogues[3]
    assert told[0] is None and told[1] == told[2] != told[3] and told[3]["copies"] == 60


def test_an_image_that_is_combined_or_masked_is_so_with_copies(program, tmp_path):
    """The mean of an image and of itself is that image, and no copy is on masked pixels."""
    pixels = field(5)[0]
    pixels[:, 300:] = np.nan
    fits.PrimaryHDU(pixels).writeto(tmp_path / "other.fits")
    told = [extract(program, tmp_path, pixels, *with_copies(200), *options)[1]["completeness"]
            for options in ([], ["--set", "combine.method=mean", "--set", f"combine.files=[{tmp_path}/other.fits]"])]
    assert told[0] == told[1] and told[0]["copies"] == 200
    assert told[0]["bins"][0]["share"] > 0.9


def test_without_stars_it_says_why(program, tmp_path):
    noise = np.random.default_rng(1).normal(100, 5, (200, 300)).astype(np.float32)
    _, record = extract(program, tmp_path, noise, *with_copies(20))
    assert "0 bright, isolated stars" in record["completeness"]["problem"]
    assert record["completeness"]["problem"] in (tmp_path / "sky.report.html").read_text()
