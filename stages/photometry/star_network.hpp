#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "stages/math/exact_math.hpp"
#include "stages/photometry/profile.hpp"
#include "stages/settings/network_numbers.hpp"

namespace srcextract {

/// SExtractor's classifier of stars and galaxies (Bertin & Arnouts 1996, section 8), with weights from a user's file.
/// The neural network has ten inputs, ten hidden nodes and one output node. The value of a node is 1 / (1 + exp(-sum)),
/// where `sum` is the weighted sum of the node's inputs. Each input is first multiplied by its scale, and its bias is
/// added. The result is (output - bias) / scale, with another bias and scale.
class StarNetwork {
 public:
  static constexpr std::size_t inputs = network_inputs, hidden = network_hidden;
  static constexpr std::size_t size = network_size;  ///< number of numbers in the file

  explicit StarNetwork(std::span<const double, size> numbers) : numbers_(numbers) {}

  /// Returns the network's result for these inputs. With the usual file it is between 0 and 1.
  double operator()(const std::array<double, inputs>& input) const {
    std::array<double, inputs> scaled;
    for (std::size_t i = 0; i < inputs; ++i) scaled[i] = input[i] * numbers_[inputs + i] + numbers_[i];
    std::array<double, hidden> nodes;
    for (std::size_t i = 0; i < hidden; ++i) nodes[i] = node(scaled, numbers_.subspan(first + i * (inputs + 1)));
    const double output = node(nodes, numbers_.subspan(first + hidden * (inputs + 1)));
    return (output - numbers_[size - 2]) / numbers_[size - 1];
  }

 private:
  static constexpr std::size_t first = 2 * inputs;  ///< index of the first weight

  template <std::size_t N>
  static double node(const std::array<double, N>& from, std::span<const double> weights) {
    double sum = weights[N];
    for (std::size_t i = 0; i < N; ++i) sum += weights[i] * from[i];
    return 1 / (1 + portable_exp(-sum));
  }

  std::span<const double, size> numbers_;
};

/// Returns the network's inputs for a source with this profile, where s is the seeing in pixels:
/// - lg of the areas above eight levels (ISO0 to ISO7), each divided by s^2; -2 for an area of 0;
/// - as the second input, lg of the peak divided by the analysis threshold; -1 if the ratio is not above 0;
/// - as the last input, lg of the seeing in arcseconds.
inline std::array<double, StarNetwork::inputs> star_inputs(const ProfileRow& row, double seeing_fwhm,
                                                           double pixel_scale) {
  constexpr double of_empty = -2, of_dark = -1;
  const auto lg = [](double value) { return portable_log(value) / ln_10; };
  const double pixels = seeing_fwhm / pixel_scale, square = pixels * pixels;
  std::array<double, StarNetwork::inputs> input;
  for (std::size_t i = 0; i < profile_levels; ++i)
    input[i == 0 ? 0 : i + 1] = row.area[i] > 0 ? lg(row.area[i] / square) : of_empty;
  input[1] = row.contrast > 0 ? lg(row.contrast) : of_dark;
  input[StarNetwork::inputs - 1] = lg(seeing_fwhm);
  return input;
}

/// Returns CLASS_STAR; NaN if the pixel scale is unknown. Runs on the host also if a GPU measured the profile.
inline double star_class(const StarNetwork& network, const ProfileRow& row, double seeing_fwhm, double pixel_scale) {
  if (!(pixel_scale > 0)) return std::numeric_limits<double>::quiet_NaN();
  return network(star_inputs(row, seeing_fwhm, pixel_scale));
}

}  // namespace srcextract
