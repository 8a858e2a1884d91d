#include "stages/detect/matched_filter.hpp"

#include "stages/convolve/convolve.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/matched_pixel.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows_per_sum = 32;

/// For every pixel, what it adds to the two sums of the filter, without the kernel.
struct TermImages {
  Image<float, Cpu> values, weights;
};

TermImages terms_of(const Image<float, Cpu>& image, float sky, const Levels& levels, const NoiseMap<Cpu>& map,
                    const Cpu& where) {
  TermImages terms{{image.shape, where}, {image.shape, where}};
  const std::int64_t width = image.shape.width;
  parallel_for(image.shape.height, rows_per_sum, where, [&](std::int64_t begin, std::int64_t end) {
    RowNoise noise(map, width);
    for (std::int64_t y = begin; y < end; ++y) {
      noise.go_to(y);
      for (std::int64_t x = 0, i = y * width; x < width; ++x, ++i) {
        const float weight = noise.varies() ? weight_in_match(levels, noise.at(x)) : 1.0F;
        const MatchTerms own = match_terms(image.pixels[i], sky, weight);
        terms.values.pixels[i] = own.value;
        terms.weights.pixels[i] = own.weight;
      }
    }
  });
  return terms;
}

}  // namespace

Image<float, Cpu> matched_filter(const Image<float, Cpu>& image, const Kernel& kernel,
                                 const Value<Background, Cpu>& sky, const Value<Levels, Cpu>& levels,
                                 const NoiseMap<Cpu>& noise, const Cpu& where) {
  TermImages terms = terms_of(image, static_cast<float>(sky->clipped.median), *levels, noise, where);
  const Value<Background, Cpu> none;
  Image<float, Cpu> match = convolve_by_any(terms.values, kernel, none, where);
  terms.values = {};
  const Image<float, Cpu> weights = convolve_by_any(terms.weights, squared(kernel), none, where);
  const std::int64_t width = image.shape.width;
  parallel_for(image.shape.height, rows_per_sum, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * width; i < end * width; ++i)
      match.pixels[i] = match_of(image.pixels[i], match.pixels[i], weights.pixels[i]);
  });
  return match;
}

Value<Levels, Cpu> levels_of_match(const Value<Levels, Cpu>& levels, const Cpu&) {
  return match_levels(*levels);
}

}  // namespace srcextract
