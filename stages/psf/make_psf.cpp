#include "stages/psf/make_psf.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "stages/math/median.hpp"
#include "stages/psf/fit_members.hpp"
#include "stages/psf/moffat_modes.hpp"
#include "stages/psf/solve_planes.hpp"

namespace srcextract {
namespace {

/// Assumed relative accuracy of the model, for the weights of pixels, in each turn (iteration). The first
/// turns_of_formula turns fit a formula for the PSF; later turns fit the pixels of its planes.
constexpr double accuracies[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.01};
constexpr int turns = std::size(accuracies), turns_of_formula = 3;

/// Appends the star's shape and its gradients in x and y to star.own, made orthogonal and normalised.
void add_own_shapes(const std::vector<double>& shape, StarEquations& star) {
  std::vector<double> along_x(shape.size(), 0), along_y(shape.size(), 0);
  const auto size = static_cast<std::size_t>(star.window->size());
  const auto set_gradients = [&](std::size_t i, int, int) {
    along_x[i] = (shape[i + size] - shape[i - size]) / 2;
    along_y[i] = (shape[i + 1] - shape[i - 1]) / 2;
  };
  star.window->for_each(set_gradients, 1);
  for (std::vector<double> one : {shape, along_x, along_y}) {
    star.take_out(one);
    double square = 0;
    for (std::size_t i = 0; i < one.size(); ++i) square += star.weight[i] * one[i] * one[i];
    const double factor = square > 0 ? 1 / std::sqrt(square) : 0;
    for (double& value : one) value *= factor;
    star.own.push_back(std::move(one));
  }
}

/// Makes the equations by which a star improves the PSF: its pixels minus the model, and their weights. `clips`
/// excludes pixels that are outliers.
StarEquations equations_of(const PsfMembers& all, const PsfMember& star, const PsfSurface& surface, double accuracy,
                           bool clips) {
  // outlier: square of the limit in sigma; of_peak: error of the model that is tolerated, as a fraction of the star's
  // peak
  constexpr double outlier = 25, of_peak = 0.005;
  const std::vector<double> shape = all.shape_of(surface, star);
  StarEquations own{&star.window, surface.basis(star.begin_x, star.begin_y), {}, {}, {}};
  const double may_err = of_peak * star.flux * std::ranges::max(shape);
  own.beyond.assign(shape.size(), 0);
  own.weight.assign(shape.size(), 0);
  star.window.for_each([&](std::size_t i, int column, int row) {
    const PsfMembers::Pixel pixel = all.pixel(star, column, row);
    if (!pixel.good || star.squared_distance(column, row) > surface.radius * surface.radius) return;
    const double of_model = accuracy * star.flux * shape[i], variance = pixel.variance + of_model * of_model;
    if (clips && pixel.left * pixel.left > outlier * (variance + may_err * may_err)) return;
    own.beyond[i] = pixel.left / star.flux;
    own.weight[i] = star.flux * star.flux / variance;
  });
  add_own_shapes(shape, own);
  return own;
}

/// Returns the reduced chi^2 of the pixels in the core of a star; NaN if there are too few pixels.
double chi2_of(const PsfMembers& all, const PsfMember& star, const PsfSurface& surface, double accuracy) {
  constexpr double core = 2.5;  // radius of the core in full widths
  const std::vector<double> shape = all.shape_of(surface, star);
  constexpr int unknowns = 3;
  const double radius = std::min(surface.radius, core * surface.width);
  double sum = 0;
  int count = 0;
  star.window.for_each([&](std::size_t i, int column, int row) {
    const PsfMembers::Pixel pixel = all.pixel(star, column, row);
    if (!pixel.good || star.squared_distance(column, row) > radius * radius) return;
    const double of_model = accuracy * star.flux * shape[i];
    sum += pixel.left * pixel.left / (pixel.variance + of_model * of_model);
    ++count;
  });
  return count > unknowns ? sum / (count - unknowns) : std::numeric_limits<double>::quiet_NaN();
}

/// Rejects stars whose chi (root of the reduced chi^2) is more than 3 standard deviations above the median, and stars
/// without light.
void reject(std::vector<PsfStar>& stars, std::vector<PsfMember>& members) {
  constexpr double sigmas = 3, least_sigma = 0.05;
  constexpr std::size_t least_stars = 4;
  std::vector<double> chi;
  for (const PsfMember& member : members)
    if (member.makes) chi.push_back(std::sqrt(stars[member.row].chi2));
  if (chi.size() < least_stars) return;
  const double middle = upper_median(chi);
  const double limit = middle + sigmas * std::max(sigma_per_deviation * median_deviation(chi, middle), least_sigma);
  for (PsfMember& member : members) {
    PsfStar& star = stars[member.row];
    if (!member.makes || (std::sqrt(star.chi2) <= limit && member.flux > 0)) continue;
    member.makes = false;
    star.verdict = StarVerdict::misfit;
  }
}

/// Returns the mean image of all stars that make the PSF: the sum of their images divided by the sum of their fluxes,
/// in each pixel.
PsfStack stack_of(const PsfMembers& all, const std::vector<PsfMember>& members, const PsfSurface& surface) {
  PsfStack stack{.side = 2 * static_cast<int>(surface.radius) + 1};
  const auto side = static_cast<std::size_t>(stack.side);
  stack.light.assign(side * side, 0);
  stack.left.assign(side * side, 0);
  std::vector<double> flux(side * side, 0);
  for (const PsfMember& star : members) {
    if (!star.makes) continue;
    const std::vector<double> shape = all.shape_of(surface, star);
    star.window.for_each([&](std::size_t i, int column, int row) {
      const PsfMembers::Pixel pixel = all.pixel(star, column, row);
      if (!pixel.good) return;
      const std::size_t to = static_cast<std::size_t>(row) * side + static_cast<std::size_t>(column);
      flux[to] += star.flux;
      stack.left[to] += pixel.left;
      stack.light[to] += pixel.left + star.flux * shape[i];
    });
  }
  for (std::size_t i = 0; i < side * side; ++i) {
    stack.light[i] = flux[i] > 0 ? stack.light[i] / flux[i] : 0;
    stack.left[i] = flux[i] > 0 ? stack.left[i] / flux[i] : 0;
  }
  return stack;
}

/// Returns the radius of the model in pixels: 4 full widths of a star, at least 12 and at most 120 pixels, but so small
/// that the model fits into the image. Returns 0 if this radius is below 2 full widths or 4 pixels: the image is too
/// small, or the stars are too wide.
double radius_for(double width, const Shape& shape) {
  constexpr double widths = 4, least = 12, least_widths = 2, most = 120, half_taps = 4;
  const double room = static_cast<double>(std::min(shape.width, shape.height) - 1) / 2;
  const double radius = std::min({std::max(least, std::ceil(widths * width)), std::floor(room), most});
  return radius >= least_widths * width && radius >= half_taps ? radius : 0;
}

}  // namespace

MadePsf make_psf(const PsfImage& image, std::vector<PsfStar>& stars, int most_degree, const Cpu& where) {
  MadePsf made;
  const Shape& shape = image.above.shape;
  const StarChoice choice = choose_stars(stars, shape, image.saturation, most_degree);
  if (choice.used == 0) {
    made.problem = "no source is a star that could tell it";
    return made;
  }
  const double radius = radius_for(choice.width, shape);
  if (radius == 0) {
    made.problem = "stars are about " + std::to_string(static_cast<int>(std::ceil(choice.width))) +
                   " pixels wide at half their height, and the image is too small for a model of them";
    return made;
  }
  PsfSurface& surface = made.surface;
  surface = begin_surface(shape, choice.degree, choice.width, radius);
  surface.of_file = 2 * choice.radius;
  MoffatField formula{.width = choice.width};
  PsfSurface usual;
  std::vector<double> departure(surface.planes.size(), 0);
  draw_field(formula, surface);
  PsfMembers all(image, stars, surface);
  for (int turn = 0; turn < turns; ++turn) {
    const double accuracy = accuracies[turn];
    all.fit(surface, turn > turns_of_formula);
    for (const PsfMember& member : all.members())
      if (member.makes) stars[member.row].chi2 = chi2_of(all, member, surface, accuracy);
    if (turn >= turns_of_formula) reject(stars, all.members());
    std::vector<StarEquations> equations;
    for (const PsfMember& member : all.members())
      if (member.makes) equations.push_back(equations_of(all, member, surface, accuracy, turn > turns_of_formula));
    if (turn < turns_of_formula) {
      improve_field(equations, surface, formula);
      draw_field(formula, surface);
      usual = surface;
    } else {
      improve_surface(equations, usual, surface, departure, where);
      fix_gauge(surface);
    }
  }
  all.fit(surface, true);
  double sum = 0;
  std::size_t used = 0;
  for (const PsfMember& member : all.members()) {
    if (!member.makes) continue;
    PsfStar& star = stars[member.row];
    star.chi2 = chi2_of(all, member, surface, std::end(accuracies)[-1]);
    star.x = member.x;
    star.y = member.y;
    star.flux = member.flux;
    sum += star.chi2;
    ++used;
  }
  if (used == 0) {
    made.problem = "no source is a star that could tell it";
    return made;
  }
  made.table = table_of(surface, stars.size(), used, sum / static_cast<double>(used));
  made.stack = stack_of(all, all.members(), surface);
  return made;
}

}  // namespace srcextract
