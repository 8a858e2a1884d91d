#include "pipeline/outputs/report/report_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/files/base64.hpp"
#include "io/pictures/png_file.hpp"
#include "pipeline/outputs/check_rows.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/node_buffers.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t image_side = 1024, residual_side = 512, frame_side = 512, map_side = 256;

/// Writes row `y` of an image to `row`.
using FillRow = std::function<void(std::int64_t y, float* row)>;

/// Shrinks an image by `factor`. fill(y, row) makes the rows one after the other, so that the full image is never in
/// memory.
Image<float, Cpu> shrink_rows(const Shape& shape, std::int64_t factor, const FillRow& fill, const Cpu& where) {
  Image<float, Cpu> small(shrunk_shape(shape, factor), where), strip({shape.width, factor}, where);
  for (std::int64_t y = 0; y < small.shape.height; ++y) {
    strip.shape.height = std::min(factor, shape.height - y * factor);
    for (std::int64_t k = 0; k < strip.shape.height; ++k) fill(y * factor + k, strip.pixels.data() + k * shape.width);
    const Image<float, Cpu> row = shrink(strip, factor, Cpu{});
    std::copy_n(row.pixels.data(), row.shape.width, small.pixels.data() + y * small.shape.width);
  }
  return small;
}

/// Reduces 256 grey levels to 64. The difference is invisible, and compressed noise takes a quarter less space.
void drop_low_bits(Image<std::uint8_t, Cpu>& grey) {
  for (std::uint8_t& pixel : grey.pixels) pixel = static_cast<std::uint8_t>((pixel & 0xfcU) | pixel >> 6U);
}

bool is_constant(const DisplayRange& range) {
  const float largest = std::max(std::abs(range.low), std::abs(range.high));
  return range.high - range.low <= 4e-7F * largest;
}

ReportPicture render(const Image<float, Cpu>& small, std::int64_t factor, const QuicklookConfig& config,
                     const Cpu& where) {
  Picture picture = render_picture(small, config, where);
  drop_low_bits(picture.grey);
  return {.address = "data:image/png;base64," + in_base64(encode_png(picture.grey)),
          .shape = small.shape,
          .factor = factor,
          .black = picture.range.low,
          .white = picture.range.high,
          .is_constant = is_constant(picture.range)};
}

/// Copies the pixels around a source into stamp `number` of the picture. Pixels outside the image stay NaN. `level`:
/// the sky that is added to the pixels; null: none.
void cut_stamp(const Image<float, Cpu>& image, CheckRows* level, double x, double y, std::int64_t number,
               Image<float, Cpu>& stamps) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  const Shape& shape = image.shape;
  const double far = 2.0 * static_cast<double>(std::max(shape.width, shape.height) + stamp_side);
  const auto first = [&](double at) {
    return static_cast<std::int64_t>(std::floor(std::clamp(at, -far, far) + 0.5)) - 1 - stamp_side / 2;
  };
  const std::int64_t left = first(x), bottom = first(y);
  const std::int64_t to_x = number % stamps_in_a_row * stamp_side, to_y = number / stamps_in_a_row * stamp_side;
  std::vector<float> sky(static_cast<std::size_t>(shape.width));
  const HeldRows held(image, bottom, bottom + stamp_side);
  for (std::int64_t k = 0; k < stamp_side; ++k) {
    const std::int64_t from = bottom + k;
    if (from < 0 || from >= shape.height) continue;
    if (level != nullptr) level->fill(CheckImage::background, from, sky.data(), shape.width);
    for (std::int64_t i = std::max<std::int64_t>(0, -left); i < std::min(stamp_side, shape.width - left); ++i)
      stamps.pixels[(to_y + k) * stamps.shape.width + to_x + i] =
          image.pixels[from * shape.width + left + i] + sky[static_cast<std::size_t>(left + i)];
  }
}

/// Makes one image with the stamps of the catalogue rows in `order`. `with_sky`: the extraction whose sky is added;
/// null: none.
Image<float, Cpu> cut_stamps(const Image<float, Cpu>& image, const Extraction* with_sky,
                             const std::vector<ReportColumn>& columns, std::span<const std::size_t> order,
                             const Cpu& where) {
  const auto rows = (std::ssize(order) + stamps_in_a_row - 1) / stamps_in_a_row;
  Image<float, Cpu> stamps({stamps_in_a_row * stamp_side, rows * stamp_side}, where);
  std::ranges::fill(stamps.pixels, masked_pixel);
  const ReportColumn *const x = find_column(columns, "X_IMAGE"), *const y = find_column(columns, "Y_IMAGE");
  if (x == nullptr || y == nullptr) return stamps;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::optional<CheckRows> level;
    if (with_sky != nullptr) level.emplace(*with_sky);
    cut_stamp(image, level ? &*level : nullptr, x->at(order[i]), y->at(order[i]), static_cast<std::int64_t>(i), stamps);
  }
  return stamps;
}

/// Returns `config` with limits 3 sigma below the least and 60 sigma above the greatest level of the sky.
QuicklookConfig with_limits(QuicklookConfig config, double least, double most, double sigma) {
  config.limits = Limits::values;
  config.low = least - 3 * sigma;
  config.high = most + 60 * sigma;
  return config;
}

/// Returns `config` with limits of the grey values for the picture of the image. The default limits (zscale, with
/// asinh) saturate bright sources. They are replaced by those of with_limits(), where sigma is the clipped noise of the
/// image. Limits or a stretch that the user chose are kept. All
/// limits are kept if sigma is not known, or if the user gave a map of the sky.
QuicklookConfig limits_of_image(const Extraction& extraction, QuicklookConfig config) {
  const Background& sky = extraction.background;
  const double sigma = sky.clipped.sigma;
  const bool is_known = std::isfinite(sigma) && sigma > 0 && extraction.check.level.pixels.empty();
  if (config.limits != Limits::zscale || config.stretch != Stretch::asinh || !is_known) return config;
  const bool by_mesh = sky.mesh.width > 0 && !extraction.given_level;
  const double least = by_mesh ? sky.mesh.least_level : extraction.sky_level();
  const double most = by_mesh ? sky.mesh.most_level : extraction.sky_level();
  return with_limits(config, least, most, sigma);
}

/// Limits for a frame of a difference, as limits_of_image() has them for the image: from 3 sigma below the median of
/// the shrunk frame, which is near the sky, to 60 sigma above it. `sigma`: the noise of the difference.
QuicklookConfig limits_of_frame(const Image<float, Cpu>& small, double sigma) {
  std::vector<float> pixels;
  std::ranges::copy_if(small.pixels, std::back_inserter(pixels), [](float pixel) { return std::isfinite(pixel); });
  if (pixels.empty() || !(sigma > 0)) return {.stretch = Stretch::asinh, .limits = Limits::zscale};
  const float sky = median_of(std::move(pixels));
  return with_limits({.stretch = Stretch::asinh}, sky, sky, sigma);
}

}  // namespace

ReportPictures render_pictures(const Extraction& extraction, const std::vector<ReportColumn>& columns,
                               std::span<const std::size_t> order, const QuicklookConfig& config, const Cpu& where) {
  const Shape shape = extraction.check.above.shape;
  const auto rendered = [&](std::int64_t side, QuicklookConfig as, const FillRow& fill) {
    const std::int64_t factor = shrink_factor(shape, side);
    as.size = side;
    return render(shrink_rows(shape, factor, fill, where), factor, as, where);
  };
  const auto check_image = [&](CheckImage which, std::int64_t side, const QuicklookConfig& as) {
    CheckRows rows(extraction);
    return rendered(side, as, [&](std::int64_t y, float* row) { rows.fill(which, y, row, shape.width); });
  };
  CheckRows above(extraction), level(extraction);
  std::vector<float> sky(static_cast<std::size_t>(shape.width));
  const QuicklookConfig map{.stretch = Stretch::linear, .limits = Limits::minmax};
  ReportPictures pictures{.image = rendered(image_side, limits_of_image(extraction, config),
                                            [&](std::int64_t y, float* row) {
                                              above.fill(CheckImage::minus_background, y, row, shape.width);
                                              level.fill(CheckImage::background, y, sky.data(), shape.width);
                                              for (std::int64_t x = 0; x < shape.width; ++x) row[x] += sky[x];
                                            }),
                          .sky = check_image(CheckImage::background, map_side, map),
                          .noise = check_image(CheckImage::rms, map_side, map),
                          .stamps = std::nullopt,
                          .reference = std::nullopt,
                          .fresh = std::nullopt,
                          .reference_stamps = std::nullopt,
                          .new_stamps = std::nullopt,
                          .residual = std::nullopt};
  if ((pictures.image.factor > 1 || extraction.frames) && !order.empty()) {
    const auto brightest = order.first(std::min<std::size_t>(order.size(), most_stamps));
    const QuicklookConfig as_image{
        .stretch = config.stretch, .limits = Limits::values, .low = pictures.image.black, .high = pictures.image.white};
    const auto stamps_of = [&](const Image<float, Cpu>& image, const Extraction* with_sky) {
      return cut_stamps(image, with_sky, columns, brightest, where);
    };
    pictures.stamps = render(stamps_of(extraction.check.above, &extraction), 1, as_image, where);
    pictures.stamp_count = std::ssize(brightest);
    const auto draw_frame = [&](const Image<float, Cpu>& frame, auto& whole, auto& stamps) {
      const std::int64_t factor = shrink_factor(shape, frame_side);
      const auto copy_row = [&](std::int64_t y, float* row) {
        const HeldRows held(frame, y, y + 1);
        std::copy_n(frame.pixels.data() + y * shape.width, shape.width, row);
      };
      const Image<float, Cpu> small = shrink_rows(shape, factor, copy_row, where);
      const QuicklookConfig as_frame = limits_of_frame(small, extraction.background.clipped.sigma);
      whole = render(small, factor, as_frame, where);
      stamps = render(stamps_of(frame, nullptr), 1, as_frame, where);
    };
    if (extraction.frames) {
      draw_frame(extraction.frames->reference, pictures.reference, pictures.reference_stamps);
      draw_frame(extraction.frames->fresh, pictures.fresh, pictures.new_stamps);
    }
  }
  const bool has_galaxies = extraction.galaxies && !extraction.galaxies->light.pixels.empty();
  pictures.residual_of_fit =
      extraction.fitted || has_galaxies || (extraction.crowd && !extraction.crowd->residual.empty());
  if (!extraction.frames && (pictures.residual_of_fit || !extraction.runs.row_begin.empty()))
    pictures.residual = check_image(pictures.residual_of_fit ? CheckImage::residual : CheckImage::minus_objects,
                                    residual_side, {.stretch = Stretch::linear, .limits = Limits::zscale});
  return pictures;
}

}  // namespace srcextract
