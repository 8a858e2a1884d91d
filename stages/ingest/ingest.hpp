#pragma once

#include "stages/core/image.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {

/// Pixels ready to work on, and why some of them are masked.
template <class Where>
struct Pixels {
  Pixels() = default;
  Pixels(Shape shape, const Where& where) : image(shape, where), masked(where) {}

  Image<float, Where> image;
  Value<MaskCounts, Where> masked;
  /// Its variance in each pixel, relative to that in the sky; without pixels where the noise is the same all over.
  Image<float, Where> noise = {};
  /// Its variance in each pixel, as a map of weights tells it, up to a factor (Levels::noise_scale); masked where the
  /// image is, or else `kept`. Without pixels where there is no map.
  Image<float, Where> variance = {};
  /// The image with what only the map of weights masks for the sky, where such pixels keep their value for all that
  /// follows (keeps_pixels). Else without pixels.
  Image<float, Where> kept = {};
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

/// Reads the plane into `pixels`, which are of its shape, swaps, scales and masks it. The host holds at most a few MB
/// of stored pixels at a time.
void ingest(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);
void ingest(const PixelSource& source, Pixels<Gpu>& pixels, const Gpu& where);

/// The same into new pixels.
template <class Where>
Pixels<Where> ingest(const PixelSource& source, const Where& where) {
  Pixels<Where> pixels(source.shape, where);
  ingest(source, pixels, where);
  return pixels;
}

}  // namespace srcextract
