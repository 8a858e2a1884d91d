#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

/// The longest side of a kernel, in pixels.
inline constexpr std::int64_t most_kernel_size = 63;

/// Half width, in sigma, of a Gaussian and of a mexican hat without a given size.
inline constexpr double gaussian_reach = 4;
inline constexpr double mexican_hat_reach = 5;

/// Full width at half maximum of a Gaussian of sigma 1: 2 sqrt(2 ln 2).
inline constexpr double fwhm_per_sigma = 2.3548200450309493;

/// Returns why rows of values are no convolution kernel, to follow the name of the key in a message: "must have odd
/// sides, not 4 x 3". Other reasons: no values, rows of different length, a side longer than `most_size`, a value that
/// is not a finite float32, all values zero. Empty if the values are a kernel.
std::string kernel_problem(const std::vector<std::vector<double>>& values, std::int64_t most_size = most_kernel_size);

}  // namespace srcextract
