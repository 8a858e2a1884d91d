"""The picture of the configuration radio, for scripts/setting_pictures.py: a map, its islands, the model, the residual."""
import sys

import numpy as np

from picture_sheets import GREY, INK, ROOT, coloured, grey, sheet

sys.path.append(str(ROOT / "tests/truth/support"))
from continuum_maps import PIXEL, QUIET, Field  # noqa: E402

SIZE = 160
SEED = 42
NEAR = 4  # pixels from a component to its Gaussian
BLACK = "#222222"


def sky():
    """Points that the seed places, a double, and a galaxy with two lobes."""
    made = Field(SEED, SIZE, every=SIZE * SIZE // 16)
    for x, y, total in ((112, 118, 1.6e-3), (118, 122, 9e-4)):
        made.add("double", x, y, total, (0, 0, 0))
    for x, y, total, shape in ((56, 86, 2.2e-3, (32, 16, 60)), (72, 77, 7e-4, (0, 0, 0)), (88, 69, 2.6e-3, (36, 16, 70))):
        made.add("lobe", x, y, total, shape)
    return made


def radio(run):
    made = sky()
    found = run(made.image[None, None], {"output.check_images": "[model, residual]", "output.segmentation": "true"},
                config="radio", header=made.header)
    fitted = found.maps["gaul"]
    islands = coloured(found.labels, f"{len(found)} islands, {len(fitted)} Gaussians")
    for row in fitted:
        axes = [row[name] * 3600 / PIXEL / 2 for name in ("Maj", "Min")]
        islands.ellipse(row["Xposn"], row["Yposn"], *axes, row["PA"] + 90, BLACK)
    apart = np.array([np.hypot(fitted["Xposn"] - x, fitted["Yposn"] - y) for _, x, y, *_ in made.rows])
    islands.caption += f", {(apart.min(axis=0) > NEAR).sum()} false"
    missed = [row for row, nearest in zip(made.rows, apart.min(axis=1)) if nearest > NEAR]
    for _, x, y, *_ in missed:
        islands.circle(x, y, 4, GREY, True)
    faint = max(peak / rms for _, _, _, peak, _, rms, *_ in missed)

    def shown(image, caption):
        return grey(image, caption, -3 * QUIET, 60 * QUIET, 20)

    return sheet("A simulated radio map: points, a double, a galaxy with two lobes", [
        shown(made.image, "the map"), islands, shown(found.maps["model"].squeeze(), "the model"),
        shown(found.maps["residual"].squeeze(), "the residual: the map without the model")],
        [[(INK, "Gaussians at half their peak"), (GREY, f"missed, at most {faint:.1f} σ", True)],
         "greys: from -3 to 60 times the noise at the centre; corners are 4 times as noisy"], columns=2)


PICTURES = {picture.__name__: picture for picture in (radio,)}
