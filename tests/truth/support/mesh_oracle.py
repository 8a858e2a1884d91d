"""SExtractor's estimate of the sky in meshes, written plainly from its definition (Bertin & Arnouts 1996, and what
SExtractor 2.25 does): one mesh at a time, one step after another. `order` is how a mesh is summed: "raster", as SExtractor
does, or "columns", as srcextract does; all else is the same."""
import numpy as np

f32, f64 = np.float32, np.float64


def sums_of(mesh, inside, order):
    """Count, sum and sum of squares of the pixels that are `inside`."""
    values = np.where(inside, mesh, 0).astype(f64)
    if order == "raster":
        kept = mesh[inside].astype(f64)
        total = lambda v: np.cumsum(v)[-1] if v.size else 0.0  # noqa: E731 (one after the other)
        return kept.size, total(kept), total(kept * kept)
    height, width = mesh.shape

    def total(v):
        cells = np.zeros((4, 64))
        for y in range(height):
            for x in range(width):
                cells[y % 4, x % 64] += v[y, x]
        columns = (cells[0] + cells[1]) + (cells[2] + cells[3])
        while columns.size > 1:
            columns = columns[:columns.size // 2] + columns[columns.size // 2:]
        return columns[0]

    return int(inside.sum()), total(values), total(values * values)


def moments(count, total, squares):
    if count == 0:
        return 0.0, 0.0
    mean = total / count
    return mean, np.sqrt(max(0.0, squares / count - mean * mean))


def cut(mesh, good, order):
    """The good pixels within two standard deviations, or None where more than half of the mesh is masked."""
    count, total, squares = sums_of(mesh, good, order)
    if 2 * count < mesh.size:
        return None
    mean, sigma = moments(count, total, squares)
    return good & (mesh >= f32(mean - 2 * sigma)) & (mesh <= f32(mean + 2 * sigma))


def histogram(mesh, inside, good, order):
    """Bins of the good pixels, as many and wide as the pixels inside tell; the value of bin 0, the width of a bin, and
    which pixels are in one."""
    count, total, squares = sums_of(mesh, inside, order)
    mean, sigma = moments(count, total, squares)
    bins = int(min(4096, int(np.sqrt(2 / np.pi) * 5 / 4 * count + 1)))
    scale = f32(10 * sigma / bins) if sigma > 0 else f32(1)
    zero = f32(mean - 5 * sigma)
    offset = f32(0.499999 - f64(f32(zero / scale)))
    place = (np.where(good, mesh, 0) / scale).astype(f32) + offset
    binned = good & (place > -1) & (place < bins)
    return np.bincount(np.trunc(place[binned]).astype(int), minlength=bins + 1).astype(object), zero, scale, binned


def mode(h, zero, scale):
    """Level and RMS of a histogram, clipped about its median."""
    bins = len(h) - 1
    low, high, sigma, before, middle, rounds = 0, bins - 1, 10.0 * (bins - 1), 1.0, 0.0, 0
    mean = 0.0
    while rounds < 100 and sigma >= 0.1 and abs(sigma / before - 1) > 1e-4:
        rounds += 1
        before = sigma
        i = np.arange(low, high + 1)
        kept = h[low:high + 1]
        number = int(kept.sum())
        mean = int((kept * i).sum()) / number
        sigma = np.sqrt(max(0.0, int((kept * i * i).sum()) / number - mean * mean))
        half = np.cumsum(kept)
        m = low + int(np.argmax(2 * half >= number))
        left = int(half[m - low] - h[m])
        right = number - int(half[m - low])
        if left < right:
            a, lo, hi = m + 1, left + h[m], right
        else:
            a, lo, hi = m, left, right + h[m]
        b = a - 1
        middle = 0.0 if b < 0 else b + 0.5 + (hi - lo) / (2.0 * max(h[a], h[b]))
        low = int(middle - 3 * sigma + 0.5) if middle - 3 * sigma > 0 else 0
        high = int(middle + 3 * sigma + 0.5) if middle + 3 * sigma < bins - 1 else bins - 1
    if sigma == 0:
        level = f64(zero) + mean * f64(scale)
    elif abs((mean - middle) / sigma) < 0.3:
        level = f64(zero) + (2.5 * middle - 1.5 * mean) * f64(scale)
    else:
        level = f64(zero) + middle * f64(scale)
    return f32(level), f32(sigma * f64(scale))


def node(mesh, order):
    """Level and RMS of one mesh, or None where more than half of it is masked."""
    good = np.isfinite(mesh)
    inside = cut(mesh, good, order)
    if inside is None:
        return None
    h, zero, scale, _ = histogram(mesh, inside, good, order)
    return mode(h, zero, scale)


def variance_node(mesh, variance, order):
    """Level and RMS of the variances in a mesh: of the pixels that count for its level."""
    good = np.isfinite(mesh)
    inside = cut(mesh, good, order)
    if inside is None:
        return None
    *_, binned = histogram(mesh, inside, good, order)
    h, zero, scale, _ = histogram(variance, inside & cut(variance, good, order), binned, order)
    return mode(h, zero, scale)


def sides(value):
    """Width and height: of a square, or a pair."""
    return value if isinstance(value, tuple) else (value, value)


def nodes(image, side, filter_size=3, order="columns", variance=None):
    """Level and RMS of every mesh after the filter: of the image, or of the variances of its pixels. A side is one number,
    or a width and a height."""
    height, width = image.shape
    (wide, high), (columns, rows) = sides(side), sides(filter_size)
    ny, nx = (height - 1) // high + 1, (width - 1) // wide + 1
    mesh_of = lambda plane, y, x: plane[high * y:high * y + high, wide * x:wide * x + wide]  # noqa: E731
    found = [[node(mesh_of(image, y, x), order) if variance is None else
              variance_node(mesh_of(image, y, x), mesh_of(variance, y, x), order) for x in range(nx)] for y in range(ny)]
    filled = np.zeros((2, ny, nx), f32)
    good = [(y, x) for y in range(ny) for x in range(nx) if found[y][x] is not None]
    for y in range(ny):
        for x in range(nx):
            if found[y][x] is not None:
                filled[:, y, x] = found[y][x]
            elif not good:
                filled[:, y, x] = 0, 1
            else:
                distance = [(y - v) ** 2 + (x - u) ** 2 for v, u in good]
                nearest = [found[v][u] for (v, u), d in zip(good, distance) if d == min(distance)]
                filled[:, y, x] = [f32(sum(f64(n[k]) for n in nearest) / len(nearest)) for k in (0, 1)]
    out = np.empty_like(filled)
    for y in range(ny):
        for x in range(nx):
            across, down = min(columns // 2, x, nx - 1 - x), min(rows // 2, y, ny - 1 - y)
            part = filled[:, y - down:y + down + 1, x - across:x + across + 1]
            out[:, y, x] = [np.median(p) for p in part]
    return out
