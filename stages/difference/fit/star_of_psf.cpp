#include "stages/difference/fit/star_of_psf.hpp"

#include <cstdint>

#include "stages/difference/fit/equations.hpp"
#include "stages/math/psf_model.hpp"
#include "stages/math/star_profile.hpp"
#include "stages/photometry/lanes.hpp"
#include "stages/photometry/psf_stamp.hpp"

namespace srcextract {
namespace {

/// Draws a PSF model on squares of image pixels.
class PsfSquares {
 public:
  PsfSquares(const std::vector<double>& numbers, int half)
      : model_(numbers.data()),
        half_(half),
        memory_(static_cast<std::size_t>(PsfStamp<HostLanes>::numbers_for(model_, 1))),
        stamp_(model_, memory_.data()) {}

  int terms() const { return model_.terms; }

  /// Takes the model of a star at (x, y) in the image, in pixels from 0.
  void go_to(double x, double y) {
    stamp_.go_to(lanes_, x, y);
    stamp_.take(lanes_, model_.light());
  }

  /// Draws the star (dx, dy) pixels, from 0 to 1, beyond the middle of a square. Returns the pixels of the square row
  /// by row.
  std::vector<double> draw(double dx, double dy) {
    const int side = 2 * half_ + 1, middle = side;  // of an image that is larger than the square
    const ApertureBox box =
        box_within(middle - half_, middle + half_ + 1, middle - half_, middle + half_ + 1, 2 * side, 2 * side);
    stamp_.draw(lanes_, middle + dx, middle + dy, box);
    const ApertureBox covered = stamp_.covered(box, 0);
    std::vector<double> pixels;
    for (std::int32_t y = middle - half_; y <= middle + half_; ++y) {
      for (std::int32_t x = middle - half_; x <= middle + half_; ++x) {
        const bool inside = x >= covered.x_begin && x < covered.x_end && y >= covered.y_begin && y < covered.y_end;
        pixels.push_back(inside ? *stamp_.at(x, y) : 0);
      }
    }
    return pixels;
  }

 private:
  PsfModel model_;
  int half_;
  std::vector<double> memory_;
  PsfStamp<HostLanes> stamp_;
  HostLanes lanes_;
};

/// Returns the flux of a star that is measured by the interpolated nodes, as a fraction of its flux: the mean over 4 x
/// 4 places within a pixel. Stars of few pixels are sharper than what the nodes give between them.
double flux_by_nodes(PsfSquares& squares, const FieldSquare& nodes, const FieldTerms& at) {
  constexpr int phases = 4;
  double mean = 0;
  for (int phase = 0; phase < phases * phases; ++phase) {
    const int column = phase % phases, row = phase / phases;
    const double dx = (column + 0.5) / phases, dy = (row + 0.5) / phases;
    const std::vector<double> pixels = squares.draw(dx, dy);
    const Placement place(dx, dy);
    double product = 0, square = 0;
    for (int tap = 0; tap < nodes.side() * nodes.side(); ++tap) {
      const double value = place.value(nodes, tap % nodes.side() - nodes.half, tap / nodes.side() - nodes.half, at);
      product += value * pixels[static_cast<std::size_t>(tap)];
      square += value * value;
    }
    mean += square > 0 ? product / square / (phases * phases) : 0;
  }
  return mean;
}

}  // namespace

StarOfPsf sample_psf(const std::vector<double>& numbers, const Shape& shape, int half) {
  constexpr int places = 5, most_order = 2;
  PsfSquares squares(numbers, half);
  const int order = squares.terms() > 1 ? most_order : 0, terms = field_terms(order);
  const int side = 2 * half + 1, taps = side * side;
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  std::vector<Equations> nodes(static_cast<std::size_t>(taps), Equations(terms));
  for (int place = 0; place < places * places; ++place) {
    const int column = place % places, row = place / places;
    const double x = (column + 0.5) / places * width, y = (row + 0.5) / places * height;
    squares.go_to(x, y);
    const std::vector<double> pixels = squares.draw(0, 0);
    const FieldTerms at(x, y, width, height);
    for (std::size_t tap = 0; tap < pixels.size(); ++tap) nodes[tap].add(at.value, pixels[tap], 1);
  }
  StarOfPsf star{order, std::vector<float>(static_cast<std::size_t>(std::int64_t{taps} * terms))};
  for (int tap = 0; tap < taps; ++tap) {
    Equations& node = nodes[static_cast<std::size_t>(tap)];
    if (factorise(node) == 0) continue;
    substitute(node);
    for (int term = 0; term < terms; ++term)
      star.values[static_cast<std::size_t>(std::int64_t{term} * taps + tap)] =
          static_cast<float>(node.right[static_cast<std::size_t>(term)]);
  }
  const double x = (width - 1) / 2, y = (height - 1) / 2;
  squares.go_to(x, y);
  const double part = flux_by_nodes(squares, {star.values.data(), half, terms}, FieldTerms(x, y, width, height));
  if (part > 0)
    for (float& value : star.values) value = static_cast<float>(static_cast<double>(value) * part);
  return star;
}

}  // namespace srcextract
