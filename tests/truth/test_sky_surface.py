"""`background.surface: quadric` under faint light: the error of the sky on pixels that hold no light, and under large discs,
beside the default's. Fields of stars, of discs below the noise, of slopes; of noise that is white or shared by neighbours."""

import numpy
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

from program import extract

SIDE, SIGMA = 1024, 10.0
LEVEL = "--set", "output.check_images=[background, rms]"
QUADRIC = "--set", "background.surface=quadric"


def add_star(light, x, y, flux, shape):
    """A Moffat star of 3 pixels with 4 % of its light in a wide halo, or a Gaussian one."""
    half = 20 if flux < 1e5 else 200
    part = numpy.s_[max(0, int(y) - half):int(y) + half + 1, max(0, int(x) - half):int(x) + half + 1]
    rows, columns = numpy.ogrid[:SIDE, :SIDE]
    squares = (columns[:, part[1]] - x) ** 2.0 + (rows[part[0]] - y) ** 2.0
    if shape == "gaussian":
        light[part] += flux / (2 * numpy.pi * 1.3**2) * numpy.exp(-squares / (2 * 1.3**2))
        return
    core = 2 / (numpy.pi * 2.94**2) * (1 + squares / 2.94**2) ** -3.0
    halo = 0.6 / (numpy.pi * 12**2) * (1 + squares / 12**2) ** -1.6
    light[part] += flux * (0.96 * core + 0.04 * halo)


def disc(x, y, brightness, scale, ratio, angle):
    rows, columns = numpy.ogrid[:SIDE, :SIDE]
    along = (columns - x) * numpy.cos(angle) + (rows - y) * numpy.sin(angle)
    across = ((rows - y) * numpy.cos(angle) - (columns - x) * numpy.sin(angle)) / ratio
    return brightness * SIGMA * numpy.exp(-numpy.hypot(along, across) / scale)


class DeepField:
    """`light` and `sky` are known; `large` are the inner halves of discs of 25 pixels and more."""

    def __init__(self, folder, seed, shape, slope, shared):
        random = numpy.random.default_rng(seed)
        self.light = numpy.zeros((SIDE, SIDE))
        self.large = numpy.zeros((SIDE, SIDE), bool)
        for _ in range(500):
            add_star(self.light, *random.uniform(0, SIDE, 2), 10 ** random.uniform(2.3, 5.2), shape)
        add_star(self.light, *random.uniform(0, SIDE, 2), 10**6.2, shape)
        for scale, count in ((60, 1), (40, 1), (25, 2), (12, 8), (6, 12)):
            for _ in range(count):
                brightness = random.choice([0.2, 0.5, 1.0])
                image = disc(*random.uniform(scale, SIDE - scale, 2), brightness, scale, random.uniform(0.5, 1), random.uniform(0, 3.1))
                self.light += image
                if scale >= 25:
                    self.large |= image > 0.5 * brightness * SIGMA
        place = numpy.linspace(-0.5, 0.5, SIDE)
        x, y = place[None, :], place[:, None]
        self.sky = 1000 + slope * SIGMA * (0.7 * x + 0.3 * y + 0.4 * (x * x - x * y))
        noise = random.normal(0, 1, (SIDE, SIDE))
        if shared:
            noise = ndimage.gaussian_filter(noise, shared, mode="wrap")
            noise /= noise.std()
        self.path = folder / "deep.fits"
        fits.writeto(self.path, (self.light + self.sky + SIGMA * noise).astype(numpy.float32))

    def errors(self, program, folder, *options):
        """The mean and the scatter of the sky's error where there is no light, and the mean under large discs; in sigma."""
        extract(program, "default", self.path, folder, *LEVEL, *options)
        error = (fits.getdata(folder / "deep.background.fits") - self.sky) / SIGMA
        empty = self.light < 0.05 * SIGMA
        return error[empty].mean(), error[empty].std(), error[self.large].mean()


@pytest.mark.parametrize(("seed", "shape", "slope", "shared"), [
    (1, "moffat", 5, 0), (2, "gaussian", 20, 0), (3, "moffat", 5, 0.8), (4, "gaussian", 0, 0)])
def test_sky_is_nearer_to_the_truth_than_that_of_a_median_filter(program, tmp_path, seed, shape, slope, shared):
    field = DeepField(tmp_path, seed, shape, slope, shared)
    usual = field.errors(program, tmp_path / "usual")
    smooth = field.errors(program, tmp_path / "smooth", *QUADRIC)
    print(f"{shape} {slope} {shared}: default {usual[0]:+.3f} ± {usual[1]:.3f}, large {usual[2]:+.3f}; "
          f"quadric {smooth[0]:+.3f} ± {smooth[1]:.3f}, large {smooth[2]:+.3f}")
    assert abs(smooth[0]) <= max(0.02, 0.4 * abs(usual[0]))
    assert smooth[1] < usual[1]
    assert smooth[2] < 0.5 * usual[2]


@pytest.mark.parametrize("shared", [0, 0.8])
def test_noise_alone_has_its_own_level(program, tmp_path, shared):
    random = numpy.random.default_rng(5)
    noise = random.normal(0, 1, (SIDE, SIDE))
    if shared:
        noise = ndimage.gaussian_filter(noise, shared, mode="wrap")
        noise /= noise.std()
    fits.writeto(tmp_path / "noise.fits", (500 + SIGMA * noise).astype(numpy.float32))
    extract(program, "default", tmp_path / "noise.fits", tmp_path, *LEVEL, *QUADRIC)
    error = (fits.getdata(tmp_path / "noise.background.fits") - 500) / SIGMA
    assert abs(error.mean()) < 0.02 and error.std() < 0.015


def test_borders_and_steps_of_the_noise_stay_right(program, tmp_path):
    """A border without pixels, one of zeros, and noise that is three times as large in one half."""
    random = numpy.random.default_rng(6)
    image = 500 + random.normal(0, 1, (SIDE, SIDE)) * numpy.where(numpy.arange(SIDE) < SIDE // 2, SIGMA, 3 * SIGMA)
    image[:70] = numpy.nan
    image[-30:] = 0
    fits.writeto(tmp_path / "border.fits", image.astype(numpy.float32))
    extract(program, "default", tmp_path / "border.fits", tmp_path, *LEVEL, *QUADRIC)
    level = fits.getdata(tmp_path / "border.background.fits")
    rms = fits.getdata(tmp_path / "border.rms.fits")
    for columns, sigma in ((slice(64, SIDE // 2 - 128), SIGMA), (slice(SIDE // 2 + 128, -64), 3 * SIGMA)):
        inner = numpy.s_[134:-128, columns]
        assert abs(level[inner].mean() - 500) < 0.05 * sigma
        assert abs(rms[inner].mean() / sigma - 1) < 0.03
