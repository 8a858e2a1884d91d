#include "stages/catalogue/measured_columns.hpp"

#include <algorithm>

namespace srcextract {
namespace {

constexpr const char* flux_ucd = "phot.flux";
constexpr const char* flux_error_ucd = "stat.error;phot.flux";
constexpr const char* magnitude_ucd = "phot.mag";
constexpr const char* magnitude_error_ucd = "stat.error;phot.mag";

constexpr MeasuredColumn all_columns[] = {
    {{"MAG_ISO", "mag", magnitude_ucd, "Magnitude of FLUX_ISO; 99 if that is not above 0", 0},
     Family::isophote,
     "photometry"},
    {{"MAGERR_ISO", "mag", magnitude_error_ucd, "RMS error of MAG_ISO", 0}, Family::isophote, "photometry"},
    {{"FLUX_APER", pixel_sum_unit, flux_ucd, "Sum of pixels in a circle, above BACKGROUND", 0},
     Family::circles,
     "photometry",
     true},
    {{"FLUXERR_APER", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_APER", 0},
     Family::circles,
     "photometry",
     true},
    {{"MAG_APER", "mag", magnitude_ucd, "Magnitude of FLUX_APER; 99 if that is not above 0", 0},
     Family::circles,
     "photometry",
     true},
    {{"MAGERR_APER", "mag", magnitude_error_ucd, "RMS error of MAG_APER", 0}, Family::circles, "photometry", true},
    {{"FLUX_AUTO", pixel_sum_unit, flux_ucd, "Sum of pixels in the Kron ellipse, above BACKGROUND", 0},
     Family::kron,
     "photometry"},
    {{"FLUXERR_AUTO", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_AUTO", 0}, Family::kron, "photometry"},
    {{"MAG_AUTO", "mag", magnitude_ucd, "Magnitude of FLUX_AUTO; 99 if that is not above 0", 0},
     Family::kron,
     "photometry"},
    {{"MAGERR_AUTO", "mag", magnitude_error_ucd, "RMS error of MAG_AUTO", 0}, Family::kron, "photometry"},
    {{"KRON_RADIUS", "", "phys.angSize;arith.ratio", "Size of the Kron ellipse in units of A_IMAGE and B_IMAGE", 0},
     Family::kron,
     "photometry"},
};

/// The names of the columns that there are without being asked for.
std::vector<std::string> default_names() {
  Sources any;
  any.analysed = any.deblended = any.flagged = any.has_sign = any.sky = true;
  std::vector<std::string> names;
  for_each_column(any, [&](const Column& column, const auto&) { names.emplace_back(column.name); });
  return names;
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::span<const MeasuredColumn> measured_columns() {
  return all_columns;
}

std::vector<std::string> column_groups() {
  std::vector<std::string> groups = {"default"};
  for (const MeasuredColumn& measured : all_columns)
    if (!holds(groups, measured.group)) groups.emplace_back(measured.group);
  groups.emplace_back("all");
  return groups;
}

std::vector<std::string> column_names() {
  std::vector<std::string> names = column_groups();
  for (std::string& name : default_names()) names.push_back(std::move(name));
  for (const MeasuredColumn& measured : all_columns) names.emplace_back(measured.column.name);
  return names;
}

ColumnChoice::ColumnChoice(const std::vector<std::string>& asked) {
  const bool all = holds(asked, "all");
  if (all || holds(asked, "default")) names_ = default_names();
  for (const MeasuredColumn& measured : all_columns)
    if (all || holds(asked, measured.group)) names_.emplace_back(measured.column.name);
  names_.insert(names_.end(), asked.begin(), asked.end());
}

bool ColumnChoice::has(std::string_view name) const {
  return holds(names_, name);
}

bool ColumnChoice::needs(Family family) const {
  return std::ranges::any_of(all_columns, [&](const MeasuredColumn& measured) {
    return measured.family == family && has(measured.column.name);
  });
}

}  // namespace srcextract
