#include "stages/convolve/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "stages/core/error.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

namespace {

using Rows = std::vector<std::vector<double>>;

/// The value of a kernel as a function of the offset from its centre, in pixels.
using Profile = std::function<double(double x, double y)>;

/// The squared distance from the centre in units of sigma. Offsets are divided by sigma before squaring, since sigma^2
/// may underflow to 0.
double square_in_sigma(double x, double y, double sigma) {
  return (x / sigma) * (x / sigma) + (y / sigma) * (y / sigma);
}

/// Samples a profile at the pixel centres of a square kernel with `size` pixels a side. If `size` is 0, the side is 2 *
/// reach + 1 pixels. Throws Error{config} if that exceeds most_kernel_size.
Rows sample(const Profile& profile, std::int64_t size, double reach) {
  constexpr std::int64_t most_reach = most_kernel_size / 2;
  if (size == 0 && !(reach <= static_cast<double>(most_reach))) {
    const std::string most = std::to_string(most_kernel_size);
    throw Error(ErrorKind::config, "the kernel of 'convolve' would be larger than the " + most + " x " + most +
                                       " pixels that one can be; make it narrower, or cut it off with 'convolve.size'");
  }
  if (size == 0) size = 2 * static_cast<std::int64_t>(reach) + 1;
  const std::int64_t centre = size / 2;
  Rows rows;
  for (std::int64_t y = 0; y < size; ++y) {
    std::vector<double>& row = rows.emplace_back();
    for (std::int64_t x = 0; x < size; ++x) {
      row.push_back(profile(static_cast<double>(x - centre), static_cast<double>(y - centre)));
    }
  }
  return rows;
}

Rows values_of(const ConvolveConfig& config) {
  const double sigma = config.fwhm > 0 ? config.fwhm / fwhm_per_sigma : config.sigma;
  switch (config.kernel) {
    case KernelShape::gaussian:
      return sample([&](double x, double y) { return portable_exp(-square_in_sigma(x, y, sigma) / 2); }, config.size,
                    std::ceil(gaussian_reach * sigma));
    case KernelShape::mexican_hat:
      return sample(
          [&](double x, double y) {
            const double half_square = square_in_sigma(x, y, sigma) / 2;
            const double gaussian = portable_exp(-half_square);
            return gaussian > 0 ? (1 - half_square) * gaussian : 0.0;
          },
          config.size, std::ceil(mexican_hat_reach * sigma));
    case KernelShape::tophat:
      return sample([&](double x, double y) { return x * x + y * y <= config.radius * config.radius ? 1.0 : 0.0; },
                    config.size, std::floor(config.radius));
    case KernelShape::values:
      return config.values;
    case KernelShape::none:
    case KernelShape::file:
      break;
  }
  throw Error(ErrorKind::internal, "a kernel is made of values, not of 'none' or a file");
}

void normalise(Rows& rows) {
  double sum = 0;
  for (const auto& row : rows) {
    for (const double value : row) sum += std::fabs(value);
  }
  for (auto& row : rows) {
    for (double& value : row) value /= sum;
  }
}

/// Sets kernel.along_x and kernel.along_y if no weight is negative and `weights` is the outer product of two vectors.
/// The vectors are the row and the column through the largest weight. Leaves both empty if not.
void separate(const std::vector<double>& weights, Kernel& kernel) {
  const auto width = static_cast<std::size_t>(kernel.width);
  const auto largest = std::ranges::max_element(weights);
  if (*std::ranges::min_element(weights) < 0) return;
  const auto peak = static_cast<std::size_t>(largest - weights.begin());
  std::vector<float> along_x, along_y;
  for (std::size_t x = 0; x < width; ++x) along_x.push_back(static_cast<float>(weights[peak - peak % width + x]));
  for (std::size_t i = peak % width; i < weights.size(); i += width) {
    along_y.push_back(static_cast<float>(weights[i] / *largest));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double product = static_cast<double>(along_y[i / width]) * static_cast<double>(along_x[i % width]);
    if (std::fabs(product - weights[i]) > 0x1p-22 * weights[i] + 0x1p-60 * *largest) return;
  }
  kernel.along_x = std::move(along_x);
  kernel.along_y = std::move(along_y);
}

/// The variance along x of a Gaussian that is sampled at pixel centres, out to gaussian_reach * sigma.
double variance_of_samples(double sigma) {
  double sum = 1, squares = 0;
  for (double x = 1; x <= std::ceil(gaussian_reach * sigma); ++x) {
    const double sample = 2 * portable_exp(-square_in_sigma(x, 0, sigma) / 2);
    sum += sample;
    squares += sample * x * x;
  }
  return squares / sum;
}

/// The sigma of a Gaussian whose samples have this variance, found by bisection. For a small variance this sigma is
/// larger than the root of the variance, since all samples but the central one would be nearly 0.
double sigma_of_samples(double variance) {
  double least = 0, most = 1 + 2 * std::sqrt(variance);
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (least + most) / 2;
    (variance_of_samples(middle) < variance ? least : most) = middle;
  }
  return most;
}

}  // namespace

Kernel make_kernel(const ConvolveConfig& config) {
  Rows rows = values_of(config);
  if (const std::string problem = kernel_problem(rows); !problem.empty()) {
    throw Error(ErrorKind::config, "the values of the kernel of 'convolve' " + problem);
  }
  return kernel_of_values(std::move(rows), config.normalize);
}

Kernel kernel_of_values(std::vector<std::vector<double>> rows, bool normalize) {
  if (normalize) normalise(rows);

  std::vector<double> weights;
  for (const auto& row : rows) weights.insert(weights.end(), row.begin(), row.end());
  std::ranges::reverse(weights);
  Kernel kernel{static_cast<int>(rows.front().size()), static_cast<int>(rows.size()), {}, {}, {}};
  for (const double weight : weights) kernel.weights.push_back(static_cast<float>(weight));
  separate(weights, kernel);
  return kernel;
}

Kernel kernel_of_weights(const std::vector<float>& weights) {
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(weights.size()))));
  double sum = 0;
  for (const float weight : weights) sum += std::fabs(static_cast<double>(weight));
  Kernel kernel{side, side, weights, {}, {}, true};
  for (float& weight : kernel.weights) weight = static_cast<float>(static_cast<double>(weight) / sum);
  return kernel;
}

Kernel squared(Kernel kernel) {
  for (std::vector<float>* values : {&kernel.weights, &kernel.along_x, &kernel.along_y})
    for (float& value : *values) value *= value;
  return kernel;
}

double white_noise_of(const Kernel& kernel) {
  double squares = 0;
  for (const float weight : kernel.weights) squares += static_cast<double>(weight) * static_cast<double>(weight);
  return std::sqrt(squares);
}

Kernel make_matching_kernel(double from, double to) {
  ConvolveConfig config;
  config.kernel = KernelShape::gaussian;
  config.sigma = sigma_of_samples((to - from) * (to + from) / (fwhm_per_sigma * fwhm_per_sigma));
  return make_kernel(config);
}

}  // namespace srcextract
