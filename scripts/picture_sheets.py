"""Tools of scripts/setting_pictures.py: simulated images, a run of the program, and panels of pixels as SVG."""
import base64
import json
import math
import pathlib
import re
import struct
import subprocess
import tempfile
import zlib

import numpy as np
from astropy.io import fits

from speed_charts import COLOURS, INK, RED, WIDTH, key, page, text

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLUE, ORANGE, GREY = COLOURS
GREYS = 16  # few, so that noise is small as a file
MISSED = "#bbbbbb"
LABELS = ["#ffffff", "#1f6fb4", "#d9822b", "#3a9a56", "#b0413e", "#8c63b5", "#c9b01f", "#3fb0b0", "#c76fa4"]
SKY = 100.0
SIGMA = 10.0


# Images

def moffat(image, x, y, flux, fwhm=3.0):
    """Adds a star with beta = 3 and all its light; the centre of the first pixel is 0."""
    alpha = fwhm / (2 * math.sqrt(2 ** (1 / 3) - 1))
    rows, columns = np.indices(image.shape)
    image += flux * 2 / (math.pi * alpha ** 2) * (1 + ((columns - x) ** 2 + (rows - y) ** 2) / alpha ** 2) ** -3.0


def disc(image, x, y, flux, scale, ratio=1.0, angle=0.0):
    """Adds an exponential disc, its angle in degrees from x to y."""
    rows, columns = np.indices(image.shape)
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    along, across = (columns - x) * cos + (rows - y) * sin, (rows - y) * cos - (columns - x) * sin
    image += flux / (2 * math.pi * scale ** 2 * ratio) * np.exp(-np.hypot(along, across / ratio) / scale)


def noise(size, seed, sigma=SIGMA):
    return SKY + np.random.default_rng(seed).normal(0, 1, (size, size)) * sigma


def field(size, seed, count, faint, bright, margin=6):
    """An image of stars between two fluxes, and their places, 12 pixels apart at least."""
    image, rng, places = noise(size, seed), np.random.default_rng(seed + 1), np.empty((0, 2))
    while len(places) < count:
        place = rng.uniform(margin, size - margin, 2)
        if not len(places) or np.hypot(*(places - place).T).min() >= 12:
            places = np.vstack([places, place])
    for (x, y), flux in zip(places, np.geomspace(faint, bright, count)):
        moffat(image, x, y, flux)
    return image, places


# The program

class Found:
    """The files that a run has written."""

    def __init__(self, program, image, settings, *words, further=None, command=(), config="default", header=None):
        with tempfile.TemporaryDirectory() as made_in:
            folder = pathlib.Path(made_in)
            for name, pixels in {"image": image, **(further or {})}.items():
                fits.PrimaryHDU(np.asarray(pixels, np.float32), header).writeto(folder / f"{name}.fits")
            sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}".replace("FOLDER", str(folder)))]
            words = [word.replace("FOLDER", str(folder)) for word in words]
            images = [folder / "image.fits"] if not command else [folder / f"{name}.fits" for name in ("image", *(further or {}))]
            run = [program, *command, "--record", "-q", "-o", folder / "out", *words, *sets, ROOT / f"config/{config}.yaml", *images]
            done = subprocess.run([str(word) for word in run], stderr=subprocess.PIPE, text=True)
            if done.returncode:
                raise SystemExit(done.stderr)
            self.maps, self.pictures, self.record = {}, {}, {}
            for path in sorted((folder / "out").iterdir()):
                kind = path.name.split(".", 1)[1]
                if kind.endswith("cat.fits"):
                    self.rows = np.array(fits.getdata(path, 1))
                elif kind.endswith("fits") or kind.endswith("fits.fz"):
                    with fits.open(path) as file:
                        data = next(hdu.data for hdu in file if hdu.data is not None)
                        self.maps[kind.split(".fits")[0]] = np.array(data)
                elif kind == "png":
                    self.pictures[kind] = read_grey(path)
                elif kind.endswith("run.json"):
                    self.record = json.loads(path.read_text())

    def __len__(self):
        return len(self.rows)

    @property
    def labels(self):
        return self.maps[next(kind for kind in self.maps if kind.startswith("seg"))].astype(int)

    def near(self, x, y):
        """The row of the source nearest to a place counted from 0."""
        return self.rows[np.argmin(np.hypot(self.rows["X_IMAGE"] - 1 - x, self.rows["Y_IMAGE"] - 1 - y))]


def read_grey(path):
    """The pixels of a PNG of 8 bits in grey or with a palette, row 0 at the bottom; no row of it is filtered."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    packed, at = b"", 8
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, width + 1)
    return rows[::-1, 1:]


# Panels

def png(indices, colours):
    """A PNG with a palette as the address of an image in SVG. Row 0 at the bottom."""
    rows = b"".join(b"\0" + row.tobytes() for row in indices.astype(np.uint8)[::-1])
    palette = b"".join(bytes.fromhex(colour[1:]) for colour in colours)
    head = struct.pack(">IIBBBBB", indices.shape[1], indices.shape[0], 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks)).decode()


def unpacked(drawn):
    """The text of a picture with the pixels of its panels, not compressed: zlib's versions pack the same pixels differently."""
    def pixels(match):
        data = base64.b64decode(match[1])
        at = data.index(b"IDAT")
        size, = struct.unpack(">I", data[at - 4:at])
        return data[:at - 4].hex() + zlib.decompress(data[at + 4:at + 4 + size]).hex()
    return re.sub(r"data:image/png;base64,([A-Za-z0-9+/=]+)", pixels, drawn)


def shrink(image, step):
    height, width = (side // step * step for side in image.shape)
    return image[:height, :width].reshape(height // step, step, width // step, step).mean(axis=(1, 3))


class Panel:
    """An image with a caption and marks, in coordinates of its pixels from 0."""

    def __init__(self, indices, colours, caption):
        self.indices, self.colours, self.caption, self.marks = indices, colours, caption, []

    def circle(self, x, y, radius, colour, dashed=False):
        return self.ellipse(x, y, radius, radius, 0, colour, dashed)

    def ellipse(self, x, y, a, b, angle, colour, dashed=False):
        self.marks.append((x, y, a, b, angle, colour, dashed))
        return self

    def svg(self, left, top, side):
        height, width = self.indices.shape
        scale = side / width
        tall = height * scale
        parts = [f'<image x="{left:.1f}" y="{top:.1f}" width="{side:.1f}" height="{tall:.1f}" preserveAspectRatio="none" '
                 f'style="image-rendering:pixelated" href="{png(self.indices, self.colours)}"/>']
        for x, y, a, b, angle, colour, dashed in self.marks:
            px, py = left + (x + 0.5) * scale, top + tall - (y + 0.5) * scale
            dashes = ' stroke-dasharray="3 3"' if dashed else ""
            turned = f' transform="rotate({-angle:.1f} {px:.1f} {py:.1f})"' if angle else ""
            parts.append(f'<ellipse cx="{px:.1f}" cy="{py:.1f}" rx="{a * scale:.1f}" ry="{b * scale:.1f}"{turned} '
                         f'fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        frame = f'<rect x="{left:.1f}" y="{top:.1f}" width="{side:.1f}" height="{tall:.1f}" fill="none" stroke="{INK}"/>'
        return [*parts, frame, text(left + side / 2, top + tall + 17, self.caption, "middle", 13)]


def grey(image, caption, low=None, high=None, bend=0):
    """Black at `low`, white at `high`; pixels without a value are red."""
    low = SKY - 3 * SIGMA if low is None else low
    high = SKY + 15 * SIGMA if high is None else high
    t = np.clip((np.nan_to_num(image, nan=low) - low) / (high - low), 0, 1)
    t = np.arcsinh(bend * t) / np.arcsinh(bend) if bend else t
    indices = np.where(np.isnan(image), GREYS, np.rint(t * (GREYS - 1)))
    steps = [f"#{v:02x}{v:02x}{v:02x}" for v in (round(255 * k / (GREYS - 1)) for k in range(GREYS))]
    return Panel(indices, [*steps, RED], caption)


def coloured(labels, caption):
    """A label map; neighbours of one number in eight share a colour."""
    return Panel(np.where(labels > 0, (labels - 1) % (len(LABELS) - 1) + 1, 0), LABELS, caption)


def sheet(title, panels, below=(), columns=None):
    """Panels in rows, and under them lines: a text, or entries of key()."""
    columns, gap = columns or len(panels), 12
    side = (WIDTH - gap * (columns + 1)) / columns
    if columns < 3:
        side = min(side, 300)
    margin = (WIDTH - columns * side - (columns - 1) * gap) / 2
    parts, top = [], 42
    for first in range(0, len(panels), columns):
        row = panels[first:first + columns]
        for number, panel in enumerate(row):
            parts += panel.svg(margin + number * (side + gap), top, side)
        top += max(panel.indices.shape[0] / panel.indices.shape[1] for panel in row) * side + 32
    for words in below:
        parts += [text(WIDTH / 2, top + 6, words, "middle", 13)] if isinstance(words, str) else key(words, top + 6)
        top += 20
    return page(round(top + 4), title, parts)


def judged(panel, found, places, radius=4):
    """Circles: blue for a true source, orange for a false one, grey and dashed for one that was missed."""
    x, y = found.rows["X_IMAGE"] - 1, found.rows["Y_IMAGE"] - 1
    apart = np.hypot(x[:, None] - places[:, 0], y[:, None] - places[:, 1])
    true = (apart.min(axis=1) < 2.5) if len(places) else np.zeros(len(x), bool)
    for here, there, good in zip(x, y, true):
        panel.circle(here, there, radius, BLUE if good else ORANGE)
    missed = [place for place, gap in zip(places, apart.T) if not len(gap) or gap.min() >= 2.5]
    for here, there in missed:
        panel.circle(here, there, radius, MISSED, True)
    panel.caption += f": {true.sum()} true, {(~true).sum()} false"
    return panel
