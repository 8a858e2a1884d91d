#include "stages/galaxy/galaxy_equations.hpp"

#include <algorithm>
#include <cstddef>

#include "stages/core/vector_clones.hpp"
#include "stages/galaxy/eight_lanes.hpp"

namespace srcextract {
namespace {

constexpr int most_columns = 16;

/// Lanes of all sums.
struct LaneSums {
  alignas(64) double of[most_columns][most_columns][eight];
};

inline void add_lanes(const Eight& from, double* to) {
  using Lanes [[gnu::vector_size(32), gnu::may_alias]] = double;
  *reinterpret_cast<Lanes*>(to) += low_doubles(from);
  *reinterpret_cast<Lanes*>(to + 4) += high_doubles(from);
}

/// Products of columns j, j + 1 ... with columns k, k + 1 ... in a chunk.
template <int height, int width>
inline void add_tile(const float* const* column, const float* weight, int j, int k, LaneSums& sums) {
  Eight acc[height][width] = {};
  for (int i = 0; i < galaxy_chunk; i += eight) {
    const Eight w = load_eight(weight + i);
    Eight line[width];
    for (int c = 0; c < width; ++c) line[c] = load_eight(column[k + c] + i);
    for (int r = 0; r < height; ++r) {
      const Eight weighted = w * load_eight(column[j + r] + i);
      for (int c = 0; c < width; ++c) acc[r][c] += weighted * line[c];
    }
  }
  for (int r = 0; r < height; ++r) {
    for (int c = 0; c < width; ++c) add_lanes(acc[r][c], sums.of[j + r][k + c]);
  }
}

template <int height>
inline void add_tiles(int columns, const float* const* column, const float* weight, int j, LaneSums& sums) {
  int k = j;
  for (; k + 4 <= columns; k += 4) add_tile<height, 4>(column, weight, j, k, sums);
  if (columns - k == 3) add_tile<height, 3>(column, weight, j, k, sums);
  if (columns - k == 2) add_tile<height, 2>(column, weight, j, k, sums);
  if (columns - k == 1) add_tile<height, 1>(column, weight, j, k, sums);
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void add_chunk(int columns, const float* const* column, const float* weight,
                                                           LaneSums& sums) {
  int j = 0;
  for (; j + 2 <= columns; j += 2) add_tiles<2>(columns, column, weight, j, sums);
  if (j < columns) add_tiles<1>(columns, column, weight, j, sums);
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void find_residual_lanes(int images, const float* const* image,
                                                                     const float* flux, const float* light,
                                                                     const float* weight, std::size_t pixels,
                                                                     float* residual, double* lanes) {
  FourDoubles low = {}, high = {};
  for (std::size_t i = 0; i < pixels; i += eight) {
    Eight rest = load_eight(light + i);
    for (int j = 0; j < images; ++j) rest -= flux[j] * load_eight(image[j] + i);
    store_eight(rest, residual + i);
    const Eight weighted = load_eight(weight + i) * rest;
    low += low_doubles(weighted) * low_doubles(rest);
    high += high_doubles(weighted) * high_doubles(rest);
  }
  for (int lane = 0; lane < 4; ++lane) {
    lanes[lane] = low[lane];
    lanes[4 + lane] = high[lane];
  }
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void mix_images(int images, const float* const* image, const float* factor,
                                                            std::size_t pixels, float* to) {
  for (std::size_t i = 0; i < pixels; i += eight) {
    Eight sum = factor[0] * load_eight(image[0] + i);
    for (int j = 1; j < images; ++j) sum += factor[j] * load_eight(image[j] + i);
    store_eight(sum, to + i);
  }
}

SRCEXTRACT_VECTOR_CLONES void invert_variance(const float* variance, const float* light, const float* residual,
                                              float per_photon, std::size_t pixels, float* weight) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const float model = light[i] - residual[i], photons = model > 0 ? model * per_photon : 0;
    weight[i] = variance[i] > 0 ? 1 / (variance[i] + photons) : 0;
  }
}

}  // namespace

void sum_column_products(int columns, const float* const* column, const float* weight, std::size_t pixels,
                         double* sums) {
  LaneSums lanes;
  for (int j = 0; j < columns; ++j) {
    for (int k = 0; k < columns; ++k) std::fill_n(lanes.of[j][k], eight, 0.0);
  }
  const float* from[most_columns];
  for (std::size_t i = 0; i < pixels; i += galaxy_chunk) {
    for (int j = 0; j < columns; ++j) from[j] = column[j] + i;
    add_chunk(columns, from, weight + i, lanes);
  }
  for (int j = 0; j < columns; ++j) {
    for (int k = j; k < columns; ++k) {
      double sum = 0;
      for (int lane = 0; lane < eight; ++lane) sum += lanes.of[j][k][lane];
      sums[j * columns + k] = sums[k * columns + j] = sum;
    }
  }
}

double find_residual(int images, const float* const* image, const float* flux, const float* light, const float* weight,
                     std::size_t pixels, float* residual) {
  double lanes[eight], sum = 0;
  find_residual_lanes(images, image, flux, light, weight, pixels, residual, lanes);
  for (const double lane : lanes) sum += lane;
  return sum;
}

void add_images(int images, const float* const* image, const float* factor, std::size_t pixels, float* to) {
  mix_images(images, image, factor, pixels, to);
}

void find_weights(const float* variance, const float* light, const float* residual, float per_photon,
                  std::size_t pixels, float* weight) {
  invert_variance(variance, light, residual, per_photon, pixels, weight);
}

}  // namespace srcextract
