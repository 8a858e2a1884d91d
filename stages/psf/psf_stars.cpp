#include "stages/psf/psf_stars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "stages/catalogue/sources.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/math/median.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {
namespace {

using Rows = std::vector<std::size_t>;

/// Returns the standard deviation of the logarithm of a star's measured width: noise, and what remains of the phase of
/// the pixels if stars are narrow.
double error_of_width(const PsfStar& star) {
  constexpr double of_noise = 1.2, least = 0.01, of_phase = 0.03;
  const double noise = of_noise / star.snr, phase = of_phase / (star.width * star.width);
  return std::sqrt(noise * noise + least * least + phase * phase);
}

/// Returns the logarithm of a star's short axis over its mean width: 0 if the star is round.
double flattening_of(const PsfStar& star) {
  return portable_log(star.minor / star.width);
}

/// Returns the standard deviation of flattening_of(): noise, the phase of the pixels, and how stars of one image
/// differ.
double error_of_flattening(const PsfStar& star) {
  constexpr double variation = 0.05, of_phase = 0.1;
  const double error = error_of_width(star), phase = of_phase / (star.width * star.width);
  return std::sqrt(error * error + phase * phase + variation * variation);
}

/// Returns the width of the stars: where widths and axis ratios of sources are densest on logarithmic scales, each
/// source blurred by its error. Galaxies spread over many widths and axis ratios, and stars share both, so a few bright
/// stars are denser than many galaxies. Of widths that are at least half as dense as the densest, the smallest is the
/// stars'. It is the densest of the range of widths around it that stays half as dense.
double width_of_stars(const std::vector<PsfStar>& stars, const Rows& rows) {
  constexpr double step = 0.005, variation = 0.015, sigmas = 4, part = 0.5;
  constexpr double step_of_ratio = 0.025, flattest = -0.8;
  constexpr int ratios = 33;
  struct Blurred {
    double middle, sigma, ratio, sigma_of_ratio;
  };
  std::vector<Blurred> all;
  for (const std::size_t row : rows) {
    const double error = error_of_width(stars[row]);
    all.push_back({portable_log(stars[row].width), std::sqrt(error * error + variation * variation),
                   std::max(flattening_of(stars[row]), flattest), error_of_flattening(stars[row])});
  }
  const auto [least, most] = std::ranges::minmax(all, {}, &Blurred::middle);
  std::vector<std::array<double, ratios>> at(static_cast<std::size_t>((most.middle - least.middle) / step) + 2,
                                             std::array<double, ratios>{});
  for (const auto& [middle, sigma, ratio, sigma_of_ratio] : all) {
    const double place = (middle - least.middle) / step, reach = sigmas * sigma / step;
    double of_ratio[ratios];
    for (int k = 0; k < ratios; ++k) {
      const double off = (flattest + k * step_of_ratio - ratio) / sigma_of_ratio;
      of_ratio[k] = portable_exp(-off * off / 2) / sigma_of_ratio;
    }
    const auto last = std::min(static_cast<std::size_t>(place + reach), at.size() - 1);
    for (auto i = static_cast<std::size_t>(std::max(0.0, std::ceil(place - reach))); i <= last; ++i) {
      const double off = (static_cast<double>(i) - place) * step / sigma;
      const double of_width = portable_exp(-off * off / 2) / sigma;
      for (int k = 0; k < ratios; ++k) at[i][static_cast<std::size_t>(k)] += of_width * of_ratio[k];
    }
  }
  std::vector<double> density;
  for (const auto& there : at) density.push_back(std::ranges::max(there));
  const double limit = part * std::ranges::max(density);
  const auto first = std::ranges::find_if(density, [&](double value) { return value >= limit; });
  const auto end = std::find_if(first, density.end(), [&](double value) { return value < limit; });
  const auto peak = static_cast<double>(std::max_element(first, end) - density.begin());
  return portable_exp(least.middle + peak * step);
}

/// The width of stars as a function of position: a plane in x and y, or a constant if there are fewer than `least`
/// stars. Stars have equal weights, or those given.
class SizeOverField {
 public:
  SizeOverField(const std::vector<PsfStar>& stars, const Rows& rows, double common,
                const std::vector<double>& weights = {}, std::size_t least = 30)
      : common_(common) {
    if (rows.size() < least) return;
    const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
    double n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      x_ += weight(i) * stars[rows[i]].x;
      y_ += weight(i) * stars[rows[i]].y;
      n += weight(i);
    }
    x_ /= n;
    y_ /= n;
    double xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, r = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const PsfStar& star = stars[rows[i]];
      const double dx = star.x - x_, dy = star.y - y_, wx = weight(i) * dx, wy = weight(i) * dy;
      xx += wx * dx;
      xy += wx * dy;
      yy += wy * dy;
      xr += wx * star.width;
      yr += wy * star.width;
      r += weight(i) * star.width;
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

/// A star is excluded if a neighbour with more than the fraction `share` of its light is within `widths` full widths,
/// or a galaxy's light as far in proportion. Later entries of `isolations` exclude fewer stars.
struct Isolation {
  double widths, share;
};
constexpr Isolation isolations[] = {{4, 0.05}, {3, 0.1}, {2, 0.2}, {1.2, 0.5}};

/// All sources, grouped by squares of the field with the given side, so that neighbours are found quickly.
class Neighbourhood {
 public:
  Neighbourhood(const std::vector<PsfStar>& stars, double width, double side)
      : stars_(stars), width_(width), side_(side) {
    for (std::size_t row = 0; row < stars.size(); ++row) {
      squares_[square(line(stars[row].x), line(stars[row].y))].push_back(row);
      if (reach_of_light(stars[row]) > side) large_.push_back(row);
    }
  }

  /// Whether a source with more than `share` of the star's light is within `widths` full widths of the star, or the
  /// star is within the light of a galaxy. No reach may exceed the side of the squares.
  bool is_crowded(std::size_t row, double widths, double share) const {
    const PsfStar& star = stars_[row];
    const auto disturbs = [&](std::size_t other) {
      const double dx = stars_[other].x - star.x, dy = stars_[other].y - star.y;
      const double reach = std::max(widths * width_, reach_of_light(stars_[other]) * widths / isolations[0].widths);
      return other != row && dx * dx + dy * dy < reach * reach && stars_[other].flux > share * star.flux;
    };
    for (std::int64_t y = line(star.y) - 1; y <= line(star.y) + 1; ++y) {
      for (std::int64_t x = line(star.x) - 1; x <= line(star.x) + 1; ++x) {
        const auto there = squares_.find(square(x, y));
        if (there != squares_.end() && std::ranges::any_of(there->second, disturbs)) return true;
      }
    }
    return std::ranges::any_of(large_, disturbs);
  }

 private:
  /// Returns how far from its middle a galaxy has light that would be taken for the star's; 0 for a source as narrow as
  /// a star, whose light is subtracted.
  double reach_of_light(const PsfStar& source) const {
    constexpr double galaxy = 1.2, half_light = 3;
    return source.width > galaxy * width_ ? half_light * source.radius + width_ : 0;
  }
  std::int64_t line(double place) const { return static_cast<std::int64_t>(std::floor(place / side_)); }
  static std::int64_t square(std::int64_t x, std::int64_t y) { return y * (std::int64_t{1} << 31) + x; }

  const std::vector<PsfStar>& stars_;
  double width_, side_;
  std::unordered_map<std::int64_t, Rows> squares_;
  Rows large_;
};

/// Returns the widths around a place, of the sources in `rows` that are nearest to it: the plane with the least sum of
/// absolute differences from them. Nothing if fewer than two thirds of the sources are within 5 % of it: galaxies have
/// many widths, and stars share one.
std::optional<SizeOverField> sizes_around(const std::vector<PsfStar>& stars, Rows rows, double x, double y) {
  constexpr std::size_t least = 12, areas = 64;
  constexpr double narrow = 0.05, least_off = 0.01, share = 2.0 / 3;
  constexpr int rounds = 15;
  if (rows.size() < least) return {};
  const auto squared = [&](std::size_t row) {
    return (stars[row].x - x) * (stars[row].x - x) + (stars[row].y - y) * (stars[row].y - y);
  };
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::max(least, rows.size() / areas));
  std::ranges::nth_element(rows, end - 1, {}, squared);
  rows.erase(end, rows.end());
  std::ranges::sort(rows);
  std::vector<double> widths, weights;
  for (const std::size_t row : rows) widths.push_back(stars[row].width);
  const double common = upper_median(widths);
  SizeOverField size(stars, {}, common);
  const auto off = [&](std::size_t row) { return std::abs(stars[row].width / size.at(stars[row]) - 1); };
  for (int round = 0; round < rounds; ++round) {
    weights.clear();
    for (const std::size_t row : rows) weights.push_back(1 / std::max(off(row), least_off));
    size = SizeOverField(stars, rows, common, weights, least);
  }
  const auto near = std::ranges::count_if(rows, [&](std::size_t row) { return off(row) < narrow; });
  if (static_cast<double>(near) < share * static_cast<double>(rows.size())) return {};
  return size;
}

/// Sets the common width of the sources nearby for the bright and isolated ones among `rows`, where they share one.
void find_width_nearby(std::vector<PsfStar>& stars, const Rows& rows, double width, const Shape& shape) {
  constexpr std::size_t cells = 8;
  constexpr double most_error = 0.03;
  for (PsfStar& star : stars) star.width_nearby = std::numeric_limits<double>::quiet_NaN();
  const Neighbourhood neighbours(stars, width, isolations[0].widths * width);
  Rows alone;
  std::ranges::copy_if(rows, std::back_inserter(alone), [&](std::size_t row) {
    return error_of_width(stars[row]) < most_error &&
           !neighbours.is_crowded(row, isolations[0].widths, isolations[0].share);
  });
  for (std::size_t cell = 0; cell < cells * cells; ++cell) {
    const auto middle = [](std::size_t index, std::int64_t side) {
      return (static_cast<double>(index) + 0.5) * static_cast<double>(side) / cells;
    };
    const auto size = sizes_around(stars, alone, middle(cell % cells, shape.width), middle(cell / cells, shape.height));
    if (!size) continue;
    for (const std::size_t row : alone)
      if (cell_of(stars[row], shape, cells) == cell) stars[row].width_nearby = size->at(stars[row]);
  }
}

/// Keeps the rows (indices of sources) whose widths are those of stars; the others get the verdict `size`. Sets width
/// and `varies` of the choice.
void keep_sizes(std::vector<PsfStar>& stars, Rows& rows, const Shape& shape, StarChoice& choice) {
  // largest difference of the logarithm from that of the stars nearby, first and at last; `sigmas` is in errors of the
  // width; the phase of the pixels adds to it if stars are narrow
  constexpr double wide = 0.0912, sigmas = 3.5, least = 0.04, most = 0.15, of_phase = 0.1, least_apart = 0.08,
                   most_apart = 0.5;
  constexpr std::int64_t least_elsewhere = 8;
  constexpr int rounds = 3;
  const double common = width_of_stars(stars, rows);
  find_width_nearby(stars, rows, common, shape);
  const auto off = [&](const SizeOverField& size, std::size_t row) {
    return std::abs(portable_log(stars[row].width / size.at(stars[row])));
  };
  SizeOverField size(stars, {}, common);
  for (int round = 0; round < rounds; ++round) {
    Rows alike;
    std::ranges::copy_if(rows, std::back_inserter(alike), [&](std::size_t row) { return off(size, row) < wide; });
    size = SizeOverField(stars, alike, common);
  }
  // the scatter of bright stars about the plane tells how the PSF varies otherwise
  std::vector<double> scatter;
  for (const std::size_t row : rows)
    if (off(size, row) < wide) scatter.push_back(off(size, row) / error_of_width(stars[row]));
  const double beyond_error = scatter.empty() ? 1 : std::max(1.0, sigma_per_deviation * upper_median(scatter));
  const auto limit = [&](std::size_t row, double width) {
    return std::clamp(sigmas * beyond_error * error_of_width(stars[row]), least, most + of_phase / (width * width));
  };
  // where sources share another width than that of the plane, they are as wide as stars are there
  const auto off_nearby = [&](std::size_t row) {
    return std::abs(portable_log(stars[row].width / stars[row].width_nearby));
  };
  const auto differs = [&](std::size_t row) {
    const double apart = std::abs(portable_log(stars[row].width_nearby / size.at(stars[row])));
    return apart > least_apart && apart < most_apart;
  };
  choice.varies = std::ranges::count_if(rows, [&](std::size_t row) {
                    return differs(row) && off_nearby(row) < limit(row, stars[row].width_nearby);
                  }) >= least_elsewhere;
  std::erase_if(rows, [&](std::size_t row) {
    if (choice.varies && differs(row) ? off_nearby(row) < limit(row, stars[row].width_nearby)
                                      : off(size, row) < limit(row, size.at(stars[row])))
      return false;
    stars[row].verdict = StarVerdict::size;
    return true;
  });
  choice.width = common;
  if (!choice.varies) return;
  std::vector<double> widths;
  for (const std::size_t row : rows) widths.push_back(stars[row].width);
  choice.width = upper_median(widths);
}

void keep_isolated(std::vector<PsfStar>& stars, Rows& rows, double width, std::size_t needed) {
  constexpr std::size_t least = 3;
  const Neighbourhood neighbours(stars, width, isolations[0].widths * width);
  Rows alone;
  for (const auto& [widths, share] : isolations) {
    alone.clear();
    for (const std::size_t row : rows)
      if (!neighbours.is_crowded(row, widths, share)) alone.push_back(row);
    if (alone.size() >= std::min(needed, std::max<std::size_t>(least, rows.size() / 2))) break;
  }
  for (const std::size_t row : rows) stars[row].verdict = StarVerdict::crowded;
  rows = std::move(alone);
}

/// Keeps at most 400 stars that are spread over the field, and gives the others the verdict `spare`. The field is
/// divided into 8 x 8 cells: first the brightest star of each cell is taken, then the second brightest, and so on.
void keep_spread_out(std::vector<PsfStar>& stars, Rows& rows, const Shape& shape) {
  constexpr std::size_t cells = 8, most = 400;
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) { return stars[a].snr > stars[b].snr; });
  std::vector<std::size_t> taken(cells * cells, 0);
  std::vector<std::pair<std::size_t, std::size_t>> order;  // rank of the star in its cell, index in `rows`
  for (std::size_t i = 0; i < rows.size(); ++i) order.emplace_back(taken[cell_of(stars[rows[i]], shape, cells)]++, i);
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
    else if (!(star.minor >= least_star_width))
      star.verdict = StarVerdict::sharp;
    else if ((star.flags & ~of_neighbours) != 0 || !inside(star.x, shape.width) || !inside(star.y, shape.height))
      star.verdict = StarVerdict::at_edge;
    else
      rows.push_back(row);
  }
  return rows;
}

}  // namespace

const char* name_of(StarVerdict verdict) {
  constexpr const char* names[] = {"used", "faint",     "saturated", "edge",  "sharp",
                                   "size", "elongated", "crowded",   "spare", "misfit"};
  return names[static_cast<std::size_t>(verdict)];
}

const char* phrase_of(StarVerdict verdict) {
  constexpr const char* phrases[] = {"used",
                                     "too faint",
                                     "saturated",
                                     "at an edge or with bad pixels",
                                     "sharper than a star can be (hot pixels or cosmic rays)",
                                     "not of the size of stars",
                                     "elongated",
                                     "with neighbours",
                                     "not needed, for there are brighter ones",
                                     "unlike the model"};
  return phrases[static_cast<std::size_t>(verdict)];
}

std::size_t cell_of(const PsfStar& star, const Shape& shape, std::size_t cells) {
  const auto index = [&](double place, std::int64_t size) {
    const double cell = place * static_cast<double>(cells) / static_cast<double>(size);
    return static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(cells) - 0.5));
  };
  return index(star.y, shape.height) * cells + index(star.x, shape.width);
}

std::size_t stars_needed(int degree) {
  constexpr std::size_t a_coefficient = 8;
  return degree == 0 ? 1 : a_coefficient * static_cast<std::size_t>(PsfSurface::terms_of(degree));
}

int degree_for(int most, std::size_t stars) {
  while (most > 0 && stars < stars_needed(most)) --most;
  return most;
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
    keep_sizes(stars, rows, shape, choice);
    keep_round(stars, rows);
    keep_isolated(stars, rows, choice.width, std::max(wanted / 2, stars_needed(most_degree)));
    keep_spread_out(stars, rows, shape);
    choice.used = rows.size();
    std::vector<double> radii;
    for (const std::size_t row : rows) radii.push_back(stars[row].radius);
    if (!radii.empty()) choice.radius = upper_median(radii);
    if (choice.used >= wanted) break;
  }
  choice.degree = degree_for(most_degree, choice.used);
  return choice;
}

}  // namespace srcextract
