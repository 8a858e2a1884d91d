"""The picture of fitted galaxies, for scripts/setting_pictures.py: image, models, what they leave, and outlines."""
import numpy as np

from picture_sheets import ORANGE, SIGMA, SKY, grey, moffat, noise, sheet

SIZE, SEED, FWHM, FINE = 420, 77, 3.0, 5
CUT = slice(92, 232)


def profile(radius, n, q, angle, half, dx, dy):
    """A Sersic profile of flux 1, half-light radius `radius` on the major axis, on a grid finer than pixels, before the PSF."""
    b = 2 * n - 1 / 3 + 0.009876 / n  # Prugniel & Simien (1997)
    v, u = (np.mgrid[:(2 * half + 1) * FINE, :(2 * half + 1) * FINE] - half * FINE - (FINE - 1) / 2) / FINE
    u, v = u - dx, v - dy
    along, across = u * np.cos(angle) + v * np.sin(angle), (v * np.cos(angle) - u * np.sin(angle)) / q
    light = np.exp(-b * (np.hypot(along, across) / radius) ** (1 / n))
    return light / light.sum()


def galaxy(image, x, y, flux, *shape, half=50):
    left, bottom = round(x) - half, round(y) - half
    fine = profile(*shape, half, x - round(x), y - round(y))
    light = fine.reshape(2 * half + 1, FINE, 2 * half + 1, FINE).sum(axis=(1, 3))
    psf = np.zeros_like(light)
    moffat(psf, half, half, 1, FWHM)
    seen = np.fft.irfft2(np.fft.rfft2(light) * np.fft.rfft2(np.fft.ifftshift(psf / psf.sum())), light.shape)
    rows = slice(max(0, bottom), min(SIZE, bottom + 2 * half + 1))
    columns = slice(max(0, left), min(SIZE, left + 2 * half + 1))
    image[rows, columns] += flux * seen[rows.start - bottom:rows.stop - bottom, columns.start - left:columns.stop - left]


def scene():
    rng = np.random.default_rng(SEED)
    image = np.full((SIZE, SIZE), float(SKY))
    for _ in range(60):
        x, y = rng.uniform(5, SIZE - 5, 2)
        moffat(image, x, y, 10 ** rng.uniform(3.2, 4.8), FWHM)
    for _ in range(70):
        x, y = rng.uniform(5, SIZE - 5, 2)
        galaxy(image, x, y, 10 ** rng.uniform(3.4, 5), rng.uniform(2, 8), np.exp(rng.uniform(-0.4, 1.2)), rng.uniform(0.3, 1),
               rng.uniform(0, np.pi))
    return image + noise(SIZE, SEED + 1) - SKY


def galaxies(run):
    image = scene()
    found = run(image, {"model.fit": "sersic", "psf.method": "fit", "measurement.gain": 1, "detection.threshold": 4,
                        "output.check_images": "[model, residual]"})
    cut = (CUT, CUT)
    outlined = grey(image[cut], "ellipses: half of the light", SKY - 20, SKY + 300, 5)
    rows = found.rows
    for x, y, size, q, angle in zip(*(rows[name] for name in ("XMODEL_IMAGE", "YMODEL_IMAGE", "SPHEROID_REFF_IMAGE",
                                                             "SPHEROID_ASPECT_IMAGE", "SPHEROID_THETA_IMAGE"))):
        if CUT.start < x - 1 < CUT.stop - 1 and CUT.start < y - 1 < CUT.stop - 1:
            outlined.ellipse(x - 1 - CUT.start, y - 1 - CUT.start, size, size * q, angle, ORANGE)
    return sheet("Stars and galaxies, fitted by Sersic profiles through the PSF of the image's own stars", [
        grey(image[cut], "a part of the image", SKY - 20, SKY + 300, 5), outlined,
        grey(found.maps["model"].squeeze()[cut], "the models", -20, 300, 5),
        grey(found.maps["residual"].squeeze()[cut], "what they leave", -5 * SIGMA, 10 * SIGMA)],
        ["greys of the residual: from -5 to 10 times the noise of the sky"], columns=2)


PICTURES = {galaxies.__name__: galaxies}
