#pragma once

#include <vector>

#include "stages/core/handed_numbers.hpp"
#include "stages/core/image.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/math/star_profile.hpp"

namespace srcextract {

/// Pixels ready to work on, and the reasons why some are masked.
template <class Where>
struct Pixels {
  Pixels() = default;
  Pixels(Shape shape, const Where& where) : image(shape, where), masked(where) {}

  Image<float, Where> image;
  Value<MaskCounts, Where> masked;
  /// The variance of the noise in each pixel, relative to the sky's; empty if the noise is uniform.
  Image<float, Where> noise = {};
  /// The variance in each pixel from a weight map, up to a factor (Levels::noise_scale); empty without a map. Masked
  /// where `image` is or, if sources are found on bad pixels (detects_beyond), where `kept` is.
  Image<float, Where> variance = {};
  /// The image before the weight map masked pixels for the sky estimate. Later stages use it where such pixels keep
  /// their value (keeps_pixels). Else empty.
  Image<float, Where> kept = {};
  /// The shape of a star and its filter, if a step has found them.
  StarProfile<Where> star = {};
  std::vector<HandedNumbers> numbers = {};  ///< of files, in the memory of a device; the host has Settings::resources
};

inline void record_fields(const Pixels<Cpu>& pixels, FieldRecorder& to) {
  to.pixels("pixel", pixels.image);
  to.pixels("noise of pixel", pixels.noise);
  to.pixels("variance of pixel", pixels.variance);
  to.pixels("pixel before weights", pixels.kept);
  to.value("masked as NaN", pixels.masked->nan);
  to.value("masked as infinite", pixels.masked->infinite);
  to.value("masked as BLANK", pixels.masked->blank);
  to.value("masked by weights", pixels.masked->weight);
  to.value("masked by the mask", pixels.masked->mask);
  to.value("masked by the level", pixels.masked->level);
}

/// Reads the plane into `pixels`, which have its shape; swaps, scales and masks it. The host holds at most a few MB of
/// stored pixels at a time.
void ingest(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);
void ingest(const PixelSource& source, Pixels<Gpu>& pixels, const Gpu& where);

/// Reads the plane into new pixels.
template <class Where>
Pixels<Where> ingest(const PixelSource& source, const Where& where) {
  Pixels<Where> pixels(source.shape, where);
  ingest(source, pixels, where);
  return pixels;
}

}  // namespace srcextract
