#pragma once

#include <memory>
#include <vector>

#include "stages/core/handed_numbers.hpp"
#include "stages/core/image.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/math/star_profile.hpp"

namespace srcextract {

/// An image ready to work on, with the numbers of masked pixels by reason, and its maps.
template <class Where>
struct Pixels {
  Pixels() = default;
  Pixels(Shape shape, const Where& where) : image(shape, where), masked(where) {}

  Image<float, Where> image;
  Value<MaskCounts, Where> masked;
  /// The variance of the noise in each pixel, divided by that of the sky; empty if the noise is uniform.
  Image<float, Where> noise = {};
  /// The variance of each pixel from a weight map, to be multiplied by Levels::noise_scale squared; empty without a
  /// map. It is masked where `image` is masked; if sources are found on bad pixels (detects_beyond), where `kept` is
  /// masked.
  Image<float, Where> variance = {};
  /// The image before the weight map masked pixels for the estimate of the sky. Later stages use it if such pixels keep
  /// their values (keeps_pixels); else it is empty.
  Image<float, Where> kept = {};
  /// The shape of a star and its filter, if a step has found them.
  StarProfile<Where> star = {};
  std::vector<HandedNumbers> numbers = {};  ///< numbers of files, copied to a device; the host has Settings::resources
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

class RowMemory;

/// Reads a plane into `pixels`, which must have its shape: swaps bytes, scales, and masks pixels. Each thread of the
/// host holds at most 1 MB of stored pixels at a time.
void ingest(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);
void ingest(const PixelSource& source, Pixels<Gpu>& pixels, const Gpu& where);

/// The image of a plane whose rows are read when a stage asks for them (stages/core/rows_on_demand.hpp). `masked`, if
/// not null, receives the numbers of masked pixels; several planes may share it. They are complete once every row was
/// held; until then `masked` must exist.
Image<float, Cpu> ingest_on_demand(const PixelSource& source, const std::shared_ptr<RowMemory>& memory,
                                   MaskCounts* masked);

/// The image of a plane: on demand in `memory`, or as a whole if that is null.
Image<float, Cpu> ingest_image(const PixelSource& source, const Cpu& where, const std::shared_ptr<RowMemory>& memory);

/// Reads the plane into new pixels.
template <class Where>
Pixels<Where> ingest(const PixelSource& source, const Where& where) {
  Pixels<Where> pixels(source.shape, where);
  ingest(source, pixels, where);
  return pixels;
}

}  // namespace srcextract
