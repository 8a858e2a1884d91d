#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "stages/galaxy/galaxy_row.hpp"

namespace srcextract {

/// A rectangle of pixels: columns x to x_end - 1, rows y to y_end - 1.
struct PixelArea {
  std::int64_t x = 0, y = 0, x_end = 0, y_end = 0;

  bool empty() const { return x >= x_end || y >= y_end; }
  std::int64_t width() const { return x_end - x; }
  std::int64_t height() const { return y_end - y; }
  PixelArea within(const PixelArea& other) const {
    return {std::max(x, other.x), std::max(y, other.y), std::min(x_end, other.x_end), std::min(y_end, other.y_end)};
  }
  PixelArea wider(std::int64_t by) const { return {x - by, y - by, x_end + by, y_end + by}; }
};

/// The PSF transformed for each side of a box.
using SpectraBySide = std::map<int, std::shared_ptr<const PsfSpectra>>;

/// A source with the box of its fit. The middle pixel of the box is (x, y); the fit's position counts from there.
struct PlacedGalaxy {
  std::int64_t x = 0, y = 0;
  int side = 0;             ///< 0: not fitted yet
  std::int64_t margin = 0;  ///< how far beyond its box the model counts
  GalaxyFit fit;

  /// Whether the fit made a model; with too few pixels it made none.
  bool is_drawn() const { return side > 0 && (fit.flags & galaxy_few_pixels) == 0; }
  PixelArea box() const { return box_about(x, y, side); }
  /// All pixels in which the model counts.
  PixelArea reach() const { return box().wider(margin); }
  static PixelArea box_about(std::int64_t x, std::int64_t y, int side) {
    return {x - side / 2, y - side / 2, x - side / 2 + side, y - side / 2 + side};
  }
};

/// How far beyond its box a model counts: to where its profile is brighter than a fiftieth of `noise`, at most 200
/// pixels. 0 if its flux is below 30 times its error.
inline std::int64_t margin_of(const GalaxyModel& model, const GalaxyFit& fit, int side, double noise) {
  constexpr double least_significance = 30, least_of_noise = 0.02;
  constexpr std::int64_t farthest = 200;
  const WithError total = GalaxyRow{model, 0, 0, fit}.total();
  if (!(total.error > 0 && total.value >= least_significance * total.error)) return 0;
  double reach = 0;
  if (model.spheroid) reach = profile_reach(fit.at.spheroid, fit.at.spheroid_flux, least_of_noise * noise);
  if (model.disk) reach = std::fmax(reach, profile_reach(fit.at.disk, fit.at.disk_flux, least_of_noise * noise));
  const int half = side / 2;
  const double beyond = reach - half;
  return beyond < 2 ? 0 : std::min(farthest, static_cast<std::int64_t>(beyond));
}

/// Adds a model to `out`, the pixels of `area`, row by row. `drawn` is memory for the pixels of the box.
inline void add_model(const GalaxyModel& model, const PlacedGalaxy& one, const SpectraBySide& spectra,
                      const PixelArea& area, GalaxyScratch& scratch, std::vector<float>& drawn, float* out) {
  const PixelArea box = one.box(), inside = box.within(area), reach = one.reach().within(area);
  if (!one.is_drawn() || reach.empty()) return;
  const auto at = [&](std::int64_t x, std::int64_t y) { return (y - area.y) * area.width() + x - area.x; };
  if (!inside.empty()) {
    drawn.resize(static_cast<std::size_t>(one.side) * static_cast<std::size_t>(one.side));
    render_galaxy(model, one.fit.at, *spectra.at(one.side), static_cast<double>(one.x + 1),
                  static_cast<double>(one.y + 1), scratch, drawn.data());
    for (std::int64_t y = inside.y; y < inside.y_end; ++y)
      for (std::int64_t x = inside.x; x < inside.x_end; ++x)
        out[at(x, y)] += drawn[static_cast<std::size_t>((y - box.y) * one.side + x - box.x)];
  }
  if (one.margin == 0) return;
  const auto add_wings = [&](std::int64_t x, std::int64_t x_end, std::int64_t y) {
    if (x >= x_end) return;
    const GalaxyParameters& fitted = one.fit.at;
    const double dx = static_cast<double>(x - one.x) - fitted.x, dy = static_cast<double>(y - one.y) - fitted.y;
    const auto count = static_cast<int>(x_end - x);
    float* const row = out + at(x, y);
    if (model.spheroid) add_profile_row(fitted.spheroid, fitted.spheroid_flux, dx, dy, count, row);
    if (model.disk) add_profile_row(fitted.disk, fitted.disk_flux, dx, dy, count, row);
  };
  for (std::int64_t y = reach.y; y < reach.y_end; ++y) {
    const bool beside = y >= box.y && y < box.y_end;
    add_wings(reach.x, beside ? std::min(reach.x_end, box.x) : reach.x_end, y);
    if (beside) add_wings(std::max(reach.x, box.x_end), reach.x_end, y);
  }
}

}  // namespace srcextract
