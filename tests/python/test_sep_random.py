"""300 random calls of all functions of srcextract.sep, over all their arguments, beside SEP: no difference but those that
docs/python.md names (test_sep_differences.py has a test of each)."""
import functools

import numpy
import pytest

import sep_peer
from srcextract import sep as ours

peer = functools.partial(sep_peer.peer, 4)

CALLS = 300


class Draw:
    """The arguments of one call."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng([20, seed])
        self.shape = tuple(int(side) for side in self.random.integers(40, 200, 2))
        self.sky = self.one_of([0, 0, 20, 300, 1e4])
        self.noise = self.one_of([0.5, 3, 17])
        self.stars = int(self.random.integers(1, 60))
        self.x = self.random.uniform(-2, self.shape[1] + 1, self.stars)
        self.y = self.random.uniform(-2, self.shape[0] + 1, self.stars)
        self.a = self.random.uniform(0.4, 4, self.stars)
        self.b = self.a * self.random.uniform(0.3, 1, self.stars)
        self.theta = self.random.uniform(-1.57, 1.57, self.stars)
        self.r = self.random.uniform(0.5, 9, self.stars)

    def chance(self, probability):
        return self.random.random() < probability

    def one_of(self, several):
        return several[self.random.integers(len(several))]

    def image(self, types=("f4", "f4", "f8", "i4")):
        y, x = numpy.mgrid[:self.shape[0], :self.shape[1]]
        image = self.random.normal(self.sky, self.noise, self.shape)
        for x0, y0, a, b, theta in zip(self.x, self.y, self.a, self.b, self.theta):
            u = (x - x0) * numpy.cos(theta) + (y - y0) * numpy.sin(theta)
            v = (y - y0) * numpy.cos(theta) - (x - x0) * numpy.sin(theta)
            height = self.noise * 10**self.random.uniform(0.5, 3)
            image += height * (1 + (u / a) ** 2 / 3 + (v / b) ** 2 / 3) ** -2.5
        return image.astype(self.one_of(types))

    def mask(self, share, first_row=0):
        """A mask and what pixels of it have to be above."""
        hidden = self.random.random(self.shape) < share
        hidden[:first_row] = False
        if self.chance(0.5):
            return {"mask": hidden if self.chance(0.5) else hidden.astype("u1")}
        mask = hidden * 2.5 + self.random.random(self.shape)
        if self.chance(0.3):
            mask[self.random.random(self.shape) < 0.02] = numpy.nan
        return {"mask": mask.astype(self.one_of(["f4", "f8"])), "maskthresh": 1.5}

    def noises(self):
        """Noise of all pixels, or of each, or none; and gain."""
        name = self.one_of(["err", "var"])
        value = self.noise if name == "err" else self.noise**2
        told = {}
        if self.chance(0.4):
            told[name] = float(value * self.random.uniform(0.5, 2))
        elif self.chance(0.7):
            each = value * self.random.uniform(0.5, 1.5, self.shape)
            if self.chance(0.3):
                each[self.random.random(self.shape) < 0.03] = 0
            told[name] = each.astype(self.one_of(["f4", "f8", "i4"]))
        if self.chance(0.4):
            told["gain"] = float(self.random.uniform(0.3, 5))
        return told

    def segments(self):
        labels = numpy.where(self.random.random(self.shape) < 0.15, self.random.integers(1, 4, self.shape), 0).astype("i4")
        return {"segmap": labels, "seg_id": self.random.choice([-2, -1, 0, 1, 2, 3], self.stars).astype("i4")}

    def aperture(self, photometric=True):
        told = {"subpix": int(self.one_of([0, 1, 2, 5, 7]))} if photometric else {}
        told |= self.noises() if photometric else {}
        told |= self.mask(0.05) if self.chance(0.4) else {}
        return told | (self.segments() if self.chance(0.3) else {})

    def ring(self):
        return {"bkgann": (self.r + self.random.uniform(0, 3), self.r + 6)} if self.chance(0.4) else {}

    def side(self, length):
        """Of a mesh, such that those at the end are not much smaller."""
        sides = [side for side in range(8, 90) if length % side == 0 or length % side > 4]
        return int(self.one_of(sides))

    def kernel(self):
        if self.chance(0.3):
            return {}
        if self.chance(0.3):
            return {"filter_kernel": None}
        values = self.random.uniform(self.one_of([0.1, -0.2]), 1, self.random.integers(1, 8, 2))
        return {"filter_kernel": values.astype(self.one_of(["f4", "f8"]))}

    def extraction(self):
        """Masks not in rows that the kernel reaches from the first; and not where a noise map makes a filter matched."""
        told = self.noises() | self.kernel()
        told |= {"minarea": int(self.random.integers(1, 12)), "clean": self.chance(0.6),
                 "clean_param": float(self.random.uniform(0.4, 2)), "deblend_nthresh": int(self.one_of([1, 8, 32, 64])),
                 "deblend_cont": float(self.one_of([1.0, 1.0, 0.1, 0.005, 0.0001])), "segmentation_map": True}
        if self.chance(0.4):
            told["filter_type"] = self.one_of(["conv", "matched"])
        if self.chance(0.4):
            told |= self.mask(0.03, first_row=4) | {"filter_type": "conv"}
        if not {"err", "var"} & told.keys():
            return float(self.noise * self.random.uniform(1.5, 5)), told
        return float(self.random.uniform(1.5, 5)), told


def assert_alike(mine, theirs, rtol, atol=0.0):
    for one, other in zip(mine, theirs, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        if one.dtype.kind in "iub":
            numpy.testing.assert_array_equal(one, other)
        else:
            numpy.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


def call_background(draw, sep):
    image = draw.image()
    told = {"bw": draw.side(draw.shape[1]), "bh": draw.side(draw.shape[0]), "fw": int(draw.random.integers(1, 8)),
            "fh": int(draw.random.integers(1, 8)), "fthresh": float(draw.one_of([0.0, 0.3, 2.0]))}
    told |= draw.mask(draw.one_of([0.05, 0.3])) if draw.chance(0.5) else {}
    mine, theirs = ours.Background(image, **told), sep.Background(image, **told)
    assert (mine.globalback, mine.globalrms) == (theirs.globalback, theirs.globalrms)
    atol = 3e-6 * max(draw.noise, numpy.abs(theirs.back("f8")).max(), theirs.rms("f8").max())
    for dtype in ("f4", "f8"):
        assert_alike([mine.back(dtype), mine.rms(dtype)], [theirs.back(dtype), theirs.rms(dtype)], 3e-6, atol)
    if image.dtype.kind == "f":
        assert_alike([image - mine], [image - theirs], 1e-6, atol)


def call_sums(draw, sep):
    """Values of float64 are rounded to float32 by SEP, and noise of any type."""
    image, told = draw.image(), draw.aperture()
    ellipse = draw.a, draw.b, draw.theta
    name = draw.one_of(["sum_circle", "sum_circann", "sum_ellipse", "sum_ellipann"])
    inner = draw.r * draw.random.uniform(0, 1)
    told |= draw.ring() if name in ("sum_circle", "sum_ellipse") else {}
    places = {"sum_circle": (draw.r,), "sum_circann": (inner, draw.r), "sum_ellipse": (*ellipse, draw.r),
              "sum_ellipann": (*ellipse, inner, draw.r)}[name]
    answers = []
    for of in (ours, sep):
        try:
            with numpy.errstate(all="ignore"):
                answers.append(getattr(of, name)(image, draw.x, draw.y, *places, **told))
        except ValueError as error:  # a ring without a pixel
            answers.append(str(error).partition(":")[0].rstrip("."))
    if any(isinstance(answer, str) for answer in answers):
        assert answers[0] == answers[1]
        return
    area = numpy.pi * (draw.r.max() * draw.a.max() + 6) ** 2
    assert_alike(*answers, 1e-5, 3e-7 * area * (abs(draw.sky) + draw.noise))


def call_radii(draw, sep):
    image = draw.image(("f4", "f8")) - draw.sky
    told = draw.aperture(photometric=False)
    if draw.chance(0.5):
        ellipse = draw.a, draw.b, draw.theta, float(draw.random.uniform(2, 7))
        assert_alike(ours.kron_radius(image, draw.x, draw.y, *ellipse, **told),
                     sep.kron_radius(image, draw.x, draw.y, *ellipse, **told), 1e-3, 1e-5)
        return
    told |= {"subpix": int(draw.one_of([1, 2, 5, 7]))}
    told |= {"normflux": draw.random.uniform(1, 2000, draw.stars)} if draw.chance(0.5) else {}
    fractions = draw.one_of([0.5, [0.1, 0.5, 0.9], [-0.2, 0.0, 1.0]])
    assert_alike(ours.flux_radius(image, draw.x, draw.y, draw.r * 2, fractions, **told),
                 sep.flux_radius(image, draw.x, draw.y, draw.r * 2, fractions, **told), 1e-3, 1e-4)


def call_windows(draw, sep):
    image = draw.image() - draw.sky
    told = {"subpix": int(draw.one_of([0, 1, 5, 11])), "minsig": float(draw.random.uniform(0.2, 2))}
    told |= draw.mask(0.03) if draw.chance(0.5) else {}
    sigma = draw.random.uniform(0.3, 3, draw.stars)
    assert_alike(ours.winpos(image, draw.x, draw.y, sigma, **told), sep.winpos(image, draw.x, draw.y, sigma, **told), 0, 1e-4)


def call_ellipses(draw, sep):
    form = ours.ellipse_coeffs(draw.a, draw.b, draw.theta)
    assert_alike(form, sep.ellipse_coeffs(draw.a, draw.b, draw.theta), 1e-10, 1e-12)
    assert_alike(ours.ellipse_axes(*form), sep.ellipse_axes(*form), 1e-7, 1e-7)
    mine, theirs = numpy.zeros((2, *draw.shape), draw.one_of(["?", "u1"]))
    keys = dict(zip(("a", "b", "theta"), (draw.a, draw.b, draw.theta))) if draw.chance(0.5) else dict(zip(("cxx", "cyy", "cxy"), form))
    ours.mask_ellipse(mine, draw.x, draw.y, r=draw.r, **keys)
    sep.mask_ellipse(theirs, draw.x, draw.y, r=draw.r, **keys)
    assert mine.any() and numpy.array_equal(mine, theirs)


def assert_same_peaks(image, mine, theirs, of):
    """Of equally bright pixels SEP names another one than the first."""
    here, there = (image[one[f"y{of}"], one[f"x{of}"]] for one in (mine, theirs))
    numpy.testing.assert_array_equal(here, there)


PLACES = ["xpeak", "ypeak", "xcpeak", "ycpeak"]
REST = [name for name in ours._OBJECT.names if name not in [*PLACES, "theta"]]


def assert_same_objects(mine, theirs, names=REST):
    """The angle of one whose axes along x and y are equal is 45 degrees in SEP, but for rounding."""
    oblong = numpy.abs(theirs["x2"] - theirs["y2"]) > 1e-5 * theirs["x2"]
    numpy.testing.assert_allclose(mine["theta"][oblong], theirs["theta"][oblong], atol=1e-3 if "a" in names else 9)
    for name in names:
        if mine.dtype[name].kind == "i":
            numpy.testing.assert_array_equal(mine[name], theirs[name], err_msg=name)
        else:
            scale = numpy.nanmax(numpy.abs(theirs[name]), initial=0)
            numpy.testing.assert_allclose(mine[name], theirs[name], rtol=5e-4, atol=1e-5 * scale + 1e-4, err_msg=name)


def call_extract(draw, sep):
    """Pixels of what is split are distributed by lot in SEP; and what is cleaned near them may hang on these."""
    thresh, told = draw.extraction()
    image = draw.image()
    image = image - numpy.asarray(draw.sky, image.dtype)
    mine, theirs = ours.extract(image, thresh, **told), sep.extract(image, thresh, **told)
    split = told["deblend_cont"] < 1
    if split and told["clean"]:
        lots = int((theirs[0]["flag"] & sep.OBJ_MERGED != 0).sum())
        assert abs(len(mine[0]) - len(theirs[0])) <= 0.03 * lots + (lots > 0)
        near = numpy.hypot(*(mine[0][axis][None] - theirs[0][axis][:, None] for axis in "xy")).min(axis=1, initial=9) < 1e-3
        assert (~near).sum() <= 0.03 * lots + (lots > 0)
        return
    assert len(mine[0]) == len(theirs[0])
    assert_same_objects(mine[0], theirs[0], ["x", "y", "thresh"])
    numpy.testing.assert_array_equal(mine[0]["flag"] & ~8, theirs[0]["flag"] & ~8)
    numpy.testing.assert_array_equal(mine[1] > 0, theirs[1] > 0)
    alone = (theirs[0]["flag"] & sep.OBJ_MERGED) == 0
    assert_same_objects(mine[0][alone], theirs[0][alone])
    masked = numpy.where(told["mask"] > told.get("maskthresh", 0), 0, image) if "mask" in told else image
    assert_same_peaks(masked, mine[0][alone], theirs[0][alone], "peak")
    if told.get("filter_kernel", ...) is None:
        assert_same_peaks(masked, mine[0][alone], theirs[0][alone], "cpeak")
    else:
        for name in PLACES[2:]:
            numpy.testing.assert_array_equal(mine[0][name][alone], theirs[0][name][alone])
    if not split:
        numpy.testing.assert_array_equal(mine[1], theirs[1])


def call_extract_of_a_map(draw, sep):
    image = draw.image()
    image = image - numpy.asarray(draw.sky, image.dtype)
    found, labels = sep.extract(image, 3 * draw.noise, minarea=4, segmentation_map=True)
    if len(found) == 0:
        return
    told = draw.noises() | draw.kernel() | {"segmentation_map": labels}
    mine, theirs = ours.extract(image, 2.0, **told), sep.extract(image, 2.0, **told)
    assert len(mine[0]) == len(theirs[0])
    assert_same_objects(mine[0], theirs[0])
    assert_same_peaks(image, mine[0], theirs[0], "peak")
    numpy.testing.assert_array_equal(mine[1], theirs[1])


KINDS = [call_background, call_sums, call_sums, call_extract, call_extract, call_extract, call_radii, call_windows,
         call_ellipses, call_extract_of_a_map]


@pytest.mark.parametrize("seed", range(CALLS))
def test_a_random_call(seed):
    KINDS[seed % len(KINDS)](Draw(seed), peer())
