#include "stages/sky/row_sample.hpp"

#include "cuda/device/lent.hpp"

namespace srcextract {

Image<float, Gpu> every_nth_row(const Image<float, Gpu>& image, std::int64_t n, const Gpu& where) {
  Image<float, Gpu> rows({image.shape.width, (image.shape.height + n - 1) / n}, where);
  const auto row_bytes = image.shape.width * std::int64_t{sizeof(float)};
  copy_rows(image.pixels.data(), n * row_bytes, row_bytes, rows.shape.height, nullptr, rows.pixels.data(), where);
  return rows;
}

}  // namespace srcextract
