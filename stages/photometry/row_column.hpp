#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "stages/catalogue/measured_columns.hpp"
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

/// A column, declared together with the formula of its value: formula(row, calibration), in the type that is written.
/// The row is what a family has measured (families.hpp), or all that is known of a source (source_columns.hpp).
template <class Row>
struct RowColumn {
  template <class T>
  using Formula = T (*)(const Row&, const FluxCalibration&);

  MeasuredColumn declared;
  std::variant<Formula<double>, Formula<std::int16_t>, Formula<std::int32_t>, Formula<std::int64_t>> formula;

  /// `image` is Column::image. A family adds itself to `families`, and its file.
  template <class Value>
  constexpr RowColumn(const char* name, const char* unit, const char* ucd, const char* description, const char* group,
                      Value value, bool image = of_measured, const FamilyNames& families = {},
                      const NeededFile& file = {})
      : declared{{name, unit, ucd, description, 0, image},
                 families,
                 group,
                 false,
                 column_type<Result<Value>>(),
                 {},
                 file},
        formula(static_cast<Formula<Result<Value>>>(value)) {}

 private:
  template <class Value>
  using Result = std::invoke_result_t<Value, const Row&, const FluxCalibration&>;
};

/// The formulas of a flux, its error and their magnitudes, from a row that has flux and error(calibration).
template <class Row>
struct LightOf {
  using At = FluxCalibration;
  static double flux(const Row& row, const At&) { return row.flux; }
  static double error(const Row& row, const At& at) { return row.error(at); }
  static double magnitude(const Row& row, const At& at) { return at.magnitude(row.flux); }
  static double magnitude_error(const Row& row, const At& at) { return at.magnitude_error(row.flux, row.error(at)); }
};

}  // namespace srcextract
