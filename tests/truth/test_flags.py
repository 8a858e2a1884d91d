"""Maps of flags (IMAFLAGS_ISO, NIMAFLAGS_ISO) and FLAGS beside SExtractor's FLAG_IMAGE, over the same pixels, and beside
NumPy. Where SExtractor is known to differ, what it does is written down."""
import os

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from program import extract

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

TYPES = ("or", "and", "min", "max", "most")
THRESHOLD = 40.0
SHAPE = (500, 530)


def sky(seed):
    """Moffat stars and elongated galaxies on noise about 0, across all edges and corners too, and crowded in places."""
    rng = np.random.default_rng(seed)
    height, width = SHAPE
    y, x = np.mgrid[:height, :width]
    image = rng.normal(0, 8, SHAPE)
    for _ in range(350):
        cx, cy = rng.uniform(-2, width + 1), rng.uniform(-2, height + 1)
        major, axis, angle = rng.uniform(1.5, 6), rng.uniform(0.3, 1), rng.uniform(0, np.pi)
        part = np.s_[max(0, int(cy) - 40):max(0, int(cy) + 41), max(0, int(cx) - 40):max(0, int(cx) + 41)]
        dx, dy = x[part] - cx, y[part] - cy
        u, v = dx * np.cos(angle) + dy * np.sin(angle), (dy * np.cos(angle) - dx * np.sin(angle)) / axis
        image[part] += 10 ** rng.uniform(1.8, 4.5) * (1 + (u * u + v * v) / major ** 2) ** -2.5
    return np.rint(image).astype(np.float32)  # integers, so that both sum the same numbers


def flag_map(seed, dtype):
    """A few bits in blocks, columns and single pixels; most pixels have none."""
    rng = np.random.default_rng(seed + 1)
    flags = np.zeros(SHAPE, np.int64)
    for bit in range(5):
        for _ in range(60):
            y, x, size = rng.integers(0, SHAPE[0]), rng.integers(0, SHAPE[1]), rng.integers(1, 30)
            flags[y:y + size, x:x + size] |= 1 << bit
    flags[:, rng.choice(SHAPE[1], 20, False)] |= 1 << 6
    flags[rng.random(SHAPE) < 0.02] |= 1 << 7 if dtype == np.uint8 else 1 << 14
    if dtype == np.int32:
        flags[rng.random(SHAPE) < 0.02] |= 1 << 30
    return flags.astype(dtype)


def truth(flags, kind):
    """Of the flags of a source, in raster order: the flag, how many pixels, and whether another is as good."""
    flags = flags[flags != 0].astype(np.int64)
    if not len(flags):
        return 0, 0, False
    if kind in ("or", "and"):
        return (np.bitwise_or if kind == "or" else np.bitwise_and).reduce(flags), len(flags), False
    values, first, counts = np.unique(flags, return_index=True, return_counts=True)
    if kind != "most":
        value = flags.min() if kind == "min" else flags.max()
        return value, counts[values == value][0], False
    best = np.flatnonzero(counts == counts.max())
    return values[best[np.argmin(first[best])]], counts.max(), len(best) > 1


def ours(program, directory, *sets):
    everything = ["background.method=constant", "detection.reference=zero", "measurement.reference=zero",
                  "detection.threshold_unit=absolute", f"detection.threshold={THRESHOLD}", "output.segmentation=true",
                  *sets]
    found, told = extract(program, "plain", directory / "sky.fits", directory, "--backend",
                          os.environ.get("SRCEXTRACT_BACKEND", "cpu"), *(w for s in everything for w in ("--set", s)))
    return found, told


def theirs(found, directory, *columns, **settings):
    """SExtractor's columns, in our order."""
    from scipy.spatial import cKDTree
    names = ("X_IMAGE_DBL", "Y_IMAGE_DBL", "ISOAREA_IMAGE", *columns)
    table = fits.getdata(sextractor.sextract(directory / "sky.fits", directory, names,
                                             **sextractor.at_level(0, THRESHOLD), **settings), 1)
    places = np.column_stack([table["X_IMAGE_DBL"], table["Y_IMAGE_DBL"]])
    far, index = cKDTree(places).query(np.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]))
    assert len(set(index)) == len(index) == len(table) > 150 and far.max() < 1e-3
    assert np.array_equal(table["ISOAREA_IMAGE"][index], found["NPIX"])
    rows = [table[name.partition("(")[0]][index].astype(np.int64) for name in columns]
    return [np.ravel(row) if row.ndim > 1 and row.shape[1] == 1 else row for row in rows]


@pytest.mark.parametrize("dtype", (np.uint8, np.int16, np.int32))
def test_flags_of_every_type(program, tmp_path, dtype):
    seed = np.dtype(dtype).itemsize
    flags = flag_map(seed, dtype)
    fits.PrimaryHDU(sky(seed)).writeto(tmp_path / "sky.fits")
    fits.PrimaryHDU(flags).writeto(tmp_path / "flags.fits")
    for kind in TYPES:
        found, _ = ours(program, tmp_path, f"flags.file={tmp_path / 'flags.fits'}", f"flags.type={kind}")
        labels = fits.getdata(tmp_path / "sky.seg.fits", "SEGMENTATION")
        right = [truth(flags[labels == number], kind) for number in found["NUMBER"]]
        flag, pixels, tied = (np.array(column) for column in zip(*right))
        assert np.array_equal(found["IMAFLAGS_ISO"], flag) and np.array_equal(found["NIMAFLAGS_ISO"], pixels)
        assert 20 < np.sum(flag > 0) and len(set(flag)) > 5 and (kind == "most") == tied.any()
        other, of = theirs(found, tmp_path, "IMAFLAGS_ISO(1)", "NIMAFLAGS_ISO(1)",
                           FLAG_IMAGE=tmp_path / "flags.fits", FLAG_TYPE=kind.upper())
        assert np.array_equal(of, pixels)
        if kind == "and":
            assert not other.any() and np.sum(flag > 0) > 20
        else:
            assert np.array_equal(other[~tied], flag[~tied])


@pytest.mark.parametrize("first, second", (("or", "max"), ("min", "or"), ("or", "or")))
def test_two_maps(program, tmp_path, first, second):
    """FLAG_IMAGE and FLAG_TYPE of two, into IMAFLAGS_ISO(2) and NIMAFLAGS_ISO(2)."""
    fits.PrimaryHDU(sky(21)).writeto(tmp_path / "sky.fits")
    maps = [flag_map(22, np.int16), np.roll(flag_map(23, np.int32), 3, axis=1)]
    paths = [tmp_path / "one.fits", tmp_path / "two.fits"]
    for path, flags in zip(paths, maps):
        fits.PrimaryHDU(flags).writeto(path)
    found, told = ours(program, tmp_path, f"flags.file={paths[0]}", f"flags.type={first}",
                       f"flags.further=[{{file: '{paths[1]}', type: {second}}}]")
    assert told["flags"]["path"] == str(paths[0]) and told["flags"]["further"][0]["path"] == str(paths[1])
    labels = fits.getdata(tmp_path / "sky.seg.fits", "SEGMENTATION")
    theirs_of = theirs(found, tmp_path, "IMAFLAGS_ISO(2)", "NIMAFLAGS_ISO(2)",
                       FLAG_IMAGE=f"{paths[0]},{paths[1]}", FLAG_TYPE=f"{first.upper()},{second.upper()}")
    seen = []
    for i, (flags, kind) in enumerate(zip(maps, (first, second))):
        right = np.array([truth(flags[labels == number], kind)[:2] for number in found["NUMBER"]])
        suffix = f"_{i}" if i else ""
        columns = np.column_stack([found["IMAFLAGS_ISO" + suffix], found["NIMAFLAGS_ISO" + suffix]])
        assert np.array_equal(columns, right) and 20 < np.sum(right[:, 0] > 0)
        assert np.array_equal(columns, np.column_stack([of[:, i] for of in theirs_of]))
        seen.append(columns)
    assert not np.array_equal(*seen)


def test_unsigned_maps(program, tmp_path):
    """SExtractor does not look at BZERO, and so flags every pixel with the highest bit."""
    fits.PrimaryHDU(sky(7)).writeto(tmp_path / "sky.fits")
    flags = flag_map(7, np.int32)
    for dtype, highest in ((np.uint16, 1 << 15), (np.uint32, 1 << 31)):
        unsigned = (flags & 0xffff).astype(dtype)
        unsigned[::7, ::3] |= highest
        fits.PrimaryHDU(unsigned).writeto(tmp_path / "flags.fits", overwrite=True)
        found, _ = ours(program, tmp_path, f"flags.file={tmp_path / 'flags.fits'}")
        labels = fits.getdata(tmp_path / "sky.seg.fits", "SEGMENTATION")
        right = np.array([truth(unsigned[labels == number], "or")[:2] for number in found["NUMBER"]])
        assert np.array_equal(np.column_stack([found["IMAFLAGS_ISO"], found["NIMAFLAGS_ISO"]]), right)
        assert found["IMAFLAGS_ISO"].max() >= highest
        _, of = theirs(found, tmp_path, "IMAFLAGS_ISO(1)", "NIMAFLAGS_ISO(1)", FLAG_IMAGE=tmp_path / "flags.fits",
                       FLAG_TYPE="OR")
        assert not np.array_equal(of, right[:, 1])


@pytest.mark.parametrize("seed", (11, 12))
def test_edges_and_saturation(program, tmp_path, seed):
    """4 and 8 of FLAGS are SExtractor's, source by source. Ours of masked pixels is none of SExtractor's eight."""
    image = np.minimum(sky(seed), 3000)
    fits.PrimaryHDU(image).writeto(tmp_path / "sky.fits")
    found, _ = ours(program, tmp_path, "measurement.saturation=3000")
    flags = found["FLAGS"].astype(int)
    other, = theirs(found, tmp_path, "FLAGS", SATUR_LEVEL=3000)
    assert np.array_equal(flags & 12, other & 12)
    assert min(np.sum(flags & 4 > 0), np.sum(flags & 8 > 0), np.sum(flags == 12)) > 2 and np.sum(flags == 0) > 50
    assert not np.any(flags & ~12)
    image[40:60, 100:110] = np.nan
    image[200, :] = np.nan
    fits.PrimaryHDU(image).writeto(tmp_path / "sky.fits", overwrite=True)
    holes, _ = ours(program, tmp_path, "measurement.saturation=3000")
    labels = fits.getdata(tmp_path / "sky.seg.fits", "SEGMENTATION")
    from scipy.ndimage import binary_dilation
    near = np.isin(holes["NUMBER"], labels[binary_dilation(np.isnan(image), np.ones((3, 3)))])
    assert np.array_equal(holes["FLAGS"].astype(int) & ~12, np.where(near, 256, 0)) and 5 < near.sum() < len(near)
