"""Multi-threshold deblending as its definition reads (docs/stages/deblend.md), level by level with scipy.ndimage.label, and the
leftover pixels one by one: slow, and with nothing of the program's way."""
import subprocess

import numpy as np
from scipy import ndimage

STRUCTURES = {4: None, 8: np.ones((3, 3))}


class Image:
    """An image above its sky, what it was before it was filtered, and how it is to be deblended."""

    def __init__(self, found, threshold, measured=None, connectivity=8, min_area=5, levels=32, contrast=0.005):
        self.found = np.ascontiguousarray(found, np.float32)
        self.measured = self.found if measured is None else np.ascontiguousarray(measured, np.float32)
        self.threshold, self.connectivity, self.min_area = threshold, connectivity, min_area
        self.levels, self.contrast = levels, contrast

    def request(self, threads):
        height, width = self.found.shape
        head = np.array([width, height, self.connectivity, self.min_area, self.levels, threads], np.int32)
        return (head.tobytes() + np.array([self.contrast, self.threshold], float).tobytes() + self.found.tobytes() +
                self.measured.tobytes())


def deblended(tool, images, threads=3):
    """(labels, sources) of every image by the program's stage; a source is x, y, parent, split, edge."""
    done = subprocess.run([tool], input=b"".join(image.request(threads) for image in images), stdout=subprocess.PIPE,
                          check=True)
    results, place = [], 0
    for image in images:
        labels = np.frombuffer(done.stdout, np.int32, image.found.size, place).reshape(image.found.shape)
        place += labels.nbytes
        count = int(np.frombuffer(done.stdout, np.int32, 1, place)[0])
        sources = np.frombuffer(done.stdout, np.float64, 5 * count, place + 4).reshape(count, 5)
        place += 4 + sources.nbytes
        results.append((labels, sources))
    assert place == len(done.stdout)
    return results


def find_cores(values, inside, levels, image):
    """The cores of one island, as (mask, level): from the top down, at every level all that is connected above it."""
    least_pixels = min(image.min_area, 3)
    total = np.float32(values[inside].astype(float).sum())
    least = float(total) * image.contrast
    cores, above = [], []  # of the level above: mask, whether nothing in it is a core yet, whether it is significant
    for k in range(len(levels) - 1, -1, -1):
        marked, count = ndimage.label(inside & (values > levels[k]) if k else inside, STRUCTURES[image.connectivity])
        here = []
        for i in range(1, count + 1):
            mask = marked == i
            if mask.sum() < least_pixels and k:
                continue
            sons = [son for son in above if mask[son[0]].any()]
            whole = all(son[1] for son in sons)
            significant = [son for son in sons if son[2]]
            if len(significant) >= 2:
                cores += [(son[0], levels[k + 1]) for son in significant if son[1]]
                whole = False
            flux = np.float32(values[mask].astype(float).sum())
            here.append((mask, whole, float(flux - np.float32(float(levels[k]) * mask.sum())) > least))
        above = here
    return sorted(cores, key=lambda core: np.flatnonzero(core[0])[0])


def gaussian_of(core, level, image, threshold):
    """Centroid, coefficients of the claim and logarithm of the amplitude."""
    rows, columns = np.nonzero(core)
    c = image.found[core].astype(float)
    x, y = np.average(columns, weights=c), np.average(rows, weights=c)
    xx, yy = np.average((columns - x) ** 2, weights=c), np.average((rows - y) ** 2, weights=c)
    xy = np.average((columns - x) * (rows - y), weights=c)
    if xx * yy - xy * xy < 0.00694:
        xx, yy = xx + 1 / 12, yy + 1 / 12
    a2, b2 = np.linalg.eigvalsh([[xx, xy], [xy, yy]])[::-1]
    area = np.sqrt(a2 * b2)
    v = image.measured[core]
    half = np.float32((float(level) + float(v.max())) / 2)
    correction = 1.0
    if half > 0:
        ratio = min(float(level / half), 1.0)
        difference = int((v > half).sum()) - int((v > level).sum())
        slope = np.log(ratio if ratio < 1 else 0.99)
        correction = min(1.0, (difference if difference < 0 else -1) / (2 * np.pi * slope * area))
    depth = len(c) / (2 * np.pi * correction * area)
    highest = np.log(4 * c.max())
    amplitude = min(np.log(threshold) + depth, highest) if depth < 70 else highest
    inverse = np.linalg.inv([[xx, xy], [xy, yy]]) / (2 * correction)
    return x, y, inverse, amplitude


def share_out(left, gaussians):
    """Whose each of the leftover pixels is, and where two have equal claims but for roundings."""
    rows, columns = np.nonzero(left)
    worth, claims = [], []
    for x, y, inverse, amplitude in gaussians:
        d = np.stack([columns - x, rows - y])
        claim = np.einsum("ik,ij,jk->k", d, inverse, d)
        claims.append(claim)
        worth.append(np.where(claim < 70, amplitude - claim, -np.inf))
    worth, claims = np.array(worth), np.array(claims)
    merit = np.where(np.isfinite(worth.max(axis=0)), worth, -claims)
    best, second = -np.partition(-merit, 1, axis=0)[:2]
    return merit.argmax(axis=0), ~(best - second > 1e-5 * (1 + np.abs(best)))


def truth(image):
    """(labels, sources) as `deblended` returns them, and the pixels that may as well be of another source."""
    islands, count = ndimage.label(image.found > image.threshold, STRUCTURES[image.connectivity])
    owner, undecided = np.zeros(image.found.shape, int), np.zeros(image.found.shape, bool)
    rows, parent = [], 0
    for island in range(1, count + 1):
        inside = islands == island
        if inside.sum() < image.min_area:
            continue
        parent += 1
        peak, threshold = float(image.found[inside].max()), float(np.float32(image.threshold))
        levels = (threshold * (peak / threshold) ** (np.arange(image.levels) / image.levels)).astype(np.float32)
        cores = find_cores(image.found, inside, levels, image)
        if not cores:
            rows.append((0, 0, parent, 0, 0))
            owner[inside] = len(rows)
            continue
        gaussians = [gaussian_of(core, level, image, threshold) for core, level in cores]
        left = inside & ~np.any([core for core, _ in cores], axis=0)
        chosen, undecided[left] = share_out(left, gaussians)
        owner[left] = len(rows) + 1 + chosen
        for (core, _), (x, y, _, _) in zip(cores, gaussians):
            edge = core[0].any() or core[-1].any() or core[:, 0].any() or core[:, -1].any()
            rows.append((x, y, parent, 1, edge))
            owner[core] = len(rows)
    return *numbered(owner, np.array(rows, float).reshape(-1, 5)), undecided


def numbered(owner, rows):
    """Sources in the order of their first pixels."""
    old, first = np.unique(owner[owner > 0], return_index=True)
    order = old[np.argsort(first)]
    number = np.zeros(len(rows) + 1, int)
    number[order] = np.arange(1, len(order) + 1)
    return number[owner], rows[order - 1]
