#!/usr/bin/env python3
"""Makes the pictures of docs/ that show what the program does now; tests/pipeline/outputs/test_documented_pictures.py holds
them against it.

docs/sky.png is drawn by the README's own command. docs/sky_maps.png, docs/simulated_maps.png and, of the image that --real
names, docs/real_maps.png show an image and what the mesh makes of its sky, as check images have it. From left to right: the
image, the level of the sky, its noise, the signal to noise, and the sources alone. The seed is fixed: the same versions
write the same pictures. docs/report_light.webp and docs/report_dark.webp are the top of the page that --report writes of
data/sky.fits, as Chromium shows it. Needs numpy, astropy and, of the page, chromium and python3-websocket. Prints the values
that are drawn black and white.
"""
import argparse
import base64
import pathlib
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from astropy.io import fits

ROOT = pathlib.Path(__file__).resolve().parent.parent
PANEL = 256  # pixels along a side
GAP = 6
GREYS = 32  # few, so that noise is small as a file
MAPS = ("background", "rms", "snr", "objects")


def simulated(size=1024, sigma=20.0):
    """A slope of 10 sigma, a diffuse blob of 8 above it, noise half as loud again on the right, stars, and a cluster."""
    rng = np.random.default_rng(20261121)
    y, x = np.mgrid[:size, :size]
    image = 1000 + 10 * sigma * (x + y) / (2 * size)
    image += 8 * sigma * np.exp(-((x - 640) ** 2 + (y - 620) ** 2) / (2 * 110 ** 2))
    image += rng.normal(0, sigma * (1 + 0.5 * x / size))
    places = np.concatenate([rng.uniform(0, size, (500, 2)), rng.normal((250, 680), 30, (250, 2))])
    for (cx, cy), flux in zip(places, 10 ** rng.uniform(2.8, 5, len(places))):
        part = np.s_[max(0, int(cy) - 20):int(cy) + 21, max(0, int(cx) - 20):int(cx) + 21]
        image[part] += flux / 20 * (1 + ((x[part] - cx) ** 2 + (y[part] - cy) ** 2) / 6) ** -3.0
    return image.astype(np.float32)


def shrink(image):
    """Means of whole squares, as large as a panel at most, in its middle."""
    step = -(-max(image.shape) // PANEL)
    height, width = (side // step * step for side in image.shape)
    squares = image[:height, :width].reshape(height // step, step, width // step, step)
    panel = np.full((PANEL, PANEL), np.nan)
    top, left = (PANEL - height // step) // 2, (PANEL - width // step) // 2
    panel[top:top + height // step, left:left + width // step] = np.nanmean(squares, axis=(1, 3))
    return panel


def greys(panel, low, high, bend):
    """From black at `low` to white at `high`; along asinh(bend t), if there is a bend. What has no value is black."""
    t = np.clip((np.nan_to_num(panel, nan=low) - low) / (high - low), 0, 1)
    t = np.arcsinh(bend * t) / np.arcsinh(bend) if bend else t
    return (np.rint(t * (GREYS - 1)) * 255 // (GREYS - 1)).astype(np.uint8)


def write_png(path, pixels):
    """Row 0 at the bottom."""
    rows = b"".join(b"\0" + row.tobytes() for row in pixels[::-1])
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks))


def draw(program, image, path):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "-q", "-o", folder, "--set", f"output.check_images=[{','.join(MAPS)}]",
                   ROOT / "tests/support/plain.yaml", image]
        subprocess.run([str(part) for part in command], check=True)
        stem = pathlib.Path(image).stem
        found = {name: shrink(fits.getdata(f"{folder}/{stem}.{name}.fits").astype(float)) for name in MAPS}
        found = {"image": shrink(fits.getdata(image).astype(float)), **found}
    level, rms = found["background"], found["rms"]
    ranges = {"image": (np.nanmin(level) - 2 * np.nanmedian(rms), np.nanmax(level) + 30 * np.nanmedian(rms), 10),
              "background": (np.nanmin(level), np.nanmax(level), 0), "rms": (np.nanmin(rms), np.nanmax(rms), 0),
              "snr": (-1, 20, 10), "objects": (0, 20 * np.nanmedian(rms), 10)}
    panels = [greys(found[name], *ranges[name]) for name in ranges]
    gap = np.full((PANEL, GAP), 255, np.uint8)
    write_png(path, np.hstack([part for panel in panels for part in (panel, gap)][:-1]))
    print(path.name, path.stat().st_size, "bytes:", ", ".join(
        f"{name} {low:.5g} to {high:.5g}" for name, (low, high, _) in ranges.items()))


def draw_quicklook(program, path):
    """Draws docs/sky.png by the command of README.md that asks for a picture."""
    lines = (ROOT / "README.md").read_text().splitlines()
    words = next(shlex.split(line)[1:] for line in lines if line.startswith("$ ") and "output.quicklook=true" in line)
    with tempfile.TemporaryDirectory() as folder:
        words[0], words[words.index("-o") + 1] = str(program), folder
        subprocess.run(words, check=True, cwd=ROOT)
        shutil.copyfile(f"{folder}/sky.png", path)


def draw_report(program, folder):
    sys.path.append(str(ROOT / "tests/pipeline"))
    import browser
    with tempfile.TemporaryDirectory() as made_in:
        subprocess.run([program, "-q", "--report", "-o", made_in, ROOT / "data/sky.fits"], check=True)
        for scheme in ("light", "dark"):
            with browser.Browser(f"{made_in}/{scheme}", width=1200, height=760, scheme=scheme) as page:
                page.open(f"{made_in}/sky.report.html")
                picture = page("Page.captureScreenshot", format="webp", quality=80)
                (folder / f"report_{scheme}.webp").write_bytes(base64.b64decode(picture["data"]))


def draw_all(program, folder, real=None):
    with tempfile.TemporaryDirectory() as made_in:
        made = pathlib.Path(made_in) / "simulated.fits"
        fits.PrimaryHDU(simulated()).writeto(made)
        draw(program, made, folder / "simulated_maps.png")
    draw(program, ROOT / "data/sky.fits", folder / "sky_maps.png")
    draw_quicklook(program, folder / "sky.png")
    if real:
        draw(program, real, folder / "real_maps.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="srcextract, as build/srcextract")
    parser.add_argument("--real", type=pathlib.Path, help="a real frame: galaxies.fits of SExtractor's examples")
    arguments = parser.parse_args()
    draw_all(arguments.program.resolve(), ROOT / "docs", arguments.real and arguments.real.resolve())
    draw_report(arguments.program.resolve(), ROOT / "docs")


if __name__ == "__main__":
    main()
