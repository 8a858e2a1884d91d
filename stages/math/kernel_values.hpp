#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

/// The longest side of a kernel, in pixels.
inline constexpr std::int64_t most_kernel_size = 63;

/// Default half width, in sigma, of a Gaussian kernel and of a mexican-hat kernel, if the user gives no size.
inline constexpr double gaussian_reach = 4;
inline constexpr double mexican_hat_reach = 5;

/// Full width at half maximum of a Gaussian of sigma 1: 2 sqrt(2 ln 2).
inline constexpr double fwhm_per_sigma = 2.3548200450309493;

/// Returns the reason why rows of values are not a convolution kernel, or an empty string if they are. The text follows
/// the name of a configuration key: "must have odd sides, not 4 x 3". Other reasons: no values, rows of different
/// length, a side longer than `most_size`, a value that is not a finite float32, all values zero.
std::string kernel_problem(const std::vector<std::vector<double>>& values, std::int64_t most_size = most_kernel_size);

}  // namespace srcextract
