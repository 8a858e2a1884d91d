"""Maps with ragged edges, as a primary beam or a mosaic leaves them: noise that rises to the edge, sources that it cuts,
blends and spokes. Places are on pixels of the map, totals are within their errors, and what does not fit is flagged."""
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")

import continuum_maps
from program import ROOT

CENTRE_HELD, ABOVE_MAP, LOUD, DOUBLED = 64, 128, 256, 512
REAL = pathlib.Path(ROOT).parent / "shared/data/real"


class Ragged(continuum_maps.Field):
    """A disc with a wavy edge and notches. Noise at its edge is three times that of the centre."""

    def __init__(self, seed, size=512, spokes=0):
        rng = self.rng = np.random.default_rng(seed)
        self.size, self.header = size, continuum_maps.header(size)
        y, x = np.mgrid[:size, :size] - size / 2
        edge = 0.44 * size
        for wave in range(2, 30):
            edge = edge + rng.normal() * 0.04 * size / wave * np.cos(wave * np.arctan2(y, x) + rng.uniform(0, 6.3))
        blank = np.hypot(x, y) > edge
        for _ in range(6):
            angle, (width, height) = rng.uniform(0, 6.3), rng.integers(6, 40, 2)
            left, low = (int(size / 2 + 0.4 * size * turn(angle)) for turn in (np.cos, np.sin))
            blank[low:low + height, left:left + width] = True
        self.good = ~blank
        self.inside = ndimage.distance_transform_edt(np.pad(self.good, 1))[1:-1, 1:-1]
        self.rms = continuum_maps.QUIET * 3**((x**2 + y**2) / (0.44 * size)**2)
        self.image = continuum_maps.correlated(rng, size, seed % 2 == 1) * self.rms
        self.rows, self.places, self.sources = [], np.empty((0, 2)), 0
        near_edge = np.argwhere((self.inside <= 4) & (ndimage.distance_transform_edt(blank) <= 2))
        for candidates, number in ((near_edge, 20), (np.argwhere(self.inside > 14), 50)):
            for _ in range(number):
                self.add_at(candidates)
        for _ in range(spokes):
            self.add_spokes(x + size / 2, y + size / 2)
        self.tell()
        self.image[blank] = np.nan

    def add_at(self, candidates):
        for _ in range(500):
            row, column = candidates[self.rng.integers(len(candidates))]
            at = np.array([column, row]) + self.rng.uniform(-0.5, 0.5, 2)
            if at.min() < 3 or at.max() > self.size - 4:
                continue
            if not len(self.places) or np.min(np.hypot(*(self.places - at).T)) > 26:
                break
        else:
            return
        self.places = np.vstack([self.places, at])
        peak = 10 * 200**self.rng.uniform() * self.rms[int(at[1]), int(at[0])]
        self.add("point", *at, peak, (0, 0, 0))
        self.sources += 1

    def add_spokes(self, x, y):
        at = self.rng.uniform(0.3 * self.size, 0.7 * self.size, 2)
        peak = 3000 * self.rms[int(at[1]), int(at[0])]
        self.add("bright", *at, peak, (0, 0, 0))
        self.sources += 1
        radius, angle = np.hypot(x - at[0], y - at[1]), np.arctan2(y - at[1], x - at[0])
        wave = np.cos(2 * self.rng.integers(3, 6) * angle) * np.sin(radius / 2.4 + self.rng.uniform(0, 6.3))
        self.image += peak * 4e-3 * wave * np.exp(-radius / 45) * (radius > 6)


def extracted(program, path):
    done = subprocess.run([program, "-q", "-o", path.parent, "--set", "output.check_images=[residual,model,rms]", "--set",
                           "fit.reliability=true", "radio", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    stem = str(path)[:-5]
    tables = [table.Table.read(f"{stem}.{kind}.fits") for kind in ("gaul", "srl")]
    return *tables, *(np.squeeze(fits.getdata(f"{stem}.{kind}.fits")).astype(float) for kind in ("model", "rms"))


@pytest.fixture(scope="module", params=range(4))
def found(request, program, tmp_path_factory):
    field = Ragged(request.param)
    path = tmp_path_factory.mktemp("ragged") / "map.fits"
    field.write(path)
    return field, *extracted(program, path)


def on_pixels(rows, image):
    x, y = (np.floor(rows[name] + 0.5).astype(int) for name in ("Xposn", "Yposn"))
    return (x >= 0) & (y >= 0) & (x < image.shape[1]) & (y < image.shape[0]) & np.isfinite(
        image[np.clip(y, 0, image.shape[0] - 1), np.clip(x, 0, image.shape[1] - 1)])


def unflagged(gaussians, image, model, rms):
    """The pixels where the model is above the map by more than 5 sigma, and no Gaussian within 1.5 beams is flagged."""
    above = np.argwhere(np.isfinite(image) & (model - np.maximum(np.nan_to_num(image), 0) > 5 * rms))
    told = gaussians[gaussians["FLAG"] & ABOVE_MAP != 0]
    return [(x, y) for y, x in above if not np.any(np.hypot(told["Xposn"] - x, told["Yposn"] - y) < 8)], len(above)


def test_places_are_on_pixels(found):
    field, gaussians, sources, *_ = found
    assert np.all(on_pixels(gaussians, field.image)) and np.all(on_pixels(sources, field.image))


def test_totals_of_sources_that_the_edge_cuts_are_within_their_errors(found):
    field, _, sources, *_ = found
    row = continuum_maps.match(field, np.column_stack([sources["Xposn"], sources["Yposn"]]))
    cut = (row >= 0) & (field.inside[field.truth["y"].astype(int), field.truth["x"].astype(int)] <= 4)
    total, error = (np.array(sources[name][row[cut]]) for name in ("Total_flux", "E_Total_flux"))
    pull = (total - field.truth["total"][cut]) / error
    assert cut.sum() > 10 and np.all(np.abs(pull) < 6), pull
    assert np.median(np.abs(total / field.truth["total"][cut] - 1)) < 0.03
    assert np.all(sources["FLAG"][row[cut]][np.abs(pull) > 3] & 8)


def test_noise_is_that_of_the_edge(found):
    field, *_, rms = found
    for least, most in ((0, 5), (5, 10), (10, 20)):
        ring = (field.inside > least) & (field.inside <= most)
        ratio = np.median(field.rms[ring] / rms[ring])
        assert 0.9 < ratio < 1.08, (least, ratio)


def test_what_is_above_the_map_is_flagged(program, tmp_path):
    pixels = 0
    for seed in (1, 2):
        field = Ragged(seed, spokes=3)
        field.write(tmp_path / "map.fits")
        gaussians, sources, model, rms = extracted(program, tmp_path / "map.fits")
        missed, all_pixels = unflagged(gaussians, field.image, model, rms)
        assert not missed
        pixels += all_pixels
        assert np.mean(sources["FLAG"] & LOUD != 0) < 0.5
    assert pixels > 0


def test_errors_near_spokes_have_the_noise_of_the_spokes(program, tmp_path):
    near, far, flags = [], [], []
    for seed in range(6):
        field = Ragged(seed, spokes=3)
        field.write(tmp_path / "map.fits")
        _, sources, *_ = extracted(program, tmp_path / "map.fits")
        row = continuum_maps.match(field, np.column_stack([sources["Xposn"], sources["Yposn"]]))
        truth, bright = field.truth, field.truth["kind"] == "bright"
        for i in np.flatnonzero((row >= 0) & ~bright & (field.inside[truth["y"].astype(int), truth["x"].astype(int)] > 14)):
            one = sources[row[i]]
            pull = (one["Total_flux"] - truth["total"][i]) / one["E_Total_flux"]
            spokes = np.min(np.hypot(truth["x"][bright] - truth["x"][i], truth["y"][bright] - truth["y"][i])) < 60
            (near if spokes else far).append(pull)
            flags += [one["FLAG"] & LOUD != 0] if spokes else []
    assert len(near) > 30 and np.std(np.clip(near, -5, 5)) < 1.25 and np.std(np.clip(far, -5, 5)) < 1.25
    assert np.mean(flags) > 0.2


def test_a_real_map(program, tmp_path):
    """Of the Galactic plane, cut ragged, with beams that are no Gaussians."""
    if not (REAL / "aeg_1904-66_SIN.fits").exists():
        pytest.skip("no real maps")
    path = pathlib.Path(shutil.copy(REAL / "aeg_1904-66_SIN.fits", tmp_path))
    image = np.squeeze(fits.getdata(path)).astype(float)
    for level in ("auto", "0"):
        if level == "0":
            subprocess.run([program, "-q", "-o", tmp_path, "--set", "background.level=0", "--set",
                            "output.check_images=[residual,model,rms]", "radio", path], check=True)
            gaussians, sources = (table.Table.read(tmp_path / f"{path.stem}.{kind}.fits") for kind in ("gaul", "srl"))
            model, rms = (np.squeeze(fits.getdata(tmp_path / f"{path.stem}.{kind}.fits")) for kind in ("model", "rms"))
        else:
            gaussians, sources, model, rms = extracted(program, path)
        assert len(gaussians) > 40 and np.all(on_pixels(gaussians, image)) and np.all(on_pixels(sources, image))
        missed, _ = unflagged(gaussians, image, model, rms)
        assert not missed
        x, y = (np.floor(gaussians[name] + 0.5).astype(int) for name in ("Xposn", "Yposn"))
        assert np.all(gaussians["Peak_flux"] < 2 * image[y, x] + 5 * gaussians["Isl_rms"])


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_a_source_that_masked_rows_cut_counts_once(program, tmp_path, seed):
    """Both parts of a source may be fitted as the whole of it. All rows of it but one are flagged."""
    field = continuum_maps.Field(seed, size=512, every=3000)
    field.image[::6] = np.nan
    field.write(tmp_path / "map.fits")
    gaussians, _, *_ = extracted(program, tmp_path / "map.fits")
    doubled, found, kept = gaussians["FLAG"] & DOUBLED != 0, [], []
    for x, y, total in zip(field.truth["x"], field.truth["y"], field.truth["total"]):
        whole = (np.hypot(gaussians["Xposn"] - x, gaussians["Yposn"] - y) < 4) & (gaussians["Total_flux"] > 0.7 * total)
        found.append(whole.sum())
        kept.append((whole & ~doubled).sum())
    found, kept = np.array(found), np.array(kept)
    assert np.sum(found > 1) > 4 and np.sum(kept > 1) == 0 and np.all(kept[found > 0] == 1), (found, kept)
    assert np.all(gaussians["RELIABILITY"][doubled] == 0)
