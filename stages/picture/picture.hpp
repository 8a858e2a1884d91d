#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/settings/quicklook.hpp"

namespace srcextract {

/// The pixel values that are drawn black (low) and white (high); low < high.
struct DisplayRange {
  float low = 0;
  float high = 1;

  bool operator==(const DisplayRange&) const = default;
};

/// Shrinks the image: every square of factor x factor pixels becomes the mean of its unmasked pixels, rounded once to
/// float. The mean is masked if all pixels of the square are. Squares at the right and upper edges may be smaller. Sums
/// are in double: every column from its first row on, then the columns from left to right. With factor 1 the image is
/// copied.
Image<float, Cpu> shrink(const Image<float, Cpu>& image, std::int64_t factor, const Cpu& where);
Image<float, Gpu> shrink(const Image<float, Gpu>& image, std::int64_t factor, const Gpu& where);

/// Number of squares of factor x factor pixels along x and y.
Shape shrunk_shape(const Shape& shape, std::int64_t factor);

/// The smallest factor for which no side of the shrunk image is longer than `size`.
std::int64_t shrink_factor(const Shape& shape, std::int64_t size);

/// Returns the range of pixel values to draw, by config.limits:
/// - IRAF's zscale (contrast 0.25, of a sample of at most a thousand pixels that are not masked, 2.5 sigma, 5
///   iterations; as in astropy's ZScaleInterval);
/// - the extremes of the pixels;
/// - low and high as configured.
///
/// Always low < high, both finite. The range is 0 to 1 if every pixel is masked and the limits are not configured. The
/// host waits for the device.
DisplayRange display_range(const Image<float, Cpu>& image, const QuicklookConfig& config, const Cpu& where);
DisplayRange display_range(const Image<float, Gpu>& image, const QuicklookConfig& config, const Gpu& where);

/// Counts the pixels in each of `bins` (256 to 65536) bins of equal width between the limits of `range`. Pixels below
/// are in the first bin, pixels above in the last, masked pixels in none. The bin is floor((v - low) * (bins / (high -
/// low))), in float, with that factor rounded once. draw_grey uses the same bins (stages/picture/picture_bin.hpp).
Buffer<std::uint32_t, Cpu> count_bins(const Image<float, Cpu>& image, const DisplayRange& range, std::int64_t bins,
                                      const Cpu& where);
Buffer<std::uint32_t, Gpu> count_bins(const Image<float, Gpu>& image, const DisplayRange& range, std::int64_t bins,
                                      const Gpu& where);

/// Returns the grey, 0 to 255, for each of `bins` bins. With t from 0 to 1 at the centre of a bin, the stretches are
/// - t, sqrt(t), log(1 + 1000 t) / log(1001) and asinh(10 t) / asinh(10), as in DS9 and astropy;
/// - equalize: the fraction of the pixels up to the middle of the bin, from `counts`, which other stretches ignore.
///
/// Rounds alike with every C library.
Buffer<std::uint8_t, Cpu> grey_table(Stretch stretch, std::int64_t bins, const Buffer<std::uint32_t, Cpu>& counts,
                                     const Cpu& where);
Buffer<std::uint8_t, Gpu> grey_table(Stretch stretch, std::int64_t bins, const Buffer<std::uint32_t, Gpu>& counts,
                                     const Gpu& where);

/// Draws every pixel with the grey that `table` has for its bin. Masked pixels are black.
Image<std::uint8_t, Cpu> draw_grey(const Image<float, Cpu>& image, const DisplayRange& range,
                                   const Buffer<std::uint8_t, Cpu>& table, const Cpu& where);
Image<std::uint8_t, Gpu> draw_grey(const Image<float, Gpu>& image, const DisplayRange& range,
                                   const Buffer<std::uint8_t, Gpu>& table, const Gpu& where);

/// A picture of an image, on the host; its row 0 is row 0 of the image.
struct Picture {
  Image<std::uint8_t, Cpu> grey;
  std::int64_t factor = 1;  ///< side of a pixel of the picture, in pixels of the image
  DisplayRange range;
};

inline void record_fields(const Picture& picture, FieldRecorder& to) {
  to.pixels("pixel", picture.grey);
  to.value("factor", picture.factor);
  to.value("black", picture.range.low);
  to.value("white", picture.range.high);
}

/// The stage: shrinks the image to at most config.size, finds the range, and draws the greys.
Picture render_picture(const Image<float, Cpu>& image, const QuicklookConfig& config, const Cpu& where);
Picture render_picture(const Image<float, Gpu>& image, const QuicklookConfig& config, const Gpu& where);

}  // namespace srcextract
