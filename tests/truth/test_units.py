"""An image in another unit, which is another power of two, has the same catalogue in that unit, however small or large the
unit is: of 1e-30 W/m2/Hz no square is a float."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from moffat_frames import moffat
from program import read_catalogue, run

SAME = ["X_IMAGE", "Y_IMAGE", "NPIX", "A_IMAGE", "THETA_IMAGE", "SNR", "FLAGS", "ISO0", "ISO3", "ISO7", "FWHM_IMAGE", "KRON_RADIUS"]
SCALED = ["FLUX_ISO", "FLUXERR_ISO", "FLUX_MAX", "BACKGROUND", "THRESHOLD", "FLUX_APER", "FLUXERR_APER", "FLUX_AUTO", "FLUX_ISOCOR",
          "FLUXERR_ISOCOR", "FLUX_BEST"]


def catalogue(program, directory, image, config, *settings):
    fits.writeto(directory / "x.fits", image, overwrite=True)
    settings = ["measurement.saturation=0", "output.formats=[csv]", f"output.columns=[{', '.join(SAME + SCALED)}]", *settings]
    run(program, config, directory / "x.fits", directory, *(part for one in settings for part in ("--set", one)))
    return read_catalogue(directory / "x.cat.csv")


@pytest.mark.parametrize("config", ["default", "sextractor"])
@pytest.mark.parametrize("power", [-100, -80, 70, 90])
@pytest.mark.parametrize("seed", [1, 2])
def test_units_of_pixels(program, tmp_path, config, power, seed):
    rng = np.random.default_rng(seed)
    side = 300
    x, y = rng.uniform(5, side - 5, (2, 150))
    sky = 100 + np.linspace(0, 20, side) + moffat(x, y, 300 * rng.uniform(size=150) ** -1.2, 3.3, (0.1, 0.05), side=side)
    noise = rng.normal(0, 5, (side + 1, side + 1))
    image = (sky + (noise[1:, 1:] + noise[:-1, 1:] + noise[1:, :-1]) / 1.7).astype(np.float32)
    unit = np.float32(2.0) ** power
    usual, other = catalogue(program, tmp_path, image, config), catalogue(program, tmp_path, image * unit, config)
    assert len(usual["NPIX"]) > 50
    for name in SAME:
        np.testing.assert_allclose(other[name], usual[name], rtol=1e-6, atol=1e-6, err_msg=name)
    for name in SCALED:
        np.testing.assert_allclose(other[name] / float(unit), usual[name], rtol=1e-6, err_msg=name)
