"""PETRO_R50 of noiseless galaxies beside integrals of their profiles: by SExtractor's steps to the Petrosian radius, whose flux it
halves, and by the definition of SDSS (Blanton et al. 2001)."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from program import ROOT, extract

SIDE, THRESHOLD, FLUX = 801, 2.0, 3e6
COLUMNS = "output.columns=[default, photometry, profile, petrosian]"
GIVEN_SKY = ("detection.threshold_unit=absolute", f"detection.threshold={THRESHOLD}", "background.method=constant",
             "background.level=0", "background.rms=1", "convolve.kernel=none")


def running(values, r):
    """Integral of the values from the first r to each."""
    return np.concatenate([[0], np.cumsum((values[1:] + values[:-1]) / 2 * np.diff(r))])


def sersic(index, radius):
    """Intensity of a Sersic profile of that half-light radius, and its scale: Gaussian 1/2, exponential 1, de Vaucouleurs 4."""
    steep = {0.5: np.log(2), 1: 1.678347, 4: 7.669249}[index]
    r = np.geomspace(1e-6, 1e4, 400001) * radius
    shape = np.exp(-steep * (r / radius)**(1 / index))
    total = running(2 * np.pi * r * shape, r)[-1]
    return lambda m: FLUX / total * np.exp(-steep * (m / radius)**(1 / index))


PROFILES = {"gaussian": (0.5, 9.0), "exponential": (1, 11.0), "de Vaucouleurs": (4, 12.0)}


def image_of(intensity, ratio, x, y):
    """Its light in pixels: means of 25 points each, near the middle of 101^2."""
    def at(columns, rows):
        return intensity(np.hypot(columns - x, (rows - y) / ratio)) / ratio

    def points(count):
        return (np.arange(count) + 0.5) / count - 0.5
    grid = np.arange(SIDE)
    image = sum(at(grid[None, :] + dx, grid[:, None] + dy) for dx in points(5) for dy in points(5)) / 25
    for row in range(round(y) - 4, round(y) + 5):
        for column in range(round(x) - 4, round(x) + 5):
            image[row, column] = at(column + points(101)[None, :], row + points(101)[:, None]).mean()
    return image


class Growth:
    """Integrals of a profile: light in ellipses by their major axis, and in circles."""

    def __init__(self, intensity, ratio):
        self.r = np.geomspace(1e-4, 2000, 20001)
        self.intensity = intensity(self.r) / ratio
        self.in_ellipse = ratio * running(2 * np.pi * self.r * self.intensity, self.r)
        turn = (np.arange(720) + 0.5) * np.pi / 720
        stretch = np.hypot(np.cos(turn), np.sin(turn) / ratio)
        around = np.mean([intensity(self.r * one) for one in stretch], axis=0) / ratio
        self.in_circle = running(2 * np.pi * self.r * around, self.r)

    def ellipse(self, r):
        return np.interp(r, self.r, self.in_ellipse)

    def mean(self, inner, outer):
        """Intensity of the annulus, but for the axis ratio, by which all are divided."""
        return (self.ellipse(outer) - self.ellipse(inner)) / (outer**2 - inner**2)

    def rms_axis(self):
        """A_IMAGE: of the light above the threshold."""
        above = self.intensity > THRESHOLD
        light, moment = (running((self.r**power * self.intensity)[above], self.r[above])[-1] for power in (1, 3))
        return np.sqrt(moment / light / 2)

    def petrosian_by_steps(self):
        """FLUX_PETRO: out to 2.2 k A_IMAGE, k the first of 0.3, 0.6 ... whose annulus has a fifth of the mean within."""
        axis = self.rms_axis()
        for k in np.arange(0.3, 5, 0.3):
            if self.mean(k * axis, 1.2 * k * axis) < 0.2 * self.mean(0, 1.1 * k * axis):
                break
        return self.ellipse(max(2.2 * k, 3.5) * axis)

    def petrosian_of_sdss(self):
        """Out to twice the radius at which the annulus from 0.8 to 1.25 has a fifth of the mean within."""
        r = np.geomspace(1, 500, 5001)
        faded = self.mean(0.8 * r, 1.25 * r) < 0.2 * self.mean(0 * r, r)
        return self.ellipse(2 * r[np.argmax(faded)])

    def radius_of(self, light):
        return np.interp(light, self.in_circle, self.r)


def sets(*settings):
    return [word for setting in settings for word in ("--set", setting)]


@pytest.mark.parametrize("ratio", (1, 0.6))
@pytest.mark.parametrize("name", PROFILES)
def test_beside_integrals_of_profiles(program, tmp_path, name, ratio):
    rng = np.random.default_rng(int(100 * ratio))
    intensity = sersic(*PROFILES[name])
    x, y = SIDE // 2 + rng.uniform(-0.5, 0.5, 2)
    fits.writeto(tmp_path / "galaxy.fits", image_of(intensity, ratio, x, y).astype(np.float32))
    found, _ = extract(program, "default", tmp_path / "galaxy.fits", tmp_path, *sets(COLUMNS, *GIVEN_SKY))
    assert len(found["PETRO_R50"]) == 1
    growth = Growth(intensity, ratio)
    flux = growth.petrosian_by_steps()
    circles = np.arange(65) / 64 * 6 * growth.rms_axis()
    linear = np.interp(flux / 2, np.interp(circles, growth.r, growth.in_circle), circles)
    radius, of_sdss = growth.radius_of(flux / 2), growth.radius_of(growth.petrosian_of_sdss() / 2)
    mine = found["PETRO_R50"][0]
    print(f"{name}, axis ratio {ratio}: {mine:.4f}, linear between circles {linear:.4f}, integral {radius:.4f}, SDSS {of_sdss:.4f}")
    assert found["A_IMAGE"][0] == pytest.approx(growth.rms_axis(), rel=2e-3)
    assert found["FLUX_PETRO"][0] == pytest.approx(flux, rel=2e-3)
    # The light of a pixel is spread over its square, twice: by 1/12 in variance in the image, and in the curve of growth.
    assert mine == pytest.approx(linear, abs=0.02) and mine == pytest.approx(radius, rel=1e-2)
    # Strauss et al. (2002) has 0.71 of the half-light radius of a de Vaucouleurs galaxy for SDSS.
    if name == "de Vaucouleurs":
        assert of_sdss / growth.radius_of(FLUX / 2) == pytest.approx(0.71, abs=0.01) and of_sdss < 0.9 * mine
    else:
        assert mine == pytest.approx(of_sdss, rel=1e-2)


def test_it_is_the_radius_of_that_share_of_kron(program, tmp_path):
    """It is FLUX_RADIUS of another share of FLUX_AUTO, and other columns stay as they are."""
    image = ROOT / "data/sky.fits"
    without, _ = extract(program, "default", image, tmp_path, "--set", COLUMNS.replace(", petrosian", ""))
    found, _ = extract(program, "default", image, tmp_path, "--set", COLUMNS)
    for name, values in without.items():
        assert name == "FLAGS" or np.array_equal(found[name], values, equal_nan=True), name
    assert np.array_equal(np.isnan(found["PETRO_R50"]), ~(found["FLUX_PETRO"] > 0)) and len(found["PETRO_R50"]) > 100
    for row in np.argsort(-found["FLUX_PETRO"])[[0, 10, 100]]:
        share = found["FLUX_PETRO"][row] / found["FLUX_AUTO"][row] / 2
        other, _ = extract(program, "default", image, tmp_path, *sets(COLUMNS, f"measurement.flux_radius=[{float(share)!r}]"))
        assert other["FLUX_RADIUS"][row] == pytest.approx(found["PETRO_R50"][row], rel=1e-9)


def test_without_light_there_is_none(program, tmp_path):
    """A source in a pit, whose Petrosian flux is below 0."""
    y, x = np.indices((101, 101)) - 50
    image = np.where(np.hypot(x, y) < 12, -30.0, 0.0)
    image[49:52, 49:52] = 50
    fits.writeto(tmp_path / "pit.fits", image.astype(np.float32))
    found, _ = extract(program, "default", tmp_path / "pit.fits", tmp_path,
                       *sets(COLUMNS, *GIVEN_SKY))
    assert len(found["PETRO_R50"]) == 1 and found["FLUX_PETRO"][0] < 0 and np.isnan(found["PETRO_R50"][0])
