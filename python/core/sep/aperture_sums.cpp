#include <cmath>

#include "python/core/sep/aperture_lanes.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract::python {
namespace {

struct ApertureLanes {
  Lanes light, variance, area, masked_area, masked;
};

template <bool may_hide, bool may_vary>
inline __attribute__((always_inline)) void add_parts(const BandOfRows& band, ApertureLanes& to) {
  ApertureLanes sums = to;
  for_each_block(band, [&](std::int64_t at, std::int64_t, std::int64_t) {
    const double *const part = band.part + at, *const value = band.value + at;
    const double* const hide = may_hide ? band.hidden + at : value;
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
      const bool reached = part[k] >= 0, hidden = may_hide ? hide[k] > 0 : false;
      const double light = part[k] * value[k], area = reached ? part[k] : 0;
      sums.area.of[k] += area;
      sums.light.of[k] += (reached & !hidden) ? light : 0;
      if constexpr (may_hide) {
        sums.masked_area.of[k] += hidden ? area : 0;
        sums.masked.of[k] += (reached & hidden) ? 1 : 0;
      }
      if constexpr (may_vary) {
        const double variance = part[k] * band.variance[at + k];
        sums.variance.of[k] += (reached & !hidden) ? variance : 0;
      }
    }
  });
  to = sums;
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void add_aperture(const BandOfRows& band, ApertureLanes& to) {
  if (band.hidden == nullptr && band.variance == nullptr) return add_parts<false, false>(band, to);
  if (band.hidden == nullptr) return add_parts<false, true>(band, to);
  if (band.variance == nullptr) return add_parts<true, false>(band, to);
  add_parts<true, true>(band, to);
}

template <bool may_hide>
inline __attribute__((always_inline)) void add_distances(const BandOfRows& band, const SepEllipse& at, double most,
                                                         ApertureLanes& to) {
  const Offset offset(band, at);
  const auto width = static_cast<double>(band.box.width());
  ApertureLanes sums = to;
  for_each_block(band, [&](std::int64_t place, std::int64_t row, std::int64_t column) {
    double dx[lanes];
    const double dy = offset.of(row, column, dx), across = at.cxy * dy, rest = at.cyy * dy * dy;
    const double *const value = band.value + place, *const hide = may_hide ? band.hidden + place : value;
    const double last = width - static_cast<double>(column);
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
      const double square = (at.cxx * dx[k] + across) * dx[k] + rest;
      const bool inside = (square <= most) & (places[k] < last), hidden = may_hide ? hide[k] > 0 : false;
      // The precision of a float root suffices for these sums.
      const double distance = std::sqrt(static_cast<float>(square > 0 ? square : 0)),
                   light = (inside & !hidden) ? value[k] : 0;
      sums.light.of[k] += light;
      sums.variance.of[k] += distance * light;
      sums.area.of[k] += inside ? 1 : 0;
      if constexpr (may_hide) sums.masked_area.of[k] += (inside & hidden) ? 1 : 0;
    }
  });
  to = sums;
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void add_moments(const BandOfRows& band, const SepEllipse& at, double most,
                                                             ApertureLanes& to) {
  if (band.hidden == nullptr) return add_distances<false>(band, at, most, to);
  add_distances<true>(band, at, most, to);
}

struct WindowLanes {
  Lanes light, x, y, all, area, masked, masked_x, masked_y, has_masked;
};

template <bool may_hide>
inline __attribute__((always_inline)) void add_weighted(const BandOfRows& band, const SepEllipse& at, double steepness,
                                                        const double* columns, WindowLanes& to) {
  const Offset offset(band, at);
  WindowLanes sums = to;
  for (std::int64_t row = 0; row < band.rows(); ++row) {
    const double down = offset.top + static_cast<double>(row), along_y = exp_in_float_range(-down * down * steepness);
    const auto add = [&](std::int64_t column) __attribute__((always_inline)) {
      const std::int64_t place = row * band.stride + column;
      const double *const part = band.part + place, *const value = band.value + place;
      const double* const hide = may_hide ? band.hidden + place : value;
      double dx[lanes];
      offset.of(row, column, dx);
      VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
        const bool reached = part[k] >= 0, hidden = may_hide ? hide[k] > 0 : false, counts = reached & !hidden;
        const double weight = part[k] * (columns[column + k] * along_y), weighted = weight * value[k];
        const double light = counts ? weighted : 0;
        sums.light.of[k] += light;
        sums.x.of[k] += light * dx[k];
        sums.y.of[k] += light * down;
        if constexpr (may_hide) {
          const double masked = (reached & hidden) ? weight : 0, whole = part[k] * value[k];
          sums.all.of[k] += counts ? whole : 0;
          sums.area.of[k] += counts ? part[k] : 0;
          sums.masked.of[k] += masked;
          sums.masked_x.of[k] += masked * dx[k];
          sums.masked_y.of[k] += masked * down;
          sums.has_masked.of[k] += (reached & hidden) ? 1 : 0;
        }
      }
    };
    // Inside the aperture the share of every pixel is 1.
    const auto add_whole = [&](std::int64_t column) __attribute__((always_inline)) {
      const double* const value = band.value + row * band.stride + column;
      double dx[lanes];
      offset.of(row, column, dx);
      VECTOR_LOOP for (int k = 0; k < lanes; ++k) {
        const double light = columns[column + k] * along_y * value[k];
        sums.light.of[k] += light;
        sums.x.of[k] += light * dx[k];
        sums.y.of[k] += light * down;
      }
    };
    const std::int64_t inner_begin = band.inner_begin[row], inner_end = band.inner_end[row];
    for (std::int64_t column = band.begin[row]; column < inner_begin; column += lanes) add(column);
    for (std::int64_t column = inner_begin; column < inner_end; column += lanes)
      if constexpr (may_hide) {
        add(column);
      } else {
        add_whole(column);
      }
    for (std::int64_t column = inner_end; column < band.end[row]; column += lanes) add(column);
  }
  to = sums;
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void add_window(const BandOfRows& band, const SepEllipse& at,
                                                            double steepness, const double* columns, WindowLanes& to) {
  if (band.hidden == nullptr) return add_weighted<false>(band, at, steepness, columns, to);
  add_weighted<true>(band, at, steepness, columns, to);
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void fill_window(double from, double steepness, std::int64_t count,
                                                             double* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double d = from + static_cast<double>(i);
    to[i] = exp_in_float_range(-d * d * steepness);
  }
}

}  // namespace

ApertureSums ApertureRows::sum(const SepAnnulus& annulus, const SepBox& box, std::int64_t source) {
  ApertureLanes all;
  for_each_band(box, source, [&](const BandOfRows& band) {
    find_parts(annulus);
    add_aperture(band, all);
  });
  ApertureSums sums{.light = all.light.folded(),
                    .variance = all.variance.folded(),
                    .area = all.area.folded(),
                    .masked_area = all.masked_area.folded(),
                    .has_masked = all.masked.folded() > 0};
  if (!image_.noise) sums.variance = (sums.area - sums.masked_area) * image_.variance(0);
  return sums;
}

ApertureSums ApertureRows::sum_moments(const SepEllipse& ellipse, double r, const SepBox& box, std::int64_t source) {
  ApertureLanes all;
  for_each_band(box, source, [&](const BandOfRows& band) {
    find_rows(ellipse, r * r, 0);
    add_moments(band, ellipse, r * r, all);
  });
  return {.light = all.light.folded(),
          .variance = all.variance.folded(),
          .area = all.area.folded(),
          .masked_area = all.masked_area.folded()};
}

WindowSums ApertureRows::sum_window(const SepAnnulus& circle, double sigma, const SepBox& box, std::int64_t source) {
  const double steepness = 1 / (2 * sigma * sigma);
  if (!box.empty()) {
    const std::int64_t columns = (box.width() + lanes - 1) / lanes * lanes;
    grow(columns_, columns);
    fill_window(static_cast<double>(box.x_begin) - circle.ellipse.x, steepness, columns, columns_.data());
  }
  WindowLanes all;
  for_each_band(box, source, [&](const BandOfRows& band) {
    find_parts(circle);
    add_window(band, circle.ellipse, steepness, columns_.data(), all);
  });
  return {.light = all.light.folded(),
          .x = all.x.folded(),
          .y = all.y.folded(),
          .all = all.all.folded(),
          .area = all.area.folded(),
          .masked = all.masked.folded(),
          .masked_x = all.masked_x.folded(),
          .masked_y = all.masked_y.folded(),
          .has_masked = all.has_masked.folded() > 0};
}

}  // namespace srcextract::python
