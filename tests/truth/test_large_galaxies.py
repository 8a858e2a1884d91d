"""Neighbours of large galaxies at two contrasts, as docs/stages/deblend.md says of them: the default keeps spirals whole,
0.001 finds more of what lies before smooth galaxies, and nothing that is not there."""
import pathlib
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
Table = pytest.importorskip("astropy.table").Table
signal = pytest.importorskip("scipy.signal")

REAL = pathlib.Path(__file__).resolve().parents[2].parent / "shared/data/real"
SIZE, MIDDLE = 500, 250
STAR_WIDTH = 3.0


def moffat(shape, x, y):
    """A star of flux 1."""
    core = STAR_WIDTH / (2 * np.sqrt(2 ** (1 / 3) - 1))
    rows, columns = np.indices(shape)
    return 2 / np.pi / core**2 * (1 + ((columns - x)**2 + (rows - y)**2) / core**2)**-3


def disc(radius, ratio):
    """An exponential disc of flux 1 in the middle, with its radius and angle at each pixel."""
    rows, columns = np.indices((SIZE, SIZE)) - MIDDLE
    r, angle = np.hypot(columns, rows / ratio), np.arctan2(rows / ratio, columns)
    light = np.exp(-1.678 * r / radius)
    return light / light.sum(), r, angle


def field(kind, generator):
    """A galaxy, and 30 stars about it with 10^3 to 10^4.5; with the places of the stars."""
    light, r, angle = disc(45, 0.7 if kind == "spiral" else 0.25)
    light *= 2e6
    if kind == "spiral":
        arms = 1 + 0.8 * np.cos(2 * (angle - np.log(np.maximum(r, 5)) / np.tan(np.radians(18)))) * np.clip(r / 20, 0, 1)
        light *= arms
        odds = (light * (arms > 1.3)).ravel()
        for knot in generator.choice(odds.size, 40, p=odds / odds.sum()):
            light.flat[knot] += 10**generator.uniform(3.2, 4.2)
    image = signal.fftconvolve(light, moffat((61, 61), 30, 30), mode="same")
    radius, turn = generator.uniform(20, 150, 30), generator.uniform(0, 2 * np.pi, 30)
    places = np.column_stack([MIDDLE + radius * np.cos(turn), MIDDLE + (0.4 if kind == "smooth" else 1) * radius * np.sin(turn)])
    for place, flux in zip(places, 10**generator.uniform(3, 4.5, 30)):
        image += flux * moffat(image.shape, *place)
    return image + 1000 + generator.normal(0, 10, image.shape) * np.sqrt(1 + np.maximum(image, 0) / 100), places


def catalogue(program, tmp_path, image, *settings):
    """The rows that the default configuration, with the settings, finds in an image."""
    more = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([program, "-q", "-o", "out", *more, image], cwd=tmp_path, check=True)
    return Table.read(tmp_path / "out" / (pathlib.Path(image).name.split(".")[0] + ".cat.fits"))


def found_and_pieces(program, tmp_path, kind, contrast):
    """How many stars have a row, and how many rows are neither a star nor the galaxy, of two fields."""
    stars = pieces = 0
    for seed in (1, 2):
        image, places = field(kind, np.random.default_rng(seed))
        fits.writeto(tmp_path / "galaxy.fits", image.astype(np.float32), overwrite=True)
        rows = catalogue(program, tmp_path, "galaxy.fits", *([] if contrast is None else [f"deblend.contrast={contrast}"]))
        at = np.column_stack([rows["X_IMAGE"], rows["Y_IMAGE"]]) - 1
        apart = np.hypot(*(at[:, None] - places[None]).transpose(2, 0, 1))
        of_stars = apart.min(axis=1) < 2.5
        stars += np.count_nonzero(apart.min(axis=0) < 2.5)
        pieces += np.count_nonzero(~of_stars & (np.hypot(*(at - MIDDLE).T) > 8))
    return stars, pieces


def test_before_a_smooth_galaxy_a_lower_contrast_finds_more_and_nothing_else(program, tmp_path):
    usual, lower = (found_and_pieces(program, tmp_path, "smooth", contrast) for contrast in (None, 0.001))
    assert lower[0] > usual[0] and lower[1] == 0, (usual, lower)


def test_a_spiral_is_in_fewer_pieces_by_default(program, tmp_path):
    usual, lower = (found_and_pieces(program, tmp_path, "spiral", contrast) for contrast in (None, 0.001))
    assert lower[0] >= usual[0] and lower[1] > 1.3 * usual[1], (usual, lower)


@pytest.mark.parametrize("name, place, longest, contrast", [("viking_blend_Z.fits.gz", (179, 178), 40, 0.001),
                                                            ("decam_elliptical_n6.fits", (175, 109), 4, 0.0005)])
def test_real_neighbours_at_what_the_page_says_to_type(program, tmp_path, name, place, longest, contrast):
    """An edge-on galaxy that a star takes at 0.005, and a neighbour of an elliptical that has no row there."""
    if not (REAL / name).exists():
        pytest.skip("no data: ../shared/data/real")
    rows = catalogue(program, tmp_path, REAL / name, f"deblend.contrast={contrast}", "output.columns=[X_IMAGE, Y_IMAGE, A_IMAGE]")
    near = np.hypot(rows["X_IMAGE"] - place[0], rows["Y_IMAGE"] - place[1]) < 2
    assert near.sum() == 1 and rows["A_IMAGE"][near][0] > longest
