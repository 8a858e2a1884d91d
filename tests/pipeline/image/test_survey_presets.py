"""config/survey/*.yaml on small files in the layouts of the surveys: what was put into the sky is found where it was put,
what the mask calls bad is left out, noise follows the maps, and sources at the saturation level are flagged."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")
wcs = pytest.importorskip("astropy.wcs")

from driver import ROOT
from stage_images import report

WIDTH, HEIGHT, LEVEL, QUIET, LOUD, GAIN = 330, 290, 800.0, 10.0, 25.0, 4.0
SEEDS = (1, 2, 3)


class Sky:
    """Elliptical Moffat stars of 3 to 4 pixels on a sky that slopes by 12 sigma, whose right part is noisier; two stars
    are saturated. A column, a box and a cosmic ray are bad, and would be sources."""

    def __init__(self, seed, saturation=4000.0, even=False):
        self.rng = np.random.default_rng(seed)
        y, x = np.indices((HEIGHT, WIDTH))
        self.sigma = np.where((x < 200) | even, QUIET, LOUD)
        grid = np.stack(np.meshgrid(np.arange(6), np.arange(5)), -1).reshape(-1, 2)
        self.places = 30 + grid * (53, 56) + self.rng.uniform(-8, 8, (30, 2))
        self.fluxes = self.rng.permutation(np.geomspace(6000, 40000, 30))
        self.fluxes[[4, 20]] = 250000
        self.peaks = []
        light = np.zeros((HEIGHT, WIDTH))
        for (at_x, at_y), flux in zip(self.places, self.fluxes):
            light += flux * self.moffat(x - at_x, y - at_y)
        photons = np.sqrt(light / GAIN) * self.rng.normal(size=light.shape)
        slope = 12 * QUIET * (x / WIDTH + y / HEIGHT) / 2
        self.variance = self.sigma ** 2 + light / GAIN
        self.pixels = LEVEL + slope + light + photons + self.sigma * self.rng.normal(size=light.shape)
        self.saturated = self.pixels >= saturation
        self.pixels[self.saturated] = 1.05 * saturation
        self.saturation = saturation
        self.bad = np.zeros((HEIGHT, WIDTH), bool)
        self.bad[:, 58:60] = self.bad[113:120, 240:252] = True
        self.ray = np.zeros_like(self.bad)
        self.ray[np.arange(60, 72), np.arange(150, 162)] = self.ray[np.arange(60, 72), np.arange(151, 163)] = True
        self.pixels[self.bad] = 3000
        self.pixels[self.ray] = 2000
        self.pixels = self.pixels.astype(np.float32)

    def moffat(self, dx, dy, beta=3.0):
        width, ratio, angle = self.rng.uniform(3, 4), self.rng.uniform(0.8, 1), self.rng.uniform(0, np.pi)
        along, across = np.cos(angle) * dx + np.sin(angle) * dy, (np.cos(angle) * dy - np.sin(angle) * dx) / ratio
        alpha = width / 2 / np.sqrt(2 ** (1 / beta) - 1)
        self.peaks.append((beta - 1) / (np.pi * alpha ** 2 * ratio))  # of a star of flux 1
        return self.peaks[-1] * (1 + (along ** 2 + across ** 2) / alpha ** 2) ** -beta

    def near_stars(self):
        """Pixels of stars, as pipelines that detect call them."""
        return self.variance > self.sigma ** 2 * 1.5

    @staticmethod
    def header(number=0, **cards):
        values = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": WIDTH / 2, "CRPIX2": HEIGHT / 2,
                  "CRVAL1": 150 + 0.1 * number, "CRVAL2": 2.2, "CD1_1": -7.3e-5, "CD1_2": 1e-6, "CD2_1": 1e-6,
                  "CD2_2": 7.3e-5, "CUNIT1": "deg", "CUNIT2": "deg", "RADESYS": "ICRS"}
        return fits.Header(values | cards)


def extract(run, tmp_path, survey, image, *options):
    done = run("-q", "--threads", 2, *options, "-o", "out", ROOT / f"config/survey/{survey}.yaml", image)
    assert done.code == 0, done.err
    return tmp_path / "out"


def check(path, sky, number, gain, mask, by_level=True, noise=0.06):
    """Holds one catalogue against what was put into its sky; its noise is right to that share."""
    found = fits.getdata(f"{path}.cat.fits", 1)
    counts = report(path.parent / f"{path.name}.run.json")["counts"]
    assert counts["masked_mask"] == np.count_nonzero(mask) > 0
    x, y = found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1
    apart = np.hypot(x[:, None] - sky.places[:, 0], y[:, None] - sky.places[:, 1])
    assert (apart.min(axis=1) > 3).sum() <= 1, "sources that are none"
    # Of these a part is missing.
    grown = sum(np.roll(mask, (i, j), (0, 1)) for i in range(-4, 5) for j in range(-4, 5)) > 0
    whole = ~grown[sky.places[:, 1].round().astype(int), sky.places[:, 0].round().astype(int)]
    assert whole.sum() >= 20 and apart[:, whole].min(axis=0).max() < 0.35, "stars that were not found"
    which = apart.argmin(axis=1)
    clean = whole[which] & (apart.min(axis=1) < 3) & (found["FLAGS"] == 0)
    assert clean.sum() >= 15
    found, which, x, y = found[clean], which[clean], x[clean], y[clean]
    truth = wcs.WCS(Sky.header(number)).all_pix2world(sky.places[which], 0)
    off = np.hypot((found["ALPHA_J2000"] - truth[:, 0]) * np.cos(np.radians(2.2)), found["DELTA_J2000"] - truth[:, 1])
    assert off.max() < 0.35 * 7.3e-5
    # Noise: FLUXERR_ISO² = NPIX σ² + FLUX / gain with the σ of the place.
    photons = found["FLUX_ISO"] / gain
    sigma = np.sqrt((found["FLUXERR_ISO"].astype(float) ** 2 - photons) / found["NPIX"])
    right = sky.sigma[y.round().astype(int), x.round().astype(int)]
    inside = np.abs(x - 200) > 8
    assert abs(np.median((sigma / right)[inside]) - 1) < noise and np.abs(sigma / right - 1)[inside].max() < noise + 0.2
    # Of a Moffat profile of beta 3 this is above 5 sigma.
    share = 1 - (5 * right / (sky.fluxes * sky.peaks)[which]) ** (2 / 3)
    assert np.abs(found["FLUX_ISO"] / sky.fluxes[which] - share)[inside].max() < 0.08
    if by_level:
        check_levels(path, sky)


def check_levels(path, sky):
    found = fits.getdata(f"{path}.cat.fits", 1)
    x, y = (found["X_IMAGE"] - 1).round().astype(int), (found["Y_IMAGE"] - 1).round().astype(int)
    truth = [sky.saturated[max(0, b - 3):b + 4, max(0, a - 3):a + 4].any() for a, b in zip(x, y)]
    assert ((found["FLAGS"] & 4) != 0).tolist() == truth and sum(truth) == 2


def compressed(pixels, name, header=None):
    return fits.CompImageHDU(pixels, header, name=name, compression_type="RICE_1")


@pytest.mark.parametrize("seed", SEEDS)
def test_des(run, tmp_path, seed):
    sky = Sky(seed)
    mask = np.zeros((HEIGHT, WIDTH), np.int16)
    mask[sky.bad] |= 1 << 0
    mask[sky.ray] |= 1 << 4
    mask[sky.saturated] |= 1 << 1 | 1 << 2
    mask[sky.near_stars()] |= 1 << 5
    weight = (1 / sky.sigma ** 2).astype(np.float32)
    header = Sky.header(GAIN=GAIN, SATURATE=sky.saturation)
    fits.HDUList([fits.PrimaryHDU(), compressed(sky.pixels, "SCI", header), compressed(mask, "MSK"),
                  compressed(weight, "WGT")]).writeto(tmp_path / "des.fits.fz")
    out = extract(run, tmp_path, "des", "des.fits.fz")
    check(out / "des", sky, 0, GAIN, mask=sky.bad | sky.ray)
    told = report(out / "des.run.json")
    assert (told["input"]["hdu"], told["mask"]["hdu"], told["weights"]["hdu"]) == (1, 2, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_ztf(run, tmp_path, seed):
    sky = Sky(seed, even=True)
    mask = np.zeros((HEIGHT, WIDTH), np.int16)
    mask[sky.near_stars()] |= 1 << 1
    mask[sky.bad] |= 1 << 9
    mask[sky.ray] |= 1 << 7
    mask[sky.saturated] |= 1 << 8
    fits.PrimaryHDU(sky.pixels, Sky.header(GAIN=GAIN, SATURATE=sky.saturation)).writeto(tmp_path / "sciimg.fits")
    fits.PrimaryHDU(mask).writeto(tmp_path / "mskimg.fits")
    out = extract(run, tmp_path, "ztf", "sciimg.fits", "--set", "mask.file=mskimg.fits")
    # Meshes of 64 pixels see a part of the slope as noise: 10 becomes sqrt(10² + 11.6²/12 + 13.2²/12).
    check(out / "sciimg", sky, 0, GAIN, mask=sky.bad | sky.ray, noise=0.2)


PLANES = {"BAD": 0, "SAT": 1, "INTRP": 2, "CR": 3, "EDGE": 4, "DETECTED": 5, "DETECTED_NEGATIVE": 6, "SUSPECT": 7,
          "NO_DATA": 8}


@pytest.mark.parametrize("seed", SEEDS)
def test_lsst(run, tmp_path, seed):
    sky = Sky(seed)
    mask = np.zeros((HEIGHT, WIDTH), np.int32)
    for name, where in (("BAD", sky.bad), ("CR", sky.ray), ("SAT", sky.saturated), ("DETECTED", sky.near_stars()),
                        ("INTRP", sky.bad | sky.ray)):
        mask[where] |= 1 << PLANES[name]
    planes = compressed(mask, "MASK", Sky.header())
    for name, bit in PLANES.items():
        planes.header[f"HIERARCH MP_{name}"] = bit
    table = fits.BinTableHDU.from_columns([fits.Column("id", "J", array=[1])], name="ARCHIVE_INDEX")
    fits.HDUList([fits.PrimaryHDU(), compressed(sky.pixels, "IMAGE", Sky.header()), planes,
                  compressed(sky.variance.astype(np.float32), "VARIANCE", Sky.header()), table]).writeto(
        tmp_path / "visit.fits")
    out = extract(run, tmp_path, "lsst", "visit.fits")
    bad = sky.bad | sky.ray | sky.saturated
    check(out / "visit", sky, 0, GAIN, by_level=False, mask=bad)
    told = report(out / "visit.run.json")
    assert (told["input"]["hdu"], told["mask"]["hdu"], told["weights"]["hdu"]) == (1, 2, 3)
    # What is left of a saturated star says so.
    found = fits.getdata(out / "visit.cat.fits", 1)
    for at_x, at_y in sky.places[[4, 20]]:
        near = np.hypot(found["X_IMAGE"] - 1 - at_x, found["Y_IMAGE"] - 1 - at_y) < 5
        assert near.any() and (found["FLAGS"][near] & 256).all()


@pytest.mark.parametrize("other", (0, 1))
def test_decam(run, tmp_path, other):
    """Three CCDs, whose maps lie in another order, with gains and levels of their own."""
    names = ("S29", "N4", "N30")
    skies = [Sky(10 * other + number, saturation=3500.0 + 500 * number) for number in range(3)]
    images, weights, masks = [], [], []
    for number, (name, sky) in enumerate(zip(names, skies)):
        code = np.zeros((HEIGHT, WIDTH), np.int32)
        code[sky.ray], code[sky.bad] = 5, 1
        header = Sky.header(number, SATURATE=sky.saturation, ARAWGAIN=GAIN, CCDNUM=number + 1)
        images.append(compressed(sky.pixels, name, header))
        weight = np.where(sky.bad, 0, 1 / sky.sigma ** 2).astype(np.float32)
        weights.append(compressed(weight, name))
        masks.append(compressed(code, name))
    for kind, hdus in (("ooi", images), ("oow", weights[::-1]), ("ood", masks[1:] + masks[:1])):
        fits.HDUList([fits.PrimaryHDU(), *hdus]).writeto(tmp_path / f"c4d_{kind}_i.fits.fz")
    out = extract(run, tmp_path, "decam", "c4d_ooi_i.fits.fz", "--set", "weights.file=c4d_oow_i.fits.fz", "--set",
                  "mask.file=c4d_ood_i.fits.fz")
    joined = fits.getdata(out / "c4d_ooi_i.cat.fits", 1)
    for number, sky in enumerate(skies):
        own = fits.getdata(out / f"c4d_ooi_i.hdu{number + 1}.cat.fits", 1)
        rows = joined[joined["EXT_NUMBER"] == number + 1]
        assert set(rows["EXTNAME"]) == {names[number]} and rows["FLUX_ISO"].tolist() == own["FLUX_ISO"].tolist()
        told = report(out / f"c4d_ooi_i.hdu{number + 1}.run.json")
        assert told["input"]["extname"] == told["mask"]["extname"] == told["weights"]["extname"] == names[number]
        mask = sky.ray | sky.bad
        told_by_mask = told["counts"]["masked_mask"]
        assert told_by_mask + told["counts"]["masked_weight"] >= np.count_nonzero(mask)
        check(out / f"c4d_ooi_i.hdu{number + 1}", sky, number, GAIN, mask=mask)


@pytest.mark.parametrize("survey, words", (("ztf", ("ztf.yaml:", "the file that holds it")), ("decam", ("weights.file",))))
def test_maps_that_were_not_named(run, tmp_path, survey, words):
    fits.HDUList([fits.PrimaryHDU(Sky(1).pixels)]).writeto(tmp_path / "image.fits")
    done = run("-o", "out", ROOT / f"config/survey/{survey}.yaml", "image.fits")
    assert done.code == 3 and all(word in done.err for word in words), done.err
