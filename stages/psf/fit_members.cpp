#include "stages/psf/fit_members.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stages/math/exact_math.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

/// Returns the distance to which a hot pixel or a cosmic ray has light; 0 for any other source.
double reach_of_hit(const PsfStar& star, const PsfSurface& surface) {
  constexpr double narrower = 0.85, least_snr = 10, beyond = 1, of_half_light = 3;
  const bool hit = star.verdict == StarVerdict::sharp ||
                   (star.verdict == StarVerdict::faint && star.snr >= least_snr && star.minor < least_star_width) ||
                   (star.verdict == StarVerdict::size && star.width < narrower * surface.width);
  return hit ? std::min(surface.radius, beyond + of_half_light * star.radius) : 0;
}

/// Returns whether the narrow sources are few enough for hits of a camera. More of them are the peaks of a crowd.
bool knows_hits(const PsfImage& image, const std::vector<PsfStar>& stars, const PsfSurface& surface) {
  constexpr double most = 0.05;
  if (image.crowded) return false;
  double area = 0;
  for (const PsfStar& star : stars) {
    const double reach = reach_of_hit(star, surface);
    area += std::numbers::pi * reach * reach;
  }
  return area < most * static_cast<double>(image.above.shape.count());
}

/// Finds whether a source is so near to a star from which the PSF is made that its light is in the star's pixels.
class NearStars {
 public:
  NearStars(const std::vector<PsfStar>& stars, double reach) : reach_(reach) {
    for (const PsfStar& star : stars)
      if (star.verdict == StarVerdict::used) makers_.push_back({star.x, star.y});
    std::ranges::sort(makers_, {}, &Place::y);
  }
  bool has(const PsfStar& star) const {
    for (auto one = std::ranges::lower_bound(makers_, star.y - reach_, {}, &Place::y);
         one != makers_.end() && one->y <= star.y + reach_; ++one) {
      const double dx = one->x - star.x, dy = one->y - star.y;
      if (dx * dx + dy * dy <= reach_ * reach_) return true;
    }
    return false;
  }

 private:
  struct Place {
    double x, y;
  };
  double reach_;
  std::vector<Place> makers_;
};

/// Sums of the normal equations for fitting the flux of a star and its shifts in x and y. The unknowns are the flux,
/// and each shift multiplied by the flux.
struct ShiftSums {
  double ff = 0, fx = 0, fy = 0, xx = 0, xy = 0, yy = 0, f = 0, x = 0, y = 0;

  void add(double weight, double light, double shape, double dx, double dy) {
    ff += weight * shape * shape;
    fx += weight * shape * dx;
    fy += weight * shape * dy;
    xx += weight * dx * dx;
    xy += weight * dx * dy;
    yy += weight * dy * dy;
    f += weight * shape * light;
    x += weight * dx * light;
    y += weight * dy * light;
  }

  /// Solves for flux and shifts, in pixels. The shifts are 0 if the equations cannot separate them, or if the flux is
  /// too uncertain.
  void solve(double& flux, double& shift_x, double& shift_y) const {
    constexpr double least_pivot = 1e-6, clear = 100;  // clear: square of the least signal-to-noise ratio
    shift_x = shift_y = 0;
    flux = ff > 0 ? f / ff : 0;
    if (!(flux > 0 && flux * flux * ff > clear)) return;
    const double a = xx - fx * fx / ff, b = xy - fx * fy / ff, c = yy - fy * fy / ff;
    const double u = x - fx * f / ff, v = y - fy * f / ff, area = a * c - b * b;
    if (!(area > least_pivot * xx * yy)) return;
    shift_x = (u * c - v * b) / area;
    shift_y = (v * a - u * b) / area;
    const double free = (f - fx * shift_x - fy * shift_y) / ff;
    if (free > 0) flux = free;
    shift_x /= -flux;
    shift_y /= -flux;
  }
};

/// Calls f(i, square) for every pixel of the image whose distance from (x, y) is at most `radius`. i is the pixel's
/// index, and `square` its squared distance.
template <class F>
void for_each_near(const Shape& shape, double x, double y, double radius, const F& f) {
  const auto top = static_cast<std::int64_t>(std::max(0.0, std::ceil(y - radius))),
             left = static_cast<std::int64_t>(std::max(0.0, std::ceil(x - radius)));
  for (std::int64_t row = top; row < shape.height && static_cast<double>(row) <= y + radius; ++row) {
    for (std::int64_t column = left; column < shape.width && static_cast<double>(column) <= x + radius; ++column) {
      const double dx = static_cast<double>(column) - x, dy = static_cast<double>(row) - y, square = dx * dx + dy * dy;
      if (square <= radius * radius) f(static_cast<std::size_t>(row * shape.width + column), square);
    }
  }
}

}  // namespace

PsfMembers::PsfMembers(const PsfImage& image, const std::vector<PsfStar>& stars, const PsfSurface& surface)
    : image_(image) {
  const Shape& shape = image.above.shape;
  const int half = static_cast<int>(surface.radius);
  const NearStars near(stars, surface.radius + 2 * surface.width);
  const auto inside = [](double place, std::int64_t size) {
    return place > -0.5 && place < static_cast<double>(size) - 0.5;
  };
  covered_.assign(static_cast<std::size_t>(shape.count()), 0);
  hit_ = covered_;
  const bool leaves_hits = knows_hits(image, stars, surface);
  for (std::size_t row = 0; row < stars.size(); ++row) {
    const PsfStar& star = stars[row];
    const bool makes = star.verdict == StarVerdict::used;
    if (const double reach = leaves_hits ? reach_of_hit(star, surface) : 0; reach > 0) {
      for_each_near(shape, star.x, star.y, reach, [&](std::size_t at, double) { covered_[at] = hit_[at] = 1; });
      continue;
    }
    for_each_near(shape, star.x, star.y, surface.radius, [&](std::size_t at, double) { covered_[at] = 1; });
    if (!inside(star.x, shape.width) || !inside(star.y, shape.height)) continue;
    if (makes || near.has(star))
      members_.push_back({row, star.x, star.y, std::max(star.flux, 0.0), star.x, star.y, makes,
                          PsfWindow(surface, star.x, star.y, half)});
  }
  // the core of a star tells its flux, whatever is beside it
  for (const PsfMember& member : members_)
    if (member.makes)
      for_each_near(shape, member.x, member.y, surface.width, [&](std::size_t at, double) { hit_[at] = 0; });
}

PsfMembers::Pixel PsfMembers::pixel(const PsfMember& member, int column, int row) const {
  const std::int64_t x = member.window.left() + column, y = member.window.top() + row;
  const Shape& shape = image_.above.shape;
  if (x < 0 || y < 0 || x >= shape.width || y >= shape.height) return {};
  const std::int64_t at = y * shape.width + x;
  const float above = image_.above.pixels[at];
  if (hit_[static_cast<std::size_t>(at)] != 0 || std::isnan(above) ||
      (image_.saturation > 0 && above >= image_.saturation))
    return {};
  const double scale = image_.variance != nullptr ? static_cast<double>(image_.variance->pixels[at]) : 1;
  if (!(scale > 0 && scale < std::numeric_limits<double>::infinity())) return {};
  const double left = left_[static_cast<std::size_t>(at)], light = above - level_ - left;
  const double photons = image_.gain > 0 && light > 0 ? light / image_.gain : 0;
  return {true, left, image_.sky_variance * scale + photons};
}

std::vector<double> PsfMembers::shape_of(const PsfSurface& surface, const PsfMember& member) const {
  std::vector<double> shape;
  member.window.draw(surface.at(member.begin_x, member.begin_y).data(), shape);
  return shape;
}

std::vector<std::vector<double>> PsfMembers::shape_and_gradients(const PsfSurface& surface,
                                                                 const PsfMember& member) const {
  return shape_and_gradients(surface, member, surface.at(member.begin_x, member.begin_y));
}

std::vector<std::vector<double>> PsfMembers::shape_and_gradients(const PsfSurface& surface, const PsfMember& member,
                                                                 const std::vector<double>& plane) {
  std::vector<std::vector<double>> shapes(3);
  member.window.draw(plane.data(), shapes[0]);
  member.window.draw(surface.gradient(plane.data(), false).data(), shapes[1]);
  member.window.draw(surface.gradient(plane.data(), true).data(), shapes[2]);
  return shapes;
}

void PsfMembers::add(const PsfMember& member, const std::vector<double>& shape, double flux) {
  const Shape& whole = image_.above.shape;
  member.window.for_each([&](std::size_t i, int column, int row) {
    const std::int64_t x = member.window.left() + column, y = member.window.top() + row;
    if (x < 0 || y < 0 || x >= whole.width || y >= whole.height) return;
    float& pixel = left_[static_cast<std::size_t>(y * whole.width + x)];
    pixel = static_cast<float>(pixel + flux * shape[i]);
  });
}

void PsfMembers::fit(const PsfSurface& surface, bool knows_wings) {
  constexpr int rounds = 2;
  left_.assign(image_.above.pixels.begin(), image_.above.pixels.end());
  for (float& pixel : left_) pixel -= level_;
  for (PsfMember& member : members_) {
    add(member, shape_of(surface, member), -member.flux);
  }
  for (int round = 0; round < rounds; ++round)
    for (PsfMember& member : members_) fit_one(surface, member);
  find_level(surface, knows_wings);
}

double PsfMembers::wing_beyond(const PsfSurface& surface, const PsfMember& member) const {
  // radii of the two rings, and half width of a ring, in full widths; a ring averages over the rings of diffraction
  constexpr double inside = 2.5, outside = 3.5, half = 0.5;
  const double beyond = surface.radius / surface.width + half;
  constexpr double least_power = 2, most_power = 8;
  const std::vector<double> shape = shape_of(surface, member);
  double light[2] = {}, count[2] = {};
  member.window.for_each([&](std::size_t i, int column, int row) {
    const double widths = std::sqrt(member.squared_distance(column, row)) / surface.width;
    const int ring = widths < inside + half ? 0 : 1;
    if (std::abs(widths - (ring == 0 ? inside : outside)) > half) return;
    light[ring] += shape[i];
    ++count[ring];
  });
  if (!(light[0] > 0 && light[1] > 0)) return 0;
  const double from = light[0] / count[0], to = light[1] / count[1];
  const double power = std::clamp(portable_log(from / to) / portable_log(outside / inside), least_power, most_power);
  return member.flux * to * portable_exp(-power * portable_log(beyond / outside));
}

void PsfMembers::find_level(const PsfSurface& surface, bool knows_wings) {
  constexpr std::size_t least_around = 50;
  const double inner = surface.radius, outer = surface.radius + surface.width;
  std::vector<float> ring, around;
  std::size_t all = 0;
  for (PsfMember& member : members_) {
    if (!member.makes) continue;
    around.clear();
    const auto wing = knows_wings ? static_cast<float>(wing_beyond(surface, member)) : 0.0F;
    for_each_near(image_.above.shape, member.begin_x, member.begin_y, outer, [&](std::size_t at, double square) {
      if (square <= inner * inner) return;
      ++all;
      if (covered_[at] == 0 && std::isfinite(left_[at])) around.push_back(left_[at] - wing);
    });
    ring.insert(ring.end(), around.begin(), around.end());
    const bool is_known = around.size() >= least_around;
    member.around = is_known ? trimmed_mean(around) : std::numeric_limits<double>::quiet_NaN();
  }
  // Between crowded stars the gaps are darker than the level under the stars. A crowd that is searched star by star
  // fits its sky itself, so its gaps must be wide to tell more.
  const double least_share = image_.crowded ? 0.75 : 0.5;
  if (ring.empty() || static_cast<double>(ring.size()) < least_share * static_cast<double>(all)) {
    if (image_.crowded)
      for (PsfMember& member : members_) member.around = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  // `clear` is in errors; of_trimmed is the error of trimmed_mean() divided by that of a mean
  constexpr double clear = 3, of_trimmed = 1.1;
  const auto middle = static_cast<float>(trimmed_mean(ring));
  const double count = std::sqrt(static_cast<double>(ring.size()));
  const double error = of_trimmed * sigma_per_deviation * static_cast<double>(median_deviation(ring, middle)) / count;
  const float level = level_ + middle;
  level_ = static_cast<double>(level) < -clear * error ? level : 0.0F;
}

void PsfMembers::fit_one(const PsfSurface& surface, PsfMember& member) {
  constexpr double most_step = 0.3;
  const std::vector<double> plane = surface.at(member.begin_x, member.begin_y);
  std::vector<std::vector<double>> shapes = shape_and_gradients(surface, member, plane);
  ShiftSums sums;
  const auto add_pixel = [&](std::size_t i, int column, int row) {
    const Pixel pixel = this->pixel(member, column, row);
    if (!pixel.good) return;
    sums.add(1 / pixel.variance, pixel.left + member.flux * shapes[0][i], shapes[0][i], shapes[1][i], shapes[2][i]);
  };
  member.window.for_each(add_pixel);
  add(member, shapes[0], member.flux);
  double dx = 0, dy = 0;
  sums.solve(member.flux, dx, dy);
  member.flux = std::max(member.flux, 0.0);
  const double furthest = surface.width / 2;
  const auto moved = [&](double place, double step, double begin) {
    return std::clamp(place + std::clamp(step, -most_step, most_step), begin - furthest, begin + furthest);
  };
  member.x = moved(member.x, dx, member.begin_x);
  member.y = moved(member.y, dy, member.begin_y);
  member.window.move(surface, member.x, member.y);
  member.window.draw(plane.data(), shapes[0]);
  add(member, shapes[0], -member.flux);
}

}  // namespace srcextract
