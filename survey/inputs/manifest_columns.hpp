#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/tables/text_table.hpp"

namespace srcextract {

/// Names of columns for files beside the image, and prefixes of column names. `detect:KEY` sets a configuration key of
/// the detection image alone, and `reference:KEY` one of the reference alone. `band:g` names the file of band g, and
/// `band:g:KEY` sets a key of that band alone.
inline constexpr std::string_view detect_column = "detect", positions_column = "positions",
                                  reference_column = "reference",
                                  detect_mark = "detect:", reference_mark = "reference:", band_mark = "band:";

/// The fields of a manifest's row. All but `path`, or for a row with bands `detect`, may be empty.
struct ManifestFields {
  struct Band {
    std::string name, path = {};
    std::vector<std::string> settings = {};
    bool operator==(const Band&) const = default;
  };
  std::string path = {}, name = {}, detect = {}, positions = {}, reference = {};
  std::vector<std::string> settings = {}, detect_settings = {}, reference_settings = {};
  std::vector<Band> bands = {};

  /// Whether the files beside the image are the same in two rows. The rows must have equal `settings`.
  bool has_same_beside(const ManifestFields& other) const {
    return detect == other.detect && detect_settings == other.detect_settings && positions == other.positions &&
           reference == other.reference && reference_settings == other.reference_settings && bands == other.bands;
  }
};

/// File and number of the current line, for messages: `manifest.csv:12`.
std::string place_of_line(const TextLines& lines);

/// Throws an Error{config} whose message begins with the place of the current line.
[[noreturn]] void fail_at_line(const TextLines& lines, const std::string& problem);

/// The meanings of a manifest's columns. The constructor throws Error{config} for a wrong column name.
class ManifestColumns {
 public:
  ManifestColumns(const TextLayout& layout, const TextLines& lines);

  /// The names of columns without a meaning.
  std::vector<std::string> foreign(const TextLayout& layout) const;

  ManifestFields read(TextLines& lines, const TextLayout& layout, FieldSplitter& splitter) const;

 private:
  struct Meaning {
    enum class Of { nothing, text, setting, detect_setting, reference_setting, band, band_setting };
    Of of = Of::nothing;
    std::string key = {};                         ///< configuration key that the column sets, for the kinds of settings
    std::size_t band = 0;                         ///< index in ManifestFields::bands, for band and band_setting
    std::string ManifestFields::*text = nullptr;  ///< member that receives the text, for Of::text

    void take(std::string_view field, ManifestFields& row) const;
  };

  void add_band(const std::string& column);
  void check_bands() const;
  Meaning meaning_of(const std::string& column) const;
  Meaning of_band(const std::string& column) const;
  /// Checks that `key`, the part of the column name after the prefix `mark`, is a configuration key, and returns it.
  /// Throws Error{config} if not.
  std::string checked_key(const std::string& key, const std::string& column, std::string_view mark) const;

  const TextLines& lines_;
  std::vector<ManifestFields::Band> bands_;
  std::vector<Meaning> meanings_;  ///< meaning of each field of a row
};

}  // namespace srcextract
