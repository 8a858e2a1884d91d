#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "python/core/sep/aperture_rows.hpp"
#include "python/core/sep/each_aperture.hpp"
#include "python/core/sep/image.hpp"
#include "stages/core/vector_clones.hpp"

// Radii of circles that contain given fractions of the light, by SEP's definition. SExtractor's definition
// (stages/photometry/growth.hpp) differs. Here a circle of any radius is divided into 64 rings, the number of
// sub-pixels is free, and the light of masked pixels is extrapolated. Sub-pixels are added in SEP's order, since
// rounding decides the radius where the curve of growth is flat.

namespace srcextract::python {
namespace nb = nanobind;
namespace {

constexpr std::size_t growth_steps = 64;

/// A value for each ring, and one for everything outside the outermost ring.
using Rings = std::array<double, growth_steps + 1>;

/// A circle of radius `reach`, divided into growth_steps rings of equal width.
struct GrowthCircle {
  double x, y, reach;
  std::int64_t sub_pixels;

  double step() const { return reach / growth_steps; }
  /// The radius with SExtractor's margin of 1.5 pixels. Flags refer to the pixels within this radius.
  double furthest() const { return reach + 1.5; }
};

/// A range of rings between two radii.
struct Span {
  double from, to;

  double reach() const { return to + pixel_reach; }
  /// Limits of the squared distance of pixels that may overlap these rings.
  double least_square() const { return from > pixel_reach ? (from - pixel_reach) * (from - pixel_reach) : 0; }
  double limit() const { return reach() * reach(); }
};

struct GrowthSums {
  Rings light{}, area{}, masked_area{};
};

/// The ring that each sub-pixel of a pixel belongs to. Rows of sub-pixels are padded to whole blocks of 8.
struct SubPixelRings {
  std::int64_t side, stride;
  std::vector<double> across, down;  ///< squared offsets from the circle's centre
  std::vector<std::int32_t> ring;

  explicit SubPixelRings(std::int64_t sub_pixels)
      : side(sub_pixels),
        stride((sub_pixels + BandOfRows::block - 1) / BandOfRows::block * BandOfRows::block),
        across(static_cast<std::size_t>(stride)),
        down(static_cast<std::size_t>(side)),
        ring(static_cast<std::size_t>(side * stride)) {}
};

inline __attribute__((always_inline)) void find_rings(double dx, double dy, double density, SubPixelRings& of) {
  const double step = 1.0 / static_cast<double>(of.side), first = 0.5 * (step - 1);
  double u = dx + first, v = dy + first;
  for (std::int64_t k = 0; k < of.side; ++k, u += step, v += step) {
    of.across.data()[k] = u * u;
    of.down.data()[k] = v * v;
  }
  const double* const across = of.across.data();
  for (std::int64_t j = 0; j < of.side; ++j) {
    const double v2 = of.down.data()[j];
    std::int32_t* const ring = of.ring.data() + j * of.stride;
    for (std::int64_t i = 0; i < of.stride; ++i) {
      const double at = std::sqrt(across[i] + v2) * density;
      ring[i] = static_cast<std::int32_t>(at < growth_steps ? at : growth_steps);
    }
  }
}

template <bool corrects>
inline __attribute__((always_inline)) void add_pixels(const BandOfRows& band, const GrowthCircle& circle,
                                                      const Span& span, SubPixelRings& parts, GrowthSums& to) {
  const double step = circle.step(), density = 1 / step;
  const double least = span.least_square(), limit = span.limit();
  const double side = 1.0 / static_cast<double>(parts.side), share = side * side;
  const bool may_be_whole = step >= 2 * pixel_reach;
  for (std::int64_t row = 0; row < band.rows(); ++row) {
    const double dy = static_cast<double>(band.box.y_begin + row) - circle.y;
    for (std::int64_t column = 0; column < band.box.width(); ++column) {
      const double dx = static_cast<double>(band.box.x_begin + column) - circle.x, square = dx * dx + dy * dy;
      if (!(square < limit) || square < least) continue;
      const bool hidden = band.hidden != nullptr && band.hidden[row * band.stride + column] > 0;
      if (hidden && !corrects) continue;
      const double value = hidden ? 0 : band.value[row * band.stride + column];
      const auto add = [&](std::int32_t ring, double light, double area) {
        to.light.data()[ring] += light;
        if constexpr (corrects) {
          to.area.data()[ring] += area;
          to.masked_area.data()[ring] += hidden ? area : 0;
        }
      };
      if (may_be_whole) {
        const double distance = std::sqrt(square), ring = std::floor(distance * density);
        const double beyond = distance - step * ring;
        if (beyond >= pixel_reach && beyond <= step - pixel_reach) {
          add(static_cast<std::int32_t>(ring < growth_steps ? ring : growth_steps), value, 1);
          continue;
        }
      }
      find_rings(dx, dy, density, parts);
      const double light = share * value;
      for (std::int64_t j = 0; j < parts.side; ++j)
        for (std::int64_t i = 0; i < parts.side; ++i) add(parts.ring.data()[j * parts.stride + i], light, share);
    }
  }
}

/// Adds the pixels of a band of rows to the rings of a range. With `corrects`, also adds areas, by which the light of
/// masked pixels is extrapolated.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void add_rings(const BandOfRows& band, const GrowthCircle& circle,
                                                           const Span& span, bool corrects, SubPixelRings& parts,
                                                           GrowthSums& to) {
  corrects ? add_pixels<true>(band, circle, span, parts, to) : add_pixels<false>(band, circle, span, parts, to);
}

bool has_hidden(const BandOfRows& band, const GrowthCircle& circle) {
  const double limit = circle.furthest() * circle.furthest();
  for (std::int64_t row = 0; row < band.rows(); ++row) {
    const double dy = static_cast<double>(band.box.y_begin + row) - circle.y;
    for (std::int64_t column = 0; column < band.box.width(); ++column) {
      const double dx = static_cast<double>(band.box.x_begin + column) - circle.x;
      if (band.hidden[row * band.stride + column] > 0 && dx * dx + dy * dy < limit) return true;
    }
  }
  return false;
}

/// Measures the curves of growth of circles, one after the other: the light in each ring.
class GrowthWorker {
 public:
  explicit GrowthWorker(const SepImage& image) : image_(image), rows_(image) {}

  /// SEP's flags of a circle: whether the image's edge cuts the circle, and whether pixels are hidden.
  std::int16_t flags(const GrowthCircle& circle, std::int64_t source) {
    const SepBox box = sep_box(circle.x, circle.y, circle.furthest(), circle.furthest(), image_.shape);
    bool masked = false;
    if (rows_.may_hide(box))
      rows_.for_each_band(box, source, [&](const BandOfRows& band) { masked = masked || has_hidden(band, circle); });
    return static_cast<std::int16_t>((box.cut ? cut_off : 0) | (masked ? has_masked : 0));
  }

  /// Sets the light of the rings [begin, end). Extrapolates the light of each ring to the area of masked and NaN
  /// pixels, but not to that of other sources' pixels, unless there is a mask.
  void add_rings_of(const GrowthCircle& circle, std::size_t begin, std::size_t end, std::int64_t source, Rings& light) {
    const Span span{static_cast<double>(begin) * circle.step(), static_cast<double>(end) * circle.step()};
    const SepBox box = sep_box(circle.x, circle.y, span.reach(), span.reach(), image_.shape);
    SubPixelRings parts(circle.sub_pixels);
    GrowthSums sums;
    const bool corrects = image_.mask || (image_.segments == nullptr && rows_.may_hide(box));
    rows_.for_each_band(box, source,
                        [&](const BandOfRows& band) { add_rings(band, circle, span, corrects, parts, sums); });
    for (std::size_t k = begin; k < end; ++k) {
      const double scale = sums.masked_area[k] > 0 ? sums.area[k] / (sums.area[k] - sums.masked_area[k]) : 1;
      light[k] = sums.light[k] * scale;
    }
  }

 private:
  const SepImage& image_;
  ApertureRows rows_;
};

/// Sets the radius that contains the light `wanted`. If the first `steps` rings do not contain that light, sets
/// `reach`, and returns false unless these are all rings.
bool find_radius(const Rings& light, std::size_t steps, double wanted, double reach, double& radius) {
  const double step = reach / growth_steps;
  double before = 0, here = 0;
  for (std::size_t k = 0; k < steps; ++k, before = here) {
    if (std::isfinite(light[k])) here += light[k];
    if (here < wanted) continue;
    // true also if a sum is NaN; the radius then is NaN
    radius = step * (static_cast<double>(k) + (here != before ? (wanted - before) / (here - before) : 0));
    if (k == 0 && wanted < 0) radius = 0;  // as in SEP
    return true;
  }
  radius = reach;
  return steps == growth_steps;
}

/// Sets the radii of all fractions of the light `all`, or of the light in the circle if `all` is null. With `all`,
/// tries the inner half of the rings first, which mostly suffices and has a quarter of the pixels.
void find_radii(GrowthWorker& worker, const GrowthCircle& circle, std::int64_t source, const double* all,
                std::span<const double> fractions, double* radii) {
  constexpr std::size_t inner = growth_steps / 2;
  const auto find_all = [&](const Rings& light, std::size_t steps, double of) {
    bool found = true;
    for (std::size_t i = 0; i < fractions.size(); ++i)
      found = find_radius(light, steps, fractions[i] * of, circle.reach, radii[i]) && found;
    return found;
  };
  Rings light{};
  worker.add_rings_of(circle, 0, inner, source, light);
  if (all != nullptr && find_all(light, inner, *all)) return;
  worker.add_rings_of(circle, inner, growth_steps, source, light);
  double inside = 0;
  for (const double ring : light) inside += std::isfinite(ring) ? ring : 0;
  find_all(light, growth_steps, all != nullptr ? *all : inside);
}

void flux_radii(const SepImage& image, const Values<double>& x, const Values<double>& y, const Values<double>& reach,
                const Columns& norm, const Values<double>& fractions, std::int64_t sub_pixels,
                const Results<double>& radius, const Results<std::int16_t>& flags, int threads) {
  for_each_aperture<GrowthWorker>(image, x, y, largest_of(reach), threads, [&](GrowthWorker& worker, std::size_t i) {
    const GrowthCircle circle{x.data()[i], y.data()[i], reach.data()[i], sub_pixels};
    const std::int64_t source = image.source_at(i);
    flags.data()[i] = worker.flags(circle, source);
    find_radii(worker, circle, source, norm.empty() ? nullptr : norm[0].data() + i, span_of(fractions),
               radius.data() + i * fractions.size());
  });
}

}  // namespace

void bind_sep_radii(nb::module_& module) {
  module.def("sep_flux_radii", &flux_radii);
}

}  // namespace srcextract::python
