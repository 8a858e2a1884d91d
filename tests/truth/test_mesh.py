"""The sky by meshes, through sky_meshes, beside SExtractor's own: MINIBACKGROUND, MINIBACK_RMS and -BACKGROUND."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

import mesh_oracle
import sextractor
from rounds import first

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)


def ours(image, mesh, filter_size=3, estimator=1):
    """Levels and RMS of the nodes, and the image above the sky."""
    height, width = image.shape
    (wide, high), filter_sides = mesh_oracle.sides(mesh), mesh_oracle.sides(filter_size)
    head = np.array([width, height, wide, high, *filter_sides, estimator], np.int32)
    backend = os.environ.get("SRCEXTRACT_BACKEND", "cpu")
    done = subprocess.run([os.environ["SRCEXTRACT_SKY_MESHES"], "--backend", backend],
                          input=head.tobytes() + image.astype(np.float32).tobytes(), stdout=subprocess.PIPE, check=True)
    values = np.frombuffer(done.stdout, np.float32)
    nodes = ((height - 1) // high + 1, (width - 1) // wide + 1)
    count = nodes[0] * nodes[1]
    return values[:count].reshape(nodes), values[count:2 * count].reshape(nodes), values[2 * count:].reshape(image.shape)


def theirs(image, directory, mesh, filter_size=3, **settings):
    """The same by SExtractor."""
    path = directory / "image.fits"
    fits.PrimaryHDU(np.where(np.isfinite(image), image, -1.1e30).astype(np.float32)).writeto(path, overwrite=True)
    checks = {"level": "MINIBACKGROUND", "rms": "MINIBACK_RMS", "above": "-BACKGROUND"}
    names = [str(directory / f"{name}.fits") for name in checks]
    sizes = [",".join(map(str, mesh_oracle.sides(size))) for size in (mesh, filter_size)]
    chosen = {"BACK_TYPE": "AUTO", "BACK_SIZE": sizes[0], "BACK_FILTERSIZE": sizes[1], "THRESH_TYPE": "RELATIVE",
              "DETECT_THRESH": 5, "CHECKIMAGE_TYPE": ",".join(checks.values()), "CHECKIMAGE_NAME": ",".join(names)}
    sextractor.sextract(path, pathlib.Path(directory), ["NUMBER"], **{**chosen, **settings})
    return [fits.getdata(name) for name in names]


def sky(rng, height, width, gradient=0.0, blob=0.0, sources=0.001, sigma=22.5):
    """Noise on a slope, a diffuse blob (both in sigma), and sources: Moffat profiles, elliptical."""
    y, x = np.mgrid[:height, :width]
    image = rng.normal(1000, sigma, (height, width))
    image += gradient * sigma * (x / width + y / height) / 2
    image += blob * sigma * np.exp(-((x - 0.6 * width) ** 2 + (y - 0.4 * height) ** 2) / (2 * (0.15 * width) ** 2))
    for _ in range(int(sources * height * width)):
        cx, cy, flux = rng.uniform(0, width), rng.uniform(0, height), 10 ** rng.uniform(2.5, 5.5)
        ratio, angle = rng.uniform(0.6, 1), rng.uniform(0, np.pi)
        part = np.s_[max(0, int(cy) - 20):int(cy) + 21, max(0, int(cx) - 20):int(cx) + 21]
        dx, dy = x[part] - cx, y[part] - cy
        u, v = dx * np.cos(angle) + dy * np.sin(angle), (dy * np.cos(angle) - dx * np.sin(angle)) / ratio
        image[part] += flux / 40 * (1 + (u ** 2 + v ** 2) / 2.5 ** 2) ** -2.5
    return image.astype(np.float32)


def check(image, directory, mesh, filter_size=3, **settings):
    """In two steps, neither of which allows anything: the plain definition, summing as SExtractor does, is SExtractor's
    answer, and summing as we do, ours. The order of the sums moves the last bit of few nodes."""
    level, rms, above = ours(image, mesh, filter_size)
    true_level, true_rms, true_above = theirs(image, directory, mesh, filter_size, **settings)
    check_nodes("SExtractor", true_level, true_rms, mesh_oracle.nodes(image, mesh, filter_size, "raster"))
    check_nodes("ours", level, rms, mesh_oracle.nodes(image, mesh, filter_size, "columns"))
    good = np.isfinite(image)
    assert np.abs(above - true_above)[good].max() <= 1e-6 * np.abs(image[good]).max()
    assert np.isnan(above[~good]).all()


def check_nodes(whose, level, rms, plain):
    assert level.shape == plain[0].shape
    assert np.array_equal(level, plain[0]), f"levels, {whose}: {np.sum(level != plain[0])} of {level.size} differ"
    assert np.array_equal(rms, plain[1]), f"RMS, {whose}: {np.sum(rms != plain[1])} of {rms.size} differ"


@pytest.mark.parametrize("seed", first(1, (11, 12, 13)))
@pytest.mark.parametrize("gradient, blob", ((0, 0), (2, 0), (10, 10), (20, 0)))
def test_skies_with_slopes_and_blobs(seed, gradient, blob, tmp_path):
    rng = np.random.default_rng(seed)
    check(sky(rng, 512, 640, gradient, blob), tmp_path, 64)


@pytest.mark.parametrize("mesh", (8, 17, 32, 64, 100, 128, 700))
def test_meshes_of_every_size_and_cut_ones(mesh, tmp_path):
    rng = np.random.default_rng(mesh)
    check(sky(rng, 517, 641, 5), tmp_path, mesh)


@pytest.mark.parametrize("filter_size", (1, 5, 7))
def test_filters(filter_size, tmp_path):
    check(sky(np.random.default_rng(filter_size), 640, 640, 5), tmp_path, 32, filter_size)


@pytest.mark.parametrize("mesh, filter_size", (((128, 48), 3), ((48, 128), (3, 5)), ((17, 100), (1, 5)), ((700, 20), (7, 1)),
                                               ((20, 200), (1, 7)), (32, (5, 3))))
@pytest.mark.parametrize("masked", (False, True))
def test_oblong_meshes_and_filters(mesh, filter_size, masked, tmp_path):
    image = sky(np.random.default_rng(sum(mesh_oracle.sides(mesh))), 517, 641, 5, 10)
    if masked:
        image[100:310, :200] = np.nan
    check(image, tmp_path, mesh, filter_size)


@pytest.mark.parametrize("density", (0.02, 0.05))
def test_crowds(density, tmp_path):
    check(sky(np.random.default_rng(21), 512, 512, 0, 0, density), tmp_path, 64)


@pytest.mark.parametrize("share", (0.05, 0.6))
def test_masked_pixels_and_bad_meshes(share, tmp_path):
    rng = np.random.default_rng(int(100 * share))
    image = sky(rng, 512, 512, 5)
    image[rng.uniform(size=image.shape) < share / 4] = np.nan
    edge = int(512 * share)
    image[100:100 + edge, :edge] = np.nan
    check(image, tmp_path, 64)


@pytest.mark.parametrize("shape", ((640, 1), (2, 65), (30, 40)))
def test_images_smaller_than_a_mesh(shape, tmp_path):
    check(sky(np.random.default_rng(sum(shape)), 640, 640)[:shape[0], :shape[1]].copy(), tmp_path, 64)


@pytest.mark.parametrize("height", (1, 20, 64))
def test_the_nodes_of_one_row_of_meshes(height, tmp_path):
    image = sky(np.random.default_rng(height), 64, 640)[:height].copy()
    for whose, found, order in (("ours", ours(image, 64), "columns"), ("SExtractor", theirs(image, tmp_path, 64), "raster")):
        check_nodes(whose, *found[:2], mesh_oracle.nodes(image, 64, 3, order))


def test_the_level_of_one_row_of_meshes_is_that_of_two_such_rows():
    """Between its nodes SExtractor has another curve."""
    image = sky(np.random.default_rng(42), 64, 640)
    level, _, above = ours(image, 64)
    two, _, above_two = ours(np.vstack([image, image]), 64)
    assert np.ptp(level) > 0 and np.array_equal(two, np.vstack([level, level]))
    assert np.abs(above_two - np.vstack([above, above])).max() <= 1e-6 * np.abs(image).max()


def test_all_masked_but_one_mesh(tmp_path):
    image = np.full((512, 512), np.nan, np.float32)
    image[64:128, 192:256] = sky(np.random.default_rng(41), 64, 64)
    check(image, tmp_path, 64)


def test_a_constant_image_has_no_noise(tmp_path):
    level, rms, above = ours(np.full((200, 300), 7.25, np.float32), 64)
    assert (level == 7.25).all() and (rms == 0).all() and (above == 0).all()


def test_the_median_is_that_of_the_clipped_pixels():
    from scipy import stats
    rng = np.random.default_rng(5)
    image = sky(rng, 256, 256, 0, 0, 0.01)
    level, rms, _ = ours(image, 64, 1, estimator=2)
    for row in range(4):
        for column in range(4):
            clipped = stats.sigmaclip(image[64 * row:64 * row + 64, 64 * column:64 * column + 64], 3, 3).clipped
            assert abs(level[row, column] - np.median(clipped)) < 0.1 * clipped.std()
            assert abs(rms[row, column] / clipped.std() - 1) < 0.1
