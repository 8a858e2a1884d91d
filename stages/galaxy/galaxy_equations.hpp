#pragma once

#include <cstddef>

namespace srcextract {

/// Sums over the pixels of a box are made in this order, which a device can follow:
/// - Every box holds a whole number of chunks of 256 pixels. Pixel i of a chunk belongs to lane i mod 8.
/// - In a chunk, a lane adds its products in float, in the order of the pixels.
/// - The sums of a lane are added over the chunks in double.
/// - At last the 8 lanes are added, in the order of their numbers.
inline constexpr int galaxy_chunk = 256;

/// Sums weight * column[j] * column[k] for j <= k < columns into sums[j * columns + k], and copies them to the other
/// half.
void sum_column_products(int columns, const float* const* column, const float* weight, std::size_t pixels,
                         double* sums);

/// Sets residual = light - sum of flux * image; returns the sum of weight * residual², which is made in double.
double find_residual(int images, const float* const* image, const float* flux, const float* light, const float* weight,
                     std::size_t pixels, float* residual);

/// Sets to = sum of factor * image.
void add_images(int images, const float* const* image, const float* factor, std::size_t pixels, float* to);

/// Sets weight = 1 / (variance + per_photon * max(light - residual, 0)), or 0 where the variance is 0.
void find_weights(const float* variance, const float* light, const float* residual, float per_photon,
                  std::size_t pixels, float* weight);

}  // namespace srcextract
