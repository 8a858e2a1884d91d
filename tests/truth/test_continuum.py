"""config/radio.yaml on maps whose components are known: what is found, fluxes, positions and shapes, and their errors, in
both kinds of noise; and beside PyBDSF and Aegean where a Python that has them is named."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("scipy")
table = pytest.importorskip("astropy.table")

import continuum_maps
from program import ROOT
from rounds import LONG, first

SEEDS = first(8, tuple(range(11, 43)))


def extract(program, path, *settings):
    """The Gaussians that are fitted in a map, their sources, and the report."""
    options = [part for setting in settings for part in ("--set", setting)]
    subprocess.run([program, "--record", "-q", "-o", path.parent, *options, ROOT / "config/radio.yaml", path], check=True,
                   capture_output=True)
    stem = str(path)[:-5]
    return (table.Table.read(f"{stem}.gaul.fits"), table.Table.read(f"{stem}.srl.fits"),
            json.loads(open(f"{stem}.run.json").read()))


class Judged:
    """Components of several maps with the rows that were found for them."""

    def __init__(self, program, directory, dirty):
        self.truth, self.rows, self.missed, self.false, self.areas = [], [], [], 0, []
        for seed in SEEDS:
            field = continuum_maps.Field(seed, dirty=dirty)
            path = directory / f"map{seed}.fits"
            field.write(path)
            gaussians, _, told = extract(program, path)
            places = np.column_stack([gaussians["Xposn"], gaussians["Yposn"]])
            found = continuum_maps.match(field, places)
            self.false += continuum_maps.false_rows(field, places)
            self.areas.append(told["fit"]["noise_area"])
            for i, row in enumerate(found):
                part = {name: values[i] for name, values in field.truth.items()}
                (self.missed if row < 0 else self.truth).append(part)
                if row >= 0:
                    self.rows.append(gaussians[row])

    def chosen(self, kind, least, most=np.inf):
        return [(t, r) for t, r in zip(self.truth, self.rows) if t["kind"] in kind and least <= t["snr"] < most]

    def complete(self, least, most):
        found, missed = (sum(least <= t["snr"] < most for t in of) for of in (self.truth, self.missed))
        return found, found + missed


@pytest.fixture(scope="module", params=(False, True), ids=("white noise through the beam", "dirty map"))
def judged(program, tmp_path_factory, request):
    return Judged(program, tmp_path_factory.mktemp("continuum"), request.param), request.param


def spread(values):
    low, high = np.percentile(values, [16, 84])
    return (high - low) / 2


def check_pulls(pulls, what):
    """Their width is 1, to 5 % and three errors of the width itself (from percentiles: 1.2 / sqrt(2 N))."""
    allowed = 0.05 + 3 * 1.2 / np.sqrt(2 * len(pulls))
    assert len(pulls) > 20 and abs(spread(pulls) - 1) < allowed, f"{what}: {spread(pulls)} of {len(pulls)}"
    assert abs(np.median(pulls)) < 0.05 + 4 * 1.25 / np.sqrt(len(pulls)), f"{what}: {np.median(pulls)}"


def test_what_is_above_8_sigma_is_found_and_nothing_else(judged):
    found, of = judged[0].complete(8, np.inf)
    assert of > 60 and found >= 0.99 * of, f"{found} of {of}"
    found, of = judged[0].complete(6, 8)
    assert found >= 0.85 * of, f"{found} of {of}"
    assert judged[0].false <= 0.02 * len(judged[0].rows)


def test_the_area_of_the_noise_is_measured(judged):
    assert np.allclose(judged[0].areas, 1 if judged[1] else 2, atol=0.12)


def test_errors_of_points_are_as_large_as_errors(judged):
    points = judged[0].chosen(("point",), 10)
    check_pulls([(r["Peak_flux"] - t["peak"]) / r["E_Peak_flux"] for t, r in points], "peak")
    check_pulls([(r["Total_flux"] - t["total"]) / r["E_Total_flux"] for t, r in points], "total")
    check_pulls([(r["Xposn"] - t["x"]) / r["E_Xposn"] for t, r in points], "x")
    check_pulls([(r["Yposn"] - t["y"]) / r["E_Yposn"] for t, r in points], "y")
    check_pulls([(3600 * r["Maj"] - t["major"]) / (3600 * r["E_Maj"]) for t, r in points], "major axis")
    check_pulls([(3600 * r["Min"] - t["minor"]) / (3600 * r["E_Min"]) for t, r in points], "minor axis")


def test_errors_on_the_sky_are_those_in_pixels(judged):
    for _, row in judged[0].chosen(("point",), 10):
        assert np.isclose(3600 * row["E_RA"], continuum_maps.PIXEL * row["E_Xposn"], rtol=1e-2)
        assert np.isclose(3600 * row["E_DEC"], continuum_maps.PIXEL * row["E_Yposn"], rtol=1e-2)


def test_fluxes_are_in_jansky_without_bias(judged):
    bright = judged[0].chosen(("point", "resolved"), 30)
    for name, of in (("Peak_flux", "peak"), ("Total_flux", "total")):
        ratios = np.array([row[name] / part[of] for part, row in bright])
        assert len(ratios) > 20
        assert abs(np.median(ratios) - 1) < 0.005 + 3 * 1.25 * spread(ratios) / np.sqrt(len(ratios))


def test_few_points_are_called_resolved_and_resolved_ones_are(judged):
    points = [row for _, row in judged[0].chosen(("point",), 8)]
    assert len(points) > 40 and np.mean([row["RESOLVED"] for row in points]) <= 0.05
    assert all((row["DC_Maj"] > 0) == row["RESOLVED"] for row in points)
    wide = [row["RESOLVED"] for part, row in judged[0].chosen(("resolved",), 50)
            if part["major"] > 1.3 * continuum_maps.BEAM[0]]
    assert len(wide) > 3 and np.mean(wide) > 0.9


def test_a_point_has_no_size_without_the_beam_within_its_error(judged):
    points = [row for _, row in judged[0].chosen(("point",), 20)]
    below = [row["DC_Maj"] <= row["DC_MAJ_LIM"] for row in points]
    assert np.all(below)
    assert np.mean([3600 * row["DC_MAJ_LIM"] < continuum_maps.BEAM[0] for row in points]) > 0.95


def test_doubles_are_two_gaussians_with_all_their_light(program, tmp_path):
    field = continuum_maps.Field(21, doubles=40, every=40000)
    field.write(tmp_path / "doubles.fits")
    gaussians, sources, _ = extract(program, tmp_path / "doubles.fits")
    places = np.column_stack([gaussians["Xposn"], gaussians["Yposn"]])
    found = continuum_maps.match(field, places)
    double = field.truth["kind"] == "double"
    bright = double & (field.truth["snr"] > 8)
    assert bright.sum() > 60 and np.mean(found[bright] >= 0) >= 0.96
    ratios = []
    for source in np.unique(field.truth["source"][bright]):
        of = np.flatnonzero(field.truth["source"] == source)
        rows = {found[i] for i in of if found[i] >= 0}
        ratios.append(sum(gaussians["Total_flux"][row] for row in rows) / field.truth["total"][of].sum())
    assert abs(np.median(ratios) - 1) < 0.01 + 3 * 1.25 * spread(ratios) / np.sqrt(len(ratios))
    for row in sources[sources["S_Code"] == "M"]:
        of = gaussians[gaussians["Source_id"] == row["Source_id"]]
        assert len(of) == 0 or np.isclose(row["Total_flux"], of["Total_flux"].sum(), rtol=1e-6)


def test_galaxies_of_two_lobes_and_a_core_are_three_gaussians(program, tmp_path):
    wrong, galaxies = [], first(40, tuple(range(1, 101)))
    for seed in galaxies:
        field = continuum_maps.Field(seed, size=160, every=160 * 160 // 3)
        angle = field.rng.uniform(0, np.pi)
        middle = 80 + field.rng.uniform(-0.5, 0.5, 2)
        far = np.hypot(*(field.places - middle).T) > 45
        lobe = 17.5 * np.array([np.cos(angle), np.sin(angle)])
        along = np.degrees(angle) - 90  # from north through east, which is towards lower x
        for offset, total, shape in ((-1, 2.2e-3, (32, 16, along)), (0, 7e-4, (0, 0, 0)), (1, 2.6e-3, (36, 16, along))):
            field.add("lobe", *(middle + offset * lobe), total, shape)
        path = tmp_path / f"galaxy{seed}.fits"
        field.write(path)
        rows, _, _ = extract(program, path)
        near = rows[np.hypot(rows["Xposn"] - middle[0], rows["Yposn"] - middle[1]) < 40]
        apart = [np.min(np.hypot(near["Xposn"] - x, near["Yposn"] - y), initial=99) for _, x, y, *_ in field.rows[-3:]]
        light = near["Total_flux"].sum() / 5.5e-3
        if np.max(apart) > 4 or (np.all(far) and abs(light - 1) > 0.15):
            wrong.append((seed, np.round(apart, 1).tolist(), round(light, 2)))
    assert len(wrong) <= 0.05 * len(galaxies), wrong


# What a peer finds in a map as a program of its own Python: right ascension, declination, peak, total, major axis in
# degrees, and their errors. BANE has a process of its own, whose time is counted.
QUANTITIES = ("RA", "DEC", "Peak_flux", "Total_flux", "Maj")
PEERS = {
    "AegeanTools": """
from AegeanTools.BANE import filter_image
from AegeanTools.source_finder import SourceFinder

def find(path):
    filter_image(path, path[:-5], cores=1)
    found = SourceFinder().find_sources_in_image(path, rmsin=path[:-5] + "_rms.fits", bkgin=path[:-5] + "_bkg.fits",
                                                 innerclip=5, outerclip=4, cores=1, cube_index=0)
    return [[s.ra, s.dec, s.peak_flux, s.int_flux, s.a / 3600, s.err_ra, s.err_dec, s.err_peak_flux, s.err_int_flux,
             s.err_a / 3600] for s in found]
""",
    "bdsf": """
import bdsf

def find(path):
    image = bdsf.process_image(path, thresh_isl=3, thresh_pix=5, quiet=True, ncores=1)
    return [[*g.centre_sky, g.peak_flux, g.total_flux, g.size_sky[0], *g.centre_skyE, g.peak_fluxE, g.total_fluxE,
             g.size_skyE[0]] for g in image.gaussians]
""",
    "sourcefinder": """
import csv, math, pathlib, subprocess, sys

def find(path):
    pyse = pathlib.Path(sys.executable).parent / "pyse"
    subprocess.run([pyse, "--csv", "--detection-thr", "5", "--analysis-thr", "3", "--nr-threads", "1", "--output-dir", ".", path],
                   check=True, stdout=subprocess.DEVNULL)
    with next(pathlib.Path(".").glob("*.csv")).open() as file:
        head, *rows = csv.reader(file)
    for row in filter(None, rows):
        told = {name.strip(): float(value) for name, value in zip(head, row)}
        yield [told["ra"], told["dec"], told["peak"], told["flux"], 2 * told["smaj_asec"] / 3600,
               told["ra_err"] * math.cos(math.radians(told["dec"])), told["dec_err"], told["peak_err"], told["flux_err"],
               2 * told["smaj_asec_err"] / 3600]
"""}
RUN = """
import json, os, sys
if __name__ == "__main__":
    rows = [[float(value) for value in row] for row in find(sys.argv[1])]
    print("\\n" + json.dumps([sum(os.times()[:4]), rows]))
"""


def scores(field, rows, seconds):
    """What a table of programs tells: sources found by signal to noise, false rows, totals of points above 10 sigma, and
    the widths of their pulls."""
    places = field.pixels_of(rows[:, 0], rows[:, 1])
    found, snr = continuum_maps.match(field, places), field.truth["snr"]
    points = (field.truth["kind"] == "point") & (snr > 10) & (found >= 0)
    of, sky = rows[found[points]], field.sky_of(field.truth["x"][points], field.truth["y"][points])
    truth = np.column_stack([sky, field.truth["peak"][points], field.truth["total"][points], field.truth["major"][points] / 3600])
    off = of[:, :5] - truth
    off[:, 0] *= np.cos(np.radians(sky[:, 1]))
    ratio = of[:, 3] / truth[:, 3]
    inside = {f"{low} to {high}": (snr > low) & (snr < high) for low, high in ((5, 6), (6, 8), (8, np.inf))}
    out = {f"found at {name} sigma": f"{np.sum((found >= 0) & of_these)} of {np.sum(of_these)}" for name, of_these in inside.items()}
    out |= {"false rows": continuum_maps.false_rows(field, places), "total: median": round(float(np.median(ratio)), 3),
            "total: scatter": round(spread(ratio), 3)}
    out |= {f"pulls of {name}, {len(off)} points": round(spread(off[:, i] / of[:, 5 + i]), 2) for i, name in enumerate(QUANTITIES)}
    return out | {"CPU s": round(seconds, 2)}


def told_by_peer(python, peer, directory, field, path):
    """Rows and CPU seconds of a peer; None where this Python does not have it."""
    if subprocess.run([python, "-c", f"import {peer}"], capture_output=True).returncode != 0:
        return None
    (directory / f"find_by_{peer}.py").write_text(PEERS[peer] + RUN)
    (directory / peer).mkdir()
    done = subprocess.run([python, directory / f"find_by_{peer}.py", path], capture_output=True, text=True, cwd=directory / peer, timeout=600)
    assert done.returncode == 0, done.stderr
    seconds, rows = json.loads(done.stdout.splitlines()[-1])
    return scores(field, np.array(rows), seconds)


def beside_the_peers(program, tmp_path, python, size):
    """({number: value} of srcextract, {peer: {number: value}}) of those that this Python has, on a map of so many pixels a side."""
    field = continuum_maps.Field(31, size=size)
    path = tmp_path / "map.fits"
    field.write(path)
    theirs = {peer: told for peer in PEERS if (told := told_by_peer(python, peer, tmp_path, field, path)) is not None}
    before = os.times()
    rows, _, _ = extract(program, path)
    after = os.times()
    columns = [rows[name] for name in QUANTITIES] + [rows[f"E_{name}"] for name in QUANTITIES]
    ours = scores(field, np.column_stack(columns), after.children_user + after.children_system - before.children_user - before.children_system)
    return ours, theirs


def test_beside_the_peers(program, tmp_path):
    """Prints the table of docs/peers.md: with --long on the map that it has."""
    python = os.environ.get("SRCEXTRACT_RADIO_PYTHON")
    if not python:
        pytest.skip("no data: SRCEXTRACT_RADIO_PYTHON names no Python that has AegeanTools, bdsf or radio-pyse")
    ours, theirs = beside_the_peers(program, tmp_path, python, 3072 if LONG else 1536)
    assert theirs, f"{python} has none of {', '.join(PEERS)}"
    every = {"srcextract": ours, **theirs}
    print("\n| | " + " | ".join(every) + " |", file=sys.stderr)
    for name in ours:
        print(f"| {name} | " + " | ".join(str(told[name]) for told in every.values()) + " |", file=sys.stderr)

    def number(told, name):
        return int(told[name].split()[0])

    for told in theirs.values():
        faint, middle, bright = (f"found at {range_of} sigma" for range_of in ("5 to 6", "6 to 8", "8 to inf"))
        assert number(ours, faint) + number(ours, middle) >= number(told, faint) + number(told, middle) - 2
        assert number(ours, bright) >= number(told, bright) - 1
        assert ours["false rows"] <= told["false rows"] + 1
        assert ours["total: scatter"] <= 1.1 * told["total: scatter"]
