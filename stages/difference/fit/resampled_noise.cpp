#include "stages/difference/fit/resampled_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/difference/resample_pixel.hpp"

namespace srcextract {
namespace {

/// The weights of the pixels around a position along one axis, with the sum 1.
template <class Kernel>
struct AxisWeights {
  double pixel;
  double weight[Kernel::taps];

  explicit AxisWeights(double position) {
    const AxisPlace place = place_of(position);
    pixel = place.pixel;
    Kernel::weigh(place.fraction, weight, 1);
    const double all = sum_of<Kernel>(Weights{weight, 1});
    for (double& one : weight) one /= all;
  }

  /// Returns the sum of the products of both weights over the pixels that both positions share.
  double product(const AxisWeights& other) const {
    const double shift = pixel - other.pixel;
    if (!(std::fabs(shift) < Kernel::taps)) return 0;
    const int apart = static_cast<int>(shift);
    double sum = 0;
    for (int k = std::max(0, -apart); k < std::min(Kernel::taps, Kernel::taps - apart); ++k)
      sum += weight[k] * other.weight[k + apart];
    return sum;
  }
};

/// A pixel's position in the frame before, and by how much the position differs one column and one row further on.
struct MappedPlace {
  Position at, column, row;

  double area() const { return std::fabs(column.x * row.y - column.y * row.x); }
  Position shifted(int x, int y) const { return {at.x + x * column.x + y * row.x, at.y + x * column.y + y * row.y}; }
};

/// Returns places in all parts of the map. Their columns and rows within the squares between nodes differ, for the
/// weights often repeat every few pixels.
std::vector<MappedPlace> places_of(const PixelMap& map) {
  constexpr std::int64_t across = 15, stride = 4;
  const MapView view{map.nodes.width, map.x.data(), map.y.data()};
  std::vector<MappedPlace> places;
  for (std::int64_t j = 0; j < across; ++j) {
    for (std::int64_t i = 0; i < across; ++i) {
      const std::int64_t piece = i * (map.nodes.width - 1) / across, x = i * stride % (PixelMap::step - 1);
      const std::int64_t y = j * (map.nodes.height - 1) / across * PixelMap::step + j * stride % (PixelMap::step - 1);
      const MapPiece here = piece_of(view, piece, y), below = piece_of(view, piece, y + 1);
      const Position at = here.at(x), right = here.at(x + 1), under = below.at(x);
      const MappedPlace place{at, {right.x - at.x, right.y - at.y}, {under.x - at.x, under.y - at.y}};
      if (place.area() > 0) places.push_back(place);
    }
  }
  return places;
}

template <class Kernel>
Square noise_at(const std::vector<MappedPlace>& places) {
  constexpr int most_half = 20;
  double least_area = Kernel::taps * Kernel::taps;
  for (const MappedPlace& place : places) least_area = std::min(least_area, place.area());
  const double reach = std::ceil(Kernel::taps / std::sqrt(least_area));
  Square noise{static_cast<int>(std::min<double>(reach, most_half)), {}};
  for (int y = -noise.half; y <= noise.half; ++y) {
    for (int x = -noise.half; x <= noise.half; ++x) {
      double sum = 0;
      for (const MappedPlace& place : places) {
        const Position other = place.shifted(x, y);
        const AxisWeights<Kernel> x_here(place.at.x), x_there(other.x), y_here(place.at.y), y_there(other.y);
        sum += x_here.product(x_there) * y_here.product(y_there);
      }
      noise.values.push_back(sum / static_cast<double>(places.size()));
    }
  }
  return noise;
}

}  // namespace

Square resampled_noise(const PixelMap& map, Interpolation interpolation) {
  const std::vector<MappedPlace> places = places_of(map);
  if (places.empty()) return {0, {1}};
  return interpolation == Interpolation::bilinear ? noise_at<Bilinear>(places) : noise_at<Lanczos3>(places);
}

}  // namespace srcextract
