"""Convolutions by the program's own stage, through convolve_images, and by SciPy in double precision."""
import os
import subprocess

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import ndimage, signal

EDGES = ("zero", "nearest", "reflect")


def convolve_ours(image, kernel, edges):
    height, width = image.shape
    head = np.array([width, height, *kernel.shape[::-1], EDGES.index(edges)], np.int32)
    request = head.tobytes() + image.astype(np.float32).tobytes() + kernel.astype(np.float64).tobytes()
    backend = os.environ.get("SRCEXTRACT_BACKEND", "cpu")
    done = subprocess.run([os.environ["SRCEXTRACT_CONVOLVE_IMAGES"], "--backend", backend], input=request,
                          stdout=subprocess.PIPE, check=True)
    return np.frombuffer(done.stdout, np.float32).reshape(image.shape).astype(float)


def convolve_scipy(image, kernel, edges):
    if edges == "nearest":
        return ndimage.convolve(image, kernel, mode="nearest")
    return signal.convolve2d(image, kernel, mode="same", boundary={"zero": "fill", "reflect": "symm"}[edges])


def check_same(image, kernel, edges="zero"):
    image = image.astype(np.float32).astype(float)
    truth = convolve_scipy(image, kernel, edges)
    ours = convolve_ours(image, kernel, edges)
    worst = np.abs(ours - truth).max()
    assert worst <= 1e-6 * np.abs(truth).max(), f"{image.shape}, kernel {kernel.shape}, {edges}: {worst}"


def gaussian(size, sigma):
    profile = np.exp(-0.5 * ((np.arange(size) - size // 2) / sigma) ** 2)
    return profile / profile.sum()


def dirac_points(height, width, every=16):
    image = np.zeros((height, width))
    image[::every if height > 1 else 1, ::every] = 1
    return image


def test_the_published_case():
    profile = gaussian(15, 2.5)
    check_same(dirac_points(2048, 2048), np.outer(profile, profile))


def test_the_published_case_in_one_dimension():
    check_same(dirac_points(1, 2048 * 16), gaussian(15, 2.5)[np.newaxis, :])
    check_same(dirac_points(1, 2048 * 16).T, gaussian(15, 2.5)[:, np.newaxis])


@pytest.mark.parametrize("edges", EDGES)
def test_kernels_of_every_size(edges):
    rng = np.random.default_rng(6)
    for width in (1, 3, 5, 15, 31, 63):
        for height in (1, 3, 9, 63):
            image = rng.normal(size=(height + rng.integers(0, 40), width + rng.integers(0, 40)))
            check_same(image, rng.normal(size=(height, width)), edges)
            check_same(image, np.outer(rng.uniform(size=height), rng.uniform(size=width)), edges)


@pytest.mark.parametrize("edges", EDGES)
def test_images_of_odd_sizes(edges):
    rng = np.random.default_rng(7)
    for shape, kernel_shape in (((517, 1031), (15, 15)), ((1, 2000), (1, 15)), ((2000, 1), (15, 1)), ((33, 31), (7, 9)),
                                ((511, 513), (3, 63)), ((63, 63), (63, 63)), ((1, 1), (1, 1))):
        check_same(rng.normal(size=shape), rng.normal(size=kernel_shape), edges)


@pytest.mark.parametrize("edges", EDGES)
def test_a_sky_with_stars(edges):
    rng = np.random.default_rng(8)
    image = rng.normal(size=(600, 700)) + dirac_points(600, 700, 37) * 1e4
    check_same(image, np.outer(gaussian(15, 3), gaussian(15, 2)), edges)
    check_same(image, rng.uniform(size=(15, 15)), edges)
