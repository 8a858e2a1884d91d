"""The four steps of the astronomy lesson as published, on NumPy and SciPy or on CuPy, and a careful CuPy version."""


def clip(xp, data):
    while True:
        median, std = xp.median(data), xp.std(data)
        above = data.compress(data > median - 3 * std)
        kept = above.compress(above < median + 3 * std)
        if len(kept) == len(data):
            return kept
        data = kept


def published(xp, ndimage, data, timed):
    """Returns the number of sources; timed(step, function) calls the function and keeps the time."""
    clipped = timed("clip", lambda: clip(xp, data.ravel()))
    threshold = 5 * xp.std(clipped)
    segmented = timed("threshold", lambda: xp.where(data > threshold, 1, 0))
    labels = xp.empty(data.shape)
    count = int(timed("label", lambda: ndimage.label(segmented, output=labels)))
    index = xp.arange(1, count + 1)
    timed("measure", lambda: (ndimage.center_of_mass(data, labels, index), ndimage.sum_labels(data, labels, index)))
    return count


def tuned(cp, ndimage, data, timed):
    """What a careful CuPy user would write: masks instead of compress, one bincount instead of a scan per label."""
    flat = data.ravel()

    def sigma():
        kept = flat
        while True:
            median, std = cp.median(kept), cp.std(kept)
            inside = kept[(kept > median - 3 * std) & (kept < median + 3 * std)]
            if inside.size == kept.size:
                return std
            kept = inside

    def measure():
        at = cp.flatnonzero(labels)
        label, value = labels.ravel()[at], flat[at]
        flux = cp.bincount(label, value, count + 1)
        y, x = cp.divmod(at, data.shape[1])
        return flux, cp.bincount(label, value * x, count + 1) / flux, cp.bincount(label, value * y, count + 1) / flux

    std = timed("clip", sigma)
    segmented = timed("threshold", lambda: data > 5 * std)
    labels, count = timed("label", lambda: ndimage.label(segmented))
    count = int(count)
    timed("measure", measure)
    return count
