#include "stages/sky/row_sample.hpp"

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {

Image<float, Cpu> every_nth_row(const Image<float, Cpu>& image, std::int64_t n, const Cpu& where) {
  const std::int64_t width = image.shape.width;
  Image<float, Cpu> rows({width, (image.shape.height + n - 1) / n}, where);
  parallel_for(rows.shape.height, 16, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) {
      const HeldRows held(image, y * n, y * n + 1);
      std::copy_n(image.pixels.data() + y * n * width, width, rows.pixels.data() + y * width);
    }
  });
  return rows;
}

}  // namespace srcextract
