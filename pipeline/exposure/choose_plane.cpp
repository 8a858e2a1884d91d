#include "pipeline/exposure/choose_plane.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "io/fits/header.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t sampled_rows = 256;

/// An axis of polarisations: what a step along it is in planes, and where Stokes I is on it.
struct StokesAxis {
  std::int64_t stride = 1, length = 1, index_of_i = 0;
};

/// The axis of polarisations that holds Stokes I, which is 1.
std::optional<StokesAxis> find_stokes(const FitsImage& image) {
  const Header header(image.header());
  const auto number = [&](const std::string& keyword, double usual) {
    const CardValue found = header.find(keyword);
    return (found.value ? as_real(*found.value) : std::nullopt).value_or(usual);
  };
  StokesAxis axis;
  for (std::size_t i = 2; i < image.axes().size(); ++i, axis.stride *= axis.length) {
    const std::string n = std::to_string(i + 1);
    axis.length = image.axes()[i];
    if (!header.first_text("CTYPE" + n).starts_with("STOKES")) continue;
    for (axis.index_of_i = 0; axis.index_of_i < axis.length; ++axis.index_of_i) {
      const double pixel = static_cast<double>(axis.index_of_i) + 1;
      if (std::abs(number("CRVAL" + n, 1) + (pixel - number("CRPIX" + n, 1)) * number("CDELT" + n, 1) - 1) < 0.5)
        return axis;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

bool is_blank(const PixelSource& plane) {
  const std::int64_t width = plane.shape.width, height = plane.shape.height, rows = std::min(height, sampled_rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t begin = (2 * row + 1) * height / (2 * rows) * width;
    PixelSource one{.shape = {width, 1}, .format = plane.format, .read = {}};
    one.read = [&](std::int64_t first, std::int64_t count, std::byte* out) { plane.read(begin + first, count, out); };
    const Pixels<Cpu> pixels = ingest(one, Cpu{1});
    if (std::ranges::any_of(pixels.image.pixels, [](float value) { return value != 0 && !std::isnan(value); }))
      return false;
  }
  return true;
}

}  // namespace

std::int64_t choose_plane(const FitsImage& image) {
  const std::optional<StokesAxis> stokes = find_stokes(image);
  std::int64_t first = 0;
  for (std::int64_t plane = 1; image.planes() > 1 && plane <= image.planes(); ++plane) {
    if (stokes && (plane - 1) / stokes->stride % stokes->length != stokes->index_of_i) continue;
    if (first == 0) first = plane;
    if (!is_blank(image.plane(plane))) return plane;
  }
  return std::max<std::int64_t>(first, 1);
}

}  // namespace srcextract
