#include "stages/measure/fill_masked.hpp"

#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

Image<float, Cpu> fill_masked(const Image<float, Cpu>& image, float value, const Cpu& where) {
  constexpr std::int64_t rows_at_a_time = 16;
  Image<float, Cpu> full(image.shape, where);
  const std::int64_t width = image.shape.width;
  parallel_for(image.shape.height, rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * width; i < end * width; ++i) {
      const float pixel = image.pixels[i];
      full.pixels[i] = pixel == pixel ? pixel : value;
    }
  });
  return full;
}

}  // namespace

Image<float, Cpu> fill_with_background(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                       const Cpu& where) {
  return fill_masked(image, static_cast<float>(levels->background), where);
}

Image<float, Cpu> fill_with_zero(const Image<float, Cpu>& image, const Cpu& where) {
  return fill_masked(image, 0, where);
}

void add_near_masked(const Buffer<SourceSums, Cpu>& elsewhere, const Components<Cpu>&, Buffer<SourceSums, Cpu>& sums,
                     const Cpu&) {
  for (std::int64_t i = 0; i < elsewhere.size(); ++i) sums[i].near_masked |= elsewhere[i].near_masked;
}

}  // namespace srcextract
