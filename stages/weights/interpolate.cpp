#include "stages/weights/interpolate.hpp"

#include <array>

#include "stages/core/parallel.hpp"
#include "stages/weights/interpolate_pixel.hpp"

namespace srcextract {

namespace {

/// Number of columns that a thread fills together, row by row.
constexpr std::int64_t columns_together = 256;

}  // namespace

Interpolated<Cpu> interpolate_bad(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                                  const WeightsConfig& config, const Cpu& where, const Value<double, Cpu>* scale) {
  const Shape& shape = image.shape;
  GapRules rules(config);
  if (scale != nullptr) rules.least_bad = least_bad_variance(rules.least_bad, **scale);
  Interpolated<Cpu> filled{{shape, where}, {shape, where}};
  parallel_for(shape.width, columns_together, where, [&](std::int64_t begin, std::int64_t end) {
    std::array<ColumnState, columns_together> columns{};
    for (std::int64_t row = 0; row < shape.count(); row += shape.width) {
      for (std::int64_t x = begin; x < end; ++x) {
        const WeighedPixel pixel = fill_pixel(image.pixels.data() + row, variance.pixels.data() + row, x, rules,
                                              columns[static_cast<std::size_t>(x - begin)]);
        filled.image.pixels[row + x] = pixel.value;
        filled.variance.pixels[row + x] = pixel.variance;
      }
    }
  });
  return filled;
}

}  // namespace srcextract
