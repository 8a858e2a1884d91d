#include "stages/difference/fit/make_star_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "stages/core/parallel.hpp"
#include "stages/difference/fit/crowd_profile.hpp"
#include "stages/difference/fit/equations.hpp"
#include "stages/difference/fit/own_photons.hpp"
#include "stages/difference/fit/shape_here.hpp"
#include "stages/difference/fit/star_of_psf.hpp"
#include "stages/difference/fit/star_width.hpp"
#include "stages/difference/fit/whitening.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr int mean_rounds = 3;
constexpr std::size_t stars_of_mean = 100, least_stars = 3;
/// Least number of bright stars for which the shape varies over the field as a polynomial of order 1, and of order 2.
constexpr std::ptrdiff_t stars_of_order_1 = 12, stars_of_order_2 = 30;
/// From this number of stars on, blends among those of a crowd are as unlike as galaxies are, but do not harm its
/// profile.
constexpr std::size_t stars_of_spread = 30;
/// Half widths of squares around a star, in FWHM. shape_reach is for the star's shape; about 1 % of the light is
/// outside. core_reach is for the pixels from which a star's position is fitted. filter_reach is for the filter.
constexpr double shape_reach = 3.3, core_reach = 1.5, filter_reach = 1.5;
constexpr int least_half = 5, most_half = 24, least_filter_half = 3, most_filter_half = 12;
/// Width in pixels of the ring around the square of the shape, in which the local sky is measured.
constexpr std::int64_t sky_ring = 24;
/// A star whose value at a node of the shape (one of a square grid of values) differs from the median of all stars by
/// more than this many sigmas is left out there. The star then has a neighbour at the node.
constexpr double most_deviations = 3;
/// Assumed errors of the current shape: as a fraction of each node's value, and as a fraction of the peak. The errors
/// limit the weight of the brightest stars.
constexpr double shape_error = 0.01, peak_error = 0.003;

/// The sky around a star above that of the frame, and the light of other stars that may be left in it.
struct LocalSky {
  double level = 0, error = 0;
};

/// A star around which there is a stamp (a square of pixels used by the fit).
struct Star {
  double x, y;  ///< position of the centre in the frame
  LocalSky sky;
  double flux;
  bool is_bright;
  FieldTerms terms;
};

/// Measures the sky in every second pixel along both axes, in a ring around the square of a star. Light of other stars
/// is clipped, as improve_node() does inside the square; the median of all pixels is higher, and takes away 1 to 3 % of
/// the stars' light if there are 600 stars a megapixel. Half of the difference between both is the error.
LocalSky sky_around(const LevelledFrame& frame, const Stamp& stamp, std::int64_t half) {
  const ImageView image = frame.view();
  const std::int64_t reach = half + sky_ring;
  std::vector<float> pixels;
  for (std::int64_t y = stamp.y - reach; y <= stamp.y + reach; y += 2) {
    for (std::int64_t x = stamp.x - reach; x <= stamp.x + reach; x += 2) {
      const bool inside = std::abs(x - stamp.x) <= half && std::abs(y - stamp.y) <= half;
      if (!inside && image.contains(x, y) && !frame.level.is_bad(image.at(x, y))) pixels.push_back(image.at(x, y));
    }
  }
  if (pixels.empty()) return {};
  spread_whole_numbers(pixels);
  const float median = upper_median(pixels);
  std::vector<float> distances;
  const CellSky sky = sky_of(pixels, distances);
  if (sky.sigma < 0) return {};
  return {static_cast<double>(sky.middle - frame.level.sky),
          std::max(0.0, static_cast<double>(median - sky.middle)) / 2};
}

/// Whether the star's light, weighted by the fitted Gaussian (StarShape::light), exceeds 150 times the noise of the sky
/// in this sum. Only these stars count for the choice of the polynomial's order, so that the polynomial does not fit
/// noise. Fainter stars are used in the fit too.
bool is_bright(const LevelledFrame& frame, const StarShape& shape) {
  constexpr double least_ratio = 150;
  const double noise = shape.sigma * std::sqrt(std::numbers::pi * static_cast<double>(frame.level.variance));
  return shape.light > least_ratio * noise;
}

/// Returns the brightest of the stars at `places`. `half` is the half width of the shape's square.
std::vector<Star> stars_at(const LevelledFrame& frame, const std::vector<Stamp>& places, std::int64_t half,
                           const Cpu& where) {
  struct Candidate {
    StarShape shape;
    Stamp place;
  };
  std::vector<Candidate> all;
  const std::vector<StarShape> shapes = shapes_of(frame, places, where);
  for (std::size_t s = 0; s < places.size(); ++s)
    if (shapes[s].sigma > 0) all.push_back({shapes[s], places[s]});
  std::ranges::stable_sort(all, [](const Candidate& a, const Candidate& b) { return a.shape.light > b.shape.light; });
  if (all.size() > stars_of_mean) all.erase(all.begin() + stars_of_mean, all.end());
  const auto width = static_cast<double>(frame.image.shape.width);
  const auto height = static_cast<double>(frame.image.shape.height);
  std::vector<Star> stars;
  for (const auto& [shape, place] : all) {
    const auto x = static_cast<double>(place.x), y = static_cast<double>(place.y);
    stars.push_back({x + shape.x, y + shape.y, {}, 1, is_bright(frame, shape), FieldTerms(x, y, width, height)});
  }
  parallel_for(std::ssize(stars), 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s)
      stars[s].sky = sky_around(frame, all[s].place, half);
  });
  return stars;
}

/// The mean shape of the stars: a square of nodes, one pixel apart, each of which is a polynomial over the field.
struct MeanStar {
  int half, order;
  int stars = 0;              ///< number of stars in the mean
  double scale_error = 0;     ///< relative error of the light in the square
  double spread = 0;          ///< FitFacts::profile_spread
  bool of_psf = false;        ///< whether LevelledFrame::psf gave it
  bool of_crowd = false;      ///< whether profile_of_crowd() gave it
  bool crowd_varies = false;  ///< FitFacts::crowd_varies
  std::vector<float> values = {};

  int terms() const { return field_terms(order); }
  int side() const { return 2 * half + 1; }
  int taps() const { return side() * side(); }
  FieldSquare square() const { return {values.data(), half, terms()}; }
  std::span<float> of_term(int term) {
    return std::span(values).subspan(static_cast<std::size_t>(std::int64_t{term} * taps()),
                                     static_cast<std::size_t>(taps()));
  }
};

double sum_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum;
}

/// Returns the light outside of the square, if the shape falls as r^-6 beyond its outermost nodes, like a Moffat
/// function with beta = 3. The integral of r^-6 over the area outside of a square of half width R is (1/2 + 3 pi / 16)
/// / R^4. `middle` is the first term of the shape's polynomials over the field.
double light_beyond(std::span<const float> middle, int half) {
  double sum = 0, squares = 0;
  const int side = 2 * half + 1;
  for (int tap = 0; tap < side * side; ++tap) {
    const int x = tap % side - half, y = tap / side - half;
    if (std::abs(x) != half && std::abs(y) != half) continue;
    const double r2 = x * x + y * y;
    const double fall = 1 / (r2 * r2 * r2);
    sum += static_cast<double>(middle[static_cast<std::size_t>(tap)]) * fall;
    squares += fall * fall;
  }
  const double reach = half + 0.5;
  return std::max(0.0, sum / squares) * (0.5 + 3 * std::numbers::pi / 16) / (reach * reach * reach * reach);
}

/// Scales the shape so that its flux is 1 everywhere in the field, including the light outside of the square.
void normalise(MeanStar& mean) {
  const std::span<float> middle = mean.of_term(0);
  const double light = sum_of(middle) + light_beyond(middle, mean.half);
  if (!(light > 0)) return;
  for (float& value : middle) value = static_cast<float>(static_cast<double>(value) / light);
  for (int term = 1; term < mean.terms(); ++term) {
    const std::span<float> of_term = mean.of_term(term);
    const double more = sum_of(of_term);
    for (std::size_t tap = 0; tap < of_term.size(); ++tap)
      of_term[tap] = static_cast<float>(static_cast<double>(of_term[tap]) - more * static_cast<double>(middle[tap]));
  }
}

MeanStar make_gaussian(int half, int order, double sigma) {
  MeanStar mean{half, order};
  mean.values.resize(static_cast<std::size_t>(std::int64_t{mean.taps()} * mean.terms()), 0);
  for (int tap = 0; tap < mean.taps(); ++tap) {
    const int column = tap % mean.side() - half, row = tap / mean.side() - half;
    const double x = column, y = row;
    mean.values[static_cast<std::size_t>(tap)] =
        static_cast<float>(portable_exp(-(x * x + y * y) / (2 * sigma * sigma)));
  }
  normalise(mean);
  return mean;
}

/// Improves flux and position of a star by one step of a least-squares fit of the shape to the pixels within `core` of
/// the star. Returns false if the fitted flux is not above 0, or if the equations have no solution.
bool place_star(const LevelledFrame& frame, const ShapeHere& shape, int core, Star& star) {
  constexpr double step = 0.1;
  const ImageView image = frame.view();
  const Placement here(star.x, star.y);
  const std::int64_t left = here.x - core, top = here.y - core;
  const int side = 2 * core + 1;
  const auto values = [&](double x, double y) { return shape.values(Placement(x, y), left, top, side); };
  const std::vector<double> value = values(star.x, star.y), before_x = values(star.x - step, star.y),
                            after_x = values(star.x + step, star.y), before_y = values(star.x, star.y - step),
                            after_y = values(star.x, star.y + step);
  Equations equations(3);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::int64_t x = left + static_cast<std::int64_t>(i) % side, y = top + static_cast<std::int64_t>(i) / side;
    if (!image.contains(x, y) || frame.level.is_bad(image.at(x, y))) continue;
    const double terms[] = {value[i], (after_x[i] - before_x[i]) / (2 * step), (after_y[i] - before_y[i]) / (2 * step)};
    const double light = static_cast<double>(frame.level.above(image.at(x, y))) - star.sky.level;
    equations.add(terms, light, 1 / static_cast<double>(variance_at(image, frame.level, x, y)));
  }
  if (factorise(equations) == 0) return false;
  substitute(equations);
  const double flux = equations.right[0];
  if (!(flux > 0)) return false;
  star.flux = flux;
  star.x += std::clamp(equations.right[1] / flux, -0.5, 0.5);
  star.y += std::clamp(equations.right[2] / flux, -0.5, 0.5);
  return true;
}

/// The difference between a star and the shape at one node, divided by the star's flux, the variance of its noise, and
/// its weight. The weight is 0 if the difference is unknown.
struct NodeExcess {
  float value = 0, noise = 0, weight = 0;
};

/// Returns (pixel - sky) / flux - shape for `wide` x `wide` pixels around a star, from pixel (left, top) on; NaN at bad
/// (masked or saturated) pixels, and beyond the frame's edges.
std::vector<double> excess_in_pixels(const LevelledFrame& frame, const ShapeHere& shape, const Star& star,
                                     std::int64_t left, std::int64_t top, int wide) {
  const ImageView image = frame.view();
  std::vector<double> pixels = shape.values(Placement(star.x, star.y), left, top, wide);
  for (int i = 0; i < wide * wide; ++i) {
    const std::int64_t x = left + i % wide, y = top + i / wide;
    const bool good = image.contains(x, y) && !frame.level.is_bad(image.at(x, y));
    double& pixel = pixels[static_cast<std::size_t>(i)];
    pixel = good ? (static_cast<double>(frame.level.above(image.at(x, y))) - star.sky.level) / star.flux - pixel
                 : std::numeric_limits<double>::quiet_NaN();
  }
  return pixels;
}

std::vector<NodeExcess> excess_of(const LevelledFrame& frame, const MeanStar& mean, const ShapeHere& shape,
                                  const Star& star) {
  constexpr int taps = 4;
  const ImageView image = frame.view();
  const Placement here(star.x, star.y);
  const int half = mean.half, side = mean.side(), wide = side + taps - 1;
  const CubicWeights across(star.x - static_cast<double>(here.x)), along(star.y - static_cast<double>(here.y));
  const std::vector<double> pixels = excess_in_pixels(frame, shape, star, here.x - half - 1, here.y - half - 1, wide);
  std::vector<double> rows;
  for (int j = 0; j < wide; ++j) {
    for (int u = 0; u < side; ++u) {
      double sum = 0;
      for (int k = 0; k < taps; ++k)
        sum += across.of[k] * pixels[static_cast<std::size_t>(std::int64_t{j} * wide + u + k)];
      rows.push_back(sum);
    }
  }
  const double of_peak = peak_error * shape.peak();
  std::vector<NodeExcess> nodes(static_cast<std::size_t>(mean.taps()));
  for (int tap = 0; tap < mean.taps(); ++tap) {
    double sum = 0;
    for (int k = 0; k < taps; ++k) sum += along.of[k] * rows[static_cast<std::size_t>(tap + std::int64_t{k} * side)];
    if (!(sum == sum)) continue;
    const int u = tap % side - half, v = tap / side - half;
    const double variance = std::fabs(static_cast<double>(variance_at(image, frame.level, here.x + u, here.y + v))) /
                            (star.flux * star.flux);
    const double unknown = shape_error * shape.node(u, v) + of_peak;
    nodes[static_cast<std::size_t>(tap)] = {static_cast<float>(sum), static_cast<float>(variance),
                                            static_cast<float>(1 / (variance + unknown * unknown))};
  }
  return nodes;
}

/// Corrects one node of the shape: fits a polynomial over the field to the differences between stars and shape at this
/// node, and adds the polynomial. Stars that differ much from the median are left out, since they have a neighbour
/// there; the weight of their excess becomes 0.
void improve_node(const std::vector<Star>& stars, std::vector<std::vector<NodeExcess>>& excess, std::size_t tap,
                  MeanStar& mean) {
  std::vector<float> values;
  for (const std::vector<NodeExcess>& of_star : excess)
    if (of_star[tap].weight > 0) values.push_back(of_star[tap].value);
  if (values.size() < least_stars) return;
  const float middle = upper_median(values);
  const double most = most_deviations * sigma_per_deviation * static_cast<double>(median_deviation(values, middle));
  Equations equations(mean.terms());
  int used = 0;
  for (std::size_t s = 0; s < stars.size(); ++s) {
    NodeExcess& one = excess[s][tap];
    if (std::fabs(static_cast<double>(one.value - middle)) > most) one.weight = 0;
    if (!(one.weight > 0)) continue;
    equations.add(stars[s].terms.value, static_cast<double>(one.value), static_cast<double>(one.weight));
    ++used;
  }
  if (used < 2 * mean.terms() || factorise(equations) == 0) return;
  substitute(equations);
  for (int term = 0; term < mean.terms(); ++term)
    mean.of_term(term)[tap] += static_cast<float>(equations.right[static_cast<std::size_t>(term)]);
}

/// Returns the relative error of the light in the square of the mean, from the scatter of the stars' lights about it,
/// and the errors of their skies, which are alike.
double scale_error_of(const std::vector<Star>& stars, const std::vector<std::vector<NodeExcess>>& excess) {
  struct Part {
    double light = 0, weight = 0;
  };
  std::vector<Part> parts;
  Part mean;
  double of_skies = 0;
  for (std::size_t s = 0; s < excess.size(); ++s) {
    Part part;
    for (const NodeExcess& node : excess[s]) {
      if (!(node.weight > 0)) continue;
      of_skies += static_cast<double>(node.weight) * stars[s].sky.error / stars[s].flux;
      part.light += static_cast<double>(node.value);
      part.weight += static_cast<double>(node.weight);
    }
    if (!(part.weight > 0)) continue;
    mean.light += part.weight * part.light;
    mean.weight += part.weight;
    parts.push_back(part);
  }
  if (parts.size() < 2) return 0;
  mean.light /= mean.weight;
  of_skies *= static_cast<double>(excess.front().size()) / mean.weight;
  double square = 0;
  for (const Part& part : parts) {
    const double off = part.weight / mean.weight * (part.light - mean.light);
    square += off * off;
  }
  const auto count = static_cast<double>(parts.size());
  return std::sqrt(square * count / (count - 1) + of_skies * of_skies);
}

/// Whether the median widths of stars in two halves of the frame differ by more than 3 % and four
/// errors: left and right, or bottom and top. One shape is then not that of all stars.
bool varies(const LevelledFrame& frame, const std::vector<Stamp>& places, const Cpu& where) {
  constexpr double most_ratio = 1.03, clear = 4, of_median = 1.2533;  // error of a median over that of a mean
  constexpr std::size_t least = 10;
  const std::vector<StarShape> shapes = shapes_of(frame, places, where);
  std::vector<double> halves[4];
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!(shapes[i].sigma > 0)) continue;
    halves[2 * places[i].x < frame.image.shape.width ? 0 : 1].push_back(shapes[i].sigma);
    halves[2 * places[i].y < frame.image.shape.height ? 2 : 3].push_back(shapes[i].sigma);
  }
  for (const int half : {0, 2}) {
    if (halves[half].size() < least || halves[half + 1].size() < least) continue;
    const double one = upper_median(halves[half]), other = upper_median(halves[half + 1]);
    const auto square_of_error = [&](std::vector<double>& widths, double middle) {
      const auto count = static_cast<double>(widths.size());
      const double sigma = sigma_per_deviation * median_deviation(widths, middle);
      return of_median * of_median * sigma * sigma / count;
    };
    const double error = std::sqrt(square_of_error(halves[half], one) + square_of_error(halves[half + 1], other));
    if (std::max(one, other) > most_ratio * std::min(one, other) && std::fabs(one - other) > clear * error) return true;
  }
  return false;
}

/// Fits the mean to the pixels within `core` of each star. Returns, for each star, the differences that are left; all
/// of weight 0 where there is no light.
std::vector<std::vector<NodeExcess>> place_stars(const LevelledFrame& frame, const MeanStar& mean, int core,
                                                 std::vector<Star>& stars, const Cpu& where) {
  std::vector<std::vector<NodeExcess>> excess(stars.size());
  parallel_for(std::ssize(stars), 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s) {
      const ShapeHere shape(mean.square(), stars[s].terms);
      excess[s] = place_star(frame, shape, core, stars[s])
                      ? excess_of(frame, mean, shape, stars[s])
                      : std::vector<NodeExcess>(static_cast<std::size_t>(mean.taps()));
    }
  });
  return excess;
}

/// Returns by how much the cores of the stars differ from the mean beyond noise: the root of the mean square of the
/// differences over that of the shape. A quarter of the stars differ by more.
double spread_of(const std::vector<Star>& stars, const std::vector<std::vector<NodeExcess>>& excess,
                 const MeanStar& mean, int core) {
  constexpr double upper = 0.75;
  std::vector<double> spreads;
  for (std::size_t s = 0; s < stars.size(); ++s) {
    const ShapeHere shape(mean.square(), stars[s].terms);
    double differs = 0, all = 0;
    for (int v = -core; v <= core; ++v) {
      for (int u = -core; u <= core; ++u) {
        const std::int64_t node_here = std::int64_t{v + mean.half} * mean.side() + u + mean.half;
        const NodeExcess& one = excess[s][static_cast<std::size_t>(node_here)];
        const double value = static_cast<double>(one.value), node = shape.node(u, v);
        differs += value * value - static_cast<double>(one.noise);
        all += node * node;
      }
    }
    if (all > 0) spreads.push_back(std::sqrt(std::max(0.0, differs / all)));
  }
  return spreads.empty() ? 0 : ranked(spreads, upper);
}

MeanStar mean_of(const LevelledFrame& frame, const FrameStars& chosen, double fwhm, const Cpu& where) {
  const int half = std::clamp(static_cast<int>(std::ceil(shape_reach * fwhm)), least_half, most_half);
  if (frame.psf != nullptr) {
    StarOfPsf star = sample_psf(*frame.psf, frame.image.shape, half);
    return {.half = half, .order = star.order, .of_psf = true, .values = std::move(star.values)};
  }
  const std::vector<Stamp> places = chosen.used();
  std::vector<Star> stars = stars_at(frame, places, half, where);
  const int core = std::min(static_cast<int>(std::ceil(core_reach * fwhm)), half);
  // blends in a dense crowd have widths of all kinds, and no mean of its stars is of use
  const bool is_dense = chosen.is_crowd(fwhm / 2);
  const bool differ = chosen.is_crowd(fwhm) && varies(frame, places, where);
  if (chosen.is_crowd(fwhm) && (is_dense || !differ)) {
    if (const std::optional<CrowdProfile> crowd = profile_of_crowd(frame, fwhm, half, where)) {
      MeanStar mean{.half = half,
                    .order = 0,
                    .stars = static_cast<int>(places.size()),
                    .scale_error = crowd->scale_error,
                    .of_crowd = true,
                    .crowd_varies = differ};
      mean.values.assign(crowd->shape.values.begin(), crowd->shape.values.end());
      if (places.size() < stars_of_spread)
        mean.spread = spread_of(stars, place_stars(frame, mean, core, stars, where), mean, core);
      return mean;
    }
  }
  const auto bright = std::ranges::count(stars, true, &Star::is_bright);
  const int order = bright >= stars_of_order_2 ? 2 : (bright >= stars_of_order_1 ? 1 : 0);
  MeanStar mean = make_gaussian(half, order, fwhm / fwhm_per_sigma);
  for (int round = 0; round < mean_rounds && stars.size() >= least_stars; ++round) {
    std::vector<std::vector<NodeExcess>> excess = place_stars(frame, mean, core, stars, where);
    mean.stars = static_cast<int>(std::ranges::count_if(excess, [](const std::vector<NodeExcess>& of_star) {
      return std::ranges::any_of(of_star, [](const NodeExcess& node) { return node.weight > 0; });
    }));
    mean.spread = spread_of(stars, excess, mean, core);
    parallel_for(mean.taps(), 64, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t tap = begin; tap < end; ++tap) improve_node(stars, excess, static_cast<std::size_t>(tap), mean);
    });
    normalise(mean);
    mean.scale_error = scale_error_of(stars, excess);
  }
  return mean;
}

std::vector<Square> squares_of(MeanStar& mean) {
  std::vector<Square> squares;
  for (int term = 0; term < mean.terms(); ++term) {
    const std::span<float> values = mean.of_term(term);
    squares.push_back({mean.half, {values.begin(), values.end()}});
  }
  return squares;
}

/// Returns the values of `square` in the middle of the field.
Square middle_of(const FieldSquare& square, const StarView& star) {
  const FieldTerms middle = star.at((star.width - 1) / 2, (star.height - 1) / 2);
  Square values{square.half, {}};
  for (int y = -square.half; y <= square.half; ++y)
    for (int x = -square.half; x <= square.half; ++x) values.values.push_back(square.node(x, y, middle));
  return values;
}

/// StarPhotons for light in the new frame, and for light in the reference, per count of the new frame.
struct FramePhotons {
  StarPhotons of_new, of_reference;
};

/// Calls own_photons() and converts the result: fluxes are in counts of the new frame, variances in units of the sky's
/// variance in the difference. `counted` is the parameter of own_photons().
FramePhotons photons_of_stars(const DifferenceNoise& noise, double sharp_fwhm, double counted, const KernelFit& fit) {
  double scale = 0;
  for (const double value : noise.kernel.values) scale += value;
  if (!(scale > 0 && fit.facts.sky_variance > 0)) return {};
  const StarView star = fit.star.view();
  const OwnPhotons own =
      own_photons(middle_of(star.filter, star), middle_of(star.light, star), moffat_of(sharp_fwhm), noise, counted);
  // One count of the convolved frame becomes `scale` counts of the other; fluxes are in counts of the new frame.
  const double unit = fit.facts.sky_variance * (fit.convolves_new ? scale : 1);
  const double of_convolved = static_cast<double>(fit.from.variance_per_count) / scale / unit;
  const double of_other = static_cast<double>(fit.to.variance_per_count) / unit;
  const StarPhotons convolved{own.of_convolved * of_convolved, own.counted_of_convolved * of_convolved};
  const StarPhotons other{own.of_other * of_other, own.counted_of_other * of_other};
  return fit.convolves_new ? FramePhotons{convolved, other} : FramePhotons{other, convolved};
}

/// Sets the photon variance that a star's own light adds to the variance of its flux. If a source became brighter, the
/// additional light is in the new frame; if fainter, in the reference. If maps give the noise (`mapped`),
/// StarPhotons::counted becomes 0. The excess of a pixel's variance then also depends on the maps, and does not tell
/// the star's photons.
void add_own_photons(const DifferenceNoise& noise, double sharp_fwhm, bool mapped, KernelFit& fit) {
  const FramePhotons beyond_correlated = photons_of_stars(noise, sharp_fwhm, fit.convolved_correlation, fit);
  FramePhotons beyond = mapped ? beyond_correlated : photons_of_stars(noise, sharp_fwhm, 1, fit);
  if (mapped) beyond.of_new.counted = beyond.of_reference.counted = 0;
  StarView& sizes = fit.star.sizes;
  sizes.photons_of_new = beyond_correlated.of_new.left_out;
  sizes.photons_of_reference = beyond_correlated.of_reference.left_out;
  sizes.brighter = beyond.of_new;
  sizes.fainter = beyond.of_reference;
}

}  // namespace

void make_star_profile(const FramePair& frames, const FrameStars& stars, double fwhm, double sharp_fwhm,
                       const Cpu& where, KernelFit& fit) {
  const Shape shape = frames.to.image.shape;
  MeanStar mean = mean_of(frames.to, stars, fwhm, where);
  const DifferenceNoise noise{static_cast<double>(fit.to.variance),
                              static_cast<double>(frames.from.level.variance),
                              {fit.basis.half, kernel_in_middle(fit, shape)},
                              frames.to.shared,
                              frames.from.shared};
  const int half = std::clamp(static_cast<int>(std::ceil(filter_reach * fwhm)), least_filter_half, most_filter_half);
  const std::vector<Square> filters = whiten(squares_of(mean), noise, half, where);
  StarProfile<Cpu>& profile = fit.star;
  profile.sizes = {.light = {nullptr, mean.half, mean.terms()},
                   .filter = {nullptr, half, mean.terms()},
                   .width = static_cast<double>(shape.width),
                   .height = static_cast<double>(shape.height),
                   .scale_error = mean.scale_error,
                   .correlation = correlation_of(filters.front(), noise)};
  fit.convolved_correlation =
      correlation_of(filters.front(), {0, noise.convolved, noise.kernel, nullptr, noise.of_convolved});
  fit.other_correlation = correlation_of(filters.front(), {noise.white, 0, noise.kernel, noise.of_white});
  const bool mapped = fit.from.map != nullptr || fit.to.map != nullptr;
  if (mapped) profile.sizes.correlation_of_excess = profile.sizes.correlation;
  std::vector<float> values = std::move(mean.values);
  for (const Square& filter : filters)
    for (const double value : filter.values) values.push_back(static_cast<float>(value));
  profile.values = Buffer<float, Cpu>(std::ssize(values), Cpu{});
  std::ranges::copy(values, profile.values.begin());
  const Square in_middle = middle_of(profile.view().filter, profile.view());
  profile.in_middle.assign(in_middle.values.begin(), in_middle.values.end());
  add_own_photons(noise, sharp_fwhm, mapped, fit);
  fit.facts.profile_stars = mean.stars;
  fit.facts.profile_order = mean.order;
  fit.facts.profile_error = mean.scale_error;
  fit.facts.profile_spread = mean.spread;
  fit.facts.profile_ellipticity = stars.ellipticity();
  fit.facts.of_psf = mean.of_psf;
  fit.facts.of_crowd = mean.of_crowd;
  fit.facts.crowd_varies = mean.crowd_varies;
  fit.facts.correlation = profile.sizes.correlation;
}

}  // namespace srcextract
