"""Square pixels that are turned on the sky: an ellipse keeps its axes, so A_WORLD / A_IMAGE and B_WORLD / B_IMAGE are the side of
a pixel whatever the angle. SExtractor adds but half of the mixed term of the moments, and its axes are off."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

import sextractor
from program import extract

SIDE = 1e-4  # degrees
AXES = ["A_IMAGE", "B_IMAGE", "A_WORLD", "B_WORLD"]


def header(angle):
    turned = np.radians(angle)
    return fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 150.0, "CRVAL2": 2.0, "CRPIX1": 200.0, "CRPIX2": 200.0,
                        "CD1_1": -SIDE * np.cos(turned), "CD1_2": SIDE * np.sin(turned),
                        "CD2_1": SIDE * np.sin(turned), "CD2_2": SIDE * np.cos(turned)})


def sky(seed):
    """Ellipses of every direction, with a ratio of axes of 0.4 to 1."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:400, :400]
    image = random.normal(1000, 5, x.shape)
    for row in range(8):
        for column in range(8):
            cx, cy = 30 + 48 * column + random.uniform(-5, 5), 30 + 48 * row + random.uniform(-5, 5)
            angle, ratio = random.uniform(0, np.pi), random.uniform(0.4, 1)
            along, across = ((x - cx) * np.cos(angle) + (y - cy) * np.sin(angle),
                             (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle))
            image += 3000 * (1 + (along**2 + (across / ratio) ** 2) / 12) ** -2.5  # Moffat
    return image.astype(np.float32)


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("angle, least, most", [(0, 0.0, 1e-5), (7, 0.02, 0.2), (45, 0.2, 0.6)])
def test_axes_keep_their_length(program, tmp_path, angle, least, most):
    path = tmp_path / "image.fits"
    fits.writeto(path, sky(11), header(angle))
    mine = extract(program, "plain", path, tmp_path, "--backend", "cpu", "--set", "output.columns=[all]")[0]
    assert len(mine["A_WORLD"]) >= 60
    for axis in "AB":
        np.testing.assert_allclose(mine[f"{axis}_WORLD"] / mine[f"{axis}_IMAGE"], SIDE, rtol=2e-6)
    table = fits.getdata(sextractor.sextract(path, tmp_path, AXES, **sextractor.BY_ITSELF, PIXEL_SCALE=0), 1)
    assert len(table) >= 60
    off = np.abs(table["B_WORLD"].astype(float) / table["B_IMAGE"] / SIDE - 1).max()
    print(f"{angle} degrees: B_WORLD of SExtractor from {(table['B_WORLD'] / table['B_IMAGE'] / SIDE - 1).min():+.3f} to "
          f"{(table['B_WORLD'] / table['B_IMAGE'] / SIDE - 1).max():+.3f}")
    assert least <= off <= most
