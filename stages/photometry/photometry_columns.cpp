#include "stages/photometry/photometry_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "stages/catalogue/position_columns.hpp"
#include "stages/galaxy/galaxy_columns.hpp"
#include "stages/measure/dipoles.hpp"
#include "stages/measure/source_flags.hpp"
#include "stages/measure/usual_columns.hpp"
#include "stages/photometry/sky_columns.hpp"
#include "stages/photometry/source_columns.hpp"

namespace srcextract {
namespace {

/// Returns the value, but replaces any NaN by the default quiet NaN. Arithmetic may set the sign and payload of a NaN
/// differently on different machines.
template <class T>
T same_nan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (value != value) return std::numeric_limits<T>::quiet_NaN();
  return value;
}

/// Visits the lists of columns that this file fills, in catalogue order. Calls of_sources(columns) for each list
/// computed from a SourceRow, and of_family.operator()<One>() for the columns of each family.
template <class OfSources, class OfFamily>
void for_each_list(const OfSources& of_sources, const OfFamily& of_family) {
  of_sources(magnitude_columns);
  for_each_family([&]<class One>() {
    of_family.template operator()<One>();
    if constexpr (!std::is_same_v<One, PositionNoiseFamily>) return;
    of_sources(isophote_columns);
    of_sources(classifier_columns);
  });
  of_sources(growth_step_columns);
  of_sources(best_columns);
}

std::vector<DeclaredColumn> all_columns() {
  std::vector<DeclaredColumn> all;
  const auto add_all = [&](const auto& columns) {
    for (const auto& column : columns) all.push_back(column.declared);
  };
  add_all(usual_columns);
  add_all(flag_map_columns);
  all.push_back(sign_column.declared);
  for_each_list(add_all, [&]<class One>() {
    for (const auto& column : One::columns) {
      all.push_back(column.declared);
      all.back().families = family_names<One>;
      all.back().repeated = has_many_rows<One>;
      all.back().file = file_of<One>();
    }
  });
  add_all(galaxy_columns());
  add_all(dipole_columns);
  add_all(sky_columns);
  add_all(sky_position_columns);
  return all;
}

/// Adds `each` columns to `sources`, one for each row that a source has. Values are computed from the row and the
/// calibration of the source.
template <class Row>
void add_columns(const RowColumn<Row>& column, std::span<const FluxCalibration> calibration, int each,
                 const auto& row_of, Sources& sources, const Cpu& where) {
  for (int which = 0; which < each; ++which) {
    const auto value = [&](auto formula, std::size_t row) {
      const auto result = formula(row_of(row, which), calibration[row]);
      return std::is_same_v<Row, SourceRow> ? same_nan(result) : result;
    };
    add_column(column, CatalogPart::requested, sources, where, value, static_cast<std::size_t>(which));
  }
}

/// Declares two columns: the 3-sigma limits of a flux and of its magnitude. The noise is the sky noise in the aperture,
/// without photon noise of the source.
template <class Row>
std::array<RowColumn<Row>, 2> limit_columns(const char* flux, const char* magnitude) {
  static constexpr auto limit = [](const Row& row, const FluxCalibration& at) {
    constexpr double sigmas = 3;
    return sigmas * std::sqrt(row.variance * at.pixel);
  };
  static constexpr auto magnitude_limit = [](const Row& row, const FluxCalibration& at) {
    const double faintest = limit(row, at);
    return faintest == faintest ? at.magnitude(faintest) : faintest;
  };
  return {{{flux, pixel_sum_unit, "phot.flux;stat.max",
            "Three times the noise of the sky in the aperture, as an upper limit", "forced", limit, of_found},
           {magnitude, "mag", "phot.mag;stat.min", "Magnitude of that limit", "forced", magnitude_limit, of_found}}};
}

void express_noise(const FluxCalibration& found, const FluxCalibration& calibration, PositionNoise& noise) {
  if (found.pixel == calibration.pixel) return;  // both may be 0, and 0 / 0 would give NaN
  for (double& pixels : noise.pixels) pixels *= found.pixel / calibration.pixel;
}

}  // namespace

std::span<const DeclaredColumn> declared_columns() {
  // The list is never destroyed, because a daemon thread of Python may use it while the process ends.
  static const auto& all = *new std::vector<DeclaredColumn>(all_columns());
  return all;
}

void express_found_noise(std::span<const FluxCalibration> found, std::span<const FluxCalibration> calibration,
                         Photometry<Cpu>& photometry) {
  auto& noise = photometry.of<PositionNoiseFamily>();
  auto& windows = photometry.of<WindowFamily>();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (noise.each > 0) express_noise(found[i], calibration[i], noise.rows[row]);
    if (windows.each > 0 && windows.rows[row].flags_win != 0)
      express_noise(found[i], calibration[i], windows.rows[row].noise);
  }
}

void add_measured_columns(const Photometry<Cpu>& photometry, std::span<const FluxCalibration> calibration,
                          const Settings& config, Sources& sources, const Cpu& where) {
  const ColumnChoice choice(config.output.columns);
  const ColumnChoice written(config.resources.written_columns.value_or(config.output.columns));
  std::vector<std::int16_t>& flags = sources[columns::flags];
  const char* const description = config.resources.has_star_profile ? flag::description_of_changes : flag::description;
  for_each_family([&]<class One>() {
    const auto& measured = photometry.of<One>();
    // this family was measured only for alerts
    if (config.resources.written_columns && !written.needs(One::name)) return;
    if (measured.each > 0) sources.describe(columns::flags, description);
    for (std::int64_t i = 0; i < measured.rows.size(); ++i)
      flags[static_cast<std::size_t>(i / measured.each)] |= static_cast<std::int16_t>(measured.rows[i].flags);
  });
  const auto of_sources = [&]<std::size_t N>(const SourceColumn(&columns)[N]) {
    for (const SourceColumn& column : columns) {
      if (!choice.fills(column.declared.column.name) || !is_read(column.declared.file, config)) continue;
      const UsualValues usual{sources};
      const auto row_of = [&](std::size_t i, int) {
        return SourceRow{usual, i, photometry, config.measurement, config.resources};
      };
      add_columns(column, calibration, 1, row_of, sources, where);
    }
  };
  const auto of_family = [&]<class One>(const auto& columns) {
    const FamilyRows<typename One::Row, Cpu>& measured = photometry.of<One>();
    const auto row_of = [&](std::size_t i, int which) -> const typename One::Row& {
      return measured.rows[static_cast<std::int64_t>(i) * measured.each + which];
    };
    for (const RowColumn<typename One::Row>& column : columns)
      if (choice.fills(column.declared.column.name))
        add_columns(column, calibration, measured.each, row_of, sources, where);
  };
  for_each_list(of_sources, [&]<class One>() { of_family.template operator()<One>(One::columns); });
  of_family.operator()<CircleFamily>(limit_columns<CircleFlux>("FLUXLIM_APER", "MAGLIM_APER"));
  of_family.operator()<KronFamily>(limit_columns<EllipseFlux>("FLUXLIM_AUTO", "MAGLIM_AUTO"));
  sources.written = written.names();
}

}  // namespace srcextract
