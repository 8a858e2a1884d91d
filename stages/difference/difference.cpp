#include "stages/difference/difference.hpp"

#include <mutex>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/difference/difference_pixel.hpp"

namespace srcextract {

namespace {

/// Number of pixels that a thread handles at a time.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 17;

// The parameters `ratio` and `subtraction` are passed by value. Stores to the output cannot change a copy, so compilers
// turn the loops into vector code.

SRCEXTRACT_VECTOR_CLONES
void divide_piece(const float* reference, const float* fresh, std::int64_t count, FluxRatio ratio, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = ratio(reference[i], fresh[i]);
}

/// Returns the number of masked pixels.
SRCEXTRACT_VECTOR_CLONES
std::int64_t subtract_piece(const float* reference, const float* fresh, std::int64_t count, Subtraction subtraction,
                            float* out) {
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = subtraction.difference(reference[i], fresh[i]);
    masked += out[i] == out[i] ? 0 : 1;
  }
  return masked;
}

SRCEXTRACT_VECTOR_CLONES
void estimate_noise(const float* reference, const float* fresh, std::int64_t count, Subtraction subtraction,
                    float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = subtraction.noise(reference[i], fresh[i]);
}

SRCEXTRACT_VECTOR_CLONES
void negate_piece(float* pixels, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) pixels[i] = negated(pixels[i]);
}

SRCEXTRACT_VECTOR_CLONES
void multiply_piece(float* pixels, std::int64_t count, double factor) {
  for (std::int64_t i = 0; i < count; ++i) pixels[i] = multiplied(pixels[i], factor);
}

SRCEXTRACT_VECTOR_CLONES
void weigh_piece(const float* pixels, const float* variance, std::int64_t count, float sky, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = weighed(pixels[i], variance[i], sky);
}

}  // namespace

Image<float, Cpu> flux_ratios(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh,
                              const FrameSkies<Cpu>& skies, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(reference, fresh));
  Image<float, Cpu> ratios(fresh.shape, where);
  const FluxRatio ratio(*skies.reference, *skies.fresh);
  parallel_for(fresh.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    divide_piece(reference.pixels.data() + begin, fresh.pixels.data() + begin, end - begin, ratio,
                 ratios.pixels.data() + begin);
  });
  return ratios;
}

void subtract_frames(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const FrameSkies<Cpu>& skies,
                     const Value<Background, Cpu>& ratios, const DifferenceConfig& config, const PhotonGains& gain,
                     Pixels<Cpu>& out, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(reference, fresh) && are_alike(out.image, fresh));
  const Subtraction subtraction(*skies.reference, *skies.fresh, *ratios,
                                {config.match_flux, config.match_background, gain});
  out.masked = MaskCounts{};
  out.noise = gain.fresh > 0 ? Image<float, Cpu>(fresh.shape, where) : Image<float, Cpu>();
  std::mutex total;
  parallel_for(fresh.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    const float* const r = reference.pixels.data() + begin;
    const float* const n = fresh.pixels.data() + begin;
    const std::int64_t masked = subtract_piece(r, n, end - begin, subtraction, out.image.pixels.data() + begin);
    if (gain.fresh > 0) estimate_noise(r, n, end - begin, subtraction, out.noise.pixels.data() + begin);
    const std::lock_guard lock(total);
    out.masked->nan += masked;
  });
}

void negate(Image<float, Cpu>& image, const Cpu& where) {
  change_own_rows(image, where, [width = image.shape.width](float* rows, std::int64_t begin, std::int64_t end) {
    negate_piece(rows + begin * width, (end - begin) * width);
  });
}

void multiply(Image<float, Cpu>& image, double factor, const Cpu& where) {
  parallel_for(image.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    multiply_piece(image.pixels.data() + begin, end - begin, factor);
  });
}

Image<float, Cpu> weigh_pixels(const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                               const Value<Background, Cpu>& sky, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(image, noise));
  Image<float, Cpu> result(image.shape, where);
  const auto level = static_cast<float>(sky->clipped.median);
  parallel_for(image.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    weigh_piece(image.pixels.data() + begin, noise.pixels.data() + begin, end - begin, level,
                result.pixels.data() + begin);
  });
  return result;
}

}  // namespace srcextract
