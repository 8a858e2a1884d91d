#include "pipeline/outputs/psf_picture.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "io/files/base64.hpp"
#include "io/files/xml_text.hpp"
#include "io/pictures/png_file.hpp"

namespace srcextract {
namespace {

constexpr int panel = 150, gap = 16, top = 44;

std::size_t index_of(int side, int x, int y) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x);
}

/// Makes an SVG <image> element at (x, y): a square of `side` x `side` pixels with the brightness shade(x, y), from 0
/// to 1.
std::string image_of(int side, const std::function<double(int x, int y)>& shade, int x, int y) {
  Image<std::uint8_t, Cpu> image({side, side}, Cpu{1});
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      image.pixels[std::int64_t{row} * side + column] =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(shade(column, row), 0.0, 1.0)));
  return fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      x, y, panel, panel, in_base64(encode_png(image)));
}

std::string label(int x, int y, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, y, xml_text(text));
}

/// The brightness, from 0 to 1, of a pixel whose value is `share` of the peak: an asinh stretch, which is logarithmic
/// from 0.001 to 1.
double shade_of(double share) {
  constexpr double softening = 0.001;
  return std::asinh(share / softening) / std::asinh(1 / softening);
}

/// Draws the model at nine positions: corners, middles of the sides, and centre of the image.
std::string models(const PsfSurface& surface) {
  std::string all;
  double peak = 0;
  for (int i = 0; i < 9; ++i) {
    const auto at = [&](int which, std::int64_t size) { return static_cast<double>(size - 1) * which / 2; };
    const std::vector<double> plane = surface.at(at(i % 3, surface.image.width), at(2 - i / 3, surface.image.height));
    if (i == 0) peak = std::ranges::max(plane);
    all += image_of(
        surface.side, [&](int x, int y) { return shade_of(plane[index_of(surface.side, x, y)] / peak); },
        gap + i % 3 * (panel + 4), top + i / 3 * (panel + 4));
  }
  return all;
}

/// Draws the mean of the stars, and below that picture the mean residual, from -2 % (black) to 2 % (white) of the peak.
std::string stacks(const PsfStack& stack, int x) {
  constexpr double range = 0.02;
  const double peak = std::ranges::max(stack.light);
  const auto value = [&](const std::vector<double>& of, int column, int row) {
    return of[index_of(stack.side, column, row)] / peak;
  };
  const double worst = *std::ranges::max_element(stack.left, {}, [](double one) { return std::abs(one); }) / peak;
  return label(x, top - 8, "mean of the stars") +
         image_of(
             stack.side, [&](int c, int r) { return shade_of(value(stack.light, c, r)); }, x, top) +
         label(x, top + panel + 40, "left: \u00b12 % of the peak") +
         label(x, top + 2 * panel + 66, fmt::format("at most {:.2g} %", 100 * std::abs(worst))) +
         image_of(
             stack.side, [&](int c, int r) { return 0.5 + value(stack.left, c, r) / (2 * range); }, x,
             top + panel + 48);
}

/// Draws the stars' positions: filled circles for stars that were used, open circles for stars that do not match the
/// model. Rejected stars of other kinds are left out.
std::string field(const PsfSurface& surface, const std::vector<PsfStar>& stars, int x) {
  constexpr int side = 3 * panel + 8;
  const auto [width, height] = surface.image;
  const double scale = side / static_cast<double>(std::max(width, height));
  std::string all = label(x, top - 8, "stars: used, and unlike the model") +
                    fmt::format(
                        "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
                        "stroke=\"#888\"/>\n",
                        x, top, scale * static_cast<double>(width), scale * static_cast<double>(height));
  for (const PsfStar& star : stars) {
    const bool used = star.verdict == StarVerdict::used;
    if (!used && star.verdict != StarVerdict::misfit) continue;
    all += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" stroke=\"{}\"/>\n",
                       x + scale * (star.x + 0.5), top + scale * (static_cast<double>(height) - star.y - 0.5),
                       used ? "#2b7fc6" : "none", used ? "#2b7fc6" : "#c0392b");
  }
  return all;
}

}  // namespace

// Without a ground, and with text in a grey that is read on white and on black.
std::string psf_picture(const MadePsf& made, const std::vector<PsfStar>& stars, const std::string& name) {
  const PsfSurface& surface = made.surface;
  const int second = gap + 3 * (panel + 4) + gap, third = second + panel + 4 * gap;
  const int width = third + 3 * panel + 8 + gap, height = top + 3 * panel + 8 + gap;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"sans-serif\" font-size=\"12\" fill=\"#7a7a7a\">\n",
             width, height) +
         label(gap, 18,
               fmt::format("PSF of {}: full width {:.3g} pixels, degree {}", name, surface.width, surface.degree)) +
         label(gap, top - 8, "model over the field, shades of three decades") + models(surface) +
         stacks(made.stack, second) + field(surface, stars, third) + "</svg>\n";
}

}  // namespace srcextract
