#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/stage_record.hpp"

namespace srcextract {

/// Placeholder for the unit of the image's pixel values, which the writers of catalogues replace.
inline constexpr const char* pixel_value_unit = "pixel value";

/// Placeholder for the unit of a sum of pixel values. It differs from the unit of pixel values if these are per beam or
/// per solid angle.
inline constexpr const char* pixel_sum_unit = "sum of pixel values";

/// The description of one column, as it is written into every format.
struct Column {
  const char* name;         ///< SExtractor's name, if SExtractor has the column
  const char* unit;         ///< FITS unit string, empty if dimensionless; or one of the two placeholders
  const char* ucd;          ///< IVOA UCD1+ word
  const char* description;  ///< one line
  double tolerance;         ///< largest |CPU - GPU| that `--backend compare` accepts; 0 = equal to the last bit
  /// Matters if sources are found in one image and measured in another. True (of_measured): values come from the
  /// measured image; false (of_found): only from the image in which sources were found.
  bool image = false;
};

/// The true value of Column::image.
inline constexpr bool of_measured = true, of_found = false;

/// The values of a column, in the type in which they are written.
using CatalogValues =
    std::variant<std::vector<double>, std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>>;

/// The parts of a catalogue, in order.
enum class CatalogPart { usual, flag_maps, sign, requested, sky };

/// A column of a catalogue, with its values.
struct CatalogColumn {
  Column column;
  std::string name;  ///< full name, with a number if there are several: FLUX_APER_1
  CatalogValues values;
  CatalogPart part = CatalogPart::requested;
  std::optional<std::string> unit = {};  ///< replaces the unit of `column`, if set
};

/// The name of a column that code reads, with the type of its values: sources[columns::x_image].
template <class T>
struct ColumnKey {
  using Type = T;
  const char* name;
  constexpr operator const char*() const { return name; }
  constexpr operator std::string_view() const { return name; }
};

/// All keys. Declarations of columns take their names from here (declared_columns.hpp).
namespace columns {
inline constexpr ColumnKey<std::int32_t> number{"NUMBER"}, id_parent{"ID_PARENT"};
inline constexpr ColumnKey<std::int32_t> xmin_image{"XMIN_IMAGE"}, xmax_image{"XMAX_IMAGE"}, xpeak_image{"XPEAK_IMAGE"};
inline constexpr ColumnKey<std::int32_t> ymin_image{"YMIN_IMAGE"}, ymax_image{"YMAX_IMAGE"}, ypeak_image{"YPEAK_IMAGE"};
inline constexpr ColumnKey<std::int64_t> npix{"NPIX"}, isoarea_image{"ISOAREA_IMAGE"}, imaflags_iso{"IMAFLAGS_ISO"};
inline constexpr ColumnKey<std::int16_t> flags{"FLAGS"}, sign{"SIGN"};
inline constexpr ColumnKey<double> x_image{"X_IMAGE"}, y_image{"Y_IMAGE"};
inline constexpr ColumnKey<double> flux_iso{"FLUX_ISO"}, fluxerr_iso{"FLUXERR_ISO"}, flux_max{"FLUX_MAX"}, snr{"SNR"};
inline constexpr ColumnKey<double> x2_image{"X2_IMAGE"}, y2_image{"Y2_IMAGE"}, xy_image{"XY_IMAGE"};
inline constexpr ColumnKey<double> a_image{"A_IMAGE"}, b_image{"B_IMAGE"}, theta_image{"THETA_IMAGE"};
inline constexpr ColumnKey<double> background{"BACKGROUND"}, threshold{"THRESHOLD"};
inline constexpr ColumnKey<double> alpha_j2000{"ALPHA_J2000"}, delta_j2000{"DELTA_J2000"};
}  // namespace columns

/// The catalogue: columns of one length, in catalogue order, with a row per source in the order of NUMBER. Positions
/// are 1-based, as in FITS; angles are in degrees.
///
/// sources[key] searches a column by name: call it before a loop over rows, or use UsualValues. It throws
/// Error{internal} if there is no such column. A catalogue without a celestial WCS has no ALPHA_J2000, for example.
struct Sources {
  std::vector<CatalogColumn> columns;
  std::optional<std::vector<std::string>> written = {};  ///< common names of the columns to write; unset: all columns

  std::int64_t size() const {
    if (columns.empty()) return 0;
    return std::visit([](const auto& values) { return std::ssize(values); }, columns.front().values);
  }
  /// Adds a column after the last column of its CatalogPart.
  void add(CatalogColumn column) {
    columns.insert(std::ranges::upper_bound(columns, column.part, {}, &CatalogColumn::part), std::move(column));
  }
  /// Whether there is a column with this full name.
  bool has(std::string_view name) const { return std::ranges::count(columns, name, &CatalogColumn::name) > 0; }

  template <class T>
  const std::vector<T>& operator[](ColumnKey<T> key) const {
    return std::get<std::vector<T>>(columns[place_of(key)].values);
  }
  template <class T>
  std::vector<T>& operator[](ColumnKey<T> key) {
    return std::get<std::vector<T>>(columns[place_of(key)].values);
  }
  void describe(std::string_view name, const char* text) { columns[place_of(name)].column.description = text; }

 private:
  std::size_t place_of(std::string_view name) const {
    const auto found = std::ranges::find(columns, name, &CatalogColumn::name);
    if (found == columns.end()) throw Error(ErrorKind::internal, "the catalogue has no column " + std::string(name));
    return static_cast<std::size_t>(found - columns.begin());
  }
};

/// The values of the usual columns, each looked up once for a loop over rows. They are valid until a column is added.
struct UsualValues {
  using Numbers = std::span<const std::int32_t>;
  using Doubles = std::span<const double>;

  explicit UsualValues(const Sources& sources) : of(sources) {}

  const Sources& of;
  Numbers number = of[columns::number], xpeak_image = of[columns::xpeak_image], ypeak_image = of[columns::ypeak_image];
  Numbers xmin_image = of[columns::xmin_image], xmax_image = of[columns::xmax_image];
  Numbers ymin_image = of[columns::ymin_image], ymax_image = of[columns::ymax_image];
  Doubles x_image = of[columns::x_image], y_image = of[columns::y_image], theta_image = of[columns::theta_image];
  Doubles flux_iso = of[columns::flux_iso], fluxerr_iso = of[columns::fluxerr_iso], flux_max = of[columns::flux_max];
  Doubles x2_image = of[columns::x2_image], y2_image = of[columns::y2_image], xy_image = of[columns::xy_image];
  Doubles a_image = of[columns::a_image], b_image = of[columns::b_image], threshold = of[columns::threshold];
  std::span<const std::int64_t> npix = of[columns::npix];
  std::span<const std::int16_t> flags = of[columns::flags];
};

/// Whether the source in this row is fainter than the sky, according to SIGN.
inline bool is_fainter_than_sky(const Sources& sources, std::size_t row) {
  return sources.has(columns::sign) && sources[columns::sign][row] < 0;
}

/// Bits of FLAGS. Bits up to 128 are SExtractor's; 32, 64 and 128 (full buffers) are never set here. Bits 1 and 16 need
/// the families of measurements that set them (declared_columns.hpp).
namespace flag {
inline constexpr std::int16_t crowded = 1;          ///< neighbours or bad pixels cover over a tenth of an ellipse
inline constexpr std::int16_t deblended = 2;        ///< was separated from other sources by deblending
inline constexpr std::int16_t saturated = 4;        ///< has a pixel at or above the saturation level
inline constexpr std::int16_t at_edge = 8;          ///< touches the edge of the image: truncated
inline constexpr std::int16_t aperture_cut = 16;    ///< the image cuts the box of an aperture
inline constexpr std::int16_t masked_pixels = 256;  ///< touches masked pixels, which are in no source

/// The description of FLAGS, and the description for sources without measured apertures.
inline constexpr const char* description =
    "1 neighbours or masked pixels in apertures, 2 deblended, 4 saturated, 8 touches the image edge, 16 an aperture is "
    "cut, 256 touches masked pixels";
inline constexpr const char* description_without_apertures =
    "2 deblended, 4 saturated, 8 touches the image edge, 256 touches masked pixels";
}  // namespace flag

/// Calls f(Column, values) for each column, in catalogue order.
template <class SourcesOrConst, class F>
void for_each_column(SourcesOrConst& sources, F&& f) {
  for (auto& [declared, name, values, part, unit] : sources.columns) {
    Column column = declared;
    column.name = name.c_str();
    if (unit) column.unit = unit->c_str();
    std::visit([&](auto& of_type) { f(std::as_const(column), of_type); }, values);
  }
}

/// The values of a column as doubles; empty if no column has this name.
inline std::vector<double> numbers_of(const Sources& sources, std::string_view name) {
  std::vector<double> numbers;
  for_each_column(sources, [&](const Column& column, const auto& values) {
    if (column.name == name) numbers.assign(values.begin(), values.end());
  });
  return numbers;
}

/// The common name of columns of several values: NAME for NAME_1.
inline std::string_view common_name(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
}

/// Those columns of a catalogue that are to be written.
struct WrittenColumns {
  const Sources& sources;
};

template <class F>
void for_each_column(const WrittenColumns& columns, F&& f) {
  const std::optional<std::vector<std::string>>& written = columns.sources.written;
  for_each_column(columns.sources, [&](const Column& column, const auto& values) {
    if (!written || std::ranges::find(*written, common_name(column.name)) != written->end()) f(column, values);
  });
}

inline void record_fields(const Sources& sources, FieldRecorder& to) {
  for_each_column(sources, [&](const Column& column, const auto& values) {
    to.values(column.name, Element::source, std::span(values), column.tolerance);
  });
}

}  // namespace srcextract
