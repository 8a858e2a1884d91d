#include "stages/photometry/photometry_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/photometry/sky_columns.hpp"
#include "stages/photometry/source_columns.hpp"

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

/// Walks the lists of all columns but those on the sky, in catalogue order. Calls of_sources(columns) for those of a
/// SourceRow, and of_family.operator()<One>() for those of a family.
template <class OfSources, class OfFamily>
void for_each_list(const OfSources& of_sources, const OfFamily& of_family) {
  of_sources(magnitude_columns);
  for_each_family([&]<class One>() {
    of_family.template operator()<One>();
    if constexpr (!std::is_same_v<One, PositionNoiseFamily>) return;
    of_sources(isophote_columns);
    of_sources(classifier_columns);
  });
  of_sources(best_columns);
}

/// The family, and those that it uses.
template <class One>
FamilyNames names_of_family() {
  FamilyNames names{One::name};
  if constexpr (requires { One::uses; }) std::ranges::copy(One::uses, names.begin() + 1);
  return names;
}

std::vector<MeasuredColumn> all_columns() {
  std::vector<MeasuredColumn> all;
  const auto of_sources = [&](const auto& columns) {
    for (const auto& column : columns) all.push_back(column.declared);
  };
  for_each_list(of_sources, [&]<class One>() {
    for (const auto& column : One::columns) {
      all.push_back(column.declared);
      all.back().families = names_of_family<One>();
      all.back().repeated = has_many_rows<One>;
      all.back().file = file_of<One>();
    }
  });
  of_sources(sky_columns);
  return all;
}

/// The rows of which a source has `each`, and the calibration of all sources, made into columns.
template <class Row>
void add_column(const RowColumn<Row>& column, std::span<const FluxCalibration> calibration, int each,
                const auto& row_of, Sources& sources, const Cpu& where) {
  const Column& declared = column.declared.column;
  const auto add = [&](int which, auto formula) {
    const auto value = [&](std::int64_t i) {
      const auto result = formula(row_of(i, which), calibration[static_cast<std::size_t>(i)]);
      return std::is_same_v<Row, SourceRow> ? same_nan(result) : result;
    };
    sources.further.push_back({declared, numbered(declared.name, which), column_of(sources.size(), value, where)});
  };
  for (int which = 0; which < each; ++which) std::visit([&](auto formula) { add(which, formula); }, column.formula);
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

void express_noise(const FluxCalibration& found, const FluxCalibration& calibration, PositionNoise& noise) {
  if (found.pixel == calibration.pixel) return;  // both may be 0
  for (double& pixels : noise.pixels) pixels *= found.pixel / calibration.pixel;
}

}  // namespace

std::span<const MeasuredColumn> measured_columns() {
  // Never destroyed: a daemon thread of Python may be at work while the process ends.
  static const auto& all = *new std::vector<MeasuredColumn>(all_columns());
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
  for_each_family([&]<class One>() {
    const auto& measured = photometry.of<One>();
    sources.has_apertures = sources.has_apertures || measured.each > 0;
    for (std::int64_t i = 0; i < measured.rows.size(); ++i)
      sources.flags[static_cast<std::size_t>(i / measured.each)] |= static_cast<std::int16_t>(measured.rows[i].flags);
  });
  const auto of_sources = [&]<std::size_t N>(const SourceColumn(&columns)[N]) {
    const auto row_of = [&](std::int64_t i, int) {
      return SourceRow{sources, static_cast<std::size_t>(i), photometry, config.measurement, config.resources};
    };
    for (const SourceColumn& column : columns)
      if (choice.fills(column.declared.column.name) && is_read(column.declared.file, config))
        add_column(column, calibration, 1, row_of, sources, where);
  };
  for_each_list(of_sources, [&]<class One>() {
    const FamilyRows<typename One::Row, Cpu>& measured = photometry.of<One>();
    const auto row_of = [&](std::int64_t i, int which) -> const typename One::Row& {
      return measured.rows[i * measured.each + which];
    };
    for (const RowColumn<typename One::Row>& column : One::columns)
      if (choice.fills(column.declared.column.name))
        add_column(column, calibration, measured.each, row_of, sources, where);
  });
  add_limits({"FLUXLIM_APER", pixel_sum_unit, flux_limit_ucd, flux_limit_text, 0},
             {"MAGLIM_APER", "mag", magnitude_limit_ucd, magnitude_limit_text, 0}, photometry.of<CircleFamily>(),
             calibration, choice, sources, where);
  add_limits({"FLUXLIM_AUTO", pixel_sum_unit, flux_limit_ucd, flux_limit_text, 0},
             {"MAGLIM_AUTO", "mag", magnitude_limit_ucd, magnitude_limit_text, 0}, photometry.of<KronFamily>(),
             calibration, choice, sources, where);
  sources.written = choice.names();
}

}  // namespace srcextract
