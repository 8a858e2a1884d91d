#include "pipeline/outputs/report_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include "io/catalog/catalog_writers.hpp"
#include "stages/fit/fitted_ellipse.hpp"

namespace srcextract {
namespace {

/// Full widths at half maximum of a Gaussian, in units of its A_IMAGE or B_IMAGE: the page draws semi-axes of three
/// times these columns, and so the ellipse on which the Gaussian has half of its peak.
constexpr double widths_of_an_axis = 6;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The first of FLUX_AUTO, FLUX_ISO, FLUX_APER and FLUX_PSF that is finite for any source; FLUX_ISO if none is.
std::string name_of_flux(const std::vector<ReportColumn>& columns, std::size_t rows) {
  for (const char* name : {"FLUX_AUTO", "FLUX_ISO", "FLUX_APER", "FLUX_PSF"}) {
    const ReportColumn* const flux = find_column(columns, name);
    for (std::size_t row = 0; flux != nullptr && row < rows; ++row)
      if (std::isfinite(flux->at(row))) return name;
  }
  return "FLUX_ISO";
}

std::vector<double> values_of(const ReportColumn* column, std::size_t rows) {
  std::vector<double> values(rows, unknown);
  for (std::size_t row = 0; column != nullptr && row < rows; ++row) values[row] = column->at(row);
  return values;
}

void add_sizes(const std::vector<ReportColumn>& columns, std::size_t rows, ReportLight& light) {
  for (const char* name : {"FLUX_RADIUS", "FWHM_IMAGE"}) {
    const ReportColumn* const size = find_column(columns, name);
    if (size == nullptr) continue;
    light.size = name;
    light.sizes = values_of(size, rows);
    return;
  }
  light.size = "root of A_IMAGE × B_IMAGE";
  light.sizes = values_of(find_column(columns, "A_IMAGE"), rows);
  const std::vector<double> minor = values_of(find_column(columns, "B_IMAGE"), rows);
  for (std::size_t row = 0; row < rows; ++row) light.sizes[row] = std::sqrt(light.sizes[row] * minor[row]);
}

/// Returns the numbers of the rows, sorted by value(row), the smallest value first; rows whose value is not finite come
/// last.
template <class Value>
std::vector<std::size_t> in_order_of(std::size_t rows, Value&& value) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t row) {
    const double of_row = value(row);
    return std::isfinite(of_row) ? of_row : std::numeric_limits<double>::infinity();
  });
  return order;
}

}  // namespace

std::vector<ReportColumn> report_columns(const Sources& sources, const CatalogMetadata& metadata) {
  std::vector<ReportColumn> columns;
  const auto rows = static_cast<std::size_t>(sources.size());
  for_each_column(sources, [&](const Column& column, const auto& values) {
    if (values.size() != rows) return;
    const auto& written = sources.written;
    columns.push_back({.name = column.name,
                       .unit = unit_of(column, metadata),
                       .description = column.description,
                       .is_whole = std::is_integral_v<typename std::remove_cvref_t<decltype(values)>::value_type>,
                       .is_written = !written || std::ranges::count(*written, common_name(column.name)) > 0,
                       .at = [&values](std::size_t row) { return static_cast<double>(values[row]); }});
  });
  std::stable_partition(columns.begin(), columns.end(), [](const ReportColumn& column) { return column.is_written; });
  return columns;
}

std::vector<ReportColumn> component_columns(Table table, const std::vector<ComponentRow>& gaussians) {
  std::vector<ReportColumn> columns;
  for (TableColumn& column : table.columns)
    std::visit(
        [&]<class Value>(std::vector<Value>& values) {
          if constexpr (std::is_arithmetic_v<Value>)
            columns.push_back(
                {.name = column.name,
                 .unit = column.unit,
                 .description = column.description,
                 .is_whole = std::is_integral_v<Value>,
                 .at = [held = std::move(values)](std::size_t row) { return static_cast<double>(held[row]); }});
        },
        column.values);
  const auto add = [&](const std::string& name, auto value) {
    columns.push_back({.name = name,
                       .unit = "pixel",
                       .description = "",
                       .is_written = false,
                       .at = [&gaussians, value](std::size_t row) { return value(gaussians[row]); }});
  };
  const auto ellipse = [](const ComponentRow& row) { return ellipse_of(measured_spread(row)); };
  add("X_IMAGE", [](const ComponentRow& row) { return row.x + 1; });
  add("Y_IMAGE", [](const ComponentRow& row) { return row.y + 1; });
  add("A_IMAGE", [=](const ComponentRow& row) { return ellipse(row).major / widths_of_an_axis; });
  add("B_IMAGE", [=](const ComponentRow& row) { return ellipse(row).minor / widths_of_an_axis; });
  add("THETA_IMAGE", [=](const ComponentRow& row) { return ellipse(row).angle; });
  return columns;
}

const ReportColumn* find_column(const std::vector<ReportColumn>& columns, const std::string& name) {
  const auto found = std::ranges::find(columns, name, &ReportColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

ReportLight component_light(const std::vector<ReportColumn>& columns, std::size_t rows) {
  ReportLight light;
  const ReportColumn* const total = find_column(columns, "Total_flux");
  light.magnitude = "lg Total_flux" + (total == nullptr || total->unit.empty() ? "" : " (" + total->unit + ")");
  light.size = "root of the full widths' product";
  light.magnitudes = values_of(total, rows);
  light.errors = values_of(find_column(columns, "E_Total_flux"), rows);
  light.sizes.assign(rows, unknown);
  const std::vector<double> major = values_of(find_column(columns, "A_IMAGE"), rows),
                            minor = values_of(find_column(columns, "B_IMAGE"), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double flux = light.magnitudes[row];
    light.magnitudes[row] = flux > 0 ? std::log10(flux) : unknown;
    light.errors[row] = flux > 0 ? light.errors[row] / flux / std::log(10.0) : unknown;
    light.sizes[row] = widths_of_an_axis * std::sqrt(major[row] * minor[row]);
  }
  light.order = in_order_of(rows, [&](std::size_t row) { return -light.magnitudes[row]; });
  return light;
}

ReportLight report_light(const std::vector<ReportColumn>& columns, std::size_t rows, double zero_point) {
  ReportLight light;
  const std::string name = name_of_flux(columns, rows);
  const std::string suffix = name.substr(std::string("FLUX").size());
  light.magnitude = "MAG" + suffix;
  const std::vector<double> flux = values_of(find_column(columns, name), rows);
  light.magnitudes.assign(rows, unknown);
  light.errors = values_of(find_column(columns, "FLUXERR" + suffix), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool shines = flux[row] > 0 && std::isfinite(flux[row]);
    light.magnitudes[row] = shines ? zero_point - 2.5 * std::log10(flux[row]) : unknown;
    light.errors[row] = shines ? 2.5 / std::log(10.0) * light.errors[row] / flux[row] : unknown;
  }
  add_sizes(columns, rows, light);
  light.order = in_order_of(rows, [&](std::size_t row) { return light.magnitudes[row]; });
  return light;
}

}  // namespace srcextract
