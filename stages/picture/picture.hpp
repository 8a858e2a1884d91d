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

/// Shrinks the image: each square of factor x factor pixels becomes the mean of its unmasked pixels, rounded once to
/// float. If all pixels of a square are masked, the mean is masked. Squares at the right and upper edges may be
/// smaller. Sums are in double; each column is added from its first row on, then the columns from left to right. With
/// factor 1 the image is copied.
Image<float, Cpu> shrink(const Image<float, Cpu>& image, std::int64_t factor, const Cpu& where);
Image<float, Gpu> shrink(const Image<float, Gpu>& image, std::int64_t factor, const Gpu& where);

/// Returns the number of squares of factor x factor pixels along x and y.
Shape shrunk_shape(const Shape& shape, std::int64_t factor);

/// Returns the smallest factor with which no side of the shrunk image is longer than `size`.
std::int64_t shrink_factor(const Shape& shape, std::int64_t size);

/// Returns the range of pixel values to draw, as config.limits selects:
/// - IRAF's zscale, as in astropy's ZScaleInterval: contrast 0.25, a sample of at most a thousand unmasked pixels,
///   rejection at 2.5 sigma, 5 iterations;
/// - the extremes of the pixels;
/// - the configured values `low` and `high`.
///
/// Both limits are finite, and low < high. If every pixel is masked and the limits are not configured, the range is 0
/// to 1. The GPU version waits until the GPU has finished.
DisplayRange display_range(const Image<float, Cpu>& image, const QuicklookConfig& config, const Cpu& where);
DisplayRange display_range(const Image<float, Gpu>& image, const QuicklookConfig& config, const Gpu& where);

/// Counts the pixels in each of `bins` (256 to 65536) bins of equal width between the limits of `range`. Pixels below
/// the range are in the first bin, pixels above in the last bin, and masked pixels in no bin. The bin is floor((v -
/// low) * (bins / (high - low))), computed in float, where the factor bins / (high - low) is rounded once. draw_grey()
/// uses the same bins (stages/picture/picture_bin.hpp).
Buffer<std::uint32_t, Cpu> count_bins(const Image<float, Cpu>& image, const DisplayRange& range, std::int64_t bins,
                                      const Cpu& where);
Buffer<std::uint32_t, Gpu> count_bins(const Image<float, Gpu>& image, const DisplayRange& range, std::int64_t bins,
                                      const Gpu& where);

/// Returns the grey, 0 to 255, for each of `bins` bins. t from 0 to 1 is the position of the bin's centre in the range.
/// The stretches are
/// - t, sqrt(t), log(1 + 1000 t) / log(1001) and asinh(10 t) / asinh(10), as in DS9 and astropy;
/// - equalize: the fraction of the pixels up to the middle of the bin, from `counts`. Other stretches ignore `counts`.
///
/// The result is the same with every C library.
Buffer<std::uint8_t, Cpu> grey_table(Stretch stretch, std::int64_t bins, const Buffer<std::uint32_t, Cpu>& counts,
                                     const Cpu& where);
Buffer<std::uint8_t, Gpu> grey_table(Stretch stretch, std::int64_t bins, const Buffer<std::uint32_t, Gpu>& counts,
                                     const Gpu& where);

/// Returns an image in which each pixel has the grey of its bin, table[bin]. Masked pixels are black.
Image<std::uint8_t, Cpu> draw_grey(const Image<float, Cpu>& image, const DisplayRange& range,
                                   const Buffer<std::uint8_t, Cpu>& table, const Cpu& where);
Image<std::uint8_t, Gpu> draw_grey(const Image<float, Gpu>& image, const DisplayRange& range,
                                   const Buffer<std::uint8_t, Gpu>& table, const Gpu& where);

/// A grey picture of an image, on the host. Row 0 of the picture is row 0 of the image.
struct Picture {
  Image<std::uint8_t, Cpu> grey;
  std::int64_t factor = 1;  ///< side of a pixel of the picture in image pixels
  DisplayRange range;
};

inline void record_fields(const Picture& picture, FieldRecorder& to) {
  to.pixels("pixel", picture.grey);
  to.value("factor", picture.factor);
  to.value("black", picture.range.low);
  to.value("white", picture.range.high);
}

/// Makes the picture: shrinks the image to at most config.size pixels a side, finds the range, and draws the greys.
Picture render_picture(const Image<float, Cpu>& image, const QuicklookConfig& config, const Cpu& where);
Picture render_picture(const Image<float, Gpu>& image, const QuicklookConfig& config, const Gpu& where);

}  // namespace srcextract
