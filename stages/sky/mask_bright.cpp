#include "stages/sky/mask_bright.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/sky/rows_in_noise.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows_at_a_time = 16;

/// Consecutive bright pixels of a row, columns [begin, end).
struct BrightPart {
  std::int64_t begin, end;
};

/// Finds the bright pixels of every row. Also writes every pixel to `to`, as its height above the level in units of the
/// noise.
std::vector<std::vector<BrightPart>> find_bright(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh,
                                                 const BrightRule& rule, Image<float, Cpu>& to, const Cpu& where) {
  const auto [width, height] = image.shape;
  std::vector<std::vector<BrightPart>> found(static_cast<std::size_t>(height));
  parallel_for(height, rows_at_a_time, where, [&, width = width](std::int64_t begin, std::int64_t end) {
    RowsInNoise rows(image, mesh);
    for (std::int64_t y = begin; y < end; ++y) {
      rows.convert(y, to.pixels.data() + y * width);
      const float* const row = image.pixels.data() + y * width;
      std::vector<BrightPart>& parts = found[static_cast<std::size_t>(y)];
      for (std::int64_t x = 0; x < width; ++x) {
        const auto i = static_cast<std::size_t>(x);
        if (!rule.is_bright(row[x], rows.levels[i], rows.noise[i])) continue;
        if (!parts.empty() && parts.back().end == x)
          ++parts.back().end;
        else
          parts.push_back({x, x + 1});
      }
    }
  });
  return found;
}

}  // namespace

Image<float, Cpu> mask_bright(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const BrightRule& rule,
                              const Cpu& where) {
  Image<float, Cpu> masked(image.shape, where);
  const std::vector<std::vector<BrightPart>> bright = find_bright(image, mesh, rule, masked, where);
  const auto [width, height] = image.shape;
  parallel_for(height, rows_at_a_time, where,
               [&, width = width, height = height](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t y = begin; y < end; ++y) {
                   float* const row = masked.pixels.data() + y * width;
                   for (std::int64_t near = std::max<std::int64_t>(0, y - rule.margin);
                        near <= std::min(height - 1, y + rule.margin); ++near)
                     for (const BrightPart& part : bright[static_cast<std::size_t>(near)])
                       std::fill(row + std::max<std::int64_t>(0, part.begin - rule.margin),
                                 row + std::min(width, part.end + rule.margin), masked_pixel);
                 }
               });
  return masked;
}

}  // namespace srcextract
