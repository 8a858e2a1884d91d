#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/clean/clean_profile.hpp"

namespace srcextract {

/// Finds the profiles near a position. Profiles of similar size share a grid with cells as wide as their reach. Small
/// profiles are thus not searched over the reach of a large one.
class ProfileGrid {
 public:
  /// `profiles` are numbered from 0. Profiles without position or size are left out, since they eat nothing.
  explicit ProfileGrid(std::span<const CleanProfile> profiles);

  /// Calls body(i) for all profiles with numbers below `end` that may reach `small`, and for some that do not. The
  /// order is by cells, and by numbers within a cell.
  template <class Body>
  void for_each_before(std::int32_t end, const CleanProfile& small, const Body& body) const {
    for (const Layer& layer : layers_) {
      // A margin covers the rounding of floats.
      const double reach = 10.01 * (static_cast<double>(layer.largest) + static_cast<double>(small.a)) + 1;
      const std::int64_t left = layer.column(small.x - reach), right = layer.column(small.x + reach);
      const std::int64_t last_row = layer.row(small.y + reach);
      for (std::int64_t row = layer.row(small.y - reach); row <= last_row; ++row) {
        for (std::int64_t cell = row * layer.columns + left; cell <= row * layer.columns + right; ++cell) {
          const auto c = static_cast<std::size_t>(cell);
          for (std::int64_t i = layer.begin[c]; i < layer.begin[c + 1]; ++i) {
            const std::int32_t number = layer.number[static_cast<std::size_t>(i)];
            if (number >= end) break;
            body(number);
          }
        }
      }
    }
  }

 private:
  /// A grid of profiles of similar size.
  struct Layer {
    double side = 0;  ///< width of a cell, in pixels
    double x_least = 0, y_least = 0;
    std::int64_t columns = 1, rows = 1;
    float largest = 0;                 ///< largest semi-major axis
    std::vector<std::int64_t> begin;   ///< per cell: its first element of `number`; one more element is the end
    std::vector<std::int32_t> number;  ///< numbers of profiles, cell by cell, ascending

    std::int64_t column(double x) const { return cell_of((x - x_least) / side, columns); }
    std::int64_t row(double y) const { return cell_of((y - y_least) / side, rows); }
    static std::int64_t cell_of(double at, std::int64_t cells) {
      return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(cells - 1)));
    }
  };

  static Layer make_layer(std::span<const CleanProfile> profiles, double size, std::vector<std::int32_t> members);

  std::vector<Layer> layers_;
};

}  // namespace srcextract
