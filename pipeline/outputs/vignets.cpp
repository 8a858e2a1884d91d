#include "pipeline/outputs/vignets.hpp"

#include <algorithm>
#include <cstdint>

#include "pipeline/outputs/cutout_window.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {
namespace {

/// Number of sources that a thread takes at a time.
constexpr std::int64_t sources_at_a_time = 64;

/// In one row of a vignet, replaces the detected pixels that do not belong to source `number` by no_vignet_pixel. `y`
/// is the image's row; `pixels` points to the pixel in column window.x_begin.
void blank_others(const Extraction& extraction, std::int32_t number, std::int64_t y, const CutoutWindow& window,
                  float* pixels) {
  const std::int64_t left = window.x_begin;
  for_each_run_between(extraction.runs, y, left, window.x_end,
                       [&](std::int64_t run, std::int64_t begin, std::int64_t end) {
                         if (extraction.label[run] != number)
                           std::fill(pixels + (begin - left), pixels + (end - left), no_vignet_pixel);
                       });
}

void cut_vignet(const Extraction& extraction, std::size_t row, const VignetSize& size, bool blanks, float* out) {
  const Sources& sources = extraction.sources;
  const Image<float, Cpu>& above = extraction.check.above;
  const CutoutWindow window =
      cutout_window(central_pixel(sources, row, above.shape), size.width, size.height, above.shape);
  const bool fainter = is_fainter_than_sky(sources, row);
  std::fill_n(out, std::int64_t{size.width} * size.height, no_vignet_pixel);
  const HeldRows held(above, window.y_begin, window.y_end);
  for (std::int64_t y = window.y_begin; y < window.y_end; ++y) {
    const float* const from = above.pixels.data() + y * above.shape.width;
    float* const to = out + (y - window.top) * size.width + (window.x_begin - window.left);
    std::transform(from + window.x_begin, from + window.x_end, to, [&](float pixel) {
      if (pixel != pixel) return no_vignet_pixel;
      return fainter ? -pixel : pixel;
    });
    if (blanks) blank_others(extraction, sources[columns::number][row], y, window, to);
  }
}

}  // namespace

Vignets cut_vignets(const Extraction& extraction, const Config& config, const Cpu& where) {
  Vignets out{vignet_size(config.output.columns), {}};
  if (!out.size.any()) return out;
  const std::int64_t each = std::int64_t{out.size.width} * out.size.height, sources = extraction.sources.size();
  out.pixels.resize(static_cast<std::size_t>(each * sources));
  const bool blanks = config.measurement.mask != MaskNeighbours::none;
  parallel_for(sources, sources_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      cut_vignet(extraction, static_cast<std::size_t>(row), out.size, blanks, out.pixels.data() + row * each);
  });
  return out;
}

}  // namespace srcextract
