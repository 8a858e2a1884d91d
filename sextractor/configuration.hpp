#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/sextractor_keys.hpp"
#include "sextractor/text_file.hpp"

namespace srcextract::sextractor {

/// The value of a key.
struct Setting {
  const SextractorKey* key = nullptr;
  std::vector<std::string> values;
  std::string place;         ///< `file:line`; empty: not set, so SExtractor's default holds
  std::string before = {};   ///< place of an earlier setting of the same key, which this one overrides
  std::string further = {};  ///< words that follow the value, if the key takes a single one, up to a comment

  bool is_set() const { return !place.empty(); }
  /// The setting as a line of a file: `PHOT_AUTOPARAMS 2.5,3.5`.
  std::string text() const;
  /// A remark, after "; ", that SExtractor ignores the further words; empty without such words.
  std::string further_words() const;
  /// Whether the values equal SExtractor's default.
  bool is_usual() const;

  /// The value at `index`, or the last one beyond the end, as SExtractor fills pairs. Words and Y/N are in capitals. A
  /// key without values gives an empty text, 0 or false.
  std::string word(std::size_t index = 0) const;
  double number(std::size_t index = 0) const;
  bool yes(std::size_t index = 0) const { return word(index) == "Y"; }
  std::vector<double> numbers() const;
};

/// A SExtractor configuration, key by key.
class Configuration {
 public:
  /// Starts with the defaults that `source-extractor -dd` prints.
  Configuration();

  /// Sets a key from a line of a file or an option -KEY VALUE; `text` follows the key. Unknown keys are skipped. If one
  /// resembles a known key, or if a number is none, `on_mistake` is called. If that returns, the key is skipped, and
  /// the number is what SExtractor reads. Throws Error{config} that begins with `place` if the value is invalid.
  void set(std::string_view key, std::string_view text, const std::string& place,
           const OnMistake& on_mistake = refuse_mistake);

  /// Replaces the values of a key of sextractor_keys() by others of its type.
  void set_values(std::string_view key, std::vector<std::string> values);

  /// The setting of a key of sextractor_keys().
  const Setting& operator[](std::string_view key) const;

  /// All settings, in SExtractor's order.
  const std::vector<Setting>& settings() const { return settings_; }

  /// Unknown keys that were skipped.
  const std::vector<UnknownName>& unknown() const { return unknown_; }

 private:
  std::vector<Setting> settings_;
  std::vector<UnknownName> unknown_;
};

/// Reads a .sex file as SExtractor 2.25 does:
/// - A line is a key, in any case, and values, separated by blanks, commas, semicolons, quotes or =.
/// - # begins a comment.
/// - $NAME, up to a /, a : or the end of the value, and ${NAME} are environment variables.
/// - The last setting of a key counts; missing keys have their defaults.
/// - Unknown keys are skipped.
///
/// Calls `on_mistake` as Configuration::set does. Throws Error{config} that begins `path:line:` for an invalid value, a
/// file without SExtractor keys, or an unreadable file.
Configuration read_configuration(const std::string& path, const OnMistake& on_mistake = refuse_mistake);

}  // namespace srcextract::sextractor
