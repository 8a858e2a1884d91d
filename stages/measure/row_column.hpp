#pragma once

#include "stages/catalogue/declared_columns.hpp"
#include "stages/measure/flux_calibration.hpp"

namespace srcextract {

inline constexpr const char* flux_ucd = "phot.flux";
inline constexpr const char* flux_error_ucd = "stat.error;phot.flux";
inline constexpr const char* magnitude_ucd = "phot.mag";
inline constexpr const char* magnitude_error_ucd = "stat.error;phot.mag";
inline constexpr const char* area_ucd = "phys.angArea;instr.pixel";
inline constexpr const char* x2_error_ucd = "stat.error;pos.cartesian.x;instr.det";
inline constexpr const char* y2_error_ucd = "stat.error;pos.cartesian.y;instr.det";
inline constexpr const char* xy_error_ucd = "stat.error;pos.cartesian;instr.det";

/// A column computed from a row of a family (group of measurements, families.hpp) or from a SourceRow
/// (source_columns.hpp).
template <class Row>
using RowColumn = ColumnOf<Row, FluxCalibration>;

/// Formulas of a flux, its error, its magnitude and the magnitude's error. Row must have `flux` and error(calibration).
template <class Row>
struct LightOf {
  using At = FluxCalibration;
  static double flux(const Row& row, const At&) { return row.flux; }
  static double error(const Row& row, const At& at) { return row.error(at); }
  static double magnitude(const Row& row, const At& at) { return at.magnitude(row.flux); }
  static double magnitude_error(const Row& row, const At& at) { return at.magnitude_error(row.flux, row.error(at)); }
};

}  // namespace srcextract
