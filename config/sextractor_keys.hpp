#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace srcextract {

/// Type of a SExtractor key's values: any text, a word from a list, a number, an integer, or Y and N.
enum class SextractorValue { text, word, number, integer, yes_no };

/// How srcextract treats a key.
enum class SextractorFate {
  kept,     ///< srcextract keys mean the same
  missing,  ///< srcextract has no equivalent: the catalogue may differ unless the key has its default
  idle      ///< srcextract's catalogues do not depend on it
};

/// A key of SExtractor 2.25's configuration, as `source-extractor -dd` lists it.
struct SextractorKey {
  std::string_view name;
  std::string_view usual;  ///< its default, as SExtractor writes it
  SextractorValue value;
  std::size_t least, most;  ///< least and greatest number of values; SExtractor ignores more than one if `most` is 1
  std::string_view words;   ///< allowed words of SextractorValue::word, separated by blanks
  SextractorFate fate;
  std::string_view ours;  ///< srcextract's equivalent keys; or why there are none, and the closest setting
};

/// All keys, in SExtractor's order.
std::span<const SextractorKey> sextractor_keys();

/// The key of this name, in any case, as in SExtractor; null if there is none.
const SextractorKey* find_sextractor_key(std::string_view name);

/// Advice for a user who wrote a key of SExtractor in a srcextract configuration. Empty if the name is no SExtractor
/// key.
std::string sextractor_key_advice(const std::string& name);

}  // namespace srcextract
