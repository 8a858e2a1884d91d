#include "stages/photometry/photometry_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/photometry/isophotal_values.hpp"
#include "stages/photometry/star_network.hpp"

namespace srcextract {
namespace {

/// Rows that a thread fills at a time.
constexpr std::int64_t rows_at_a_time = 2048;

/// A column with the values value(row), in the type that value() returns.
template <class Value>
FurtherValues column_of(std::int64_t rows, const Value& value, const Cpu& where) {
  std::vector<std::remove_cvref_t<decltype(value(std::int64_t{}))>> values(static_cast<std::size_t>(rows));
  parallel_for(rows, rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) values[static_cast<std::size_t>(row)] = value(row);
  });
  return values;
}

/// Replaces any NaN by the standard one, since arithmetic may set its sign and payload. Other values stay unchanged.
template <class T>
T same_nan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (value != value) return std::numeric_limits<T>::quiet_NaN();
  return value;
}

/// FLUX_APER, FLUX_APER_1, FLUX_APER_2 ...
std::string numbered(const char* name, int which) {
  return which == 0 ? name : std::string(name) + "_" + std::to_string(which);
}

void add_isophotal_column(const Column& column, std::span<const FluxCalibration> calibration, Sources& sources,
                          const Cpu& where) {
  for_each_isophotal_value([&](std::string_view name, const auto& value) {
    if (name != column.name) return;
    sources.further.push_back({column, column.name,
                               column_of(
                                   sources.size(),
                                   [&](std::int64_t i) {
                                     const auto row = static_cast<std::size_t>(i);
                                     return same_nan(value(sources, row, calibration[row]));
                                   },
                                   where)});
  });
}

/// The columns of one name, one for each of the family's rows.
template <class One>
void add_family_columns(const Column& column, const FamilyRows<typename One::Row, Cpu>& measured,
                        std::span<const FluxCalibration> calibration, Sources& sources, const Cpu& where) {
  One::for_each_value([&](std::string_view name, const auto& value) {
    if (name != column.name) return;
    for (int which = 0; which < measured.each; ++which) {
      sources.further.push_back({column, numbered(column.name, which),
                                 column_of(
                                     sources.size(),
                                     [&](std::int64_t row) {
                                       return value(measured.rows[row * measured.each + which],
                                                    calibration[static_cast<std::size_t>(row)]);
                                     },
                                     where)});
    }
  });
}

constexpr const char* flux_limit_text = "Three times the noise of the sky in the aperture, as an upper limit";
constexpr const char* magnitude_limit_text = "Magnitude of that limit";
constexpr const char* flux_limit_ucd = "phot.flux;stat.max";
constexpr const char* magnitude_limit_ucd = "phot.mag;stat.min";

/// Adds the limits of a family's fluxes, if they are asked for: the noise of the sky in the aperture, without photon
/// noise of the light there.
template <class Row>
void add_limits(const Column& flux, const Column& magnitude, const FamilyRows<Row, Cpu>& measured,
                std::span<const FluxCalibration> calibration, const ColumnChoice& choice, Sources& sources,
                const Cpu& where) {
  constexpr double sigmas = 3;
  if (!choice.has(flux.name)) return;
  const auto at = [&](std::int64_t row) -> const FluxCalibration& {
    return calibration[static_cast<std::size_t>(row)];
  };
  const auto limit = [&](std::int64_t row, int which) {
    return sigmas * std::sqrt(measured.rows[row * measured.each + which].variance * at(row).pixel);
  };
  const auto magnitude_limit = [&](std::int64_t row, int which) {
    const double faintest = limit(row, which);
    return faintest == faintest ? at(row).magnitude(faintest) : faintest;
  };
  const auto add = [&](const Column& column, const auto& of) {
    for (int which = 0; which < measured.each; ++which)
      sources.further.push_back({column, numbered(column.name, which),
                                 column_of(
                                     sources.size(), [&](std::int64_t row) { return of(row, which); }, where)});
  };
  add(flux, limit);
  add(magnitude, magnitude_limit);
}

/// Adds CLASS_STAR if there is a network.
void add_star_class(const Column& column, const FamilyRows<ProfileRow, Cpu>& profile,
                    std::span<const FluxCalibration> calibration, double seeing_fwhm, const Resources& resources,
                    Sources& sources, const Cpu& where) {
  if (resources.network == nullptr) return;
  const StarNetwork network{std::span(*resources.network).first<StarNetwork::size>()};
  const double own_scale = resources.class_scale;
  sources.further.push_back(
      {column, column.name,
       column_of(
           sources.size(),
           [&](std::int64_t row) {
             const double side = calibration[static_cast<std::size_t>(row)].pixel_scale;
             return same_nan(star_class(network, profile.rows[row], seeing_fwhm, own_scale > 0 ? own_scale : side));
           },
           where)});
}

const std::vector<double>& values_of(const Sources& sources, std::string_view name) {
  return std::get<std::vector<double>>(std::ranges::find(sources.further, name, &FurtherColumn::name)->values);
}

/// Adds FLUX_BEST and its like, after FLAGS are complete. The value is that of the ellipse, or of the isophote if more
/// than a tenth of the ellipse is neighbours or bad pixels.
void add_best_columns(const ColumnChoice& choice, Sources& sources, const Cpu& where) {
  for (const MeasuredColumn& measured : measured_columns()) {
    if (measured.family != Family::best || !choice.has(measured.column.name)) continue;
    const std::vector<double>&whole = values_of(sources, measured.needs[0]),
          &isophote = values_of(sources, measured.needs[1]);
    FurtherValues best = column_of(
        sources.size(),
        [&](std::int64_t i) {
          const auto row = static_cast<std::size_t>(i);
          return (sources.flags[row] & flag::crowded) != 0 ? isophote[row] : whole[row];
        },
        where);
    sources.further.push_back({measured.column, measured.column.name, std::move(best)});
  }
}

void express_noise(const FluxCalibration& found, const FluxCalibration& calibration, PositionNoise& noise) {
  if (found.pixel == calibration.pixel) return;  // both may be 0
  for (double& pixels : noise.pixels) pixels *= found.pixel / calibration.pixel;
}

}  // namespace

void express_found_noise(std::span<const FluxCalibration> found, std::span<const FluxCalibration> calibration,
                         Photometry<Cpu>& photometry) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (photometry.position_noise.each > 0)
      express_noise(found[i], calibration[i], photometry.position_noise.rows[row]);
    if (photometry.window.each > 0 && photometry.window.rows[row].flags_win != 0)
      express_noise(found[i], calibration[i], photometry.window.rows[row].noise);
  }
}

void add_measured_columns(const Photometry<Cpu>& photometry, std::span<const FluxCalibration> calibration,
                          const Settings& config, const Resources& resources, Sources& sources, const Cpu& where) {
  const ColumnChoice choice(config.output.columns);
  for (const MeasuredColumn& measured : measured_columns()) {
    if (!choice.fills(measured.column.name)) continue;
    if (measured.family == Family::isophote) add_isophotal_column(measured.column, calibration, sources, where);
    if (measured.family == Family::classifier)
      add_star_class(measured.column, photometry.profile, calibration, config.measurement.seeing_fwhm, resources,
                     sources, where);
    for_each_family([&]<class One>(auto&& rows_of) {
      if (One::id == measured.family)
        add_family_columns<One>(measured.column, rows_of(photometry), calibration, sources, where);
    });
  }
  add_limits({"FLUXLIM_APER", pixel_sum_unit, flux_limit_ucd, flux_limit_text, 0},
             {"MAGLIM_APER", "mag", magnitude_limit_ucd, magnitude_limit_text, 0}, photometry.circles, calibration,
             choice, sources, where);
  add_limits({"FLUXLIM_AUTO", pixel_sum_unit, flux_limit_ucd, flux_limit_text, 0},
             {"MAGLIM_AUTO", "mag", magnitude_limit_ucd, magnitude_limit_text, 0}, photometry.kron, calibration, choice,
             sources, where);
  for_each_family([&]<class One>(auto&& rows_of) {
    const auto& measured = rows_of(photometry);
    sources.has_apertures = sources.has_apertures || measured.each > 0;
    for (std::int64_t i = 0; i < measured.rows.size(); ++i)
      sources.flags[static_cast<std::size_t>(i / measured.each)] |= static_cast<std::int16_t>(measured.rows[i].flags);
  });
  add_best_columns(choice, sources, where);
  sources.written = choice.names();
}

}  // namespace srcextract
