"""The PSF made of an image's stars: profiles from Gaussians to diffraction, galaxies and cosmic rays beside the stars,
and real images."""
import pathlib
import re
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
special = pytest.importorskip("scipy.special")
interpolate = pytest.importorskip("scipy.interpolate")
ndimage = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")
spatial = pytest.importorskip("scipy.spatial")

REAL = pathlib.Path(__file__).parents[2].parent / "shared/data/real"
SKY, GAIN, READ = 850.0, 2.0, 20.0
KNOWN_SKY = f"background.level={SKY}"


def gaussian(fwhm):
    s = fwhm / 2.354820045
    return lambda r: np.exp(-r * r / (2 * s * s)) / (2 * np.pi * s * s)


def moffat(fwhm, beta):
    a = fwhm / 2 / np.sqrt(2 ** (1 / beta) - 1)
    return lambda r: (beta - 1) / (np.pi * a * a) * (1 + r * r / (a * a)) ** -beta


def airy(fwhm, hole=0.3):
    """The diffraction pattern of a round opening with a round hole; its full width is about lambda / D."""
    disk = lambda q: 2 * special.j1(q) / q

    def light(r):
        q = np.maximum(r * np.pi / fwhm, 1e-9)
        return ((disk(q) - hole ** 2 * disk(hole * q)) / (1 - hole ** 2)) ** 2 * np.pi * (1 - hole ** 2) / (4 * fwhm ** 2)
    return light


PROFILES = {
    "gaussian": gaussian,
    "moffat 2.5": lambda fwhm: moffat(fwhm, 2.5),
    "moffat 4.765": lambda fwhm: moffat(fwhm, 4.765),
    "two gaussians": lambda fwhm: lambda r: 0.9 * gaussian(fwhm)(r) + 0.1 * gaussian(3 * fwhm)(r),
    "airy": airy,
}


class Stars:
    """Stars of one profile, integrated over the pixels."""

    def __init__(self, profile, half, fine):
        u = (np.arange(2 * half * fine + 1) - half * fine) / fine
        whole = ndimage.uniform_filter(profile(np.hypot(*np.meshgrid(u, u))), fine, mode="constant")
        self.half, self.spline = half - 2, interpolate.RectBivariateSpline(u, u, whole)

    def draw(self, x, y):
        columns, rows = (np.arange(int(at) - self.half, int(at) + self.half + 1) for at in (x, y))
        return columns, rows, self.spline(rows - y, columns - x)

    def add(self, image, x, y, flux):
        columns, rows, light = self.draw(x, y)
        a, b = (columns >= 0) & (columns < image.shape[1]), (rows >= 0) & (rows < image.shape[0])
        image[np.ix_(rows[b], columns[a])] += flux * light[np.ix_(b, a)]

    def bound(self, x, y, flux):
        """The least error of the flux of a star whose place is free (Cramér and Rao)."""
        light = self.draw(x, y)[2]
        basis = np.array([light, flux * np.gradient(light, axis=1), flux * np.gradient(light, axis=0)])
        weight = 1 / ((SKY + flux * np.maximum(light, 0)) / GAIN + READ ** 2)
        return np.sqrt(np.linalg.inv(np.einsum("iyx,jyx,yx->ij", basis, basis, weight))[0, 0])


def noisy(rng, image):
    return (rng.poisson(np.maximum(image + SKY, 0) * GAIN) / GAIN + rng.normal(0, READ, image.shape)).astype("f4")


def on_grid(rng, count, apart):
    side = int(round(count ** 0.5))
    x, y = np.meshgrid(*[(np.arange(side) + 0.5) * apart] * 2)
    return np.column_stack((x.ravel(), y.ravel())) + rng.uniform(-3, 3, (side * side, 2)), side * apart


def measure(program, directory, image, *sets):
    fits.writeto(directory / "image.fits", image, fits.Header([("GAIN", GAIN)]), overwrite=True)
    return measure_file(program, directory, directory / "image.fits", *sets)


def measure_file(program, directory, path, *sets):
    columns = "output.columns=[X_IMAGE, Y_IMAGE, FLUX_PSF, FLUXERR_PSF, FLUX_APER]"
    sets = ["psf.method=fit", "output.psf=true", columns, "measurement.apertures=[30]", *sets]
    done = subprocess.run([str(program), "--backend", "cpu", "-o", str(directory),
                           *(part for one in sets for part in ("--set", one)), str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        return done, None, None
    stem = directory / path.name.split(".fits")[0]
    return done, fits.getdata(f"{stem}.cat.fits", 1), fits.getdata(f"{stem}.psf.stars.fits", 1)


def at(table, places):
    distance, row = spatial.cKDTree(np.column_stack((table["X_IMAGE"], table["Y_IMAGE"])) - 1).query(places)
    return table[row], distance


def robust(values):
    return 1.4826 * np.median(np.abs(values - np.median(values)))


@pytest.mark.parametrize("name, fwhm, count", [
    ("gaussian", 1.1, 100), ("gaussian", 3.0, 25), ("gaussian", 3.0, 100), ("moffat 2.5", 3.0, 100),
    ("moffat 4.765", 1.5, 25), ("two gaussians", 3.0, 100), ("airy", 1.2, 100), ("airy", 3.0, 100), ("gaussian", 8.0, 16)])
def test_the_light_of_stars_of_any_profile(program, tmp_path, name, fwhm, count):
    rng, profile = np.random.default_rng(7), PROFILES[name](fwhm)
    places, side = on_grid(rng, count, max(55, int(9 * fwhm)))
    flux = np.exp(rng.uniform(np.log(2e3), np.log(1e6), len(places))) * max(1, fwhm / 3) ** 2
    stars, image = Stars(profile, int(max(24, 9 * fwhm)), 21 if fwhm < 2 else 7), np.zeros((side, side))
    for (x, y), of in zip(places, flux):
        stars.add(image, x, y, of)
    done, found, told = measure(program, tmp_path, noisy(rng, image), KNOWN_SKY)
    assert done.returncode == 0, done.stderr
    # FLUX_PSF is the light within 4 full widths, and 12 pixels
    r = np.linspace(0, max(12, 4 * fwhm), 100001)
    flux *= np.trapz(2 * np.pi * r * profile(r), r) if hasattr(np, "trapz") else np.trapezoid(2 * np.pi * r * profile(r), r)
    row, distance = at(found, places)
    bound = np.array([stars.bound(x, y, of) for (x, y), of in zip(places, flux)])
    bright = (flux > np.median(flux)) & (distance < 1.5)
    ratio = row["FLUX_PSF"] / flux
    print(name, fwhm, count, np.median(ratio[bright]), robust(((ratio - np.median(ratio)) * flux / bound)[distance < 1.5]))
    assert abs(np.median(ratio[bright]) - 1) < (0.01 if count < 25 or fwhm < 1.5 else 0.006)
    if count >= 50:  # a scatter of fewer is not known well enough
        assert robust(((ratio - np.median(ratio[bright])) * flux / bound)[distance < 1.5]) < (1.5 if fwhm < 2 else 1.3)
    star, distance = at(told, places)
    reason = np.char.strip(star["REASON"].astype(str))[(flux > 60 * bound) & (distance < 2)]
    assert np.isin(reason, ["used", "spare"]).mean() > 0.9
    width = float(re.search(r"full width ([\d.]+) pixels", done.stderr)[1])
    assert abs(width / fwhm - 1) < (0.12 if fwhm < 2 else 0.04)


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_ten_stars_among_eighty_galaxies(program, tmp_path, seed):
    rng, side = np.random.default_rng(seed), 1000
    stars, image = Stars(moffat(3, 3), 40, 5), np.zeros((side, side))
    v, u = np.mgrid[-45:45, -45:45]
    for _ in range(80):
        (x, y), q, scale, flux = rng.uniform(50, side - 50, 2), rng.uniform(0.4, 1), rng.uniform(2, 5), 10 ** rng.uniform(4, 5)
        image[int(y) - 45:int(y) + 45, int(x) - 45:int(x) + 45] += (
            flux / (2 * np.pi * scale ** 2 * q) * np.exp(-np.hypot(u - x % 1, (v - y % 1) / q) / scale))
    image = signal.fftconvolve(image, stars.draw(0, 0)[2], mode="same")  # seen through the same air
    places, flux = rng.uniform(30, side - 30, (10, 2)), 10 ** rng.uniform(4, 5, 10)
    for (x, y), of in zip(places, flux):
        stars.add(image, x, y, of)
    done, found, told = measure(program, tmp_path, noisy(rng, image))
    assert done.returncode == 0, done.stderr
    used = told[told["USED"] == 1]
    assert (at(used, places)[1] < 1).sum() >= 6
    assert spatial.cKDTree(places).query(np.column_stack((used["X_IMAGE"], used["Y_IMAGE"])) - 1)[0].max() < 1
    row, distance = at(found, places)
    assert abs(np.median((row["FLUX_PSF"] / flux)[distance < 1]) - 1) < 0.025


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("hits", [1, 5])
def test_a_cosmic_ray_is_no_star(program, tmp_path, seed, hits):
    rng, stars = np.random.default_rng(seed), Stars(moffat(3.5, 3), 32, 7)
    places, side = on_grid(rng, 9, 90)
    places, image = places[:6], np.zeros((side, side))
    flux = 10 ** rng.uniform(4.7, 5.7, 6)
    for (x, y), of in zip(places, flux):
        stars.add(image, x, y, of)
    image = noisy(rng, image)
    for x, y in rng.uniform(20, side - 20, (hits, 2)):
        angle, length = rng.uniform(0, np.pi), rng.uniform(0, 5)
        for step in np.arange(0, length + 0.5, 0.25):
            image[int(y + step * np.sin(angle)), int(x + step * np.cos(angle))] += rng.uniform(1000, 3000)
        image[int(y), int(x)] += 5000
    done, found, told = measure(program, tmp_path, image, KNOWN_SKY)
    assert done.returncode == 0, done.stderr
    assert (at(told[told["USED"] == 1], places)[1] < 1).sum() >= 5
    assert abs(np.median(at(found, places)[0]["FLUX_PSF"] / flux) - 1) < 0.02


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name, fwhm", [("moffat 2.5", 2.0), ("gaussian", 1.8)])
def test_hot_pixels_and_galaxies_between_stars(program, tmp_path, name, fwhm, seed):
    """Their light was in the wings of the model: FLUX_PSF was 1 to 12 % low."""
    rng, profile = np.random.default_rng(seed), PROFILES[name](fwhm)
    places, side = on_grid(rng, 36, 80)
    flux, stars, image = 10 ** rng.uniform(4.2, 5.2, 36), Stars(profile, 30, 11), np.zeros((side, side))
    for (x, y), of in zip(places, flux):
        stars.add(image, x, y, of)
    v, u = np.mgrid[:side, :side]
    for _ in range(15):
        (x, y), q, scale = rng.uniform(0, side, 2), rng.uniform(0.4, 1), rng.uniform(1.5, 4)
        if np.hypot(*(places - (x, y)).T).min() > 10 * fwhm:
            light = np.exp(-np.hypot(u - x, (v - y) / q) / scale)
            image += 10 ** rng.uniform(3.8, 5.2) * light / light.sum()
    image = noisy(np.random.default_rng(seed), image)
    for column, row in rng.integers(0, side, (120, 2)):
        image[row, column] += 10 ** rng.uniform(3.3, 5.3)
    done, found, _ = measure(program, tmp_path, image, KNOWN_SKY)
    assert done.returncode == 0, done.stderr
    r = np.linspace(0, 12, 100001)
    flux *= np.sum(2 * np.pi * r * profile(r)) * r[1]
    row, distance = at(found, places)
    ratio = (row["FLUX_PSF"] / flux)[distance < 1]
    print(name, fwhm, seed, len(ratio), np.median(ratio))
    assert len(ratio) > 30 and abs(np.median(ratio) - 1) < 0.005


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", ["moffat 2.5", "two gaussians"])
def test_crowd_has_the_light_of_stars_apart(program, tmp_path, name, seed):
    """The sky of meshes has light of their wings, which the model lacked: FLUX_PSF was 1.3 to 2.5 % low."""
    rng, profile = np.random.default_rng(seed), PROFILES[name](3.0)
    places, side = on_grid(rng, 100, 36)
    flux, stars, image = 10 ** rng.uniform(4.5, 5.5, 100), Stars(profile, 50, 7), np.zeros((side, side))
    for (x, y), of in zip(places, flux):
        stars.add(image, x, y, of)
    fits.writeto(tmp_path / "image.fits", noisy(rng, image), fits.Header([("GAIN", GAIN)]))
    subprocess.run([str(program), "--backend", "cpu", "-o", str(tmp_path), "--set", "psf.method=fit", "crowd",
                    str(tmp_path / "image.fits")], check=True, capture_output=True)
    r = np.linspace(0, 12, 100001)
    row, distance = at(fits.getdata(tmp_path / "image.cat.fits", 1), places)
    ratio = (row["FLUX_PSF"] / flux)[distance < 1] / (np.sum(2 * np.pi * r * profile(r)) * r[1])
    print(name, seed, len(ratio), np.median(ratio))
    assert len(ratio) > 95 and abs(np.median(ratio) - 1) < 0.007


def test_a_psf_of_one_star_is_warned_of(program, tmp_path):
    rng, image = np.random.default_rng(3), np.zeros((200, 200))
    Stars(moffat(4, 3), 40, 5).add(image, 100.3, 90.8, 5e4)
    done, found, _ = measure(program, tmp_path, noisy(rng, image))
    assert done.returncode == 0, done.stderr
    assert re.search(r"warning: .*PSF is made of one star, at \(101\.\d, 91\.\d\)", done.stderr), done.stderr


@pytest.mark.parametrize("name, least", [("kids_g", 8), ("kids_r", 8), ("decam_cosmic_ray", 3), ("emmi_sep", 3), ("dec18e", 3),
                                         ("saao_raw_overscan", 2)])
def test_bright_stars_of_real_images(program, tmp_path, name, least):
    """The brightest isolated star that made the PSF has the light of an aperture of 15 pixels around it."""
    paths = list(REAL.glob(f"{name}.fits*"))
    if not paths:
        pytest.skip("no data: shared/data/real")
    done, found, told = measure_file(program, tmp_path, paths[0])
    assert done.returncode == 0, done.stderr
    used = told[told["USED"] == 1]
    assert len(used) >= least
    places = np.column_stack((found["X_IMAGE"], found["Y_IMAGE"])) - 1
    row, _ = at(found, np.column_stack((used["X_IMAGE"], used["Y_IMAGE"])) - 1)
    alone = spatial.cKDTree(places).query(np.column_stack((row["X_IMAGE"], row["Y_IMAGE"])) - 1, k=2)[0][:, 1] > 15
    best = row[alone][np.argmax(row["FLUX_PSF"][alone])]
    print(name, len(used), best["FLUX_PSF"] / np.atleast_1d(best["FLUX_APER"])[0])
    assert abs(best["FLUX_PSF"] / np.atleast_1d(best["FLUX_APER"])[0] - 1) < 0.025


@pytest.mark.parametrize("brightness", (0, 60, 300, 1000))
def test_stars_around_an_elliptical_have_their_light(program, tmp_path, brightness):
    """A de Vaucouleurs profile that fills the frame; its light was in the wings of the model: FLUX_PSF 0.5, 2 and 8 % high."""
    rng = np.random.default_rng(1)
    places, side = on_grid(rng, 100, 80)
    flux = 10 ** rng.uniform(3.5, 5, len(places))
    stars, image = Stars(PROFILES["gaussian"](3.0), 24, 7), np.zeros((side, side))
    for (x, y), of in zip(places, flux):
        stars.add(image, x, y, of)
    v, u = np.mgrid[:side, :side] - side / 2
    radius = np.maximum(np.hypot(u, v / 0.7), 0.5)
    image += brightness * np.exp(-7.67 * ((radius / 150) ** 0.25 - 1))
    done, found, _ = measure(program, tmp_path, noisy(rng, image))
    assert done.returncode == 0, done.stderr
    far = (np.hypot(*(places - side / 2).T) > 250) & (flux > 1e4)
    row, distance = at(found, places[far])
    ratio = (row["FLUX_PSF"] / flux[far])[distance < 1.5]
    print(brightness, np.median(ratio), len(ratio))
    assert len(ratio) > 30 and abs(np.median(ratio) - 1) < 0.004


def test_stars_in_the_light_of_a_galaxy_are_told(program, tmp_path):
    path = REAL / "lp2.fits"
    if not path.exists():
        pytest.skip("no data: shared/data/real")
    done = measure_file(program, tmp_path, path)[0]
    assert done.returncode != 0
    assert "the rest is light of something larger around them" in done.stderr and "PSF_DATA" not in done.stderr
