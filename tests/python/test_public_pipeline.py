"""A public pipeline that needs the matched filter and deblending together, with sep, with srcextract.sep in its place, and as
srcextract's own pipeline: the calls of LCO's BANZAI (banzai/photometry.py, SourceDetector), on frames like those it sees."""
import numpy
import pytest

import srcextract as sx
from srcextract import sep as ours

spatial = pytest.importorskip("scipy.spatial")
SIDE, READ_NOISE = 2048, 8.0
KERNEL = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]  # SEP's


def peer():
    sep = pytest.importorskip("sep")
    if int(sep.__version__.split(".")[1]) < 4:
        pytest.skip(f"SEP {sep.__version__} is older than 1.4 (pip install sep)")
    return sep


def frame(seed, stars=1000, galaxies=250):
    """Photons, with read noise: Moffat stars of 4.5 pixels, and galaxies, as large as their light; and the noise that is told."""
    random = numpy.random.default_rng(seed)
    expected = 150 + numpy.tile(numpy.linspace(0, 20, SIDE), (SIDE, 1))
    for i in range(stars + galaxies):
        x, y = random.uniform(0, SIDE, 2)
        light, axis_ratio, angle = 10 ** random.uniform(3.3, 5.8), random.uniform(0.3, 1), random.uniform(0, numpy.pi)
        reach = 60 if light > 1e5 else 25
        columns, rows = (numpy.arange(max(0, int(at) - reach), min(SIDE, int(at) + reach + 1)) for at in (x, y))
        dx, dy = columns - x, (rows - y)[:, None]
        if i < stars:
            profile, size = (1 + (dx**2 + dy**2) / 19.5) ** -3.0, 19.5 * numpy.pi / 2
        else:
            h = random.uniform(2, 6)
            u, v = dx * numpy.cos(angle) + dy * numpy.sin(angle), (dy * numpy.cos(angle) - dx * numpy.sin(angle)) / axis_ratio
            profile, size = numpy.exp(-numpy.hypot(u, v) / h), 2 * numpy.pi * h**2 * axis_ratio
        expected[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1] += light / size * profile
    pixels = random.poisson(expected) + random.normal(0, READ_NOISE, expected.shape)
    return pixels.astype("f4"), numpy.sqrt(numpy.abs(pixels) + READ_NOISE**2).astype("f4")


def banzai(sep, pixels, noise):
    """Its calls and their parameters."""
    above = pixels.copy()
    sky = sep.Background(above, bw=32, bh=32, fw=3, fh=3)
    sky.subfrom(above)
    found = sep.extract(above, 10.0, minarea=9, err=noise, deblend_cont=0.005)
    found = found[found["flag"] < 8]
    place, shape = (found["x"], found["y"]), (found["a"], found["b"], found["theta"])
    kron, _ = sep.kron_radius(above, *place, *shape, 6.0)
    flux, error, _ = sep.sum_ellipse(above, *place, *shape[:2], numpy.pi / 2, 2.5 * kron, subpix=1, err=noise)
    circle, _, _ = sep.sum_circle(above, *place, 5.0, gain=1.0, err=noise)
    radius, _ = sep.flux_radius(above, *place, 6 * found["a"], [0.25, 0.5, 0.75], normflux=flux, subpix=5)
    x, y, _ = sep.winpos(above, *place, 2 / 2.35 * radius[:, 1])
    return found, {"kron": kron, "flux": flux, "error": error, "circle": circle, "radius": radius, "x": x, "y": y}


def share_near(one, other):
    """How many of the places have one of the others within a pixel."""
    return numpy.isfinite(spatial.cKDTree(other).query(one, distance_upper_bound=1)[0]).mean()


def places(found):
    return numpy.column_stack([found["x"], found["y"]])


@pytest.mark.parametrize("seed", [1, 2])
def test_banzai_with_another_import(seed):
    """All sources, and in the same order; the light of those that are not split is the same."""
    pixels, noise = frame(seed)
    (theirs, their_sums), (mine, my_sums) = (banzai(sep, pixels, noise) for sep in (peer(), ours))
    merged = (theirs["flag"] & ours.OBJ_MERGED) != 0
    print(len(theirs), merged.sum())
    assert len(theirs) > 690 and merged.sum() > 40
    assert min(share_near(places(theirs), places(mine)), share_near(places(mine), places(theirs))) >= 690 / 692
    distance, pair = spatial.cKDTree(places(mine)).query(places(theirs))
    alone = ~merged & (distance < 1e-3)
    assert alone.sum() > 0.98 * (~merged).sum()
    for name, values in their_sums.items():
        numpy.testing.assert_allclose(my_sums[name][pair][alone], values[alone], rtol=1e-3, atol=1e-3, err_msg=name)


def pipeline(pixels, noise, mesh, threshold, min_area, clean):
    found = sx.extract(pixels, error=noise, background__mesh_size=mesh, convolve__kernel="values", convolve__values=KERNEL,
                       convolve__filter="matched", deblend__method="tree", deblend__clean=clean,
                       detection__threshold=threshold, detection__min_area=min_area)
    return numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]) - 1


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("clean", [True, False])
def test_the_pipeline_with_the_noise_of_photons(seed, clean):
    """Of SEP's sources 99.3 to 99.8 % are there: where noise grows with light, SEP splits islands by their mean threshold and
    the pipeline by their lowest, as SExtractor does (docs/python.md)."""
    pixels, noise = frame(seed)
    sky = peer().Background(pixels, bw=32, bh=32)
    told = {"minarea": 9, "err": noise, "clean": clean}
    theirs = places(peer().extract(pixels - sky, 10.0, **told))
    mine = pipeline(pixels, noise, 32, 10.0, 9, clean)
    print(len(theirs), len(mine), share_near(theirs, mine), share_near(mine, theirs))
    assert share_near(theirs, mine) >= 0.99 and share_near(mine, theirs) >= 0.97
    whole = places(peer().extract(pixels - sky, 10.0, deblend_cont=1.0, **told))
    assert len(theirs) > len(whole) + 20


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("threshold", [3.0, 5.0])
def test_the_pipeline_with_the_noise_of_the_sky(seed, clean, threshold):
    """The other way in which public pipelines call extract: err=bkg.rms()."""
    pixels, _ = frame(seed)
    sky = peer().Background(pixels)
    theirs = places(peer().extract(pixels - sky, threshold, err=sky.rms(), clean=clean))
    mine = pipeline(pixels, sky.rms(), 64, threshold, 5, clean)
    print(len(theirs), len(mine), share_near(theirs, mine), share_near(mine, theirs))
    assert len(theirs) > 690
    assert share_near(theirs, mine) >= 690 / 692 and share_near(mine, theirs) >= 0.99
