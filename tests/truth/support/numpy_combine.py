"""Random planes, combined by the program's own stage through combine_planes and by NumPy."""
import subprocess
import warnings

import numpy as np

METHODS = ("weighted", "luminosity", "mean", "inverse_variance", "chi_square", "median")


class Case:
    def __init__(self, planes, weights, skies, sigmas):
        self.planes, self.weights, self.skies, self.sigmas = planes, weights, skies, sigmas

    def request(self):
        count, height, width = self.planes.shape
        facts = np.stack([self.weights, self.skies, self.sigmas], axis=1)
        return np.array([width, height, count], np.int32).tobytes() + facts.tobytes() + self.planes.tobytes()


def random_cases(method, count=150, seed=1):
    """Single pixels, rows, columns and larger images; from 1 plane to 64; nothing masked up to nearly everything."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        width, height = rng.integers(1, 70, 2) ** [i % 5 != 1, i % 5 != 2]
        number = 3 if method == "luminosity" else [1, 2, 3, 4, 5, 9, 10, rng.integers(11, 64), 64][i % 9]
        skies, sigmas = rng.normal(0, 100, number), np.exp(rng.normal(0, 2, number))
        planes = rng.normal(skies, sigmas, (height, width, number)).transpose(2, 0, 1).astype(np.float32)
        planes[rng.uniform(size=planes.shape) < rng.choice([0, 0.01, 0.3, 0.95])] = np.nan
        if i % 4 == 0:
            planes = np.round(planes)  # equal pixels
        weights = {"luminosity": np.array([0.21, 0.71, 0.07]), "mean": np.full(number, 1 / number)}
        if i % 6 == 0 and number > 1:
            sigmas[rng.integers(number)] = 0
        yield Case(np.ascontiguousarray(planes), weights.get(method, rng.uniform(0.1, 2, number)), skies, sigmas)


def combined_by_numpy(method, case):
    planes = case.planes.astype(np.float64)
    if method == "median":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pixels that are masked in every plane
            return np.nanmedian(planes, axis=0)
    column = np.s_[:, np.newaxis, np.newaxis]
    sky, weights = 0.0, case.weights[column]
    if method in ("inverse_variance", "chi_square"):
        known = case.sigmas > 0
        planes, sky = planes[known], case.skies[known][column]
        weights = 1 / case.sigmas[known][column] ** 2
    good = np.isfinite(planes)
    with np.errstate(invalid="ignore", divide="ignore"):
        if method == "chi_square":
            return np.nansum((planes - sky) ** 2 * weights, axis=0) * len(planes) / good.sum(axis=0)
        share = np.where(good, weights, 0).sum(axis=0) / (1 if method == "inverse_variance" else weights.sum())
        return np.where(good, weights * (planes - sky), 0).sum(axis=0) / share


def combined(tool, backend, method, cases):
    """The pixels that the program makes of each, and how many it says are masked."""
    done = subprocess.run([tool, backend, method], input=b"".join(case.request() for case in cases),
                          stdout=subprocess.PIPE, check=True)
    at = 0
    for case in cases:
        shape = case.planes.shape[1:]
        pixels = np.frombuffer(done.stdout, np.float32, shape[0] * shape[1], at).reshape(shape)
        at += pixels.nbytes
        yield pixels, int(np.frombuffer(done.stdout, np.int64, 1, at)[0])
        at += 8
    if at != len(done.stdout):
        raise RuntimeError(f"{len(done.stdout)} bytes, not {at}")


def problem_of(method, case, pixels, masked):
    """What is wrong with them, or None. The float nearest to the truth, but for what sums of doubles may round."""
    truth = combined_by_numpy(method, case)
    if not np.array_equal(np.isnan(pixels), np.isnan(truth)):
        return "other pixels are masked"
    known = ~np.isnan(truth)
    if method == "median" and not np.array_equal(pixels[known], truth[known].astype(np.float32)):
        return "not the median"
    rounding = 0.5 * np.spacing(np.abs(pixels[known])) * (1 + 1e-6) + 1e-10
    if not np.all(np.abs(pixels[known] - truth[known]) <= np.maximum(rounding, 1e-13 * np.abs(truth[known]))):
        return f"off by {np.max(np.abs(pixels[known] - truth[known]))}"
    if masked != np.isnan(case.planes).sum():
        return f"{masked} masked pixels are counted, not {np.isnan(case.planes).sum()}"
    return None


def compare(tool, backend, method):
    """What does not agree; nothing, if all does."""
    cases = list(random_cases(method))
    problems = [f"{method}, case {i}, {case.planes.shape}: {problem}"
                for i, (case, result) in enumerate(zip(cases, combined(tool, backend, method, cases)))
                if (problem := problem_of(method, case, *result))]
    return problems[:10]
