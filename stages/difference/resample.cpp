#include "stages/difference/resample.hpp"

#include <algorithm>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/difference/resample_pixel.hpp"

namespace srcextract {

namespace {

/// Number of rows that a thread handles at a time: the distance between two rows of nodes of a PixelMap.
constexpr std::int64_t rows_per_piece = PixelMap::step;

/// Number of pixels of a row between two columns of nodes. All of these pixels are computed at the same time in vector
/// registers.
constexpr int lanes = PixelMap::step;

/// The AxisPlace of several pixels, member by member.
struct AxisSamples {
  double pixel[lanes];
  double fraction[lanes];

  AxisPlace operator[](int i) const { return {pixel[i], fraction[i]}; }
  void set(int i, const AxisPlace& place) {
    pixel[i] = place.pixel;
    fraction[i] = place.fraction;
  }
};

/// Computes the first `count` pixels of a row between two columns of nodes.
template <class Kernel>
inline void resample_piece(const ImageView& image, const MapPiece& positions, int count, float* out) {
  AxisSamples x, y;
  for (int i = 0; i < lanes; ++i) x.set(i, place_of(positions.at(i).x));
  for (int i = 0; i < lanes; ++i) y.set(i, place_of(positions.at(i).y));
  double weight_x[Kernel::taps][lanes];
  double weight_y[Kernel::taps][lanes];
  for (int i = 0; i < lanes; ++i) Kernel::weigh(x.fraction[i], &weight_x[0][i], lanes);
  for (int i = 0; i < lanes; ++i) Kernel::weigh(y.fraction[i], &weight_y[0][i], lanes);
  for (int i = 0; i < count; ++i) {
    out[i] = interpolate<Kernel>(image, x[i], y[i], {&weight_x[0][i], lanes}, {&weight_y[0][i], lanes});
  }
}

/// The attribute flatten makes the compiler inline all called functions, so that they are also compiled for each kind
/// of processor.
template <class Kernel>
SRCEXTRACT_VECTOR_CLONES [[gnu::flatten]] void resample_row(const ImageView& image, const MapView& map, std::int64_t y,
                                                            std::int64_t width, float* out) {
  for (std::int64_t first = 0; first < width; first += lanes) {
    const auto count = static_cast<int>(std::min<std::int64_t>(lanes, width - first));
    resample_piece<Kernel>(image, piece_of(map, first / lanes, y), count, out + first);
  }
}

}  // namespace

Image<float, Cpu> resample(const Image<float, Cpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Cpu& where) {
  Image<float, Cpu> result(map.shape, where);
  const ImageView from{image.pixels.data(), image.shape};
  const MapView positions{map.nodes.width, map.x.data(), map.y.data()};
  const auto width = map.shape.width;
  parallel_for(map.shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) {
      float* const out = result.pixels.data() + y * width;
      if (interpolation == Interpolation::bilinear) {
        resample_row<Bilinear>(from, positions, y, width, out);
      } else {
        resample_row<Lanczos3>(from, positions, y, width, out);
      }
    }
  });
  return result;
}

}  // namespace srcextract
