#!/usr/bin/env python3
"""Writes stages/galaxy/sersic_constants.hpp: what the renderer of galaxies needs to know about Sersic profiles.

usage: scripts/sersic_table.py > stages/galaxy/sersic_constants.hpp        (needs numpy and scipy)

A profile has flux 1 and half-light radius 1. Its Hankel transform comes from the logarithmic transform of Hamilton
(2000), scipy.fft.fht. b of Ciotti & Bertin (1999) is the exact root of the incomplete gamma function. All tables are
coefficients of cubic B-splines on uniform knots. The first and last spline of a table belong to knots one step beyond
its range.
"""
import sys

import numpy as np
from scipy.fft import fht, fhtoffset
from scipy.interpolate import CubicSpline
from scipy.special import gammaincc, gammaincinv, gammaln

LOW_N, STEP_N, COUNT_N = np.log(0.25), 1 / 6, 23
LOW_K, STEP_K, COUNT_K = np.log(1e-4), 1 / 12, 213
LOW_R, STEP_R, COUNT_R = -1.0, 1 / 6, 61
STEP_FINE, COUNT_FINE = STEP_N / 4, 4 * (COUNT_N - 1) + 1
UNIT = 1e-7


def b_of(n):
    return gammaincinv(2 * n, 0.5)


def log_peak(n):
    """ln of the profile at its centre."""
    return -(np.log(2 * np.pi * n) - 2 * n * np.log(b_of(n)) + gammaln(2 * n))


def transform(n, log_k):
    size = 16384
    log_r = np.linspace(-10, 10, size, endpoint=False) * np.log(10)
    step = log_r[1] - log_r[0]
    offset = fhtoffset(step, mu=0.0, initial=0.0, bias=0.0)
    r = np.exp(log_r)
    profile = np.exp(log_peak(n) - b_of(n) * r ** (1 / n))
    k = np.exp(offset) / r[::-1]
    return CubicSpline(np.log(k), 2 * np.pi * fht(r * profile, step, mu=0.0, offset=offset) / k)(log_k)


def coefficients(values, step):
    """Coefficients of cubic B-splines along the first axis. The spline has no knot at its second and last but one value."""
    x = np.arange(len(values)) * step
    bend = step * step * CubicSpline(x, values, axis=0)(x, 2)
    inner = values - bend / 6
    return np.concatenate([[bend[0] + 2 * inner[0] - inner[1]], inner, [bend[-1] + 2 * inner[-1] - inner[-2]]])


def evaluate(c, place):
    i = min(int(np.floor(place)), len(c) - 4)
    t = place - i
    w = np.array([(1 - t) ** 3, 3 * t ** 3 - 6 * t * t + 4, -3 * t ** 3 + 3 * t * t + 3 * t + 1, t ** 3]) / 6
    return np.tensordot(w, c[i:i + 4], 1)


def write_row(values, form, end):
    line = "{"
    for v in values:
        text = form(v) + ","
        if len(line) + len(text) > 117:
            print(line)
            line = ""
        line += text
    print(line + "}" + end)


def write(kind, name, shape, comment, values, form):
    print("\n/// %s\ninline constexpr %s %s%s =" % (comment, kind, name, shape), end=" ")
    if values.ndim == 1:
        write_row(values, form, ";")
        return
    print("{")
    for row in values:
        write_row(row, form, ",")
    print("};")


def main():
    n = np.exp(LOW_N + STEP_N * np.arange(COUNT_N))
    fine = np.exp(LOW_N + STEP_FINE * np.arange(COUNT_FINE))
    log_k = LOW_K + STEP_K * np.arange(COUNT_K)
    log_r = LOW_R + STEP_R * np.arange(COUNT_R)
    h = np.array([transform(x, log_k) for x in n])
    beyond = np.array([gammaincc(2 * x, b_of(x) * np.exp(log_r / x)) for x in n])
    tables = {}
    for name, of, step in (("h", h, STEP_K), ("beyond", beyond, STEP_R)):
        tables[name] = np.rint(coefficients(coefficients(of, STEP_N).T, step).T / UNIT).astype(int)
    b, peak = coefficients(b_of(fine), STEP_FINE), coefficients(log_peak(fine), STEP_FINE)

    random = np.random.default_rng(1)
    worst = dict.fromkeys(("h", "beyond", "b", "peak"), 0.0)
    for x in np.exp(random.uniform(np.log(0.3), np.log(8), 200)):
        place = (np.log(x) - LOW_N) / STEP_N
        t = random.uniform(0, COUNT_K - 1, 200)
        r = random.uniform((1 - LOW_R) / STEP_R, COUNT_R - 1, 50)
        one = UNIT * evaluate(tables["h"], place)
        worst["h"] = max(worst["h"], abs([evaluate(one, z) for z in t] - transform(x, LOW_K + STEP_K * t)).max())
        one = UNIT * evaluate(tables["beyond"], place)
        true = gammaincc(2 * x, b_of(x) * np.exp((LOW_R + STEP_R * r) / x))
        worst["beyond"] = max(worst["beyond"], abs([evaluate(one, z) for z in r] - true).max())
        place = (np.log(x) - LOW_N) / STEP_FINE
        worst["b"] = max(worst["b"], abs(evaluate(b, place) - b_of(x)))
        worst["peak"] = max(worst["peak"], abs(evaluate(peak, place) - log_peak(x)))
    print("largest errors, index .3 to 8:", worst, file=sys.stderr)

    print("#pragma once\n\n// Written by scripts/sersic_table.py.\n// clang-format off\n\nnamespace srcextract {\n\n"
          "/// Knots in ln n (n is the index), in ln of the wave number, and in ln of the radius, without those beyond the ends.")
    for name, low, step, count in (("index", LOW_N, STEP_N, COUNT_N), ("wave", LOW_K, STEP_K, COUNT_K),
                                   ("radius", LOW_R, STEP_R, COUNT_R)):
        print("inline constexpr double sersic_%s_low = %.17g, sersic_%s_step = %.17g;" % (name, low, name, step))
        print("inline constexpr int sersic_%s_knots = %d;" % (name, count))
    print("/// Knots in ln n of the one-dimensional tables, a quarter of a step apart.")
    print("inline constexpr int sersic_fine_knots = %d;" % COUNT_FINE)
    print("inline constexpr double sersic_unit = %g;  ///< of the integers below" % UNIT)
    shape = "[sersic_index_knots + 2][sersic_wave_knots + 2]"
    write("int", "sersic_transform", shape, "Hankel transform of the profile.", tables["h"], str)
    shape = "[sersic_index_knots + 2][sersic_radius_knots + 2]"
    write("int", "sersic_beyond", shape, "Part of the light beyond a radius.", tables["beyond"], str)
    write("double", "sersic_b", "[sersic_fine_knots + 2]", "b: the profile falls as exp(-b r^(1/n)).", b, lambda v: "%.12g" % v)
    write("double", "sersic_log_peak", "[sersic_fine_knots + 2]", "ln of the profile at its centre.", peak, lambda v: "%.12g" % v)
    print("\n}  // namespace srcextract")


if __name__ == "__main__":
    main()
