"""Configurations and lists of columns of public repositories, as they stand: how many run by `srcextract sextractor`, what
stops the others, and which rows are in one catalogue alone. With -s the tables are printed; docs/sextractor.md has them."""
import collections
import concurrent.futures
import os
import re
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
spatial = pytest.importorskip("scipy.spatial")

import public_set_ups as public
from public_set_ups import column_lists, make_scene, set_ups, write_set_up
from rounds import LONG
from sextractor import PROGRAM

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)

# What fluxes are measured with is the matter of other tests.
OF_MEASUREMENT = ("BACKPHOTO_TYPE", "WEIGHT_GAIN", "PHOT_AUTOAPERS", "DETECT_MAXAREA")
LEAST = 0.94


def each(work, items):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, items))


def reasons(said):
    """What an error is about: a key, or the columns with one reason."""
    told = re.findall(r"error: (?:\S+?: )?(?:([A-Z_0-9]+)[^:]*: )?(.*)", said)
    return [f"{key}: {reason}"[:90] for key, reason in told] or [said[-90:].strip()]


def tell(title, stopped, total):
    """Prints which reasons stop how many files of how many repositories."""
    print(f"\n{title}: {total - len(stopped)} of {total} run")
    by_reason = collections.defaultdict(set)
    for item, said in stopped:
        for reason in reasons(said):
            by_reason[reason].add(str(item))
    for reason, items in sorted(by_reason.items(), key=lambda one: -len(one[1])):
        print(f"  {len(items)} ({len({'/'.join(item.split('/')[:2]) for item in items})}) {reason}")


def test_configurations_run(program, tmp_path):
    places = [tmp_path / "theirs", tmp_path / "ours"]
    for place in places:
        place.mkdir()
        make_scene(place)
    all_of_them = list(enumerate(set_ups()))

    def run(item):
        number, set_up = item
        for place in places:
            write_set_up(set_up, place, f"s{number}")
        return public.sextractor(places[0], f"s{number}"), public.ours(program, places[1], f"s{number}")

    done = each(run, all_of_them)
    accepted = [(set_up, ours) for (_, set_up), (theirs, ours) in zip(all_of_them, done) if theirs.returncode == 0]
    stopped = [(set_up, ours.stderr) for set_up, ours in accepted if ours.returncode != 0]
    repositories = {set_up.repository for set_up, _ in accepted}
    tell(f".sex files of {len(repositories)} repositories that SExtractor runs", stopped, len(accepted))
    assert len(accepted) >= 144 and len(repositories) >= 40
    assert all(ours.returncode == 2 and "Traceback" not in ours.stderr for _, ours in accepted if ours.returncode != 0)
    others = [said for _, said in stopped if not any(f" {key} " in said for key in OF_MEASUREMENT)]
    assert len(accepted) - len(others) >= LEAST * len(accepted)


def test_lists_of_columns_run(program, tmp_path):
    make_scene(tmp_path)

    def run(item):
        number, (name, columns) = item
        write_set_up(public.SetUp(name, "", {"FLAG_IMAGE": "flag.fits"}, columns), tmp_path, f"p{number}")
        return name, public.ours(program, tmp_path, f"p{number}", "-FILTER_NAME", str(public.KERNELS / "default.conv"))

    done = each(run, column_lists().items())
    stopped = [(name, ours.stderr) for name, ours in done if ours.returncode != 0]
    tell("lists of columns", stopped, len(done))
    assert len(done) >= 100 and len(stopped) <= 0.2 * len(done)
