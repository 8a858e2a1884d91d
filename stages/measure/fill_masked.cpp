#include "stages/measure/fill_masked.hpp"

#include "stages/core/rows_on_demand.hpp"

namespace srcextract {
namespace {

Image<float, Cpu> fill_masked(const Image<float, Cpu>& image, float value, const Cpu& where) {
  return image_of_rows<float>(image.shape, row_memory_of(image), where,
                              [from = shared_rows(image), value](float* full, std::int64_t begin, std::int64_t end) {
                                const HeldRows held(*from, begin, end);
                                const std::int64_t width = from->shape.width;
                                for (std::int64_t i = begin * width; i < end * width; ++i) {
                                  const float pixel = from->pixels[i];
                                  full[i] = pixel == pixel ? pixel : value;
                                }
                              });
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
