"""Pictures of srcextract difference, for scripts/setting_pictures.py: what moved, and what the fitted kernel does."""
import numpy as np

from picture_sheets import BLUE, ORANGE, RED, SIGMA, SKY, grey, moffat, noise, sheet

SIZE = 256
SHOWN = 104  # pixels along a side of a panel
GAIN = 5.0


class Pair:
    """Two frames of one field of stars, before noise. The new one has wider stars."""

    def __init__(self, seed, widths=(2.6, 3.4)):
        self.rng = np.random.default_rng(seed)
        self.reference, self.new, self.widths = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE)), widths
        places = self.rng.uniform(8, SIZE - 8, (160, 2))
        for (x, y), flux in zip(places, 10 ** self.rng.uniform(2.6, 4.6, len(places))):
            self.star(x, y, flux)

    def star(self, x, y, flux, new=None):
        """A star; `new` is its place and flux in the new frame, None where it does not change."""
        moffat(self.reference, x, y, flux, self.widths[0])
        moffat(self.new, *(new or (x, y, flux)), self.widths[1])

    def frames(self, saturation=np.inf):
        """Both frames with sky, photon noise and saturation."""
        return [np.minimum(light + noise(SIZE, seed) + self.rng.normal(0, 1, light.shape) * np.sqrt(light / GAIN), saturation)
                for light, seed in ((self.reference, 401), (self.new, 402))]


def difference(run, frames, settings):
    given = {"detection.threshold": 6, "detection.min_area": 1, "measurement.gain": GAIN, "output.check_images": "[-background]",
             **settings}
    found = run(frames[0], given, further={"new": frames[1]}, command=("difference",))
    found.image = next(found.maps[kind] for kind in found.maps if kind.endswith("minus_background"))
    return found


def middle(image, caption, low=SKY - 3 * SIGMA, high=SKY + 15 * SIGMA):
    first = (SIZE - SHOWN) // 2
    return grey(image[first:first + SHOWN, first:first + SHOWN], caption, low, high)


def changes(image, caption):
    return middle(image, caption, -9 * SIGMA, 9 * SIGMA)


def mark(panel, found):
    """Circles around changes: blue for brighter ones, orange for fainter ones."""
    first = (SIZE - SHOWN) // 2
    for row in found.rows:
        x, y = row["X_IMAGE"] - 1 - first, row["Y_IMAGE"] - 1 - first
        if 0 <= min(x, y) and max(x, y) < SHOWN:
            panel.circle(x, y, 5, BLUE if row["SIGN"] > 0 else ORANGE)
    return panel


def counted(found):
    return f"{len(found)} change" + "s" * (len(found) != 1)


def motion(run):
    pair = Pair(411)
    pair.star(100, 150, 6000, (118, 142, 6000))
    pair.star(150, 104, 3000, (162, 112, 3000))
    frames = pair.frames()
    found = difference(run, frames, {"morphology.operation": "erosion", "convolve.kernel": "none",
                                     "convolve.fwhm": 0, "convolve.size": 0,
                                     "difference.detect_on": "difference", "detection.threshold": 3,
                                     "output.check_images": "[-background, threshold, morphology]"})
    return sheet("Two asteroids move between two nights", [
        middle(frames[0], "the reference"), middle(frames[1], "the new image"), changes(found.image, "their difference"),
        middle(found.maps["diff.threshold"], "above 3 σ, of either sign", 0, 1),
        middle(found.maps["diff.morphology"], "after erosion", 0, 1),
        mark(middle(frames[1], counted(found)), found)],
        [[(BLUE, "brighter (SIGN 1)"), (ORANGE, "fainter (SIGN -1)")], "A moving object is a pair."], columns=3)


def fitted_kernel(run):
    pair = Pair(421, (2.2, 3.6))
    pair.star(140, 120, 0, (140, 120, 2500))
    frames = pair.frames()
    widths = dict(zip(("difference.reference_fwhm", "difference.new_fwhm"), pair.widths))
    rough, good = (difference(run, frames, {"detection.threshold": 5, **settings})
                   for settings in ({"difference.kernel": "gaussian", **widths}, {}))
    return sheet("difference.kernel: stars are no Gaussians", [
        middle(frames[1], "the new image: one new star"),
        mark(changes(rough.image, f"gaussian: {counted(rough)}"), rough),
        mark(changes(good.image, f"fitted: {counted(good)}"), good)], [[(BLUE, "brighter"), (ORANGE, "fainter")]])


def dipoles(run):
    pair = Pair(431)
    pair.star(120, 140, 20000, (120.5, 140, 20000))
    pair.star(150, 110, 3e6)
    frames = pair.frames(saturation=50000)
    found = difference(run, frames, {"measurement.saturation": 48000, "output.columns": "[default, DIPOLE]"})
    panel = mark(changes(found.image, f"{len(found)} rows, {(found.rows['DIPOLE'] > 0).sum()} with DIPOLE 1"), found)
    return sheet("A star that moved by half a pixel, and a saturated one", [
        middle(frames[0], "the reference"), middle(frames[1], "the new image"), panel], [[(RED, "masked"), (BLUE, "brighter"), (ORANGE, "fainter")]])


PICTURES = {picture.__name__: picture for picture in (motion, fitted_kernel, dipoles)}
