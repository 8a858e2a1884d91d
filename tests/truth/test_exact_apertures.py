"""measurement.overlap: exact beside SEP's sum_circle with subpix=0 and photutils' method="exact", whichever are there, and beside
the area of a circle."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from oracle_fields import field
from program import read_catalogue, run

RADII = (0.05, 0.3, 0.5, 0.75, 1.5, 4.0, 9.35, 60.0)
COLUMNS = ["FLUX_APER"] + [f"FLUX_APER_{i}" for i in range(1, len(RADII))]


def sums_of_sep(pixels, x, y, radius):
    """But for small circles about the very middle of a pixel, all of which SEP 1.2 counts."""
    sep = pytest.importorskip("sep")
    sums = sep.sum_circle(pixels.astype(float), x, y, radius, subpix=0)[0]
    return np.where((x == np.round(x)) & (y == np.round(y)) & (radius < 0.75), np.nan, sums)


def sums_of_photutils(pixels, x, y, radius):
    photutils = pytest.importorskip("photutils.aperture")
    circles = photutils.CircularAperture(np.transpose([x, y]), radius)
    return np.array(photutils.aperture_photometry(pixels.astype(float), circles, method="exact")["aperture_sum"])


def measured(program, directory, pixels, x, y, *settings):
    fits.writeto(directory / "x.fits", pixels)
    rows = "\n".join(f"{a!r},{b!r}" for a, b in zip((x + 1).tolist(), (y + 1).tolist()))
    (directory / "p.csv").write_text(f"x,y\n{rows}\n")
    settings += ("background.method=constant", "measurement.reference=zero", "measurement.overlap=exact",
                 f"measurement.apertures={[2 * r for r in RADII]}", "output.formats=[csv]")
    run(program, "plain", directory / "x.fits", directory, "--positions", directory / "p.csv",
        *(part for one in settings for part in ("--set", one)))
    return read_catalogue(directory / "x.forced.cat.csv")


def places(rng, count, low, high):
    """Anywhere, and at the middles, edges and corners of pixels."""
    x, y = rng.uniform(low, high, (2, count))
    x[: count // 3] = np.round(2 * x[: count // 3]) / 2
    y[: count // 4] = np.round(2 * y[: count // 4]) / 2
    return x, y


@pytest.mark.parametrize("sums", [sums_of_sep, sums_of_photutils])
def test_beside_peers(program, tmp_path, sums):
    pixels = field(961, 300, 8000, noise=15.0).astype(np.float32)
    x, y = places(np.random.default_rng(962), 400, 0, 299)
    mine = measured(program, tmp_path, pixels, x, y)
    for column, radius in zip(COLUMNS, RADII):
        told = sums(pixels, x, y, radius)
        right = np.isfinite(told)
        assert right.sum() > 0.8 * len(x)
        # what cancels in a sum is of the size of its pixels
        np.testing.assert_allclose(mine[column][right], told[right], rtol=1e-9, atol=1e-9 * radius**2 * pixels.std(), err_msg=column)


def test_areas_and_their_noise(program, tmp_path):
    pixels = np.full((200, 200), 2, np.float32)
    x, y = places(np.random.default_rng(963), 60, 65, 134)
    noise = tmp_path / "noise.fits"
    fits.writeto(noise, np.full(pixels.shape, 5, np.float32))
    mine = measured(program, tmp_path, pixels, x, y, "weights.type=rms", f"weights.file={noise}")
    for column, radius in zip(COLUMNS, RADII):
        area = np.pi * radius**2
        np.testing.assert_allclose(mine[column], 2 * area, rtol=1e-12, err_msg=column)
        np.testing.assert_allclose(mine[column.replace("FLUX", "FLUXERR")], 5 * np.sqrt(area), rtol=1e-7, err_msg=column)
        np.testing.assert_allclose(mine[column.replace("FLUX", "FLUXLIM")], 15 * np.sqrt(area), rtol=1e-7, err_msg=column)
