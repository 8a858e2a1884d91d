#include "stages/psf/psf_stars.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "stages/catalogue/sources.hpp"
#include "stages/math/median.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {
namespace {

constexpr double least_radius = 0.5;         // half-light radius of a star in pixels; cosmic rays are narrower
constexpr double width_over_diameter = 0.8;  // FWHM of a Moffat profile divided by its half-light diameter

using Rows = std::vector<std::size_t>;

/// Returns the most common value, as PSFEx finds it. Of all ranges that contain a quarter of the sorted values, take
/// the narrowest relative to its middle; the result is its middle. While this range is too wide, the number of values
/// in a range is halved.
double most_common(std::vector<double> values) {
  constexpr double narrow = 0.1;
  std::ranges::sort(values);
  std::size_t count = std::max<std::size_t>(values.size() / 4, 1);
  for (;;) {
    double least = std::numeric_limits<double>::infinity(), middle = values.front();
    for (std::size_t i = 0; i + count <= values.size(); ++i) {
      const double low = values[i], high = values[i + count - 1], relative = (high - low) / (high + low);
      if (!(relative < least)) continue;
      least = relative;
      middle = (low + high) / 2;
    }
    if (least * 2 <= narrow || count <= 3) return middle;
    count = (count + 1) / 2;
  }
}

/// The half-light radius of stars as a function of position: a plane in x and y, or a constant if there are too few
/// stars.
class SizeOverField {
 public:
  SizeOverField(const std::vector<PsfStar>& stars, const Rows& rows, double common) : common_(common) {
    constexpr std::size_t least = 30;
    if (rows.size() < least) return;
    double n = 0;
    for (const std::size_t row : rows) {
      x_ += stars[row].x;
      y_ += stars[row].y;
      n += 1;
    }
    x_ /= n;
    y_ /= n;
    double xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, r = 0;
    for (const std::size_t row : rows) {
      const double dx = stars[row].x - x_, dy = stars[row].y - y_, size = stars[row].radius;
      xx += dx * dx;
      xy += dx * dy;
      yy += dy * dy;
      xr += dx * size;
      yr += dy * size;
      r += size;
    }
    const double area = xx * yy - xy * xy;
    if (!(area > 1e-6 * xx * yy)) return;
    common_ = r / n;
    of_x_ = (xr * yy - yr * xy) / area;
    of_y_ = (yr * xx - xr * xy) / area;
  }
  double at(const PsfStar& star) const { return common_ + of_x_ * (star.x - x_) + of_y_ * (star.y - y_); }

 private:
  double common_, x_ = 0, y_ = 0, of_x_ = 0, of_y_ = 0;
};

/// Keeps the rows (indices of sources) whose sizes are those of stars; the others get the verdict `size`. Returns the
/// common half-light radius in pixels.
double keep_sizes(std::vector<PsfStar>& stars, Rows& rows) {
  constexpr double spread = 1.0954451150103321;  // square root of 1.2, for PSFEx's SAMPLE_VARIABILITY of 20 %
  constexpr int rounds = 3;
  std::vector<double> sizes;
  for (const std::size_t row : rows) sizes.push_back(stars[row].radius);
  const double common = most_common(sizes);
  const auto within = [&](const SizeOverField& size, std::size_t row) {
    const double part = stars[row].radius / size.at(stars[row]);
    return part > 1 / spread && part < spread;
  };
  SizeOverField size(stars, {}, common);
  for (int round = 0; round < rounds; ++round) {
    Rows alike;
    std::ranges::copy_if(rows, std::back_inserter(alike), [&](std::size_t row) { return within(size, row); });
    size = SizeOverField(stars, alike, common);
  }
  std::erase_if(rows, [&](std::size_t row) {
    if (within(size, row)) return false;
    stars[row].verdict = StarVerdict::size;
    return true;
  });
  return common;
}

void keep_round(std::vector<PsfStar>& stars, Rows& rows) {
  constexpr double most = 0.3, beyond = 0.15;
  if (rows.empty()) return;
  std::vector<double> all;
  for (const std::size_t row : rows) all.push_back(stars[row].ellipticity);
  const double limit = std::max(most, upper_median(all) + beyond);
  std::erase_if(rows, [&](std::size_t row) {
    if (stars[row].ellipticity <= limit) return false;
    stars[row].verdict = StarVerdict::elongated;
    return true;
  });
}

/// All sources, grouped by squares of the field with the given side, so that neighbours are found quickly.
class Neighbourhood {
 public:
  Neighbourhood(const std::vector<PsfStar>& stars, double side) : stars_(stars), side_(side) {
    for (std::size_t row = 0; row < stars.size(); ++row)
      squares_[square(line(stars[row].x), line(stars[row].y))].push_back(row);
  }

  /// Whether a source with more than `share` of the star's light is within `reach` of the star. `reach` must not exceed
  /// the side of the squares.
  bool is_crowded(std::size_t row, double reach, double share) const {
    const PsfStar& star = stars_[row];
    for (std::int64_t y = line(star.y) - 1; y <= line(star.y) + 1; ++y) {
      for (std::int64_t x = line(star.x) - 1; x <= line(star.x) + 1; ++x) {
        const auto there = squares_.find(square(x, y));
        if (there == squares_.end()) continue;
        for (const std::size_t other : there->second) {
          const double dx = stars_[other].x - star.x, dy = stars_[other].y - star.y;
          if (other != row && dx * dx + dy * dy < reach * reach && stars_[other].flux > share * star.flux) return true;
        }
      }
    }
    return false;
  }

 private:
  std::int64_t line(double place) const { return static_cast<std::int64_t>(std::floor(place / side_)); }
  static std::int64_t square(std::int64_t x, std::int64_t y) { return y * (std::int64_t{1} << 31) + x; }

  const std::vector<PsfStar>& stars_;
  double side_;
  std::unordered_map<std::int64_t, Rows> squares_;
};

/// A star is excluded if a neighbour with more than the fraction `share` of its light is within `widths` full widths.
/// Later entries of `isolations` exclude fewer stars.
struct Isolation {
  double widths, share;
};
constexpr Isolation isolations[] = {{4, 0.05}, {3, 0.1}, {2, 0.2}, {1.2, 0.5}};

void keep_isolated(std::vector<PsfStar>& stars, Rows& rows, double width, std::size_t needed) {
  const Neighbourhood neighbours(stars, isolations[0].widths * width);
  Rows alone;
  for (const auto& [widths, share] : isolations) {
    alone.clear();
    for (const std::size_t row : rows)
      if (!neighbours.is_crowded(row, widths * width, share)) alone.push_back(row);
    if (alone.size() >= needed) break;
  }
  for (const std::size_t row : rows) stars[row].verdict = StarVerdict::crowded;
  rows = std::move(alone);
}

/// Keeps at most 400 stars that are spread over the field, and gives the others the verdict `spare`. The field is
/// divided into 8 x 8 cells: first the brightest star of each cell is taken, then the second brightest, and so on.
void keep_spread_out(std::vector<PsfStar>& stars, Rows& rows, const Shape& shape) {
  constexpr std::size_t cells = 8, most = 400;
  const auto cell_of = [&](const PsfStar& star) {
    const auto index = [](double place, std::int64_t size) {
      const double cell = place * static_cast<double>(cells) / static_cast<double>(size);
      return static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(cells) - 0.5));
    };
    return index(star.y, shape.height) * cells + index(star.x, shape.width);
  };
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) { return stars[a].snr > stars[b].snr; });
  std::vector<std::size_t> taken(cells * cells, 0);
  std::vector<std::pair<std::size_t, std::size_t>> order;  // rank of the star in its cell, index in `rows`
  for (std::size_t i = 0; i < rows.size(); ++i) order.emplace_back(taken[cell_of(stars[rows[i]])]++, i);
  std::ranges::sort(order);
  Rows kept;
  for (const auto& [rank, place] : order) {
    const bool wanted = kept.size() < most;
    stars[rows[place]].verdict = wanted ? StarVerdict::used : StarVerdict::spare;
    if (wanted) kept.push_back(rows[place]);
  }
  std::ranges::sort(kept);
  rows = std::move(kept);
}

/// Returns the rows (indices of sources) that may be stars, regardless of their sizes; the others get a verdict.
Rows usable_rows(std::vector<PsfStar>& stars, const Shape& shape, double saturation, double least_snr) {
  constexpr double of_saturation = 0.8, core = 4;
  constexpr std::int16_t of_neighbours = flag::crowded | flag::deblended;
  Rows rows;
  for (std::size_t row = 0; row < stars.size(); ++row) {
    PsfStar& star = stars[row];
    const double reach = core * star.radius;
    const auto inside = [&](double place, std::int64_t size) {
      return place >= reach && place <= static_cast<double>(size - 1) - reach;
    };
    star.verdict = StarVerdict::used;
    if (!(star.snr >= least_snr && star.flux > 0))
      star.verdict = StarVerdict::faint;
    else if ((star.flags & flag::saturated) != 0 || (saturation > 0 && star.peak >= of_saturation * saturation))
      star.verdict = StarVerdict::saturated;
    else if (!(star.radius >= least_radius))
      star.verdict = StarVerdict::size;
    else if ((star.flags & ~of_neighbours) != 0 || !inside(star.x, shape.width) || !inside(star.y, shape.height))
      star.verdict = StarVerdict::at_edge;
    else
      rows.push_back(row);
  }
  return rows;
}

}  // namespace

const char* name_of(StarVerdict verdict) {
  constexpr const char* names[] = {"used",      "faint",   "saturated", "edge",  "size",
                                   "elongated", "crowded", "spare",     "misfit"};
  return names[static_cast<std::size_t>(verdict)];
}

const char* phrase_of(StarVerdict verdict) {
  constexpr const char* phrases[] = {"used",
                                     "too faint",
                                     "saturated",
                                     "at an edge or with bad pixels",
                                     "not of the size of stars",
                                     "elongated",
                                     "with neighbours",
                                     "not needed, for there are brighter ones",
                                     "unlike the model"};
  return phrases[static_cast<std::size_t>(verdict)];
}

std::size_t stars_needed(int degree) {
  constexpr std::size_t a_coefficient = 8;
  return degree == 0 ? 1 : a_coefficient * static_cast<std::size_t>(PsfSurface::terms_of(degree));
}

StarChoice choose_stars(std::vector<PsfStar>& stars, const Shape& shape, double saturation, int most_degree) {
  constexpr double usual_snr = 50, least_snr = 20;
  constexpr std::size_t enough = 20;
  const auto wanted = enough * static_cast<std::size_t>(PsfSurface::terms_of(most_degree));
  StarChoice choice;
  for (const double snr : {usual_snr, least_snr}) {
    choice = {};
    Rows rows = usable_rows(stars, shape, saturation, snr);
    if (rows.empty()) continue;
    choice.radius = keep_sizes(stars, rows);
    choice.width = 2 * choice.radius * width_over_diameter;
    keep_round(stars, rows);
    keep_isolated(stars, rows, choice.width, std::max(wanted / 2, stars_needed(most_degree)));
    keep_spread_out(stars, rows, shape);
    choice.used = rows.size();
    if (choice.used >= wanted) break;
  }
  choice.degree = most_degree;
  while (choice.degree > 0 && choice.used < stars_needed(choice.degree)) --choice.degree;
  return choice;
}

}  // namespace srcextract
