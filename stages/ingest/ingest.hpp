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

/// An image as the stages use it: decoded, with masked pixels counted by reason, and with the maps that belong to it.
template <class Where>
struct Pixels {
  Pixels() = default;
  Pixels(Shape shape, const Where& where) : image(shape, where), masked(where) {}

  Image<float, Where> image;
  Value<MaskCounts, Where> masked;
  /// The noise variance of each pixel, divided by the noise variance of the sky; empty if the noise is uniform.
  Image<float, Where> noise = {};
  /// The variance of each pixel from a weight map, in units of Levels::noise_scale squared; empty without a weight map.
  /// A pixel masked in `image` is masked here too. But if sources are also searched for on bad pixels
  /// (detects_beyond()), only pixels masked in `kept` are masked here.
  Image<float, Where> variance = {};
  /// The image before pixels that the weight map calls bad were masked for the sky estimate. Later stages use this
  /// image if these pixels are to keep their values (keeps_pixels()); else it is empty.
  Image<float, Where> kept = {};
  /// The shape of a star and the filter that detects stars; empty if no step has determined them.
  StarProfile<Where> star = {};
  bool negated = false;  ///< true for an image that was negated, so that sources fainter than the sky can be found
  std::vector<HandedNumbers> numbers = {};  ///< numbers from files, on a GPU; the host uses Settings::resources
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

/// Reads a plane into `pixels`, which must have the plane's shape: swaps bytes, scales, and masks pixels. Each host
/// thread buffers at most 1 MB of stored pixels at a time.
void ingest(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);
void ingest(const PixelSource& source, Pixels<Gpu>& pixels, const Gpu& where);

/// Returns an image whose rows are read from the plane when a stage asks for them (stages/core/rows_on_demand.hpp).
/// `masked`, if not null, receives the numbers of masked pixels; several planes may share one `masked`. The numbers are
/// complete once every row has been read; until then `*masked` must exist.
Image<float, Cpu> ingest_on_demand(const PixelSource& source, const std::shared_ptr<RowMemory>& memory,
                                   MaskCounts* masked);

/// Returns the image of a plane. Rows are read on demand into `memory`; if `memory` is null, the whole plane is read at
/// once.
Image<float, Cpu> ingest_image(const PixelSource& source, const Cpu& where, const std::shared_ptr<RowMemory>& memory);

/// Makes `pixels.image` a view of the plane's memory, without a copy. The plane must already hold what ingest() would
/// write: unscaled floats in the host's byte order, each finite or equal to masked_pixel. If the plane holds anything
/// else, or is not in memory, borrow() returns false and leaves `pixels` unchanged. The image must not be written to,
/// and is valid as long as the plane's memory.
bool borrow(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where);

template <class Where>
Pixels<Where> ingest(const PixelSource& source, const Where& where) {
  Pixels<Where> pixels(source.shape, where);
  ingest(source, pixels, where);
  return pixels;
}

}  // namespace srcextract
