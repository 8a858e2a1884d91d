"""The field of tests/bench/stages/benchmarks.hpp's sky(), pixel for pixel but for the last bit of stars, with NumPy alone."""
import math

import numpy

MADE = 4096  # beyond that the field of that size again and again


class _Deviates:
    """std::mt19937 with the distributions of libstdc++, which are the same wherever it is."""

    def __init__(self, seed):
        self._bits = numpy.random.MT19937()
        self._bits.state = numpy.random.RandomState(seed).get_state(legacy=False)

    def unit(self, count):
        """std::generate_canonical<double, 53>: two words each."""
        words = self._bits.random_raw(2 * count).astype("f8")
        return numpy.minimum((words[::2] + words[1::2] * 2.0**32) / 2.0**64, numpy.nextafter(1.0, 0.0))

    def normal(self, count):
        """std::normal_distribution: Marsaglia's polar method, the second of a pair first."""
        wanted, kept = (count + 1) // 2, []
        while wanted > 0:
            # No more pairs than are wanted: what is left of the words is for others.
            x, y = 2.0 * self.unit(2 * wanted).reshape(-1, 2).T - 1.0
            r2 = x * x + y * y
            inside = (r2 <= 1.0) & (r2 != 0.0)
            scale = numpy.sqrt(-2.0 * numpy.log(r2[inside]) / r2[inside])
            kept.append(numpy.stack([y[inside] * scale, x[inside] * scale], axis=1).ravel())
            wanted -= int(inside.sum())
        return numpy.concatenate(kept)[:count]


def _tile(size, density):
    """testing::star_field of a square about 0 with noise of 1."""
    random = _Deviates(1)
    image = random.normal(size * size).astype("f4").reshape(size, size)
    x0, y0, light = random.unit(3 * int(size * size * density // 1e6)).reshape(-1, 3).T
    for x, y, peak in zip(x0 * size, y0 * size, 8.0 / (0.02 + light)):
        rows = numpy.arange(max(0, math.floor(y) - 6), min(size, math.floor(y) + 7))
        columns = numpy.arange(max(0, math.floor(x) - 6), min(size, math.floor(x) + 7))
        r2 = (columns[None, :] - x)**2 + (rows[:, None] - y)**2
        image[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1] += (peak * numpy.exp(-r2 / 4.5)).astype("f4")
    return image


def bench_field(size, density=1000):
    """Of float32: `density` stars a million pixels on noise."""
    tile = _tile(min(size, MADE), density)
    repeats = -(-size // len(tile))
    return numpy.ascontiguousarray(numpy.tile(tile, (repeats, repeats))[:size, :size])
