#include "stages/picture/overlay.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/parallel.hpp"
#include "stages/picture/ellipse_walk.hpp"

namespace srcextract {

namespace {

using Rgb = std::array<std::uint8_t, 3>;

// Two colours of Okabe & Ito. Colour-blind viewers can distinguish these colours from each other and from every grey.
constexpr Rgb orange = {230, 159, 0};
constexpr Rgb sky_blue = {86, 180, 233};

/// Indices of palette entries. In a picture with ellipses, the last two entries are white and the colour of the
/// ellipses. In a tinted picture, the entries from `tints` on are the tinted versions of all greys.
constexpr std::uint8_t white = 254;
constexpr std::uint8_t ellipse_colour = 255;
constexpr std::uint8_t tints = 128;

constexpr double ellipse_axes = 3;  // semi-axes in units of A_IMAGE and B_IMAGE
constexpr double least_radius = 4;

void draw_point(const CurvePoint& point, Image<std::uint8_t, Cpu>& image) {
  const double x = std::floor(point.x + 0.5);
  const double y = std::floor(point.y + 0.5);
  const auto [width, height] = image.shape;
  if (!(x >= 0 && x < static_cast<double>(width) && y >= 0 && y < static_cast<double>(height))) return;
  image.pixels[static_cast<std::int64_t>(y) * width + static_cast<std::int64_t>(x)] = ellipse_colour;
}

Rgb tinted(std::uint8_t grey, Tint tint) {
  // Raising only red to 255 would not change a white pixel, so green and blue are also reduced. A third of the grey is
  // kept, so that brightness differences stay visible.
  const auto third = static_cast<std::uint8_t>(grey / 3);
  if (tint == Tint::red) return {255, third, third};
  const auto mix = [grey](int colour) { return static_cast<std::uint8_t>((grey + colour) / 2); };
  return {mix(sky_blue[0]), mix(sky_blue[1]), mix(sky_blue[2])};
}

/// Makes a picture in which the palette index of each pixel is f(grey). The palette is not set.
template <class F>
ColourPicture map_greys(const Picture& picture, const Cpu& where, const F& f) {
  ColourPicture mapped{{picture.grey.shape, where}, {}};
  constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;
  parallel_for(picture.grey.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) mapped.image.pixels[i] = f(picture.grey.pixels[i]);
  });
  return mapped;
}

}  // namespace

ColourPicture draw_ellipses(const Sources& catalogue, const Picture& picture, const Cpu& where) {
  const UsualValues sources(catalogue);
  ColourPicture drawn = map_greys(picture, where, [](std::uint8_t grey) { return std::min(grey, white); });
  for (std::size_t i = 0; i < white; ++i) drawn.palette[i].fill(static_cast<std::uint8_t>(i));
  drawn.palette[white].fill(255);
  drawn.palette[ellipse_colour] = orange;

  const auto scale = static_cast<double>(picture.factor);
  const auto longest = static_cast<double>(std::max(drawn.image.shape.width, drawn.image.shape.height));
  for (std::size_t i = 0; i < sources.number.size(); ++i) {
    // The first pixel of the image extends from 0.5 to 1.5 in catalogue coordinates; the first pixel of the picture
    // extends from -0.5 to 0.5.
    const CurvePoint centre{(sources.x_image[i] - 0.5) / scale - 0.5, (sources.y_image[i] - 0.5) / scale - 0.5};
    const double a = ellipse_axes * sources.a_image[i] / scale;
    const double b = ellipse_axes * sources.b_image[i] / scale;
    // If a value is NaN, this comparison fails and no ellipse is drawn.
    if (!(a <= longest && b <= longest && std::fabs(sources.theta_image[i]) <= 90)) continue;
    walk_ellipse({centre, std::max(a, least_radius), std::max(b, least_radius), direction(sources.theta_image[i])},
                 [&](const CurvePoint& point) { draw_point(point, drawn.image); });
  }
  return drawn;
}

ColourPicture tint_pixels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Tint tint,
                          const Picture& picture, const Cpu& where) {
  ColourPicture drawn =
      map_greys(picture, where, [](std::uint8_t grey) { return static_cast<std::uint8_t>(grey / 2); });
  for (std::size_t i = 0; i < tints; ++i) {
    const auto grey = static_cast<std::uint8_t>(2 * i + i / 64);  // 128 greys from 0 to 255
    drawn.palette[i].fill(grey);
    drawn.palette[tints + i] = tinted(grey, tint);
  }
  const std::int64_t width = drawn.image.shape.width;
  for (std::int64_t i = 0; i < runs.row_begin[runs.shape.height]; ++i) {
    if (label[i] == 0) continue;
    const Run& run = runs.runs[i];
    std::uint8_t* row = drawn.image.pixels.data() + run.y / picture.factor * width;
    for (std::int64_t x = run.begin / picture.factor; x <= (run.end - 1) / picture.factor; ++x) row[x] |= tints;
  }
  return drawn;
}

}  // namespace srcextract
