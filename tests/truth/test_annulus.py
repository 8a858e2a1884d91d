"""ANNULUS_SKY, ANNULUS_RMS and ANNULUS_PIXELS beside Astropy's clipped statistics of the pixels that the label map leaves
free; beside the sky that was put in; and light in circles above it, of Moffat stars on a sky that the mesh does not follow."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
stats = pytest.importorskip("astropy.stats")
pytest.importorskip("scipy")

from oracle_fields import field
from program import extract

NOISE = 20.0


def measured(program, image, directory, *settings):
    """The catalogue and the label map."""
    fits.writeto(directory / "image.fits", image, overwrite=True)
    sets = ["weights.type=none", "output.columns=[default, surroundings, FLUX_APER, FLUXERR_APER]", "output.segmentation=true",
            *settings]
    mine, _ = extract(program, "plain", directory / "image.fits", directory, *(part for one in sets for part in ("--set", one)))
    return mine, fits.getdata(directory / "image.seg.fits")


def distances(mine, shape):
    y, x = np.mgrid[:shape[0], :shape[1]]
    for cx, cy in zip(mine["X_IMAGE"] - 1, mine["Y_IMAGE"] - 1):
        yield np.sqrt((x - cx) ** 2 + (y - cy) ** 2)


@pytest.mark.parametrize("seed, per_mpix, inner, outer, deblend", [(701, 2000, 10, 20, "none"), (702, 20_000, 3.5, 12.5, "tree"),
                                                                 (703, 5000, 0, 41, "tree")])
def test_beside_astropy(program, tmp_path, seed, per_mpix, inner, outer, deblend):
    image = field(seed, 256, per_mpix, noise=NOISE, correlated=seed == 702)
    image[40:47, 100:160] = np.nan
    mine, labels = measured(program, image, tmp_path, "background.level=1000", f"background.rms={NOISE}",
                            "detection.threshold=2", f"deblend.method={deblend}", f"measurement.annulus=[{inner}, {outer}]")
    free = (labels == 0) & np.isfinite(image)
    clipped = 0
    for i, distance in enumerate(distances(mine, image.shape)):
        pixels = image[free & (distance >= inner) & (distance < outer)].astype(float)
        kept = stats.sigma_clip(pixels, sigma=3, maxiters=5, cenfunc="median", stdfunc="std", masked=False)
        assert mine["ANNULUS_PIXELS"][i] == len(kept)
        if len(kept) == 0:
            assert np.isnan(mine["ANNULUS_SKY"][i]) and np.isnan(mine["ANNULUS_RMS"][i])
            continue
        assert mine["ANNULUS_SKY"][i] == pytest.approx(np.median(kept) - 1000, abs=1e-9)
        assert mine["ANNULUS_RMS"][i] == pytest.approx(np.std(kept), rel=1e-9)
        clipped += len(pixels) - len(kept)
    assert len(mine["NUMBER"]) > 50 and clipped > 20


def test_the_sky_that_was_put_in(program, tmp_path):
    """Few stars on a steep slope, whose middle is known at each: their medians are right within their errors, and their
    light in circles once it is above them."""
    rng = np.random.default_rng(711)
    side, step, flux, alpha = 640, 64, 4e4, 2.5
    y, x = np.mgrid[:side, :side]
    sky = 300 + 0.5 * x - 0.2 * y
    image = sky + rng.normal(0, NOISE, sky.shape)
    for row, column in np.ndindex(10, 10):
        cx, cy = step * column + 31.5 + rng.random(), step * row + 31.5 + rng.random()
        image += flux * 2 / (np.pi * alpha ** 2) * (1 + ((x - cx) ** 2 + (y - cy) ** 2) / alpha ** 2) ** -3
    mine, _ = measured(program, image.astype(np.float32), tmp_path, "background.level=300", f"background.rms={NOISE}",
                       "detection.threshold=100", "detection.threshold_unit=sigma", "detection.min_area=1",
                       "measurement.apertures=[16]", "measurement.annulus=[16, 24]")
    assert len(mine["NUMBER"]) == 100
    truth = 0.5 * (mine["X_IMAGE"] - 1) - 0.2 * (mine["Y_IMAGE"] - 1)
    wings = flux * (1 + 16 ** 2 / alpha ** 2) ** -2 / (np.pi * 16 ** 2)  # of the star, a pixel, where the annulus begins
    error = mine["ANNULUS_RMS"] * np.sqrt(np.pi / 2 / mine["ANNULUS_PIXELS"])
    pull = (mine["ANNULUS_SKY"] - truth) / error
    assert abs(pull.mean()) < 4 / np.sqrt(100) + wings / error.mean() and 0.8 < pull.std() < 1.2
    slope = np.hypot(0.5, 0.2) * np.sqrt((16 ** 2 + 24 ** 2) / 4)  # what it adds to the noise, as a deviation
    assert mine["ANNULUS_RMS"].mean() == pytest.approx(np.hypot(NOISE, slope), rel=0.02)
    area = np.pi * 8 ** 2
    light = mine["FLUX_APER"] - area * mine["ANNULUS_SKY"]
    expected = flux * (1 - (1 + 8 ** 2 / alpha ** 2) ** -2)
    error = np.hypot(mine["FLUXERR_APER"], area * error)
    assert abs((light - expected).mean()) < 4 * error.mean() / np.sqrt(100) + area * wings
    assert 0.8 < ((light - expected) / error).std() < 1.2
