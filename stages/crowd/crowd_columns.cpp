#include "stages/crowd/crowd_columns.hpp"

#include <cmath>
#include <cstddef>

#include "stages/measure/row_column.hpp"

namespace srcextract {
namespace {

using CrowdColumn = RowColumn<CrowdRow>;

const CrowdColumn crowd_columns[] = {
    {"FLUX_PSF", pixel_sum_unit, flux_ucd, "Flux of the star, fitted together with all others", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.flux; }},
    {"FLUXERR_PSF", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_PSF, with places and neighbours free", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return std::sqrt(row.variance); }},
    {"MAG_PSF", "mag", magnitude_ucd, "Magnitude of FLUX_PSF; 99 if that is not above 0", "crowd",
     [](const CrowdRow& row, const FluxCalibration& at) { return at.magnitude(row.flux); }},
    {"MAGERR_PSF", "mag", magnitude_error_ucd, "RMS error of MAG_PSF", "crowd",
     [](const CrowdRow& row, const FluxCalibration& at) {
       return at.magnitude_error(row.flux, std::sqrt(row.variance));
     }},
    {"ERRX2PSF_IMAGE", "pixel2", x2_error_ucd, "Variance of X_IMAGE", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.xx; }},
    {"ERRY2PSF_IMAGE", "pixel2", y2_error_ucd, "Variance of Y_IMAGE", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.yy; }},
    {"ERRXYPSF_IMAGE", "pixel2", xy_error_ucd, "Covariance of X_IMAGE and Y_IMAGE", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.xy; }},
    {"CHI2_PSF", "", "stat.fit.chi2", "Mean square of the residual over its noise, weighed by the PSF", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.chi2; }},
    {"SPREAD_MODEL", "", "src.morph.param", "How much wider than a star it is; about 0 for a star", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.spread; }},
    {"SPREADERR_MODEL", "", "stat.error;src.morph.param", "RMS error of SPREAD_MODEL", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return std::sqrt(row.spread_variance); }},
    {"FRACFLUX", "", "phys.luminosity;arith.ratio", "Part of the light under its PSF that is its own", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.share; }},
    {"QF", "", "meta.code.qual", "Part of its PSF that is on good pixels", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.quality; }},
    {"PASSNO", "", "meta.number", "Turn in which it was found; 0 if its place was given", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.turn; }},
};

/// Further columns of an image to which artificial stars were added (inject_stars.hpp).
const CrowdColumn injected_columns[] = {
    {"COMPLETENESS", "", "stat.probability", "Part of added stars of its brightness that were found", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.completeness; }},
    {"ERR_CONF", pixel_sum_unit, flux_error_ucd, "Scatter of the fluxes of added stars of its brightness", "crowd",
     [](const CrowdRow& row, const FluxCalibration&) { return row.confusion; }},
};

}  // namespace

std::vector<std::string> crowd_column_names(bool injected) {
  std::vector<std::string> names = {"NUMBER", "X_IMAGE",     "Y_IMAGE",    "BACKGROUND",
                                    "FLAGS",  "ALPHA_J2000", "DELTA_J2000"};
  for (const CrowdColumn& column : crowd_columns) names.emplace_back(column.declared.column.name);
  if (injected)
    for (const CrowdColumn& column : injected_columns) names.emplace_back(column.declared.column.name);
  return names;
}

void add_crowd_columns(std::span<const CrowdRow> rows, double zero_point, bool injected, Sources& sources,
                       const Cpu& where) {
  FluxCalibration calibration;
  calibration.zero_point = zero_point;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sources[columns::x_image][i] = rows[i].x + 1;
    sources[columns::y_image][i] = rows[i].y + 1;
    sources[columns::background][i] += rows[i].sky;
    sources[columns::flags][i] = rows[i].flags;
  }
  sources.describe(columns::flags, crowd_flags);
  const auto add = [&](const CrowdColumn& column) {
    add_column(column, CatalogPart::requested, sources, where,
               [&](auto formula, std::size_t row) { return formula(rows[row], calibration); });
  };
  for (const CrowdColumn& column : crowd_columns) add(column);
  if (injected)
    for (const CrowdColumn& column : injected_columns) add(column);
}

}  // namespace srcextract
