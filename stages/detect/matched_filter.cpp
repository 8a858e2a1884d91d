#include "stages/detect/matched_filter.hpp"

#include <algorithm>

#include "stages/convolve/convolve.hpp"
#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/detect/matched_pixel.hpp"

namespace srcextract {

namespace {

/// Number of rows of the result that a thread computes at a time: so few that the sums of the filter stay in the
/// processor's caches.
constexpr std::int64_t rows_of_band = 32;

/// The MatchTerms of every pixel of some rows.
struct TermImages {
  Image<float, Cpu> values, weights;
};

/// Computes the MatchTerms of `count` pixels. `rms` has the noise of each pixel before multiplication by
/// levels.noise_scale.
SRCEXTRACT_VECTOR_CLONES
void terms_of_row(const float* pixels, const float* rms, std::int64_t count, float sky, const Levels& levels,
                  float* __restrict values, float* __restrict weights) {
  const Levels own = levels;
  for (std::int64_t x = 0; x < count; ++x) {
    const MatchTerms terms = match_terms(pixels[x], sky, weight_in_match(own, rms[x]));
    values[x] = terms.value;
    weights[x] = terms.weight;
  }
}

/// Computes the MatchTerms of the rows [first, end) of an image.
TermImages terms_of(const Image<float, Cpu>& image, std::int64_t first, std::int64_t end, float sky,
                    const Levels& levels, const NoiseMap<Cpu>& map, const Cpu& where) {
  const std::int64_t width = image.shape.width;
  TermImages terms{{{width, end - first}, where}, {{width, end - first}, where}};
  RowNoise noise(map, width);
  for (std::int64_t y = first, to = 0; y < end; ++y, to += width) {
    noise.go_to(y);
    const float* const pixels = image.pixels.data() + y * width;
    float *const values = terms.values.pixels.data() + to, *const weights = terms.weights.pixels.data() + to;
    if (noise.varies()) {
      terms_of_row(pixels, noise.row(), width, sky, levels, values, weights);
      continue;
    }
    for (std::int64_t x = 0; x < width; ++x) {
      const MatchTerms own = match_terms(pixels[x], sky, 1.0F);
      values[x] = own.value;
      weights[x] = own.weight;
    }
  }
  return terms;
}

SRCEXTRACT_VECTOR_CLONES
void match_of_row(const float* pixels, const float* values, const float* weights, std::int64_t count,
                  float* __restrict match) {
  for (std::int64_t x = 0; x < count; ++x) match[x] = match_of(pixels[x], values[x], weights[x]);
}

}  // namespace

Image<float, Cpu> matched_filter(const Image<float, Cpu>& image, const Kernel& kernel,
                                 const Value<Background, Cpu>& sky, const Value<Levels, Cpu>& levels,
                                 const NoiseMap<Cpu>& noise, const Cpu& where) {
  SRCEXTRACT_EXPECT(has_its_pixels(image) && (noise.variance == nullptr || are_alike(image, *noise.variance)));
  const Value<Background, Cpu> none;
  const Kernel squares = squared(kernel);
  const auto [width, height] = image.shape;
  const std::int64_t reach = kernel.height / 2;
  const auto level = static_cast<float>(sky->clipped.median);
  Image<float, Cpu> match(image.shape, where);
  parallel_for(height, rows_of_band, where, [&, width = width, height = height](std::int64_t begin, std::int64_t end) {
    // Terms are computed for all rows under the kernel. The convolution takes rows outside of `terms` as 0. Rows that
    // are copied to the result are not affected, except at the image's edges, where there is nothing outside.
    const Cpu alone{1};
    const std::int64_t first = std::max<std::int64_t>(0, begin - reach);
    const TermImages terms = terms_of(image, first, std::min(height, end + reach), level, *levels, noise, alone);
    const Image<float, Cpu> values = convolve_by_any(terms.values, kernel, none, alone);
    const Image<float, Cpu> weights = convolve_by_any(terms.weights, squares, none, alone);
    const std::int64_t from = begin * width, of_band = (begin - first) * width;
    match_of_row(image.pixels.data() + from, values.pixels.data() + of_band, weights.pixels.data() + of_band,
                 (end - begin) * width, match.pixels.data() + from);
  });
  return match;
}

Value<Levels, Cpu> levels_of_match(const Value<Levels, Cpu>& levels, const Cpu&) {
  return match_levels(*levels);
}

}  // namespace srcextract
