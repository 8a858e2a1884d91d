#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/sextractor_keys.hpp"
#include "sextractor/text_file.hpp"

namespace srcextract::sextractor {

/// A key of SExtractor with its values.
struct Setting {
  const SextractorKey* key = nullptr;
  std::vector<std::string> values;
  std::string place;  ///< `file:line` of the setting; empty: the key is not set and the values are SExtractor's default
  /// place of the previous setting of the same key, which this setting replaces; empty if there is none
  std::string before = {};
  /// for a key with a single value: further words on the line up to a comment, which SExtractor ignores
  std::string further = {};

  bool is_set() const { return !place.empty(); }
  /// The setting as a line of a configuration file: `PHOT_AUTOPARAMS 2.5,3.5`.
  std::string text() const;
  /// A remark for the end of a message, beginning with "; ", that SExtractor ignores the words in `further`; empty if
  /// there are no such words.
  std::string further_words() const;
  bool is_usual() const;

  /// The value at `index`; beyond the end, the last value, since SExtractor completes pairs in this way. word() returns
  /// words and Y or N in capital letters, whole() numbers without their decimals. If the key has no values, word()
  /// returns an empty text, number() 0 and yes() false.
  std::string word(std::size_t index = 0) const;
  double number(std::size_t index = 0) const;
  std::int64_t whole(std::size_t index = 0) const { return static_cast<std::int64_t>(number(index)); }
  bool yes(std::size_t index = 0) const { return word(index) == "Y"; }
  std::vector<double> numbers() const;
};

/// The values of all keys of SExtractor.
class Configuration {
 public:
  Configuration();

  /// Sets a key from a line of a file or a command-line option; `text` is what follows the key. Calls `on_mistake` if
  /// an unknown key resembles a known key or a number is not a number; the default throws Error{config}. If
  /// `on_mistake` returns, the unknown key is ignored, and the number is what SExtractor reads from the text. Unknown
  /// keys that resemble no known key are added to unknown(). Throws Error{config} that begins with `place` if a value
  /// is invalid.
  void set(std::string_view key, std::string_view text, const std::string& place,
           const OnMistake& on_mistake = refuse_mistake);

  /// Replaces the values of a key without any check. `key` is the name of a key in sextractor_keys().
  void set_values(std::string_view key, std::vector<std::string> values);

  /// The setting of a key; `key` is the name of a key in sextractor_keys().
  const Setting& operator[](std::string_view key) const;

  /// All settings, in the order of sextractor_keys().
  const std::vector<Setting>& settings() const { return settings_; }

  /// Unknown keys that resemble no known key.
  const std::vector<UnknownName>& unknown() const { return unknown_; }

 private:
  std::vector<Setting> settings_;
  std::vector<UnknownName> unknown_;
};

/// Reads a .sex file in the same way as SExtractor 2.25:
/// - A line is a key, in any case, and its values, separated by blanks, commas, semicolons, quotes or =.
/// - # begins a comment.
/// - $NAME and ${NAME} are environment variables. NAME without braces ends at a /, a :, a backslash or the end of the
///   value.
/// - If a key is set several times, the last setting counts. Missing keys have SExtractor's defaults.
/// - Unknown keys are ignored.
///
/// Calls `on_mistake` as Configuration::set() does, and for a file without keys of SExtractor. Throws Error{config}
/// that begins with `path:line:` for an invalid value, and Error{config} that begins with `path` for an unreadable
/// file.
Configuration read_configuration(const std::string& path, const OnMistake& on_mistake = refuse_mistake);

}  // namespace srcextract::sextractor
