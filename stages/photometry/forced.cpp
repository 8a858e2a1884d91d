#include "stages/photometry/forced.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "stages/core/nearest_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/photometry/photometry.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr std::int64_t places_at_a_time = 32;

bool has_ellipse(const ForcedPosition& at) {
  constexpr double huge = 1e15;  // larger than any image
  return at.a > 0 && at.b > 0 && at.a < huge && at.b < huge && std::isfinite(at.theta);
}

/// Returns the position and its ellipse as a SourceShape. If there is no ellipse, only x, y and `defined` are set.
SourceShape shape_at(const ForcedPosition& at) {
  SourceShape shape{};
  shape.x = at.x;
  shape.y = at.y;
  shape.defined = true;
  if (!has_ellipse(at)) return shape;
  const auto [cosine, sine] = portable_cosine_sine(std::remainder(at.theta, 180) * std::numbers::pi / 180);
  const double a2 = at.a * at.a, b2 = at.b * at.b;
  shape.a = static_cast<float>(std::max(at.a, at.b));
  shape.b = static_cast<float>(std::min(at.a, at.b));
  shape.cxx = static_cast<float>(cosine * cosine / a2 + sine * sine / b2);
  shape.cyy = static_cast<float>(sine * sine / a2 + cosine * cosine / b2);
  shape.cxy = static_cast<float>(2 * cosine * sine * (1 / a2 - 1 / b2));
  return shape;
}

/// Statistics of the pixels that an aperture touches: the number of pixels, the number of bad pixels, and the brightest
/// good value.
struct Touched {
  std::int64_t pixels = 0, bad = 0;
  float peak = -std::numeric_limits<float>::infinity();

  std::int32_t flags() const { return 10 * bad > pixels ? flag::crowded : 0; }
};

template <class Touches>
Touched look_at_pixels(const HostLanes& lanes, const ApertureBox& box, const PhotometryImage& image,
                       const Touches& touches) {
  lanes.reach(box);
  Touched seen;
  for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
    for (std::int32_t x = box.x_begin; x < box.x_end; ++x) {
      if (!touches(x, y)) continue;
      const std::int64_t i = image.at(x, y);
      const bool bad = image.is_bad(i);
      ++seen.pixels;
      seen.bad += bad ? 1 : 0;
      if (!bad) seen.peak = std::max(seen.peak, image.pixels[i]);
    }
  }
  return seen;
}

Touched look_at_circle(const HostLanes& lanes, const SourceShape& at, float radius, const PhotometryImage& image) {
  const ApertureBox box = box_of_circle(static_cast<float>(at.x), static_cast<float>(at.y), radius, image);
  return look_at_pixels(lanes, box, image, [&](std::int32_t x, std::int32_t y) {
    const double dx = std::max(0.0, std::abs(x - at.x) - 0.5), dy = std::max(0.0, std::abs(y - at.y) - 0.5);
    return dx * dx + dy * dy < static_cast<double>(radius) * radius;
  });
}

class Measurement {
 public:
  Measurement(const ForcedPositions& positions, const PhotometryImage& image, const Settings& config)
      : positions_(positions), image_(image), circles_(config), kron_(config), stars_(config) {}

  int circles() const { return circles_.rows(); }
  bool has_stars() const { return stars_.psf.known(); }

  /// Measures position i, and writes its rows of `out`. `lanes` keep the rows of an on-demand image in memory.
  SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void measure(std::int64_t i, const HostLanes& lanes,
                                                           ForcedLight& out) const {
    const ForcedPosition& at = positions_.places[static_cast<std::size_t>(i)];
    SourceSums& pixel = out.pixel[i];
    CircleFlux* const light = out.photometry.of<CircleFamily>().rows.data() + i * circles();
    pixel = sums_at(at, {image_.width, image_.height});
    if (!is_on_image(at, {image_.width, image_.height})) {
      std::fill_n(light, circles(), CircleFlux{nan, nan, flag::aperture_cut});
      if (positions_.ellipses) out.photometry.of<KronFamily>().rows[i] = {nan, nan, 0, flag::aperture_cut, 0};
      if (has_stars()) out.photometry.of<StarFamily>().rows[i] = {nan, at.x, at.y, nan, nan, 0, flag::aperture_cut};
      return;
    }
    const MeasuredSource source{1, shape_at(at), &pixel};
    measure_circles(circles_, lanes, source, image_, light);
    for (int which = 0; which < circles(); ++which) light[which] = looked_at(lanes, light[which], source, which, pixel);
    if (has_stars()) {
      out.photometry.of<StarFamily>().rows[i] =
          PsfFit<HostLanes>(lanes, stars_.psf, stars_.weights, source, image_).forced(at.x, at.y);
    }
    if (!positions_.ellipses) return;
    out.photometry.of<KronFamily>().rows[i] =
        has_ellipse(at) ? measure_ellipse(lanes, source, static_cast<float>(at.kron_radius), pixel)
                        : EllipseFlux{nan, nan, 0, 0, 0};
  }

 private:
  static void note(const Touched& seen, SourceSums& pixel) {
    pixel.peak = std::max(pixel.peak, seen.peak);
    if (seen.bad > 0) pixel.near_masked = 1;
  }

  CircleFlux looked_at(const HostLanes& lanes, CircleFlux light, const MeasuredSource& source, int which,
                       SourceSums& pixel) const {
    const Touched seen = look_at_circle(lanes, source.shape, circles_.radius[which], image_);
    note(seen, pixel);
    light.flags |= seen.flags();
    if (seen.bad == seen.pixels) light.flux = light.variance = nan;
    return light;
  }

  EllipseFlux measure_ellipse(const HostLanes& lanes, const MeasuredSource& source, float radius,
                              SourceSums& pixel) const {
    constexpr float reach = 6;
    std::int32_t flags = 0;
    if (!(radius > 0)) radius = kron_.radius(lanes, source, image_, reach, flags);
    EllipseFlux light = flux_in_ellipse(lanes, source, image_, radius);
    const Touched seen = look_at_pixels(
        lanes, box_of_ellipse(source.shape, radius, image_), image_,
        [&](std::int32_t x, std::int32_t y) { return square_of_scale(source.shape, x, y) <= radius * radius; });
    note(seen, pixel);
    light.flags |= flags;
    if (seen.bad == seen.pixels) light.flux = light.variance = nan;
    return light;
  }

  const ForcedPositions& positions_;
  const PhotometryImage& image_;
  CircleFamily circles_;
  KronFamily kron_;
  StarFamily stars_;
};

/// Returns the index of the pixel that contains a coordinate, or of the nearest pixel if the coordinate is outside the
/// image.
std::int32_t pixel_of(double position, std::int64_t size) {
  return static_cast<std::int32_t>(std::clamp(std::floor(position + 0.5), 0.0, static_cast<double>(size) - 1.0));
}

/// Returns the indices of the positions sorted by y. Successive positions then use the same rows of an on-demand image.
std::vector<std::int64_t> in_order_of_rows(const ForcedPositions& positions, std::int64_t height) {
  std::vector<std::int64_t> order(positions.places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t i) {
    const double y = positions.places[static_cast<std::size_t>(i)].y;
    return y == y ? pixel_of(y, height) : 0;
  });
  return order;
}

}  // namespace

SourceSums sums_at(const ForcedPosition& at, const Shape& shape) {
  SourceSums sums{};
  const bool known = at.x == at.x && at.y == at.y;
  sums.npix = 1;
  sums.v = 1;
  sums.xpeak = sums.xmin = sums.xmax = known ? pixel_of(at.x, shape.width) : 0;
  sums.ypeak = sums.ymin = sums.ymax = known ? pixel_of(at.y, shape.height) : 0;
  if (known) {  // these sums give a centroid exactly at the position and second moments of 0
    sums.vx = at.x - sums.xmin;
    sums.vy = at.y - sums.ymin;
    sums.vxx = sums.vx * sums.vx;
    sums.vyy = sums.vy * sums.vy;
    sums.vxy = sums.vx * sums.vy;
  }
  sums.peak = -std::numeric_limits<float>::infinity();
  return sums;
}

std::vector<std::string> forced_columns(bool ellipses, bool stars) {
  std::vector<std::string> names = {"NUMBER",      "X_IMAGE",     "Y_IMAGE",    "BACKGROUND",   "FLAGS",
                                    "ALPHA_J2000", "DELTA_J2000", "FLUX_APER",  "FLUXERR_APER", "FLUXLIM_APER",
                                    "MAG_APER",    "MAGERR_APER", "MAGLIM_APER"};
  if (stars)
    for (const char* more : {"FLUX_PSF", "FLUXERR_PSF", "MAG_PSF", "MAGERR_PSF", "CHI2_PSF"}) names.emplace_back(more);
  if (!ellipses) return names;
  for (const char* more : {"A_IMAGE", "B_IMAGE", "THETA_IMAGE", "KRON_RADIUS", "FLUX_AUTO", "FLUXERR_AUTO",
                           "FLUXLIM_AUTO", "MAG_AUTO", "MAGERR_AUTO", "MAGLIM_AUTO"})
    names.emplace_back(more);
  return names;
}

ForcedLight measure_forced(const ForcedPositions& positions, const Image<float, Cpu>& image,
                           const Image<float, Cpu>& variance, const Levels& levels, const Settings& config,
                           const Cpu& where, const Value<Background, Cpu>* whole) {
  PhotometryImage pixels{image.pixels.data(),
                         variance.pixels.data(),
                         nullptr,
                         static_cast<std::int32_t>(image.shape.width),
                         static_cast<std::int32_t>(image.shape.height),
                         levels.background,
                         0,
                         config.measurement.mask};
  pixels.least_bad_variance = least_bad_variance(least_bad_variance(config.weights), levels.noise_scale);
  set_noise(config, pixels);
  pixels.photon_share = 0;  // FLUXLIM needs sums without photon noise; errors add that noise by one gain for all pixels
  complete_noise(levels, pixels);
  if (whole != nullptr) pixels.saturation -= highest_level(**whole);
  const Measurement measurement(positions, pixels, config);
  const std::int64_t count = std::ssize(positions.places);
  ForcedLight out;
  out.pixel = Buffer<SourceSums, Cpu>(count, where);
  out.photometry.of<CircleFamily>() = {{count * measurement.circles(), where}, measurement.circles()};
  if (positions.ellipses) out.photometry.of<KronFamily>() = {{count, where}, 1};
  if (measurement.has_stars()) out.photometry.of<StarFamily>() = {{count, where}, 1};
  std::vector<RowsOnDemand*> rows;
  for (const Image<float, Cpu>* one : {&image, &variance})
    if (is_on_demand(*one)) rows.push_back(one->rows.get());
  const std::vector<std::int64_t> order = in_order_of_rows(positions, image.shape.height);
  parallel_for(count, places_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    PhotometryRows held(rows, image.shape.height);
    const HostLanes lanes(rows.empty() ? nullptr : &held);
    for (std::int64_t i = begin; i < end; ++i) measurement.measure(order[static_cast<std::size_t>(i)], lanes, out);
  });
  return out;
}

}  // namespace srcextract
