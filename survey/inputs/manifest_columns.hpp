#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "io/tables/text_table.hpp"
#include "stages/settings/field.hpp"

namespace srcextract {

/// Columns for files beside the image, and prefixes of further columns. `detect:KEY` is a key of the detection image
/// alone, `reference:KEY` one of the reference alone, `band:g` the file of a band, `band:g:KEY` a key of that band
/// alone.
inline constexpr std::string_view detect_column = "detect", positions_column = "positions",
                                  reference_column = "reference",
                                  detect_mark = "detect:", reference_mark = "reference:", band_mark = "band:";

/// The fields of a row. Fields other than the path may be empty.
struct ManifestFields {
  struct Band {
    std::string name, path = {};
    std::vector<std::string> settings = {};
    bool operator==(const Band&) const = default;
  };
  std::string path = {}, name = {}, detect = {}, positions = {}, reference = {};
  std::vector<std::string> settings = {}, detect_settings = {}, reference_settings = {};
  std::vector<Band> bands = {};

  /// Whether two rows with the same settings also have the same files beside the image.
  bool has_same_beside(const ManifestFields& other) const {
    return detect == other.detect && detect_settings == other.detect_settings && positions == other.positions &&
           reference == other.reference && reference_settings == other.reference_settings && bands == other.bands;
  }
};

/// The file and the line that is being read, as `manifest.csv:12`.
std::string place_of_line(const TextLines& lines);

/// Throws an Error{config} about the line that is being read.
[[noreturn]] void fail_at_line(const TextLines& lines, const std::string& problem);

/// What the columns of a manifest mean. Wrong names are an Error{config}.
class ManifestColumns {
 public:
  ManifestColumns(const TextLayout& layout, const TextLines& lines);

  /// The columns without a meaning.
  std::vector<std::string> foreign(const TextLayout& layout) const;

  /// Reads the fields of a row.
  ManifestFields read(TextLines& lines, const TextLayout& layout, FieldSplitter& splitter) const;

 private:
  /// The meaning of a column.
  struct Meaning {
    enum class Of { nothing, text, setting, detect_setting, reference_setting, band, band_setting };
    Of of = Of::nothing;
    std::string key = {};                         ///< for a setting
    std::size_t band = 0;                         ///< index of the band
    std::string ManifestFields::*text = nullptr;  ///< for a text

    void take(std::string_view field, ManifestFields& row) const;
  };

  void add_band(const std::string& column);
  void check_bands() const;
  Meaning meaning_of(const std::string& column) const;
  Meaning of_band(const std::string& column) const;
  /// Returns the key that a column sets; throws if there is no such key. `mark` is the column's prefix before the key.
  std::string checked_key(const std::string& key, const std::string& column, std::string_view mark) const;

  const TextLines& lines_;
  const config::Fields keys_;
  std::vector<ManifestFields::Band> bands_;  ///< in the order of their columns
  std::vector<Meaning> meanings_;            ///< of every field of a row
};

}  // namespace srcextract
