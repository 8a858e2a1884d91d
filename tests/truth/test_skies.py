"""What the default finds under skies that are not flat: on simulated fields whose sources are known. Stars are Moffat
profiles of several ellipticities, galaxies flat ones, two clusters among them; noise of 22.5."""

import numpy as np
import pytest

spatial = pytest.importorskip("scipy.spatial")
fits = pytest.importorskip("astropy.io.fits")

from program import extract
from rounds import first

SIDE = 2048
SIGMA = 22.5
SEEDS = first(1, range(101, 107))
SKIES = ((0, 0), (2, 0), (5, 0), (10, 0), (20, 0), (0, 10))  # slope and blob, in sigma
FILTER = ("convolve.kernel=values", "convolve.values=[[1, 2, 1], [2, 4, 2], [1, 2, 1]]", "detection.threshold=1.5",
          "detection.min_area=5")


def add_profile(image, x, y, flux, radius, ratio, angle, beta):
    """A Moffat profile of that flux."""
    half = 25
    part = np.s_[max(0, int(y) - half):int(y) + half + 1, max(0, int(x) - half):int(x) + half + 1]
    rows, columns = np.mgrid[part]
    dx, dy = columns - x, rows - y
    u, v = dx * np.cos(angle) + dy * np.sin(angle), (dy * np.cos(angle) - dx * np.sin(angle)) / ratio
    profile = (1 + (u ** 2 + v ** 2) / radius ** 2) ** -beta
    image[part] += flux * (beta - 1) / (np.pi * radius ** 2 * ratio) * profile[:image[part].shape[0], :image[part].shape[1]]


def make_sources(rng, side=SIDE):
    """The image without sky and noise, and where its sources are."""
    image, places = np.zeros((side, side)), []

    def add(x, y, flux, radius, ratio, beta):
        if not (0 <= x < side and 0 <= y < side):
            return
        add_profile(image, x, y, flux, radius, ratio, rng.uniform(0, np.pi), beta)
        places.append((x, y))

    for _ in range(3000):
        add(*rng.uniform(0, side, 2), 10 ** rng.uniform(2.8, 5.5), 2.5, rng.uniform(0.85, 1), 3)
    for _ in range(600):
        add(*rng.uniform(0, side, 2), 10 ** rng.uniform(3.3, 5), rng.uniform(3, 6), rng.uniform(0.3, 1), 2.5)
    for x, y in ((0.3 * side, 0.73 * side), (0.73 * side, 0.25 * side)):
        for _ in range(150):
            add(*rng.normal((x, y), 50), 10 ** rng.uniform(3, 5), 2.5, 1, 3)
    return image, np.array(places)


def sky_of(slope, blob, side=SIDE):
    y, x = np.mgrid[:side, :side]
    return 1000 + slope * SIGMA * (x + y) / (2 * side) + blob * SIGMA * np.exp(
        -((x - 0.59 * side) ** 2 + (y - 0.44 * side) ** 2) / (2 * 250 ** 2))


def judge(program, pixels, places, directory, *settings):
    """How many of the true sources were found, and how many rows have none within 4 pixels, nor in their box."""
    path = directory / "field.fits"
    fits.PrimaryHDU(pixels.astype(np.float32)).writeto(path, overwrite=True)
    options = [part for setting in settings for part in ("--set", setting)]
    rows, _ = extract(program, "plain", path, directory, *options)
    xy = np.column_stack([rows["X_IMAGE"] - 1, rows["Y_IMAGE"] - 1])
    distance, nearest = spatial.cKDTree(places).query(xy, distance_upper_bound=4)
    false = 0
    for row in np.flatnonzero(np.isinf(distance)):
        box = [rows[f"{name}_IMAGE"][row] - 1 for name in ("XMIN", "XMAX", "YMIN", "YMAX")]
        inside = (places[:, 0] > box[0] - 2) & (places[:, 0] < box[1] + 2) & (places[:, 1] > box[2] - 2) & (
            places[:, 1] < box[3] + 2)
        false += not inside.any()
    return np.unique(nearest[np.isfinite(distance)]).size, false


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sky_that_varies_hides_nothing_and_invents_nothing(program, seed, tmp_path):
    rng = np.random.default_rng(seed)
    sources, places = make_sources(rng)
    noise = rng.normal(0, SIGMA, sources.shape)
    flat = flat_faint = None
    for slope, blob in SKIES:
        pixels = sources + noise + sky_of(slope, blob)
        found, false = judge(program, pixels, places, tmp_path)
        flat = flat or found
        assert abs(found / flat - 1) <= 0.02 and false <= 5, f"slope {slope}, blob {blob}: {found} of {flat}, {false} false"
        found, false = judge(program, pixels, places, tmp_path, *FILTER)
        flat_faint = flat_faint or found
        assert abs(found / flat_faint - 1) <= 0.02 and false <= 10, f"slope {slope}, blob {blob}, faint: {found}, {false}"
    assert flat > 2500 and flat_faint > flat


def test_one_level_for_such_a_sky_is_what_it_was(program, tmp_path):
    """That the fields are as hard as they are meant to be: with a constant background many sources are lost."""
    rng = np.random.default_rng(101)
    sources, places = make_sources(rng)
    noise = rng.normal(0, SIGMA, sources.shape)
    flat, _ = judge(program, sources + noise + 1000, places, tmp_path, "background.method=constant")
    found, _ = judge(program, sources + noise + sky_of(10, 0), places, tmp_path, "background.method=constant")
    assert found < 0.9 * flat
