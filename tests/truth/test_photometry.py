"""Light in apertures. Beside SExtractor, set to the same, without deblending and CLEAN; and beside its definitions written
plainly (oracle/) where sources are deblended, since what SExtractor gives to whom is left to chance. Both without CLEAN, and
on the pixels that SExtractor has above its sky (test_mesh.py has the sky).

Integers are equal, other values within a millionth of themselves or of their error. Sub-pixels that lie on the edge of an
aperture to the last bit may fall on either side of it: 1 value in 1000. SExtractor's errors of magnitudes are 1.086 of the
relative error, where it is 2.5 / ln 10."""
import os

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
import sextractor_oracle
from oracle_fields import field
from peers import match
from program import extract

APERTURES = (5.0, 10.0, 23.7)
KERNEL = "[[1, 2, 1], [2, 4, 2], [1, 2, 1]]"
NOISE = 20.0
MASKING = {"none": 0, "blank": 1, "correct": 2}
SETTINGS = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "BACK_FILTERSIZE": 3, "WEIGHT_TYPE": "NONE", "THRESH_TYPE": "RELATIVE",
            "DETECT_THRESH": 1.5, "ANALYSIS_THRESH": 1.5, "FILTER": "Y", "FILTER_NAME": "kernel.conv",
            "PHOT_APERTURES": ",".join(map(str, APERTURES)), "MEMORY_BUFSIZE": 4096, "MEMORY_OBJSTACK": 65535,
            "MAG_ZEROPOINT": 27.5}
NUMBERED = ["FLUX_APER", "FLUXERR_APER", "MAG_APER", "MAGERR_APER"]
COLUMNS = ["FLUX_AUTO", "FLUXERR_AUTO", "MAG_AUTO", "MAGERR_AUTO", "KRON_RADIUS", "FLUX_ISO", "FLUXERR_ISO", "MAG_ISO",
           "MAGERR_ISO"]


def numbered(name, i):
    return name if i == 0 else f"{name}_{i}"


def ours(program, image, directory, *settings, threads=1, columns="default, photometry"):
    fits.writeto(directory / "image.fits", image, overwrite=True)
    chosen = {"weights.type": "none", "detection.threshold": 1.5, "convolve.kernel": "values", "convolve.values": KERNEL,
              "output.columns": f"[{columns}]", "measurement.apertures": list(APERTURES), "measurement.zero_point": 27.5}
    sets = [f"{name}={value}" for name, value in chosen.items()] + list(settings)
    return extract(program, "plain", directory / "image.fits", directory, "--backend", "cpu", "--threads", threads,
                   *(part for one in sets for part in ("--set", one)))[0]


def theirs(image, directory, **settings):
    """SExtractor's catalogue, its pixels above the sky and their noise."""
    fits.writeto(directory / "theirs.fits", image, overwrite=True)
    (directory / "kernel.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    asked = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "FLAGS", *COLUMNS, *(f"{name}({len(APERTURES)})" for name in NUMBERED)]
    shown = {"-BACKGROUND": directory / "above.fits", "MINIBACK_RMS": directory / "noises.fits"}
    table = fits.getdata(sextractor.sextract(
        directory / "theirs.fits", directory, asked, CHECKIMAGE_TYPE=",".join(shown),
        CHECKIMAGE_NAME=",".join(map(str, shown.values())), **SETTINGS | settings), 1)
    told = {name.removesuffix("_DBL"): table[name].astype(float) for name in asked if "(" not in name}
    for name in NUMBERED:
        told |= {numbered(name, i): table[name][:, i].astype(float) for i in range(len(APERTURES))}
    told |= {name: np.where(values == 99, 99, values * (2.5 / np.log(10) / 1.086)) for name, values in told.items()
             if name.startswith("MAGERR")}
    above, noises = (fits.getdata(path) for path in shown.values())
    return told, above, float(np.median(noises))


def both(program, image, directory, *settings, **of_theirs):
    """Our catalogue and SExtractor's, of the same pixels and noise."""
    told, above, noise = theirs(image, directory, **of_theirs)
    return ours(program, above, directory, "background.level=0", f"background.rms={noise!r}", *settings), told


def assert_same(mine, told, names, flags):
    index = match(mine, told["X_IMAGE"], told["Y_IMAGE"])
    told = {name: values[index] for name, values in told.items()}
    differ = (mine["FLAGS"].astype(int) ^ told["FLAGS"].astype(int)) & flags
    assert not differ.any(), f"FLAGS of {np.count_nonzero(differ)} of {len(differ)}"
    wrong, values = 0, 0
    for name in names:
        scale = np.abs(told[name])
        if name.startswith("FLUX_"):
            scale = np.maximum(scale, told[name.replace("FLUX_", "FLUXERR_")])
        if name.startswith("MAG"):  # a logarithm has the relative error of its flux
            scale = scale * np.maximum(1, told[name.replace("MAG_", "MAGERR_")])
        off = np.abs(mine[name] - told[name]) > 1e-6 * scale
        assert off.mean() <= 0.01, f"{name}: {np.count_nonzero(off)} of {len(off)}"
        wrong, values = wrong + np.count_nonzero(off), values + len(off)
    assert wrong <= 1e-3 * values, f"{wrong} of {values}"
    return told


EVERY = COLUMNS + [numbered(name, i) for name in NUMBERED for i in range(len(APERTURES))]


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("mask", MASKING)
@pytest.mark.parametrize("seed, per_mpix, gain", [(401, 1000, 0), (402, 10_000, 2.5), (403, 30_000, 0)])
def test_islands_beside_sextractor(program, tmp_path, seed, per_mpix, gain, mask):
    image = field(seed, 512, per_mpix, noise=NOISE, saturation=6000.0, correlated=seed == 402)
    mine, told = both(program, image, tmp_path, f"measurement.mask={mask}", f"measurement.gain={gain}",
                      MASK_TYPE=mask.upper(), GAIN=gain)
    told = assert_same(mine, told, EVERY, 27)
    flags = told["FLAGS"].astype(int)
    assert len(flags) > 100 and np.count_nonzero(flags & 16) > 5 and np.count_nonzero(flags & 8) > 3
    assert np.count_nonzero(flags & 1) > 20 or mask == "none" or per_mpix == 1000


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("factor, least", [(1.5, 5.0), (4.0, 1.0), (2.5, 0.0)])
def test_parameters_of_kron(program, tmp_path, factor, least):
    image = field(411, 384, 5000, noise=NOISE)
    mine, told = both(program, image, tmp_path, f"measurement.kron=[{factor}, {least}]", MASK_TYPE="CORRECT",
                      PHOT_AUTOPARAMS=f"{factor},{least}")
    assert_same(mine, told, EVERY, 27)


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
def test_a_kron_radius_of_nothing(program, tmp_path):
    """Sources in troughs of less light than the sky, whose light within reach is not above 0: without a least radius the
    ellipse has the pixel at whose centre the source is, or none."""
    rng = np.random.default_rng(412)
    image = rng.normal(0, 1, (256, 256)).astype(np.float32)
    shapes = {"on a pixel": [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)],
              "beside one": [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1)]}
    y, x = np.indices(image.shape)
    for i, pixels in enumerate([*shapes.values()] * 4):
        at_x, at_y = 40 + 55 * (i % 4), 64 + 128 * (i // 4)
        image[np.hypot(x - at_x, y - at_y) < 14] = -60
        for dx, dy in pixels:
            image[at_y + dy, at_x + dx] = 100 if (dx, dy) != (0, 0) else 130
    settings = {"BACK_TYPE": "MANUAL", "BACK_VALUE": 0, "THRESH_TYPE": "ABSOLUTE", "DETECT_THRESH": 20,
                "ANALYSIS_THRESH": 20, "FILTER": "N", "MASK_TYPE": "NONE", "PHOT_AUTOPARAMS": "2.5,0.0"}
    told, above, noise = theirs(image, tmp_path, **settings)
    mine = ours(program, above, tmp_path, "background.level=0", f"background.rms={noise!r}", "measurement.kron=[2.5, 0]",
                "measurement.mask=none", "convolve.values=[[1]]", "detection.threshold_unit=absolute",
                "detection.threshold=20")
    told = assert_same(mine, told, COLUMNS, 0)
    on_a_pixel = np.isclose(told["X_IMAGE"] % 1, 0) & np.isclose(told["Y_IMAGE"] % 1, 0)
    assert len(on_a_pixel) == 8 and np.count_nonzero(on_a_pixel) == 4
    assert np.all(mine["KRON_RADIUS"] == 0)
    np.testing.assert_array_equal(mine["FLUX_AUTO"], np.where(on_a_pixel, 130, 0))
    np.testing.assert_array_equal(mine["MAG_AUTO"][~on_a_pixel], 99)


@pytest.mark.skipif(not os.environ.get("SRCEXTRACT_SEXTRACTOR_ORACLE"), reason="needs SRCEXTRACT_SEXTRACTOR_ORACLE")
@pytest.mark.parametrize("mask", MASKING)
@pytest.mark.parametrize("seed, per_mpix, seeing", [(421, 1000, 3.5), (422, 20_000, 2.5), (423, 50_000, 2.0)])
def test_deblended_sources_beside_the_definitions(program, tmp_path, seed, per_mpix, seeing, mask):
    image = field(seed, 384, per_mpix, seeing=seeing, noise=NOISE) - np.float32(1000)
    mine = ours(program, image, tmp_path, "background.level=0", f"background.rms={NOISE}", "deblend.method=tree",
                f"measurement.mask={mask}", "measurement.gain=3")
    plain = sextractor_oracle.run(image, NOISE, random_leftovers=0, streaming_clean=0, clean=0, detect_thresh=1.5,
                                  masking=MASKING[mask], phot_apertures=APERTURES, petro=0, win=0, gain=3,
                                  satur_level=1e29)
    plain |= {numbered(f"{what}_APER", i): plain[f"{what}_APER_{i}"] for what in ("FLUX", "FLUXERR")
              for i in reversed(range(len(APERTURES)))}
    told = assert_same(mine, plain, [name for name in EVERY if "MAG" not in name], 27)
    assert np.count_nonzero(told["FLAGS"].astype(int) & 2) > 10


def test_threads_make_no_difference(program, tmp_path):
    image = field(431, 700, 20_000, noise=NOISE)
    files = []
    for threads in (1, 7):
        (tmp_path / str(threads)).mkdir()
        ours(program, image, tmp_path / str(threads), "deblend.method=tree", threads=threads)
        files.append((tmp_path / str(threads) / "image.cat.csv").read_bytes())
    assert files[0] == files[1] and files[0].count(b"\n") > 1000


def spots(side=64):
    """A sky of 0 with what measurements stumble over: a pixel alone, a source in a corner, one among NaN, one in a hole."""
    image = np.zeros((side, side), np.float32)
    image[40, 10] = 50
    image[:3, :3] = 30
    image[28:35, 28:35] = np.nan
    image[30:33, 30:33] = 40
    image[45:56, 45:56] = -60
    image[49:52, 49:52] = 50
    return image


def test_bad_sources_have_flags(program, tmp_path):
    mine = ours(program, spots(), tmp_path, "background.level=0", "background.rms=1", "detection.min_area=1",
                "convolve.kernel=none", "convolve.values=[]")
    place = {(x, y): row for row, (x, y) in enumerate(zip(mine["X_IMAGE"] - 1, mine["Y_IMAGE"] - 1))}
    alone, corner, among, hole = (place[spot] for spot in ((10, 40), (1, 1), (31, 31), (50, 50)))
    flags = mine["FLAGS"].astype(int)
    assert len(flags) == 4
    assert mine["FLUX_AUTO"][alone] == mine["FLUX_APER"][alone] == 50 and flags[alone] & 1 == 0
    assert flags[corner] & 24 == 24
    assert flags[among] & 17 == 1
    assert mine["FLUX_AUTO"][among] == 9 * 40
    assert mine["FLUX_AUTO"][hole] < 0 and mine["KRON_RADIUS"][hole] == 0
    assert mine["MAG_AUTO"][hole] == mine["MAGERR_AUTO"][hole] == 99
    assert np.isfinite(mine["FLUXERR_AUTO"]).all()


def test_only_what_is_asked_for_is_written(program, tmp_path):
    image = field(441, 256, 5000, noise=NOISE)
    every = ours(program, image, tmp_path)
    few = ours(program, image, tmp_path, columns="FLUX_AUTO, NUMBER, FLUXERR_APER")
    assert list(few) == ["NUMBER", "FLUXERR_APER", "FLUXERR_APER_1", "FLUXERR_APER_2", "FLUX_AUTO"]
    assert all(np.array_equal(few[name], every[name]) for name in few)
    usual = ours(program, image, tmp_path, columns="default")
    assert list(usual) == [name for name in every if name not in EVERY or name in ("FLUX_ISO", "FLUXERR_ISO")]
    assert all(np.array_equal(usual[name], every[name]) for name in usual if name != "FLAGS")
    assert set(every) < set(ours(program, image, tmp_path, columns="all"))
    assert (every["FLAGS"].astype(int) & ~17 == usual["FLAGS"]).all()


def test_fainter_sources_are_measured_like_brighter_ones(program, tmp_path):
    image = field(451, 256, 5000, noise=NOISE) - field(452, 256, 3000, noise=NOISE)
    settings = "background.level=0", f"background.rms={NOISE * 1.4}"
    up, mirrored, all_of_them = (ours(program, pixels, tmp_path, *settings, f"detection.sign={sign}")
                                 for pixels, sign in ((image, "positive"), (-image, "positive"), (image, "both")))
    assert len(up["NUMBER"]) > 50 and len(mirrored["NUMBER"]) > 30
    assert all(np.array_equal(all_of_them[name], np.append(up[name], mirrored[name])) for name in EVERY)
