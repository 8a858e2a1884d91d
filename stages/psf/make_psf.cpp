#include "stages/psf/make_psf.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <utility>

#include "stages/core/parallel.hpp"
#include "stages/math/median.hpp"
#include "stages/psf/fit_members.hpp"
#include "stages/psf/profile_modes.hpp"
#include "stages/psf/solve_planes.hpp"
#include "stages/psf/star_width.hpp"

namespace srcextract {
namespace {

/// Assumed relative accuracy of the model, for the weights of pixels, in each turn (iteration). The first
/// turns_of_formula turns fit a formula for the PSF; later turns fit the pixels of its planes.
constexpr double accuracies[] = {0.2, 0.1, 0.05, 0.05, 0.05, 0.02, 0.02, 0.01, 0.01};
/// The weights of pixels know the accuracy that the planes reach, down to this one.
constexpr double best_accuracy = 0.002;
constexpr int turns = std::size(accuracies), turns_of_formula = 6, turns_without_rings = 3;

/// Appends the gradients of the star's shape in x and y to star.own, made orthogonal and normalised.
void add_own_shapes(std::vector<std::vector<double>> shapes, StarEquations& star) {
  for (std::vector<double>& one : shapes) {
    star.take_out(one);
    double square = 0;
    for (std::size_t i = 0; i < one.size(); ++i) square += star.weight[i] * one[i] * one[i];
    const double factor = square > 0 ? 1 / std::sqrt(square) : 0;
    for (double& value : one) value *= factor;
    star.own.push_back(std::move(one));
  }
}

/// Makes the equations by which a star improves the PSF: its pixels minus the model, and their weights. For
/// planes of pixels (not `of_formula`), pixels that are outliers are excluded.
///
/// The star's shift is taken out, but not its flux. The scale of the PSF is then that of the fluxes just fitted. If it
/// were free, the priors of the many pixels of the wings would choose it.
StarEquations equations_of(const PsfMembers& all, const PsfMember& star, const PsfSurface& surface, double accuracy,
                           bool of_formula) {
  // outlier: square of the limit in sigma; of_peak: error of the model that is tolerated, as a fraction of the star's
  // peak
  constexpr double outlier = 25, of_peak = 0.005;
  std::vector<std::vector<double>> shapes = all.shape_and_gradients(surface, star);
  const std::vector<double> shape = shapes[0];
  StarEquations own{&star.window, surface.basis(star.begin_x, star.begin_y), {}, {}, {}};
  const double may_err = of_peak * star.flux * std::ranges::max(shape);
  own.beyond.assign(shape.size(), 0);
  own.weight.assign(shape.size(), 0);
  if (!(star.flux > 0)) return own;  // no light to compare with the model: all weights stay 0
  star.window.for_each([&](std::size_t i, int column, int row) {
    const PsfMembers::Pixel pixel = all.pixel(star, column, row);
    if (!pixel.good || star.squared_distance(column, row) > surface.radius * surface.radius) return;
    const double of_model = accuracy * star.flux * shape[i], variance = pixel.variance + of_model * of_model;
    if (!of_formula && pixel.left * pixel.left > outlier * (variance + may_err * may_err)) return;
    own.beyond[i] = pixel.left / star.flux;
    own.weight[i] = star.flux * star.flux / variance;
  });
  shapes.erase(shapes.begin());
  add_own_shapes(std::move(shapes), own);
  return own;
}

/// Reduces the weights of stars whose chi^2 is more than 4 times the median: what is no star, or is not linear, must
/// not make the PSF because it is bright.
void weaken_unlike(const std::vector<PsfStar>& stars, const std::vector<PsfMember>& members,
                   std::vector<StarEquations>& equations) {
  constexpr double times = 4;
  std::vector<double> chi2;
  for (const PsfMember& member : members)
    if (member.makes) chi2.push_back(stars[member.row].chi2);
  std::vector<double> sorted = chi2;
  std::erase_if(sorted, [](double value) { return std::isnan(value); });
  if (sorted.empty()) return;
  const double most = times * upper_median(sorted);
  for (std::size_t i = 0; i < equations.size(); ++i)
    if (chi2[i] > most)
      for (double& weight : equations[i].weight) weight *= most / chi2[i];
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

/// Returns the root mean square of what the model leaves of the cores of the stars beyond their noise, relative to
/// their light.
double unexplained(const PsfMembers& all, const PsfSurface& surface) {
  double beyond = 0, light = 0;
  for (const PsfMember& star : all.members()) {
    if (!star.makes) continue;
    const std::vector<double> shape = all.shape_of(surface, star);
    star.window.for_each([&](std::size_t i, int column, int row) {
      const PsfMembers::Pixel pixel = all.pixel(star, column, row);
      if (!pixel.good || star.squared_distance(column, row) > surface.width * surface.width) return;
      beyond += pixel.left * pixel.left / pixel.variance - 1;
      light += star.flux * star.flux * shape[i] * shape[i] / pixel.variance;
    });
  }
  return light > 0 ? std::sqrt(std::max(beyond, 0.0) / light) : 0;
}

/// Rejects stars whose chi (root of the reduced chi^2) is above the median by more than 3 standard deviations, `times`
/// over, and stars without light.
void reject(std::vector<PsfStar>& stars, std::vector<PsfMember>& members, double times) {
  constexpr double sigmas = 3, least_sigma = 0.07;
  constexpr std::size_t least_stars = 4;
  std::vector<double> chi;
  for (const PsfMember& member : members)
    if (member.makes) chi.push_back(std::sqrt(stars[member.row].chi2));
  if (chi.size() < least_stars) return;
  const double middle = upper_median(chi);
  const double limit =
      middle + times * sigmas * std::max(sigma_per_deviation * median_deviation(chi, middle), least_sigma);
  for (PsfMember& member : members) {
    PsfStar& star = stars[member.row];
    if (!member.makes || (std::sqrt(star.chi2) <= limit && member.flux > 0)) continue;
    member.makes = false;
    star.verdict = StarVerdict::misfit;
  }
}

/// Rejects stars within the light of something larger, as of a galaxy: the level around them, in the area of the model,
/// is 1 % of their light above what the wings of the median star have there, and beyond the scatter of the others.
/// Nothing is rejected if there are few stars, or if that holds for most. Stars that are wider than the PSF have more
/// light of their own there.
void reject_in_light(const PsfSurface& surface, std::vector<PsfStar>& stars, std::vector<PsfMember>& members) {
  constexpr double sigmas = 4, part_of_light = 0.01, most_width = 1.15;
  constexpr std::size_t least_stars = 4;
  const double area = std::numbers::pi * surface.radius * surface.radius;
  const auto is_known = [](const PsfMember& member) {
    return member.makes && member.flux > 0 && std::isfinite(member.around);
  };
  std::vector<double> values;
  for (const PsfMember& member : members)
    if (is_known(member)) values.push_back(member.around / member.flux);
  if (values.size() < least_stars) return;
  const double of_wing = upper_median(values);
  const auto above = [&](const PsfMember& member) { return member.around - of_wing * member.flux; };
  values.clear();
  for (const PsfMember& member : members)
    if (is_known(member)) values.push_back(above(member));
  const double middle = upper_median(values), scatter = sigma_per_deviation * median_deviation(values, middle);
  const auto is_in_light = [&](const PsfMember& member) {
    return is_known(member) && stars[member.row].width < most_width * surface.width &&
           above(member) > std::max(part_of_light * member.flux / area, sigmas * scatter);
  };
  if (2 * std::ranges::count_if(members, is_in_light) >= std::ranges::count(members, true, &PsfMember::makes)) return;
  for (PsfMember& member : members) {
    if (!is_in_light(member)) continue;
    member.makes = false;
    stars[member.row].verdict = StarVerdict::misfit;
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

/// Returns the radius within which the light of the model is 1, in pixels: 4 full widths of a star, at least 12 and at
/// most 120 pixels, but so small that the model fits into the image. Returns 0 if this radius is below 2 full widths or
/// 4 pixels: the image is too small, or the stars are too wide.
double radius_for(double width, const Shape& shape) {
  constexpr double widths = 4, least = 12, least_widths = 2, most = 120, half_taps = 4;
  const double room = static_cast<double>(std::min(shape.width, shape.height) - 1) / 2;
  const double radius = std::min({std::max(least, std::ceil(widths * width)), std::floor(room), most});
  return radius >= least_widths * width && radius >= half_taps ? radius : 0;
}

/// Lets the rings of the formula depart from its profiles by as much as the profiles leave unexplained in the cores.
void let_rings_follow(double unexplained, ProfileField& formula) {
  // the wings are too faint to tell, so their rings are always free
  constexpr double least = 0.01, least_of_wing = 0.15, most = 1.5, times = 10;
  formula.core_deviation = std::clamp(times * unexplained, least, most);
  formula.wing_deviation = std::max(formula.core_deviation, least_of_wing);
}

/// Returns the light of the PSF in the middle of the field within a distance from the star, in pixels.
double light_within(const PsfSurface& surface, double distance) {
  PsfSurface part = surface;
  part.radius = distance;
  return part.light_of(std::vector<double>(surface.of(0), surface.of(0) + surface.plane()));
}

/// Fits the surface to the stars that are `used`, and rejects stars that are unlike it. `stars` and members agree
/// afterwards.
void fit_surface(PsfMembers& all, std::vector<PsfStar>& stars, PsfSurface& surface, const Cpu& where) {
  ProfileField formula{.width = surface.width, .measured_width = surface.width};
  PsfSurface usual;
  double deviation = 0;
  std::vector<double> departure(surface.planes.size(), 0);
  draw_field(formula, surface);
  for (int turn = 0; turn < turns; ++turn) {
    const bool of_formula = turn < turns_of_formula;
    all.fit(surface, turn > turns_of_formula);
    reject_in_light(surface, stars, all.members());
    for (const PsfMember& member : all.members())
      if (member.makes) stars[member.row].chi2 = chi2_of(all, member, surface, accuracies[turn]);
    // the formula alone is not the PSF yet
    constexpr double beside_formula = 5;
    if (!of_formula) reject(stars, all.members(), turn == turns_of_formula ? beside_formula : 1);
    const double reached = unexplained(all, surface);
    const double accuracy =
        turn > turns_without_rings ? std::clamp(reached, best_accuracy, accuracies[turn]) : accuracies[turn];
    std::vector<StarEquations> equations;
    for (const PsfMember& member : all.members())
      if (member.makes) equations.push_back(equations_of(all, member, surface, accuracy, of_formula));
    if (of_formula) {
      weaken_unlike(stars, all.members(), equations);
      if (turn == turns_without_rings) let_rings_follow(reached, formula);
      improve_field(equations, surface, formula);
      surface.width = formula.full_width();
      draw_field(formula, surface);
      usual = surface;
    } else {
      // what the formula does not tell, the planes may
      constexpr double least = 0.01, most = 0.3, times = 2;
      if (turn == turns_of_formula) deviation = std::clamp(times * reached, least, most);
      improve_surface(equations, usual, deviation, surface, departure, where);
      fix_gauge(surface);
    }
  }
  fade_out(surface);
  fix_gauge(surface);
  all.fit(surface, true);
}

/// Returns the reason why the surface is no PSF; empty if it is one.
std::string fault_of(const PsfSurface& surface, std::size_t used, bool varies) {
  // A Gaussian has 0.94, Moffat profiles 0.6 to 0.9, a scanned photograph 0.48. Three stars in the light of a galaxy
  // have 0.46: only if there are many is it their own light.
  constexpr std::size_t many = 16;
  const double least_in_core = used < many ? 0.5 : 0.4;
  if (used == 0) return "its sources of one size are unlike one another, so they are not images of a point";
  const double in_core = light_within(surface, surface.width);
  if (!std::isfinite(in_core)) return "its sources of one size have no common shape";
  if (in_core >= least_in_core) return {};
  if (varies)
    return "its stars differ so much in width over the field that no model has the light of all: extract parts";
  return "only " + std::to_string(static_cast<int>(100 * std::max(in_core, 0.0))) +
         " % of the light of its stars is within a full width of their middles, so the rest is light of something "
         "larger around them; an image of it subtracted, or a smaller background.mesh_size, would take it away";
}

}  // namespace

MadePsf make_psf(const PsfImage& image, std::vector<PsfStar>& stars, int most_degree, const Cpu& where) {
  MadePsf made;
  const Shape& shape = image.above.shape;
  constexpr std::int64_t stars_at_a_time = 64;
  parallel_for(std::ssize(stars), stars_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const StarWidth measured = measure_width(image.above, stars[i].x, stars[i].y, stars[i].radius);
      stars[i].width = measured.width;
      stars[i].minor = measured.minor;
    }
  });
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
  std::size_t used = choice.used;
  for (int degree = choice.degree;; degree = degree_for(degree - 1, used)) {
    surface = begin_surface(shape, degree, choice.width, radius);
    PsfMembers all(image, stars, surface);
    fit_surface(all, stars, surface, where);
    used = static_cast<std::size_t>(std::ranges::count(stars, StarVerdict::used, &PsfStar::verdict));
    // the stars left may be too few for this degree
    if (degree > 0 && used > 0 && used < stars_needed(degree)) continue;
    // the formula is that of small changes, so its width is not that of the planes if the width changes much
    if (choice.varies) surface.width = width_in_middle(surface);
    made.problem = fault_of(surface, used, choice.varies);
    if (!made.problem.empty()) return made;
    double sum = 0;
    for (const PsfMember& member : all.members()) {
      if (!member.makes) continue;
      PsfStar& star = stars[member.row];
      star.chi2 = chi2_of(all, member, surface, std::end(accuracies)[-1]);
      star.x = member.x;
      star.y = member.y;
      star.flux = member.flux;
      sum += star.chi2;
    }
    // at least 2 pixels, or the box of a fit would hold hardly any pixel of a narrow star
    surface.of_file = std::max(2 * choice.radius, 2.0);
    made.unlike = find_unlike_part(surface, stars);
    made.table = table_of(surface, stars.size(), used, sum / static_cast<double>(used));
    made.stack = stack_of(all, all.members(), surface);
    return made;
  }
}

}  // namespace srcextract
