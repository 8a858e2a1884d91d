#include "stages/measure/columns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/measure/ellipse.hpp"
#include "stages/sky/map_of_mesh.hpp"

namespace srcextract {

namespace {

double ratio(double numerator, double denominator) {
  return denominator == 0 ? undefined_value : numerator / denominator;
}

/// The sky at the position of a source.
struct LocalSky {
  double level;      ///< level that was subtracted
  double sigma;      ///< noise of a pixel
  double threshold;  ///< threshold above the level
};

/// The photon noise of the source's light, as a variance.
double poisson(const SourceSums& measured, double gain) {
  return gain > 0 ? std::max(0.0, measured.v) / gain : 0.0;
}

/// The variance of the flux, from the sum of the variances of its pixels. The background was subtracted from the
/// variances as from any image, so it is added again. Variances are in units of `unit` squared.
double variance_from(const SourceSums& variances, const Levels& levels, double unit) {
  return (variances.v + static_cast<double>(variances.npix) * levels.background) * (unit * unit);
}

/// The calibration for this sky; `mapped`: variances of pixels are known.
FluxCalibration calibration_of(PixelNoise of, bool mapped, const Levels& levels, const LocalSky& sky,
                               const MeasurementConfig& config) {
  const double unit = of == PixelNoise::of_sky ? sky.sigma : levels.noise_scale;
  const bool photons_known = of == PixelNoise::of_sky && mapped;  // the variances include photon noise
  const double above_detection = analysis_level(levels) / (levels.detection - levels.background);
  return {unit * unit, photons_known ? 0 : config.gain, config.zero_point, config.pixel_scale,
          sky.threshold * above_detection};
}

/// The threshold above the background of a pixel with this variance.
double threshold_of(const Levels& levels, float variance) {
  return levels.zero_point - levels.background + levels.in_noise * scaled_noise(levels, std::sqrt(variance));
}

/// The sums of one source.
struct RowSums {
  const SourceSums& s;         ///< in the image in which the source was found
  const SourceSums& own;       ///< `s` without absorbed pixels
  const SourceSums& measured;  ///< in the measured image
  Parentage parentage;
  bool edge;
};

RowSums sums_of_row(const MeasuredSums& sums, std::size_t row, const Shape& shape) {
  const SourceSums& s = sums.found[row];
  const Parentage parentage = sums.parentage.empty() ? Parentage{} : sums.parentage[row];
  const bool edge_known = parentage.split != 0 || sums.cleaned;
  return {s, sums.cleaned ? sums.own[row] : s, sums.fluxes.empty() ? s : sums.fluxes[row], parentage,
          edge_known ? parentage.edge != 0 : at_edge(s, shape)};
}

void fill_row(std::size_t row, const RowSums& sums, double variance, const Levels& levels, const LocalSky& sky,
              Sources& sources) {
  const auto& [s, own, measured, parentage, edge] = sums;
  const SourceOffset position = position_of(own, parentage);
  const Ellipse ellipse = ellipse_of(own, position);
  const double error = std::sqrt(variance);

  sources.number[row] = static_cast<std::int32_t>(row + 1);
  sources.x_image[row] = own.xmin + position.x + 1;
  sources.y_image[row] = own.ymin + position.y + 1;
  sources.xmin_image[row] = s.xmin + 1;
  sources.xmax_image[row] = s.xmax + 1;
  sources.ymin_image[row] = s.ymin + 1;
  sources.ymax_image[row] = s.ymax + 1;
  sources.xpeak_image[row] = s.xpeak + 1;
  sources.ypeak_image[row] = s.ypeak + 1;
  sources.npix[row] = s.npix;
  sources.flux_iso[row] = measured.v;
  sources.fluxerr_iso[row] = error;
  sources.flux_max[row] = static_cast<double>(measured.peak) - levels.background;
  sources.x2_image[row] = ellipse.x2;
  sources.y2_image[row] = ellipse.y2;
  sources.xy_image[row] = ellipse.xy;
  sources.a_image[row] = ellipse.a;
  sources.b_image[row] = ellipse.b;
  sources.theta_image[row] = ellipse.theta;
  sources.background[row] = sky.level;
  sources.threshold[row] = sky.threshold;
  sources.snr[row] = ratio(measured.v, error);
  sources.flags[row] =
      static_cast<std::int16_t>((s.near_masked != 0 ? flag::masked_pixels : 0) | (edge ? flag::at_edge : 0) |
                                (parentage.split != 0 ? flag::deblended : 0));
  if (sources.deblended) sources.id_parent[row] = parentage.parent;
}

/// The sky of one source after another, from the levels, or from the mesh at the pixel of the centre.
class SkyOfSources {
 public:
  SkyOfSources(const MeasuredSums& sums, const Shape& shape, const Levels& levels)
      : everywhere_{levels.background, levels.sigma, levels.detection - levels.background},
        shape_(shape),
        levels_(levels),
        noise_varies_(sums.noise_varies) {
    if (sums.mesh == nullptr) return;
    level_.emplace(sums.mesh->grid, sums.mesh->level, sums.mesh->level_bend);
    rms_.emplace(sums.mesh->grid, sums.mesh->rms, sums.mesh->rms_bend);
  }

  LocalSky at(const SourceSums& s, const Parentage& parentage) {
    if (!level_) return everywhere_;
    const bool split = parentage.split != 0;
    const double x = within(s.xmin, s.xmax, split ? parentage.x - s.xmin : s.vx / s.v, shape_.width);
    const double y = within(s.ymin, s.ymax, split ? parentage.y - s.ymin : s.vy / s.v, shape_.height);
    const auto column = static_cast<std::int64_t>(x + 0.5), row = static_cast<std::int64_t>(y + 0.5);
    const double level = level_->at(column, row);
    if (!noise_varies_) return {level, everywhere_.sigma, everywhere_.threshold};
    return {level, std::sqrt(variance_at(x, y)), level_above_noise(levels_, rms_->at(column, row))};
  }

 private:
  /// The position of a source, given by its offset from the first pixel; limited to the area of the source's pixels.
  static double within(std::int32_t first, std::int32_t last, double offset, std::int64_t size) {
    const double least = std::max(first - 0.5, 0.0);
    const double most = std::min(last + 0.5, static_cast<double>(size - 1));
    return first + offset > least ? std::min(first + offset, most) : least;
  }

  /// The variance at a position, interpolated linearly between pixels. It is close to the mean over the pixels of a
  /// source there.
  double variance_at(double x, double y) {
    const auto column = static_cast<std::int64_t>(x), row = static_cast<std::int64_t>(y);
    const double dx = x - static_cast<double>(column), dy = y - static_cast<double>(row);
    const auto at = [&](std::int64_t u, std::int64_t v) {
      const double rms = rms_->at(u, v);
      return rms * rms;
    };
    const auto along = [&](std::int64_t v) {
      return dx > 0 ? (1 - dx) * at(column, v) + dx * at(column + 1, v) : at(column, v);
    };
    return dy > 0 ? (1 - dy) * along(row) + dy * along(row + 1) : along(row);
  }

  LocalSky everywhere_;
  Shape shape_;
  const Levels& levels_;
  bool noise_varies_;
  std::optional<MapOfMesh> level_, rms_;
};

/// Rows that a thread fills at a time.
constexpr std::int64_t rows_at_a_time = 2048;

/// Sources with room for `rows` rows. Columns are resized in parallel, since allocation takes longer than filling.
Sources room_for(std::int64_t rows, const MeasuredSums& sums, const Cpu& where) {
  Sources sources;
  sources.deblended = sums.deblended;
  sources.analysed = sums.areas.has_value();
  std::vector<std::function<void()>> columns;
  for_each_column(sources, [&](const Column&, auto& values) {
    columns.push_back([&values, rows] { values.resize(static_cast<std::size_t>(rows)); });
  });
  const Cpu threads{rows > rows_at_a_time ? where.threads : 1};
  parallel_for(std::ssize(columns), 1, threads,
               [&](std::int64_t column, std::int64_t) { columns[static_cast<std::size_t>(column)](); });
  return sources;
}

}  // namespace

Sources derive_columns(const MeasuredSums& sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config, const Cpu& where, std::span<FluxCalibration> calibration) {
  const std::int64_t rows = std::ssize(sums.found);
  Sources sources = room_for(rows, sums, where);
  parallel_for(rows, rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    SkyOfSources sky_of(sums, shape, levels);
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      const RowSums of_row = sums_of_row(sums, row, shape);
      const SourceSums& measured = of_row.measured;
      LocalSky sky = sky_of.at(of_row.own, of_row.parentage);
      if (!sums.least_variance.empty()) sky.threshold = threshold_of(levels, sums.least_variance[row]);
      const auto npix = static_cast<double>(measured.npix);
      const double grown = sums.noise_law.variance_factor(npix);
      double variance = 0;
      if (sums.variances_of != PixelNoise::of_sky) {
        const double pixels = variance_from(sums.variances[row], levels, levels.noise_scale);
        variance = grown * pixels + poisson(measured, config.gain);
      } else {
        variance = sums.variances.empty() ? grown * npix * (sky.sigma * sky.sigma) + poisson(measured, config.gain)
                                          : grown * variance_from(sums.variances[row], levels, sky.sigma);
      }
      fill_row(row, of_row, variance, levels, sky, sources);
      if (!calibration.empty())
        calibration[row] = calibration_of(sums.variances_of, !sums.variances.empty(), levels, sky, config);
      if (sums.areas) sources.isoarea_image[row] = (*sums.areas)[row];
    }
  });
  return sources;
}

}  // namespace srcextract
