"""`srcextract compare`: what goes wrong with an image is caught in its catalogue, and named."""

import re

import pytest

fits = pytest.importorskip("astropy.io.fits")

import numpy as np
from catalogues import reasons
from driver import ROOT
from exposures import LEVEL, SIGMA, WCS, extract, pixels

SKY = 851  # the level of data/sky.fits
SKY_WCS = ("CTYPE1", "CTYPE2", "CRPIX1", "CRPIX2", "CRVAL1", "CRVAL2", "CDELT1", "CDELT2")


def sky_pixels():
    """The pixels of data/sky.fits, whose BLANK ones become NaN, and where they lie."""
    with fits.open(ROOT / "data" / "sky.fits") as hdus:
        return hdus[0].data.astype(np.float32), {name: hdus[0].header[name] for name in SKY_WCS}


@pytest.fixture(scope="module")
def skies(tmp_path_factory):
    """For each kind of pair the reference's catalogue, and image, level and noise of what is to be corrupted."""
    directory = tmp_path_factory.mktemp("images")
    sky, cards = sky_pixels()
    return {"the same image": (extract(directory / "sky.fits", sky, cards), sky, cards, SKY, 21),
            "another exposure": (extract(directory / "0.fits", pixels(0), WCS), pixels(1), WCS, LEVEL, SIGMA)}


def tile_of(image):
    """A sixteenth of the image: the third tile of four along x, the second along y."""
    side = image.shape[0] // 4
    return image[side:2 * side, 2 * side:3 * side]


def is_in_tile(words, size):
    """Whether the middle of the place that the words name, "at x 512 to 768, y 256 to 512", is within tile_of."""
    place = re.search(r"at x (\d+) to (\d+), y (\d+) to (\d+)", words)
    low_x, high_x, low_y, high_y = map(int, place.groups())
    return size / 2 <= (low_x + high_x) / 2 <= size * 3 / 4 and size / 4 <= (low_y + high_y) / 2 <= size / 2


def zeros(image, level, noise):
    tile_of(image)[:] = 0


def constant(image, level, noise):
    tile_of(image)[:] = level


def scaled(image, level, noise):
    """With its sky, which is one large source then."""
    tile_of(image)[:] *= 1.2


def amplified(image, level, noise):
    tile = tile_of(image)
    tile[:] = level + 1.2 * (tile - level)


def saturating(image, level, noise):
    linear = 50 * noise
    above = np.maximum(image - level, linear)
    image[:] = np.where(image - level > linear, level + linear * (above / linear)**0.9, image)


PARTS = {"zeros": (zeros, "sources: "), "constant": (constant, "sources: "), "scaled": (scaled, "sources: "),
         "amplified": (amplified, "")}


@pytest.mark.parametrize("kind", ["the same image", "another exposure"])
@pytest.mark.parametrize("corruption", PARTS)
def test_a_corrupted_tile_is_the_first_reason(compare, skies, tmp_path, kind, corruption):
    reference, image, cards, level, noise = skies[kind]
    corrupt, subject = PARTS[corruption]
    image = image.copy()
    corrupt(image, level, noise)
    first = reasons(compare(reference, extract(tmp_path / "new.fits", image, cards)))[0]
    print(first)
    assert first.startswith(subject) and "this part of the image differs" in first
    assert is_in_tile(first, len(image))


@pytest.mark.parametrize("kind", ["the same image", "another exposure"])
def test_saturation_is_the_first_reason(compare, skies, tmp_path, kind):
    reference, image, cards, level, noise = skies[kind]
    image = image.copy()
    saturating(image, level, noise)
    first = reasons(compare(reference, extract(tmp_path / "new.fits", image, cards)))[0]
    print(first)
    assert first.startswith("FLUX_") and "not linear at the bright end" in first
