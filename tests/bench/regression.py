"""`srcextract compare` on catalogues of a million and ten million rows, beside Astropy and SciPy doing the matching."""
import json
import time

import numpy as np

from session import launch
from fits_cards import header  # where it is, session has told
from tables import Row, amount, at_most, faster, print_table, skipped

ROWS = [1_000_000, 10_000_000]
LONG_RUN = 16384  # from this --largest on, the larger one is run as well
SECONDS, BYTES = 30, 4e9
BLOCK = 2880


def columns_of(rows, exposure):
    """The columns of srcextract's catalogue for one exposure of a sky of 1000 sources/Mpixel, detected sources alone."""
    sky = np.random.default_rng(1)
    noise = np.random.default_rng(10 + exposure).standard_normal
    side = np.sqrt(rows * 1000.0)
    x, y = sky.uniform(1, side, rows), sky.uniform(1, side, rows)
    flux = 250 / (1 - sky.uniform(size=rows))
    error = np.sqrt(400 + flux / 2)
    relative = error / flux

    def measured(value, scale=1.0):
        return value * (1 + scale * relative * noise(rows))

    columns = {"NUMBER": np.arange(1, rows + 1, dtype=">i4"), "X_IMAGE": x + 2 * relative * noise(rows),
               "Y_IMAGE": y + 2 * relative * noise(rows)}
    for name, centre, offset in (("XMIN", x, -3), ("XMAX", x, 3), ("YMIN", y, -3), ("YMAX", y, 3), ("XPEAK", x, 0),
                                 ("YPEAK", y, 0)):
        columns[name + "_IMAGE"] = np.round(centre + offset).astype(">i4")
    columns["NPIX"] = np.maximum(5, measured(30)).astype(">i8")
    columns |= {"FLUX_ISO": flux + error * noise(rows), "FLUXERR_ISO": error, "FLUX_MAX": measured(flux / 10)}
    for name, value in (("X2", 2.0), ("Y2", 1.8), ("XY", 0.3), ("A", 1.5), ("B", 1.2), ("THETA", 30.0)):
        columns[name + "_IMAGE"] = measured(value)
    columns |= {"BACKGROUND": np.full(rows, 1000.0), "THRESHOLD": np.full(rows, 100.0), "SNR": flux / error,
                "FLAGS": np.zeros(rows, ">i2"), "ALPHA_J2000": 150 - 5e-5 * columns["X_IMAGE"],
                "DELTA_J2000": 5e-5 * columns["Y_IMAGE"]}
    return {name: value.astype(value.dtype.newbyteorder(">")) for name, value in columns.items()}


def write_table(path, columns):
    """A FITS binary table, written in pieces: NumPy is all that is needed."""
    kinds = {"i2": "I", "i4": "J", "i8": "K", "f8": "D"}
    row = np.dtype([(name, value.dtype) for name, value in columns.items()])
    rows = len(columns["NUMBER"])
    cards = {"XTENSION": "BINTABLE", "BITPIX": 8, "NAXIS": 2, "NAXIS1": row.itemsize, "NAXIS2": rows, "PCOUNT": 0,
             "GCOUNT": 1, "TFIELDS": len(columns)}
    for number, (name, value) in enumerate(columns.items(), 1):
        cards |= {f"TTYPE{number}": name, f"TFORM{number}": kinds[value.dtype.str[1:]]}
    with path.open("wb") as file:
        file.write(header({"SIMPLE": True, "BITPIX": 8, "NAXIS": 0, "EXTEND": True}))
        file.write(header(cards))
        for begin in range(0, rows, 1 << 18):
            piece = np.empty(min(1 << 18, rows - begin), row)
            for name, value in columns.items():
                piece[name] = value[begin:begin + len(piece)]
            file.write(piece.tobytes())
        file.write(b"\0" * (-rows * row.itemsize % BLOCK))


def scipy_matches(files):
    """Seconds in which Astropy reads the positions of both and SciPy finds each other's nearest; or what is missing."""
    try:
        from astropy.io import fits
        from scipy.spatial import cKDTree
    except ImportError as error:
        return str(error)
    begin = time.perf_counter()
    places = []
    for file in files:
        with fits.open(file) as hdus:
            places.append(np.column_stack([hdus[1].data["X_IMAGE"], hdus[1].data["Y_IMAGE"]]).astype(float))
    trees = [cKDTree(place) for place in places]
    _, there = trees[1].query(places[0], distance_upper_bound=1.5, workers=-1)
    _, back = trees[0].query(places[1], distance_upper_bound=1.5, workers=-1)
    found = there < len(places[1])
    assert (back[there[found]] == np.flatnonzero(found)).mean() > 0.9
    return time.perf_counter() - begin


def compare(session, files):
    """Seconds, bytes, and what was matched."""
    report = session.work / "compare.json"
    process = launch(session.program, "compare", "-q", "--json", report, *files)
    return process.wall / 1e3, process.memory, json.loads(report.read_text())["files"][0]["sources"]["matched"]


def rows_of(session, rows):
    files = [session.work / f"rows_{rows}_{exposure}.fits" for exposure in (1, 2)]
    for exposure, file in enumerate(files):
        write_table(file, columns_of(rows, exposure))
    runs = [compare(session, files) for _ in range(3)]
    wall, memory = min(run[0] for run in runs), max(run[1] for run in runs)
    judged = rows == ROWS[-1]
    yield at_most(f"{rows / 1e6:g} million rows, 26 columns, read, matched and judged", wall,
                  SECONDS if judged else None, unit="s")
    yield Row("  peak memory", ours=amount(memory / 1e9, "GB"), wanted=f"<= {BYTES / 1e9:g} GB" if judged else "",
              reached=memory <= BYTES if judged else None)
    yield Row("  matched", ours=str(runs[0][2]))
    peer = scipy_matches(files)
    yield (skipped("  Astropy and SciPy: positions and matching alone", peer) if isinstance(peer, str) else
           faster("  Astropy and SciPy: positions and matching alone", wall, peer, unit="s"))
    for file in files:
        file.unlink()


def report(session):
    chosen = ROWS if session.largest >= LONG_RUN else ROWS[:1]
    print_table("srcextract compare: two catalogues of one program", [row for n in chosen for row in rows_of(session, n)],
                ["Files in the page cache. Best time and largest memory of three runs."])
