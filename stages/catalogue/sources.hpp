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

/// Says that a column has the unit of pixel values. A written catalogue has the unit of the image in its stead.
inline constexpr const char* pixel_value_unit = "pixel value";

/// Says that a column has the unit of a sum of pixel values, which a written catalogue names likewise. The two units
/// differ if pixel values are per beam or per solid angle.
inline constexpr const char* pixel_sum_unit = "sum of pixel values";

/// The description of a column for all file formats.
struct Column {
  const char* name;  ///< SExtractor's name of the column, if SExtractor has the column
  const char* unit;  ///< FITS unit string; empty if dimensionless; or one of the two names above
  const char* ucd;   ///< IVOA UCD1+ words
  const char* description;
  double tolerance;  ///< largest |CPU - GPU| that `--backend compare` accepts; 0: all bits must be equal
  /// Says which image the values are from if sources are detected in one image and measured in another. True
  /// (of_measured): the values come from the measured image. False (of_found): the values come from the detection image
  /// only.
  bool image = false;
};

/// The values of Column::image.
inline constexpr bool of_measured = true, of_found = false;

/// The values of a column, in the type that is written.
using CatalogValues =
    std::variant<std::vector<double>, std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>>;

/// The parts of a catalogue, in the order of their columns.
enum class CatalogPart { usual, flag_maps, sign, requested, sky };

struct CatalogColumn {
  Column column;
  std::string name;  ///< full name; with a number if several columns share a common name (FLUX_APER_1)
  CatalogValues values;
  CatalogPart part = CatalogPart::requested;
  std::optional<std::string> unit = {};  ///< if set, used instead of column.unit
};

/// The name of a column and the C++ type of its values, as an index: sources[columns::x_image].
template <class T>
struct ColumnKey {
  using Type = T;
  const char* name;
  constexpr operator const char*() const { return name; }
  constexpr operator std::string_view() const { return name; }
};

/// The keys of all columns that code reads by name. Declarations of columns take their names from here
/// (declared_columns.hpp).
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

/// The catalogue: columns of equal length in catalogue order, with one row per source in the order of NUMBER. Positions
/// count from 1, as in FITS; angles are in degrees. sources[key] searches a column by name, so call it before a loop
/// over rows, or use UsualValues. Throws Error{internal} if the column does not exist: for example ALPHA_J2000 if the
/// image has no celestial WCS.
struct Sources {
  std::vector<CatalogColumn> columns;
  /// common names of the columns to write; unset: all columns are written
  std::optional<std::vector<std::string>> written = {};

  std::int64_t size() const {
    if (columns.empty()) return 0;
    return std::visit([](const auto& values) { return std::ssize(values); }, columns.front().values);
  }
  /// Inserts a column behind the last column of the same or an earlier CatalogPart.
  void add(CatalogColumn column) {
    columns.insert(std::ranges::upper_bound(columns, column.part, {}, &CatalogColumn::part), std::move(column));
  }
  /// Whether a column with this full name exists.
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

/// The values of the usual columns, for loops over rows: the constructor looks up each column once. The spans are valid
/// until a column is added to the sources.
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

/// Whether SIGN of this row is negative: the source is fainter than the sky, or in a difference image than the
/// reference. False if the catalogue has no column SIGN.
inline bool is_fainter_than_sky(const Sources& sources, std::size_t row) {
  return sources.has(columns::sign) && sources[columns::sign][row] < 0;
}

/// Bits of FLAGS. Bits 1 to 128 are defined as in SExtractor; bits 32, 64 and 128 (memory overflows) are never set
/// here. Bits 1 and 16 are set only if a family of measurements that detects these cases is measured
/// (declared_columns.hpp).
namespace flag {
inline constexpr std::int16_t crowded = 1;    ///< neighbours or bad pixels cover over a tenth of the measured ellipse
inline constexpr std::int16_t deblended = 2;  ///< deblending separated the source from other sources
inline constexpr std::int16_t saturated = 4;  ///< the source has a pixel at or above the saturation level
inline constexpr std::int16_t at_edge = 8;    ///< the source touches the edge of the image
inline constexpr std::int16_t aperture_cut = 16;    ///< an aperture extends beyond the image
inline constexpr std::int16_t masked_pixels = 256;  ///< the source touches masked pixels, which belong to no source
inline constexpr std::int16_t sharp = 512;  ///< a change in a difference, or a row of a crowd, is sharper than a star

/// The description of FLAGS, that of the FLAGS of changes, and the description if no apertures are measured.
inline constexpr const char* description =
    "1 neighbours or masked pixels in apertures, 2 deblended, 4 saturated, 8 touches the image edge, 16 an aperture is "
    "cut, 256 touches masked pixels";
inline constexpr const char* description_of_changes =
    "1 neighbours or masked pixels in apertures, 2 deblended, 4 saturated, 8 touches the image edge, 16 an aperture is "
    "cut, 256 touches masked pixels, 512 sharper than a star";
inline constexpr const char* description_without_apertures =
    "2 deblended, 4 saturated, 8 touches the image edge, 256 touches masked pixels";
}  // namespace flag

/// Calls f(column, values) for each column, in catalogue order. The `name` and `unit` of `column` are those that are
/// written.
template <class SourcesOrConst, class F>
void for_each_column(SourcesOrConst& sources, F&& f) {
  for (auto& [declared, name, values, part, unit] : sources.columns) {
    Column column = declared;
    column.name = name.c_str();
    if (unit) column.unit = unit->c_str();
    std::visit([&](auto& of_type) { f(std::as_const(column), of_type); }, values);
  }
}

/// The values of a column as doubles; empty if no column has this full name.
inline std::vector<double> numbers_of(const Sources& sources, std::string_view name) {
  std::vector<double> numbers;
  for_each_column(sources, [&](const Column& column, const auto& values) {
    if (column.name == name) numbers.assign(values.begin(), values.end());
  });
  return numbers;
}

/// The common name of a column: NAME for NAME_1, and the name itself if it does not end in _ and a number.
inline std::string_view common_name(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
}

/// Selects those columns of a catalogue that are to be written, for for_each_column().
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
