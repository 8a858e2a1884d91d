"""Random calls of every public function, with random arrays and arguments, right and wrong: each must return, or raise one of
the package's exceptions. For AddressSanitizer (scripts/python_sanitize.sh), and as a test by test_random_calls.py.

    python tests/python/random_calls.py [--calls 1000] [--seed 1]
"""
import argparse
import faulthandler
import itertools
import logging
import tempfile

import numpy

import srcextract
from srcextract import sep

TYPES = ["u1", "i1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8", "<f4", ">f4", "<f8", ">f8"]
WRONG_TYPES = ["f2", "c8", "S3", "U2", "O", "M8[s]"]


class Calls:
    """Draws calls of one seed."""

    def __init__(self, seed, folder):
        self.random, self.folder, self.seed = numpy.random.default_rng(seed), folder, seed
        self.extractors = {}

    def chance(self, probability):
        return self.random.random() < probability

    def one_of(self, several):
        return several[self.random.integers(len(several))]

    # --- arrays -------------------------------------------------------------------------------------------------------

    def shape(self):
        most = self.one_of([3, 20, 90, 300])
        return tuple(int(length) for length in self.random.integers(1, most + 1, 2))

    def pixels(self, shape):
        """Stars on noise, or what is no sky at all."""
        image = self.random.normal(self.one_of([0, 100, -50]), self.one_of([0.0, 1, 5, 1e3]), shape)
        for _ in range(self.random.integers(0, 1 + shape[0] * shape[1] // 300)):
            y, x = self.random.integers(0, shape[0]), self.random.integers(0, shape[1])
            image[max(0, y - 2):y + 3, max(0, x - 2):x + 3] += 10**self.random.uniform(0, 5)
        if self.chance(0.2):
            image[self.random.random(shape) < self.random.random()] = self.one_of([numpy.nan, numpy.inf, -numpy.inf, 1e38])
        return image

    def odd(self, array):
        """The values at an odd address."""
        memory = numpy.zeros(array.nbytes + 1, "u1")
        odd = memory[1:].view(array.dtype).reshape(array.shape)
        odd[...] = array
        return odd

    def placed(self, array):
        """The values somewhere in memory: reversed, spread out, transposed, at odd addresses, read-only."""
        way = self.random.integers(8)
        if way == 0:
            return array[::-1, ::-1]
        if way == 1:
            return numpy.asfortranarray(array)
        if way == 2:
            wide = numpy.zeros((2 * array.shape[0], 3 * array.shape[1]), array.dtype)
            wide[::2, ::3] = array
            return wide[::2, ::3]
        if way == 3 and array.size:
            return self.odd(array)
        if way == 4:
            array = array.copy()
            array.setflags(write=False)
            return array
        if way == 5:
            return numpy.broadcast_to(array[:1], array.shape)
        if way == 6:
            return numpy.ma.array(array, mask=self.random.random(array.shape) < 0.1)
        return array

    def image(self):
        shape = self.shape()
        kind = self.one_of(TYPES)
        with numpy.errstate(all="ignore"):
            array = numpy.nan_to_num(self.pixels(shape)).clip(-100, 120).astype(kind) if numpy.dtype(kind).kind != "f" else (
                self.pixels(shape).astype(kind))
        return self.placed(array)

    def wrong_image(self):
        shape = self.shape()
        return self.one_of([
            lambda: numpy.zeros(shape[:1]), lambda: numpy.zeros((2, *shape)), lambda: numpy.zeros((1, 1, *shape)),
            lambda: numpy.zeros((0, shape[1])), lambda: numpy.zeros(shape, self.one_of(WRONG_TYPES)), lambda: None, object,
            lambda: [[1, 2], [3]], lambda: b"SIMPLE  =", lambda: self.random.bytes(3000), lambda: "gone.fits", lambda: 7])()

    def any_image(self):
        return self.wrong_image() if self.chance(0.1) else self.image()

    def beside(self, image):
        """Another map of its shape, or nearly."""
        shape = numpy.shape(image) if hasattr(image, "shape") else (5, 5)
        if self.chance(0.1):
            shape = shape[::-1]
        values = self.random.integers(0, 2, shape) if self.chance(0.5) else self.random.normal(1, 1, shape)
        return numpy.asarray(values).astype(self.one_of([*TYPES, "?"]))

    def places(self, count=None):
        count = self.random.integers(0, 30) if count is None else count
        return self.random.uniform(-20, 320, (count, self.one_of([2, 2, 2, 3])))

    # --- calls --------------------------------------------------------------------------------------------------------

    def keys(self):
        """Of the configuration."""
        all_of = {
            "detection__threshold": lambda: self.one_of([1.5, 5, 1e9, 0.01]),
            "detection__min_area": lambda: int(self.random.integers(1, 20)),
            "detection__connectivity": lambda: self.one_of([4, 8, 5]),
            "background__method": lambda: self.one_of(["mesh", "constant"]),
            "background__mesh_size": lambda: int(self.one_of([8, 16, 64, 1000])),
            "convolve__kernel": lambda: self.one_of(["none", "values"]),
            "deblend__method": lambda: self.one_of(["none", "tree"]),
            "output__columns": lambda: self.one_of(["default", ["default", "photometry"], ["all"], ["nothing"]]),
            "measurement__apertures": lambda: [1, 5.5, 100],
        }
        chosen = [name for name in all_of if self.chance(0.25)]
        keys = {name: all_of[name]() for name in chosen}
        if keys.get("convolve__kernel") == "values":
            keys["convolve__values"] = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
        return keys

    def extract(self):
        image = self.any_image()
        maps = {name: self.beside(image) for name in ("mask", "weight", "error") if self.chance(0.15)}
        if self.chance(0.1):
            maps["positions"] = self.places()
        found = srcextract.extract(image, backend="cpu", threads=int(self.random.integers(1, 4)), **maps, **self.keys())
        self.look_at(found)

    def look_at(self, found):
        for name in found.columns:
            assert len(found[name]) == len(found)
        for what in ("segmentation", "background", "rms"):
            if self.chance(0.5):
                assert getattr(found, what).shape == found.shape
        if self.chance(0.2):
            found.write(f"{self.folder}/found.{self.one_of(['csv', 'fits', 'ecsv', 'reg', 'vot', 'parquet', 'ldac'])}")

    def by_extractor(self):
        way = self.random.integers(3)
        if way not in self.extractors or self.chance(0.1):
            self.extractors.pop(way, None)
            self.extractors[way] = srcextract.Extractor(backend="cpu", threads=2, **self.keys())
        self.look_at(self.extractors[way](self.any_image()))

    def extract_many(self):
        images = [self.any_image() for _ in range(self.random.integers(0, 4))]
        results = srcextract.extract_many(images, backend="cpu", progress=False)
        for found in itertools.islice(results, int(self.random.integers(1, 4))):
            assert found or isinstance(found, srcextract.Failure)
        results.close()

    def difference(self):
        new = self.image()
        old = self.beside(new) if self.chance(0.5) else numpy.asarray(new)
        self.look_at(srcextract.difference(old, new, backend="cpu", threads=1))

    def stages(self):
        image = self.any_image()
        sky = srcextract.background(image, method=self.one_of(["mesh", "constant"]))
        if self.chance(0.3):
            image = sky.subtract(image)
            sky = sky.subtracted
        if self.chance(0.3):
            _ = sky.level, sky.rms, sky.mesh
        found = srcextract.threshold(image, sky, threshold=self.one_of([1, 2, 5]))
        labels = srcextract.label(self.one_of([found, found.mask]), min_area=int(self.random.integers(1, 6)))
        if self.chance(0.4):
            labels = srcextract.deblend(image, labels, sky)
        elif self.chance(0.3):
            drawn = self.random.integers(0, self.random.integers(2, 40), found.shape)
            labels = srcextract.deblend(image, drawn, sky, detection__threshold=0.1)
        if self.chance(0.3):
            labels = labels.image.copy()
            labels[self.random.random(labels.shape) < 0.1] = self.random.integers(0, 100)
        if self.chance(0.5):
            self.look_at(srcextract.measure(image, labels, sky))
        else:
            self.look_at(srcextract.photometry(image, labels, sky, columns=self.one_of(["all", ["FLUX_AUTO"], ["X_IMAGE"]])))

    def images(self):
        image = self.any_image()
        way = self.random.integers(4)
        if way == 0:
            kernel = self.random.random(self.one_of([(3, 3), (1, 5), (2, 2), (9, 7), (3,)]))
            srcextract.convolve(image, kernel=kernel, edges=self.one_of(["zero", "nearest", "reflect"]))
        elif way == 1:
            srcextract.combine([image, image, self.beside(image)], self.one_of(["mean", "median", "chi_square", "weighted"]))
        elif way == 2:
            srcextract.render(image, size=int(self.random.integers(1, 200)))
        else:
            srcextract.photometry(image, positions=self.places())

    def of_sep(self):
        image = self.image()
        data = numpy.asarray(image)
        mask = self.beside(image) > 0 if self.chance(0.3) else None
        sky = sep.Background(data, mask=mask, bw=int(self.random.integers(1, 100)), bh=int(self.random.integers(1, 100)),
                             fw=int(self.random.integers(1, 6)), fh=int(self.random.integers(1, 6)))
        above = data - sky
        objects, segments = sep.extract(above, self.one_of([0.5, 1.5, 5]) * max(sky.globalrms, 1e-6), mask=mask,
                                        segmentation_map=True, minarea=int(self.random.integers(1, 8)),
                                        deblend_nthresh=int(self.random.integers(1, 40)), clean=bool(self.chance(0.5)))
        x, y = (objects["x"], objects["y"]) if self.chance(0.5) else self.places(12).T[:2]
        if self.chance(0.3):
            x, y, segments = self.odd(x), self.odd(y), self.odd(segments)
        if self.chance(0.2) and len(objects) > 0:
            sep.extract(above, 3, err=self.odd(numpy.ones(data.shape, "f4")), segmentation_map=segments)
            x, y = objects["x"], objects["y"]
        shape = {"mask": mask, "err": self.one_of([None, 1.0, numpy.ones(data.shape)]), "gain": self.one_of([None, 2.0])}
        which = self.random.integers(7)
        radius = self.random.uniform(-1 if self.chance(0.1) else 0, 40, x.shape)
        turned = 2 if self.chance(0.1) else 1.5
        a, b, theta = radius, radius * self.random.random(x.shape), self.random.uniform(-turned, turned, x.shape)
        if self.chance(0.3):
            radius, a, b, theta = map(self.odd, (radius, a, b, theta))
        if which == 0 and len(x) == len(objects) > 0 and self.chance(0.5):
            sep.sum_circle(above, x, y, radius, segmap=segments, seg_id=numpy.arange(1, len(x) + 1), **shape)
        elif which == 0:
            sep.sum_circle(above, x, y, radius, subpix=int(self.random.integers(0, 8)), **shape)
        elif which == 1:
            sep.sum_circann(above, x, y, radius, radius + 3, **shape)
        elif which == 2:
            sep.sum_ellipse(above, x, y, a, b, theta, self.random.uniform(0, 5), **shape)
        elif which == 3:
            sep.kron_radius(above, x, y, a, b, theta, 6.0, mask=mask)
        elif which == 4:
            sep.flux_radius(above, x, y, abs(radius), [0.2, 0.5, 1.5], mask=mask, normflux=self.one_of([None, a]))
        elif which == 5:
            sep.winpos(above, x, y, abs(radius) / 4 + 0.1, mask=mask)
        else:
            sep.mask_ellipse(numpy.zeros(data.shape, bool), x, y, a, b, theta, r=2.0)
        assert segments.shape == data.shape

    def one(self):
        call = self.one_of([self.extract, self.extract, self.by_extractor, self.extract_many, self.difference, self.stages,
                            self.stages, self.images, self.of_sep, self.of_sep])
        try:
            call()
        except ModuleNotFoundError as error:
            if error.name != "astropy":
                raise
            return "no astropy"
        except srcextract.SrcextractError as error:
            if isinstance(error, srcextract.InternalError):
                raise
            return type(error).__name__
        return "returned"


def make_calls(calls, seed):
    """How the calls ended, counted. What must not be raised is, with the seed of the call."""
    logging.getLogger("srcextract").setLevel(logging.CRITICAL)
    ended = {}
    with tempfile.TemporaryDirectory() as folder:
        several = Calls(seed, folder)
        for number in range(calls):
            several.random = numpy.random.default_rng([seed, number])
            try:
                how = several.one()
            except Exception as error:
                raise AssertionError(f"call {number} of seed {seed}: {type(error).__name__}: {error}") from error
            ended[how] = ended.get(how, 0) + 1
    return ended


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faulthandler.enable()
    print(given.calls, "calls:", make_calls(given.calls, given.seed))


if __name__ == "__main__":
    main()
