#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace srcextract {

/// Type of a SExtractor key's values: any text, a word from a list, a number, an integer, or Y or N.
enum class SextractorValue { text, word, number, integer, yes_no };

/// How srcextract treats a key.
enum class SextractorFate {
  kept,     ///< srcextract has keys with the same meaning
  missing,  ///< srcextract has no equivalent; the catalogue may differ if the key does not have its default
  idle      ///< srcextract has no equivalent, and needs none: its catalogues do not depend on the key
};

/// A key of the configuration of SExtractor 2.25, as `source-extractor -dd` lists it.
struct SextractorKey {
  std::string_view name;
  std::string_view usual;  ///< the default, as SExtractor writes it
  SextractorValue value;
  /// smallest and largest number of values; if `most` is 1, SExtractor ignores further values
  std::size_t least, most;
  std::string_view words;  ///< allowed words of SextractorValue::word, separated by blanks
  SextractorFate fate;
  /// the srcextract keys with the same meaning; without such keys, the reason, and possibly the closest setting
  std::string_view ours;
};

/// All keys, in the order of SExtractor's own list.
std::span<const SextractorKey> sextractor_keys();

/// Returns the key of this name; case does not matter, as in SExtractor. Null if there is no such key.
const SextractorKey* find_sextractor_key(std::string_view name);

/// Returns advice for a user who wrote a SExtractor key in a srcextract configuration; empty if `name` is no key of
/// SExtractor in capitals.
std::string sextractor_key_advice(const std::string& name);

}  // namespace srcextract
