"""astropy.wcs beside srcextract, over some 400 headers: projections, distortions, and mistakes."""
import faulthandler
import logging
import os
import struct
import subprocess
import warnings

import numpy as np
import pytest

astropy_wcs = pytest.importorskip("astropy.wcs")
erfa = pytest.importorskip("erfa")

import wcs_headers
from astropy.io import fits
from numpy.polynomial import chebyshev, legendre, polynomial

logging.getLogger("astropy").setLevel(logging.ERROR)

# Degrees on the sky.
TOLERANCE = 1e-9
GRID = np.array([(x, y) for x in (1.0, 13.25, 27.5, 44.0, 60.0) for y in (1.0, 17.75, 33.25, 48.5, 60.0)])
STRUCTURE = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
             "NAXIS1  =                   60", "NAXIS2  =                   60"]


def header_bytes(cards):
    lines = [line if isinstance(line, bytes) else line.encode("ascii") for line in STRUCTURE + cards + ["END"]]
    assert all(len(line) <= 80 for line in lines), lines
    return b"".join(line.ljust(80) for line in lines)


def ours(headers):
    """What srcextract says of each header: positions, or the reason why there are none."""
    request = b"".join(struct.pack("=ii", len(h), len(GRID)) + h + GRID.tobytes() for h in map(header_bytes, headers))
    done = subprocess.run([os.environ["SRCEXTRACT_SKY_POSITIONS"]], input=request, capture_output=True, check=True, timeout=300)
    assert done.stderr == b""
    answers, at = [], 0
    for _ in headers:
        length, = struct.unpack_from("=i", done.stdout, at)
        at += 4
        if length:
            answers.append(done.stdout[at:at + length].decode())
            at += length
        else:
            answers.append(np.frombuffer(done.stdout, "f8", 2 * len(GRID), at).reshape(-1, 2))
            at += GRID.nbytes
    assert at == len(done.stdout)
    return answers


def astropys(cards):
    """Positions of the grid in ICRS, galactic ones by ERFA's rotation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wcs = astropy_wcs.WCS(fits.Header.fromstring(header_bytes(cards).decode("latin-1")))
        world = wcs.all_pix2world(GRID, 1)
    longitude, latitude = world[:, wcs.wcs.lng], world[:, wcs.wcs.lat]
    if wcs.wcs.lngtyp == "GLON":
        longitude, latitude = np.degrees(erfa.g2icrs(np.radians(longitude), np.radians(latitude)))
    return np.stack([longitude, latitude], axis=1)


def has_positions(cards):
    """Whether astropy has positions, asked in a process of its own: some of these headers end it."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        try:
            os._exit(0 if np.isfinite(astropys(cards)).any() else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def separation(a, b):
    def direction(p):
        lon, lat = np.radians(p[:, 0]), np.radians(p[:, 1])
        return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    chord = np.linalg.norm(direction(a) - direction(b), axis=1)
    return np.degrees(2 * np.arcsin(chord / 2))


def assert_same(name, found, expected):
    assert not isinstance(found, str), f"{name}: {found}"
    known = np.isfinite(expected).all(axis=1)
    np.testing.assert_array_equal(np.isfinite(found).all(axis=1), known, name)
    assert ((0 <= found[known, 0]) & (found[known, 0] < 360)).all(), name
    if known.any():
        apart = separation(found[known], expected[known]).max()
        assert apart <= TOLERANCE, f"{name}: {apart} degrees apart"


def test_positions_are_astropys():
    headers = wcs_headers.same_as_astropy()
    assert len(headers) > 300
    seen = 0
    for (name, cards), found in zip(headers.items(), ours(headers.values())):
        expected = astropys(cards)
        seen += np.isfinite(expected).all()
        assert_same(name, found, expected)
    assert seen > 300


def test_positions_of_what_is_written_another_way():
    headers = wcs_headers.by_definition()
    for (name, (_, other)), found in zip(headers.items(), ours([cards for cards, _ in headers.values()])):
        expected = astropys(other)
        assert np.isfinite(expected).all(), name
        assert_same(name, found, expected)


def surface_value(text, x, y):
    """IRAF's surface by NumPy's polynomials."""
    numbers = [float(word) for word in text.split()]
    basis, x_order, y_order, cross = map(int, numbers[:4])
    x_min, x_max, y_min, y_max = numbers[4:8]
    terms = wcs_headers.surface_terms(x_order, y_order, cross)
    assert len(numbers) == 8 + len(terms)
    matrix = np.zeros((x_order, y_order))
    for (m, n), value in zip(terms, numbers[8:]):
        matrix[m, n] = value
    if basis == 3:
        return polynomial.polyval2d(x, y, matrix)
    evaluate = chebyshev.chebval2d if basis == 1 else legendre.legval2d
    return evaluate((2 * x - x_max - x_min) / (x_max - x_min), (2 * y - y_max - y_min) / (y_max - y_min), matrix)


@pytest.mark.parametrize("basis", (1, 2, 3))
@pytest.mark.parametrize("orders", ((2, 2), (4, 4), (3, 5), (1, 4)))
def test_surfaces_are_those_of_numpy(basis, orders):
    for cross in (0, 1, 2):
        text = wcs_headers.surface(basis, *orders, cross, offset=1)
        found, = ours([wcs_headers.iraf("tnx", (text, text))])
        x, y = ((GRID - [20.5, 33.25]) @ np.array([[-1e-3, 2e-4], [1.5e-4, 1.1e-3]]).T).T
        plane = astropy_wcs.WCS(naxis=2)
        plane.wcs.ctype = "RA---TAN", "DEC--TAN"
        plane.wcs.crval = 150.25, 32.5
        expected = plane.wcs_pix2world(np.stack([x + surface_value(text, x, y), y + surface_value(text, x, y)], axis=1), 1)
        assert_same(f"{basis} {cross} {orders}", found, expected)


def test_what_has_no_positions_says_why():
    headers = wcs_headers.refused() | wcs_headers.ambiguous()
    for (name, (cards, reason, by_both)), found in zip(headers.items(), ours([h[0] for h in headers.values()])):
        assert isinstance(found, str), f"{name} has positions"
        assert reason in found, f"{name}: {found}"
        assert has_positions(cards) != by_both, f"{name}: astropy"
