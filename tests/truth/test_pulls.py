"""Moffat stars, each alone, in white noise: positions and fluxes are off from the truth by the errors that are told. What a
pull is, is told by its width, half of what holds 68 %. Of isophotal positions it is more than one, as in SExtractor: their
error is that of a fixed set of pixels (SExtractor's manual), while the noise also chooses the pixels, which NumPy shows."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")
spatial = pytest.importorskip("scipy.spatial")

from program import extract

STEP, COUNT, NOISE, FWHM, RADIUS = 40, 28, 10.0, 3.0, 4.0
KERNEL = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
COLUMNS = "X_IMAGE, Y_IMAGE, ERRX2_IMAGE, XWIN_IMAGE, ERRX2WIN_IMAGE, FLUX_APER, FLUXERR_APER, THRESHOLD"


def stars(rng, flux):
    """Their light, where they are, and the cut-out of each."""
    nodes = STEP * np.arange(COUNT) + STEP / 2
    x, y = (np.stack(grid).ravel() + rng.uniform(-0.5, 0.5, COUNT**2) for grid in np.meshgrid(nodes, nodes))
    alpha2 = FWHM**2 / 4 / (2 ** (1 / 3) - 1)
    light, parts = np.zeros((STEP * COUNT, STEP * COUNT)), []
    row, column = np.indices(light.shape)
    for cx, cy in zip(x, y):
        parts.append(np.s_[int(cy) - 18:int(cy) + 19, int(cx) - 18:int(cx) + 19])
        r2 = (column[parts[-1]] - cx) ** 2 + (row[parts[-1]] - cy) ** 2
        light[parts[-1]] += 2 * flux / (np.pi * alpha2) * (1 + r2 / alpha2) ** -3.0
    return light, x, y, parts


def in_circle(cutout, dx, dy):
    """The light within RADIUS of the star, of which a cut-out's middle is off by dx, dy; by 10 x 10 sub-pixels."""
    steps = np.arange(-18.45, 18.5, 0.1)
    inside = (steps - dx) ** 2 + (steps[:, None] - dy) ** 2 < RADIUS**2
    return (cutout * inside.reshape(37, 10, 37, 10).mean(axis=(1, 3))).sum()


def width(pulls):
    return np.subtract(*np.quantile(pulls, (0.8413, 0.1587))) / 2


def pulls_of_pixels(filtered, pixels, place, truth):
    """Of the centroid in `pixels`, by the noise of one pixel."""
    total = filtered[pixels].sum()
    centre = (filtered[pixels] * place[pixels]).sum() / total
    return (centre - truth) / (NOISE * np.sqrt(((place[pixels] - centre) ** 2).sum()) / total)


@pytest.mark.parametrize("seed, flux", [(901, 10_000.0), (902, 1600.0)])
def test_what_is_off_is_off_by_its_error(program, tmp_path, seed, flux):
    rng = np.random.default_rng(seed)
    light, x, y, parts = stars(rng, flux)
    image = light + rng.normal(0, NOISE, light.shape)
    fits.writeto(tmp_path / "stars.fits", (1000 + image).astype(np.float32))
    found, _ = extract(program, "sextractor", tmp_path / "stars.fits", tmp_path, "--set", f"output.columns=[{COLUMNS}]",
                       "--set", f"measurement.apertures=[{2 * RADIUS}]")
    distance, index = spatial.cKDTree(np.transpose([found["X_IMAGE"], found["Y_IMAGE"]]) - 1).query(np.transpose([x, y]))
    seen = distance < 1.5
    assert seen.mean() > 0.99
    found = {name: values[index[seen]] for name, values in found.items()}
    circles = np.array([in_circle(light[part], cx % 1, cy % 1) for part, cx, cy in zip(parts, x, y)])[seen]
    assert width((found["FLUX_APER"] - circles) / found["FLUXERR_APER"]) == pytest.approx(1, abs=0.1)
    assert width((found["XWIN_IMAGE"] - 1 - x[seen]) / np.sqrt(found["ERRX2WIN_IMAGE"])) == pytest.approx(1, abs=0.15)

    isophotal = width((found["X_IMAGE"] - 1 - x[seen]) / np.sqrt(found["ERRX2_IMAGE"]))
    filtered, clean, level = ndimage.convolve(image, KERNEL), ndimage.convolve(light, KERNEL), found["THRESHOLD"][0]
    place = np.indices((37, 37))[1] - 18.0
    fixed, chosen = [], []
    for part, truth in zip(np.array(parts, object)[seen], (x % 1)[seen]):
        part = tuple(part)
        without_noise = clean[part] > level
        middle = (clean[part][without_noise] * place[without_noise]).sum() / clean[part][without_noise].sum()
        fixed.append(pulls_of_pixels(filtered[part], without_noise, place, middle))
        labels, _ = ndimage.label(filtered[part] > level, np.ones((3, 3)))
        chosen.append(pulls_of_pixels(filtered[part], labels == labels[18, 18], place, truth))
    assert width(fixed) < 1.05 and 1.15 < isophotal < 1.8
    assert isophotal == pytest.approx(width(chosen), rel=0.05)
