"""One picture a question: a panel for each kind of field, a line for each program."""
import io

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from PIL import Image  # noqa: E402

from simulated.scores import BINS  # noqa: E402

MIDDLES = (BINS[1:] + BINS[:-1]) / 2
STYLES = {"SExtractor": dict(color="#d95f02", marker="s", ms=7, mfc="none"), "SEP": dict(color="#1b9e77", marker="^", ms=5),
          "photutils": dict(color="#7570b3", marker="v", ms=5), "srcextract": dict(color="black", marker="o", ms=3)}


def line(axes, values, style, **more):
    values = np.array([np.nan if value is None else value for value in values], float)
    if np.isfinite(values).any():
        axes.plot(MIDDLES, values, **(style | {"lw": 1} | more))


def panels(results, title, rows):
    """`rows` are (label, function of one program's numbers to values, range, level of a line, logarithmic)."""
    kinds = list(results)
    figure, grid = pyplot.subplots(len(rows), len(kinds), figsize=(2.6 * len(kinds), 0.7 + 1.9 * len(rows)), sharex=True,
                                   sharey="row", squeeze=False)
    for k, kind in enumerate(kinds):
        for axes, (label, values, limits, level, logarithmic) in zip(grid[:, k], rows):
            for name, style in STYLES.items():
                if name in results[kind]:
                    line(axes, values(results[kind][name]), style, label=name)
            if level is not None:
                axes.axhline(level, color="grey", lw=0.5)
            if logarithmic:
                axes.set_yscale("log")
            axes.set_ylim(*limits)
            axes.tick_params(labelsize=7)
            if k == 0:
                axes.set_ylabel(label, fontsize=8)
        grid[0, k].set_title(kind, fontsize=8)
        grid[-1, k].set_xlabel(title, fontsize=8)
    grid[0, 0].legend(fontsize=6, frameon=False)
    figure.tight_layout(pad=0.5)
    return figure


def write(figure, path):
    """In few colours, as small as that."""
    raw = io.BytesIO()
    figure.savefig(raw, dpi=90)
    pyplot.close(figure)
    Image.open(raw).convert("RGB").quantize(24, dither=Image.Dither.NONE).save(path, optimize=True)


def pulls(name, least):
    return [("median of the pull", lambda told: told[name]["median"], (least, 3), 0, False),
            ("width of the pull", lambda told: told[name]["width"], (0.5, 20), 1, True)]


FIGURES = {
    "completeness": ("true magnitude", [("completeness", lambda told: told["completeness"], (0, 1.03), 1, False)]),
    "purity": ("measured magnitude", [("purity", lambda told: told["purity"], (0.6, 1.01), 1, False)]),
    "positions": ("true magnitude", [
        ("off by (pixels): X_IMAGE", lambda told: told["off"], (0.005, 2), None, True),
        ("off by (pixels): XWIN", lambda told: told["off_win"], (0.005, 2), None, True),
        ("width of the pull: X_IMAGE", lambda told: told["x"]["width"], (0.5, 20), 1, True),
        ("width of the pull: XWIN", lambda told: told["x_win"]["width"], (0.5, 20), 1, True)]),
    "auto": ("true magnitude", pulls("auto", -12)),
    "aper": ("true magnitude", pulls("aper", -3))}


def draw(results, folder):
    for name, (title, rows) in FIGURES.items():
        write(panels(results, title, rows), folder / f"truth_{name}.png")
