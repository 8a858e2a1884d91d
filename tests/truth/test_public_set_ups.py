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

LEAST = 0.94
REFUSED, NOT_MEASURABLE = 2, 3  # exit codes: of a configuration, of an image (one file's stand-in map masks all pixels)


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
    assert all(ours.returncode in (REFUSED, NOT_MEASURABLE) and "Traceback" not in ours.stderr for _, ours in accepted if ours.returncode != 0)
    assert len(accepted) - len(stopped) >= LEAST * len(accepted)


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


# Limits of SExtractor's memory, and what is not of the search.
SEARCH = """-MEMORY_BUFSIZE 4096 -MEMORY_OBJSTACK 65535 -MEMORY_PIXSTACK 10000000 -CATALOG_TYPE FITS_1.0 -WEIGHT_GAIN N
-BACKPHOTO_TYPE GLOBAL -PHOT_AUTOAPERS 0,0 -CHECKIMAGE_TYPE NONE -VERBOSE_TYPE QUIET -WRITE_XML N""".split()
COLUMNS = ["NUMBER", "X_IMAGE_DBL", "Y_IMAGE_DBL", "FLUX_ISO", "FLUXERR_ISO", "FLAGS"]
KEYS = ("DETECT_", "FILTER", "DEBLEND", "CLEAN", "WEIGHT", "BACK_", "THRESH_TYPE", "INTERP", "RESCALE")


def alone(one, other):
    """The number of rows with no row of the other within a pixel."""
    places = [np.column_stack((table["X_IMAGE_DBL"], table["Y_IMAGE_DBL"])) for table in (one, other)]
    if not len(places[0]) or not len(places[1]):
        return len(places[0])
    return int(np.count_nonzero(spatial.cKDTree(places[1]).query(places[0])[0] > 1))


def test_rows(program, tmp_path):
    """As many rows are in one catalogue alone as in the other, and about as many as by another random seed."""
    make_scene(tmp_path)
    by_search = {}
    for set_up in set_ups():
        by_search.setdefault(tuple(sorted(one for one in set_up.keys.items() if one[0].startswith(KEYS))), set_up)
    chosen = list(by_search.values())[::1 if LONG else 9]

    def run(item):
        number, set_up = item
        write_set_up(public.SetUp(set_up.repository, set_up.path, set_up.keys, COLUMNS), tmp_path, f"r{number}")
        tables = []
        for name, command, more in (("theirs", [PROGRAM], {}), ("ours", [program, "sextractor"], {}),
                                    ("seed", [PROGRAM], {"LD_PRELOAD": os.environ["SRCEXTRACT_ANOTHER_SEED"]})):
            catalogue = f"r{number}.{name}"
            done = subprocess.run([*command, "field.fits", "-c", f"r{number}.sex", *SEARCH, "-CATALOG_NAME", catalogue],
                                  cwd=tmp_path, capture_output=True, env=os.environ | more)
            if done.returncode != 0:
                return None
            tables.append(fits.getdata(tmp_path / catalogue, 1))
        theirs, ours, again = tables
        return len(theirs), alone(ours, theirs), alone(theirs, ours), alone(again, theirs), alone(theirs, again)

    counts = [one for one in each(run, enumerate(chosen)) if one is not None]
    rows, only_ours, only_theirs, *by_seed = np.sum(counts, axis=0)
    print(f"\n{len(counts)} set-ups, {rows} rows: {only_ours} only ours, {only_theirs} only theirs; by seed {by_seed}")
    assert len(counts) >= 0.9 * len(chosen) and rows > 5000
    assert abs(only_ours - only_theirs) <= 10 and max(only_ours, only_theirs) <= max(by_seed) + 0.001 * rows
