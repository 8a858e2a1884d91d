"""What programs have found, against the truth: who is whom, and numbers by bins of magnitude."""
import numpy as np
from scipy.spatial import cKDTree

from simulated.fields import ZERO_POINT

REACH = 2.0  # pixels
FAINTER = 0.25  # a detection of more than four times the light of what lies there is not of it
EDGE = 16.0  # pixels that are left out
BINS = np.arange(18.0, 25.5)
PULLS = ("x", "x_win", "auto", "aper")


def pair(truth, found):
    """For each true source its detection, or -1: from bright to faint each takes the nearest that is left."""
    there = np.transpose([found["x"], found["y"]])
    owner = np.full(len(truth.x), -1)
    if len(there) == 0:
        return owner
    near = cKDTree(there).query_ball_point(np.transpose([truth.x, truth.y]), REACH)
    free = np.ones(len(there), bool)
    for i in np.argsort(-truth.flux):
        left = [j for j in near[i] if free[j] and truth.flux[i] > FAINTER * found["aper"][j]]
        if left:
            owner[i] = min(left, key=lambda j: (there[j, 0] - truth.x[i]) ** 2 + (there[j, 1] - truth.y[i]) ** 2)
            free[owner[i]] = False
    return owner


def magnitude(flux):
    return ZERO_POINT - 2.5 * np.log10(np.maximum(flux, 1e-9))


def judge(truth, found, side):
    """Of one image: for true sources `mag`, `seen`; for detections `found_mag`, `true`; for those that are paired
    `paired_mag`, `galaxy`, errors in pixels and pulls."""
    owner = pair(truth, found)

    def inside(x, y):
        return (np.minimum(x, y) >= EDGE) & (np.maximum(x, y) <= side - 1 - EDGE)

    within = inside(truth.x, truth.y)
    true = np.isin(np.arange(len(found["x"])), owner)
    i = np.flatnonzero(within & (owner >= 0))
    j = owner[i]
    told = {"mag": truth.mag[within], "seen": owner[within] >= 0, "paired_mag": truth.mag[i], "galaxy": truth.galaxy[i]}
    with np.errstate(invalid="ignore", divide="ignore"):
        for win in ("", "_win"):
            dx, dy = found[f"x{win}"][j] - truth.x[i], found[f"y{win}"][j] - truth.y[i]
            told |= {f"off{win}": np.hypot(dx, dy), f"x{win}": dx / found[f"ex{win}"][j]}
        told |= {name: (found[name][j] - light[i]) / found[f"{name}_err"][j]
                 for name, light in (("auto", truth.flux), ("aper", truth.in_aperture))}
    kept = inside(found["x"], found["y"])
    return told | {"found_mag": magnitude(found["auto"][kept]), "true": true[kept]}


def joined(images):
    return {name: np.concatenate([one[name] for one in images]) for name in images[0]}


def share(mag, which):
    """Of each bin how many there are, and the share of those that are."""
    index = np.digitize(mag, BINS) - 1
    counts = [int(np.count_nonzero(index == k)) for k in range(len(BINS) - 1)]
    return counts, [float(which[index == k].mean()) if count else None for k, count in enumerate(counts)]


def spread(mag, pull):
    """Of each bin the median, and half of the width that holds 68 %, which bright neighbours do not move."""
    good = np.isfinite(pull)
    mag, pull = mag[good], pull[good]
    index = np.digitize(mag, BINS) - 1
    told = []
    for k in range(len(BINS) - 1):
        low, middle, high = (np.quantile(pull[index == k], (0.1587, 0.5, 0.8413))
                             if np.count_nonzero(index == k) >= 20 else (np.nan,) * 3)
        told.append((float(middle), float(high - low) / 2))
    return [None if np.isnan(middle) else middle for middle, _ in told], [None if np.isnan(width) else width for _, width in told]


def numbers(told):
    """Everything that is drawn, by bins."""
    count, completeness = share(told["mag"], told["seen"])
    detections, purity = share(told["found_mag"], told["true"])
    summary = {"count": count, "completeness": completeness, "detections": detections, "purity": purity}
    for name in PULLS:
        middle, width = spread(told["paired_mag"], told[name])
        summary[name] = {"median": middle, "width": width}
    for name in ("off", "off_win"):  # the median distance
        summary[name] = spread(told["paired_mag"], told[name])[0]
    return summary


def false_rate(find, fields, threshold):
    """Detections to a million pixels, in images of which the light is negative."""
    count = sum(len(find(image, threshold, measure=False)["x"]) for image in fields)
    return count * 1e6 / sum(image.size for image in fields)


def threshold_of(find, fields, rate, low=1.0, high=2.6, rounds=5):
    """At which there are so many: the logarithm of a count falls nearly like a line."""
    ends = [(at, np.log(false_rate(find, fields, at) + 0.5)) for at in (low, high)]
    wanted = np.log(rate)
    for _ in range(rounds):
        (low, of_low), (high, of_high) = ends
        middle = (low + high) / 2 if of_low <= of_high else low + (high - low) * np.clip((of_low - wanted) / (of_low - of_high), 0.15, 0.85)
        of_middle = np.log(false_rate(find, fields, middle) + 0.5)
        ends = [(middle, of_middle), ends[1]] if of_middle > wanted else [ends[0], (middle, of_middle)]
        if abs(of_middle - wanted) < 0.05:
            break
    return round(float(middle), 4), float(np.exp(of_middle) - 0.5)
