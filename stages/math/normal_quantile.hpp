#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// Returns the value in units of sigma below which a normal variable is with this probability, which is above 0 and
/// below 1. The relative error is below 1.2e-9 (P. J. Acklam 2003, "An algorithm for computing the inverse normal
/// cumulative distribution function").
SRCEXTRACT_HOST_DEVICE inline double normal_quantile(double probability) {
  constexpr double tail = 0.02425;
  const double below = probability < 0.5 ? probability : 1 - probability, sign = probability < 0.5 ? 1 : -1;
  if (below < tail) {
    const double q = std::sqrt(-2 * portable_log(below));
    const double top =
        ((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q - 2.549732539343734) * q +
         4.374664141464968) *
            q +
        2.938163982698783;
    return sign * top /
           ((((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q + 3.754408661907416) * q +
            1);
  }
  const double q = below - 0.5, r = q * q;
  const double top =
      (((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r + 1.383577518672690e2) * r -
        3.066479806614716e1) *
           r +
       2.506628277459239) *
      q;
  return sign * top /
         (((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r + 6.680131188771972e1) *
               r -
           1.328068155288572e1) *
              r +
          1);
}

/// Returns where in a step the median of normal values is that are rounded to whole steps: 0 is the lower end of the
/// step, 1 the upper one. `before` of `count` values are in lower steps, and `here` in this one. Where the noise is far
/// larger than a step, they are spread evenly over it.
SRCEXTRACT_HOST_DEVICE inline double median_in_step(std::int64_t before, std::int64_t here, std::int64_t count) {
  const auto below = [&](std::int64_t values) {
    const double all = static_cast<double>(count), least = 0.5 / all;
    const double part = static_cast<double>(values) / all;
    return normal_quantile(part < least ? least : part > 1 - least ? 1 - least : part);
  };
  const double lower = below(before), upper = below(before + here);
  return upper > lower ? -lower / (upper - lower) : 0.5;
}

}  // namespace srcextract
