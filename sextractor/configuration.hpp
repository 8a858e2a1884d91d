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

/// What a key was set to.
struct Setting {
  const SextractorKey* key = nullptr;
  std::vector<std::string> values;
  std::string place;         ///< `file:line`; empty: nobody set it, and SExtractor's default holds
  std::string before = {};   ///< the place of an earlier setting of the same key, which does not count
  std::string further = {};  ///< words of the line after the one value that a key has, before a comment

  bool is_set() const { return !place.empty(); }
  /// As it would stand in a file: `PHOT_AUTOPARAMS 2.5,3.5`.
  std::string text() const;
  /// What to say of further words where the value is no file, after "; "; empty if there are none.
  std::string further_words() const;
  /// Whether it comes to what nobody would have to set.
  bool is_usual() const;

  /// The value at `index`, or the last of fewer, as SExtractor fills its pairs; a word or Y and N in capitals. Of a key
  /// without values an empty text, 0 or false.
  std::string word(std::size_t index = 0) const;
  double number(std::size_t index = 0) const;
  bool yes(std::size_t index = 0) const { return word(index) == "Y"; }
  std::vector<double> numbers() const;
};

/// A configuration of SExtractor's, key by key.
class Configuration {
 public:
  /// What `source-extractor -dd` prints.
  Configuration();

  /// Sets a key as a line of a file or an option -KEY VALUE does; `text` is what follows the key. A key that SExtractor
  /// does not know is passed over. Throws Error{config} that begins with `place` if a key is much like one of
  /// SExtractor's but not the same, or has no such value.
  void set(std::string_view key, std::string_view text, const std::string& place);

  /// Gives a key of sextractor_keys() other values of its type, wherever it was set.
  void set_values(std::string_view key, std::vector<std::string> values);

  /// Of a key of sextractor_keys().
  const Setting& operator[](std::string_view key) const;

  /// In SExtractor's order.
  const std::vector<Setting>& settings() const { return settings_; }

  /// What was passed over.
  const std::vector<UnknownName>& unknown() const { return unknown_; }

 private:
  std::vector<Setting> settings_;
  std::vector<UnknownName> unknown_;
};

/// Reads a .sex file as SExtractor 2.25 does: a line is a key, in any case, and values, with blanks, commas,
/// semicolons, quotes or = between them; what begins with # is a comment; $NAME, to a /, a : or the end of a value, and
/// ${NAME} are variables of the environment; of a key that comes twice the last counts, and keys that are missing have
/// their defaults. Unknown keys are passed over as there. A key that is much like one of SExtractor's, a number that is
/// none, a file without a key of SExtractor's and one that cannot be read are an Error{config} that begins
/// `path:line:`.
Configuration read_configuration(const std::string& path);

}  // namespace srcextract::sextractor
