#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/math/noise_below.hpp"
#include "stages/sky/mesh_nodes.hpp"

// The steps of lower_noise() for single pixels and nodes. CPU and GPU share this code.

namespace srcextract {

/// Pixels below 0 are counted by their depth, in bins of 1/32 of the sigma that white noise would have.
inline constexpr double depth_bins_per_sigma = 32;

/// The step between the rows of a mesh that are read. The filter makes neighbouring rows alike, so that half of the
/// rows tell nearly as much as all.
SRCEXTRACT_HOST_DEVICE inline std::int64_t depth_row_step(std::int64_t mesh_height) {
  return mesh_height >= 32 ? 2 : 1;
}

/// Factor from a pixel to its bin; negative, since only pixels below 0 have a bin; positive in a negated image, of
/// which pixels above 0 have one. 0 if the mesh has no noise. `rms` is the noise of the mesh before the image was
/// filtered.
SRCEXTRACT_HOST_DEVICE inline float depth_scale(float rms, double white, bool negated) {
  const double sigma = static_cast<double>(rms) * white * (negated ? 1 : -1);
  return sigma != 0 ? static_cast<float>(depth_bins_per_sigma / sigma) : 0;
}

/// A mesh's level of 0, and its factor: how many times larger its noise is than the filter makes that of independent
/// pixels. `below` of `read` pixels are below 0. Both results are NaN if these are too few, or deeper than any filter
/// can make the noise.
SRCEXTRACT_HOST_DEVICE inline MeshNode factor_of_depths(const Depths& depths, std::int64_t below, std::int64_t read) {
  constexpr std::int64_t least_share = 16;
  const double noise = depths.noise() / depth_bins_per_sigma;
  if (least_share * below < read || !(noise > 0) || noise == std::numeric_limits<double>::infinity()) {
    constexpr float bad = std::numeric_limits<float>::quiet_NaN();
    return {bad, bad};
  }
  return {0, static_cast<float>(noise)};
}

/// Numbers of pixels that are not masked in meshes that have noise.
struct SidesOfSky {
  std::int64_t below, all;
};

/// Whether the depths tell the noise. In crowds and of amplitudes the sky is less than the median of the pixels; a
/// fifth of the pixels of a crowd at the galactic centre are below it. If fewer than an eighth are, the pixels below
/// are the short tail of a skewed distribution, as that of the sum of five squares (7 %) or of a few photons.
SRCEXTRACT_HOST_DEVICE inline bool tells_noise(const SidesOfSky& pixels) {
  constexpr std::int64_t least_share = 8;
  return pixels.below > 0 && least_share * pixels.below >= pixels.all;
}

/// The median filter of the factors: 9 meshes wide where that of level and noise is 3. The factor of one mesh is
/// uncertain by some 5 %, and hardly changes within an image.
inline BackgroundConfig factor_filter(const BackgroundConfig& config) {
  return widened_filter(widened_filter(config));
}

/// Returns the median of the factors around node (x, y). Near an edge of the image the filter keeps the nodes on the
/// other side. `filter`: factor_filter().
SRCEXTRACT_HOST_DEVICE inline MeshNode filtered_factor(const NodeView& factors, std::int64_t x, std::int64_t y,
                                                       const BackgroundConfig& filter) {
  const FilterReach of_x = whole_reach(x, factors.width, filter.filter_size);
  const FilterReach of_y =
      whole_reach(y, factors.height, filter.filter_height > 0 ? filter.filter_height : filter.filter_size);
  float values[most_filter_size * most_filter_size]{};
  int count = 0;
  for (std::int64_t row = of_y.first; row <= of_y.last; ++row)
    for (std::int64_t column = of_x.first; column <= of_x.last; ++column) values[count++] = factors.at(column, row).rms;
  return {0, median_in(values, count)};
}

/// A node is at least this part of the largest node beside it. A sky whose noise varies slowly, or by chance, stays as
/// it is. Measured for thresholds of 4 and 4.5 sigma: with 0.7 a step of the noise gives up to two false sources to a
/// thousand rows, with 0.75 none.
inline constexpr double least_of_neighbour = 0.75;

/// A factor below this is not that of noise. Independent pixels have 1, within some 5 %, whatever their distribution;
/// pixels that share noise have more.
inline constexpr float least_factor = 0.9F;

/// Returns the noise of a node of this factor. `white_noise` is that of independent pixels there, `clipped` the clipped
/// noise of the filtered image. There are two reasons for a factor below least_factor:
/// - Squares, amplitudes and few photons are closer to the sky below it than above, so that depths tell too little: in
///   2.25 million pixels that are sums of ten squares 4023 groups are above 5 of that noise. White noise has 33.
/// - A slope of the sky within a mesh counts as noise of the pixels, but was subtracted from the filtered image. The
///   clipped noise is less than that, and right.
SRCEXTRACT_HOST_DEVICE inline float noise_by_factor(float factor, float white_noise, float clipped) {
  const float noise = factor * white_noise;
  if (!(factor < least_factor)) return noise;
  const float least = white_noise < clipped ? white_noise : clipped;
  return noise < least ? least : noise;
}

/// Returns the noise of the filtered image at node (x, y), raised beside a noisier node.
SRCEXTRACT_HOST_DEVICE inline MeshNode filtered_noise(const NodeView& factors, const NodeView& noise, double white,
                                                      float clipped, std::int64_t x, std::int64_t y) {
  const auto at = [&](std::int64_t column, std::int64_t row) {
    const auto white_noise = static_cast<float>(white * static_cast<double>(noise.at(column, row).rms));
    return noise_by_factor(factors.at(column, row).rms, white_noise, clipped);
  };
  const float own = at(x, y);
  float most = own;
  for (std::int64_t row = y > 0 ? y - 1 : 0; row <= y + 1 && row < noise.height; ++row)
    for (std::int64_t column = x > 0 ? x - 1 : 0; column <= x + 1 && column < noise.width; ++column) {
      const float beside = at(column, row);
      most = most < beside ? beside : most;
    }
  const auto least = static_cast<float>(least_of_neighbour * static_cast<double>(most));
  return {0, own < least ? least : own};
}

/// The noise of the filtered image at a node in units of that of pixels; 0 if these have none.
SRCEXTRACT_HOST_DEVICE inline float ratio_of_noise(float filtered, float pixels) {
  return pixels > 0 ? filtered / pixels : 0;
}

/// Converts the noise of a node to the unit of pixels (lower_noise).
SRCEXTRACT_HOST_DEVICE inline float in_unit_of_pixels(float rms, double typical, double sigma) {
  return typical > 0 ? static_cast<float>(static_cast<double>(rms) * (sigma / typical)) : 0;
}

}  // namespace srcextract
