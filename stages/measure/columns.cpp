#include "stages/measure/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/measure/usual_columns.hpp"
#include "stages/sky/map_of_mesh.hpp"

namespace srcextract {

namespace {

/// Variance of the photon noise of a flux in counts; `gain` is in e-/count, and 0 means no photon noise.
double poisson(double flux, double gain) {
  return gain > 0 ? std::max(0.0, flux) / gain : 0.0;
}

/// Returns the variance of the flux, from sums over the variance map. The sums were computed like sums over an image,
/// with levels.background subtracted from every pixel; here the background is added again. `unit`^2 is the unit of the
/// map's variances.
double variance_from(const SourceSums& variances, const Levels& levels, double unit) {
  return (variances.v + static_cast<double>(variances.npix) * levels.background) * (unit * unit);
}

/// Makes the calibration for a source with this sky. `of` tells the unit of the pixels' variances. `mapped` is true if
/// a map gives the variance of each pixel.
FluxCalibration calibration_of(PixelNoise of, bool mapped, const Levels& levels, const SourceSky& sky,
                               const MeasurementConfig& config) {
  const double unit = of == PixelNoise::of_sky ? sky.sigma : levels.noise_scale;
  const bool photons_known = of == PixelNoise::of_sky && mapped;  // the map's variances already include photon noise
  const double above_detection = analysis_level(levels) / (levels.detection - levels.background);
  return {unit * unit, photons_known ? 0 : config.gain, config.zero_point, config.pixel_scale,
          sky.threshold * above_detection};
}

/// Returns the root of a variance: that of float, unless float cannot hold the variance.
double noise_of(double variance) {
  const auto held = static_cast<float>(variance);
  const bool is_held = held >= std::numeric_limits<float>::min() && held <= std::numeric_limits<float>::max();
  return is_held ? static_cast<double>(std::sqrt(held)) : std::sqrt(variance);
}

/// Returns the detection threshold above the background of a pixel with this variance.
double threshold_of(const Levels& levels, double variance) {
  return levels.zero_point - levels.background + levels.in_noise * (levels.noise_scale * noise_of(variance));
}

/// Computes the sky at the position of a source. The values come from the sky mesh at the pixel of the source's
/// position, or from `levels` if there is no mesh.
class SkyOfSources {
 public:
  SkyOfSources(const MeasuredSums& sums, const Shape& shape, const Levels& levels)
      : everywhere_{levels.background, levels.sigma, levels.detection - levels.background},
        shape_(shape),
        levels_(levels),
        noise_varies_(sums.noise_varies) {
    if (sums.mesh == nullptr) return;
    level_.emplace(MapOfMesh::of_level(*sums.mesh));
    rms_.emplace(MapOfMesh::of_rms(*sums.mesh));
    if (sums.filtered != nullptr) filtered_.emplace(MapOfMesh::of_rms(*sums.filtered));
  }

  SourceSky at(const SourceSums& s, const Parentage& parentage) {
    if (!level_) return everywhere_;
    const bool split = parentage.split != 0;
    const double x = within(s.xmin, s.xmax, split ? parentage.x - s.xmin : s.vx / s.v, shape_.width);
    const double y = within(s.ymin, s.ymax, split ? parentage.y - s.ymin : s.vy / s.v, shape_.height);
    const auto column = static_cast<std::int64_t>(x + 0.5), row = static_cast<std::int64_t>(y + 0.5);
    const double level = level_->at(column, row);
    if (!noise_varies_) return {level, everywhere_.sigma, everywhere_.threshold};
    return {level, std::sqrt(variance_at(x, y)),
            level_above_noise(levels_, (filtered_ ? filtered_ : rms_)->at(column, row))};
  }

 private:
  /// Returns first + offset, limited to the range first - 0.5 to last + 0.5 and to the image. `first` and `last` are
  /// the first and last column (or row) of the source's pixels; `size` is the image's width (or height).
  static double within(std::int32_t first, std::int32_t last, double offset, std::int64_t size) {
    const double least = std::max(first - 0.5, 0.0);
    const double most = std::min(last + 0.5, static_cast<double>(size - 1));
    return first + offset > least ? std::min(first + offset, most) : least;
  }

  /// The noise variance at (x, y), interpolated linearly between pixels. This value is close to the mean noise variance
  /// of the pixels of a source at (x, y).
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

  SourceSky everywhere_;
  Shape shape_;
  const Levels& levels_;
  bool noise_varies_;
  std::optional<MapOfMesh> level_, rms_, filtered_;
};

/// Returns the error of a source's isophotal flux: the root of the sum of two variances. The first is the variance of
/// the pixels times the factor of the noise law. The second is the photon variance, unless a variance map in units of
/// the sky's variance already contains photon noise.
double error_of(const MeasuredSums& sums, std::size_t row, const SourceSums& measured, double flux,
                const SourceSky& sky, const Levels& levels, double gain) {
  const auto npix = static_cast<double>(measured.npix);
  const double grown = sums.noise_law.variance_factor(npix);
  const bool of_sky = sums.variances_of == PixelNoise::of_sky;
  const double unit = of_sky ? sky.sigma : levels.noise_scale;
  const double photons = sums.photons.empty() ? poisson(flux, gain) : sums.photons[row] * (unit * unit);
  if (sums.variances.empty()) return std::sqrt(grown * npix * (unit * unit) + photons);
  const double pixels = grown * variance_from(sums.variances[row], levels, unit);
  return std::sqrt(of_sky ? pixels : pixels + photons);
}

UsualRow row_of(const MeasuredSums& sums, std::size_t row, const Shape& shape, const Levels& levels,
                const MeasurementConfig& config, SkyOfSources& sky_of) {
  const SourceSums& found = sums.found[row];
  const SourceSums& own = sums.cleaned ? sums.own[row] : found;
  const SourceSums& measured = sums.fluxes.empty() ? found : sums.fluxes[row];
  const Parentage parentage = sums.parentage.empty() ? Parentage{} : sums.parentage[row];
  const bool edge_known = parentage.split != 0 || sums.cleaned;
  SourceSky sky = sky_of.at(own, parentage);
  if (!sums.least_variance.empty()) sky.threshold = threshold_of(levels, sums.least_variance[row]);
  const SourceOffset position = position_of(own, parentage);
  const double local = sums.local_sky.empty() ? 0 : sums.local_sky[row];
  const double flux = measured.v - static_cast<double>(measured.npix) * local;
  sky.level += local;
  return {.row = row,
          .found = found,
          .own = own,
          .measured = measured,
          .parentage = parentage,
          .edge = edge_known ? parentage.edge != 0 : at_edge(found, shape),
          .position = position,
          .ellipse = ellipse_of(own, position),
          .sky = sky,
          .background = levels.background + local,
          .flux = flux,
          .error = error_of(sums, row, measured, flux, sky, levels, config.gain),
          .area = sums.areas ? (*sums.areas)[row] : 0};
}

constexpr std::int64_t rows_at_a_time = 2048;

/// Calls f.operator()<i>() for the index i of each usual column. The index is a template argument, so that the compiler
/// can inline each column's formula.
template <class F>
void for_each_usual(const F& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (f.template operator()<i>(), ...);
  }
  (std::make_index_sequence<std::size(usual_columns)>());
}

/// Pointers to the value vectors of all usual columns, in the order of usual_columns; null for a column that the
/// catalogue does not have.
using UsualVectors = std::array<CatalogValues*, std::size(usual_columns)>;

void fill_row(const UsualRow& row, const UsualVectors& vectors) {
  for_each_usual([&]<std::size_t i>() {
    constexpr auto formula = std::get<usual_columns[i].formula.index()>(usual_columns[i].formula);
    using Values = std::vector<std::invoke_result_t<decltype(formula), const UsualRow&>>;
    if (vectors[i] != nullptr) (*std::get_if<Values>(vectors[i]))[row.row] = formula(row);
  });
}

/// Adds the usual columns to `sources`, with a row of zeros for each source. Returns pointers to their value vectors.
UsualVectors add_usual_columns(const MeasuredSums& sums, const Cpu& where, Sources& sources) {
  for (const UsualColumn& column : usual_columns)
    if (column.is_there(sums))
      sources.add({column.declared.column, column.declared.column.name, column.zeros(0), CatalogPart::usual});
  UsualVectors vectors{};
  std::size_t added = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i)
    if (usual_columns[i].is_there(sums)) vectors[i] = &sources.columns[added++].values;
  // Several threads allocate the columns, because allocation takes longer than filling the values.
  const Cpu threads{std::ssize(sums.found) > rows_at_a_time ? where.threads : 1};
  parallel_for(std::ssize(sources.columns), 1, threads, [&](std::int64_t i, std::int64_t) {
    std::visit([&](auto& values) { values.resize(sums.found.size()); },
               sources.columns[static_cast<std::size_t>(i)].values);
  });
  return vectors;
}

}  // namespace

Sources derive_columns(const MeasuredSums& sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config, const Cpu& where, std::span<FluxCalibration> calibration) {
  Sources sources;
  const UsualVectors vectors = add_usual_columns(sums, where, sources);
  sources.describe(columns::flags, flag::description_without_apertures);
  parallel_for(std::ssize(sums.found), rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    SkyOfSources sky_of(sums, shape, levels);
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const UsualRow row = row_of(sums, i, shape, levels, config, sky_of);
      fill_row(row, vectors);
      if (calibration.empty()) continue;
      calibration[i] = calibration_of(sums.variances_of, !sums.variances.empty(), levels, row.sky, config);
      if (!sums.local_sky.empty()) calibration[i].analysis -= sums.local_sky[i];
      calibration[i].has_photons = !sums.photons.empty();
    }
  });
  return sources;
}

}  // namespace srcextract
