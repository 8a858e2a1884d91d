#include "stages/deblend/pixel_thresholds.hpp"

#include <algorithm>
#include <limits>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/detect/detection_levels.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t rows_at_a_time = 16;

}  // namespace

Buffer<float, Cpu> lowest_thresholds(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Cpu& where) {
  if (!images.noise.varies()) return {};
  Buffer<float, Cpu> lowest(runs.runs.size(), where);
  parallel_for(runs.shape.height, rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    RowNoise noise(images.noise, runs.shape.width);
    for (std::int64_t y = begin; y < end; ++y) {
      if (runs.row_begin[y] < runs.row_begin[y + 1]) noise.go_to(y);
      for (std::int64_t i = runs.row_begin[y]; i < runs.row_begin[y + 1]; ++i) {
        float least = std::numeric_limits<float>::infinity();
        for (std::int64_t x = runs.runs[i].begin; x < runs.runs[i].end; ++x) least = std::min(least, noise.at(x));
        lowest[i] = level_above_noise(*images.levels, least);
      }
    }
  });
  return lowest;
}

Buffer<float, Cpu> heights_above(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                                 const Buffer<std::int64_t, Cpu>& first, const Cpu& where) {
  const Levels& levels = *images.levels;
  const auto above_sky = [&](double value) { return static_cast<float>(value - levels.background); };
  const float one = above_sky(levels.detection);
  const bool varies = images.noise.varies();
  Buffer<float, Cpu> heights(first[runs.runs.size()], where);
  parallel_for(runs.shape.height, rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    const HeldRows held(images.found, begin, end);
    RowNoise noise(images.noise, runs.shape.width);
    for (std::int64_t y = begin; y < end; ++y) {
      if (varies && runs.row_begin[y] < runs.row_begin[y + 1]) noise.go_to(y);
      const float* row = images.found.pixels.data() + y * runs.shape.width;
      for (std::int64_t i = runs.row_begin[y]; i < runs.row_begin[y + 1]; ++i) {
        float* height = heights.data() + first[i];
        for (std::int64_t x = runs.runs[i].begin; x < runs.runs[i].end; ++x) {
          const float threshold = varies ? above_sky(static_cast<double>(level_above_noise(levels, noise.at(x)))) : one;
          *height++ = above_sky(static_cast<double>(row[x])) - threshold;
        }
      }
    }
  });
  return heights;
}

}  // namespace srcextract
